/* What a context can do: read once, from its version, its extensions and its limits. */
#ifndef HB_GL_CAPS_H
#define HB_GL_CAPS_H

#include "gl/gl_context.h"

/* Of the context that is current. */
void hb_gl_caps_read(struct hb_gl_caps *caps);

/* HB_ERR_GL where it is too old for this program. */
enum hb_status hb_gl_caps_check(const struct hb_gl_caps *caps);

/* Whether this is the name of a renderer without a GPU. */
int hb_gl_is_software(const char *renderer);

/* Whether the functions of GL_KHR_debug are there. */
int hb_gl_caps_have_debug(const struct hb_gl_caps *caps);

#endif

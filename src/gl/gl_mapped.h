/* Memory that host and device share: a buffer that stays mapped (GL 4.4), in the host's memory. Programs read in it what
 * the host has written before they were started, without a call of OpenGL in between, and the host sees what they write. */
#ifndef HB_GL_MAPPED_H
#define HB_GL_MAPPED_H

#include "gl/gl_texture.h"

/* Starts as zeros. */
struct hb_gl_mapped {
  struct hb_gl_buffer buffer; /* for a program's storage */
  void *memory;
};

/* Makes it at least this large; its contents are lost if it grows. Errors: HB_ERR_DEVICE (no memory). */
enum hb_status hb_gl_mapped_reserve(struct hb_gl_context *context, size_t bytes, struct hb_gl_mapped *mapped);
void hb_gl_mapped_destroy(struct hb_gl_mapped *mapped);

/* Waits until programs have written something else into each of these words than `waiting`, or have come to their end
 * without. Whether it has waited until no program is running. */
int hb_gl_mapped_await(const struct hb_gl_context *context, const volatile uint32_t *word, size_t count,
                       uint32_t waiting);

/* Waits until no program is running that might read or write. */
void hb_gl_mapped_finish(void);

#endif

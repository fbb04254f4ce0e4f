/* Programs that follow their files: with HB_SHADER_DIR, a shader that is saved during a run takes effect at once. What does
 * not compile is reported, and the last program that did stays in use. */
#ifndef HB_GL_RELOAD_H
#define HB_GL_RELOAD_H

#include "gl/gl_shader.h"

/* Takes over a newly built program: looks up its uniforms and sets them; the old program is deleted afterwards. A status
 * other than HB_OK refuses it and must leave everything unchanged. */
typedef enum hb_status (*hb_gl_reload_adopt)(void *owner, unsigned program);

/* hb_gl_program_build and, where HB_SHADER_DIR is set, a watch on the files that were read. `where` is the variable that
 * holds the program: it is set here, by adopt, and read when the old program is deleted. What does not compile is also
 * reported by hb_gl_reload, until one of its files is saved. */
enum hb_status hb_gl_reload_build(struct hb_gl_context *context, const struct hb_gl_program_source *source,
                                  hb_gl_reload_adopt adopt, void *owner, unsigned *where);

/* Deletes *where and forgets it; 0 is ignored. */
void hb_gl_reload_delete(struct hb_gl_context *context, unsigned *where);

/* Checks the files and rebuilds what has changed: once a frame, say. 1 when a program was replaced. *message, nullable: what
 * is wrong, with file and line, until it is corrected; "" when nothing is. */
int hb_gl_reload(struct hb_gl_context *context, const char **message);

#endif

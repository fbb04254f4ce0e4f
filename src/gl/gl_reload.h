/* Programs that follow their files: with HB_SHADER_DIR, a shader that is saved while it runs runs on as saved. What does not
 * compile is told, and the last program that did goes on. */
#ifndef HB_GL_RELOAD_H
#define HB_GL_RELOAD_H

#include "gl/gl_shader.h"

/* Takes over a program that was made anew: finds its uniforms, sets what is set once, and then puts it in the old one's place,
 * which is deleted behind. Another status than HB_OK refuses it: nothing may have changed then. */
typedef enum hb_status (*hb_gl_reload_adopt)(void *owner, unsigned program);

/* hb_gl_program_build and, where HB_SHADER_DIR is set, a watch on the files that were read. `where` is the variable that
 * holds the program: it is set here, by adopt, and read when the old program is deleted. What does not compile is also
 * reported by hb_gl_reload, until one of its files is saved. */
enum hb_status hb_gl_reload_build(struct hb_gl_context *context, const struct hb_gl_program_source *source,
                                  hb_gl_reload_adopt adopt, void *owner, unsigned *where);

/* Deletes *where and forgets it; 0 is passed over. */
void hb_gl_reload_delete(struct hb_gl_context *context, unsigned *where);

/* Looks at the files, builds what has changed: once a frame, say. 1 when a program was replaced. *message, nullable: what
 * is wrong, with file and line, until it is put right; "" when nothing is. */
int hb_gl_reload(struct hb_gl_context *context, const char **message);

#endif

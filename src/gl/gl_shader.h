/* Shader files: embedded at build time, or read from the folder HB_SHADER_DIR, which wins. */
#ifndef HB_GL_SHADER_H
#define HB_GL_SHADER_H

#include "base/text.h"
#include "gl/gl_context.h"

/* Every file under shaders/ by its path there, ended by {0, 0}; made by tools/embed.sh. */
struct hb_gl_shader_file {
  const char *name, *text;
};
extern const struct hb_gl_shader_file hb_gl_shader_files[];

/* Loops of constant length are written out, for drivers that put arrays in memory where a loop indexes them: the name of a
 * loop's bound, and its value; a list ends with {NULL, 0}. */
enum { HB_GL_LOOPS = 6 };
struct hb_gl_loop {
  const char *bound;
  int count;
};

/* What a program is made of: paths under shaders/, NULL for a stage that it lacks, and lines of #define. */
struct hb_gl_program_source {
  const char *vertex, *fragment, *compute;
  const char *defines;
  int version;      /* of GLSL: 330 or 430; 0: the lowest, 330 and for compute 430 */
  const char *part; /* the file that #include "INTERACTION" stands for; NULL where none does */
  const char
      *part_text; /* its text, of a user's file that messages call `part`; NULL: it is under shaders/ */
  struct hb_gl_loop unrolled[HB_GL_LOOPS]; /* loops to be written out; ended by one without a bound */
};

/* Compiles and links. Sources carry no #version: the loader puts it before them, enables
 * `precise` and `double` where the context has them (HB_HAS_PRECISE, HB_HAS_DOUBLE are defined then),
 * expands #include "path under shaders/" and keeps line numbers true, so that a compile error reads
 * shaders/cg2007/acc_jerk_pot.frag:12: ... note, nullable, is called with the path of each file before it is read.
 * Errors: HB_ERR_GL with the first error of the driver. */
enum hb_status hb_gl_program_build(struct hb_gl_context *context, const struct hb_gl_program_source *source,
                                   void (*note)(void *context, const char *name), void *note_context,
                                   unsigned *program);

/* Whether the text of any stage, with what it includes, has the name: an input that the program lacks may have been left
 * out by #if or by the compiler; one that the text lacks is a mistake. 1 where files come from HB_SHADER_DIR. */
int hb_gl_shader_mentions(const struct hb_gl_program_source *source, const char *name);

/* HB_SHADER_DIR; NULL where it is not set, or empty. */
const char *hb_gl_shader_folder(void);

/* Whether it has another shader of that name than the build, or of any name where it is NULL: a page has a copy of these, of
 * which somebody may edit one. */
int hb_gl_shaders_differ(const char *name);

#endif

/* A folder with all shaders, of which a test may change some. */
#ifndef SHADER_CASE_H
#define SHADER_CASE_H

#include "gl/gl_context.h"

void shader_folder_open(void);
void shader_folder_close(void);
void shader_folder_put(const char *name, const char *text);

/* 1: shaders come from the folder. */
void shader_folder_use(int use);

/* The text of a shader as it was built in. */
const char *shader_text(const char *name);

/* From now on this context is another driver, which leaves out the rounding errors of sums. Needs no open folder. */
void shader_break_sums(struct hb_gl_context *context);

#endif

#include "force/hermite_program.h"

#include <stdio.h>

enum hb_status hb_hermite_program(struct hb_gl_context *context, enum hb_precision precision,
                                  int fma_is_fused, const struct hb_gl_program_source *files,
                                  struct hb_gl_pass *pass)
{
  char defines[96];
  snprintf(defines, sizeof defines, "#define PRECISION %d\n%s%s%s", (int)precision,
           fma_is_fused ? "#define FMA_IS_FUSED\n" : "",
           context->caps.has_counts ? "" : "#define UNCOUNTED\n", files->defines ? files->defines : "");
  struct hb_gl_program_source source = *files;
  source.defines = defines;
  return hb_gl_pass_create(context, &source, pass);
}

/* Programs of the all-pairs engine: a scheme's shader around an interaction. */
#ifndef HB_PAIRS_PROGRAM_H
#define HB_PAIRS_PROGRAM_H

#include "gl/gl_pass.h"
#include "pairs/pairs.h"

struct hb_pairs_program_source {
  const char *fragment, *compute; /* one of them */
  int version;                    /* of GLSL: 330 or 430 */
  enum hb_precision precision;
  int i_each, unroll, partial;  /* I_EACH, UNROLL, PARTIAL */
  const char *defines;          /* the scheme's own, "#define WORKGROUP 256\n" */
  hb_gl_pass_describe describe; /* for a tracer, of a struct hb_pairs; NULL: not traced */
};

/* Builds it unless it is built. Errors: HB_ERR_GL; HB_ERR_INPUT with file and line where the interaction is a user's. */
enum hb_status hb_pairs_program_build(struct hb_pairs *pairs, const struct hb_pairs_program_source *source,
                                      struct hb_gl_pass *pass);

/* Compiles one call of a user's interaction. Errors: as above. */
enum hb_status hb_pairs_program_check(struct hb_pairs *pairs);

/* The interaction's parameter, the particles and the sinks of the walk as its inputs. */
void hb_pairs_program_inputs(const struct hb_pairs *pairs, struct hb_gl_pass *pass);

#endif

/* What the schemes of the all-pairs engine share: programs around an interaction, totals and how they are read, and the passes
 * as a tracer sees them. */
#ifndef HB_PAIRS_SCHEME_H
#define HB_PAIRS_SCHEME_H

#include "gl/gl_pass.h"
#include "gl/gl_trace.h"
#include "pairs/pairs.h"

/* ---- programs ---- */

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

/* Phones and small boards: of the programs of one sink a thread, tile's keep totals in shared memory and fetch nothing ahead, and
 * bag's branch where others choose. Those see FEW_REGISTERS. */
static inline int hb_pairs_has_few_registers(const struct hb_pairs *pairs)
{
  return !pairs->params.context->caps.software && pairs->params.context->caps.registers <= 64;
}

/* The interaction's parameter, the particles and the sinks of the walk as its inputs. */
void hb_pairs_program_inputs(const struct hb_pairs *pairs, struct hb_gl_pass *pass);

/* ---- sources and totals ---- */

/* Sends the points of the current portion. Errors: HB_ERR_GL where they do not fit, HB_ERR_DEVICE. */
enum hb_status hb_pairs_send_points(struct hb_pairs *pairs);

/* Bytes to reserve for an array that may grow: half as much again, but no spare beyond `most`. */
size_t hb_pairs_capacity(size_t bytes, size_t most);

/* Adds a sink's total over a segment to its results, in double; segment after segment. words[k] are the four of
 * record k. HB_ERR_DEVICE unless the total was summed over as many sources as the segment has. */
enum hb_status hb_pairs_add(const struct hb_pairs *pairs, size_t segment, size_t segment_length, size_t i,
                            const uint32_t *const words[]);

/* Reserves memory for the sums of this walk, [sink][words], as storage buffer 3 of a pass: pairs->readback, or pairs->storage
 * when they stay. Then reads them back: each is over all sources. */
enum hb_status hb_pairs_results(struct hb_pairs *pairs, struct hb_gl_pass *pass);
enum hb_status hb_pairs_read_results(struct hb_pairs *pairs);

/* Sinks whose results are read back at once. */
size_t hb_pairs_results_portion(struct hb_pairs *pairs);

/* Memory for bytes in pairs->storage; for the totals of ni sinks there; and reading and describing those. */
enum hb_status hb_pairs_reserve_storage(struct hb_pairs *pairs, size_t bytes);
enum hb_status hb_pairs_reserve_totals(struct hb_pairs *pairs, size_t segments);
enum hb_status hb_pairs_read_storage(struct hb_pairs *pairs);
void hb_pairs_storage_totals(const struct hb_pairs *pairs, size_t segments, struct hb_pairs_totals *totals);

/* ---- for a tracer ---- */

/* Describes the next pass of the walk, which reads the particles and the sinks' numbers: that many texels of each. */
void hb_pairs_trace_pass(struct hb_pairs *pairs, uint64_t particle_texels, uint64_t sink_texels,
                         struct hb_gl_trace_pass *trace);

/* Totals in a stack of textures or in the storage buffer, without name, columns, rows, each, and traffic. */
struct hb_gl_trace_array hb_pairs_trace_totals(const struct hb_pairs *pairs, enum hb_gl_shape kind,
                                               unsigned object);

#endif

/* The passes of the schemes as a tracer sees them: what all schemes read and write. */
#ifndef HB_PAIRS_TRACE_H
#define HB_PAIRS_TRACE_H

#include "gl/gl_trace.h"
#include "pairs/pairs.h"

/* Describes the next pass of the walk, which reads the particles and the sinks' numbers: that many texels of each. */
void hb_pairs_trace_pass(struct hb_pairs *pairs, uint64_t particle_texels, uint64_t sink_texels,
                         struct hb_gl_trace_pass *trace);

/* Totals in a stack of textures or in the storage buffer, without name, columns, rows, each, and traffic. */
struct hb_gl_trace_array hb_pairs_trace_totals(const struct hb_pairs *pairs, enum hb_gl_shape kind,
                                               unsigned object);

#endif

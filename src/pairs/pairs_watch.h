/* Passes of the engine's schemes, as hb_gl_trace is told of them: what all schemes read and write. */
#ifndef HB_PAIRS_WATCH_H
#define HB_PAIRS_WATCH_H

#include "gl/gl_trace.h"
#include "pairs/pairs.h"

/* The next pass of the walk, which reads the particles and the sinks' numbers: texels of both that its fragments ask
 * for. */
struct hb_gl_trace_pass hb_pairs_watch_pass(struct hb_pairs *pairs, uint64_t particle_texels,
                                            uint64_t sink_texels);

/* Totals in a stack of textures or in the storage buffer, without name, columns, rows, each, and traffic. */
struct hb_gl_trace_array hb_pairs_watch_totals(const struct hb_pairs *pairs, enum hb_gl_shape kind,
                                               unsigned object);

#endif

/* What both ways of resident_way.h use: programs of shaders/hermite, their inputs, and particles in words of the device. */
#ifndef HB_RESIDENT_BOTH_H
#define HB_RESIDENT_BOTH_H

#include "base/bits.h"
#include "force/resident_way.h"
#include "gl/gl_pass.h"

#include <math.h>

/* A program of shaders/hermite in the precision of the particles. */
enum hb_status hb_resident_build(struct hb_resident *r, const struct hb_gl_program_source *files,
                                 struct hb_gl_pass *pass);

/* Layers 2 q and 2 q + 1 of particle i of p, their last words included. */
void hb_resident_pack(const struct hb_resident *r, const struct hb_force_particles *p, size_t i, int q,
                      uint32_t high[4], uint32_t low[4]);

/* What correcting a portion of a block needs. */
struct hb_resident_correction {
  struct hb_resident *resident;
  const struct hb_force_step *how;
  struct hb_phases *last; /* NULL: do not wait */
};

/* since of a prediction. */
void hb_resident_set_times(struct hb_resident *r, const double dt[HB_FORCE_LEVELS]);

/* The program of correct.*, built when the first block tells whether there are forces from outside; field NULL: none. */
enum hb_status hb_resident_build_correct(struct hb_resident *r, const struct hb_gl_program_source *files,
                                         const struct hb_field *field, struct hb_gl_pass *pass);

/* Inputs of predict.* and correct.*; of correct.* for sinks first .. first + count - 1 of a block, with these totals. */
void hb_resident_set_since(struct hb_resident *r, struct hb_gl_pass *pass);
void hb_resident_set_totals(const struct hb_resident *r, const struct hb_pairs_totals *totals,
                            const struct hb_force_step *how, size_t first, size_t count,
                            struct hb_gl_pass *pass);

/* The step of a corrected sink from its word. Errors: HB_ERR_DEVICE (a draw was lost), HB_ERR_NUMERIC. */
enum hb_status hb_resident_no_step(const struct hb_resident *r, float asked, size_t sink, uint32_t particle);
static inline enum hb_status hb_resident_step(const struct hb_resident *r, uint32_t word, size_t sink,
                                              uint32_t particle, double *step)
{
  float asked = hb_bits_to_float(word);
  *step = asked >= 1e38F ? INFINITY : asked;
  return asked >= 0 ? HB_OK : hb_resident_no_step(r, asked, sink, particle);
}

#endif

/* Two ways to keep particles on a device, behind resident.h: in storage buffers, worked on by compute shaders; and in
 * textures, by draws, for devices without those. One struct of functions each, and the same bits. */
#ifndef HB_RESIDENT_WAY_H
#define HB_RESIDENT_WAY_H

#include "base/bits.h"
#include "core/field.h"
#include "force/source.h"
#include "gl/gl_pass.h"

#include <math.h>

enum { HB_RESIDENT_LAYERS = 8 /* of four words, see shaders/hermite/particle.glsl */ };

struct hb_resident {
  const struct hb_resident_way *way;
  struct hb_pairs *pairs;
  struct hb_gl_context *context;
  size_t n;
  int waits;                           /* HB_FORCE_PHASES */
  void *state;                         /* the way's own */
  uint32_t since[4 * HB_FORCE_LEVELS]; /* of the last prediction, as particle.glsl has them */
  int levels;                          /* of these, the first ones that were ever not 0 */
  int is_ahead;                        /* pairs->j_next has particles that were predicted ahead, */
  double ahead[HB_FORCE_LEVELS];       /* to this time after their own */
  uint32_t parts[16 * HB_FIELD_PARTS]; /* of a field, and 2 W, as field.glsl has them */
  uint32_t double_turn[4];
  int part_count;
  const struct hb_force_correction *correction; /* under way */
};

/* As hb_resident_ops, with the context current. */
struct hb_resident_way {
  enum hb_status (*create)(struct hb_resident *r);
  void (*destroy)(struct hb_resident *r);
  enum hb_status (*put)(struct hb_resident *r, const struct hb_force_particles *p, size_t ni,
                        const uint32_t *index);
  enum hb_status (*predict)(struct hb_resident *r);   /* since has been set */
  enum hb_status (*use_ahead)(struct hb_resident *r); /* instead, after `correct` has predicted ahead */
  enum hb_status (*check)(struct hb_resident *r);
  enum hb_status (*doubt)(
      struct hb_resident *r); /* a force is not finite; NULL: `check` finds all that is lost */
  enum hb_status (*correct)(struct hb_resident *r, const struct hb_force_correction *c);
  enum hb_status (*settle)(struct hb_resident *r, size_t ni, const uint32_t *index, const uint8_t *level);

  /* NULL: it cannot */
  enum hb_status (*take)(struct hb_resident *r, size_t ni, const uint32_t *index, struct hb_force_news *news);
  enum hb_status (*give)(struct hb_resident *r, const struct hb_force_news *news);
  enum hb_status (*predict_ahead)(struct hb_resident *r, const double dt[HB_FORCE_LEVELS]);
  void (*undo)(struct hb_resident *r, size_t ni, const uint32_t *index);

  /* Layers 2 q and 2 q + 1 of particles first .. first + count - 1: x, v, a or k as high and low words, four a particle. */
  enum hb_status (*read)(struct hb_resident *r, int q, size_t first, size_t count, uint32_t *high,
                         uint32_t *low);
};

extern const struct hb_resident_way hb_resident_stored, hb_resident_drawn;

/* ---- what both ways use ---- */

/* A program of shaders/hermite in the precision of the particles. */
enum hb_status hb_resident_build(struct hb_resident *r, const struct hb_gl_program_source *files,
                                 struct hb_gl_pass *pass);

/* Layers 2 q and 2 q + 1 of particle i of p, their last words included. */
void hb_resident_pack(const struct hb_resident *r, const struct hb_force_particles *p, size_t i, int q,
                      uint32_t high[4], uint32_t low[4]);

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

/* Particles that stay on the device from step to step ([PZ07] Fig. 5), beside the all-pairs engine that walks them: only
 * blocks are transferred; the device predicts and, on request, corrects. See shaders/hermite. */
#ifndef HB_RESIDENT_H
#define HB_RESIDENT_H

#include "core/field.h"
#include "force/force.h"
#include "force/near.h"
#include "force/source.h"
#include "gl/gl_mapped.h"
#include "gl/gl_pass.h"
#include "pairs/pairs.h"

struct hb_kept {
  struct hb_gl_context *context;
  size_t n, layers;
  struct hb_gl_pass store;
  struct hb_gl_buffer state;        /* [layer][particle] */
  struct hb_gl_buffer count;        /* of workgroups that have ended */
  struct hb_gl_mapped told;         /* what the count was when it was last complete */
  struct hb_gl_mapped sent;         /* [k][layer] particles on their way, */
  struct hb_gl_mapped numbers;      /* [k] and which they are, or -1: none */
  struct hb_gl_pass collect;        /* made when it is first needed: */
  struct hb_gl_mapped wanted;       /* numbers of particles that the host wants, */
  struct hb_gl_readback leaving[2]; /* [k][layer] those on their way to it, in turn */
  uint32_t token;                   /* of this turn */
  uint32_t expected;                /* what the count is to become, */
  uint32_t due;   /* and what it must be by now: without dispatches whose results nobody has asked for yet */
  int is_busy;    /* the device may still be at work, */
  int is_storing; /* read what is on its way to it, */
  int is_collecting; /* or write what the host wants */
};

/* Room for up to HB_KEPT_PORTION particles on their way, when none are: their layers, words[4 * layers * count], and
 * numbers[count]. Then they are stored, all but those with number -1; or they come from another buffer. */
enum { HB_KEPT_PORTION = 1 << 17 };

/* For a program that includes kept.glsl, with so many threads: one that is counted, or not, because its results show
 * whether it was dropped. The inputs of kept.glsl are set, and bindings from HB_KEPT_BINDINGS on are free. */
enum { HB_KEPT_BINDINGS = 3 };

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

struct hb_resident;

/* For n particles beside pairs, which is not owned. HB_FORCE_PHASES among the flags: it waits for the device to take the time of each
 * phase, and predicts nothing ahead. Errors: HB_ERR_GL (limits). */
enum hb_status hb_resident_create(struct hb_pairs *pairs, size_t n, unsigned flags,
                                  struct hb_resident **resident);
void hb_resident_destroy(struct hb_resident *resident);

/* What it can do. Where a correction fails the state does not change. */
extern const struct hb_force_resident_ops hb_resident_ops;

/* ---- sources that each have a time of their own, as GRAPE-6 keeps them: they arrive one by one, by address, and are predicted
 * together to the time of a force call. Where the source of forces has the all-pairs engine on a device with compute shaders and
 * OpenGL 4.4 they stay there and are predicted there, in the engine's precision; elsewhere on the host, in double. */

/* The state at its own time t. Plain derivatives: a is the acceleration, not half of it; s, the second derivative of the
 * acceleration (snap), is 0 where the caller has none. With dt from t to now, by GRAPE-6's predictor,
 *
 *   x = x + v dt + a dt^2 / 2 + j dt^3 / 6 + s dt^4 / 24      v = v + a dt + j dt^2 / 2 + s dt^3 / 6
 */
struct hb_timed_particle {
  double t, m, x[3], v[3], a[3], j[3], s[3];
};

struct hb_timed;

/* For the sources of `force`, which is not owned and must live longer. */
enum hb_status hb_timed_create(struct hb_force *force, struct hb_timed **timed);
void hb_timed_destroy(struct hb_timed *timed);

/* Stores particles[count] at these addresses (NULL: 0, 1, ...), any of which may be stored again; the last
 * counts. Memory grows to the highest address; an address never stored holds a particle without mass at the origin.
 * Nothing is sent before the next prediction. Errors: HB_ERR_INTERNAL (memory), HB_ERR_USAGE (an address of 2^31 or more). */
enum hb_status hb_timed_put(struct hb_timed *timed, size_t count, const uint32_t *address,
                            const struct hb_timed_particle *particles);

/* Makes addresses 0 ... nj - 1, predicted to time t, the sources of the force: what was put since the last call is sent in
 * one go. Does nothing where neither nj nor t nor a particle has changed since, so that it may be called before every force;
 * the force's sources must not have been set by others meanwhile. Where many have no mass, the others alone are sources, of points. After hb_force_open_again everything is sent again.
 * Errors: HB_ERR_USAGE (nj is 0 or more than were put), HB_ERR_DEVICE, HB_ERR_GL, HB_ERR_INTERNAL. */
enum hb_status hb_timed_predict(struct hb_timed *timed, size_t nj, double t);

/* After the forces were read: HB_ERR_DEVICE where a draw that stored or predicted the sources was lost. */
enum hb_status hb_timed_check(struct hb_timed *timed);

/* Particle `address` predicted to time t by the host, in double: x[3]; v[3], nullable. */
void hb_timed_place(const struct hb_timed *timed, size_t address, double t, double x[3], double v[3]);

/* hb_near_nearest and hb_near_find among the sources of the last prediction: equal to the host's, from positions as
 * hb_timed_place gives them; also while a call of the force is under way. Errors: as there; HB_ERR_USAGE before the first
 * prediction. */
enum hb_status hb_timed_nearest(struct hb_timed *timed, const struct hb_near_points *points,
                                uint32_t *nearest, double *r2);
enum hb_status hb_timed_find(struct hb_timed *timed, const struct hb_near_points *points, const double *h2,
                             size_t most, struct hb_near_lists *lists);

#endif

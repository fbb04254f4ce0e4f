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

/* Particle `address` predicted to time t by the host, in double: x[3]; v[3], nullable. Returns its mass. */
double hb_timed_place(const struct hb_timed *timed, size_t address, double t, double x[3], double v[3]);

/* hb_near_nearest and hb_near_find among the sources of the last prediction: equal to the host's, from positions as
 * hb_timed_place gives them; also while a call of the force is under way. Errors: as there; HB_ERR_USAGE before the first
 * prediction. */
enum hb_status hb_timed_nearest(struct hb_timed *timed, const struct hb_near_points *points,
                                uint32_t *nearest, double *r2);
enum hb_status hb_timed_find(struct hb_timed *timed, const struct hb_near_points *points, const double *h2,
                             size_t most, struct hb_near_lists *lists);

#endif

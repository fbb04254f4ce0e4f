/* Sources of forces as integrators ask them. */
#ifndef HB_FORCE_H
#define HB_FORCE_H

#include "core/field.h"
#include "core/frame.h"
#include "force/source.h"

/* What is made of points, sinks that are not sources as a caller gives them, for a call: in arrays that grow. */
struct hb_points {
  struct hb_part_points in_frame;
  size_t capacity;
  double *rest;     /* [3 * capacity] velocities of points without */
  uint32_t *nobody; /* [capacity] HB_NO_SOURCE */
};

/* Test particles, which have no mass: they feel forces and cause none. Where particles include some, a source of forces gets
 * those with mass alone, and the sinks as points among them. */
struct hb_massive {
  size_t n, count;        /* of n particles, `count` have mass; 0: none was found, or all have */
  uint32_t *slot, *place; /* [count] their numbers, ascending; [n] the inverse, HB_NO_SOURCE without mass */
  double *m;              /* [count] the sources, which are at */
  struct hb_part_points at, sinks;
  uint32_t *own; /* [room] of sinks, their places */
  size_t room;
};

struct hb_force {
  const struct hb_force_ops *scheme; /* whose facts count */
  const struct hb_force_ops *inner;  /* the scheme's, or those of several devices around it */
  const struct hb_force_ops *ops;    /* the inner ones, or `shared` */
  struct hb_force_ops shared;        /* those of several ranks around them */
  void *state;
  struct hb_force_params params; /* with the strings below, for opening it again */
  enum hb_precision precision;
  const struct hb_interaction *interaction;
  struct hb_interaction *own_interaction; /* of a file; else NULL */
  char *parameters;
  char context[32], device[192], tuning[256];
  size_t nj;       /* sources set; 0: none yet */
  size_t kept;     /* particles that stay on the device; 0: none */
  void *records;   /* of these */
  uint32_t *stamp; /* [nj] the call in which the particle was last a sink, to find one named twice */
  size_t stamp_room;
  uint32_t call;
  struct hb_phases phases;
  unsigned openings;
  int is_under_way; /* a call was begun and is to be finished */
  struct hb_force_job under_way;
  struct hb_phases spent; /* by it, sending and receiving */
  double begun_s;         /* seconds that it took to begin; < 0: a public call, whose forces are checked */
  double origin[2][3];    /* of the sources' own frame: its place and velocity */
  struct hb_part_points sources; /* in that frame */
  struct hb_points points;
  struct hb_massive massive;    /* of hb_force_of */
  struct hb_massive set;        /* of hb_force_set_j, where many have no mass */
  const uint32_t *place;        /* [nj] of those with mass, which alone are sources; NULL: all are */
  size_t placed;                /* of them */
  struct hb_part_points all;    /* of that set */
  const struct hb_field *field; /* the caller's; NULL: none */
  struct hb_rescale *rescale;   /* in precision reproducible; else NULL */
};

/* What of the last sums helps to guess; it changes no bit. */
struct hb_rescale;

/* Bytes for each source, all of them sinks; and, of these, for those that are summed again. */
enum {
  HB_RESCALE_PARTICLE = 4 * sizeof(uint32_t) + sizeof(struct hb_fixed_total),
  HB_RESCALE_AGAIN = 2 * sizeof(uint32_t)
};

/* Bytes more on each rank, for each particle; not those of memory that the ranks of one machine share. */
double hb_force_ranks_memory(enum hb_precision precision);

/* The facts of the precision and the interaction that a source works in. */
const struct hb_precision_facts *hb_force_facts(const struct hb_force *force);
const struct hb_interaction *hb_force_interaction(const struct hb_force *force);
const char *hb_force_parameters(const struct hb_force *force); /* as in hb_force_params; NULL: none */

/* Whether a source works in less than double, and so gains from the particles' own frame (core/frame.h). */
int hb_force_rounds(const struct hb_force *force);

/* Whether the arithmetic has the range for these particles, in their frame, and their forces: beyond float's they would
 * silently become 0. Errors: HB_ERR_INPUT, with the particle. */
enum hb_status hb_force_check_range(const struct hb_force *force, size_t n, const double *m, const double *x,
                                    const double *v);

/* The softening, and another one from the next call on, with the same sources. Errors: HB_ERR_USAGE (not finite or < 0; the scheme cannot). */
double hb_force_eps(const struct hb_force *force);
enum hb_status hb_force_set_eps(struct hb_force *force, double eps);

/* Sources and forces in one, as integrators want them, sinks by number: when the device fails, the source is reopened with
 * draws a quarter as long and tried once more. Afterwards no sources are set. Errors: as hb_force_set_j and hb_force_eval;
 * HB_ERR_DEVICE when that failed, too. */
enum hb_status hb_force_of(struct hb_force *force, const struct hb_force_job *job);

/* The same in two, so that the caller may work while the device does; between them the arrays of the job stay as they are. */
enum hb_status hb_force_begin_of(struct hb_force *force, const struct hb_force_job *job);
enum hb_status hb_force_finish_of(struct hb_force *force, const struct hb_force_job *job);

/* Particles of mass 0 pull nobody: calls of hb_force_of with n of them send those with mass in m[n] alone, from now on, if
 * the scheme can compute forces at points; until then, or where all have mass, all are sent. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_force_find_massive(struct hb_force *force, size_t n, const double *m);

/* Those, ascending; NULL if all n are sent. */
const uint32_t *hb_force_massive(const struct hb_force *force, size_t n, size_t *count);

/* How many pairs the force on one of n sinks takes that has so many sources. */
static inline size_t hb_force_pairs(size_t n, size_t sources) { return sources < n ? sources : n - 1; }

/* Forces from outside, for particles in the given coordinates: whoever integrates adds them to those of the pairs. The field
 * outlives the force. NULL: none. */
void hb_force_set_field(struct hb_force *force, const struct hb_field *field);
const struct hb_field *hb_force_field(const struct hb_force *force);

/* What hb_force_of reads of x and v of nj particles, with ni sinks: these sources, and the sinks. */
struct hb_force_needs {
  const uint32_t *list; /* [count]; NULL: those from `from` on */
  size_t from, count;
};
struct hb_force_needs hb_force_needs(const struct hb_force *force, size_t nj, size_t ni);

/* ---- particles that stay on the device ---- */

/* Sends the particles index[ni] of p: all of them first (index NULL, ni = n), then those that were corrected. */
enum hb_status hb_force_keep(struct hb_force *force, const struct hb_force_particles *p, size_t ni,
                             const uint32_t *index);

/* Predicts all of them to a time dt[level] after their own ([PZ07] eqs 3, 4): the sources of jobs of hb_force_of that have none of
 * their own. */
enum hb_status hb_force_predict(struct hb_force *force, const double dt[HB_FORCE_LEVELS]);

/* Bytes of particles that were sent to the device since its context was opened; 0 where there is none. */
uint64_t hb_force_sent_bytes(const struct hb_force *force);

/* Corrects the block. Then the levels that the schedule derives from its steps, level[ni]. */
enum hb_status hb_force_correct(struct hb_force *force, const struct hb_force_correction *correction);
enum hb_status hb_force_settle(struct hb_force *force, size_t ni, const uint32_t *index,
                               const uint8_t *level);

/* x v a j of all, from the device. */
enum hb_status hb_force_fetch(struct hb_force *force, struct hb_force_particles *p);

/* ---- sources that others send to the device, force/resident.h ---- */

/* The engine of a source that has one, for nj sources; else *pairs is NULL. It lasts until the next call. */
enum hb_status hb_force_engine(struct hb_force *force, size_t nj, struct hb_pairs **pairs);

/* The context of a source that has one, else NULL; and how often the source was opened, each time in another. */
struct hb_gl_context *hb_force_gl(const struct hb_force *force);
unsigned hb_force_openings(const struct hb_force *force);

/* After HB_ERR_DEVICE: the source in a new context, with draws a quarter as long, and nothing kept. */
enum hb_status hb_force_open_again(struct hb_force *force);

/* Seconds that the functions above took since the source was opened. Callers that compute forces outside the integration
 * restore them. */
struct hb_phases *hb_force_phases(struct hb_force *force);

/* As the op; HB_DEVICE_NONE and no context where there is none. */
struct hb_gl_context *hb_force_on_device(const struct hb_force *force, struct hb_device_particles *particles);

#endif

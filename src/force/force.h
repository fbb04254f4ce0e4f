/* Sources of forces as integrators ask them. */
#ifndef HB_FORCE_H
#define HB_FORCE_H

#include "force/source.h"

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

/* What hb_force_of reads of x and v, with ni sinks: the sources from .. to - 1, and the sinks. */
void hb_force_needs(const struct hb_force *force, size_t nj, size_t ni, size_t *from, size_t *to);

/* ---- particles that stay on the device ---- */

/* Sends the particles index[ni] of p: all of them first (index NULL, ni = n), then those that were corrected. */
enum hb_status hb_force_keep(struct hb_force *force, const struct hb_force_particles *p, size_t ni,
                             const uint32_t *index);

/* Predicts all of them to a time dt[level] after their own ([PZ07] eqs 3, 4): the sources of what follows. */
enum hb_status hb_force_predict(struct hb_force *force, const double dt[HB_FORCE_LEVELS]);

/* Forces on sinks by number from the predicted sources. */
enum hb_status hb_force_on_kept(struct hb_force *force, const struct hb_force_job *job);

/* The same in two, as hb_force_begin_of. */
enum hb_status hb_force_begin_kept(struct hb_force *force, const struct hb_force_job *job);
enum hb_status hb_force_finish_kept(struct hb_force *force);

/* Bytes of particles that were sent to the device since its context was opened; 0 where there is none. */
uint64_t hb_force_sent_bytes(const struct hb_force *force);

/* Corrects the block. Then the levels that the schedule derives from its steps, level[ni]. */
enum hb_status hb_force_correct(struct hb_force *force, const struct hb_force_correction *correction);
enum hb_status hb_force_settle(struct hb_force *force, size_t ni, const uint32_t *index,
                               const uint8_t *level);

/* x v a j of all, from the device. */
enum hb_status hb_force_fetch(struct hb_force *force, struct hb_force_particles *p);

/* ---- sources that others send to the device, force/timed.h ---- */

/* The engine of a source that has one, for nj sources; else *pairs is NULL. It lasts until the next call. And then: they are
 * there, in a frame with this place and velocity. */
enum hb_status hb_force_engine(struct hb_force *force, size_t nj, struct hb_pairs **pairs);
void hb_force_filled(struct hb_force *force, size_t nj, const double origin[2][3]);

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

/* A job at points, for whoever looks himself whether forces are finite; sinks as in hb_force_at, NULLs
 * included. hb_force_finish ends it. */
enum hb_status hb_force_begin_any(struct hb_force *force, const struct hb_force_job *job);

#endif

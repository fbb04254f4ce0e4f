#include "force/force.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "force/points.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct hb_force {
  const struct hb_force_ops *ops;
  void *state;
  struct hb_force_params params; /* with the strings below, for opening it again */
  enum hb_precision precision;
  const struct hb_interaction *interaction;
  struct hb_interaction *own_interaction; /* of a file; else NULL */
  char *parameters;
  char context[32], device[192], tuning[256];
  size_t nj;       /* sources set; 0: none yet */
  size_t kept;     /* particles that stay on the device; 0: none */
  uint32_t *stamp; /* [nj] the call in which the particle was last a sink, to find one named twice */
  size_t stamp_room;
  uint32_t call;
  struct hb_phases phases;
  unsigned openings;
  int is_under_way;             /* a call was begun and is to be finished */
  double origin[2][3];          /* of the sources' own frame: its place and velocity */
  struct hb_frame_copy sources; /* in that frame */
  struct hb_points points;
};

/* Copies an optional string of the caller's. */
static const char *keep(const char *text, size_t room, char *copy)
{
  if (!text) return NULL;
  snprintf(copy, room, "%s", text);
  return copy;
}

/* Gravity, or another interaction that the source accepts: one of the program's, the caller's, or that of a file. */
static enum hb_status choose_interaction(struct hb_force *f, const struct hb_force_params *params)
{
  const char *name = params->interaction;
  double parameter[4];
  if (name && hb_interaction_is_path(name)) HB_TRY(hb_interaction_create(name, &f->own_interaction));
  f->interaction = f->own_interaction           ? f->own_interaction
                   : params->custom_interaction ? params->custom_interaction
                   : name                       ? hb_interaction_find(name)
                                                : HB_INTERACTION_GRAVITY;
  if (!f->interaction) return hb_interaction_unknown(name);
  if (!f->ops->takes_interactions && f->interaction != HB_INTERACTION_GRAVITY)
    return hb_fail(HB_ERR_USAGE, "scheme %s computes gravity_jerk only, not %s", f->ops->info.name,
                   f->interaction->name);
  if (!hb_interaction_is_integrable(f->interaction))
    return hb_fail(
        HB_ERR_USAGE,
        "interaction %s cannot be integrated: its particle is not (x, y, z, m) (vx, vy, vz, -), or its "
        "force not (ax, ay, az, phi) (jx, jy, jz, -)",
        f->interaction->name);
  HB_TRY(hb_interaction_set(f->interaction, params->eps, params->parameters, parameter));
  if (params->parameters) HB_TRY(hb_mem_strdup(params->parameters, &f->parameters));
  f->params.parameters = f->parameters;
  f->params.custom_interaction = f->interaction;
  f->params.interaction = f->interaction->name;
  return HB_OK;
}

static enum hb_status open_source(struct hb_force *f, const struct hb_force_params *params,
                                  struct hb_gl_context *gl)
{
  f->params = *params;
  f->params.scheme = f->ops->info.name;
  f->params.context = keep(params->context, sizeof f->context, f->context);
  f->params.device = keep(params->device, sizeof f->device, f->device);
  f->params.tuning = keep(params->tuning, sizeof f->tuning, f->tuning);
  HB_TRY(hb_force_choose_precision(&f->ops->info, params->precision, &f->precision));
  f->params.precision = hb_precision_names[f->precision];
  HB_TRY(choose_interaction(f, params));
  f->openings = 1;
  return f->ops->open(&f->params, gl, &f->state);
}

static enum hb_status check_eps(double eps)
{
  if (isfinite(eps) && eps >= 0) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "the softening is %g, expected finite and >= 0", eps);
}

enum hb_status hb_force_open(const struct hb_force_params *params, struct hb_force **force)
{
  HB_GL_VISIT;
  *force = NULL;
  HB_TRY(check_eps(params->eps));
  if (!isfinite(params->max_draw_s) || params->max_draw_s < 0)
    return hb_fail(HB_ERR_USAGE, "the longest draw is %g s, expected finite and >= 0", params->max_draw_s);
  const struct hb_force_ops *ops;
  struct hb_gl_context *gl;
  struct hb_force *f = NULL;
  enum hb_status status = hb_force_choose(params, &gl, &ops);
  if (status == HB_OK) status = HB_ALLOC(1, &f);
  if (status == HB_OK) {
    f->ops = ops;
    status = open_source(f, params, gl);
  }
  hb_gl_context_close(gl);
  if (status != HB_OK) {
    hb_force_close(f);
    return status;
  }
  *force = f;
  return HB_OK;
}

void hb_force_close(struct hb_force *force)
{
  HB_GL_VISIT;
  if (!force) return;
  force->ops->close(force->state);
  hb_mem_free(force->stamp);
  hb_mem_free(force->sources.xv);
  hb_points_free(&force->points);
  hb_interaction_destroy(force->own_interaction);
  hb_mem_free(force->parameters);
  hb_mem_free(force);
}

const struct hb_force_scheme *hb_force_scheme(const struct hb_force *force)
{
  return hb_force_scheme_find(force->ops->info.name);
}
const struct hb_precision_facts *hb_force_facts(const struct hb_force *force)
{
  return &hb_precisions[force->precision];
}
const struct hb_interaction *hb_force_interaction(const struct hb_force *force) { return force->interaction; }
const char *hb_force_parameters(const struct hb_force *force) { return force->parameters; }
int hb_force_position_bits(const char *precision)
{
  enum hb_precision found = hb_precision_find(precision);
  return found < HB_PRECISION_NAMES ? hb_precisions[found].position_bits : 0;
}
const char *hb_force_precision(const struct hb_force *force) { return hb_precision_names[force->precision]; }
const char *hb_force_tuning(const struct hb_force *force)
{
  return force->ops->tuning ? force->ops->tuning(force->state) : "";
}
const char *hb_force_context(const struct hb_force *force)
{
  const struct hb_gl_context *gl = force->ops->gl ? force->ops->gl(force->state) : NULL;
  return gl ? gl->backend->name : "none";
}
const char *hb_force_device(const struct hb_force *force)
{
  const struct hb_force_ops *ops = force->ops;
  return ops->device ? ops->device(force->state) : ops->gl(force->state)->caps.renderer;
}

/* ---- sources and sinks ---- */

static enum hb_status reserve_stamps(struct hb_force *force, size_t nj)
{
  if (nj <= force->stamp_room) return HB_OK;
  hb_mem_free(force->stamp);
  force->stamp_room = 0;
  HB_TRY(HB_ALLOC(nj, &force->stamp));
  force->stamp_room = nj;
  force->call = 0;
  return HB_OK;
}

/* nj sources are about to be set. */
static enum hb_status expect_sources(struct hb_force *force, size_t nj)
{
  if (nj == 0 || nj > UINT32_MAX)
    return hb_fail(HB_ERR_USAGE, "the number of sources is %zu, expected 1 to 2^32 - 1", nj);
  force->nj = 0;
  return reserve_stamps(force, nj);
}

struct hb_gl_context *hb_force_on_device(const struct hb_force *force, struct hb_device_particles *particles)
{
  *particles = (struct hb_device_particles){0};
  return force->ops->on_device && force->state ? force->ops->on_device(force->state, particles) : NULL;
}

/* double needs no frame, and keeps its bits without one. */
int hb_force_rounds(const struct hb_force *force) { return !hb_force_facts(force)->is_double; }

enum hb_status hb_force_check_range(const struct hb_force *force, size_t n, const double *m, const double *x,
                                    const double *v)
{
  int bounded = hb_force_rounds(force) && force->ops->reach > 0;
  return bounded ? hb_force_range(force->ops, n, m, x, v) : HB_OK;
}

static enum hb_status set_j(struct hb_force *force, size_t nj, const double *m, const double *x,
                            const double *v)
{
  HB_TRY(expect_sources(force, nj));
  HB_TRY(force->ops->set_j(force->state, nj, m, x, v));
  memset(force->origin, 0, sizeof force->origin);
  force->nj = nj;
  return HB_OK;
}

/* Arrays of a call that was begun are in use, and so are the sources. */
static enum hb_status check_idle(const struct hb_force *force)
{
  return force->is_under_way ? hb_fail(HB_ERR_USAGE, "a call is under way: hb_force_finish it first") : HB_OK;
}

enum hb_status hb_force_set_j(struct hb_force *force, size_t nj, const double *m, const double *x,
                              const double *v)
{
  HB_GL_VISIT;
  double origin[2][3] = {{0}};
  HB_TRY(check_idle(force));
  if (hb_force_rounds(force)) {
    hb_frame_origin(nj, m, x, HB_FRAME_COARSE, origin[0]);
    hb_frame_origin(nj, m, v, HB_FRAME_COARSE, origin[1]);
    HB_TRY(hb_frame_enter(origin, nj, &x, &v, &force->sources));
  }
  HB_TRY(hb_force_check_range(force, nj, m, x, v));
  HB_TRY(set_j(force, nj, m, x, v));
  memcpy(force->origin, origin, sizeof origin);
  return HB_OK;
}

enum hb_status hb_force_set_eps(struct hb_force *force, double eps)
{
  HB_TRY(check_eps(eps));
  HB_TRY(check_idle(force));
  if (eps == force->params.eps) return HB_OK;
  if (!force->ops->set_eps)
    return hb_fail(HB_ERR_USAGE, "scheme %s keeps the softening it was opened with", force->ops->info.name);
  if (force->state) force->ops->set_eps(force->state, eps); /* else the device failed: it is opened again */
  force->params.eps = eps;
  return HB_OK;
}

/* Sinks must be sources, each named once. */
static enum hb_status check_sinks(struct hb_force *force, size_t ni, const uint32_t *index)
{
  if (++force->call == 0) { /* the counter wrapped: clear all stamps */
    memset(force->stamp, 0, force->stamp_room * sizeof *force->stamp);
    force->call = 1;
  }
  for (size_t k = 0; k < ni; k++) {
    if (index[k] >= force->nj)
      return hb_fail(HB_ERR_USAGE, "sink %zu is particle %u, expected below %zu", k, index[k], force->nj);
    if (force->stamp[index[k]] == force->call)
      return hb_fail(HB_ERR_USAGE, "sink %zu names particle %u again", k, index[k]);
    force->stamp[index[k]] = force->call;
  }
  return HB_OK;
}

static enum hb_status check_ready(const struct hb_force *force)
{
  if (force->nj == 0) return hb_fail(HB_ERR_USAGE, "forces requested before the sources were set");
  return check_idle(force);
}

static enum hb_status begin(struct hb_force *force, size_t ni, const uint32_t *index, double *a, double *j,
                            double *phi)
{
  HB_TRY(check_ready(force));
  if (ni == 0) return HB_OK;
  HB_TRY(check_sinks(force, ni, index));
  HB_TRY(force->ops->begin(force->state, ni, index, a, j, phi));
  force->is_under_way = 1;
  return HB_OK;
}

/* Before the caller turns to other work: a driver may wait for more commands before it starts any. */
static enum hb_status set_off(const struct hb_force *force)
{
  const struct hb_gl_context *gl = force->ops->gl ? force->ops->gl(force->state) : NULL;
  return gl ? hb_gl_context_flush((struct hb_gl_context *)gl) : HB_OK;
}

enum hb_status hb_force_begin(struct hb_force *force, size_t ni, const uint32_t *index, double *a, double *j,
                              double *phi)
{
  HB_GL_VISIT;
  HB_TRY(begin(force, ni, index, a, j, phi));
  return set_off(force);
}

enum hb_status hb_force_finish(struct hb_force *force)
{
  HB_GL_VISIT;
  if (!force->is_under_way) return HB_OK;
  force->is_under_way = 0;
  return force->ops->finish ? force->ops->finish(force->state) : HB_OK;
}

enum hb_status hb_force_eval(struct hb_force *force, size_t ni, const uint32_t *index, double *a, double *j,
                             double *phi)
{
  HB_GL_VISIT;
  HB_TRY(begin(force, ni, index, a, j, phi));
  return hb_force_finish(force);
}

static enum hb_status begin_at(struct hb_force *force, size_t ni, const double *x, const double *v,
                               const uint32_t *own, double *a, double *j, double *phi)
{
  HB_TRY(check_ready(force));
  if (!force->ops->begin_at)
    return hb_fail(HB_ERR_USAGE, "scheme %s computes forces on its sources only, not on other points",
                   force->ops->info.name);
  if (ni == 0) return HB_OK;
  double reach = hb_force_rounds(force) ? force->ops->reach : 0;
  HB_TRY(hb_points_prepare(&force->points, force->origin, reach, ni, &x, &v, &own));
  HB_TRY(force->ops->begin_at(force->state, ni, x, v, own, a, j, phi));
  force->is_under_way = 1;
  return HB_OK;
}

enum hb_status hb_force_begin_at(struct hb_force *force, size_t ni, const double *x, const double *v,
                                 const uint32_t *own, double *a, double *j, double *phi)
{
  HB_GL_VISIT;
  HB_TRY(begin_at(force, ni, x, v, own, a, j, phi));
  return set_off(force);
}

enum hb_status hb_force_at(struct hb_force *force, size_t ni, const double *x, const double *v,
                           const uint32_t *own, double *a, double *j, double *phi)
{
  HB_GL_VISIT;
  HB_TRY(begin_at(force, ni, x, v, own, a, j, phi));
  return hb_force_finish(force);
}

/* ---- sources that others send ---- */

enum hb_status hb_force_engine(struct hb_force *force, size_t nj, struct hb_pairs **pairs)
{
  *pairs = NULL;
  HB_TRY(check_idle(force));
  HB_TRY(expect_sources(force, nj));
  return force->ops->engine ? force->ops->engine(force->state, nj, pairs) : HB_OK;
}

void hb_force_filled(struct hb_force *force, size_t nj, const double origin[2][3])
{
  memcpy(force->origin, origin, sizeof force->origin);
  force->nj = nj;
}

struct hb_gl_context *hb_force_gl(const struct hb_force *force)
{
  const struct hb_force_ops *ops = force->ops;
  return ops->gl && force->state ? (struct hb_gl_context *)ops->gl(force->state) : NULL;
}
unsigned hb_force_openings(const struct hb_force *force) { return force->openings; }

/* ---- a device that fails ---- */

/* A new context and smaller draws: what a driver dropped for taking too long may succeed in pieces. The tuning stays. */
enum hb_status hb_force_open_again(struct hb_force *force)
{
  static const double usual = 0.05;
  const char *words = hb_force_tuning(force);
  if (*words) force->params.tuning = keep(words, sizeof force->tuning, force->tuning);
  force->ops->close(force->state);
  force->state = NULL;
  force->nj = force->kept = 0;
  force->is_under_way = 0;
  force->openings++;
  double longest = force->params.max_draw_s > 0 ? force->params.max_draw_s : usual;
  force->params.max_draw_s = longest / 4;
  return force->ops->open(&force->params, NULL, &force->state);
}

/* Adds the time since *lap, in the phases that the source reports. */
static void count_phases(struct hb_force *force, double *lap)
{
  struct hb_phases *phases = &force->phases, last = {0};
  if (force->ops->phases) force->ops->phases(force->state, &last);
  phases->send_s += last.send_s;
  phases->receive_s += last.receive_s;
  phases->force_s += hb_clock_lap(lap) - last.send_s - last.receive_s;
}

static enum hb_status in_one(struct hb_force *force, size_t nj, const double *m, const double *x,
                             const double *v, size_t ni, const uint32_t *index, double *a, double *j,
                             double *phi)
{
  struct hb_phases *phases = &force->phases, last;
  HB_TRY(expect_sources(force, nj));
  force->nj = nj; /* for the check of the sinks only */
  enum hb_status status = check_sinks(force, ni, index);
  force->nj = 0;
  if (status != HB_OK || ni == 0) return status;
  HB_TRY(force->ops->of(force->state, nj, m, x, v, ni, index, a, j, phi));
  force->ops->phases(force->state, &last);
  phases->send_s += last.send_s;
  phases->force_s += last.force_s;
  phases->receive_s += last.receive_s;
  return HB_OK;
}

/* Sources and forces by the source's one call, or its two. */
static enum hb_status once(struct hb_force *force, size_t nj, const double *m, const double *x,
                           const double *v, size_t ni, const uint32_t *index, double *a, double *j,
                           double *phi)
{
  if (force->ops->of) return in_one(force, nj, m, x, v, ni, index, a, j, phi);
  double lap = hb_clock_now();
  /* an escaping particle may get out of the range of r^-5, but not of r^2 */
  if (force->ops->reach < HB_FORCE_FLOAT_REACH && hb_force_check_range(force, nj, m, x, v) != HB_OK)
    return HB_ERR_NUMERIC;
  HB_TRY(set_j(force, nj, m, x, v));
  force->phases.send_s += hb_clock_lap(&lap);
  HB_TRY(hb_force_eval(force, ni, index, a, j, phi));
  count_phases(force, &lap);
  return HB_OK;
}

struct hb_phases *hb_force_phases(struct hb_force *force) { return &force->phases; }

enum hb_status hb_force_of(struct hb_force *force, size_t nj, const double *m, const double *x,
                           const double *v, size_t ni, const uint32_t *index, double *a, double *j,
                           double *phi)
{
  enum hb_status status = once(force, nj, m, x, v, ni, index, a, j, phi);
  if (status != HB_ERR_DEVICE) return status;
  hb_log("%s; trying once more with shorter draws", hb_error());
  HB_TRY(hb_force_open_again(force));
  return once(force, nj, m, x, v, ni, index, a, j, phi);
}

/* ---- particles that stay on the device ---- */

enum hb_status hb_force_keep(struct hb_force *force, const struct hb_force_particles *p, size_t ni,
                             const uint32_t *index)
{
  const struct hb_force_resident_ops *resident = force->ops->resident;
  if (!resident)
    return hb_fail(HB_ERR_USAGE, "scheme %s keeps no particles on a device (expected bag or tile)",
                   force->ops->info.name);
  double lap = hb_clock_now();
  HB_TRY(reserve_stamps(force, p->n));
  force->nj = force->kept = p->n;
  if (index) HB_TRY(check_sinks(force, ni, index));
  HB_TRY(resident->keep(force->state, p, ni, index));
  force->phases.send_s += hb_clock_lap(&lap);
  return HB_OK;
}

static enum hb_status check_kept(const struct hb_force *force)
{
  return force->kept ? HB_OK : hb_fail(HB_ERR_USAGE, "no particles are stored on the device yet");
}

enum hb_status hb_force_predict(struct hb_force *force, const double dt[HB_FORCE_LEVELS])
{
  HB_TRY(check_kept(force));
  double lap = hb_clock_now();
  HB_TRY(force->ops->resident->predict(force->state, dt));
  force->nj = force->kept;
  force->phases.predict_s += hb_clock_lap(&lap);
  return HB_OK;
}

enum hb_status hb_force_on_kept(struct hb_force *force, size_t ni, const uint32_t *index, double *a,
                                double *j, double *phi)
{
  HB_TRY(check_kept(force));
  double lap = hb_clock_now();
  HB_TRY(hb_force_eval(force, ni, index, a, j, phi));
  HB_TRY(force->ops->resident->check(force->state));
  count_phases(force, &lap);
  return HB_OK;
}

enum hb_status hb_force_correct(struct hb_force *force, size_t ni, const uint32_t *index,
                                const struct hb_force_step *how, double *step)
{
  HB_TRY(check_kept(force));
  HB_TRY(check_sinks(force, ni, index));
  double lap = hb_clock_now();
  struct hb_phases last = {0};
  HB_TRY(force->ops->resident->correct(force->state, ni, index, how, step, &last));
  force->phases.correct_s += last.correct_s;
  force->phases.receive_s += last.receive_s;
  force->phases.force_s += hb_clock_lap(&lap) - last.correct_s - last.receive_s;
  return HB_OK;
}

enum hb_status hb_force_settle(struct hb_force *force, size_t ni, const uint8_t *level)
{
  HB_TRY(check_kept(force));
  double lap = hb_clock_now();
  HB_TRY(force->ops->resident->settle(force->state, ni, level));
  force->phases.send_s += hb_clock_lap(&lap);
  return HB_OK;
}

enum hb_status hb_force_fetch(struct hb_force *force, struct hb_force_particles *p)
{
  HB_TRY(check_kept(force));
  return force->ops->resident->fetch(force->state, p);
}

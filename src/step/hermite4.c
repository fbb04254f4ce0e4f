#include "step/hermite4.h"
#include "step/hermite4_massless.h"
#include "step/hermite4_passages.h"

#include "base/clock.h"
#include "base/clones.h"
#include "base/mem.h"
#include "base/arith.h"
#include "base/parallel.h"
#include "core/diagnostics.h"
#include "force/force.h"
#include "step/state_view.h"
#include "step/timestep.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const hb_first_step_names[] = {"auto", "eq9", "eq2", NULL};
const char *const hb_steps_names[] = {"block", "shared", NULL};
const char *const hb_transfer_names[] = {"all", "block", NULL};
const char *const hb_place_names[] = {"host", "gpu", NULL};

/* As many are predicted before a second thread has woken up; the size of a thread's pieces. */
enum { ALONE = 4096, PIECE = 1024 };

static int is_power_of_two(double dt)
{
  int exponent;
  return isnormal(dt) && frexp(dt, &exponent) == 0.5;
}

static enum hb_status check_params(const struct hb_sim_params *params)
{
  double eta = params->eta, dt_min = params->dt_min, dt_max = params->dt_max;
  if (!isfinite(eta) || eta <= 0)
    return hb_fail(HB_ERR_USAGE, "the accuracy parameter eta is %g, expected finite and > 0", eta);
  if (!is_power_of_two(dt_max))
    return hb_fail(HB_ERR_USAGE, "the largest step dt_max is %g, expected a power of two like 0.125", dt_max);
  if (!is_power_of_two(dt_min))
    return hb_fail(HB_ERR_USAGE, "the smallest step dt_min is %g, expected a power of two like 2^-26",
                   dt_min);
  if (dt_min > dt_max)
    return hb_fail(HB_ERR_USAGE, "the smallest step dt_min is %g, expected at most dt_max = %g", dt_min,
                   dt_max);
  if (dt_max / dt_min > ldexp(1, HB_BLOCKS_LEVELS - 1))
    return hb_fail(HB_ERR_USAGE, "dt_max / dt_min is %g, expected at most 2^%d", dt_max / dt_min,
                   HB_BLOCKS_LEVELS - 1);
  if ((unsigned)params->rounding > HB_ROUND_UP)
    return hb_fail(HB_ERR_USAGE, "the rounding of steps is %d, expected 0, 1 or 2", (int)params->rounding);
  if (params->transfer == HB_TRANSFER_BLOCK && params->predict == HB_PLACE_HOST)
    return hb_fail(HB_ERR_USAGE,
                   "transfer block with predict host: a host that predicts all particles has to send "
                   "all (expected predict gpu)");
  if (params->transfer == HB_TRANSFER_ALL && params->correct == HB_PLACE_GPU)
    return hb_fail(HB_ERR_USAGE,
                   "correct gpu with transfer all: what the device corrects is not sent (expected "
                   "transfer block, predict gpu)");
  if ((unsigned)params->first_step > HB_FIRST_STEP_EQ2)
    return hb_fail(HB_ERR_USAGE, "the first step is %d, expected 0, 1 or 2", (int)params->first_step);
  if ((unsigned)params->steps > HB_STEPS_SHARED)
    return hb_fail(HB_ERR_USAGE, "the kind of steps is %d, expected 0 or 1", (int)params->steps);
  return HB_OK;
}

/* And sets what follows from particles and force. */
static enum hb_status allocate(struct hb_hermite4 *h)
{
  size_t n = h->n;
  h->mass = hb_sum(n, h->particles->m);
  h->field = hb_force_field(h->force);
  h->noise = hb_force_facts(h->force)->acc_noise;
  double **vectors[] = {&h->a, &h->j, &h->a1, &h->j1};
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) HB_TRY(HB_ALLOC(3 * n, vectors[k]));
  HB_TRY(HB_ALLOC(n, &h->phi1));
  HB_TRY(HB_ALLOC(3 * n, &h->lost));
  HB_TRY(HB_ALLOC(n, &h->block));
  HB_TRY(HB_ALLOC(n, &h->level1));
  if (h->params.encounters == HB_ENCOUNTERS_GROUPS) {
    HB_TRY(hb_groups_create(h->particles, h->noise > 0, &h->groups));
    h->groups->field = h->field;
    h->groups->gathers_few = h->params.escapers == HB_ESCAPERS_NONE &&   /* members do not escape, */
                             h->params.collisions == HB_COLLISIONS_NONE; /* and two of them touch in a step */
  }
  unsigned level_max = (unsigned)ilogb(h->params.dt_max / h->params.dt_min);
  HB_TRY(hb_blocks_create(n, level_max, 0, &h->blocks));
  HB_TRY(hb_massless_open(h));
  return hb_bodies_open(h);
}

/* With shared steps, all particles of the block get the smallest level in level1. */
static void share_level(struct hb_hermite4 *h, size_t ni)
{
  if (h->params.steps != HB_STEPS_SHARED) return;
  uint8_t least = h->level1[0];
  for (size_t b = 1; b < ni; b++)
    if (h->level1[b] < least) least = h->level1[b];
  memset(h->level1, least, ni);
}

/* Counts the block's next steps, from time t on, that dt_min cuts off; wanted[ni] are their lengths before rounding. */
static void count_cut_steps(struct hb_hermite4 *h, double t, size_t ni, const double *wanted)
{
  if (!memchr(h->level1, 0, ni)) return; /* mostly */
  for (size_t b = 0; b < ni; b++) {
    if (h->level1[b] > 0 || !hb_timestep_is_cut(wanted[b], h->params.dt_min, h->params.rounding)) continue;
    if (h->cut.count++ == 0) h->cut.particle = h->block[b], h->cut.t = t, h->cut.wanted = wanted[b];
  }
}

/* Allocates xp and vp, but not while a run starts, when the caller's particles may take memory, too. */
static enum hb_status reserve_predicted(struct hb_hermite4 *h)
{
  if (!h->xp) HB_TRY(HB_ALLOC(3 * h->n, &h->xp));
  return h->vp ? HB_OK : HB_ALLOC(3 * h->n, &h->vp);
}

enum hb_status hb_hermite4_prepare(struct hb_particles *initial, const struct hb_sim_params *params,
                                   struct hb_force *force, struct hb_hermite4 **hermite4)
{
  struct hb_hermite4 *h = NULL;
  *hermite4 = NULL;
  enum hb_status status = check_params(params);
  if (status == HB_OK) status = HB_ALLOC(1, &h);
  if (status != HB_OK) {
    hb_particles_destroy(initial);
    return status;
  }
  h->n = initial->n;
  h->params = *params;
  h->params.force = (struct hb_force_params){0}; /* strings of the caller's */
  h->params.integrator = h->params.field = NULL;
  h->force = force;
  h->t0 = initial->t;
  h->dt_least = UINT64_MAX;
  h->particles = initial;
  status = hb_force_find_massive(force, h->n, initial->m);
  if (status == HB_OK) status = allocate(h);
  if (status != HB_OK) {
    hb_hermite4_destroy(h);
    return status;
  }
  *hermite4 = h;
  return HB_OK;
}

void hb_hermite4_destroy(void *state)
{
  struct hb_hermite4 *h = state;
  if (!h) return;
  double *arrays[] = {h->a, h->j, h->xp, h->vp, h->a1, h->j1, h->phi1};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) hb_mem_free(arrays[k]);
  hb_mem_free(h->lost);
  hb_mem_free(h->block);
  hb_mem_free(h->level1);
  hb_blocks_destroy(h->blocks);
  hb_groups_destroy(h->groups);
  hb_bodies_close(h);
  hb_passages_close(h->passages);
  hb_massless_close(h->massless);
  hb_particles_destroy(h->particles);
  hb_mem_free(h);
}

double hb_hermite4_time(const void *state)
{
  const struct hb_hermite4 *h = state;
  return h->t0 + hb_hermite4_span(h, h->blocks->now);
}

double hb_hermite4_next_time(const void *state)
{
  const struct hb_hermite4 *h = state;
  uint64_t next;
  return hb_blocks_next_time(h->blocks, &next) == HB_OK ? h->t0 + hb_hermite4_span(h, next) : INFINITY;
}

/* What eqs 3 and 4 need of the time since a particle's own. */
struct span {
  double whole, half, third;
};

static struct span span_of(double dt) { return (struct span){dt, dt / 2, dt / 3}; }

/* Three components of a particle and one that does not matter. */
typedef double four __attribute__((vector_size(32), aligned(8), may_alias));

/* [PZ07] eqs 3 and 4 in Horner's form. */
static inline __attribute__((always_inline)) void predict_four(const four *x, const four *v, const four *a,
                                                               const four *k, const struct span *dt, four *xp,
                                                               four *vp)
{
  four speed = *v, pull = *a;
  *xp = *x + dt->whole * (speed + dt->half * (pull + dt->third * *k)); /* eq. 3 */
  *vp = speed + dt->whole * (pull + dt->half * *k);                    /* eq. 4 */
}

/* Particle i alone: where it is the last one, there is no fourth component. */
static void predict(const struct hb_hermite4 *h, size_t i, const struct span *dt, double xp[3], double vp[3])
{
  const double *from[] = {h->particles->x, h->particles->v, h->a, h->j};
  four of[4] = {{0}}, x, v;
  for (int k = 0; k < 4; k++) memcpy(&of[k], from[k] + 3 * i, 3 * sizeof *xp);
  predict_four(&of[0], &of[1], &of[2], &of[3], dt, &x, &v);
  memcpy(xp, &x, 3 * sizeof *xp);
  memcpy(vp, &v, 3 * sizeof *vp);
}

#define FOUR(array) ((four *)((array) + 3 * i))

/* The particles from .. end - 1, each by its level's span. A fourth component is the next particle's first, which the next
 * round overwrites: the last particle is left to the caller. */
HB_CLONES static void predict_run(const struct hb_hermite4 *h, const struct span *spans, size_t from,
                                  size_t end)
{
  const double *x = h->particles->x, *v = h->particles->v, *a = h->a, *j = h->j;
  const uint8_t *level = h->blocks->level;
  double *xp = h->xp, *vp = h->vp;
  for (size_t i = from; i + 1 < end; i++)
    predict_four(FOUR(x), FOUR(v), FOUR(a), FOUR(j), &spans[level[i]], FOUR(xp), FOUR(vp));
}

struct prediction {
  struct hb_hermite4 *h;
  const uint32_t *list; /* the particles; NULL: those from `first` on */
  size_t first, count;
  struct span spans[HB_BLOCKS_LEVELS]; /* the particles of a level share it (blocks.h, invariant 2) */
};

static void predict_piece(void *context, size_t piece)
{
  const struct prediction *p = context;
  struct hb_hermite4 *h = p->h;
  size_t from = piece * PIECE, end = hb_parallel_end(p->count, PIECE, from), rest = from;
  if (!p->list) predict_run(h, p->spans, p->first + from, p->first + end), rest = end - 1;
  for (size_t k = rest; k < end; k++) {
    size_t i = p->list ? p->list[k] : p->first + k;
    predict(h, i, &p->spans[h->blocks->level[i]], h->xp + 3 * i, h->vp + 3 * i);
  }
}

/* To tick T the particles list[count]; NULL: those from `first` on. */
static void predict_to_tick(struct hb_hermite4 *h, uint64_t T, const uint32_t *list, size_t first,
                            size_t count)
{
  struct prediction p = {.h = h, .list = list, .first = first, .count = count};
  for (uint64_t left = h->blocks->occupied; left; left &= left - 1) {
    unsigned l = (unsigned)__builtin_ctzll(left);
    p.spans[l] = span_of(hb_hermite4_span(h, T - hb_blocks_level_time(h->blocks, l)));
  }
  int threads = p.count > ALONE ? hb_parallel_threads() : 1;
  hb_parallel_for(threads, hb_div_ceil(p.count, PIECE), predict_piece, &p);
}

/* For the sentence of a failure: the state at tick T, with all particles predicted on the host. */
static struct hb_forces_at forces_at(struct hb_hermite4 *h, uint64_t T)
{
  predict_to_tick(h, T, NULL, 0, h->n);
  return (struct hb_forces_at){h->n, h->xp, h->t0 + hb_hermite4_span(h, T), h->block_steps + 1, h->force};
}

/* Predicts, evaluates the forces and corrects the block at tick T; the levels it wants go to level1. *lap is when the
 * forces were there. */
static enum hb_status advance_on_host(struct hb_hermite4 *h, uint64_t T, size_t ni, double *lap)
{
  *lap = hb_clock_now();
  size_t from = 0, to = 0, massive; /* a device predicts its sources itself */
  const uint32_t *sources = hb_force_massive(h->force, h->n, &massive);
  if (hb_force_is_reproducible(hb_force_precision(h->force))) sources = NULL; /* its units are for all */
  if (h->groups)
    to = h->n; /* any node may be near one */
  else if (h->params.predict == HB_PLACE_HOST)
    sources ? predict_to_tick(h, T, sources, 0, massive) : hb_force_needs(h->force, h->n, ni, &from, &to);
  predict_to_tick(h, T, NULL, from, to - from);
  if (to - from < h->n) predict_to_tick(h, T, h->block, 0, ni);
  h->phases.predict_s += hb_clock_lap(lap);
  if (h->groups) HB_TRY(hb_hermite4_meet(h, T, ni));
  HB_TRY(hb_hermite4_forces(h, T, ni));
  *lap = hb_clock_now();
  if (!hb_forces_are_finite(ni, h->a1, h->j1, h->phi1)) {
    const struct hb_forces_at at = forces_at(h, T);
    return hb_forces_check(&at, ni, h->block, h->a1, h->j1, h->phi1);
  }
  if (h->groups) hb_hermite4_correct_near(h, ni);
  if (h->bodies) hb_bodies_suspect(h, ni);
  hb_massless_before(h, ni);
  hb_hermite4_correct(h, ni);
  hb_massless_after(h, T, ni);
  if (h->groups) hb_hermite4_limit_steps(h, ni);
  return HB_OK;
}

/* The device's sentence names the first particle whose step is not a number, but neither time nor reason. */
static enum hb_status add_reason(struct hb_hermite4 *h, uint64_t T, size_t ni)
{
  char what[256], reason[HB_FORCES_REASON];
  size_t b = 0;
  snprintf(what, sizeof what, "%s", hb_error());
  while (b + 1 < ni && h->phi1[b] >= 0) b++;
  uint32_t i = h->block[b];
  HB_TRY(hb_hermite4_sync(h));
  const struct hb_forces_at at = forces_at(h, T);
  hb_forces_reason(&at, i, reason);
  return hb_fail(HB_ERR_NUMERIC, "%s (block step %" PRIu64 ", t = %.17g)%s", what, at.step, at.t, reason);
}

static enum hb_status advance_on_device(struct hb_hermite4 *h, uint64_t T, size_t ni, double *lap)
{
  enum hb_status status = hb_hermite4_device_correct(h, T, ni);
  *lap = hb_clock_now();
  return status == HB_ERR_NUMERIC ? add_reason(h, T, ni) : status;
}

/* Puts the block's particles on the lists of their new levels, which are in level1 afterwards. */
static void schedule(struct hb_hermite4 *h, uint64_t T, size_t ni)
{
  share_level(h, ni);
  hb_blocks_advance(h->blocks, T);
  hb_blocks_put_back(h->blocks, ni, h->block, h->level1);
}

enum hb_status hb_hermite4_step(void *state)
{
  struct hb_hermite4 *h = state;
  int on_device = h->params.correct == HB_PLACE_GPU;
  uint64_t T;
  size_t ni;
  double lap;
  HB_TRY(reserve_predicted(h));
  HB_TRY(hb_blocks_next_time(h->blocks, &T));
  hb_blocks_select(h->blocks, T, h->block, &ni);
  uint64_t dt = hb_blocks_shortest(h->blocks);
  HB_TRY((on_device ? advance_on_device : advance_on_host)(h, T, ni, &lap));
  count_cut_steps(h, h->t0 + hb_hermite4_span(h, T), ni, h->phi1);
  schedule(h, T, ni);
  h->phases.correct_s += hb_clock_lap(&lap);
  h->block_steps++;
  h->particle_steps += ni;
  if (dt < h->dt_least) h->dt_least = dt;
  h->stale = on_device;
  if (on_device) return hb_force_settle(h->force, ni, h->block, h->level1);
  if (h->params.transfer == HB_TRANSFER_BLOCK) HB_TRY(hb_hermite4_keep(h, ni, h->block));
  if (h->bodies) HB_TRY(hb_bodies_act(h, T, &ni));
  return h->groups ? hb_hermite4_regroup(h, T, ni) : hb_hermite4_tell_passages(h, T, ni);
}

/* ---- starting ---- */

/* first_step = eq9: a trial of a step of all, as long as theirs are in the mean of their logarithms. Where jerks cancel by chance,
 * eq. 2 finds no reason for a short step in an encounter about to begin; eq. 9 after the trial does. */
static enum hb_status try_step(struct hb_hermite4 *h)
{
  uint64_t levels = 0, massive = hb_particles_massive(h->particles), count = massive ? massive : h->n;
  for (size_t i = 0; i < h->n; i++)
    if (!massive || h->particles->m[i] > 0)
      levels += h->level1[i]; /* test particles change no step of a star */
  double dt = hb_hermite4_span(h, (uint64_t)1 << levels / count);
  const struct span span = span_of(dt);
  HB_TRY(reserve_predicted(h));
  for (size_t i = 0; i < h->n; i++) predict(h, i, &span, h->xp + 3 * i, h->vp + 3 * i);
  HB_TRY(hb_force_of(h->force, &(struct hb_force_job){.sources = {h->n, h->particles->m, h->xp, h->vp},
                                                      .sinks = {.n = h->n, .index = h->block},
                                                      .to = {h->a1, h->j1, h->phi1}}));
  if (h->field) hb_field_add(h->field, h->n, h->block, h->xp, h->vp, h->a1, h->j1);
  const struct hb_forces_at at = {h->n, h->xp, h->t0 + dt, 0, h->force};
  HB_TRY(hb_forces_check(&at, h->n, h->block, h->a1, h->j1, h->phi1));
  for (size_t i = 0; i < h->n; i++) {
    double next = hb_hermite4_step_after(h, i, dt);
    unsigned level = hb_hermite4_level(h, next);
    h->phi1[i] = level < h->level1[i] ? next : INFINITY; /* for count_cut_steps, which knows the others */
    if (level < h->level1[i]) h->level1[i] = (uint8_t)level;
  }
  if (!h->groups) count_cut_steps(h, h->t0, h->n, h->phi1);
  return HB_OK;
}

/* Forces and first steps. a'' of particles at rest is the formula for the jerk with accelerations in place of velocities, so that
 * the source of forces itself computes what hb_timestep_first needs. Heavy nodes are among the sources here: that rounds the forces
 * of one step. */
static enum hb_status start(struct hb_hermite4 *h)
{
  const struct hb_particles *p = h->particles;
  for (size_t i = 0; i < h->n; i++) h->block[i] = (uint32_t)i;
  HB_TRY(hb_force_of(h->force, &(struct hb_force_job){.sources = {h->n, p->m, p->x, p->v},
                                                      .sinks = {.n = h->n, .index = h->block},
                                                      .to = {h->a1, h->j1, h->phi1}}));
  if (h->field) hb_field_add(h->field, h->n, h->block, p->x, p->v, h->a1, h->j1);
  const struct hb_forces_at at = {h->n, p->x, h->t0, 0, h->force};
  HB_TRY(hb_forces_check(&at, h->n, h->block, h->a1, h->j1, h->phi1));
  memcpy(h->a, h->a1, 3 * h->n * sizeof *h->a);
  memcpy(h->j, h->j1, 3 * h->n * sizeof *h->j);
  HB_TRY(hb_force_of(h->force, &(struct hb_force_job){.sources = {h->n, p->m, p->x, h->a},
                                                      .sinks = {.n = h->n, .index = h->block},
                                                      .to = {h->a1, h->j1, h->phi1}}));
  for (size_t i = 0; i < h->n; i++) {
    double dt = hb_hermite4_step_first(h, (uint32_t)i, h->phi1[i], h->j1 + 3 * i);
    h->level1[i] = (uint8_t)hb_hermite4_level(h, dt);
    h->phi1[i] = dt;
  }
  if (!h->groups)
    count_cut_steps(h, h->t0, h->n, h->phi1); /* of those that remain stars, the first step counts */
  if (h->params.first_step == HB_FIRST_STEP_EQ9) HB_TRY(try_step(h));
  share_level(h, h->n);
  for (size_t i = 0; i < h->n; i++) hb_blocks_put(h->blocks, (uint32_t)i, h->level1[i]);
  if (h->params.predict == HB_PLACE_GPU) HB_TRY(hb_hermite4_keep(h, h->n, NULL));
  if (!h->groups) return HB_OK;
  HB_TRY(reserve_predicted(h));
  memcpy(h->xp, p->x, 3 * h->n * sizeof *h->xp);
  memcpy(h->vp, p->v, 3 * h->n * sizeof *h->vp);
  return hb_hermite4_regroup(h, 0, h->n);
}

enum hb_status hb_hermite4_create(struct hb_particles *initial, const struct hb_sim_params *params,
                                  struct hb_force *force, void **state)
{
  struct hb_hermite4 *h;
  *state = NULL;
  if (params->dt != 0 || params->damping != 1) {
    hb_particles_destroy(initial);
    return hb_fail(HB_ERR_USAGE, "integrator hermite4 has no constant step and no damping (leapfrog has)");
  }
  HB_TRY(hb_hermite4_prepare(initial, params, force, &h));
  enum hb_status status = start(h);
  if (status != HB_OK) {
    hb_hermite4_destroy(h);
    return status;
  }
  *state = h;
  return HB_OK;
}

/* ---- the state ---- */

static enum hb_status check_time(const struct hb_hermite4 *h, double t)
{
  if (t >= hb_hermite4_time(h) && t <= hb_hermite4_next_time(h)) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "the state was asked for at t = %.17g, expected %.17g to %.17g", t,
                 hb_hermite4_time(h), hb_hermite4_next_time(h));
}

/* Predicts all particles to time t; dt = 0 preserves all bits, even -0. */
static void predict_to(const struct hb_hermite4 *h, double t, double *xt, double *vt)
{
  for (size_t i = 0; i < h->n; i++) {
    double dt = t - (h->t0 + hb_hermite4_span(h, hb_blocks_level_time(h->blocks, h->blocks->level[i])));
    if (dt > 0) {
      const struct span span = span_of(dt);
      predict(h, i, &span, xt + 3 * i, vt + 3 * i);
      continue;
    }
    memcpy(xt + 3 * i, h->particles->x + 3 * i, 3 * sizeof *xt);
    memcpy(vt + 3 * i, h->particles->v + 3 * i, 3 * sizeof *vt);
  }
}

enum hb_status hb_hermite4_state(const void *state, double t, struct hb_particles **particles)
{
  const struct hb_hermite4 *h = state;
  *particles = NULL;
  HB_TRY(check_time(h, t));
  struct hb_particles *p;
  HB_TRY(hb_hermite4_sync((struct hb_hermite4 *)h)); /* logically const: the state itself does not change */
  HB_TRY(hb_particles_copy(h->particles, &p));
  p->t = t;
  predict_to(h, t, p->x, p->v);
  double e_rounded;
  enum hb_status status =
      h->groups ? hb_hermite4_resolve(h, t - hb_hermite4_time(h), p->x, p->v, &e_rounded) : HB_OK;
  if (status == HB_OK)
    *particles = p;
  else
    hb_particles_destroy(p);
  return status;
}

enum hb_status hb_hermite4_view(void *state, double t, struct hb_state_view *view)
{
  struct hb_hermite4 *h = state;
  HB_TRY(check_time(h, t));
  HB_TRY(reserve_predicted(h));
  HB_TRY(hb_hermite4_sync(h));
  predict_to(h, t, h->xp, h->vp);
  double e_rounded = 0;
  if (h->groups) HB_TRY(hb_hermite4_resolve(h, t - hb_hermite4_time(h), h->xp, h->vp, &e_rounded));
  for (size_t i = 0; i < h->n; i++) h->block[i] = (uint32_t)i;
  *view = (struct hb_state_view){
      .a = h->a1, .j = h->j1, .phi = h->phi1, .index = h->block, .e_rounded = e_rounded};
  view->at = (struct hb_particles){
      .n = h->n, .t = t, .m = h->particles->m, .x = h->xp, .v = h->vp, .id = h->particles->id};
  return HB_OK;
}

#include "step/leapfrog.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "force/force.h"
#include "core/field.h"
#include "core/vector.h"

#include <math.h>
#include <string.h>

/* Smaller loops are done before a second thread has woken up. */
enum { ALONE = 4096, PIECE = 4096 };

/* In steps: t0 + k dt and a time that someone wrote down may differ in their last digits. */
static const double same_time = 1e-9;

static enum hb_status check_params(double dt, double damping)
{
  if (dt == 0) return hb_fail(HB_ERR_USAGE, "integrator leapfrog needs its time step dt");
  if (!isfinite(dt) || dt < 0)
    return hb_fail(HB_ERR_USAGE, "the time step dt is %g, expected finite and > 0", dt);
  if (!(damping > 0 && damping <= 1))
    return hb_fail(HB_ERR_USAGE, "the damping is %g, expected > 0 and at most 1", damping);
  return HB_OK;
}

static const struct hb_columns_row rows[] = {
    HB_COLUMN_OF("a", HB_SECTION_DOUBLES, struct hb_leapfrog, a, 3, HB_COLUMN_SAVED),
    HB_COLUMN_OF("j", HB_SECTION_DOUBLES, struct hb_leapfrog, j, 3, HB_COLUMN_SAVED),
    HB_COLUMN(struct hb_leapfrog, x1, 3, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_leapfrog, v1, 3, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_leapfrog, a1, 3, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_leapfrog, j1, 3, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_leapfrog, phi1, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_leapfrog, index, 1, HB_COLUMN_SCRATCH),
};
static const struct hb_columns columns = HB_COLUMNS(rows, 1);

static enum hb_status allocate(struct hb_leapfrog *l)
{
  HB_TRY(hb_columns_reserve(&columns, l->n, l));
  for (size_t i = 0; i < l->n; i++) l->index[i] = (uint32_t)i;
  return hb_force_find_massive(l->force, l->n, l->particles->m);
}

/* Forces of all on all, into a1, j1, phi1. */
static enum hb_status evaluate(struct hb_leapfrog *l, double t, const double *x, const double *v)
{
  HB_TRY(hb_force_of(l->force, &(struct hb_force_job){.sources = {l->n, l->particles->m, x, v},
                                                      .sinks = {.n = l->n, .index = l->index},
                                                      .to = {l->a1, l->j1, l->phi1}}));
  const struct hb_field *field = hb_force_field(l->force);
  if (field) hb_field_add(field, l->n, l->index, x, v, l->a1, l->j1);
  const struct hb_forces_at at = {l->n, x, t, l->dt > 0 ? (uint64_t)llround((t - l->t0) / l->dt) : 0,
                                  l->force};
  return hb_forces_check(&at, l->n, l->index, l->a1, l->j1, l->phi1);
}

static void exchange(double **p, double **q)
{
  double *old = *p;
  *p = *q;
  *q = old;
}

/* The forces just evaluated become those of the particles. */
static void take_forces(struct hb_leapfrog *l)
{
  exchange(&l->a, &l->a1);
  exchange(&l->j, &l->j1);
}

static void destroy(void *state)
{
  struct hb_leapfrog *l = state;
  if (!l) return;
  hb_columns_free(&columns, l);
  hb_particles_destroy(l->particles);
  hb_mem_free(l);
}

static void destroy_own(struct hb_leapfrog *const *own) { destroy(*own); }
#define OWN_STATE __attribute__((cleanup(destroy_own)))

static enum hb_status create(struct hb_particles *initial, const struct hb_sim_params *params,
                             struct hb_force *force, void **state)
{
  HB_OWN_PARTICLES struct hb_particles *own = initial;
  OWN_STATE struct hb_leapfrog *l = NULL;
  *state = NULL;
  HB_TRY(check_params(params->dt, params->damping));
  HB_TRY(HB_ALLOC(1, &l));
  l->n = initial->n;
  l->dt = params->dt;
  l->damping = params->damping;
  l->force = force;
  l->t0 = initial->t;
  HB_TRY(HB_GIVE(own, &l->particles));
  HB_TRY(allocate(l));
  HB_TRY(evaluate(l, l->t0, l->particles->x, l->particles->v));
  take_forces(l);
  return HB_GIVE(l, state);
}

static double time_of(const struct hb_leapfrog *l, uint64_t k) { return l->t0 + (double)k * l->dt; }
static double time_now(const void *state)
{
  return time_of(state, ((const struct hb_leapfrog *)state)->steps);
}
static double next_time(const void *state)
{
  return time_of(state, ((const struct hb_leapfrog *)state)->steps + 1);
}

/* The velocity after the first kick of a step. */
static double kicked(const struct hb_leapfrog *l, size_t k)
{
  return l->damping * (l->particles->v[k] + l->dt / 2 * l->a[k]);
}

/* Positions at the end of the step, and velocities good enough for the jerk. */
static void kick_and_drift(void *leapfrog, size_t k, size_t end)
{
  struct hb_leapfrog *l = leapfrog;
  double dt = l->dt;
  for (; k < end; k++) {
    double v = kicked(l, k);
    l->x1[k] = l->particles->x[k] + dt * v;
    l->v1[k] = v + dt / 2 * l->a[k];
  }
}

static void kick(void *leapfrog, size_t k, size_t end)
{
  struct hb_leapfrog *l = leapfrog;
  for (; k < end; k++) l->v1[k] = kicked(l, k) + l->dt / 2 * l->a1[k];
}

static void for_all(struct hb_leapfrog *l, void (*work)(void *leapfrog, size_t from, size_t to))
{
  hb_parallel_pieces(3 * l->n, PIECE, 3 * ALONE, work, l);
}

static enum hb_status step(void *state, struct hb_step_size *size)
{
  struct hb_leapfrog *l = state;
  double t = next_time(l);
  if (!(t > time_now(l)))
    return hb_fail(HB_ERR_NUMERIC, "a step of %g is lost in the digits of t = %.17g", l->dt, t);
  double lap = hb_clock_now();
  for_all(l, kick_and_drift);
  l->phases.predict_s += hb_clock_lap(&lap);
  HB_TRY(evaluate(l, t, l->x1, l->v1));
  lap = hb_clock_now();
  for_all(l, kick);
  exchange(&l->particles->x, &l->x1);
  exchange(&l->particles->v, &l->v1);
  take_forces(l);
  l->steps++;
  *size = (struct hb_step_size){.particles = l->n};
  l->phases.correct_s += hb_clock_lap(&lap);
  return HB_OK;
}

static enum hb_status state_at(const void *state, double t, struct hb_particles **particles)
{
  const struct hb_leapfrog *l = state;
  *particles = NULL;
  double begin = time_now(l), end = next_time(l), time_tolerance = same_time * l->dt;
  if (!(t >= begin - time_tolerance && t <= end))
    return hb_fail(HB_ERR_USAGE, "the state was asked for at t = %.17g, expected %.17g to %.17g", t, begin,
                   end);
  struct hb_particles *p;
  HB_TRY(hb_particles_copy(l->particles, &p));
  p->t = t;
  double dt = t - begin, D = l->damping;
  for (size_t k = 0; dt > time_tolerance && k < 3 * l->n; k++) {
    double v = p->v[k], a = l->a[k], j = l->j[k];
    p->x[k] += D * dt * (v + dt / 2 * (a + dt / 3 * j)); /* [PZ07] eq. 3 */
    p->v[k] = D * (v + dt * (a + dt / 2 * j));           /* [PZ07] eq. 4 */
  }
  *particles = p;
  return HB_OK;
}

/* ---- changing ---- */

static const struct hb_particles *bodies(const void *state)
{
  return ((const struct hb_leapfrog *)state)->particles;
}

static enum hb_status energy_of(const struct hb_leapfrog *l, const uint8_t *is_in, double *energy)
{
  const struct hb_particles *p = l->particles;
  double eps = hb_force_eps(l->force);
  return hb_change_energy(p, p->x, p->v, is_in, 1, eps * eps, hb_force_field(l->force), energy);
}

static enum hb_status drop(struct hb_leapfrog *l, const struct hb_state_change *by)
{
  HB_OWN uint32_t *number = NULL;
  HB_TRY(HB_ALLOC(l->n, &number));
  size_t left = hb_change_number(by, l->n, number);
  hb_columns_renumber(&hb_particles_columns, l->n, number, l->particles);
  l->n = l->particles->n = left;
  return HB_OK;
}

static enum hb_status change_marked(struct hb_leapfrog *l, const struct hb_state_change *by, uint8_t *is_in)
{
  struct hb_particles *p = l->particles;
  double before, after;
  for (size_t k = 0; k < by->n; k++) is_in[by->slot[k]] = 1;
  for (size_t k = 0; k < by->n_removed; k++) is_in[by->removed[k]] = 1;
  HB_TRY(hb_change_make_room(by, p));
  HB_TRY(hb_columns_grow(&columns, p->n, l));
  for (size_t i = l->n; i < p->n; i++) l->index[i] = (uint32_t)i, is_in[i] = 1;
  l->n = p->n;
  HB_TRY(energy_of(l, is_in, &before));
  hb_change_apply(by, p, p->x, p->v);
  HB_TRY(energy_of(l, is_in, &after));
  l->e_changed += after - before;
  l->changes++;
  if (by->n_removed) HB_TRY(drop(l, by));
  HB_TRY(hb_force_find_massive(l->force, l->n, p->m));
  HB_TRY(evaluate(l, time_now(l), p->x, p->v));
  take_forces(l);
  return HB_OK;
}

/* What fails in the middle leaves l as it was: it is a copy that changes. */
static enum hb_status change(void *state, const struct hb_state_change *by)
{
  struct hb_leapfrog *l = state, *copy, before = *l;
  HB_OWN uint8_t *is_in = NULL;
  void *made;
  HB_TRY(hb_integrator_copy(&hb_integrator_leapfrog, l, NULL, l->force, &made));
  copy = made;
  copy->phases = l->phases;
  enum hb_status status = HB_ALLOC(l->n + hb_change_added(by), &is_in);
  if (status == HB_OK) status = change_marked(copy, by, is_in);
  if (status == HB_OK)
    *l = *copy, *copy = before;
  else
    hb_force_find_massive(l->force, l->n, l->particles->m); /* where that fails, all are summed */
  destroy(copy);
  return status;
}

/* ---- saving and resuming ---- */

static const struct hb_numbers_row number_rows[] = {
    HB_NUMBER("t0", HB_NUMBER_DOUBLE, struct hb_leapfrog, t0, 1),
    HB_NUMBER("leapfrog.dt", HB_NUMBER_DOUBLE, struct hb_leapfrog, dt, 1),
    HB_NUMBER("leapfrog.damping", HB_NUMBER_DOUBLE, struct hb_leapfrog, damping, 1),
    HB_NUMBER("steps", HB_NUMBER_WORD, struct hb_leapfrog, steps, 1),
};
static const struct hb_numbers_row change_rows[] = {
    HB_NUMBER("changes", HB_NUMBER_WORD, struct hb_leapfrog, changes, 0),
    HB_NUMBER("e_changed", HB_NUMBER_DOUBLE, struct hb_leapfrog, e_changed, 0),
};
static const struct hb_numbers numbers = HB_NUMBERS(number_rows, struct hb_leapfrog),
                               of_changes = HB_NUMBERS(change_rows, struct hb_leapfrog);

static enum hb_status save(const void *state, struct hb_sections *sections)
{
  const struct hb_leapfrog *l = state;
  HB_TRY(hb_particles_put(l->particles, sections));
  HB_TRY(hb_numbers_put(&numbers, 1, l, sections));
  if (l->changes) HB_TRY(hb_numbers_put(&of_changes, 1, l, sections));
  return hb_columns_put(&columns, l->n, l, sections);
}

static enum hb_status fill(const struct hb_sections *sections, struct hb_leapfrog *l)
{
  HB_TRY(hb_numbers_get(&numbers, sections, 1, l));
  HB_TRY(hb_numbers_get(&of_changes, sections, 1, l));
  if (!(fabs(l->t0) <= HB_PARTICLES_LATEST) || check_params(l->dt, l->damping) != HB_OK)
    return hb_fail(HB_ERR_INPUT, "section 't0' has t0 = %g, dt = %g, damping = %g, which make no sense",
                   l->t0, l->dt, l->damping);
  double next = next_time(l);
  if (!isfinite(next) || next <= time_now(l))
    return hb_fail(HB_ERR_INPUT,
                   "section 'steps' has %llu, after which a step of %g is lost in the digits of t",
                   (unsigned long long)l->steps, l->dt);
  return hb_columns_get(&columns, sections, l->n, l);
}

/* The step belongs to the times that are counted in it, so it is that of the sections, not of params. */
static enum hb_status resume(const struct hb_sections *sections, const struct hb_sim_params *params,
                             struct hb_force *force, void **state)
{
  (void)params;
  OWN_STATE struct hb_leapfrog *l = NULL;
  *state = NULL;
  HB_TRY(HB_ALLOC(1, &l));
  l->force = force;
  HB_TRY(hb_particles_get(sections, &l->particles));
  l->n = l->particles->n;
  HB_TRY(allocate(l));
  HB_TRY(fill(sections, l));
  return HB_GIVE(l, state);
}

/* ---- facts ---- */

static enum hb_status quantity(void *state, enum hb_quantity which, double *value)
{
  const struct hb_leapfrog *l = state;
  for (size_t i = 0; i < l->n; i++) {
    value[i] = which == HB_QUANTITY_ACC ? hb_norm(l->a + 3 * i) : which == HB_QUANTITY_STEP ? l->dt : 0;
  }
  return HB_OK;
}

static void counts(const void *state, struct hb_sim_counts *result)
{
  const struct hb_leapfrog *l = state;
  size_t sources;
  hb_force_massive(l->force, l->n, &sources);
  *result = (struct hb_sim_counts){.n = l->n,
                                   .block_steps = l->steps,
                                   .particle_steps = l->steps * l->n,
                                   .pairs = l->steps * l->n * hb_force_pairs(l->n, sources),
                                   .sources = sources,
                                   .changes = l->changes,
                                   .e_changed = l->e_changed,
                                   .dt_least = l->steps ? l->dt : 0};
}

static void phases(const void *state, struct hb_phases *result)
{
  *result = ((const struct hb_leapfrog *)state)->phases;
}

const struct hb_integrator_ops hb_integrator_leapfrog = {
    .info = {.name = "leapfrog",
             .summary = "kick, drift, kick with a constant step that all particles share, and damping",
             .source = "[NHP07]",
             .has_dt = 1},
    .offers = HB_OFFERS_NO_JERKS | HB_OFFERS_DT,
    .create = create,
    .destroy = destroy,
    .save = save,
    .resume = resume,
    .time = time_now,
    .next_time = next_time,
    .step = step,
    .bodies = bodies,
    .change = change,
    .particles = state_at,
    .quantity = quantity,
    .counts = counts,
    .phases = phases,
};

/* hb_sim_change: what it brings is booked, nobody untouched sees a force jump, and a run goes on as one from the changed state. */
#include "core/particles.h"
#include "core/sections.h"
#include "sim/sim.h"
#include "step/hermite4.h"
#include "support/support.h"

#include <holmberg/checkpoint.h>
#include <holmberg/diagnostics.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 512 };

/* A way to integrate. */
struct way {
  const char *name, *integrator;
  double eps, dt;
  int neighbors;
  enum hb_encounters encounters;
  enum hb_steps steps;
  const char *field;
  int has_massless, merges;
};
static const struct way ways[] = {
    {.name = "plain", .eps = 1. / 64, .neighbors = HB_NEIGHBORS_NONE},
    {.name = "lists", .eps = 1. / 64, .neighbors = 32},
    {.name = "groups", .neighbors = HB_NEIGHBORS_NONE, .encounters = HB_ENCOUNTERS_GROUPS},
    {.name = "groups and lists", .neighbors = 32, .encounters = HB_ENCOUNTERS_GROUPS},
    {.name = "merging", .neighbors = 32, .encounters = HB_ENCOUNTERS_GROUPS, .merges = 1},
    {.name = "shared", .eps = 1. / 64, .neighbors = HB_NEIGHBORS_NONE, .steps = HB_STEPS_SHARED},
    {.name = "leapfrog", .integrator = "leapfrog", .eps = 1. / 64, .dt = 1. / 1024},
    {.name = "field",
     .neighbors = 32,
     .encounters = HB_ENCOUNTERS_GROUPS,
     .field = "plummer:m=10,a=2 frame:w=0.1"},
    {.name = "massless", .neighbors = 32, .encounters = HB_ENCOUNTERS_GROUPS, .has_massless = 1},
};

static struct hb_particles *cluster(const struct way *w)
{
  struct hb_particles *p;
  struct hb_ic_params params = {.n = N, .seed = 3};
  params.cluster.binaries = w->encounters == HB_ENCOUNTERS_GROUPS ? 0.1 : 0;
  params.cluster.masses = "kroupa";
  ASSERT_OK(hb_ic_make("plummer", &params, &p));
  if (w->has_massless)
    for (size_t i = 0; i < N; i += 7) hb_particles_m(p)[i] = 0;
  return p;
}

static struct hb_sim *begin(const struct way *w, const struct hb_particles *p)
{
  struct hb_sim *sim;
  struct hb_sim_params params = {.integrator = w->integrator,
                                 .dt = w->dt,
                                 .neighbors = w->integrator ? 0 : w->neighbors,
                                 .encounters = w->encounters,
                                 .steps = w->steps,
                                 .field = w->field,
                                 .collisions = w->merges ? HB_COLLISIONS_MERGE : HB_COLLISIONS_NONE,
                                 .eta = w->integrator ? 0 : 0.005};
  params.force.scheme = "host";
  params.force.eps = w->eps;
  if (w->eps == 0) params.force.flags = HB_FORCE_UNSOFTENED;
  ASSERT_OK(hb_sim_create(p, &params, &sim));
  return sim;
}

static double energy(struct hb_sim *sim)
{
  struct hb_diagnostics d;
  ASSERT_OK(hb_sim_diagnose(sim, hb_sim_time(sim), &d));
  return d.e_total + d.e_lost - d.e_changed;
}

static double total(struct hb_sim *sim)
{
  struct hb_diagnostics d;
  ASSERT_OK(hb_sim_diagnose(sim, hb_sim_time(sim), &d));
  return d.e_total;
}

enum { LOSE = 6 };
/* Masses of a few, the velocity of one, a removed and an added one. */
static void change(struct hb_sim *sim, int moves, int replaces)
{
  struct hb_particles *now, *added;
  ASSERT_OK(hb_sim_state(sim, hb_sim_time(sim), &now));
  uint64_t id[LOSE], removed = 31;
  double m[LOSE], x[3 * LOSE], v[3 * LOSE];
  size_t n = 0;
  for (size_t i = 0; i < hb_particles_n(now) && n < LOSE; i += 5) {
    if (hb_particles_id(now)[i] == removed) continue;
    id[n] = hb_particles_id(now)[i];
    m[n] = 0.7 * hb_particles_m(now)[i];
    for (int c = 0; c < 3; c++) {
      x[3 * n + c] = hb_particles_x(now)[3 * i + c] + (n == 2 ? 0.2 : 0);
      v[3 * n + c] = hb_particles_v(now)[3 * i + c] + (n == 1 ? 0.3 : 0);
    }
    n++;
  }
  ASSERT_OK(hb_particles_create(2, &added));
  for (size_t k = 0; k < 2; k++) {
    hb_particles_id(added)[k] = 100000 + k + (uint64_t)(1e6 * hb_sim_time(sim));
    hb_particles_m(added)[k] = k ? 0 : 1.0 / N;
    hb_particles_x(added)[3 * k] = 0.1 + (double)k;
    hb_particles_v(added)[3 * k + 1] = 0.5;
  }
  struct hb_change c = {.n = n, .id = id, .m = m};
  if (moves) c.x = x, c.v = v;
  if (replaces) c.n_removed = 1, c.removed = &removed, c.added = added;
  ASSERT_OK(hb_sim_change(sim, &c));
  hb_particles_destroy(now);
  hb_particles_destroy(added);
}

static void energy_is_booked(void **state)
{
  (void)state;
  for (size_t w = 0; w < COUNT_OF(ways); w++)
    for (int k = 0; k < 2; k++) {
      struct hb_particles *p = cluster(ways + w);
      struct hb_sim *sim = begin(ways + w, p);
      ASSERT_OK(hb_sim_integrate(sim, 0.25));
      double before = energy(sim), e0 = total(sim);
      change(sim, k, k);
      double after = energy(sim), e1 = total(sim);
      ASSERT_OK(hb_sim_integrate(sim, 0.5));
      double later = energy(sim);
      printf("%-18s %d: E %.6f -> %.6f, not booked %.1e, then %.1e\n", ways[w].name, k, e0, e1,
             after - before, later - after);
      expect_above(fabs(e1 - e0), 1e-5);
      expect_at_most(fabs(after - before), 1e-12 * fabs(e0));
      expect_at_most(fabs(later - after), 1e-4 * fabs(e0));
      hb_sim_destroy(sim);
      hb_particles_destroy(p);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(energy_is_booked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

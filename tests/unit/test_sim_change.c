/* hb_sim_change: what it brings is booked, nobody untouched sees a force jump, and a run goes on as one from the changed state. */
#include "base/mem.h"
#include "base/parallel.h"
#include "core/particles.h"
#include "core/sections.h"
#include "sim/sim.h"
#include "step/hermite4.h"
#include "support/support.h"

#include <holmberg/checkpoint.h>
#include <holmberg/device.h>
#include <holmberg/diagnostics.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 256 };

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

static uint64_t hash_at(struct hb_sim *sim, double t)
{
  struct hb_particles *p;
  ASSERT_OK(hb_sim_integrate(sim, t));
  ASSERT_OK(hb_sim_state(sim, hb_sim_time(sim), &p));
  uint64_t hash = hb_particles_hash(p);
  hb_particles_destroy(p);
  return hash;
}

static struct hb_sim *resumed(const char *path)
{
  struct hb_checkpoint *file;
  struct hb_sim *sim;
  ASSERT_OK(hb_checkpoint_open(path, &file));
  ASSERT_OK(hb_sim_resume(file, NULL, &sim));
  hb_checkpoint_close(file);
  return sim;
}

/* In the middle of steps. */
static const double when = 0.2 + 1. / 512;

static void saved_before_or_after_it_goes_on_to_the_same_bits(void **state)
{
  (void)state;
  for (size_t w = 0; w < COUNT_OF(ways); w++) {
    struct hb_particles *p = cluster(ways + w);
    struct hb_sim *sim = begin(ways + w, p), *before, *after;
    ASSERT_OK(hb_sim_integrate(sim, when));
    ASSERT_OK(hb_sim_save(sim, support_path("before"), NULL, 0, 0));
    change(sim, 1, 1);
    ASSERT_OK(hb_sim_save(sim, support_path("after"), NULL, 0, 0));
    before = resumed(support_path("before"));
    change(before, 1, 1);
    after = resumed(support_path("after"));
    uint64_t right = hash_at(sim, 0.5);
    assert_int_equal(hash_at(before, 0.5), right);
    assert_int_equal(hash_at(after, 0.5), right);
    expect_equal(energy(after), energy(sim));
    hb_sim_destroy(sim);
    hb_sim_destroy(before);
    hb_sim_destroy(after);
    hb_particles_destroy(p);
  }
}

static void threads_change_no_bit(void **state)
{
  static const int threads[] = {1, 2, 4, 7};
  (void)state;
  for (size_t w = 0; w < COUNT_OF(ways); w++) {
    uint64_t right = 0;
    for (size_t k = 0; k < COUNT_OF(threads); k++) {
      struct hb_particles *p = cluster(ways + w);
      hb_parallel_set_threads(threads[k]);
      struct hb_sim *sim = begin(ways + w, p);
      ASSERT_OK(hb_sim_integrate(sim, when));
      change(sim, 1, 1);
      uint64_t hash = hash_at(sim, 0.25);
      if (k == 0) right = hash;
      assert_int_equal(hash, right);
      hb_sim_destroy(sim);
      hb_particles_destroy(p);
    }
  }
  hb_parallel_set_threads(0);
}

/* Of every seventh star, alone and with others. */
static void lighten(struct hb_sim *sim)
{
  enum { AT_ONCE = 4 };
  struct hb_particles *now;
  ASSERT_OK(hb_sim_state(sim, hb_sim_time(sim), &now));
  for (size_t i = 0; i + 7 * AT_ONCE < N; i += 7 * AT_ONCE) {
    uint64_t id[AT_ONCE];
    double m[AT_ONCE];
    for (size_t k = 0; k < AT_ONCE; k++) {
      id[k] = hb_particles_id(now)[i + 7 * k];
      m[k] = 0.9 * hb_particles_m(now)[i + 7 * k];
    }
    ASSERT_OK(hb_sim_change(sim, &(struct hb_change){.n = i % 8 ? 1 : AT_ONCE, .id = id, .m = m}));
  }
  hb_particles_destroy(now);
}

static void lighter_stars_resume_to_the_same_bits_by_any_number_of_threads(void **state)
{
  (void)state;
  for (size_t w = 0; w < COUNT_OF(ways); w++) {
    struct hb_particles *p = cluster(ways + w);
    hb_parallel_set_threads(1);
    struct hb_sim *sim = begin(ways + w, p), *other, *after;
    ASSERT_OK(hb_sim_integrate(sim, when));
    ASSERT_OK(hb_sim_save(sim, support_path("before"), NULL, 0, 0));
    double e = energy(sim);
    lighten(sim);
    printf("%-18s not booked %.1e\n", ways[w].name, energy(sim) - e);
    /* members are corrected between their blocks, which is no change's energy */
    expect_at_most(fabs(energy(sim) - e), ways[w].encounters == HB_ENCOUNTERS_GROUPS ? 5e-8 : 1e-14);
    hb_parallel_set_threads(7);
    other = resumed(support_path("before"));
    lighten(other);
    ASSERT_OK(hb_sim_save(other, support_path("after"), NULL, 0, 0));
    after = resumed(support_path("after"));
    uint64_t right = hash_at(sim, 0.3); /* whose energy was asked for meanwhile */
    assert_int_equal(hash_at(other, 0.3), right);
    assert_int_equal(hash_at(after, 0.3), right);
    hb_sim_destroy(sim);
    hb_sim_destroy(other);
    hb_sim_destroy(after);
    hb_particles_destroy(p);
  }
  hb_parallel_set_threads(0);
}

/* ---- what the others feel ---- */

/* Of all at the time of the last block: x v a j. */
struct felt {
  double q[N][12];
};

static void feel(const struct hb_hermite4 *h, struct felt *f)
{
  for (size_t i = 0; i < h->n; i++) {
    double dt = hb_hermite4_span(h, h->blocks->now - hb_blocks_level_time(h->blocks, h->blocks->level[i]));
    const struct hb_span span = hb_span_of(dt);
    hb_hermite4_predict(h, i, &span, f->q[i], f->q[i] + 3);
    for (size_t c = 0; c < 3; c++) {
      f->q[i][6 + c] = h->a[3 * i + c] + dt * h->j[3 * i + c];
      f->q[i][9 + c] = h->j[3 * i + c];
    }
  }
}

static void add_exactly(double m, const double *from, const double *to, double eps2, long double pull[6])
{
  long double r[3], v[3], r2 = eps2, rv = 0;
  for (int c = 0; c < 3; c++) {
    r[c] = (long double)from[c] - to[c], v[c] = (long double)from[3 + c] - to[3 + c];
    r2 += r[c] * r[c], rv += r[c] * v[c];
  }
  for (int c = 0; c < 3; c++) {
    pull[c] += m / (r2 * sqrtl(r2)) * r[c];
    pull[3 + c] += m / (r2 * sqrtl(r2)) * (v[c] - 3 * rv / r2 * r[c]);
  }
}

/* One loses mass and another one moves, between two blocks of most others: their x and v stay, a and j change by the difference. */
static void no_other_sees_a_jump(void **state)
{
  static struct felt before, after;
  (void)state;
  for (size_t w = 0; w < 2; w++) {
    const uint64_t id[] = {10, 40};
    const double m[] = {0, 0.01};
    double worst[3] = {0}, v[] = {0, 0, 0, 0.1, 0.2, 0.3};
    size_t late = 0;
    struct hb_particles *p = cluster(ways + w);
    struct hb_sim *sim = begin(ways + w, p);
    const struct hb_hermite4 *h = sim->state;
    ASSERT_OK(hb_sim_integrate(sim, when));
    const double eps2 = ways[w].eps * ways[w].eps, masses[] = {h->particles->m[10], h->particles->m[40]};
    ASSERT_OK(hb_sim_change(sim, &(struct hb_change){.n = 2, .id = id})); /* they are corrected up to now */
    feel(h, &before);
    ASSERT_OK(hb_sim_change(sim, &(struct hb_change){.n = 2, .id = id, .m = m, .v = v}));
    feel(h, &after);
    for (size_t i = 0; i < N; i++) {
      if (i == 10 || i == 40) continue;
      long double pull[6] = {0};
      late += hb_blocks_level_time(h->blocks, h->blocks->level[i]) < h->blocks->now;
      for (size_t k = 0; k < 2; k++) {
        add_exactly(-masses[k], before.q[id[k]], before.q[i], eps2, pull);
        add_exactly(m[k], after.q[id[k]], before.q[i], eps2, pull);
      }
      for (size_t c = 0; c < 6; c++) {
        double scale = c < 3 ? 1 : 10, a = fabs(before.q[i][6 + c]) + scale;
        worst[0] = fmax(worst[0], fabs(after.q[i][c] - before.q[i][c]));
        worst[1 + c / 3] =
            fmax(worst[1 + c / 3],
                 fabs((double)(after.q[i][6 + c] - (long double)before.q[i][6 + c] - pull[c])) / a);
      }
    }
    printf("%-8s %zu of %d in the middle of a step: x v %.1e, a %.1e, j %.1e\n", ways[w].name, late, N,
           worst[0], worst[1], worst[2]);
    expect_above(late, N / 2);
    expect_at_most(worst[0], 1e-15);
    expect_at_most(worst[1], 1e-13);
    expect_at_most(worst[2], 1e-13);
    hb_sim_destroy(sim);
    hb_particles_destroy(p);
  }
}

/* A mass alone: nobody's step is another, not its own either; its pull on each is, however small. And the energy, wherever it is on
 * its way. */
static void a_mass_alone_is_one_pull(void **state)
{
  enum { WHO = 10 };
  static struct felt before, after;
  static const double lost[] = {0.75, 1e-6};
  (void)state;
  for (size_t k = 0; k < 2 * COUNT_OF(lost); k++) {
    const uint64_t id = WHO;
    const struct way *w = ways + k % 2;
    double worst[3] = {0}, eps2 = w->eps * w->eps, e[2];
    uint8_t level[N];
    struct hb_particles *p = cluster(w);
    struct hb_sim *sim = begin(w, p);
    const struct hb_hermite4 *h = sim->state;
    ASSERT_OK(hb_sim_integrate(sim, when));
    const double had = h->particles->m[WHO], m = (1 - lost[k / 2]) * had;
    feel(h, &before);
    memcpy(level, h->blocks->level, sizeof level);
    e[0] = energy(sim);
    ASSERT_OK(hb_sim_change(sim, &(struct hb_change){.n = 1, .id = &id, .m = &m}));
    e[1] = energy(sim);
    feel(h, &after);
    assert_memory_equal(level, h->blocks->level, sizeof level);
    for (size_t i = 0; i < N; i++) {
      long double pull[6] = {0};
      if (i != WHO) add_exactly(m - had, before.q[WHO], before.q[i], eps2, pull);
      for (size_t c = 0; c < 6; c++) {
        double scale = fabs(before.q[i][6 + c]) + (c < 3 ? 1 : 10);
        worst[0] = fmax(worst[0], fabs(after.q[i][c] - before.q[i][c]));
        worst[1 + c / 3] =
            fmax(worst[1 + c / 3],
                 fabs((double)(after.q[i][6 + c] - (long double)before.q[i][6 + c] - pull[c])) / scale);
      }
    }
    printf("%-8s %g lost: x v %.1e, a %.1e, j %.1e, not booked %.1e\n", w->name, lost[k / 2], worst[0],
           worst[1], worst[2], e[1] - e[0]);
    expect_at_most(worst[0], 1e-15);
    expect_at_most(worst[1], 1e-13);
    expect_at_most(worst[2], 1e-13);
    expect_at_most(fabs(e[1] - e[0]), 1e-14);
    hb_sim_destroy(sim);
    hb_particles_destroy(p);
  }
}

/* ---- against a run of its own ---- */

static double *place_of(struct hb_particles *p, uint64_t id)
{
  for (size_t i = 0; i < hb_particles_n(p); i++)
    if (hb_particles_id(p)[i] == id) return hb_particles_x(p) + 3 * i;
  return NULL;
}

static void it_goes_on_like_a_new_run_of_what_there_is(void **state)
{
  (void)state;
  for (size_t w = 0; w < COUNT_OF(ways); w++) {
    if (ways[w].eps == 0) continue;
    struct hb_particles *p = cluster(ways + w), *now, *there, *here;
    struct hb_sim *sim = begin(ways + w, p), *other;
    ASSERT_OK(hb_sim_integrate(sim, 0.25));
    change(sim, 1, 1);
    ASSERT_OK(hb_sim_state(sim, 0.25, &now));
    other = begin(ways + w, now);
    ASSERT_OK(hb_sim_integrate(sim, 0.5));
    ASSERT_OK(hb_sim_integrate(other, 0.5));
    ASSERT_OK(hb_sim_state(sim, 0.5, &here));
    ASSERT_OK(hb_sim_state(other, 0.5, &there));
    double sum = 0;
    for (size_t i = 0; i < hb_particles_n(here); i++) {
      const double *x = hb_particles_x(here) + 3 * i, *y = place_of(there, hb_particles_id(here)[i]);
      assert_non_null(y);
      for (int c = 0; c < 3; c++) sum += (x[c] - y[c]) * (x[c] - y[c]);
    }
    double rms = sqrt(sum / (double)hb_particles_n(here));
    printf("%-8s rms distance of %zu after 1/4: %.1e\n", ways[w].name, hb_particles_n(here), rms);
    assert_int_equal(hb_particles_n(here), N + 1);
    expect_at_most(rms, 1e-6);
    hb_sim_destroy(sim);
    hb_sim_destroy(other);
    hb_particles_destroy(p);
    hb_particles_destroy(now);
    hb_particles_destroy(here);
    hb_particles_destroy(there);
  }
}

/* Masses of all, one by one, which do not change, or by so little that few are told: no less exact. */
static void many_changes_cost_no_accuracy(void **state)
{
  (void)state;
  for (size_t w = 0; w < 4; w++) {
    double error[3];
    for (int changes = 0; changes < 3; changes++) {
      struct hb_particles *p = cluster(ways + w);
      struct hb_sim *sim = begin(ways + w, p);
      double e0 = energy(sim);
      for (uint64_t k = 0; k < N; k++) {
        double m = (changes == 2 ? 1 - 1e-5 : 1) * hb_particles_m(p)[k];
        ASSERT_OK(hb_sim_integrate(sim, (double)(k + 1) / (2 * N) + 1e-4));
        if (changes) ASSERT_OK(hb_sim_change(sim, &(struct hb_change){.n = 1, .id = &k, .m = &m}));
      }
      error[changes] = fabs((energy(sim) - e0) / e0);
      hb_sim_destroy(sim);
      hb_particles_destroy(p);
    }
    printf("%-18s dE/E %.1e, with %d changes %.1e, by 1e-5 %.1e\n", ways[w].name, error[0], N, error[1],
           error[2]);
    expect_at_most(error[1], 5 * error[0] + 2e-8);
    expect_at_most(error[2], 5 * error[0] + 2e-8);
  }
}

/* Among stars at rest, where eq. 2 sees no jerk, a star that comes gets a step as short as in a run that begins with it. */
static void who_comes_to_rest_is_tried(void **state)
{
  (void)state;
  for (size_t w = 0; w < 2; w++) {
    double steps[2][N + 1], error[2];
    struct hb_particles *p = cluster(ways + w), *more, *all;
    memset(hb_particles_v(p), 0, 3 * N * sizeof(double));
    ASSERT_OK(hb_particles_create(1, &more));
    ASSERT_OK(hb_particles_create(N + 1, &all));
    hb_particles_id(more)[0] = hb_particles_id(all)[N] = N;
    hb_particles_m(more)[0] = hb_particles_m(all)[N] = 0.01;
    hb_particles_x(more)[0] = hb_particles_x(all)[3 * N] = 0.05;
    memcpy(hb_particles_m(all), hb_particles_m(p), N * sizeof(double));
    memcpy(hb_particles_x(all), hb_particles_x(p), 3 * N * sizeof(double));
    struct hb_sim *sim[] = {begin(ways + w, p), begin(ways + w, all)};
    ASSERT_OK(hb_sim_change(sim[0], &(struct hb_change){.added = more}));
    for (int k = 0; k < 2; k++) {
      double e0 = energy(sim[k]);
      ASSERT_OK(hb_sim_quantity(sim[k], HB_QUANTITY_STEP, steps[k]));
      ASSERT_OK(hb_sim_integrate(sim[k], 0.5));
      error[k] = fabs((energy(sim[k]) - e0) / e0);
      hb_sim_destroy(sim[k]);
    }
    printf("%-6s step 2^%.0f, from the start 2^%.0f; dE/E %.1e, %.1e\n", ways[w].name, log2(steps[0][N]),
           log2(steps[1][N]), error[0], error[1]);
    expect_at_most(steps[0][N], 2 * steps[1][N]);
    expect_at_most(error[0], 10 * error[1] + 1e-9);
    hb_particles_destroy(p);
    hb_particles_destroy(more);
    hb_particles_destroy(all);
  }
}

/* ---- what fails ---- */

/* Each allocation of a change fails once: the simulation is what it was, and goes on to the bits of one that was never asked. */
static void a_change_that_fails_changes_nothing(void **state)
{
  (void)state;
  for (size_t w = 0; w < COUNT_OF(ways); w++)
    for (int moves = 0; moves < 2; moves++) {
      const uint64_t id[] = {9, 11};
      const double m[] = {1e-3, 1e-3}, v[] = {0, 0.1, 0, 0, 0, 0.1};
      struct hb_change c = {
          .n = 2, .id = id, .m = m, .v = moves ? v : NULL, .n_removed = (size_t)moves, .removed = id + 1};
      unsigned long nth = 1;
      struct hb_particles *p = cluster(ways + w);
      struct hb_sim *sim = begin(ways + w, p), *other;
      c.n -= (size_t)moves;
      ASSERT_OK(hb_sim_integrate(sim, when));
      ASSERT_OK(hb_sim_save(sim, support_path("untouched"), NULL, 0, 0));
      double e = energy(sim);
      for (;; nth++) {
        hb_mem_watch.fail_at = nth;
        enum hb_status status = hb_sim_change(sim, &c);
        unsigned long left = hb_mem_watch.fail_at;
        hb_mem_watch.fail_at = 0;
        if (left > 0) break;
        assert_int_not_equal(status, HB_OK);
        if (nth % 8 == 0) expect_equal(energy(sim), e);
      }
      other = resumed(support_path("untouched"));
      ASSERT_OK(hb_sim_change(other, &c));
      printf("%-18s %d: %lu allocations\n", ways[w].name, moves, nth - 1);
      assert_int_equal(hash_at(sim, 0.25), hash_at(other, 0.25));
      hb_sim_destroy(sim);
      hb_sim_destroy(other);
      hb_particles_destroy(p);
    }
}

/* ---- what is refused ---- */

static void invalid_changes_change_nothing(void **state)
{
  (void)state;
  struct hb_particles *p = cluster(ways), *added;
  struct hb_sim *sim = begin(ways, p);
  ASSERT_OK(hb_sim_integrate(sim, 0.125));
  uint64_t before = hash_at(sim, 0.125);
  const uint64_t once[] = {3}, twice[] = {3, 3}, unknown[] = {N};
  const double nan[] = {NAN, 0, 0}, less[] = {-1}, fine[] = {0, 0};
  uint64_t all[N];
  for (uint64_t i = 0; i < N; i++) all[i] = i;
  ASSERT_OK(hb_particles_create(1, &added));
#define REFUSED(status, sentence, ...)                                                                       \
  ASSERT_FAILS(hb_sim_change(sim, &(struct hb_change){__VA_ARGS__}), status, sentence)
  REFUSED(HB_ERR_USAGE, "particle 256, which does not exist", .n = 1, .id = unknown, .m = fine);
  REFUSED(HB_ERR_USAGE, "particle 3 twice", .n = 2, .id = twice, .m = fine);
  REFUSED(HB_ERR_USAGE, "particle 3 twice", .n = 1, .id = once, .m = fine, .n_removed = 1, .removed = once);
  REFUSED(HB_ERR_USAGE, "particle 256, which does not exist", .n_removed = 1, .removed = unknown);
  REFUSED(HB_ERR_INPUT, "mass nan for particle 3, expected finite and at least 0", .n = 1, .id = once,
          .m = nan);
  REFUSED(HB_ERR_INPUT, "mass -1 for particle 3", .n = 1, .id = once, .m = less);
  REFUSED(HB_ERR_INPUT, "radius -1 for particle 3", .n = 1, .id = once, .radius = less);
  REFUSED(HB_ERR_INPUT, "position nan for particle 3, expected finite", .n = 1, .id = once, .x = nan);
  REFUSED(HB_ERR_INPUT, "velocity nan for particle 3", .n = 1, .id = once, .v = nan);
  REFUSED(HB_ERR_USAGE, "adds particle 0, which exists already", .added = added);
  REFUSED(HB_ERR_USAGE, "removes all 256 particles", .n_removed = N, .removed = all);
  REFUSED(HB_ERR_USAGE, "no identities (NULL) of 1 particles", .n = 1, .m = fine);
  assert_int_equal(hash_at(sim, 0.125), before);
  struct hb_sim_counts counts;
  hb_sim_counts(sim, &counts);
  assert_int_equal(counts.changes, 0);
  hb_sim_destroy(sim);
  hb_particles_destroy(p);
  hb_particles_destroy(added);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(energy_is_booked),
      cmocka_unit_test(saved_before_or_after_it_goes_on_to_the_same_bits),
      cmocka_unit_test(threads_change_no_bit),
      cmocka_unit_test(lighter_stars_resume_to_the_same_bits_by_any_number_of_threads),
      cmocka_unit_test(no_other_sees_a_jump),
      cmocka_unit_test(a_mass_alone_is_one_pull),
      cmocka_unit_test(it_goes_on_like_a_new_run_of_what_there_is),
      cmocka_unit_test(many_changes_cost_no_accuracy),
      cmocka_unit_test(who_comes_to_rest_is_tried),
      cmocka_unit_test(a_change_that_fails_changes_nothing),
      cmocka_unit_test(invalid_changes_change_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

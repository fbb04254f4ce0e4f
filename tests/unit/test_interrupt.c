/* Steps that are given up on request: done again, or saved and resumed, they end with the bits of a run that was never stopped. */
#include "base/interrupt.h"
#include "base/parallel.h"
#include "support/cluster_case.h"
#include "support/resume_case.h"
#include "support/support.h"

#include <holmberg/checkpoint.h>
#include <holmberg/diagnostics.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- systems ---- */

static struct hb_particles *binaries(size_t n)
{
  return cluster_make("plummer", n, (struct hb_ic_cluster){.binaries = 1, .a_min = 1e-4, .a_max = 0.02});
}

/* Replaces every star of a plummer sphere by this many bodies: a close pair, a third one around it, and a fourth one or none. */
static struct hb_particles *multiples(size_t systems, size_t bodies)
{
  static const double at[4] = {0, 1e-4, 3e-3, -4e-3}, speed[4] = {0, 1, 0.3, -0.25};
  struct hb_particles *centers, *p;
  size_t n = systems * bodies;
  double m = 1. / (double)n;
  ASSERT_OK(hb_ic_make("plummer", &(struct hb_ic_params){.n = systems, .seed = 3}, &centers));
  ASSERT_OK(hb_particles_create(n, &p));
  for (size_t i = 0; i < n; i++) {
    size_t b = i % bodies, turn = i / bodies % 3;
    hb_particles_m(p)[i] = m;
    for (size_t c = 0; c < 3; c++) {
      hb_particles_x(p)[3 * i + c] = hb_particles_x(centers)[3 * (i / bodies) + c];
      hb_particles_v(p)[3 * i + c] = hb_particles_v(centers)[3 * (i / bodies) + c];
    }
    hb_particles_x(p)[3 * i + turn] += at[b];
    hb_particles_v(p)[3 * i + (turn + 1) % 3] += speed[b] * sqrt(2 * m / 1e-4);
  }
  hb_particles_destroy(centers);
  return p;
}

/* A cluster whose stars are so large that some touch. */
static struct hb_particles *large(size_t n)
{
  struct hb_particles *p = binaries(n);
  for (size_t i = 0; i < n; i++) hb_particles_radius(p)[i] = 2e-5;
  return p;
}

/* ---- runs ---- */

struct system {
  const char *name;
  struct hb_particles *(*make)(void);
  struct hb_sim_params params;
  double t_end;
};

static struct hb_sim *begin(const struct system *s)
{
  struct hb_sim *sim;
  struct hb_particles *p = s->make();
  ASSERT_OK(hb_particles_set_note(p, "note", "travels"));
  ASSERT_OK(hb_sim_take(p, &s->params, &sim));
  return sim;
}

/* What is done about a step that was given up. */
enum remedy { AGAIN, RESUME, DIAGNOSE, REMEDIES };

static void ask(struct hb_sim *sim)
{
  struct hb_diagnostics now;
  double from = hb_sim_time(sim), next = hb_sim_next_time(sim);
  ASSERT_OK(hb_sim_diagnose(sim, from + (next - from) / 3, &now));
  ASSERT_OK(hb_sim_diagnose(sim, next, &now));
}

/* Whether steps are given up after their correction only, which takes a spare state. */
static int is_after;

/* Goes to the end with a request at every `look`-th look from the start of a step on. Returns how many steps were given up. */
static size_t go(const struct system *s, uint64_t look, enum remedy remedy, struct hb_sim **sim)
{
  size_t given_up = 0;
  while (hb_sim_next_time(*sim) <= s->t_end) {
    double t = hb_sim_time(*sim);
    if (is_after) hb_interrupt_set_grace(0);
    hb_interrupt_set_look(look, is_after);
    enum hb_status status = hb_sim_step(*sim);
    hb_interrupt_set_look(0, 0);
    hb_interrupt_withdraw();
    hb_interrupt_set_grace(INFINITY);
    if (status != HB_ERR_STOPPED) {
      ASSERT_OK(status);
      continue;
    }
    given_up++;
    expect_equal(hb_sim_time(*sim), t);
    if (remedy == RESUME && given_up % 16 == 1) resume_case_now(sim);
    if (remedy == DIAGNOSE && given_up % 4 == 1) ask(*sim);
    ASSERT_OK(hb_sim_step(*sim));
  }
  return given_up;
}

static void expect_same(const struct system *s, struct hb_sim *a, struct hb_sim *b)
{
  struct hb_particles *p, *q;
  struct hb_sim_counts counts_a, counts_b;
  ASSERT_OK(hb_sim_state(a, s->t_end, &p));
  ASSERT_OK(hb_sim_state(b, s->t_end, &q));
  size_t n = hb_particles_n(p);
  assert_int_equal(hb_particles_n(q), n);
  assert_memory_equal(hb_particles_m(p), hb_particles_m(q), n * sizeof(double));
  assert_memory_equal(hb_particles_x(p), hb_particles_x(q), 3 * n * sizeof(double));
  assert_memory_equal(hb_particles_v(p), hb_particles_v(q), 3 * n * sizeof(double));
  assert_memory_equal(hb_particles_id(p), hb_particles_id(q), n * sizeof(uint64_t));
  hb_particles_destroy(p);
  hb_particles_destroy(q);
  hb_sim_counts(a, &counts_a);
  hb_sim_counts(b, &counts_b);
  assert_memory_equal(&counts_a, &counts_b, sizeof counts_a);
}

/* Stars of all masses in pairs of all widths: many join, part and enter lists. */
static struct hb_particles *wide(size_t n)
{
  return cluster_make("king", n,
                      (struct hb_ic_cluster){.masses = "kroupa",
                                             .mass_max = 50,
                                             .binaries = 1,
                                             .orbits = HB_IC_ORBITS_KROUPA1995,
                                             .a_max = 0.01,
                                             .units.length = 1});
}

static struct hb_particles *wide_pairs(void) { return wide(256); }
static struct hb_particles *pairs(void) { return binaries(64); }
static struct hb_particles *many_pairs(void) { return binaries(256); }
static struct hb_particles *triples(void) { return multiples(12, 3); }
static struct hb_particles *quadruples(void) { return multiples(10, 4); }
static struct hb_particles *many_triples(void) { return multiples(64, 3); }
static struct hb_particles *large_pairs(void) { return large(64); }

#define HOST .force = {.scheme = "host"}, .encounters = HB_ENCOUNTERS_GROUPS
#define SOLE HOST, .neighbors = HB_NEIGHBORS_NONE
static const struct system systems[] = {
    {"pairs", pairs, {SOLE}, 0x1p-4},
    {"wide pairs", wide_pairs, {SOLE}, 0x1p-4},
    {"wide pairs with lists", wide_pairs, {HOST, .neighbors = 24}, 0x1p-3},
    {"pairs with lists", many_pairs, {HOST, .neighbors = 24}, 0x1p-5},
    {"triples", triples, {SOLE}, 0x1p-6},
    {"triples with lists", many_triples, {HOST, .neighbors = 16}, 0x1p-7},
    {"quadruples", quadruples, {SOLE}, 0x1p-7},
    {"pairs that merge", large_pairs, {SOLE, .collisions = HB_COLLISIONS_MERGE}, 0x1p-4},
    {"pairs with lists that merge",
     large_pairs,
     {HOST, .neighbors = 16, .collisions = HB_COLLISIONS_MERGE},
     0x1p-4},
    {"pairs in a field", pairs, {SOLE, .field = "log:v=30,r=0.1"}, 0x1p-5},
    {"pairs with lists in a field", many_pairs, {HOST, .neighbors = 24, .field = "log:v=30,r=0.1"}, 0x1p-6}};

static void test_steps(void **state)
{
  static const struct {
    uint64_t look;
    int is_after;
  } at[] = {{1, 0}, {2, 0}, {7, 0}, {17, 0}, {100, 0}, {1, 1}, {1, 1}, {2, 1}};
  (void)state;
  for (size_t k = 0; k < COUNT_OF(systems); k++) {
    const struct system *s = systems + k;
    struct hb_sim *whole = begin(s);
    size_t given_up = 0, after = 0, turn = 0;
    expect_equal(go(s, 0, AGAIN, &whole), 0);
    for (size_t l = 0; l < COUNT_OF(at); l++, turn++) {
      struct hb_sim *sim = begin(s);
      is_after = at[l].is_after;
      hb_parallel_set_threads(1 + (int)(turn % 2));
      size_t count = go(s, at[l].look, (enum remedy)(turn % REMEDIES), &sim);
      given_up += count;
      after += is_after ? count : 0;
      expect_same(s, whole, sim);
      hb_parallel_set_threads(0);
      hb_sim_destroy(sim);
    }
    struct hb_sim_counts counts;
    hb_sim_counts(whole, &counts);
    is_after = 0;
    printf("%s: %zu of %zu steps given up and done again, %zu after their correction (%llu particle steps, "
           "%llu merged)\n",
           s->name, given_up, COUNT_OF(at) * (size_t)counts.block_steps, after,
           (unsigned long long)counts.particle_steps, (unsigned long long)counts.merged);
    expect_above(given_up, 100);
    /* pairs without lists wake no others when they join */
    if (strstr(s->name, "wide pairs with lists") || strstr(s->name, "field")) expect_above(after, 0);
    hb_sim_destroy(whole);
  }
}

/* Diagnostics that are given up can be asked for again, and change nothing. */
static void test_diagnostics(void **state)
{
  (void)state;
  const struct system *s = systems + 6;
  struct hb_sim *whole = begin(s), *sim = begin(s);
  size_t given_up = 0, asked = 0;
  while (hb_sim_next_time(sim) <= s->t_end) {
    struct hb_diagnostics first, second;
    double t = hb_sim_time(sim), at = t + 0.7 * (hb_sim_next_time(sim) - t);
    hb_interrupt_set_look(1 + asked++ % 30, 0);
    enum hb_status status = hb_sim_diagnose(sim, at, &first);
    hb_interrupt_set_look(0, 0);
    hb_interrupt_withdraw();
    if (status == HB_ERR_STOPPED) {
      given_up++;
      ASSERT_OK(hb_sim_diagnose(sim, at, &first));
    }
    ASSERT_OK(hb_sim_diagnose(sim, at, &second)); /* from what is remembered */
    assert_memory_equal(&first, &second, sizeof first);
    ASSERT_OK(hb_sim_step(sim));
  }
  go(s, 0, AGAIN, &whole);
  expect_same(s, whole, sim);
  printf("%zu of %zu diagnostics given up\n", given_up, asked);
  expect_above(given_up, 100);
  hb_sim_destroy(whole);
  hb_sim_destroy(sim);
}

/* A request stays until it is withdrawn; a time in the past is one. */
static void test_requests(void **state)
{
  (void)state;
  const struct system *s = systems;
  struct hb_sim *sim = begin(s);
  enum hb_status status = HB_OK;
  hb_interrupt_request();
  while (status == HB_OK && hb_sim_next_time(sim) <= s->t_end) status = hb_sim_step(sim);
  assert_int_equal(status, HB_ERR_STOPPED);
  ASSERT_FAILS(hb_sim_step(sim), HB_ERR_STOPPED, "on request");
  hb_interrupt_withdraw();
  ASSERT_OK(hb_sim_step(sim));
  hb_interrupt_set_deadline(0);
  for (status = HB_OK; status == HB_OK && hb_sim_next_time(sim) <= s->t_end;) status = hb_sim_step(sim);
  assert_int_equal(status, HB_ERR_STOPPED);
  hb_interrupt_set_deadline(INFINITY);
  hb_interrupt_withdraw();
  ASSERT_OK(hb_sim_step(sim));
  hb_sim_destroy(sim);
}

/* Held back until released, or for the grace. */
static void test_holding(void **state)
{
  (void)state;
  hb_interrupt_request();
  hb_interrupt_hold();
  ASSERT_OK(hb_interrupt_look(0));
  hb_interrupt_set_grace(0);
  ASSERT_OK(hb_interrupt_look(1)); /* does not look */
  ASSERT_FAILS(hb_interrupt_look(0), HB_ERR_STOPPED, "on request");
  hb_interrupt_set_grace(3600);
  ASSERT_OK(hb_interrupt_look(0));
  hb_interrupt_set_grace(INFINITY);
  hb_interrupt_release();
  ASSERT_FAILS(hb_interrupt_look(0), HB_ERR_STOPPED, "on request");
  hb_interrupt_withdraw();
  ASSERT_OK(hb_interrupt_look(0));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_holding),
      cmocka_unit_test(test_requests),
      cmocka_unit_test(test_steps),
      cmocka_unit_test(test_diagnostics),
  };
  return RUN_TESTS(tests, 1, NULL, NULL);
}

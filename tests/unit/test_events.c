/* Orbits, hierarchies, and what becomes of binaries from one look to the next. */
#include "support/support.h"

#include "base/mem.h"
#include "sim/sim.c"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- orbits ------------------------------------------------------------------------------------------ */

/* Separation and velocity of masses with sum m at the true anomaly f of an orbit (a, e), turned about x by 1: a conic
 * r = p / (1 + e cos f), p = a (1 - e^2), v = sqrt(m / p) (-sin f, e + cos f). */
static void on_conic(double m, double a, double e, double f, double r[3], double v[3])
{
  double p = a * (1 - e * e), length = p / (1 + e * cos(f)), speed = sqrt(m / p);
  const double x = length * cos(f), y = length * sin(f), u = -speed * sin(f), w = speed * (e + cos(f));
  const double at[3] = {x, y * cos(1), y * sin(1)}, with[3] = {u, w * cos(1), w * sin(1)};
  memcpy(r, at, sizeof at);
  memcpy(v, with, sizeof with);
}

/* At pericenter of e = 0.99 the energy is a difference of terms 100 times as large, a hyperbola's likewise. */
static const double orbit_tolerance = 1000 * DBL_EPSILON;

static void elements_of_a_conic(void **state)
{
  (void)state;
  const double m1 = 0.7, m2 = 0.2, m = m1 + m2;
  const struct {
    double a, e;
  } of[] = {{2, 0.5}, {1e-4, 0.99}, {3, 0.01}, {-0.5, 1.5}};
  for (size_t k = 0; k < COUNT_OF(of); k++)
    for (double f = 0; f < 2; f += 0.25) {
      double r[3], v[3], a = of[k].a, e = of[k].e;
      on_conic(m, a, e, f, r, v);
      struct hb_orbit o = hb_orbit_of(m1, m2, r, v, 0);
      expect_below(fabs(o.a / a - 1), orbit_tolerance);
      expect_below(fabs(o.e - e), orbit_tolerance);
      expect_below(fabs(o.E / (-m1 * m2 / (2 * a)) - 1), orbit_tolerance);
      v[1] *= 1 + 1e-9; /* negative control */
      expect_at_least(fabs(hb_orbit_of(m1, m2, r, v, 0).a / a - 1), orbit_tolerance);
    }
}

/* ---- hierarchies ------------------------------------------------------------------------------------- */

/* A pair (a, e) = (0.01, 0.3) and a third star on (1, 0.5) about it; two other stars pass far away. */
static struct hb_particles *triple(void)
{
  struct hb_particles *p;
  double r[3], v[3], R[3], V[3];
  ASSERT_OK(hb_particles_create(5, &p));
  on_conic(1.5, 0.01, 0.3, 2, r, v);
  on_conic(2, 1, 0.5, 1, R, V);
  for (size_t k = 0; k < 3; k++) {
    p->x[3 + k] = -R[k] / 4 - r[k] / 3, p->x[6 + k] = -R[k] / 4 + r[k] * 2 / 3, p->x[9 + k] = R[k] * 3 / 4;
    p->v[3 + k] = -V[k] / 4 - v[k] / 3, p->v[6 + k] = -V[k] / 4 + v[k] * 2 / 3, p->v[9 + k] = V[k] * 3 / 4;
  }
  p->m[1] = 1, p->m[2] = 0.5, p->m[3] = 0.5, p->m[0] = p->m[4] = 0.1;
  p->x[0] = 100, p->x[12] = -100, p->v[0] = 2, p->v[12] = -2;
  for (size_t i = 0; i < 5; i++) p->id[i] = 10 + i;
  return p;
}

static void expect_name(const struct hb_hierarchy *h, const struct hb_particles *p, size_t k,
                        const char *name)
{
  struct hb_text text = {0};
  ASSERT_OK(hb_hierarchy_name(h, p, (uint32_t)(h->n + k), &text));
  assert_string_equal(text.text, name);
  hb_mem_free(text.text);
}

/* Places of order 1 in double, a pair of 0.01: its elements are good to 1e-13. */
static void a_triple_has_its_elements(void **state)
{
  (void)state;
  const double tolerance = 1e-12;
  struct hb_particles *p = triple();
  struct hb_hierarchy h;
  ASSERT_OK(hb_hierarchy_find(p, 0, &h));
  assert_int_equal(h.count, 2);
  expect_name(&h, p, 0, "(11 12)");
  expect_name(&h, p, 1, "((11 12) 13)");
  const struct hb_hierarchy_orbit *in = h.at, *out = h.at + 1;
  expect_below(fabs(in->orbit.a - 0.01), tolerance);
  expect_below(fabs(in->orbit.e - 0.3), tolerance);
  expect_near(in->period, 2 * acos(-1) * sqrt(1e-6 / 1.5), tolerance);
  expect_near(out->period, 2 * acos(-1) * sqrt(1.0 / 2), tolerance);
  expect_below(fabs(out->orbit.a - 1), tolerance);
  expect_below(fabs(out->orbit.e - 0.5), tolerance);
  assert_true(in->is_inner);
  assert_true(!out->is_inner);
  expect_equal(in->stars, 2);
  expect_equal(out->stars, 3);
  expect_below(fabs(out->m[0] - 1.5), tolerance);
  expect_equal(out->m[1], 0.5);
  assert_int_equal(h.systems->n, 3);
  double stars[5];
  hierarchy_stars(&h, stars);
  for (size_t i = 0; i < 5; i++) expect_equal(stars[i], (i == 0 || i == 4 ? 1 : 3));
  hb_hierarchy_clear(&h);
  for (size_t k = 9; k < 12; k++) p->v[k] *= 3; /* negative control: the third star escapes */
  ASSERT_OK(hb_hierarchy_find(p, 0, &h));
  assert_int_equal(h.count, 1);
  assert_int_equal(h.systems->n, 4);
  hb_hierarchy_clear(&h);
  hb_particles_destroy(p);
}

static enum hb_status find_them(void *particles)
{
  struct hb_hierarchy h;
  enum hb_status status = hb_hierarchy_find(particles, 0, &h);
  hb_hierarchy_clear(&h);
  return status;
}

static void hierarchies_without_memory(void **state)
{
  (void)state;
  struct hb_particles *p = triple();
  support_survives_lack_of_memory(find_them, p, 5);
  hb_particles_destroy(p);
}

/* ---- a simulation ------------------------------------------------------------------------------------ */

/* Two of ten stars are on the orbit (a, e) about each other, 3.5 apart and approaching; groups would take them at 2 r_half / N =
 * 2. The others are far away; two of them are a pair that is far closer, so that the ten are not one group. */
static struct hb_sim *meeting(double a, double e, double eps)
{
  struct hb_particles *p;
  struct hb_sim *sim;
  double r[3], v[3];
  const struct hb_sim_params params = {.force = {.scheme = "host", .eps = eps}, .escapers = HB_ESCAPERS_LIST};
  ASSERT_OK(hb_particles_create(10, &p));
  for (size_t i = 0; i < 10; i++) {
    p->m[i] = 0.1, p->id[i] = 50 + i;
    p->x[3 * i] = 10 * cos(0.7 * (double)i), p->x[3 * i + 1] = 10 * sin(0.7 * (double)i);
  }
  const double close = 1e-3;
  for (size_t c = 0; c < 3; c++) p->x[27 + c] = p->x[24 + c] + (c == 2 ? close : 0);
  p->v[24] = -sqrt(0.2 / close) / 2, p->v[27] = sqrt(0.2 / close) / 2;
  on_conic(0.2, a, e, -2.15, r, v);
  for (size_t k = 0; k < 3; k++) {
    p->x[6 + k] = -r[k] / 2, p->x[9 + k] = r[k] / 2;
    p->v[6 + k] = -v[k] / 2, p->v[9 + k] = v[k] / 2;
  }
  ASSERT_OK(hb_sim_take(p, &params, &sim));
  return sim;
}

/* All events of the steps to t, at most `most`. */
static size_t events_to(struct hb_sim *sim, double t, size_t most, struct hb_event *all)
{
  size_t found = 0, count;
  while (hb_sim_next_time(sim) <= t) {
    ASSERT_OK(hb_sim_step(sim));
    const struct hb_event *events = hb_sim_events(sim, &count);
    for (size_t k = 0; k < count && found < most; k++) all[found++] = events[k];
  }
  return found;
}

/* Tides of the others, 0.8 (r / 10)^3 of what the two do to each other: some 3 % at r = 3.5. */
static void unbound_stars_meet(void **state)
{
  (void)state;
  struct hb_event all[4];
  struct hb_sim *sim = meeting(-0.5, 1.5, 0);
  ASSERT_OK(hb_sim_watch(sim, 1U << HB_EVENT_ENCOUNTER | 1U << HB_EVENT_ESCAPE));
  assert_int_equal(events_to(sim, 8, 4, all), 1);
  assert_int_equal(all[0].kind, HB_EVENT_ENCOUNTER);
  expect_equal(all[0].n, 2);
  expect_equal(all[0].id[0], 52);
  expect_equal(all[0].id[1], 53);
  expect_below(fabs(all[0].a / -0.5 - 1), 0.03);
  expect_below(fabs(all[0].e - 1.5), 0.03);
  hb_sim_destroy(sim);
  sim = meeting(-0.5, 1.5, 0); /* negative controls: nobody watches; softened stars are no group */
  assert_int_equal(events_to(sim, 8, 4, all), 0);
  hb_sim_destroy(sim);
  sim = meeting(-0.5, 1.5, 1e-3);
  ASSERT_OK(hb_sim_watch(sim, 1U << HB_EVENT_ENCOUNTER));
  assert_int_equal(events_to(sim, 8, 4, all), 0);
  hb_sim_destroy(sim);
}

/* ---- binaries in time -------------------------------------------------------------------------------- */

enum { N = 12 };

/* Stars of mass 1 / N far from each other, at rest relative to the next but for speeds that make binaries hard or not. */
static struct hb_particles *field(void)
{
  struct hb_particles *p;
  ASSERT_OK(hb_particles_create(N, &p));
  for (size_t i = 0; i < N; i++) {
    p->m[i] = 1. / N;
    p->x[3 * i] = (double)i;
    p->v[3 * i + 1] = i % 2 ? 0.5 : -0.5;
    p->id[i] = 100 + i;
  }
  return p;
}

/* Star k on a circle of radius a about star i; a < 0: past it, unbound. */
static void bind(struct hb_particles *p, size_t i, size_t k, double a)
{
  memcpy(p->x + 3 * k, p->x + 3 * i, 3 * sizeof *p->x);
  memcpy(p->v + 3 * k, p->v + 3 * i, 3 * sizeof *p->v);
  p->x[3 * k] += fabs(a);
  p->v[3 * k + 2] += sqrt((p->m[i] + p->m[k]) / fabs(a)) * (a < 0 ? 2 : 1);
}

struct scene {
  struct hb_binary_watch watch;
  struct hb_events events;
  struct hb_particles *p;
};

static void look_again(struct scene *s, enum hb_event_kind kind)
{
  s->events.count = 0;
  ASSERT_OK(watch_look(&s->watch, s->p, 0, kind, &s->events));
}

static void expect(const struct scene *s, size_t k, enum hb_event_kind kind, size_t n, const uint64_t *id)
{
  expect_below(k, s->events.count);
  assert_int_equal(s->events.at[k].kind, kind);
  assert_int_equal(s->events.at[k].n, n);
  assert_memory_equal(s->events.at[k].id, id, n * sizeof *id);
}

#define EXPECT(s, k, kind, ...)                                                                              \
  expect(s, k, kind, sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), (uint64_t[]){__VA_ARGS__})

/* The list as a checkpoint has it. */
static void save_and_resume(struct scene *s)
{
  struct hb_sections sections = {0};
  ASSERT_OK(watch_put(&s->watch, &sections));
  watch_clear(&s->watch);
  ASSERT_OK(watch_get(&sections, &s->watch));
  hb_sections_clear(&sections);
}

static void swap(struct hb_particles *p, size_t i, size_t k)
{
  for (size_t d = 0; d < 3; d++) {
    double x = p->x[3 * i + d], v = p->v[3 * i + d];
    p->x[3 * i + d] = p->x[3 * k + d], p->x[3 * k + d] = x;
    p->v[3 * i + d] = p->v[3 * k + d], p->v[3 * k + d] = v;
  }
  uint64_t id = p->id[i];
  p->id[i] = p->id[k], p->id[k] = id;
}

static void life_of_binaries(void **state)
{
  const int resumes = state && *state;
  struct scene s = {.events = {.kinds = ~0U}, .p = field()};
  bind(s.p, 0, 1, 1e-3);
  look_again(&s, HB_EVENT_INITIAL);
  assert_int_equal(s.events.count, 1);
  EXPECT(&s, 0, HB_EVENT_INITIAL, 100, 101);
  expect_below(fabs(s.events.at[0].a / 1e-3 - 1), 1e-9);
  expect_below(s.events.at[0].e, 1e-9);
  if (resumes) save_and_resume(&s);
  look_again(&s, HB_EVENT_FORMED); /* negative control: nothing has changed */
  assert_int_equal(s.events.count, 0);
  bind(s.p, 4, 7, 1e-3);
  bind(s.p, 0, 1, 0.9e-3); /* harder by less than a fifth */
  look_again(&s, HB_EVENT_FORMED);
  assert_int_equal(s.events.count, 1);
  EXPECT(&s, 0, HB_EVENT_FORMED, 104, 107);
  if (resumes) save_and_resume(&s);
  bind(s.p, 0, 1, 0.8e-3); /* by a quarter since it was told */
  look_again(&s, HB_EVENT_FORMED);
  assert_int_equal(s.events.count, 1);
  EXPECT(&s, 0, HB_EVENT_HARDENED, 100, 101);
  if (resumes) save_and_resume(&s);
  swap(s.p, 4, 9); /* identities are followed, not places */
  swap(s.p, 0, 8);
  look_again(&s, HB_EVENT_FORMED);
  assert_int_equal(s.events.count, 0);
  bind(s.p, 8, 5, 1e-3); /* 105 takes the place of 101, which leaves */
  s.p->x[3] += 0.5;
  if (resumes) save_and_resume(&s);
  look_again(&s, HB_EVENT_FORMED);
  assert_int_equal(s.events.count, 1);
  EXPECT(&s, 0, HB_EVENT_EXCHANGED, 100, 105, 101);
  bind(s.p, 9, 7, -0.01); /* 104 and 107 pass each other */
  look_again(&s, HB_EVENT_FORMED);
  assert_int_equal(s.events.count, 1);
  EXPECT(&s, 0, HB_EVENT_BROKEN, 104, 107);
  expect_below(s.events.at[0].a, 0);
  expect_above(s.events.at[0].e, 1);
  s.p->id[5] = 999; /* 105 is no more */
  look_again(&s, HB_EVENT_FORMED);
  EXPECT(&s, 0, HB_EVENT_BROKEN, 100, 105);
  assert_true(isnan(s.events.at[0].E));
  s.events.kinds = 1U << HB_EVENT_ENCOUNTER; /* nobody asks for binaries */
  bind(s.p, 8, 5, -0.01);
  look_again(&s, HB_EVENT_FORMED);
  assert_int_equal(s.events.count, 0);
  hb_mem_free(s.events.at);
  watch_clear(&s.watch);
  hb_particles_destroy(s.p);
}

static void life_of_binaries_resumed(void **state)
{
  (void)state;
  int resumes = 1;
  void *how = &resumes;
  life_of_binaries(&how);
}

static enum hb_status look_and_save(void *particles)
{
  struct scene s = {.events = {.kinds = ~0U}, .p = particles};
  struct hb_sections sections = {0};
  enum hb_status status = watch_look(&s.watch, s.p, 0, HB_EVENT_FORMED, &s.events);
  if (status == HB_OK) status = watch_put(&s.watch, &sections);
  watch_clear(&s.watch);
  if (status == HB_OK) status = watch_get(&sections, &s.watch);
  hb_sections_clear(&sections);
  watch_clear(&s.watch);
  hb_mem_free(s.events.at);
  return status;
}

static void looks_without_memory(void **state)
{
  (void)state;
  struct hb_particles *p = field();
  bind(p, 0, 1, 1e-3);
  support_survives_lack_of_memory(look_and_save, p, 8);
  hb_particles_destroy(p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(elements_of_a_conic),        cmocka_unit_test(a_triple_has_its_elements),
      cmocka_unit_test(hierarchies_without_memory), cmocka_unit_test(unbound_stars_meet),
      cmocka_unit_test(life_of_binaries),           cmocka_unit_test(life_of_binaries_resumed),
      cmocka_unit_test(looks_without_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

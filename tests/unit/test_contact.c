/* Contacts and approaches: on paths, in chains, and in simulations with random members, beside states that are looked at one by one. */
#include "support/support.h"

#include "base/mem.h"
#include "chain/bulirsch_stoer.h"
#include "chain/contact.h"
#include "core/particles.h"
#include "core/vector.h"

#include <holmberg/diagnostics.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double two_pi = 6.28318530717958647693;

static double noise(uint64_t *seed)
{
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(int64_t)*seed / 0x1p63;
}

/* ---- paths ---- */

/* A circle around a point that is `off` from the origin, by an angle in u. */
struct circle {
  double off, radius, angle;
};

static void find_on_circle(void *context, double u, struct hb_contact_point *p)
{
  const struct circle *c = context;
  double angle = u * c->angle, rate = c->radius * c->angle;
  *p = (struct hb_contact_point){.u = u,
                                 .t = u,
                                 .x = {c->off + c->radius * cos(angle), c->radius * sin(angle)},
                                 .d = {-rate * sin(angle), rate * cos(angle)}};
}

static struct hb_contact_path path_of(struct circle *c)
{
  struct hb_contact_path path = {.find = find_on_circle, .context = c};
  find_on_circle(c, 0, &path.from);
  find_on_circle(c, 1, &path.to);
  return path;
}

/* A circle whose nearest point is at the angle pi: off - radius from the origin. Grazing, too, and over more than half of a turn. */
static void circles(void **state)
{
  (void)state;
  uint64_t seed = 20;
  int found = 0, contacts = 0;
  for (int k = 0; k < 1000; k++) {
    struct circle c = {.radius = 1, .angle = two_pi * (0.65 + 0.15 * noise(&seed))};
    double nearest = pow(10, -3 + 2.5 * noise(&seed)), reach = nearest * (1 + 0.5 * noise(&seed));
    if (k % 4 == 0) reach = nearest * (1 + 1e-6 * noise(&seed));
    c.off = 1 + nearest;
    const struct hb_contact_path path = path_of(&c);
    struct hb_contact_point at;
    int is_contact = hb_contact_find(&path, reach, &at);
    assert_int_equal(is_contact, reach > nearest);
    if (is_contact) {
      expect_at_most(fabs(hb_norm(at.x) / reach - 1), 1e-9);
      expect_at_most(hb_dot(at.x, at.d), 0);
    }
    contacts += is_contact;
    found += hb_contact_find_nearest(&path, reach, &at);
    if (reach > nearest) expect_at_most(fabs(hb_norm(at.x) / nearest - 1), 1e-6);
  }
  expect_equal(found, contacts);
  expect_above(contacts, 300);
  expect_below(contacts, 700);
}

/* ---- simulations ---- */

/* Random members of a kind. */
enum kind { COLD, PLANETS, HEAD_ON, CLUSTER, BINARIES, MANY, KINDS };
static const char *const names[] = {"cold spheres", "planets",  "head-on falls",
                                    "clusters",     "binaries", "cold spheres of many"};

static struct hb_particles *bodies_of(size_t n)
{
  struct hb_particles *p;
  ASSERT_OK(hb_particles_create(n, &p));
  return p;
}

static void set(struct hb_particles *p, size_t i, double m, double radius, const double x[3],
                const double v[3])
{
  p->m[i] = m, hb_particles_radius(p)[i] = radius;
  memcpy(p->x + 3 * i, x, 3 * sizeof *x);
  memcpy(p->v + 3 * i, v, 3 * sizeof *v);
}

static struct hb_particles *planets(uint64_t *seed)
{
  struct hb_particles *p = bodies_of(4 + (size_t)(2 + 2 * noise(seed)));
  set(p, 0, 1, 0.01, (double[3]){0}, (double[3]){0});
  for (size_t i = 1; i < p->n; i++) {
    double a = 1.05 + 0.25 * noise(seed), f = two_pi * noise(seed), way = noise(seed) > 0 ? 1 : -1;
    set(p, i, pow(10, -4.5 + 1.5 * noise(seed)), 0.015 + 0.01 * noise(seed),
        (double[]){a * cos(f), a * sin(f), 0.01 * noise(seed)},
        (double[]){-way * sin(f) / sqrt(a), way * cos(f) / sqrt(a), 0});
  }
  return p;
}

static struct hb_particles *head_on(uint64_t *seed)
{
  static const double at[4][3] = {{-1, 0, 0}, {1, 0, 0}, {0, 3, 0}, {0, -3, 0.5}};
  struct hb_particles *p = bodies_of(4);
  double off = noise(seed) > 0 ? 1e-2 : 0;
  for (size_t i = 0; i < 4; i++)
    set(p, i, 0.6 + 0.4 * noise(seed), pow(10, -2.5 + 1.5 * noise(seed)),
        (double[]){at[i][0] + off * noise(seed), at[i][1] + off * noise(seed), at[i][2]}, (double[3]){0});
  return p;
}

static struct hb_particles *make(enum kind kind, uint64_t seed)
{
  struct hb_particles *p;
  if (kind == PLANETS) return planets(&seed);
  if (kind == HEAD_ON) return head_on(&seed);
  if (kind == COLD || kind == MANY) {
    double size = kind == MANY ? 0.2 : 1;
    p = bodies_of(kind == MANY ? 10 + (size_t)(15 + 15 * noise(&seed))
                               : 3 + (size_t)(2.5 + 2.5 * noise(&seed)));
    for (size_t i = 0; i < p->n; i++)
      set(p, i, (0.55 + 0.45 * noise(&seed)) / (double)p->n, size * (0.05 + 0.05 * noise(&seed)),
          (double[]){noise(&seed), noise(&seed), noise(&seed)},
          (double[]){0.1 * noise(&seed), 0.1 * noise(&seed), 0.1 * noise(&seed)});
    return p;
  }
  struct hb_ic_params ic = {.n = kind == CLUSTER ? 64 : 40, .seed = seed};
  if (kind == BINARIES) ic.cluster.binaries = 0.5, ic.cluster.a_min = 0.005, ic.cluster.a_max = 0.05;
  ASSERT_OK(hb_ic_make("plummer", &ic, &p));
  for (size_t i = 0; i < p->n; i++)
    hb_particles_radius(p)[i] = kind == CLUSTER ? 0.015 + 0.014 * noise(&seed) : 1e-3 * (1 + noise(&seed));
  return p;
}

static const double t_end[] = {4, 20, 6, 0.75, 0.25, 3};

/* Separations of all pairs over the sums of their radii. */
static void measure(struct hb_sim *sim, double t, double *ratio)
{
  struct hb_particles *p;
  ASSERT_OK(hb_sim_state(sim, t, &p));
  for (size_t i = 0; i < p->n; i++)
    for (size_t k = i + 1; k < p->n; k++) {
      double reach = hb_particles_radius(p)[i] + hb_particles_radius(p)[k];
      ratio[i * p->n + k] = sqrt(hb_distance2(p->x, (uint32_t)i, (uint32_t)k)) / reach;
    }
  hb_particles_destroy(p);
}

/* What became of a pair: told since it was found apart at the end of a block, and how near it was at the last look. */
enum { MOST = 64 };
struct watched {
  uint8_t told[MOST * MOST];
  double ratio[MOST * MOST];
};

/* The event of a stop: the pair is at the contact, unless it overlapped at the start. */
static void check_stop(struct hb_sim *sim, const struct hb_event *event, struct watched *w, size_t n,
                       double *worst)
{
  size_t i = (size_t)(event->id[0] < event->id[1] ? event->id[0] : event->id[1]),
         k = (size_t)(event->id[0] + event->id[1]) - i, pair = i * n + k;
  assert_int_equal(event->kind, HB_EVENT_COLLISION);
  assert_false(w->told[pair]);
  expect_at_most(fabs(hb_sim_time(sim) - event->t), 1e-11);
  if (event->t > 0) *worst = fmax(*worst, fabs(w->ratio[pair] - 1));
  w->told[pair] = 1;
}

/* Each pair that overlaps is told once, at its contact. */
static size_t told_in(enum kind kind, uint64_t seed, enum hb_encounters encounters, double *worst)
{
  static struct watched w;
  const struct hb_sim_params params = {
      .force = {.scheme = "host", .flags = HB_FORCE_UNSOFTENED},
      .collisions = HB_COLLISIONS_STOP,
      .encounters = encounters,
      .neighbors =
          kind == CLUSTER && encounters == HB_ENCOUNTERS_GROUPS && seed % 2 ? 16 : HB_NEIGHBORS_NONE};
  struct hb_particles *p = make(kind, seed);
  size_t n = p->n, count = 0;
  struct hb_sim *sim;
  memset(&w, 0, sizeof w);
  ASSERT_OK(hb_sim_take(p, &params, &sim));
  while (hb_sim_next_time(sim) <= t_end[kind]) {
    ASSERT_OK(hb_sim_step(sim));
    const struct hb_event *event = hb_sim_stopped(sim);
    measure(sim, hb_sim_time(sim), w.ratio);
    if (event) check_stop(sim, event, &w, n, worst);
    count += event != NULL;
    int is_next_now = hb_sim_next_time(sim) == hb_sim_time(sim); /* others are told at the same time */
    for (size_t pair = 0; pair < n * n && !event && !is_next_now; pair++) {
      if (w.ratio[pair] == 0) continue;
      if (w.ratio[pair] > 1) w.told[pair] = 0;
      if (w.ratio[pair] < 1 - 1e-9) assert_int_equal(w.told[pair], 1);
    }
  }
  hb_sim_destroy(sim);
  return count;
}

static void stops_are_at_contacts(void **state)
{
  (void)state;
  enum { SEEDS = 12 };
  for (enum kind kind = COLD; kind < KINDS; kind++)
    for (int how = HB_ENCOUNTERS_NONE; how <= HB_ENCOUNTERS_GROUPS; how++) {
      double worst = 0;
      size_t count = 0;
      if (how == HB_ENCOUNTERS_NONE && kind >= HEAD_ON && kind != CLUSTER) continue; /* slow */
      for (uint64_t seed = 1; seed <= (kind < CLUSTER ? SEEDS : 3); seed++)
        count += told_in(kind, seed, (enum hb_encounters)how, &worst);
      printf("%s, encounters %d: %zu contacts, at most %.1e from the sum of radii\n", names[kind], how, count,
             worst);
      expect_above(count, 5);
      expect_below(worst, 1e-3);
    }
}

/* ---- approaches ---- */

enum { LOOKS = 64, EVENTS = 4096 };

/* Minima that looks at states in between show, of one pair: at least this and at most that. */
struct minima {
  double before, last; /* separations at the last two looks */
};

/* Counts minima of separations below `within` by LOOKS looks at states in each block step. */
static size_t count_minima(struct hb_sim *sim, double t, double within, size_t n)
{
  static struct minima of[MOST * MOST];
  size_t count = 0;
  memset(of, 0, sizeof of);
  for (;;) {
    double from = hb_sim_time(sim), to = fmin(hb_sim_next_time(sim), t);
    if (!(from < t)) return count;
    for (int look = 0; look < LOOKS; look++) {
      struct hb_particles *p;
      ASSERT_OK(hb_sim_state(sim, from + (to - from) * look / LOOKS, &p));
      for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++) {
          struct minima *m = of + i * n + k;
          double r = sqrt(hb_distance2(p->x, (uint32_t)i, (uint32_t)k));
          count += m->last > 0 && m->before > m->last && m->last <= r && m->last < within;
          m->before = m->last, m->last = r;
        }
      hb_particles_destroy(p);
    }
    ASSERT_OK(hb_sim_step(sim));
  }
}

/* Counts approaches that are told; their distances are between 0 and `within`, and their times ascend. */
static size_t count_approaches(struct hb_sim *sim, double t, double within)
{
  size_t sum = 0;
  double last = 0;
  ASSERT_OK(hb_sim_watch(sim, 1U << HB_EVENT_APPROACH));
  while (hb_sim_next_time(sim) <= t) {
    size_t count;
    ASSERT_OK(hb_sim_step(sim));
    const struct hb_event *events = hb_sim_events(sim, &count);
    for (size_t k = 0; k < count; k++) {
      expect_below(events[k].r, within);
      expect_at_least(events[k].t, last);
      expect_at_most(events[k].t, hb_sim_time(sim));
      last = events[k].t;
    }
    sum += count;
  }
  return sum;
}

/* In groups, beside what looks at them show; and in short steps, whose corrector moves planets a little after each step: the same. */
static void approaches_are_listed(void **state)
{
  (void)state;
  enum { SEEDS = 6 };
  static const double within = 0.3, t = 16;
  size_t told = 0;
  for (uint64_t seed = 1; seed <= SEEDS; seed++) {
    struct hb_sim_params params = {.force = {.scheme = "host", .flags = HB_FORCE_UNSOFTENED},
                                   .dt_max = 0x1p-4};
    struct hb_sim *sim;
    struct hb_particles *p = make(PLANETS, seed);
    size_t n = p->n, found[2];
    ASSERT_OK(hb_sim_take(p, &params, &sim));
    size_t expected = count_minima(sim, t, within, n);
    hb_sim_destroy(sim);
    params.approach_distance = within;
    for (int how = HB_ENCOUNTERS_NONE; how <= HB_ENCOUNTERS_GROUPS; how++) {
      params.encounters = (enum hb_encounters)how;
      ASSERT_OK(hb_sim_take(make(PLANETS, seed), &params, &sim));
      found[how == HB_ENCOUNTERS_GROUPS] = count_approaches(sim, t, within);
      hb_sim_destroy(sim);
    }
    printf("planets %d: %zu approaches seen, %zu told in a group, %zu in short steps\n", (int)seed, expected,
           found[1], found[0]);
    assert_int_equal(found[1], expected);
    assert_int_equal(found[0], expected);
    told += found[1];
  }
  expect_above(told, 50);
}

/* A pair on an orbit of known pericenter, in a group and in short steps: the distances and times that are told. */
static void pericenters(void **state)
{
  (void)state;
  const double e = 0.9, q = 0.1, u = sqrt((1 - e) / (1 + e));
  for (int how = HB_ENCOUNTERS_NONE; how <= HB_ENCOUNTERS_GROUPS; how++) {
    const double exact = how == HB_ENCOUNTERS_GROUPS ? 1e-12 : 1e-6;
    const struct hb_sim_params params = {.force = {.scheme = "host", .flags = HB_FORCE_UNSOFTENED},
                                         .encounters = (enum hb_encounters)how,
                                         .approach_radii = 60};
    struct hb_particles *p = bodies_of(2);
    struct hb_sim *sim;
    size_t count, found = 0;
    set(p, 0, 0.5, 1e-3, (double[]){-(1 + e) / 2, 0, 0}, (double[]){0, -u / 2, 0});
    set(p, 1, 0.5, 1e-3, (double[]){(1 + e) / 2, 0, 0}, (double[]){0, u / 2, 0});
    ASSERT_OK(hb_sim_take(p, &params, &sim));
    ASSERT_OK(hb_sim_watch(sim, 1U << HB_EVENT_APPROACH));
    while (hb_sim_next_time(sim) <= 20) {
      ASSERT_OK(hb_sim_step(sim));
      const struct hb_event *events = hb_sim_events(sim, &count);
      for (size_t k = 0; k < count; k++, found++) {
        expect_at_most(fabs(events[k].r - q), exact);
        expect_at_most(fabs(events[k].t - two_pi * ((double)found + 0.5)), 100 * exact);
      }
    }
    expect_equal(found, 3);
    hb_sim_destroy(sim);
  }
}

/* ---- options do not change an orbit ---- */

/* Where two planets are after 30 revolutions, with these params. */
static struct hb_particles *after(const struct hb_sim_params *params)
{
  struct hb_particles *p = bodies_of(3);
  struct hb_sim *sim;
  set(p, 0, 1, 1e-3, (double[3]){0}, (double[3]){0});
  set(p, 1, 1e-3, 1e-4, (double[]){0.95, 0, 0}, (double[]){0, sqrt(1.05 / 0.95), 0});
  set(p, 2, 1e-3, 1e-4, (double[]){-2.5, 0, 0.01}, (double[]){0, -sqrt(1 / 2.5), 0});
  ASSERT_OK(hb_sim_take(p, params, &sim));
  ASSERT_OK(hb_sim_integrate(sim, 30 * two_pi));
  assert_null(hb_sim_stopped(sim));
  ASSERT_OK(hb_sim_state(sim, 30 * two_pi, &p));
  hb_sim_destroy(sim);
  return p;
}

static void options_keep_the_orbit(void **state)
{
  (void)state;
#define UNSOFTENED .force = {.scheme = "host", .flags = HB_FORCE_UNSOFTENED }
  static const struct hb_sim_params with[] = {{UNSOFTENED, .collisions = HB_COLLISIONS_STOP},
                                              {UNSOFTENED, .collisions = HB_COLLISIONS_MERGE},
                                              {UNSOFTENED, .escapers = HB_ESCAPERS_LIST},
                                              {UNSOFTENED, .escapers = HB_ESCAPERS_REMOVE},
                                              {UNSOFTENED, .stop_at = HB_STOP_AT_ESCAPE, .escape_radius = 50},
                                              {UNSOFTENED, .approach_distance = 2},
                                              {UNSOFTENED, .field = "log:v=1e-9,r=1000"}},
                                    without = {UNSOFTENED};
#undef UNSOFTENED
  struct hb_particles *p = after(&without);
  for (size_t k = 0; k < COUNT_OF(with); k++) {
    struct hb_particles *q = after(with + k);
    double most = 0,
           bound = with[k].field ? 1e-8 : 1e-11; /* a field has no frame of its own, and its own tide */
    for (size_t c = 3; c < 9; c++) {
      double a = p->x[c] - p->x[c % 3], b = q->x[c] - q->x[c % 3];
      most = fmax(most, fabs(a - b));
    }
    printf("option %zu: %.1e\n", k, most);
    expect_at_most(most, bound);
    hb_particles_destroy(q);
  }
  hb_particles_destroy(p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(circles),
      cmocka_unit_test(stops_are_at_contacts),
      cmocka_unit_test(approaches_are_listed),
      cmocka_unit_test(pericenters),
      cmocka_unit_test(options_keep_the_orbit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Close pairs within a chain as nodes: beside the same chain followed through every revolution. */
#include "support/support.h"

#include "base/mem.h"
#include "chain/bulirsch_stoer.h"
#include "chain/contact.h"
#include "chain/inner_binaries.h"
#include "core/field.h"

#include <math.h>
#include <string.h>

static const double two_pi = 6.28318530717958647693;
static const uint32_t number[] = {0, 1, 2, 3, 4, 5, 6, 7};

/* ---- orbits ------------------------------------------------------------------------------------------------- */

/* An orbit: semi-major axis, eccentricity, eccentric anomaly, the inclination of its plane to that of x and y, around the x axis, and the
 * angle between the x axis and the pericenter. */
struct orbit {
  double a, e, E, tilt, w;
};

/* Adds the position and velocity of this orbit, `times` as large, of a total mass M, to x[3] and v[3]. */
static void add_orbit(const struct orbit *o, double M, double times, double x[3], double v[3])
{
  double b = sqrt(1 - o->e * o->e), speed = sqrt(M / o->a) / (1 - o->e * cos(o->E)), c = cos(o->tilt),
         s = sin(o->tilt), cw = cos(o->w), sw = sin(o->w);
  double p = o->a * (cos(o->E) - o->e), q = o->a * b * sin(o->E), vp = -speed * sin(o->E),
         vq = speed * b * cos(o->E); /* along the axis of the orbit, and at right angles to it */
  double along = cw * p - sw * q, across = sw * p + cw * q, v_along = cw * vp - sw * vq,
         v_across = sw * vp + cw * vq;
  x[0] += times * along, x[1] += times * across * c, x[2] += times * across * s;
  v[0] += times * v_along, v[1] += times * v_across * c, v[2] += times * v_across * s;
}

/* Members 0 and 1 on the inner orbit, and member 2 on the outer one around them. */
static struct hb_chain triple(const double m[3], const struct orbit *inner, const struct orbit *outer)
{
  double x[9] = {0}, v[9] = {0}, M = m[0] + m[1];
  struct hb_chain c;
  for (int k = 0; k < 2; k++) add_orbit(inner, M, k == 0 ? -m[1] / M : m[0] / M, x + 3 * k, v + 3 * k);
  add_orbit(outer, M + m[2], 1, x + 6, v + 6);
  hb_chain_make(3, number, m, x, v, &c);
  return c;
}

/* Members 0 and 1 on one orbit, 2 and 3 on another one, and the two pairs on the outer one. */
static struct hb_chain quadruple(const double m[4], const struct orbit inner[2], const struct orbit *outer)
{
  double x[12] = {0}, v[12] = {0};
  struct hb_chain c;
  for (int k = 0; k < 4; k++) {
    int pair = k / 2;
    double M = m[2 * pair] + m[2 * pair + 1];
    add_orbit(inner + pair, M, k % 2 == 0 ? -m[2 * pair + 1] / M : m[2 * pair] / M, x + 3 * k, v + 3 * k);
    if (pair == 1) add_orbit(outer, m[0] + m[1] + m[2] + m[3], 1, x + 3 * k, v + 3 * k);
  }
  hb_chain_make(4, number, m, x, v, &c);
  return c;
}

/* Sets x[3] and v[3] to member l relative to member k, by their numbers. */
static void between(const struct hb_chain *c, uint32_t k, uint32_t l, double x[3], double v[3])
{
  size_t from = 0, to = 0;
  while (c->member[from] != k) from++;
  while (c->member[to] != l) to++;
  hb_chain_between(c->X, from, to, x);
  hb_chain_between(c->V, from, to, v);
}

/* The eccentricity vector of members k and l. Returns 1 / a. */
static double find_ecc(const struct hb_chain *c, uint32_t k, uint32_t l, double ecc[3])
{
  double X[3], V[3], M = 0;
  between(c, k, l, X, V);
  for (size_t i = 0; i < c->n; i++) M += c->member[i] == k || c->member[i] == l ? c->m[i] : 0;
  double r = hb_norm(X), v2 = hb_dot(V, V), rv = hb_dot(X, V);
  for (int i = 0; i < 3; i++) ecc[i] = (v2 / M - 1 / r) * X[i] - rv / M * V[i];
  return 2 / r - v2 / M;
}

static double difference(const double p[3], const double q[3])
{
  return sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2]));
}

/* The distance of a member from where it is in another chain, both relative to member 0. */
static double apart(const struct hb_chain *c, const struct hb_chain *d, uint32_t member)
{
  double x[3], y[3], v[3];
  between(c, 0, member, x, v), between(d, 0, member, y, v);
  return difference(x, y);
}

/* A chain that is advanced with pairs as nodes, and one that is followed through each revolution. */
struct both {
  struct hb_chain nodes, every;
  uint64_t forces, theirs;
};

static void advance_both(struct both *b, double dt, struct hb_chain_tide tide)
{
  ASSERT_OK(hb_chain_advance(&b->nodes, dt, &tide, &b->forces));
  tide.follows_all = 1;
  ASSERT_OK(hb_chain_advance(&b->every, dt, &tide, &b->theirs));
}

/* Returns how much the eccentricities of members k and l differ between the two chains. */
static double differs(const struct both *b, uint32_t k, uint32_t l)
{
  double p[3], q[3];
  find_ecc(&b->nodes, k, l, p), find_ecc(&b->every, k, l, q);
  return fabs(hb_norm(p) - hb_norm(q));
}

static double energy_error(const struct hb_chain *c, double E0) { return fabs(hb_chain_energy(c) / E0 - 1); }

/* ---- Kozai's cycles ------------------------------------------------------------------------------------------ */

/* Masses 0.6, 0.4 and 1, axes 1 and 60, 80 degrees apart, 60 outer orbits. Negative control: e grows from 0.3 to 0.75 meanwhile. */
static void a_cycle_of_kozai(void **state)
{
  (void)state;
  enum { STEPS = 120 };
  const double m[] = {0.6, 0.4, 1}, period = two_pi * sqrt(60. * 60 * 60 / 2);
  const struct orbit inner = {1, 0.3, 1, 80 * two_pi / 360, 0.9}, outer = {60, 0.2, 2, 0, 0};
  struct both b = {.nodes = triple(m, &inner, &outer)};
  double E0 = hb_chain_energy(&b.nodes), worst = 0, most = 0, lost[2] = {0}, ecc[3];
  b.every = b.nodes;
  for (int k = 0; k < STEPS; k++) {
    advance_both(&b, 60 * period / STEPS, (struct hb_chain_tide){.light = 0});
    find_ecc(&b.every, 0, 1, ecc);
    worst = fmax(worst, differs(&b, 0, 1)), most = fmax(most, hb_norm(ecc));
    lost[0] = fmax(lost[0], energy_error(&b.nodes, E0)), lost[1] = fmax(lost[1], energy_error(&b.every, E0));
  }
  print_message("e up to %.3f, differs by %.2g; energy %.2g %.2g; evaluations %.0f of %.0f\n", most, worst,
                lost[0], lost[1], (double)b.forces, (double)b.theirs);
  expect_at_most(worst, 2e-4);
  expect_at_most(lost[0], 1e-9);
  expect_above(most, 0.7);
  expect_above(b.theirs, 50 * b.forces);
}

/* An advance in one call and in two ends at nearly the same state, and one that is repeated at the same bits. */
static void parts_of_an_advance(void **state)
{
  (void)state;
  const double m[] = {0.6, 0.4, 1}, dt = 12345;
  const struct orbit inner = {1, 0.4, 1, 1, 0.9}, outer = {60, 0.2, 2, 0, 0};
  const struct hb_chain start = triple(m, &inner, &outer);
  struct hb_chain once = start, again = start, parts = start;
  double e[2][3];
  ASSERT_OK(hb_chain_advance(&once, dt, NULL, NULL));
  ASSERT_OK(hb_chain_advance(&again, dt, NULL, NULL));
  assert_memory_equal(&once, &again, sizeof once);
  ASSERT_OK(hb_chain_advance(&parts, dt / 3, NULL, NULL));
  ASSERT_OK(hb_chain_advance(&parts, dt - dt / 3, NULL, NULL));
  find_ecc(&once, 0, 1, e[0]), find_ecc(&parts, 0, 1, e[1]);
  print_message("in two parts: ecc %.2g, outer %.2g, inner %.2g, B %.2g\n", difference(e[0], e[1]),
                apart(&once, &parts, 2), apart(&once, &parts, 1), parts.B / once.B - 1);
  expect_at_most(difference(e[0], e[1]), 1e-5);
  expect_at_most(apart(&once, &parts, 2), 1e-3);
  expect_at_most(apart(&once, &parts, 1), 1e-3);
  expect_at_most(fabs(parts.B / once.B - 1), 1e-12);
}

/* Two pairs around each other, both of them nodes. */
static void two_pairs(void **state)
{
  (void)state;
  enum { STEPS = 20 };
  const double m[] = {0.6, 0.4, 0.5, 0.3}, period = two_pi * sqrt(70. * 70 * 70 / 1.8);
  const struct orbit inner[] = {{1, 0.2, 1, 60 * two_pi / 360, 0.9}, {1.5, 0.5, 3, 1, 2}},
                     outer = {70, 0.3, 2, 0, 0};
  struct both b = {.nodes = quadruple(m, inner, &outer)};
  const struct hb_chain start = b.nodes;
  double E0 = hb_chain_energy(&start), worst[2] = {0}, moved[2], before[3], ecc[3];
  uint8_t is_first[HB_CHAIN_MOST];
  b.every = b.nodes;
  assert_int_equal(hb_inner_binaries_find(&start, &(struct hb_chain_tide){.light = 0}, 0, is_first), 2);
  for (int k = 0; k < STEPS; k++) {
    advance_both(&b, 20 * period / STEPS, (struct hb_chain_tide){.light = 0});
    for (uint32_t p = 0; p < 2; p++) worst[p] = fmax(worst[p], differs(&b, 2 * p, 2 * p + 1));
    expect_at_most(energy_error(&b.nodes, E0), 1e-9);
  }
  for (uint32_t p = 0; p < 2; p++) {
    find_ecc(&start, 2 * p, 2 * p + 1, before), find_ecc(&b.every, 2 * p, 2 * p + 1, ecc);
    moved[p] = difference(before, ecc);
  }
  print_message("ecc differ by %.2g of %.2g, %.2g of %.2g, pairs by %.2g; evaluations %.0f of %.0f\n",
                worst[0], moved[0], worst[1], moved[1], apart(&b.nodes, &b.every, 2), (double)b.forces,
                (double)b.theirs);
  for (int p = 0; p < 2; p++) expect_at_most(worst[p], 1e-2 * moved[p]);
  expect_above(b.theirs, 50 * b.forces);
}

/* ---- contacts ------------------------------------------------------------------------------------------------ */

/* The pericenter of a pair comes below the sum of radii within its cycle. Both ways of following it record that, in the same call or the
 * next one, and neither records a contact with the distant third body. */
static void cycles_lead_to_contacts(void **state)
{
  (void)state;
  enum { STEPS = 400 };
  const double m[] = {0.6, 0.4, 1}, period = two_pi * sqrt(60. * 60 * 60 / 2), radius[] = {0.25, 0.15, 0.1};
  const struct orbit inner = {1, 0.3, 1, 80 * two_pi / 360, 0.9}, outer = {60, 0.2, 2, 0, 0};
  int when[2] = {0};
  for (int follows = 0; follows < 2; follows++) {
    struct hb_chain c = triple(m, &inner, &outer);
    struct hb_contacts contacts = {.criteria = {.radius = radius, .finds_touches = 1}};
    const struct hb_chain_tide tide = {.radius = radius, .contacts = &contacts, .follows_all = follows};
    while (when[follows] < STEPS && contacts.count == 0) {
      when[follows]++;
      ASSERT_OK(hb_chain_advance(&c, 100 * period / STEPS, &tide, NULL));
    }
    assert_int_equal(contacts.count, 1);
    assert_int_equal(contacts.at->member[0] + contacts.at->member[1], 1);
    expect_below(fabs(contacts.at->r - 0.4), 1e-9);
    hb_mem_free(contacts.at);
  }
  print_message("touched in calls %d and %d of %d\n", when[0], when[1], STEPS);
  expect_above(when[0], 20);
  expect_below(when[0], STEPS);
  expect_at_most(abs(when[0] - when[1]), 1);
}

/* A large body that falls upon a close pair, passes by it at this distance, and leaves. Returns whether it has met member k of the pair.
 * The members are so fast that their velocities, in an orbit around the large body, would lead them anywhere. */
static int has_met(double pericenter, uint32_t k, int follows_all)
{
  const double m[] = {0.6, 0.4, 1}, radius[] = {1e-4, 1e-4, 0.1};
  const struct orbit inner = {1e-3, 0.3, 1, 1, 0}, outer = {2, 1 - pericenter / 2, 3.1, 0, 0};
  struct hb_contacts contacts = {.criteria = {.radius = radius, .finds_touches = 1}};
  const struct hb_chain_tide tide = {.radius = radius, .contacts = &contacts, .follows_all = follows_all};
  struct hb_chain c = triple(m, &inner, &outer);
  uint8_t is_first[HB_CHAIN_MOST];
  int met = 0;
  assert_int_equal(hb_inner_binaries_find(&c, &tide, 0, is_first), 1);
  ASSERT_OK(hb_chain_advance(&c, 0.99 * two_pi * sqrt(8. / 2), &tide, NULL));
  for (size_t t = 0; t < contacts.count; t++) {
    const uint32_t *member = contacts.at[t].member;
    met |= (member[0] == k && member[1] == 2) || (member[0] == 2 && member[1] == k);
  }
  hb_mem_free(contacts.at);
  return met;
}

static void large_bodies_touch_a_pair(void **state)
{
  (void)state;
  for (int follows_all = 0; follows_all < 2; follows_all++)
    for (uint32_t k = 0; k < 2; k++) {
      assert_int_equal(has_met(0.09, k, follows_all), 1);
      assert_int_equal(has_met(0.12, k, follows_all), 0);
    }
}

/* ---- members without mass ------------------------------------------------------------------------------------- */

/* A body without mass around a pair, and one that is a member of the pair: the former is a node beside the pair, whose energy it does not
 * change; the latter is followed through each revolution. */
static void members_without_mass(void **state)
{
  (void)state;
  for (int is_inner = 0; is_inner < 2; is_inner++) {
    const double m[] = {0.6, is_inner ? 0 : 0.4, is_inner ? 1 : 0}, dt = 3000;
    const struct orbit inner = {1, 0.4, 1, 1, 0.9}, outer = {40, 0.2, 2, 0, 0};
    const struct hb_chain_tide none = {0};
    struct both b = {.nodes = triple(m, &inner, &outer)};
    uint8_t is_first[HB_CHAIN_MOST];
    double E0 = hb_chain_energy(&b.nodes);
    b.every = b.nodes;
    assert_int_equal(hb_inner_binaries_find(&b.nodes, &none, 0, is_first), !is_inner);
    advance_both(&b, dt, none);
    print_message("without mass: member %d: outer %.2g, inner %.2g, e %.2g, evaluations %.0f of %.0f\n",
                  is_inner ? 1 : 2, apart(&b.nodes, &b.every, 2), apart(&b.nodes, &b.every, 1),
                  differs(&b, 0, 1), (double)b.forces, (double)b.theirs);
    expect_at_most(fabs(b.nodes.B / hb_chain_binding(&b.nodes) - 1), 1e-9);
    expect_at_most(apart(&b.nodes, &b.every, 2), 1e-3);
    expect_at_most(energy_error(&b.nodes, E0), 1e-12);
    if (is_inner) expect_equal(b.forces, b.theirs);
    if (!is_inner) expect_above(b.theirs, 50 * b.forces);
  }
}

/* ---- a field --------------------------------------------------------------------------------------------------- */

/* A triple on a circle around a point mass, whose field disturbs the outer orbit and the pair: without it on the pair, e would differ by
 * 2e-3. */
static void in_a_field(void **state)
{
  (void)state;
  enum { STEPS = 100 };
  const double m[] = {0.6, 0.4, 1}, dt = 4000, R = 2000, M = 1e4, w = sqrt(M / (R * R * R));
  const struct orbit inner = {1, 0.4, 1, 1, 0.9}, outer = {60, 0.2, 2, 0.5, 0};
  struct hb_field *field;
  struct both b = {.nodes = triple(m, &inner, &outer)};
  struct hb_chain alone = b.nodes;
  b.every = b.nodes;
  ASSERT_OK(hb_field_create("point:m=1e4", &field));
  for (int k = 0; k < STEPS; k++) {
    double at = w * dt / STEPS * k, c = cos(at), s = sin(at), u = w * R;
    struct hb_chain_tide tide = {.field = field, .center = {.x = {R * c, R * s, 0}, .v = {-u * s, u * c, 0}}};
    for (int i = 0; i < 3; i++)
      tide.center.a[i] = -w * w * tide.center.x[i], tide.center.j[i] = -w * w * tide.center.v[i];
    advance_both(&b, dt / STEPS, tide);
    ASSERT_OK(hb_chain_advance(&alone, dt / STEPS, NULL, NULL));
  }
  print_message("in a field: outer %.2g of %.2g, inner %.2g, e %.2g, B %.2g, evaluations %.0f of %.0f\n",
                apart(&b.nodes, &b.every, 2), apart(&alone, &b.every, 2), apart(&b.nodes, &b.every, 1),
                differs(&b, 0, 1), b.nodes.B / b.every.B - 1, (double)b.forces, (double)b.theirs);
  expect_at_most(apart(&b.nodes, &b.every, 2), 1e-5 * apart(&alone, &b.every, 2));
  expect_at_most(differs(&b, 0, 1), 1e-6);
  expect_at_most(fabs(b.nodes.B / b.every.B - 1), 1e-7);
  hb_field_destroy(field);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cycle_of_kozai),
      cmocka_unit_test(parts_of_an_advance),
      cmocka_unit_test(two_pairs),
      cmocka_unit_test(cycles_lead_to_contacts),
      cmocka_unit_test(large_bodies_touch_a_pair),
      cmocka_unit_test(members_without_mass),
      cmocka_unit_test(in_a_field),
  };
  return cmocka_run_group_tests_name("inner_binaries", tests, NULL, NULL);
}

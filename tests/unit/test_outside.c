/* The wave that a body outside a chain makes in the energy of a binary within it: beside the same chain followed star by star. */
#include "support/hierarchy_case.h"
#include "support/support.h"

#include "chain/bulirsch_stoer.h"
#include "chain/inner_binaries.h"

#include <math.h>

enum { TRIPLES = 6, ADVANCES = 120 };
static const double two_pi = 6.28318530717958647693,
                    part = 0.32; /* of the inner period: each advance ends elsewhere in the orbit */

/* A triple of a pair with a = 1 and a light third body, and a heavy one that passes by on a straight line. The third one is light so that
 * the work on its orbit, whose phase the two ways know to 1e-6, is small beside the wave. */
struct case_of {
  struct hb_chain nodes, every;
  struct hb_chain_point body;
  double dt;
};

/* The heavy body is d away at the start. */
static struct case_of draw(struct hb_rng *rng, double d)
{
  const double m[] = {0.3 + hb_rng_uniform(rng), 0.3 + hb_rng_uniform(rng),
                      0.01 + 0.02 * hb_rng_uniform(rng)},
               a = 40 + 20 * hb_rng_uniform(rng);
  struct hierarchy_orbit inner, outer;
  struct case_of c = {.body.m = 1, .dt = part * two_pi / sqrt(m[0] + m[1])};
  hierarchy_draw(rng, 1, 0.3 + 0.5 * hb_rng_uniform(rng), &inner);
  hierarchy_draw(rng, a, 0.2 * hb_rng_uniform(rng), &outer);
  hierarchy_make(3, m, &inner, &outer, &c.nodes);
  hb_rng_direction(rng, c.body.x), hb_rng_direction(rng, c.body.v);
  for (int i = 0; i < 3; i++) c.body.x[i] *= d, c.body.v[i] *= 0.1;
  c.every = c.nodes;
  return c;
}

/* Advances both ways from the time t on. */
static void advance(struct case_of *c, double t)
{
  struct hb_chain_points points;
  struct hb_chain_tide tide = {.count = 1, .points = &points};
  struct hb_chain_point body = c->body;
  for (int i = 0; i < 3; i++) body.x[i] += t * body.v[i];
  hb_chain_tide_set_point(&points, 0, &body);
  hb_chain_tide_pad_points(&points, 1);
  uint8_t is_first[HB_CHAIN_MOST];
  assert_int_equal(hb_inner_binaries_find(&c->nodes, &tide, 0, is_first), 1);
  ASSERT_OK(hb_chain_advance(&c->nodes, c->dt, &tide, NULL));
  tide.follows_all = 1;
  ASSERT_OK(hb_chain_advance(&c->every, c->dt, &tide, NULL));
}

/* At the end of each advance the binding energies agree, work on the outer orbit and all, within a small part of the wave in the pair's
 * energy: the next order in a / d, by the body's octupole and by its motion in a revolution. An error would stay with the pair, and those of
 * many advances would add up. The wave is what B is from the middle between the advances before and after, by a third: that of three
 * places of a sine. */
static void waves_are_counted(void **state)
{
  (void)state;
  static const double distances[] = {200, 400, 800, 1600};
  struct hb_rng rng = hb_rng_seeded(1);
  for (size_t q = 0; q < COUNT_OF(distances); q++)
    for (int k = 0; k < TRIPLES; k++) {
      struct case_of c = draw(&rng, distances[q]);
      double apart = 0, wave = 0, B[3] = {c.every.B, c.every.B, c.every.B}, allowed = 1 / distances[q];
      for (int l = 0; l < ADVANCES; l++) {
        advance(&c, l * c.dt);
        apart = fmax(apart, fabs(c.nodes.B - c.every.B));
        B[0] = B[1], B[1] = B[2], B[2] = c.every.B;
        if (l >= 2) wave = fmax(wave, fabs(B[0] - 2 * B[1] + B[2]) / 3);
      }
      print_message("d %4.0f: energies apart by %.2g of a wave of %.2g: %.2g\n", distances[q], apart, wave,
                    apart / wave);
      expect_at_most(apart, allowed * wave);
    }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(waves_are_counted),
  };
  return cmocka_run_group_tests_name("outside", tests, NULL, NULL);
}

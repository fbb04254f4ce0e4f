/* base/rng: Philox4x64-10 as published, and numbers spread as they should be. Sampling errors are bounded by 5
 * standard deviations: a fair generator fails one in 2e6 of these tests, and the seeds are fixed. */
#include "support/support.h"

#include "base/rng.h"

#include <math.h>

enum { SAMPLES = 1 << 18 };

static const double SIGMAS = 5;

/* ---- known answers ------------------------------------------------------------------------------------- */

static uint64_t multiply(uint64_t a, uint64_t b, uint64_t *high)
{
  unsigned __int128 product = (unsigned __int128)a * b;
  *high = (uint64_t)(product >> 64);
  return (uint64_t)product;
}

/* Written from Salmon et al. 2011 section 4.3, not from Random123. */
static void philox(const uint64_t counter[4], const uint64_t key[2], uint64_t out[4])
{
  uint64_t c[4] = {counter[0], counter[1], counter[2], counter[3]}, k[2] = {key[0], key[1]};
  for (int round = 0; round < 10; round++) {
    uint64_t high0, high1;
    uint64_t low0 = multiply(UINT64_C(0xD2E7470EE14C6C93), c[0], &high0);
    uint64_t low1 = multiply(UINT64_C(0xCA5A826395121157), c[2], &high1);
    c[0] = high1 ^ c[1] ^ k[0];
    c[1] = low1;
    c[2] = high0 ^ c[3] ^ k[1];
    c[3] = low0;
    k[0] += UINT64_C(0x9E3779B97F4A7C15);
    k[1] += UINT64_C(0xBB67AE8584CAA73B);
  }
  for (int i = 0; i < 4; i++) out[i] = c[i];
}

/* The three vectors of Random123's kat_vectors file. */
static void reference_gives_published_vectors(void **state)
{
  (void)state;
  static const struct {
    uint64_t counter[4], key[2], out[4];
  } known[] = {
      {{0, 0, 0, 0},
       {0, 0},
       {UINT64_C(0x16554d9eca36314c), UINT64_C(0xdb20fe9d672d0fdc), UINT64_C(0xd7e772cee186176b),
        UINT64_C(0x7e68b68aec7ba23b)}},
      {{UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX},
       {UINT64_MAX, UINT64_MAX},
       {UINT64_C(0x87b092c3013fe90b), UINT64_C(0x438c3c67be8d0224), UINT64_C(0x9cc7d7c69cd777b6),
        UINT64_C(0xa09caebf594f0ba0)}},
      {{UINT64_C(0x243f6a8885a308d3), UINT64_C(0x13198a2e03707344), UINT64_C(0xa4093822299f31d0),
        UINT64_C(0x082efa98ec4e6c89)},
       {UINT64_C(0x452821e638d01377), UINT64_C(0xbe5466cf34e90c6c)},
       {UINT64_C(0xa528f45403e61d95), UINT64_C(0x38c72dbd566e9788), UINT64_C(0xa5a1610e72fd18b5),
        UINT64_C(0x57bd43b5e52b7fe6)}},
  };
  for (size_t k = 0; k < COUNT_OF(known); k++) {
    uint64_t out[4];
    philox(known[k].counter, known[k].key, out);
    assert_memory_equal(out, known[k].out, sizeof out);
  }
}

static void uniform_is_philox(void **state)
{
  (void)state;
  static const uint64_t seeds[] = {0, 1, 42, UINT64_MAX};
  for (size_t k = 0; k < COUNT_OF(seeds); k++) {
    struct hb_rng rng = hb_rng_seeded(seeds[k]);
    for (uint64_t block = 0; block < 100; block++) {
      uint64_t words[4];
      philox((uint64_t[]){block, 0, 0, 0}, (uint64_t[]){seeds[k], 0}, words);
      for (int i = 0; i < 4; i++)
        expect_equal(hb_rng_uniform(&rng), ((double)(words[i] >> 12) + 0.5) / 0x1p52);
    }
  }
}

/* The smallest and the largest word cannot be met by chance; the map from words to numbers is what counts. */
static void ends_are_open(void **state)
{
  (void)state;
  struct hb_rng lowest = {.words = {0, 0, 0, 0}}, highest = {.words = {UINT64_MAX}};
  double u = hb_rng_uniform(&lowest);
  expect_above(u, 0);
  expect_equal(u, 0x1p-53);
  u = hb_rng_uniform(&highest);
  expect_below(u, 1);
  expect_equal(u, 1 - 0x1p-53);
}

/* ---- spread -------------------------------------------------------------------------------------------- */

struct moments {
  double mean, variance, correlation; /* of neighbours */
};

static struct moments moments_of(double (*draw)(struct hb_rng *rng))
{
  struct hb_rng rng = hb_rng_seeded(7);
  double sum = 0, sum2 = 0, products = 0, last = 0.5;
  for (int k = 0; k < SAMPLES; k++) {
    double u = draw(&rng);
    sum += u;
    sum2 += (u - 0.5) * (u - 0.5);
    products += (u - 0.5) * (last - 0.5);
    last = u;
  }
  return (struct moments){sum / SAMPLES, sum2 / SAMPLES, products / SAMPLES};
}

/* 1: all within SIGMAS of a uniform number's: variance 1/12 of one number, 1/180 of its squared distance from
 * 1/2, 1/144 of the product of two. */
static int is_uniform(struct moments m)
{
  return fabs(m.mean - 0.5) < SIGMAS * sqrt(1.0 / 12 / SAMPLES) &&
         fabs(m.variance - 1.0 / 12) < SIGMAS * sqrt(1.0 / 180 / SAMPLES) &&
         fabs(m.correlation) < SIGMAS * sqrt(1.0 / 144 / SAMPLES);
}

static double skewed(struct hb_rng *rng)
{
  double u = hb_rng_uniform(rng);
  return u * (0.97 + 0.03 * u);
}

static void uniform_moments(void **state)
{
  (void)state;
  assert_true(is_uniform(moments_of(hb_rng_uniform)));
  assert_false(is_uniform(moments_of(skewed)));
}

/* Normalised points of the cube: they crowd towards its corners. */
static void cube_direction(struct hb_rng *rng, double direction[3])
{
  double r2 = 0;
  for (int k = 0; k < 3; k++) {
    direction[k] = 2 * hb_rng_uniform(rng) - 1;
    r2 += direction[k] * direction[k];
  }
  for (int k = 0; k < 3; k++) direction[k] /= sqrt(r2);
}

/* Means over the sphere: x is 0 with variance 1/3, x y is 0 with variance 1/15, and x^4 + y^4 + z^4, which tells
 * the cube from the sphere, is 3/5 with variance 3/9 + 6/105 - 9/25. */
static int is_isotropic(void (*draw)(struct hb_rng *rng, double direction[3]))
{
  struct hb_rng rng = hb_rng_seeded(8);
  double first[3] = {0}, mixed[3] = {0}, fourth = 0;
  for (int i = 0; i < SAMPLES; i++) {
    double d[3];
    draw(&rng, d);
    for (int k = 0; k < 3; k++) {
      first[k] += d[k] / SAMPLES;
      mixed[k] += d[k] * d[(k + 1) % 3] / SAMPLES;
      fourth += d[k] * d[k] * d[k] * d[k] / SAMPLES;
    }
  }
  int isotropic = fabs(fourth - 0.6) < SIGMAS * sqrt((3.0 / 9 + 6.0 / 105 - 9.0 / 25) / SAMPLES);
  for (int k = 0; k < 3; k++)
    isotropic = isotropic && fabs(first[k]) < SIGMAS * sqrt(1.0 / 3 / SAMPLES) &&
                fabs(mixed[k]) < SIGMAS * sqrt(1.0 / 15 / SAMPLES);
  return isotropic;
}

static void directions(void **state)
{
  (void)state;
  assert_true(is_isotropic(hb_rng_direction));
  assert_false(is_isotropic(cube_direction));
  static const double UNIT = 4e-16; /* three roundings of 2^-53 in the length */
  struct hb_rng rng = hb_rng_seeded(9);
  for (int i = 0; i < 10000; i++) {
    double d[3];
    hb_rng_direction(&rng, d);
    expect_at_most(fabs(sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) - 1), UNIT);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reference_gives_published_vectors),
      cmocka_unit_test(uniform_is_philox),
      cmocka_unit_test(ends_are_open),
      cmocka_unit_test(uniform_moments),
      cmocka_unit_test(directions),
  };
  return cmocka_run_group_tests_name("rng", tests, NULL, NULL);
}

#include "support/frame_case.h"

#include "support/support.h"

#include <math.h>

enum { N = 128 };
static const double T_END = 0.125;

/* 1000 units away float has no bits left for what happens in 0.02 units of 10^-4: steps collapse by factors. */
static const double SAME_STEPS = 0.05;

struct way {
  double x, v;
  struct hb_sim_counts counts;
  struct hb_particles *end;
};

/* Places and velocities are multiples of 2^-30, so that a million more takes 50 bits. */
static void run(const struct hb_sim_params *params, uint64_t most, struct way *way)
{
  struct hb_particles *p;
  struct hb_sim *sim;
  ASSERT_OK(hb_ic_make("plummer", &(struct hb_ic_params){.n = N, .seed = 5}, &p));
  for (size_t k = 0; k < 3 * N; k++) {
    double *x = hb_particles_x(p) + k, *v = hb_particles_v(p) + k;
    *x = ldexp(rint(ldexp(*x, 30)), -30) + way->x;
    *v = ldexp(rint(ldexp(*v, 30)), -30) + way->v;
  }
  ASSERT_OK(hb_sim_create(p, params, &sim));
  hb_particles_destroy(p);
  do {
    if (hb_sim_next_time(sim) > T_END) break;
    ASSERT_OK(hb_sim_step(sim));
    hb_sim_counts(sim, &way->counts);
  } while (way->counts.block_steps < most);
  ASSERT_OK(hb_sim_state(sim, way->counts.block_steps < most ? T_END : hb_sim_next_time(sim), &way->end));
  hb_sim_destroy(sim);
}

static void compare(struct way *home, struct way *way, int rounds)
{
  double steps = (double)home->counts.block_steps, most_steps = rounds ? SAME_STEPS * steps : 0;
  double difference = fabs((double)way->counts.block_steps - steps);
  if (difference > most_steps)
    fail_msg("moved by %g, boosted by %g: %g block steps, %llu there", way->x, way->v, steps,
             (unsigned long long)way->counts.block_steps);
  /* What is added at the end rounds once; where it is nothing that rounds so are the places, bit for bit before that. */
  double far = fabs(way->x) + fabs(way->v), ulp = rounds ? INFINITY : 4 * 0x1p-53 * (far + 8);
  for (size_t k = 0; k < 3 * N; k++) {
    double expected = hb_particles_x(home->end)[k] + way->x + T_END * way->v;
    if (!(fabs(hb_particles_x(way->end)[k] - expected) <= ulp))
      fail_msg("moved by %g, boosted by %g: coordinate %zu is %.17g, expected %.17g", way->x, way->v, k,
               hb_particles_x(way->end)[k], expected);
  }
}

void frame_case_run(const struct hb_sim_params *params)
{
  static const double ways[][3] = {
      {1},       {1000},       {1e6},          {0, 1},        {0, 200},
      {0, 1000}, {-1000, 200}, {1000.1, 0, 1}, {0, 200.3, 1}, {1e6 + 0.3, 77.7, 1}}; /* 1: rounds */
  struct way home = {0};
  run(params, UINT64_MAX, &home);
  for (size_t k = 0; k < COUNT_OF(ways); k++) {
    struct way way = {.x = ways[k][0], .v = ways[k][1]};
    run(params, 3 * home.counts.block_steps, &way);
    compare(&home, &way, ways[k][2] != 0);
    hb_particles_destroy(way.end);
  }
  hb_particles_destroy(home.end);
}

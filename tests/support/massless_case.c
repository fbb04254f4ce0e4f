#include "support/massless_case.h"

#include "support/support.h"

#include <math.h>
#include <string.h>

struct hb_particles *massless_alone(void)
{
  struct hb_particles *p;
  ASSERT_OK(hb_ic_make("plummer", &(struct hb_ic_params){.n = MASSLESS_STARS, .seed = 3}, &p));
  return p;
}

struct hb_particles *massless_among(double mass)
{
  struct hb_particles *stars = massless_alone(), *cloud, *p;
  const size_t count = MASSLESS_STARS * MASSLESS_EACH;
  ASSERT_OK(hb_ic_make("plummer", &(struct hb_ic_params){.n = count, .seed = 4}, &cloud));
  ASSERT_OK(hb_particles_create(MASSLESS_N, &p));
  for (size_t i = 0, s = 0, c = 0; i < MASSLESS_N; i++) {
    int is_star = i % (1 + MASSLESS_EACH) == 0;
    struct hb_particles *from = is_star ? stars : cloud;
    size_t k = is_star ? s++ : c++;
    hb_particles_m(p)[i] = is_star ? hb_particles_m(stars)[k] : mass;
    for (size_t d = 0; d < 3; d++) {
      hb_particles_x(p)[3 * i + d] = hb_particles_x(from)[3 * k + d] * (is_star ? 1 : 1.5);
      hb_particles_v(p)[3 * i + d] = hb_particles_v(from)[3 * k + d];
    }
  }
  hb_particles_destroy(stars);
  hb_particles_destroy(cloud);
  return p;
}

struct hb_particles *massless_run(struct hb_particles *initial, const struct hb_sim_params *params,
                                  struct hb_sim_counts *counts)
{
  struct hb_sim *sim;
  struct hb_particles *end;
  ASSERT_OK(hb_sim_take(initial, params, &sim));
  ASSERT_OK(hb_sim_integrate(sim, 0.25));
  ASSERT_OK(hb_sim_state(sim, 0.25, &end));
  if (counts) hb_sim_counts(sim, counts);
  hb_sim_destroy(sim);
  return end;
}

int massless_same_stars(struct hb_particles *alone, struct hb_particles *among)
{
  int same = 1;
  for (size_t k = 0; k < MASSLESS_STARS; k++) {
    size_t i = k * (1 + MASSLESS_EACH);
    same &= memcmp(hb_particles_x(alone) + 3 * k, hb_particles_x(among) + 3 * i, 3 * sizeof(double)) == 0;
    same &= memcmp(hb_particles_v(alone) + 3 * k, hb_particles_v(among) + 3 * i, 3 * sizeof(double)) == 0;
  }
  return same;
}

double massless_distance(struct hb_particles *p, struct hb_particles *q)
{
  double sum = 0;
  for (size_t i = 0; i < MASSLESS_N; i++)
    for (size_t d = 0; d < 3 && i % (1 + MASSLESS_EACH); d++) {
      double r = hb_particles_x(p)[3 * i + d] - hb_particles_x(q)[3 * i + d];
      sum += r * r;
    }
  return sqrt(sum / (MASSLESS_STARS * MASSLESS_EACH));
}

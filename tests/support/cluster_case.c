#include "support/cluster_case.h"

#include "core/diagnostics.h"
#include "core/particles.h"
#include "support/step_case.h"

#include <math.h>

struct hb_particles *cluster_make(const char *model, size_t n, struct hb_ic_cluster cluster)
{
  return ic_make(model, (struct hb_ic_params){.n = n, .seed = 1, .cluster = cluster});
}

double cluster_virial_ratio(const struct hb_particles *p)
{
  return hb_kinetic_energy(p) / -step_potential_energy(p, 0);
}

struct hb_particles *cluster_systems(struct hb_particles *stars, size_t pairs)
{
  struct hb_particles *p;
  ASSERT_OK(hb_particles_create(stars->n - pairs, &p));
  for (size_t k = 0; k < p->n; k++) {
    size_t i = k < pairs ? 2 * k : k + pairs, members = k < pairs ? 2 : 1;
    for (size_t s = i; s < i + members; s++) p->m[k] += stars->m[s];
    for (size_t s = i; s < i + members; s++)
      for (size_t c = 0; c < 3; c++) {
        p->x[3 * k + c] += stars->m[s] / p->m[k] * stars->x[3 * s + c];
        p->v[3 * k + c] += stars->m[s] / p->m[k] * stars->v[3 * s + c];
      }
  }
  return p;
}

double cluster_uniform(double u) { return fmin(fmax(u, 0), 1); }

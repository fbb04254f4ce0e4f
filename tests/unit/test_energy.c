/* The energy by part of a cluster that meets a point mass: no part jumps, far away the split is by the center of mass, in the
 * middle of the cluster there is no orbit. */
#include "core/structure.h"
#include "core/diagnostics.h"
#include "support/ic_case.h"
#include "support/support.h"

#include <holmberg/diagnostics.h>

#include <math.h>

static const double mass = 2; /* of the point */

static struct hb_diagnostics split_at(const struct hb_particles *cluster, const struct hb_field *field,
                                      double at)
{
  struct hb_particles *p;
  double work[64], X[3], V[3];
  struct hb_diagnostics d = {.e_pot = -0.5, .binaries = {.count = 0}};
  ASSERT_OK(hb_particles_copy(cluster, &p));
  hb_center_at_rest(p);
  for (size_t i = 0; i < p->n; i++) p->x[3 * i] += at;
  hb_center_of_mass(p, X, V);
  hb_kinetic_energy_in(p, V, &d.e_kin, &d.e_bulk);
  d.e_total = d.e_kin + d.e_pot;
  hb_energy_add_field(p, field, &d);
  hb_energy_split(p, NULL, 0, field, work, &d);
  hb_particles_destroy(p);
  return d;
}

static void a_point_mass_in_a_cluster(void **state)
{
  (void)state;
  struct hb_particles *cluster;
  struct hb_field *field;
  ASSERT_OK(hb_ic_make("plummer", &(struct hb_ic_params){.n = 64, .seed = 1}, &cluster));
  ASSERT_OK(hb_field_create("point:m=2", &field));
  double before = NAN, most = 0;
  for (double at = 1e-17; at < 8; at *= 1.01) {
    struct hb_diagnostics d = split_at(cluster, field, at);
    expect_below(fabs(d.e_cluster + d.e_orbit - d.e_total), 1e-13 * (1 + fabs(d.e_total)));
    most = fmax(most, fabs(d.e_cluster - d.e_kin - d.e_pot)); /* the field's share */
    if (isfinite(before)) {
      if (!(fabs(d.e_cluster - before) < 0.2))
        fail_msg("at %g: e_cluster %g after %g", at, d.e_cluster, before);
    }
    before = d.e_cluster;
  }
  struct hb_diagnostics middle = split_at(cluster, field, 1e-17), far = split_at(cluster, field, 8);
  print_message("middle: e_cluster %.17g, e_total %.17g, e_orbit %.17g\n", middle.e_cluster, middle.e_total,
                middle.e_orbit);
  print_message("far: e_orbit %.17g, M Phi(X) %.17g; share of the field at most %g\n", far.e_orbit, -mass / 8,
                most);
  expect_below(fabs(middle.e_cluster - middle.e_total), 1e-12);
  expect_below(fabs(middle.e_orbit), 1e-12);
  expect_below(fabs(far.e_orbit + mass / 8), 1e-13);
  expect_below(most, 3 * mass);
  hb_field_destroy(field);
  hb_particles_destroy(cluster);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_point_mass_in_a_cluster)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Direct summation of Newtonian gravity in double precision: the reference for all other sources of forces, and the
 * potentials of the diagnostics. One i at a time over 8 fixed lanes of j, no contraction, exact sqrt and division: the
 * same bits on every IEEE machine, whatever its vector width. */
#ifndef HB_GRAVITY_H
#define HB_GRAVITY_H

#include "base/machine.h"
#include "base/status.h"

/* The sources as one array per coordinate, padded to full vectors with massless particles far away. */
struct hb_gravity {
  size_t n, n_padded;
  double *x, *y, *z, *vx, *vy, *vz, *m; /* [n_padded] each */
  enum hb_simd simd;
};

/* For up to n sources; set_j copies nj <= n of them. v: NULL if only potentials are needed. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_gravity_create(size_t n, struct hb_gravity **gravity);
void hb_gravity_destroy(struct hb_gravity *gravity);
void hb_gravity_set_j(struct hb_gravity *gravity, size_t nj, const double *m, const double *x,
                      const double *v);

/* a[3 * ni], j[3 * ni], phi[ni] of the sources index[ni], self excluded: [PZ07] eq. 1 with rij = xj - xi, so that it
 * attracts. Threads share the sinks; the result does not depend on their number. */
void hb_gravity_eval(const struct hb_gravity *gravity, double eps2, size_t ni, const uint32_t *index,
                     double *a, double *j, double *phi);

/* The same for ni points x[3 * ni] with velocities v[3 * ni]: point i leaves out the source own[i], or none where there is
 * no source of that number. */
void hb_gravity_at(const struct hb_gravity *gravity, double eps2, size_t ni, const double *x, const double *v,
                   const uint32_t *own, double *a, double *j, double *phi);

/* The same for one point among sources that the caller has arranged, whole vectors of them, none of which it is; pads are without mass
 * and this far away. */
#define HB_GRAVITY_PAD 1e30
void hb_gravity_on(const struct hb_gravity *gravity, double eps2, const double x[3], const double v[3],
                   double a[3], double j[3]);

/* The same for few of n particles: threads share the sources, which are added by parts of themselves. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_gravity_of_few(size_t n, const double *m, const double *x, const double *v, double eps2,
                                 size_t ni, const uint32_t *index, double *a, double *j, double *phi);

/* phi[first] to phi[end - 1] of n particles, the same bits as above, without memory that grows with n. */
void hb_gravity_potential(size_t n, const double *m, const double *x, double eps2, size_t first, size_t end,
                          double *phi);

/* Of pairs alone, most of which are evaluated once: the sum of m phi / 2 is the potential energy, but phi[i] is no potential. */
void hb_gravity_potential_once(size_t n, const double *m, const double *x, double eps2, double *phi);

#endif

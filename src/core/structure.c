#include "core/structure.h"

#include "base/arith.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "core/binaries.h"
#include "core/diagnostics.h"
#include "core/kdtree.h"
#include "core/vector.h"

#include <holmberg/diagnostics.h>

#include <math.h>

enum {
  SIXTH = 6,
  ALONE = 2048, /* fewer are done before a second thread has woken up */
  PIECE = 256
};

static const double PI = 3.14159265358979323846;

static const double fractions[HB_LAGRANGE_COUNT] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 0.75, 0.9};

const double *hb_lagrange_fractions(void) { return fractions; }

/* ---- density ----------------------------------------------------------------------------------------- */

static void find_one(const struct hb_particles *p, const struct hb_kdtree *tree, size_t place,
                     struct hb_surroundings *s)
{
  uint32_t index[SIXTH];
  double r2[SIXTH], m = 0;
  size_t found = hb_kdtree_nearest(tree, place, SIXTH, index, r2), i = tree->index[place];
  s->nearest[i] = found ? index[0] : UINT32_MAX;
  if (found < SIXTH) return;
  for (int k = 0; k < SIXTH - 1; k++) m += p->m[index[k]];
  double r = sqrt(r2[SIXTH - 1]);
  s->rho[i] = m > 0 ? m / (4 * PI / 3 * r * r * r) : 0;
}

struct find {
  const struct hb_particles *particles;
  const struct hb_kdtree *tree;
  struct hb_surroundings *surroundings;
};

static void find_piece(void *context, size_t place, size_t end)
{
  const struct find *f = context;
  for (; place < end; place++) find_one(f->particles, f->tree, place, f->surroundings);
}

enum hb_status hb_surroundings_find(const struct hb_particles *particles,
                                    struct hb_surroundings *surroundings)
{
  struct hb_kdtree *tree;
  *surroundings = (struct hb_surroundings){0};
  HB_TRY(HB_ALLOC(particles->n, &surroundings->nearest));
  HB_TRY(HB_ALLOC(particles->n, &surroundings->rho));
  HB_TRY(hb_kdtree_create(particles->n, particles->x, &tree));
  struct find find = {particles, tree, surroundings};
  hb_parallel_pieces(particles->n, PIECE, ALONE, find_piece, &find);
  hb_kdtree_destroy(tree);
  return HB_OK;
}

void hb_surroundings_clear(struct hb_surroundings *surroundings)
{
  HB_FREE(surroundings->nearest, surroundings->rho);
  *surroundings = (struct hb_surroundings){0};
}

int hb_density_center(const struct hb_particles *particles, const double *rho, double center[3],
                      double *r_core)
{
  const struct hb_particles *p = particles;
  double sum = 0, x[3] = {0}, r = 0;
  for (size_t i = 0; i < p->n; i++) {
    sum += rho[i];
    for (int k = 0; k < 3; k++) x[k] += rho[i] * p->x[3 * i + k];
  }
  int known = sum > 0 && isfinite(sum);
  for (int k = 0; k < 3; k++) center[k] = known ? x[k] / sum : NAN;
  for (size_t i = 0; known && i < p->n; i++) {
    const double *xi = p->x + 3 * i;
    double dx = xi[0] - center[0], dy = xi[1] - center[1], dz = xi[2] - center[2];
    r += rho[i] * sqrt(dx * dx + dy * dy + dz * dz);
  }
  *r_core = known ? r / sum : NAN;
  return known;
}

/* The sums of these. */
static struct hb_binaries binaries_sum(const struct hb_binary *pairs, size_t hard, double hard_above)
{
  struct hb_binaries sum = {
      .count = hard, .a_hardest = hard ? pairs[0].orbit.a : NAN, .hard_above = hard_above};
  for (size_t k = 0; k < hard; k++) sum.energy += pairs[k].orbit.E;
  return sum;
}

/* ---- all of it --------------------------------------------------------------------------------------- */

static enum hb_status structure_of(const struct hb_particles *p, double eps2, struct hb_structure *structure)
{
  struct hb_structure s = {.t = p->t};
  HB_OWN_SURROUNDINGS struct hb_surroundings around = {0};
  HB_OWN struct hb_binary *pairs = NULL;
  HB_OWN double *work = NULL;
  size_t hard;
  double hard_above;
  hb_momentum(p, s.momentum, s.angular_momentum);
  hb_center_of_mass(p, s.x_mass, s.v_mass);
  HB_TRY(hb_surroundings_find(p, &around));
  HB_TRY(hb_binaries_list(p, eps2, around.nearest, NAN, &pairs, &hard, &hard_above));
  s.binaries = binaries_sum(pairs, hard, hard_above);
  HB_TRY(HB_ALLOC(2 * p->n, &work));
  int known = hb_density_center(p, around.rho, s.x_density, &s.r_core);
  hb_lagrangian_radii(p, known ? s.x_density : s.x_mass, HB_LAGRANGE_COUNT, fractions, work, s.r_lagrange);
  *structure = s;
  return HB_OK;
}

enum hb_status hb_structure_of(const struct hb_particles *particles, double eps2,
                               struct hb_structure *structure)
{
  HB_OWN_PARTICLES struct hb_particles *stars = NULL;
  HB_TRY(hb_particles_copy_massive(particles, &stars));
  return structure_of(stars ? stars : particles, eps2, structure);
}

/* ---- energies ---- */

void hb_energy_add_field(const struct hb_particles *p, const struct hb_field *field, struct hb_diagnostics *d)
{
  struct hb_neumaier sum = {0};
  double momentum[3], L[3];
  for (size_t i = 0; i < p->n; i++) hb_neumaier_add(&sum, p->m[i] * hb_field_potential(field, p->x + 3 * i));
  hb_momentum(p, momentum, L);
  d->e_field = sum.sum + sum.carry;
  d->e_total += d->e_bulk + d->e_field;
  d->e_gpu += d->e_bulk + d->e_field;
  d->e_jacobi = hb_field_turn(field) != 0 ? d->e_total : d->e_total - hb_field_omega(field) * L[2];
}

/* ---- binaries as points ---- */

static double kinetic(double m, const double v[3]) { return m / 2 * hb_dot(v, v); }

/* About the center of mass, which is at rest. The terms of the stars cancel to the last bit. */
static double kinetic_of_points(const struct hb_particles *p, const struct hb_binary *pairs, size_t hard)
{
  struct hb_neumaier sum = {0};
  for (size_t i = 0; i < p->n; i++) hb_neumaier_add(&sum, kinetic(p->m[i], p->v + 3 * i));
  for (size_t k = 0; k < hard; k++) {
    size_t i = pairs[k].i, j = pairs[k].j;
    const double *vi = p->v + 3 * i, *vj = p->v + 3 * j;
    double V[3], m = p->m[i] + p->m[j];
    for (int c = 0; c < 3; c++) V[c] = vi[c] + p->m[j] / m * (vj[c] - vi[c]);
    hb_neumaier_add(&sum, -kinetic(p->m[i], vi));
    hb_neumaier_add(&sum, -kinetic(p->m[j], vj));
    hb_neumaier_add(&sum, kinetic(m, V));
  }
  return sum.sum + sum.carry;
}

static double potential_of_points(double e_pot, double e_rounded, const struct hb_binary *pairs, size_t hard)
{
  struct hb_neumaier sum = {.sum = e_pot};
  hb_neumaier_add(&sum, -e_rounded);
  for (size_t k = 0; k < hard; k++) hb_neumaier_add(&sum, pairs[k].orbit.e_kin - pairs[k].orbit.E);
  return sum.sum + sum.carry;
}

/* ---- the orbit ---- */

/* How much Phi(X) says about the stars, 0 to 1. A point mass in the middle of a ring or a cluster is deep at the center of mass X,
 * while the stars move each on an orbit of its own: Phi(X) is then infinite, or what rounding and a chance displacement of X make
 * it. By medians, which a star that passes the point does not move; continuous, so that rows do not jump. work[n]. */
static double share_of_center(const struct hb_particles *p, const struct hb_field *field, const double X[3],
                              double *work)
{
  static const double spreads = 4; /* in harmonic fields X is 1 to 3 deeper than the stars */
  if (!isfinite(hb_field_potential(field, X))) return 0;
  for (size_t i = 0; i < p->n; i++) work[i] = hb_field_rise(field, X, p->x + 3 * i);
  double depth = hb_select(p->n, work, p->n / 2);
  for (size_t i = 0; i < p->n; i++) work[i] = fabs(work[i] - depth);
  double most = spreads * hb_select(p->n, work, p->n / 2);
  return depth <= most ? 1 : most / depth * (most / depth);
}

/* Of the center of mass, and what the field's potential at the stars adds to it: the tide. As far as X says nothing there is no
 * such orbit, and all is the cluster's. */
static void split_field(const struct hb_particles *p, const struct hb_field *field, const double X[3],
                        double *work, struct hb_diagnostics *d)
{
  struct hb_neumaier tide = {0};
  double share = share_of_center(p, field, X, work), orbit = 0;
  if (share > 0) orbit = d->e_bulk + hb_sum(p->n, p->m) * hb_field_potential(field, X);
  d->e_orbit = share * orbit;
  if (share < 1) {
    d->e_cluster += d->e_bulk + d->e_field - d->e_orbit;
    return;
  }
  for (size_t i = 0; i < p->n; i++) hb_neumaier_add(&tide, p->m[i] * hb_field_rise(field, X, p->x + 3 * i));
  d->e_cluster += tide.sum + tide.carry;
}

/* ---- all of it ---- */

/* Binaries as points and single stars, without what is no more than a test particle beside them. */
static size_t points(const struct hb_particles *p, const struct hb_binary *pairs, size_t hard)
{
  static const double test_particle = 0x1p-20; /* of the mean mass, and lighter */
  double least = test_particle * hb_sum(p->n, p->m) / (double)p->n;
  size_t count = 0;
  for (size_t i = 0; i < p->n; i++) count += p->m[i] >= least;
  for (size_t k = 0; k < hard; k++) count -= p->m[pairs[k].i] >= least && p->m[pairs[k].j] >= least;
  return count;
}

enum hb_status hb_energy_find_binaries(const struct hb_particles *p, double eps2, double e_pot,
                                       struct hb_binary **pairs, struct hb_binaries *binaries)
{
  HB_OWN uint32_t *nearest = NULL;
  double hard_above = 0;
  size_t hard = 0;
  *pairs = NULL;
  HB_TRY(HB_ALLOC(p->n, &nearest));
  HB_TRY(hb_kdtree_nearest_of_all(p->n, p->x, nearest));
  HB_TRY(hb_binaries_list(p, eps2, nearest, e_pot, pairs, &hard, &hard_above));
  *binaries = binaries_sum(*pairs, hard, hard_above);
  return HB_OK;
}

void hb_energy_split(struct hb_particles *p, const struct hb_binary *pairs, double e_rounded,
                     const struct hb_field *field, double *work, struct hb_diagnostics *d)
{
  enum { A_CLUSTER = 3 }; /* fewer points are what a binary is made of: it has no other energy than its own */
  double X[3], V[3], T = d->e_kin, W = d->e_pot;
  size_t hard = d->binaries.count;
  hb_center_of_mass(p, X, V);
  for (int k = 0; k < 2; k++)
    hb_center_at_rest(p); /* the second time what X has lost in rounding, far away */
  if (hard > 0) {
    T = kinetic_of_points(p, pairs, hard);
    W = potential_of_points(d->e_pot, e_rounded, pairs, hard);
    d->binaries.energy += e_rounded;
  }
  d->e_cluster = T + W;
  d->e_orbit = 0;
  if (points(p, pairs, hard) < A_CLUSTER) T = d->e_kin, W = d->e_pot;
  d->virial_ratio = W != 0 ? T / fabs(W) : 0; /* a lone particle has none */
  d->e_scale = fmax(fabs(T + W), T);
  if (d->e_scale == 0) d->e_scale = fmax(fabs(d->e_total), d->e_bulk);
  if (field) split_field(p, field, X, work, d);
}

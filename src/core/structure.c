#include "core/structure.h"

#include "base/arith.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "core/binaries.h"
#include "core/diagnostics.h"
#include "core/kdtree.h"

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

static void find_piece(void *context, size_t piece)
{
  const struct find *f = context;
  size_t end = hb_parallel_end(f->particles->n, PIECE, piece * PIECE);
  for (size_t place = piece * PIECE; place < end; place++)
    find_one(f->particles, f->tree, place, f->surroundings);
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
  hb_parallel_for(particles->n > ALONE ? hb_parallel_threads() : 1, hb_div_ceil(particles->n, PIECE),
                  find_piece, &find);
  hb_kdtree_destroy(tree);
  return HB_OK;
}

void hb_surroundings_clear(struct hb_surroundings *surroundings)
{
  hb_mem_free(surroundings->nearest);
  hb_mem_free(surroundings->rho);
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

/* ---- all of it --------------------------------------------------------------------------------------- */

static enum hb_status structure_of(const struct hb_particles *p, double eps2, struct hb_structure *structure)
{
  struct hb_structure s = {.t = p->t};
  struct hb_surroundings around;
  struct hb_binary *pairs = NULL;
  size_t hard;
  double *work = NULL, hard_above;
  hb_momentum(p, s.momentum, s.angular_momentum);
  hb_center_of_mass(p, s.x_mass, s.v_mass);
  enum hb_status status = hb_surroundings_find(p, &around);
  if (status == HB_OK) status = hb_binaries_list(p, eps2, around.nearest, NAN, &pairs, &hard, &hard_above);
  if (status == HB_OK) s.binaries = hb_binaries_sum(pairs, hard, hard_above);
  if (status == HB_OK) status = HB_ALLOC(2 * p->n, &work);
  if (status == HB_OK) {
    int known = hb_density_center(p, around.rho, s.x_density, &s.r_core);
    hb_lagrangian_radii(p, known ? s.x_density : s.x_mass, HB_LAGRANGE_COUNT, fractions, work, s.r_lagrange);
    *structure = s;
  }
  hb_mem_free(work);
  hb_mem_free(pairs);
  hb_surroundings_clear(&around);
  return status;
}

enum hb_status hb_structure_of(const struct hb_particles *particles, double eps2,
                               struct hb_structure *structure)
{
  struct hb_particles *stars;
  HB_TRY(hb_particles_copy_massive(particles, &stars));
  enum hb_status status = structure_of(stars ? stars : particles, eps2, structure);
  hb_particles_destroy(stars);
  return status;
}

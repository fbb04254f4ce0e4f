/* NBODY6's GPU library, holmberg/g6.h: forces on blocks without the neighbors of each, and their lists. The device sums all
 * particles, and finds those that may be neighbors; the host decides which are, and takes their part off again. */
#include "lib/engine.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "core/vector.h"

#include <holmberg/g6.h>

#include <math.h>
#include <string.h>

/* Candidates that a list keeps; a particle with more is searched for neighbors among all. */
enum { CANDIDATES = 8192 };

/* Where neighbors pull harder than this times what remains, their part cannot be taken off a sum of about seven digits:
 * all others are summed again. */
static const double overwhelming = 16;

static struct gpunb {
  struct hb_engine *engine, *potentials; /* for gpunb_ and gpupot_; NULL: not open */
  struct hb_near *near;
  struct hb_gl_context *context; /* that near is on */
  size_t room, nj;
  double *m, *x, *v; /* [room], [3 * room] sources */
  double m_most, v_most;
  size_t ni_room;
  double *radius2; /* [ni_room] */
  uint32_t *own;   /* [ni_room] the particle at the same place */
  struct hb_near_lists candidates;
} g;

static void close_all(void)
{
  HB_GL_VISIT;
  hb_near_destroy(g.near);
  hb_engine_close(g.engine);
  hb_engine_close(g.potentials);
  hb_near_lists_free(&g.candidates);
  HB_FREE(g.m, g.x, g.v, g.radius2, g.own);
  memset(&g, 0, sizeof g);
}

static enum hb_status open(void) { return g.engine ? HB_OK : hb_engine_open(0, HB_PRECISION_DS, &g.engine); }

/* ---- sources ---- */

static double most(size_t n, const double *numbers)
{
  double largest = 0;
  for (size_t k = 0; k < n; k++) largest = fmax(largest, numbers[k]);
  return largest;
}

static double fastest(size_t n, const double *v)
{
  double v2 = 0;
  for (size_t k = 0; k < n; k++) v2 = fmax(v2, hb_dot(v + 3 * k, v + 3 * k));
  return sqrt(v2);
}

static enum hb_status store(int nj, const double *m, const double *x, const double *v)
{
  if (nj < 0) return hb_fail(HB_ERR_USAGE, "the number of particles is %d, expected >= 0", nj);
  size_t n = (size_t)nj;
  HB_TRY(open());
  g.nj = 0;
  HB_TRY(HB_RENEW(n, &g.room, HB_ARRAY(1, &g.m), HB_ARRAY(3, &g.x), HB_ARRAY(3, &g.v)));
  if (n > 0) {
    memcpy(g.m, m, n * sizeof *m);
    memcpy(g.x, x, 3 * n * sizeof *x);
    memcpy(g.v, v, 3 * n * sizeof *v);
  }
  g.m_most = most(n, g.m);
  g.v_most = fastest(n, g.v);
  g.nj = n;
  return hb_engine_set_j(g.engine, &(struct hb_force_sources){n, g.m, g.x, g.v});
}

/* ---- neighbors ---- */

struct block {
  size_t ni;
  const double *h2, *dtr, *xi, *vi;
  double *acc, *jrk, *pot;
  size_t row, most; /* of list: numbers a particle, and neighbors that it may have */
  int *list;
};

static int is_neighbor(const struct block *b, size_t i, size_t j)
{
  double r2 = 0, later2 = 0;
  for (size_t d = 0; d < 3; d++) {
    double dx = g.x[3 * j + d] - b->xi[3 * i + d], dv = g.v[3 * j + d] - b->vi[3 * i + d];
    double later = dx + b->dtr[i] * dv;
    r2 += dx * dx;
    later2 += later * later;
  }
  return fmin(r2, later2) < g.m[j] * b->h2[i];
}

static void add_pair(const struct block *b, size_t i, size_t j, double sum[7])
{
  hb_engine_add_pair(0, b->xi + 3 * i, b->vi + 3 * i, g.m[j], g.x + 3 * j, g.v + 3 * j, sum);
}

/* The forces on i are those of all less these, or if these overwhelm the rest, of all but these. */
static void without(const struct block *b, size_t i, const double near[7])
{
  double *a = b->acc + 3 * i, *j = b->jrk + 3 * i, sum[7];
  for (int d = 0; d < 3; d++) sum[d] = a[d] - near[d];
  for (int d = 0; d < 3; d++) sum[3 + d] = j[d] - near[3 + d];
  sum[6] = b->pot[i] - near[6];
  int is_good = hb_norm(near) <= overwhelming * hb_norm(sum) &&
                hb_norm(near + 3) <= overwhelming * hb_norm(sum + 3) && near[6] <= overwhelming * sum[6];
  if (!is_good) {
    memset(sum, 0, sizeof sum);
    for (size_t k = 0; k < g.nj; k++)
      if (k != g.own[i] && !is_neighbor(b, i, k)) add_pair(b, i, k, sum);
  }
  memcpy(a, sum, 3 * sizeof *a);
  memcpy(j, sum + 3, 3 * sizeof *j);
  b->pot[i] = sum[6];
}

static void finish_sink(void *context, size_t i)
{
  const struct block *b = context;
  const struct hb_near_lists *all = &g.candidates;
  size_t kept = all->start[i + 1] - all->start[i], found = 0;
  int is_cut = all->count[i] > kept, *list = b->list + b->row * i;
  size_t count = is_cut ? g.nj : kept;
  double near[7] = {0};
  for (size_t k = 0; k < count; k++) {
    size_t j = is_cut ? k : all->source[all->start[i] + k];
    if (!is_neighbor(b, i, j)) continue;
    if (j != g.own[i]) add_pair(b, i, j, near);
    if (found < b->most) list[1 + found] = (int)j;
    found++;
  }
  list[0] = found > b->most ? -(int)found : (int)found;
  without(b, i, near);
}

/* ---- blocks ---- */

static enum hb_status reserve(size_t ni)
{
  HB_TRY(HB_RENEW(ni, &g.ni_room, HB_ARRAY(1, &g.radius2), HB_ARRAY(1, &g.own)));
  if (g.near && g.context == hb_engine_context(g.engine)) return HB_OK;
  hb_near_destroy(g.near);
  g.context = hb_engine_context(g.engine);
  return hb_near_create(g.context, &g.near);
}

/* Neighbors, now or after dtr, are within this radius now. The last factor is for its own rounding. */
static double square_radius(const struct block *b, size_t i)
{
  if (!(b->h2[i] > 0)) return 0;
  double radius = sqrt(g.m_most * b->h2[i]) + fabs(b->dtr[i]) * (g.v_most + hb_norm(b->vi + 3 * i));
  return radius * radius * (1 + 1e-12);
}

static enum hb_status regular_force(const struct block *b)
{
  HB_GL_VISIT;
  struct hb_near_points points = {b->ni, b->xi, NULL};
  HB_TRY(reserve(b->ni));
  if (b->ni == 0) return HB_OK;
  HB_TRY(hb_near_set_j(g.near, g.nj, g.x));
  HB_TRY(hb_near_nearest(g.near, &points, g.own, g.radius2));
  for (size_t i = 0; i < b->ni; i++) {
    if (g.radius2[i] > 0) g.own[i] = HB_NO_SOURCE;
    g.radius2[i] = square_radius(b, i);
  }
  HB_TRY(hb_near_find(g.near, &points, g.radius2, CANDIDATES, &g.candidates));
  HB_TRY(hb_engine_forces(
      g.engine, 0,
      &(struct hb_force_job){.sinks = {b->ni, g.own, b->xi, b->vi}, .to = {b->acc, b->jrk, b->pot}}));
  for (size_t i = 0; i < b->ni; i++) b->pot[i] = -b->pot[i];
  hb_parallel_for(hb_parallel_threads(), b->ni, finish_sink, (void *)b);
  return HB_OK;
}

/* On a device that failed, opened again. */
static enum hb_status regular_force_again(const struct block *b)
{
  hb_near_destroy(g.near);
  g.near = NULL;
  HB_TRY(hb_engine_again(g.engine));
  return regular_force(b);
}

/* ---- the calls ---- */

static int whole(const int *pointer) { return pointer ? *pointer : 0; }

void gpunb_devinit_(void) { hb_engine_report(open()); }

void gpunb_open_(const int *nbmax)
{
  (void)nbmax; /* memory grows */
  hb_engine_report(open());
}

void gpunb_close_(void) { close_all(); }

void gpunb_send_(const int *nj, double mj[], double xj[][3], double vj[][3])
{
  hb_engine_report(store(whole(nj), mj, (const double *)xj, (const double *)vj));
}

static enum hb_status check(int ni, int lmax)
{
  if (!g.engine) return hb_fail(HB_ERR_USAGE, "gpunb_regf before gpunb_open");
  if (ni >= 0 && lmax >= 1) return HB_OK;
  return hb_fail(HB_ERR_USAGE,
                 "forces on %d particles with lists of %d were asked for, expected >= 0 and >= 1", ni, lmax);
}

void gpunb_regf_(const int *ni, double h2[], double dtr[], double xi[][3], double vi[][3], double acc[][3],
                 double jrk[][3], double pot[], const int *lmax, const int *nbmax, int list[])
{
  enum hb_status status = check(whole(ni), whole(lmax));
  size_t n = whole(ni) > 0 ? (size_t)*ni : 0, row = whole(lmax) > 0 ? (size_t)*lmax : 0;
  size_t most_neighbors = whole(nbmax) > 0 ? (size_t)*nbmax : 0;
  if (row > 0 && most_neighbors > row - 1) most_neighbors = row - 1;
  const struct block block = {.ni = n,
                              .h2 = h2,
                              .dtr = dtr,
                              .xi = (const double *)xi,
                              .vi = (const double *)vi,
                              .acc = (double *)acc,
                              .jrk = (double *)jrk,
                              .pot = pot,
                              .row = row,
                              .most = most_neighbors,
                              .list = list};
  if (status == HB_OK) status = regular_force(&block);
  if (status == HB_ERR_DEVICE) status = regular_force_again(&block);
  if (hb_engine_report(hb_engine_spoil(status, whole(ni), block.acc, block.jrk, pot)) == 0) return;
  for (size_t k = 0; k < n && row > 0; k++) list[row * k] = 0;
}

void gpunb_profile_(const int *rank) { (void)rank; }

/* By an engine of their own, which leaves alone what was sent for forces. */
void gpupot_(const int *n, double m[], double x[][3], double pot[])
{
  const int ni = whole(n) > 0 ? *n : 0;
  const double *xj = (const double *)x;
  const struct hb_force_job job = {
      .sources = {(size_t)ni, m, xj, NULL}, .sinks = {(size_t)ni, NULL, xj, NULL}, .to = {.phi = pot}};
  enum hb_status status = ni > 0 ? hb_engine_once(&g.potentials, 0, &job) : HB_OK;
  hb_engine_report(hb_engine_spoil(status, ni, NULL, NULL, pot));
  for (int i = 0; status == HB_OK && i < ni; i++) pot[i] = -pot[i];
}

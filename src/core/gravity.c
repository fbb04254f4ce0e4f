#include "core/gravity.h"
#include "base/mem.h"
#include "base/arith.h"
#include "base/parallel.h"
#include "base/machine.h"

#include <string.h>

#if HB_SIMD_X86
#define WIDTH      8
#define NAME(stem) stem##_avx512
#define TARGET     HB_SIMD_AVX512_TARGET
#include "core/gravity_kernel.h"
#define WIDTH      4
#define NAME(stem) stem##_avx2
#define TARGET     HB_SIMD_AVX2_TARGET
#include "core/gravity_kernel.h"
#endif
#include "core/gravity_kernel.h"

static const struct version {
  void (*add_sources)(const struct hb_gravity *gravity, double eps2, size_t self, size_t from, size_t to,
                      struct sink *sink);
  void (*add_potential)(const struct hb_gravity *gravity, double eps2, size_t self, const double x[3],
                        double sum[LANES]);
} versions[] = {{add_sources_baseline, add_potential_baseline},
#if HB_SIMD_X86
                {add_sources_avx2, add_potential_avx2},
                {add_sources_avx512, add_potential_avx512}
#endif
};

/* The lanes are always added in the same tree: results do not depend on the vector width, the number of threads or which
 * sinks are computed together. */
enum {
  TILE = 2048,   /* sources that stay in the second-level cache while SINKS sinks pass over them */
  SINKS = 8,     /* sinks that share a tile */
  COPIED = 4096, /* sources of a thread's piece */
  COPIED_ALONE = 16384
};

/* A pad is so far away that 1 / r is small, yet r^2 does not overflow. */

/* Fewer pairs are done before a second thread has woken up. */
static const double pairs_worth_threads = 32768;

static size_t padded(size_t n) { return hb_div_ceil(n, LANES) * LANES; }

enum hb_status hb_gravity_create(size_t n, struct hb_gravity **gravity)
{
  *gravity = NULL;
  struct hb_gravity *g;
  HB_TRY(HB_ALLOC(1, &g));
  g->simd = hb_simd_best();
  double **columns[SUMS] = {&g->x, &g->y, &g->z, &g->vx, &g->vy, &g->vz, &g->m};
  enum hb_status status = HB_OK;
  for (int k = 0; k < SUMS && status == HB_OK; k++) status = HB_ALLOC(padded(n), columns[k]);
  return HB_MADE(status, g, hb_gravity_destroy, gravity);
}

void hb_gravity_destroy(struct hb_gravity *gravity)
{
  if (!gravity) return;
  HB_FREE(gravity->x, gravity->y, gravity->z, gravity->vx, gravity->vy, gravity->vz, gravity->m, gravity);
}

struct copying {
  struct hb_gravity *to;
  const double *m, *x, *v;
};

static void copy_piece(void *context, size_t i, size_t end)
{
  const struct copying *c = context;
  const double *x = c->x, *v = c->v;
  struct hb_gravity *g = c->to;
  for (; i < end; i++) {
    g->m[i] = c->m[i];
    g->x[i] = x[3 * i], g->y[i] = x[3 * i + 1], g->z[i] = x[3 * i + 2];
    g->vx[i] = v ? v[3 * i] : 0, g->vy[i] = v ? v[3 * i + 1] : 0, g->vz[i] = v ? v[3 * i + 2] : 0;
  }
}

void hb_gravity_set_j(struct hb_gravity *gravity, size_t nj, const double *m, const double *x,
                      const double *v)
{
  struct hb_gravity *g = gravity;
  g->n = nj;
  g->n_padded = padded(nj);
  struct copying c = {g, m, x, v};
  hb_parallel_pieces(nj, COPIED, COPIED_ALONE, copy_piece, &c);
  for (size_t i = nj; i < g->n_padded; i++) {
    g->x[i] = g->y[i] = g->z[i] = HB_GRAVITY_PAD;
    g->vx[i] = g->vy[i] = g->vz[i] = g->m[i] = 0;
  }
}

static double add_lanes(const double s[LANES])
{
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

/* A block of sinks, evaluated in pieces of `group`: sources by their number or, where x is not NULL, points, which leave
 * out the source of that number. */
struct block {
  const struct hb_gravity *gravity;
  double eps2;
  size_t ni, group;
  const double *x, *v;
  const uint32_t *index;
  double *a, *j, *phi;
};

static void take_sinks(const struct block *w, size_t first, size_t ni, struct sink sinks[SINKS])
{
  const struct hb_gravity *g = w->gravity;
  for (size_t b = 0; b < ni; b++) {
    size_t k = first + b, i = w->index[k];
    if (w->x) {
      memcpy(sinks[b].x, w->x + 3 * k, sizeof sinks[b].x);
      memcpy(sinks[b].v, w->v + 3 * k, sizeof sinks[b].v);
    } else {
      sinks[b].x[0] = g->x[i], sinks[b].x[1] = g->y[i], sinks[b].x[2] = g->z[i];
      sinks[b].v[0] = g->vx[i], sinks[b].v[1] = g->vy[i], sinks[b].v[2] = g->vz[i];
    }
  }
}

static void eval_piece(void *context, size_t piece)
{
  const struct block *w = context;
  const struct hb_gravity *g = w->gravity;
  const struct version *version = &versions[g->simd];
  struct sink sinks[SINKS] = {0};
  size_t first = piece * w->group, ni = hb_parallel_end(w->ni, w->group, first) - first;
  take_sinks(w, first, ni, sinks);
  for (size_t from = 0; from < g->n_padded; from += TILE) {
    size_t to = hb_parallel_end(g->n_padded, TILE, from);
    for (size_t b = 0; b < ni; b++)
      version->add_sources(g, w->eps2, w->index[first + b], from, to, &sinks[b]);
  }
  for (size_t b = 0; b < ni; b++) {
    double *a = w->a + 3 * (first + b), *j = w->j + 3 * (first + b);
    for (int k = 0; k < 3; k++) a[k] = add_lanes(sinks[b].sum[k]);
    for (int k = 0; k < 3; k++) j[k] = add_lanes(sinks[b].sum[3 + k]);
    w->phi[first + b] = add_lanes(sinks[b].sum[6]);
  }
}

void hb_gravity_on(const struct hb_gravity *gravity, double eps2, const double x[3], const double v[3],
                   double a[3], double j[3])
{
  struct sink sink = {.x = {x[0], x[1], x[2]}, .v = {v[0], v[1], v[2]}};
  size_t self = gravity->n_padded; /* none of them */
  versions[gravity->simd].add_sources(gravity, eps2, self, 0, gravity->n_padded, &sink);
  for (int k = 0; k < 3; k++) a[k] = add_lanes(sink.sum[k]), j[k] = add_lanes(sink.sum[3 + k]);
}

static int threads_for(double pairs) { return pairs > pairs_worth_threads ? hb_parallel_threads() : 1; }

static void eval(struct block block)
{
  size_t group = block.ni / (4 * (size_t)hb_parallel_threads());
  block.group = group < 1 ? 1 : hb_min(group, SINKS);
  hb_parallel_for(threads_for((double)block.ni * (double)block.gravity->n),
                  hb_div_ceil(block.ni, block.group), eval_piece, &block);
}

void hb_gravity_eval(const struct hb_gravity *gravity, double eps2, size_t ni, const uint32_t *index,
                     double *a, double *j, double *phi)
{
  eval((struct block){gravity, eps2, ni, .index = index, .a = a, .j = j, .phi = phi});
}

void hb_gravity_at(const struct hb_gravity *gravity, double eps2, size_t ni, const double *x, const double *v,
                   const uint32_t *own, double *a, double *j, double *phi)
{
  eval((struct block){gravity, eps2, ni, .x = x, .v = v, .index = own, .a = a, .j = j, .phi = phi});
}

/* A tile of sources, one array per coordinate, for a group of sinks. */
enum { PHI_TILE = 512, PHI_SINKS = 64 };

struct tile {
  _Alignas(64) double x[PHI_TILE], y[PHI_TILE], z[PHI_TILE], m[PHI_TILE];
};

static struct hb_gravity fill_tile(struct tile *t, size_t from, size_t n, const double *m, const double *x)
{
  size_t count = hb_parallel_end(n, PHI_TILE, from) - from;
  struct hb_gravity g = {.n = count, .x = t->x, .y = t->y, .z = t->z, .m = t->m};
  g.n_padded = padded(count);
  for (size_t k = 0; k < count; k++) {
    const double *r = x + 3 * (from + k);
    t->x[k] = r[0], t->y[k] = r[1], t->z[k] = r[2], t->m[k] = m[from + k];
  }
  for (size_t k = count; k < g.n_padded; k++) t->x[k] = t->y[k] = t->z[k] = HB_GRAVITY_PAD, t->m[k] = 0;
  return g;
}

/* Few sinks, and what each tile of sources does to them. */
struct few {
  const struct version *version;
  size_t n, ni;
  const double *m, *x, *v;
  double eps2;
  const uint32_t *index;
  double (*part)[SUMS]; /* [tile][sink] */
};

static void few_piece(void *context, size_t piece)
{
  const struct few *f = context;
  struct tile tile;
  _Alignas(64) double speed[3][PHI_TILE] = {{0}};
  size_t from = piece * PHI_TILE;
  struct hb_gravity g = fill_tile(&tile, from, f->n, f->m, f->x);
  g.vx = speed[0], g.vy = speed[1], g.vz = speed[2];
  for (size_t k = 0; k < g.n; k++)
    for (size_t c = 0; c < 3; c++) speed[c][k] = f->v[3 * (from + k) + c];
  for (size_t b = 0; b < f->ni; b++) {
    size_t i = f->index[b], self = i >= from && i < from + g.n ? i - from : g.n_padded;
    struct sink sink = {.sum = {{0}}};
    memcpy(sink.x, f->x + 3 * i, sizeof sink.x);
    memcpy(sink.v, f->v + 3 * i, sizeof sink.v);
    f->version->add_sources(&g, f->eps2, self, 0, g.n_padded, &sink);
    for (int k = 0; k < SUMS; k++) f->part[piece * f->ni + b][k] = add_lanes(sink.sum[k]);
  }
}

enum hb_status hb_gravity_of_few(size_t n, const double *m, const double *x, const double *v, double eps2,
                                 size_t ni, const uint32_t *index, double *a, double *j, double *phi)
{
  HB_OWN double(*part)[SUMS] = NULL;
  size_t tiles = hb_div_ceil(n, PHI_TILE);
  HB_TRY(HB_ALLOC(tiles * ni, &part));
  struct few f = {&versions[hb_simd_best()], n, ni, m, x, v, eps2, index, part};
  hb_parallel_for(threads_for((double)n * ((double)ni + 2)), tiles, few_piece,
                  &f); /* to arrange them takes as long as 2 */
  for (size_t b = 0; b < ni; b++) {
    double sum[SUMS] = {0};
    for (size_t t = 0; t < tiles; t++)
      for (int k = 0; k < SUMS; k++) sum[k] += part[t * ni + b][k];
    memcpy(a + 3 * b, sum, 3 * sizeof *a);
    memcpy(j + 3 * b, sum + 3, 3 * sizeof *j);
    phi[b] = sum[6];
  }
  return HB_OK;
}

struct potential {
  const struct version *version;
  size_t n, first, end; /* sinks from first to end - 1 */
  int is_once;          /* of pairs in two tiles, the first tile has all */
  const double *m, *x;
  double eps2, *phi;
};

static void potential_piece(void *context, size_t piece)
{
  const struct potential *p = context;
  size_t first = p->first + piece * PHI_SINKS, count = hb_parallel_end(p->end, PHI_SINKS, first) - first;
  size_t own = first / PHI_TILE * PHI_TILE;
  struct tile tile;
  _Alignas(64) double sums[PHI_SINKS][LANES] = {{0}}, others[PHI_SINKS][LANES] = {{0}};
  for (size_t from = p->is_once ? own : 0; from < p->n; from += PHI_TILE) {
    const struct hb_gravity g = fill_tile(&tile, from, p->n, p->m, p->x);
    double(*to)[LANES] = p->is_once && from > own ? others : sums;
    for (size_t b = 0; b < count; b++) {
      size_t i = first + b, self = i >= from && i < from + PHI_TILE ? i - from : PHI_TILE;
      p->version->add_potential(&g, p->eps2, self, p->x + 3 * i, to[b]);
    }
  }
  for (size_t b = 0; b < count; b++) p->phi[first + b] = add_lanes(sums[b]) + 2 * add_lanes(others[b]);
}

static void potential(struct potential p)
{
  p.version = &versions[hb_simd_best()];
  hb_parallel_for(threads_for((double)(p.end - p.first) * (double)p.n),
                  hb_div_ceil(p.end - p.first, PHI_SINKS), potential_piece, &p);
}

void hb_gravity_potential(size_t n, const double *m, const double *x, double eps2, size_t first, size_t end,
                          double *phi)
{
  potential((struct potential){.n = n, .first = first, .end = end, .m = m, .x = x, .eps2 = eps2, .phi = phi});
}

void hb_gravity_potential_once(size_t n, const double *m, const double *x, double eps2, double *phi)
{
  potential((struct potential){.n = n, .end = n, .is_once = 1, .m = m, .x = x, .eps2 = eps2, .phi = phi});
}

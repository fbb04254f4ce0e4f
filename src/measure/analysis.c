#include "measure/analysis.h"

#include "base/mem.h"
#include "core/diagnostics.h"
#include "core/structure.h"

#include <math.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;

/* ---- motions ----------------------------------------------------------------------------------------- */

/* A system as seen from the center. */
struct seen {
  double r, m, vr2, vt2; /* squares of the radial and the tangential velocity */
  uint32_t i;
};

static struct seen see(const struct hb_particles *p, size_t i, const double x[3], const double v[3])
{
  double r2 = 0, v2 = 0, rv = 0;
  for (size_t k = 0; k < 3; k++) {
    double dx = p->x[3 * i + k] - x[k], dv = p->v[3 * i + k] - v[k];
    r2 += dx * dx;
    v2 += dv * dv;
    rv += dx * dv;
  }
  double vr2 = r2 > 0 ? rv * rv / r2 : 0;
  return (struct seen){sqrt(r2), p->m[i], vr2, fmax(v2 - vr2, 0), (uint32_t)i};
}

static struct hb_motion motion_of(const struct seen *s, size_t n)
{
  double m = 0, r = 0, t = 0;
  for (size_t k = 0; k < n; k++) {
    m += s[k].m;
    r += s[k].m * s[k].vr2;
    t += s[k].m * s[k].vt2 / 2;
  }
  return (struct hb_motion){sqrt((r + 2 * t) / (3 * m)), sqrt(r / m), sqrt(t / m), 1 - t / r};
}

static int by_radius(const void *a, const void *b)
{
  const struct seen *p = a, *q = b;
  return p->r != q->r ? (p->r > q->r) - (p->r < q->r) : (p->i > q->i) - (p->i < q->i);
}

static size_t within(const struct seen *s, size_t n, double r)
{
  size_t k = 0;
  while (k < n && s[k].r <= r) k++;
  return k;
}

/* ---- shells ------------------------------------------------------------------------------------------ */

/* Boundaries lie between two systems, the last one at the outermost. */
static void make_shells(const struct seen *s, size_t n, size_t most, struct hb_analysis *a)
{
  enum { LEAST = 10 };
  size_t count = n / LEAST < most ? n / LEAST : most;
  for (size_t k = 0; k < count; k++) {
    struct hb_shell *shell = a->shell + k;
    size_t from = k * n / count, to = (k + 1) * n / count;
    *shell = (struct hb_shell){.r_in = k ? shell[-1].r_out : 0,
                               .r_out = to < n ? (s[to - 1].r + s[to].r) / 2 : s[n - 1].r,
                               .r = s[(from + to) / 2].r,
                               .n = to - from,
                               .motion = motion_of(s + from, to - from)};
    for (size_t i = from; i < to; i++) shell->m += s[i].m;
    shell->rho = shell->m / (4 * PI / 3 * (pow(shell->r_out, 3) - pow(shell->r_in, 3)));
  }
  a->shells = count;
}

/* The half-mass radius among Lagrangian radii. */
static double half_of(const double r_lagrange[HB_LAGRANGE_COUNT])
{
  size_t k = 0;
  while (hb_lagrange_fractions()[k] != 0.5) k++;
  return r_lagrange[k];
}

static enum hb_status find_motions(const struct hb_structure *s, const double center[3], size_t shells,
                                   struct hb_analysis *a)
{
  const struct hb_particles *p = a->bound.systems;
  struct seen *seen;
  HB_TRY(HB_ALLOC(p->n, &seen));
  for (size_t i = 0; i < p->n; i++) seen[i] = see(p, i, center, s->v_mass);
  qsort(seen, p->n, sizeof *seen, by_radius);
  a->core = motion_of(seen, within(seen, p->n, s->r_core));
  a->half = motion_of(seen, within(seen, p->n, half_of(s->r_lagrange)));
  a->all = motion_of(seen, p->n);
  make_shells(seen, p->n, shells, a);
  hb_mem_free(seen);
  return HB_OK;
}

/* ---- core and classes -------------------------------------------------------------------------------- */

static enum hb_status find_core(const struct hb_particles *p, const struct hb_structure *s,
                                struct hb_analysis *a)
{
  struct hb_surroundings around;
  double sum = 0, sum2 = 0;
  enum hb_status status = hb_surroundings_find(p, &around);
  for (size_t i = 0; status == HB_OK && i < p->n; i++) {
    sum += around.rho[i];
    sum2 += around.rho[i] * around.rho[i];
    if (!(see(p, i, s->x_density, s->v_mass).r <= s->r_core)) continue;
    a->n_core++;
    a->m_core += p->m[i];
  }
  a->rho_core = isnan(s->r_core) ? NAN : sum2 / sum;
  hb_surroundings_clear(&around);
  return status;
}

static enum hb_status fill_class(const struct hb_particles *p, const double center[3],
                                 struct hb_mass_class *c)
{
  struct hb_particles *members;
  double *work;
  HB_TRY(hb_particles_copy(p, &members));
  for (size_t i = 0; i < p->n; i++) {
    if (!(p->m[i] >= c->least && p->m[i] < c->most)) continue;
    for (size_t k = 0; k < 3; k++) members->x[3 * c->n + k] = p->x[3 * i + k];
    members->m[c->n++] = p->m[i];
    c->m += p->m[i];
  }
  members->n = c->n;
  enum hb_status status = HB_ALLOC(2 * p->n, &work);
  for (size_t k = 0; k < HB_LAGRANGE_COUNT; k++) c->r_lagrange[k] = NAN;
  if (status == HB_OK && c->m > 0)
    hb_lagrangian_radii(members, center, HB_LAGRANGE_COUNT, hb_lagrange_fractions(), work, c->r_lagrange);
  hb_mem_free(work);
  hb_particles_destroy(members);
  return status;
}

static enum hb_status find_classes(const struct hb_particles *p, const struct hb_contents *c,
                                   const double center[3], size_t count, const double *limits,
                                   struct hb_analysis *a)
{
  const double mean = c->m / (double)p->n;
  double least = INFINITY;
  for (size_t i = 0; i < p->n; i++) least = fmin(least, p->m[i]);
  if (count == 0 && least < c->m_most) limits = &mean, count = 1;
  a->classes = count + 1;
  for (size_t k = 0; k <= count; k++) {
    a->class[k].least = k ? limits[k - 1] : 0;
    a->class[k].most = k < count ? limits[k] : INFINITY;
    HB_TRY(fill_class(p, center, a->class + k));
  }
  a->segregation = count ? half_of(a->class[0].r_lagrange) / half_of(a->class[count].r_lagrange) : NAN;
  return HB_OK;
}

/* ---- all of it --------------------------------------------------------------------------------------- */

enum hb_status hb_analysis_of(const struct hb_particles *p, const struct hb_contents *contents, size_t count,
                              const double *limits, size_t shells, struct hb_analysis *analysis)
{
  const struct hb_structure *s = &contents->structure;
  const double *center = isnan(s->r_core) ? s->x_mass : s->x_density;
  *analysis = (struct hb_analysis){.classes = 0};
  HB_TRY(hb_hierarchy_find(p, contents->eps * contents->eps, &analysis->bound));
  struct hb_particles *massive;
  HB_TRY(hb_particles_copy_massive(p, &massive));
  const struct hb_particles *stars = massive ? massive : p;
  enum hb_status status = find_core(stars, s, analysis);
  if (status == HB_OK) status = find_classes(stars, contents, center, count, limits, analysis);
  if (status == HB_OK) status = find_motions(s, center, shells, analysis);
  hb_particles_destroy(massive);
  return status;
}

void hb_analysis_clear(struct hb_analysis *analysis) { hb_hierarchy_clear(&analysis->bound); }

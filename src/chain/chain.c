/* State, energies, accelerations and order of a chain; see chain.h. What disturbs a chain from outside is in chain_tide.c, and how
 * it is advanced in bulirsch_stoer.c and kepler.c. */
#include "chain/chain.h"

#include "base/machine.h"
#include "chain/lanes.h"

#include <string.h>

void hb_chain_weigh(struct hb_chain *c)
{
  size_t massive = 0;
  for (size_t k = 0; k < c->n; k++) massive += c->m[k] > 0;
  c->w = massive > 0 && massive < c->n ? hb_chain_mass(c) / (double)massive : 0;
}

void hb_chain_from_center(const struct hb_chain *c, const double link[][3], double *q)
{
  double center[3] = {0}, M = hb_chain_mass(c);
  for (size_t i = 0; i < 3; i++) q[i] = 0;
  for (size_t k = 1; k < c->n; k++)
    for (size_t i = 0; i < 3; i++) {
      q[3 * k + i] = q[3 * k - 3 + i] + link[k - 1][i];
      center[i] += c->m[k] / M * q[3 * k + i];
    }
  for (size_t k = 0; k < c->n; k++)
    for (size_t i = 0; i < 3; i++) q[3 * k + i] -= center[i];
}

/* Room for the members of a chain and the unused lanes after them. */
enum { ROOM = HB_CHAIN_MOST + HB_LANES };

/* The links of a chain component by component, masses, and sums over pairs. */
struct pulls_in_lanes {
  double X[3][ROOM], m[ROOM];
  double in_U[ROOM];        /* masses in U, where those without mass have the mass w */
  double r[3][ROOM];        /* from member i to member i + s */
  double U[ROOM];           /* of the pairs i, i + s */
  double forward[3][ROOM];  /* accelerations of members i by members i + s */
  double backward[3][ROOM]; /* accelerations of members i + s by members i, with the other sign */
};

/* Adds the pulls of `count` pairs of members i and i + s. */
HB_CLONES static void pull_in_lanes(size_t count, size_t s, struct pulls_in_lanes *p)
{
  for (size_t from = 0; from < count; from += HB_LANES)
#pragma omp simd
    for (size_t i = from; i < from + HB_LANES; i++) {
      double x = p->r[0][i] + p->X[0][i + s - 1], y = p->r[1][i] + p->X[1][i + s - 1],
             z = p->r[2][i] + p->X[2][i + s - 1];
      double rinv2 = 1 / (x * x + y * y + z * z), rinv = sqrt(rinv2), rinv3 = rinv * rinv2;
      double by_i = p->m[i] * rinv3, by_k = p->m[i + s] * rinv3;
      p->U[i] += (p->m[i] > 0 ? p->m[i] * p->in_U[i + s] : p->in_U[i] * p->m[i + s]) * rinv;
      p->r[0][i] = x, p->r[1][i] = y, p->r[2][i] = z;
      p->forward[0][i] += by_k * x, p->forward[1][i] += by_k * y, p->forward[2][i] += by_k * z;
      p->backward[0][i + s] += by_i * x, p->backward[1][i + s] += by_i * y, p->backward[2][i + s] += by_i * z;
    }
}

/* Does what hb_chain_pull_members does, for many members: pairs i, i + s with the same s side by side. A pair adds one link to the
 * separation of the pair with the same i before it, so that no separation loses digits. */
static void pull_many(const struct hb_chain *c, const double X[][3], struct hb_chain_pulls *pulls)
{
  static const double unused = 1e60; /* link of an unused lane: so long that no sum of links is 0 */
  struct pulls_in_lanes p;
  const size_t n = c->n;
  for (size_t i = 0; i < n + HB_LANES; i++) {
    p.m[i] = i < n ? c->m[i] : 0;
    p.in_U[i] = i < n && c->m[i] == 0 ? c->w : p.m[i];
    p.U[i] = 0;
    for (size_t d = 0; d < 3; d++) {
      p.X[d][i] = i + 1 < n ? X[i][d] : unused;
      p.r[d][i] = p.forward[d][i] = p.backward[d][i] = 0;
    }
  }
  for (size_t s = 1; s < n; s++) pull_in_lanes(n - s, s, &p);
  pulls->U = 0;
  for (size_t i = 0; i < n; i++) {
    pulls->U += p.U[i];
    for (size_t d = 0; d < 3; d++) pulls->a[i][d] = p.forward[d][i] - p.backward[d][i];
  }
}

void hb_chain_pull_members(const struct hb_chain *c, const double X[][3], struct hb_chain_pulls *pulls)
{
  const size_t n = c->n;
  const double *m = c->m;
  double U = 0;
  if (n > HB_CHAIN_FEW) {
    pull_many(c, X, pulls);
    return;
  }
  for (size_t i = 0; i < n; i++) pulls->a[i][0] = pulls->a[i][1] = pulls->a[i][2] = 0;
  for (size_t i = 0; i + 1 < n; i++) {
    double r[3] = {0};
    for (size_t k = i + 1; k < n; k++) {
      for (size_t d = 0; d < 3; d++) r[d] += X[k - 1][d];
      double r2 = hb_dot(r, r), rinv2 = 1 / r2, rinv = sqrt(rinv2), rinv3 = rinv * rinv2;
      U += hb_chain_product(c, i, k) * rinv;
      for (size_t d = 0; d < 3; d++) {
        pulls->a[i][d] += m[k] * rinv3 * r[d];
        pulls->a[k][d] -= m[i] * rinv3 * r[d];
      }
    }
  }
  pulls->U = U;
}

/* Returns sum m v^2 / 2 relative to the center of mass, in which members without mass have the mass w. */
static double kinetic_of_many(const struct hb_chain *c, const double V[][3])
{
  double v[3 * HB_CHAIN_MOST], sum = 0;
  hb_chain_from_center(c, V, v);
  for (size_t k = 0; k < c->n; k++) sum += (c->m[k] > 0 ? c->m[k] : c->w) * hb_dot(v + 3 * k, v + 3 * k);
  return sum / 2;
}

/* Returns sum w v^2 / 2 of the members without mass. */
static double kinetic_of_massless(const struct hb_chain *c, const double V[][3])
{
  double v[3 * HB_CHAIN_MOST], sum = 0;
  hb_chain_from_center(c, V, v);
  for (size_t k = 0; k < c->n; k++)
    if (c->m[k] == 0) sum += c->w * hb_dot(v + 3 * k, v + 3 * k);
  return sum / 2;
}

double hb_chain_kinetic(const struct hb_chain *c, const double V[][3])
{
  double M = 0, sum = 0;
  if (c->n > HB_CHAIN_FEW) return kinetic_of_many(c, V);
  for (size_t i = 0; i < c->n; i++) {
    double v[3] = {0};
    M += c->m[i];
    for (size_t k = i + 1; k < c->n; k++) {
      for (size_t d = 0; d < 3; d++) v[d] += V[k - 1][d];
      sum += c->m[i] * c->m[k] * hb_dot(v, v);
    }
  }
  return c->w > 0 ? sum / (2 * M) + kinetic_of_massless(c, V) : sum / (2 * M);
}

/* Returns the acceleration by member l at r along the velocity of that member; 0 if it has no mass. */
static double work_of(const struct hb_chain *c, size_t l, const double *v, const double r[3])
{
  double r2 = hb_dot(r, r);
  return c->m[l] > 0 ? c->m[l] / (r2 * sqrt(r2)) * hb_dot(v + 3 * l, r) : 0;
}

/* Returns the part of hb_chain_work that a member k without mass has: w times f along its own velocity, and w times the acceleration
 * by each member with mass along the velocity of that member. */
static double work_on_massless(const struct hb_chain *c, const double X[][3], const double *v, size_t k,
                               const double f[3])
{
  double sum = hb_dot(v + 3 * k, f), r[3];
  for (size_t l = 0; l < c->n; l++) {
    if (!(c->m[l] > 0)) continue;
    hb_chain_between(X, k, l, r);
    sum += work_of(c, l, v, r);
  }
  return c->w * sum;
}

/* Does what work_on_massless does, for many members: each separation is one link longer than the one before. */
static double work_on_massless_of_many(const struct hb_chain *c, const double X[][3], const double *v,
                                       size_t k, const double f[3])
{
  double sum = hb_dot(v + 3 * k, f), r[3] = {0};
  for (size_t l = k; l-- > 0;) {
    for (size_t i = 0; i < 3; i++) r[i] -= X[l][i];
    sum += work_of(c, l, v, r);
  }
  r[0] = r[1] = r[2] = 0;
  for (size_t l = k + 1; l < c->n; l++) {
    for (size_t i = 0; i < 3; i++) r[i] += X[l - 1][i];
    sum += work_of(c, l, v, r);
  }
  return c->w * sum;
}

double hb_chain_work(const struct hb_chain *c, const double X[][3], const double V[][3], double f[][3])
{
  double v[3 * HB_CHAIN_MOST] = {0}, sum = 0; /* relative to the first member, since sum m f = 0 */
  for (size_t k = 1; k < c->n; k++) {
    for (size_t i = 0; i < 3; i++) v[3 * k + i] = v[3 * k - 3 + i] + V[k - 1][i];
    sum += c->m[k] * hb_dot(v + 3 * k, f[k]);
  }
  if (c->w > 0) hb_chain_from_center(c, V, v);
  for (size_t k = 0; k < c->n && c->w > 0; k++)
    if (c->m[k] == 0)
      sum += (c->n > HB_CHAIN_FEW ? work_on_massless_of_many : work_on_massless)(c, X, v, k, f[k]);
  return sum;
}

double hb_chain_rate(size_t n, const double *m, const double X[][3], const double V[][3])
{
  double largest = 0;
  for (size_t k = 0; k + 1 < n; k++) {
    double r2 = hb_dot(X[k], X[k]), v2 = hb_dot(V[k], V[k]);
    double fall = (m[k] + m[k + 1]) / (r2 * sqrt(r2)), pass = v2 / r2;
    double rate = fall > pass ? fall : pass;
    if (rate > largest) largest = rate;
  }
  return sqrt(largest);
}

double hb_chain_slope(const struct hb_chain *c, const double X[][3], const double V[][3])
{
  double slope = 0;
  for (size_t i = 0; i + 1 < c->n; i++) {
    double r[3] = {0}, v[3] = {0};
    for (size_t k = i + 1; k < c->n; k++) {
      for (size_t d = 0; d < 3; d++) r[d] += X[k - 1][d], v[d] += V[k - 1][d];
      double r2 = hb_dot(r, r);
      slope -= hb_chain_product(c, i, k) * hb_dot(r, v) / (r2 * sqrt(r2));
    }
  }
  return slope;
}

/* ---- order ---- */

/* Sets r2 to the squared distances between all members. */
static void separations(const struct hb_chain *c, double r2[HB_CHAIN_MOST][HB_CHAIN_MOST])
{
  for (size_t i = 0; i < c->n; i++) {
    double r[3] = {0};
    for (size_t k = i + 1; k < c->n; k++) {
      for (size_t d = 0; d < 3; d++) r[d] += c->X[k - 1][d];
      r2[i][k] = r2[k][i] = hb_dot(r, r);
    }
  }
}

/* Finds the order of a chain: the closest two, and then always the member closest to either end, at that end. */
static void find_order(size_t n, double r2[HB_CHAIN_MOST][HB_CHAIN_MOST], size_t order[HB_CHAIN_MOST])
{
  size_t two_ends[2 * HB_CHAIN_MOST], first = HB_CHAIN_MOST, last = HB_CHAIN_MOST + 1;
  int is_in[HB_CHAIN_MOST] = {0};
  size_t *at = two_ends, a = 0, b = 1;
  for (size_t i = 0; i < n; i++)
    for (size_t k = i + 1; k < n; k++)
      if (r2[i][k] < r2[a][b]) a = i, b = k;
  at[first] = a, at[last] = b;
  is_in[a] = is_in[b] = 1;
  while (last - first + 1 < n) {
    size_t next = n, front = 0;
    double least = INFINITY;
    for (size_t k = 0; k < n; k++) {
      if (is_in[k]) continue;
      double to_first = r2[at[first]][k], to_last = r2[at[last]][k];
      double r = to_first < to_last ? to_first : to_last;
      if (next == n || r < least) least = r, next = k, front = to_first < to_last;
    }
    at[front ? --first : ++last] = next;
    is_in[next] = 1;
  }
  for (size_t k = 0; k < n; k++) order[k] = at[first + k];
}

static int is_same_order(size_t n, const size_t order[HB_CHAIN_MOST])
{
  int same = 1, reversed = 1;
  for (size_t k = 0; k < n; k++) {
    if (order[k] != k) same = 0;
    if (order[k] != n - 1 - k) reversed = 0;
  }
  return same || reversed;
}

/* Puts the members in this order. New links are sums of old ones. */
static void put_in_order(struct hb_chain *c, const size_t order[HB_CHAIN_MOST])
{
  struct hb_chain old;
  hb_chain_copy(c, &old);
  for (size_t k = 0; k < c->n; k++) {
    c->m[k] = old.m[order[k]];
    c->member[k] = old.member[order[k]];
  }
  for (size_t k = 0; k + 1 < c->n; k++) {
    hb_chain_between(old.X, order[k], order[k + 1], c->X[k]);
    hb_chain_between(old.V, order[k], order[k + 1], c->V[k]);
  }
}

void hb_chain_sort(struct hb_chain *c)
{
  double r2[HB_CHAIN_MOST][HB_CHAIN_MOST];
  size_t order[HB_CHAIN_MOST];
  if (c->n < 3) return;
  separations(c, r2);
  find_order(c->n, r2, order);
  if (!is_same_order(c->n, order)) put_in_order(c, order);
}

/* ---- making ---- */

void hb_chain_start(struct hb_chain *c)
{
  static const double share = 1. / 16;
  struct hb_chain_pulls pulls;
  c->B = c->ds = c->w = 0;
  c->rows = HB_CHAIN_ROWS_FIRST;
  if (c->n < 2) return;
  hb_chain_weigh(c);
  hb_chain_pull_members(c, c->X, &pulls);
  c->B = pulls.U - hb_chain_kinetic(c, c->V);
  c->ds = share * pulls.U / hb_chain_rate(c->n, c->m, c->X, c->V);
}

/* Sets the members and masses of a chain. Of its links the first one becomes 0, and the others are not set; all other numbers are 0. */
static void begin(size_t n, const uint32_t *member, const double *m, struct hb_chain *c)
{
  memset(c, 0, offsetof(struct hb_chain, member));
  c->n = n;
  memcpy(c->member, member, n * sizeof *member);
  memcpy(c->m, m, n * sizeof *m);
  memset(c->X, 0, sizeof *c->X);
  memset(c->V, 0, sizeof *c->V);
}

void hb_chain_make(size_t n, const uint32_t *member, const double *m, const double *x, const double *v,
                   struct hb_chain *chain)
{
  begin(n, member, m, chain);
  for (size_t k = 1; k < n; k++)
    for (size_t i = 0; i < 3; i++) {
      chain->X[k - 1][i] = x[3 * k + i] - x[3 * k - 3 + i];
      chain->V[k - 1][i] = v[3 * k + i] - v[3 * k - 3 + i];
    }
  hb_chain_sort(chain);
  hb_chain_start(chain);
}

void hb_chain_extract(const struct hb_chain *chain, size_t first, size_t n, struct hb_chain *part)
{
  begin(n, chain->member + first, chain->m + first, part);
  memcpy(part->X, chain->X + first, (n - 1) * sizeof *part->X);
  memcpy(part->V, chain->V + first, (n - 1) * sizeof *part->V);
  hb_chain_start(part);
}

/* Returns 2 a of members k and k + 1; INFINITY if they are unbound, or one of them has no mass or is in a marked pair. */
static double span_of_unmarked(const struct hb_chain *c, const uint8_t *is_first, size_t k)
{
  if (is_first[k] || (k > 0 && is_first[k - 1]) || (k + 2 < c->n && is_first[k + 1])) return INFINITY;
  double M = c->m[k] + c->m[k + 1], span = 2 / (2 / hb_norm(c->X[k]) - hb_dot(c->V[k], c->V[k]) / M);
  return span > 0 && c->m[k] > 0 && c->m[k + 1] > 0 ? span : INFINITY;
}

void hb_chain_mark_pairs(const struct hb_chain *c, uint8_t is_first[HB_CHAIN_MOST])
{
  for (;;) {
    size_t best = c->n;
    double least = INFINITY;
    for (size_t k = 0; k + 1 < c->n; k++) {
      double span = span_of_unmarked(c, is_first, k);
      if (span < least) best = k, least = span;
    }
    if (best == c->n) return;
    is_first[best] = 1;
  }
}

void hb_chain_places(const struct hb_chain *chain, double *x, double *v)
{
  hb_chain_from_center(chain, chain->X, x);
  hb_chain_from_center(chain, chain->V, v);
}

double hb_chain_binding(const struct hb_chain *chain)
{
  struct hb_chain_pulls pulls;
  if (chain->n < 2) return 0;
  hb_chain_pull_members(chain, chain->X, &pulls);
  return pulls.U - hb_chain_kinetic(chain, chain->V);
}

double hb_chain_energy(const struct hb_chain *chain)
{
  struct hb_chain massive;
  hb_chain_copy(chain, &massive);
  massive.w = 0;
  return -hb_chain_binding(&massive);
}

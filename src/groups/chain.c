#include "groups/chain.h"

#include "groups/chain_pulls.h"

#include <math.h>
#include <string.h>

/* ---- the order of the chain ---- */

/* |r|^2 between any two members. */
static void separations(const struct hb_chain *c, double r2[HB_CHAIN_MOST][HB_CHAIN_MOST])
{
  for (size_t i = 0; i < c->n; i++)
    for (size_t k = i + 1; k < c->n; k++) {
      double r[3];
      hb_chain_between(c->X, i, k, r);
      r2[i][k] = r2[k][i] = hb_chain_dot(r, r);
    }
}

/* The closest two, then always the one closest to either end, at that end. */
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

/* New links are sums of old ones. */
static void put_in_order(struct hb_chain *c, const size_t order[HB_CHAIN_MOST])
{
  const struct hb_chain old = *c;
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

/* B, and a first step: a small part of the shortest time in which a link changes. */
static void start(struct hb_chain *c)
{
  static const double part = 1. / 16;
  struct hb_chain_pulls pulls;
  c->B = c->ds = c->w = 0;
  c->rows = HB_CHAIN_ROWS_FIRST;
  if (c->n < 2) return;
  hb_chain_weigh(c);
  hb_chain_pull(c, c->X, &pulls);
  c->B = pulls.U - hb_chain_kinetic(c, c->V);
  c->ds = part * pulls.U / hb_chain_rate(c->n, c->m, c->X, c->V);
}

void hb_chain_make(size_t n, const uint32_t *member, const double *m, const double *x, const double *v,
                   struct hb_chain *chain)
{
  struct hb_chain c = {.n = n};
  for (size_t k = 0; k < n; k++) {
    c.member[k] = member[k];
    c.m[k] = m[k];
    for (size_t i = 0; i < 3 && k > 0; i++) {
      c.X[k - 1][i] = x[3 * k + i] - x[3 * k - 3 + i];
      c.V[k - 1][i] = v[3 * k + i] - v[3 * k - 3 + i];
    }
  }
  hb_chain_sort(&c);
  start(&c);
  *chain = c;
}

void hb_chain_part(const struct hb_chain *chain, size_t first, size_t n, struct hb_chain *part)
{
  struct hb_chain c = {.n = n};
  memcpy(c.member, chain->member + first, n * sizeof *c.member);
  memcpy(c.m, chain->m + first, n * sizeof *c.m);
  memcpy(c.X, chain->X + first, (n - 1) * sizeof *c.X);
  memcpy(c.V, chain->V + first, (n - 1) * sizeof *c.V);
  start(&c);
  *part = c;
}

/* ---- facts ---- */

void hb_chain_places(const struct hb_chain *chain, double *x, double *v)
{
  hb_chain_from_center(chain, chain->X, x);
  hb_chain_from_center(chain, chain->V, v);
}

/* What member k feels from the others. */
static void pull_on(const struct hb_chain *c, size_t k, struct hb_chain_point *p)
{
  for (size_t l = 0; l < c->n; l++) {
    double r[3], v[3];
    if (l == k) continue;
    hb_chain_between(c->X, k, l, r);
    hb_chain_between(c->V, k, l, v);
    double r2 = hb_chain_dot(r, r), mr3 = c->m[l] / (r2 * sqrt(r2)), s = 3 * hb_chain_dot(r, v) / r2;
    for (size_t i = 0; i < 3; i++) p->a[i] += mr3 * r[i], p->j[i] += mr3 * (v[i] - s * r[i]);
  }
}

static void add_point(const struct hb_chain_point *more, struct hb_chain_point *p)
{
  double M = p->m + more->m, share = more->m / M;
  for (size_t i = 0; i < 3; i++) {
    p->x[i] += share * (more->x[i] - p->x[i]), p->v[i] += share * (more->v[i] - p->v[i]);
    p->a[i] += share * (more->a[i] - p->a[i]), p->j[i] += share * (more->j[i] - p->j[i]);
  }
  p->m = M;
}

size_t hb_chain_parts(const struct hb_chain *c, double least, struct hb_chain_point *point)
{
  double x[3 * HB_CHAIN_MOST], v[3 * HB_CHAIN_MOST];
  size_t points = 0, last = 0;
  hb_chain_places(c, x, v);
  for (size_t k = 0; k < c->n; k++) {
    struct hb_chain_point p = {.m = c->m[k]};
    double r[3];
    if (c->m[k] == 0) continue; /* nobody feels it */
    memcpy(p.x, x + 3 * k, sizeof p.x);
    memcpy(p.v, v + 3 * k, sizeof p.v);
    pull_on(c, k, &p);
    hb_chain_between(c->X, last, k, r);
    if (points > 0 && hb_chain_dot(r, r) < least * least)
      add_point(&p, point + points - 1);
    else
      point[points++] = p;
    last = k;
  }
  return points;
}

double hb_chain_span(const struct hb_chain *chain)
{
  return chain->B > 0 ? hb_chain_product(chain, 0, 1) / chain->B : INFINITY;
}

double hb_chain_binding(const struct hb_chain *chain)
{
  struct hb_chain_pulls pulls;
  if (chain->n < 2) return 0;
  hb_chain_pull(chain, chain->X, &pulls);
  return pulls.U - hb_chain_kinetic(chain, chain->V);
}

double hb_chain_energy(const struct hb_chain *chain)
{
  struct hb_chain massive = *chain;
  massive.w = 0;
  return -hb_chain_binding(&massive);
}

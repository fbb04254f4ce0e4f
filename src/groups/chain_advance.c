/* Advancing a chain: the leapfrog of chain.h, the Gragg-Bulirsch-Stoer extrapolation of its results (Hairer, Norsett &
 * Wanner 1993, II.9), and landing at a given time. */
#include "groups/chain_pulls.h"

#include <math.h>
#include <string.h>

/* Relative, in a step: some times the rounding of the extrapolation. */
static const double tolerance = 1.5e-14;

/* ---- the leapfrog ---- */

/* What a step adds to links, their velocities, time and B. */
enum { LINKS = HB_CHAIN_MOST - 1 };
struct change {
  double X[LINKS][3], V[LINKS][3];
  double t, B;
};

/* One call of hb_chain_advance. */
struct advance {
  struct hb_chain *c;
  const struct hb_chain_tide *tide;
  double t; /* since its beginning */
  uint64_t forces;
};

static void add(size_t links, const double link[][3], const double more[][3], double sum[][3])
{
  for (size_t k = 0; k < links; k++)
    for (size_t i = 0; i < 3; i++) sum[k][i] = link[k][i] + more[k][i];
}

/* Kicks by ds, or, where that is 0, by the time dt; d is what was added since the start of the step. */
static void kick(struct advance *s, double ds, double dt, struct change *d)
{
  const struct hb_chain *c = s->c;
  size_t links = c->n - 1;
  double X[LINKS][3], middle[LINKS][3], f[HB_CHAIN_MOST][3] = {{0}};
  struct hb_chain_pulls pulls;
  add(links, s->c->X, d->X, X);
  hb_chain_pull(c, X, &pulls);
  s->forces++;
  if (ds != 0) dt = ds / pulls.U;
  int is_pulled = hb_chain_is_pulled(s->tide);
  if (is_pulled) {
    hb_chain_others(c, s->tide, X, s->t + d->t, f);
    for (size_t k = 0; k < c->n; k++)
      for (size_t i = 0; i < 3; i++) pulls.a[k][i] += f[k][i];
  }
  for (size_t k = 0; k < links; k++)
    for (size_t i = 0; i < 3; i++) {
      double dV = dt * (pulls.a[k + 1][i] - pulls.a[k][i]);
      middle[k][i] = s->c->V[k][i] + (d->V[k][i] + dV / 2);
      d->V[k][i] += dV;
    }
  if (is_pulled || c->w > 0) d->B -= dt * hb_chain_work(c, X, middle, f);
}

static void drift(const struct advance *s, double ds, double dt, struct change *d)
{
  const struct hb_chain *c = s->c;
  double V[LINKS][3];
  add(c->n - 1, s->c->V, d->V, V);
  if (ds != 0) dt = ds / (hb_chain_kinetic(c, V) + (s->c->B + d->B));
  for (size_t k = 0; k + 1 < c->n; k++)
    for (size_t i = 0; i < 3; i++) d->X[k][i] += dt * V[k][i];
  d->t += dt;
}

/* ds in `count` steps: what they add. */
static void leapfrog(struct advance *s, double ds, size_t count, struct change *d)
{
  double h = ds / (double)count;
  memset(d, 0, sizeof *d);
  drift(s, h / 2, 0, d);
  for (size_t k = 0; k < count; k++) {
    kick(s, h, 0, d);
    drift(s, k + 1 < count ? h : h / 2, 0, d);
  }
}

/* ---- extrapolation ---- */

/* Steps of the leapfrog in each row. With 1, 2, 3, ... throughout, ten rows would multiply rounding errors by 550; here it
 * is 75. */
static const unsigned char count_of[HB_CHAIN_ROWS_MOST] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 14};

/* Forces of the rows up to this one. */
static double cost(size_t row)
{
  unsigned sum = 0;
  for (size_t k = 0; k <= row; k++) sum += count_of[k];
  return sum;
}

static double larger(double p, double q) { return p > q ? p : q; }

static double norm(const double p[3]) { return sqrt(hb_chain_dot(p, p)); }

/* Where members are as fast as that, T + B has lost the digits of U, and with them times and B. */
static const double fast = 64; /* T / U */

/* The largest difference between two results of a step, relative to what is there at its end. */
static double difference(const struct advance *s, const struct change *p, const struct change *q)
{
  const struct hb_chain *c = s->c;
  double most = 0, U = 0, lost;
  for (size_t k = 0; k + 1 < c->n; k++) {
    double X[3], V[3], dX[3], dV[3];
    for (size_t i = 0; i < 3; i++) {
      X[i] = c->X[k][i] + q->X[k][i], dX[i] = p->X[k][i] - q->X[k][i];
      V[i] = c->V[k][i] + q->V[k][i], dV[i] = p->V[k][i] - q->V[k][i];
    }
    double m = c->m[k] + c->m[k + 1], r = norm(X), fall = sqrt((m > 0 ? m : c->w) / r);
    most = larger(most, larger(norm(dX) / r, norm(dV) / larger(norm(V), fall)));
    U += hb_chain_product(c, k, k + 1) / r;
  }
  lost = larger(1, hb_chain_kinetic(c, s->c->V) / (fast * U));
  return larger(most, larger(fabs(p->t - q->t) / fabs(q->t), fabs(p->B - q->B) / U) / lost);
}

/* x^(1/p), to a few digits: near 2^(e/p), then Newton's iteration. All of it from operations that are the same everywhere. */
static double root(double x, int p)
{
  int e;
  frexp(x, &e);
  int whole = e >= 0 ? e / p : -((p - 1 - e) / p);
  double y = ldexp(1 + (double)(e - whole * p) / p, whole);
  for (int k = 0; k < 6; k++) {
    double power = 1;
    for (int i = 1; i < p; i++) power *= y;
    y = ((p - 1) * y + x / power) / p;
  }
  return y;
}

/* out = p + weight (p - q) */
static void combine(size_t links, double weight, const struct change *p, const struct change *q,
                    struct change *out)
{
  for (size_t k = 0; k < links; k++)
    for (size_t i = 0; i < 3; i++) {
      out->X[k][i] = p->X[k][i] + weight * (p->X[k][i] - q->X[k][i]);
      out->V[k][i] = p->V[k][i] + weight * (p->V[k][i] - q->V[k][i]);
    }
  out->t = p->t + weight * (p->t - q->t);
  out->B = p->B + weight * (p->B - q->B);
}

/* Aitken and Neville: table[0 .. row - 1] is the row before, T_(row - 1, k), and table[row] the new result of the leapfrog;
 * afterwards it is this row. Powers of the step are even. */
static void extrapolate(size_t links, size_t row, struct change *table)
{
  struct change now = table[row], better;
  for (size_t k = 1; k <= row; k++) {
    double ratio = (double)count_of[row] / count_of[row - k];
    combine(links, 1 / (ratio * ratio - 1), &now, table + k - 1, &better);
    table[k - 1] = now;
    now = better;
  }
  table[row] = now;
}

/* How a step by ds went: its result, the rows that it took, and the step and number of rows that cost least from here. */
struct step {
  struct change d;
  int is_accepted;
  double ds;
  size_t rows;
};

/* The factor on a step after an error in this row, whose order in the step is 2 row + 1. */
static double factor(size_t row, double error)
{
  static const double safety = 0.9, most = 4;
  double by = error > 0 ? safety * root(tolerance / error, 2 * (int)row + 1) : most;
  return by > most ? most : by;
}

/* Rounding errors are not extrapolated away: two rows that differ by this much and no less than before are accepted. */
static const double rounding = 2 * tolerance;

/* Whether the errors, which so far decrease by this ratio, will still be too large some rows later. */
static int is_hopeless(double before, double error, size_t rows)
{
  static const double faster = 0.01; /* the ratio becomes smaller in later rows */
  double ratio = error / before;
  for (; rows > 0; rows--) error *= ratio;
  return before < INFINITY && error * faster > tolerance;
}

/* One row more than expected is tried; the next step may have one more than were needed, if that promises to be cheaper. */
static void try_step(struct advance *s, double ds, size_t rows, struct step *step)
{
  struct change table[HB_CHAIN_ROWS_MOST];
  size_t links = s->c->n - 1, last = rows < HB_CHAIN_ROWS_MOST ? rows + 1 : HB_CHAIN_ROWS_MOST;
  double least_cost = INFINITY, before = INFINITY;
  *step = (struct step){.ds = ds / 2, .rows = rows};
  for (size_t row = 0; row < last && !step->is_accepted; row++) {
    leapfrog(s, ds, count_of[row], table + row);
    if (row == 0) continue;
    extrapolate(links, row, table);
    double error = difference(s, table + row - 1, table + row), by = factor(row, error);
    if (!isfinite(error)) return;
    step->is_accepted = error <= tolerance || (error <= rounding && error > before / 2);
    step->d = table[row];
    if (!step->is_accepted && is_hopeless(before, error, last - 1 - row)) last = row + 1;
    before = error;
    if (step->is_accepted && row + 1 < HB_CHAIN_ROWS_LEAST) step->ds = 4 * ds;
    if (row + 1 < HB_CHAIN_ROWS_LEAST || cost(row) / by > least_cost) continue;
    least_cost = cost(row) / by;
    step->ds = ds * by;
    step->rows = row + 1;
  }
  if (!step->is_accepted || step->rows == HB_CHAIN_ROWS_MOST || step->rows > rows) return;
  step->ds *= cost(step->rows) / cost(step->rows - 1);
  step->rows++;
}

/* Members that are no neighbors, k and those after k + 1: others bend their way, so that only where they are after d tells. */
static void notice_overlap(struct advance *s, const struct change *d, size_t k)
{
  struct hb_chain *c = s->c;
  double r[3] = {0};
  for (size_t l = k + 1; l < c->n; l++) {
    double reach = s->tide->radius[c->member[k]] + s->tide->radius[c->member[l]];
    for (size_t i = 0; i < 3; i++) r[i] += c->X[l - 1][i] + d->X[l - 1][i];
    int is_pair = l > k + 1 && hb_chain_product(c, k, l) > 0;
    if (is_pair && hb_chain_dot(r, r) < reach * reach) hb_chain_meet(c, k, l);
  }
}

/* Members that touch while d is added; of two alone hb_groups_* knows (groups_advance.c). */
static void notice_touch(struct advance *s, const struct change *d)
{
  struct hb_chain *c = s->c;
  for (size_t k = 0; k + 1 < c->n && s->tide->radius && c->n > 2; k++) {
    double X[3], V[3], reach = s->tide->radius[c->member[k]] + s->tide->radius[c->member[k + 1]];
    for (size_t i = 0; i < 3; i++) X[i] = c->X[k][i] + d->X[k][i], V[i] = c->V[k][i] + d->V[k][i];
    notice_overlap(s, d, k);
    if (hb_chain_product(c, k, k + 1) == 0 ||
        !hb_chain_touches(c->m[k] + c->m[k + 1], reach, d->t, c->X[k], c->V[k], X, V))
      continue;
    hb_chain_meet(c, k, k + 1);
    if (c->touched[0] == c->touched[1]) c->touched[0] = c->member[k], c->touched[1] = c->member[k + 1];
  }
}

static void take(struct advance *s, const struct change *d)
{
  notice_touch(s, d);
  add(s->c->n - 1, s->c->X, d->X, s->c->X);
  add(s->c->n - 1, s->c->V, d->V, s->c->V);
  s->c->B += d->B;
  s->t += d->t;
  hb_chain_sort(s->c);
}

/* ---- landing ---- */

/* The step in s for the time `rest`: the integral of U, to the second order where that converges. */
static double step_for(const struct hb_chain *c, double rest)
{
  double U = hb_chain_kinetic(c, c->V) + c->B, slope = hb_chain_U_slope(c, c->X, c->V);
  return rest * (fabs(slope * rest) < U ? U + rest / 2 * slope : U);
}

/* A leapfrog in physical time errs by (dt rate)^3, relative: this near to the end it is exact. */
static const double near = 1e-5;

static void land(struct advance *s, double rest)
{
  struct change d = {0};
  drift(s, 0, rest / 2, &d);
  kick(s, 0, rest, &d);
  drift(s, 0, rest / 2, &d);
  take(s, &d);
}

/* Steps end before or after the time dt, ever nearer to it; the chain keeps the length of those that did not aim at it. */
static enum hb_status go_to(struct advance *s, double dt)
{
  enum { ATTEMPTS = 64 };
  struct hb_chain *c = s->c;
  struct step step;
  size_t rejected = 0, steps = 0;
  for (;;) {
    double rest = dt - s->t;
    if (rest == 0) return HB_OK;
    if (fabs(rest) * hb_chain_rate(c->n, c->m, c->X, c->V) < near) break;
    double aimed = step_for(c, rest);
    int is_aimed = fabs(aimed) < c->ds;
    try_step(s, is_aimed ? aimed : rest < 0 ? -c->ds : c->ds, c->rows, &step);
    rejected = step.is_accepted ? 0 : rejected + 1;
    steps++;
    if (!step.is_accepted || !is_aimed) c->ds = fabs(step.ds), c->rows = step.rows;
    if (step.is_accepted) take(s, &step.d);
    if (rejected == ATTEMPTS || hb_chain_is_endless(steps, s->t, dt))
      return hb_fail(HB_ERR_NUMERIC,
                     "the encounter of particles %u and %u cannot be integrated: its steps vanish",
                     c->member[0], c->member[1]);
  }
  land(s, dt - s->t);
  return HB_OK;
}

enum hb_status hb_chain_advance(struct hb_chain *chain, double dt, const struct hb_chain_tide *tide,
                                uint64_t *forces)
{
  static const struct hb_chain_tide none = {0};
  struct advance s = {.c = chain, .tide = tide ? tide : &none};
  enum hb_status status = chain->n > 1 && dt > 0 ? go_to(&s, dt) : HB_OK;
  if (forces) *forces += s.forces;
  return status;
}

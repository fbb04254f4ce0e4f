/* The Runge-Kutta method of many_revolutions.h.
 *
 * The state y is that of all orbits, the outer one as X and V describe it at the instant and the inner ones as means, at times that are
 * whole revolutions apart. A revolution is the period T of the outer orbit at the start, and adds g(y) to y. The sum over N
 * revolutions is N (b1 k1 + b2 k2 + b3 k3 + b4 k4), with
 *
 *   k1 = g(y)    k2 = g(y + N c2 k1)    k3 = g(y + N (c3 - a32) k1 + N a32 k2)    k4 = g(y + N (c4 - a42 - a43) k1 + N a42 k2 + N a43 k3)
 *
 * A polynomial P(k / N) up to the third degree is summed up rightly by
 *
 *   sum b = 1    sum b c = (1 - x) / 2    sum b c^2 = (1 - x) (2 - x) / 6    sum b c^3 = (1 - x)^2 / 4        x = 1 / N
 *
 * and the method is of fourth order in N g if in addition c4 = 1 - x, b4 a43 = b3 (1 - x - c3), b3 a32 + b4 a42 = b2 (1 - x - c2) and
 * b3 c3 a32 c2 + b4 c4 (a42 c2 + a43 c3) = (1 - x) (1 - 2x) (3 - x) / 24. For x = 0 these are the conditions of Kutta's methods for
 * differential equations. The error is estimated from the sum of second order without k4. */
#include "chain/many_revolutions.h"

#include <string.h>

static const double two_pi = 6.28318530717958647693;

enum { ORBITS_MOST = 3, ELEMENTS = HB_MEAN_ORBIT_ELEMENTS, STAGES = 4 };

/* Orbits of two nodes: the outer one, and that of each node that is a binary. */
struct state {
  size_t count;
  struct hb_mean_orbit orbit[ORBITS_MOST];
  double worked; /* binding energy of the nodes less what was adjusted: the work of forces from outside */
  double radiated, lost;
};

/* Increments of a state. */
struct change {
  double of_orbit[ORBITS_MOST][ELEMENTS];
  double worked, radiated, lost;
};

/* ---- states ---- */

/* Sets the state of the nodes. Returns 0 if the outer orbit is unbound. */
static int read_state(const struct hb_inner_binaries *b, struct state *s)
{
  const struct hb_chain *c = &b->chain;
  s->count = 1;
  for (size_t k = 0; k < c->n; k++)
    if (b->node[c->member[k]].n > 1) s->orbit[s->count++] = b->node[c->member[k]].mean;
  s->worked = c->B - b->adjusted, s->radiated = b->radiated, s->lost = c->lost;
  return hb_mean_orbit_osculating(c, s->orbit);
}

/* Sets the nodes from a state at the time t. */
static void write_state(const struct state *s, double t, struct hb_inner_binaries *b)
{
  struct hb_chain *c = &b->chain;
  size_t next = 1;
  hb_mean_orbit_place(s->orbit, c);
  for (size_t k = 0; k < c->n; k++)
    if (b->node[c->member[k]].n > 1) b->node[c->member[k]].mean = s->orbit[next++];
  b->radiated = s->radiated, c->lost = s->lost;
  hb_inner_binaries_place(b, t);
  b->adjusted = c->B - s->worked;
}

/* Sets `more` to the increments from one state to another one, a time dt later. Mean motions are those of `start`. Returns 0 if they are too large. */
static int difference(const struct state *start, const struct state *from, const struct state *to, double dt,
                      struct change *more)
{
  for (size_t k = 0; k < from->count; k++)
    if (!hb_mean_orbit_difference(from->orbit + k, to->orbit + k, start->orbit[k].n, dt, more->of_orbit[k]))
      return 0;
  more->worked = to->worked - from->worked;
  more->radiated = to->radiated - from->radiated;
  more->lost = to->lost - from->lost;
  return 1;
}

/* Sets sum to the first `count` of the changes k times their weights. */
static void combine(const struct state *s, const double *weight, size_t count, const struct change *k,
                    struct change *sum)
{
  memset(sum, 0, sizeof *sum);
  for (size_t i = 0; i < count; i++) {
    for (size_t o = 0; o < s->count; o++)
      for (size_t q = 0; q < ELEMENTS; q++) sum->of_orbit[o][q] += weight[i] * k[i].of_orbit[o][q];
    sum->worked += weight[i] * k[i].worked;
    sum->radiated += weight[i] * k[i].radiated;
    sum->lost += weight[i] * k[i].lost;
  }
}

/* Returns a state plus a change over the time dt. Where that is not a whole number of revolutions, the place in the outer orbit is still
 * the same but for the change. */
static struct state add(const struct state *start, double dt, const struct change *more)
{
  struct state s = *start;
  for (size_t k = 0; k < s.count; k++)
    hb_mean_orbit_add(s.orbit + k, k == 0 ? 0 : start->orbit[k].n, dt, more->of_orbit[k]);
  s.worked += more->worked, s.radiated += more->radiated, s.lost += more->lost;
  return s;
}

/* Returns the largest change of an orbit's size, shape or direction. */
static double size_of(const struct state *s, const struct change *d)
{
  double most = 0;
  for (size_t k = 0; k < s->count; k++) {
    const double *more = d->of_orbit[k], *y = s->orbit[k].y;
    double shape = hb_norm(more + HB_MEAN_ORBIT_ECC) + hb_norm(more + HB_MEAN_ORBIT_ANG);
    most = fmax(most, shape / hb_norm(y + HB_MEAN_ORBIT_ANG));
    most = fmax(most, fabs(more[HB_MEAN_ORBIT_ENERGY]) / y[HB_MEAN_ORBIT_ENERGY]);
  }
  return most;
}

/* ---- sums over revolutions ---- */

/* A method for N revolutions: where the stages are, as parts of N; and weights times N. */
struct method {
  double c[STAGES];
  double stage[STAGES][STAGES]; /* of the stages before each one */
  double sum[STAGES], error[STAGES];
};

static void find_method(double N, struct method *m)
{
  const double x = 1 / N, c2 = 1. / 3, c3 = 2. / 3, c4 = 1 - x;
  double s1 = (1 - x) / 2, s2 = (1 - x) * (2 - x) / 6, s3 = (1 - x) * (1 - x) / 4;
  double b2 = (s3 - (c3 + c4) * s2 + c3 * c4 * s1) / (c2 * (c2 - c3) * (c2 - c4)),
         b3 = (s3 - (c2 + c4) * s2 + c2 * c4 * s1) / (c3 * (c3 - c2) * (c3 - c4)),
         b4 = (s3 - (c2 + c3) * s2 + c2 * c3 * s1) / (c4 * (c4 - c2) * (c4 - c3));
  double a43 = b3 * (c4 - c3) / b4, rest = (1 - x) * (1 - 2 * x) * (3 - x) / 24 - b4 * c4 * a43 * c3;
  double by_2 = b2 * (c4 - c2), a32 = (rest - c4 * c2 * by_2) / (b3 * c2 * (c3 - c4)),
         a42 = (by_2 - b3 * a32) / b4;
  double e3 = (s2 - s1 * c2) / (c3 * (c3 - c2)), e2 = (s1 - e3 * c3) / c2; /* of second order */
  *m = (struct method){
      .c = {0, c2, c3, c4},
      .stage = {{0}, {N * c2}, {N * (c3 - a32), N * a32}, {N * (c4 - a42 - a43), N * a42, N * a43}},
      .sum = {N * (1 - b2 - b3 - b4), N * b2, N * b3, N * b4},
      .error = {N * (b2 + b3 + b4 - e2 - e3), N * (e2 - b2), N * (e3 - b3), -N * b4}};
}

/* Follows one revolution from a state at the time t. *is_whole becomes 0 if that has no end, or an orbit changes too much. */
static enum hb_status follow(struct hb_inner_binaries *b, const struct state *start, const struct state *from,
                             double t, double T, hb_advance_nodes *advance, void *context, struct change *k,
                             int *is_whole)
{
  struct state to;
  write_state(from, t, b);
  HB_TRY(advance(context, t, T, is_whole));
  if (*is_whole) *is_whole = read_state(b, &to) && difference(start, from, &to, T, k);
  return HB_OK;
}

/* Returns the number of revolutions, of at most `most`, whose sum changes the orbits by at most `largest`, if one changes them by `by`. */
static double revolutions(double most, double largest, double by)
{
  return by * most > largest ? floor(largest / by) : most;
}

/* Follows the revolutions of the stages after the first one. *is_whole as above. */
static enum hb_status follow_stages(struct hb_inner_binaries *b, const struct state *start,
                                    const struct method *m, double t, double N, double T,
                                    hb_advance_nodes *advance, void *context, struct change k[STAGES],
                                    int *is_whole)
{
  for (size_t i = 1; i < STAGES && *is_whole; i++) {
    struct change sum;
    combine(start, m->stage[i], i, k, &sum);
    const struct state at = add(start, N * m->c[i] * T, &sum);
    HB_TRY(follow(b, start, &at, t + N * m->c[i] * T, T, advance, context, k + i, is_whole));
  }
  return HB_OK;
}

enum hb_status hb_many_revolutions(struct hb_inner_binaries *b, double end, hb_advance_nodes *advance,
                                   void *context, double *t, int *is_worth)
{
  /* Four revolutions are followed for N >= LEAST of them. A step changes the orbits by at most `largest`, and its error estimate, that of
   * a sum of second order, is at most `tolerance`: then the error of fourth order is about the estimate to the power of 5 / 3. */
  enum { LEAST = 8, MOST = 1 << 16 };
  static const double largest = 0.2, tolerance = 3e-4;
  const struct hb_inner_binaries before = *b;
  struct state start;
  struct change k[STAGES], sum;
  int is_whole = 1;
  if (b->chain.n != 2 || b->chain.w > 0 || !read_state(b, &start)) return HB_OK;
  const double T = two_pi / start.orbit[0].n, left = floor((end - *t) / T);
  if (left < LEAST) return HB_OK;
  *is_worth = 0;
  HB_TRY(follow(b, &start, &start, *t, T, advance, context, k, &is_whole));
  double N = is_whole ? revolutions(fmin(left, MOST), largest, size_of(&start, k)) : 0;
  while (is_whole && N >= LEAST) {
    struct method m;
    find_method(N, &m);
    HB_TRY(follow_stages(b, &start, &m, *t, N, T, advance, context, k, &is_whole));
    if (!is_whole) break;
    combine(&start, m.error, STAGES, k, &sum);
    double error = size_of(&start, &sum);
    if (error <= tolerance) {
      combine(&start, m.sum, STAGES, k, &sum);
      const struct state to = add(&start, N * T, &sum);
      *b = before;
      write_state(&to, *t + N * T, b);
      *t += N * T;
      *is_worth = 1;
      return HB_OK;
    }
    N = floor(N * fmin(0.5, 0.9 * cbrt(tolerance / error)));
  }
  *b = before;
  return HB_OK;
}

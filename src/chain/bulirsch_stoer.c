/* Advancing a chain: the logarithmic leapfrog, the Gragg-Bulirsch-Stoer extrapolation of its results (Hairer, Norsett & Wanner
 * 1993, II.9), and landing at a given time.
 *
 * The logarithmic Hamiltonian (Mikkola & Tanikawa 1999, Preto & Tremaine 1999) takes s as the independent variable, ds = U dt.
 * With the kinetic energy T, the potential energy -U and the binding energy B = U - T, its leapfrog is
 *
 *   drift by ds: dt = ds / (T + B)    X += dt V    t += dt
 *   kick by ds:  dt = ds / U          V += dt (A + f)    B -= dt sum m v . f
 *
 * Where T is far larger than U, as in bodies that fly apart, T + B is rounded: there a constant that is a small part of T is added to both
 * denominators, so that ds = (U + constant) dt.
 *
 * A are the accelerations of the members by each other, f those by everything outside, less their mean, and v the mean of the
 * velocities before and after the kick. For two bodies alone it errs in time only, not in the orbit.
 *
 * The post-Newtonian terms g of a pair depend on V. A second velocity W, equal to V at the start of each leapfrog, keeps a kick
 * even in dt (Hellstrom & Mikkola 2010): half a kick of W with g(V), a kick of V with g(W), the other half of W. The energy that
 * they take is subtracted from B and counted in `lost`.
 *
 * In a field, f is the difference between the field at the member and at the center. In coordinates that turn, the chain is
 * advanced in axes at rest (turning.h).
 *
 * Close pairs that the other members hardly disturb are single points while the chain is advanced, and not followed through each
 * revolution: inner_binaries.h.
 *
 * The energy of members without mass is not conserved where the others move, so that a kick also adds to B what that motion does
 * to U: -sum w v . A dt, v being the velocity of the member that pulls. */
#include "chain/bulirsch_stoer.h"

#include "base/interrupt.h"
#include "chain/contact.h"
#include "chain/inner_binaries.h"
#include "chain/many_revolutions.h"
#include "chain/post_newton.h"

#include <string.h>

/* The least number of rows of the extrapolation that a next step has. */
enum { ROWS_LEAST = 5 };

/* Largest relative error of a step: a few times the rounding error of the extrapolation. */
static const double tolerance = 1.5e-14;

/* ---- the leapfrog ---- */

enum { LINKS = HB_CHAIN_MOST - 1 };

/* Increments of time, binding energy, lost energy, positions and velocities in a step of a chain of n members. Positions are those of the
 * links. Velocities are those of the links in a chain of few members, else those of the members, see has_members. */
struct change {
  size_t n;
  double t, B, lost;
  double X[LINKS][3], V[HB_CHAIN_MOST][3];
};

/* True if the increments of velocities are those of the members of a chain of n. In the links of a planet that is far faster than the others,
 * rounding errors are those of its own acceleration. Two such links, one after the other, are rounded independently, and the bodies on
 * both sides feel the difference; a sum over members has no such error. */
static int has_members(size_t n) { return n > HB_CHAIN_FEW; }

static size_t velocities_of(size_t n) { return has_members(n) ? n : n - 1; }

static void clear_change(size_t n, struct change *d)
{
  d->n = n;
  d->t = d->B = d->lost = 0;
  memset(d->X, 0, (n - 1) * sizeof *d->X);
  memset(d->V, 0, velocities_of(n) * sizeof *d->V);
}

static void copy_change(const struct change *from, struct change *to)
{
  to->n = from->n;
  to->t = from->t, to->B = from->B, to->lost = from->lost;
  memcpy(to->X, from->X, (from->n - 1) * sizeof *to->X);
  memcpy(to->V, from->V, velocities_of(from->n) * sizeof *to->V);
}

/* Returns component i of the increment of the velocity of link k. */
static double change_of_velocity(const struct change *d, size_t k, size_t i)
{
  return has_members(d->n) ? d->V[k + 1][i] - d->V[k][i] : d->V[k][i];
}

/* One call of hb_chain_advance. */
struct advance {
  struct hb_chain *c; /* the chain, or the chain of nodes of `binaries` */
  const struct hb_chain_tide *tide;
  struct hb_inner_binaries *binaries; /* NULL: c is made of members */
  int has_no_binaries;                /* a pair had no mean orbit: all members are followed in this advance */
  int has_changed;                    /* other pairs are binaries from here on */
  double U_start;                     /* potential energy at the start, of more than two members */
  double t;                           /* since the start of the advance */
  double each_until;                  /* each revolution of an outer orbit is followed until this time */
  double more;                        /* constant that is added to U in the step's ds = U dt */
  double W[3];                        /* second velocity, for post-Newtonian terms */
  uint64_t forces;
};

/* Sets X to the positions of the links after the change d. */
static void add_positions(const struct hb_chain *c, const struct change *d, double X[][3])
{
  for (size_t k = 0; k + 1 < c->n; k++)
    for (size_t i = 0; i < 3; i++) X[k][i] = c->X[k][i] + d->X[k][i];
}

/* Sets V to the velocities of the links after the change d. */
static void add_velocities(const struct hb_chain *c, const struct change *d, double V[][3])
{
  for (size_t k = 0; k + 1 < c->n; k++)
    for (size_t i = 0; i < 3; i++) V[k][i] = c->V[k][i] + change_of_velocity(d, k, i);
}

/* True if the chain is a pair with post-Newtonian terms. */
static int is_relativistic(const struct advance *s)
{
  return s->tide->light > 0 && s->c->n == 2 && s->c->m[0] > 0 && s->c->m[1] > 0;
}

/* Kicks a pair with post-Newtonian terms by the time dt. A is the rest of the relative acceleration. middle becomes W between the two
 * halves of its kick. */
static void kick_relativistic(struct advance *s, const double X[3], const double A[3], double dt,
                              struct change *d, double middle[3])
{
  const struct hb_chain *c = s->c;
  double V[3], g[3];
  for (size_t i = 0; i < 3; i++) V[i] = c->V[0][i] + d->V[0][i];
  hb_post_newton_acceleration(c->m, s->tide->light, X, V, g);
  for (size_t i = 0; i < 3; i++) middle[i] = s->W[i] + dt / 2 * (A[i] + g[i]);
  hb_post_newton_acceleration(c->m, s->tide->light, X, middle, g);
  double lost = -dt * c->m[0] * c->m[1] / (c->m[0] + c->m[1]) * hb_dot(middle, g);
  d->B += lost, d->lost += lost;
  for (size_t i = 0; i < 3; i++) d->V[0][i] += dt * (A[i] + g[i]), V[i] = c->V[0][i] + d->V[0][i];
  hb_post_newton_acceleration(c->m, s->tide->light, X, V, g);
  for (size_t i = 0; i < 3; i++) s->W[i] = middle[i] + dt / 2 * (A[i] + g[i]);
}

/* Kicks the links by the time dt, with the accelerations a of the members. middle becomes the velocities between the two halves of the
 * kick. */
static void kick_links(const struct hb_chain *c, const double a[][3], double dt, struct change *d,
                       double middle[][3])
{
  for (size_t k = 0; k + 1 < c->n; k++)
    for (size_t i = 0; i < 3; i++) {
      double dV = dt * (a[k + 1][i] - a[k][i]);
      middle[k][i] = c->V[k][i] + (d->V[k][i] + dV / 2);
      d->V[k][i] += dV;
    }
}

/* Does what kick_links does where increments of velocities are those of the members. */
static void kick_members(const struct hb_chain *c, const double a[][3], double dt, struct change *d,
                         double middle[][3])
{
  double v[HB_CHAIN_MOST][3];
  for (size_t k = 0; k < c->n; k++)
    for (size_t i = 0; i < 3; i++) {
      double dv = dt * a[k][i];
      v[k][i] = d->V[k][i] + dv / 2;
      d->V[k][i] += dv;
    }
  for (size_t k = 0; k + 1 < c->n; k++)
    for (size_t i = 0; i < 3; i++) middle[k][i] = c->V[k][i] + (v[k + 1][i] - v[k][i]);
}

/* Kicks by ds, or, where that is 0, by the time dt. d has the increments since the start of the step. */
static void kick(struct advance *s, double ds, double dt, struct change *d)
{
  const struct hb_chain *c = s->c;
  double X[LINKS][3], middle[LINKS][3], f[HB_CHAIN_MOST][3];
  memset(f, 0, c->n * sizeof *f);
  struct hb_chain_pulls pulls;
  add_positions(c, d, X);
  hb_chain_pull_members(c, X, &pulls);
  if (s->binaries) hb_inner_binaries_add_pulls(s->binaries, X, &pulls);
  s->forces++;
  if (ds != 0) dt = ds / (pulls.U + s->more);
  int is_pulled = s->tide->count > 0 || s->tide->field || s->tide->tensor;
  if (is_pulled) {
    hb_chain_tide_on_members(c, s->tide, X, s->t + d->t, f);
    if (s->binaries) hb_inner_binaries_add_tide(s->binaries, s->tide, X, s->t + d->t, f);
    for (size_t k = 0; k < c->n; k++)
      for (size_t i = 0; i < 3; i++) pulls.a[k][i] += f[k][i];
  }
  if (is_relativistic(s)) {
    double A[3];
    for (size_t i = 0; i < 3; i++) A[i] = pulls.a[1][i] - pulls.a[0][i];
    kick_relativistic(s, X[0], A, dt, d, middle[0]);
  } else {
    (has_members(c->n) ? kick_members : kick_links)(c, pulls.a, dt, d, middle);
  }
  if (is_pulled || c->w > 0) d->B -= dt * hb_chain_work(c, X, middle, f);
}

/* Drifts by ds, or, where that is 0, by the time dt. */
static void drift(const struct advance *s, double ds, double dt, struct change *d)
{
  const struct hb_chain *c = s->c;
  double V[LINKS][3];
  add_velocities(c, d, V);
  if (ds != 0) dt = ds / (hb_chain_kinetic(c, V) + (s->c->B + d->B) + s->more);
  for (size_t k = 0; k + 1 < c->n; k++)
    for (size_t i = 0; i < 3; i++) d->X[k][i] += dt * V[k][i];
  d->t += dt;
}

/* Computes the increments d of `count` leapfrogs that cover ds together. */
static void leapfrog(struct advance *s, double ds, size_t count, struct change *d)
{
  double h = ds / (double)count;
  clear_change(s->c->n, d);
  memcpy(s->W, s->c->V[0], sizeof s->W);
  drift(s, h / 2, 0, d);
  for (size_t k = 0; k < count; k++) {
    kick(s, h, 0, d);
    drift(s, k + 1 < count ? h : h / 2, 0, d);
  }
}

/* ---- extrapolation ---- */

/* Leapfrogs in each row. With 1, 2, 3, ... throughout, ten rows would multiply rounding errors by 550; with these numbers they
 * multiply them by 75. */
static const unsigned char count_of[HB_CHAIN_ROWS_MOST] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 14};

/* Returns the number of force evaluations of all rows up to this one. */
static double forces_up_to(size_t row)
{
  unsigned sum = 0;
  for (size_t k = 0; k <= row; k++) sum += count_of[k];
  return sum;
}

static double larger(double p, double q) { return p > q ? p : q; }

/* From this T / U on, T + B loses digits of U, and times and B lose them with it: larger errors are accepted in these. */
static const double fast_ratio = 64;

/* Returns the largest relative difference between two results of a step. */
static double difference(const struct advance *s, const struct change *p, const struct change *q)
{
  const struct hb_chain *c = s->c;
  double most = 0, U = 0, lost;
  for (size_t k = 0; k + 1 < c->n; k++) {
    double X[3], V[3], dX[3], dV[3];
    for (size_t i = 0; i < 3; i++) {
      X[i] = c->X[k][i] + q->X[k][i], dX[i] = p->X[k][i] - q->X[k][i];
      double more = change_of_velocity(q, k, i);
      V[i] = c->V[k][i] + more, dV[i] = change_of_velocity(p, k, i) - more;
    }
    double m = c->m[k] + c->m[k + 1], r = hb_norm(X), fall = sqrt((m > 0 ? m : c->w) / r);
    most = larger(most, larger(hb_norm(dX) / r, hb_norm(dV) / larger(hb_norm(V), fall)));
    U += hb_chain_product(c, k, k + 1) / r;
  }
  lost = larger(1, hb_chain_kinetic(c, s->c->V) / (fast_ratio * U));
  return larger(most, larger(fabs(p->t - q->t) / fabs(q->t), fabs(p->B - q->B) / U) / lost);
}

/* Returns x^(1/p) to a few digits: 2^(e/p), improved by Newton's iteration. Its operations give the same bits on all machines. */
static double nth_root(double x, int p)
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

/* Sets out to p + weight (p - q). */
static void combine(double weight, const struct change *p, const struct change *q, struct change *out)
{
  out->n = p->n;
  for (size_t k = 0; k + 1 < p->n; k++)
    for (size_t i = 0; i < 3; i++) out->X[k][i] = p->X[k][i] + weight * (p->X[k][i] - q->X[k][i]);
  for (size_t k = 0; k < velocities_of(p->n); k++)
    for (size_t i = 0; i < 3; i++) out->V[k][i] = p->V[k][i] + weight * (p->V[k][i] - q->V[k][i]);
  out->t = p->t + weight * (p->t - q->t);
  out->B = p->B + weight * (p->B - q->B);
  out->lost = p->lost + weight * (p->lost - q->lost);
}

/* Computes a row of the extrapolation by Aitken and Neville. On entry table[0 .. row - 1] is the row before, T_(row - 1, k), and
 * table[row] the new result of the leapfrog; on return table[0 .. row] is this row. The error has even powers of the step only. */
static void extrapolate(size_t row, struct change *table)
{
  struct change two[2], *now = two, *better = two + 1;
  copy_change(table + row, now);
  for (size_t k = 1; k <= row; k++) {
    double ratio = (double)count_of[row] / count_of[row - k];
    combine(1 / (ratio * ratio - 1), now, table + k - 1, better);
    copy_change(now, table + k - 1);
    struct change *swap = now;
    now = better, better = swap;
  }
  copy_change(now, table + row);
}

/* The result of a step that was tried, and the length and number of rows of the next one that cost least. */
struct step {
  struct change d;
  int is_accepted;
  double ds;
  size_t rows;
};

/* Returns the factor by which the next step may be longer after an error in this row, which is of order 2 row + 1 in the step. */
static double step_factor(size_t row, double error)
{
  static const double safety = 0.9, most = 4;
  double by = error > 0 ? safety * nth_root(tolerance / error, 2 * (int)row + 1) : most;
  return by > most ? most : by;
}

/* Extrapolation does not remove rounding errors: two rows that differ by no more than this, and hardly less than the two before, are
 * accepted. */
static const double rounding_error = 2 * tolerance;

/* True if the error, which decreases by this ratio per row, will still be too large after `rows` more rows. */
static int is_hopeless(double before, double error, size_t rows)
{
  static const double faster = 0.01; /* the ratio becomes smaller in later rows */
  double ratio = error / before;
  for (; rows > 0; rows--) error *= ratio;
  return before < INFINITY && error * faster > tolerance;
}

/* Sets d to the result of one row more than a step was accepted with, if there is one. What is left of the error of a chain of many members
 * adds up over thousands of revolutions of the fastest one: a star with eight planets loses 7e-12 of its energy in 1000 years without this
 * row, and 3e-14 with it. */
static void improve(struct advance *s, double ds, size_t row, struct change *table, struct change *d)
{
  if (row == HB_CHAIN_ROWS_MOST) return;
  leapfrog(s, ds, count_of[row], table + row);
  extrapolate(row, table);
  copy_change(table + row, d);
}

/* Tries a step by ds with up to one row more than expected. The next step may have one row more than this one needed, if that
 * promises to be cheaper. */
static void try_step(struct advance *s, double ds, size_t rows, struct step *step)
{
  struct change table[HB_CHAIN_ROWS_MOST];
  size_t last = rows < HB_CHAIN_ROWS_MOST ? rows + 1 : HB_CHAIN_ROWS_MOST;
  double least_cost = INFINITY, before = INFINITY;
  step->is_accepted = 0, step->ds = ds / 2, step->rows = rows;
  clear_change(s->c->n, &step->d);
  for (size_t row = 0; row < last && !step->is_accepted; row++) {
    leapfrog(s, ds, count_of[row], table + row);
    if (row == 0) continue;
    extrapolate(row, table);
    double error = difference(s, table + row - 1, table + row), by = step_factor(row, error);
    if (!isfinite(error)) return;
    step->is_accepted = error <= tolerance || (error <= rounding_error && error > before / 2);
    copy_change(table + row, &step->d);
    if (step->is_accepted && has_members(s->c->n)) improve(s, ds, row + 1, table, &step->d);
    if (!step->is_accepted && is_hopeless(before, error, last - 1 - row)) last = row + 1;
    before = error;
    if (step->is_accepted && row + 1 < ROWS_LEAST) step->ds = 4 * ds;
    if (row + 1 < ROWS_LEAST || forces_up_to(row) / by > least_cost) continue;
    least_cost = forces_up_to(row) / by;
    step->ds = ds * by;
    step->rows = row + 1;
  }
  if (!step->is_accepted || step->rows == HB_CHAIN_ROWS_MOST || step->rows > rows) return;
  step->ds *= forces_up_to(step->rows) / forces_up_to(step->rows - 1);
  step->rows++;
}

/* ---- contacts ---- */

/* A step whose result was accepted, and two members whose path in it is searched: positions inside of the step are those of shorter
 * steps from its start. */
struct stretch {
  struct advance *s;
  double ds;
  size_t rows;
  size_t k, l;
};

/* Sets a point of the path from the increments d since the start of the step. */
static void set_point(const struct stretch *of, double u, const struct change *d, struct hb_contact_point *p)
{
  const struct hb_chain *c = of->s->c;
  double X[LINKS][3], V[LINKS][3], v[3];
  add_positions(c, d, X);
  add_velocities(c, d, V);
  double rate = of->ds / (hb_chain_kinetic(c, V) + (c->B + d->B) + of->s->more); /* dt / du */
  hb_chain_between(X, of->k, of->l, p->x);
  hb_chain_between(V, of->k, of->l, v);
  p->u = u, p->t = of->s->t + d->t;
  for (size_t i = 0; i < 3; i++) p->d[i] = rate * v[i];
}

static void find_point(void *context, double u, struct hb_contact_point *p)
{
  const struct stretch *of = context;
  struct step step;
  try_step(of->s, u * of->ds, of->rows, &step);
  set_point(of, u, &step.d, p);
}

/* The caller's numbers of two members of the chain, or of two nodes of it. Returns 0 if one of the nodes is a binary. */
static int numbers_of(const struct advance *s, size_t k, size_t l, uint32_t member[2])
{
  const size_t at[] = {k, l};
  for (int i = 0; i < 2; i++) {
    member[i] = s->c->member[at[i]];
    if (!s->binaries) continue;
    const struct hb_inner_node *node = s->binaries->node + member[i];
    if (node->n > 1) return 0;
    member[i] = node->members.member[0];
  }
  return 1;
}

/* Adds a contact or an approach at a point of a path, unless that is after the end of the advance. */
static enum hb_status add_contact(const struct stretch *of, const uint32_t member[2], double dt,
                                  int is_approach, const struct hb_contact_point *p)
{
  struct advance *s = of->s;
  struct hb_contact contact = {.member = {member[0], member[1]}, .is_approach = is_approach, .t = p->t};
  if (!(p->t <= dt)) return HB_OK;
  struct step step;
  double V[LINKS][3];
  try_step(s, p->u * of->ds, of->rows, &step);
  add_velocities(s->c, &step.d, V);
  hb_chain_between(V, of->k, of->l, contact.v);
  for (size_t i = 0; i < 3; i++) contact.x[i] = p->x[i];
  contact.r = hb_norm(p->x);
  return hb_contacts_add(s->tide->contacts, &contact);
}

/* Looks for contacts and approaches of all pairs in a step that was accepted, up to the time dt. Steps back in time were looked at before. */
static enum hb_status look_for_contacts(struct advance *s, double ds, size_t rows, const struct change *d,
                                        double dt)
{
  static const struct change none = {.t = 0};
  const struct hb_contacts *contacts = s->tide->contacts;
  struct hb_contact_point at;
  if (!contacts || !(ds > 0)) return HB_OK;
  for (size_t k = 0; k < s->c->n; k++)
    for (size_t l = k + 1; l < s->c->n; l++) {
      uint32_t member[2];
      if (hb_chain_product(s->c, k, l) == 0 || !numbers_of(s, k, l, member)) continue;
      double reach = hb_contact_reach(&contacts->criteria, member[0], member[1]),
             within = hb_contact_within(&contacts->criteria, member[0], member[1]);
      struct stretch of = {s, ds, rows, k, l};
      struct hb_contact_path path = {.find = find_point, .context = &of};
      if (!(reach > 0 || within > 0)) continue;
      set_point(&of, 0, &none, &path.from);
      set_point(&of, 1, d, &path.to);
      if (reach > 0 && hb_contact_find(&path, reach, &at)) HB_TRY(add_contact(&of, member, dt, 0, &at));
      if (within > 0 && hb_contact_find_nearest(&path, within, &at))
        HB_TRY(add_contact(&of, member, dt, 1, &at));
    }
  return HB_OK;
}

/* True if a chain of more than two is followed member by member and alone, so that its B is a constant. */
static int has_constant_energy(const struct advance *s)
{
  const struct hb_chain_tide *tide = s->tide;
  return s->c->n > 2 && s->c->w == 0 && !s->binaries && tide->count == 0 && !tide->tensor && !tide->field;
}

/* Scales the velocities of such a chain so that T = U - B, where T is many times B: near a collision of three a relative error of 1e-15 in T
 * is far more than that in the energy, which stays when the members have separated. */
static void match_energy(struct hb_chain *c)
{
  struct hb_chain_pulls pulls;
  double T = hb_chain_kinetic(c, c->V);
  if (!(T > fast_ratio * fabs(c->B))) return;
  hb_chain_pull_members(c, c->X, &pulls);
  double by = sqrt((pulls.U - c->B) / T);
  for (size_t k = 0; k + 1 < c->n; k++)
    for (size_t i = 0; i < 3; i++) c->V[k][i] *= by;
}

/* Fails if more than two members are so near each other that rounding says where they go from there: if their potential energy, at the
 * distances of the longest link, is too many times the energy of the chain or its potential energy at the start. Rounding errors
 * grow faster in collisions of more members, which come that near only if they are symmetrical. */
static enum hb_status check_collision(const struct advance *s)
{
  const struct hb_chain *c = s->c;
  double most = c->n == 3 ? 1e9 : c->n == 4 ? 1e6 : 1e4, longest = 0, products = 0;
  for (size_t k = 0; k + 1 < c->n; k++) {
    longest = larger(longest, hb_norm(c->X[k]));
    for (size_t l = k + 1; l < c->n; l++) products += hb_chain_product(c, k, l);
  }
  if (c->n < 3 || s->binaries || products < most * longest * larger(fabs(c->B), s->U_start)) return HB_OK;
  return hb_fail(
      HB_ERR_NUMERIC,
      "particles %u, %u and %u collide all at once, within %.2g of each other: rounding decides where "
      "they go from there; move one of them a little",
      c->member[0], c->member[1], c->member[2], longest);
}

/* Ends an accepted step: adds d to the chain and sorts it. */
static void apply_change(struct advance *s, const struct change *d)
{
  add_positions(s->c, d, s->c->X);
  add_velocities(s->c, d, s->c->V);
  s->c->B += d->B;
  s->c->lost += d->lost;
  s->t += d->t;
  if (has_constant_energy(s)) match_energy(s->c);
  hb_chain_sort(s->c);
}

/* ---- landing ---- */

/* Returns the step in s for the time `rest`: the integral of U, to the second order where that converges, and of `more`. */
static double step_for(const struct hb_chain *c, double rest, double more)
{
  double U = hb_chain_kinetic(c, c->V) + c->B, slope = hb_chain_slope(c, c->X, c->V);
  return rest * (more + (fabs(slope * rest) < U ? U + rest / 2 * slope : U));
}

/* Sets `more` for the next step. Returns the number by which a step in s is longer with it. */
static double set_more(struct advance *s)
{
  static const double very_fast = 1024; /* T over U */
  struct hb_chain_pulls pulls;
  double T = hb_chain_kinetic(s->c, s->c->V);
  s->more = 0;
  if (!(T > very_fast * (T + s->c->B))) return 1;
  hb_chain_pull_members(s->c, s->c->X, &pulls);
  s->more = T / fast_ratio;
  return (pulls.U + s->more) / pulls.U;
}

/* A leapfrog in physical time has a relative error of (dt rate)^3. Below this dt rate it is exact to rounding. */
static const double land_within = 1e-5;

/* Advances by the last bit of time, in one leapfrog in physical time. */
static void land(struct advance *s, double rest)
{
  struct change d;
  clear_change(s->c->n, &d);
  memcpy(s->W, s->c->V[0], sizeof s->W);
  drift(s, 0, rest / 2, &d);
  kick(s, 0, rest, &d);
  drift(s, 0, rest / 2, &d);
  apply_change(s, &d);
}

/* After an accepted step: the binaries follow, unless the step has passed the time dt, and it is found whether other pairs should be
 * binaries from here on. */
static void look_at_binaries(struct advance *s, double dt)
{
  uint8_t is_first[HB_CHAIN_MOST];
  if (!s->binaries) {
    s->has_changed =
        s->t < dt && !s->has_no_binaries && hb_inner_binaries_find(s->c, s->tide, s->t, is_first) > 0;
  } else if (s->t > s->binaries->t && s->t <= dt) {
    hb_inner_binaries_follow(s->binaries, s->tide, s->t, &s->forces);
    s->has_changed = s->t < dt && hb_inner_binaries_have_broken(s->binaries, s->tide);
  }
}

/* Fails if a pair is nearer than the post-Newtonian series allows. */
static enum hb_status check_distance(const struct advance *s)
{
  const struct hb_chain *c = s->c;
  double least = HB_POST_NEWTON_LEAST * (c->m[0] + c->m[1]) / (s->tide->light * s->tide->light);
  if (!is_relativistic(s) || !(hb_norm(c->X[0]) < least)) return HB_OK;
  return hb_fail(
      HB_ERR_NUMERIC,
      "particles %u and %u are nearer than 6 G M / c^2 = %.3g, where post-Newtonian terms mean nothing: "
      "give them radii of half of that at least, and let those that touch merge or stop the run",
      c->member[0], c->member[1], least);
}

static enum hb_status advance_to(struct advance *s, double dt);

/* Advances the chain of nodes by dt from the time t, for hb_many_revolutions. */
static enum hb_status advance_nodes(void *context, double t, double dt, int *is_whole)
{
  struct advance *s = context;
  s->t = t;
  HB_TRY(advance_to(s, t + dt));
  *is_whole = !s->has_changed;
  s->has_changed = 0;
  return HB_OK;
}

/* Advances over as many revolutions of an outer orbit as there are before the time dt. Where they differ too much, each is followed for
 * half of the time. Where contacts or approaches are looked for, none is left out. */
static enum hb_status skip_revolutions(struct advance *s, double dt)
{
  int is_worth = 1;
  double start = s->t, t = s->t;
  int is_watched = s->tide->contacts || (s->tide->watch && hb_contact_is_watched(s->tide->watch));
  if (!s->binaries || s->t < s->each_until || is_watched) return HB_OK;
  enum hb_status status = hb_many_revolutions(s->binaries, dt, advance_nodes, s, &t, &is_worth);
  s->t = t;
  s->each_until = is_worth ? 0 : start + (dt - start) / 2;
  return status;
}

/* Advances to the time dt, or until has_changed. Steps aim at dt and end before or after it, nearer each time. The chain stores the
 * length of the last step that did not aim at dt. */
static enum hb_status advance_to(struct advance *s, double dt)
{
  enum { ATTEMPTS = 64 };
  struct hb_chain *c = s->c;
  struct step step;
  size_t rejected = 0, steps = 0;
  for (;;) {
    HB_TRY(hb_interrupt_look(steps));
    HB_TRY(skip_revolutions(s, dt));
    double rest = dt - s->t;
    if (rest == 0) return HB_OK;
    if (fabs(rest) * hb_chain_rate(c->n, c->m, c->X, c->V) < land_within) break;
    double longer = set_more(s), longest = c->ds * longer;
    double most = s->binaries ? fmin(rest, hb_inner_binaries_longest_step(s->binaries, s->tide)) : rest;
    double aimed = step_for(c, most, s->more);
    int is_aimed = fabs(aimed) < longest;
    size_t rows = c->rows;
    double ds = is_aimed ? aimed : rest < 0 ? -longest : longest;
    try_step(s, ds, rows, &step);
    rejected = step.is_accepted ? 0 : rejected + 1;
    steps++;
    if (!step.is_accepted || !is_aimed) c->ds = fabs(step.ds) / longer, c->rows = step.rows;
    if (step.is_accepted) HB_TRY(look_for_contacts(s, ds, rows, &step.d, dt));
    if (step.is_accepted) apply_change(s, &step.d);
    if (step.is_accepted && (s->binaries || c->n > 2)) look_at_binaries(s, dt);
    if (s->has_changed) return HB_OK;
    HB_TRY(check_distance(s));
    HB_TRY(check_collision(s));
    if (rejected == ATTEMPTS || hb_chain_is_endless(steps, s->t, dt))
      return hb_fail(HB_ERR_NUMERIC,
                     "the encounter of particles %u and %u cannot be integrated: its steps vanish",
                     c->member[0], c->member[1]);
  }
  land(s, dt - s->t);
  s->t = dt;
  if (s->binaries) look_at_binaries(s, dt);
  return HB_OK;
}

/* Advances to the time dt, with binaries as nodes wherever there are such. */
static enum hb_status advance_with_binaries(struct advance *s, double dt)
{
  struct hb_chain *members = s->c;
  struct hb_inner_binaries binaries;
  uint8_t is_first[HB_CHAIN_MOST];
  struct hb_contacts *contacts = s->tide->contacts;
  while (s->t < dt) {
    const struct advance start = *s;
    struct hb_chain before;
    hb_chain_copy(members, &before);
    const size_t found = contacts ? contacts->count : 0;
    s->has_changed = 0;
    if (s->has_no_binaries || hb_inner_binaries_find(members, s->tide, s->t, is_first) == 0) {
      HB_TRY(advance_to(s, dt));
      if (!s->has_changed) return HB_OK;
      continue;
    }
    int has_means = hb_inner_binaries_begin(members, s->tide, is_first, s->t, &binaries);
    if (has_means) {
      struct advance nodes = *s;
      nodes.c = &binaries.chain, nodes.binaries = &binaries;
      enum hb_status status = advance_to(&nodes, dt);
      nodes.c = members, nodes.binaries = NULL;
      *s = nodes;
      HB_TRY(status);
      has_means = hb_inner_binaries_end(&binaries, s->tide, members);
    }
    if (has_means) continue;
    *s = start;
    hb_chain_copy(&before, members);
    if (contacts) contacts->count = found;
    s->has_no_binaries = 1;
  }
  return HB_OK;
}

enum hb_status hb_chain_advance(struct hb_chain *chain, double dt, const struct hb_chain_tide *tide,
                                uint64_t *forces)
{
  static const struct hb_chain_tide none = {0};
  struct advance s = {.c = chain, .tide = tide ? tide : &none};
  struct hb_chain_pulls pulls;
  s.has_no_binaries = s.tide->follows_all;
  if (chain->n > 2) hb_chain_pull_members(chain, chain->X, &pulls), s.U_start = pulls.U;
  chain->lost = 0;
  enum hb_status status = chain->n > 1 && dt > 0 ? advance_with_binaries(&s, dt) : HB_OK;
  if (forces) *forces += s.forces;
  return status;
}

/* The corrector of hermite4, [PZ07] eqs 5 to 8, and the next steps. */
#include "step/hermite4.h"

#include "base/arith.h"
#include "base/bits.h"
#include "base/parallel.h"
#include "step/timestep.h"

#include <math.h>
#include <string.h>

/* Fewer are corrected before a second thread has woken up; the size of a thread's pieces. */
enum { ALONE = 512, PIECE = 64 };

/* sum + d, where d has what earlier sums lost; *lost is what this one loses: an exact identity, whichever is larger (Knuth 1969),
 * but for the rounding of *lost itself. Without it the errors of 10^6 steps add up, and a close encounter, whose forces come from
 * differences of places, feels them many times over. */
static inline double add(double sum, double d, float *lost)
{
  double result = sum + d, part = result - sum;
  *lost = (float)((sum - (result - part)) + (d - part));
  return result;
}

/* What a step does to a particle with x v a k at its start, if a_p and k_p are what it feels at its end. */
struct course {
  double dx[3], dv[3];       /* [PZ07] eqs 3 and 7, 4 and 8, and what x and v lost before */
  double dt2a2[3], dt3k2[3]; /* dt^2 a'' of eq. 5, dt^3 k'' of eq. 6 */
};

/* [PZ07] eqs 5 and 6, from a k at the start of a step to a_p k_p at its end. */
static inline void higher(double dt, const double a[3], const double k[3], const double ap[3],
                          const double kp[3], double dt2a2[3], double dt3k2[3])
{
  for (int c = 0; c < 3; c++) {
    double da = a[c] - ap[c];
    dt2a2[c] = -6 * da - dt * (4 * k[c] + 2 * kp[c]);
    dt3k2[c] = 12 * da + dt * (6 * (k[c] + kp[c]));
  }
}

static inline struct course course_of(double dt, const double v[3], const uint64_t lost[3], const double a[3],
                                      const double k[3], const double ap[3], const double kp[3])
{
  struct course s = {{0}, {0}, {0}, {0}};
  higher(dt, a, k, ap, kp, s.dt2a2, s.dt3k2);
  for (int c = 0; c < 3; c++) {
    double dt2a2 = s.dt2a2[c], dt3k2 = s.dt3k2[c];
    double x_lost = hb_bits_to_float((uint32_t)lost[c]), v_lost = hb_bits_to_float((uint32_t)(lost[c] >> 32));
    double way = v_lost + dt / 2 * (a[c] + dt / 3 * k[c]) + dt * (dt2a2 / 24 + dt3k2 / 120); /* eq. 7 */
    s.dx[c] = dt * (v[c] + way) + x_lost;
    s.dv[c] = dt * (a[c] + dt / 2 * k[c]) + dt * (dt2a2 / 6 + dt3k2 / 24) + v_lost; /* eq. 8 */
  }
  return s;
}

/* ---- steps ---- */

struct pull {
  double a[3], k[3];
};

/* What the field alone does at x to a particle with v. */
static struct pull of_field(const struct hb_hermite4 *h, const double x[3], const double v[3])
{
  struct pull f = {{0}, {0}};
  hb_field_pull(h->field, x, v, f.a, f.k);
  return f;
}

static double norm(const double q[3]) { return sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]); }

/* What is left of a and k without the field's f: what other particles do, and Coriolis' force. */
static struct pull without(const struct pull *f, const double a[3], const double k[3])
{
  struct pull own;
  for (int c = 0; c < 3; c++) own.a[c] = a[c] - f->a[c], own.k[c] = k[c] - f->k[c];
  return own;
}

/* What is less than that beside the field's f need not set a step: rounding errors of a difference of differences; and what tides
 * do to the center of a group, which changes with each revolution of its members. */
static double least_own(const struct hb_hermite4 *h, uint32_t i, const struct pull *f)
{
  static const double rounded = 0x1p-36; /* of sums of 48 or 53 bits */
  const struct hb_group *group = h->groups ? hb_groups_of(h->groups, i) : NULL;
  double tide = group ? hb_groups_field_tide(h->groups, h->particles->x + 3 * (size_t)i) * group->R : 0;
  return fmax(rounded * norm(f->a), tide);
}

/* Eq. 9 after a step from a and k to a_p and k_p. */
static double step_after(const struct hb_timestep_rule *rule, double phi, double dt, const double k[3],
                         const double ap[3], const double kp[3], double dt2a2[3], double dt3k2[3], int *noisy)
{
  const double dtdk[3] = {dt * (kp[0] - k[0]), dt * (kp[1] - k[1]), dt * (kp[2] - k[2])};
  return hb_timestep_after(rule, phi, dt, ap, kp, dtdk, dt2a2, dt3k2, noisy);
}

static double step_between(const struct hb_timestep_rule *rule, double phi, double dt, const struct pull *f,
                           const struct pull *fp, int *noisy)
{
  double dt2a2[3], dt3k2[3];
  higher(dt, f->a, f->k, fp->a, fp->k, dt2a2, dt3k2);
  return step_after(rule, phi, dt, f->k, fp->a, fp->k, dt2a2, dt3k2, noisy);
}

/* In a field, the shorter of two steps: by what other particles do, and by what the field does. A galaxy pulls a star a hundred
 * times as hard as its cluster does; in a sum of both, eq. 9 would not see how quickly the cluster's part changes. */
static double next_in_field(const struct hb_hermite4 *h, const struct hb_timestep_rule *rule, size_t b,
                            double dt, const struct course *s, int *noisy)
{
  const struct hb_timestep_rule exact = {.nu = rule->nu};
  size_t i = 3 * (size_t)h->block[b];
  const double *x = h->particles->x + i, *v = h->particles->v + i;
  double xp[3], vp[3];
  for (int c = 0; c < 3; c++) xp[c] = x[c] + s->dx[c], vp[c] = v[c] + s->dv[c];
  const struct pull f = of_field(h, x, v), fp = of_field(h, xp, vp);
  double by_field = step_between(&exact, h->phi1[b], dt, &f, &fp, noisy);
  const struct pull own = without(&f, h->a + i, h->j + i), own_p = without(&fp, h->a1 + 3 * b, h->j1 + 3 * b);
  const struct hb_timestep_rule of_own = {rule->nu, rule->noise, rule->mass, least_own(h, h->block[b], &fp)};
  return fmin(by_field, step_between(&of_own, h->phi1[b], dt, &own, &own_p, noisy));
}

/* Eq. 9 for the b-th particle of the block after a step from a and k to a_p and k_p. */
static double next_step(const struct hb_hermite4 *h, size_t b, double dt, const double k[3], struct course *s,
                        int *noisy)
{
  const struct hb_timestep_rule rule = {h->params.eta, h->noise, h->mass, 0};
  if (h->field) return next_in_field(h, &rule, b, dt, s, noisy);
  return step_after(&rule, h->phi1[b], dt, k, h->a1 + 3 * b, h->j1 + 3 * b, s->dt2a2, s->dt3k2, noisy);
}

double hb_hermite4_step_after(const struct hb_hermite4 *h, size_t b, double dt)
{
  size_t i = 3 * (size_t)h->block[b];
  const double *k = h->j + i;
  struct course s =
      course_of(dt, h->particles->v + i, h->lost + i, h->a + i, k, h->a1 + 3 * b, h->j1 + 3 * b);
  return next_step(h, b, dt, k, &s, &(int){0});
}

double hb_hermite4_step_first(const struct hb_hermite4 *h, uint32_t i, double phi, const double s[3])
{
  size_t k = 3 * (size_t)i;
  const double *x = h->particles->x + k, *a = h->a + k, *j = h->j + k;
  double nu = h->params.eta, a_least = hb_timestep_a_least(phi, h->mass);
  if (!h->field) return hb_timestep_first(nu, a_least, a, j, s);
  const struct pull f = of_field(h, x, h->particles->v + k), at_rest = of_field(h, x, a),
                    own = without(&f, a, j);
  a_least = fmax(a_least, least_own(h, i, &f));
  return fmin(hb_timestep_first(nu, 0, f.a, f.k, at_rest.k), hb_timestep_first(nu, a_least, own.a, own.k, s));
}

double hb_hermite4_step_anew(const struct hb_hermite4 *h, uint32_t i)
{
  static const double none[3] = {0};
  size_t k = 3 * (size_t)i;
  double nu = h->params.eta;
  if (!h->field) return hb_timestep_anew(nu, h->a + k, h->j + k);
  const struct pull f = of_field(h, h->particles->x + k, h->particles->v + k),
                    own = without(&f, h->a + k, h->j + k);
  return fmin(hb_timestep_anew(nu, f.a, f.k), hb_timestep_first(nu, least_own(h, i, &f), own.a, own.k, none));
}

unsigned hb_hermite4_level(const struct hb_hermite4 *h, double dt)
{
  return hb_timestep_level(dt, h->params.dt_min, h->blocks->level_max, h->params.rounding);
}

/* Particle i of the block, and a_p and k_p at its predicted place, which become those of the field at the corrected one: on an orbit
 * in a galaxy, whose force costs little, that keeps energy ten to a hundred times better than eqs 5 to 8 alone; and Coriolis' force
 * needs it, since eq. 4 is of third order only. */
static struct course in_field(const struct hb_hermite4 *h, size_t i, double dt, double *ap, double *kp)
{
  enum { TIMES = 4 };
  const double *x = h->particles->x + i, *v = h->particles->v + i;
  double xs[2][3], vs[2][3]; /* before and now */
  struct course s = course_of(dt, v, h->lost + i, h->a + i, h->j + i, ap, kp);
  memcpy(xs[1], h->xp + i, sizeof xs[1]);
  memcpy(vs[1], h->vp + i, sizeof vs[1]);
  for (int time = 0; time < TIMES; time++) {
    memcpy(xs[0], xs[1], sizeof xs[0]);
    memcpy(vs[0], vs[1], sizeof vs[0]);
    for (int c = 0; c < 3; c++) xs[1][c] = x[c] + s.dx[c], vs[1][c] = v[c] + s.dv[c];
    hb_field_change(h->field, xs, vs, ap, kp);
    s = course_of(dt, v, h->lost + i, h->a + i, h->j + i, ap, kp);
  }
  return s;
}

/* [PZ07] eqs 5 to 8 for the b-th particle of the block; returns its next step by eq. 9. In eqs 5 and 6 a and k
 * belong to the start of the step, a_p and k_p to its end (Makino & Aarseth 1992); the new acceleration and jerk,
 * also in eq. 9, are those at the predicted position. Powers of dt are multiplied out: dt is a power of two, so no
 * bit changes, and nothing underflows at tiny steps. All terms are added to x and v at once, so that these are rounded once. */
static double correct(struct hb_hermite4 *h, size_t b, double dt, int *noisy)
{
  size_t i = 3 * (size_t)h->block[b];
  double *x = h->particles->x + i, *v = h->particles->v + i, *a = h->a + i, *k = h->j + i;
  double *ap = h->a1 + 3 * b, *kp = h->j1 + 3 * b;
  struct course s = h->field ? in_field(h, i, dt, ap, kp) : course_of(dt, v, h->lost + i, a, k, ap, kp);
  double next = next_step(h, b, dt, k, &s, noisy);
  for (size_t c = 0; c < 3; c++) {
    float x_lost, v_lost;
    x[c] = add(x[c], s.dx[c], &x_lost);
    v[c] = add(v[c], s.dv[c], &v_lost);
    h->lost[i + c] = hb_bits_of_float(x_lost) | (uint64_t)hb_bits_of_float(v_lost) << 32;
    a[c] = ap[c];
    k[c] = kp[c];
  }
  return next;
}

struct correction {
  struct hb_hermite4 *h;
  size_t ni;
  _Atomic uint64_t noisy[HB_BLOCKS_LEVELS]; /* noisy particles, by the level that they want */
};

/* There forces change with the orbits of members, within a step, and not by rounding. */
static int is_near_group(const struct hb_hermite4 *h, uint32_t i) { return h->groups && h->groups->near[i]; }

static void correct_piece(void *context, size_t piece)
{
  struct correction *c = context;
  struct hb_hermite4 *h = c->h;
  for (size_t b = piece * PIECE, end = hb_parallel_end(c->ni, PIECE, b); b < end; b++) {
    unsigned level = h->blocks->level[h->block[b]];
    int noisy;
    double dt = correct(h, b, hb_hermite4_span(h, (uint64_t)1 << level), &noisy);
    h->level1[b] = (uint8_t)hb_hermite4_level(h, dt);
    h->phi1[b] = dt;
    if (noisy && !is_near_group(h, h->block[b])) c->noisy[h->level1[b]]++;
  }
}

/* How many of the next ni steps are set by noise: not those set by dt_max, and of shared steps only if the shortest one,
 * which all take, is. */
static uint64_t steps_by_noise(const struct hb_hermite4 *h, const _Atomic uint64_t *noisy, size_t ni)
{
  uint64_t count = 0;
  unsigned least = 0;
  if (h->params.steps == HB_STEPS_SHARED) {
    while (least < h->blocks->level_max && !memchr(h->level1, (int)least, ni)) least++;
    return least < h->blocks->level_max && noisy[least] ? ni : 0;
  }
  for (unsigned l = 0; l < h->blocks->level_max; l++) count += noisy[l];
  return count;
}

void hb_hermite4_correct(struct hb_hermite4 *h, size_t ni)
{
  struct correction c = {.h = h, .ni = ni};
  int threads = ni > ALONE ? hb_parallel_threads() : 1;
  hb_parallel_for(threads, hb_div_ceil(ni, PIECE), correct_piece, &c);
  h->noisy_steps += steps_by_noise(h, c.noisy, ni);
}

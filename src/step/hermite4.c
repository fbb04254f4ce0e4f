#include "step/hermite4.h"

#include "base/clock.h"
#include "base/interrupt.h"
#include "base/machine.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "core/diagnostics.h"
#include "core/gravity.h"
#include "core/vector.h"
#include "force/force.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const hb_first_step_names[] = {"auto", "eq9", "eq2", NULL};
const char *const hb_steps_names[] = {"block", "shared", NULL};
const char *const hb_transfer_names[] = {"all", "block", NULL};
const char *const hb_place_names[] = {"host", "gpu", NULL};

static const struct hb_columns_row rows[] = {
    HB_COLUMN_OF("a", HB_SECTION_DOUBLES, struct hb_hermite4, a, 3, HB_COLUMN_SAVED),
    HB_COLUMN_OF("j", HB_SECTION_DOUBLES, struct hb_hermite4, j, 3, HB_COLUMN_SAVED),
    HB_COLUMN_OF("lost", HB_SECTION_WORDS, struct hb_hermite4, lost, 3, HB_COLUMN_ADDED),
    HB_COLUMN(struct hb_hermite4, block, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_hermite4, a1, 3, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_hermite4, j1, 3, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_hermite4, phi1, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_hermite4, level1, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_hermite4, criterion, 1, HB_COLUMN_SCRATCH),
};
static const struct hb_columns columns = HB_COLUMNS(rows, 1);

/* Not allocated while a run starts, when the caller's particles may take memory, too. */
static const struct hb_columns_row predicted_rows[] = {
    HB_COLUMN(struct hb_hermite4, xp, 3, HB_COLUMN_KEPT),
    HB_COLUMN(struct hb_hermite4, vp, 3, HB_COLUMN_KEPT),
};
static const struct hb_columns predicted = HB_COLUMNS(predicted_rows, 0);
static enum hb_status reserve_predicted(struct hb_hermite4 *h)
{
  return h->vp ? HB_OK : hb_columns_reserve(&predicted, h->n, h);
}

/* ---- [PZ07] eqs 3 and 4 ---- */

/* As many are predicted, or corrected, before a second thread has woken up; the size of a thread's pieces. */
enum {
  PREDICTED_ALONE = 4096,
  PREDICTED_PIECE = 1024,
  CORRECTED_ALONE = 32,
  CORRECTED_PIECE = 64,
  FETCHED_AHEAD = 6
};

/* Stars are put into the order of space every dt_max / 2^2. */
enum { ARRANGED_WITHIN = 2 };

#define FOUR(array) ((hb_four *)((array) + 3 * i))

/* The particles from .. end - 1, each by its level's span. A fourth component is the next particle's first, which the next
 * round overwrites: the last particle is left to the caller. */
HB_CLONES static void predict_run(const struct hb_hermite4 *h, const struct hb_span *spans, size_t from,
                                  size_t end)
{
  const double *x = h->particles->x, *v = h->particles->v, *a = h->a, *j = h->j;
  const uint8_t *level = h->blocks->level;
  double *xp = h->xp, *vp = h->vp;
  for (size_t i = from; i + 1 < end && h->ahead; i++) {
    const hb_four *row = hb_rows_of(h->ahead + h->place[i]);
    if (i + FETCHED_AHEAD < end)
      hb_fetch(h->ahead[h->place[i + FETCHED_AHEAD]].x, h->ahead[h->place[i + FETCHED_AHEAD]].j);
    hb_predict_four(row, row + 1, row + 2, row + 3, &spans[level[i]], FOUR(xp), FOUR(vp));
  }
  for (size_t i = from; i + 1 < end && !h->ahead; i++)
    hb_predict_four(FOUR(x), FOUR(v), FOUR(a), FOUR(j), &spans[level[i]], FOUR(xp), FOUR(vp));
}

struct prediction {
  struct hb_hermite4 *h;
  const uint32_t *list; /* the particles; NULL: those from `first` on */
  size_t first;
  struct hb_span spans[HB_BLOCKS_LEVELS]; /* the particles of a level share it (blocks.h, invariant 2) */
};

static void predict_piece(void *context, size_t from, size_t end)
{
  const struct prediction *p = context;
  struct hb_hermite4 *h = p->h;
  size_t rest = from;
  if (!p->list) predict_run(h, p->spans, p->first + from, p->first + end), rest = end - 1;
  for (size_t k = rest; k < end; k++) {
    size_t i = p->list ? p->list[k] : p->first + k;
    hb_hermite4_predict(h, i, &p->spans[h->blocks->level[i]], h->xp + 3 * i, h->vp + 3 * i);
  }
}

void hb_hermite4_spans(const struct hb_hermite4 *h, uint64_t T, uint64_t levels, struct hb_span *span)
{
  for (uint64_t left = levels; left; left &= left - 1) {
    unsigned l = (unsigned)__builtin_ctzll(left);
    span[l] = hb_span_of(hb_hermite4_span(h, T - hb_blocks_level_time(h->blocks, l)));
  }
}

/* To tick T the particles list[count]; NULL: those from `first` on. */
static void predict_to_tick(struct hb_hermite4 *h, uint64_t T, const uint32_t *list, size_t first,
                            size_t count)
{
  struct prediction p = {.h = h, .list = list, .first = first};
  hb_hermite4_spans(h, T, h->blocks->occupied, p.spans);
  hb_parallel_pieces(count, PREDICTED_PIECE, PREDICTED_ALONE, predict_piece, &p);
}

/* ---- [PZ07] eqs 5 and 6, and the next step by eq. 9 ---- */

/* A particle at the start of a step: the whole a and k, and of these what eqs 5 and 6 see change: all, or with neighbor lists the near
 * part. */
struct start {
  const double *v, *a, *k, *an, *kn;
  const struct hb_lost *lost;
};

static inline struct start start_of(const struct hb_hermite4 *h, size_t particle)
{
  size_t i = 3 * particle;
  struct start s = {h->particles->v + i, h->a + i, h->j + i, h->a + i, h->j + i, h->lost + i};
  if (h->has_parts) s.an = h->near->a + i, s.kn = h->near->j + i;
  return s;
}

/* What a step does to such a particle, if a_p and k_p are what it feels at its end. */
struct course {
  double dx[3], dv[3];       /* [PZ07] eqs 3 and 7, 4 and 8, and what x and v lost before */
  double dt2a2[3], dt3k2[3]; /* dt^2 a'' of eq. 5, dt^3 k'' of eq. 6 */
};

static inline struct course course_of(double dt, const struct start *from, const double ap[3],
                                      const double kp[3])
{
  struct course s = {{0}, {0}, {0}, {0}};
  hb_timestep_higher(dt, from->an, from->kn, ap, kp, s.dt2a2, s.dt3k2);
  for (int c = 0; c < 3; c++) {
    double dt2a2 = s.dt2a2[c], dt3k2 = s.dt3k2[c], v = from->v[c], a = from->a[c], k = from->k[c];
    double x_lost = from->lost[c].x, v_lost = from->lost[c].v;
    double way = v_lost + dt / 2 * (a + dt / 3 * k) + dt * (dt2a2 / 24 + dt3k2 / 120); /* eq. 7 */
    s.dx[c] = dt * (v + way) + x_lost;
    s.dv[c] = dt * (a + dt / 2 * k) + dt * (dt2a2 / 6 + dt3k2 / 24) + v_lost; /* eq. 8 */
  }
  return s;
}

/* What the field alone does at x to a particle with v. */
static struct hb_pull of_field(const struct hb_hermite4 *h, const double x[3], const double v[3])
{
  struct hb_pull f = {{0}, {0}};
  hb_field_pull(h->field, x, v, f.a, f.k);
  return f;
}

/* What is left of a and k without the field's f: what other particles do, and Coriolis' force. */
static struct hb_pull without(const struct hb_pull *f, const double a[3], const double k[3])
{
  struct hb_pull own;
  for (int c = 0; c < 3; c++) own.a[c] = a[c] - f->a[c], own.k[c] = k[c] - f->k[c];
  return own;
}

/* What is less than that beside the field's f need not set a step: rounding errors of a difference of differences; and what tides
 * do to the center of a group, which changes with each revolution of its members. */
static double least_own(const struct hb_hermite4 *h, uint32_t i, const struct hb_pull *f)
{
  static const double rounded = 0x1p-36; /* of sums of 48 or 53 bits */
  const struct hb_group *group = h->groups ? hb_groups_of(h->groups, i) : NULL;
  double tide = group ? hb_groups_field_tide(h->groups, h->particles->x + 3 * (size_t)i) * group->R : 0;
  return fmax(rounded * hb_norm(f->a), tide);
}

/* Returns the masses of all nodes; 0 where slots are parked. */
static const double *masses(const struct hb_hermite4 *h)
{
  return h->groups ? h->groups->m : h->particles->m;
}

/* Returns the scale of the accelerations that add up to that of a node with the potential phi, see hb_timestep_pulls. */
static double pulls_on(const struct hb_hermite4 *h, uint32_t i, double phi)
{
  return hb_timestep_pulls(phi, h->rule.mass, masses(h)[i]);
}

/* Eq. 9 after a step from f to fp; `far` is the part of the pull that eqs 5 and 6 do not see, NULL: none. */
static double step_between(const struct hb_timestep_rule *rule, double pulls, double dt,
                           const struct hb_pull *f, const struct hb_pull *fp, const struct hb_pull *far,
                           int *noisy)
{
  double dt2a2[3], dt3k2[3];
  struct hb_pull whole = *fp;
  hb_timestep_higher(dt, f->a, f->k, fp->a, fp->k, dt2a2, dt3k2);
  for (int c = 0; far && c < 3; c++) whole.a[c] += far->a[c], whole.k[c] += far->k[c];
  return hb_timestep_after(rule, pulls, dt, f->k, whole.a, whole.k, dt2a2, dt3k2, noisy);
}

/* In a field, the shorter of two steps: by what other particles do, and by what the field does. A galaxy pulls a star a hundred
 * times as hard as its cluster does; in a sum of both, eq. 9 would not see how quickly the cluster's part changes. */
static double next_in_field(const struct hb_hermite4 *h, size_t b, double dt, const struct start *from,
                            const struct hb_pull *far, const struct course *s, int *noisy)
{
  const struct hb_timestep_rule exact = {.nu = h->rule.nu};
  struct hb_timestep_rule of_own = far ? exact : h->rule;
  const double *x = h->particles->x + 3 * (size_t)h->block[b], *v = from->v;
  double xp[3], vp[3];
  for (int c = 0; c < 3; c++) xp[c] = x[c] + s->dx[c], vp[c] = v[c] + s->dv[c];
  const struct hb_pull f = of_field(h, x, v), fp = of_field(h, xp, vp);
  double by_field = step_between(&exact, 0, dt, &f, &fp, NULL, noisy);
  const struct hb_pull own = without(&f, from->an, from->kn),
                       own_p = without(&fp, h->a1 + 3 * b, h->j1 + 3 * b);
  of_own.a_least = least_own(h, h->block[b], &fp);
  return fmin(by_field, step_between(&of_own, h->phi1[b], dt, &own, &own_p, far, noisy));
}

/* Eq. 9 for the b-th particle of the block, after find_pulls; near pulls are exact. */
static double next_step(const struct hb_hermite4 *h, size_t b, double dt, const struct start *from,
                        const struct hb_pull *far, struct course *s, int *noisy)
{
  const double *ap = h->a1 + 3 * b, *kp = h->j1 + 3 * b;
  if (h->field) return next_in_field(h, b, dt, from, far, s, noisy);
  double pulls = h->phi1[b];
  if (!far) return hb_timestep_after(&h->rule, pulls, dt, from->k, ap, kp, s->dt2a2, s->dt3k2, noisy);
  const struct hb_timestep_rule exact = {.nu = h->rule.nu};
  const struct hb_pull whole = {{ap[0] + far->a[0], ap[1] + far->a[1], ap[2] + far->a[2]},
                                {kp[0] + far->k[0], kp[1] + far->k[1], kp[2] + far->k[2]}};
  return hb_timestep_after(&exact, pulls, dt, from->k, whole.a, whole.k, s->dt2a2, s->dt3k2, noisy);
}

static double first_step(const struct hb_hermite4 *h, uint32_t i, double phi, const double s[3])
{
  size_t k = 3 * (size_t)i;
  const double *x = h->particles->x + k, *a = h->a + k, *j = h->j + k;
  double nu = h->rule.nu, a_least = hb_timestep_a_least(pulls_on(h, i, phi));
  if (!h->field) return hb_timestep_first(nu, a_least, a, j, s);
  const struct hb_pull f = of_field(h, x, h->particles->v + k), at_rest = of_field(h, x, a),
                       own = without(&f, a, j);
  a_least = fmax(a_least, least_own(h, i, &f));
  return fmin(hb_timestep_first(nu, 0, f.a, f.k, at_rest.k), hb_timestep_first(nu, a_least, own.a, own.k, s));
}

static double step_anew(const struct hb_hermite4 *h, uint32_t i, double phi)
{
  static const double none[3] = {0};
  size_t k = 3 * (size_t)i;
  double nu = h->rule.nu, a_least = hb_timestep_a_least(pulls_on(h, i, phi));
  if (!h->field) return hb_timestep_anew(nu, a_least, h->a + k, h->j + k);
  const struct hb_pull f = of_field(h, h->particles->x + k, h->particles->v + k),
                       own = without(&f, h->a + k, h->j + k);
  a_least = fmax(a_least, least_own(h, i, &f));
  return fmin(hb_timestep_anew(nu, 0, f.a, f.k), hb_timestep_first(nu, a_least, own.a, own.k, none));
}

/* ---- [PZ07] eqs 7 and 8 ---- */

/* sum + d, where d has what earlier sums lost; *lost is what this one loses: an exact identity, whichever is larger (Knuth 1969),
 * but for the rounding of *lost itself. Without it the errors of 10^6 steps add up, and a close encounter, whose forces come from
 * differences of places, feels them many times over. */
static inline double add(double sum, double d, float *lost)
{
  double result = sum + d, part = result - sum;
  *lost = (float)((sum - (result - part)) + (d - part));
  return result;
}

/* Adds what both change from x[0] and v[0] to x[1] and v[1], where all other forces stay. */
static void field_change(const struct hb_field *field, double x[2][3], double v[2][3], double a[3],
                         double j[3])
{
  double from_a[3] = {0}, from_j[3] = {0}, da[3] = {0}, dj[3] = {0}, dv[3];
  hb_field_pull(field, x[0], v[0], from_a, from_j);
  hb_field_pull(field, x[1], v[1], da, dj);
  for (int c = 0; c < 3; c++) da[c] -= from_a[c], dj[c] -= from_j[c], dv[c] = v[1][c] - v[0][c];
  hb_field_deflect(field, dv, da, dj);
  for (int c = 0; c < 3; c++) a[c] += da[c], j[c] += dj[c];
}

/* Particle i of the block, and a_p and k_p at its predicted place, which become those of the field at the corrected one: on an orbit
 * in a galaxy, whose force costs little, that keeps energy ten to a hundred times better than eqs 5 to 8 alone; and Coriolis' force
 * needs it, since eq. 4 is of third order only. */
static struct course in_field(const struct hb_hermite4 *h, size_t particle, double dt,
                              const struct start *from, double *ap, double *kp)
{
  enum { TIMES = 4 };
  size_t i = 3 * particle;
  const double *x = h->particles->x + i, *v = from->v;
  double xs[2][3], vs[2][3]; /* before and now */
  struct course s = course_of(dt, from, ap, kp);
  memcpy(xs[1], h->xp + i, sizeof xs[1]);
  memcpy(vs[1], h->vp + i, sizeof vs[1]);
  for (int time = 0; time < TIMES; time++) {
    memcpy(xs[0], xs[1], sizeof xs[0]);
    memcpy(vs[0], vs[1], sizeof vs[0]);
    for (int c = 0; c < 3; c++) xs[1][c] = x[c] + s.dx[c], vs[1][c] = v[c] + s.dv[c];
    field_change(h->field, xs, vs, ap, kp);
    s = course_of(dt, from, ap, kp);
  }
  return s;
}

/* [PZ07] eqs 5 to 8 for the b-th particle of the block; returns its next step by eq. 9. In eqs 5 and 6 a and k
 * belong to the start of the step, a_p and k_p to its end (Makino & Aarseth 1992); the new acceleration and jerk,
 * also in eq. 9, are those at the predicted position. Powers of dt are multiplied out: dt is a power of two, so no
 * bit changes, and nothing underflows at tiny steps. All terms are added to x and v at once, so that these are rounded once. */
static double correct(struct hb_hermite4 *h, uint64_t T, size_t b, double dt, int *noisy)
{
  size_t i = h->block[b];
  double *ap = h->a1 + 3 * b, *kp = h->j1 + 3 * b;
  struct hb_pull far;
  int has_far = h->has_parts;
  const struct start from = start_of(h, i);
  struct course s = h->field ? in_field(h, i, dt, &from, ap, kp) : course_of(dt, &from, ap, kp);
  if (has_far) hb_hermite4_near.far(h, b, T, &far);
  double next = next_step(h, b, dt, &from, has_far ? &far : NULL, &s, noisy);
  if (has_far) {
    hb_hermite4_near.end(h, b, ap, kp, s.dx, s.dv);
    for (int c = 0; c < 3; c++) ap[c] += far.a[c], kp[c] += far.k[c];
  }
  for (size_t c = 0, k = 3 * i; c < 3; c++, k++) {
    h->particles->x[k] = add(h->particles->x[k], s.dx[c], &h->lost[k].x);
    h->particles->v[k] = add(h->particles->v[k], s.dv[c], &h->lost[k].v);
    h->a[k] = ap[c], h->j[k] = kp[c];
  }
  if (h->has_parts) hb_hermite4_near.store(h, (uint32_t)i);
  return next;
}

struct correction {
  struct hb_hermite4 *h;
  uint64_t T;
  size_t ni;
  _Atomic uint64_t noisy[HB_BLOCKS_LEVELS]; /* noisy particles, by the level that they want */
  _Atomic uint64_t held;                    /* far steps, by near ones */
  _Atomic int is_noisy;                     /* any is */
  _Atomic int is_bad;                       /* forces are not finite */
};

/* What a correction needs of a particle: its arrays lie apart, more of them than a processor follows by itself. */
static void fetch(const struct hb_hermite4 *h, size_t i)
{
  const void *of[] = {h->particles->x + 3 * i, h->particles->v + 3 * i, h->a + 3 * i,   h->j + 3 * i,
                      h->xp + 3 * i,           h->vp + 3 * i,           h->lost + 3 * i};
  for (size_t k = 0; k < sizeof of / sizeof *of; k++) hb_fetch(of[k], (const char *)of[k] + 2 * sizeof *h->a);
  if (h->has_parts) hb_hermite4_near.fetch(h, i);
}

static void correct_piece(void *context, size_t b, size_t end)
{
  struct correction *c = context;
  struct hb_hermite4 *h = c->h;
  uint64_t held = 0;
  for (; b < end; b++) {
    unsigned level = h->blocks->level[h->block[b]];
    int noisy;
    if (b + FETCHED_AHEAD < c->ni) fetch(h, h->block[b + FETCHED_AHEAD]);
    if (!hb_forces_are_finite(1, h->a1 + 3 * b, h->j1 + 3 * b, h->phi1 + b)) {
      c->is_bad = 1;
      continue;
    }
    double dt = correct(h, c->T, b, hb_hermite4_span(h, (uint64_t)1 << level), &noisy);
    h->level1[b] = (uint8_t)hb_hermite4_level(h, dt);
    h->phi1[b] = dt;
    h->criterion[h->block[b]] = h->level1[b] > level ? HB_STEP_GROWS : noisy ? HB_STEP_NOISE : HB_STEP_EQ9;
    if (noisy &&
        !(h->groups && h->groups->near[h->block[b]])) { /* forces change with orbits of members there */
      c->noisy[h->level1[b]]++;
      c->is_noisy = 1;
    }
    if (h->near) held += (uint64_t)hb_hermite4_near.settle(h, c->T, b);
  }
  if (held) c->held += held;
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

static enum hb_status check_forces(struct hb_hermite4 *h, uint64_t T, size_t ni);

/* The sum of the |accelerations| of particle i by all others, whose times are those of their levels before `spans`. */
static double sum_of_pulls(const struct hb_hermite4 *h, const struct hb_span *spans, uint32_t i)
{
  double eps = hb_force_eps(h->force), x[3], v[3], xl[3], sum = 0;
  const double *m = masses(h);
  hb_hermite4_predict(h, i, spans + h->blocks->level[i], x, v);
  for (uint32_t l = 0; l < h->n; l++) {
    if (l == i || m[l] == 0) continue;
    hb_hermite4_predict(h, l, spans + h->blocks->level[l], xl, v);
    const double r[3] = {xl[0] - x[0], xl[1] - x[1], xl[2] - x[2]};
    double r2 = hb_dot(r, r), soft2 = r2 + eps * eps;
    if (r2 > 0) sum += m[l] * sqrt(r2) / (soft2 * sqrt(soft2));
  }
  return sum;
}

static void find_pulls_piece(void *context, size_t from, size_t end)
{
  static const double summed = 1. / 16, cancelled = 1. / 64;
  const struct prediction *p = context;
  struct hb_hermite4 *h = p->h;
  for (size_t b = from; b < end; b++) {
    double a = hb_norm(h->a1 + 3 * b), sum = 0;
    h->phi1[b] = pulls_on(h, h->block[b], h->phi1[b]);
    if (h->rule.noise > 0 && !h->has_parts && a < summed * h->phi1[b])
      sum = sum_of_pulls(h, p->spans, h->block[b]);
    if (a < cancelled * sum) h->phi1[b] = sum;
  }
}

/* Replaces the potentials of the block at tick T by the scale of the accelerations, see hb_timestep_pulls. Where accelerations cancel and are
 * rounded, its lower bound is too low, if others are near, to tell what is left from rounding errors: there all are summed. */
static void find_pulls(struct hb_hermite4 *h, uint64_t T, size_t ni)
{
  struct prediction p = {.h = h};
  if (h->rule.noise > 0 && !h->has_parts) hb_hermite4_spans(h, T, h->blocks->occupied, p.spans);
  hb_parallel_pieces(ni, PREDICTED_PIECE, PREDICTED_ALONE, find_pulls_piece, &p);
}

static enum hb_status correct_block(struct hb_hermite4 *h, uint64_t T, size_t ni)
{
  struct correction c = {.h = h, .T = T, .ni = ni};
  find_pulls(h, T, ni);
  hb_parallel_shares(ni, CORRECTED_PIECE, CORRECTED_ALONE, correct_piece, &c);
  if (c.is_bad) return check_forces(h, T, ni);
  if (c.is_noisy) h->counts.noisy_steps += steps_by_noise(h, c.noisy, ni);
  if (h->near) h->counts.near.by_reach += c.held + hb_hermite4_near.settle_groups(h, T, ni);
  return HB_OK;
}

/* ---- particles that stay on the device, as [PZ07] Fig. 5 foresaw ---- */

static struct hb_force_particles force_particles(const struct hb_hermite4 *h)
{
  return (struct hb_force_particles){.n = h->n,
                                     .m = hb_hermite4_sources(h),
                                     .x = h->particles->x,
                                     .v = h->particles->v,
                                     .a = h->a,
                                     .j = h->j,
                                     .level = h->blocks->level};
}

enum hb_status hb_hermite4_keep(struct hb_hermite4 *h, size_t ni, const uint32_t *index)
{
  if (h->near) {
    hb_hermite4_near.mark(h, ni, index);
    return HB_OK;
  }
  return hb_hermite4_send(h, ni, index);
}

enum hb_status hb_hermite4_send(struct hb_hermite4 *h, size_t ni, const uint32_t *index)
{
  hb_hermite4_near.settle_all(h);
  const struct hb_force_particles p = force_particles(h);
  return hb_force_keep(h->force, &p, ni, index);
}

static enum hb_status keep_all(struct hb_hermite4 *h) { return hb_hermite4_keep(h, h->n, NULL); }

/* From the times of all levels to tick T. */
static void device_spans(const struct hb_hermite4 *h, const struct hb_blocks *blocks, uint64_t T,
                         double dt[HB_FORCE_LEVELS])
{
  memset(dt, 0, HB_FORCE_LEVELS * sizeof *dt);
  for (unsigned l = 0; l <= blocks->level_max; l++)
    dt[l] = hb_hermite4_span(h, T - hb_blocks_level_time(blocks, l));
}

enum hb_status hb_hermite4_predict_on_device(struct hb_hermite4 *h, uint64_t T)
{
  double dt[HB_FORCE_LEVELS];
  device_spans(h, h->blocks, T, dt);
  return hb_force_predict(h->force, dt);
}

/* A device that was opened again gets all: the host still has every particle. */
static enum hb_status predict_kept(void *owner)
{
  const struct hb_hermite4_kept *kept = owner;
  struct hb_hermite4 *h = kept->h;
  if (h->params.transfer == HB_TRANSFER_ALL || kept->openings != hb_force_openings(h->force))
    HB_TRY(keep_all(h));
  return hb_hermite4_predict_on_device(h, kept->T);
}

/* Pairs alone, of the block: a1 j1 phi1 at tick T, from what the device has. */
static enum hb_status sum_on_kept(struct hb_hermite4 *h, uint64_t T, size_t ni)
{
  struct hb_hermite4_kept kept = {h, T, hb_force_openings(h->force)};
  return hb_force_of(h->force, &(struct hb_force_job){.sinks = {.n = ni, .index = h->block},
                                                      .to = {h->a1, h->j1, h->phi1},
                                                      .prepare = predict_kept,
                                                      .owner = &kept});
}

/* Steps become levels. */
enum {
  ROUNDED_PIECE = 1024,
  ROUNDED_ALONE = 16 * ROUNDED_PIECE /* steps that are rounded before a second thread has woken up */
};
struct rounding {
  struct hb_hermite4 *h;
  const double *step;
};

static void round_piece(void *context, size_t b, size_t end)
{
  const struct rounding *r = context;
  const struct hb_sim_params *params = &r->h->params;
  unsigned most = r->h->blocks->level_max;
  for (; b < end; b++)
    r->h->level1[b] = (uint8_t)hb_timestep_level(r->step[b], params->dt_min, most, params->rounding);
}

/* correct = gpu: corrects the block at tick T on the device, pending hb_force_settle, and finds its wanted levels. */
static enum hb_status correct_on_device(struct hb_hermite4 *h, uint64_t T, size_t ni)
{
  double *step = h->phi1;
  const struct hb_force_step how = {h->rule.nu, h->rule.noise, h->rule.mass, h->field};
  struct hb_blocks after = *h->blocks; /* if the shortest step stays the same, which it mostly does */
  double ahead[HB_FORCE_LEVELS];
  uint64_t next;
  after.now = T;
  HB_TRY(hb_blocks_next_time(&after, &next));
  device_spans(h, &after, next, ahead);
  HB_TRY(hb_hermite4_predict_on_device(h, T));
  HB_TRY(hb_force_correct(
      h->force,
      &(struct hb_force_correction){.ni = ni, .index = h->block, .how = &how, .step = step, .ahead = ahead}));
  hb_parallel_pieces(ni, ROUNDED_PIECE, ROUNDED_ALONE, round_piece, &(struct rounding){h, step});
  return HB_OK;
}

/* x v a j as they are, whoever else has them. */
static enum hb_status sync_with_device(struct hb_hermite4 *h)
{
  hb_hermite4_near.settle_all(h);
  if (!h->stale) return HB_OK;
  struct hb_force_particles p = force_particles(h);
  HB_TRY(hb_force_fetch(h->force, &p));
  h->stale = 0;
  return HB_OK;
}

/* What became of the block. */
static enum hb_status tell_device(struct hb_hermite4 *h, size_t ni)
{
  if (h->params.correct == HB_PLACE_GPU) return hb_force_settle(h->force, ni, h->block, h->level1);
  return h->params.transfer == HB_TRANSFER_BLOCK ? hb_hermite4_keep(h, ni, h->block) : HB_OK;
}

/* ---- companions ---- */

static void add_field(struct hb_hermite4 *h, size_t ni)
{
  hb_field_add(h->field, ni, h->block, h->xp, h->vp, h->a1, h->j1);
}
static const struct hb_companion field = {.state = offsetof(struct hb_hermite4, field), .forces = add_field};

/* Their order is that in which they act on a block, and in which forces are added. */
static const struct hb_companion *const companions[] = {
    &hb_companion_bodies,   &hb_companion_heavy, &field, &hb_companion_groups, &hb_companion_passages,
    &hb_companion_massless, &hb_companion_near,  NULL};

/* Loops over companions c that have a hook; and over those of them that take part in blocks. */
#define EACH(c, hook)                                                                                        \
  for (const struct hb_companion *const *at_##c = companions, *c; (c = *at_##c); at_##c++)                   \
    if (c->hook)
#define STATE(h, c) (*(void *const *)((const char *)(h) + (c)->state))
#define EACH_PRESENT(h, c, hook)                                                                             \
  EACH (c, hook)                                                                                             \
    if (!c->state || STATE(h, c))

enum hb_status hb_hermite4_before(struct hb_hermite4 *h, uint64_t T, size_t ni)
{
  EACH_PRESENT (h, c, before) HB_TRY(c->before(h, T, ni));
  return HB_OK;
}

void hb_hermite4_predict_others(struct hb_hermite4 *h, uint64_t T, size_t ni)
{
  size_t from = 0;
  for (size_t b = 0; b <= ni; b++) {
    size_t to = b < ni ? h->block[b] : h->n;
    if (to > from) predict_to_tick(h, T, NULL, from, to - from);
    from = to + 1;
  }
}

/* For the sentence of a failure: the state at tick T; all particles of a block that is not yet scheduled are predicted on the host. */
static struct hb_forces_at forces_at(struct hb_hermite4 *h, uint64_t T)
{
  int is_ahead = h->blocks->now < T;
  if (is_ahead) predict_to_tick(h, T, NULL, 0, h->n);
  return (struct hb_forces_at){h->n, h->xp, hb_hermite4_at(h, T), h->counts.block_steps + is_ahead, h->force};
}

static enum hb_status check_forces(struct hb_hermite4 *h, uint64_t T, size_t ni)
{
  if (hb_forces_are_finite(ni, h->a1, h->j1, h->phi1)) return HB_OK;
  const struct hb_forces_at at = forces_at(h, T);
  return hb_forces_check(&at, ni, h->block, h->a1, h->j1, h->phi1);
}

/* The pairs of few, in double on the host: a device is not woken for them. */
static enum hb_status sum_few(struct hb_hermite4 *h, size_t ni)
{
  double eps = hb_force_eps(h->force);
  return hb_gravity_of_few(h->n, hb_hermite4_sources(h), h->xp, h->vp, eps * eps, ni, h->block, h->a1, h->j1,
                           h->phi1);
}

enum hb_status hb_hermite4_sum(struct hb_hermite4 *h, uint64_t T, size_t ni)
{
  enum { FEW = 16 };
  int on_host = h->params.predict == HB_PLACE_HOST;
  if (h->has_parts)
    HB_TRY(hb_hermite4_near.sum_fresh(h, ni));
  else if (on_host && h->is_changing && ni <= FEW)
    HB_TRY(sum_few(h, ni));
  else if (on_host || h->near) /* with lists a device gets particles for full blocks only */
    HB_TRY(
        hb_force_of(h->force, &(struct hb_force_job){.sources = {h->n, hb_hermite4_sources(h), h->xp, h->vp},
                                                     .sinks = {.n = ni, .index = h->block},
                                                     .to = {h->a1, h->j1, h->phi1}}));
  else
    HB_TRY(sum_on_kept(h, T, ni));
  EACH_PRESENT (h, c, forces) c->forces(h, ni);
  return check_forces(h, T, ni);
}

enum hb_status hb_hermite4_catch_up(struct hb_hermite4 *h, uint64_t T, size_t ni)
{
  HB_TRY(hb_hermite4_before(h, T, ni));
  if (ni == 0) return HB_OK;
  HB_TRY(hb_hermite4_sum(h, T, ni));
  for (size_t b = 0; b < ni; b++) {
    size_t i = h->block[b], k = 3 * i;
    double dt = hb_hermite4_span(h, T - hb_blocks_level_time(h->blocks, h->blocks->level[i]));
    double *ap = h->a1 + 3 * b, *kp = h->j1 + 3 * b;
    const struct start from = start_of(h, i);
    if (!(dt > 0)) continue;
    double dx[3] = {0}, dv[3] = {0};
    if (h->has_parts) hb_hermite4_near.catch_up(h, T, b, ap, kp, dx, dv);
    const struct course s = h->field ? in_field(h, i, dt, &from, ap, kp) : course_of(dt, &from, ap, kp);
    for (size_t c = 0; c < 3; c++) {
      h->xp[k + c] = h->particles->x[k + c] + (s.dx[c] + dx[c]);
      h->vp[k + c] = h->particles->v[k + c] + (s.dv[c] + dv[c]);
    }
  }
  return HB_OK;
}

void hb_hermite4_place(struct hb_hermite4 *h, uint32_t i)
{
  size_t k = 3 * (size_t)i, bytes = 3 * sizeof *h->a;
  memcpy(h->particles->x + k, h->xp + k, bytes);
  memcpy(h->particles->v + k, h->vp + k, bytes);
  memset(h->a + k, 0, bytes);
  memset(h->j + k, 0, bytes);
  memset(h->lost + k, 0, 3 * sizeof *h->lost);
  h->blocks->level[i] = 0;
}

void hb_hermite4_begin_anew(struct hb_hermite4 *h, uint64_t T, size_t b)
{
  uint32_t i = h->block[b];
  size_t k = 3 * (size_t)i;
  hb_hermite4_place(h, i);
  memcpy(h->a + k, h->a1 + 3 * b, 3 * sizeof *h->a);
  memcpy(h->j + k, h->j1 + 3 * b, 3 * sizeof *h->j);
  unsigned level = hb_hermite4_level(h, hb_hermite4_limited(h, i, step_anew(h, i, h->phi1[b])));
  unsigned most = T ? (unsigned)__builtin_ctzll(T) : h->blocks->level_max;
  h->criterion[i] = HB_STEP_NEW;
  if (level > most) level = most;
  if (h->has_parts) hb_hermite4_near.begin(h, b, &level, most);
  hb_blocks_put(h->blocks, i, level);
  hb_hermite4_near.store(h, i);
}

void hb_hermite4_place_corrected(struct hb_hermite4 *h, size_t from, size_t end)
{
  for (size_t b = from; b < end; b++) {
    size_t k = 3 * (size_t)h->block[b];
    memcpy(h->xp + k, h->particles->x + k, 3 * sizeof *h->xp);
    memcpy(h->vp + k, h->particles->v + k, 3 * sizeof *h->vp);
  }
}

/* What follows from the masses of all. */
static enum hb_status weigh(struct hb_hermite4 *h)
{
  h->rule.mass = hb_sum(h->n, h->particles->m);
  if (h->is_changing == HB_CHANGE_MASSES) return HB_OK; /* who has any is the same */
  return hb_force_find_massive(h->force, h->n, h->particles->m);
}

enum hb_status hb_hermite4_weigh_all(struct hb_hermite4 *h)
{
  HB_TRY(weigh(h));
  EACH (c, weigh) HB_TRY(c->weigh(h));
  return HB_OK;
}

enum hb_status hb_hermite4_drop(struct hb_hermite4 *h, const uint32_t *number, size_t left)
{
  hb_hermite4_near.settle_all(h);
  hb_columns_renumber(&hb_particles_columns, h->n, number, h->particles);
  hb_columns_renumber(&hb_blocks_columns, h->n, number, h->blocks);
  hb_columns_renumber(&columns, h->n, number, h);
  hb_columns_renumber(&predicted, h->n, number, h);
  EACH_PRESENT (h, c, drop) c->drop(h, number, left);
  EACH_PRESENT (h, c, columns) hb_columns_renumber(c->columns, h->n, number, STATE(h, c));
  h->n = h->particles->n = left;
  HB_TRY(hb_hermite4_weigh_all(h));
  return hb_hermite4_near.arrange(h);
}

enum hb_status hb_hermite4_grow(struct hb_hermite4 *h, size_t n)
{
  HB_TRY(hb_columns_grow(&columns, n, h));
  HB_TRY(hb_columns_grow(&predicted, n, h));
  HB_TRY(hb_blocks_grow(h->blocks, n));
  EACH_PRESENT (h, c, columns) HB_TRY(hb_columns_grow(c->columns, n, STATE(h, c)));
  EACH_PRESENT (h, c, grow) HB_TRY(c->grow(h, n));
  h->n = n;
  return HB_OK;
}

static void destroy(void *state)
{
  struct hb_hermite4 *h = state;
  if (!h) return;
  EACH_PRESENT (h, c, columns) hb_columns_free(c->columns, STATE(h, c));
  EACH_PRESENT (h, c, close) c->close(h);
  hb_columns_free(&columns, h);
  hb_columns_free(&predicted, h);
  hb_blocks_destroy(h->blocks);
  hb_particles_destroy(h->particles);
  hb_mem_free(h);
}

static void destroy_own(struct hb_hermite4 *const *own) { destroy(*own); }
#define OWN_STATE __attribute__((cleanup(destroy_own)))

/* ---- a block step ---- */

/* All particles of the block get the smallest level in level1. */
static void share_level(struct hb_hermite4 *h, size_t ni)
{
  uint8_t least = h->level1[0];
  for (size_t b = 1; b < ni; b++)
    if (h->level1[b] < least) least = h->level1[b];
  memset(h->level1, least, ni);
}

/* Counts the block's next steps, from tick T on, that dt_min cuts off; wanted[ni] are their lengths before rounding. */
static void count_cut_steps(struct hb_hermite4 *h, uint64_t T, size_t ni, const double *wanted)
{
  struct hb_cut_steps *cut = &h->counts.cut;
  if (!memchr(h->level1, 0, ni)) return; /* mostly */
  for (size_t b = 0; b < ni; b++) {
    if (h->level1[b] > 0 || !hb_timestep_is_cut(wanted[b], h->params.dt_min, h->params.rounding)) continue;
    if (cut->count++ == 0)
      cut->particle = h->block[b], cut->t = hb_hermite4_at(h, T), cut->wanted = wanted[b];
  }
}

/* True if predicting all particles takes a team less time than it saves in the loops over the groups of the block, which only one thread may
 * run where positions are predicted when they are asked for. A prediction takes 5 ns, the groups of a block 3 microseconds a node. */
static int is_for_team(const struct hb_hermite4 *h, size_t ni)
{
  enum { LEAST = 16, PREDICTIONS = 64 }; /* of each thread, for each node of the block */
  size_t threads = (size_t)hb_parallel_threads();
  if (!h->groups || h->groups->count == 0 || threads == 1) return 0;
  return ni >= LEAST && ni * PREDICTIONS * threads >= h->n;
}

/* With neighbor lists most blocks need no more than these. */
static enum hb_status advance_by_lists(struct hb_hermite4 *h, uint64_t T, size_t ni, double *lap)
{
  *lap = hb_clock_now();
  int is_full = hb_hermite4_near.begin_block(h, T, ni);
  if (!is_full && is_for_team(h, ni)) h->near->team_at = h->near->now;
  if (hb_near_knows_all(h->near)) predict_to_tick(h, T, NULL, 0, h->n);
  h->phases.predict_s += hb_clock_lap(lap);
  HB_TRY(hb_hermite4_near.forces(h, T, ni)); /* which tells groups who is near whom */
  *lap = hb_clock_now();
  HB_TRY(hb_hermite4_before(h, T, ni));
  EACH_PRESENT (h, c, forces) c->forces(h, ni);
  if (is_full) HB_TRY(check_forces(h, T, ni)); /* before new lists; else where steps are corrected */
  h->phases.groups_s += hb_clock_lap(lap);
  hb_hermite4_near.step_fars(h);
  h->phases.lists_s += hb_clock_lap(lap);
  EACH_PRESENT (h, c, predicted) c->predicted(h, ni);
  HB_TRY(correct_block(h, T, ni));
  EACH_PRESENT (h, c, corrected) c->corrected(h, T, ni);
  return HB_OK;
}

/* Predicts, evaluates the forces and corrects the block at tick T; the levels it wants go to level1. *lap is when the
 * forces were there. */
static enum hb_status advance_on_host(struct hb_hermite4 *h, uint64_t T, size_t ni, double *lap)
{
  struct hb_force_needs sources = {
      .count = h->n}; /* whose places the forces depend on: any node may be near a group */
  *lap = hb_clock_now();
  if (!h->groups) { /* a device predicts its sources itself */
    sources.count = 0;
    if (h->params.predict == HB_PLACE_HOST) sources = hb_force_needs(h->force, h->n, ni);
  }
  predict_to_tick(h, T, sources.list, sources.from, sources.count);
  if (sources.count < h->n) predict_to_tick(h, T, h->block, 0, ni);
  h->phases.predict_s += hb_clock_lap(lap);
  EACH_PRESENT (h, c, before) HB_TRY(c->before(h, T, ni));
  if (h->groups) h->phases.groups_s += hb_clock_lap(lap);
  HB_TRY(hb_hermite4_sum(h, T, ni)); /* there are no lists */
  *lap = hb_clock_now();
  EACH_PRESENT (h, c, predicted) c->predicted(h, ni);
  HB_TRY(correct_block(h, T, ni));
  EACH_PRESENT (h, c, corrected) c->corrected(h, T, ni);
  for (size_t b = 0; b < ni && h->groups; b++) hb_hermite4_limit_step(h, b);
  return HB_OK;
}

/* The device's sentence names the first particle whose step is not a number, but neither time nor reason. */
static enum hb_status add_reason(struct hb_hermite4 *h, uint64_t T, size_t ni)
{
  char what[256], reason[HB_FORCES_REASON];
  size_t b = 0;
  snprintf(what, sizeof what, "%s", hb_error());
  while (b + 1 < ni && h->phi1[b] >= 0) b++;
  uint32_t i = h->block[b];
  HB_TRY(sync_with_device(h));
  const struct hb_forces_at at = forces_at(h, T);
  hb_forces_reason(&at, i, reason);
  return hb_fail(HB_ERR_NUMERIC, "%s (block step %" PRIu64 ", t = %.17g)%s", what, at.step, at.t, reason);
}

static enum hb_status advance_on_device(struct hb_hermite4 *h, uint64_t T, size_t ni, double *lap)
{
  enum hb_status status = correct_on_device(h, T, ni);
  *lap = hb_clock_now();
  return status == HB_ERR_NUMERIC ? add_reason(h, T, ni) : status;
}

/* After a block was given up before its correction: xp and vp of the block's time must not be taken for those of a later call, and the
 * counts become those before. Nodes that have entered lists of groups stay there; they would enter anew. */
static void give_up(struct hb_hermite4 *h, const struct hb_near_counts *before)
{
  h->counts.near = *before;
  if (!h->near) return;
  memset(h->near->stamp, 0, h->n * sizeof *h->near->stamp);
  h->near->all_at = h->near->team_at = 0;
}

/* The work of companions after the block was corrected and scheduled. Groups change their members there, and others are advanced in between:
 * that is not given up, unless it lasts longer than the caller's grace. Then only a spare state can be stepped again. */
static enum hb_status end_block(struct hb_hermite4 *h, uint64_t T, size_t ni)
{
  enum hb_status status = HB_OK;
  hb_interrupt_hold();
  EACH_PRESENT (h, c, after)
    if (status == HB_OK) status = c->after(h, T, &ni);
  hb_interrupt_release();
  return status;
}

/* Makes a spare state before a block, if it may be needed: where groups took long in a block not long ago, for a tenth of that time in
 * all; and always without a grace. */
static enum hb_status make_spare(struct hb_hermite4 *h, struct hb_hermite4 **spare)
{
  if (!h->groups || h->params.predict == HB_PLACE_GPU) return HB_OK; /* a device has one state */
  if (!(h->spare_s > 0) && hb_interrupt_grace() > 0) return HB_OK;
  void *made;
  double lap = hb_clock_now();
  HB_TRY(hb_integrator_copy(&hb_integrator_hermite4, h, &h->params, h->force, &made));
  *spare = made;
  (*spare)->counts = h->counts;
  h->spare_s -= hb_clock_lap(&lap);
  return HB_OK;
}

/* After end_block was given up: the state becomes the spare one, which is that before the block, and the caller's is to be destroyed. */
static enum hb_status take_spare(struct hb_hermite4 *h, struct hb_hermite4 *spare)
{
  struct hb_hermite4 torn = *h;
  h->is_torn = !spare;
  if (!spare) return HB_OK;
  *h = *spare;
  *spare = torn;
  h->events = torn.events, h->phases = torn.phases, h->spare_s = torn.spare_s;
  return hb_force_find_massive(h->force, h->n, h->particles->m);
}

static enum hb_status check_whole(const struct hb_hermite4 *h)
{
  if (!h->is_torn) return HB_OK;
  return hb_fail(HB_ERR_STOPPED,
                 "the simulation was stopped in the middle of a step that cannot be done again");
}

/* Sets *T to the tick at which a companion interrupts the run; UINT64_MAX: none does before the next block. */
static enum hb_status interruption(struct hb_hermite4 *h, uint64_t *T)
{
  *T = UINT64_MAX;
  if (!h->bodies) return HB_OK;
  HB_TRY(reserve_predicted(h));
  return hb_companion_bodies.interruption(h, T);
}

static enum hb_status step(void *state, struct hb_step_size *size)
{
  struct hb_hermite4 *h = state;
  OWN_STATE struct hb_hermite4 *spare = NULL;
  static const double long_s = 0.25;
  const struct hb_near_counts near_counts = h->counts.near;
  const double groups_s = h->phases.groups_s;
  int on_device = h->params.correct == HB_PLACE_GPU;
  uint64_t T, at;
  size_t ni;
  double lap;
  HB_TRY(check_whole(h));
  HB_TRY(hb_blocks_next_time(h->blocks, &T));
  HB_TRY(interruption(h, &at));
  if (at < T) {
    *size = (struct hb_step_size){0};
    return hb_companion_bodies.interrupt(h, at);
  }
  HB_TRY(make_spare(h, &spare));
  if (!h->vp) HB_TRY(reserve_predicted(h));
  if (h->groups) hb_groups_forget_advanced(h->groups);
  hb_blocks_select(h->blocks, T, h->block, &ni);
  uint64_t dt = hb_blocks_shortest(h->blocks);
  enum hb_status status = (on_device ? advance_on_device
                           : h->near ? advance_by_lists
                                     : advance_on_host)(h, T, ni, &lap);
  if (status == HB_ERR_STOPPED) give_up(h, &near_counts);
  HB_TRY(status);
  count_cut_steps(h, T, ni, h->phi1);
  if (h->params.steps == HB_STEPS_SHARED) share_level(h, ni);
  hb_blocks_advance(h->blocks, T);
  hb_blocks_put_back(h->blocks, ni, h->block, h->level1);
  if (__builtin_ctzll(T) + ARRANGED_WITHIN >= (int)h->blocks->level_max) HB_TRY(hb_hermite4_near.arrange(h));
  h->phases.correct_s += hb_clock_lap(&lap);
  h->counts.block_steps++;
  h->counts.particle_steps += ni;
  *size = (struct hb_step_size){ni, h->counts.near.far_steps - near_counts.far_steps};
  if (dt < h->shortest) h->shortest = dt;
  h->stale = on_device;
  if (h->params.predict == HB_PLACE_GPU) HB_TRY(tell_device(h, ni));
  status = end_block(h, T, ni);
  if (status == HB_ERR_STOPPED) HB_TRY(take_spare(h, spare));
  if (h->near || h->groups) h->phases.groups_s += hb_clock_lap(&lap);
  if (h->phases.groups_s - groups_s > long_s) h->spare_s = (h->phases.groups_s - groups_s) / 10;
  HB_TRY(status);
  status = h->bodies ? hb_companion_bodies.look_ahead(h) : HB_OK;
  return status == HB_ERR_STOPPED ? HB_OK : status; /* then the next step looks ahead */
}

/* ---- starting ---- */

static double time_of(const void *state)
{
  const struct hb_hermite4 *h = state;
  return hb_hermite4_at(h, h->blocks->now);
}

static double next_time(const void *state)
{
  struct hb_hermite4 *h = (struct hb_hermite4 *)state; /* logically const: it may look ahead */
  uint64_t next, at;
  if (hb_blocks_next_time(h->blocks, &next) != HB_OK) return INFINITY;
  int interrupts = interruption(h, &at) == HB_OK && at < next;
  return hb_hermite4_at(h, interrupts ? at : next);
}

/* A change may come at the multiples of that: who begins anew then has so many doublings before it. */
static uint64_t waiting_grid(const struct hb_hermite4 *h)
{
  enum { DOUBLINGS = 16 };
  return (uint64_t)1 << (h->blocks->level_max > DOUBLINGS ? h->blocks->level_max - DOUBLINGS : 0);
}

static double boundary(const void *state, double t)
{
  const struct hb_hermite4 *h = state;
  double grid = hb_hermite4_span(h, waiting_grid(h));
  double after = h->t0 + ceil((t - h->t0) / grid) * grid;
  return after < t ? after + grid : after;
}

/* The times of particles follow from that of the last block for any time before the next (blocks.h, invariant 2). */
static void wait(void *state, double t)
{
  struct hb_hermite4 *h = state;
  h->blocks->now = (uint64_t)nearbyint((t - h->t0) / h->params.dt_min);
}

static enum hb_status check_params(const struct hb_sim_params *params)
{
  double dt_min = params->dt_min, dt_max = params->dt_max;
  if (dt_min > dt_max)
    return hb_fail(HB_ERR_USAGE, "the smallest step dt_min is %g, expected at most dt_max = %g", dt_min,
                   dt_max);
  if (dt_max / dt_min > ldexp(1, HB_BLOCKS_LEVELS - 1))
    return hb_fail(HB_ERR_USAGE, "dt_max / dt_min is %g, expected at most 2^%d", dt_max / dt_min,
                   HB_BLOCKS_LEVELS - 1);
  if (params->transfer == HB_TRANSFER_BLOCK && params->predict == HB_PLACE_HOST)
    return hb_fail(HB_ERR_USAGE,
                   "transfer block with predict host: a host that predicts all particles has to send "
                   "all (expected predict gpu)");
  if (params->transfer == HB_TRANSFER_ALL && params->correct == HB_PLACE_GPU)
    return hb_fail(HB_ERR_USAGE,
                   "correct gpu with transfer all: what the device corrects is not sent (expected "
                   "transfer block, predict gpu)");
  return HB_OK;
}

static enum hb_status open_all(struct hb_hermite4 *h)
{
  unsigned level_max = (unsigned)ilogb(h->params.dt_max / h->params.dt_min);
  HB_TRY(weigh(h));
  HB_TRY(hb_columns_reserve(&columns, h->n, h));
  HB_TRY(hb_blocks_create(h->n, level_max, 0, &h->blocks));
  EACH (c, open) HB_TRY(c->open(h));
  return HB_OK;
}

/* Takes over the particles, also after a failure; their time becomes t0. No forces are evaluated, nothing is scheduled. */
static enum hb_status prepare(struct hb_particles *initial, const struct hb_sim_params *params,
                              struct hb_force *force, struct hb_hermite4 **hermite4)
{
  HB_OWN_PARTICLES struct hb_particles *own = initial;
  OWN_STATE struct hb_hermite4 *h = NULL;
  HB_TRY(check_params(params));
  HB_TRY(HB_ALLOC(1, &h));
  *h = (struct hb_hermite4){.n = initial->n,
                            .params = *params,
                            .force = force,
                            .field = hb_force_field(force),
                            .t0 = initial->t,
                            .rule = {.nu = params->eta, .noise = hb_force_facts(force)->acc_noise},
                            .shortest = UINT64_MAX};
  HB_TRY(HB_GIVE(own, &h->particles));
  h->params.force = (struct hb_force_params){0}; /* strings of the caller's */
  h->params.integrator = h->params.field = NULL;
  HB_TRY(open_all(h));
  return HB_GIVE(h, hermite4);
}

/* Of all on all at x v: a1 j1 phi1. */
static enum hb_status pairs_of_all(struct hb_hermite4 *h, const double *x, const double *v)
{
  return hb_force_of(h->force, &(struct hb_force_job){.sources = {h->n, h->particles->m, x, v},
                                                      .sinks = {.n = h->n, .index = h->block},
                                                      .to = {h->a1, h->j1, h->phi1}});
}

/* With the field, but no other companions, dt after the start. */
static enum hb_status first_forces(struct hb_hermite4 *h, double dt, const double *x, const double *v)
{
  double t = h->t0 + dt;
  HB_TRY(pairs_of_all(h, x, v));
  hb_hermite4_near.take_first(h, dt);
  if (h->field) hb_field_add(h->field, h->n, h->block, x, v, h->a1, h->j1);
  const struct hb_forces_at at = {h->n, x, t, 0, h->force};
  return hb_forces_check(&at, h->n, h->block, h->a1, h->j1, h->phi1);
}

/* Those that a long trial is for: with neighbor lists levels far below the median are of passages. */
static unsigned least_typical(const struct hb_hermite4 *h, uint64_t massive)
{
  enum { FAR_BELOW = 4 };
  size_t many[HB_BLOCKS_LEVELS] = {0}, half = (massive ? massive : h->n) / 2, sum = 0;
  unsigned level = 0;
  if (!h->near || !h->groups) return 0;
  for (size_t i = 0; i < h->n; i++) many[h->level1[i]] += !massive || h->particles->m[i] > 0;
  while ((sum += many[level]) <= half) level++;
  return level > FAR_BELOW ? level - FAR_BELOW : 0;
}

/* first_step = eq9: a trial of a step of all, as long as theirs are in the mean of their logarithms. Where jerks cancel by chance,
 * eq. 2 finds no reason for a short step in an encounter about to begin; eq. 9 after the trial does. */
static enum hb_status try_step(struct hb_hermite4 *h)
{
  uint64_t massive = hb_particles_massive(h->particles), levels = 0, count = 0;
  unsigned least = least_typical(h, massive);
  for (size_t i = 0; i < h->n; i++) {
    if ((massive && !(h->particles->m[i] > 0)) || h->level1[i] < least)
      continue; /* test particles change no step of a star */
    levels += h->level1[i];
    count++;
  }
  double dt = hb_hermite4_span(h, (uint64_t)1 << levels / count);
  const struct hb_span span = hb_span_of(dt);
  HB_TRY(reserve_predicted(h));
  for (size_t i = 0; i < h->n; i++) hb_hermite4_predict(h, i, &span, h->xp + 3 * i, h->vp + 3 * i);
  HB_TRY(first_forces(h, dt, h->xp, h->vp));
  for (size_t i = 0; i < h->n; i++) {
    const struct start from = start_of(h, i);
    struct course s = course_of(dt, &from, h->a1 + 3 * i, h->j1 + 3 * i);
    h->phi1[i] = pulls_on(h, (uint32_t)i, h->phi1[i]);
    double next = next_step(h, i, dt, &from, NULL, &s, &(int){0});
    unsigned level = hb_hermite4_level(h, next);
    h->phi1[i] = level < h->level1[i] ? next : INFINITY; /* for count_cut_steps, which knows the others */
    if (level < h->level1[i]) h->level1[i] = (uint8_t)level;
  }
  if (!h->groups) count_cut_steps(h, 0, h->n, h->phi1);
  return HB_OK;
}

/* Members of pairs fly apart in a trial, and the steps of all others would be by what these do then: where pairs become groups, it is
 * nodes that try (hermite4_near.c), and stars only if there is none. */
static enum hb_status try_stars(struct hb_hermite4 *h)
{
  if (!h->near || !h->groups || h->groups->count > 0 || h->params.first_step != HB_FIRST_STEP_EQ9)
    return HB_OK;
  for (size_t i = 0; i < h->n; i++) h->block[i] = (uint32_t)i;
  HB_TRY(try_step(h));
  hb_hermite4_schedule(h, h->n);
  return HB_OK;
}

static enum hb_status begin_companions(struct hb_hermite4 *h)
{
  if (h->params.predict == HB_PLACE_GPU) HB_TRY(keep_all(h));
  EACH_PRESENT (h, c, begin) {
    if (c == &hb_companion_near) HB_TRY(try_stars(h));
    HB_TRY(c->begin(h));
  }
  return HB_OK;
}

/* Forces and first steps. a'' of particles at rest is the formula for the jerk with accelerations in place of velocities, so that
 * the source of forces itself computes what hb_timestep_first needs. Heavy nodes are among the sources here: that rounds the forces
 * of one step. */
static enum hb_status start(struct hb_hermite4 *h)
{
  const struct hb_particles *p = h->particles;
  for (size_t i = 0; i < h->n; i++) h->block[i] = (uint32_t)i;
  HB_TRY(first_forces(h, 0, p->x, p->v));
  memcpy(h->a, h->a1, 3 * h->n * sizeof *h->a);
  memcpy(h->j, h->j1, 3 * h->n * sizeof *h->j);
  HB_TRY(pairs_of_all(h, p->x, h->a));
  for (size_t i = 0; i < h->n; i++) {
    double dt = first_step(h, (uint32_t)i, h->phi1[i], h->j1 + 3 * i);
    h->level1[i] = (uint8_t)hb_hermite4_level(h, dt);
    h->phi1[i] = dt;
  }
  if (!h->groups)
    count_cut_steps(h, 0, h->n, h->phi1); /* of those that remain stars, the first step counts */
  if (h->params.first_step == HB_FIRST_STEP_EQ9 && !(h->near && h->groups)) HB_TRY(try_step(h));
  if (h->params.steps == HB_STEPS_SHARED) share_level(h, h->n);
  hb_hermite4_schedule(h, h->n);
  if (h->groups || h->near) HB_TRY(reserve_predicted(h));
  if (h->groups) HB_TRY(hb_hermite4_near.look_around(h));
  return begin_companions(h);
}

static enum hb_status create(struct hb_particles *initial, const struct hb_sim_params *params,
                             struct hb_force *force, void **state)
{
  OWN_STATE struct hb_hermite4 *h = NULL;
  *state = NULL;
  if (params->dt != 0 || params->damping != 1) {
    hb_particles_destroy(initial);
    return hb_fail(HB_ERR_USAGE, "integrator hermite4 has no constant step and no damping (%s has)",
                   hb_integrator_offering(HB_OFFERS_DT));
  }
  HB_TRY(prepare(initial, params, force, &h));
  HB_TRY(start(h));
  return HB_GIVE(h, state);
}

/* ---- the state ---- */

static enum hb_status check_time(const struct hb_hermite4 *h, double t)
{
  if (t >= time_of(h) && t <= next_time(h)) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "the state was asked for at t = %.17g, expected %.17g to %.17g", t, time_of(h),
                 next_time(h));
}

/* Predicts all particles to time t; dt = 0 preserves all bits, even -0. */
static void predict_to(const struct hb_hermite4 *h, double t, double *xt, double *vt)
{
  for (size_t i = 0; i < h->n; i++) {
    double dt = t - (h->t0 + hb_hermite4_span(h, hb_blocks_level_time(h->blocks, h->blocks->level[i])));
    if (dt > 0) {
      const struct hb_span span = hb_span_of(dt);
      hb_hermite4_predict(h, i, &span, xt + 3 * i, vt + 3 * i);
      continue;
    }
    memcpy(xt + 3 * i, h->particles->x + 3 * i, 3 * sizeof *xt);
    memcpy(vt + 3 * i, h->particles->v + 3 * i, 3 * sizeof *vt);
  }
}

static enum hb_status resolve(const struct hb_hermite4 *h, double t, double *x, double *v, double *e_rounded)
{
  EACH_PRESENT (h, c, resolve) HB_TRY(c->resolve(h, t, x, v, e_rounded));
  return HB_OK;
}

static enum hb_status state_at(const void *state, double t, struct hb_particles **particles)
{
  const struct hb_hermite4 *h = state;
  *particles = NULL;
  HB_TRY(check_time(h, t));
  HB_OWN_PARTICLES struct hb_particles *p = NULL;
  HB_TRY(sync_with_device((struct hb_hermite4 *)h)); /* logically const: the state itself does not change */
  HB_TRY(hb_particles_copy(h->particles, &p));
  p->t = t;
  predict_to(h, t, p->x, p->v);
  double e_rounded = 0;
  HB_TRY(resolve(h, t - time_of(h), p->x, p->v, &e_rounded));
  return HB_GIVE(p, particles);
}

static enum hb_status view_of(void *state, double t, struct hb_state_view *view)
{
  struct hb_hermite4 *h = state;
  HB_TRY(check_time(h, t));
  HB_TRY(reserve_predicted(h));
  HB_TRY(sync_with_device(h));
  predict_to(h, t, h->xp, h->vp);
  double e_rounded = 0;
  HB_TRY(resolve(h, t - time_of(h), h->xp, h->vp, &e_rounded));
  for (size_t i = 0; i < h->n; i++) h->block[i] = (uint32_t)i;
  *view = (struct hb_state_view){
      .a = h->a1, .j = h->j1, .phi = h->phi1, .index = h->block, .e_rounded = e_rounded};
  view->at = (struct hb_particles){
      .n = h->n, .t = t, .m = h->particles->m, .x = h->xp, .v = h->vp, .id = h->particles->id};
  return HB_OK;
}

/* ---- saving and resuming ---- */

/* A restart needs x and v of each particle at its own time, what they lost, its force there and its level, and the time of the last
 * block. The times of the particles follow from that (blocks.h, invariant 2), and the order of the lists does not matter
 * (7). */
static const struct hb_numbers_row number_rows[] = {
    HB_NUMBER("t0", HB_NUMBER_DOUBLE, struct hb_hermite4, t0, 1),
    HB_NUMBER("block_steps", HB_NUMBER_WORD, struct hb_hermite4, counts.block_steps, 0),
    HB_NUMBER("particle_steps", HB_NUMBER_WORD, struct hb_hermite4, counts.particle_steps, 0),
    HB_NUMBER("noisy_steps", HB_NUMBER_WORD, struct hb_hermite4, counts.noisy_steps, 0),
    HB_NUMBER("shortest", HB_NUMBER_WORD, struct hb_hermite4, shortest, 0),
    HB_NUMBER("merged", HB_NUMBER_WORD, struct hb_hermite4, counts.merged, 0),
    HB_NUMBER("escaped", HB_NUMBER_WORD, struct hb_hermite4, counts.escaped, 0),
    HB_NUMBER("e_lost", HB_NUMBER_DOUBLE, struct hb_hermite4, counts.e_lost, 0),
    HB_NUMBER("changes", HB_NUMBER_WORD, struct hb_hermite4, counts.changes, 0),
    HB_NUMBER("e_changed", HB_NUMBER_DOUBLE, struct hb_hermite4, counts.e_changed, 0),
    HB_NUMBER("massless.error", HB_NUMBER_DOUBLE, struct hb_hermite4, counts.massless.error, 0),
    HB_NUMBER("massless.t", HB_NUMBER_DOUBLE, struct hb_hermite4, counts.massless.t, 0),
    HB_NUMBER("massless.who", HB_NUMBER_WORD, struct hb_hermite4, counts.massless.particle, 0),
};
#define NEAR(name) HB_NUMBER("near." #name, HB_NUMBER_WORD, struct hb_near_counts, name, 0)
static const struct hb_numbers_row near_rows[] = {NEAR(full_blocks), NEAR(far_steps), NEAR(near_pairs),
                                                  NEAR(full_pairs),  NEAR(listed),    NEAR(longest),
                                                  NEAR(changes),     NEAR(by_reach),  NEAR(by_noise)};
#undef NEAR
static const struct hb_numbers_row blocks_rows[] = {
    HB_NUMBER("now", HB_NUMBER_WORD, struct hb_blocks, now, 1)};
static const struct hb_numbers numbers = HB_NUMBERS(number_rows, struct hb_hermite4),
                               of_near = HB_NUMBERS(near_rows, struct hb_near_counts),
                               of_blocks = HB_NUMBERS(blocks_rows, struct hb_blocks);

static enum hb_status save(const void *state, struct hb_sections *sections)
{
  const struct hb_hermite4 *h = state;
  HB_TRY(check_whole(h));
  HB_TRY(sync_with_device((struct hb_hermite4 *)h)); /* logically const: the state itself does not change */
  HB_TRY(hb_particles_put(h->particles, sections));
  HB_TRY(hb_columns_put(&columns, h->n, h, sections));
  HB_TRY(hb_columns_put(&hb_blocks_columns, h->n, h->blocks, sections));
  HB_TRY(hb_numbers_put(&numbers, 1, h, sections));
  if (h->params.neighbors > 0) HB_TRY(hb_numbers_put(&of_near, 1, &h->counts.near, sections));
  HB_TRY(hb_numbers_put(&of_blocks, 1, h->blocks, sections));
  EACH_PRESENT (h, c, state || c->put) {
    if (c->columns) HB_TRY(hb_columns_put(c->columns, h->n, STATE(h, c), sections));
    if (c->put) HB_TRY(c->put(h, sections));
  }
  return HB_OK;
}

static enum hb_status check_numbers(const struct hb_hermite4 *h)
{
  uint64_t least = h->shortest;
  if (!(fabs(h->t0) <= HB_PARTICLES_LATEST))
    return hb_fail(HB_ERR_INPUT, "section 't0' has the time %g, expected between -%g and %g", h->t0,
                   HB_PARTICLES_LATEST, HB_PARTICLES_LATEST);
  for (size_t k = 0; k < 3 * h->n; k++)
    if (!isfinite(h->lost[k].x + h->lost[k].v))
      return hb_fail(HB_ERR_INPUT, "section 'lost' has a number that is not finite for particle %zu", k / 3);
  if (least != UINT64_MAX && !(least && !(least & (least - 1)) && least >> h->blocks->level_max <= 1))
    return hb_fail(HB_ERR_INPUT, "section 'shortest' has %llu, expected ticks of a step",
                   (unsigned long long)least);
  return HB_OK;
}

static enum hb_status check_levels(const struct hb_hermite4 *h)
{
  const uint8_t *level = h->blocks->level;
  for (size_t i = 0; i < h->n; i++) {
    if (level[i] > h->blocks->level_max)
      return hb_fail(HB_ERR_INPUT, "section 'level' has %u for particle %zu, expected at most %u", level[i],
                     i, h->blocks->level_max);
    if (h->params.steps == HB_STEPS_SHARED && level[i] != level[0])
      return hb_fail(HB_ERR_INPUT, "section 'level' has %u for particle %zu, expected the shared %u",
                     level[i], i, level[0]);
  }
  return HB_OK;
}

static enum hb_status fill(const struct hb_sections *sections, struct hb_hermite4 *h)
{
  HB_TRY(hb_columns_get(&columns, sections, h->n, h));
  HB_TRY(hb_columns_get(&hb_blocks_columns, sections, h->n, h->blocks));
  HB_TRY(hb_numbers_get(&numbers, sections, 1, h));
  HB_TRY(hb_numbers_get(&of_near, sections, 1, &h->counts.near));
  HB_TRY(hb_numbers_get(&of_blocks, sections, 1, h->blocks));
  HB_TRY(check_numbers(h));
  HB_TRY(check_levels(h));
  EACH (c, state || c->get) {
    if (c->columns && STATE(h, c)) HB_TRY(hb_columns_get(c->columns, sections, h->n, STATE(h, c)));
    if (c->get) HB_TRY(c->get(sections, h));
  }
  for (uint32_t i = 0; i < h->n; i++)
    if (!hb_hermite4_is_parked(h, i)) hb_blocks_put(h->blocks, i, h->blocks->level[i]);
  uint64_t next;
  if (hb_blocks_next_time(h->blocks, &next) != HB_OK)
    return hb_fail(HB_ERR_INPUT,
                   "section 'now' is at step %llu of dt_min, beyond which time cannot be counted",
                   (unsigned long long)h->blocks->now);
  return h->params.predict == HB_PLACE_GPU ? hb_hermite4_keep(h, h->n, NULL) : HB_OK;
}

static enum hb_status resume(const struct hb_sections *sections, const struct hb_sim_params *params,
                             struct hb_force *force, void **state)
{
  struct hb_particles *particles;
  *state = NULL;
  HB_TRY(hb_particles_get(sections, &particles));
  OWN_STATE struct hb_hermite4 *h = NULL;
  HB_TRY(prepare(particles, params, force, &h));
  HB_TRY(fill(sections, h));
  return HB_GIVE(h, state);
}

/* ---- changing ---- */

static const struct hb_particles *bodies(const void *state)
{
  return ((const struct hb_hermite4 *)state)->particles;
}

/* Whoever feels another mass at the same place as a point goes on: so do all where no group has it in its list, and it itself, since
 * its own mass does not move it. That costs one pass. What grows may need shorter steps, and what vanishes or is new as a source is not
 * only a mass. */
static int is_light(const struct hb_hermite4 *h, uint32_t i, double m)
{
  static const double grown = 1.125;
  const struct hb_groups *groups = h->groups;
  double had = h->particles->m[i], most = groups && groups->sources ? had : grown * had;
  return m > 0 && m <= most && (!groups || (groups->of[i] == HB_GROUPS_STAR && !groups->first[i]));
}

/* Whether a change is one of masses that moves nobody: one pass, which fails before it has changed anything, or not at all. */
static int is_by_mass(const struct hb_hermite4 *h, const struct hb_state_change *by)
{
  int is_light_so_far = by->m && !by->x && !by->v && !by->n_removed && !by->added;
  for (size_t k = 0; k < by->n && is_light_so_far; k++) is_light_so_far = is_light(h, by->slot[k], by->m[k]);
  return is_light_so_far;
}

static enum hb_status change_now(struct hb_hermite4 *h, int how, const struct hb_state_change *by)
{
  if (h->groups) hb_groups_forget_advanced(h->groups);
  h->is_changing = how;
  enum hb_status status = hb_companion_change.change(h, by);
  if (h->groups) hb_groups_forget_advanced(h->groups);
  hb_companion_bodies.forget_ahead(h);
  h->is_changing = HB_CHANGE_NONE;
  return status;
}

/* What fails in the middle leaves h as it was: it is a copy that changes. */
static enum hb_status change_copy(struct hb_hermite4 *h, const struct hb_state_change *by)
{
  struct hb_hermite4 *copy, before = *h;
  void *made;
  HB_TRY(hb_integrator_copy(&hb_integrator_hermite4, h, &h->params, h->force, &made));
  copy = made;
  copy->events = h->events, copy->counts = h->counts, copy->phases = h->phases;
  enum hb_status status = reserve_predicted(copy);
  if (status == HB_OK) status = change_now(copy, HB_CHANGE_ANY, by);
  if (status == HB_OK) {
    *h = *copy;
    *copy = before;
  } else {
    hb_force_find_massive(h->force, h->n, h->particles->m); /* where that fails, all are summed */
    if (h->params.predict == HB_PLACE_GPU) hb_hermite4_keep(h, h->n, NULL); /* or the next step fails */
  }
  destroy(copy);
  return status;
}

static enum hb_status change(void *state, const struct hb_state_change *by)
{
  struct hb_hermite4 *h = state;
  int is_mass = is_by_mass(h, by);
  HB_TRY(reserve_predicted(h));
  if (!is_mass || h->stale) HB_TRY(sync_with_device(h));
  return is_mass ? change_now(h, HB_CHANGE_MASSES, by) : change_copy(h, by);
}

/* ---- facts ---- */

static enum hb_status quantity(void *state, enum hb_quantity which, double *value)
{
  struct hb_hermite4 *h = state;
  if (which == HB_QUANTITY_ACC) HB_TRY(sync_with_device(h));
  for (size_t i = 0; i < h->n; i++) {
    unsigned level = h->blocks->level[i];
    if (which == HB_QUANTITY_ACC)
      value[i] = hb_norm(h->a + 3 * i);
    else if (which == HB_QUANTITY_STEP)
      value[i] = hb_hermite4_span(h, (uint64_t)1 << level);
    else
      value[i] = hb_hermite4_span(h, h->blocks->now - hb_blocks_level_time(h->blocks, level));
  }
  return HB_OK;
}

/* ---- what `holmberg run --follow` tells of a particle: README.md explains it ---- */

/* Particles keep their order, so where it was is where it is, or else it is looked for. Once it has gone, its slot is SIZE_MAX. */
static int find_slot(const struct hb_particles *p, struct hb_follow *f)
{
  if (f->slot < p->n && p->id[f->slot] == f->id) return 1;
  if (f->slot == SIZE_MAX) return 0;
  for (f->slot = 0; f->slot < p->n; f->slot++)
    if (p->id[f->slot] == f->id) return 1;
  f->slot = SIZE_MAX;
  return 0;
}

/* Whose steps the particle takes: its own, or the node's of the group that it is a member of. */
uint32_t hb_hermite4_node_of(const struct hb_hermite4 *h, uint32_t i)
{
  const struct hb_groups *groups = h->groups;
  if (!hb_hermite4_is_parked(h, i)) return i;
  for (size_t g = 0; g < groups->count; g++)
    for (size_t k = 0; k < groups->at[g].chain.n; k++)
      if (groups->at[g].chain.member[k] == i) return groups->at[g].node;
  return i;
}

/* Whether a step of that level has ended now, see blocks.h, invariant 2. */
static int ends_now(const struct hb_hermite4 *h, unsigned level)
{
  return hb_blocks_level_time(h->blocks, level) == h->blocks->now;
}

/* All nodes predicted to now, one after the other: a list would not have those that came near since it was made. */
static void find_nearest(const struct hb_hermite4 *h, uint32_t node, struct hb_follow *f)
{
  const double *x = h->particles->x + 3 * (size_t)node;
  double least = INFINITY;
  for (uint32_t i = 0; i < h->n; i++) {
    if (i == node || hb_hermite4_is_parked(h, i)) continue;
    double xp[3], vp[3];
    uint64_t ticks = h->blocks->now - hb_blocks_level_time(h->blocks, h->blocks->level[i]);
    const struct hb_span span = hb_span_of(hb_hermite4_span(h, ticks));
    hb_hermite4_predict(h, i, &span, xp, vp);
    const double r[3] = {xp[0] - x[0], xp[1] - x[1], xp[2] - x[2]};
    double r2 = hb_dot(r, r);
    if (r2 < least) least = r2, f->nearest_id = h->particles->id[i];
  }
  f->nearest = sqrt(least);
}

static void add_parts(const struct hb_hermite4 *h, uint32_t node, struct hb_follow *f)
{
  const struct hb_hermite4_near *near = h->near;
  const double *a = near->a + 3 * (size_t)node;
  f->far_ends = ends_now(h, near->far[node]);
  f->far_step = hb_hermite4_span(h, (uint64_t)1 << near->far[node]);
  f->listed = near->count[node];
  for (int c = 0; c < 3; c++) f->near_a[c] = a[c], f->far_a[c] = f->a[c] - a[c];
}

static void tell_of(const struct hb_hermite4 *h, struct hb_follow *f, int *is_due)
{
  *is_due = 0;
  if (!find_slot(h->particles, f)) return;
  uint32_t node = hb_hermite4_node_of(h, (uint32_t)f->slot);
  size_t i = 3 * (size_t)node;
  unsigned level = h->blocks->level[node];
  if (!ends_now(h, level)) return;
  *is_due = 1;
  const struct hb_group *group = h->groups ? hb_groups_of(h->groups, node) : NULL;
  f->t = hb_hermite4_at(h, h->blocks->now);
  memcpy(f->x, h->particles->x + i, sizeof f->x);
  memcpy(f->v, h->particles->v + i, sizeof f->v);
  memcpy(f->a, h->a + i, sizeof f->a);
  memcpy(f->j, h->j + i, sizeof f->j);
  f->step = hb_hermite4_span(h, (uint64_t)1 << level);
  f->members = group ? group->chain.n : 1;
  find_nearest(h, node, f);
  if (h->has_parts) add_parts(h, node, f);
}

static enum hb_status follow(void *state, struct hb_follow *follow, int *is_due)
{
  HB_TRY(sync_with_device(state));
  tell_of(state, follow, is_due);
  return HB_OK;
}

static void find_slow(void *state, struct hb_slow *slow) { hb_companion_slow.slow(state, slow); }

static void report(void *state, struct hb_events *events)
{
  struct hb_hermite4 *h = state;
  h->events = events;
  hb_companion_bodies.forget_ahead(h); /* other events may be looked for */
}

static void counts(const void *state, struct hb_sim_counts *counts)
{
  const struct hb_hermite4 *h = state;
  const struct hb_near_counts *near = &h->counts.near;
  size_t sources = h->n;
  if (h->params.predict == HB_PLACE_HOST) hb_force_massive(h->force, h->n, &sources);
  *counts = h->counts;
  if (h->groups) counts->e_lost += h->groups->lost;
  counts->n = h->n;
  counts->sources = sources;
  counts->pairs = h->params.neighbors > 0 ? near->near_pairs + near->full_pairs
                                          : h->counts.particle_steps * hb_force_pairs(h->n, sources);
  counts->at_dt_min = h->blocks->count[0];
  counts->dt_least = h->shortest < UINT64_MAX ? hb_hermite4_span(h, h->shortest) : 0;
  counts->cut.dt_min = h->params.dt_min;
}

static void phases(const void *state, struct hb_phases *phases)
{
  *phases = ((const struct hb_hermite4 *)state)->phases;
}

const struct hb_integrator_ops hb_integrator_hermite4 = {
    .info = {.name = "hermite4",
             .summary = "fourth order Hermite predictor-corrector with block steps, individual or shared",
             .source = "[PZ07] section 2"},
    .offers = HB_OFFERS_COMPANIONS | HB_OFFERS_VELOCITIES,
    .create = create,
    .destroy = destroy,
    .save = save,
    .resume = resume,
    .time = time_of,
    .next_time = next_time,
    .step = step,
    .boundary = boundary,
    .wait = wait,
    .bodies = bodies,
    .change = change,
    .particles = state_at,
    .view = view_of,
    .quantity = quantity,
    .follow = follow,
    .slow = find_slow,
    .report = report,
    .counts = counts,
    .phases = phases,
};

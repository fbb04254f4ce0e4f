#include "support/pairs_case.h"

#include "gl/gl.h"
#include "pairs/tuning.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One operation in float is wrong by at most 2^-24 = 6e-8. A pair takes up to 30 in line (the twelfth power of
 * lennard_jones doubles the errors of the sixth): 1.8e-6 at worst. A float sum of 256 terms adds sqrt(256) * 6e-8 at
 * random: 1e-6. The rest is room for the square roots of a GPU. */
static const double FLOAT_TOLERANCE = 4e-6;
/* The same with 2^-53, over one sum of 1000 terms. */
static const double DOUBLE_TOLERANCE = 1e-14;

double pairs_tolerance(enum hb_precision precision)
{
  return precision == HB_PRECISION_DOUBLE ? DOUBLE_TOLERANCE : FLOAT_TOLERANCE;
}

/* eps^2 for gravity; sigma^2, epsilon, r_cut^2 for lennard_jones. */
static const double gravity_parameter[4] = {0.01};
static const double lennard_jones_parameter[4] = {0.87890625, 1, 6.25};

static int is_lennard_jones(const struct hb_pairs *pairs)
{
  return strcmp(pairs->params.interaction->name, "lennard_jones") == 0;
}

static struct hb_gl_context *context;

static void close_context(void) { hb_gl_context_close(context); }

struct hb_gl_context *pairs_context(void)
{
  const struct hb_gl_context_params params = {.debug = 1};
  if (context) return context;
  ASSERT_OK(hb_gl_context_open(&params, &context));
  atexit(close_context);
  return context;
}

static int lacking; /* cases that this test has left out */

static int lacks(const struct pairs_case *c)
{
  const struct hb_gl_caps *caps = &pairs_context()->caps;
  int needs_43 = strcmp(c->scheme, "tile") == 0 ||
                 (c->tuning && (strstr(c->tuning, "storage") || strstr(c->tuning, "add=device")));
  if (needs_43 && !caps->has_compute) return 1;
  if (c->precision == HB_PRECISION_DOUBLE) return !caps->has_double;
  return c->precision != HB_PRECISION_SINGLE && !caps->has_precise;
}

int pairs_lacks(const struct pairs_case *c)
{
  int is_lacking = lacks(c);
  if (is_lacking) print_message("# this device cannot do %s\n", pairs_describe(c));
  lacking += is_lacking;
  return is_lacking;
}

void pairs_skip_if_lacking(void)
{
  int count = lacking;
  lacking = 0;
  if (count > 0) skip();
}

struct hb_pairs *pairs_open(const struct pairs_case *c, double wrong)
{
  struct hb_pairs_params params = {.context = pairs_context(),
                                   .interaction = hb_interaction_find(c->interaction),
                                   .scheme = c->scheme,
                                   .precision = c->precision};
  const double *parameter =
      strcmp(c->interaction, "lennard_jones") == 0 ? lennard_jones_parameter : gravity_parameter;
  memcpy(params.parameter, parameter, sizeof params.parameter);
  params.parameter[0] *= wrong;
  struct hb_pairs *pairs;
  ASSERT_OK(hb_tuning_parse(c->tuning, &params.tuning));
  ASSERT_OK(hb_pairs_create(&params, &pairs));
  return pairs;
}

/* ---- particles ---- */

static struct {
  double m[PAIRS_MOST], x[3 * PAIRS_MOST], v[3 * PAIRS_MOST];
} set;

static uint32_t random_state;
static double uniform(void) /* in -1 .. 1; tests do not rely on the library's generator */
{
  random_state = random_state * 1664525u + 1013904223u;
  return (double)(random_state >> 8) / 8388608.0 - 1;
}

static void make_set(size_t n, int lattice)
{
  size_t side = 1;
  while (side * side * side < n) side++;
  random_state = (uint32_t)n * 7919u + 1u;
  for (size_t i = 0; i < n; i++) {
    const double site[3] = {(double)(i % side), (double)(i / side % side), (double)(i / side / side)};
    set.m[i] = (float)((1.5 + uniform()) / (double)n);
    for (int l = 0; l < 3; l++) {
      set.x[3 * i + (size_t)l] = (float)(lattice ? site[l] + 0.05 * uniform() : uniform());
      set.v[3 * i + (size_t)l] = (float)uniform();
    }
  }
}

void pairs_send(struct hb_pairs *pairs, size_t n)
{
  const double *x = set.x, *v = set.v;
  const struct hb_column columns[8] = {{x, 3}, {x + 1, 3}, {x + 2, 3}, {set.m, 1},
                                       {v, 3}, {v + 1, 3}, {v + 2, 3}};
  assert_true(n <= PAIRS_MOST);
  make_set(n, is_lennard_jones(pairs));
  ASSERT_OK(hb_pairs_set_j(pairs, n, columns));
}

enum hb_status pairs_forces(struct hb_pairs *pairs, size_t ni, const uint32_t *index, double *f)
{
  struct hb_result results[4 * HB_RECORDS_MAX];
  size_t width = 4 * (size_t)pairs->params.interaction->f_records;
  for (size_t c = 0; c < width; c++) results[c] = (struct hb_result){f + c, width};
  HB_TRY(hb_pairs_walk(pairs, ni, index, results));
  return hb_pairs_read(pairs);
}

void pairs_eval(struct hb_pairs *pairs, size_t ni, const uint32_t *index, double *f)
{
  size_t width = 4 * (size_t)pairs->params.interaction->f_records;
  ASSERT_OK(pairs_forces(pairs, ni, index, f));
  for (size_t i = 0; i < ni; i++) f[width * (i + 1) - 1] = 0;
}

void pairs_index(size_t ni, size_t step, size_t n, uint32_t *index)
{
  for (size_t k = 0; k < ni; k++) index[k] = (uint32_t)(k * step % n);
}

/* ---- the same in C ---- */

/* A sum of vectors, and of their lengths. */
struct sum {
  double f[3], size;
};

static void add(struct sum *sum, const double term[3], double size)
{
  for (int l = 0; l < 3; l++) sum->f[l] += term[l];
  sum->size += size;
}

struct right {
  struct sum a, jerk, pot;
};

static void gravity(struct right *right, double m, const double rij[3], const double vij[3])
{
  double r2 = gravity_parameter[0], rv = 0, v2 = 0;
  for (int l = 0; l < 3; l++) r2 += rij[l] * rij[l], rv += rij[l] * vij[l], v2 += vij[l] * vij[l];
  double r = sqrt(r2), a[3], jerk[3];
  for (int l = 0; l < 3; l++) {
    a[l] = m / (r2 * r) * rij[l];
    jerk[l] = m / (r2 * r) * (vij[l] - 3 * rv / r2 * rij[l]);
  }
  add(&right->a, a, m / r2);
  add(&right->jerk, jerk, 4 * m / (r2 * r) * sqrt(v2));
  add(&right->pot, (const double[3]){-m / r}, m / r);
}

static void lennard_jones(struct right *right, const double rij[3])
{
  const double *p = lennard_jones_parameter;
  double r2 = 0, f[3];
  for (int l = 0; l < 3; l++) r2 += rij[l] * rij[l];
  if (fabs(r2 / p[2] - 1) < 1e-6) fail_msg("a pair lies on the cut-off: choose other particles");
  if (r2 >= p[2]) return;
  double s6 = p[0] * p[0] * p[0] / (r2 * r2 * r2);
  for (int l = 0; l < 3; l++) f[l] = -24 * p[1] * (2 * s6 * s6 - s6) / r2 * rij[l];
  add(&right->a, f, 24 * p[1] * (2 * s6 * s6 + s6) / sqrt(r2));
}

static struct right feel(const struct hb_pairs *pairs, size_t n, size_t i)
{
  struct right right = {0};
  for (size_t j = 0; j < n; j++) {
    double rij[3], vij[3];
    if (j == i) continue;
    for (size_t l = 0; l < 3; l++) {
      rij[l] = set.x[3 * j + l] - set.x[3 * i + l];
      vij[l] = set.v[3 * j + l] - set.v[3 * i + l];
    }
    if (is_lennard_jones(pairs))
      lennard_jones(&right, rij);
    else
      gravity(&right, set.m[j], rij, vij);
  }
  return right;
}

static double distance(const struct sum *right, const double *f, int width)
{
  double d2 = 0;
  for (int l = 0; l < width; l++) d2 += (f[l] - right->f[l]) * (f[l] - right->f[l]);
  double d = sqrt(d2) / right->size;
  return isfinite(d) ? d : INFINITY;
}

double pairs_error(const struct hb_pairs *pairs, size_t n, size_t ni, const uint32_t *index, const double *f)
{
  size_t width = 4 * (size_t)pairs->params.interaction->f_records;
  double most = 0;
  for (size_t k = 0; k < ni; k++) {
    struct right right = feel(pairs, n, index[k]);
    const double *got = f + width * k;
    most = fmax(most, distance(&right.a, got, 3));
    if (width == 4) continue;
    most = fmax(most, distance(&right.jerk, got + 4, 3));
    most = fmax(most, distance(&right.pot, got + 3, 1));
  }
  return most;
}

/* ---- draws ---- */

static struct {
  void(GLAPIENTRY *draw)(GLenum, GLint, GLsizei);
  PFNGLDISPATCHCOMPUTEPROC dispatch;
  int count, lose;
} real;

static void GLAPIENTRY draw(GLenum mode, GLint first, GLsizei count)
{
  if (++real.count != real.lose) real.draw(mode, first, count);
}

static void GLAPIENTRY dispatch(GLuint x, GLuint y, GLuint z)
{
  if (++real.count != real.lose) real.dispatch(x, y, z);
}

void pairs_draws_begin(int lose)
{
  real.draw = hb_gl_core_11.DrawArrays;
  real.dispatch = hb_gl_since_12.__glewDispatchCompute;
  real.count = 0;
  real.lose = lose;
  hb_gl_core_11.DrawArrays = draw;
  hb_gl_since_12.__glewDispatchCompute = dispatch;
}

int pairs_draws_end(void)
{
  hb_gl_core_11.DrawArrays = real.draw;
  hb_gl_since_12.__glewDispatchCompute = real.dispatch;
  return real.count;
}

const char *pairs_describe(const struct pairs_case *c)
{
  static char text[200];
  snprintf(text, sizeof text, "%s by %s in %s (%s)", c->interaction, c->scheme,
           hb_precision_names[c->precision], c->tuning ? c->tuning : "");
  return text;
}

void pairs_require(const struct pairs_case *c, const char *what, double error, double tolerance)
{
  if (!(error <= tolerance))
    fail_msg("%s: %s is wrong by %.3g, allowed %.3g", pairs_describe(c), what, error, tolerance);
}

void pairs_require_same(const struct pairs_case *c, const char *what, const double *f, const double *expected,
                        size_t count)
{
  if (memcmp(f, expected, count * sizeof *f) != 0) fail_msg("%s: %s changes bits", pairs_describe(c), what);
}

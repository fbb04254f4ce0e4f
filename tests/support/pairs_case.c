#include "support/pairs_case.h"

#include "gl/gl.h"
#include "pairs/tuning.h"
#include "support/pairs_law.h"
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

static const struct pairs_law *law_of(const struct hb_pairs *pairs)
{
  return pairs_law_of(pairs->params.interaction->name);
}

static struct hb_gl_context *context;

static void close_context(void) { hb_gl_context_close(context); }

struct hb_gl_context *pairs_context(void)
{
  const struct hb_gl_context_params params = {.debug = 1};
  if (context) return context;
  ASSERT_OK(hb_gl_context_open(&params, &context));
  atexit(close_context);
  if (getenv("GPU")) assert_false(context->caps.software);
  return context;
}

static int lacking; /* cases that this test has left out */

static int lacks(const struct pairs_case *c)
{
  const struct hb_gl_caps *caps = &pairs_context()->caps;
  int needs_storage = c->tuning && (strstr(c->tuning, "storage") || strstr(c->tuning, "add=device"));
  if (needs_storage && !caps->has_storage) return 1;
  if (strcmp(c->scheme, "tile") == 0 && !caps->has_compute) return 1;
  return c->precision == HB_PRECISION_DOUBLE && !caps->has_double;
}

int pairs_lacks(const struct pairs_case *c)
{
  int is_lacking = lacks(c);
  if (is_lacking) print_message("# this device cannot do %s\n", pairs_describe(c));
  lacking += is_lacking;
  return is_lacking;
}

int pairs_lacks_a(const char *what)
{
  const struct hb_gl_caps *caps = &pairs_context()->caps;
  int has = strcmp(what, "double") == 0       ? caps->has_double
            : strcmp(what, "tile") == 0       ? caps->has_compute
            : strcmp(what, "rectangles") == 0 ? !caps->is_es
            : strcmp(what, "kept") == 0       ? caps->has_compute && caps->has_lasting_maps
                                              : 1;
  if (!has) print_message("# this device lacks %s\n", what);
  lacking += !has;
  return !has;
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
  struct hb_pairs *pairs;
  ASSERT_OK(hb_tuning_parse(c->tuning, &params.tuning));
  ASSERT_OK(hb_pairs_create(&params, &pairs));
  pairs_make_wrong(pairs, wrong);
  return pairs;
}

/* ---- particles ---- */

/* x y z m, vx vy vz w, ax ay az -; in place of vx, sph_density has a radius. */
static double set[PAIRS_MOST][PAIRS_COLUMNS];
static double control; /* factor on the column that a law without parameters names */

void pairs_make_wrong(struct hb_pairs *pairs, double wrong)
{
  const struct pairs_law *law = law_of(pairs);
  memcpy(pairs->params.parameter, law->parameter, sizeof law->parameter);
  pairs->params.parameter[0] *= wrong;
  control = law->control ? wrong : 1;
}

static uint32_t random_state;
static double uniform(void) /* in -1 .. 1; tests do not rely on the library's generator */
{
  random_state = random_state * 1664525u + 1013904223u;
  return (double)(random_state >> 8) / 8388608.0 - 1;
}

static void make_set(size_t n, const struct pairs_law *law)
{
  size_t side = 1;
  while (side * side * side < n) side++;
  random_state = (uint32_t)n * 7919u + 1u;
  for (size_t i = 0; i < n; i++) {
    const double site[3] = {(double)(i % side), (double)(i / side % side), (double)(i / side / side)};
    double *p = set[i];
    p[3] = (float)((1.5 + uniform()) / (double)n);
    for (int l = 0; l < 3; l++) {
      p[l] = (float)(law->is_lattice ? site[l] + 0.05 * uniform() : uniform());
      p[4 + l] = (float)uniform();
    }
  }
  for (size_t i = 0; i < n; i++) { /* after the numbers that every law has */
    double *p = set[i];
    p[7] = (float)(p[3] * uniform());
    for (int l = 0; l < 3; l++) p[8 + l] = (float)uniform();
    if (strcmp(law->name, "sph_density") == 0) p[4] = (float)(0.3 + 0.2 * uniform());
    if (strcmp(law->name, "coulomb") == 0 && i % 2) p[3] = -p[3];
  }
}

void pairs_send(struct hb_pairs *pairs, size_t n)
{
  static double sent[PAIRS_MOST][PAIRS_COLUMNS];
  const struct pairs_law *law = law_of(pairs);
  struct hb_column columns[PAIRS_COLUMNS];
  expect_at_most(n, PAIRS_MOST);
  make_set(n, law);
  memcpy(sent, set, n * sizeof *set);
  for (size_t i = 0; i < n && control != 1; i++) sent[i][law->control] *= control;
  for (int c = 0; c < PAIRS_COLUMNS; c++) columns[c] = (struct hb_column){&sent[0][c], PAIRS_COLUMNS};
  ASSERT_OK(hb_pairs_set_j(pairs, n, columns));
}

enum hb_status pairs_forces(struct hb_pairs *pairs, size_t ni, const uint32_t *index, double *f)
{
  struct hb_result results[4 * HB_RECORDS_MAX];
  size_t width = 4 * (size_t)pairs->params.interaction->f_records;
  for (size_t c = 0; c < width; c++) results[c] = (struct hb_result){f + c, width};
  HB_TRY(hb_pairs_walk(pairs, &(const struct hb_pairs_job){.ni = ni, .index = index, .results = results}));
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

static void feel(const struct pairs_law *law, size_t n, size_t i, struct pairs_sum sum[PAIRS_SUMS])
{
  memset(sum, 0, PAIRS_SUMS * sizeof *sum);
  for (size_t j = 0; j < n; j++)
    if (j != i) law->pair(law->parameter, set[i], set[j], sum);
}

static double distance(const struct pairs_sum *right, const double *f, int width)
{
  double d2 = 0;
  for (int l = 0; l < width; l++) d2 += (f[l] - right->f[l]) * (f[l] - right->f[l]);
  double d = d2 == 0 ? 0 : sqrt(d2) / right->size;
  return isfinite(d) ? d : INFINITY;
}

double pairs_error(const struct hb_pairs *pairs, size_t n, size_t ni, const uint32_t *index, const double *f)
{
  size_t width = 4 * (size_t)pairs->params.interaction->f_records;
  const struct pairs_law *law = law_of(pairs);
  double most = 0;
  for (size_t k = 0; k < ni; k++) {
    struct pairs_sum right[PAIRS_SUMS];
    feel(law, n, index[k], right);
    for (int s = 0; law->result[s].width; s++)
      most = fmax(most, distance(&right[s], f + width * k + law->result[s].first, law->result[s].width));
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

static struct {
  PFNGLGETGRAPHICSRESETSTATUSPROC ask;
  int count, lose;
} resets;

static GLenum GLAPIENTRY ask(void)
{
  return ++resets.count == resets.lose ? GL_GUILTY_CONTEXT_RESET : resets.ask();
}

void pairs_resets_begin(int lose)
{
  resets.ask = hb_gl_since_12.__glewGetGraphicsResetStatus;
  resets.count = 0;
  resets.lose = lose;
  hb_gl_since_12.__glewGetGraphicsResetStatus = ask;
}

int pairs_resets_end(void)
{
  hb_gl_since_12.__glewGetGraphicsResetStatus = resets.ask;
  return resets.count;
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

double pairs_on_device(const struct hb_pairs *pairs, const uint32_t *words, int i, int r, int c)
{
  const uint32_t *texel = words + 4 * pairs->texels * i;
  double value = 0;
  float part;
  if (pairs->params.precision == HB_PRECISION_DOUBLE) {
    uint64_t bits = (uint64_t)texel[8 * r + c] << 32 | texel[8 * r + 4 + c];
    memcpy(&value, &bits, sizeof value);
    return value;
  }
  memcpy(&part, &texel[4 * r + c], sizeof part);
  value = (double)part;
  if (pairs->params.precision != HB_PRECISION_DS || r > 0 || c == 3) return value;
  memcpy(&part, &texel[8 + c], sizeof part);
  return value + (double)part;
}

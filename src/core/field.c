#include "core/field.h"

#include "base/elementary.h"
#include "base/mem.h"
#include "base/text.h"

#include "core/vector.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PARTS = HB_FIELD_PARTS };

/* By the rows of keys below. */
enum key { M, A, B, V, R, Q, W, K, N, X, Y, Z };
static const char keys[] = "mabvrqwknxyz";
enum { KEY_COUNT = sizeof keys - 1, PAIRS = KEY_COUNT + 1 /* one too many is given twice */ };

struct part {
  enum hb_field_form form;
  double p[3];
  double middle[3];
};

struct hb_field {
  struct part parts[PARTS];
  int count;
  double omega;
  double turn;
  char *words;
};

/* ---- potentials; d is the distance from the middle ----------------------------------------------------- */

/* a = -pull g, and with the derivatives along the motion, pull' / pull = -turn, j = -pull (g' - turn g). The same on the
 * device: shaders/hermite/field.glsl. */
struct pull {
  double g[3], dg[3], pull, turn;
};

/* g = (x, y, steep z) */
static void set(struct pull *f, const double d[3], const double v[3], double steep, double dsteep)
{
  for (int c = 0; c < 3; c++) f->g[c] = d[c], f->dg[c] = v[c];
  f->g[2] = steep * d[2];
  f->dg[2] = steep * v[2] + dsteep * d[2];
}

/* Phi = -m / D^1/2, D = R^2 + (a + b')^2 with b'^2 = z^2 + b^2; (a + b') / b' is steep, also for spheres, whose a is 0 */
static double disc(const double p[3], const double d[3], double *b)
{
  *b = sqrt(d[2] * d[2] + p[2] * p[2]);
  double h = p[1] + *b;
  return d[0] * d[0] + d[1] * d[1] + h * h;
}

static void pull_disc(const double p[3], const double d[3], const double v[3], struct pull *f)
{
  double b, D = disc(p, d, &b), share = p[1] > 0 ? p[1] / b : 0;
  set(f, d, v, 1 + share, share > 0 ? -share * (d[2] * v[2]) / (b * b) : 0);
  f->pull = p[0] / (D * sqrt(D));
  f->turn = 3 * hb_dot(f->g, v) / D;
}

/* As pull_disc, but g' = g (d + s) - g (d) and turn = pull (d) / pull (d + s) - 1, with the pull at d + s, make the difference of a
 * itself: Encke's method. q is that of D, relative. */
static void differ_disc(const double p[3], const double d[3], const double s[3], struct pull *f)
{
  double b, D = disc(p, d, &b), share = p[1] > 0 ? p[1] / b : 0, more_b = 0, dsteep = 0;
  if (share > 0) {
    double z = d[2] + s[2], other = sqrt(z * z + p[2] * p[2]);
    more_b = s[2] * (d[2] + z) / (b + other);
    dsteep = -share * more_b / other;
  }
  set(f, d, s, 1 + share, dsteep);
  f->dg[2] += dsteep * s[2];
  double q = (2 * hb_dot(d, s) + hb_dot(s, s) + 2 * p[1] * more_b) / D, whole = (1 + q) * sqrt(1 + q);
  f->pull = p[0] / (D * sqrt(D) * whole);
  f->turn = q * (3 + q * (3 + q)) / (1 + whole);
}

static double phi_disc(const double p[3], const double d[3])
{
  double b;
  return -p[0] / sqrt(disc(p, d, &b));
}

static double rise_disc(const double p[3], const double d[3], const double s[3])
{
  double b, D = disc(p, d, &b), z = d[2] + s[2], sum = b + sqrt(z * z + p[2] * p[2]);
  double more_b = p[1] > 0 ? s[2] * (d[2] + z) / sum : 0;
  double q = (2 * hb_dot(d, s) + hb_dot(s, s) + 2 * p[1] * more_b) / D, root = sqrt(1 + q);
  return p[0] / sqrt(D) * q / (root * (1 + root));
}

/* Phi = v^2 / 2 ln D, D = r0^2 + x^2 + y^2 + z^2 / q^2 */
static void pull_log(const double p[3], const double d[3], const double v[3], struct pull *f)
{
  set(f, d, v, p[2], 0);
  double D = p[1] + hb_dot(d, f->g);
  f->pull = p[0] / D;
  f->turn = 2 * hb_dot(f->g, v) / D;
}

static void differ_log(const double p[3], const double d[3], const double s[3], struct pull *f)
{
  set(f, d, s, p[2], 0);
  double D = p[1] + hb_dot(d, f->g);
  f->turn = (2 * hb_dot(f->g, s) + hb_dot(f->dg, s)) / D;
  f->pull = p[0] / (D * (1 + f->turn));
}

static double phi_log(const double p[3], const double d[3])
{
  return p[0] / 2 * hb_elementary_log(p[1] + d[0] * d[0] + d[1] * d[1] + p[2] * (d[2] * d[2]));
}

/* ln (1 + q) of a small q: the rounding of the sum is divided out */
static double rise_log(const double p[3], const double d[3], const double s[3])
{
  struct pull f;
  set(&f, d, s, p[2], 0);
  double q = (2 * hb_dot(f.g, s) + hb_dot(f.dg, s)) / (p[1] + hb_dot(d, f.g)), sum = 1 + q;
  return p[0] / 2 * (sum == 1 ? q : hb_elementary_log(sum) * q / (sum - 1));
}

/* Phi = (p_x x^2 + p_y y^2 + p_z z^2) / 2 */
static void pull_squares(const double p[3], const double d[3], const double v[3], struct pull *f)
{
  for (int c = 0; c < 3; c++) f->g[c] = p[c] * d[c], f->dg[c] = p[c] * v[c];
  f->pull = 1, f->turn = 0;
}

static double phi_squares(const double p[3], const double d[3])
{
  return (p[0] * (d[0] * d[0]) + p[1] * (d[1] * d[1]) + p[2] * (d[2] * d[2])) / 2;
}

static double rise_squares(const double p[3], const double d[3], const double s[3])
{
  double sum = 0;
  for (int c = 0; c < 3; c++) sum += p[c] * (s[c] * (d[c] + s[c] / 2));
  return sum;
}

static const struct {
  void (*pull)(const double p[3], const double d[3], const double v[3], struct pull *f);
  void (*differ)(const double p[3], const double d[3], const double s[3], struct pull *f);
  double (*phi)(const double p[3], const double d[3]);
  double (*rise)(const double p[3], const double d[3], const double s[3]); /* phi (d + s) - phi (d) */
} forms[] = {
    {pull_disc, differ_disc, phi_disc, rise_disc},
    {pull_log, differ_log, phi_log, rise_log},
    {pull_squares, pull_squares, phi_squares, rise_squares}}; /* linear: differences are as derivatives */

/* ---- words --------------------------------------------------------------------------------------------- */

static void make_sphere(const double *q, double p[3]) { p[0] = q[M], p[1] = 0, p[2] = q[A]; }
static void make_disc(const double *q, double p[3]) { p[0] = q[M], p[1] = q[A], p[2] = q[B]; }
static void make_log(const double *q, double p[3])
{
  p[0] = q[V] * q[V], p[1] = q[R] * q[R], p[2] = q[Q] > 0 ? 1 / (q[Q] * q[Q]) : 1;
}
static void make_frame(const double *q, double p[3]) { p[0] = p[1] = -q[W] * q[W], p[2] = 0; }
static void make_hill(const double *q, double p[3])
{
  double k = q[K] > 0 ? q[K] : q[W], n = q[N] > 0 ? q[N] : q[W];
  p[0] = k * k - 4 * q[W] * q[W], p[1] = 0, p[2] = n * n;
}

static const struct kind {
  const char *name;
  const char *needed, *optional; /* keys, besides those of the middle */
  enum hb_field_form form;
  void (*make)(const double value[KEY_COUNT], double p[3]);
} kinds[] = {
    {"point", "m", "", HB_FIELD_DISC, make_sphere},   {"plummer", "ma", "", HB_FIELD_DISC, make_sphere},
    {"disc", "mab", "", HB_FIELD_DISC, make_disc},    {"log", "vr", "q", HB_FIELD_LOG, make_log},
    {"frame", "w", "", HB_FIELD_SQUARES, make_frame}, {"hill", "w", "kn", HB_FIELD_SQUARES, make_hill}};

static enum hb_status unknown(const char *word)
{
  return hb_fail(HB_ERR_USAGE,
                 "'%s' is not a field (expected point:m=M, plummer:m=M,a=A, disc:m=M,a=A,b=B, log:v=V,r=R, "
                 "frame:w=W, hill:w=W or omega=W)",
                 word);
}

/* key=value */
static enum hb_status read_value(const char *word, const struct kind *kind, char *pair,
                                 double value[KEY_COUNT], unsigned *given)
{
  const char *places = "xyz", *key = strchr(keys, *pair);
  if (!key || !*pair || pair[1] != '=')
    return hb_fail(HB_ERR_USAGE, "field '%s': '%s', expected like m=10", word, pair);
  if (!strchr(kind->needed, *key) && !strchr(kind->optional, *key) && !strchr(places, *key))
    return hb_fail(HB_ERR_USAGE, "field '%s': %s has no %c", word, kind->name, *key);
  double *at = &value[key - keys];
  HB_TRY(hb_text_number(pair + 2, at));
  int may_be_negative = strchr(places, *key) != NULL || (*key == 'w' && *at != 0);
  if (!may_be_negative && *at <= 0)
    return hb_fail(HB_ERR_USAGE, "field '%s': %c is %g, expected %s", word, *key, *at,
                   *key == 'w' ? "not 0" : "> 0");
  if (*given >> (key - keys) & 1) return hb_fail(HB_ERR_USAGE, "field '%s': %c is given twice", word, *key);
  *given |= 1U << (key - keys);
  return HB_OK;
}

/* Of the squares of w, which double has to hold. */
static const double W_LEAST = 1e-150, W_MOST = 1e150;

static enum hb_status read_part(struct hb_field *f, const char *word)
{
  char text[256], *rest;
  const char *values[PAIRS];
  double value[KEY_COUNT] = {0};
  const struct kind *kind = NULL;
  unsigned given = 0;
  if (strlen(word) >= sizeof text) return unknown(word);
  snprintf(text, sizeof text, "%s", word);
  if (strncmp(text, "omega=", 6) == 0)
    return isnan(f->omega) ? hb_text_number(text + 6, &f->omega)
                           : hb_fail(HB_ERR_USAGE, "field: omega is given twice");
  rest = strchr(text, ':');
  if (!rest) return unknown(word);
  *rest++ = 0;
  if (f->count == PARTS) return hb_fail(HB_ERR_USAGE, "a field has %d parts at most", PARTS);
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    if (strcmp(text, kinds[k].name) == 0) kind = &kinds[k];
  if (!kind) return unknown(word);
  int count = hb_text_words(rest, ",", PAIRS, values);
  for (int k = 0; k < count; k++) HB_TRY(read_value(word, kind, (char *)values[k], value, &given));
  for (const char *key = kind->needed; *key; key++)
    if (!(given >> (strchr(keys, *key) - keys) & 1))
      return hb_fail(HB_ERR_USAGE, "field '%s': %c is missing", word, *key);
  struct part *p = &f->parts[f->count++];
  p->form = kind->form;
  kind->make(value, p->p);
  if (value[W] != 0 && !(fabs(value[W]) >= W_LEAST && fabs(value[W]) <= W_MOST))
    return hb_fail(HB_ERR_USAGE, "field '%s': |w| is %g, expected %g to %g", word, fabs(value[W]), W_LEAST,
                   W_MOST);
  if (kind->make == make_hill && p->p[0] >= 0)
    return hb_fail(HB_ERR_USAGE,
                   "field '%s': k is %g, expected below 2 w = %g: no orbit in a galaxy is like that", word,
                   value[K], 2 * fabs(value[W]));
  memcpy(p->middle, value + X, sizeof p->middle);
  if (value[W] != 0 && f->turn != 0)
    return hb_fail(HB_ERR_USAGE, "field '%s': the coordinates turn already", word);
  f->turn += 2 * value[W];
  return HB_OK;
}

enum hb_status hb_field_create(const char *words, struct hb_field **field)
{
  HB_TEXT_IN_C;
  struct hb_field *f;
  const char *list[PARTS + 2];
  HB_OWN char *text = NULL;
  *field = NULL;
  HB_TRY(HB_ALLOC(1, &f));
  f->omega = NAN;
  enum hb_status status = hb_mem_strdup(words, &f->words);
  if (status == HB_OK) status = hb_mem_strdup(words, &text);
  int count = status == HB_OK ? hb_text_words(text, " \t", PARTS + 2, list) : 0;
  for (int k = 0; k < count && status == HB_OK; k++) status = read_part(f, list[k]);
  if (status == HB_OK && f->count == 0) status = unknown(words);
  if (status == HB_OK && f->turn != 0 && !isnan(f->omega))
    status = hb_fail(HB_ERR_USAGE, "field '%s': omega is of coordinates at rest, where frame and hill turn",
                     words);
  return HB_MADE(status, f, hb_field_destroy, field);
}

void hb_field_destroy(struct hb_field *field)
{
  if (!field) return;
  HB_FREE(field->words, field);
}

const char *hb_field_words(const struct hb_field *field) { return field->words; }
double hb_field_omega(const struct hb_field *field) { return field->omega; }
double hb_field_turn(const struct hb_field *field) { return field->turn; }

/* ---- sums ---------------------------------------------------------------------------------------------- */

static void distance(const struct part *p, const double x[3], double d[3])
{
  for (int c = 0; c < 3; c++) d[c] = x[c] - p->middle[c];
}

void hb_field_pull(const struct hb_field *field, const double x[3], const double v[3], double a[3],
                   double j[3])
{
  for (const struct part *p = field->parts; p < field->parts + field->count; p++) {
    double d[3];
    struct pull f;
    distance(p, x, d);
    forms[p->form].pull(p->p, d, v, &f);
    for (int c = 0; c < 3; c++) {
      a[c] -= f.pull * f.g[c];
      j[c] -= f.pull * (f.dg[c] - f.turn * f.g[c]);
    }
  }
}

void hb_field_difference(const struct hb_field *field, const double x[3], const double s[3], double f[3])
{
  double half = field->turn / 2;
  for (const struct part *p = field->parts; p < field->parts + field->count; p++) {
    double d[3];
    struct pull of;
    distance(p, x, d);
    forms[p->form].differ(p->p, d, s, &of);
    for (int c = 0; c < 3; c++) f[c] -= of.pull * (of.dg[c] - of.turn * of.g[c]);
  }
  for (int c = 0; c < 2; c++) f[c] -= half * half * s[c]; /* the centrifugal force is of axes that turn */
}

double hb_field_tide(const struct hb_field *field, const double x[3])
{
  double half = field->turn / 2, sum = 0;
  for (int k = 0; k < 3; k++) {
    double a[3] = {0}, slope[3] = {0}, along[3] = {0};
    along[k] = 1;
    hb_field_pull(field, x, along, a, slope);
    if (k < 2) slope[k] -= half * half;
    sum += hb_dot(slope, slope);
  }
  return sqrt(sum);
}

void hb_field_deflect(const struct hb_field *field, const double v[3], double a[3], double j[3])
{
  a[0] += field->turn * v[1], a[1] -= field->turn * v[0];
  j[0] += field->turn * a[1], j[1] -= field->turn * a[0];
}

void hb_field_add(const struct hb_field *field, size_t ni, const uint32_t *index, const double *x,
                  const double *v, double *a, double *j)
{
  for (size_t b = 0; b < ni; b++) {
    size_t i = 3 * (size_t)index[b];
    hb_field_pull(field, x + i, v + i, a + 3 * b, j + 3 * b);
    hb_field_deflect(field, v + i, a + 3 * b, j + 3 * b);
  }
}

double hb_field_potential(const struct hb_field *field, const double x[3])
{
  double phi = 0;
  for (const struct part *p = field->parts; p < field->parts + field->count; p++) {
    double d[3];
    distance(p, x, d);
    phi += forms[p->form].phi(p->p, d);
  }
  return phi;
}

double hb_field_rise(const struct hb_field *field, const double x[3], const double s[3])
{
  double rise = 0;
  for (const struct part *p = field->parts; p < field->parts + field->count; p++) {
    double d[3];
    distance(p, x, d);
    rise += forms[p->form].rise(p->p, d, s);
  }
  return rise;
}

int hb_field_parts(const struct hb_field *field, enum hb_field_form form[HB_FIELD_PARTS],
                   double numbers[HB_FIELD_PARTS][HB_FIELD_NUMBERS])
{
  for (int k = 0; k < field->count; k++) {
    const struct part *p = &field->parts[k];
    form[k] = p->form;
    memcpy(numbers[k], p->p, sizeof p->p);
    memcpy(numbers[k] + 3, p->middle, sizeof p->middle);
  }
  return field->count;
}

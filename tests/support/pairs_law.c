#include "support/pairs_law.h"

#include "support/support.h"

#include <math.h>
#include <string.h>

static void add(struct pairs_sum *sum, const double term[3], double size)
{
  for (int l = 0; l < 3; l++) sum->f[l] += term[l];
  sum->size += size;
}

static void add_number(struct pairs_sum *sum, double term, double size)
{
  add(sum, (const double[3]){term}, size);
}

static double dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* Three components from `at` on: source minus sink. */
static void difference(const double *i, const double *j, int at, double d[3])
{
  for (int l = 0; l < 3; l++) d[l] = j[at + l] - i[at + l];
}

/* ---- gravity ----------------------------------------------------------------------------------------- */

/* Acceleration, potential, jerk, snap: by the derivatives of f(t) = (R^2(t))^(-3/2), not by those of each other. */
static void gravity(const double *parameter, const double *i, const double *j, struct pairs_sum *sum)
{
  double r[3], v[3], a[3], acc[3], jerk[3], snap[3], m = j[3];
  difference(i, j, 0, r);
  difference(i, j, 4, v);
  difference(i, j, 8, a);
  double s = dot(r, r) + parameter[0], s1 = 2 * dot(r, v), s2 = 2 * (dot(v, v) + dot(r, a));
  double f = pow(s, -1.5), f1 = -1.5 * pow(s, -2.5) * s1;
  double f2 = 3.75 * pow(s, -3.5) * s1 * s1 - 1.5 * pow(s, -2.5) * s2;
  for (int l = 0; l < 3; l++) {
    acc[l] = m * f * r[l];
    jerk[l] = m * (f1 * r[l] + f * v[l]);
    snap[l] = m * (f2 * r[l] + 2 * f1 * v[l] + f * a[l]);
  }
  double size = sqrt(s), speed = sqrt(dot(v, v)), weight = fabs(m);
  add(&sum[0], acc, weight / s);
  add_number(&sum[1], -m / size, weight / size);
  add(&sum[2], jerk, 4 * weight * f * speed);
  add(&sum[3], snap, weight * f * (16 * speed * speed / size + 4 * sqrt(dot(a, a))));
}

static void coulomb(const double *parameter, const double *i, const double *j, struct pairs_sum *sum)
{
  double r[3], field[3], q = parameter[1] * j[3];
  difference(i, j, 0, r);
  double s = dot(r, r) + parameter[0];
  for (int l = 0; l < 3; l++) field[l] = -q * r[l] / (s * sqrt(s));
  add(&sum[0], field, fabs(q) / s);
  add_number(&sum[1], q / sqrt(s), fabs(q) / sqrt(s));
}

/* ---- short ranges ------------------------------------------------------------------------------------ */

static void lennard_jones(const double *parameter, const double *i, const double *j, struct pairs_sum *sum)
{
  double r[3], f[3], epsilon = parameter[1];
  difference(i, j, 0, r);
  double r2 = dot(r, r);
  if (fabs(r2 / parameter[2] - 1) < 1e-6) fail_msg("a pair lies on the cut-off: choose other particles");
  if (r2 >= parameter[2]) return;
  double s6 = pow(parameter[0] / r2, 3);
  for (int l = 0; l < 3; l++) f[l] = -24 * epsilon * (2 * s6 * s6 - s6) / r2 * r[l];
  add(&sum[0], f, 24 * epsilon * (2 * s6 * s6 + s6) / sqrt(r2));
}

/* The kernel with its branches, and its derivative with respect to h as a difference of fourth order. */
static double kernel(double r, double h)
{
  double q = r / h;
  double w = q < 1 ? 1 - 1.5 * q * q + 0.75 * q * q * q : q < 2 ? 0.25 * pow(2 - q, 3) : 0;
  return w / (M_PI * h * h * h);
}

static void sph_density(const double *parameter, const double *i, const double *j, struct pairs_sum *sum)
{
  (void)parameter;
  double d[3], h = i[4], m = j[3];
  difference(i, j, 0, d);
  double r = sqrt(dot(d, d)), q = r / h, w = kernel(r, h), top = m / (M_PI * h * h * h);
  if (fabs(q - 2) < 1e-6) fail_msg("a pair lies on the edge of a kernel: choose other particles");
  double slope = q < 1 ? -3 * q + 2.25 * q * q : q < 2 ? -0.75 * (2 - q) * (2 - q) : 0;
  if (q < 2) add_number(&sum[0], m * w, top);
  if (q < 2) add_number(&sum[1], -3 * m * w / h - top / h * q * slope, 6 * top / h);
  add_number(&sum[2], q < 2, 1);
}

/* ---- potentials and waves ---------------------------------------------------------------------------- */

static void boundary_element(const double *parameter, const double *i, const double *j, struct pairs_sum *sum)
{
  (void)parameter;
  double d[3], q = j[3], mu = j[7];
  const double *n = j + 4;
  difference(j, i, 0, d); /* from the element to the sink */
  double r = sqrt(dot(d, d));
  add_number(&sum[0], q / r, fabs(q) / r);
  add_number(&sum[1], mu * dot(n, d) / (r * r * r), fabs(mu) * sqrt(dot(n, n)) / (r * r));
}

static void hologram(const double *parameter, const double *i, const double *j, struct pairs_sum *sum)
{
  double d[3];
  difference(i, j, 0, d);
  double r = sqrt(dot(d, d)), phase = 2 * M_PI * r / parameter[0] + j[4];
  add_number(&sum[0], j[3] / r * cos(phase), j[3] / r);
  add_number(&sum[1], j[3] / r * sin(phase), j[3] / r);
}

/* ---- all of them ------------------------------------------------------------------------------------- */

static const struct pairs_law laws[] = {
    {"gravity", .parameter = {0.01}, .pair = gravity, .result = {{0, 3}}},
    {"gravity_jerk", .parameter = {0.01}, .pair = gravity, .result = {{0, 3}, {3, 1}, {4, 3}}},
    {"gravity_snap", .parameter = {0.01}, .pair = gravity, .result = {{0, 3}, {3, 1}, {4, 3}, {8, 3}}},
    {"coulomb", .parameter = {0.01, -1.5}, .pair = coulomb, .result = {{0, 3}, {3, 1}}},
    {"lennard_jones", .parameter = {0.87890625, 1, 6.25}, .is_lattice = 1, .pair = lennard_jones,
     .result = {{0, 3}}},
    {"sph_density", .control = 4, .pair = sph_density, .result = {{0, 1}, {1, 1}, {2, 1}}},
    {"boundary_element", .control = 3, .pair = boundary_element, .result = {{0, 1}, {1, 1}}},
    {"hologram", .parameter = {2}, .pair = hologram, .result = {{0, 1}, {1, 1}}},
};

const struct pairs_law *pairs_law_of(const char *interaction)
{
  for (size_t k = 0; k < COUNT_OF(laws); k++)
    if (strcmp(laws[k].name, interaction) == 0) return &laws[k];
  fail_msg("no law in plain C for interaction %s", interaction);
  return NULL;
}

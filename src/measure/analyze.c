/* holmberg analyze: the structure of the star cluster in a snapshot: its core, its mass classes, its profiles, and what in it is
 * bound. */
#include "base/arith.h"
#include "base/ascending.h"
#include "base/mem.h"
#include "base/table.h"
#include "base/text.h"
#include "console/astro.h"
#include "console/commands.h"
#include "console/terminal.h"
#include "core/binaries.h"
#include "core/diagnostics.h"
#include "core/particles.h"
#include "core/structure.h"
#include "measure/contents.h"
#include "plot/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CLASSES = 8, SHELLS = 64 };

/* Moments of velocities about that of the center of mass, weighted by mass; what orbits each other moves as one. */
struct motion {
  double sigma;            /* of one component: sqrt(<v^2> / 3) */
  double sigma_r, sigma_t; /* radial, and of one tangential component: sqrt(<v_t^2> / 2) */
  double beta;             /* anisotropy 1 - sigma_t^2 / sigma_r^2: 0 isotropic, 1 radial orbits */
};

/* Particles of masses from least up to below most. */
struct mass_class {
  double least, most;
  size_t n;
  double m;
  double r_lagrange[HB_LAGRANGE_COUNT]; /* of their own mass, about the center; NaN without any */
};

/* A spherical shell of as many systems as others have. */
struct shell {
  double r_in, r_out, r; /* r: the median */
  size_t n;
  double m, rho; /* m / volume */
  struct motion motion;
};

/* Centers are those of struct hb_structure's Lagrangian radii. Systems are single particles, and centers of mass of what is
 * bound. Test particles do not count. */
struct analysis {
  double rho_core;               /* sum rho^2 / sum rho of the local densities rho [Casertano & Hut 1985] */
  double m_core;                 /* within r_core */
  size_t n_core;                 /* particles there */
  struct motion core, half, all; /* within r_core, within the half-mass radius about the center, everywhere */
  size_t classes, shells;
  struct mass_class class[CLASSES]; /* the lightest first */
  double segregation; /* half-mass radius of the lightest class over that of the heaviest; NaN of one class */
  struct shell shell[SHELLS];
  struct hb_hierarchy bound;
};

static const double PI = 3.14159265358979323846;

/* ---- motions ----------------------------------------------------------------------------------------- */

/* A system as seen from the center. */
struct seen {
  double r, m, vr2, vt2; /* squares of the radial and the tangential velocity */
  uint32_t i;
};

static struct seen see(const struct hb_particles *p, size_t i, const double x[3], const double v[3])
{
  double r2 = 0, v2 = 0, rv = 0;
  for (size_t k = 0; k < 3; k++) {
    double dx = p->x[3 * i + k] - x[k], dv = p->v[3 * i + k] - v[k];
    r2 += dx * dx;
    v2 += dv * dv;
    rv += dx * dv;
  }
  double vr2 = r2 > 0 ? rv * rv / r2 : 0;
  return (struct seen){sqrt(r2), p->m[i], vr2, fmax(v2 - vr2, 0), (uint32_t)i};
}

static struct motion motion_of(const struct seen *s, size_t n)
{
  double m = 0, r = 0, t = 0;
  for (size_t k = 0; k < n; k++) {
    m += s[k].m;
    r += s[k].m * s[k].vr2;
    t += s[k].m * s[k].vt2 / 2;
  }
  return (struct motion){sqrt((r + 2 * t) / (3 * m)), sqrt(r / m), sqrt(t / m), 1 - t / r};
}

static int by_radius(const void *a, const void *b)
{
  const struct seen *p = a, *q = b;
  return p->r != q->r ? (p->r > q->r) - (p->r < q->r) : (p->i > q->i) - (p->i < q->i);
}

static size_t within(const struct seen *s, size_t n, double r)
{
  size_t k = 0;
  while (k < n && s[k].r <= r) k++;
  return k;
}

/* ---- shells ------------------------------------------------------------------------------------------ */

/* Boundaries lie between two systems, the last one at the outermost. */
static void make_shells(const struct seen *s, size_t n, size_t most, struct analysis *a)
{
  enum { LEAST = 10 };
  size_t count = n / LEAST < most ? n / LEAST : most;
  for (size_t k = 0; k < count; k++) {
    struct shell *shell = a->shell + k;
    size_t from = k * n / count, to = (k + 1) * n / count;
    *shell = (struct shell){.r_in = k ? shell[-1].r_out : 0,
                            .r_out = to < n ? (s[to - 1].r + s[to].r) / 2 : s[n - 1].r,
                            .r = s[(from + to) / 2].r,
                            .n = to - from,
                            .motion = motion_of(s + from, to - from)};
    for (size_t i = from; i < to; i++) shell->m += s[i].m;
    shell->rho = shell->m / (4 * PI / 3 * (pow(shell->r_out, 3) - pow(shell->r_in, 3)));
  }
  a->shells = count;
}

/* The half-mass radius among Lagrangian radii. */
static double half_of(const double r_lagrange[HB_LAGRANGE_COUNT])
{
  size_t k = 0;
  while (hb_lagrange_fractions()[k] != 0.5) k++;
  return r_lagrange[k];
}

static enum hb_status find_motions(const struct hb_structure *s, const double center[3], size_t shells,
                                   struct analysis *a)
{
  const struct hb_particles *p = a->bound.systems;
  struct seen *seen;
  HB_TRY(HB_ALLOC(p->n, &seen));
  for (size_t i = 0; i < p->n; i++) seen[i] = see(p, i, center, s->v_mass);
  qsort(seen, p->n, sizeof *seen, by_radius);
  a->core = motion_of(seen, within(seen, p->n, s->r_core));
  a->half = motion_of(seen, within(seen, p->n, half_of(s->r_lagrange)));
  a->all = motion_of(seen, p->n);
  make_shells(seen, p->n, shells, a);
  hb_mem_free(seen);
  return HB_OK;
}

/* ---- core and classes -------------------------------------------------------------------------------- */

static enum hb_status find_core(const struct hb_particles *p, const struct hb_structure *s,
                                struct analysis *a)
{
  struct hb_surroundings around;
  double sum = 0, sum2 = 0;
  enum hb_status status = hb_surroundings_find(p, &around);
  for (size_t i = 0; status == HB_OK && i < p->n; i++) {
    sum += around.rho[i];
    sum2 += around.rho[i] * around.rho[i];
    if (!(see(p, i, s->x_density, s->v_mass).r <= s->r_core)) continue;
    a->n_core++;
    a->m_core += p->m[i];
  }
  a->rho_core = isnan(s->r_core) ? NAN : sum2 / sum;
  hb_surroundings_clear(&around);
  return status;
}

static enum hb_status fill_class(const struct hb_particles *p, const double center[3], struct mass_class *c)
{
  struct hb_particles *members;
  double *work;
  HB_TRY(hb_particles_copy(p, &members));
  for (size_t i = 0; i < p->n; i++) {
    if (!(p->m[i] >= c->least && p->m[i] < c->most)) continue;
    for (size_t k = 0; k < 3; k++) members->x[3 * c->n + k] = p->x[3 * i + k];
    members->m[c->n++] = p->m[i];
    c->m += p->m[i];
  }
  members->n = c->n;
  enum hb_status status = HB_ALLOC(2 * p->n, &work);
  for (size_t k = 0; k < HB_LAGRANGE_COUNT; k++) c->r_lagrange[k] = NAN;
  if (status == HB_OK && c->m > 0)
    hb_lagrangian_radii(members, center, HB_LAGRANGE_COUNT, hb_lagrange_fractions(), work, c->r_lagrange);
  hb_mem_free(work);
  hb_particles_destroy(members);
  return status;
}

static enum hb_status find_classes(const struct hb_particles *p, const struct hb_contents *c,
                                   const double center[3], size_t count, const double *limits,
                                   struct analysis *a)
{
  const double mean = c->m / (double)p->n;
  double least = INFINITY;
  for (size_t i = 0; i < p->n; i++) least = fmin(least, p->m[i]);
  if (count == 0 && least < c->m_most) limits = &mean, count = 1;
  a->classes = count + 1;
  for (size_t k = 0; k <= count; k++) {
    a->class[k].least = k ? limits[k - 1] : 0;
    a->class[k].most = k < count ? limits[k] : INFINITY;
    HB_TRY(fill_class(p, center, a->class + k));
  }
  a->segregation = count ? half_of(a->class[0].r_lagrange) / half_of(a->class[count].r_lagrange) : NAN;
  return HB_OK;
}

/* ---- all of it --------------------------------------------------------------------------------------- */

/* Masses between classes, limits[count < CLASSES] ascending; count 0: the mean mass, or one class if all masses are
 * equal. shells: at most; fewer if there would be fewer than 10 systems in each. contents are those of the particles. Errors:
 * HB_ERR_INTERNAL; analysis->bound is to be cleared in any case. */
static enum hb_status analysis_of(const struct hb_particles *p, const struct hb_contents *contents,
                                  size_t count, const double *limits, size_t shells,
                                  struct analysis *analysis)
{
  const struct hb_structure *s = &contents->structure;
  const double *center = isnan(s->r_core) ? s->x_mass : s->x_density;
  *analysis = (struct analysis){.classes = 0};
  HB_TRY(hb_hierarchy_find(p, contents->eps * contents->eps, &analysis->bound));
  HB_OWN_PARTICLES struct hb_particles *massive = NULL;
  HB_TRY(hb_particles_copy_massive(p, &massive));
  const struct hb_particles *stars = massive ? massive : p;
  HB_TRY(find_core(stars, s, analysis));
  HB_TRY(find_classes(stars, contents, center, count, limits, analysis));
  return find_motions(s, center, shells, analysis);
}

/* ---- tables ------------------------------------------------------------------------------------------ */

#define AT(place) .offset = offsetof(struct shell, place)
static const struct hb_table_column shell_columns[] = {
    {"r_in", HB_TABLE_REAL, AT(r_in)},
    {"r_out", HB_TABLE_REAL, AT(r_out), "%11.5g", "#r_out"},
    {"r", HB_TABLE_REAL, AT(r)},
    {"n", HB_TABLE_SIZE, AT(n), "%7llu"},
    {"m", HB_TABLE_REAL, AT(m)},
    {"rho", HB_TABLE_REAL, AT(rho), "%11.5g"},
    {"sigma", HB_TABLE_REAL, AT(motion.sigma), "%9.5g"},
    {"sigma_r", HB_TABLE_REAL, AT(motion.sigma_r), "%9.5g"},
    {"sigma_t", HB_TABLE_REAL, AT(motion.sigma_t), "%9.5g"},
    {"beta", HB_TABLE_REAL, AT(motion.beta), "%7.3f"},
};
#undef AT
#define AT(place) .offset = offsetof(struct motion, place)
static const struct hb_table_column motion_columns[] = {
    {"sigma", HB_TABLE_REAL, AT(sigma)},
    {"sigma_r", HB_TABLE_REAL, AT(sigma_r)},
    {"sigma_t", HB_TABLE_REAL, AT(sigma_t)},
    {"beta", HB_TABLE_REAL, AT(beta)},
};
#undef AT

struct bound_row {
  const char *members;
  struct hb_hierarchy_orbit of;
};
#define AT(place) .offset = offsetof(struct bound_row, place)
static const struct hb_table_column bound_columns[] = {
    {"members", HB_TABLE_TEXT, AT(members)},
    {"stars", HB_TABLE_SIZE, AT(of.stars), "%6llu", "#stars"},
    {"m1", HB_TABLE_REAL, AT(of.m[0]), "%11.5g"},
    {"m2", HB_TABLE_REAL, AT(of.m[1]), "%11.5g"},
    {"a", HB_TABLE_REAL, AT(of.orbit.a), "%13.7g"},
    {"e", HB_TABLE_REAL, AT(of.orbit.e), "%10.7f"},
    {"E", HB_TABLE_REAL, AT(of.orbit.E), "%13.6g"},
    {"period", HB_TABLE_REAL, AT(of.period), "%13.7g"},
    {NULL, HB_TABLE_TEXT, AT(members), " %s", " members"},
};
#undef AT

/* Each orbit, inner ones before those that they are part of. json NULL: as text. */
static enum hb_status put_bound(const struct analysis *a, const struct hb_particles *p, struct hb_json *json)
{
  struct hb_table table = {HB_TABLE_COLUMNS(bound_columns), HB_TABLE_TEXT_FORM, stdout, 0};
  enum hb_status status = HB_OK;
  for (size_t k = 0; k < a->bound.count && status == HB_OK; k++) {
    struct hb_text name = {0};
    status = hb_hierarchy_name(&a->bound, p, (uint32_t)(a->bound.n + k), &name);
    const struct bound_row row = {name.text, a->bound.at[k]};
    if (status == HB_OK && json) hb_table_object(json, NULL, HB_TABLE_COLUMNS(bound_columns), &row);
    if (status == HB_OK && !json) hb_table_put(&table, &row);
    hb_mem_free(name.text);
  }
  return status;
}

/* ---- JSON -------------------------------------------------------------------------------------------- */

static void json_class(const struct mass_class *c, struct hb_json *json)
{
  hb_json_open_object(json, NULL);
  hb_json_number(json, "m_least", c->least);
  hb_json_number(json, "m_below", c->most); /* null: no limit */
  hb_json_count(json, "n", c->n);
  hb_json_number(json, "m", c->m);
  hb_contents_radii(c->r_lagrange, json);
  hb_json_close_object(json);
}

static enum hb_status put_members(const struct analysis *a, const struct hb_particles *particles,
                                  struct hb_json *json)
{
  hb_json_number(json, "rho_core", a->rho_core);
  hb_json_number(json, "m_core", a->m_core);
  hb_json_count(json, "n_core", a->n_core);
  hb_json_open_object(json, "motion");
  hb_table_object(json, "core", HB_TABLE_COLUMNS(motion_columns), &a->core);
  hb_table_object(json, "half_mass", HB_TABLE_COLUMNS(motion_columns), &a->half);
  hb_table_object(json, "all", HB_TABLE_COLUMNS(motion_columns), &a->all);
  hb_json_close_object(json);
  hb_json_number(json, "segregation", a->segregation);
  hb_json_open_array(json, "classes");
  for (size_t k = 0; k < a->classes; k++) json_class(a->class + k, json);
  hb_json_close_array(json);
  hb_table_array(json, "profile", HB_TABLE_COLUMNS(shell_columns), a->shells, sizeof *a->shell, a->shell);
  hb_json_open_array(json, "bound");
  HB_TRY(put_bound(a, particles, json));
  hb_json_close_array(json);
  return HB_OK;
}

/* ---- text -------------------------------------------------------------------------------------------- */

static void print_motion(const char *where, const struct motion *m)
{
  printf("%-18s %.5g of one component, radial %.5g, tangential %.5g, anisotropy %.3f\n", where, m->sigma,
         m->sigma_r, m->sigma_t, m->beta);
}

static void print_classes(const struct analysis *a)
{
  if (a->classes == 1) return;
  for (size_t k = 0; k < a->classes; k++) {
    const struct mass_class *c = a->class + k;
    printf("masses %.4g to %.4g: %zu star%s of mass %.6g; Lagrangian radii", c->least, c->most, c->n,
           hb_text_s(c->n), c->m);
    hb_contents_print_radii(c->r_lagrange);
    putchar('\n');
  }
  printf("%-18s %.5g, half-mass radius of the lightest class over that of the heaviest\n",
         "segregation ratio", a->segregation);
}

static enum hb_status print_analysis(const struct analysis *a, const struct hb_particles *particles)
{
  struct hb_table shells = {HB_TABLE_COLUMNS(shell_columns), HB_TABLE_TEXT_FORM, stdout, 0};
  printf("%-18s density %.5g, mass %.5g, %zu star%s within the core radius\n", "core", a->rho_core, a->m_core,
         a->n_core, hb_text_s(a->n_core));
  puts("velocity dispersion");
  print_motion("  in the core", &a->core);
  print_motion("  to half-mass", &a->half);
  print_motion("  of all", &a->all);
  print_classes(a);
  if (a->shells) puts("\nprofile: shells of equal numbers of stars, binaries as one");
  for (size_t k = 0; k < a->shells; k++) hb_table_put(&shells, a->shell + k);
  printf("\nbound: %zu orbit%s of stars, binaries, ...\n", a->bound.count, hb_text_s(a->bound.count));
  return put_bound(a, particles, NULL);
}

/* ---- units ------------------------------------------------------------------------------------------- */

static void motion_to(double velocity, struct motion *m)
{
  m->sigma *= velocity;
  m->sigma_r *= velocity;
  m->sigma_t *= velocity;
}

static void convert_analysis(const struct hb_units *u, struct analysis *a)
{
  double velocity = hb_units_velocity(u), density = u->mass / (u->length * u->length * u->length);
  struct motion *motions[] = {&a->core, &a->half, &a->all};
  for (size_t k = 0; k < sizeof motions / sizeof *motions; k++) motion_to(velocity, motions[k]);
  a->rho_core *= density;
  a->m_core *= u->mass;
  for (size_t k = 0; k < a->classes; k++) {
    struct mass_class *c = a->class + k;
    c->least *= u->mass, c->most *= u->mass, c->m *= u->mass;
    for (size_t r = 0; r < HB_LAGRANGE_COUNT; r++) c->r_lagrange[r] *= u->length;
  }
  for (size_t k = 0; k < a->shells; k++) {
    struct shell *s = a->shell + k;
    s->r_in *= u->length, s->r_out *= u->length, s->r *= u->length;
    s->m *= u->mass, s->rho *= density;
    motion_to(velocity, &s->motion);
  }
  for (size_t k = 0; k < a->bound.count; k++) {
    struct hb_hierarchy_orbit *o = a->bound.at + k;
    o->m[0] *= u->mass, o->m[1] *= u->mass;
    o->period *= u->time;
    o->orbit.a *= u->length;
    o->orbit.E *= hb_astro_energy(u);
  }
}

/* ---- the figure -------------------------------------------------------------------------------------- */

/* At the radius that halves the volume of each shell, where a density is nearest to the shell's mean. */
static double middle(const struct shell *s) { return cbrt((pow(s->r_in, 3) + pow(s->r_out, 3)) / 2); }

static enum hb_status add_curves(const struct analysis *a, double r_half, struct hb_plot *plot)
{
  double m = 0, b = r_half * sqrt(cbrt(4) - 1); /* Plummer's radius: half of the mass is within r_half */
  for (size_t k = 0; k < a->shells; k++) {
    m += a->shell[k].m;
    HB_TRY(hb_plot_add(plot, "density", "", middle(a->shell + k), a->shell[k].rho));
  }
  for (size_t k = 0; k < a->shells; k++) {
    double r = middle(a->shell + k);
    HB_TRY(hb_plot_add_reference(plot, "Plummer", "same mass and half-mass radius", r,
                                 3 * m / (4 * PI * b * b * b) * pow(1 + r * r / (b * b), -2.5)));
  }
  return HB_OK;
}

/* A figure of the density profile, beside that of a Plummer model of the same mass and half-mass radius. is_astro: 1 in pc and
 * solar masses. */
static enum hb_status plot_profile(const struct analysis *a, double r_half, const char *title, int is_astro,
                                   const char *path)
{
  struct hb_plot plot = {.title = title,
                         .x_label = is_astro ? "radius, pc" : "radius",
                         .y_label = is_astro ? "density, solar masses / pc^3" : "density",
                         .x_kind = HB_PLOT_X_TENS,
                         .y_kind = HB_PLOT_Y_NAMED};
  enum hb_status status = add_curves(a, r_half, &plot);
  if (status == HB_OK) status = hb_plot_write(&plot, path);
  hb_plot_clear(&plot);
  return status;
}

/* ---- the Jacobi radius --------------------------------------------------------------------------------- */

static int is_within(const struct hb_particles *p, size_t i, const double center[3], double r)
{
  double r2 = 0;
  for (size_t k = 0; k < 3; k++) r2 += (p->x[3 * i + k] - center[k]) * (p->x[3 * i + k] - center[k]);
  return r2 <= r * r;
}

/* Of the mass within the last radius the next one: they shrink to the largest that agrees with its mass. */
static double radius_about(const struct hb_particles *p, const double center[3], double tide)
{
  double r = INFINITY, next = cbrt(hb_sum(p->n, p->m) / tide);
  while (next < r) {
    double m = 0;
    r = next;
    for (size_t i = 0; i < p->n; i++) m += is_within(p, i, center, r) ? p->m[i] : 0;
    next = cbrt(m / tide);
  }
  return r;
}

/* ---- the Jacobi radius: where to begin ---- */

static enum hb_status median_center(const struct hb_particles *p, double center[3])
{
  double *q;
  HB_TRY(HB_ALLOC(p->n, &q));
  for (size_t k = 0; k < 3; k++) {
    for (size_t i = 0; i < p->n; i++) q[i] = p->x[3 * i + k];
    qsort(q, p->n, sizeof *q, hb_ascending_doubles);
    center[k] = q[p->n / 2];
  }
  hb_mem_free(q);
  return HB_OK;
}

/* The density center, which a few stars close together may draw out of a cluster, and the median of each coordinate, which more
 * than half of the stars would have to. */
enum { STARTS = 2 };

static enum hb_status find_starts(const struct hb_particles *p, double center[STARTS][3])
{
  struct hb_surroundings around;
  double r_core;
  HB_TRY(median_center(p, center[0]));
  enum hb_status status = hb_surroundings_find(p, &around);
  if (status == HB_OK && !hb_density_center(p, around.rho, center[1], &r_core))
    memcpy(center[1], center[0], sizeof *center);
  hb_surroundings_clear(&around);
  return status;
}

/* ---- the Jacobi radius: what is within ---- */

/* Only those within r of the center stay. */
static void cut(struct hb_particles *p, const double center[3], double r)
{
  size_t n = 0;
  for (size_t i = 0; i < p->n; i++) {
    if (!is_within(p, i, center, r)) continue;
    p->m[n] = p->m[i], p->id[n] = p->id[i];
    if (p->radius) p->radius[n] = p->radius[i];
    memmove(p->x + 3 * n, p->x + 3 * i, 3 * sizeof *p->x);
    memmove(p->v + 3 * n++, p->v + 3 * i, 3 * sizeof *p->v);
  }
  p->n = n;
}

/* The center of mass of those within r, and their mass. */
static double mass_within(const struct hb_particles *p, double r, double center[3])
{
  double m = 0, x[3] = {0};
  for (size_t i = 0; i < p->n; i++) {
    if (!is_within(p, i, center, r)) continue;
    m += p->m[i];
    for (size_t k = 0; k < 3; k++) x[k] += p->m[i] * p->x[3 * i + k];
  }
  for (size_t k = 0; k < 3 && m > 0; k++) center[k] = x[k] / m;
  return m;
}

/* Follows the center to where it stays; returns the mass. */
static double settle(const struct hb_particles *p, double tide, double center[3], double *r)
{
  enum { MOST = 1000 }; /* a star at the edge may come and go */
  double m = 0, before = -1;
  for (int k = 0; k < MOST && m != before; k++) {
    before = m;
    *r = radius_about(p, center, tide);
    m = mass_within(p, *r, center);
  }
  return m;
}

/* r_J^3 = M(r_J) / tide in units where G = 1, about the center of mass of what is within: the largest such radius. The tide is
 * 4 Omega^2 - kappa^2 of a circular orbit of angular speed Omega and epicyclic frequency kappa [King 1962, AJ 67, 471]. Center and
 * radius are found in turn.
 *
 * *inside: a copy of the particles within r_J, in their order and with their notes. Errors: HB_ERR_INPUT (there are none),
 * HB_ERR_INTERNAL. */
static enum hb_status jacobi_inside(const struct hb_particles *particles, double tide, double *r_jacobi,
                                    struct hb_particles **inside)
{
  struct hb_particles *massive;
  double center[STARTS][3], r[STARTS], m[STARTS];
  HB_TRY(hb_particles_copy_massive(particles, &massive));
  enum hb_status status = find_starts(massive ? massive : particles, center);
  hb_particles_destroy(massive);
  HB_TRY(status);
  for (int k = 0; k < STARTS; k++) m[k] = settle(particles, tide, center[k], &r[k]);
  int best = m[1] > m[0];
  if (!(m[best] > 0)) return hb_fail(HB_ERR_INPUT, "no star is within the Jacobi radius of so strong a tide");
  HB_TRY(hb_particles_copy(particles, inside));
  cut(*inside, center[best], r[best]);
  *r_jacobi = r[best];
  return HB_OK;
}

/* ---- the command ----------------------------------------------------------------------------------------- */

struct analyze_settings {
  struct hb_contents_settings file;
  const char *plot;
  double classes[CLASSES - 1];
  uint64_t shells;
  double tide;
  int json;
};

#define FIELD(member) HB_SETTING_FIELD(struct analyze_settings, member)
static const struct hb_setting analyze_options[] = {
    {"classes", 0, HB_SETTING_NUMBERS, FIELD(classes), "M,...", .least = 1,
     .help = "up to 7 masses between classes, ascending, in the units of --units (default: the mean mass)",
     .of = HB_DIMENSION_MASS},
    {"shells", 0, HB_SETTING_COUNT, FIELD(shells), "K", "20", .most = SHELLS,
     .help = "shells of the profile, each with as many stars; fewer where that would be fewer than 10"},
    {"tide", 0, HB_SETTING_POSITIVE, FIELD(tide), "X",
     .help =
         "only the stars within the Jacobi radius, where r^3 = G M(r) / X; X = 4 W^2 - K^2 of a circular "
         "orbit of angular speed W and epicyclic frequency K, in the units of --units (default: all stars)"},
    {"plot", 0, HB_SETTING_TEXT, FIELD(plot), "FIGURE",
     .help = "also draw the density profile: .png, .svg or .pdf"},
    {0}};
#undef FIELD

/* How many there are. */
static enum hb_status check_classes(const struct hb_opts *opts, const struct analyze_settings *s,
                                    size_t *count)
{
  enum { MOST = sizeof s->classes / sizeof *s->classes };
  const char *typed = hb_opts_typed(opts, s->classes);
  *count = typed != NULL;
  for (const char *at = typed; at && *at; at++) *count += *at == ',';
  for (size_t k = 0; k < *count; k++)
    if (!(s->classes[k] > (k ? s->classes[k - 1] : 0)))
      return hb_fail(HB_ERR_USAGE, "option --classes: '%s', expected up to %d ascending masses > 0", typed,
                     MOST);
  return HB_OK;
}

/* What analyze shows; r_jacobi: 0 without --tide. */
struct found {
  struct hb_contents_file info;
  struct analysis analysis;
  double r_jacobi;
};

static enum hb_status analyze_json(const struct found *f)
{
  struct hb_json json = {stdout, 0};
  hb_json_open_object(&json, NULL);
  hb_contents_members(&f->info, &json);
  if (f->r_jacobi > 0) hb_json_number(&json, "r_jacobi", f->r_jacobi);
  HB_TRY(put_members(&f->analysis, f->info.particles, &json));
  hb_json_close_object(&json);
  putchar('\n');
  return HB_OK;
}

static enum hb_status analyze_text(const struct found *f)
{
  hb_contents_print(&f->info);
  if (f->r_jacobi > 0)
    printf("%-18s %.6g, and only what is within it is shown\n", "Jacobi radius", f->r_jacobi);
  return print_analysis(&f->analysis, f->info.particles);
}

static enum hb_status analyze_show(const struct analyze_settings *s, struct found *f)
{
  struct hb_contents_file *info = &f->info;
  HB_TRY(hb_contents_convert(&s->file, info));
  if (info->units) {
    convert_analysis(&info->unit, &f->analysis);
    f->r_jacobi *= info->unit.length;
  }
  HB_TRY((s->json ? analyze_json : analyze_text)(f));
  if (s->plot)
    HB_TRY(plot_profile(&f->analysis, info->contents.energies.r_half, hb_text_base_name(info->file),
                        info->units != NULL, s->plot));
  return hb_terminal_flush();
}

/* Leaves only what is within the Jacobi radius. */
static enum hb_status cut_tide(const struct analyze_settings *s, double tide, struct found *f)
{
  struct hb_particles *inside;
  HB_TRY(jacobi_inside(f->info.particles, tide, &f->r_jacobi, &inside));
  hb_particles_destroy(f->info.particles);
  f->info.particles = inside;
  return hb_contents_of(inside, f->info.contents.eps, f->info.field, s->file.exact_energy, &f->info.contents);
}

static enum hb_status analyze(const struct hb_opts *opts, struct found *f)
{
  const struct analyze_settings *s = opts->settings;
  struct hb_units units = {1, 1, 1};
  size_t count;
  if (s->plot) HB_TRY(hb_plot_check(s->plot));
  HB_TRY(check_classes(opts, s, &count));
  HB_TRY(hb_contents_read(opts, &s->file, &f->info));
  if (s->file.units == HB_ASTRO_ASTRO) HB_TRY(hb_astro_find(f->info.particles, &units));
  if (s->tide > 0) HB_TRY(cut_tide(s, s->tide * units.time * units.time, f));
  HB_TRY(analysis_of(f->info.particles, &f->info.contents, count, s->classes, s->shells, &f->analysis));
  return analyze_show(s, f);
}

static enum hb_status analyze_work(const struct hb_opts *opts)
{
  struct found *f;
  HB_TRY(HB_ALLOC(1, &f));
  enum hb_status status = analyze(opts, f);
  hb_hierarchy_clear(&f->analysis.bound);
  hb_particles_destroy(f->info.particles);
  hb_mem_free(f);
  return status;
}

const struct hb_opts_command hb_cmd_analyze = {
    .name = "analyze",
    .also = "analyse",
    .summary = "Show the core, mass classes, profiles, binaries and hierarchies of a snapshot.",
    .operand = "SNAPSHOT",
    .operand_min = 1,
    .operand_max = 1,
    .groups = {{.options = analyze_options},
               {.options = hb_contents_options, .at = offsetof(struct analyze_settings, file)},
               {.options = hb_opts_json, .at = offsetof(struct analyze_settings, json)}},
    .settings_size = sizeof(struct analyze_settings),
    .example = "  holmberg analyze end.h5 --plot profile.png\n"
               "  holmberg analyze cluster.h5 --units astro --classes 0.5,2 --json\n"
               "  holmberg analyze end.h5 --units astro --tide 0.0014 # at 8.5 kpc, where V = 220 km/s\n",
    .work = analyze_work,
};

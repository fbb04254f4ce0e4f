#include "measure/analysis.h"

#include "base/arith.h"
#include "base/mem.h"
#include "base/table.h"
#include "base/text.h"
#include "console/astro.h"
#include "core/diagnostics.h"
#include "core/gravity.h"
#include "core/particles.h"
#include "core/structure.h"
#include "plot/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what a snapshot holds -------------------------------------------------------------------------- */

/* What follows `word` ("field=") among the words of the note options; NULL: it is not there. */
static const char *option_value(const struct hb_particles *p, const char *word)
{
  for (const char *c = hb_particles_note(p, "options"); c; c = strchr(c, ' ')) {
    c += strspn(c, " ");
    if (strncmp(c, word, strlen(word)) == 0) return c + strlen(word);
  }
  return NULL;
}

/* The parts of a field are words like point:m=1, but for omega=1: other options have no colon before their '='. */
const char *hb_contents_field(const struct hb_particles *particles, char words[HB_CONTENTS_FIELD])
{
  const char *start = option_value(particles, "field="), *end = start;
  struct hb_field *field = NULL;
  while (end && *end && (strcspn(end, ":") < strcspn(end, "= ") || strncmp(end, "omega=", 6) == 0)) {
    end += strcspn(end, " ");
    end += strspn(end, " ");
  }
  size_t span = (size_t)(end - start);
  if (!start || span == 0 || span >= HB_CONTENTS_FIELD) return NULL;
  memcpy(words, start, span);
  words[span] = 0;
  int is_good = hb_field_create(words, &field) == HB_OK;
  hb_field_destroy(field);
  return is_good ? words : NULL;
}

/* Of a snapshot, or of the stars in it, which it leaves at rest at the origin. */
static enum hb_status get_energies(struct hb_particles *p, double eps2, const struct hb_field *field,
                                   int exact, struct hb_diagnostics *d)
{
  double center[3], velocity[3], half = 0.5, *work;
  struct hb_binary *pairs;
  HB_TRY(HB_ALLOC(2 * p->n, &work));
  *d = (struct hb_diagnostics){.t = p->t, .exact_energy = exact, .e_pot = NAN, .e_gpu = NAN, .e_jacobi = NAN};
  hb_center_of_mass(p, center, velocity);
  hb_kinetic_energy_in(p, velocity, &d->e_kin, &d->e_bulk);
  hb_lagrangian_radii(p, center, 1, &half, work, &d->r_half);
  if (exact) {
    hb_gravity_potential_once(p->n, p->m, p->x, eps2, work);
    d->e_pot = hb_potential_energy(p, work);
  }
  d->e_total = d->e_kin + d->e_pot;
  if (field) hb_energy_add_field(p, field, d);
  enum hb_status status = hb_energy_find_binaries(p, eps2, d->e_pot, &pairs, &d->binaries);
  if (status == HB_OK) hb_energy_split(p, pairs, 0, field, work, d);
  HB_FREE(pairs, work);
  if (d->e_pot == 0) d->virial_ratio = NAN;
  return status;
}

static enum hb_status add_energies(const struct hb_particles *p, const char *words, int exact,
                                   struct hb_contents *c)
{
  struct hb_particles *stars;
  struct hb_field *field = NULL;
  HB_TRY(hb_particles_copy_massive(p, &stars));
  enum hb_status status = stars ? HB_OK : hb_particles_copy(p, &stars);
  if (status == HB_OK && words) status = hb_field_create(words, &field);
  if (status == HB_OK) status = get_energies(stars, c->eps * c->eps, field, exact, &c->energies);
  hb_field_destroy(field);
  hb_particles_destroy(stars);
  c->has_field = words != NULL;
  return status;
}

enum hb_status hb_contents_of(const struct hb_particles *p, double eps, const char *field,
                              enum hb_exact_energy exact_energy, struct hb_contents *contents)
{
  struct hb_contents c = {.n = p->n, .t = p->t, .eps = eps, .m = hb_sum(p->n, p->m)};
  hb_hash_text(hb_particles_hash(p), c.state_hash);
  c.m_least = c.m_most = p->m[0];
  for (size_t i = 1; i < p->n; i++) {
    c.m_least = fmin(c.m_least, p->m[i]);
    c.m_most = fmax(c.m_most, p->m[i]);
  }
  size_t massive = hb_particles_massive(p);
  HB_TRY(add_energies(p, field, hb_energy_is_exact(exact_energy, massive ? massive : p->n), &c));
  HB_TRY(hb_structure_of(p, eps * eps, &c.structure));
  *contents = c;
  return HB_OK;
}

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

static struct hb_motion motion_of(const struct seen *s, size_t n)
{
  double m = 0, r = 0, t = 0;
  for (size_t k = 0; k < n; k++) {
    m += s[k].m;
    r += s[k].m * s[k].vr2;
    t += s[k].m * s[k].vt2 / 2;
  }
  return (struct hb_motion){sqrt((r + 2 * t) / (3 * m)), sqrt(r / m), sqrt(t / m), 1 - t / r};
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
static void make_shells(const struct seen *s, size_t n, size_t most, struct hb_analysis *a)
{
  enum { LEAST = 10 };
  size_t count = n / LEAST < most ? n / LEAST : most;
  for (size_t k = 0; k < count; k++) {
    struct hb_shell *shell = a->shell + k;
    size_t from = k * n / count, to = (k + 1) * n / count;
    *shell = (struct hb_shell){.r_in = k ? shell[-1].r_out : 0,
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
                                   struct hb_analysis *a)
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
                                struct hb_analysis *a)
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

static enum hb_status fill_class(const struct hb_particles *p, const double center[3],
                                 struct hb_mass_class *c)
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
                                   struct hb_analysis *a)
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

enum hb_status hb_analysis_of(const struct hb_particles *p, const struct hb_contents *contents, size_t count,
                              const double *limits, size_t shells, struct hb_analysis *analysis)
{
  const struct hb_structure *s = &contents->structure;
  const double *center = isnan(s->r_core) ? s->x_mass : s->x_density;
  *analysis = (struct hb_analysis){.classes = 0};
  HB_TRY(hb_hierarchy_find(p, contents->eps * contents->eps, &analysis->bound));
  struct hb_particles *massive;
  HB_TRY(hb_particles_copy_massive(p, &massive));
  const struct hb_particles *stars = massive ? massive : p;
  enum hb_status status = find_core(stars, s, analysis);
  if (status == HB_OK) status = find_classes(stars, contents, center, count, limits, analysis);
  if (status == HB_OK) status = find_motions(s, center, shells, analysis);
  hb_particles_destroy(massive);
  return status;
}

void hb_analysis_clear(struct hb_analysis *analysis) { hb_hierarchy_clear(&analysis->bound); }

/* ---- tables ------------------------------------------------------------------------------------------ */

#define AT(place) .offset = offsetof(struct hb_shell, place)
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
#define AT(place) .offset = offsetof(struct hb_motion, place)
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

/* Calls put for each orbit, inner ones before those that they are part of. */
static enum hb_status each_bound(const struct hb_analysis *a, const struct hb_particles *p,
                                 void (*put)(void *out, const struct bound_row *row), void *out)
{
  enum hb_status status = HB_OK;
  for (size_t k = 0; k < a->bound.count && status == HB_OK; k++) {
    struct hb_text name = {0};
    status = hb_hierarchy_name(&a->bound, p, (uint32_t)(a->bound.n + k), &name);
    if (status == HB_OK) put(out, &(struct bound_row){name.text, a->bound.at[k]});
    hb_mem_free(name.text);
  }
  return status;
}

/* ---- JSON -------------------------------------------------------------------------------------------- */

static void json_bound(void *out, const struct bound_row *row)
{
  hb_json_open_object(out, NULL);
  hb_table_members(HB_TABLE_COLUMNS(bound_columns), row, out);
  hb_json_close_object(out);
}

static void json_class(const struct hb_mass_class *c, struct hb_json *json)
{
  hb_json_open_object(json, NULL);
  hb_json_number(json, "m_least", c->least);
  hb_json_number(json, "m_below", c->most); /* null: no limit */
  hb_json_count(json, "n", c->n);
  hb_json_number(json, "m", c->m);
  for (size_t k = 0; k < HB_LAGRANGE_COUNT; k++) {
    char name[16];
    snprintf(name, sizeof name, "r_%ld", lround(100 * hb_lagrange_fractions()[k]));
    hb_json_number(json, name, c->r_lagrange[k]);
  }
  hb_json_close_object(json);
}

enum hb_status hb_analysis_members(const struct hb_analysis *a, const struct hb_particles *particles,
                                   struct hb_json *json)
{
  const struct {
    const char *name;
    const struct hb_motion *motion;
  } motions[] = {{"core", &a->core}, {"half_mass", &a->half}, {"all", &a->all}};
  hb_json_number(json, "rho_core", a->rho_core);
  hb_json_number(json, "m_core", a->m_core);
  hb_json_count(json, "n_core", a->n_core);
  hb_json_open_object(json, "motion");
  for (size_t k = 0; k < sizeof motions / sizeof *motions; k++) {
    hb_json_open_object(json, motions[k].name);
    hb_table_members(HB_TABLE_COLUMNS(motion_columns), motions[k].motion, json);
    hb_json_close_object(json);
  }
  hb_json_close_object(json);
  hb_json_number(json, "segregation", a->segregation);
  hb_json_open_array(json, "classes");
  for (size_t k = 0; k < a->classes; k++) json_class(a->class + k, json);
  hb_json_close_array(json);
  hb_json_open_array(json, "profile");
  for (size_t k = 0; k < a->shells; k++) {
    hb_json_open_object(json, NULL);
    hb_table_members(HB_TABLE_COLUMNS(shell_columns), a->shell + k, json);
    hb_json_close_object(json);
  }
  hb_json_close_array(json);
  hb_json_open_array(json, "bound");
  HB_TRY(each_bound(a, particles, json_bound, json));
  hb_json_close_array(json);
  return HB_OK;
}

/* ---- text -------------------------------------------------------------------------------------------- */

static void print_motion(FILE *out, const char *where, const struct hb_motion *m)
{
  fprintf(out, "%-18s %.5g of one component, radial %.5g, tangential %.5g, anisotropy %.3f\n", where,
          m->sigma, m->sigma_r, m->sigma_t, m->beta);
}

static void print_classes(FILE *out, const struct hb_analysis *a)
{
  if (a->classes == 1) return;
  for (size_t k = 0; k < a->classes; k++) {
    const struct hb_mass_class *c = a->class + k;
    fprintf(out, "masses %.4g to %.4g: %zu star%s of mass %.6g; Lagrangian radii", c->least, c->most, c->n,
            hb_text_s(c->n), c->m);
    for (size_t r = 0; r < HB_LAGRANGE_COUNT; r++)
      fprintf(out, "%s %ld%% %.4g", r ? "," : "", lround(100 * hb_lagrange_fractions()[r]), c->r_lagrange[r]);
    fputc('\n', out);
  }
  fprintf(out, "%-18s %.5g, half-mass radius of the lightest class over that of the heaviest\n",
          "segregation ratio", a->segregation);
}

static void text_bound(void *out, const struct bound_row *row) { hb_table_put(out, row); }

enum hb_status hb_analysis_print(const struct hb_analysis *a, const struct hb_particles *particles, FILE *out)
{
  struct hb_table shells = {HB_TABLE_COLUMNS(shell_columns), HB_TABLE_TEXT_FORM, out, 0};
  struct hb_table bound = {HB_TABLE_COLUMNS(bound_columns), HB_TABLE_TEXT_FORM, out, 0};
  fprintf(out, "%-18s density %.5g, mass %.5g, %zu star%s within the core radius\n", "core", a->rho_core,
          a->m_core, a->n_core, hb_text_s(a->n_core));
  fputs("velocity dispersion\n", out);
  print_motion(out, "  in the core", &a->core);
  print_motion(out, "  to half-mass", &a->half);
  print_motion(out, "  of all", &a->all);
  print_classes(out, a);
  if (a->shells) fputs("\nprofile: shells of equal numbers of stars, binaries as one\n", out);
  for (size_t k = 0; k < a->shells; k++) hb_table_put(&shells, a->shell + k);
  fprintf(out, "\nbound: %zu orbit%s of stars, binaries, ...\n", a->bound.count, hb_text_s(a->bound.count));
  return each_bound(a, particles, text_bound, &bound);
}

/* ---- units ------------------------------------------------------------------------------------------- */

static void motion_to(double velocity, struct hb_motion *m)
{
  m->sigma *= velocity;
  m->sigma_r *= velocity;
  m->sigma_t *= velocity;
}

void hb_analysis_to(const struct hb_units *u, struct hb_analysis *a)
{
  double velocity = hb_units_velocity(u), density = u->mass / (u->length * u->length * u->length);
  struct hb_motion *motions[] = {&a->core, &a->half, &a->all};
  for (size_t k = 0; k < sizeof motions / sizeof *motions; k++) motion_to(velocity, motions[k]);
  a->rho_core *= density;
  a->m_core *= u->mass;
  for (size_t k = 0; k < a->classes; k++) {
    struct hb_mass_class *c = a->class + k;
    c->least *= u->mass, c->most *= u->mass, c->m *= u->mass;
    for (size_t r = 0; r < HB_LAGRANGE_COUNT; r++) c->r_lagrange[r] *= u->length;
  }
  for (size_t k = 0; k < a->shells; k++) {
    struct hb_shell *s = a->shell + k;
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
static double middle(const struct hb_shell *s) { return cbrt((pow(s->r_in, 3) + pow(s->r_out, 3)) / 2); }

static enum hb_status add_curves(const struct hb_analysis *a, double r_half, struct hb_plot *plot)
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

enum hb_status hb_analysis_plot(const struct hb_analysis *a, double r_half, const char *title, int is_astro,
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

enum hb_status hb_jacobi_inside(const struct hb_particles *particles, double tide, double *r_jacobi,
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

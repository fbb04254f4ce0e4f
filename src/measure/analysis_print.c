/* An analysis as text, and as members of a JSON object. */
#include "base/mem.h"
#include "base/table.h"
#include "base/text.h"
#include "measure/analysis.h"

#include <math.h>
#include <stdio.h>

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

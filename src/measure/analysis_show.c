/* An analysis in other units, and as a figure. */
#include "measure/analysis.h"

#include "console/astro.h"
#include "plot/plot.h"

#include <math.h>
#include <stdio.h>

static const double PI = 3.14159265358979323846;

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

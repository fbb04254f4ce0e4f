#include "ic/scale.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "base/text.h"
#include "core/diagnostics.h"
#include "core/gravity.h"
#include "core/particles.h"
#include "core/units.h"

#include <math.h>

enum hb_status hb_scale_potential(const struct hb_particles *p, void (*progress)(void *context, double done),
                                  void *context, double *e_pot)
{
  static const size_t pairs = (size_t)1 << 28; /* in a part: a fraction of a second */
  size_t n = p->n, part = pairs / n + 1;
  double *phi;
  HB_TRY(HB_ALLOC(n, &phi));
  for (size_t first = 0; first < n; first += part) {
    size_t end = hb_parallel_end(n, part, first);
    hb_gravity_potential_part(n, p->m, p->x, 0, first, end, phi);
    if (progress) progress(context, (double)end / (double)n);
  }
  *e_pot = hb_potential_energy(p, phi);
  hb_mem_free(phi);
  return HB_OK;
}

void hb_scale_by(struct hb_particles *p, double length, double velocity)
{
  for (size_t k = 0; k < 3 * p->n; k++) {
    p->x[k] *= length;
    p->v[k] *= velocity;
  }
  for (size_t i = 0; i < p->n && p->radius; i++) p->radius[i] *= length;
}

/* Mass and virial radius. */
static enum hb_status measure(const struct hb_particles *p, double *mass, double *radius, double *e_pot)
{
  *mass = hb_sum(p->n, p->m);
  HB_TRY(hb_scale_potential(p, NULL, NULL, e_pot));
  if (*mass > 0 && isfinite(*e_pot) && *e_pot < 0) {
    *radius = *mass * *mass / (-2 * *e_pot);
    return HB_OK;
  }
  return hb_fail(HB_ERR_INPUT, "the mass is %g and the potential energy %g, so there is no virial radius",
                 *mass, *e_pot);
}

/* A note that is a number, if there is one. */
static enum hb_status scale_note(struct hb_particles *p, const char *key, double by)
{
  double number;
  const char *value = hb_particles_note(p, key);
  return value && hb_text_number(value, &number) == HB_OK
             ? hb_particles_print_note(p, key, "%.17g", by * number)
             : HB_OK;
}

static enum hb_status scale_eps(struct hb_particles *p, double length)
{
  double eps;
  HB_TRY(hb_particles_eps(p, &eps));
  return isnan(eps) ? HB_OK : hb_softening_note(p, length * eps);
}

/* All factors of a similar system with G = 1. */
static enum hb_status make_similar(struct hb_particles *p, double mass, double length)
{
  double time = length * sqrt(length / mass);
  for (size_t i = 0; i < p->n; i++) p->m[i] *= mass;
  hb_scale_by(p, length, sqrt(mass / length));
  p->t *= time;
  HB_TRY(scale_note(p, "initial_tidal_radius", length));
  HB_TRY(scale_eps(p, length));
  return scale_note(p, "dt", time);
}

static enum hb_status check(const char *what, double value)
{
  if (value == 0 || (isfinite(value) && value > 0)) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "the %s to scale to is %g, expected finite and > 0", what, value);
}

enum hb_status hb_scale_particles(struct hb_particles *p, const struct hb_scale *scale)
{
  double mass, radius = 1, e_pot, x[3], V[3], e_kin, e_bulk;
  if (!p || !scale) return hb_fail(HB_ERR_USAGE, "no %s to scale", p ? "values" : "particles");
  HB_TRY(check("mass", scale->mass));
  HB_TRY(check("virial radius", scale->radius));
  HB_TRY(check("virial ratio", scale->virial));
  HB_TRY(measure(p, &mass, &radius, &e_pot));
  double by_mass = scale->mass > 0 ? scale->mass / mass : 1,
         by_length = scale->radius > 0 ? scale->radius / radius : 1;
  hb_center_of_mass(p, x, V);
  hb_kinetic_energy_in(p, V, &e_kin, &e_bulk);
  if (scale->virial > 0 && !(e_kin > 0))
    return hb_fail(HB_ERR_INPUT, "the particles are at rest: no virial ratio but 0 can be reached");
  HB_TRY(make_similar(p, by_mass, by_length));
  if (scale->virial == 0) return HB_OK;
  double more = sqrt(scale->virial * -e_pot / e_kin) - 1, similar = sqrt(by_mass / by_length);
  for (size_t k = 0; k < 3 * p->n; k++) p->v[k] += more * (p->v[k] - similar * V[k % 3]);
  return HB_OK;
}

enum hb_status hb_scale_to_standard(struct hb_particles *p)
{
  struct hb_units units;
  double mass, radius = 1, e_pot;
  int are_known;
  HB_TRY(hb_units_get(p, &units, &are_known));
  HB_TRY(measure(p, &mass, &radius, &e_pot));
  HB_TRY(make_similar(p, 1 / mass, 1 / radius));
  hb_center_at_rest(p);
  if (!are_known) return HB_OK;
  return hb_units_set(p, &(struct hb_units){.mass = units.mass * mass, .length = units.length * radius});
}

enum hb_status hb_scale_from_astro(struct hb_particles *p)
{
  struct hb_units units = {.mass = 1, .length = 1};
  if (hb_particles_note(p, "units")) return hb_fail(HB_ERR_INPUT, "the particles have units already");
  HB_TRY(hb_units_complete(&units));
  hb_scale_by(p, 1, 1 / hb_units_velocity(&units));
  p->t /= units.time;
  return hb_units_set(p, &units);
}

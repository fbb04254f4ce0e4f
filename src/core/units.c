#include "core/units.h"

#include "base/elementary.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>

static const char key[] = "units", form[] = "mass_msun=%.17g length_pc=%.17g";

double hb_units_g(void)
{
  return hb_units_gm_sun * hb_units_myr * hb_units_myr / (hb_units_pc * hb_units_pc * hb_units_pc);
}

double hb_units_velocity(const struct hb_units *units)
{
  return units->length / units->time * (hb_units_pc / hb_units_myr * 1e-3);
}

static enum hb_status check(const char *what, double value)
{
  if (value == 0 || (isfinite(value) && value > 0)) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "the unit of %s is %g, expected finite and > 0", what, value);
}

/* G M T^2 = L^3 */
enum hb_status hb_units_complete(struct hb_units *u)
{
  double g = hb_units_g();
  int missing = (u->mass == 0) + (u->length == 0) + (u->time == 0);
  HB_TRY(check("mass", u->mass));
  HB_TRY(check("length", u->length));
  HB_TRY(check("time", u->time));
  if (missing > 1) return hb_fail(HB_ERR_USAGE, "units need two of mass, length and time");
  if (u->mass == 0) u->mass = u->length * u->length * u->length / (g * u->time * u->time);
  if (u->length == 0) u->length = hb_elementary_power(g * u->mass * u->time * u->time, 1.0 / 3);
  if (u->time == 0) u->time = sqrt(u->length * u->length * u->length / (g * u->mass));
  double one = g * u->mass * u->time * u->time / (u->length * u->length * u->length);
  if (!(fabs(one - 1) < 1e-9))
    return hb_fail(HB_ERR_USAGE,
                   "units of %.9g Msun, %.9g pc and %.9g Myr make G = %.9g, expected 1: give two of them",
                   u->mass, u->length, u->time, one);
  return HB_OK;
}

enum hb_status hb_units_set(struct hb_particles *particles, const struct hb_units *units)
{
  struct hb_units u = *units;
  HB_TRY(hb_units_complete(&u));
  return hb_particles_print_note(particles, key, form, u.mass, u.length);
}

enum hb_status hb_units_get(const struct hb_particles *particles, struct hb_units *units, int *are_known)
{
  HB_TEXT_IN_C;
  const char *note = hb_particles_note(particles, key);
  struct hb_units u = {0};
  int end = 0;
  *are_known = 0;
  if (!note) return HB_OK;
  int found = sscanf(note, "mass_msun=%lf length_pc=%lf%n", &u.mass, &u.length, &end);
  if (found != 2 || note[end] || !(u.mass > 0 && u.length > 0) || hb_units_complete(&u) != HB_OK)
    return hb_fail(HB_ERR_INPUT, "the note units is '%s', expected like mass_msun=1000 length_pc=1", note);
  *units = u;
  *are_known = 1;
  return HB_OK;
}

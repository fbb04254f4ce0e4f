/* Radii by a formula. */
#include "core/particles.h"

#include "base/elementary.h"
#include "base/text.h"
#include "core/dimension.h"
#include "core/units.h"

#include <math.h>
#include <string.h>

/* R or R*m^P. R is a number, or a length with a unit, of which "sun" is one: then in pc, and m is in solar masses. */
struct formula {
  double R, P;
  int is_astro;
};

static enum hb_status parse(const char *words, struct formula *f)
{
  const char *star = strchr(words, '*');
  size_t length = star ? (size_t)(star - words) : strlen(words);
  char R[64] = "";
  double unit = 0;
  *f = (struct formula){.R = hb_units_r_sun / hb_units_pc, .is_astro = 1};
  if (length < sizeof R) memcpy(R, words, length);
  int fits = strcmp(R, "sun") == 0;
  if (!fits) {
    fits = hb_dimension_read(HB_DIMENSION_LENGTH, R, &f->R, &unit) == HB_OK && f->R >= 0;
    f->is_astro = unit > 0;
  }
  if (star) fits &= strncmp(star, "*m^", 3) == 0 && hb_text_number(star + 3, &f->P) == HB_OK;
  return fits ? HB_OK
              : hb_fail(HB_ERR_USAGE,
                        "the radius '%s', expected a number like 1e-5, R*m^P like 1e-4*m^0.8, a length like "
                        "1AU in place of R, "
                        "or sun or sun*m^P, in solar radii and masses",
                        words);
}

enum hb_status hb_particles_set_radii(struct hb_particles *p, const char *words)
{
  HB_TEXT_IN_C;
  struct formula f;
  struct hb_units units = {.mass = 1};
  int are_known = 1;
  HB_TRY(parse(words, &f));
  if (f.is_astro) HB_TRY(hb_units_get(p, &units, &are_known));
  if (!are_known)
    return hb_fail(HB_ERR_USAGE, "radii in %s need units of mass and length",
                   strncmp(words, "sun", 3) == 0 ? "solar radii" : "pc or AU");
  HB_TRY(hb_particles_reserve_radius(p));
  if (f.is_astro) f.R /= units.length;
  for (size_t i = 0; i < p->n; i++) {
    double m = p->m[i] * units.mass;
    p->radius[i] = f.P == 0 ? f.R : m > 0 ? f.R * hb_elementary_power(m, f.P) : 0;
    if (!isfinite(p->radius[i]))
      return hb_fail(HB_ERR_USAGE, "the radius '%s' of particle %zu with mass %g is not finite", words, i,
                     p->m[i]);
  }
  return HB_OK;
}

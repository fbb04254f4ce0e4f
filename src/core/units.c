#include "core/units.h"

#include "base/elementary.h"
#include "base/text.h"
#include "core/particles.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char units_key[] = "units", form[] = "mass_msun=%.17g length_pc=%.17g";

/* G in pc^3 / (M_sun Myr^2), 0.0044985; in km^2 pc / (s^2 M_sun) it is 0.0043009. */
static double constant_of_gravity(void)
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
  double g = constant_of_gravity();
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
  return hb_particles_print_note(particles, units_key, form, u.mass, u.length);
}

enum hb_status hb_units_get(const struct hb_particles *particles, struct hb_units *units, int *are_known)
{
  HB_TEXT_IN_C;
  const char *note = hb_particles_note(particles, units_key);
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

/* ---- numbers in words ---- */

/* kpc before pc: the first that a word ends with counts. */
static const struct {
  const char *name;
  enum hb_dimension of;
  double unit;
} known[] = {{"Gyr", HB_DIMENSION_TIME, 1e3},   {"Myr", HB_DIMENSION_TIME, 1},
             {"kyr", HB_DIMENSION_TIME, 1e-3},  {"yr", HB_DIMENSION_TIME, 1e-6},
             {"kpc", HB_DIMENSION_LENGTH, 1e3}, {"pc", HB_DIMENSION_LENGTH, 1},
             {"AU", HB_DIMENSION_LENGTH, 0},    {"km/s", HB_DIMENSION_VELOCITY, 1},
             {"Msun", HB_DIMENSION_MASS, 1},    {"/Gyr", HB_DIMENSION_RATE, 1e-3},
             {"/Myr", HB_DIMENSION_RATE, 1},    {"km/s/kpc", HB_DIMENSION_RATE, 0}};

enum hb_dimension hb_dimension_split(const char *word, char number[64], double *unit)
{
  size_t length = strlen(word);
  *unit = 0;
  for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
    size_t tail = strlen(known[k].name), head = length - tail;
    if (length <= tail || head >= 64 || strcmp(word + head, known[k].name) != 0) continue;
    if (!isdigit((unsigned char)word[head - 1]) && word[head - 1] != '.') continue;
    memcpy(number, word, head);
    number[head] = 0;
    double other = known[k].of == HB_DIMENSION_LENGTH ? hb_units_au : hb_units_myr;
    *unit = known[k].unit > 0 ? known[k].unit : other / hb_units_pc;
    return known[k].of;
  }
  return HB_DIMENSION_NONE;
}

enum hb_status hb_dimension_read(enum hb_dimension of, const char *word, double *value, double *unit)
{
  static const char *const names[] = {"a plain number", "a time", "a length",
                                      "a velocity",     "a mass", "an angular speed"};
  char number[64];
  enum hb_dimension typed = hb_dimension_split(word, number, unit);
  if (*unit == 0) return hb_text_number(word, value);
  if (typed != of) return hb_fail(HB_ERR_USAGE, "'%s' is %s (expected %s)", word, names[typed], names[of]);
  HB_TRY(hb_text_number(number, value));
  *value *= *unit;
  return HB_OK;
}

double hb_dimension_unit(const struct hb_units *units, enum hb_dimension of)
{
  if (!units) return 0;
  if (of == HB_DIMENSION_VELOCITY) return units->time > 0 ? hb_units_velocity(units) : 0;
  if (of == HB_DIMENSION_RATE) return units->time > 0 ? 1 / units->time : 0;
  return of == HB_DIMENSION_TIME ? units->time : of == HB_DIMENSION_LENGTH ? units->length : units->mass;
}

/* Off by a bit or two it may be. */
double hb_dimension_divide(double value, double unit)
{
  char text[32];
  double number = value / unit;
  snprintf(text, sizeof text, "%.12g", number);
  double rounded = strtod(text, NULL);
  return fabs(rounded - number) <= 8 * DBL_EPSILON * fabs(number) ? rounded : number;
}

/* "'5Myr' has a unit, but the particles have none": HB_ERR_USAGE. */
static enum hb_status unknown_unit(const char *word)
{
  return hb_fail(
      HB_ERR_USAGE,
      "'%s' has a unit, but the particles have none (expected an N-body number, or particles with units)",
      word);
}

enum hb_status hb_units_number(const struct hb_units *units, enum hb_dimension of, const char *word,
                               double *number)
{
  HB_TEXT_IN_C;
  double value, typed, unit = hb_dimension_unit(units, of);
  HB_TRY(hb_dimension_read(of, word, &value, &typed));
  if (typed > 0 && unit == 0) return unknown_unit(word);
  *number = typed > 0 ? hb_dimension_divide(value, unit) : value;
  return HB_OK;
}

/* ---- the words of a field ------------------------------------------------------------------------------ */

static enum hb_dimension dimension_of(char key)
{
  static const char *const keys[] = {[HB_DIMENSION_MASS] = "m",
                                     [HB_DIMENSION_LENGTH] = "abrxyz",
                                     [HB_DIMENSION_VELOCITY] = "v",
                                     [HB_DIMENSION_RATE] = "wkn"};
  for (size_t d = 0; key && d < sizeof keys / sizeof *keys; d++)
    if (keys[d] && strchr(keys[d], key)) return (enum hb_dimension)d;
  return HB_DIMENSION_NONE;
}

/* The number behind a key. Other words stay as they are: hb_field_create refuses them. */
static enum hb_status divide(const struct hb_units *units, int is_astro, char key, const char *value,
                             char text[64])
{
  enum hb_dimension of = dimension_of(key);
  double number, typed, unit = hb_dimension_unit(units, of);
  enum hb_status status = hb_dimension_read(of, value, &number, &typed);
  snprintf(text, 64, "%s", value);
  if (status != HB_OK) return typed > 0 ? status : HB_OK;
  if (of == HB_DIMENSION_NONE || (typed == 0 && !is_astro)) return HB_OK;
  if (unit == 0) return unknown_unit(value);
  hb_text_shortest(hb_dimension_divide(number, unit), text);
  return HB_OK;
}

/* key=value, key=value, ... */
enum hb_status hb_dimension_field(const struct hb_units *units, int is_astro, const char *words, char *text,
                                  size_t size)
{
  size_t used = 0;
  if (size > 0) *text = 0;
  for (const char *word = words, *end; *word; word = end) {
    char value[64], divided[64];
    size_t head = strcspn(word, "=");
    end = word + head + (word[head] == '=');
    size_t span = word[head] ? strcspn(end, ", \t") : 0;
    if (used + head + 66 > size || span >= sizeof value)
      return hb_fail(HB_ERR_USAGE, "'%.40s...' is too long", word);
    snprintf(value, sizeof value, "%.*s", (int)span, end);
    char key = head == 0 ? 0 : head >= 5 && strncmp(word + head - 5, "omega", 5) == 0 ? 'w' : word[head - 1];
    HB_TRY(divide(units, is_astro, key, value, divided));
    used += (size_t)snprintf(text + used, size - used, "%.*s%s", (int)(end - word), word, divided);
    end += span;
  }
  return HB_OK;
}

enum hb_status hb_units_field(const struct hb_units *units, const char *words, char *text, size_t size)
{
  HB_TEXT_IN_C;
  return hb_dimension_field(units, 0, words, text, size);
}

/* ---- radii by a formula ---- */

/* R or R*m^P. R is a number, or a length with a unit, of which "sun" is one: then in pc, and m is in solar masses. */
struct formula {
  double R, P;
  int is_astro;
};

static enum hb_status parse_radius(const char *words, struct formula *f)
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
  HB_TRY(parse_radius(words, &f));
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

#include "core/dimension.h"

#include "base/text.h"
#include "core/field.h"
#include "core/units.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

enum hb_status hb_dimension_unknown(const char *word)
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
  if (typed > 0 && unit == 0) return hb_dimension_unknown(word);
  *number = typed > 0 ? hb_dimension_divide(value, unit) : value;
  return HB_OK;
}

/* ---- the words of a field ------------------------------------------------------------------------------ */

/* The number behind a key. Other words stay as they are: hb_field_create refuses them. */
static enum hb_status divide(const struct hb_units *units, int is_astro, char key, const char *value,
                             char text[64])
{
  enum hb_dimension of = hb_field_dimension(key);
  double number, typed, unit = hb_dimension_unit(units, of);
  enum hb_status status = hb_dimension_read(of, value, &number, &typed);
  snprintf(text, 64, "%s", value);
  if (status != HB_OK) return typed > 0 ? status : HB_OK;
  if (of == HB_DIMENSION_NONE || (typed == 0 && !is_astro)) return HB_OK;
  if (unit == 0) return hb_dimension_unknown(value);
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

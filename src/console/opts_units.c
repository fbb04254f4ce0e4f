/* Times, lengths, velocities and masses of the command line in units of astronomers: 5Myr, 0.1pc. A field holds them in Myr, pc,
 * km/s and solar masses until the units of the snapshot are known. */
#include "console/opts.h"

#include "core/units.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Whether a word, or one of its parts, has a unit. */
static int has_unit(const char *word)
{
  char part[64], number[64];
  double unit;
  for (; *word; word += strcspn(word, ","), word += *word == ',') {
    snprintf(part, sizeof part, "%.*s", (int)strcspn(word, ","), word);
    hb_opts_split_unit(part, number, &unit);
    if (unit > 0) return 1;
  }
  return 0;
}

int hb_opts_has_units(const struct hb_opts *opts, int is_astro)
{
  const struct hb_opts_option *option;
  for (size_t k = 0; (option = hb_opts_option_at(opts->command, k)); k++)
    if (option->of && opts->typed[k] && (is_astro || has_unit(opts->typed[k]))) return 1;
  return 0;
}

static double unit_of(const struct hb_units *units, enum hb_opts_quantity of)
{
  if (of == HB_OPTS_VELOCITY) return units->time > 0 ? hb_units_velocity(units) : 0;
  return of == HB_OPTS_TIME ? units->time : of == HB_OPTS_LENGTH ? units->length : units->mass;
}

/* A number times its unit, over its unit, may be off by a bit or two. */
static double tidy(double number)
{
  char text[32];
  snprintf(text, sizeof text, "%.12g", number);
  double rounded = strtod(text, NULL);
  return fabs(rounded - number) <= 8 * DBL_EPSILON * fabs(number) ? rounded : number;
}

/* The numbers of a field, and how they are typed. */
static void divide(const struct hb_opts_option *option, double unit, size_t count, double *numbers,
                   char typed[96])
{
  size_t used = 0;
  for (size_t k = 0; k < count; k++) {
    char text[32];
    numbers[k] = tidy(numbers[k] / unit);
    if (option->kind == HB_OPTS_POWER) numbers[k] = ldexp(1, ilogb(numbers[k]));
    hb_opts_shortest(numbers[k], text);
    used += (size_t)snprintf(typed + used, 96 - used, "%s%s", k ? "," : "", text);
  }
}

enum hb_status hb_opts_convert(struct hb_opts *opts, const void *field, const struct hb_units *units,
                               int is_astro)
{
  static char typed[HB_OPTS_MOST][96]; /* of the one command line that a process has */
  double *numbers;
  for (size_t k = 0; (numbers = hb_opts_field_at(opts, k)); k++) {
    const struct hb_opts_option *option = hb_opts_option_at(opts->command, k);
    const char *word = opts->typed[k];
    if (!option->of || !word || (field && numbers != field) || (!is_astro && !has_unit(word))) continue;
    double unit = unit_of(units, option->of);
    if (unit == 0)
      return hb_fail(
          HB_ERR_USAGE,
          "option --%s: '%s' has a unit, but the particles have none, see 'holmberg ic --help' and "
          "'holmberg scale --help'",
          option->name, word);
    divide(option, unit, option->kind == HB_OPTS_NUMBERS ? option->size / sizeof *numbers : 1, numbers,
           typed[k]);
    opts->typed[k] = typed[k];
  }
  return HB_OK;
}

const char *hb_opts_units_help(const struct hb_opts_command *command)
{
  const struct hb_opts_option *option;
  for (size_t k = 0; !command->has_no_units && (option = hb_opts_option_at(command, k)); k++)
    if (option->of)
      return "Where the snapshot says its units, times, lengths, velocities and masses may have one: 5Myr, "
             "3kyr, "
             "0.1pc, 200AU, 2km/s, 10Msun.";
  return NULL;
}

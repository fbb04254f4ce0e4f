/* Times, lengths, velocities and masses of the command line in units of astronomers: 5Myr, 0.1pc. A field holds them in Myr, pc,
 * km/s and solar masses until the units of the snapshot are known. */
#include "console/opts.h"

#include "base/text.h"
#include "core/field.h"
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
  static const char ends[] = ", =";
  for (; *word; word += strcspn(word, ends), word += *word != 0) {
    snprintf(part, sizeof part, "%.*s", (int)strcspn(word, ends), word);
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

/* Whether --units astro was typed. */
static int asks_for_astro(const struct hb_opts *opts)
{
  const struct hb_opts_option *option;
  for (size_t k = 0; (option = hb_opts_option_at(opts->command, k)); k++)
    if (strcmp(option->name, "units") == 0 && opts->typed[k]) return strcmp(opts->typed[k], "astro") == 0;
  return 0;
}

enum hb_status hb_opts_check_powers(const struct hb_opts *opts)
{
  const struct hb_opts_option *option;
  for (size_t k = 0; (option = hb_opts_option_at(opts->command, k)); k++) {
    const char *word = opts->typed[k];
    if (option->kind != HB_OPTS_POWER || !word || has_unit(word) || asks_for_astro(opts)) continue;
    char context[80];
    snprintf(context, sizeof context, "option --%s", option->name);
    enum hb_status status = hb_opts_check_power(word, *(const double *)hb_opts_field_at(opts, k));
    if (status != HB_OK) return hb_fail_in(status, context);
  }
  return HB_OK;
}

static double unit_of(const struct hb_units *units, enum hb_opts_quantity of)
{
  if (of == HB_OPTS_VELOCITY) return units->time > 0 ? hb_units_velocity(units) : 0;
  if (of == HB_OPTS_RATE) return units->time > 0 ? 1 / units->time : 0;
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

static enum hb_status have_none(const struct hb_opts_option *option, const char *word)
{
  return hb_fail(HB_ERR_USAGE,
                 "option --%s: '%s' has a unit, but the particles have none, see 'holmberg ic --help' and "
                 "'holmberg scale --help'",
                 option->name, word);
}

static enum hb_opts_quantity of_key(char key)
{
  switch (hb_field_quantity(key)) {
  case HB_FIELD_MASS:
    return HB_OPTS_MASS;
  case HB_FIELD_LENGTH:
    return HB_OPTS_LENGTH;
  case HB_FIELD_VELOCITY:
    return HB_OPTS_VELOCITY;
  case HB_FIELD_RATE:
    return HB_OPTS_RATE;
  default:
    return HB_OPTS_PLAIN;
  }
}

/* The number behind a key. What is no number, or of no key, stays as it is: hb_field_create will say so. */
static enum hb_status divide_value(const struct hb_opts_option *option, char key, const char *value,
                                   const struct hb_units *units, int is_astro, char text[64])
{
  double number, astro, unit;
  enum hb_opts_quantity of = of_key(key);
  enum hb_status status = hb_opts_read_quantity(of, value, &number, &astro);
  snprintf(text, 64, "%s", value);
  if (status != HB_OK && astro == 0) return HB_OK;
  if (status != HB_OK) return hb_fail(status, "option --%s: %s", option->name, hb_error());
  if (of == HB_OPTS_PLAIN || (astro == 0 && !is_astro)) return HB_OK;
  if ((unit = unit_of(units, of)) == 0) return have_none(option, value);
  hb_opts_shortest(tidy(number / unit), text);
  return HB_OK;
}

/* --field: key=value, key=value, ... */
static enum hb_status divide_words(const struct hb_opts_option *option, const struct hb_units *units,
                                   int is_astro, const char **words)
{
  static char divided[4096]; /* of the one command line that a process has */
  size_t used = 0;
  for (const char *word = *words, *end; *word; word = end) {
    char value[64], text[64];
    size_t head = strcspn(word, "=");
    end = word + head + (word[head] == '=');
    size_t span = word[head] ? strcspn(end, ", \t") : 0;
    if (used + head + 66 > sizeof divided || span >= sizeof value)
      return hb_fail(HB_ERR_USAGE, "option --%s: '%.40s...' is too long", option->name, word);
    snprintf(value, sizeof value, "%.*s", (int)span, end);
    char key = head == 0 ? 0 : head >= 5 && strncmp(word + head - 5, "omega", 5) == 0 ? 'w' : word[head - 1];
    HB_TRY(divide_value(option, key, value, units, is_astro, text));
    used += (size_t)snprintf(divided + used, sizeof divided - used, "%.*s%s", (int)(end - word), word, text);
    end += span;
  }
  *words = divided;
  return HB_OK;
}

enum hb_status hb_opts_convert(struct hb_opts *opts, const void *field, const struct hb_units *units,
                               int is_astro)
{
  static char typed[HB_OPTS_MOST][96]; /* of the one command line that a process has */
  void *numbers;
  for (size_t k = 0; (numbers = hb_opts_field_at(opts, k)); k++) {
    const struct hb_opts_option *option = hb_opts_option_at(opts->command, k);
    const char *word = opts->typed[k];
    if (!option->of || !word || (field && numbers != field) || (!is_astro && !has_unit(word))) continue;
    if (option->of == HB_OPTS_FIELD_WORDS) {
      HB_TRY(divide_words(option, units, is_astro, numbers));
      opts->typed[k] = *(const char **)numbers;
      continue;
    }
    double unit = unit_of(units, option->of);
    if (unit == 0) return have_none(option, word);
    divide(option, unit, option->kind == HB_OPTS_NUMBERS ? option->size / sizeof(double) : 1, numbers,
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
             "0.1pc, 200AU, 2km/s, 10Msun, in --field also 0.03/Myr, 30km/s/kpc.";
  return NULL;
}

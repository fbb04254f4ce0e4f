/* Times, lengths, velocities and masses of the command line in units of astronomers: 5Myr, 0.1pc. A field holds them in Myr, pc,
 * km/s and solar masses until the units of the snapshot are known. */
#include "console/opts.h"

#include "base/text.h"
#include "core/dimension.h"

#include <math.h>
#include <string.h>

/* Whether a word, or one of its parts, has a unit. */
static int has_unit(const char *word)
{
  char part[64], number[64];
  double unit;
  static const char ends[] = ", =";
  for (; *word; word += strcspn(word, ends), word += *word != 0) {
    snprintf(part, sizeof part, "%.*s", (int)strcspn(word, ends), word);
    hb_dimension_split(part, number, &unit);
    if (unit > 0) return 1;
  }
  return 0;
}

int hb_opts_has_units(const struct hb_opts *opts, int is_astro)
{
  const struct hb_opts_option *option;
  for (size_t k = 0; (option = hb_opts_option_at(opts->command, k)); k++)
    if (option->of && !option->is_astro && opts->typed[k] && (is_astro || has_unit(opts->typed[k]))) return 1;
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

enum { TYPED = 256 }; /* characters that a field's numbers take */

static size_t count_of(const struct hb_opts_option *option, const char *word)
{
  size_t count = 1;
  for (; option->kind == HB_OPTS_NUMBERS && *word; word++) count += *word == ',';
  return count;
}

/* The numbers of a field, and how they are typed. */
static void divide(const struct hb_opts_option *option, double unit, size_t count, double *numbers,
                   char typed[TYPED])
{
  size_t used = 0;
  for (size_t k = 0; k < count; k++) {
    char text[32];
    numbers[k] = hb_dimension_divide(numbers[k], unit);
    if (option->kind == HB_OPTS_POWER) numbers[k] = ldexp(1, ilogb(numbers[k]));
    hb_text_shortest(numbers[k], text);
    used += (size_t)snprintf(typed + used, TYPED - used, "%s%s", k ? "," : "", text);
  }
}

static enum hb_status have_none(const struct hb_opts_option *option, const char *word)
{
  return hb_fail(HB_ERR_USAGE,
                 "option --%s: '%s' has a unit, but the particles have none, see 'holmberg ic --help' and "
                 "'holmberg scale --help'",
                 option->name, word);
}

/* --field: its words. */
static enum hb_status divide_words(const struct hb_opts_option *option, const struct hb_units *units,
                                   int is_astro, const char **words)
{
  static char divided[4096]; /* of the one command line that a process has */
  char context[80];
  enum hb_status status = hb_dimension_field(units, is_astro, *words, divided, sizeof divided);
  *words = divided;
  snprintf(context, sizeof context, "option --%s", option->name);
  return status == HB_OK ? HB_OK : hb_fail_in(status, context);
}

enum hb_status hb_opts_convert(struct hb_opts *opts, const void *field, const struct hb_units *units,
                               int is_astro)
{
  static char typed[HB_OPTS_MOST][TYPED]; /* of the one command line that a process has */
  void *numbers;
  for (size_t k = 0; (numbers = hb_opts_field_at(opts, k)); k++) {
    const struct hb_opts_option *option = hb_opts_option_at(opts->command, k);
    const char *word = opts->typed[k];
    if (!option->of || option->is_astro || !word || (field && numbers != field) ||
        (!is_astro && !has_unit(word)))
      continue;
    if (option->of == HB_OPTS_FIELD_WORDS) {
      HB_TRY(divide_words(option, units, is_astro, numbers));
      opts->typed[k] = *(const char **)numbers;
      continue;
    }
    double unit = hb_dimension_unit(units, (enum hb_dimension)option->of);
    if (unit == 0) return have_none(option, word);
    if (option->nbody > 0) unit *= option->nbody;
    divide(option, unit, count_of(option, word), numbers, typed[k]);
    opts->typed[k] = typed[k];
  }
  return HB_OK;
}

const char *hb_opts_units_help(const struct hb_opts_command *command)
{
  const struct hb_opts_option *option;
  for (size_t k = 0; !command->has_no_units && (option = hb_opts_option_at(command, k)); k++)
    if (option->of)
      return "Where the snapshot states its units, times, lengths, velocities and masses may have one: 5Myr, "
             "3kyr, 0.1pc, 200AU, 2km/s, 10Msun. Numbers of --field may be 0.03/Myr or 30km/s/kpc, too.";
  return NULL;
}

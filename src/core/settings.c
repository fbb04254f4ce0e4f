#include "core/settings.h"

#include "base/text.h"
#include "core/units.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- one value, read into its field ------------------------------------------------------------------ */

static enum hb_status out_of_range(const char *word, const char *expected)
{
  return hb_fail(HB_ERR_USAGE, "'%s' is out of range (expected %s)", word, expected);
}

/* Whether number is within the row's bounds. */
static enum hb_status check_bounds(const struct hb_setting *option, const char *word, double number)
{
  if (option->least > 0 && number < option->least)
    return hb_fail(HB_ERR_USAGE, "'%s' is out of range (expected at least %.10g)", word, option->least);
  if (option->most > 0 && number > option->most)
    return hb_fail(HB_ERR_USAGE, "'%s' is out of range (expected at most %.10g)", word, option->most);
  return HB_OK;
}

static enum hb_status check_power(const char *word, double value)
{
  int exponent;
  if (value > 0 && frexp(value, &exponent) == 0.5) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "'%s' is not a power of two (expected like 1/8 or 2^-26)", word);
}

static enum hb_status read_number(const struct hb_setting *option, const char *word, double *number)
{
  enum hb_setting_kind kind = option->kind;
  int is_none = kind == HB_SETTING_BOUND && strcmp(word, "none") == 0;
  double value = INFINITY, unit = 0;
  if (!is_none) HB_TRY(hb_dimension_read((enum hb_dimension)option->of, word, &value, &unit));
  if (option->of && kind == HB_SETTING_POWER)
    kind = HB_SETTING_POSITIVE; /* hb_opts_check_powers, once --units is known */
  if (kind == HB_SETTING_NOT_NEGATIVE && value < 0) return out_of_range(word, "a number >= 0");
  if (kind == HB_SETTING_POSITIVE && value <= 0) return out_of_range(word, "a number > 0");
  if (kind == HB_SETTING_BOUND && value <= 0) return out_of_range(word, "a number > 0, or none");
  if (kind == HB_SETTING_POWER) HB_TRY(check_power(word, value));
  HB_TRY(check_bounds(option, word, value));
  *number = option->unit != 0 ? option->unit * value : value;
  return HB_OK;
}

static enum hb_status read_count(const struct hb_setting *option, const char *word, void *field)
{
  uint64_t count;
  HB_TRY(hb_text_count(word, &count));
  if (option->kind == HB_SETTING_COUNT && count == 0) return out_of_range(word, "a whole number >= 1");
  HB_TRY(check_bounds(option, word, (double)count));
  if (option->size == sizeof(int) && count > INT_MAX) return out_of_range(word, "a whole number below 2^31");
  if (option->size == sizeof(int))
    *(int *)field = (int)count;
  else
    *(uint64_t *)field = count;
  return HB_OK;
}

static enum hb_status read_auto_count(const struct hb_setting *option, const char *word, int *field)
{
  uint64_t count = 0;
  int is_auto = strcmp(word, "auto") == 0, is_count = is_auto || hb_text_count(word, &count) == HB_OK;
  if (!is_count || (count > 0 && ((double)count < option->least || (double)count > option->most)))
    return hb_fail(HB_ERR_USAGE, "'%s' is out of range (expected auto, 0 for none, or %.10g to %.10g)", word,
                   option->least, option->most);
  *field = is_auto ? 0 : count == 0 ? -1 : (int)count;
  return HB_OK;
}

static enum hb_status read_counts(const struct hb_setting *option, const char *word, struct hb_counts *counts)
{
  struct hb_list list;
  HB_TRY(hb_list_split(word, ",", &list));
  for (size_t k = 0; k < list.count; k++) {
    uint64_t n;
    HB_TRY(hb_text_count(list.words[k], &n));
    HB_TRY(check_bounds(option, list.words[k], (double)n));
    counts->n[k] = n;
  }
  counts->count = list.count;
  return HB_OK;
}

static enum hb_status read_numbers(const struct hb_setting *option, const char *word, double *numbers)
{
  struct hb_list list;
  size_t most = option->size / sizeof *numbers, least = option->least > 0 ? (size_t)option->least : most;
  int is_good = hb_list_split(word, ",", &list) == HB_OK && list.count >= least && list.count <= most;
  int with = 0, without = 0;
  for (size_t k = 0; is_good && k < list.count; k++) {
    double unit = 0;
    enum hb_status status =
        hb_dimension_read((enum hb_dimension)option->of, list.words[k], &numbers[k], &unit);
    if (status != HB_OK && unit > 0) return status; /* says what it measures */
    is_good = status == HB_OK;
    if (is_good && numbers[k] != 0) with += unit > 0, without += unit == 0;
  }
  if (is_good && with && without)
    return hb_fail(HB_ERR_USAGE, "'%s' has numbers with and without a unit (expected one or the other)",
                   word);
  return is_good ? HB_OK : hb_fail(HB_ERR_USAGE, "'%s' is not valid (expected %s)", word, option->metavar);
}

static enum hb_status read_pixels(const struct hb_setting *option, const char *word, int size[2])
{
  char *end;
  int least = (int)fmax(option->least, 1), most = (int)option->most;
  long w = strtol(word, &end, 10), h = *end == 'x' ? strtol(end + 1, &end, 10) : 0;
  if (*end || w < least || h < least || w > most || h > most)
    return hb_fail(HB_ERR_USAGE, "'%s' is not a size (expected WIDTHxHEIGHT like 1920x1080, each %d to %d)",
                   word, least, most);
  size[0] = (int)w;
  size[1] = (int)h;
  return HB_OK;
}

static enum hb_status read_words(const struct hb_setting *option, const char *word, struct hb_list *list)
{
  HB_TRY(hb_list_split(word, ",", list));
  int is_any = !option->words.array && !option->words.at;
  for (size_t k = 0; !is_any && k < list->count; k++)
    if (hb_words_find(option->words, list->words[k]) < 0)
      return hb_words_unknown(option->words, list->words[k]);
  return HB_OK;
}

static enum hb_status read_word(const struct hb_setting *option, const char *word, void *field)
{
  int k = hb_words_find(option->words, word);
  if (k < 0) return hb_words_unknown(option->words, word);
  if (option->kind == HB_SETTING_CHOICE)
    *(int *)field = k;
  else
    *(const char **)field = hb_words_at(option->words, (size_t)k);
  return HB_OK;
}

/* 30s, 10min, 2h */
static enum hb_status read_duration(const char *word, double *seconds)
{
  static const struct {
    const char *name;
    double seconds;
  } units[] = {{"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86400}};
  size_t length = strlen(word);
  for (size_t k = 0; k < sizeof units / sizeof *units; k++) {
    char number[64];
    size_t tail = strlen(units[k].name);
    if (length < tail || length >= sizeof number || strcmp(word + length - tail, units[k].name) != 0)
      continue;
    snprintf(number, sizeof number, "%.*s", (int)(length - tail), word);
    double value;
    if (hb_text_number(number, &value) != HB_OK || value < 0) continue;
    *seconds = value * units[k].seconds;
    return HB_OK;
  }
  return hb_fail(HB_ERR_USAGE, "'%s' is not a duration (expected like 30s, 10min or 2h)", word);
}

enum hb_status hb_setting_read(const struct hb_setting *option, const char *word, void *field)
{
  switch (option->kind) {
  case HB_SETTING_FLAG:
    *(unsigned *)field |= option->bit ? option->bit : 1;
    return HB_OK;
  case HB_SETTING_TEXT:
    if (!*word) return hb_fail(HB_ERR_USAGE, "the value is empty (expected %s)", option->metavar);
    *(const char **)field = word;
    return HB_OK;
  case HB_SETTING_WORD:
  case HB_SETTING_CHOICE:
    return read_word(option, word, field);
  case HB_SETTING_DURATION:
    return read_duration(word, field);
  case HB_SETTING_WHOLE:
  case HB_SETTING_COUNT:
    return read_count(option, word, field);
  case HB_SETTING_AUTO_COUNT:
    return read_auto_count(option, word, field);
  case HB_SETTING_NUMBERS:
    return read_numbers(option, word, field);
  case HB_SETTING_PIXELS:
    return read_pixels(option, word, field);
  case HB_SETTING_COUNTS:
    return read_counts(option, word, field);
  case HB_SETTING_WORDS:
    return read_words(option, word, field);
  default:
    return read_number(option, word, field);
  }
}

/* ---- a field as a word --------------------------------------------------------------------------------- */

const char *hb_setting_param(const struct hb_setting *option, char name[HB_SETTING_NAME])
{
  snprintf(name, HB_SETTING_NAME, "%s", option->param ? option->param : option->name);
  for (char *c = name; *c; c++)
    if (*c == '-') *c = '_';
  return name;
}

/* ---- all fields of a struct ---------------------------------------------------------------------------- */

const struct hb_setting *hb_setting_at(const struct hb_setting *const *tables, size_t k)
{
  for (; *tables; tables++)
    for (const struct hb_setting *option = *tables; option->name; option++)
      if (k-- == 0) return option;
  return NULL;
}

const struct hb_setting *hb_setting_find(const struct hb_setting *const *tables, const char *param)
{
  const struct hb_setting *option;
  char name[HB_SETTING_NAME];
  for (size_t k = 0; (option = hb_setting_at(tables, k)); k++)
    if (strcmp(hb_setting_param(option, name), param) == 0) return option;
  return NULL;
}

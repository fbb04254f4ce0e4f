#include "console/opts.h"

#include "base/log.h"
#include "console/terminal.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- nearest match ----------------------------------------------------------------------------------- */

/* The word that was probably meant by another one; best stays NULL when none is near enough. */
struct near {
  const char *word, *best;
  size_t least;
};

static struct near near_to(const char *word) { return (struct near){word, NULL, 2 + strlen(word) / 4}; }

static void near_try(struct near *near, const char *candidate)
{
  size_t distance = hb_text_distance(near->word, candidate);
  if (distance >= near->least || distance >= strlen(candidate)) return;
  near->least = distance;
  near->best = candidate;
}

enum { WORDS_LENGTH = 512 };

/* "a, b, c" */
static const char *all_words(const char *(*choice)(size_t k), char all[WORDS_LENGTH])
{
  *all = 0;
  for (size_t k = 0; choice(k) && strlen(all) + strlen(choice(k)) + 3 < WORDS_LENGTH; k++) {
    if (k) strcat(all, ", ");
    strcat(all, choice(k));
  }
  return all;
}

enum hb_status hb_opts_unknown(const char *what, const char *word, const char *(*choice)(size_t k))
{
  struct near near = near_to(word);
  for (size_t k = 0; choice(k); k++) near_try(&near, choice(k));
  if (near.best) return hb_fail(HB_ERR_USAGE, "unknown %s '%s'; did you mean '%s'?", what, word, near.best);
  char all[WORDS_LENGTH];
  return hb_fail(HB_ERR_USAGE, "unknown %s '%s' (expected one of %s)", what, word, all_words(choice, all));
}

/* ---- the table, with the options that every command has behind it ------------------------------------ */

static const char *color_choice(size_t k)
{
  static const char *const words[] = {"auto", "always", "never", NULL};
  return words[k];
}

enum { COMMON_VERBOSE, COMMON_COLOR, COMMON_HELP, COMMON_VERSION, COMMON_COUNT };

static const struct hb_opts_option common[COMMON_COUNT] = {
    [COMMON_VERBOSE] = {"verbose", 0, HB_OPTS_FLAG, HB_OPTS_SHOWS_RESULT, NULL, NULL, NULL,
                        "say on standard error what is opened and chosen"},
    [COMMON_COLOR] = {"color", 0, HB_OPTS_CHOICE, HB_OPTS_SHOWS_RESULT, "WHEN", "auto", color_choice,
                      "colour on standard error: auto (a terminal, and NO_COLOR not set), always, never"},
    [COMMON_HELP] = {"help", 'h', HB_OPTS_FLAG, HB_OPTS_SHOWS_RESULT, NULL, NULL, NULL,
                     "print this and stop"},
    [COMMON_VERSION] = {"version", 'v', HB_OPTS_FLAG, HB_OPTS_SHOWS_RESULT, NULL, NULL, NULL,
                        "print the version and stop"},
};

size_t hb_opts_count(const struct hb_opts_command *command)
{
  return command->option_count + command->borrowed_count;
}

const struct hb_opts_option *hb_opts_option_at(const struct hb_opts_command *command, size_t k)
{
  if (k < command->option_count) return &command->options[k];
  k -= command->option_count;
  if (k < command->borrowed_count) return command->borrowed[k];
  k -= command->borrowed_count;
  return k < COMMON_COUNT ? &common[k] : NULL;
}

/* "--t-end", or with its letter as people know it: "-o". */
static void spell(const struct hb_opts_option *option, char text[64])
{
  if (option->letter && option->kind != HB_OPTS_FLAG)
    snprintf(text, 64, "-%c", option->letter);
  else
    snprintf(text, 64, "--%s", option->name);
}

/* ---- values ------------------------------------------------------------------------------------------ */

static enum hb_status out_of_range(const char *word, const char *expected)
{
  return hb_fail(HB_ERR_USAGE, "'%s' is out of range (expected %s)", word, expected);
}

static enum hb_status read_number(enum hb_opts_kind kind, const char *word, double *number)
{
  int is_none = kind == HB_OPTS_BOUND && strcmp(word, "none") == 0, exponent;
  *number = INFINITY;
  if (!is_none) HB_TRY(hb_text_number(word, number));
  if (kind == HB_OPTS_NOT_NEGATIVE && *number < 0) return out_of_range(word, "a number >= 0");
  if (kind == HB_OPTS_POSITIVE && *number <= 0) return out_of_range(word, "a number > 0");
  if (kind == HB_OPTS_BOUND && *number <= 0) return out_of_range(word, "a number > 0, or none");
  if (kind == HB_OPTS_POWER && (*number <= 0 || frexp(*number, &exponent) != 0.5))
    return hb_fail(HB_ERR_USAGE, "'%s' is not a power of two (expected like 1/8 or 2^-26)", word);
  return HB_OK;
}

static enum hb_status read_value(const struct hb_opts_option *option, const char *word,
                                 struct hb_opts_value *value)
{
  enum hb_status status = HB_OK;
  switch (option->kind) {
  case HB_OPTS_FLAG:
  case HB_OPTS_TEXT:
    if (!*word) status = hb_fail(HB_ERR_USAGE, "the value is empty (expected %s)", option->metavar);
    break;
  case HB_OPTS_CHOICE: {
    size_t k = 0;
    while (option->choice(k) && strcmp(option->choice(k), word) != 0) k++;
    if (!option->choice(k)) status = hb_opts_unknown("value", word, option->choice);
    break;
  }
  case HB_OPTS_DURATION:
    status = hb_text_duration(word, &value->number);
    break;
  case HB_OPTS_WHOLE:
  case HB_OPTS_COUNT:
    status = hb_text_count(word, &value->count);
    if (status == HB_OK && option->kind == HB_OPTS_COUNT && value->count == 0)
      status = out_of_range(word, "a whole number >= 1");
    break;
  default:
    status = read_number(option->kind, word, &value->number);
  }
  value->text = word;
  if (status == HB_OK) return HB_OK;
  char context[80], name[64];
  spell(option, name);
  snprintf(context, sizeof context, "option %s", name);
  return hb_fail_in(status, context);
}

/* ---- parsing ----------------------------------------------------------------------------------------- */

struct reader {
  const struct hb_opts_command *command;
  char **words;
  int count, next;
  struct hb_opts_value *values;
};

/* Dashes do not count: -eta and -e mean --eta and --e. */
static enum hb_status unknown_option(const struct hb_opts_command *command, const char *word)
{
  int length = (int)strcspn(word, "=");
  char name[64];
  snprintf(name, sizeof name, "%.*s", length - (int)strspn(word, "-"), word + strspn(word, "-"));
  struct near near = near_to(name);
  for (size_t k = 0; hb_opts_option_at(command, k); k++) near_try(&near, hb_opts_option_at(command, k)->name);
  if (!near.best) return hb_fail(HB_ERR_USAGE, "unknown option '%.*s'", length, word);
  return hb_fail(HB_ERR_USAGE, "unknown option '%.*s'; did you mean '--%s'?", length, word, near.best);
}

/* The option that word names and, when word holds it, its value. */
static enum hb_status find_option(const struct reader *reader, const char *word, size_t *found,
                                  const char **attached)
{
  const struct hb_opts_command *command = reader->command;
  int is_long = word[1] == '-';
  const char *name = word + 1 + is_long;
  size_t length = is_long ? strcspn(name, "=") : 1;
  for (size_t k = 0; hb_opts_option_at(command, k); k++) {
    const struct hb_opts_option *option = hb_opts_option_at(command, k);
    int same = is_long ? strlen(option->name) == length && strncmp(option->name, name, length) == 0
                       : option->letter == *name;
    if (!same) continue;
    *found = k;
    *attached = name[length] ? name + length + (name[length] == '=') : NULL;
    return HB_OK;
  }
  return unknown_option(command, word);
}

/* A word such as --eps or -o where a value is due means that the value was forgotten; -0.5 does not. */
static int looks_like_option(const char *word)
{
  return word[0] == '-' && (word[1] == '-' || isalpha((unsigned char)word[1]));
}

static enum hb_status read_option(struct reader *reader, const char *word)
{
  size_t k = 0;
  const char *value = NULL;
  HB_TRY(find_option(reader, word, &k, &value));
  const struct hb_opts_option *option = hb_opts_option_at(reader->command, k);
  char name[64];
  spell(option, name);
  reader->values[k].given = 1;
  if (option->kind == HB_OPTS_FLAG) {
    if (value) return hb_fail(HB_ERR_USAGE, "option %s takes no value, but got '%s'", name, value);
    reader->values[k].text = "yes";
    return HB_OK;
  }
  if (!value) {
    if (reader->next == reader->count || looks_like_option(reader->words[reader->next]))
      return hb_fail(HB_ERR_USAGE, "option %s needs a value (%s)", name, option->metavar);
    value = reader->words[reader->next++];
  }
  return read_value(option, value, &reader->values[k]);
}

static enum hb_status check_operands(const struct hb_opts *opts)
{
  const struct hb_opts_command *command = opts->command;
  char all[WORDS_LENGTH];
  if (opts->operand_count < command->operand_min && command->operand_choice)
    return hb_fail(HB_ERR_USAGE, "'holmberg %s' needs a %s (one of %s)", command->name, command->operand,
                   all_words(command->operand_choice, all));
  if (opts->operand_count < command->operand_min)
    return hb_fail(HB_ERR_USAGE, "'holmberg %s' needs a %s", command->name, command->operand);
  if (opts->operand_count <= command->operand_max) return HB_OK;
  const char *extra = opts->operands[command->operand_max];
  if (!command->operand)
    return hb_fail(HB_ERR_USAGE, "'holmberg %s' takes options only, but got '%s'", command->name, extra);
  return hb_fail(HB_ERR_USAGE, "'holmberg %s' takes one %s, but got '%s' and '%s'", command->name,
                 command->operand, opts->operands[0], extra);
}

enum hb_opts_question hb_opts_question_of(const char *word)
{
  if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) return HB_OPTS_HELP;
  return strcmp(word, "--version") == 0 || strcmp(word, "-v") == 0 ? HB_OPTS_VERSION : HB_OPTS_NOTHING_ASKED;
}

static enum hb_opts_question first_question(int count, char **words)
{
  enum hb_opts_question asked = HB_OPTS_NOTHING_ASKED;
  for (int k = 0; k < count && !asked && strcmp(words[k], "--") != 0; k++)
    asked = hb_opts_question_of(words[k]);
  return asked;
}

enum hb_status hb_opts_parse(const struct hb_opts_command *command, int count, char **words,
                             const char **operands, struct hb_opts *opts, enum hb_opts_question *asked)
{
  struct hb_opts_value values[HB_OPTS_MOST + COMMON_COUNT] = {{0}};
  struct reader reader = {command, words, count, 0, values};
  *opts = (struct hb_opts){.command = command, .operands = operands};
  *asked = first_question(count, words);
  if (*asked) return HB_OK;
  for (size_t k = 0; hb_opts_option_at(command, k); k++)
    if (hb_opts_option_at(command, k)->fallback)
      HB_TRY(read_value(hb_opts_option_at(command, k), hb_opts_option_at(command, k)->fallback, &values[k]));
  int options_ended = 0;
  while (reader.next < count) {
    const char *word = words[reader.next++];
    if (options_ended || word[0] != '-' || !word[1])
      operands[opts->operand_count++] = word;
    else if (strcmp(word, "--") == 0)
      options_ended = 1;
    else
      HB_TRY(read_option(&reader, word));
  }
  memcpy(opts->values, values, hb_opts_count(command) * sizeof *values);
  const struct hb_opts_value *color = &values[hb_opts_count(command) + COMMON_COLOR];
  if (color->given) hb_terminal_set_color(color->text);
  if (values[hb_opts_count(command) + COMMON_VERBOSE].given) hb_log_set_sink(hb_terminal_note);
  return check_operands(opts);
}

enum hb_status hb_opts_check_most(const struct hb_opts *opts, size_t k, double most)
{
  const struct hb_opts_value *value = &opts->values[k];
  if (fmax(value->number, (double)value->count) <= most) return HB_OK;
  char name[64];
  spell(hb_opts_option_at(opts->command, k), name);
  return hb_fail(HB_ERR_USAGE, "option %s: '%s' is out of range (expected at most %.10g)", name, value->text,
                 most);
}

/* ---- the record -------------------------------------------------------------------------------------- */

void hb_opts_shortest(double number, char text[32])
{
  for (int digits = 6; digits <= 17; digits++) {
    snprintf(text, 32, "%.*g", digits, number);
    if (strtod(text, NULL) == number) return;
  }
}

static enum hb_status append_quoted(struct hb_text *line, const char *word)
{
  static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./^=+,:@%";
  if (*word && word[strspn(word, plain)] == 0) return hb_text_append(line, " %s", word);
  HB_TRY(hb_text_append(line, " '"));
  for (; *word; word++) {
    if (*word == '\'')
      HB_TRY(hb_text_append(line, "'\\''"));
    else
      HB_TRY(hb_text_append_bytes(line, word, 1));
  }
  return hb_text_append(line, "'");
}

enum hb_status hb_opts_line(const struct hb_opts *opts, struct hb_text *line)
{
  const struct hb_opts_command *command = opts->command;
  HB_TRY(hb_text_append(line, "holmberg %s", command->name));
  for (size_t k = 0; k < opts->operand_count; k++) HB_TRY(append_quoted(line, opts->operands[k]));
  for (size_t k = 0; k < hb_opts_count(command); k++) {
    const struct hb_opts_option *option = hb_opts_option_at(command, k);
    if (!opts->values[k].given || option->use == HB_OPTS_SHOWS_RESULT) continue;
    char name[64];
    spell(option, name);
    HB_TRY(hb_text_append(line, " %s", name));
    if (option->kind != HB_OPTS_FLAG) HB_TRY(append_quoted(line, opts->values[k].text));
  }
  return HB_OK;
}

enum hb_status hb_opts_record(const struct hb_opts *opts, struct hb_text *record)
{
  const struct hb_opts_command *command = opts->command;
  for (size_t k = 0; k < hb_opts_count(command); k++) {
    const struct hb_opts_option *option = hb_opts_option_at(command, k);
    const struct hb_opts_value *value = &opts->values[k];
    if (!value->text || option->use == HB_OPTS_SHOWS_RESULT) continue;
    char number[32];
    const char *text = value->text;
    if (option->kind >= HB_OPTS_NUMBER && option->kind <= HB_OPTS_POWER) {
      hb_opts_shortest(value->number, number);
      text = number;
    } else if (option->kind >= HB_OPTS_WHOLE) {
      snprintf(number, sizeof number, "%llu", (unsigned long long)value->count);
      text = number;
    }
    HB_TRY(hb_text_append(record, "%s%s=%s", record->length ? " " : "", option->name, text));
  }
  return HB_OK;
}

#include "console/opts.h"

#include "base/log.h"
#include "base/mem.h"
#include "console/terminal.h"
#include "core/units.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows that several commands share ---------------------------------------------------------------- */

static const char *const contexts[] = {"auto", "egl", "osmesa", "glfw", "gles", NULL};

#define PLACE(member) HB_SETTING_FIELD(struct hb_force_params, member)
const struct hb_setting hb_opts_place[] = {
    {"context", 0, HB_SETTING_WORD, PLACE(context), "NAME", .words.array = contexts,
     .use = HB_SETTING_ON_RESUME,
     .help = "how to open OpenGL: auto, egl, osmesa, glfw, gles (default: $HB_CONTEXT, else auto)"},
    {"device", 0, HB_SETTING_TEXT, PLACE(device), "DEVICE", .use = HB_SETTING_ON_RESUME,
     .help = "INDEX, /dev/dri/... or software, see 'holmberg info'; several that share the work: 0,1 or all "
             "(default: "
             "$HB_DEVICE, else the first)"},
    {0}};

const struct hb_setting hb_opts_json[] = {{"json", 0, HB_SETTING_FLAG, 0, sizeof(int),
                                           .use = HB_SETTING_SHOWS,
                                           .help = "print JSON instead of text, one line per row"},
                                          {0}};
const struct hb_setting hb_opts_quiet[] = {{"quiet", 0, HB_SETTING_FLAG, 0, sizeof(int),
                                            .use = HB_SETTING_SHOWS,
                                            .help = "do not report what was written"},
                                           {0}};

/* The options that every command has, after its own. */
struct common {
  int verbose, color, help, version;
};

static const char *const colors[] = {"auto", "always", "never", NULL};

#define COMMON(member) HB_SETTING_FIELD(struct common, member)
static const struct hb_setting common_options[] = {
    {"verbose", 0, HB_SETTING_FLAG, COMMON(verbose),
     .help = "report on standard error what is opened and chosen"},
    {"color", 0, HB_SETTING_CHOICE, COMMON(color), "WHEN", "auto", .words.array = colors,
     .help = "color on standard error: auto (on a terminal, unless NO_COLOR is set), always, never"},
    {"help", 'h', HB_SETTING_FLAG, COMMON(help), .help = "print this help and exit"},
    {"version", 'v', HB_SETTING_FLAG, COMMON(version), .help = "print the version and exit"},
    {0}};

/* ---- the table --------------------------------------------------------------------------------------- */

struct row {
  const struct hb_setting *option;
  size_t at;
  unsigned use;
  int is_common;
};

/* Whether there is a k-th option; the common ones come last. */
static int row_at(const struct hb_opts_command *command, size_t k, struct row *row)
{
  const struct hb_opts_group common = {common_options, 0, 0};
  for (size_t g = 0; g <= HB_OPTS_GROUPS; g++) {
    int is_common = g == HB_OPTS_GROUPS || !command->groups[g].options;
    const struct hb_opts_group *group = is_common ? &common : &command->groups[g];
    for (const struct hb_setting *option = group->options; option->name; option++)
      if (k-- == 0) {
        *row = (struct row){option, group->at + option->at, group->use | option->use, is_common};
        return 1;
      }
    if (is_common) break;
  }
  return 0;
}

const struct hb_setting *hb_opts_option_at(const struct hb_opts_command *command, size_t k)
{
  struct row row;
  return row_at(command, k, &row) ? row.option : NULL;
}

/* The same among the command's own. */
static int own_row_at(const struct hb_opts *opts, size_t k, struct row *row)
{
  return row_at(opts->command, k, row) && !row->is_common;
}

static void *field_of(const struct hb_opts *opts, const struct row *row)
{
  return (char *)opts->settings + row->at;
}

/* "--t-end", or by its letter where that is how users know it, "-o"; lists go by name. */
static void spell(const struct hb_setting *option, char text[64])
{
  if (option->letter && option->kind != HB_SETTING_FLAG && option->kind != HB_SETTING_COUNTS)
    snprintf(text, 64, "-%c", option->letter);
  else
    snprintf(text, 64, "--%s", option->name);
}

/* The field of the command's own option k; NULL: there is none. */
static void *field_at(const struct hb_opts *opts, size_t k)
{
  struct row row;
  return own_row_at(opts, k, &row) ? field_of(opts, &row) : NULL;
}

/* Names the option, except before "unknown scheme 'x'", which is clear without. */
static enum hb_status read_value(const struct hb_setting *option, const char *word, void *field)
{
  char context[80], name[64];
  enum hb_status status = hb_setting_read(option, word, field);
  if (status == HB_OK || option->words.what) return status;
  spell(option, name);
  snprintf(context, sizeof context, "option %s", name);
  return hb_fail_in(status, context);
}

/* ---- parsing ----------------------------------------------------------------------------------------- */

struct reader {
  struct hb_opts *opts;
  struct common common;
  char **words;
  int count, next;
};

/* Dashes do not count: -eta and -e mean --eta and --e. */
static enum hb_status unknown_option(const struct hb_opts_command *command, const char *word)
{
  int length = (int)strcspn(word, "=");
  char name[64];
  snprintf(name, sizeof name, "%.*s", length - (int)strspn(word, "-"), word + strspn(word, "-"));
  const char *best = NULL;
  for (size_t k = 0; hb_opts_option_at(command, k); k++)
    hb_guess(name, hb_opts_option_at(command, k)->name, &best);
  if (!best) return hb_fail(HB_ERR_USAGE, "unknown option '%.*s'", length, word);
  return hb_fail(HB_ERR_USAGE, "unknown option '%.*s'; did you mean '--%s'?", length, word, best);
}

/* --eps or -o where a value is due means that the value was forgotten; -0.5 does not. */
static int looks_like_option(const char *word)
{
  return word[0] == '-' && (word[1] == '-' || isalpha((unsigned char)word[1]));
}

/* "[PORT]": then only digits are a value of its own, and none means 0. */
static int lacks_value(const struct reader *reader, const struct hb_setting *option)
{
  const char *next = reader->next < reader->count ? reader->words[reader->next] : "";
  return option->metavar[0] == '[' && (!*next || next[strspn(next, "0123456789")]);
}

/* value is the part of the word after the name; NULL: the next word is the value. */
static enum hb_status read_option(struct reader *reader, size_t k, const struct row *row, const char *value)
{
  const struct hb_setting *option = row->option;
  void *field = row->is_common ? (char *)&reader->common + row->at : field_of(reader->opts, row);
  char name[64];
  spell(option, name);
  if (option->kind == HB_SETTING_FLAG && value)
    return hb_fail(HB_ERR_USAGE, "option %s takes no value, but got '%s'", name, value);
  if (option->kind == HB_SETTING_FLAG) value = "yes";
  if (!value && lacks_value(reader, option)) value = "0";
  if (!value && (reader->next == reader->count || looks_like_option(reader->words[reader->next])))
    return hb_fail(HB_ERR_USAGE, "option %s needs a value (%s)", name, option->metavar);
  if (!value) value = reader->words[reader->next++];
  if (!row->is_common) reader->opts->typed[k] = value;
  return read_value(option, value, field);
}

/* Whether it is the first `length` bytes of the word; NULL is no name. */
static int is_name(const char *name, const char *word, size_t length)
{
  return name && strlen(name) == length && strncmp(name, word, length) == 0;
}

/* --name, --name=value, -letter, -letter value */
static enum hb_status find_option(struct reader *reader, const char *word)
{
  int is_long = word[1] == '-';
  const char *name = word + 1 + is_long;
  size_t length = is_long ? strcspn(name, "=") : 1;
  struct row row;
  for (size_t k = 0; row_at(reader->opts->command, k, &row); k++) {
    const struct hb_setting *option = row.option;
    if (is_long ? !is_name(option->name, name, length) && !is_name(option->also, name, length)
                : option->letter != *name)
      continue;
    return read_option(reader, k, &row, name[length] ? name + length + (name[length] == '=') : NULL);
  }
  return unknown_option(reader->opts->command, word);
}

static enum hb_status check_operands(const struct hb_opts *opts)
{
  const struct hb_opts_command *command = opts->command;
  char all[HB_WORDS_LENGTH];
  int has_words = hb_words_any(command->operand_words);
  if (opts->operand_count < command->operand_min && has_words)
    return hb_fail(HB_ERR_USAGE, "'holmberg %s' needs a %s (one of %s)", command->name, command->operand,
                   hb_words_join(command->operand_words, all));
  if (opts->operand_count < command->operand_min)
    return hb_fail(HB_ERR_USAGE, "'holmberg %s' needs %s%s", command->name,
                   command->operand_min > 1 ? "" : "a ", command->operand);
  if (opts->operand_count <= command->operand_max) return HB_OK;
  const char *extra = opts->operands[command->operand_max];
  if (!command->operand)
    return hb_fail(HB_ERR_USAGE, "'holmberg %s' takes options only, but got '%s'", command->name, extra);
  if (command->operand_max > 1)
    return hb_fail(HB_ERR_USAGE, "'holmberg %s' takes %s, but got '%s', too", command->name, command->operand,
                   extra);
  return hb_fail(HB_ERR_USAGE, "'holmberg %s' takes one %s, but got '%s' and '%s'", command->name,
                 command->operand, opts->operands[0], extra);
}

enum hb_opts_question hb_opts_question(int count, char **words)
{
  for (int k = 0; k < count && strcmp(words[k], "--") != 0; k++) {
    if (strcmp(words[k], "--help") == 0 || strcmp(words[k], "-h") == 0) return HB_OPTS_HELP;
    if (strcmp(words[k], "--version") == 0 || strcmp(words[k], "-v") == 0) return HB_OPTS_VERSION;
  }
  return HB_OPTS_NOTHING_ASKED;
}

enum hb_status hb_opts_parse(const struct hb_opts_command *command, int count, char **words, void *settings,
                             struct hb_opts *opts)
{
  struct reader reader = {.opts = opts, .words = words, .count = count};
  struct row row;
  *opts = (struct hb_opts){.command = command, .operands = (const char **)words, .settings = settings};
  for (size_t k = 0; own_row_at(opts, k, &row); k++)
    if (row.option->fallback) HB_TRY(read_value(row.option, row.option->fallback, field_of(opts, &row)));
  int options_ended = 0;
  while (reader.next < count) {
    const char *word = words[reader.next++];
    if (options_ended || word[0] != '-' || !word[1])
      opts->operands[opts->operand_count++] = word;
    else if (strcmp(word, "--") == 0)
      options_ended = 1;
    else
      HB_TRY(find_option(&reader, word));
  }
  hb_terminal.color = colors[reader.common.color];
  if (reader.common.verbose) hb_log_set_sink(HB_LOG_MESSAGES, hb_terminal_note);
  return check_operands(opts);
}

/* ---- values as text ---------------------------------------------------------------------------------- */

/* The index of a field's row; flags may share a field. */
static size_t row_of(const struct hb_opts *opts, const void *field)
{
  struct row row;
  size_t k = 0;
  while (own_row_at(opts, k, &row) && field_of(opts, &row) != field) k++;
  return k;
}

const char *hb_opts_typed(const struct hb_opts *opts, const void *field)
{
  return opts->typed[row_of(opts, field)];
}

const char *hb_opts_text(const struct hb_opts *opts, const void *field)
{
  size_t k = row_of(opts, field);
  return opts->typed[k] ? opts->typed[k] : hb_opts_option_at(opts->command, k)->fallback;
}

/* The field as a word; given: what was typed for it, or its default; NULL: nothing was, and then a field that is 0 has no word: NULL. */
static const char *setting_text(const struct hb_setting *option, const void *field, const char *given,
                                char number[32])
{
  if (option->kind == HB_SETTING_TEXT || option->kind == HB_SETTING_WORD) return *(const char *const *)field;
  if (option->kind == HB_SETTING_CHOICE)
    return given ? hb_words_at(option->words, *(const unsigned *)field) : NULL;
  if (option->kind == HB_SETTING_WHOLE || option->kind == HB_SETTING_COUNT) {
    uint64_t count = option->size == sizeof(int) ? *(const unsigned *)field : *(const uint64_t *)field;
    snprintf(number, 32, "%llu", (unsigned long long)count);
    return given || count ? number : NULL;
  }
  if (option->kind == HB_SETTING_AUTO_COUNT) {
    int count = *(const int *)field;
    snprintf(number, 32, "%d", count > 0 ? count : 0);
    return count ? number : "auto";
  }
  if (option->kind < HB_SETTING_NUMBER || option->kind > HB_SETTING_POWER || option->unit != 0) return given;
  hb_text_shortest(*(const double *)field, number);
  return given || *(const double *)field != 0 ? number : NULL;
}

/* The current value of option k's field, which may differ from the command line's; NULL: none. */
static const char *value_of(const struct hb_opts *opts, size_t k, char number[32])
{
  struct row row;
  if (!own_row_at(opts, k, &row)) return NULL;
  const char *text = opts->typed[k] ? opts->typed[k] : row.option->fallback;
  return setting_text(row.option, field_of(opts, &row), text, number);
}

int hb_opts_same(const struct hb_opts *a, const struct hb_opts *b, size_t k)
{
  char of_a[32], of_b[32];
  const char *in_a = value_of(a, k, of_a), *in_b = value_of(b, k, of_b);
  return in_a && in_b && strcmp(in_a, in_b) == 0;
}

void hb_opts_copy(struct hb_opts *to, const struct hb_opts *from, size_t k)
{
  struct row row;
  if (!own_row_at(to, k, &row)) return;
  to->typed[k] = from->typed[k];
  if (row.option->kind == HB_SETTING_FLAG)
    hb_setting_read(row.option, "yes", field_of(to, &row)); /* others share its field */
  else
    memcpy(field_of(to, &row), field_of(from, &row), row.option->size);
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
  struct row row;
  HB_TRY(hb_text_append(line, "holmberg %s", opts->command->name));
  for (size_t k = 0; k < opts->operand_count; k++) HB_TRY(append_quoted(line, opts->operands[k]));
  for (size_t k = 0; own_row_at(opts, k, &row); k++) {
    if (!opts->typed[k] || row.use & HB_SETTING_SHOWS) continue;
    char name[64];
    spell(row.option, name);
    HB_TRY(hb_text_append(line, " %s", name));
    if (row.option->kind != HB_SETTING_FLAG) HB_TRY(append_quoted(line, opts->typed[k]));
  }
  return HB_OK;
}

enum hb_status hb_opts_add_history(const struct hb_opts *opts, struct hb_particles *particles)
{
  struct hb_text line = {0};
  enum hb_status status = hb_opts_line(opts, &line);
  if (status == HB_OK) status = hb_particles_add_history(particles, line.text);
  hb_mem_free(line.text);
  return status;
}

enum hb_status hb_opts_record(const struct hb_opts *opts, struct hb_text *record)
{
  struct row row;
  for (size_t k = 0; own_row_at(opts, k, &row); k++) {
    char number[32];
    int is_left_out =
        row.use & HB_SETTING_SHOWS ||
        (row.option->is_idle && row.option->is_idle((char *)field_of(opts, &row) - row.option->at));
    const char *value = is_left_out ? NULL : value_of(opts, k, number);
    if (value) HB_TRY(hb_text_append(record, "%s%s=%s", record->length ? " " : "", row.option->name, value));
  }
  return HB_OK;
}

/* ---- units ----------------------------------------------------------------------------------------- */

/* Times, lengths, velocities and masses of the command line in units of astronomers: 5Myr, 0.1pc. A field holds them in Myr, pc,
 * km/s and solar masses until the units of the snapshot are known. */

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
  const struct hb_setting *option;
  for (size_t k = 0; (option = hb_opts_option_at(opts->command, k)); k++)
    if (option->of && !option->is_astro && opts->typed[k] && (is_astro || has_unit(opts->typed[k]))) return 1;
  return 0;
}

/* Whether --units astro was typed. */
static int asks_for_astro(const struct hb_opts *opts)
{
  const struct hb_setting *option;
  for (size_t k = 0; (option = hb_opts_option_at(opts->command, k)); k++)
    if (strcmp(option->name, "units") == 0 && opts->typed[k]) return strcmp(opts->typed[k], "astro") == 0;
  return 0;
}

enum hb_status hb_opts_check_powers(const struct hb_opts *opts)
{
  const struct hb_setting *option;
  for (size_t k = 0; (option = hb_opts_option_at(opts->command, k)); k++) {
    const char *word = opts->typed[k];
    if (option->kind != HB_SETTING_POWER || !word || has_unit(word) || asks_for_astro(opts)) continue;
    char context[80];
    snprintf(context, sizeof context, "option --%s", option->name);
    double number;
    enum hb_status status =
        hb_setting_read(&(const struct hb_setting){.kind = HB_SETTING_POWER}, word, &number);
    if (status != HB_OK) return hb_fail_in(status, context);
  }
  return HB_OK;
}

enum { TYPED = 256 }; /* characters that a field's numbers take */

static size_t count_of(const struct hb_setting *option, const char *word)
{
  size_t count = 1;
  for (; option->kind == HB_SETTING_NUMBERS && *word; word++) count += *word == ',';
  return count;
}

/* The numbers of a field, and how they are typed. */
static void divide(const struct hb_setting *option, double unit, size_t count, double *numbers,
                   char typed[TYPED])
{
  size_t used = 0;
  for (size_t k = 0; k < count; k++) {
    char text[32];
    numbers[k] = hb_dimension_divide(numbers[k], unit);
    if (option->kind == HB_SETTING_POWER) numbers[k] = ldexp(1, ilogb(numbers[k]));
    hb_text_shortest(numbers[k], text);
    used += (size_t)snprintf(typed + used, TYPED - used, "%s%s", k ? "," : "", text);
  }
}

static enum hb_status have_none(const struct hb_setting *option, const char *word)
{
  return hb_fail(HB_ERR_USAGE,
                 "option --%s: '%s' has a unit, but the particles have none, see 'holmberg ic --help' and "
                 "'holmberg scale --help'",
                 option->name, word);
}

/* --field: its words. */
static enum hb_status divide_words(const struct hb_setting *option, const struct hb_units *units,
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
  for (size_t k = 0; (numbers = field_at(opts, k)); k++) {
    const struct hb_setting *option = hb_opts_option_at(opts->command, k);
    const char *word = opts->typed[k];
    if (!option->of || option->is_astro || !word || (field && numbers != field) ||
        (!is_astro && !has_unit(word)))
      continue;
    if (option->of == HB_SETTING_FIELD_WORDS) {
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
  const struct hb_setting *option;
  for (size_t k = 0; !command->has_no_units && (option = hb_opts_option_at(command, k)); k++)
    if (option->of)
      return "Where the snapshot states its units, times, lengths, velocities and masses may have one: 5Myr, "
             "3kyr, 0.1pc, 200AU, 2km/s, 10Msun. Numbers of --field may be 0.03/Myr or 30km/s/kpc, too.";
  return NULL;
}

/* ---- --help ------------------------------------------------------------------------------------------ */

enum { HELP_COLUMN = 32, HELP_WIDTH = 100 };

void hb_opts_help_row(const char *name, const char *help, FILE *out)
{
  int column = fprintf(out, "%s", name);
  if (column > HELP_COLUMN - 2) {
    fputc('\n', out);
    column = 0;
  }
  while (*help) {
    int length = (int)strcspn(help, " ");
    if (column + 1 + length > HELP_WIDTH) {
      fputc('\n', out);
      column = 0;
    }
    int indent = column < HELP_COLUMN ? HELP_COLUMN - column : 1;
    column += fprintf(out, "%*s%.*s", indent, "", length, help);
    help += length + (help[length] == ' ');
  }
  fputc('\n', out);
}

void hb_help_entry(const struct hb_help *help, const char *name, const char *format, ...)
{
  char text[1024];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  help->entry(name, text, help->out);
}

static void heading_row(const char *text, FILE *out) { fprintf(out, "\n%s:\n", text); }
static void lines_row(const char *text, FILE *out) { fputs(text, out); }

void hb_opts_help_entry(const char *name, const char *text, FILE *out)
{
  char left[64];
  snprintf(left, sizeof left, "  %s", name);
  hb_opts_help_row(left, text, out);
}

const char *hb_opts_help_of(const struct hb_setting *option, char text[HB_OPTS_TEXT])
{
  char *to = text;
  for (const char *from = option->help; *from && to < text + HB_OPTS_TEXT - 2; from++) {
    if (*from == '@') *to++ = '-';
    *to++ = *from == '@' ? '-' : *from;
  }
  *to = 0;
  return text;
}

static void option_row(const struct hb_setting *option, FILE *out)
{
  char name[80], text[HB_OPTS_TEXT], help[HB_OPTS_TEXT + 32], letter[8] = "    ";
  if (option->letter) snprintf(letter, sizeof letter, "-%c, ", option->letter);
  snprintf(name, sizeof name, "  %s--%s%s%s", letter, option->name, option->metavar ? " " : "",
           option->metavar ? option->metavar : "");
  snprintf(help, sizeof help, "%s%s%s%s", hb_opts_help_of(option, text), option->fallback ? " (default " : "",
           option->fallback ? option->fallback : "", option->fallback ? ")" : "");
  hb_opts_help_row(name, help, out);
}

void hb_opts_help(const struct hb_opts_command *command, FILE *out)
{
  const char *operand = command->operand ? command->operand : "";
  fprintf(out, "usage: holmberg %s%s%s [options]\n\n%s\n\noptions:\n", command->name, *operand ? " " : "",
          operand, command->summary);
  for (size_t k = 0; hb_opts_option_at(command, k); k++) option_row(hb_opts_option_at(command, k), out);
  fputs("\nNumbers may be written like 0.01, 1e-3, 2^-8 or 1/256.\n", out);
  if (hb_opts_units_help(command)) hb_opts_help_row("", hb_opts_units_help(command), out);
  const struct hb_help more = {out, heading_row, hb_opts_help_entry, lines_row, lines_row};
  if (command->more_help) command->more_help(&more);
  fprintf(out, "\nexample:\n%s", command->example);
}

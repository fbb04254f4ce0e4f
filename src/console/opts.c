#include "console/opts.h"

#include "base/log.h"
#include "base/mem.h"
#include "console/terminal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- rows that several commands share ---------------------------------------------------------------- */

static const char *const contexts[] = {"auto", "egl", "osmesa", "glfw", "gles", NULL};

#define PLACE(member) HB_OPTS_FIELD(struct hb_force_params, member)
const struct hb_opts_option hb_opts_place[] = {
    {"context", 0, HB_OPTS_WORD, PLACE(context), "NAME", .words.array = contexts, .use = HB_OPTS_ON_RESUME,
     .help = "how to open OpenGL: auto, egl, osmesa, glfw, gles (default: $HB_CONTEXT, else auto)"},
    {"device", 0, HB_OPTS_TEXT, PLACE(device), "DEVICE", .use = HB_OPTS_ON_RESUME,
     .help = "INDEX, /dev/dri/... or software, see 'holmberg info'; several that share the work: 0,1 or all "
             "(default: "
             "$HB_DEVICE, else the first)"},
    {0}};

const struct hb_opts_option hb_opts_json[] = {{"json", 0, HB_OPTS_FLAG, 0, sizeof(int), .use = HB_OPTS_SHOWS,
                                               .help = "print JSON instead of text, one line per row"},
                                              {0}};
const struct hb_opts_option hb_opts_quiet[] = {{"quiet", 0, HB_OPTS_FLAG, 0, sizeof(int),
                                                .use = HB_OPTS_SHOWS,
                                                .help = "do not report what was written"},
                                               {0}};

/* The options that every command has, after its own. */
struct common {
  int verbose, color, help, version;
};

static const char *const colors[] = {"auto", "always", "never", NULL};

#define COMMON(member) HB_OPTS_FIELD(struct common, member)
static const struct hb_opts_option common_options[] = {
    {"verbose", 0, HB_OPTS_FLAG, COMMON(verbose),
     .help = "report on standard error what is opened and chosen"},
    {"color", 0, HB_OPTS_CHOICE, COMMON(color), "WHEN", "auto", .words.array = colors,
     .help = "color on standard error: auto (on a terminal, unless NO_COLOR is set), always, never"},
    {"help", 'h', HB_OPTS_FLAG, COMMON(help), .help = "print this help and exit"},
    {"version", 'v', HB_OPTS_FLAG, COMMON(version), .help = "print the version and exit"},
    {0}};

/* ---- the table --------------------------------------------------------------------------------------- */

struct row {
  const struct hb_opts_option *option;
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
    for (const struct hb_opts_option *option = group->options; option->name; option++)
      if (k-- == 0) {
        *row = (struct row){option, group->at + option->at, group->use | option->use, is_common};
        return 1;
      }
    if (is_common) break;
  }
  return 0;
}

const struct hb_opts_option *hb_opts_option_at(const struct hb_opts_command *command, size_t k)
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
static void spell(const struct hb_opts_option *option, char text[64])
{
  if (option->letter && option->kind != HB_OPTS_FLAG && option->kind != HB_OPTS_COUNTS)
    snprintf(text, 64, "-%c", option->letter);
  else
    snprintf(text, 64, "--%s", option->name);
}

/* Names the option, except before "unknown scheme 'x'", which is clear without. */
static enum hb_status read_value(const struct hb_opts_option *option, const char *word, void *field)
{
  char context[80], name[64];
  enum hb_status status = hb_opts_read(option, word, field);
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
  struct hb_near near = hb_near_to(name);
  for (size_t k = 0; hb_opts_option_at(command, k); k++)
    hb_near_try(&near, hb_opts_option_at(command, k)->name);
  if (!near.best) return hb_fail(HB_ERR_USAGE, "unknown option '%.*s'", length, word);
  return hb_fail(HB_ERR_USAGE, "unknown option '%.*s'; did you mean '--%s'?", length, word, near.best);
}

/* --eps or -o where a value is due means that the value was forgotten; -0.5 does not. */
static int looks_like_option(const char *word)
{
  return word[0] == '-' && (word[1] == '-' || isalpha((unsigned char)word[1]));
}

/* value is the part of the word after the name; NULL: the next word is the value. */
static enum hb_status read_option(struct reader *reader, size_t k, const struct row *row, const char *value)
{
  const struct hb_opts_option *option = row->option;
  void *field = row->is_common ? (char *)&reader->common + row->at : field_of(reader->opts, row);
  char name[64];
  spell(option, name);
  if (option->kind == HB_OPTS_FLAG && value)
    return hb_fail(HB_ERR_USAGE, "option %s takes no value, but got '%s'", name, value);
  if (option->kind == HB_OPTS_FLAG) value = "yes";
  if (!value && (reader->next == reader->count || looks_like_option(reader->words[reader->next])))
    return hb_fail(HB_ERR_USAGE, "option %s needs a value (%s)", name, option->metavar);
  if (!value) value = reader->words[reader->next++];
  if (!row->is_common) reader->opts->typed[k] = value;
  return read_value(option, value, field);
}

/* --name, --name=value, -letter, -letter value */
static enum hb_status find_option(struct reader *reader, const char *word)
{
  int is_long = word[1] == '-';
  const char *name = word + 1 + is_long;
  size_t length = is_long ? strcspn(name, "=") : 1;
  struct row row;
  for (size_t k = 0; row_at(reader->opts->command, k, &row); k++) {
    const struct hb_opts_option *option = row.option;
    if (is_long ? strlen(option->name) != length || strncmp(option->name, name, length) != 0
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
  hb_terminal_set_color(colors[reader.common.color]);
  if (reader.common.verbose) hb_log_set_sink(hb_terminal_note);
  return check_operands(opts);
}

/* ---- values as text ---------------------------------------------------------------------------------- */

void *hb_opts_field_at(const struct hb_opts *opts, size_t k)
{
  struct row row;
  return own_row_at(opts, k, &row) ? field_of(opts, &row) : NULL;
}

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

/* The current value of option k's field, which may differ from the command line's; NULL: none. */
static const char *value_of(const struct hb_opts *opts, size_t k, char number[32])
{
  struct row row;
  if (!own_row_at(opts, k, &row)) return NULL;
  const struct hb_opts_option *option = row.option;
  const char *text = opts->typed[k] ? opts->typed[k] : option->fallback;
  const void *field = field_of(opts, &row);
  if (option->kind == HB_OPTS_TEXT || option->kind == HB_OPTS_WORD) return *(const char *const *)field;
  if (option->kind == HB_OPTS_CHOICE)
    return text ? hb_words_at(option->words, *(const unsigned *)field) : NULL;
  if (option->kind == HB_OPTS_WHOLE || option->kind == HB_OPTS_COUNT) {
    uint64_t count = option->size == sizeof(int) ? *(const unsigned *)field : *(const uint64_t *)field;
    snprintf(number, 32, "%llu", (unsigned long long)count);
    return text || count ? number : NULL;
  }
  if (option->kind < HB_OPTS_NUMBER || option->kind > HB_OPTS_POWER || option->unit != 0) return text;
  hb_text_shortest(*(const double *)field, number);
  return text || *(const double *)field != 0 ? number : NULL;
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
  if (row.option->kind == HB_OPTS_FLAG)
    hb_opts_read(row.option, "yes", field_of(to, &row)); /* others share its field */
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
    if (!opts->typed[k] || row.use & HB_OPTS_SHOWS) continue;
    char name[64];
    spell(row.option, name);
    HB_TRY(hb_text_append(line, " %s", name));
    if (row.option->kind != HB_OPTS_FLAG) HB_TRY(append_quoted(line, opts->typed[k]));
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
    const char *value = row.use & HB_OPTS_SHOWS ? NULL : value_of(opts, k, number);
    if (value) HB_TRY(hb_text_append(record, "%s%s=%s", record->length ? " " : "", row.option->name, value));
  }
  return HB_OK;
}

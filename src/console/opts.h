/* The command line. A command is a row of data: its options are groups of rows, each of which names the field of a
 * settings struct that it fills. Parsing, --help, a line of history and the record in a snapshot's header come from them. */
#ifndef HB_OPTS_H
#define HB_OPTS_H

#include "base/text.h"
#include "core/settings.h"

#include <stdio.h>

/* Rows up to one without a name; their fields are in a struct at offset `at` of the settings. */
struct hb_opts_group {
  const struct hb_setting *options;
  size_t at;
  unsigned use; /* added to that of its rows */
};

enum { HB_OPTS_MOST = 64, HB_OPTS_GROUPS = 18 }; /* capacity: options and groups of a command */

struct hb_opts {
  const struct hb_opts_command *command;
  const char **operands; /* the words that are not options */
  size_t operand_count;
  void *settings;
  const char *typed[HB_OPTS_MOST]; /* by rows: what the command line gives, "yes" for a flag; NULL: nothing */
};

/* How --help, or a page of the manual, has what follows the options. */
struct hb_help {
  FILE *out;
  void (*heading)(const char *text, FILE *out); /* "schemes", of a list: */
  void (*entry)(const char *name, const char *text, FILE *out);
  void (*text)(const char *text, FILE *out); /* paragraphs; one after an empty line begins with \n */
  void (*lines)(const char *text, FILE *out);
};

/* An entry whose text is as printf would have it. */
void hb_help_entry(const struct hb_help *help, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

struct hb_opts_command {
  const char *name; /* "run", or two words, "bench run" */
  const char *also; /* another spelling of it; NULL: none */
  const char *summary;
  const char *operand;           /* "FILE"; NULL when the command takes none       */
  struct hb_words operand_words; /* its possible values; none: any */
  size_t operand_min, operand_max;
  struct hb_opts_group groups[HB_OPTS_GROUPS];
  size_t settings_size;                          /* of the struct that the groups fill, zeroed at first */
  void (*more_help)(const struct hb_help *help); /* what follows in --help; NULL: nothing */
  const char *example;                           /* lines */
  int has_no_units; /* 1: numbers with units are refused; else its work calls hb_opts_convert */
  int by_ranks;     /* ranks do its work together; else rank 0 alone does, and the others nothing */
  enum hb_status (*work)(const struct hb_opts *opts);
};

/* Groups that several commands share. */
extern const struct hb_setting hb_opts_place[]; /* --context --device, of struct hb_force_params */
extern const struct hb_setting hb_opts_json[];  /* --json, an int */
extern const struct hb_setting hb_opts_quiet[]; /* --quiet, an int: do not report what was written */

/* What is printed instead of running the command. */
enum hb_opts_question { HB_OPTS_NOTHING_ASKED, HB_OPTS_HELP, HB_OPTS_VERSION };

/* The first of --help, -h, --version, -v among the words, up to --. */
enum hb_opts_question hb_opts_question(int count, char **words);

/* Fills *settings, zeroed before, and *opts from the words after the command's name; the operands move to the front of
 * words. Errors: HB_ERR_USAGE with a sentence that names the option and the value. */
enum hb_status hb_opts_parse(const struct hb_opts_command *command, int count, char **words, void *settings,
                             struct hb_opts *opts);

/* The k-th option of a command, then NULL. */
const struct hb_setting *hb_opts_option_at(const struct hb_opts_command *command, size_t k);

/* What was typed for this field of opts->settings; NULL: nothing. The same, or its default as in its row; NULL: none. */
const char *hb_opts_typed(const struct hb_opts *opts, const void *field);
const char *hb_opts_text(const struct hb_opts *opts, const void *field);

/* Between two sets of options of one command: whether option k has the same value in both; its value copied. */
int hb_opts_same(const struct hb_opts *a, const struct hb_opts *b, size_t k);
void hb_opts_copy(struct hb_opts *to, const struct hb_opts *from, size_t k);

void hb_opts_help(const struct hb_opts_command *command, FILE *out);

/* Makes N-body numbers of those of field (NULL: of every field that has a quantity) that were typed with a unit or, if is_astro,
 * without one; then they count as typed so. A power of two becomes the next one below. units: 0 where they are not known. Once for
 * each field. Errors: HB_ERR_USAGE (there are no units). */
enum hb_status hb_opts_convert(struct hb_opts *opts, const void *field, const struct hb_units *units,
                               int is_astro);

/* Whether it has anything to do. */
int hb_opts_has_units(const struct hb_opts *opts, int is_astro);

/* The sentence of --help about units; NULL if the command has no such option. */
const char *hb_opts_units_help(const struct hb_opts_command *command);

/* Whether what was typed without a unit for a power of two is one, where it is an N-body number: not with --units astro. Errors:
 * HB_ERR_USAGE. */
enum hb_status hb_opts_check_powers(const struct hb_opts *opts);

/* The help of an option, where @eps is --eps. */
enum { HB_OPTS_TEXT = 1024 };
const char *hb_opts_help_of(const struct hb_setting *option, char text[HB_OPTS_TEXT]);

/* A row of --help: name and text, aligned and wrapped. */
void hb_opts_help_row(const char *name, const char *help, FILE *out);
void hb_opts_help_entry(const char *name, const char *help, FILE *out); /* "  NAME" */

/* The command with the given options that shape the result, quoted for a shell: a line of history. */
enum hb_status hb_opts_line(const struct hb_opts *opts, struct hb_text *line);

/* Adds that line to the history of particles. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_opts_add_history(const struct hb_opts *opts, struct hb_particles *particles);

/* "eta=0.01 eps=0.00390625 ...": every option that shapes the result and has a value, defaults included. */
enum hb_status hb_opts_record(const struct hb_opts *opts, struct hb_text *record);

#endif

/* The command line. A command is a row of data: its options are a table from which parsing, --help and the
 * record in a snapshot's header all come. */
#ifndef HB_OPTS_H
#define HB_OPTS_H

#include "base/text.h"

#include <stdio.h>

enum hb_opts_kind {
  HB_OPTS_FLAG,         /* takes no value                        */
  HB_OPTS_TEXT,         /* any word, a file name                 */
  HB_OPTS_CHOICE,       /* one of choice(0), choice(1), ... NULL */
  HB_OPTS_DURATION,     /* with its unit: 30s, 10min, 2h         */
  HB_OPTS_NUMBER,       /* finite                                */
  HB_OPTS_NOT_NEGATIVE, /* a number >= 0                         */
  HB_OPTS_POSITIVE,     /* a number > 0                          */
  HB_OPTS_BOUND,        /* a number > 0, or none: INFINITY       */
  HB_OPTS_POWER,        /* a power of two, 2^-8                  */
  HB_OPTS_WHOLE,        /* a whole number >= 0                   */
  HB_OPTS_COUNT         /* a whole number >= 1                   */
};

/* What a header records: two runs that differ only in options that show or place the result have the same
 * result, so the same bytes. */
enum hb_opts_use { HB_OPTS_SHAPES_RESULT, HB_OPTS_SHOWS_RESULT };

struct hb_opts_option {
  const char *name; /* "t-end" for --t-end     */
  char letter;      /* 'o' for -o; 0: has none */
  enum hb_opts_kind kind;
  enum hb_opts_use use;
  const char *metavar;             /* the value's name in --help; NULL for a flag            */
  const char *fallback;            /* the default as a person would type it; NULL: none      */
  const char *(*choice)(size_t k); /* HB_OPTS_CHOICE: the k-th word, NULL behind the last    */
  const char *help;
};

struct hb_opts_value {
  int given;        /* on the command line, not by default                      */
  const char *text; /* as typed; NULL: neither given nor a default              */
  double number;    /* HB_OPTS_NUMBER, _NOT_NEGATIVE, _POSITIVE, _POWER; seconds */
  uint64_t count;   /* HB_OPTS_WHOLE, _COUNT                                    */
};

enum { HB_OPTS_MOST = 64 }; /* options of one command */

struct hb_opts {
  const struct hb_opts_command *command;
  const char **operands; /* the words that are no options */
  size_t operand_count;
  struct hb_opts_value values[HB_OPTS_MOST]; /* in the order of the command's table */
};

struct hb_opts_command {
  const char *name;
  const char *summary;
  const char *operand;                     /* "FILE"; NULL when the command takes none       */
  const char *(*operand_choice)(size_t k); /* the words that it may be, as choice; NULL: any */
  size_t operand_min, operand_max;
  const struct hb_opts_option *options;
  size_t option_count;
  const struct hb_opts_option *const
      *borrowed; /* those of another command that it has behind its own; NULL: none */
  size_t borrowed_count;
  void (*more_help)(FILE *out); /* lists that belong under --help; NULL: none */
  const char *example;          /* lines */
  const struct hb_opts_command *
      branch; /* a command that two words name, of which this is the first, and another behind it; NULL: none */
  enum hb_status (*work)(const struct hb_opts *opts);
};

/* Options that are answered instead of running the command. */
enum hb_opts_question { HB_OPTS_NOTHING_ASKED, HB_OPTS_HELP, HB_OPTS_VERSION };

/* --help or -h, --version or -v. */
enum hb_opts_question hb_opts_question_of(const char *word);

/* Fills *opts from the words behind the command's name. operands has room for count words and is lent to
 * *opts. HB_OK with *asked when --help or --version was among them: nothing else is checked then.
 * Errors: HB_ERR_USAGE with a sentence that names the option and the value. */
enum hb_status hb_opts_parse(const struct hb_opts_command *command, int count, char **words,
                             const char **operands, struct hb_opts *opts, enum hb_opts_question *asked);

/* Options of a command, those that every command has not counted. */
size_t hb_opts_count(const struct hb_opts_command *command);

/* The k-th option of a command, then those that every command has, then NULL. */
const struct hb_opts_option *hb_opts_option_at(const struct hb_opts_command *command, size_t k);

/* Errors: HB_ERR_USAGE where the k-th option's number is above most. */
enum hb_status hb_opts_check_most(const struct hb_opts *opts, size_t k, double most);

void hb_opts_help(const struct hb_opts_command *command, FILE *out);

/* Name and help, aligned and wrapped as in --help. */
void hb_opts_help_row(const char *name, const char *help, FILE *out);

/* "  NAME" and "SUMMARY (SOURCE)behind" as such a row; source may be "". */
void hb_opts_help_entry(const char *name, const char *summary, const char *source, const char *behind,
                        FILE *out);

/* Fails with "unknown WHAT 'word'" and the nearest choice, or all of them when none is near. */
enum hb_status hb_opts_unknown(const char *what, const char *word, const char *(*choice)(size_t k));

/* The command with the options given that shape the result, quoted for a shell: a line of history. */
enum hb_status hb_opts_line(const struct hb_opts *opts, struct hb_text *line);

/* "eta=0.01 eps=0.00390625 ...": every option that shapes the result and has a value, defaults included. */
enum hb_status hb_opts_record(const struct hb_opts *opts, struct hb_text *record);

/* The shortest decimal that reads back as number. */
void hb_opts_shortest(double number, char text[32]);

#endif

/* What a report is made from: records, the lines that jobs wrote and papers printed; and report.json, whose rows say what is run,
 * derived and drawn. Sentences are in templates. report.json has
 *   styles, words, functions      looks of curves; lists that rows go through; functions of expressions
 *   records                       that are there from the start: sources of forces
 *   begin, probes, probed, jobs   rows that plan, see reproduce_jobs.c
 *   papers, derived, numbers      tables of papers that become records, rows that derive others, what sentences name
 *   figures, tables               see reproduce.c
 *
 * Expressions have ( ) ^ * / + - < > = & | ! and numbers, and
 *   name         what was set, or what a loop or a record around has; an error if there is none
 *   .name        the same; NaN or "" if there is none
 *   [run source=tile n={n} wall_s]   a field of the last record of kind "run" with these values; {...} stands for the value of an
 *                expression; * and ? in a value are wild, and * for a field counts each record as 1
 *   most[...]    of |field| of all such records; likewise least, mean, gmean (geometric), sum, count; where: the n of the most
 *   [table: key: column]             of a table of data/paper or data/measured
 *   if(a, b, c), those listed in values.c, and "functions": "name": ["names of arguments", expression] */
#ifndef HB_VALUES_H
#define HB_VALUES_H

#include "base/draft.h"

#include <cJSON.h>

struct hb_values {
  cJSON *design;         /* report.json                                      */
  cJSON *records;        /* of each kind an array of objects, in their order */
  cJSON *given;          /* what was set, by name                            */
  enum hb_status status; /* the first failure */
};

/* Errors: HB_ERR_INPUT, HB_ERR_IO. */
enum hb_status hb_values_open(struct hb_values *v);
void hb_values_close(struct hb_values *v);

/* Sets a member, nullable object; markup is not escaped. */
void hb_values_number(cJSON *object, const char *name, double number);
void hb_values_word(cJSON *object, const char *name, const char *word);
void hb_values_markup(cJSON *object, const char *name, const char *markup);

/* ---- records ---- */

/* Adds a record, "run source=tile n=1024"; object: its other fields, which it becomes, nullable, then without a first word the kind
 * is its own field. */
cJSON *hb_values_record(struct hb_values *v, const char *labels, cJSON *object);

/* The next one after that (NULL: the first); NULL: there is none. */
const cJSON *hb_values_next(const struct hb_values *v, const cJSON *after, const char *filter);

/* A field; "" and NaN if missing. The text of a number is valid until `room` is used again. */
const char *hb_values_text(const cJSON *record, const char *name, char room[64]);
double hb_values_field(const cJSON *record, const char *name);

/* ---- expressions and rows ---- */

/* Names, from the inside out; then those that were set. */
struct hb_scope {
  const cJSON *names;
  const struct hb_scope *outside;
};

enum { HB_VALUES_TEXT = 512 };

double hb_values_of(struct hb_values *v, const struct hb_scope *scope, const char *expression);

/* A member of a row as an expression; fallback: there is none. */
double hb_values_in(struct hb_values *v, const struct hb_scope *scope, const cJSON *row, const char *name,
                    double fallback);

/* The pattern with values for {...}; NULL: "". Returns text. */
const char *hb_values_fill(struct hb_values *v, const struct hb_scope *scope, const char *pattern,
                           char text[HB_VALUES_TEXT]);
const char *hb_values_word_in(const cJSON *row, const char *name); /* as it stands; "": there is none */

/* What a row without "do" is for; levels of loops to leave. */
typedef int hb_values_leaf(struct hb_values *v, const cJSON *row, const struct hb_scope *scope,
                           void *context);

/* Goes through rows, objects of
 *   "if": expression                                 else the row is passed over
 *   "for": name, "in": words                         for each word of the list: an object with its fields, or [name, label, style], or
 *                                                    a word that is all three; "index" is its place, "ordinal" that as a style
 *   "for": name, "of": filter                        for each record
 *   "for": name, "from", "while", "next": expressions
 *   "do": rows; "stop": levels of loops to leave
 * A word or record with a field "source" has those of that source, too. Returns what is left of the levels. */
int hb_values_walk(struct hb_values *v, const cJSON *rows, const struct hb_scope *scope, hb_values_leaf *leaf,
                   void *context);

/* A leaf: {"record": labels of a new one, or "change": filter of the one that gets the fields, "fields": {name: expression, or a word
 * after '}}. Those that are no number are left out; later ones name earlier ones. */
int hb_values_derive(struct hb_values *v, const cJSON *row, const struct hb_scope *scope, void *context);

/* ---- templates ---- */

/* {{#figure fig1}} caption {{/figure}} and {{#table ...}}: sets what figure.html and table.html name beside the caption. */
typedef void hb_values_draw(void *context, const char *kind, const char *name, const struct hb_scope *scope,
                            cJSON *shown);

struct hb_page {
  struct hb_values *values;
  hb_values_draw *draw;
  void *context;
  struct hb_draft html;
};

/* Appends a template, by its file, or the text, whose name is for errors:
 *   {{expression}} {{expression:3}}       a word, or a number with that many digits (default 7)
 *   {{#if expression}} ... {{else}} ... {{/if}}     true: a number but not 0, a word that is not empty
 *   {{#each filter}} ... {{/each}}        the fields of each record, and "index", from 0
 *   {{> file}}                            another template
 * A line with nothing but one of {{#...}} {{else}} {{/...}} {{>...}} leaves no line. An unknown name is an error, even on a branch
 * that is not taken; a field .name only on one that is. Templates are embedded at build time; those in the folder HB_REPORT_DIR
 * override them. Errors are kept in html: HB_ERR_INPUT with file, line and reason. */
void hb_page_put(struct hb_page *page, const char *file, const char *text);

/* "1.7 x 10^-6" as markup, with that many digits; a dash for NaN. */
void hb_values_digits(double value, int digits, struct hb_draft *html);

/* Every file in data/report, and data/paper/claims.json; ends with {0, 0}. Generated by tools/embed.sh. */
struct hb_template_file {
  const char *name, *text;
};
extern const struct hb_template_file hb_template_files[];

#endif

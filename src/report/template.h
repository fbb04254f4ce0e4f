/* Templates of data/report: text with named values in it.
 *   {{name}} {{name:3}}       a word, or a number with so many digits (7)
 *   {{#if name}} {{#if not name}} {{#if a > b}} ... {{else}} ... {{/if}}     > < = of names and numbers; a name is true when
 *                             it is a number but 0, a text that is not empty, a list that has rows
 *   {{#each list}} ... {{/each}}          the names of a row and "index", from 0
 *   {{> file}}                another template
 *   {{#figure name}} ... {{/figure}}      figure.html with the names in the first row of that list, and what stands between
 *                             as "caption"; table.html likewise
 * A line with nothing but one of {{#...}} {{else}} {{/...}} {{>...}} leaves no line. A name that is not known is an error, on
 * a branch that is not taken, too. Templates are embedded at build time; the folder HB_REPORT_DIR wins. */
#ifndef HB_TEMPLATE_H
#define HB_TEMPLATE_H

#include "base/draft.h"

#include <cJSON.h>

/* Every file under data/report, ended by {0, 0}; made by tools/embed.sh. */
struct hb_template_file {
  const char *name, *text;
};
extern const struct hb_template_file hb_template_files[];

/* Values are the members of an object; a name that is there gets the new value. Without memory for it the name is unknown. */
void hb_values_number(cJSON *values, const char *name, double number);
void hb_values_word(cJSON *values, const char *name, const char *word);
void hb_values_markup(cJSON *values, const char *name, const char *markup);

/* A list without rows; names are those that its rows will have, blank separated, so that a template is checked without
 * rows, too. */
void hb_values_list(cJSON *values, const char *name, const char *names);
cJSON *hb_values_row(cJSON *values, const char *list);

/* Appends a filled template. Errors kept in html: HB_ERR_INPUT with file, line and reason. */
void hb_template_put(const char *file, const cJSON *values, struct hb_draft *html);

/* Text with what HTML would take for markup escaped. */
void hb_template_escape(const char *text, struct hb_draft *html);

/* "1.7 x 10^-6" as markup, with so many digits; a dash for NaN. */
void hb_template_number(double value, int digits, struct hb_draft *html);

#endif

#include "report/report.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- the page ---------------------------------------------------------------------------------------- */

void hb_report_put(struct hb_report *report, const char *file)
{
  hb_template_put(file, report->values, &report->html);
}

enum hb_status hb_report_save(struct hb_report *report, const char *path, unsigned *lacks)
{
  static const char lack[] = "<p class=\"lack\">";
  *lacks = 0;
  for (const char *s = report->html.text.text; s && (s = strstr(s, lack)); s += sizeof lack) ++*lacks;
  cJSON_Delete(report->values);
  report->values = NULL;
  return hb_draft_save(&report->html, path);
}

/* ---- tables ------------------------------------------------------------------------------------------ */

static void next_cell(struct hb_report_table *table)
{
  if (table->column == 0) hb_draft_put(&table->rows, "<tr>");
  if (table->column++ > 0) hb_draft_put(&table->csv, ",");
}

static void end_row(struct hb_report_table *table)
{
  hb_draft_put(&table->csv, "\n");
  hb_draft_put(&table->rows, "</tr>");
  table->column = 0;
}

/* "8800GTX [s]" is 8800GTX above its unit, and "8800GTX [s]" in the CSV; "~t [s]" has two columns there, the value and its
 * error. */
struct hb_report_table hb_report_table(struct hb_report *report, const char *name, const char *columns)
{
  struct hb_report_table table = {.report = report, .name = name};
  const char *any = strstr(columns, " [");
  hb_draft_put(&table.rows, "<thead>");
  for (const char *c = columns; *c; c += *c == '|') {
    int has_error = *c == '~';
    c += has_error;
    size_t length = strcspn(c, "|"), word_length = strcspn(c, "[|");
    char word[96], unit[96] = "";
    snprintf(word, sizeof word, "%.*s",
             (int)(word_length && c[word_length] == '[' ? word_length - 1 : word_length), c);
    if (word_length < length)
      snprintf(unit, sizeof unit, "%.*s", (int)(length - word_length - 2), c + word_length + 1);
    for (int k = 0; k <= has_error; k++) {
      next_cell(&table);
      hb_draft_put(&table.csv, "%s%s%s%s%s", k ? "error of " : "", word, *unit ? " [" : "", unit,
                   *unit ? "]" : "");
    }
    hb_draft_put(&table.rows, "<th>");
    hb_template_escape(word, &table.rows);
    hb_draft_put(&table.rows, "<small>%s</small></th>", *unit ? unit : any ? "&nbsp;" : "");
    c += length;
  }
  table.columns = table.column;
  end_row(&table);
  hb_draft_put(&table.rows, "</thead>\n<tbody>\n");
  return table;
}

/* A comma would end the cell of the CSV. */
void hb_report_table_word(struct hb_report_table *table, const char *word)
{
  next_cell(table);
  for (const char *c = word; *c; c++) hb_draft_put(&table->csv, "%c", *c == ',' ? ';' : *c);
  hb_draft_put(&table->rows, "<td class=\"word\">");
  hb_template_escape(word, &table->rows);
  hb_draft_put(&table->rows, "</td>");
}

static void put_number(struct hb_report_table *table, double value)
{
  next_cell(table);
  if (isfinite(value)) hb_draft_put(&table->csv, "%.6g", value);
}

void hb_report_table_number(struct hb_report_table *table, double value, int digits)
{
  put_number(table, value);
  hb_draft_put(&table->rows, "<td>");
  hb_template_number(value, digits, &table->rows);
  hb_draft_put(&table->rows, "</td>");
}

void hb_report_table_measure(struct hb_report_table *table, double value, double error)
{
  put_number(table, value);
  put_number(table, error);
  hb_draft_put(&table->rows, "<td>");
  hb_template_number(value, 3, &table->rows);
  if (isfinite(value) && isfinite(error)) {
    hb_draft_put(&table->rows, " &plusmn; ");
    hb_template_number(error, 1, &table->rows);
  }
  hb_draft_put(&table->rows, "</td>");
}

void hb_report_table_row(struct hb_report_table *table, const char *cells, ...)
{
  va_list list;
  va_start(list, cells);
  for (; *cells; cells++)
    if (*cells == 'w') {
      hb_report_table_word(table, va_arg(list, const char *));
    } else if (*cells == 'm') {
      double value = va_arg(list, double), error = va_arg(list, double);
      hb_report_table_measure(table, value, error);
    } else {
      hb_report_table_number(table, va_arg(list, double), *cells - '0');
    }
  va_end(list);
  end_row(table);
  hb_draft_put(&table->rows, "\n");
}

void hb_report_table_end(struct hb_report_table *table)
{
  struct hb_report *report = table->report;
  hb_values_list(report->values, table->name, "");
  cJSON *values = hb_values_row(report->values, table->name);
  hb_values_word(values, "name", table->name);
  hb_values_number(values, "columns", (double)table->columns);
  hb_values_markup(values, "rows", table->rows.text.text ? table->rows.text.text : "");
  hb_draft_note(&report->html, table->rows.status);
  hb_draft_clear(&table->rows);
  hb_draft_note(&report->html, hb_draft_save(&table->csv, hb_phrase("data/%s.csv", table->name)));
  report->tables++;
}

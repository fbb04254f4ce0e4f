#include "report/report.h"

#include "base/file.h"
#include "base/mem.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void note(struct hb_report *report, enum hb_status status)
{
  if (report->status == HB_OK) report->status = status;
}

/* ---- text -------------------------------------------------------------------------------------------- */

static void put_list(struct hb_report *report, const char *format, va_list list)
{
  char *text = NULL;
  if (report->status != HB_OK) return;
  if (vasprintf(&text, format, list) < 0) {
    note(report, hb_fail(HB_ERR_INTERNAL, "no memory for the report"));
    return;
  }
  note(report, hb_text_append_bytes(&report->html, text, strlen(text)));
  free(text);
}

void hb_report_put(struct hb_report *report, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  put_list(report, format, list);
  va_end(list);
}

static void escape(struct hb_report *report, struct hb_text *to, const char *text)
{
  for (const char *c = text; *c && report->status == HB_OK; c++) {
    const char *entity = *c == '<' ? "&lt;" : *c == '>' ? "&gt;" : *c == '&' ? "&amp;" : NULL;
    note(report, entity ? hb_text_append_bytes(to, entity, strlen(entity)) : hb_text_append_bytes(to, c, 1));
  }
}

void hb_report_text(struct hb_report *report, const char *text) { escape(report, &report->html, text); }

const char *hb_report_number(double value, int digits)
{
  static char texts[32][128];
  static int next;
  char *text = texts[next++ % 32], plain[32];
  if (!isfinite(value)) return "&ndash;";
  snprintf(plain, sizeof plain, "%.*g", digits, value);
  char *e = strchr(plain, 'e');
  int exponent = 0;
  if (e && sscanf(e + 1, "%d", &exponent) == 1 && exponent >= digits && exponent < 7) {
    snprintf(text, sizeof texts[0], "%.0f", strtod(plain, NULL));
  } else if (e) {
    *e = 0;
    snprintf(text, sizeof texts[0], "<span class=\"n\">%s%s%s<sup>%s%d</sup></span>",
             strcmp(plain, "1") == 0 ? "" : plain, strcmp(plain, "1") == 0 ? "" : "&thinsp;&times;&thinsp;",
             "10", exponent < 0 ? "&minus;" : "", abs(exponent));
  } else {
    snprintf(text, sizeof texts[0], "%s%s", *plain == '-' ? "&minus;" : "", plain + (*plain == '-'));
  }
  return text;
}

void hb_report_lack(struct hb_report *report, const char *format, ...)
{
  va_list list;
  report->lacks++;
  hb_report_put(report, "<p class=\"lack\">");
  va_start(list, format);
  put_list(report, format, list);
  va_end(list);
  hb_report_put(report, "</p>\n");
}

/* ---- the page ---------------------------------------------------------------------------------------- */

static const char style[] =
    "html{background:#fff}"
    "body{font:17px/1.55 'Charter','Bitstream Charter','Source Serif Pro','Iowan Old Style',Cambria,'DejaVu "
    "Serif',serif;"
    "color:#1a1a1a;max-width:50rem;margin:4rem auto 8rem;padding:0 1.5rem}"
    "h1{font-size:2.1rem;line-height:1.15;font-weight:600;margin:0 0 .6rem}"
    "h2{font-size:1.4rem;font-weight:600;margin:3.6rem 0 .8rem;padding-top:1rem;border-top:1px solid #bbb}"
    "h3{font-size:1.08rem;font-weight:600;margin:2.4rem 0 .5rem}"
    "p{margin:.7rem "
    "0;text-align:justify;hyphens:auto}p.lead{font-size:1.1rem}p.byline{color:#555;margin:.2rem 0}"
    "ul.found li{margin:.45rem 0}"
    "figure{margin:2rem 0}figure svg{width:100%;height:auto;display:block}"
    "figcaption,p.caption{font-size:.87rem;line-height:1.45;color:#333;text-align:left}"
    "figcaption b,p.caption b{color:#000}"
    ".wide{overflow-x:auto}"
    "table{border-collapse:collapse;font-size:.87rem;line-height:1.35;margin:.5rem 0 1.2rem;"
    "border-top:1.5px solid #1a1a1a;border-bottom:1.5px solid #1a1a1a;font-variant-numeric:tabular-nums}"
    "th{font-weight:600;border-bottom:1px solid #1a1a1a;text-align:right;vertical-align:bottom;padding:.3rem "
    ".7rem}"
    "th small{display:block;font-weight:400;color:#555}"
    "td{text-align:right;padding:.16rem .7rem;white-space:nowrap}"
    "th:first-child,td:first-child,td.word{text-align:left}td.word{white-space:normal}"
    ".many table{font-size:.76rem}.many th,.many td{padding-left:.4rem;padding-right:.4rem}"
    "tbody tr:hover{background:#f4f4f0}"
    "sup,sub{line-height:0}.n{white-space:nowrap}a{color:#0b4f8a}"
    "code,pre{font-family:'DejaVu Sans Mono',Menlo,Consolas,monospace;font-size:.78rem}"
    "pre{background:#f6f6f2;padding:.8rem 1rem;white-space:pre-wrap;overflow-wrap:anywhere;line-height:1.5}"
    "p.lack{color:#a00;border-left:3px solid #a00;padding-left:.8rem}"
    "nav{font-size:.9rem;columns:2;margin:1.6rem 0}nav "
    "a{display:block;color:#1a1a1a;text-decoration:none;padding:.1rem 0}"
    "nav a:hover{text-decoration:underline}"
    "@media "
    "print{body{margin:0;max-width:none;font-size:10.5pt}h2{break-after:avoid}figure,table{break-inside:"
    "avoid}}";

/* The policy has the browser refuse, and say so, whatever the page would load. */
void hb_report_begin(struct hb_report *report, const char *title)
{
  hb_report_put(report, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                        ""
                        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                        "style-src 'unsafe-inline'\">\n"
                        "<meta name=\"viewport\" content=\"width=device-width\">\n<title>");
  hb_report_text(report, title);
  hb_report_put(report, "</title>\n<style>%s</style>\n</head>\n<body>\n", style);
}

enum hb_status hb_report_end(struct hb_report *report, const char *path)
{
  hb_report_put(report, "</body>\n</html>\n");
  enum hb_status status = report->status;
  if (status == HB_OK) status = hb_file_replace(path, report->html.text, report->html.length);
  hb_mem_free(report->html.text);
  report->html = (struct hb_text){0};
  return status;
}

/* ---- tables ------------------------------------------------------------------------------------------ */

static void next_cell(struct hb_report_table *table)
{
  if (table->column++ > 0) note(table->report, hb_text_append(&table->csv, ","));
}

/* "8800GTX [s]" is 8800GTX above its unit, and "8800GTX [s]" in the CSV; "~t [s]" has two columns there, the value and its
 * error. */
void hb_report_table_head(struct hb_report_table *table, const char *columns)
{
  struct hb_report *report = table->report;
  const char *any = strstr(columns, " [");
  note(report, hb_text_append(&table->rows, "<thead><tr>"));
  for (const char *c = columns; *c; c += *c == '|') {
    int has_error = *c == '~';
    c += has_error;
    size_t length = strcspn(c, "|"), name = strcspn(c, "[|");
    char word[96], unit[96] = "";
    snprintf(word, sizeof word, "%.*s", (int)(name && c[name] == '[' ? name - 1 : name), c);
    if (name < length) snprintf(unit, sizeof unit, "%.*s", (int)(length - name - 2), c + name + 1);
    for (int k = 0; k <= has_error; k++) {
      next_cell(table);
      note(report, hb_text_append(&table->csv, "%s%s%s%s%s", k ? "error of " : "", word, *unit ? " [" : "",
                                  unit, *unit ? "]" : ""));
    }
    note(report, hb_text_append(&table->rows, "<th>"));
    escape(report, &table->rows, word);
    note(report, hb_text_append(&table->rows, "<small>%s</small></th>", *unit ? unit : any ? "&nbsp;" : ""));
    c += length;
  }
  note(report, hb_text_append(&table->rows, "</tr></thead>\n<tbody>\n<tr>"));
  note(report, hb_text_append(&table->csv, "\n"));
  table->columns = table->column;
  table->column = 0;
}

/* A comma would end the cell of the CSV. */
void hb_report_table_word(struct hb_report_table *table, const char *word)
{
  next_cell(table);
  for (const char *c = word; *c; c++)
    note(table->report, hb_text_append_bytes(&table->csv, *c == ',' ? ";" : c, 1));
  note(table->report, hb_text_append(&table->rows, "<td class=\"word\">"));
  escape(table->report, &table->rows, word);
  note(table->report, hb_text_append(&table->rows, "</td>"));
}

void hb_report_table_number(struct hb_report_table *table, double value, int digits)
{
  next_cell(table);
  if (isfinite(value)) note(table->report, hb_text_append(&table->csv, "%.6g", value));
  note(table->report, hb_text_append(&table->rows, "<td>%s</td>", hb_report_number(value, digits)));
}

void hb_report_table_measure(struct hb_report_table *table, double value, double error)
{
  const double both[] = {value, error};
  for (int k = 0; k < 2; k++) {
    next_cell(table);
    if (isfinite(both[k])) note(table->report, hb_text_append(&table->csv, "%.6g", both[k]));
  }
  note(table->report, hb_text_append(&table->rows, "<td>%s", hb_report_number(value, 3)));
  if (isfinite(value) && isfinite(error))
    note(table->report, hb_text_append(&table->rows, " &plusmn; %s", hb_report_number(error, 1)));
  note(table->report, hb_text_append(&table->rows, "</td>"));
}

void hb_report_table_row_end(struct hb_report_table *table)
{
  note(table->report, hb_text_append(&table->csv, "\n"));
  note(table->report, hb_text_append(&table->rows, "</tr>\n<tr>"));
  table->column = 0;
}

void hb_report_table_end(struct hb_report_table *table, const char *title, const char *caption)
{
  struct hb_report *report = table->report;
  char path[128];
  snprintf(path, sizeof path, "data/%s.csv", table->name);
  if (report->status == HB_OK) note(report, hb_file_replace(path, table->csv.text, table->csv.length));
  size_t length = table->rows.length >= 4 ? table->rows.length - 4 : 0; /* without the row that was begun */
  hb_report_put(report, "<p class=\"caption\"><b>%s.</b> %s <a href=\"%s\">CSV</a></p>\n", title, caption,
                path);
  hb_report_put(report, "<div class=\"wide%s\"><table>\n%.*s</tbody></table></div>\n",
                table->columns > 7 ? " many" : "", (int)length, table->rows.text ? table->rows.text : "");
  report->tables++;
  hb_mem_free(table->csv.text);
  hb_mem_free(table->rows.text);
}

#include "perf/paper.h"

#include "perf/machine_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The start of a row, NULL after the last. */
static const char *find_row(const char *table, size_t row)
{
  const struct hb_paper_file *file = hb_paper_files;
  size_t length = strlen(table);
  while (file->name && (strncmp(file->name, table, length) != 0 || strcmp(file->name + length, ".csv") != 0))
    file++;
  const char *line = file->text;
  for (; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
    if (*line != '#' && row-- == 0) return line;
  return NULL;
}

int hb_paper_cell(const char *table, size_t row, size_t column, char cell[HB_PAPER_CELL])
{
  const char *s = find_row(table, row);
  if (!s) return 0;
  for (; column > 0; column--) {
    s += strcspn(s, ",\n");
    if (*s++ != ',') return 0;
  }
  snprintf(cell, HB_PAPER_CELL, "%.*s", (int)strcspn(s, ",\n"), s);
  return 1;
}

double hb_paper_number(const char *table, size_t row, size_t column)
{
  char cell[HB_PAPER_CELL], *end;
  if (!hb_paper_cell(table, row, column, cell) || !*cell) return NAN;
  double value = strtod(cell, &end);
  return *end ? NAN : value;
}

double hb_paper_value(const char *table, const char *key, const char *column)
{
  char cell[HB_PAPER_CELL];
  size_t place = 0, length = strlen(key);
  while (hb_paper_cell(table, 0, place, cell) && strcmp(cell, column) != 0) place++;
  for (size_t row = 1; find_row(table, row); row++) {
    const char *line = find_row(table, row);
    if (strncmp(line, key, length) == 0 && line[length] == ',') return hb_paper_number(table, row, place);
  }
  return NAN;
}

double hb_paper_seconds(int machine, size_t n, int *is_printed)
{
  char key[32];
  snprintf(key, sizeof key, "%zu", n);
  double printed = hb_paper_value("table2", key, hb_machines[machine].name);
  *is_printed = printed > 0;
  return *is_printed ? 4 * printed : hb_machine_time(&hb_machines[machine], (double)n);
}

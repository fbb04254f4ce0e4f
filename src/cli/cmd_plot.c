/* holmberg plot: the standard figures of a run from the file of its diagnostics. */
#include "base/mem.h"
#include "cli/cmd.h"
#include "plot/diag_table.h"
#include "plot/figure.h"
#include "plot/gnuplot.h"

#include <stdio.h>
#include <string.h>

enum { PLOT_OUTPUT, PLOT_ONLY, PLOT_QUIET, PLOT_COUNT };

static const struct hb_opts_option options[PLOT_COUNT] = {
    [PLOT_OUTPUT] = {"output", 'o', HB_OPTS_TEXT, HB_OPTS_SHOWS_RESULT, "FIGURE", NULL, NULL,
                     "where to, as .png, .svg or .pdf (default: FILE with .png for its extension)"},
    [PLOT_ONLY] = {"only", 0, HB_OPTS_CHOICE, HB_OPTS_SHOWS_RESULT, "PANEL", NULL, hb_figure_panel_name,
                   "one figure in place of all on a page: energy, radii, blocks, phases"},
    [PLOT_QUIET] = {"quiet", 0, HB_OPTS_FLAG, HB_OPTS_SHOWS_RESULT, NULL, NULL, NULL, "no summary line"},
};

static const char *base_name(const char *path)
{
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

/* "run/a.csv" -> "run/a.png" */
static enum hb_status figure_of(const char *file, struct hb_text *figure)
{
  const char *dot = strrchr(base_name(file), '.');
  return hb_text_append(figure, "%.*s.png", (int)(dot ? dot - file : (long)strlen(file)), file);
}

static enum hb_status draw(const struct hb_opts *opts, const char *figure)
{
  const struct hb_opts_value *only = &opts->values[PLOT_ONLY];
  unsigned set = 0;
  for (size_t k = 0; only->given && hb_figure_panel_name(k); k++)
    if (strcmp(only->text, hb_figure_panel_name(k)) == 0) set = 1u << k;
  struct hb_diag_table table = {0};
  enum hb_status status = hb_gnuplot_check(figure);
  if (status == HB_OK) status = hb_diag_table_read(opts->operands[0], &table);
  if (status == HB_OK) status = hb_figure_draw(&table, base_name(opts->operands[0]), set, figure);
  if (status == HB_OK && !opts->values[PLOT_QUIET].given) printf("wrote %s: %zu rows\n", figure, table.rows);
  hb_diag_table_clear(&table);
  return status;
}

static enum hb_status work(const struct hb_opts *opts)
{
  const char *figure = opts->values[PLOT_OUTPUT].text;
  struct hb_text own = {0};
  enum hb_status status = figure ? HB_OK : figure_of(opts->operands[0], &own);
  if (status == HB_OK) status = draw(opts, figure ? figure : own.text);
  hb_mem_free(own.text);
  return status;
}

const struct hb_opts_command hb_cmd_plot = {
    .name = "plot",
    .summary = "Draw energy error, Lagrangian radii, block sizes and phases of a run from its diagnostics.",
    .operand = "FILE",
    .operand_min = 1,
    .operand_max = 1,
    .options = options,
    .option_count = PLOT_COUNT,
    .example = "  holmberg plot cluster.csv        # after holmberg run cluster.h5 --diag cluster.csv\n"
               "  holmberg plot cluster.csv --only radii -o radii.pdf\n",
    .work = work,
};

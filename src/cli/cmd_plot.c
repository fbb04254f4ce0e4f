/* holmberg plot: the standard figures of a run, from its files of rows. */
#include "base/mem.h"
#include "base/text.h"
#include "cli/cmd.h"
#include "console/target.h"
#include "console/terminal.h"
#include "plot/plot.h"

struct settings {
  const char *output;
  int only; /* with --only */
  int quiet;
};

#define FIELD(member) HB_SETTING_FIELD(struct settings, member)
static const struct hb_setting options[] = {
    {"output", 'o', HB_SETTING_TEXT, FIELD(output), "FIGURE",
     .help = "figure to write, .png, .svg or .pdf (default: FILE with extension .png)"},
    {"only", 0, HB_SETTING_CHOICE, FIELD(only), "PANEL", .words.at = hb_figure_panel_name,
     .help = "a single figure instead of a page of all: energy, radii, blocks, phases; of --follow: "
             "steps, nearest"},
    {0}};

static enum hb_status draw(const struct hb_opts *opts, const char *figure)
{
  const struct settings *s = opts->settings;
  unsigned set = hb_opts_typed(opts, &s->only) ? 1u << s->only : 0;
  size_t rows;
  HB_TRY(hb_plot_check(figure));
  HB_TRY(hb_figure_draw(opts->operands[0], set, figure, &rows));
  if (!s->quiet) hb_terminal_say("wrote %s: %zu row%s", figure, rows, hb_text_s(rows));
  return HB_OK;
}

static enum hb_status work(const struct hb_opts *opts)
{
  const char *figure = ((const struct settings *)opts->settings)->output;
  struct hb_text own = {0};
  enum hb_status status = figure ? HB_OK : hb_target_beside(opts->operands[0], "png", &own);
  if (status == HB_OK) status = draw(opts, figure ? figure : own.text);
  hb_mem_free(own.text);
  return status;
}

const struct hb_opts_command hb_cmd_plot = {
    .name = "plot",
    .summary =
        "Draw energy error, Lagrangian radii, block sizes and phases of a run, or the steps of a particle.",
    .operand = "FILE",
    .operand_min = 1,
    .operand_max = 1,
    .groups = {{.options = options}, {.options = hb_opts_quiet, .at = offsetof(struct settings, quiet)}},
    .settings_size = sizeof(struct settings),
    .example = "  holmberg plot cluster.csv        # after holmberg run cluster.h5 --diag cluster.csv\n"
               "  holmberg plot follow.csv         # after holmberg run cluster.h5 --follow 17\n"
               "  holmberg plot cluster.csv --only radii -o radii.pdf\n",
    .work = work,
};

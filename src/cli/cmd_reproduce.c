/* holmberg reproduce: the tables and figures of 2007 beside this machine, as a report. */
#include "cli/cmd.h"
#include "console/list.h"
#include "report/reproduce.h"

#include <string.h>

enum {
  REPRODUCE_OUT,
  REPRODUCE_QUICK,
  REPRODUCE_FULL,
  REPRODUCE_ONLY,
  REPRODUCE_LONGEST,
  REPRODUCE_N_MOST,
  REPRODUCE_JOBS_ONLY,
  REPRODUCE_CONTEXT,
  REPRODUCE_DEVICE,
  REPRODUCE_COUNT
};

static const struct hb_opts_option options[REPRODUCE_COUNT] = {
    [REPRODUCE_OUT] =
        {"out", 'o', HB_OPTS_TEXT, HB_OPTS_SHOWS_RESULT, "DIR", "reproduction", NULL,
         "folder of the report; what an earlier, stopped reproduction left there is not done again"},
    [REPRODUCE_QUICK] = {"quick", 0, HB_OPTS_FLAG, HB_OPTS_SHAPES_RESULT, NULL, NULL, NULL,
                         "smaller N, fewer points: minutes on two cores without a GPU (this is the default)"},
    [REPRODUCE_FULL] = {"full", 0, HB_OPTS_FLAG, HB_OPTS_SHAPES_RESULT, NULL, NULL, NULL,
                        "the N of the papers, as far as a job stays below --longest: hours"},
    [REPRODUCE_ONLY] = {"only", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "LIST", NULL, NULL,
                        "these sections only, see below"},
    [REPRODUCE_LONGEST] =
        {"longest", 0, HB_OPTS_DURATION, HB_OPTS_SHAPES_RESULT, "TIME", NULL, NULL,
         "N and nu go as far as a single job takes at most this, by its estimate (default 4s, "
         "with --full 1h)"},
    [REPRODUCE_N_MOST] = {"n-most", 0, HB_OPTS_COUNT, HB_OPTS_SHAPES_RESULT, "N", "1048576", NULL,
                          "no job has more particles; below 1024 the smallest N is a quarter of it"},
    [REPRODUCE_JOBS_ONLY] =
        {"jobs-only", 0, HB_OPTS_FLAG, HB_OPTS_SHOWS_RESULT, NULL, NULL, NULL,
         "no report, for a machine without gnuplot: the same command without this, also on "
         "another machine, writes it from the folder"},
    [REPRODUCE_CONTEXT] = {"context", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "C", NULL, NULL,
                           "egl, osmesa, glfw or auto"},
    [REPRODUCE_DEVICE] = {"device", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "D", NULL, NULL,
                          "INDEX, /dev/dri/... or software"},
};

static const char *section_choice(size_t k) { return hb_sections[k].name; }

/* ---- what was asked for ------------------------------------------------------------------------------ */

static enum hb_status choose(const struct hb_opts_value *values, unsigned *chosen)
{
  struct hb_list list;
  *chosen = 0;
  if (!values[REPRODUCE_ONLY].given) {
    for (size_t k = 0; hb_sections[k].name; k++) *chosen |= 1u << k;
    return HB_OK;
  }
  HB_TRY(hb_list_split(values[REPRODUCE_ONLY].text, ",", &list));
  for (size_t w = 0; w < list.count; w++) {
    size_t k = 0;
    while (hb_sections[k].name && strcmp(hb_sections[k].name, list.words[w]) != 0) k++;
    if (!hb_sections[k].name) return hb_opts_unknown("section", list.words[w], section_choice);
    *chosen |= 1u << k;
  }
  return HB_OK;
}

static enum hb_status set_up(const struct hb_opts_value *values, struct hb_reproduction *r)
{
  enum { LEAST = 64 };
  if (values[REPRODUCE_QUICK].given && values[REPRODUCE_FULL].given)
    return hb_fail(HB_ERR_USAGE, "options --quick and --full exclude each other");
  static const int words[] = {REPRODUCE_CONTEXT, REPRODUCE_DEVICE}; /* of command lines, between blanks */
  for (size_t k = 0; k < 2; k++)
    if (values[words[k]].given && strpbrk(values[words[k]].text, " \t\n\"\\"))
      return hb_fail(HB_ERR_USAGE, "option --%s: '%s' has blanks or quotes", options[words[k]].name,
                     values[words[k]].text);
  *r = (struct hb_reproduction){
      .out = values[REPRODUCE_OUT].text,
      .place = {.context = values[REPRODUCE_CONTEXT].text, .device = values[REPRODUCE_DEVICE].text},
      .is_full = values[REPRODUCE_FULL].given,
      .longest_s = values[REPRODUCE_LONGEST].number,
      .n_most = (size_t)values[REPRODUCE_N_MOST].count};
  if (r->n_most < LEAST)
    return hb_fail(HB_ERR_USAGE, "option --n-most: '%s' is out of range (expected at least %d)",
                   values[REPRODUCE_N_MOST].text, LEAST);
  return HB_OK;
}

static enum hb_status work(const struct hb_opts *opts)
{
  struct hb_reproduction r;
  unsigned chosen;
  HB_TRY(choose(opts->values, &chosen));
  HB_TRY(set_up(opts->values, &r));
  return hb_reproduce(&r, chosen, opts->values[REPRODUCE_JOBS_ONLY].given);
}

static void list_sections(FILE *out)
{
  fputs("\nsections:\n", out);
  for (size_t k = 0; hb_sections[k].name; k++)
    hb_opts_help_entry(hb_sections[k].name, hb_sections[k].title, "", "", out);
}

const struct hb_opts_command hb_cmd_reproduce = {
    .name = "reproduce",
    .summary = "Repeat the tables and figures of 2007 on this machine: a report in HTML, beside the printed "
               "numbers.",
    .options = options,
    .option_count = REPRODUCE_COUNT,
    .more_help = list_sections,
    .example = "  holmberg reproduce --out report\n"
               "  holmberg reproduce --only table2,fig2 --longest 30s\n",
    .work = work,
};

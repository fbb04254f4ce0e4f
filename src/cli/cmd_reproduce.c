/* holmberg reproduce: the tables and figures of 2007 beside this machine, as a report. */
#include "base/mem.h"
#include "cli/cmd.h"
#include "plot/gnuplot.h"
#include "console/list.h"
#include "report/reproduce_options.h"
#include "report/reproduce_sections.h"
#include "console/signals.h"
#include "console/terminal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

static enum hb_status set_up(const struct hb_opts_value *values, unsigned chosen, struct hb_reproduction *r)
{
  enum { LEAST = 64 };
  if (values[REPRODUCE_QUICK].given && values[REPRODUCE_FULL].given)
    return hb_fail(HB_ERR_USAGE, "options --quick and --full exclude each other");
  static const int words[] = {REPRODUCE_CONTEXT, REPRODUCE_DEVICE}; /* of command lines, between blanks */
  for (size_t k = 0; k < 2; k++)
    if (values[words[k]].given && strpbrk(values[words[k]].text, " \t\n\"\\"))
      return hb_fail(HB_ERR_USAGE, "option --%s: '%s' has blanks or quotes", options[words[k]].name,
                     values[words[k]].text);
  *r = (struct hb_reproduction){.values = values, .is_full = values[REPRODUCE_FULL].given};
  r->longest_s = values[REPRODUCE_LONGEST].given ? values[REPRODUCE_LONGEST].number : r->is_full ? 3600 : 4;
  r->n_most = (size_t)values[REPRODUCE_N_MOST].count;
  if (r->n_most < LEAST)
    return hb_fail(HB_ERR_USAGE, "option --n-most: '%s' is out of range (expected at least %d)",
                   values[REPRODUCE_N_MOST].text, LEAST);
  r->n_least = 256;
  while (r->n_least * 4 > r->n_most) r->n_least /= 2;
  for (size_t k = 0; hb_sections[k].name; k++)
    if (chosen >> k & 1) r->kinds |= hb_sections[k].kinds;
  return HB_OK;
}

/* Every path from here on is one in the folder; where shaders come from is not. */
static enum hb_status enter(const char *out)
{
  static const char *const folders[] = {"jobs", "data", "figures"};
  const char *shaders = getenv("HB_SHADER_DIR");
  char *absolute = shaders ? realpath(shaders, NULL) : NULL;
  if (absolute) setenv("HB_SHADER_DIR", absolute, 1);
  free(absolute);
  if (mkdir(out, 0777) != 0 && errno != EEXIST)
    return hb_fail(HB_ERR_IO, "cannot make folder %s: %s", out, strerror(errno));
  if (chdir(out) != 0) return hb_fail(HB_ERR_IO, "cannot enter folder %s: %s", out, strerror(errno));
  for (size_t k = 0; k < 3; k++)
    if (mkdir(folders[k], 0777) != 0 && errno != EEXIST)
      return hb_fail(HB_ERR_IO, "cannot make folder %s/%s: %s", out, folders[k], strerror(errno));
  return HB_OK;
}

/* ---- the jobs ---------------------------------------------------------------------------------------- */

static void say_estimate(const struct hb_reproduction *r)
{
  size_t due = 0, done = 0;
  double seconds = 0;
  char text[32];
  for (size_t k = 0; k < r->job_count; k++) {
    done += (size_t)r->jobs[k].is_done;
    due += (size_t)hb_job_is_due(&r->jobs[k]);
    seconds += hb_job_is_due(&r->jobs[k]) ? r->jobs[k].estimate_s : 0;
  }
  if (due == 0) {
    printf("%zu jobs are done, 0 are to do\n", done);
    return;
  }
  hb_terminal_duration(seconds, text);
  printf("%zu jobs are done, %zu are to do: about %s on this machine, by its measured rates\n", done, due,
         text);
  fflush(stdout);
}

static enum hb_status run_due(struct hb_reproduction *r)
{
  HB_TRY(hb_reproduce_resume(r));
  for (size_t k = 0; k < r->job_count; k++)
    if (hb_job_is_due(&r->jobs[k])) {
      HB_TRY(hb_reproduce_check_machine(r));
      break;
    }
  return hb_reproduce_run(r);
}

static enum hb_status work_through(struct hb_reproduction *r)
{
  HB_TRY(hb_reproduce_open_machine(r));
  for (int stage = 0; stage < 2; stage++) {
    HB_TRY(hb_reproduce_plan_probes(r, stage));
    HB_TRY(run_due(r));
    HB_TRY(hb_reproduce_take_probes(r, stage));
  }
  HB_TRY(hb_reproduce_plan(r));
  HB_TRY(hb_reproduce_resume(r));
  say_estimate(r);
  return run_due(r);
}

/* ---- the report -------------------------------------------------------------------------------------- */

static enum hb_status write_report(struct hb_reproduction *r, unsigned chosen)
{
  struct hb_report report = {0};
  const char *out = r->values[REPRODUCE_OUT].text;
  hb_section_head(r, &report, chosen);
  for (size_t k = 0; hb_sections[k].name; k++) {
    if (!(chosen >> k & 1)) continue;
    hb_report_put(&report, "<h2 id=\"%s\">%s</h2>\n", hb_sections[k].name, hb_sections[k].title);
    hb_sections[k].write(r, &report);
  }
  hb_section_foot(r, &report);
  HB_TRY(hb_report_end(&report, "report.html"));
  printf("wrote %s/report.html: %u tables, %u figures, each with its numbers in %s/data\n", out,
         report.tables, report.figures, out);
  if (report.lacks)
    return hb_fail(HB_ERR_INTERNAL, "%s/report.html lacks what %u of its sentences in red say", out,
                   report.lacks);
  return HB_OK;
}

static enum hb_status work(const struct hb_opts *opts)
{
  struct hb_reproduction r;
  unsigned chosen;
  HB_TRY(choose(opts->values, &chosen));
  HB_TRY(set_up(opts->values, chosen, &r));
  HB_TRY(enter(opts->values[REPRODUCE_OUT].text));
  if (!opts->values[REPRODUCE_JOBS_ONLY].given) HB_TRY(hb_gnuplot_check("report.svg"));
  hb_signals_watch();
  enum hb_status status = work_through(&r);
  if (status == HB_OK && !opts->values[REPRODUCE_JOBS_ONLY].given) status = write_report(&r, chosen);
  hb_reproduce_clear(&r);
  return status;
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

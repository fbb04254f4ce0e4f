/* From what was asked for to the report. */
#include "report/reproduce.h"

#include "console/signals.h"
#include "console/terminal.h"
#include "plot/gnuplot.h"
#include "report/reproduce_sections.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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
  hb_section_head(r, &report, chosen);
  for (size_t k = 0; hb_sections[k].name; k++) {
    if (!(chosen >> k & 1)) continue;
    hb_report_put(&report, "<h2 id=\"%s\">%s</h2>\n", hb_sections[k].name, hb_sections[k].title);
    hb_sections[k].write(r, &report);
  }
  hb_section_foot(r, &report);
  HB_TRY(hb_report_end(&report, "report.html"));
  printf("wrote %s/report.html: %u tables, %u figures, each with its numbers in %s/data\n", r->out,
         report.tables, report.figures, r->out);
  if (report.lacks)
    return hb_fail(HB_ERR_INTERNAL, "%s/report.html lacks what %u of its sentences in red say", r->out,
                   report.lacks);
  return HB_OK;
}

enum hb_status hb_reproduce(struct hb_reproduction *r, unsigned chosen, int jobs_only)
{
  if (r->longest_s == 0) r->longest_s = r->is_full ? 3600 : 4;
  r->n_least = 256;
  while (r->n_least * 4 > r->n_most) r->n_least /= 2;
  for (size_t k = 0; hb_sections[k].name; k++)
    if (chosen >> k & 1) r->kinds |= hb_sections[k].kinds;
  HB_TRY(enter(r->out));
  if (!jobs_only) HB_TRY(hb_gnuplot_check("report.svg"));
  hb_signals_watch();
  enum hb_status status = work_through(r);
  if (status == HB_OK && !jobs_only) status = write_report(r, chosen);
  hb_reproduce_clear(r);
  return status;
}

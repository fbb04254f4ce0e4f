#include "report/reproduce.h"

#include "console/signals.h"
#include "plot/gnuplot.h"
#include "report/reproduce_section.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

const struct hb_section hb_sections[] = {
    {"table1", "Table 1: the machines", HB_JOB_DEVICE, hb_section_table1},
    {"table2", "Table 2: seconds of the runs", HB_JOB_RUN, hb_section_table2},
    {"fig1", "Fig. 1: time against N", HB_JOB_RUN, hb_section_fig1},
    {"fig2", "Fig. 2: energy error against the accuracy parameter", HB_JOB_NU, hb_section_fig2},
    {"energy", "Section 6: energy errors, measured twice", HB_JOB_RUN, hb_section_energy},
    {"steps", "Section 5: block steps with rounded forces", HB_JOB_NU | HB_JOB_RUN, hb_section_steps},
    {"rounding", "Eqs 14 and 17: three roundings of the time step", HB_JOB_ROUNDING, hb_section_rounding},
    {"table3", "Table 3: the constants of the model", HB_JOB_MODEL, hb_section_table3},
    {"fig3", "Fig. 3: model against measurement", HB_JOB_MODEL, hb_section_fig3},
    {"fig4", "Fig. 4: speed-up over the host", HB_JOB_RUN, hb_section_fig4},
    {"fig5", "Fig. 5: what the paper predicted", HB_JOB_RUN, hb_section_fig5},
    {"hi07", "[HI07] Tables 2 and 3: sums in bags", HB_JOB_SUMS | HB_JOB_FORCE, hb_section_hi07},
    {"nhp07", "[NHP07] Figs 31-6 and 31-8: rates", HB_JOB_FORCE | HB_JOB_THREADS, hb_section_nhp07},
    {"differs", "What differs", HB_JOB_RUN | HB_JOB_NU | HB_JOB_ROUNDING, hb_section_differs},
    {NULL, NULL, 0, NULL},
};

/* ---- before and after the sections ------------------------------------------------------------------- */

static void fill_machine(const struct hb_reproduction *r, cJSON *values)
{
  const struct hb_record *probe = hb_reproduce_next(r, NULL, "kind=probe source=cg2007");
  hb_values_word(values, "device", hb_record_text(probe, "device"));
  hb_values_word(values, "context", hb_record_text(probe, "context"));
  hb_values_list(values, "machine", "name value");
  for (const struct hb_record *line = NULL; (line = hb_reproduce_next(r, line, "kind=machine"));) {
    cJSON *row = hb_values_row(values, "machine");
    hb_values_word(row, "name", hb_record_text(line, "name"));
    hb_values_word(row, "value", hb_record_text(line, "value"));
  }
  hb_values_list(values, "not_here", "source why");
  for (int k = 0; k < HB_SOURCES; k++) {
    if (r->sources[k].is_there) continue;
    cJSON *row = hb_values_row(values, "not_here");
    hb_values_word(row, "source", r->sources[k].name);
    hb_values_word(row, "why", r->sources[k].why_not);
  }
}

static void fill_jobs(const struct hb_reproduction *r, cJSON *values)
{
  double spent = 0;
  hb_values_list(values, "jobs", "command name seconds failure");
  for (size_t k = 0; k < r->job_count; k++) {
    const struct hb_job *job = &r->jobs[k];
    if (job->is_left_out) continue;
    cJSON *row = hb_values_row(values, "jobs");
    hb_values_word(row, "command", job->command);
    hb_values_word(row, "name", job->name);
    hb_values_word(row, "seconds", hb_phrase("%.1f", job->wall_s));
    hb_values_word(row, "failure", job->is_done ? "" : job->failure);
    spent += job->wall_s;
  }
  hb_values_word(values, "spent", hb_phrase("%.0f", spent));
}

static void fill_head(const struct hb_reproduction *r, unsigned chosen, struct hb_report *report)
{
  char date[64];
  time_t now = time(NULL);
  size_t n = 0; /* the largest run with both the host and the kernel of 2007 */
  strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", gmtime(&now));
  hb_values_word(report->values, "date", date);
  hb_values_word(report->values, "version", hb_library_version());
  for (size_t m = r->n_least; m <= r->n_most; m *= 2)
    if (hb_section_wall(r, HB_SOURCE_CG2007, m) > 0 && hb_section_wall(r, HB_SOURCE_HOST, m) > 0) n = m;
  hb_section_set(report, "found_n", (double)n);
  hb_section_set(report, "found_cg2007", hb_section_wall(r, HB_SOURCE_CG2007, n));
  hb_section_set(report, "found_host", hb_section_wall(r, HB_SOURCE_HOST, n));
  hb_values_list(report->values, "sections", "section title");
  for (size_t k = 0; hb_sections[k].name; k++) {
    if (!(chosen >> k & 1)) continue;
    cJSON *row = hb_values_row(report->values, "sections");
    hb_values_word(row, "section", hb_sections[k].name);
    hb_values_word(row, "title", hb_sections[k].title);
  }
}

/* ---- the page ---------------------------------------------------------------------------------------- */

void hb_reproduce_fill(const struct hb_reproduction *r, unsigned chosen, struct hb_report *report)
{
  hb_section_shared(r, report);
  fill_machine(r, report->values);
  fill_jobs(r, report->values);
  fill_head(r, chosen, report);
  hb_report_put(report, "head.html");
  for (size_t k = 0; hb_sections[k].name; k++) {
    if (!(chosen >> k & 1)) continue;
    hb_values_word(report->values, "section", hb_sections[k].name);
    hb_values_word(report->values, "title", hb_sections[k].title);
    hb_sections[k].fill(r, report);
    hb_report_put(report, "section.html");
    hb_report_put(report, hb_phrase("%s.html", hb_sections[k].name));
  }
  hb_report_put(report, "foot.html");
}

static enum hb_status write_report(const struct hb_reproduction *r, unsigned chosen)
{
  struct hb_report report = {.values = cJSON_CreateObject()};
  unsigned lacks;
  hb_reproduce_fill(r, chosen, &report);
  HB_TRY(hb_report_save(&report, "report.html", &lacks));
  printf("wrote %s/report.html: %u tables, %u figures, each with its numbers in %s/data\n", r->out,
         report.tables, report.figures, r->out);
  if (lacks)
    return hb_fail(HB_ERR_INTERNAL, "%s/report.html is incomplete: see its %u sentence%s in red", r->out,
                   lacks, lacks == 1 ? "" : "s");
  return HB_OK;
}

/* ---- all of it --------------------------------------------------------------------------------------- */

/* From here on paths are relative to the folder; those of shaders and templates must not be. */
static void keep_folder(const char *variable)
{
  const char *folder = getenv(variable);
  char *absolute = folder ? realpath(folder, NULL) : NULL;
  if (absolute) setenv(variable, absolute, 1);
  free(absolute);
}

static enum hb_status enter(const char *out)
{
  static const char *const folders[] = {"jobs", "data", "figures"};
  keep_folder("HB_SHADER_DIR");
  keep_folder("HB_REPORT_DIR");
  if (mkdir(out, 0777) != 0 && errno != EEXIST)
    return hb_fail(HB_ERR_IO, "cannot make folder %s: %s", out, strerror(errno));
  if (chdir(out) != 0) return hb_fail(HB_ERR_IO, "cannot enter folder %s: %s", out, strerror(errno));
  for (size_t k = 0; k < 3; k++)
    if (mkdir(folders[k], 0777) != 0 && errno != EEXIST)
      return hb_fail(HB_ERR_IO, "cannot make folder %s/%s: %s", out, folders[k], strerror(errno));
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
  enum hb_status status = hb_reproduce_run(r);
  if (status == HB_OK && !jobs_only) status = write_report(r, chosen);
  hb_reproduce_clear(r);
  return status;
}

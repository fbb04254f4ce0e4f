/* What stands before and behind the sections of a report: the machine, the contents, every command line, the papers. */
#include "perf/paper.h"
#include "report/reproduce_sections.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static const char title[] = "The N-body results of 2007, reproduced";

static void contents(struct hb_report *report, unsigned chosen)
{
  hb_report_put(report, "<nav>\n<a href=\"#machine\">The machine</a>\n");
  for (size_t k = 0; hb_sections[k].name; k++)
    if (chosen >> k & 1)
      hb_report_put(report, "<a href=\"#%s\">%s</a>\n", hb_sections[k].name, hb_sections[k].title);
  hb_report_put(report,
                "<a href=\"#commands\">Every command line</a>\n<a href=\"#papers\">The papers</a>\n</nav>\n");
}

/* ---- the machine ------------------------------------------------------------------------------------- */

static void row(struct hb_report *report, const char *name, const char *value)
{
  hb_report_put(report, "<tr><td>");
  hb_report_text(report, name);
  hb_report_put(report, "</td><td class=\"word\">");
  hb_report_text(report, value);
  hb_report_put(report, "</td></tr>\n");
}

static void machine(struct hb_reproduction *r, struct hb_report *report)
{
  char text[512];
  hb_report_put(report, "<h2 id=\"machine\">The machine</h2>\n<table><tbody>\n");
  const struct hb_record *record = hb_reproduce_next(r, NULL, "kind=probe source=cg2007");
  snprintf(text, sizeof text, "%s (context %s)", hb_record_text(record, "device"),
           hb_record_text(record, "context"));
  row(report, "the runs used", text);
  for (const struct hb_record *told = NULL; (told = hb_reproduce_next(r, told, "kind=machine"));)
    row(report, hb_record_text(told, "name"), hb_record_text(told, "value"));
  hb_report_put(report, "</tbody></table>\n");
  for (int k = 0; k < HB_SOURCES; k++)
    if (!r->sources[k].is_there) {
      hb_report_put(report, "<p>Not on this machine: %s (", r->sources[k].name);
      hb_report_text(report, r->sources[k].why_not);
      hb_report_put(report, ").</p>\n");
    }
}

/* ---- what was found ---------------------------------------------------------------------------------- */

static void found(struct hb_reproduction *r, struct hb_report *report)
{
  struct hb_section_thermometer t = hb_section_read_thermometer(r);
  size_t n = hb_section_common_n(r, HB_SOURCE_CG2007, HB_SOURCE_HOST);
  struct hb_section_rounding fits[HB_ROUNDINGS];
  hb_section_read_roundings(r, fits);
  int has_roundings = hb_section_has_roundings(fits);
  if (!t.runs && !has_roundings) return;
  hb_report_put(report, "<h2 id=\"found\">What was found</h2>\n<ul class=\"found\">\n");
  if (n)
    hb_report_put(report,
                  "<li>The kernel of 2007 runs: N = %zu takes %s&thinsp;s for a quarter time unit here, the "
                  "host alone %s&thinsp;s.</li>\n",
                  n, hb_report_number(hb_section_wall(r, HB_SOURCE_CG2007, n), 3),
                  hb_report_number(hb_section_wall(r, HB_SOURCE_HOST, n), 2));
  if (t.runs)
    hb_report_put(
        report, "<li>It keeps the energy to %s, by its own float potentials to %s; the paper read %s.</li>\n",
        hb_report_number(t.exact, 2), hb_report_number(t.own, 2),
        hb_report_number(hb_paper_value("pz07_accuracy", "de_rel,8800GTX", "value"), 2));
  if (has_roundings)
    hb_report_put(report,
                  "<li>The number of block steps grows as N<sup>%s</sup> (eq. 17: 0.35), their size as "
                  "N<sup>%s</sup> (eq. 14: 0.81).</li>\n",
                  hb_report_number(fits[0].steps_p, 2), hb_report_number(fits[0].blocks_p, 2));
  hb_report_put(report, "</ul>\n");
}

void hb_section_head(struct hb_reproduction *r, struct hb_report *report, unsigned chosen)
{
  char date[64];
  time_t now = time(NULL);
  strftime(date, sizeof date, "%Y-%m-%d %H:%M UTC", gmtime(&now));
  const struct hb_record *record = hb_reproduce_next(r, NULL, "kind=probe source=cg2007");
  hb_report_begin(report, title);
  hb_report_put(
      report,
      "<h1>%s</h1>\n<p class=\"byline\">The kernel, the runs, the tables and the figures of Portegies Zwart, "
      "Belleman &amp; Geldof, beside the printed numbers, on ",
      title);
  hb_report_text(report, hb_record_text(record, "device"));
  hb_report_put(report,
                ".</p>\n<p class=\"byline\">%s, <code>holmberg reproduce</code> %s, %s reproduction.</p>\n",
                date, hb_version(), r->is_full ? "full" : "quick");
  hb_report_put(report, "<p class=\"lead\">In 2007 three groups summed the gravity of N stars on the "
                        "graphics card that was new that "
                        "winter, the GeForce 8800GTX: with fragment programs [PZ07], and with what NVIDIA "
                        "had just begun to call CUDA "
                        "[HI07, NHP07]. This report runs their programs again, and sets what this machine "
                        "does beside what they "
                        "printed. Every number that is not from a paper was measured for it by one of the "
                        "command lines at its end; "
                        "every sentence about numbers was chosen by them.</p>\n");
  contents(report, chosen);
  found(r, report);
  machine(r, report);
}

/* ---- the end ----------------------------------------------------------------------------------------- */

void hb_section_foot(struct hb_reproduction *r, struct hb_report *report)
{
  double spent = 0;
  hb_report_put(report, "<h2 id=\"commands\">Every command line</h2>\n<p>In the folder of this report, one "
                        "after another; the output of each "
                        "is in <code>jobs/</code> under its name. Behind each its wall seconds.</p>\n<pre>");
  for (size_t k = 0; k < r->job_count; k++) {
    const struct hb_job *job = &r->jobs[k];
    if (job->is_left_out) continue;
    hb_report_text(report, job->command);
    hb_report_put(report, "   # %s, ", job->name);
    if (job->is_done)
      hb_report_put(report, "%.1f s", job->wall_s);
    else
      hb_report_put(report, "failed: "), hb_report_text(report, job->failure);
    hb_report_put(report, "\n");
    spent += job->wall_s;
  }
  hb_report_put(report, "</pre>\n<p>All together %.0f seconds.</p>\n", spent);
  hb_report_put(report, "<h2 id=\"papers\">The papers</h2>\n"
                        "<p>[PZ07] S. F. Portegies Zwart, R. G. Belleman, P. M. Geldof, <i>High-performance "
                        "direct gravitational N-body "
                        "simulations on graphics processing units</i>, New Astronomy 12 (2007) 641, "
                        "doi:10.1016/j.newast.2007.05.004.</p>\n"
                        "<p>[HI07] T. Hamada, T. Iitaka, <i>The Chamomile Scheme: An Optimized Algorithm for "
                        "N-body simulations on "
                        "Programmable Graphics Processing Units</i>, arXiv:astro-ph/0703100 (2007).</p>\n"
                        "<p>[NHP07] L. Nyland, M. Harris, J. Prins, <i>Fast N-Body Simulation with CUDA</i>, "
                        "GPU Gems 3, chapter 31 "
                        "(2007).</p>\n"
                        "<p>The printed numbers are those of the tables and of the text; no point was read "
                        "off a printed figure.</p>\n");
}

#include "measure/bench_run_output.h"

#include "base/json.h"
#include "perf/paper.h"

#include <holmberg/measure.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

static double change(double begin, double end) { return begin == 0 ? NAN : (end - begin) / fabs(begin); }

static double energy_error(const struct hb_bench_run_result *r) { return change(r->e_begin, r->e_end); }

/* ---- JSON -------------------------------------------------------------------------------------------- */

/* What is needed to repeat it. */
static void json_job(struct hb_json *json, const struct hb_bench_run_row *row)
{
  const struct hb_bench_run_params *p = row->params;
  const struct hb_bench_run_result *r = row->result;
  hb_json_text(json, "context", r->context);
  hb_json_text(json, "device", r->device);
  hb_json_text(json, "tuning", r->tuning);
  hb_json_number(json, "eta", p->sim.eta);
  hb_json_number(json, "eps", p->sim.force.eps);
  hb_json_number(json, "dt_max", p->sim.dt_max);
  hb_json_number(json, "dt_min", p->sim.dt_min);
  hb_json_text(json, "step_rounding", row->rounding);
  hb_json_count(json, "seed", p->seed);
  hb_json_text(json, "scaling", r->scaling == HB_IC_SCALING_MODEL ? "model" : "measured");
}

static void json_phases(struct hb_json *json, const struct hb_bench_run_row *row)
{
  const struct hb_phases *phases = &row->result->phases;
  hb_json_truth(json, "phases", (row->params->sim.force.flags & HB_FORCE_PHASES) != 0);
  hb_json_number(json, "predict_s", phases->predict_s);
  hb_json_number(json, "send_s", phases->send_s);
  hb_json_number(json, "force_s", phases->force_s);
  hb_json_number(json, "receive_s", phases->receive_s);
  hb_json_number(json, "correct_s", phases->correct_s);
}

void hb_bench_run_json(const struct hb_bench_run_row *row, const char *record, FILE *out)
{
  const struct hb_bench_run_params *p = row->params;
  const struct hb_bench_run_result *r = row->result;
  struct hb_json json = {.out = out};
  hb_json_open_object(&json, NULL);
  if (record) hb_json_text(&json, "record", record);
  hb_json_text(&json, "scheme", r->scheme);
  hb_json_text(&json, "precision", r->precision);
  hb_json_text(&json, "mode", row->mode);
  hb_json_count(&json, "n", p->n);
  hb_json_number(&json, "t_begin", p->t_begin);
  hb_json_number(&json, "t_end", p->t_end);
  hb_json_number(&json, "wall_s", r->wall_s);
  hb_json_number(&json, "wall_min_s", r->wall_min_s);
  hb_json_number(&json, "wall_max_s", r->wall_max_s);
  hb_json_count(&json, "repeat", (uint64_t)p->repeat);
  hb_json_count(&json, "block_steps", r->counts.block_steps);
  hb_json_count(&json, "particle_steps", r->counts.particle_steps);
  hb_json_count(&json, "pairs", r->counts.pairs);
  hb_json_number(&json, "de_rel", energy_error(r));
  hb_json_number(&json, "de_rel_gpu", change(r->e_gpu_begin, r->e_gpu_end));
  hb_json_truth(&json, "exact_energy", r->exact_energy);
  json_phases(&json, row);
  json_job(&json, row);
  hb_json_close_object(&json);
  fputc('\n', out);
}

/* ---- the table --------------------------------------------------------------------------------------- */

void hb_bench_run_header(void)
{
  printf("#%-9s %-11s %-14s %8s %9s %8s %12s %9s | %8s %8s %8s %8s %8s | %8s\n", "scheme", "precision",
         "mode", "n", "wall s", "blocks", "steps", "Gpairs/s", "predict", "send", "force", "receive",
         "correct", "dE/E");
}

void hb_bench_run_print(const struct hb_bench_run_row *row)
{
  const struct hb_bench_run_result *r = row->result;
  const struct hb_phases *p = &r->phases;
  printf("%-10s %-11s %-14s %8zu %9.4g %8" PRIu64 " %12" PRIu64
         " %9.4g | %8.3g %8.3g %8.3g %8.3g %8.3g | %8.1e\n",
         r->scheme, r->precision, row->mode, row->params->n, r->wall_s, r->counts.block_steps,
         r->counts.particle_steps, 1e-9 * (double)r->counts.pairs / r->wall_s, p->predict_s, p->send_s,
         p->force_s, p->receive_s, p->correct_s, energy_error(r));
}

/* ---- the figure -------------------------------------------------------------------------------------- */

enum hb_status hb_bench_run_plot(struct hb_plot *plot, const struct hb_bench_run_row *row)
{
  char family[HB_PLOT_NAME];
  snprintf(family, sizeof family, "%s %s", row->result->scheme, row->result->precision);
  return hb_plot_add(plot, family, row->mode, (double)row->params->n, row->result->wall_s);
}

enum hb_status hb_bench_run_plot_paper(struct hb_plot *plot)
{
  double least = INFINITY, most = 0;
  for (size_t k = 0; k < plot->count; k++)
    for (size_t p = 0; p < plot->curves[k].count; p++) {
      least = fmin(least, plot->curves[k].x[p]);
      most = fmax(most, plot->curves[k].x[p]);
    }
  char machine[HB_PAPER_CELL];
  for (size_t column = 1; hb_paper_cell("table2", 0, column, machine); column++)
    for (size_t row = 1; hb_paper_number("table2", row, 0) > 0; row++) {
      double n = hb_paper_number("table2", row, 0);
      if (2 * n >= least && n <= 2 * most)
        HB_TRY(hb_plot_add_reference(plot, machine, "2007", n, hb_paper_number("table2", row, column)));
    }
  return HB_OK;
}

#include "run/run_output.h"

#include "base/clock.h"
#include "base/json.h"
#include "console/terminal.h"

#include <inttypes.h>
#include <math.h>

void hb_run_output_begin(struct hb_run_output *output)
{
  output->wall_begin = hb_clock_now();
  output->rows = 0;
}

void hb_run_output_refer(struct hb_run_output *output, const struct hb_diagnostics *begin)
{
  output->e_begin = begin->e_total;
  output->e_kin_begin = begin->e_kin;
}

double hb_run_output_energy_error(const struct hb_run_output *output, const struct hb_diagnostics *now)
{
  return output->e_begin == 0 ? NAN : (now->e_total - output->e_begin) / fabs(output->e_begin);
}

static void table_row(const struct hb_run_output *output, const struct hb_diagnostics *now,
                      const struct hb_sim_counts *counts, double de_rel, double wall_s,
                      const struct hb_force *force)
{
  /* the header is a comment for gnuplot and awk */
  if (output->rows == 0 && !now->exact_energy)
    printf("# no exact energies: E, dE/E and virial are by the potentials of %s, %s\n",
           hb_force_scheme(force)->name, hb_force_precision(force));
  if (output->rows == 0)
    printf("#%10s %13s %13s %8s %7s %7s %11s %14s %14s %8s\n", "t", "E", "E_gpu", "dE/E", "virial", "r_half",
           "block steps", "particle steps", "pairs", "wall s");
  printf("%11.9g %#13.10g %#13.10g %8.1e %7.4f %7.4f %11" PRIu64 " %14" PRIu64 " %14" PRIu64 " %8.2f\n",
         now->t, now->e_total, now->e_gpu, de_rel, now->virial_ratio, now->r_half, counts->block_steps,
         counts->particle_steps, counts->pairs, wall_s);
}

static void json_row(const struct hb_diagnostics *now, const struct hb_sim_counts *counts, double de_rel,
                     double wall_s, const struct hb_force *last)
{
  struct hb_json json = {stdout, 0};
  hb_json_open_object(&json, NULL);
  hb_json_number(&json, "t", now->t);
  hb_json_number(&json, "e_total", now->e_total);
  hb_json_number(&json, "e_gpu", now->e_gpu);
  hb_json_number(&json, "e_kin", now->e_kin);
  hb_json_number(&json, "e_pot", now->e_pot);
  hb_json_number(&json, "de_rel", de_rel);
  hb_json_number(&json, "virial_ratio", now->virial_ratio);
  hb_json_number(&json, "r_half", now->r_half);
  hb_json_count(&json, "block_steps", counts->block_steps);
  hb_json_count(&json, "particle_steps", counts->particle_steps);
  hb_json_count(&json, "pairs", counts->pairs);
  hb_json_number(&json, "wall_s", wall_s);
  hb_json_truth(&json, "exact_energy", now->exact_energy);
  if (last) {
    hb_json_truth(&json, "done", 1);
    hb_json_text(&json, "scheme", hb_force_scheme(last)->name);
    hb_json_text(&json, "precision", hb_force_precision(last));
    hb_json_text(&json, "context", hb_force_context(last));
    hb_json_text(&json, "device", hb_force_device(last));
  }
  hb_json_close_object(&json);
  putchar('\n');
}

enum hb_status hb_run_output_row(struct hb_run_output *output, const struct hb_sim *sim,
                                 const struct hb_diagnostics *now, enum hb_run_output_place place)
{
  double wall_s = hb_clock_now() - output->wall_begin;
  double de_rel = hb_run_output_energy_error(output, now);
  struct hb_sim_counts counts;
  hb_sim_counts(sim, &counts);
  hb_terminal_clear_progress();
  if (output->form == HB_RUN_OUTPUT_TABLE) table_row(output, now, &counts, de_rel, wall_s, hb_sim_force(sim));
  if (output->form == HB_RUN_OUTPUT_JSON)
    json_row(now, &counts, de_rel, wall_s, place == HB_RUN_OUTPUT_LAST ? hb_sim_force(sim) : NULL);
  output->rows++;
  return hb_terminal_flush(); /* so that a reader of the pipe sees each row at once */
}

void hb_run_output_progress(const struct hb_run_output *output, double t)
{
  if (output->bar == HB_RUN_OUTPUT_BAR_OFF) return;
  hb_terminal_progress((t - output->t_begin) / (output->t_end - output->t_begin),
                       hb_clock_now() - output->wall_begin);
}

#include "measure/bench_output.h"

#include "base/json.h"

#include <holmberg/measure.h>

#include <math.h>
#include <stdio.h>

/* ---- what both measurements share -------------------------------------------------------------------- */

static void json_begin(struct hb_json *json, const struct hb_bench_output_row *row)
{
  hb_json_open_object(json, NULL);
  hb_json_text(json, "scheme", row->params->force.scheme);
  hb_json_text(json, "precision", row->result->precision);
  hb_json_text(json, "interaction", row->params->interaction);
  hb_json_text(json, "context", row->result->context);
  hb_json_text(json, "device", row->result->device);
  hb_json_count(json, "n", row->params->n);
  hb_json_count(json, "ni", row->result->ni);
}

static void json_end(struct hb_json *json)
{
  hb_json_close_object(json);
  putchar('\n');
}

/* ---- bench force ------------------------------------------------------------------------------------- */

static double gflops(const struct hb_bench_result *r, double flops_per_pair)
{
  return 1e-9 * r->pairs_per_s * flops_per_pair;
}

/* The share of the ceiling that its own operations reach. */
static double share(const struct hb_bench_output_row *row)
{
  return row->result->pairs_per_s * row->result->flops_per_pair / row->ceiling;
}

static void json_errors(struct hb_json *json, const struct hb_bench_result *r)
{
  hb_json_number(json, "acc_rms", r->acc_rms);
  hb_json_number(json, "acc_max", r->acc_max);
  hb_json_number(json, "jerk_rms", r->jerk_rms);
  hb_json_number(json, "jerk_max", r->jerk_max);
  hb_json_number(json, "pot_rms", r->pot_rms);
  hb_json_number(json, "pot_max", r->pot_max);
  hb_json_number(json, "acc_floor", r->acc_floor);
}

void hb_bench_output_force_json(const struct hb_bench_output_row *row)
{
  const struct hb_bench_result *r = row->result;
  struct hb_json json = {.out = stdout};
  json_begin(&json, row);
  hb_json_number(&json, "ms_median", r->ms_median);
  hb_json_number(&json, "ms_min", r->ms_min);
  hb_json_number(&json, "ms_max", r->ms_max);
  hb_json_number(&json, "pairs_per_s", r->pairs_per_s);
  hb_json_count(&json, "flops_per_pair", (uint64_t)r->flops_per_pair);
  hb_json_number(&json, "gflops", gflops(r, r->flops_per_pair));
  hb_json_number(&json, "gflops_20", gflops(r, 20));
  hb_json_number(&json, "gflops_38", gflops(r, 38));
  hb_json_number(&json, "gflops_60", gflops(r, 60));
  hb_json_number(&json, "ceiling_gflops", 1e-9 * row->ceiling);
  hb_json_number(&json, "ceiling_fraction", share(row));
  hb_json_text(&json, "tuning", r->tuning);
  hb_json_number(&json, "send_ms", r->send_ms);
  hb_json_number(&json, "receive_ms", r->receive_ms);
  if (row->params->check) json_errors(&json, r);
  json_end(&json);
}

void hb_bench_output_force_header(const struct hb_bench_params *params)
{
  printf("#%-9s %-11s %-13s %8s %8s %10s %10s %10s %9s %5s %9s %8s", "scheme", "precision", "interaction",
         "n", "ni", "ms", "min", "max", "Gpairs/s", "flops", "GFLOP/s", "ceiling");
  if (params->check) printf(" %8s %8s %8s %8s %8s", "acc rms", "acc max", "jerk rms", "pot rms", "floor");
  putchar('\n');
}

void hb_bench_output_force_row(const struct hb_bench_output_row *row)
{
  const struct hb_bench_params *p = row->params;
  const struct hb_bench_result *r = row->result;
  char ceiling[16] = "-";
  if (isfinite(row->ceiling)) snprintf(ceiling, sizeof ceiling, "%.1f%%", 100 * share(row));
  printf("%-10s %-11s %-13s %8zu %8zu %10.4f %10.4f %10.4f %9.4g %5d %9.4g %8s", p->force.scheme,
         r->precision, p->interaction, p->n, r->ni, r->ms_median, r->ms_min, r->ms_max, 1e-9 * r->pairs_per_s,
         r->flops_per_pair, gflops(r, r->flops_per_pair), ceiling);
  if (p->check)
    printf(" %8.1e %8.1e %8.1e %8.1e %8.1e", r->acc_rms, r->acc_max, r->jerk_rms, r->pot_rms, r->acc_floor);
  putchar('\n');
}

void hb_bench_output_force_footer(void)
{
  puts("# GFLOP/s = flops x Gpairs/s, with the operations a pair counted in each kernel, a root or quotient "
       "as one;\n"
       "# as others count, multiply Gpairs/s by 20, 38 or 60. ceiling: share of the float multiply-adds a "
       "second\n"
       "# that `holmberg bench ceiling` measures, by fragment programs, for tile by compute programs.");
}

/* ---- bench draws ------------------------------------------------------------------------------------- */

void hb_bench_output_draws_json(const struct hb_bench_output_row *row)
{
  const struct hb_bench_result *r = row->result;
  struct hb_json json = {.out = stdout};
  json_begin(&json, row);
  hb_json_number(&json, "send_us", 1e3 * r->send_ms);
  hb_json_number(&json, "draw_us", 1e3 * r->draw_ms);
  hb_json_number(&json, "receive_us", 1e3 * r->receive_ms);
  hb_json_number(&json, "cycle_us", 1e3 * r->cycle_ms);
  hb_json_number(&json, "cycle_min_us", 1e3 * r->cycle_min_ms);
  hb_json_text(&json, "tuning", r->tuning);
  json_end(&json);
}

void hb_bench_output_draws_header(void)
{
  printf("#%-9s %-11s %-13s %8s %8s %11s %11s %11s %11s\n", "scheme", "precision", "interaction", "n", "ni",
         "send us", "draw us", "receive us", "cycle us");
}

void hb_bench_output_draws_row(const struct hb_bench_output_row *row)
{
  const struct hb_bench_result *r = row->result;
  printf("%-10s %-11s %-13s %8zu %8zu %11.1f %11.1f %11.1f %11.1f\n", row->params->force.scheme, r->precision,
         row->params->interaction, row->params->n, r->ni, 1e3 * r->send_ms, 1e3 * r->draw_ms,
         1e3 * r->receive_ms, 1e3 * r->cycle_ms);
}

/* ---- bench ceiling ----------------------------------------------------------------------------------- */

void hb_bench_output_ceiling_json(const char *program, double flops)
{
  struct hb_json json = {.out = stdout};
  hb_json_open_object(&json, NULL);
  hb_json_text(&json, "program", program);
  hb_json_number(&json, "gflops", 1e-9 * flops);
  json_end(&json);
}

void hb_bench_output_ceiling(const char *program, double flops)
{
  printf("%-8s programs: %.4g GFLOP/s of multiply-adds\n", program, 1e-9 * flops);
}

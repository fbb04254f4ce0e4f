#include "measure/bench_table.h"

#include "perf/paper.h"

#include <math.h>

/* ---- bench force, bench draws ---- */

#define AT(place) .offset = offsetof(struct hb_bench_row, place)

#define CONFIGURATION                                                                                        \
  {"scheme", HB_TABLE_TEXT, AT(params.force.scheme), "%-10s", "#scheme"},                                    \
      {"precision", HB_TABLE_CHARS, AT(result.precision), "%-11s"},                                          \
      {"interaction", HB_TABLE_TEXT, AT(params.interaction), "%-13s"},                                       \
      {"context", HB_TABLE_CHARS, AT(result.context)}, {"device", HB_TABLE_CHARS, AT(result.device)},        \
      {"n", HB_TABLE_SIZE, AT(params.n), "%8llu"},                                                           \
  {                                                                                                          \
    "ni", HB_TABLE_SIZE, AT(result.ni), "%8llu"                                                              \
  }

static const struct hb_table_column force_columns[] = {
    CONFIGURATION,
    {"ms_median", HB_TABLE_REAL, AT(result.ms_median), "%10.4f", "ms"},
    {"ms_min", HB_TABLE_REAL, AT(result.ms_min), "%10.4f", "min"},
    {"ms_max", HB_TABLE_REAL, AT(result.ms_max), "%10.4f", "max"},
    {"pairs_per_s", HB_TABLE_REAL, AT(result.pairs_per_s)},
    {NULL, HB_TABLE_REAL, AT(gpairs), "%9.4g", "Gpairs/s"},
    {"flops_per_pair", HB_TABLE_INT, AT(result.flops_per_pair), "%5d", "flops"},
    {"gflops", HB_TABLE_REAL, AT(gflops), "%9.4g", "GFLOP/s"},
    {"gflops_20", HB_TABLE_REAL, AT(gpairs), .scale = 20},
    {"gflops_38", HB_TABLE_REAL, AT(gpairs), .scale = 38},
    {"gflops_60", HB_TABLE_REAL, AT(gpairs), .scale = 60},
    {"ceiling_gflops", HB_TABLE_REAL, AT(ceiling), .scale = 1e-9},
    {"ceiling_fraction", HB_TABLE_REAL, AT(share)},
    {NULL, HB_TABLE_REAL, AT(share), "%7.1f%%", "ceiling", 100, "-"},
    {"tuning", HB_TABLE_CHARS, AT(result.tuning)},
    {"send_ms", HB_TABLE_REAL, AT(result.send_ms)},
    {"receive_ms", HB_TABLE_REAL, AT(result.receive_ms)},
    /* with --check */
    {"acc_rms", HB_TABLE_REAL, AT(result.acc_rms), "%8.1e", "acc rms"},
    {"acc_max", HB_TABLE_REAL, AT(result.acc_max), "%8.1e", "acc max"},
    {"jerk_rms", HB_TABLE_REAL, AT(result.jerk_rms), "%8.1e", "jerk rms"},
    {"jerk_max", HB_TABLE_REAL, AT(result.jerk_max)},
    {"pot_rms", HB_TABLE_REAL, AT(result.pot_rms), "%8.1e", "pot rms"},
    {"pot_max", HB_TABLE_REAL, AT(result.pot_max)},
    {"acc_floor", HB_TABLE_REAL, AT(result.acc_floor), "%8.1e", "floor"},
};
enum { CHECKED_COLUMNS = 7 };

static const struct hb_table_column draws_columns[] = {
    CONFIGURATION,
    {"send_us", HB_TABLE_REAL, AT(result.send_ms), "%11.1f", "send us", 1e3},
    {"draw_us", HB_TABLE_REAL, AT(result.draw_ms), "%11.1f", "draw us", 1e3},
    {"receive_us", HB_TABLE_REAL, AT(result.receive_ms), "%11.1f", "receive us", 1e3},
    {"cycle_us", HB_TABLE_REAL, AT(result.cycle_ms), "%11.1f", "cycle us", 1e3},
    {"cycle_min_us", HB_TABLE_REAL, AT(result.cycle_min_ms), .scale = 1e3},
    {"block_us", HB_TABLE_REAL, AT(result.block_ms), "%11.1f", "block us", 1e3, "-"},
    {"tuning", HB_TABLE_CHARS, AT(result.tuning)},
};

#undef AT
#undef CONFIGURATION

struct hb_bench_row hb_bench_row(const struct hb_bench_params *params, const struct hb_bench_result *result,
                                 double ceiling)
{
  double gpairs = 1e-9 * result->pairs_per_s;
  return (struct hb_bench_row){.params = *params,
                               .result = *result,
                               .ceiling = ceiling,
                               .gpairs = gpairs,
                               .gflops = gpairs * result->flops_per_pair,
                               .share = result->pairs_per_s * result->flops_per_pair / ceiling};
}

struct hb_table hb_bench_force_table(const struct hb_bench_params *params, enum hb_table_form form)
{
  struct hb_table table = {HB_TABLE_COLUMNS(force_columns), form, stdout, 0};
  if (!params->check) table.count -= CHECKED_COLUMNS;
  return table;
}

struct hb_table hb_bench_draws_table(enum hb_table_form form)
{
  return (struct hb_table){HB_TABLE_COLUMNS(draws_columns), form, stdout, 0};
}

void hb_bench_force_footer(void)
{
  puts("# GFLOP/s = flops x Gpairs/s, with the operations a pair counted in each kernel, a root or quotient "
       "as one;\n"
       "# as others count, multiply Gpairs/s by 20, 38 or 60. ceiling: share of the float multiply-adds a "
       "second\n"
       "# that `holmberg bench ceiling` measures, by fragment programs, for tile by compute programs.");
}

/* ---- bench run ---- */

#define AT(place) .offset = offsetof(struct hb_bench_run_row, place)

static const struct hb_table_column run_columns[] = {
    {"record", HB_TABLE_TEXT, AT(record)},
    {"scheme", HB_TABLE_CHARS, AT(result.scheme), "%-10s", "#scheme"},
    {"precision", HB_TABLE_CHARS, AT(result.precision), "%-11s"},
    {"mode", HB_TABLE_TEXT, AT(mode), "%-14s"},
    {"n", HB_TABLE_SIZE, AT(params.n), "%8llu"},
    {"t_begin", HB_TABLE_REAL, AT(params.t_begin)},
    {"t_end", HB_TABLE_REAL, AT(params.t_end)},
    {"wall_s", HB_TABLE_REAL, AT(result.wall_s), "%9.4g", "wall s"},
    {"wall_min_s", HB_TABLE_REAL, AT(result.wall_min_s)},
    {"wall_max_s", HB_TABLE_REAL, AT(result.wall_max_s)},
    {"repeat", HB_TABLE_INT, AT(params.repeat)},
    {"block_steps", HB_TABLE_COUNT, AT(result.counts.block_steps), "%8llu", "blocks"},
    {"particle_steps", HB_TABLE_COUNT, AT(result.counts.particle_steps), "%12llu", "steps"},
    {"pairs", HB_TABLE_COUNT, AT(result.counts.pairs)},
    {NULL, HB_TABLE_REAL, AT(gpairs), "%9.4g", "Gpairs/s"},
    {"de_rel", HB_TABLE_REAL, AT(de_rel)},
    {"de_rel_gpu", HB_TABLE_REAL, AT(de_rel_gpu)},
    {"exact_energy", HB_TABLE_TRUTH, AT(result.exact_energy)},
    {"phases", HB_TABLE_TRUTH, AT(phases)},
    {"predict_s", HB_TABLE_REAL, AT(result.phases.predict_s), "| %8.3g", "predict"},
    {"send_s", HB_TABLE_REAL, AT(result.phases.send_s), "%8.3g", "send"},
    {"force_s", HB_TABLE_REAL, AT(result.phases.force_s), "%8.3g", "force"},
    {"receive_s", HB_TABLE_REAL, AT(result.phases.receive_s), "%8.3g", "receive"},
    {"correct_s", HB_TABLE_REAL, AT(result.phases.correct_s), "%8.3g", "correct"},
    {NULL, HB_TABLE_REAL, AT(de_rel), "| %8.1e", "dE/E"},
    /* what is needed to repeat it */
    {"context", HB_TABLE_CHARS, AT(result.context)},
    {"device", HB_TABLE_CHARS, AT(result.device)},
    {"tuning", HB_TABLE_CHARS, AT(result.tuning)},
    {"eta", HB_TABLE_REAL, AT(params.sim.eta)},
    {"eps", HB_TABLE_REAL, AT(params.sim.force.eps)},
    {"dt_max", HB_TABLE_REAL, AT(params.sim.dt_max)},
    {"dt_min", HB_TABLE_REAL, AT(params.sim.dt_min)},
    {"step_rounding", HB_TABLE_TEXT, AT(rounding)},
    {"seed", HB_TABLE_COUNT, AT(params.seed)},
    {"scaling", HB_TABLE_TEXT, AT(scaling)},
};

#undef AT

static double change(double begin, double end) { return begin == 0 ? NAN : (end - begin) / fabs(begin); }

struct hb_bench_run_row hb_bench_run_row(const struct hb_bench_run_params *params,
                                         const struct hb_bench_run_result *result, const char *mode,
                                         const char *rounding)
{
  return (struct hb_bench_run_row){
      .mode = mode,
      .rounding = rounding,
      .params = *params,
      .result = *result,
      .gpairs = 1e-9 * (double)result->counts.pairs / result->wall_s,
      .de_rel = change(result->e_begin, result->e_end),
      .de_rel_gpu = change(result->e_gpu_begin, result->e_gpu_end),
      .phases = (params->sim.force.flags & HB_FORCE_PHASES) != 0,
      .scaling = result->scaling == HB_IC_SCALING_MODEL ? "model" : "measured",
  };
}

struct hb_table hb_bench_run_table(enum hb_table_form form, FILE *out)
{
  return (struct hb_table){HB_TABLE_COLUMNS(run_columns), form, out, 0};
}

enum hb_status hb_bench_run_plot(struct hb_plot *plot, const struct hb_bench_run_row *row)
{
  char family[HB_PLOT_NAME];
  snprintf(family, sizeof family, "%s %s", row->result.scheme, row->result.precision);
  return hb_plot_add(plot, family, row->mode, (double)row->params.n, row->result.wall_s);
}

enum hb_status hb_bench_run_plot_paper(struct hb_plot *plot)
{
  double least = INFINITY, most = 0;
  for (size_t k = 0; k < plot->count; k++)
    for (size_t p = 0; p < plot->curves[k].count; p++) {
      least = fmin(least, plot->curves[k].points[p].x);
      most = fmax(most, plot->curves[k].points[p].x);
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

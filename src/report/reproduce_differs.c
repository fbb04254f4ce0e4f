/* What differs between 2007 and this machine, and why: the numbers that choose the sentences of differs.html. */
#include "perf/paper.h"
#include "report/model_2007.h"
#include "report/reproduce_section.h"

#include <math.h>

/* ---- the kernel of 2007, then and now ---------------------------------------------------------------- */

/* Microseconds per pass of cg2007 in a run: a block step has n - 1 passes. */
static double pass_us(const struct hb_reproduction *r, size_t n)
{
  double steps = hb_reproduce_number(r, "block_steps", "kind=run source=cg2007 n=%zu", n);
  return 1e6 * hb_section_wall(r, HB_SOURCE_CG2007, n) / (steps * (double)(n - 1));
}

static void set_kernel(const struct hb_reproduction *r, struct hb_report *report)
{
  size_t small = r->n_least, n = 0; /* the largest n with which this machine and the 8800GTX ran the kernel */
  for (size_t m = r->n_least; m <= r->n_most; m *= 2)
    if (hb_section_wall(r, HB_SOURCE_CG2007, m) > 0 && hb_2007_wall(m, "8800GTX") > 0) n = m;
  double here = hb_section_wall(r, HB_SOURCE_CG2007, n), then = hb_2007_wall(n, "8800GTX");
  double walk = hb_section_wall(r, HB_SOURCE_BAG, n);
  struct hb_model_time s = hb_2007_model("8800GTX", (double)n);
  double sent = hb_reproduce_number(r, "n", "kind=draws");
  double send_s = 1e-6 * hb_reproduce_number(r, "send_us", "kind=draws") / sent;
  const struct {
    const char *name;
    double number;
  } numbers[] = {{"kernel_n", (double)n},
                 {"kernel_here", here},
                 {"kernel_2007", then},
                 {"kernel_times", fmax(then / here, here / then)},
                 {"kernel_is_faster", then > here},
                 {"kernel_comm_percent", 100 * s.t_comm / s.t_step},
                 {"kernel_comm", s.t_comm / (double)n},
                 {"kernel_force_percent", 100 * s.t_force / s.t_step},
                 {"send_here", send_s},
                 {"send_times", hb_paper_value("pz07_table3", "t_send", "8800GTX") / send_s},
                 {"pass_us", pass_us(r, n)},
                 {"pass_n_small", (double)small},
                 {"pass_us_small", small < n ? pass_us(r, small) : NAN},
                 {"pass_n_over_small", (double)(n / small)},
                 {"pass_growth", pass_us(r, n) / pass_us(r, small)},
                 {"kernel_passes", (double)n - 1},
                 {"bag_here", walk},
                 {"bag_times", here / walk}};
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
    hb_section_set(report, numbers[k].name, numbers[k].number);
}

/* ---- the end of Table 2 ------------------------------------------------------------------------------ */

/* The exponent of a machine's time between N and 2 N in Table 2, and in the model. */
static double slope(const char *machine, size_t n)
{
  return log2(hb_2007_wall(2 * n, machine) / hb_2007_wall(n, machine));
}

static double model_slope(size_t n)
{
  return log2(hb_2007_time("8800GTX", 2. * (double)n, HB_2007_AS_IS) /
              hb_2007_time("8800GTX", (double)n, HB_2007_AS_IS));
}

static double particle_step_s(size_t n)
{
  return 4 * hb_2007_wall(n, "8800GTX") / (hb_2007_n_steps((double)n) * (double)n);
}

static void set_large_n(struct hb_report *report)
{
  struct hb_report_table t =
      hb_report_table(report, "slopes",
                      "from N|to N|8800GTX, Table 2|8800GTX, model|GRAPE-6Af, Table 2|Xeon, Table 2|seconds "
                      "a particle and block step, 8800GTX");
  double lowest = INFINITY;
  for (size_t n = 4096; n <= 262144; n *= 2) {
    hb_report_table_row(&t, "7733333", (double)n, 2. * (double)n, slope("8800GTX", n), model_slope(n),
                        slope("GRAPE-6Af", n), slope("Xeon", n), particle_step_s(n));
    if (n >= 32768) lowest = fmin(lowest, slope("8800GTX", n));
  }
  hb_report_table_end(&t);
  struct hb_model_time s32 = hb_2007_model("8800GTX", 32768), s512 = hb_2007_model("8800GTX", 524288);
  hb_section_set(report, "comm_percent_32k", 100 * s32.t_comm / s32.t_step);
  hb_section_set(report, "comm_percent_512k", 100 * s512.t_comm / s512.t_step);
  hb_section_set(report, "model_comm", s32.t_comm / 32768);
  hb_section_set(report, "grows_slower", lowest < model_slope(32768) - 0.1);
  hb_section_set(report, "slope_model", model_slope(32768));
  hb_section_set(report, "slope_8800gtx", slope("8800GTX", 32768));
  hb_section_set(report, "slope_grape", slope("GRAPE-6Af", 32768));
  hb_section_set(report, "slope_xeon", slope("Xeon", 32768));
  hb_section_set(report, "particle_16k", particle_step_s(16384));
  hb_section_set(report, "particle_128k", particle_step_s(131072));
}

/* ---- Fig. 5 ------------------------------------------------------------------------------------------ */

static double mode_number(const struct hb_reproduction *r, const char *mode, size_t n, const char *key)
{
  return hb_reproduce_number(r, key, "kind=run source=ds mode=%s n=%zu", mode, n);
}

static void set_modes(const struct hb_reproduction *r, struct hb_report *report)
{
  size_t n = 0;
  for (size_t m = r->n_least; m <= r->n_most; m *= 2)
    if (mode_number(r, "block/gpu/gpu", m, "wall_s") > 0 && mode_number(r, "all/host/host", m, "wall_s") > 0)
      n = m;
  double N = (double)n, all = mode_number(r, "all/host/host", n, "wall_s");
  double gain = all / mode_number(r, "block/gpu/gpu", n, "wall_s");
  double predicted = hb_2007_time("8800GTX", N, HB_2007_AS_IS) / hb_2007_time("8800GTX", N, HB_2007_ON_CARD);
  double e_host = fabs(mode_number(r, "all/host/host", n, "de_rel")),
         e_device = fabs(mode_number(r, "block/gpu/gpu", n, "de_rel"));
  hb_section_set(report, "modes_n", N);
  hb_section_set(report, "block_predicted",
                 hb_2007_time("8800GTX", N, HB_2007_AS_IS) / hb_2007_time("8800GTX", N, HB_2007_BLOCKS));
  hb_section_set(report, "device_predicted", predicted);
  hb_section_set(report, "block_gain", all / mode_number(r, "block/gpu/host", n, "wall_s"));
  hb_section_set(report, "device_gain", gain);
  hb_section_set(report, "device_is_less", gain < 0.5 * predicted);
  hb_section_set(report, "device_error", e_device);
  hb_section_set(report, "host_error", e_host);
  hb_section_set(report, "device_keeps_energy", e_device < 2 * e_host);
}

void hb_section_differs(const struct hb_reproduction *r, struct hb_report *report)
{
  set_kernel(r, report);
  set_large_n(report);
  set_modes(r, report);
}

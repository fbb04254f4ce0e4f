/* What differs between 2007 and this machine, and why: sentences with the numbers of the jobs in them, chosen by those
 * numbers. */
#include "perf/paper.h"
#include "report/reproduce_2007.h"
#include "report/reproduce_sections.h"

#include <math.h>
#include <stdio.h>

static double paper_wall(size_t n, const char *machine)
{
  char key[32];
  snprintf(key, sizeof key, "%zu", n);
  return hb_paper_value("table2", key, machine);
}

/* ---- the kernel of 2007, then and now ---------------------------------------------------------------- */

/* Microseconds of a pass of cg2007 in a run: a block step has n - 1 of them. */
static double pass_us(const struct hb_reproduction *r, size_t n)
{
  double steps = hb_reproduce_number(r, "block_steps", "kind=run source=cg2007 n=%zu", n);
  return 1e6 * hb_section_wall(r, HB_SOURCE_CG2007, n) / (steps * (double)(n - 1));
}

/* The largest n that this machine and the 8800GTX both ran the kernel with; 0: none. */
static size_t common_with_2007(const struct hb_reproduction *r)
{
  size_t common = 0;
  for (size_t n = r->n_least; n <= r->n_most; n *= 2)
    if (hb_section_wall(r, HB_SOURCE_CG2007, n) > 0 && paper_wall(n, "8800GTX") > 0) common = n;
  return common;
}

static void say_kernel(struct hb_reproduction *r, struct hb_report *report)
{
  size_t n = common_with_2007(r);
  hb_report_put(report, "<h3>The kernel of 2007, then and now</h3>\n");
  if (!n) {
    hb_report_lack(report, "No N of Table 2 was run with the kernel of 2007 here.");
    return;
  }
  double ratio = paper_wall(n, "8800GTX") / hb_section_wall(r, HB_SOURCE_CG2007, n);
  struct hb_2007_step s = hb_2007_step("8800GTX", (double)n);
  double share = s.comm_s / s.all_s;
  hb_report_put(report,
                "<p>At N = %zu the same fragment program takes %s&thinsp;s here and took %s&thinsp;s on the "
                "8800GTX: this machine is "
                "<b>%s times as %s</b>. ",
                n, hb_report_number(hb_section_wall(r, HB_SOURCE_CG2007, n), 3),
                hb_report_number(paper_wall(n, "8800GTX"), 4), hb_report_number(fmax(ratio, 1 / ratio), 2),
                ratio > 1 ? "fast" : "slow");
  hb_report_put(report,
                "By the paper's own model the 8800GTX spent %s&thinsp;%% of a block step at this N on "
                "sending and receiving all "
                "particles (%s&thinsp;s a particle) and %s&thinsp;%% on forces. ",
                hb_report_number(100 * share, 2), hb_report_number(s.comm_s / (double)n, 3),
                hb_report_number(100 * s.force_s / s.all_s, 2));
  double send_us = hb_reproduce_number(r, "send_us", "kind=draws"),
         sent = hb_reproduce_number(r, "n", "kind=draws");
  if (send_us > 0)
    hb_report_put(
        report, "Sending takes %s&thinsp;s a particle here, %s times less than Table 3 has for the 8800GTX. ",
        hb_report_number(1e-6 * send_us / sent, 2),
        hb_report_number(1e6 * hb_paper_value("pz07_table3", "t_send", "8800GTX") * sent / send_us, 2));
  hb_report_put(report, "What it takes here is passes: %s&thinsp;&micro;s each at N = %zu",
                hb_report_number(pass_us(r, n), 2), n);
  size_t small = r->n_least;
  if (small < n && pass_us(r, small) > 0) {
    double growth = pass_us(r, n) / pass_us(r, small);
    hb_report_put(report, ", %s&thinsp;&micro;s at N = %zu, where a block has a %s of the particles. ",
                  hb_report_number(pass_us(r, small), 2), small, n / small >= 4 ? "fraction" : "part");
    hb_report_put(report, growth < 1.5
                              ? "So it is the beginning of a draw that is paid for, not the pairs in it. "
                              : "So a part of it is pairs: a pass takes longer where the block is larger. ");
  } else {
    hb_report_put(report, ". ");
  }
  double walk = hb_section_wall(r, HB_SOURCE_BAG, n);
  if (walk > 0)
    hb_report_put(report,
                  "With the sources summed inside a program, one pass instead of %zu (<i>bag</i>), the same "
                  "run takes %s&thinsp;s, %s "
                  "times less.",
                  n - 1, hb_report_number(walk, 2),
                  hb_report_number(hb_section_wall(r, HB_SOURCE_CG2007, n) / walk, 2));
  hb_report_put(report, "</p>\n");
}

/* ---- eq. 1 ------------------------------------------------------------------------------------------- */

static void say_sign(struct hb_report *report)
{
  hb_report_put(report, "<h3>The sign of eq. 1</h3>\n"
                        "<p>Eq. 1 as printed, in the journal and in the preprint, sums m<sub>j</sub> "
                        "(r<sub>i</sub> &minus; r<sub>j</sub>) / "
                        "|r<sub>i</sub> &minus; r<sub>j</sub>|<sup>3</sup>: it points away from the others, "
                        "and would blow the cluster up. "
                        "The listing of the kernel in the preprint's appendix does not share the slip, and "
                        "neither does this program: "
                        "r<sub>ij</sub> = r<sub>j</sub> &minus; r<sub>i</sub> everywhere.</p>\n");
}

/* ---- the end of Table 2 ------------------------------------------------------------------------------ */

/* The exponent between N and 2 N of a machine's time in Table 2. */
static double slope(const char *machine, size_t n)
{
  return log2(paper_wall(2 * n, machine) / paper_wall(n, machine));
}

static double model_slope(size_t n)
{
  return log2(hb_2007_time("8800GTX", 2. * (double)n) / hb_2007_time("8800GTX", (double)n));
}

static void say_large_n(struct hb_report *report)
{
  struct hb_report_table t = {.report = report, .name = "slopes"};
  hb_report_put(report, "<h3>N = 32k to 512k grow slower than N<sup>2</sup></h3>\n");
  hb_report_table_head(&t, "from N|to N|8800GTX, Table 2|8800GTX, model|GRAPE-6Af, Table 2|Xeon, Table "
                           "2|seconds a particle and block step, 8800GTX");
  for (size_t n = 4096; n <= 262144; n *= 2) {
    hb_report_table_number(&t, (double)n, 7);
    hb_report_table_number(&t, 2. * (double)n, 7);
    hb_report_table_number(&t, slope("8800GTX", n), 3);
    hb_report_table_number(&t, model_slope(n), 3);
    hb_report_table_number(&t, slope("GRAPE-6Af", n), 3);
    hb_report_table_number(&t, slope("Xeon", n), 3);
    hb_report_table_number(&t, 4 * paper_wall(n, "8800GTX") / (hb_2007_n_steps((double)n) * (double)n), 3);
    hb_report_table_row_end(&t);
  }
  hb_report_table_end(&t, "Slopes of Table 2",
                      "Exponent p of time &prop; N<sup>p</sup> between neighbouring rows of the printed "
                      "Table 2, and by the paper's model; "
                      "last column: four times the printed seconds over the block steps of eq. 17 and N.");
  struct hb_2007_step s32 = hb_2007_step("8800GTX", 32768), s512 = hb_2007_step("8800GTX", 524288);
  hb_report_put(report,
                "<p>Pairs alone would give N<sup>0.35 + 1.81</sup>. On the 8800GTX they are the smaller part "
                "even there: transfers are "
                "%s&thinsp;%% of the modelled block step at 32k and still %s&thinsp;%% at 512k, and "
                "transfers alone give N<sup>1.35</sup>. ",
                hb_report_number(100 * s32.comm_s / s32.all_s, 2),
                hb_report_number(100 * s512.comm_s / s512.all_s, 2));
  double low = INFINITY;
  for (size_t n = 32768; n <= 262144; n *= 2) low = fmin(low, slope("8800GTX", n));
  if (low < model_slope(32768) - 0.1)
    hb_report_put(report,
                  "But the printed seconds grow slower still, as N<sup>%s</sup> from 32k to 64k where the "
                  "model has N<sup>%s</sup>, while "
                  "the GRAPE and the Xeon, with the same spheres and the same steps, keep to N<sup>%s</sup> "
                  "and N<sup>%s</sup>. So it "
                  "is not the number of steps that stops growing: a particle costs %s&thinsp;s a block step "
                  "at 16k and %s&thinsp;s at "
                  "128k, below the %s&thinsp;s of Table 3. Large transfers must have been cheaper a particle "
                  "than the table has "
                  "it, although section 5.4 says that communication gets slower by a factor of two for large "
                  "amounts.</p>\n",
                  hb_report_number(slope("8800GTX", 32768), 3), hb_report_number(model_slope(32768), 3),
                  hb_report_number(slope("GRAPE-6Af", 32768), 3), hb_report_number(slope("Xeon", 32768), 3),
                  hb_report_number(4 * paper_wall(16384, "8800GTX") / (hb_2007_n_steps(16384) * 16384), 3),
                  hb_report_number(4 * paper_wall(131072, "8800GTX") / (hb_2007_n_steps(131072) * 131072), 3),
                  hb_report_number(s32.comm_s / 32768, 3));
  else
    hb_report_put(report, "The printed seconds follow it.</p>\n");
}

/* ---- Fig. 5 ------------------------------------------------------------------------------------------ */

static double mode_wall(const struct hb_reproduction *r, const char *mode, size_t n, const char *key)
{
  return hb_reproduce_number(r, key, "kind=run source=ds mode=%s n=%zu", mode, n);
}

static void say_fig5(struct hb_reproduction *r, struct hb_report *report)
{
  size_t n = 0;
  for (size_t m = r->n_least; m <= r->n_most; m *= 2)
    if (mode_wall(r, "block/gpu/gpu", m, "wall_s") > 0 && mode_wall(r, "all/host/host", m, "wall_s") > 0)
      n = m;
  hb_report_put(report, "<h3>What Fig. 5 got right</h3>\n");
  if (!n) {
    hb_report_lack(report, "The modes of Fig. 5 were not run.");
    return;
  }
  double all = mode_wall(r, "all/host/host", n, "wall_s"),
         block = mode_wall(r, "block/gpu/host", n, "wall_s");
  double device = mode_wall(r, "block/gpu/gpu", n, "wall_s"), N = (double)n, both = hb_2007_time_on_card(N);
  double predicted_block = hb_2007_time("8800GTX", N) / hb_2007_time_blocks(N),
         predicted = hb_2007_time("8800GTX", N) / both;
  hb_report_put(report,
                "<p>For the 8800GTX the model gains a factor of %s at N = %zu by sending blocks only, and of "
                "%s by predicting and "
                "correcting on the card as well. Measured here, with double-single forces: sending blocks "
                "and predicting on the "
                "device makes the run %s times as fast, correcting there, too, %s times. ",
                hb_report_number(predicted_block, 2), n, hb_report_number(predicted, 2),
                hb_report_number(all / block, 2), hb_report_number(all / device, 2));
  if (all / device > 1.2)
    hb_report_put(report, "The direction of the prediction holds%s. ",
                  all / device < 0.5 * predicted
                      ? ", not its size: there is less communication to be saved than in 2007"
                      : "");
  else
    hb_report_put(report, "There is nothing to be gained here: %s. ",
                  all / device > 0.9
                      ? "communication, which the paper wanted to be rid of, is a small part of the time"
                      : "what the host does in one loop takes the device a draw of its own, and the bus that "
                        "Fig. 5 wanted to relieve is not what limits this machine");
  double e_host = fabs(mode_wall(r, "all/host/host", n, "de_rel")),
         e_device = fabs(mode_wall(r, "block/gpu/gpu", n, "de_rel"));
  hb_report_put(report,
                "The paper feared &ldquo;a quite severe accuracy penalty&rdquo; for correcting on the card. "
                "With particles kept as two "
                "floats the energy error is %s here and %s with a host that corrects in double: %s</p>\n",
                hb_report_number(e_device, 3), hb_report_number(e_host, 3),
                e_device < 2 * e_host ? "there is no such penalty." : "a penalty indeed.");
}

/* ---- steps and energies ------------------------------------------------------------------------------ */

static void say_steps(struct hb_reproduction *r, struct hb_report *report)
{
  struct hb_section_rounding fits[HB_ROUNDINGS];
  hb_section_read_roundings(r, fits);
  struct hb_section_thermometer t = hb_section_read_thermometer(r);
  hb_report_put(report, "<h3>Steps and energies</h3>\n");
  if (!hb_section_has_roundings(fits) || !t.runs) {
    hb_report_lack(report, "There are no runs to compare block steps and energies by.");
    return;
  }
  hb_report_put(report,
                "<p>This program rounds steps down, takes %s times the block steps of eq. 17, and keeps the "
                "energy to %s on average where the paper has %s for its host. The seconds above are of that "
                "many steps; with <code>--step-rounding</code> they would be fewer. The kernel of 2007 shows "
                "an error of %s by its own potentials, of which %s are left when the energy is summed in "
                "double.</p>\n",
                hb_report_number(fits[0].steps_ratio, 2), hb_report_number(fits[0].error, 2),
                hb_report_number(hb_paper_value("pz07_accuracy", "de_rel,GRAPE-6Af", "value"), 2),
                hb_report_number(t.own, 2), hb_report_number(t.exact, 2));
}

void hb_section_differs(struct hb_reproduction *r, struct hb_report *report)
{
  say_kernel(r, report);
  say_sign(report);
  say_large_n(report);
  say_fig5(r, report);
  say_steps(r, report);
}

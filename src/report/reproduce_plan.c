#include "report/reproduce_plan.h"

#include "base/arith.h"
#include "base/draft.h"
#include "report/model_2007.h"
#include "report/reproduce_job.h"
#include "report/reproduce_sources.h"

#include <holmberg/holmberg.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- how many block steps -----------------------------------------------------------------------------*/

/* Steps that are rounded down give this many times the block steps of eq. 17. */
static const double ROUNDED_DOWN = 1.6;

static double block_steps(size_t n, double nu, double t)
{
  return ROUNDED_DOWN * t * hb_2007_n_steps((double)n) * sqrt(0.01 / nu);
}

/* ---- the paper's runs -------------------------------------------------------------------------------- */

static const char as_in_2007[] = "all/host/host";

/* A column of Table 2: at least three sizes, up to the first that takes too long. */
static const struct column {
  enum hb_source_name source;
  const char *mode;
} columns[] = {
    {HB_SOURCE_HOST, as_in_2007},        {HB_SOURCE_SIMD, as_in_2007},  {HB_SOURCE_CG2007, as_in_2007},
    {HB_SOURCE_BAG, as_in_2007},         {HB_SOURCE_TILE, as_in_2007},  {HB_SOURCE_GRAPE6, as_in_2007},
    {HB_SOURCE_COMPENSATED, as_in_2007}, {HB_SOURCE_DS, as_in_2007},    {HB_SOURCE_DS, "block/gpu/host"},
    {HB_SOURCE_DS, "block/gpu/gpu"},     {HB_SOURCE_DOUBLE, as_in_2007}};

static void plan_column(struct hb_reproduction *r, const struct column *column)
{
  const struct hb_source *source = &r->sources[column->source];
  int count = 0;
  for (size_t n = r->n_least; n <= r->n_most && source->is_there; n *= 2) {
    hb_job_add(r, HB_JOB_RUN, source, hb_source_run_seconds(r, source, n, block_steps(n, 0.01, 0.5)),
               hb_phrase("kind=run source=%s mode=%s n=%zu", source->name, column->mode, n),
               hb_phrase("bench run --n %zu --mode %s --json", n, column->mode));
    if (++count > 3 && hb_job_leave_out(r, r->longest_s)) break;
  }
}

static void plan_runs(struct hb_reproduction *r)
{
  for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) plan_column(r, &columns[c]);
}

/* ---- energy against nu ------------------------------------------------------------------------------- */

void hb_reproduce_nu_sizes(const struct hb_reproduction *r, size_t n[HB_NU_SIZES])
{
  static const size_t sizes[2][HB_NU_SIZES] = {{256, 1024}, {1024, 16384}};
  n[1] = hb_min(sizes[r->is_full][1], r->n_most);
  n[0] = sizes[r->is_full][0] < n[1] ? sizes[r->is_full][0] : n[1] / 2;
}

const enum hb_source_name hb_energy_sources[HB_ENERGY_SOURCES] = {HB_SOURCE_HOST,        HB_SOURCE_GRAPE6,
                                                                  HB_SOURCE_DOUBLE,      HB_SOURCE_DS,
                                                                  HB_SOURCE_COMPENSATED, HB_SOURCE_CG2007};

/* Halvings of nu = 0.1, as in the paper; every other one in a quick reproduction. The smaller N runs them all, and so does
 * grape6, whose floor is in question; the larger N runs `always`, and more if they fit. With float forces, steps collapse below
 * nu = 0.01, finally to dt_min; the rounding of grape6's jerk, divided by dt^3, would shorten them without end. */
static void plan_nu_source(struct hb_reproduction *r, const struct hb_source *source, size_t n, int always)
{
  double t = 0.25, shortest = ldexp(1, r->is_full ? -18 : -14);
  int is_float = source == &r->sources[HB_SOURCE_CG2007] || source == &r->sources[HB_SOURCE_COMPENSATED];
  const char *dt_min = source == &r->sources[HB_SOURCE_GRAPE6] || !r->is_full ? "2^-14" : "2^-18";
  for (int k = 0, count = 0; k <= HB_NU_HALVINGS; k += r->is_full ? 1 : 2) {
    double nu = ldexp(0.1, -k), steps = fmin(block_steps(n, nu, t), t / shortest);
    if (is_float && nu < 0.003) steps = t / shortest;
    hb_job_add(r, HB_JOB_NU, source, hb_source_run_seconds(r, source, n, steps),
               hb_phrase("kind=nu source=%s n=%zu nu=%.10g", source->name, n, nu),
               hb_phrase("run jobs/plummer-%zu.h5 --t-end 0.25 --diag-every 0.25 --eta %.10g --dt-min %s "
                         "--max-energy-error none --json",
                         n, nu, dt_min));
    if (++count > always && hb_job_leave_out(r, r->longest_s)) break;
  }
}

static void plan_nu(struct hb_reproduction *r)
{
  size_t n[HB_NU_SIZES];
  hb_reproduce_nu_sizes(r, n);
  for (int k = 0; k < HB_NU_SIZES; k++) {
    hb_job_add(r, HB_JOB_NU, NULL, r->start_s, hb_phrase("kind=plummer n=%zu", n[k]),
               hb_phrase("ic plummer -n %zu --seed 1 -o jobs/plummer-%zu.h5 --quiet", n[k], n[k]));
    for (int c = 0; c < HB_ENERGY_SOURCES; c++) {
      const struct hb_source *source = &r->sources[hb_energy_sources[c]];
      int always = k == 0 || hb_energy_sources[c] == HB_SOURCE_GRAPE6 ? HB_NU_HALVINGS + 1 : 3;
      if (source->is_there) plan_nu_source(r, source, n[k], always);
    }
  }
}

/* ---- roundings --------------------------------------------------------------------------------------- */

/* "256,512,1024": by factors of two. */
static void list_sizes(size_t first, size_t last, char text[256])
{
  size_t length = 0;
  for (size_t n = first; n <= last && length < 240; n *= 2)
    length += (size_t)snprintf(text + length, 256 - length, "%s%zu", n == first ? "" : ",", n);
}

static double sum_of_runs(const struct hb_reproduction *r, const struct hb_source *source, size_t last)
{
  double sum = r->start_s;
  for (size_t n = r->n_least; n <= last; n *= 2)
    sum += hb_source_run_seconds(r, source, n, block_steps(n, 0.01, 0.5)) - r->start_s;
  return sum;
}

static void plan_roundings(struct hb_reproduction *r)
{
  size_t last = hb_min(r->is_full ? 16384 : 4096, r->n_most);
  char sizes[256];
  list_sizes(r->n_least, last, sizes);
  for (int k = 0; k < HB_ROUNDINGS; k++)
    hb_job_add(r, HB_JOB_ROUNDING, NULL,
               HB_ROUNDING_SEEDS * sum_of_runs(r, &r->sources[HB_SOURCE_SIMD], last),
               hb_phrase("kind=rounding rounding=%s", hb_rounding_names[k]),
               hb_phrase("model fit --n %s --seeds %d --step-rounding %s --scheme host-simd --precision "
                         "ds --json",
                         sizes, HB_ROUNDING_SEEDS, hb_rounding_names[k]));
}

/* ---- the constants of the model ---------------------------------------------------------------------- */

/* Five sizes over a factor of four, as large as they fit. */
static void plan_fit(struct hb_reproduction *r, const struct hb_source *source, const char *mode)
{
  static const size_t eighths[] = {2, 3, 4, 6, 8};
  enum { SIZES = sizeof eighths / sizeof *eighths };
  size_t top = r->n_least;
  double estimate_s = 0, start_s = hb_source_start_seconds(r, source);
  for (size_t n = top; n <= r->n_most && n <= 65536; n *= 2) {
    double next_s = start_s;
    for (int k = 0; k < SIZES; k++) {
      size_t m = n * eighths[k] / 8;
      next_s += hb_source_run_seconds(r, source, m, block_steps(m, 0.01, 0.5)) - start_s;
    }
    if (n > r->n_least && next_s > r->longest_s) break;
    top = n, estimate_s = next_s;
  }
  char sizes[128] = "";
  for (int k = 0; k < SIZES; k++)
    snprintf(sizes + strlen(sizes), sizeof sizes - strlen(sizes), "%s%zu", k ? "," : "",
             top * eighths[k] / 8);
  hb_job_add(r, HB_JOB_MODEL, source, estimate_s,
             hb_phrase("kind=model source=%s mode=%s", source->name, mode),
             hb_phrase("model fit --n %s --seeds 1 --mode %s --json", sizes, mode));
}

static void plan_model(struct hb_reproduction *r)
{
  static const struct column fits[] = {{HB_SOURCE_HOST, as_in_2007},     {HB_SOURCE_CG2007, as_in_2007},
                                       {HB_SOURCE_BAG, as_in_2007},      {HB_SOURCE_TILE, as_in_2007},
                                       {HB_SOURCE_DS, "block/gpu/host"}, {HB_SOURCE_DS, "block/gpu/gpu"}};
  for (size_t k = 0; k < sizeof fits / sizeof *fits; k++)
    if (r->sources[fits[k].source].is_there) plan_fit(r, &r->sources[fits[k].source], fits[k].mode);
}

/* ---- forces alone ------------------------------------------------------------------------------------ */

/* Jobs for one evaluation of all forces, up to the largest n that fits. */
static void plan_forces(struct hb_reproduction *r, enum hb_job_kind kind, enum hb_source_name source_name,
                        const char *word, size_t first, size_t last, const char *options)
{
  const struct hb_source *source = &r->sources[source_name], *host = &r->sources[HB_SOURCE_HOST];
  for (size_t n = first; n <= hb_min(last, r->n_most) && source->is_there; n *= 2) {
    double once = hb_source_seconds(source, (double)n, (double)n);
    double check = kind == HB_JOB_SUMS ? hb_source_seconds(host, (double)n, 256) : 0;
    hb_job_add(r, kind, source, r->gl_start_s + 5 * once + check,
               hb_phrase("kind=%s source=%s n=%zu", word, source->name, n),
               hb_phrase("bench force --n %zu %s --json", n, options));
    if (n > 4096 && hb_job_leave_out(r, r->longest_s / 2)) break;
  }
}

static void plan_sums(struct hb_reproduction *r)
{
  size_t first = r->n_most < 4096 ? r->n_least : 2048;
  const char *options = "--float-positions --check --repeat 1";
  plan_forces(r, HB_JOB_SUMS, HB_SOURCE_CG2007, "sums", first, 131072, options);
  plan_forces(r, HB_JOB_SUMS, HB_SOURCE_COMPENSATED, "sums", first, 131072, options);
}

static void plan_rates(struct hb_reproduction *r)
{
  static const enum hb_source_name curves[] = {HB_SOURCE_BAG, HB_SOURCE_TILE};
  for (size_t k = 0; k < sizeof curves / sizeof *curves; k++)
    plan_forces(r, HB_JOB_FORCE, curves[k], "force", r->n_least, r->is_full ? 1048576 : 131072,
                "--interaction gravity --repeat 3");
}

static void plan_threads(struct hb_reproduction *r)
{
  const struct hb_source *tile = &r->sources[HB_SOURCE_TILE];
  const struct hb_source *source = tile->is_there ? tile : &r->sources[HB_SOURCE_BAG];
  char sizes[256];
  size_t last = r->is_full ? 16384 : 4096;
  list_sizes(r->n_least, hb_min(last, r->n_most), sizes);
  double once = hb_source_seconds(source, (double)last, (double)last);
  for (int k = 0; k < HB_THREAD_COUNTS && source->is_there; k++)
    hb_job_add(
        r, HB_JOB_THREADS, source, r->gl_start_s + 20 * once,
        hb_phrase("kind=threads source=%s threads=%d", source->name, 1 << k),
        hb_phrase("bench force --interaction gravity --n %s --tuning body_threads=%d --json", sizes, 1 << k));
}

static void plan_device(struct hb_reproduction *r)
{
  hb_job_add(r, HB_JOB_DEVICE, NULL, r->gl_start_s + 1, "kind=ceiling", "bench ceiling --json");
  hb_job_add(r, HB_JOB_DEVICE, &r->sources[HB_SOURCE_CG2007], r->gl_start_s + 2, "kind=draws",
             "bench draws --n 1024 --ni 1024 --repeat 3 --json");
}

enum hb_status hb_reproduce_plan(struct hb_reproduction *r)
{
  static const struct {
    enum hb_job_kind kind;
    void (*plan)(struct hb_reproduction *r);
  } plans[] = {{HB_JOB_DEVICE, plan_device},      {HB_JOB_RUN, plan_runs},       {HB_JOB_NU, plan_nu},
               {HB_JOB_ROUNDING, plan_roundings}, {HB_JOB_MODEL, plan_model},    {HB_JOB_SUMS, plan_sums},
               {HB_JOB_FORCE, plan_rates},        {HB_JOB_THREADS, plan_threads}};
  for (size_t k = 0; k < sizeof plans / sizeof *plans; k++)
    if (r->kinds & plans[k].kind) plans[k].plan(r);
  return r->planned;
}

/* The table of jobs: which command lines a reproduction consists of, and how long each will take here. */
#include "base/mem.h"
#include "report/reproduce.h"
#include "report/reproduce_2007.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* ---- adding one -------------------------------------------------------------------------------------- */

static enum hb_status grow(struct hb_reproduction *r)
{
  if (r->job_count < r->job_room) return HB_OK;
  struct hb_job *more;
  size_t room = 2 * r->job_room + 64;
  HB_TRY(HB_ALLOC(room, &more));
  if (r->job_count) memcpy(more, r->jobs, r->job_count * sizeof *more);
  hb_mem_free(r->jobs);
  r->jobs = more;
  r->job_room = room;
  return HB_OK;
}

/* The passes of cg2007 are so short that waking the threads of a
 * software renderer takes longer than they do. */
enum hb_status hb_job_add(struct hb_reproduction *r, enum hb_job_kind kind, const struct hb_source *source,
                          double estimate_s, struct hb_job **job, const char *command, ...)
{
  HB_TRY(grow(r));
  *job = &r->jobs[r->job_count++];
  **job = (struct hb_job){.kind = kind, .estimate_s = estimate_s};
  char *text = (*job)->command;
  size_t room = sizeof(*job)->command, length = 0;
  if (source == &r->sources[HB_SOURCE_CG2007]) length += (size_t)snprintf(text, room, "LP_NUM_THREADS=0 ");
  length += (size_t)snprintf(text + length, room - length, "holmberg ");
  va_list list;
  va_start(list, command);
  length += (size_t)vsnprintf(text + length, room - length, command, list);
  va_end(list);
  if (source && length < room)
    length += (size_t)snprintf(text + length, room - length, " --scheme %s", source->scheme);
  if (source && source != &r->sources[HB_SOURCE_GRAPE6] && length < room) /* which has one of its own */
    length += (size_t)snprintf(text + length, room - length, " --precision %s", source->precision);
  const char *const places[][2] = {{"context", r->place.context}, {"device", r->place.device}};
  for (size_t k = 0; k < 2 && strncmp(command, "ic ", 3) != 0; k++)
    if (places[k][1] && length < room)
      length += (size_t)snprintf(text + length, room - length, " --%s %s", places[k][0], places[k][1]);
  return length < room ? HB_OK : hb_fail(HB_ERR_USAGE, "the command line of a job is too long: %s", text);
}

void hb_job_name(struct hb_job *job, const char *labels, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  vsnprintf(job->name, sizeof job->name, format, list);
  va_end(list);
  snprintf(job->labels, sizeof job->labels, "%s", labels);
}

/* Whether the job would take longer than it may, unless its output is there already; subject is its name in the report. */
__attribute__((format(printf, 3, 4))) static int leave_out(struct hb_job *job, double longest_s,
                                                           const char *subject, ...)
{
  va_list list;
  va_start(list, subject);
  vsnprintf(job->subject, sizeof job->subject, subject, list);
  va_end(list);
  job->is_left_out = job->estimate_s > longest_s && !hb_job_is_kept(job, NULL);
  return job->is_left_out;
}

/* ---- how many block steps -----------------------------------------------------------------------------*/

/* Steps rounded down make that many times the block steps of eq. 17. */
static const double ROUNDED_DOWN = 1.6;

static double block_steps(size_t n, double nu, double t)
{
  return ROUNDED_DOWN * t * hb_2007_n_steps((double)n) * sqrt(0.01 / nu);
}

/* ---- the paper's runs -------------------------------------------------------------------------------- */

static const char as_in_2007[] = "all/host/host";

/* A column of Table 2, from the smallest n to the first that takes too long, and three sizes in any case. */
static const struct column {
  enum hb_source_name source;
  const char *mode;
} columns[] = {
    {HB_SOURCE_HOST, as_in_2007},        {HB_SOURCE_SIMD, as_in_2007},  {HB_SOURCE_CG2007, as_in_2007},
    {HB_SOURCE_BAG, as_in_2007},         {HB_SOURCE_TILE, as_in_2007},  {HB_SOURCE_GRAPE6, as_in_2007},
    {HB_SOURCE_COMPENSATED, as_in_2007}, {HB_SOURCE_DS, as_in_2007},    {HB_SOURCE_DS, "block/gpu/host"},
    {HB_SOURCE_DS, "block/gpu/gpu"},     {HB_SOURCE_DOUBLE, as_in_2007}};

/* "block-gpu-host", for names of files. */
static const char *mode_word(const char *mode, char word[32])
{
  snprintf(word, 32, "%s", mode);
  for (char *s = word; *s; s++) *s = *s == '/' ? '-' : *s;
  return word;
}

static enum hb_status plan_runs(struct hb_reproduction *r)
{
  for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
    const struct hb_source *source = &r->sources[columns[c].source];
    if (!source->is_there) continue;
    size_t top = r->n_most, count = 0;
    double estimate_s = 0;
    for (size_t n = r->n_least; n <= top; n *= 2) {
      estimate_s = hb_source_run_seconds(r, source, n, block_steps(n, 0.01, 0.5));
      struct hb_job *job;
      char labels[160], mode[32];
      HB_TRY(hb_job_add(r, HB_JOB_RUN, source, estimate_s, &job, "bench run --n %zu --mode %s --json", n,
                        columns[c].mode));
      snprintf(labels, sizeof labels, "kind=run source=%s", source->name);
      hb_job_name(job, labels, "run-%s-%s-%zu", source->name, mode_word(columns[c].mode, mode), n);
      const char *how = columns[c].mode == as_in_2007 ? "" : columns[c].mode;
      if (++count > 3 &&
          leave_out(job, r->longest_s, "%s%s%s at N = %zu", source->name, *how ? " " : "", how, n))
        break;
    }
  }
  return HB_OK;
}

/* ---- energy against nu ------------------------------------------------------------------------------- */

void hb_reproduce_nu_sizes(const struct hb_reproduction *r, size_t n[HB_NU_SIZES])
{
  static const size_t sizes[2][HB_NU_SIZES] = {{256, 1024}, {1024, 16384}};
  n[1] = sizes[r->is_full][1] < r->n_most ? sizes[r->is_full][1] : r->n_most;
  n[0] = sizes[r->is_full][0] < n[1] ? sizes[r->is_full][0] : n[1] / 2;
}

/* Halvings of nu = 0.1, as the paper; a quick reproduction takes every other. The smaller N has them all, and so has grape6,
 * whose floor is in question; the larger one has `always`, and more as far as they fit. A float's steps collapse below nu = 0.01, to
 * dt_min in the end. */
enum { HALVINGS = 8 };

static enum hb_status plan_nu_source(struct hb_reproduction *r, const struct hb_source *source, size_t n,
                                     int always)
{
  int step = r->is_full ? 1 : 2;
  double shortest = ldexp(1, r->is_full ? -18 : -14), t = 0.25;
  int is_float = source == &r->sources[HB_SOURCE_CG2007] || source == &r->sources[HB_SOURCE_COMPENSATED];
  for (int k = 0, count = 0; k <= HALVINGS; k += step) {
    double nu = ldexp(0.1, -k), steps = fmin(block_steps(n, nu, t), t / shortest);
    double estimate_s = hb_source_run_seconds(r, source, n, is_float && nu < 0.003 ? t / shortest : steps);
    struct hb_job *job;
    char labels[160];
    /* grape6: the rounding of its jerk, divided by dt^3, would shorten its steps without end */
    const char *dt_min = source == &r->sources[HB_SOURCE_GRAPE6] || !r->is_full ? "2^-14" : "2^-18";
    HB_TRY(hb_job_add(r, HB_JOB_NU, source, estimate_s, &job,
                      "run jobs/plummer-%zu.h5 --t-end 0.25 --diag-every 0.25 --eta %.10g --dt-min %s "
                      "--max-energy-error none --json",
                      n, nu, dt_min));
    snprintf(labels, sizeof labels, "kind=nu source=%s n=%zu nu=%.10g", source->name, n, nu);
    hb_job_name(job, labels, "nu-%s-%zu-%.10g", source->name, n, nu);
    if (++count > always && leave_out(job, r->longest_s, "%s at N = %zu, &nu; = %.10g", source->name, n, nu))
      break;
  }
  return HB_OK;
}

static enum hb_status plan_nu(struct hb_reproduction *r)
{
  static const enum hb_source_name curves[] = {HB_SOURCE_HOST, HB_SOURCE_GRAPE6,      HB_SOURCE_DOUBLE,
                                               HB_SOURCE_DS,   HB_SOURCE_COMPENSATED, HB_SOURCE_CG2007};
  size_t n[HB_NU_SIZES];
  hb_reproduce_nu_sizes(r, n);
  for (int k = 0; k < HB_NU_SIZES; k++) {
    struct hb_job *job;
    HB_TRY(hb_job_add(r, HB_JOB_NU, NULL, r->start_s, &job,
                      "ic plummer -n %zu --seed 1 -o jobs/plummer-%zu.h5 --quiet", n[k], n[k]));
    hb_job_name(job, "kind=ic", "plummer-%zu", n[k]);
    for (size_t c = 0; c < sizeof curves / sizeof *curves; c++) {
      int always = k == 0 || curves[c] == HB_SOURCE_GRAPE6 ? HALVINGS + 1 : 3;
      if (r->sources[curves[c]].is_there) HB_TRY(plan_nu_source(r, &r->sources[curves[c]], n[k], always));
    }
  }
  return HB_OK;
}

/* ---- the rest ---------------------------------------------------------------------------------------- */

/* "256,512,1024": from n_first on by factors of two. */
static void list_sizes(size_t first, size_t last, char text[256])
{
  size_t length = 0;
  for (size_t n = first; n <= last && length < 240; n *= 2)
    length += (size_t)snprintf(text + length, 256 - length, "%s%zu", n == first ? "" : ",", n);
}

static double sum_of_runs(const struct hb_reproduction *r, const struct hb_source *source, size_t first,
                          size_t last)
{
  double sum = r->start_s;
  for (size_t n = first; n <= last; n *= 2)
    sum += hb_source_run_seconds(r, source, n, block_steps(n, 0.01, 0.5)) - r->start_s;
  return sum;
}

static enum hb_status plan_roundings(struct hb_reproduction *r)
{
  const struct hb_source *simd = &r->sources[HB_SOURCE_SIMD];
  size_t last = r->is_full ? 16384 : 4096;
  char sizes[256], labels[160];
  last = last < r->n_most ? last : r->n_most;
  list_sizes(r->n_least, last, sizes);
  for (int k = 0; k < HB_ROUNDINGS; k++) {
    struct hb_job *job;
    HB_TRY(
        hb_job_add(r, HB_JOB_ROUNDING, NULL, HB_ROUNDING_SEEDS * sum_of_runs(r, simd, r->n_least, last), &job,
                   "model fit --n %s --seeds %d --step-rounding %s --scheme host-simd --precision ds --json",
                   sizes, HB_ROUNDING_SEEDS, hb_rounding_names[k]));
    snprintf(labels, sizeof labels, "kind=rounding rounding=%s", hb_rounding_names[k]);
    hb_job_name(job, labels, "rounding-%s", hb_rounding_names[k]);
  }
  return HB_OK;
}

/* ---- the constants of the model ---------------------------------------------------------------------- */

/* Five sizes in a range of four, as far up as they fit. */
static enum hb_status plan_fit(struct hb_reproduction *r, const struct hb_source *source, const char *mode)
{
  static const size_t eighths[] = {2, 3, 4, 6, 8};
  enum { SIZES = sizeof eighths / sizeof *eighths };
  size_t top = r->n_least;
  double estimate_s = 0, next_s = 0;
  for (size_t n = top; n <= r->n_most && n <= 65536; n *= 2) {
    next_s = hb_source_start_seconds(r, source);
    for (int k = 0; k < SIZES; k++) {
      size_t m = n * eighths[k] / 8;
      next_s +=
          hb_source_run_seconds(r, source, m, block_steps(m, 0.01, 0.5)) - hb_source_start_seconds(r, source);
    }
    if (n > r->n_least && next_s > r->longest_s) break;
    top = n, estimate_s = next_s;
  }
  char sizes[128] = "", labels[160], word[32];
  for (int k = 0; k < SIZES; k++)
    snprintf(sizes + strlen(sizes), sizeof sizes - strlen(sizes), "%s%zu", k ? "," : "",
             top * eighths[k] / 8);
  struct hb_job *job;
  HB_TRY(hb_job_add(r, HB_JOB_MODEL, source, estimate_s, &job, "model fit --n %s --seeds 1 --mode %s --json",
                    sizes, mode));
  snprintf(labels, sizeof labels, "kind=model source=%s", source->name);
  hb_job_name(job, labels, "model-%s-%s", source->name, mode_word(mode, word));
  return HB_OK;
}

static enum hb_status plan_model(struct hb_reproduction *r)
{
  static const struct column fits[] = {{HB_SOURCE_HOST, as_in_2007},     {HB_SOURCE_CG2007, as_in_2007},
                                       {HB_SOURCE_BAG, as_in_2007},      {HB_SOURCE_TILE, as_in_2007},
                                       {HB_SOURCE_DS, "block/gpu/host"}, {HB_SOURCE_DS, "block/gpu/gpu"}};
  for (size_t k = 0; k < sizeof fits / sizeof *fits; k++)
    if (r->sources[fits[k].source].is_there) HB_TRY(plan_fit(r, &r->sources[fits[k].source], fits[k].mode));
  return HB_OK;
}

/* ---- forces alone ------------------------------------------------------------------------------------ */

/* Jobs of one force on all n by all n, as long as they fit. */
static enum hb_status plan_forces(struct hb_reproduction *r, enum hb_job_kind kind,
                                  const struct hb_source *source, const char *word, size_t first, size_t last,
                                  const char *options)
{
  for (size_t n = first; n <= last && n <= r->n_most; n *= 2) {
    double once = hb_source_seconds(source, (double)n, (double)n);
    double check = kind == HB_JOB_SUMS ? hb_source_seconds(&r->sources[HB_SOURCE_HOST], (double)n, 256) : 0;
    double estimate_s = r->gl_start_s + 5 * once + check;
    struct hb_job *job;
    char labels[160];
    HB_TRY(hb_job_add(r, kind, source, estimate_s, &job, "bench force --n %zu %s --json", n, options));
    snprintf(labels, sizeof labels, "kind=%s source=%s", word, source->name);
    hb_job_name(job, labels, "%s-%s-%zu", word, source->name, n);
    if (n > 4096 && leave_out(job, r->longest_s / 2, "%s at N = %zu", source->name, n)) break;
  }
  return HB_OK;
}

static enum hb_status plan_sums(struct hb_reproduction *r)
{
  const struct hb_source *direct = &r->sources[HB_SOURCE_CG2007], *bags = &r->sources[HB_SOURCE_COMPENSATED];
  size_t first = r->n_most < 4096 ? r->n_least : 2048;
  const char *options = "--float-positions --check --repeat 1";
  HB_TRY(plan_forces(r, HB_JOB_SUMS, direct, "sums", first, 131072, options));
  return bags->is_there ? plan_forces(r, HB_JOB_SUMS, bags, "sums", first, 131072, options) : HB_OK;
}

static enum hb_status plan_rates(struct hb_reproduction *r)
{
  static const enum hb_source_name curves[] = {HB_SOURCE_BAG, HB_SOURCE_TILE};
  for (size_t k = 0; k < sizeof curves / sizeof *curves; k++) {
    const struct hb_source *source = &r->sources[curves[k]];
    if (source->is_there)
      HB_TRY(plan_forces(r, HB_JOB_FORCE, source, "force", r->n_least, r->is_full ? 1048576 : 131072,
                         "--interaction gravity --repeat 3"));
  }
  return HB_OK;
}

const int hb_thread_counts[HB_THREAD_COUNTS] = {1, 2, 4, 8};

static enum hb_status plan_threads(struct hb_reproduction *r)
{
  const struct hb_source *tile = &r->sources[HB_SOURCE_TILE];
  const struct hb_source *source = tile->is_there ? tile : &r->sources[HB_SOURCE_BAG];
  char sizes[256], labels[160];
  size_t last = r->is_full ? 16384 : 4096;
  list_sizes(r->n_least, last < r->n_most ? last : r->n_most, sizes);
  for (int k = 0; k < HB_THREAD_COUNTS && source->is_there; k++) {
    struct hb_job *job;
    double estimate_s = r->gl_start_s + 20 * hb_source_seconds(source, (double)last, (double)last);
    HB_TRY(hb_job_add(r, HB_JOB_THREADS, source, estimate_s, &job,
                      "bench force --interaction gravity --n %s --tuning body_threads=%d --json", sizes,
                      hb_thread_counts[k]));
    snprintf(labels, sizeof labels, "kind=threads source=%s threads=%d", source->name, hb_thread_counts[k]);
    hb_job_name(job, labels, "threads-%s-%d", source->name, hb_thread_counts[k]);
  }
  return HB_OK;
}

static enum hb_status plan_device(struct hb_reproduction *r)
{
  struct hb_job *job;
  HB_TRY(hb_job_add(r, HB_JOB_DEVICE, NULL, r->gl_start_s + 1, &job, "bench ceiling --json"));
  hb_job_name(job, "kind=ceiling", "ceiling");
  HB_TRY(hb_job_add(r, HB_JOB_DEVICE, &r->sources[HB_SOURCE_CG2007], r->gl_start_s + 2, &job,
                    "bench draws --n 1024 --ni 1024 --repeat 3 --json"));
  hb_job_name(job, "kind=draws", "draws");
  return HB_OK;
}

enum hb_status hb_reproduce_plan(struct hb_reproduction *r)
{
  static const struct {
    enum hb_job_kind kind;
    enum hb_status (*plan)(struct hb_reproduction *r);
  } plans[] = {{HB_JOB_DEVICE, plan_device},      {HB_JOB_RUN, plan_runs},       {HB_JOB_NU, plan_nu},
               {HB_JOB_ROUNDING, plan_roundings}, {HB_JOB_MODEL, plan_model},    {HB_JOB_SUMS, plan_sums},
               {HB_JOB_FORCE, plan_rates},        {HB_JOB_THREADS, plan_threads}};
  for (size_t k = 0; k < sizeof plans / sizeof *plans; k++)
    if (r->kinds & plans[k].kind) HB_TRY(plans[k].plan(r));
  return HB_OK;
}

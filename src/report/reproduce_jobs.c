/* The jobs of a reproduction: their command lines, how long each will take here, running them, and keeping their output. */
#include "report/reproduce_jobs.h"

#include "base/arith.h"
#include "base/clock.h"
#include "base/draft.h"
#include "base/file.h"
#include "base/json.h"
#include "base/json_read.h"
#include "base/mem.h"
#include "base/process.h"
#include "base/text.h"
#include "console/signals.h"
#include "console/terminal.h"
#include "report/commit.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* ---- records ---------------------------------------------------------------------------------------- */

static enum hb_status read_records(struct hb_reproduction *r, const char *path, const char *labels,
                                   int has_header)
{
  char *text, *rest = NULL;
  size_t length;
  HB_TRY(hb_file_read(path, &text, &length));
  enum hb_status status = HB_OK;
  char *line = strtok_r(text, "\n", &rest);
  if (has_header) line = strtok_r(NULL, "\n", &rest);
  for (; line && status == HB_OK; line = strtok_r(NULL, "\n", &rest)) {
    cJSON *object = NULL;
    status = hb_json_read(line, &object);
    if (object) hb_values_record(&r->values, labels, object);
  }
  hb_mem_free(text);
  return status == HB_OK ? HB_OK : hb_fail_in(status, path);
}

void hb_reproduce_clear(struct hb_reproduction *r)
{
  hb_values_close(&r->values);
  hb_mem_free(r->jobs);
  *r = (struct hb_reproduction){0};
}

static const char machine_file[] = "machine.jsonl";

/* Clang's __VERSION__ has its name, gcc's is "12.2.0". */
#ifdef __clang__
#define COMPILER ""
#else
#define COMPILER "gcc "
#endif

/* ---- the machine that the jobs run on, kept beside them -------------------------------------------------------------------------------------- */

/* The text after "name : " of the first processor, "" if the system does not report it. */
static void processor_line(const char *name, char text[256])
{
  char line[512];
  FILE *file = fopen("/proc/cpuinfo", "r");
  *text = 0;
  while (file && !*text && fgets(line, sizeof line, file)) {
    char *colon = strchr(line, ':');
    if (strncmp(line, name, strlen(name)) != 0 || !colon) continue;
    snprintf(text, 256, "%.250s", colon + 1 + strspn(colon + 1, " "));
    text[strcspn(text, "\n")] = 0;
  }
  if (file) fclose(file);
}

static double memory_bytes(void) { return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE); }

static void describe_host(char text[512])
{
  char model[256];
  processor_line("model name", model);
  snprintf(text, 512, "%s, %ld processors, %.1f GB of memory",
           *model ? model : "processor not told by the system", sysconf(_SC_NPROCESSORS_ONLN),
           1e-9 * memory_bytes());
}

static void row(struct hb_json *json, const char *name, const char *value)
{
  hb_json_open_object(json, NULL);
  hb_json_text(json, "kind", "machine");
  hb_json_text(json, "name", name);
  hb_json_text(json, "value", value);
  hb_json_close_object(json);
  fputc('\n', json->out);
  json->follows = 0;
}

static void put_contexts(struct hb_json *json)
{
  struct hb_context_info all[HB_CONTEXTS_MOST];
  size_t count;
  if (hb_info_contexts(all, &count) != HB_OK) return;
  for (size_t k = 0; k < count; k++)
    row(json, hb_phrase("OpenGL, %s", all[k].name),
        all[k].usable ? hb_phrase("%s; %s; %s%s", all[k].renderer, all[k].vendor, all[k].version,
                                  all[k].software ? " (software renderer)" : "")
                      : hb_phrase("not usable: %s", all[k].reason));
}

static void put_all(FILE *out)
{
  struct hb_json json = {.out = out};
  struct utsname system;
  char text[512], clock[256];
  put_contexts(&json);
  describe_host(text);
  row(&json, "host", text);
  if (uname(&system) == 0)
    row(&json, "system", hb_phrase("%s %s, %s", system.sysname, system.release, system.machine));
  row(&json, "Holmberg",
      hb_phrase("%s, commit %s, compiled by %s%s", hb_library_version(), hb_commit, COMPILER, __VERSION__));
  processor_line("cpu MHz", clock);
  hb_json_open_object(&json, NULL);
  hb_json_text(&json, "kind", "host");
  hb_json_number(&json, "processors", (double)sysconf(_SC_NPROCESSORS_ONLN));
  hb_json_number(&json, "clock_mhz", *clock ? strtod(clock, NULL) : NAN);
  hb_json_number(&json, "memory_bytes", memory_bytes());
  hb_json_close_object(&json);
  fputc('\n', out);
}

static enum hb_status write_machine(void)
{
  char *text = NULL;
  size_t length;
  FILE *out = open_memstream(&text, &length);
  if (!out) return hb_fail(HB_ERR_INTERNAL, "no memory for %s", machine_file);
  put_all(out);
  enum hb_status status =
      fclose(out) == 0 ? HB_OK : hb_fail(HB_ERR_INTERNAL, "no memory for %s", machine_file);
  if (status == HB_OK) status = hb_file_replace(machine_file, text, length);
  free(text);
  return status;
}

static enum hb_status open_machine(struct hb_reproduction *r)
{
  if (access(machine_file, F_OK) != 0) HB_TRY(write_machine());
  return read_records(r, machine_file, "", 0);
}

/* What the folder was started by: "0.1.0, commit ...". */
static int is_of_version(const struct hb_reproduction *r, const char *version)
{
  const char *there = hb_values_word_in(hb_values_next(&r->values, NULL, "machine name=Holmberg"), "value");
  size_t length = strcspn(there, ",");
  return strlen(version) == length && strncmp(there, version, length) == 0;
}

static enum hb_status check_machine(const struct hb_reproduction *r)
{
  char here[512];
  describe_host(here);
  const char *there = hb_values_word_in(hb_values_next(&r->values, NULL, "machine name=host"), "value");
  if (strcmp(here, there) == 0 && is_of_version(r, hb_library_version())) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "%s was started %s (%s); its jobs cannot continue here", r->out,
                 strcmp(here, there) == 0 ? "by another version" : "on another machine", there);
}

/* ---- a job's output -------------------------------------------------------------------------------------- */

static const char *file_of(const struct hb_job *job) { return hb_phrase("jobs/%s.jsonl", job->name); }

static void write_header(FILE *file, const struct hb_job *job, double wall_s)
{
  char date[32];
  time_t now = time(NULL);
  strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
  struct hb_json json = {.out = file};
  hb_json_open_object(&json, NULL);
  hb_json_text(&json, "command", job->command);
  hb_json_text(&json, "version", hb_library_version());
  hb_json_text(&json, "commit", hb_commit);
  hb_json_text(&json, "date", date);
  hb_json_number(&json, "estimate_s", job->estimate_s);
  hb_json_number(&json, "job_wall_s", wall_s);
  if (*job->failure) hb_json_text(&json, "failure", job->failure);
  hb_json_close_object(&json);
  fputc('\n', file);
}

/* Writes the output of a finished job, or its failure, under its name, after a line that describes the job. Errors:
 * HB_ERR_IO. */
static enum hb_status keep_job(const struct hb_job *job, double wall_s, const void *rows, size_t length)
{
  char *whole = NULL;
  size_t count;
  FILE *file = open_memstream(&whole, &count);
  if (!file) return hb_fail(HB_ERR_INTERNAL, "no memory for job %s", job->name);
  write_header(file, job, wall_s);
  if (!*job->failure && length) fwrite(rows, 1, length, file);
  enum hb_status status =
      fclose(file) == 0 ? HB_OK : hb_fail(HB_ERR_INTERNAL, "no memory for job %s", job->name);
  if (status == HB_OK) status = hb_file_replace(file_of(job), whole, count);
  free(whole);
  return status;
}

/* Whether the job's output exists, from the same command and the folder's version; sets wall_s. If a failure was kept instead: 0,
 * and it is the job's. */
static int is_kept(const struct hb_reproduction *r, struct hb_job *job)
{
  char *text;
  cJSON *header = NULL;
  size_t length;
  if (access(file_of(job), R_OK) != 0 || hb_file_read(file_of(job), &text, &length) != HB_OK) return 0;
  text[strcspn(text, "\n")] = 0;
  int same = hb_json_read(text, &header) == HB_OK &&
             strcmp(hb_values_word_in(header, "command"), job->command) == 0 &&
             is_of_version(r, hb_values_word_in(header, "version"));
  if (same) {
    snprintf(job->failure, sizeof job->failure, "%s", hb_values_word_in(header, "failure"));
    job->wall_s = hb_values_field(header, "job_wall_s");
  }
  cJSON_Delete(header);
  hb_mem_free(text);
  return same && !*job->failure;
}

/* Adds the lines of its output to the records. Errors: HB_ERR_INPUT, HB_ERR_IO. */
static enum hb_status read_job(const struct hb_job *job, struct hb_reproduction *r)
{
  return read_records(r, file_of(job), job->labels, 1);
}

/* ---- adding a job ------------------------------------------------------------------------------------ */

/* The passes of cg2007 are so short that waking the threads of a software renderer takes longer; grape6 has only one
 * precision; `ic` needs no OpenGL. */
static enum hb_status write_command(const struct hb_reproduction *r, const struct hb_source *source,
                                    const char *command, struct hb_job *job)
{
  struct hb_draft text = {0};
  int needs_gl = strncmp(command, "ic ", 3) != 0;
  hb_draft_put(&text, "%sholmberg %s", source == &r->sources[HB_SOURCE_CG2007] ? "LP_NUM_THREADS=0 " : "",
               command);
  if (source) hb_draft_put(&text, " --scheme %s", source->scheme);
  if (source && source != &r->sources[HB_SOURCE_GRAPE6])
    hb_draft_put(&text, " --precision %s", source->precision);
  if (job->kind == HB_JOB_RUN)
    hb_draft_put(&text, " --checkpoint jobs/%s.ckpt", job->name); /* for interruptions */
  if (r->place.context && needs_gl) hb_draft_put(&text, " --context %s", r->place.context);
  if (r->place.device && needs_gl) hb_draft_put(&text, " --device %s", r->place.device);
  enum hb_status status = text.status;
  if (status == HB_OK && text.text.length >= sizeof job->command)
    status = hb_fail(HB_ERR_USAGE, "the command line of a job is too long: %s", text.text.text);
  if (status == HB_OK) strcpy(job->command, text.text.text);
  hb_draft_clear(&text);
  return status;
}

/* "model source=ds mode=block/gpu/gpu": "model-ds-block-gpu-gpu" */
static void write_name(const char *labels, char name[80])
{
  size_t length = 0;
  while (*labels && length < 79) {
    size_t key = strcspn(labels, "= ");
    if (labels[key] == '=') labels += key + 1;
    for (; *labels && *labels != ' ' && length < 79; labels++)
      name[length++] = *labels == '/' ? '-' : *labels;
    if (*labels && length < 79) name[length++] = '-', labels++;
  }
  name[length] = 0;
}

/* Adds a job with these labels, "run n=16"; the command, without "holmberg", gets the source's scheme and precision (NULL:
 * none) and the requested OpenGL. Errors are kept in r->planned. */
static void add_job(struct hb_reproduction *r, enum hb_job_kind kind, const struct hb_source *source,
                    double estimate_s, const char *labels, const char *command)
{
  if (r->planned == HB_OK) r->planned = HB_GROW(r->job_count, &r->job_capacity, &r->jobs);
  if (r->planned != HB_OK) return;
  struct hb_job *job = &r->jobs[r->job_count++];
  *job = (struct hb_job){.kind = kind, .estimate_s = estimate_s};
  snprintf(job->labels, sizeof job->labels, "%s", labels);
  write_name(labels, job->name);
  r->planned = write_command(r, source, command, job);
}

/* Leaves out the job that was added last if it would take longer than that, unless its output exists already. */
static int leave_job_out(struct hb_reproduction *r, double longest_s)
{
  if (r->planned != HB_OK) return 1;
  struct hb_job *job = &r->jobs[r->job_count - 1];
  return job->is_left_out = job->estimate_s > longest_s && !is_kept(r, job);
}

/* ---- estimates -------------------------------------------------------------------------------------- */

/* n_block and n_steps: eqs 14 and 17. */
static struct hb_model_time eqs(double n)
{
  size_t count;
  struct hb_model_time time;
  hb_model_predict(hb_model_machines(&count), n, &time);
  return time;
}

static double source_seconds(const struct hb_source *source, double n, double ni)
{
  return (source->passes_each ? n - 1 : 1) * source->pass_s + source->pair_s * n * ni;
}

/* Seconds: of a job with the source to start, of the source for a block of ni among n, and of a run with that many block
 * steps of n, including its start and its energies. */
static double start_seconds(const struct hb_reproduction *r, const struct hb_source *source)
{
  return hb_force_scheme_find(source->scheme)->on_host ? r->start_s : r->gl_start_s;
}

/* Block steps of the usual size, and three sums over all pairs in double. */
static double run_seconds(const struct hb_reproduction *r, const struct hb_source *source, size_t n,
                          double steps)
{
  const struct hb_source *host = &r->sources[HB_SOURCE_HOST];
  double all = (double)n;
  return start_seconds(r, source) + steps * source_seconds(source, all, eqs(all).n_block) +
         source_seconds(source, all, all) + 3 * source_seconds(host, all, all);
}

/* ---- probes ------------------------------------------------------------------------------------------ */

#define SOURCE(NAME, SCHEME, PRECISION, ...)                                                                 \
  {                                                                                                          \
    .name = NAME, .scheme = SCHEME, .precision = PRECISION, .what = __VA_ARGS__                              \
  }
static const struct hb_source all_sources[HB_SOURCES] = {
    [HB_SOURCE_HOST] = SOURCE("host", "host", "double", "double precision on the processor", .has_lists = 1),
    [HB_SOURCE_SIMD] =
        SOURCE("host-simd", "host-simd", "single", "single precision on the processor's vector units"),
    [HB_SOURCE_CG2007] = SOURCE("cg2007", "cg2007", "single", "the kernel of 2007", .passes_each = 1),
    [HB_SOURCE_BAG] = SOURCE("bag", "bag", "single", "fragment programs that sum many sources in one pass"),
    [HB_SOURCE_TILE] =
        SOURCE("tile", "tile", "single", "compute programs with tiles of sources in shared memory"),
    [HB_SOURCE_GRAPE6] =
        SOURCE("grape6", "grape6", "grape6", "GRAPE-6's arithmetic, emulated on the processor"),
    [HB_SOURCE_COMPENSATED] = SOURCE("compensated", "bag", "compensated", "float pairs, double-single sums"),
    [HB_SOURCE_DS] = SOURCE("ds", "bag", "ds", "double-single positions and sums", .has_lists = 1),
    [HB_SOURCE_DOUBLE] = SOURCE("double", "bag", "double", "double precision on the device", .has_lists = 1),
};
#undef SOURCE

/* Two sizes far apart separate the cost of a pass from that of a pair. */
struct probe_sizes {
  size_t n[2], ni[2];
};

static struct probe_sizes probe_sizes(const struct hb_reproduction *r)
{
  size_t large = r->n_most > 4096 ? 8192 : r->n_most >= 1024 ? 2048 : 512;
  return (struct probe_sizes){{large / 8, large}, {large / 128, large / 8}};
}

enum hb_status hb_reproduce_plan_probes(struct hb_reproduction *r, int stage)
{
  struct probe_sizes p = probe_sizes(r);
  if (stage == 0) { /* almost empty jobs come first */
    memcpy(r->sources, all_sources, sizeof all_sources);
    add_job(r, HB_JOB_PROBE, NULL, 1, "start", "ic plummer -n 16 --seed 1 -o jobs/start.h5 --quiet");
    add_job(r, HB_JOB_PROBE, &r->sources[HB_SOURCE_CG2007], 1, "start on=gl",
            "bench draws --n 16 --ni 16 --repeat 1 --json");
  }
  for (int k = stage ? HB_SOURCE_COMPENSATED : 0; k < (stage ? HB_SOURCES : HB_SOURCE_COMPENSATED); k++)
    add_job(r, HB_JOB_PROBE, &r->sources[k], 1, hb_phrase("probe source=%s", r->sources[k].name),
            hb_phrase("bench force --n %zu,%zu --ni %zu,%zu --repeat 1 --json", p.n[0], p.n[1], p.ni[0],
                      p.ni[1]));
  return r->planned;
}

static double probe_seconds(const struct hb_reproduction *r, const struct hb_source *source, int k)
{
  struct probe_sizes p = probe_sizes(r);
  const char *probe = hb_phrase("probe source=%s n=%zu ni=%zu", source->name, p.n[k], p.ni[k]);
  return 1e-3 * hb_values_field(hb_values_next(&r->values, NULL, probe), "ms_median");
}

/* t = passes * (pass_s + pair_s * n * ni / passes) at both sizes. */
static void take_probe(const struct hb_reproduction *r, struct hb_source *source)
{
  struct probe_sizes p = probe_sizes(r);
  double t[2], pairs[2], passes[2];
  for (int k = 0; k < 2; k++) {
    t[k] = probe_seconds(r, source, k);
    passes[k] = source->passes_each ? (double)p.n[k] - 1 : 1;
    pairs[k] = (double)p.n[k] * (double)p.ni[k];
  }
  source->is_there = t[0] > 0 && t[1] > 0;
  double pair_s = (t[1] / passes[1] - t[0] / passes[0]) / (pairs[1] / passes[1] - pairs[0] / passes[0]);
  source->pair_s = fmax(pair_s, 0.1 * t[1] / pairs[1]);
  source->pass_s = fmax(t[0] / passes[0] - source->pair_s * pairs[0] / passes[0], 0);
}

static const struct hb_job *job_called(const struct hb_reproduction *r, const char *wanted)
{
  for (size_t k = 0; k < r->job_count; k++)
    if (strcmp(r->jobs[k].name, wanted) == 0) return &r->jobs[k];
  return NULL;
}

/* Evaluates the probes. Errors: HB_ERR_GL (the kernel of 2007 cannot run on this machine). */
static enum hb_status take_probes(struct hb_reproduction *r, int stage)
{
  for (int k = stage ? HB_SOURCE_COMPENSATED : 0; k < (stage ? HB_SOURCES : HB_SOURCE_COMPENSATED); k++) {
    struct hb_source *source = &r->sources[k];
    const struct hb_job *job = job_called(r, hb_phrase("probe-%s", source->name));
    take_probe(r, source);
    if (job) snprintf(source->why_not, sizeof source->why_not, "%s", job->failure);
  }
  if (stage == 1) return HB_OK;
  const struct hb_source *bag = &r->sources[HB_SOURCE_BAG], *tile = &r->sources[HB_SOURCE_TILE];
  const struct hb_source *cg2007 = &r->sources[HB_SOURCE_CG2007], *host = &r->sources[HB_SOURCE_HOST];
  if (!cg2007->is_there || !host->is_there)
    return hb_fail(HB_ERR_GL, "the kernel of 2007 cannot run on this machine: %s", cg2007->why_not);
  int tile_is_faster = tile->is_there && (!bag->is_there || tile->pair_s < bag->pair_s);
  for (int k = HB_SOURCE_COMPENSATED; k < HB_SOURCES; k++)
    r->sources[k].scheme = tile_is_faster ? "tile" : "bag";
  r->start_s = job_called(r, "start")->wall_s;
  r->gl_start_s = job_called(r, "start-gl")->wall_s;
  return HB_OK;
}

/* ---- how many block steps -----------------------------------------------------------------------------*/

/* Steps that are rounded down give this many times the block steps of eq. 17. */
static const double ROUNDED_DOWN = 1.6;

static double block_steps(size_t n, double nu, double t)
{
  return ROUNDED_DOWN * t * eqs((double)n).n_steps * sqrt(0.01 / nu);
}

/* Rounded pairs shorten steps above some 2000 particles (data/notebook/2026-11-26-block-steps-h200.md), most after the start. */
static double steps_of(const struct hb_source *source, size_t n, double t)
{
  double more = strcmp(source->precision, "single") == 0 ? fmax(1, (double)n / 2048) : 1;
  return (t < 0.25 ? more : cbrt(more)) * block_steps(n, 0.01, t);
}

/* ---- the paper's runs -------------------------------------------------------------------------------- */

static const char as_in_2007[] = "all/host/host";

/* A column of Table 2: at least three sizes, up to the first that takes too long; those of the crossover go on to the end in
 * shorter intervals. */
static const struct column {
  enum hb_source_name source;
  const char *mode;
} columns[] = {
    {HB_SOURCE_HOST, as_in_2007},        {HB_SOURCE_SIMD, as_in_2007},  {HB_SOURCE_CG2007, as_in_2007},
    {HB_SOURCE_BAG, as_in_2007},         {HB_SOURCE_TILE, as_in_2007},  {HB_SOURCE_GRAPE6, as_in_2007},
    {HB_SOURCE_COMPENSATED, as_in_2007}, {HB_SOURCE_DS, as_in_2007},    {HB_SOURCE_DS, "block/gpu/host"},
    {HB_SOURCE_DS, "block/gpu/gpu"},     {HB_SOURCE_DOUBLE, as_in_2007}};

/* Keeps the job that was added last if its output is there (longest_s = 0), or it is not too long; else takes it back. */
static int keeps(struct hb_reproduction *r, double longest_s)
{
  int is_kept_here = !leave_job_out(r, longest_s);
  if (!is_kept_here && r->planned == HB_OK) r->job_count--;
  return is_kept_here;
}

/* The second half of the longest interval 0 to 1/4, 1/8, ... that is not too long, unless another one is there. */
static void plan_short(struct hb_reproduction *r, const struct column *column, size_t n)
{
  const struct hb_source *source = &r->sources[column->source];
  for (int pass = 0; pass < 2; pass++)
    for (int halvings = 2; halvings <= 10 && r->planned == HB_OK; halvings++) { /* to 1/1024 */
      double t = ldexp(1, -halvings);
      add_job(r, HB_JOB_RUN, source, run_seconds(r, source, n, steps_of(source, n, t)),
              hb_phrase("short source=%s n=%zu", source->name, n),
              hb_phrase("bench run --n %zu --mode %s --t-begin %.10g --t-end %.10g --json", n, column->mode,
                        t / 2, t));
      if (keeps(r, pass ? r->longest_s : 0)) return;
    }
}

static void plan_column(struct hb_reproduction *r, const struct column *column)
{
  const struct hb_source *source = &r->sources[column->source];
  int goes_on = r->is_full && (column->source == HB_SOURCE_HOST || column->source == HB_SOURCE_CG2007);
  int count = 0, is_over = 0;
  for (size_t n = r->n_least; n <= r->n_most && source->is_there; n *= 2) {
    add_job(r, HB_JOB_RUN, source, run_seconds(r, source, n, steps_of(source, n, 0.5)),
            hb_phrase("run source=%s mode=%s n=%zu", source->name, column->mode, n),
            hb_phrase("bench run --n %zu --mode %s --json", n, column->mode));
    is_over |= ++count > 3 && leave_job_out(r, r->longest_s);
    if (is_over && (!goes_on || n > 65536)) break;
    if (is_over) plan_short(r, column, n);
  }
}

static void plan_runs(struct hb_reproduction *r)
{
  for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) plan_column(r, &columns[c]);
}

/* ---- energy against nu ------------------------------------------------------------------------------- */

int hb_reproduce_nu_seeds(const struct hb_reproduction *r) { return r->is_full ? 5 : 1; }

void hb_reproduce_nu_sizes(const struct hb_reproduction *r, size_t n[HB_NU_SIZES])
{
  static const size_t sizes[2][HB_NU_SIZES] = {{256, 1024}, {1024, 16384}};
  n[1] = hb_min(sizes[r->is_full][1], r->n_most);
  n[0] = sizes[r->is_full][0] < n[1] ? sizes[r->is_full][0] : n[1] / 2;
}

/* Whose energies Fig. 2 and section 6 compare: the curves of its figure by several seeds, for the large N also over a short
 * interval; its 8800GTX by the kernel of 2007 and by the same pairs in a faster kernel. */
static const struct energy_source {
  enum hb_source_name source;
  int has_seeds, has_short;
} energy_sources[] = {{HB_SOURCE_HOST, 0, 1},        {HB_SOURCE_DOUBLE, 1, 0}, {HB_SOURCE_DS, 0, 0},
                      {HB_SOURCE_COMPENSATED, 0, 0}, {HB_SOURCE_TILE, 1, 0},   {HB_SOURCE_CG2007, 1, 1},
                      {HB_SOURCE_GRAPE6, 1, 1}};

/* Rounded steps collapse below nu = 0.01, finally to dt_min; the rounding of grape6's jerk, divided by dt^3, would shorten them
 * without end, and each takes the kernel of 2007 N passes. */
static int dt_min_of(const struct hb_reproduction *r, const struct hb_source *source)
{
  return r->is_full && strcmp(source->name, "grape6") != 0 && strcmp(source->name, "cg2007") != 0 ? -18 : -14;
}

/* Halvings of nu = 0.1, as in the paper; every other one in a quick reproduction. To t = 2^-end, all particles corrected. */
static void plan_nu_source(struct hb_reproduction *r, const struct hb_source *source, size_t n, int seed,
                           int end)
{
  double t = ldexp(1, -end), shortest = ldexp(1, dt_min_of(r, source));
  for (int k = 0; k <= HB_NU_HALVINGS; k += r->is_full ? 1 : 2) {
    double nu = ldexp(0.1, -k), steps = fmin(steps_of(source, n, t) * sqrt(0.01 / nu), t / shortest);
    if (strcmp(source->precision, "single") == 0 && nu < 0.003) steps = t / shortest;
    add_job(
        r, HB_JOB_NU, source, run_seconds(r, source, n, steps),
        hb_phrase("nu%s source=%s n=%zu nu=%.10g seed=%d", end > 2 ? "-short" : "", source->name, n, nu,
                  seed),
        hb_phrase("run jobs/plummer-%zu-%d.h5 --t-end %.10g --diag-every %.10g%s --eta %.10g --dt-min 2^%d%s "
                  "--max-energy-error none --json",
                  n, seed, t, t, end > 2 ? hb_phrase(" --dt-max 2^-%d", end) : "", nu, dt_min_of(r, source),
                  source->has_lists ? " --neighbors 0" : ""));
    leave_job_out(r, start_seconds(r, source) + r->longest_s);
  }
}

/* The passes of the kernel of 2007 would take hours for the large N: there the processor computes its numbers. */
static void plan_energies(struct hb_reproduction *r, const struct energy_source *of, size_t n, int seed)
{
  const struct hb_source *source = &r->sources[of->source];
  struct hb_source emulated = *source;
  int is_large = n > 4096;
  emulated.scheme = "gpu2007";
  emulated.passes_each = 0;
  emulated.pair_s = r->sources[HB_SOURCE_SIMD].pair_s;
  if (!source->is_there) return;
  if (is_large && source->passes_each) source = &emulated;
  if (seed == 1 || of->has_seeds) plan_nu_source(r, source, n, seed, 2);
  if (is_large && of->has_short) plan_nu_source(r, source, n, seed, HB_NU_SHORT);
}

static void plan_nu(struct hb_reproduction *r)
{
  size_t sizes[HB_NU_SIZES];
  hb_reproduce_nu_sizes(r, sizes);
  for (int k = 0; k < HB_NU_SIZES; k++)
    for (int seed = 1; seed <= hb_reproduce_nu_seeds(r); seed++) {
      size_t n = sizes[k];
      add_job(r, HB_JOB_NU, NULL, r->start_s, hb_phrase("plummer n=%zu seed=%d", n, seed),
              hb_phrase("ic plummer -n %zu --seed %d -o jobs/plummer-%zu-%d.h5 --quiet", n, seed, n, seed));
      for (size_t c = 0; c < sizeof energy_sources / sizeof *energy_sources; c++)
        plan_energies(r, &energy_sources[c], n, seed);
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
    sum += run_seconds(r, source, n, steps_of(source, n, 0.5)) - r->start_s;
  return sum;
}

static void plan_roundings(struct hb_reproduction *r)
{
  size_t last = hb_min(r->is_full ? 16384 : 4096, r->n_most);
  char sizes[256];
  list_sizes(r->n_least, last, sizes);
  for (int k = 0; k < HB_ROUNDINGS; k++)
    add_job(r, HB_JOB_ROUNDING, NULL, HB_ROUNDING_SEEDS * sum_of_runs(r, &r->sources[HB_SOURCE_SIMD], last),
            hb_phrase("rounding rounding=%s", hb_rounding_names[k]),
            hb_phrase("model fit --n %s --seeds %d --step-rounding %s --scheme host-simd --precision "
                      "ds --json",
                      sizes, HB_ROUNDING_SEEDS, hb_rounding_names[k]));
}

/* ---- the constants of the model ---------------------------------------------------------------------- */

/* Five sizes over a factor of four up to n. */
static void add_fit(struct hb_reproduction *r, const struct hb_source *source, const char *mode, size_t n)
{
  static const size_t eighths[] = {2, 3, 4, 6, 8};
  double estimate_s = start_seconds(r, source);
  char sizes[128] = "";
  for (size_t k = 0; k < sizeof eighths / sizeof *eighths; k++) {
    size_t m = n * eighths[k] / 8;
    estimate_s += run_seconds(r, source, m, steps_of(source, m, 0.5)) - start_seconds(r, source);
    snprintf(sizes + strlen(sizes), sizeof sizes - strlen(sizes), "%s%zu", k ? "," : "", m);
  }
  add_job(r, HB_JOB_MODEL, source, estimate_s, hb_phrase("model source=%s mode=%s", source->name, mode),
          hb_phrase("model fit --n %s --seeds 1 --mode %s --json", sizes, mode));
}

/* As large as is there, else as fits. */
static void plan_fit(struct hb_reproduction *r, const struct hb_source *source, const char *mode)
{
  for (int pass = 0; pass < 2; pass++)
    for (size_t n = hb_min(r->n_most, 65536); n > r->n_least && r->planned == HB_OK; n /= 2) {
      add_fit(r, source, mode, n);
      if (keeps(r, pass ? r->longest_s : 0)) return;
    }
  add_fit(r, source, mode, r->n_least);
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
    double once = source_seconds(source, (double)n, (double)n);
    double check = kind == HB_JOB_SUMS ? source_seconds(host, (double)n, 256) : 0;
    add_job(r, kind, source, r->gl_start_s + 5 * once + check,
            hb_phrase("%s source=%s n=%zu", word, source->name, n),
            hb_phrase("bench force --n %zu %s --json", n, options));
    if (n > 4096 && leave_job_out(r, r->longest_s / 2)) break;
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

/* [NHP07] Figs 31-5, 31-7 and 31-8: powers of two of one tuning, the others fixed. */
static void plan_threads(struct hb_reproduction *r)
{
  static const struct {
    const char *kind, *tuning, *fixed;
    int first, last;
  } sweeps[] = {{"threads", "body_threads", "", 1, 8},
                {"unroll", "unroll", ",workgroup=256,body_threads=1", 1, 32},
                {"block", "workgroup", ",unroll=4,body_threads=1", 16, 256}};
  const struct hb_source *tile = &r->sources[HB_SOURCE_TILE];
  const struct hb_source *source = tile->is_there ? tile : &r->sources[HB_SOURCE_BAG];
  char sizes[256];
  size_t last = r->is_full ? 16384 : 4096;
  list_sizes(r->n_least, hb_min(last, r->n_most), sizes);
  double once = source_seconds(source, (double)last, (double)last);
  for (size_t k = 0; k < sizeof sweeps / sizeof *sweeps && source->is_there; k++)
    for (int value = sweeps[k].first; value <= sweeps[k].last; value *= 2)
      add_job(r, HB_JOB_THREADS, source, r->gl_start_s + 20 * once,
              hb_phrase("%s source=%s %s=%d", sweeps[k].kind, source->name, sweeps[k].kind, value),
              hb_phrase("bench force --interaction gravity --n %s --tuning %s=%d%s --json", sizes,
                        sweeps[k].tuning, value, sweeps[k].fixed));
}

static void plan_device(struct hb_reproduction *r)
{
  add_job(r, HB_JOB_DEVICE, NULL, r->gl_start_s + 1, "ceiling", "bench ceiling --json");
  add_job(r, HB_JOB_DEVICE, &r->sources[HB_SOURCE_CG2007], r->gl_start_s + 2, "draws",
          "bench draws --n 1024 --ni 1024 --repeat 3 --json");
  char up[256], down[256] = "";
  list_sizes(r->n_least, hb_min(r->is_full ? 1048576 : 65536, r->n_most), up);
  for (size_t n = r->is_full ? 1048576 : 65536; n >= r->n_least; n /= 2)
    if (n <= r->n_most)
      snprintf(down + strlen(down), sizeof down - strlen(down), "%s%zu", *down ? "," : "", n);
  for (int k = 0; k < 2; k++)
    add_job(r, HB_JOB_DEVICE, &r->sources[HB_SOURCE_BAG], r->gl_start_s + 10,
            hb_phrase("transfer order=%s", k ? "down" : "up"),
            hb_phrase("bench draws --n %s --ni %zu --repeat 7 --json", k ? down : up, r->n_least));
}

/* Adds all jobs that the sections need, except probes, with their estimates. */
static enum hb_status plan_all(struct hb_reproduction *r)
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

/* ---- one child --------------------------------------------------------------------------------------- */

enum { WORDS_MOST = 64, POLL_MS = 10 };

/* "NAME=value holmberg run ..." by env, with this program in place of holmberg. */
static enum hb_status start(const struct hb_job *job, struct hb_process *process)
{
  char command[sizeof job->command], self[64];
  const char *words[WORDS_MOST] = {"env"};
  size_t count = 1;
  strcpy(command, job->command);
  snprintf(self, sizeof self, "/proc/%ld/exe", (long)getpid());
  for (char *rest, *w = strtok_r(command, " ", &rest); w && count + 1 < WORDS_MOST;
       w = strtok_r(NULL, " ", &rest))
    words[count++] = strcmp(w, "holmberg") == 0 ? self : w;
  enum hb_status status = hb_process_start(words, HB_PROCESS_FROM | HB_PROCESS_SAID, process);
  return status == HB_OK ? HB_OK : hb_fail_in(HB_ERR_IO, job->name);
}

/* ---- the bar ----------------------------------------------------------------------------------------- */

/* Estimated seconds of the jobs done and of all, and when the first job of this session began. */
struct progress {
  double done_s, all_s, began;
  size_t done, all; /* jobs */
};

static void show(const struct progress *p, double job_s, double estimate_s)
{
  if (!hb_terminal_is_live() || !(p->all_s > 0)) return;
  hb_terminal_progress((p->done_s + fmin(job_s, estimate_s)) / p->all_s, hb_clock_now() - p->began);
}

/* Without a progress bar, a line for each finished job. */
static void say(const struct progress *p, const struct hb_job *job, double seconds)
{
  if (hb_terminal_is_live()) return;
  printf("job %zu of %zu, %.1f s: %s\n", p->done, p->all, seconds, job->command);
  fflush(stdout);
}

/* Appends what can be read; closes the pipe at its end. */
static enum hb_status take(int *pipe, struct hb_text *text)
{
  char part[16384];
  ssize_t got = read(*pipe, part, sizeof part);
  if (got > 0) return hb_text_append_bytes(text, part, (size_t)got);
  if (got == 0 || errno != EINTR) hb_process_close(pipe);
  return HB_OK;
}

/* Collects what the child writes until it ends, and forwards a signal to stop. */
static enum hb_status listen(struct hb_process *child, const struct hb_job *job,
                             const struct progress *progress, struct hb_text *rows, struct hb_text *said)
{
  double began = hb_clock_now();
  int forwarded = 0;
  while (child->from >= 0 || child->said >= 0) {
    struct pollfd pipes[] = {{child->from, POLLIN, 0}, {child->said, POLLIN, 0}}; /* -1 is ignored */
    if (hb_signals_stop() && !forwarded++) kill(child->pid, SIGTERM);
    show(progress, hb_clock_now() - began, job->estimate_s);
    if (poll(pipes, 2, POLL_MS) <= 0) continue;
    if (pipes[0].revents) HB_TRY(take(&child->from, rows));
    if (pipes[1].revents) HB_TRY(take(&child->said, said));
  }
  return HB_OK;
}

/* ---- one job ----------------------------------------------------------------------------------------- */

/* The child's first line of standard error, without the program's name. */
static void note_failure(struct hb_job *job, const struct hb_text *said, struct hb_process_end end)
{
  const char *line = said->length ? said->text : "";
  line += strncmp(line, "holmberg: ", 10) == 0 ? 10 : 0;
  if (end.signal)
    snprintf(job->failure, sizeof job->failure, "signal %d", end.signal);
  else
    snprintf(job->failure, sizeof job->failure, "exit code %d: %.*s", end.code, (int)strcspn(line, "\n"),
             line);
}

static enum hb_status run_job(struct hb_job *job, const struct progress *progress)
{
  struct hb_process child;
  struct hb_text rows = {0}, said = {0};
  double began = hb_clock_now();
  HB_TRY(start(job, &child));
  enum hb_status status = listen(&child, job, progress, &rows, &said);
  if (status != HB_OK) hb_process_kill(&child);
  struct hb_process_end end = hb_process_end(&child);
  if (status == HB_OK && hb_signals_stop())
    status =
        hb_fail(HB_ERR_STOPPED, "stopped by %s; the same command continues from here", hb_signals_stop());
  else if (end.code != 0)
    note_failure(job, &said, end);
  /* what a probe cannot do this machine cannot do: that is an answer; other failures are retried next time */
  if (status == HB_OK && (!*job->failure || job->kind == HB_JOB_PROBE))
    status = keep_job(job, hb_clock_now() - began, rows.text, rows.length);
  job->wall_s = hb_clock_now() - began;
  job->is_done = status == HB_OK && !*job->failure;
  HB_FREE(rows.text, said.text);
  return status;
}

/* ---- all jobs ---------------------------------------------------------------------------------------- */

static enum hb_status resume(struct hb_reproduction *r)
{
  for (size_t k = 0; k < r->job_count; k++) {
    struct hb_job *job = &r->jobs[k];
    if (job->is_done || job->is_left_out || !is_kept(r, job)) continue;
    job->is_done = 1;
    HB_TRY(read_job(job, r));
  }
  return HB_OK;
}

static int is_due(const struct hb_job *job) { return !job->is_done && !job->is_left_out && !*job->failure; }

static struct progress progress_of(const struct hb_reproduction *r)
{
  struct progress progress = {.began = hb_clock_now()};
  for (size_t k = 0; k < r->job_count; k++)
    if (is_due(&r->jobs[k])) progress.all++, progress.all_s += r->jobs[k].estimate_s;
  return progress;
}

/* In their order, on the machine that the folder belongs to. */
static enum hb_status run_due(struct hb_reproduction *r)
{
  HB_TRY(resume(r));
  struct progress progress = progress_of(r);
  if (progress.all) HB_TRY(check_machine(r));
  for (size_t k = 0; k < r->job_count; k++) {
    struct hb_job *job = &r->jobs[k];
    if (!is_due(job)) continue;
    double began = hb_clock_now();
    HB_TRY(run_job(job, &progress));
    progress.done++;
    progress.done_s += job->estimate_s;
    say(&progress, job, hb_clock_now() - began);
    if (job->is_done)
      HB_TRY(read_job(job, r));
    else if (job->kind != HB_JOB_PROBE)
      hb_terminal_note(hb_phrase("job %s failed: %s", job->name, job->failure));
  }
  hb_terminal_clear_progress();
  return HB_OK;
}

static void say_estimate(const struct hb_reproduction *r)
{
  struct progress due = progress_of(r);
  size_t done = 0;
  char text[32];
  for (size_t k = 0; k < r->job_count; k++) done += (size_t)r->jobs[k].is_done;
  hb_terminal_duration(due.all_s, text);
  if (due.all == 0)
    printf("%zu job%s done, 0 are to do\n", done, done == 1 ? " is" : "s are");
  else
    printf("%zu job%s done, %zu %s to do: about %s on this machine, by its measured rates\n", done,
           done == 1 ? " is" : "s are", due.all, due.all == 1 ? "is" : "are", text);
  fflush(stdout);
}

/* Where each would be kept, how long it will take here, and what a user types. */
static enum hb_status say_plan(const struct hb_reproduction *r)
{
  for (size_t k = 0; k < r->job_count; k++)
    if (is_due(&r->jobs[k]))
      printf("%s %.3g s: %s\n", file_of(&r->jobs[k]), r->jobs[k].estimate_s, r->jobs[k].command);
  return hb_terminal_flush();
}

enum hb_status hb_reproduce_run(struct hb_reproduction *r)
{
  HB_TRY(open_machine(r));
  for (int stage = 0; stage < 2; stage++) {
    HB_TRY(hb_reproduce_plan_probes(r, stage));
    HB_TRY(run_due(r));
    HB_TRY(take_probes(r, stage));
  }
  HB_TRY(plan_all(r));
  HB_TRY(resume(r));
  say_estimate(r);
  return r->plans_only ? say_plan(r) : run_due(r);
}

/* holmberg bench run, model fit and model predict: whole runs as in [PZ07] Table 2, and the paper's model of their time, fitted to this
 * machine. */
#include "base/clock.h"
#include "base/file.h"
#include "base/json_read.h"
#include "base/mem.h"
#include "base/ranks.h"
#include "base/table.h"
#include "base/text.h"
#include "console/commands.h"
#include "console/signals.h"
#include "console/target.h"
#include "console/terminal.h"
#include "force/force.h"
#include "perf/fit.h"
#include "perf/machine_model.h"
#include "perf/paper.h"
#include "plot/plot.h"
#include "sim/sim_settings.h"

#include <holmberg/checkpoint.h>
#include <holmberg/diagnostics.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ==== whole runs ==== */

/* The benchmark of [PZ07] Table 2: an equal-mass Plummer sphere is integrated from 0 to t_end, and timed from t_begin on,
 * so that start and warm-up do not count. */
struct run_params {
  struct hb_sim_params sim; /* force.scheme must be named; the paper's force.eps is 1/256            */
  size_t n;
  uint64_t seed;
  double t_begin,
      t_end;  /* multiples of dt_max, else the energies are of predicted particles; 0, 0: 0.25, 0.5 */
  int repeat; /* number of runs; 0: 1 */
  const char *checkpoint;    /* nullable: the file where one run is kept until it is done, and found again */
  double checkpoint_every_s; /* 0: 60 */
};

struct run_result {
  char scheme[16], precision[16], context[16], device[192], tuning[256];
  double wall_s; /* of the run with the median wall time, the shorter one of two */
  double wall_min_s, wall_max_s;
  struct hb_sim_counts counts;   /* these and all below between t_begin and t_end, the same in every run */
  struct hb_phases phases;       /* of the run of wall_s; separated with HB_FORCE_PHASES only */
  double e_begin, e_end;         /* total energies */
  double e_gpu_begin, e_gpu_end; /* the same with the potentials of the scheme itself */
  int exact_energy; /* 1: in host double; 0: by the source's own potentials, above 32768 particles */
  enum hb_ic_scaling scaling; /* of the sphere: by its model above 262144 particles */
};

/* One job and what was measured of it. */
struct run_row {
  const char *record;          /* kind of line where there are several; NULL: not written */
  const char *mode, *rounding; /* "block/gpu/host" "down" */
  struct run_params params;    /* every default filled in */
  struct run_result result;
  double gpairs, de_rel, de_rel_gpu; /* 1e9 a second; (E - E0) / |E0| */
  int phases;                        /* timed separately */
  const char *scaling;
};

/* ---- a run that goes on in another process: a checkpoint, and what the clock had shown ---- */

/* A measurement on its way. Only block steps count, not saving and diagnosing. */
struct measurement {
  const struct run_params *p;
  struct hb_sim *sim;
  int is_timed; /* whether t_begin was reached */
  struct run_result
      r; /* wall_s so far, the energies at t_begin, counts and phases up to t_begin; before it all zeros */
  double saved; /* when a checkpoint was last written; the first one at once, as it may fail */
};

/* Where it is, for printf and scanf; doubles as hexadecimal: all bits. */
#define PLACE "%d %la %la %la %lu %lu %lu %la %la %la %la %la"

static enum hb_status write_job(const struct run_params *p, struct hb_text *job)
{
  const struct hb_sim_params *sim = &p->sim;
  const struct hb_force_params *force = &sim->force;
  return hb_text_append(
      job, "bench run 1: n %zu seed %llu t %a %a %s %s eps %a modes %d %d %d eta %a dt %a %a %d%c", p->n,
      (unsigned long long)p->seed, p->t_begin, p->t_end, force->scheme,
      force->precision ? force->precision : "-", force->eps, (int)sim->transfer, (int)sim->predict,
      (int)sim->correct, sim->eta, sim->dt_min, sim->dt_max, (int)sim->rounding, 0);
}

static enum hb_status write_record(const struct measurement *m, struct hb_text *record)
{
  const struct run_result *r = &m->r;
  const struct hb_phases *s = &r->phases;
  HB_TRY(write_job(m->p, record));
  return hb_text_append(record, PLACE "%c", m->is_timed, r->wall_s, r->e_begin, r->e_gpu_begin,
                        (unsigned long)r->counts.block_steps, (unsigned long)r->counts.particle_steps,
                        (unsigned long)r->counts.pairs, s->predict_s, s->send_s, s->force_s, s->receive_s,
                        s->correct_s, 0);
}

/* Errors: as hb_sim_save. */
static enum hb_status write_saved(const struct measurement *m)
{
  struct hb_text record = {0};
  enum hb_status status = write_record(m, &record);
  if (status == HB_OK) status = hb_sim_save(m->sim, m->p->checkpoint, record.text, record.length, 0);
  hb_mem_free(record.text);
  return status;
}

static enum hb_status read_place(const char *text, struct measurement *m)
{
  struct run_result *r = &m->r;
  struct hb_phases *s = &r->phases;
  unsigned long counts[3];
  if (sscanf(text, PLACE, &m->is_timed, &r->wall_s, &r->e_begin, &r->e_gpu_begin, &counts[0], &counts[1],
             &counts[2], &s->predict_s, &s->send_s, &s->force_s, &s->receive_s, &s->correct_s) != 12)
    return hb_fail(HB_ERR_INPUT, "it does not say how far the job was");
  r->counts.block_steps = counts[0];
  r->counts.particle_steps = counts[1];
  r->counts.pairs = counts[2];
  return HB_OK;
}

static enum hb_status read_record(const struct hb_checkpoint *checkpoint, struct measurement *m)
{
  size_t bytes;
  struct hb_text job = {0};
  const char *own = hb_checkpoint_own(checkpoint, &bytes);
  enum hb_status status = write_job(m->p, &job);
  if (status == HB_OK && (bytes <= job.length || own[bytes - 1] || memcmp(own, job.text, job.length) != 0))
    status = hb_fail(HB_ERR_USAGE, "it was written by another job; remove it, or name another file");
  if (status == HB_OK) status = read_place(own + job.length, m);
  hb_mem_free(job.text);
  return status;
}

/* Goes on with the job that the checkpoint holds; m->sim = NULL if there is no such file. Errors: as hb_checkpoint_open and
 * hb_sim_resume; HB_ERR_USAGE (it is another job's). */
static enum hb_status resume_saved(struct measurement *m)
{
  const char *path = m->p->checkpoint;
  struct hb_checkpoint *checkpoint;
  if (!path || access(path, F_OK) != 0) return HB_OK;
  HB_TRY(hb_checkpoint_open(path, &checkpoint));
  enum hb_status status = read_record(checkpoint, m);
  if (status != HB_OK) status = hb_fail_in(status, path);
  if (status == HB_OK) status = hb_sim_resume(checkpoint, &m->p->sim.force, &m->sim);
  hb_checkpoint_close(checkpoint);
  return status;
}

enum { REPEATS_MOST = 1000 /* also the most seeds */, CHECKPOINT_EVERY_S = 60 };

static struct run_params complete(const struct run_params *given)
{
  struct run_params params = *given;
  if (given->t_begin == 0 && given->t_end == 0) {
    params.t_begin = 0.25;
    params.t_end = 0.5;
  }
  if (given->repeat == 0) params.repeat = 1;
  if (given->checkpoint_every_s == 0) params.checkpoint_every_s = CHECKPOINT_EVERY_S;
  return params;
}

static enum hb_status check_run(const struct run_params *p)
{
  if (!p->sim.force.scheme) return hb_fail(HB_ERR_USAGE, "no scheme was given");
  if (p->n < 2) return hb_fail(HB_ERR_USAGE, "the number of particles is %zu, expected at least 2", p->n);
  if (!(p->t_begin >= 0 && p->t_end > p->t_begin && isfinite(p->t_end)))
    return hb_fail(HB_ERR_USAGE, "the times are %g to %g, expected 0 <= begin < end", p->t_begin, p->t_end);
  if (p->repeat < 1 || p->repeat > REPEATS_MOST)
    return hb_fail(HB_ERR_USAGE, "the number of runs is %d, expected 1 to %d", p->repeat, REPEATS_MOST);
  if (p->checkpoint && p->repeat > 1)
    return hb_fail(HB_ERR_USAGE, "a checkpoint is of one run, but %d were asked for", p->repeat);
  if (p->checkpoint && hb_ranks_count() > 1)
    return hb_fail(HB_ERR_USAGE, "a measured run by several ranks has no checkpoint; leave it out");
  return HB_OK;
}

/* Counts and phases since the last call. */
static void count_since(const struct hb_sim *sim, struct run_result *r)
{
  const struct hb_sim_counts counts = r->counts;
  const struct hb_phases phases = r->phases;
  hb_sim_counts(sim, &r->counts);
  hb_sim_phases(sim, &r->phases);
  r->counts.block_steps -= counts.block_steps;
  r->counts.particle_steps -= counts.particle_steps;
  r->counts.pairs -= counts.pairs;
  r->phases.predict_s -= phases.predict_s;
  r->phases.send_s -= phases.send_s;
  r->phases.force_s -= phases.force_s;
  r->phases.receive_s -= phases.receive_s;
  r->phases.correct_s -= phases.correct_s;
}

/* Saves it if that is due, and ends it at a signal. */
static enum hb_status poll_saving(struct measurement *m)
{
  const char *by = hb_signals_stop(), *path = m->p->checkpoint;
  if (path && (by || hb_clock_now() - m->saved >= m->p->checkpoint_every_s)) {
    HB_TRY(write_saved(m));
    m->saved = hb_clock_now();
  }
  if (!by) return HB_OK;
  if (!path) return hb_fail(HB_ERR_STOPPED, "stopped by %s; without --checkpoint nothing was saved", by);
  return hb_fail(HB_ERR_STOPPED, "stopped by %s; the same command continues from %s", by, path);
}

static enum hb_status steps_to(struct measurement *m, double t)
{
  while (hb_sim_next_time(m->sim) <= t) {
    double start = hb_clock_now();
    enum hb_status status = hb_sim_step(m->sim);
    if (status != HB_ERR_STOPPED) HB_TRY(status); /* else poll_saving ends it */
    m->r.wall_s += hb_clock_now() - start;
    HB_TRY(poll_saving(m));
  }
  return HB_OK;
}

/* Every block step waits for its results, so that at most the last block's correction is still pending when the clock stops. */
static enum hb_status measure_run(struct measurement *m)
{
  struct hb_diagnostics now;
  struct run_result *r = &m->r;
  if (!m->is_timed) {
    HB_TRY(steps_to(m, m->p->t_begin));
    HB_TRY(hb_sim_diagnose(m->sim, m->p->t_begin, &now));
    r->e_begin = now.e_total;
    r->e_gpu_begin = now.e_gpu;
    r->wall_s = 0;
    count_since(m->sim, r);
    m->is_timed = 1;
  }
  HB_TRY(steps_to(m, m->p->t_end));
  count_since(m->sim, r);
  HB_TRY(hb_sim_diagnose(m->sim, m->p->t_end, &now));
  r->e_end = now.e_total;
  r->e_gpu_end = now.e_gpu;
  r->exact_energy = now.exact_energy;
  return HB_OK;
}

static void describe_run(const struct hb_force *force, struct run_result *r)
{
  snprintf(r->scheme, sizeof r->scheme, "%s", hb_force_scheme(force)->name);
  snprintf(r->precision, sizeof r->precision, "%s", hb_force_precision(force));
  snprintf(r->context, sizeof r->context, "%s", hb_force_context(force));
  snprintf(r->device, sizeof r->device, "%s", hb_force_device(force));
  snprintf(r->tuning, sizeof r->tuning, "%s", hb_force_tuning(force));
}

static enum hb_status start_run(const struct run_params *p, struct hb_sim **sim)
{
  struct hb_particles *sphere = NULL;
  const struct hb_ic_params ic = {.n = p->n, .seed = p->seed, .scaling = hb_ic_scaling_for(p->n)};
  struct hb_sim_params params = p->sim;
  params.first_step = HB_FIRST_STEP_EQ2; /* jobs are the paper's */
  params.neighbors = HB_NEIGHBORS_NONE;
  if (params.force.eps == 0) params.force.flags |= HB_FORCE_UNSOFTENED;
  HB_TRY(hb_ic_make("plummer", &ic, &sphere));
  return hb_sim_take(sphere, &params, sim);
}

static enum hb_status run_once(const struct run_params *p, struct run_result *r)
{
  struct measurement m = {.p = p, .saved = -INFINITY};
  enum hb_status status = resume_saved(&m);
  if (status == HB_OK && !m.sim) status = start_run(p, &m.sim);
  if (status == HB_OK) status = measure_run(&m);
  if (status == HB_OK) {
    *r = m.r;
    r->scaling = hb_ic_scaling_for(p->n);
    describe_run(hb_sim_force(m.sim), r);
    if (p->checkpoint) unlink(p->checkpoint); /* the job is done */
  }
  hb_sim_destroy(m.sim);
  return status;
}

static int by_wall(const void *a, const void *b)
{
  double x = ((const struct run_result *)a)->wall_s, y = ((const struct run_result *)b)->wall_s;
  return (x > y) - (x < y);
}

/* Errors: as hb_sim_create and hb_sim_step; HB_ERR_USAGE. */
static enum hb_status bench_run(const struct run_params *given, struct run_result *result)
{
  const struct run_params params = complete(given);
  HB_TRY(check_run(&params));
  size_t count = (size_t)params.repeat;
  struct run_result *runs;
  HB_TRY(HB_ALLOC(count, &runs));
  enum hb_status status = HB_OK;
  for (size_t k = 0; status == HB_OK && k < count; k++) status = run_once(&params, &runs[k]);
  if (status == HB_OK) {
    qsort(runs, count, sizeof *runs, by_wall);
    *result = runs[(count - 1) / 2];
    result->wall_min_s = runs[0].wall_s;
    result->wall_max_s = runs[count - 1].wall_s;
  }
  hb_mem_free(runs);
  return status;
}

/* ---- as a row of a table ---- */

#define AT(place) .offset = offsetof(struct run_row, place)

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

static struct run_row run_row(const struct run_params *params, const struct run_result *result,
                              const char *mode, const char *rounding)
{
  return (struct run_row){
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

static struct hb_table run_table(enum hb_table_form form, FILE *out)
{
  return (struct hb_table){HB_TABLE_COLUMNS(run_columns), form, out, 0};
}

/* ==== lists of jobs ==== */

/* ---- modes ---- */

/* What is sent, where particles are predicted, where they are corrected. */
static const struct mode {
  const char *name, *help; /* "block/gpu/host" */
  enum hb_transfer transfer;
  enum hb_place predict, correct;
  int by_default;
} modes[] = {
    {"all/host/host", "as in 2007: the host predicts and corrects, all particles are sent at each block step",
     HB_TRANSFER_ALL, HB_PLACE_HOST, HB_PLACE_HOST, 1},
    {"all/gpu/host", "all are sent, the device predicts", HB_TRANSFER_ALL, HB_PLACE_GPU, HB_PLACE_HOST, 0},
    {"block/gpu/host", "the device keeps all and predicts; a block is sent, its forces come back",
     HB_TRANSFER_BLOCK, HB_PLACE_GPU, HB_PLACE_HOST, 1},
    {"block/gpu/gpu", "the device corrects, too; time steps come back", HB_TRANSFER_BLOCK, HB_PLACE_GPU,
     HB_PLACE_GPU, 1},
};
enum { MODES = sizeof modes / sizeof *modes };

static const char *mode_name(size_t k) { return k < MODES ? modes[k].name : NULL; }

static void list_modes(const struct hb_help *help)
{
  help->heading("modes (what is sent / where particles are predicted / where they are corrected)", help->out);
  for (int k = 0; k < MODES; k++) help->entry(modes[k].name, modes[k].help, help->out);
}

/* ---- words ---- */

/* Must not be copied. */
struct jobs {
  struct hb_counts n;
  struct hb_list schemes, precisions, modes; /* empty: the default */
};

#define FIELD(member) HB_SETTING_FIELD(struct jobs, member)
static const struct hb_setting jobs_options[] = {
    {"scheme", 0, HB_SETTING_WORDS, FIELD(schemes), "LIST",
     .words = {.at = hb_target_scheme, .what = "scheme"},
     .help = "schemes of forces (default: the default of 'holmberg run' here)"},
    {"precision", 0, HB_SETTING_WORDS, FIELD(precisions), "LIST",
     .words = {.array = hb_precision_names, .what = "precision"},
     .help = "precisions (default: the first that a scheme offers)"},
    {"mode", 0, HB_SETTING_WORDS, FIELD(modes), "LIST", .words = {.at = mode_name, .what = "mode"},
     .help = "modes, see below (default: those of the paper's Fig. 5 that a scheme offers)"},
    {0}};
#undef FIELD

/* Where no scheme is named, the default of a run with this context and device. Errors: as hb_force_open. */
static enum hb_status take_default_scheme(const struct hb_force_params *place, struct jobs *jobs)
{
  const struct hb_force_params params = {
      .context = place->context, .device = place->device, .flags = HB_FORCE_NO_TUNE};
  struct hb_force *force;
  if (jobs->schemes.count) return HB_OK;
  HB_TRY(hb_force_open(&params, &force));
  enum hb_status status = hb_list_split(hb_force_scheme(force)->name, ",", &jobs->schemes);
  hb_force_close(force);
  return status;
}

/* ---- one job ---- */

/* The same runs with this scheme, precision and mode, and every default filled in. */
static struct run_params params_of_job(const struct run_params *run, const struct hb_force_scheme *scheme,
                                       const char *precision, const struct mode *mode)
{
  struct run_params params = *run;
  struct hb_sim_params *sim = &params.sim;
  sim->force.scheme = scheme->name;
  sim->force.precision = precision;
  if (!scheme->needs_gl) sim->force.tuning = NULL;
  if (sim->dt_max == 0) sim->dt_max = 0.125;
  if (sim->dt_min == 0) sim->dt_min = hb_sim_default_dt_min(sim->force.eps);
  sim->transfer = mode->transfer;
  sim->predict = mode->predict;
  sim->correct = mode->correct;
  return params;
}

/* Announces how long such runs take, if that is long: from t = 0 in steps of dt_max; a Plummer sphere needs many more block steps. */
static void announce_runs(const struct run_params *run, int runs)
{
  double n = (double)run->n, steps = runs * (double)run->repeat * run->t_end / run->sim.dt_max;
  hb_terminal_announce("at least", hb_terminal_least_seconds(steps, n * n), "");
}

/* ---- all jobs ---- */

typedef enum hb_status visit_job(void *context, const struct hb_force_scheme *scheme, const char *precision,
                                 const struct mode *mode);

struct loop {
  const struct jobs *jobs;
  visit_job *visit;
  void *context;
  size_t visited;
};

static void note_lack(const char *scheme, const char *what, const char *word)
{
  char line[256];
  snprintf(line, sizeof line, "scheme %s has no %s %s: skipped", scheme, what, word);
  hb_terminal_note(line);
}

static enum hb_status visit_mode(struct loop *w, const struct hb_force_scheme *scheme,
                                 const struct mode *mode)
{
  struct hb_list offered;
  HB_TRY(hb_list_split(scheme->precisions, " ", &offered));
  for (size_t p = 0; p < offered.count; p++) {
    const char *precision = offered.words[p];
    if (w->jobs->precisions.count ? !hb_list_has(&w->jobs->precisions, precision) : p > 0) continue;
    w->visited++;
    HB_TRY(w->visit(w->context, scheme, precision, mode));
  }
  return HB_OK;
}

static enum hb_status visit_scheme(struct loop *w, const struct hb_force_scheme *scheme)
{
  const struct jobs *jobs = w->jobs;
  struct hb_list offered;
  HB_TRY(hb_list_split(scheme->precisions, " ", &offered));
  for (size_t k = 0; k < jobs->precisions.count; k++)
    if (!hb_list_has(&offered, jobs->precisions.words[k]))
      note_lack(scheme->name, "precision", jobs->precisions.words[k]);
  HB_TRY(hb_list_split(scheme->modes, " ", &offered));
  for (int k = 0; k < MODES; k++) {
    int is_offered = hb_list_has(&offered, modes[k].name),
        is_named = hb_list_has(&jobs->modes, modes[k].name);
    if (is_named && !is_offered) note_lack(scheme->name, "mode", modes[k].name);
    if (is_offered && (jobs->modes.count ? is_named : modes[k].by_default))
      HB_TRY(visit_mode(w, scheme, &modes[k]));
  }
  return HB_OK;
}

/* Every scheme with every requested mode and precision that it has; others are skipped with a note. Errors: of visit;
 * HB_ERR_USAGE when nothing is left. */
static enum hb_status each_job(const struct jobs *jobs, visit_job *visit, void *context)
{
  struct loop walk = {jobs, visit, context, 0};
  for (size_t k = 0; k < jobs->schemes.count; k++)
    HB_TRY(visit_scheme(&walk, hb_force_scheme_find(jobs->schemes.words[k])));
  return walk.visited ? HB_OK : hb_fail(HB_ERR_USAGE, "none of these schemes has such a precision and mode");
}

/* ---- bench run: for a list of N, schemes and modes --------------------------------------------------- */

struct runs_settings {
  struct run_params run; /* of each job, except scheme, precision, mode and n */
  struct jobs jobs;
  const char *plot;
  int json;
};

#define RUN(member) HB_SETTING_FIELD(struct run_params, member)
static const struct hb_setting job_options[] = {
    {"t-begin", 0, HB_SETTING_NOT_NEGATIVE, RUN(t_begin), "T", "0.25",
     .help = "time at which clock and counts start; the run starts at 0"},
    {"t-end", 0, HB_SETTING_POSITIVE, RUN(t_end), "T", "0.5", .help = "time at which they stop"},
    {"repeat", 0, HB_SETTING_COUNT, RUN(repeat), "R", "1", .most = REPEATS_MOST,
     .help = "runs of each job, of which the one of median time counts"},
    {"tuning", 0, HB_SETTING_TEXT, RUN(sim.force.tuning), "WORDS",
     .help = "like \"i_each=4 unroll=8\" (default: as measured on this device)"},
    {"no-tune", 0, HB_SETTING_FLAG, RUN(sim.force.flags), .bit = HB_FORCE_NO_TUNE,
     .help = "use safe defaults instead of measured tuning"},
    {0}};

#define FIELD(member) HB_SETTING_FIELD(struct runs_settings, member)
static const struct hb_setting runs_options[] = {
    {"n", 'n', HB_SETTING_COUNTS, FIELD(jobs.n), "LIST", "256,1024,4096", .least = 2,
     .help = "numbers of particles, separated by commas"},
    {"seed", 0, HB_SETTING_WHOLE, FIELD(run.seed), "S", "1",
     .help = "seed of the Plummer sphere, as in 'holmberg ic plummer'"},
    {"phases", 0, HB_SETTING_FLAG, FIELD(run.sim.force.flags), .bit = HB_FORCE_PHASES,
     .help = "time the phases separately, waiting for the device between them; takes longer"},
    {"checkpoint", 0, HB_SETTING_TEXT, FIELD(run.checkpoint), "FILE",
     .help = "for one long job: keep it in FILE, every minute and when it is stopped; the same command "
             "continues from there, and removes FILE when the job is done"},
    {"plot", 0, HB_SETTING_TEXT, FIELD(plot), "FILE",
     .help = "plot seconds against n, with the paper's, with gnuplot, as .png, .svg or .pdf"},
    {0}};
#undef FIELD

/* ---- the figure ---- */

/* Wall seconds against n: a color for each scheme and precision, dashes and marks by mode. */
static enum hb_status add_run_to_plot(struct hb_plot *plot, const struct run_row *row)
{
  char family[HB_PLOT_NAME];
  snprintf(family, sizeof family, "%s %s", row->result.scheme, row->result.precision);
  return hb_plot_add(plot, family, row->mode, (double)row->params.n, row->result.wall_s);
}

/* The columns of Table 2 for about the numbers of particles in the figure. */
static enum hb_status add_paper(struct hb_plot *plot)
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

/* ---- one row ---- */

struct runs {
  const struct runs_settings *settings;
  struct hb_plot plot;
  char title[256];
  struct hb_table table;
};

static enum hb_status time_one(struct runs *b, const struct hb_force_scheme *scheme, const char *precision,
                               const struct mode *mode, size_t n)
{
  const struct runs_settings *s = b->settings;
  struct run_params params = params_of_job(&s->run, scheme, precision, mode);
  params.n = n;
  struct run_result result;
  announce_runs(&params, 1);
  HB_TRY(bench_run(&params, &result));
  const struct run_row row = run_row(&params, &result, mode->name, hb_rounding_names[params.sim.rounding]);
  hb_table_put(&b->table, &row);
  if (b->table.rows == 1 || scheme->needs_gl)
    snprintf(b->title, sizeof b->title, "A Plummer sphere from t = %g to %g on %s", params.t_begin,
             params.t_end, result.device);
  HB_TRY(add_run_to_plot(&b->plot, &row));
  return hb_terminal_flush();
}

/* ---- all of them ---- */

static enum hb_status time_sizes(void *context, const struct hb_force_scheme *scheme, const char *precision,
                                 const struct mode *mode)
{
  struct runs *b = context;
  const struct hb_counts *n = &b->settings->jobs.n;
  for (size_t k = 0; k < n->count; k++) HB_TRY(time_one(b, scheme, precision, mode, n->n[k]));
  return HB_OK;
}

/* Whether the paper timed the same job. */
static int is_paper_job(const struct run_params *run)
{
  return run->t_begin == 0.25 && run->t_end == 0.5 && run->sim.eta == 0.01 && run->sim.force.eps == 1. / 256;
}

static enum hb_status check_checkpoint(const struct runs_settings *s)
{
  const struct jobs *jobs = &s->jobs;
  if (!s->run.checkpoint) return HB_OK;
  if (jobs->n.count != 1 || jobs->schemes.count != 1 || jobs->precisions.count > 1 || jobs->modes.count != 1)
    return hb_fail(
        HB_ERR_USAGE,
        "option --checkpoint is for one job: name one --n, --scheme and --mode, and at most one --precision");
  hb_signals_watch(0);
  hb_signals_reach_steps();
  return HB_OK;
}

static enum hb_status work_bench_run(const struct hb_opts *opts)
{
  struct runs_settings *s = opts->settings;
  struct runs b = {.settings = s};
  b.table = run_table(s->json ? HB_TABLE_JSON_FORM : HB_TABLE_TEXT_FORM, stdout);
  b.plot = (struct hb_plot){.title = b.title, .x_label = "number of particles", .y_label = "wall seconds"};
  HB_TRY(check_checkpoint(s));
  HB_TRY(take_default_scheme(&s->run.sim.force, &s->jobs));
  if (s->plot) HB_TRY(hb_plot_check(s->plot));
  enum hb_status status = each_job(&s->jobs, time_sizes, &b);
  if (status == HB_OK && s->plot && is_paper_job(&s->run)) status = add_paper(&b.plot);
  if (status == HB_OK && s->plot) status = hb_plot_write(&b.plot, s->plot);
  hb_plot_clear(&b.plot);
  return status;
}

enum { SIM = offsetof(struct runs_settings, run.sim) };

const struct hb_opts_command hb_cmd_bench_run = {
    .name = "bench run",
    .summary = "Time whole runs as in the paper's Table 2: a Plummer sphere from t = 0.25 to 0.5.",
    .groups = {{.options = runs_options},
               {.options = jobs_options, .at = offsetof(struct runs_settings, jobs)},
               {.options = hb_sim_settings_accuracy, .at = SIM},
               {.options = hb_sim_settings_block, .at = SIM},
               {.options = job_options, .at = offsetof(struct runs_settings, run)},
               {.options = hb_opts_place, .at = offsetof(struct runs_settings, run.sim.force)},
               {.options = hb_opts_json, .at = offsetof(struct runs_settings, json)}},
    .settings_size = sizeof(struct runs_settings),
    .more_help = list_modes,
    .by_ranks = 1,
    .has_no_units = 1,
    .example = "  holmberg bench run --n 256,1024,4096 --scheme host,bag --plot runs.png\n"
               "  holmberg bench run --n 4096 --scheme bag --mode block/gpu/gpu --phases --json\n",
    .work = work_bench_run,
};

/* ==== the model ==== */

/* One measured size: means over its seeds, but medians of seconds. */
struct model_size {
  size_t n;
  double n_steps, n_block;
  double de_rel, de_rel_most; /* mean and largest |dE/E| from t_begin to t_end                         */
  double measured_s;          /* of a time unit                                                        */
  double predicted_s;         /* by the fit of all sizes                                               */
  double unseen_s;            /* by a fit of every other size, without this one; NaN: it is one of them */
};

struct fit_params {
  struct run_params run; /* n and seed are ignored; phases are always separated        */
  const size_t *n;       /* [n_count] ascending                                        */
  size_t n_count;        /* at least 3                                                 */
  int seeds;             /* of each size the spheres of seeds 1 to this; 0: 3          */
  /* Called after each run, nullable; a failure that it returns ends the fit. */
  enum hb_status (*measured)(const struct run_params *job, const struct run_result *result, void *context);
  void *context;
};

struct model_fit {
  struct hb_machine machine;   /* its name: scheme, precision, device           */
  struct hb_machine error;     /* standard errors, field by field; NaN: too few runs to tell */
  double t_host, t_host_error; /* as t_host_of          */
  double n_block_deviation;    /* largest of |n_block / eq. 14 - 1|             */
  double unseen_deviation;     /* largest of |unseen_s / measured_s - 1|        */
  double de_rel;               /* mean |dE/E| of all runs                       */
};

enum { SEEDS = 3, SEEDS_MOST = 1000, SIZES_LEAST = 3 };

/* y = c x^p through count points, a straight line in log-log, so that relative distances count. The error of c is absolute,
 * like all here; errors are NaN for two points, which leave no scatter. Errors: HB_ERR_USAGE (fewer than two different x, or
 * a number that is not > 0). */
static enum hb_status fit_power_law(size_t count, const double *x, const double *y, struct hb_power_law *law,
                                    struct hb_power_law *error)
{
  double mean_x = 0, mean_y = 0, xx = 0, xy = 0, rest = 0, n = (double)count;
  for (size_t k = 0; k < count; k++) {
    if (!(x[k] > 0 && y[k] > 0 && isfinite(x[k]) && isfinite(y[k])))
      return hb_fail(HB_ERR_USAGE, "a power law cannot have the point (%g, %g)", x[k], y[k]);
    mean_x += log(x[k]) / n;
    mean_y += log(y[k]) / n;
  }
  for (size_t k = 0; k < count; k++) {
    double dx = log(x[k]) - mean_x;
    xx += dx * dx;
    xy += dx * (log(y[k]) - mean_y);
  }
  if (!(xx > 1e-12))
    return hb_fail(HB_ERR_USAGE, "a power law needs points at two different x, got %zu point%s", count,
                   hb_text_s(count));
  double p = xy / xx, log_c = mean_y - p * mean_x;
  for (size_t k = 0; k < count; k++) rest += pow(log(y[k]) - log_c - p * log(x[k]), 2);
  double variance = count > 2 ? rest / (n - 2) : NAN;
  *law = (struct hb_power_law){exp(log_c), p};
  *error =
      (struct hb_power_law){law->c * sqrt(variance * (1 / n + mean_x * mean_x / xx)), sqrt(variance / xx)};
  return HB_OK;
}

/* ---- the constants of the model from runs with timed phases ---- */

/* The counts and phases of one run between two times that are `span` apart. */
struct machine_run {
  double n, span;
  double block_steps, particle_steps;
  struct hb_phases phases;
  double unit_s, de_rel; /* wall seconds of a time unit; |dE/E| */
};

/* Of a time unit. */
static double machine_run_n_steps(const struct machine_run *run) { return run->block_steps / run->span; }

static double machine_run_n_block(const struct machine_run *run)
{
  return run->particle_steps / run->block_steps;
}

/* The points of one fit: x[HB_FIT_TERMS * count], y[count]. */
struct points {
  size_t count;
  const struct machine_run *runs;
  double *x, *y;
};

/* ---- the two laws ------------------------------------------------------------------------------------ */

static enum hb_status fit_law(const struct points *p, double (*of)(const struct machine_run *run),
                              struct hb_power_law *law, struct hb_power_law *error)
{
  for (size_t k = 0; k < p->count; k++) {
    p->x[k] = p->runs[k].n;
    p->y[k] = of(&p->runs[k]);
  }
  return fit_power_law(p->count, p->x, p->y, law, error);
}

/* ---- the phases of a block step ---------------------------------------------------------------------- */

/* What the constant of a term multiplies. */
enum term { ONE, N, BLOCK, N_BLOCK, SENT /* N or BLOCK */ };

static double term_at(const struct machine_run *run, int sends_all, enum term term)
{
  double n_block = machine_run_n_block(run);
  if (term == SENT) term = sends_all ? N : BLOCK;
  return term == ONE ? 1 : term == N ? run->n : term == BLOCK ? n_block : run->n * n_block;
}

/* A phase as a sum of terms, the first of which is ONE, and where the constants of the others are in struct hb_machine. */
#define PHASE(name) offsetof(struct hb_phases, name##_s)
#define T(name)     offsetof(struct hb_machine, t_##name)
static const struct sum {
  size_t phase, terms;
  enum term term[HB_FIT_TERMS];
  size_t t[HB_FIT_TERMS];
} sums[] = {
    {PHASE(predict), 2, {ONE, N}, {0, T(predict)}},                /* eq. 11 */
    {PHASE(correct), 2, {ONE, BLOCK}, {0, T(correct)}},            /* eq. 12 */
    {PHASE(send), 2, {ONE, SENT}, {0, T(send)}},                   /* eq. 13 */
    {PHASE(receive), 2, {ONE, BLOCK}, {0, T(receive)}},            /* eq. 13 */
    {PHASE(force), 3, {ONE, N, N_BLOCK}, {0, T(source), T(pair)}}, /* eq. 15 */
};
#undef T
#undef PHASE

static double *double_at(const void *of, size_t offset)
{
  void *at = (char *)of + offset;
  return at;
}

/* The constants of ONE add up to t_start. */
static enum hb_status fit_sum(const struct points *p, const struct sum *sum, struct hb_machine *machine,
                              struct hb_machine *error)
{
  double t[HB_FIT_TERMS], e[HB_FIT_TERMS];
  for (size_t k = 0; k < p->count; k++) {
    p->y[k] = *double_at(&p->runs[k].phases, sum->phase) / p->runs[k].block_steps;
    for (size_t i = 0; i < sum->terms; i++)
      p->x[k * sum->terms + i] = term_at(&p->runs[k], machine->sends_all, sum->term[i]);
  }
  HB_TRY(hb_fit_terms(p->count, sum->terms, p->x, p->y, t, e));
  for (size_t i = 1; i < sum->terms; i++) {
    *double_at(machine, sum->t[i]) = t[i];
    *double_at(error, sum->t[i]) = e[i];
  }
  machine->t_start += t[0];
  error->t_start = hypot(error->t_start, e[0]);
  return HB_OK;
}

/* ---- all of it --------------------------------------------------------------------------------------- */

static enum hb_status check_runs(size_t count, const struct machine_run *runs)
{
  for (size_t k = 0; k < count; k++)
    if (!(runs[k].n >= 2 && runs[k].span > 0 && runs[k].block_steps > 0 && runs[k].particle_steps > 0))
      return hb_fail(HB_ERR_NUMERIC,
                     "a run of %g particles did %g block steps with %g particle steps in %g time units",
                     runs[k].n, runs[k].block_steps, runs[k].particle_steps, runs[k].span);
  return HB_OK;
}

/* Fills the constants and the two laws of *machine, and their standard errors in *error; sends_all is taken from *machine,
 * receives_all is 0. Each phase of a block step is a sum of two or three terms of eqs 11, 12, 13, 15; the remaining
 * constant parts add up to t_start. Errors: HB_ERR_USAGE (runs of fewer than two sizes), HB_ERR_NUMERIC (a run without
 * block steps), HB_ERR_INTERNAL. */
static enum hb_status machine_fit(size_t count, const struct machine_run *runs, struct hb_machine *machine,
                                  struct hb_machine *error)
{
  struct points p = {.count = count, .runs = runs};
  HB_TRY(check_runs(count, runs));
  machine->receives_all = 0;
  enum hb_status status = HB_ALLOC(HB_FIT_TERMS * count, &p.x);
  if (status == HB_OK) status = HB_ALLOC(count, &p.y);
  if (status == HB_OK) status = fit_law(&p, machine_run_n_steps, &machine->n_steps, &error->n_steps);
  if (status == HB_OK) status = fit_law(&p, machine_run_n_block, &machine->n_block, &error->n_block);
  machine->t_start = error->t_start = 0;
  for (size_t k = 0; status == HB_OK && k < sizeof sums / sizeof *sums; k++)
    status = fit_sum(&p, &sums[k], machine, error);
  HB_FREE(p.x, p.y);
  return status;
}

/* ---- measuring --------------------------------------------------------------------------------------- */

/* The results of every run: [size * seeds + seed]. */
struct samples {
  size_t sizes, seeds;
  struct machine_run *runs;
};

static enum hb_status check_fit(const struct fit_params *p)
{
  if (p->n_count < SIZES_LEAST)
    return hb_fail(HB_ERR_USAGE, "a fit needs at least %d numbers of particles, got %zu", SIZES_LEAST,
                   p->n_count);
  for (size_t k = 1; k < p->n_count; k++)
    if (p->n[k] <= p->n[k - 1])
      return hb_fail(HB_ERR_USAGE, "the numbers of particles %zu, %zu do not ascend", p->n[k - 1], p->n[k]);
  if (p->seeds < 0 || p->seeds > SEEDS_MOST)
    return hb_fail(HB_ERR_USAGE, "the number of seeds is %d, expected 1 to %d", p->seeds, SEEDS_MOST);
  return HB_OK;
}

/* Scheme, precision and device, truncated. */
static void name_machine(const struct run_result *r, struct hb_machine *machine)
{
  int room = (int)sizeof machine->name - 1;
  snprintf(machine->name, sizeof machine->name, "%s %s, %.*s", r->scheme, r->precision, room / 2, r->device);
}

static enum hb_status measure_one(const struct fit_params *p, struct run_params *job, struct samples *s,
                                  size_t k, struct hb_machine *machine)
{
  struct run_result r;
  HB_TRY(bench_run(job, &r));
  double span = job->t_end > 0 ? job->t_end - job->t_begin : 0.25; /* the default of bench_run */
  s->runs[k] = (struct machine_run){.n = (double)job->n,
                                    .span = span,
                                    .block_steps = (double)r.counts.block_steps,
                                    .particle_steps = (double)r.counts.particle_steps,
                                    .phases = r.phases,
                                    .unit_s = r.wall_s / span,
                                    .de_rel = fabs(change(r.e_begin, r.e_end))};
  name_machine(&r, machine);
  return p->measured ? p->measured(job, &r, p->context) : HB_OK;
}

static enum hb_status measure_all(const struct fit_params *p, struct samples *s, struct hb_machine *machine)
{
  struct run_params job = p->run;
  job.sim.force.flags |= HB_FORCE_PHASES;
  for (size_t k = 0; k < s->sizes; k++)
    for (size_t seed = 0; seed < s->seeds; seed++) {
      job.n = p->n[k];
      job.seed = seed + 1;
      HB_TRY(measure_one(p, &job, s, k * s->seeds + seed, machine));
    }
  return HB_OK;
}

/* ---- summing up -------------------------------------------------------------------------------------- */

static struct model_size sum_up(const struct samples *s, size_t k)
{
  const struct machine_run *runs = &s->runs[k * s->seeds];
  struct model_size size = {.n = (size_t)runs[0].n, .unseen_s = NAN};
  double unit_s[SEEDS_MOST];
  for (size_t seed = 0; seed < s->seeds; seed++) {
    double share = 1 / (double)s->seeds, de_rel = runs[seed].de_rel;
    unit_s[seed] = runs[seed].unit_s;
    size.n_steps += share * machine_run_n_steps(&runs[seed]);
    size.n_block += share * machine_run_n_block(&runs[seed]);
    size.de_rel += share * de_rel;
    size.de_rel_most = fmax(size.de_rel_most, de_rel);
  }
  size.measured_s = hb_fit_median(s->seeds, unit_s);
  return size;
}

/* The runs of every other size, from the smallest on. */
static enum hb_status fit_half(const struct samples *s, struct hb_machine *machine)
{
  struct machine_run *half;
  struct hb_machine error;
  HB_TRY(HB_ALLOC(s->sizes * s->seeds, &half));
  size_t count = 0;
  for (size_t k = 0; k < s->sizes; k += 2)
    for (size_t seed = 0; seed < s->seeds; seed++) half[count++] = s->runs[k * s->seeds + seed];
  enum hb_status status = machine_fit(count, half, machine, &error);
  hb_mem_free(half);
  return status;
}

/* Table 3's t_host: prediction and correction a particle of N, at the N where eqs 11 and 12 give its 3.82e-7 s. */
static const double T_HOST_N = 65536;

static double t_host_of(const struct hb_machine *machine)
{
  struct hb_model_time time;
  hb_model_predict(machine, NULL, 1, T_HOST_N, &time);
  return time.t_host / T_HOST_N;
}

/* Standard errors add up as those of independent terms. */
static void find_t_host(struct model_fit *f)
{
  double n = T_HOST_N, n_block = hb_power_law_at(&f->machine.n_block, n);
  f->t_host = t_host_of(&f->machine);
  f->t_host_error = hypot(f->error.t_predict, f->error.t_correct * n_block / n);
}

static enum hb_status fit_samples(const struct samples *s, struct model_size *sizes, struct model_fit *f)
{
  struct hb_machine half = f->machine;
  const struct hb_machine *paper = hb_machines; /* its laws are the same for all four */
  HB_TRY(machine_fit(s->sizes * s->seeds, s->runs, &f->machine, &f->error));
  HB_TRY(fit_half(s, &half));
  find_t_host(f);
  for (size_t k = 0; k < s->sizes; k++) {
    sizes[k] = sum_up(s, k);
    double n = (double)sizes[k].n, eq14 = hb_power_law_at(&paper->n_block, n);
    sizes[k].predicted_s = hb_machine_time(&f->machine, n);
    f->de_rel += sizes[k].de_rel / (double)s->sizes;
    f->n_block_deviation = fmax(f->n_block_deviation, fabs(sizes[k].n_block / eq14 - 1));
    if (k % 2 == 0) continue;
    sizes[k].unseen_s = hb_machine_time(&half, n);
    f->unseen_deviation = fmax(f->unseen_deviation, fabs(sizes[k].unseen_s / sizes[k].measured_s - 1));
  }
  return HB_OK;
}

/* Runs bench_run for each size and seed, and fits. sizes[n_count]. Errors: as bench_run; HB_ERR_USAGE (sizes, seeds),
 * HB_ERR_NUMERIC (a run without block steps between t_begin and t_end). */
static enum hb_status model_fit(const struct fit_params *params, struct model_size *sizes,
                                struct model_fit *result)
{
  HB_TRY(check_fit(params));
  struct samples s = {.sizes = params->n_count, .seeds = params->seeds ? (size_t)params->seeds : SEEDS};
  struct model_fit f = {.machine.sends_all = params->run.sim.transfer == HB_TRANSFER_ALL};
  enum hb_status status = HB_ALLOC(s.sizes * s.seeds, &s.runs);
  if (status == HB_OK) status = measure_all(params, &s, &f.machine);
  if (status == HB_OK) status = fit_samples(&s, sizes, &f);
  hb_mem_free(s.runs);
  if (status == HB_OK) *result = f;
  return status;
}

/* ---- the output of `model fit` and `model predict`: tables, and lines of JSON, of which the fits are read back ---- */

#define AT(place) .offset = offsetof(struct hb_machine, place)

/* What is fitted; the standard error of each is NAME_error. */
static const struct hb_table_column constants[] = {
    {"t_start", HB_TABLE_REAL, AT(t_start)},
    {"t_predict", HB_TABLE_REAL, AT(t_predict)},
    {"t_correct", HB_TABLE_REAL, AT(t_correct)},
    {"t_send", HB_TABLE_REAL, AT(t_send)},
    {"t_receive", HB_TABLE_REAL, AT(t_receive)},
    {"t_source", HB_TABLE_REAL, AT(t_source)},
    {"t_pair", HB_TABLE_REAL, AT(t_pair)},
    {"n_block_coefficient", HB_TABLE_REAL, AT(n_block.c)},
    {"n_block_exponent", HB_TABLE_REAL, AT(n_block.p)},
    {"n_steps_coefficient", HB_TABLE_REAL, AT(n_steps.c)},
    {"n_steps_exponent", HB_TABLE_REAL, AT(n_steps.p)},
};
enum { CONSTANTS = sizeof constants / sizeof *constants };

#undef AT

/* One fit, measurements and results; as a line of either kind. */
struct row {
  const char *record, *scheme, *precision, *mode, *rounding; /* "size" "bag" "ds" "block/gpu/host" "down" */
  struct fit_params params;                                  /* every default filled in */
  struct run_result last;                                    /* of its last run: where it ran */
  struct model_fit fit;
  struct model_size size;
  double over_eq17, over_eq14;
  size_t n_least, n_most;
};

#define AT(place) .offset = offsetof(struct row, place)
#define JOB                                                                                                  \
  {"record", HB_TABLE_TEXT, AT(record)}, {"scheme", HB_TABLE_TEXT, AT(scheme)},                              \
      {"precision", HB_TABLE_TEXT, AT(precision)}, {"mode", HB_TABLE_TEXT, AT(mode)},                        \
  {                                                                                                          \
    "step_rounding", HB_TABLE_TEXT, AT(rounding)                                                             \
  }

static const struct hb_table_column size_columns[] = {
    JOB,
    {"n", HB_TABLE_SIZE, AT(size.n), "%8llu", "#n"},
    {"seeds", HB_TABLE_INT, AT(params.seeds)},
    {"n_steps", HB_TABLE_REAL, AT(size.n_steps), "%8.0f"},
    {"n_steps_over_eq17", HB_TABLE_REAL, AT(over_eq17), "%6.2f", "/eq.17"},
    {"n_block", HB_TABLE_REAL, AT(size.n_block), "%8.1f"},
    {"n_block_over_eq14", HB_TABLE_REAL, AT(over_eq14), "%6.2f", "/eq.14"},
    {"de_rel", HB_TABLE_REAL, AT(size.de_rel), "%9.1e", "|dE/E|"},
    {"de_rel_most", HB_TABLE_REAL, AT(size.de_rel_most)},
    {"measured_s", HB_TABLE_REAL, AT(size.measured_s), "%11.4g", "measured s"},
    {"predicted_s", HB_TABLE_REAL, AT(size.predicted_s), "%11.4g", "fitted s"},
    {"unseen_s", HB_TABLE_REAL, AT(size.unseen_s), "%11.4g", "unseen s", .missing = "-"},
};

/* Before the constants, and after them. */
static const struct hb_table_column fit_columns[] = {
    JOB,
    {"context", HB_TABLE_CHARS, AT(last.context)},
    {"device", HB_TABLE_CHARS, AT(last.device)},
    {"tuning", HB_TABLE_CHARS, AT(last.tuning)},
    {"eta", HB_TABLE_REAL, AT(params.run.sim.eta)},
    {"eps", HB_TABLE_REAL, AT(params.run.sim.force.eps)},
    {"t_begin", HB_TABLE_REAL, AT(params.run.t_begin)},
    {"t_end", HB_TABLE_REAL, AT(params.run.t_end)},
    {"seeds", HB_TABLE_INT, AT(params.seeds)},
    {"sizes", HB_TABLE_SIZE, AT(params.n_count)},
    {"n_least", HB_TABLE_SIZE, AT(n_least)},
    {"n_most", HB_TABLE_SIZE, AT(n_most)},
    {"sends_all", HB_TABLE_TRUTH, AT(fit.machine.sends_all)},
    {"t_host", HB_TABLE_REAL, AT(fit.t_host)},
    {"t_host_error", HB_TABLE_REAL, AT(fit.t_host_error)},
};
static const struct hb_table_column quality_columns[] = {
    {"n_block_deviation", HB_TABLE_REAL, AT(fit.n_block_deviation)},
    {"unseen_deviation", HB_TABLE_REAL, AT(fit.unseen_deviation)},
    {"de_rel", HB_TABLE_REAL, AT(fit.de_rel)},
};

#undef AT
#undef JOB

/* ---- writing ---- */

static void put_sizes(struct row row, const struct model_size *sizes, enum hb_table_form form, FILE *out)
{
  struct hb_table table = {HB_TABLE_COLUMNS(size_columns), form, out, 0};
  row.record = "size";
  for (size_t k = 0; k < row.params.n_count; k++) {
    struct hb_model_time eqs;
    row.size = sizes[k];
    hb_model_predict(hb_machines, NULL, 1, (double)row.size.n, &eqs);
    row.over_eq17 = row.size.n_steps / eqs.n_steps;
    row.over_eq14 = row.size.n_block / eqs.n_block;
    hb_table_put(&table, &row);
  }
}

/* A line for each size, and one for the fit. */
static void write_fit(struct row row, const struct model_size *sizes, FILE *out)
{
  put_sizes(row, sizes, HB_TABLE_JSON_FORM, out);
  row.record = "fit";
  struct hb_json json = {.out = out};
  hb_json_open_object(&json, NULL);
  hb_table_members(HB_TABLE_COLUMNS(fit_columns), &row, &json);
  for (size_t k = 0; k < CONSTANTS; k++) {
    char name[64];
    snprintf(name, sizeof name, "%s_error", constants[k].name);
    hb_json_number(&json, constants[k].name, *double_at(&row.fit.machine, constants[k].offset));
    hb_json_number(&json, name, *double_at(&row.fit.error, constants[k].offset));
  }
  hb_table_members(HB_TABLE_COLUMNS(quality_columns), &row, &json);
  hb_json_close_object(&json);
  fputc('\n', out);
}

/* ---- as text ---- */

struct constant {
  const char *name;
  double here, error, paper[HB_MACHINES];
};

#define AT(place) .offset = offsetof(struct constant, place)
static const struct hb_table_column constant_columns[] = {
    {NULL, HB_TABLE_TEXT, AT(name), "#%-20s", "constant"},
    {NULL, HB_TABLE_REAL, AT(here), "%10.3g", "here"},
    {NULL, HB_TABLE_REAL, AT(error), "%8.1e", "+-", .missing = "-"},
    {NULL, HB_TABLE_REAL, AT(paper[0]), "| %9.3g", hb_machines[0].name, .missing = "-"},
    {NULL, HB_TABLE_REAL, AT(paper[1]), "%9.3g", hb_machines[1].name, .missing = "-"},
    {NULL, HB_TABLE_REAL, AT(paper[2]), "%9.3g", hb_machines[2].name, .missing = "-"},
    {NULL, HB_TABLE_REAL, AT(paper[3]), "%9.3g", hb_machines[3].name, .missing = "-"},
};
#undef AT

/* Missing where the machine has no such cost, or its error is not known. */
static double known(double x) { return x > 0 ? x : NAN; }

static void put_constants(const struct model_fit *fit)
{
  struct hb_table table = {HB_TABLE_COLUMNS(constant_columns), HB_TABLE_TEXT_FORM, stdout, 0};
  struct constant row = {"t_host", fit->t_host, known(fit->t_host_error), {0}};
  for (size_t k = 0; k < HB_MACHINES; k++) row.paper[k] = known(t_host_of(&hb_machines[k]));
  hb_table_put(&table, &row);
  for (size_t c = 0; c < CONSTANTS; c++) {
    row.name = constants[c].name;
    row.here = *double_at(&fit->machine, constants[c].offset);
    row.error = known(*double_at(&fit->error, constants[c].offset));
    for (size_t k = 0; k < HB_MACHINES; k++)
      row.paper[k] = known(*double_at(&hb_machines[k], constants[c].offset));
    hb_table_put(&table, &row);
  }
}

/* As text: the sizes, the constants beside those of the paper, and how well a half of the sizes predicts the other. */
static void show_fit(const struct row *r, const struct model_size *sizes)
{
  const struct run_params *run = &r->params.run;
  printf("# %s %s, mode %s, steps rounded %s, on %s\n", r->scheme, r->precision, r->mode,
         strcmp(r->rounding, "nearest") == 0 ? "to nearest" : r->rounding, r->last.device);
  printf("# Plummer spheres of %d seed%s, t = %g to %g, eta %g, eps %g; seconds are of a time unit\n",
         r->params.seeds, hb_text_s((uint64_t)r->params.seeds), run->t_begin, run->t_end, run->sim.eta,
         run->sim.force.eps);
  put_sizes(*r, sizes, HB_TABLE_TEXT_FORM, stdout);
  put_constants(&r->fit);
  printf("# unseen by their own fit, sizes differ by up to %.0f %%; n_block from eq. 14 by up to %.0f %%\n\n",
         100 * r->fit.unseen_deviation, 100 * r->fit.n_block_deviation);
}

/* What the lines hold, for --help. */
static void fit_lines_help(const struct hb_help *help)
{
  help->heading(
      "lines of --json, distinguished by \"record\"; all have scheme, precision, mode, step_rounding",
      help->out);
  help->entry("run", "of each run, as 'bench run --json' writes it", help->out);
  help->entry(
      "size",
      "of each n, means over the seeds: n_steps (block steps of a time unit), n_block (particles of a "
      "block), both also as n_steps_over_eq17, n_block_over_eq14; de_rel, de_rel_most (mean and largest "
      "|dE/E|); measured_s (median wall seconds of a time unit), predicted_s (by the fit), unseen_s (by a "
      "fit of every other n, null for those)",
      help->out);
  help->entry(
      "fit",
      "seconds, each with its standard error as NAME_error: t_host (Table 3: a particle predicted and "
      "corrected, at N = 65536), t_predict (a particle of N), t_correct, t_send, t_receive (a particle), "
      "t_pair, and, not in the paper: t_source (one of N in the forces of a block step), t_start (a block "
      "step); n_block_coefficient, n_block_exponent, n_steps_coefficient, n_steps_exponent (eqs 14, 17); "
      "n_block_deviation (largest, from eq. 14), unseen_deviation (largest, of unseen_s from measured_s), "
      "de_rel (mean)",
      help->out);
}

/* ---- reading ---- */

/* Calls take for each line of JSON. Errors: its own, HB_ERR_IO, HB_ERR_INPUT. */
static enum hb_status each_line(const char *path, enum hb_status (*take)(const cJSON *line, void *into),
                                void *into)
{
  char *text, *rest, *one;
  size_t length, number = 0;
  enum hb_status status = HB_OK;
  HB_TRY(hb_file_read(path, &text, &length));
  for (rest = text; status == HB_OK && (one = strsep(&rest, "\n"));) {
    cJSON *line = NULL;
    number++;
    if (*one) status = hb_json_read(one, &line);
    if (line) status = take(line, into);
    cJSON_Delete(line);
  }
  hb_mem_free(text);
  if (status == HB_OK) return HB_OK;
  char context[512];
  snprintf(context, sizeof context, "%s, line %zu", path, number);
  return hb_fail_in(status, context);
}

static const char *word_of(const cJSON *line, const char *name)
{
  const char *word = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(line, name));
  return word ? word : "";
}

/* Times and coefficients are >= 0, an exponent may be any number. */
static enum hb_status read_constant(const cJSON *line, size_t k, struct hb_machine *machine)
{
  const char *name = constants[k].name;
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(line, name);
  char text[64];
  if (!item) return hb_fail(HB_ERR_INPUT, "the fit has no %s", name);
  if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble) || item->valuedouble < 0)
    return hb_fail(HB_ERR_INPUT, "%s is '%s', expected a number%s", name, hb_json_text_of(item, text),
                   strstr(name, "exponent") ? "" : " >= 0");
  *double_at(machine, constants[k].offset) = item->valuedouble;
  return HB_OK;
}

struct fits {
  struct hb_machine *machines;
  size_t count, capacity;
};

static enum hb_status take_fit(const cJSON *line, void *into)
{
  struct fits *fits = into;
  if (strcmp(word_of(line, "record"), "fit") != 0) return HB_OK;
  HB_TRY(HB_GROW(fits->count, &fits->capacity, &fits->machines));
  struct hb_machine *machine = &fits->machines[fits->count];
  for (size_t k = 0; k < CONSTANTS; k++) HB_TRY(read_constant(line, k, machine));
  const cJSON *sends_all = cJSON_GetObjectItemCaseSensitive(line, "sends_all");
  if (!sends_all) return hb_fail(HB_ERR_INPUT, "the fit has no sends_all");
  machine->sends_all = cJSON_IsTrue(sends_all);
  snprintf(machine->name, sizeof machine->name, "%s %s %s %s", word_of(line, "scheme"),
           word_of(line, "precision"), word_of(line, "mode"), word_of(line, "step_rounding"));
  fits->count++;
  return HB_OK;
}

/* A machine for each line of a fit that `model fit` has written, called "SCHEME PRECISION MODE ROUNDING"; other lines are skipped.
 * *machines is freed with hb_mem_free. Errors: HB_ERR_IO, HB_ERR_INPUT with file, line and reason. */
static enum hb_status read_fits(const char *path, struct hb_machine **machines, size_t *count)
{
  struct fits fits = {0};
  enum hb_status status = each_line(path, take_fit, &fits);
  if (status == HB_OK && fits.count == 0)
    status = hb_fail(HB_ERR_INPUT, "%s has no fit of 'holmberg model fit'", path);
  if (status != HB_OK) {
    hb_mem_free(fits.machines);
    fits = (struct fits){0};
  }
  *machines = fits.machines;
  *count = fits.count;
  return status;
}

static double seconds_of(const cJSON *line, const char *name)
{
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(line, name);
  return cJSON_IsNumber(item) ? item->valuedouble : NAN;
}

static enum hb_status take_network(const cJSON *line, void *into)
{
  if (strcmp(word_of(line, "record"), "network") != 0) return HB_OK;
  struct hb_network found = {(int)seconds_of(line, "ranks"), seconds_of(line, "t_message"),
                             seconds_of(line, "t_byte")};
  if (!(found.t_message >= 0 && found.t_byte >= 0 && found.ranks > 1))
    return hb_fail(HB_ERR_INPUT, "a network needs ranks > 1, t_message and t_byte, of at least 0 seconds");
  *(struct hb_network *)into = found;
  return HB_OK;
}

/* The last line of 'bench messages --json'. Errors: HB_ERR_IO, HB_ERR_INPUT (there is none). */
static enum hb_status read_network(const char *path, struct hb_network *network)
{
  *network = (struct hb_network){0};
  HB_TRY(each_line(path, take_network, network));
  return network->ranks ? HB_OK
                        : hb_fail(HB_ERR_INPUT, "%s: no network of 'holmberg bench messages --json'", path);
}

/* ---- predict ---- */

struct predict_settings {
  struct hb_counts n;
  struct hb_list machines;
  struct hb_counts ranks;
  const char *network_file;
  int json;
  struct hb_network network; /* of the file */
};

#define FIELD(member) HB_SETTING_FIELD(struct predict_settings, member)
static const struct hb_setting predict_options[] = {
    {"n", 'n', HB_SETTING_COUNTS, FIELD(n), "LIST", "256,1024,4096,16384,65536,262144,1048576", .least = 2,
     .help = "numbers of particles, separated by commas"},
    {"machine", 0, HB_SETTING_WORDS, FIELD(machines), "LIST", "GRAPE-6Af,8800GTX,FX1400,Xeon",
     .words = {.what = "machine"}, .help = "machines of the paper, and files written by 'model fit -o'"},
    {"ranks", 0, HB_SETTING_COUNTS, FIELD(ranks), "LIST", .least = 1,
     .help = "so many ranks of such machines, which needs --network; the speed-up is over one"},
    {"network", 0, HB_SETTING_TEXT, FIELD(network_file), "FILE",
     .help = "what messages cost: written by 'mpirun -n 2 holmberg bench messages --json'"},
    {0}};
#undef FIELD

static const char *machine_name(size_t k) { return k < HB_MACHINES ? hb_machines[k].name : NULL; }

struct prediction {
  const char *record;
  struct hb_machine machine;
  size_t n;
  struct hb_model_time time;
  /* by several ranks */
  int ranks;
  double speedup, efficiency;
  const char *most; /* the largest term of t_step */
};

#define AT(place) .offset = offsetof(struct prediction, place)
static const struct hb_table_column predict_columns[] = {
    {"record", HB_TABLE_TEXT, AT(record)},
    {"machine", HB_TABLE_CHARS, AT(machine.name)},
    {"n", HB_TABLE_SIZE, AT(n), "%9llu", "#n"},
    {"n_block", HB_TABLE_REAL, AT(time.n_block), "%9.4g"},
    {"n_steps", HB_TABLE_REAL, AT(time.n_steps), "%9.4g"},
    {"t_start", HB_TABLE_REAL, AT(machine.t_start)},
    {"t_host", HB_TABLE_REAL, AT(time.t_host), "%9.3g"},
    {"t_comm", HB_TABLE_REAL, AT(time.t_comm), "%9.3g"},
    {"t_force", HB_TABLE_REAL, AT(time.t_force), "%9.3g"},
    {"t_step", HB_TABLE_REAL, AT(time.t_step), "%9.3g"},
    {"t_unit", HB_TABLE_REAL, AT(time.t_unit), "%9.4g"},
    {NULL, HB_TABLE_CHARS, AT(machine.name), " %s", "machine"},
};
static const struct hb_table_column columns_by_ranks[] = {
    {"record", HB_TABLE_TEXT, AT(record)},
    {"machine", HB_TABLE_CHARS, AT(machine.name)},
    {"n", HB_TABLE_SIZE, AT(n), "%9llu", "#n"},
    {"ranks", HB_TABLE_INT, AT(ranks), "%5d"},
    {"n_block", HB_TABLE_REAL, AT(time.n_block), "%9.4g"},
    {"n_steps", HB_TABLE_REAL, AT(time.n_steps)},
    {"t_start", HB_TABLE_REAL, AT(machine.t_start), "%9.3g"},
    {"t_host", HB_TABLE_REAL, AT(time.t_host), "%9.3g"},
    {"t_comm", HB_TABLE_REAL, AT(time.t_comm), "%9.3g"},
    {"t_force", HB_TABLE_REAL, AT(time.t_force), "%9.3g"},
    {"t_sum", HB_TABLE_REAL, AT(time.t_sum), "%9.3g"},
    {"t_step", HB_TABLE_REAL, AT(time.t_step), "%9.3g"},
    {"t_unit", HB_TABLE_REAL, AT(time.t_unit), "%9.4g"},
    {"speedup", HB_TABLE_REAL, AT(speedup), "%7.3g"},
    {"efficiency", HB_TABLE_REAL, AT(efficiency), "%10.2f"},
    {"most", HB_TABLE_TEXT, AT(most), " %-7s", " most   "},
    {NULL, HB_TABLE_CHARS, AT(machine.name), " %s", "machine"},
};
#undef AT

static const char *largest_term(const struct hb_machine *machine, const struct hb_model_time *time)
{
  const struct {
    const char *name;
    double seconds;
  } terms[] = {{"t_force", time->t_force},
               {"t_host", time->t_host},
               {"t_comm", time->t_comm},
               {"t_sum", time->t_sum},
               {"t_start", machine->t_start}};
  size_t most = 0;
  for (size_t k = 1; k < sizeof terms / sizeof *terms; k++)
    if (terms[k].seconds > terms[most].seconds) most = k;
  return terms[most].name;
}

/* One n, by each number of ranks. */
static void predict_n(const struct predict_settings *p, const struct hb_machine *machine, size_t n,
                      struct hb_table *table)
{
  struct prediction row = {.record = "prediction", .machine = *machine, .n = n};
  struct hb_model_time alone;
  if (table->rows == 0 && table->form == HB_TABLE_TEXT_FORM)
    printf("# seconds by the model of [PZ07] eqs 10 to 17%s\n",
           p->ranks.count ? ", with sources shared out among ranks"
                          : ": per block step, and t_unit per N-body time unit");
  if (!p->ranks.count) {
    hb_model_predict(machine, NULL, 1, (double)n, &row.time);
    hb_table_put(table, &row);
  }
  hb_model_predict(machine, &p->network, 1, (double)n, &alone);
  for (size_t k = 0; k < p->ranks.count; k++) {
    row.ranks = (int)p->ranks.n[k];
    hb_model_predict(machine, &p->network, row.ranks, (double)n, &row.time);
    row.speedup = alone.t_step / row.time.t_step;
    row.efficiency = row.speedup / row.ranks;
    row.most = largest_term(machine, &row.time);
    hb_table_put(table, &row);
  }
}

static void predict_machines(const struct predict_settings *p, const struct hb_machine *machines,
                             size_t count, struct hb_table *table)
{
  for (size_t m = 0; m < count; m++)
    for (size_t k = 0; k < p->n.count; k++) predict_n(p, &machines[m], p->n.n[k], table);
}

/* A machine of the paper, or a file of fits. */
static enum hb_status predict_word(const struct predict_settings *p, const char *word, struct hb_table *table)
{
  size_t count;
  for (size_t k = 0; k < HB_MACHINES; k++)
    if (strcmp(hb_machines[k].name, word) == 0) return predict_machines(p, &hb_machines[k], 1, table), HB_OK;
  if (!strpbrk(word, "./") && access(word, F_OK) != 0)
    return hb_words_unknown((struct hb_words){.at = machine_name, .what = "machine"}, word);
  struct hb_machine *fits;
  HB_TRY(read_fits(word, &fits, &count));
  predict_machines(p, fits, count, table);
  hb_mem_free(fits);
  return HB_OK;
}

static enum hb_status work_predict(const struct hb_opts *opts)
{
  struct predict_settings *p = opts->settings;
  if (p->ranks.count && !p->network_file) return hb_fail(HB_ERR_USAGE, "option --ranks needs --network FILE");
  if (p->network_file && !p->ranks.count) return hb_fail(HB_ERR_USAGE, "option --network needs --ranks LIST");
  if (p->network_file) HB_TRY(read_network(p->network_file, &p->network));
  struct hb_table table = {HB_TABLE_COLUMNS(predict_columns),
                           p->json ? HB_TABLE_JSON_FORM : HB_TABLE_TEXT_FORM, stdout, 0};
  const struct hb_table by_ranks = {HB_TABLE_COLUMNS(columns_by_ranks), table.form, stdout, 0};
  if (p->ranks.count) table = by_ranks;
  for (size_t k = 0; k < p->machines.count; k++) HB_TRY(predict_word(p, p->machines.words[k], &table));
  return hb_terminal_flush();
}

static void predict_help(const struct hb_help *help)
{
  help->text(
      "\nThe paper's four machines use its constants. With --json, \"record\": \"prediction\" has machine, "
      "n,\n"
      "n_block (eq. 14), n_steps (block steps per time unit, eq. 17), and seconds: t_start, t_host, t_comm,\n"
      "t_force and their sum t_step (eq. 10) per block step, t_unit (eq. 16) per time unit. With --ranks\n"
      "also ranks, t_sum (adding up the block's forces over all ranks, part of t_step), speedup and\n"
      "efficiency over one rank, and most: the largest of these terms, which would have to be faster.\n",
      help->out);
}

const struct hb_opts_command hb_cmd_model_predict = {
    .name = "model predict",
    .summary = "Predict run times by the paper's model, for its machines and for fitted ones.",
    .groups = {{.options = predict_options},
               {.options = hb_opts_json, .at = offsetof(struct predict_settings, json)}},
    .settings_size = sizeof(struct predict_settings),
    .more_help = predict_help,
    .example =
        "  holmberg model predict --n 1e6 --machine 8800GTX,Xeon\n"
        "  holmberg model predict --machine fit.jsonl --json    # after holmberg model fit -o fit.jsonl\n"
        "  mpirun -n 2 holmberg bench messages --json >net.jsonl\n"
        "  holmberg model predict --n 65536 --machine fit.jsonl --ranks 1,4,16,64 --network net.jsonl\n",
    .work = work_predict,
};

/* ---- fit ---- */

struct fit_settings {
  struct run_params run; /* of each job, except scheme, precision, mode, n and seed */
  struct jobs jobs;
  struct hb_list roundings;
  int seeds, json;
  const char *output;
};

#define FIELD(member) HB_SETTING_FIELD(struct fit_settings, member)
static const struct hb_setting fit_options[] = {
    {"n", 'n', HB_SETTING_COUNTS, FIELD(jobs.n), "LIST", "256,512,1024,2048,4096", .least = 2,
     .help = "numbers of particles, at least three, ascending, separated by commas"},
    {"seeds", 0, HB_SETTING_COUNT, FIELD(seeds), "K", "3", .most = REPEATS_MOST,
     .help = "Plummer spheres for each n, with seeds 1 to K"},
    {"step-rounding", 0, HB_SETTING_WORDS, FIELD(roundings), "LIST", "down",
     .words = {.array = hb_rounding_names, .what = "rounding"},
     .help = "how steps are rounded to powers of two, with a fit for each: down, nearest, up"},
    {"output", 'o', HB_SETTING_TEXT, FIELD(output), "FILE",
     .help = "write the lines of --json to FILE, for 'model predict' (default: none)"},
    {"json", 0, HB_SETTING_FLAG, FIELD(json), .help = "print lines of JSON instead of tables, see below"},
    {0}};
#undef FIELD

/* The state of the loops below. */
struct fitting {
  const struct fit_settings *settings;
  FILE *lines;             /* of -o; NULL: not wanted */
  struct row row;          /* of the current fit      */
  double began, done, all; /* of its runs, in N^2.16  */
};

/* ---- one fit ---- */

/* The work of a run: N^0.35 block steps of N^0.81 by N pairs. */
static double work_of(size_t n) { return pow((double)n, 2.16); }

static enum hb_status measured(const struct run_params *job, const struct run_result *result, void *context)
{
  struct fitting *f = context;
  struct row *r = &f->row;
  struct run_row row = run_row(job, result, r->mode, r->rounding);
  struct hb_table kept = run_table(HB_TABLE_JSON_FORM, f->lines);
  struct hb_table shown = run_table(HB_TABLE_JSON_FORM, stdout);
  row.record = "run";
  r->last = *result;
  f->done += work_of(job->n);
  if (f->lines) hb_table_put(&kept, &row);
  if (f->settings->json) {
    hb_table_put(&shown, &row);
    return hb_terminal_flush();
  }
  if (hb_terminal_is_live()) hb_terminal_progress(f->done / f->all, hb_clock_now() - f->began);
  return HB_OK;
}

static enum hb_status fit_one(struct fitting *f, const struct run_params *run)
{
  struct model_size sizes[HB_LIST_WORDS];
  const struct fit_params params = {.run = *run,
                                    .n = f->settings->jobs.n.n,
                                    .n_count = f->settings->jobs.n.count,
                                    .seeds = f->settings->seeds,
                                    .measured = measured,
                                    .context = f};
  f->began = hb_clock_now();
  f->done = f->all = 0;
  for (size_t k = 0; k < params.n_count; k++) f->all += params.seeds * work_of(params.n[k]);
  struct run_params largest = *run;
  largest.n = params.n[params.n_count - 1];
  announce_runs(&largest, params.seeds);
  f->row.params = params;
  f->row.n_least = params.n[0];
  f->row.n_most = largest.n;
  HB_TRY(model_fit(&params, sizes, &f->row.fit));
  if (f->lines) write_fit(f->row, sizes, f->lines);
  if (f->settings->json) write_fit(f->row, sizes, stdout);
  hb_terminal_clear_progress();
  if (!f->settings->json) show_fit(&f->row, sizes);
  return hb_terminal_flush();
}

/* ---- all of them ---- */

static enum hb_status fit_roundings(void *context, const struct hb_force_scheme *scheme,
                                    const char *precision, const struct mode *mode)
{
  struct fitting *f = context;
  struct run_params run = params_of_job(&f->settings->run, scheme, precision, mode);
  const struct hb_list *roundings = &f->settings->roundings;
  for (size_t k = 0; k < roundings->count; k++) {
    f->row = (struct row){
        .scheme = scheme->name, .precision = precision, .mode = mode->name, .rounding = roundings->words[k]};
    const struct hb_words names = {.array = hb_rounding_names};
    run.sim.rounding = (enum hb_rounding)hb_words_find(names, f->row.rounding);
    HB_TRY(fit_one(f, &run));
  }
  return HB_OK;
}

static enum hb_status work_fit(const struct hb_opts *opts)
{
  struct fit_settings *s = opts->settings;
  struct fitting f = {.settings = s};
  const char *path = s->output;
  char *bytes = NULL;
  size_t count = 0;
  s->run.sim.dt_max = 0.125;
  s->run.sim.dt_min = 0x1p-26;
  s->run.sim.force.flags |= HB_FORCE_PHASES;
  if (path) HB_TRY(hb_target_check(path, "text"));
  HB_TRY(take_default_scheme(&s->run.sim.force, &s->jobs));
  if (path && !(f.lines = open_memstream(&bytes, &count)))
    return hb_fail(HB_ERR_INTERNAL, "no memory for the lines of %s: %s", path, strerror(errno));
  enum hb_status status = each_job(&s->jobs, fit_roundings, &f);
  if (f.lines && fclose(f.lines) != 0 && status == HB_OK)
    status = hb_fail(HB_ERR_INTERNAL, "no memory for the lines of %s", path);
  if (f.lines && status == HB_OK) status = hb_file_replace(path, bytes, count);
  free(bytes);
  return status;
}

static void fit_help(const struct hb_help *help)
{
  list_modes(help);
  fit_lines_help(help);
}

const struct hb_opts_command hb_cmd_model_fit = {
    .name = "model fit",
    .summary = "Measure the constants of the paper's Table 3 and eqs 14 and 17 on this machine.",
    .groups = {{.options = fit_options},
               {.options = jobs_options, .at = offsetof(struct fit_settings, jobs)},
               {.options = hb_sim_settings_accuracy, .at = offsetof(struct fit_settings, run.sim)},
               {.options = job_options, .at = offsetof(struct fit_settings, run)},
               {.options = hb_opts_place, .at = offsetof(struct fit_settings, run.sim.force)}},
    .settings_size = sizeof(struct fit_settings),
    .more_help = fit_help,
    .has_no_units = 1,
    .example =
        "  holmberg model fit --scheme host,bag -o fit.jsonl\n"
        "  holmberg model fit --scheme host-simd --precision ds --step-rounding down,nearest,up --json\n",
    .work = work_fit,
};

/* ---- model ---- */

static const char *const parts[] = {"fit", "predict", NULL};
static const struct hb_words part_words = {.array = parts, .what = "part of 'model'"};

static enum hb_status choose_part(const struct hb_opts *opts)
{
  const char *part = opts->operands[0];
  if (hb_words_find(part_words, part) < 0) return hb_words_unknown(part_words, part);
  return hb_fail(HB_ERR_USAGE, "'%s' has options of its own and must directly follow 'model'", part);
}

static void list_parts(const struct hb_help *help)
{
  help->heading("parts, each with a --help of its own", help->out);
  help->entry("fit", hb_cmd_model_fit.summary, help->out);
  help->entry("predict", hb_cmd_model_predict.summary, help->out);
}

const struct hb_opts_command hb_cmd_model = {
    .name = "model",
    .summary = "Fit the paper's model of the run time to this machine, or predict run times by it.",
    .operand = "PART",
    .operand_words.array = parts,
    .operand_min = 1,
    .operand_max = 1,
    .more_help = list_parts,
    .example = "  holmberg model fit -o fit.jsonl && holmberg model predict --machine fit.jsonl,8800GTX\n",
    .work = choose_part,
};

#include "measure/jobs.h"

#include "console/terminal.h"

#include <string.h>

/* ---- modes ---- */

static const struct hb_jobs_mode modes[] = {
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

void hb_jobs_list_modes(const struct hb_help *help)
{
  help->heading("modes (what is sent / where particles are predicted / where they are corrected)", help->out);
  for (int k = 0; k < MODES; k++) help->entry(modes[k].name, modes[k].help, help->out);
}

/* ---- words ---- */

const char *hb_jobs_scheme(size_t k)
{
  size_t count;
  const struct hb_force_scheme *schemes = hb_force_schemes(&count);
  return k < count ? schemes[k].name : NULL;
}

#define FIELD(member) HB_SETTING_FIELD(struct hb_jobs, member)
const struct hb_setting hb_jobs_options[] = {
    {"scheme", 0, HB_SETTING_WORDS, FIELD(schemes), "LIST", .words = {.at = hb_jobs_scheme, .what = "scheme"},
     .help = "schemes of forces (default: the default of 'holmberg run' here)"},
    {"precision", 0, HB_SETTING_WORDS, FIELD(precisions), "LIST",
     .words = {.array = hb_precision_names, .what = "precision"},
     .help = "precisions (default: the first that a scheme offers)"},
    {"mode", 0, HB_SETTING_WORDS, FIELD(modes), "LIST", .words = {.at = mode_name, .what = "mode"},
     .help = "modes, see below (default: those of the paper's Fig. 5 that a scheme offers)"},
    {0}};

enum hb_status hb_jobs_take_default(const struct hb_force_params *place, struct hb_jobs *jobs)
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

struct hb_bench_run_params hb_jobs_params(const struct hb_bench_run_params *run,
                                          const struct hb_force_scheme *scheme, const char *precision,
                                          const struct hb_jobs_mode *mode)
{
  struct hb_bench_run_params params = *run;
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

/* From t = 0 in steps of dt_max; a Plummer sphere needs many more block steps. */
void hb_jobs_announce(const struct hb_bench_run_params *run, int runs)
{
  double n = (double)run->n, steps = runs * (double)run->repeat * run->t_end / run->sim.dt_max;
  hb_terminal_announce("at least", hb_terminal_least_seconds(steps, n * n), "");
}

/* ---- all jobs ---- */

struct loop {
  const struct hb_jobs *jobs;
  hb_jobs_visit *visit;
  void *context;
  size_t visited;
};

static void skip(const char *scheme, const char *what, const char *word)
{
  char line[256];
  snprintf(line, sizeof line, "scheme %s has no %s %s: skipped", scheme, what, word);
  hb_terminal_note(line);
}

static enum hb_status visit_mode(struct loop *w, const struct hb_force_scheme *scheme,
                                 const struct hb_jobs_mode *mode)
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
  const struct hb_jobs *jobs = w->jobs;
  struct hb_list offered;
  HB_TRY(hb_list_split(scheme->precisions, " ", &offered));
  for (size_t k = 0; k < jobs->precisions.count; k++)
    if (!hb_list_has(&offered, jobs->precisions.words[k]))
      skip(scheme->name, "precision", jobs->precisions.words[k]);
  HB_TRY(hb_list_split(scheme->modes, " ", &offered));
  for (int k = 0; k < MODES; k++) {
    int is_offered = hb_list_has(&offered, modes[k].name),
        is_named = hb_list_has(&jobs->modes, modes[k].name);
    if (is_named && !is_offered) skip(scheme->name, "mode", modes[k].name);
    if (is_offered && (jobs->modes.count ? is_named : modes[k].by_default))
      HB_TRY(visit_mode(w, scheme, &modes[k]));
  }
  return HB_OK;
}

enum hb_status hb_jobs_each(const struct hb_jobs *jobs, hb_jobs_visit *visit, void *context)
{
  struct loop walk = {jobs, visit, context, 0};
  for (size_t k = 0; k < jobs->schemes.count; k++)
    HB_TRY(visit_scheme(&walk, hb_force_scheme_find(jobs->schemes.words[k])));
  return walk.visited ? HB_OK : hb_fail(HB_ERR_USAGE, "none of these schemes has such a precision and mode");
}

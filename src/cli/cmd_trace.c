/* holmberg trace: a walk of a few particles on paper, every texture of every pass. */
#include "base/mem.h"
#include "cli/cmd.h"
#include "console/list.h"
#include "console/models.h"
#include "console/terminal.h"
#include "inspect/trace.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum {
  TRACE_N,
  TRACE_SCHEME,
  TRACE_EPS,
  TRACE_OUTPUT,
  TRACE_CONTEXT,
  TRACE_DEVICE,
  TRACE_QUIET,
  TRACE_COUNT
};

static const struct hb_opts_option options[TRACE_COUNT] = {
    [TRACE_N] = {"n", 'n', HB_OPTS_COUNT, HB_OPTS_SHAPES_RESULT, "N", NULL, NULL,
                 "the first N particles (default: 37 of holmberg1941, one nebula; else all)"},
    [TRACE_SCHEME] = {"scheme", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "LIST", NULL, NULL,
                      "cg2007, matrix2004, bag, tile (default: all that the device can do)"},
    [TRACE_EPS] = {"eps", 0, HB_OPTS_NOT_NEGATIVE, HB_OPTS_SHAPES_RESULT, "EPS", "2^-8", NULL, "softening"},
    [TRACE_OUTPUT] = {"output", 'o', HB_OPTS_TEXT, HB_OPTS_SHOWS_RESULT, "DIR", "trace", NULL,
                      "folder for the pictures, made where there is none"},
    [TRACE_CONTEXT] = {"context", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "C", NULL, NULL,
                       "egl, osmesa, glfw or auto"},
    [TRACE_DEVICE] = {"device", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "D", NULL, NULL,
                      "INDEX, /dev/dri/... or software"},
    [TRACE_QUIET] = {"quiet", 0, HB_OPTS_FLAG, HB_OPTS_SHOWS_RESULT, NULL, NULL, NULL,
                     "do not say what was written"},
};

static const char *const all_schemes = "cg2007,matrix2004,bag,tile";
static const char *const default_model = "holmberg1941";
enum { LAMPS = 37, BAGS = 5 };

/* ---- particles ---- */

/* What is left of a model is seen from its own centre of mass. */
static void centre(struct hb_particles *particles, size_t n)
{
  const double *m = hb_particles_m(particles);
  double *const both[] = {hb_particles_x(particles), hb_particles_v(particles)};
  for (int k = 0; k < 2; k++) {
    double mean[3] = {0}, mass = 0;
    for (size_t i = 0; i < n; i++) {
      mass += m[i];
      for (size_t c = 0; c < 3; c++) mean[c] += m[i] * both[k][3 * i + c];
    }
    for (size_t i = 0; mass > 0 && i < 3 * n; i++) both[k][i] -= mean[i % 3] / mass;
  }
}

static enum hb_status get_particles(const struct hb_opts *opts, struct hb_particles **particles, size_t *n)
{
  const char *name = opts->operand_count ? opts->operands[0] : default_model;
  HB_TRY(hb_models_check(name));
  const struct hb_ic_model *model = hb_models_find(name);
  const struct hb_opts_value *wanted = &opts->values[TRACE_N];
  *n = wanted->given ? (size_t)wanted->count : opts->operand_count ? 0 : LAMPS;
  if (model) {
    struct hb_ic_params params = {.n = model->n_min < model->n_max ? *n : 0};
    HB_TRY(hb_ic_make(name, &params, particles));
  } else {
    HB_TRY(hb_snapshot_read(name, NULL, particles));
  }
  size_t all = hb_particles_n(*particles);
  if (*n > all)
    return hb_fail(HB_ERR_USAGE, "%s has %zu particles, but -n %zu were to be traced", name, all, *n);
  if (model && *n > 0 && *n < all) centre(*particles, *n);
  if (*n == 0) *n = all;
  if (*n < 2 || *n > HB_TRACE_MOST)
    return hb_fail(HB_ERR_USAGE, "%zu particles were to be traced, expected 2 to %d (-n)", *n, HB_TRACE_MOST);
  return HB_OK;
}

/* ---- a walk ---- */

/* Walks whose passes can be followed: bag in five of them, and no draw cut for the sake of time. */
static enum hb_status open_force(const struct hb_opts *opts, const char *scheme, size_t n,
                                 struct hb_force **force)
{
  char tuning[128] = "";
  size_t bag = ((n + BAGS - 1) / BAGS + 3) / 4 * 4;
  if (hb_force_scheme_find(scheme)->has_tuning && !hb_force_scheme_find(scheme)->is_compute)
    snprintf(tuning, sizeof tuning,
             "i_each=4 partial=4 unroll=4 threads=1 bag=%zu output=targets j_source=buffer_texture", bag);
  const struct hb_force_params params = {.scheme = scheme,
                                         .precision = "single",
                                         .context = opts->values[TRACE_CONTEXT].text,
                                         .device = opts->values[TRACE_DEVICE].text,
                                         .tuning = *tuning ? tuning : NULL,
                                         .max_draw_s = 10,
                                         .eps = opts->values[TRACE_EPS].number,
                                         .flags = HB_FORCE_NO_TUNE};
  return hb_force_open(&params, force);
}

static enum hb_status walk(struct hb_force *force, struct hb_particles *particles, size_t n,
                           struct hb_trace *trace)
{
  double *f;
  uint32_t *index;
  HB_TRY(HB_ALLOC(7 * n, &f));
  enum hb_status status = HB_ALLOC(n, &index);
  for (size_t k = 0; status == HB_OK && k < n; k++) index[k] = (uint32_t)k;
  if (status == HB_OK)
    status = hb_force_set_j(force, n, hb_particles_m(particles), hb_particles_x(particles),
                            hb_particles_v(particles));
  if (status == HB_OK) {
    hb_trace_begin(trace);
    status = hb_force_eval(force, n, index, f, f + 3 * n, f + 6 * n);
    enum hb_status traced = hb_trace_end(trace);
    if (status == HB_OK) status = traced;
  }
  hb_mem_free(f);
  hb_mem_free(index);
  return status;
}

static enum hb_status trace_scheme(const struct hb_opts *opts, const char *scheme,
                                   struct hb_particles *particles, size_t n)
{
  struct hb_force *force = NULL;
  struct hb_trace trace = {0};
  const char *folder = opts->values[TRACE_OUTPUT].text;
  int files = 0;
  enum hb_status status = open_force(opts, scheme, n, &force);
  if (status == HB_ERR_GL && !opts->values[TRACE_SCHEME].given && hb_force_scheme_find(scheme)->is_compute) {
    char note[256];
    snprintf(note, sizeof note, "tile is left out: %s", hb_error());
    hb_terminal_note(note);
    return HB_OK;
  }
  if (status == HB_OK) status = walk(force, particles, n, &trace);
  if (status == HB_OK) status = hb_trace_write(&trace, folder, &files);
  if (status == HB_OK && !opts->values[TRACE_QUIET].given) {
    const struct hb_trace_cost *c = &trace.cost;
    double pairs = (double)c->pairs;
    printf("wrote %s/%s.png and %d pictures of its passes: %llu draw%s, %.4g bytes read and %.4g written a "
           "pair\n",
           folder, scheme, files - 1, (unsigned long long)c->draws, c->draws == 1 ? "" : "s",
           (double)c->bytes_read / pairs, (double)c->bytes_written / pairs);
  }
  hb_trace_free(&trace);
  hb_force_close(force);
  return status;
}

static enum hb_status make_folder(const char *folder)
{
  struct stat info;
  if (mkdir(folder, 0777) == 0 || (errno == EEXIST && stat(folder, &info) == 0 && S_ISDIR(info.st_mode)))
    return HB_OK;
  return hb_fail(HB_ERR_IO, "cannot make folder %s: %s", folder, strerror(errno));
}

static enum hb_status check_schemes(const struct hb_list *schemes)
{
  struct hb_list known;
  HB_TRY(hb_list_split(all_schemes, ",", &known));
  for (size_t k = 0; k < schemes->count; k++)
    if (!hb_list_has(&known, schemes->words[k]))
      return hb_fail(HB_ERR_USAGE, "scheme %s draws nothing that can be traced (expected %s)",
                     schemes->words[k], all_schemes);
  return HB_OK;
}

static enum hb_status trace(const struct hb_opts *opts)
{
  const struct hb_opts_value *wanted = &opts->values[TRACE_SCHEME];
  struct hb_list schemes;
  struct hb_particles *particles = NULL;
  size_t n;
  HB_TRY(hb_list_split(wanted->given ? wanted->text : all_schemes, ",", &schemes));
  HB_TRY(check_schemes(&schemes));
  enum hb_status status = get_particles(opts, &particles, &n);
  if (status == HB_OK) status = make_folder(opts->values[TRACE_OUTPUT].text);
  for (size_t k = 0; status == HB_OK && k < schemes.count; k++)
    status = trace_scheme(opts, schemes.words[k], particles, n);
  hb_particles_destroy(particles);
  return status == HB_OK ? hb_terminal_flush() : status;
}

const struct hb_opts_command hb_cmd_trace = {
    .name = "trace",
    .summary = "Draw every texture of every pass of a small walk: how the kernels work.",
    .operand = "[MODEL|FILE]",
    .operand_min = 0,
    .operand_max = 1,
    .options = options,
    .option_count = TRACE_COUNT,
    .example = "  holmberg trace -n 37 -o pictures\n"
               "  holmberg trace plummer -n 64 --scheme matrix2004\n",
    .work = trace,
};

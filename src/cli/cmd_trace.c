/* holmberg trace: the forces of a few particles on paper, pass by pass. */
#include "cli/cmd.h"

#include "base/text.h"
#include "console/target.h"
#include "console/terminal.h"
#include "inspect/inspector.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct settings {
  size_t n;
  struct hb_list schemes;
  struct hb_force_params force;
  const char *output;
  int quiet, passes, slides;
};

/* Moves the first n particles into the frame of their center of mass. */
static void trace_center(struct hb_particles *particles, size_t n)
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

#define FIELD(member) HB_SETTING_FIELD(struct settings, member)
static const struct hb_setting options[] = {
    {"n", 'n', HB_SETTING_COUNT, FIELD(n), "N",
     .help = "use only the first N particles (default: 37 of holmberg1941, one nebula; else all)"},
    {"scheme", 0, HB_SETTING_WORDS, FIELD(schemes), "LIST",
     .help = "cg2007, matrix2004, bag, tile (default: all that the device supports)"},
    {"eps", 0, HB_SETTING_NOT_NEGATIVE, FIELD(force.eps), "EPS", "2^-8", .help = "softening"},
    {"output", 'o', HB_SETTING_TEXT, FIELD(output), "DIR", "trace",
     .help = "folder for the pictures, created if missing"},
    {"passes", 0, HB_SETTING_FLAG, FIELD(passes),
     .help = "each texture of each pass as a picture of its own, too"},
    {"slides", 0, HB_SETTING_FLAG, FIELD(slides),
     .help = "passes as slides of 1920 x 1080, too; of more than twelve the first three and the last"},
    {0}};

static const char *const all_schemes = "cg2007 matrix2004 bag tile";
static const char *const default_model = "holmberg1941";
enum { LAMPS = 37 };

/* ---- particles ---- */

static enum hb_status get_particles(const struct hb_opts *opts, struct hb_particles **particles, size_t *n)
{
  const char *name = opts->operand_count ? opts->operands[0] : default_model;
  HB_TRY(hb_models_check(name));
  const struct hb_ic_model *model = hb_models_find(name);
  const struct settings *s = opts->settings;
  *n = s->n || opts->operand_count ? s->n : LAMPS;
  if (model) {
    struct hb_ic_params params = {.n = model->n_min < model->n_max ? *n : 0};
    HB_TRY(hb_ic_make(name, &params, particles));
  } else {
    HB_TRY(hb_snapshot_read(name, NULL, particles));
  }
  size_t all = hb_particles_n(*particles);
  if (*n > all)
    return hb_fail(HB_ERR_USAGE, "%s has only %zu particle%s, but got -n %zu", name, all, hb_text_s(all), *n);
  if (model && *n > 0 && *n < all) trace_center(*particles, *n);
  if (*n == 0) *n = all;
  if (*n < 2 || *n > HB_TRACE_MOST)
    return hb_fail(HB_ERR_USAGE, "cannot trace %zu particle%s (expected 2 to %d, see -n)", *n, hb_text_s(*n),
                   HB_TRACE_MOST);
  return HB_OK;
}

static void report(const struct settings *s, const char *scheme, const struct hb_trace_cost *c, int files)
{
  double pairs = (double)c->pairs;
  char passes[64] = "";
  if (files)
    snprintf(passes, sizeof passes, " and %d picture%s of its passes", files, hb_text_s((uint64_t)files));
  hb_terminal_say("wrote %s/%s.svg%s: %llu draw%s, %.4g bytes read and %.4g written per pair", s->output,
                  scheme, passes, (unsigned long long)c->draws, hb_text_s(c->draws),
                  (double)c->bytes_read / pairs, (double)c->bytes_written / pairs);
}

static enum hb_status trace_scheme(const struct settings *s, int is_named, const char *scheme,
                                   struct hb_particles *particles, size_t n)
{
  const struct hb_trace_job job = {&s->force, scheme, n, particles, s->output, s->passes, s->slides};
  struct hb_trace_cost cost;
  int files;
  enum hb_status status = hb_trace_write(&job, &cost, &files);
  if (status == HB_ERR_GL && !is_named && hb_force_scheme_find(scheme)->is_compute) {
    char note[256];
    snprintf(note, sizeof note, "tile is left out: %s", hb_error());
    hb_terminal_note(note);
    return HB_OK;
  }
  if (status == HB_OK && !s->quiet) report(s, scheme, &cost, files);
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
  for (size_t k = 0; k < schemes->count; k++)
    if (!hb_text_is_listed(schemes->words[k], all_schemes))
      return hb_fail(HB_ERR_USAGE, "scheme %s cannot be traced (expected cg2007, matrix2004, bag or tile)",
                     schemes->words[k]);
  return HB_OK;
}

static enum hb_status trace(const struct hb_opts *opts)
{
  struct settings *s = opts->settings;
  struct hb_particles *particles = NULL;
  int is_named = s->schemes.count > 0;
  size_t n;
  if (!is_named) HB_TRY(hb_list_split(all_schemes, " ", &s->schemes));
  HB_TRY(check_schemes(&s->schemes));
  enum hb_status status = get_particles(opts, &particles, &n);
  if (status == HB_OK) status = make_folder(s->output);
  for (size_t k = 0; status == HB_OK && k < s->schemes.count; k++)
    status = trace_scheme(s, is_named, s->schemes.words[k], particles, n);
  hb_particles_destroy(particles);
  return status == HB_OK ? hb_terminal_flush() : status;
}

const struct hb_opts_command hb_cmd_trace = {
    .name = "trace",
    .summary = "Draw what every pass over a few particles reads and writes: how the kernels work.",
    .operand = "[MODEL|FILE]",
    .operand_min = 0,
    .operand_max = 1,
    .groups = {{.options = options},
               {.options = hb_opts_place, .at = offsetof(struct settings, force)},
               {.options = hb_opts_quiet, .at = offsetof(struct settings, quiet)}},
    .settings_size = sizeof(struct settings),
    .example = "  holmberg trace -n 37 -o pictures\n"
               "  holmberg trace plummer -n 64 --scheme matrix2004 --slides\n",
    .work = trace,
};

/* holmberg ic: initial conditions. */
#include "base/clock.h"
#include "base/mem.h"
#include "cli/cmd.h"
#include "console/target.h"
#include "console/target.h"
#include "console/terminal.h"

#include <string.h>

struct settings {
  struct hb_ic_params model;
  const char *radius, *output, *format;
  int quiet;
};

#define MODEL(member) HB_SETTING_FIELD(struct hb_ic_params, member)
static const struct hb_setting model_options[] = {
    {"n", 'n', HB_SETTING_COUNT, MODEL(n), "N", .help = "number of particles (default: the model's own)"},
    {"seed", 0, HB_SETTING_WHOLE, MODEL(seed), "S",
     .help = "seed of the random numbers (default 0); the same seed gives the same bytes on any machine"},
    {"r-cut", 0, HB_SETTING_POSITIVE, MODEL(r_cut), "R",
     .help = "draw from within this radius, in Plummer radii (default: no cut-off)",
     .of = HB_DIMENSION_LENGTH, .nbody = 0.58904862254808623221 /* 3 pi / 16 */},
    {"m1", 0, HB_SETTING_POSITIVE, MODEL(m1), "M", .help = "mass of the first body (default 0.5)"},
    {"m2", 0, HB_SETTING_POSITIVE, MODEL(m2), "M", .help = "mass of the second body (default 0.5)"},
    {"a", 0, HB_SETTING_POSITIVE, MODEL(a), "A", .help = "semi-major axis of the orbit (default 1)"},
    {"e", 0, HB_SETTING_NOT_NEGATIVE, MODEL(e), "E",
     .help = "eccentricity of the orbit, below 1 (default 0)"},
    {"velocity", 0, HB_SETTING_NOT_NEGATIVE, MODEL(velocity), "V",
     .help = "velocity at infinity of the encounter (default 0, a parabolic orbit)"},
    {"spin", 0, HB_SETTING_NUMBER, MODEL(spin), "S",
     .help = "rotation of both disks in units of the circular one, below 0 retrograde (default 1)"},
    {"scaling", 0, HB_SETTING_CHOICE, MODEL(scaling), "HOW", .words.array = hb_ic_scaling_names,
     .help =
         "units set by the energy of the sample (measured, N^2 work, the default up to N = 131072) or of the "
         "model (model, the default above that; the header records it)"},
    {"w0", 0, HB_SETTING_POSITIVE, MODEL(w0), "W",
     .help = "depth of King's potential, 0.1 to 16 (default 6)"},
    {"shape", 0, HB_SETTING_CHOICE, MODEL(shape), "SHAPE", .words.array = hb_ic_shape_names,
     .help = "initial shape of demo1 ... demo7: shell (the default), random or expand"},
    {0}};

#define CLUSTER(member) HB_SETTING_FIELD(struct hb_ic_cluster, member)
static const struct hb_setting cluster_options[] = {
    {"masses", 0, HB_SETTING_TEXT, CLUSTER(masses), "KIND",
     .help = "equal (the default), salpeter, kroupa, two (classes), or a file with a mass in solar masses on "
             "each line"},
    {"mass-min", 0, HB_SETTING_POSITIVE, CLUSTER(mass_min), "M",
     .help = "salpeter, kroupa: smallest mass, in solar masses (default 0.08)", .of = HB_DIMENSION_MASS,
     .is_astro = 1},
    {"mass-max", 0, HB_SETTING_POSITIVE, CLUSTER(mass_max), "M",
     .help = "salpeter, kroupa: largest mass, in solar masses (default 100)", .of = HB_DIMENSION_MASS,
     .is_astro = 1},
    {"mass-ratio", 0, HB_SETTING_POSITIVE, CLUSTER(mass_ratio), "R",
     .help = "two: mass of a heavy star over that of a light one (default 10)"},
    {"heavy", 0, HB_SETTING_POSITIVE, CLUSTER(heavy), "F",
     .help = "two: fraction of stars that are heavy (default 0.1)"},
    {"segregation", 0, HB_SETTING_NOT_NEGATIVE, CLUSTER(segregation), "S",
     .help = "mass segregation, from 0 (none, the default) to 1 (energies in the order of mass); the "
             "profile of the mass stays"},
    {"fractal", 0, HB_SETTING_POSITIVE, CLUSTER(fractal), "D",
     .help = "substructure of this fractal dimension, 1 < D <= 3 (default: none)"},
    {"rotation", 0, HB_SETTING_NUMBER, CLUSTER(rotation), "F",
     .help = "this fraction of the stars that move clockwise turn around, -1 to 1 (default 0)"},
    {"virial", 0, HB_SETTING_POSITIVE, CLUSTER(virial), "Q",
     .help = "virial ratio T / |U|, with binaries as points (default 0.5, equilibrium)"},
    {"tidal-radius", 0, HB_SETTING_POSITIVE, CLUSTER(tidal_radius), "R",
     .help = "no star farther out; lengths stay those of the whole model (default: none)",
     .of = HB_DIMENSION_LENGTH},
    {"binaries", 0, HB_SETTING_POSITIVE, CLUSTER(binaries), "F",
     .help = "fraction of systems that are binaries, up to 1 (default 0); their members come first"},
    {"pairing", 0, HB_SETTING_CHOICE, CLUSTER(pairing), "HOW", .words.array = hb_ic_pairing_names,
     .help = "which stars form binaries: random (the default), ordered (by mass, the heaviest two first), "
             "uniform (secondaries have 0.1 to 1 of the primary's mass)"},
    {"orbits", 0, HB_SETTING_CHOICE, CLUSTER(orbits), "HOW", .words.array = hb_ic_orbits_names,
     .help = "opik (the default): semi-major axes uniform in log a; kroupa1995, duquennoy1991: periods of "
             "those papers, which need units; stars that would touch are drawn again"},
    {"eccentricities", 0, HB_SETTING_CHOICE, CLUSTER(eccentricities), "HOW",
     .words.array = hb_ic_eccentricities_names,
     .help = "of binaries: thermal (the default), uniform or circular"},
    {"a-min", 0, HB_SETTING_POSITIVE, CLUSTER(a_min), "A",
     .help = "smallest semi-major axis (default for opik: 1/100 of one over the number of systems)",
     .of = HB_DIMENSION_LENGTH},
    {"a-max", 0, HB_SETTING_POSITIVE, CLUSTER(a_max), "A",
     .help =
         "largest semi-major axis (default for opik: one over the number of systems; for duquennoy1991: 0.4 "
         "over the cubic root of that number, a quarter of the mean distance)",
     .of = HB_DIMENSION_LENGTH},
    {"mass-unit", 0, HB_SETTING_POSITIVE, CLUSTER(units.mass), "M",
     .help = "unit of mass, in solar masses; salpeter, kroupa and a file of masses determine it",
     .of = HB_DIMENSION_MASS, .is_astro = 1},
    {"length-unit", 0, HB_SETTING_POSITIVE, CLUSTER(units.length), "L", .help = "unit of length, in pc",
     .of = HB_DIMENSION_LENGTH, .is_astro = 1},
    {"time-unit", 0, HB_SETTING_POSITIVE, CLUSTER(units.time), "T",
     .help = "unit of time, in Myr; two of the three units determine the third, as G = 1",
     .of = HB_DIMENSION_TIME, .is_astro = 1},
    {0}};

#define FIELD(member) HB_SETTING_FIELD(struct settings, member)
static const struct hb_setting options[] = {
    {"radius", 0, HB_SETTING_TEXT, FIELD(radius), "R",
     .help = "radii for run --collisions: a number, or R*m^P, by the mass m; with a unit, as 1AU and "
             "0.005AU*m^0.8, or "
             "sun*m^P, in solar radii, m is in solar masses, which needs units (default: none)"},
    {"output", 'o', HB_SETTING_TEXT, FIELD(output), "FILE", .use = HB_SETTING_SHOWS,
     .help = "file to write; - is standard output (default: MODEL.h5)"},
    {"format", 0, HB_SETTING_WORD, FIELD(format), "F", .words.at = hb_target_format, .use = HB_SETTING_SHOWS,
     .help = "format of the file (default: by extension)"},
    {0}};

/* An option that the model does not use would leave the user believing in an effect. */
static enum hb_status check_options(const struct hb_ic_model *model, const struct hb_opts *opts)
{
  enum { OWN = sizeof model_options / sizeof *model_options - 1 };
  for (size_t k = 0; k < OWN; k++) { /* the first group */
    const struct hb_setting *option = &model_options[k];
    if (!opts->typed[k] || hb_text_is_listed(option->name, model->options)) continue;
    const char *dashes = strlen(option->name) > 1 || option->letter == 0 ? "--" : "-";
    if (!*model->options)
      return hb_fail(HB_ERR_USAGE, "model %s takes no options, but got %s%s %s", model->name, dashes,
                     option->name, opts->typed[k]);
    return hb_fail(HB_ERR_USAGE, "model %s does not take %s%s (it takes: %s)", model->name, dashes,
                   option->name, model->options);
  }
  for (size_t k = 0; !model->is_cluster && cluster_options[k].name; k++) /* the second */
    if (opts->typed[OWN + k])
      return hb_fail(HB_ERR_USAGE,
                     "model %s does not take --%s, which is for clusters (plummer, king, coldsphere)",
                     model->name, cluster_options[k].name);
  const struct settings *s = opts->settings; /* a spin of 0 asks the library for its default */
  if (hb_opts_typed(opts, &s->model.spin) && s->model.spin == 0)
    return hb_fail(HB_ERR_USAGE, "option --spin: '0' is out of range (expected a number below or above 0)");
  return HB_OK;
}

/* Records the options that the model uses, with the resulting number of particles. */
static enum hb_status set_notes(const struct hb_opts *opts, const struct hb_ic_model *model,
                                struct hb_particles *particles)
{
  const struct hb_ic_params *params = &((const struct settings *)opts->settings)->model;
  struct hb_text record = {0};
  enum hb_status status = hb_opts_add_history(opts, particles);
  if (status == HB_OK) status = hb_text_append(&record, "model=%s", model->name);
  if (status == HB_OK && !hb_opts_typed(opts, &params->n))
    status = hb_text_append(&record, " n=%zu", hb_particles_n(particles));
  if (status == HB_OK && !hb_opts_typed(opts, &params->seed) && hb_text_is_listed("seed", model->options))
    status = hb_text_append(&record, " seed=0");
  if (status == HB_OK && params->w0 == 0 && hb_text_is_listed("w0", model->options))
    status = hb_text_append(&record, " w0=6");
  const struct hb_ic_cluster *cluster = &params->cluster; /* two of its options need the sums */
  int by_model = hb_ic_scaling_for(hb_particles_n(particles)) == HB_IC_SCALING_MODEL &&
                 cluster->fractal == 0 && cluster->tidal_radius == 0;
  if (status == HB_OK && by_model && params->scaling == HB_IC_SCALING_AUTO &&
      hb_text_is_listed("scaling", model->options))
    status = hb_text_append(&record, " scaling=model");
  if (status == HB_OK) status = hb_opts_record(opts, &record);
  if (status == HB_OK) status = hb_particles_set_note(particles, "options", record.text);
  hb_mem_free(record.text);
  return status;
}

/* Progress of a model's N^2 sums. */
struct waiting {
  double began;
  int announced;
};

static void show(void *context, double done)
{
  struct waiting *w = context;
  double seconds = hb_clock_now() - w->began;
  if (!w->announced++) hb_terminal_announce("about", seconds / done, "--scaling model takes seconds");
  if (hb_terminal_is_live()) hb_terminal_progress(done, seconds);
}

static void tell_redrawn(const struct hb_particles *particles)
{
  char line[200];
  const char *redrawn = hb_particles_note(particles, "orbits_redrawn");
  const char *a_max = hb_particles_note(particles, "orbits_a_max");
  if (!redrawn || strcmp(redrawn, "0") == 0) return;
  int is_one = strcmp(redrawn, "1") == 0;
  snprintf(line, sizeof line, "%s %s drawn again: %s stars would have touched%s%s%s", redrawn,
           is_one ? "orbit of a binary was" : "orbits of binaries were", is_one ? "its" : "their",
           !a_max   ? ""
           : is_one ? ", or its semi-major axis been above "
                    : ", or their semi-major axes been above ",
           a_max ? a_max : "", a_max ? " units of length" : "");
  hb_terminal_note(line);
}

static enum hb_status make(const struct hb_opts *opts, const struct hb_ic_model *model, const char *path)
{
  const struct settings *s = opts->settings;
  struct hb_ic_params params = s->model;
  params.progress = show;
  params.progress_context = &(struct waiting){.began = hb_clock_now()};
  struct hb_particles *particles = NULL;
  enum hb_status status = hb_ic_make(model->name, &params, &particles);
  if (status == HB_OK && s->radius) status = hb_particles_set_radii(particles, s->radius);
  if (status == HB_OK) status = set_notes(opts, model, particles);
  if (status == HB_OK && !s->quiet) tell_redrawn(particles);
  if (status == HB_OK) status = hb_target_write(path, s->format, particles);
  if (status == HB_OK && !s->quiet && strcmp(path, "-") != 0)
    hb_terminal_say("wrote %s: %zu particles, model %s", path, hb_particles_n(particles), model->name);
  hb_particles_destroy(particles);
  return status;
}

/* MODEL.h5, or with the first extension of the format asked for. */
static enum hb_status default_path(const char *model, const char *format, struct hb_text *path)
{
  const char *extensions = "h5";
  size_t count;
  const struct hb_snapshot_format *formats = hb_snapshot_formats(&count);
  for (size_t k = 0; format && k < count; k++)
    if (strcmp(formats[k].name, format) == 0) extensions = formats[k].extensions;
  return hb_text_append(path, "%s.%.*s", model, (int)strcspn(extensions, " "), extensions);
}

/* Lengths, by the units asked for. */
static enum hb_status convert(struct hb_opts *opts)
{
  const struct settings *s = opts->settings;
  struct hb_units units = s->model.cluster.units;
  if ((units.mass == 0) + (units.length == 0) + (units.time == 0) == 1) HB_TRY(hb_units_complete(&units));
  return hb_opts_convert(opts, NULL, &units, 0);
}

static enum hb_status ic(const struct hb_opts *given)
{
  struct hb_opts own = *given, *opts = &own;
  const struct hb_ic_model *model = hb_models_find(opts->operands[0]);
  if (!model) return hb_words_unknown(hb_models_words, opts->operands[0]);
  HB_TRY(check_options(model, opts));
  HB_TRY(convert(opts));
  const struct settings *s = opts->settings;
  struct hb_text path = {0};
  enum hb_status status =
      s->output ? hb_text_append(&path, "%s", s->output) : default_path(model->name, s->format, &path);
  if (status == HB_OK) status = hb_target_check(path.text, s->format);
  if (status == HB_OK) status = make(opts, model, path.text);
  hb_mem_free(path.text);
  return status;
}

static void list_models(const struct hb_help *help)
{
  size_t count;
  const struct hb_ic_model *models = hb_ic_models(&count);
  help->heading("models", help->out);
  for (size_t k = 0; k < count; k++) {
    const struct hb_ic_model *model = &models[k];
    hb_help_entry(help, model->name, "%s%s%s%s; options: %s%s; N = %zu", model->summary,
                  *model->source ? " (" : "", model->source, *model->source ? ")" : "",
                  *model->options ? model->options : "none", model->is_cluster ? ", --masses and below" : "",
                  model->n);
  }
}

const struct hb_opts_command hb_cmd_ic = {
    .name = "ic",
    .summary = "Make initial conditions: a cluster, a binary, a known orbit.",
    .operand = "MODEL",
    .operand_words.at = hb_models_name,
    .operand_min = 1,
    .operand_max = 1,
    .groups = {{.options = model_options, .at = offsetof(struct settings, model)},
               {.options = cluster_options, .at = offsetof(struct settings, model.cluster)},
               {.options = options},
               {.options = hb_opts_quiet, .at = offsetof(struct settings, quiet)}},
    .settings_size = sizeof(struct settings),
    .more_help = list_models,
    .example =
        "  holmberg ic plummer -n 1024 --seed 1 -o cluster.h5\n"
        "  holmberg ic king --w0 5 -n 4096 --masses kroupa --binaries 0.1 --length-unit 1 -o cluster.h5\n"
        "  holmberg ic twobody --e 0.9 -o - --format text\n",
    .work = ic,
};

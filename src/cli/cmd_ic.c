/* holmberg ic: initial conditions. */
#include "base/clock.h"
#include "base/mem.h"
#include "cli/cmd.h"
#include "console/models.h"
#include "console/target.h"
#include "console/terminal.h"

#include <string.h>

/* Those before IC_OUTPUT describe the model; hb_ic_model.options says which of them it reads. */
enum {
  IC_N,
  IC_SEED,
  IC_R_CUT,
  IC_M1,
  IC_M2,
  IC_A,
  IC_E,
  IC_VELOCITY,
  IC_SPIN,
  IC_SCALING,
  IC_SHAPE,
  IC_OUTPUT,
  IC_FORMAT,
  IC_QUIET,
  IC_COUNT
};

static const char *scaling_choice(size_t k)
{
  static const char *const names[] = {"measured", "model", NULL};
  return names[k];
}

/* In the order of enum hb_ic_shape. */
static const char *shape_choice(size_t k)
{
  static const char *const names[] = {"shell", "random", "expand", NULL};
  return names[k];
}

static const struct hb_opts_option options[IC_COUNT] = {
    [IC_N] = {"n", 'n', HB_OPTS_COUNT, HB_OPTS_SHAPES_RESULT, "N", NULL, NULL,
              "number of particles (default: the model's own)"},
    [IC_SEED] = {"seed", 0, HB_OPTS_WHOLE, HB_OPTS_SHAPES_RESULT, "S", NULL, NULL,
                 "seed of the random numbers (default 0); the same seed gives the same bytes everywhere"},
    [IC_R_CUT] = {"r-cut", 0, HB_OPTS_POSITIVE, HB_OPTS_SHAPES_RESULT, "R", NULL, NULL,
                  "no particle beyond this radius, in Plummer radii (default: no cut-off)"},
    [IC_M1] = {"m1", 0, HB_OPTS_POSITIVE, HB_OPTS_SHAPES_RESULT, "M", NULL, NULL,
               "mass of the first body (default 0.5)"},
    [IC_M2] = {"m2", 0, HB_OPTS_POSITIVE, HB_OPTS_SHAPES_RESULT, "M", NULL, NULL,
               "mass of the second body (default 0.5)"},
    [IC_A] = {"a", 0, HB_OPTS_POSITIVE, HB_OPTS_SHAPES_RESULT, "A", NULL, NULL,
              "semi-major axis of the orbit (default 1)"},
    [IC_E] = {"e", 0, HB_OPTS_NOT_NEGATIVE, HB_OPTS_SHAPES_RESULT, "E", NULL, NULL,
              "eccentricity of the orbit, below 1 (default 0)"},
    [IC_VELOCITY] = {"velocity", 0, HB_OPTS_NOT_NEGATIVE, HB_OPTS_SHAPES_RESULT, "V", NULL, NULL,
                     "velocity at infinity of the encounter (default 0, a parabolic orbit)"},
    [IC_SPIN] = {"spin", 0, HB_OPTS_NUMBER, HB_OPTS_SHAPES_RESULT, "S", NULL, NULL,
                 "rotation of both discs in units of the circular one, below 0 retrograde (default 1)"},
    [IC_SCALING] =
        {"scaling", 0, HB_OPTS_CHOICE, HB_OPTS_SHAPES_RESULT, "HOW", NULL, scaling_choice,
         "units by the sums over the sample (measured, N^2 work, the default up to N = 131072) or of its "
         "parent (model, the default above, which the header then records)"},
    [IC_SHAPE] = {"shape", 0, HB_OPTS_CHOICE, HB_OPTS_SHAPES_RESULT, "SHAPE", NULL, shape_choice,
                  "of demo1 ... demo7: shell (the default), random or expand"},
    [IC_OUTPUT] = {"output", 'o', HB_OPTS_TEXT, HB_OPTS_SHOWS_RESULT, "FILE", NULL, NULL,
                   "where to write; - is standard output (default: MODEL.h5)"},
    [IC_FORMAT] = {"format", 0, HB_OPTS_CHOICE, HB_OPTS_SHOWS_RESULT, "F", NULL, hb_target_format,
                   "format of the file (default: by its extension)"},
    [IC_QUIET] = {"quiet", 0, HB_OPTS_FLAG, HB_OPTS_SHOWS_RESULT, NULL, NULL, NULL,
                  "do not say what was written"},
};

static int model_reads(const struct hb_ic_model *model, const char *option)
{
  size_t length = strlen(option);
  for (const char *word = model->options; *word; word += strcspn(word, " "), word += *word == ' ')
    if (strncmp(word, option, length) == 0 && (word[length] == ' ' || !word[length])) return 1;
  return 0;
}

/* An option that the model does not read would leave the person believing in an effect. */
static enum hb_status check_options(const struct hb_ic_model *model, const struct hb_opts *opts)
{
  for (size_t k = 0; k < IC_OUTPUT; k++) {
    if (!opts->values[k].given || model_reads(model, options[k].name)) continue;
    const char *dashes = strlen(options[k].name) > 1 || options[k].letter == 0 ? "--" : "-";
    if (!*model->options)
      return hb_fail(HB_ERR_USAGE, "model %s reads no options, but got %s%s %s", model->name, dashes,
                     options[k].name, opts->values[k].text);
    return hb_fail(HB_ERR_USAGE, "model %s does not read %s%s (it reads: %s)", model->name, dashes,
                   options[k].name, model->options);
  }
  const struct hb_opts_value *spin = &opts->values[IC_SPIN]; /* 0 asks the library for its default */
  if (spin->given && spin->number == 0)
    return hb_fail(HB_ERR_USAGE, "option --spin: 0 is not possible (expected a number below or above 0)");
  return HB_OK;
}

/* What was read, with the number of particles that came of it. */
static enum hb_status set_notes(const struct hb_opts *opts, const struct hb_ic_model *model,
                                struct hb_particles *particles)
{
  struct hb_text line = {0}, record = {0};
  enum hb_status status = hb_opts_line(opts, &line);
  if (status == HB_OK) status = hb_particles_add_history(particles, line.text);
  if (status == HB_OK) status = hb_text_append(&record, "model=%s", model->name);
  if (status == HB_OK && !opts->values[IC_N].given)
    status = hb_text_append(&record, " n=%zu", hb_particles_n(particles));
  if (status == HB_OK && !opts->values[IC_SEED].given && model_reads(model, "seed"))
    status = hb_text_append(&record, " seed=0");
  int by_model = hb_ic_scaling_for(hb_particles_n(particles)) == HB_IC_SCALING_MODEL;
  if (status == HB_OK && by_model && !opts->values[IC_SCALING].given && model_reads(model, "scaling"))
    status = hb_text_append(&record, " scaling=model");
  if (status == HB_OK) status = hb_opts_record(opts, &record);
  if (status == HB_OK) status = hb_particles_set_note(particles, "options", record.text);
  hb_mem_free(line.text);
  hb_mem_free(record.text);
  return status;
}

/* The N^2 sums of a model. */
struct waiting {
  double began;
  int told;
};

static void show(void *context, double done)
{
  struct waiting *w = context;
  double seconds = hb_clock_now() - w->began;
  if (!w->told++) hb_terminal_announce("about", seconds / done, "--scaling model takes seconds");
  if (hb_terminal_is_live()) hb_terminal_progress(done, seconds);
}

static enum hb_status make(const struct hb_opts *opts, const struct hb_ic_model *model, const char *path)
{
  const struct hb_opts_value *values = opts->values;
  struct hb_ic_params params = {
      .n = values[IC_N].count,
      .seed = values[IC_SEED].count,
      .r_cut = values[IC_R_CUT].number,
      .m1 = values[IC_M1].number,
      .m2 = values[IC_M2].number,
      .a = values[IC_A].number,
      .e = values[IC_E].number,
      .velocity = values[IC_VELOCITY].number,
      .spin = values[IC_SPIN].number,
      .progress = show,
      .progress_context = &(struct waiting){.began = hb_clock_now()},
  };
  if (values[IC_SCALING].given)
    params.scaling =
        strcmp(values[IC_SCALING].text, "model") == 0 ? HB_IC_SCALING_MODEL : HB_IC_SCALING_MEASURED;
  while (values[IC_SHAPE].given && strcmp(values[IC_SHAPE].text, shape_choice(params.shape)) != 0)
    params.shape++;
  struct hb_particles *particles = NULL;
  enum hb_status status = hb_ic_make(model->name, &params, &particles);
  if (status == HB_OK) status = set_notes(opts, model, particles);
  if (status == HB_OK) status = hb_target_write(path, values[IC_FORMAT].text, particles);
  if (status == HB_OK && !values[IC_QUIET].given && strcmp(path, "-") != 0)
    printf("wrote %s: %zu particles, model %s\n", path, hb_particles_n(particles), model->name);
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

static enum hb_status ic(const struct hb_opts *opts)
{
  const struct hb_ic_model *model = hb_models_find(opts->operands[0]);
  if (!model) return hb_opts_unknown("model", opts->operands[0], hb_models_name);
  HB_TRY(check_options(model, opts));
  const char *format = opts->values[IC_FORMAT].text, *given = opts->values[IC_OUTPUT].text;
  struct hb_text path = {0};
  enum hb_status status =
      given ? hb_text_append(&path, "%s", given) : default_path(model->name, format, &path);
  if (status == HB_OK) status = hb_target_check(path.text, format);
  if (status == HB_OK) status = make(opts, model, path.text);
  hb_mem_free(path.text);
  return status;
}

static void list_models(FILE *out)
{
  size_t count;
  const struct hb_ic_model *models = hb_ic_models(&count);
  fputs("\nmodels:\n", out);
  for (size_t k = 0; k < count; k++) {
    const struct hb_ic_model *model = &models[k];
    char reads[256];
    snprintf(reads, sizeof reads, "; reads: %s; N = %zu", *model->options ? model->options : "nothing",
             model->n);
    hb_opts_help_entry(model->name, model->summary, model->source, reads, out);
  }
}

const struct hb_opts_command hb_cmd_ic = {
    .name = "ic",
    .summary = "Make initial conditions: a cluster, a binary, a known orbit.",
    .operand = "MODEL",
    .operand_choice = hb_models_name,
    .operand_min = 1,
    .operand_max = 1,
    .options = options,
    .option_count = IC_COUNT,
    .more_help = list_models,
    .example = "  holmberg ic plummer -n 1024 --seed 1 -o cluster.h5\n"
               "  holmberg ic twobody --e 0.9 -o - --format text\n",
    .work = ic,
};

/* hb_sim_save, hb_sim_resume: a simulation and the params that affect it as sections of a checkpoint. */
#include "sim/sim.h"
#include "base/mem.h"
#include "base/text.h"
#include "force/force.h"
#include "groups/groups.h"
#include "io/checkpoint.h"
#include "sim/sim_bodies.h"
#include "sim/sim_interaction.h"

#include <holmberg/checkpoint.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

struct hb_checkpoint {
  char *path; /* for sentences */
  struct hb_sections sections;
};

/* Section "sim.text": strings, each with its NUL; "" stands for none. "sim.numbers" and "sim.words" beside it. */
enum { VERSION, INTEGRATOR, SCHEME, PRECISION, TUNING, CONTEXT, DEVICE, CHOSEN_DEVICE, STRINGS };
enum { ETA, DT_MAX, DT_MIN, EPS, DT, DAMPING, NUMBERS };
enum { ROUNDING, FLAGS, TRANSFER, PREDICT, CORRECT, EXACT_ENERGY, STEPS, WORDS };
enum { PREDICT_S, SEND_S, FORCE_S, RECEIVE_S, CORRECT_S, PHASES };

static const unsigned shaping_flags = HB_FORCE_CG2007_RECT | HB_FORCE_NO_TUNE;

/* ---- saving ---- */

static enum hb_status put_strings(const struct hb_sim *sim, struct hb_sections *sections)
{
  const char *const strings[STRINGS] = {
      [VERSION] = hb_library_version(),
      [INTEGRATOR] = sim->params.integrator,
      [SCHEME] = hb_force_scheme(sim->force)->name,
      [PRECISION] = hb_force_precision(sim->force),
      [TUNING] = hb_force_tuning(sim->force),
      [CONTEXT] = hb_force_context(sim->force),
      [DEVICE] = hb_force_device(sim->force),
      [CHOSEN_DEVICE] = sim->device ? sim->device : "",
  };
  struct hb_text text = {0};
  enum hb_status status = HB_OK;
  for (int k = 0; k < STRINGS && status == HB_OK; k++)
    status = hb_text_append_bytes(&text, strings[k], strlen(strings[k]) + 1);
  if (status == HB_OK)
    status = hb_sections_put_copy(sections, "sim.text", HB_SECTION_BYTES, text.length, text.text);
  hb_mem_free(text.text);
  return status;
}

static enum hb_status put_all(const struct hb_sim *sim, const void *own, size_t own_bytes,
                              struct hb_sections *sections)
{
  const struct hb_sim_params *p = &sim->params;
  const double numbers[NUMBERS] = {[ETA] = p->eta, p->dt_max, p->dt_min, p->force.eps, p->dt, p->damping};
  const uint64_t words[WORDS] = {[ROUNDING] = p->rounding,
                                 p->force.flags & shaping_flags,
                                 p->transfer,
                                 p->predict,
                                 p->correct,
                                 (uint64_t)sim->exact_energy,
                                 p->steps};
  struct hb_phases now;
  hb_sim_phases(sim, &now);
  const double phases[PHASES] = {now.predict_s, now.send_s, now.force_s, now.receive_s, now.correct_s};
  HB_TRY(put_strings(sim, sections));
  HB_TRY(hb_sim_put_interaction(sim, sections));
  HB_TRY(hb_sim_put_bodies(p, sections));
  HB_TRY(hb_sim_put_stop(p, sections));
  const char *field = sim->params.field;
  if (field) HB_TRY(hb_sections_put(sections, "sim.field", HB_SECTION_BYTES, strlen(field) + 1, field));
  HB_TRY(hb_sections_put_copy(sections, "sim.numbers", HB_SECTION_DOUBLES, NUMBERS, numbers));
  HB_TRY(hb_sections_put_copy(sections, "sim.words", HB_SECTION_WORDS, WORDS, words));
  const uint64_t first_step = p->first_step;
  HB_TRY(hb_sections_put_copy(sections, "sim.first", HB_SECTION_WORDS, 1, &first_step));
  HB_TRY(hb_sections_put(sections, "sim.blocks", HB_SECTION_WORDS, HB_BLOCK_SIZES, sim->blocks));
  HB_TRY(hb_sections_put_copy(sections, "sim.phases", HB_SECTION_DOUBLES, PHASES, phases));
  HB_TRY(hb_sections_put(sections, "own", HB_SECTION_BYTES, own_bytes, own));
  HB_TRY(hb_frame_put(&sim->frame, sections));
  HB_TRY(hb_sim_put_watch(sim, sections));
  return sim->integrator->save(sim->state, sections);
}

enum hb_status hb_sim_save(const struct hb_sim *sim, const char *path, const void *own, size_t own_bytes,
                           unsigned flags)
{
  HB_GL_VISIT;
  if (!sim->integrator->save)
    return hb_fail(HB_ERR_USAGE, "integrator %s cannot be saved", sim->integrator->info.name);
  struct hb_sections sections = {0};
  struct hb_text previous = {0};
  enum hb_status status = put_all(sim, own, own_bytes, &sections);
  if (status == HB_OK && flags & HB_SAVE_KEEP) status = hb_text_append(&previous, "%s~", path);
  if (status == HB_OK) status = hb_checkpoint_write(path, previous.text, &sections);
  hb_mem_free(previous.text);
  hb_sections_clear(&sections);
  return status;
}

/* ---- resuming ---- */

/* Pointers into the section of strings. */
static enum hb_status get_strings(const struct hb_sections *sections, const char *strings[STRINGS])
{
  const struct hb_section *section = hb_sections_find(sections, "sim.text");
  if (!section || section->type != HB_SECTION_BYTES)
    return hb_fail(HB_ERR_INPUT, "section 'sim.text' is missing");
  const char *next = section->data, *end = next + section->count;
  for (int k = 0; k < STRINGS; k++) {
    const char *nul = next < end ? memchr(next, 0, (size_t)(end - next)) : NULL;
    if (!nul) return hb_fail(HB_ERR_INPUT, "section 'sim.text' has %d strings, expected %d", k, STRINGS);
    strings[k] = next;
    next = nul + 1;
  }
  return HB_OK;
}

static const char *or_null(const char *string) { return *string ? string : NULL; }

/* Older checkpoints do not say how their run began, which was by eq. 2 unless asked for. */
static enum hb_status get_first_step(const struct hb_sections *sections, struct hb_sim_params *params)
{
  uint64_t word = HB_FIRST_STEP_EQ2;
  if (hb_sections_find(sections, "sim.first"))
    HB_TRY(hb_sections_copy(sections, "sim.first", HB_SECTION_WORDS, 1, &word));
  if (word != HB_FIRST_STEP_EQ2 && word != HB_FIRST_STEP_EQ9)
    return hb_fail(HB_ERR_INPUT, "section 'sim.first' has %llu, expected 1 or 2", (unsigned long long)word);
  params->first_step = (enum hb_first_step)word;
  return HB_OK;
}

static enum hb_status get_params(const struct hb_sections *sections, struct hb_sim_params *params)
{
  const char *strings[STRINGS];
  double numbers[NUMBERS];
  uint64_t words[WORDS];
  HB_TRY(get_strings(sections, strings));
  HB_TRY(hb_sections_copy(sections, "sim.numbers", HB_SECTION_DOUBLES, NUMBERS, numbers));
  HB_TRY(hb_sections_copy(sections, "sim.words", HB_SECTION_WORDS, WORDS, words));
  if (words[ROUNDING] > HB_ROUND_UP)
    return hb_fail(HB_ERR_INPUT, "section 'sim.words' has rounding %llu, expected 0, 1 or 2",
                   (unsigned long long)words[ROUNDING]);
  for (int k = TRANSFER; k < WORDS; k++)
    if (words[k] > 1)
      return hb_fail(HB_ERR_INPUT, "section 'sim.words' has %llu for a choice of two, expected 0 or 1",
                     (unsigned long long)words[k]);
  int on_host = strcmp(strings[CONTEXT], "none") == 0;
  *params = (struct hb_sim_params){
      .force = {.scheme = strings[SCHEME],
                .precision = strings[PRECISION],
                .context = on_host ? NULL : strings[CONTEXT],
                .device = or_null(strings[CHOSEN_DEVICE]),
                .tuning = or_null(strings[TUNING]),
                .eps = numbers[EPS],
                .flags = (unsigned)words[FLAGS] & shaping_flags},
      .integrator = strings[INTEGRATOR],
      .eta = numbers[ETA],
      .dt_max = numbers[DT_MAX],
      .dt_min = numbers[DT_MIN],
      .dt = numbers[DT],
      .damping = numbers[DAMPING],
      .steps = (enum hb_steps)words[STEPS],
      .encounters = hb_groups_are_in(sections) ? HB_ENCOUNTERS_GROUPS : HB_ENCOUNTERS_NONE,
      .rounding = (enum hb_rounding)words[ROUNDING],
      .transfer = (enum hb_transfer)words[TRANSFER],
      .predict = (enum hb_place)words[PREDICT],
      .correct = (enum hb_place)words[CORRECT],
      .exact_energy = words[EXACT_ENERGY] ? HB_EXACT_ENERGY_YES : HB_EXACT_ENERGY_NO,
  };
  const struct hb_section *field = hb_sections_find(sections, "sim.field");
  if (field && (field->type != HB_SECTION_BYTES || !memchr(field->data, 0, field->count)))
    return hb_fail(HB_ERR_INPUT, "section 'sim.field' is not a text");
  params->field = field ? field->data : NULL;
  HB_TRY(get_first_step(sections, params));
  HB_TRY(hb_sim_get_bodies(sections, params));
  HB_TRY(hb_sim_get_stop(sections, params));
  return hb_sim_get_interaction(sections, &params->force);
}

enum hb_status hb_checkpoint_open(const char *path, struct hb_checkpoint **checkpoint)
{
  *checkpoint = NULL;
  struct hb_checkpoint *c;
  HB_TRY(HB_ALLOC(1, &c));
  enum hb_status status = hb_mem_strdup(path, &c->path);
  if (status == HB_OK) status = hb_checkpoint_read(path, &c->sections);
  if (status == HB_OK) {
    struct hb_sim_params params;
    status = get_params(&c->sections, &params);
    if (status == HB_ERR_USAGE) status = HB_ERR_INPUT; /* the file's */
    if (status == HB_OK && !hb_sections_find(&c->sections, "own"))
      status = hb_fail(HB_ERR_INPUT, "section 'own' is missing");
    if (status != HB_OK) status = hb_fail_in(status, path);
  }
  if (status != HB_OK) {
    hb_checkpoint_close(c);
    return status;
  }
  *checkpoint = c;
  return HB_OK;
}

void hb_checkpoint_close(struct hb_checkpoint *checkpoint)
{
  if (!checkpoint) return;
  hb_sections_clear(&checkpoint->sections);
  hb_mem_free(checkpoint->path);
  hb_mem_free(checkpoint);
}

void hb_checkpoint_info(const struct hb_checkpoint *checkpoint, struct hb_checkpoint_info *info)
{
  const char *strings[STRINGS] = {0};
  get_strings(&checkpoint->sections, strings); /* hb_checkpoint_open has checked them */
  *info = (struct hb_checkpoint_info){strings[VERSION], strings[SCHEME], strings[PRECISION], strings[TUNING],
                                      strings[CONTEXT], strings[DEVICE], checkpoint->path};
}

const void *hb_checkpoint_own(const struct hb_checkpoint *checkpoint, size_t *own_bytes)
{
  const struct hb_section *own = hb_sections_find(&checkpoint->sections, "own");
  *own_bytes = own->count * hb_section_width(own->type);
  return own->data;
}

enum hb_status hb_checkpoint_units(const struct hb_checkpoint *checkpoint, struct hb_units *units,
                                   int *are_known)
{
  struct hb_particles *particles;
  HB_TRY(hb_particles_get(&checkpoint->sections, &particles));
  enum hb_status status = hb_units_get(particles, units, are_known);
  hb_particles_destroy(particles);
  return status;
}

/* The same forces in the place that the caller chose. */
static void move(const struct hb_force_params *place, struct hb_force_params *force)
{
  if (place->context) force->context = place->context;
  if (place->device) force->device = place->device;
  if (place->custom_interaction) {
    force->custom_interaction = place->custom_interaction;
    force->interaction = NULL;
  }
  force->max_draw_s = place->max_draw_s;
  force->flags |= place->flags & ~shaping_flags;
}

/* Counters that continue. */
static enum hb_status get_counters(const struct hb_sections *sections, struct hb_sim *sim)
{
  double phases[PHASES];
  HB_TRY(hb_sections_copy(sections, "sim.blocks", HB_SECTION_WORDS, HB_BLOCK_SIZES, sim->blocks));
  HB_TRY(hb_sections_copy(sections, "sim.phases", HB_SECTION_DOUBLES, PHASES, phases));
  for (int k = 0; k < PHASES; k++)
    if (!(phases[k] >= 0 && isfinite(phases[k])))
      return hb_fail(HB_ERR_INPUT, "section 'sim.phases' has %g, expected seconds", phases[k]);
  sim->before = (struct hb_phases){.predict_s = phases[PREDICT_S],
                                   .send_s = phases[SEND_S],
                                   .force_s = phases[FORCE_S],
                                   .receive_s = phases[RECEIVE_S],
                                   .correct_s = phases[CORRECT_S]};
  sim->exact_energy = sim->params.exact_energy == HB_EXACT_ENERGY_YES;
  return HB_OK;
}

/* Snapshots may hold such numbers, but a run cannot do with them. */
static enum hb_status check_sizes(const struct hb_sections *sections)
{
  static const char *const names[] = {"m", "x", "v", "radius"};
  for (size_t s = 0; s < sizeof names / sizeof *names; s++) {
    const struct hb_section *section = hb_sections_find(sections, names[s]);
    if (!section || section->type != HB_SECTION_DOUBLES) continue;
    const double *q = section->data;
    for (size_t k = 0; k < section->count; k++)
      if (fabs(q[k]) > HB_SECTIONS_MOST)
        return hb_fail(HB_ERR_INPUT, "section '%s' has %g at %zu, expected finite and at most %g", names[s],
                       q[k], k, HB_SECTIONS_MOST);
  }
  return HB_OK;
}

static enum hb_status resume(const struct hb_sections *sections, const struct hb_force_params *place,
                             struct hb_sim **sim)
{
  struct hb_sim_params params;
  HB_TRY(check_sizes(sections));
  HB_TRY(get_params(sections, &params));
  if (place) move(place, &params.force);
  struct hb_sim *s;
  HB_TRY(hb_sim_open(&params, &s));
  enum hb_status status = hb_sim_open_force(s, &params);
  if (status == HB_OK) status = hb_sim_same_interaction(sections, s->force);
  if (status == HB_OK) status = hb_sim_check_interaction(s, &params);
  if (status == HB_OK && !s->integrator->resume)
    status = hb_fail(HB_ERR_USAGE, "integrator %s cannot be resumed", s->integrator->info.name);
  if (status == HB_OK) status = s->integrator->resume(sections, &params, s->force, &s->state);
  if (status == HB_OK) status = hb_frame_get(sections, &s->frame);
  if (status == HB_OK) status = get_counters(sections, s);
  if (status == HB_OK) status = hb_sim_get_watch(sections, s);
  if (status != HB_OK) {
    hb_sim_destroy(s);
    return status;
  }
  hb_sim_judge_from_here(s);
  *sim = s;
  return HB_OK;
}

/* Invalid params are the file's fault, unless the caller chose the place. */
enum hb_status hb_sim_resume(const struct hb_checkpoint *checkpoint, const struct hb_force_params *place,
                             struct hb_sim **sim)
{
  HB_GL_VISIT;
  *sim = NULL;
  enum hb_status status = resume(&checkpoint->sections, place, sim);
  int is_placed = place && (place->context || place->device);
  if (status == HB_ERR_USAGE && !is_placed) status = HB_ERR_INPUT;
  int is_of_file = status == HB_ERR_INPUT || status == HB_ERR_USAGE || status == HB_ERR_GL;
  return is_of_file ? hb_fail_in(status, checkpoint->path) : status;
}

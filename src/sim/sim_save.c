/* hb_sim_save, hb_sim_resume: a simulation and the params that affect it as sections of a checkpoint. */
#include "sim/sim.h"
#include "sim/sim_settings.h"
#include "base/arith.h"
#include "base/mem.h"
#include "base/text.h"
#include "force/force.h"
#include "groups/groups.h"
#include "io/checkpoint.h"

#include <holmberg/checkpoint.h>

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct hb_checkpoint {
  char *path; /* for sentences */
  struct hb_sections sections;
};

static const unsigned shaping_flags = HB_FORCE_CG2007_RECT | HB_FORCE_NO_TUNE;

/* What is saved beside the rows of sim_settings.c, as it was taken. */
struct saved {
  unsigned flags, exact_energy;
};
static const struct hb_numbers_row saved_rows[] = {
    HB_NUMBER_OF("sim.exact_energy", struct saved, exact_energy, 1),
    HB_NUMBER_OF("sim.flags", struct saved, flags, UINT_MAX),
};
#define OF_INFO(field) HB_NUMBER("sim." #field, HB_NUMBER_TEXT, struct hb_checkpoint_info, field, 1)
static const struct hb_numbers_row info_rows[] = {OF_INFO(version), OF_INFO(scheme),  OF_INFO(precision),
                                                  OF_INFO(tuning),  OF_INFO(context), OF_INFO(device)};
#define OF_PHASES(field) HB_NUMBER("sim." #field, HB_NUMBER_DOUBLE, struct hb_phases, field, 0)
static const struct hb_numbers_row phases_rows[] = {
    OF_PHASES(predict_s), OF_PHASES(send_s), OF_PHASES(force_s), OF_PHASES(receive_s),
    OF_PHASES(correct_s), OF_PHASES(near_s), OF_PHASES(lists_s), OF_PHASES(groups_s)};
static const struct hb_numbers_row sim_rows[] = {
    HB_NUMBER("sim.blocks", HB_NUMBER_WORD, struct hb_sim, blocks, 0),
};
static const struct hb_numbers_row full_rows[] = {
    /* with neighbors */
    HB_NUMBER("sim.full_blocks", HB_NUMBER_WORD, struct hb_sim, full_blocks, 0),
};
static const struct hb_numbers of_saved = HB_NUMBERS(saved_rows, struct saved),
                               of_info = HB_NUMBERS(info_rows, struct hb_checkpoint_info),
                               of_phases = HB_NUMBERS(phases_rows, struct hb_phases),
                               of_sim = HB_NUMBERS(sim_rows, struct hb_sim),
                               of_full = HB_NUMBERS(full_rows, struct hb_sim);

/* ---- saving ---- */

static enum hb_status put_all(const struct hb_sim *sim, const void *own, size_t own_bytes,
                              struct hb_sections *sections)
{
  const struct saved saved = {.flags = sim->params.force.flags & shaping_flags,
                              .exact_energy = sim->exact_energy != 0};
  const struct hb_checkpoint_info info = {.version = hb_library_version(),
                                          .scheme = hb_force_scheme(sim->force)->name,
                                          .precision = hb_force_precision(sim->force),
                                          .tuning = hb_force_tuning(sim->force),
                                          .context = hb_force_context(sim->force),
                                          .device = hb_force_device(sim->force)};
  struct hb_phases now;
  hb_sim_phases(sim, &now);
  HB_TRY(hb_numbers_put(&of_info, 1, &info, sections));
  HB_TRY(hb_sections_put_text(sections, "sim.chosen_device", sim->device ? sim->device : ""));
  HB_TRY(hb_sim_put_interaction(sim, sections));
  HB_TRY(hb_setting_put(hb_sim_settings, &sim->params, sections));
  HB_TRY(hb_numbers_put(&of_saved, 1, &saved, sections));
  HB_TRY(hb_numbers_put(&of_phases, 1, &now, sections));
  HB_TRY(hb_numbers_put(&of_sim, 1, sim, sections));
  if (sim->params.neighbors > 0) HB_TRY(hb_numbers_put(&of_full, 1, sim, sections));
  HB_TRY(hb_numbers_put(&hb_frame_numbers, 1, &sim->frame, sections));
  HB_TRY(hb_sections_put(sections, "own", HB_SECTION_BYTES, own_bytes, own));
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

/* Pointers into the sections. */
static enum hb_status get_info(const struct hb_sections *sections, struct hb_checkpoint_info *info)
{
  return hb_numbers_get(&of_info, sections, 1, info);
}

static const char *or_null(const char *text) { return text && *text ? text : NULL; }

static enum hb_status get_params(const struct hb_sections *sections, struct hb_sim_params *params)
{
  struct saved saved = {0};
  struct hb_sim_params p = {0};
  struct hb_checkpoint_info info;
  const char *device;
  HB_TRY(get_info(sections, &info));
  HB_TRY(hb_setting_get(hb_sim_settings, sections, &p));
  HB_TRY(hb_numbers_get(&of_saved, sections, 1, &saved));
  HB_TRY(hb_sections_text(sections, "sim.chosen_device", &device));
  p.force.scheme = info.scheme, p.force.precision = info.precision;
  p.force.context = strcmp(info.context, "none") == 0 ? NULL : info.context; /* on the host */
  p.force.device = or_null(device), p.force.tuning = or_null(info.tuning);
  p.force.flags = saved.flags & shaping_flags;
  p.encounters = hb_groups_are_in(sections) ? HB_ENCOUNTERS_GROUPS : HB_ENCOUNTERS_NONE;
  p.exact_energy = saved.exact_energy ? HB_EXACT_ENERGY_YES : HB_EXACT_ENERGY_NO;
  HB_TRY(hb_sim_check_bodies(&p));
  HB_TRY(hb_sim_check_neighbors(&p));
  if (p.neighbors > 0) p.eta_far = hb_default_real(p.eta_far, hb_sim_eta_far(&p));
  *params = p;
  return hb_sim_get_interaction(sections, &params->force);
}

enum hb_status hb_checkpoint_open(const char *path, struct hb_checkpoint **checkpoint)
{
  *checkpoint = NULL;
  struct hb_checkpoint *c;
  HB_TRY(HB_ALLOC(1, &c));
  enum hb_status status = hb_mem_strdup(path, &c->path);
  if (status == HB_OK) status = hb_checkpoint_read(path, &c->sections);
  if (status == HB_OK) status = hb_sim_read_older(&c->sections);
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
  get_info(&checkpoint->sections, info); /* hb_checkpoint_open has checked them */
  info->path = checkpoint->path;
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
  HB_TRY(hb_numbers_get(&of_sim, sections, 1, sim));
  HB_TRY(hb_numbers_get(&of_full, sections, 1, sim));
  HB_TRY(hb_numbers_get(&of_phases, sections, 1, &sim->before));
  const struct hb_phases *p = &sim->before;
  const double seconds =
      fmin(fmin(fmin(fmin(p->predict_s, p->send_s), fmin(p->force_s, p->receive_s)), p->correct_s),
           fmin(fmin(p->near_s, p->lists_s), p->groups_s));
  sim->exact_energy = sim->params.exact_energy == HB_EXACT_ENERGY_YES;
  return seconds >= 0 ? HB_OK
                      : hb_fail(HB_ERR_INPUT, "sections 'sim.*_s' have %g, expected seconds", seconds);
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

/* What nobody has asked for shapes the run in a way that this version cannot. */
static enum hb_status check_known(const struct hb_sections *sections)
{
  const struct hb_section *unknown = hb_sections_unknown(sections);
  struct hb_checkpoint_info info;
  HB_TRY(get_info(sections, &info));
  return unknown ? hb_fail(HB_ERR_INPUT,
                           "section '%s' is not known to holmberg %s; the file was written by holmberg %s",
                           unknown->name, hb_library_version(), info.version)
                 : HB_OK;
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
  if (status == HB_OK) status = hb_numbers_get(&hb_frame_numbers, sections, 1, &s->frame);
  if (status == HB_OK) status = get_counters(sections, s);
  if (status == HB_OK) status = hb_sim_get_watch(sections, s);
  if (status == HB_OK) status = check_known(sections);
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

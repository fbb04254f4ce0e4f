/* What particles say of the simulation that they were made for. */
#include "sim/sim.h"
#include "base/text.h"

#include <stdio.h>

/* The note's number where there is none; else that is what the particles say from now on, if they say one. */
static enum hb_status settle(struct hb_particles *p, const char *name, double *value)
{
  HB_TEXT_IN_C;
  const char *note = hb_particles_note(p, name);
  double noted;
  char text[32];
  if (!note) return HB_OK;
  int is_number = hb_text_number(note, &noted) == HB_OK && noted > 0;
  if (*value == 0 && !is_number)
    return hb_fail(HB_ERR_INPUT, "the particles' note %s is '%s', expected a number > 0", name, note);
  if (*value == 0) *value = noted;
  if (is_number && *value == noted) return HB_OK;
  snprintf(text, sizeof text, "%.17g", *value);
  return hb_particles_set_note(p, name, text);
}

enum hb_status hb_sim_take_notes(struct hb_sim_params *params, struct hb_particles *initial)
{
  const struct hb_integrator_ops *integrator;
  HB_TRY(hb_integrator_find(params->integrator, &integrator));
  if (!integrator->info.has_dt) return HB_OK;
  HB_TRY(settle(initial, "dt", &params->dt));
  return settle(initial, "damping", &params->damping);
}

#include "sim/sim_interaction.h"

#include "force/force.h"

#include <string.h>

/* Sections: a name, words and a number. */
static const char name_section[] = "sim.interaction", words_section[] = "sim.parameters",
                  hash_section[] = "sim.interaction_hash";

enum hb_status hb_sim_check_interaction(const struct hb_sim *sim, const struct hb_sim_params *params)
{
  const struct hb_interaction *interaction = hb_force_interaction(sim->force);
  if (!(sim->integrator->offers & HB_OFFERS_NO_JERKS) && !hb_interaction_has_jerk(interaction))
    return hb_fail(HB_ERR_USAGE,
                   "interaction %s gives no jerk (jx, jy, jz), which integrator %s needs; %s does not",
                   interaction->name, sim->integrator->info.name, hb_integrator_offering(HB_OFFERS_NO_JERKS));
  if (params->exact_energy == HB_EXACT_ENERGY_YES && interaction != HB_INTERACTION_GRAVITY)
    return hb_fail(HB_ERR_USAGE,
                   "exact energies are those of gravity: interaction %s has only its own potential",
                   interaction->name);
  return HB_OK;
}

enum hb_status hb_sim_put_interaction(const struct hb_sim *sim, struct hb_sections *sections)
{
  const struct hb_interaction *interaction = hb_force_interaction(sim->force);
  const char *words = hb_force_parameters(sim->force);
  if (interaction == HB_INTERACTION_GRAVITY) return HB_OK;
  const char *name = interaction->text ? interaction->file : interaction->name;
  HB_TRY(hb_sections_put_text(sections, name_section, name));
  if (words) HB_TRY(hb_sections_put_text(sections, words_section, words));
  return hb_sections_put(sections, hash_section, HB_SECTION_WORDS, 1, &interaction->hash);
}

enum hb_status hb_sim_get_interaction(const struct hb_sections *sections, struct hb_force_params *force)
{
  HB_TRY(hb_sections_text(sections, name_section, &force->interaction));
  return hb_sections_text(sections, words_section, &force->parameters);
}

enum hb_status hb_sim_same_interaction(const struct hb_sections *sections, const struct hb_force *force)
{
  const struct hb_interaction *interaction = hb_force_interaction(force);
  uint64_t hash;
  if (!hb_sections_find(sections, hash_section)) return HB_OK;
  HB_TRY(hb_sections_copy(sections, hash_section, HB_SECTION_WORDS, 1, &hash));
  if (hash == interaction->hash) return HB_OK;
  return hb_fail(HB_ERR_INPUT, "the code of interaction %s has changed since the checkpoint was written",
                 interaction->text ? interaction->file : interaction->name);
}

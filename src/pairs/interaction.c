#include "pairs/interaction.h"

#include <string.h>

static const struct hb_gl_trace_quantity moving_mass[] = {
    {"position", 0, 3}, {"mass", 3, 1}, {"velocity", 4, 3}, {0}};
static const struct hb_gl_trace_quantity acc_jerk_pot[] = {
    {"acceleration", 0, 3}, {"potential", 3, 1}, {"jerk", 4, 3}, {0}};
static const struct hb_gl_trace_quantity mass[] = {{"position", 0, 3}, {"mass", 3, 1}, {0}};
static const struct hb_gl_trace_quantity acceleration[] = {{"acceleration", 0, 3}, {0}};
static const struct hb_gl_trace_quantity position[] = {{"position", 0, 3}, {0}};
static const struct hb_gl_trace_quantity force[] = {{"force", 0, 3}, {0}};

const struct hb_interaction hb_interactions[] = {
    {.name = "gravity_jerk",
     .summary = "acceleration, its time derivative and potential",
     .source = "[PZ07] appendix A",
     .file = "interactions/gravity_jerk.glsl",
     .records = 2,
     .f_records = 2,
     .particle = moving_mass,
     .force = acc_jerk_pot,
     .flops = 43,
     .takes_eps = 1},
    {.name = "gravity",
     .summary = "acceleration alone",
     .source = "[NHP07] section 31.3",
     .file = "interactions/gravity.glsl",
     .records = 1,
     .f_records = 1,
     .particle = mass,
     .force = acceleration,
     .flops = 20,
     .takes_eps = 1},
    {.name = "lennard_jones",
     .summary = "van der Waals force with a cut-off radius",
     .source = "[HI07] section 4.5",
     .file = "interactions/lennard_jones.glsl",
     .records = 1,
     .f_records = 1,
     .particle = position,
     .force = force,
     .flops = 24,
     .parameter = {1e-4, 1, 6.25e-4}}, /* sigma^2, epsilon, r_cut^2 */
};
const size_t hb_interaction_count = sizeof hb_interactions / sizeof *hb_interactions;

const struct hb_interaction *hb_interaction_find(const char *name)
{
  for (size_t k = 0; k < hb_interaction_count; k++)
    if (strcmp(hb_interactions[k].name, name) == 0) return &hb_interactions[k];
  return NULL;
}

int hb_interaction_is_integrable(const struct hb_interaction *interaction)
{
  return interaction->particle == moving_mass && interaction->force == acc_jerk_pot;
}

void hb_interaction_parameter(const struct hb_interaction *interaction, double eps, double parameter[4])
{
  memcpy(parameter, interaction->parameter, sizeof interaction->parameter);
  if (interaction->takes_eps) parameter[0] = eps * eps;
}

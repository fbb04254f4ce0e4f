#include "sim/sim_bodies.h"

#include "base/draft.h"
#include "base/ranks.h"
#include "gl/gl_devices.h"

#include <math.h>
#include <string.h>

const char *hb_sim_lacks_for_companions(const struct hb_sim_params *p)
{
  const struct hb_integrator_ops *integrator;
  if (hb_integrator_find(p->integrator, &integrator) != HB_OK || !(integrator->offers & HB_OFFERS_COMPANIONS))
    return hb_phrase("integrator %s", hb_integrator_offering(HB_OFFERS_COMPANIONS));
  int is_gravity = !p->force.interaction || strcmp(p->force.interaction, "gravity_jerk") == 0;
  return is_gravity && !p->force.custom_interaction ? NULL : "gravity, not another interaction";
}

static const char *lacks_for_bodies(const struct hb_sim_params *p)
{
  struct hb_gl_devices devices;
  const char *lacking = hb_sim_lacks_for_companions(p);
  if (lacking) return lacking;
  if (p->steps != HB_STEPS_BLOCK) return "block steps";
  if (p->predict != HB_PLACE_HOST) return "predict host: particles that stay on a device cannot leave it";
  if (hb_gl_devices_named(p->force.device, &devices) == HB_OK && devices.count > 0) return "a single device";
  return hb_ranks_count() > 1 ? "a single process" : NULL;
}

enum hb_status hb_sim_check_bodies(const struct hb_sim_params *p)
{
  if ((unsigned)p->collisions > HB_COLLISIONS_MERGE || (unsigned)p->escapers > HB_ESCAPERS_REMOVE)
    return hb_fail(HB_ERR_USAGE, "collisions are %d and escapers %d, expected 0, 1 or 2", (int)p->collisions,
                   (int)p->escapers);
  if (!isfinite(p->escape_radius) || p->escape_radius < 0)
    return hb_fail(HB_ERR_USAGE, "the radius beyond which particles escape is %g, expected finite and > 0",
                   p->escape_radius);
  if (p->escape_radius > 0 && p->escapers == HB_ESCAPERS_NONE)
    return hb_fail(HB_ERR_USAGE, "an escape radius without escapers (expected escapers list or remove)");
  if (p->collisions == HB_COLLISIONS_NONE && p->escapers == HB_ESCAPERS_NONE) return HB_OK;
  const char *what = lacks_for_bodies(p);
  return what ? hb_fail(HB_ERR_USAGE, "%s %s", p->collisions ? "collisions need" : "escapers need", what)
              : HB_OK;
}

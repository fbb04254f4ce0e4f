#include "step/state_view.h"

#include "base/mem.h"

static enum hb_status open_copy(const struct hb_integrator_ops *integrator, const void *state, double t,
                                struct hb_state_view *look)
{
  HB_TRY(integrator->particles(state, t, &look->own));
  look->at = *look->own;
  size_t n = look->at.n;
  HB_TRY(HB_ALLOC(3 * n, &look->a));
  HB_TRY(HB_ALLOC(3 * n, &look->j));
  HB_TRY(HB_ALLOC(n, &look->phi));
  HB_TRY(HB_ALLOC(n, &look->index));
  for (size_t i = 0; i < n; i++) look->index[i] = (uint32_t)i;
  return HB_OK;
}

enum hb_status hb_state_view_open(const struct hb_integrator_ops *integrator, void *state, double t,
                                  struct hb_state_view *look)
{
  *look = (struct hb_state_view){0};
  return integrator->look ? integrator->look(state, t, look) : open_copy(integrator, state, t, look);
}

void hb_state_view_close(struct hb_state_view *look)
{
  if (look->own) {
    hb_mem_free(look->a);
    hb_mem_free(look->j);
    hb_mem_free(look->phi);
    hb_mem_free(look->index);
    hb_particles_destroy(look->own);
  }
  *look = (struct hb_state_view){0};
}

#include "step/state_view.h"

#include "base/mem.h"

static enum hb_status open_copy(const struct hb_integrator_ops *integrator, const void *state, double t,
                                struct hb_state_view *view)
{
  HB_TRY(integrator->particles(state, t, &view->own));
  view->at = *view->own;
  size_t n = view->at.n;
  HB_TRY(HB_ALLOC(3 * n, &view->a));
  HB_TRY(HB_ALLOC(3 * n, &view->j));
  HB_TRY(HB_ALLOC(n, &view->phi));
  HB_TRY(HB_ALLOC(n, &view->index));
  for (size_t i = 0; i < n; i++) view->index[i] = (uint32_t)i;
  return HB_OK;
}

enum hb_status hb_state_view_open(const struct hb_integrator_ops *integrator, void *state, double t,
                                  struct hb_state_view *view)
{
  *view = (struct hb_state_view){0};
  return integrator->view ? integrator->view(state, t, view) : open_copy(integrator, state, t, view);
}

void hb_state_view_close(struct hb_state_view *view)
{
  if (view->own) {
    hb_mem_free(view->a);
    hb_mem_free(view->j);
    hb_mem_free(view->phi);
    hb_mem_free(view->index);
    hb_particles_destroy(view->own);
  }
  *view = (struct hb_state_view){0};
}

#include "step/integrator.h"

#include "base/mem.h"
#include "base/text.h"

#include <pthread.h>
#include <string.h>

static const struct hb_integrator_ops *const registry[] = {&hb_integrator_hermite4, &hb_integrator_leapfrog};
enum { COUNT = sizeof registry / sizeof *registry };

static struct hb_integrator_info infos[COUNT];

static void fill_infos(void)
{
  for (size_t k = 0; k < COUNT; k++) infos[k] = registry[k]->info;
}

const struct hb_integrator_info *hb_integrators(size_t *count)
{
  static pthread_once_t filled = PTHREAD_ONCE_INIT;
  pthread_once(&filled, fill_infos);
  *count = COUNT;
  return infos;
}

const struct hb_integrator_info *hb_integrator_named(const char *name)
{
  for (size_t k = 0; k < COUNT; k++)
    if (strcmp(name, registry[k]->info.name) == 0) return &registry[k]->info;
  return NULL;
}

enum hb_status hb_integrator_find(const char *name, const struct hb_integrator_ops **ops)
{
  *ops = registry[0];
  if (!name) return HB_OK;
  struct hb_text known = {0};
  enum hb_status status = HB_OK;
  for (size_t k = 0; k < COUNT && status == HB_OK; k++) {
    *ops = registry[k];
    if (strcmp(name, registry[k]->info.name) == 0) break;
    *ops = NULL;
    status = hb_text_append(&known, "%s%s", k ? ", " : "", registry[k]->info.name);
  }
  if (status == HB_OK && !*ops)
    status = hb_fail(HB_ERR_USAGE, "unknown integrator '%s' (expected %s)", name, known.text);
  hb_mem_free(known.text);
  return status;
}

const char *hb_integrator_offering(unsigned what)
{
  size_t k = 0;
  while (k + 1 < COUNT && !(registry[k]->offers & what)) k++;
  return registry[k]->info.name;
}

/* ---- a view of the particles ---- */

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

#include "step/integrator.h"

#include "base/mem.h"
#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
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
  HB_OWN struct hb_text known = {0};
  for (size_t k = 0; k < COUNT; k++) {
    *ops = registry[k];
    if (strcmp(name, registry[k]->info.name) == 0) return HB_OK;
    HB_TRY(hb_text_append(&known, "%s%s", k ? ", " : "", registry[k]->info.name));
  }
  *ops = NULL;
  return hb_fail(HB_ERR_USAGE, "unknown integrator '%s' (expected %s)", name, known.text);
}

const char *hb_integrator_offering(unsigned what)
{
  size_t k = 0;
  while (k + 1 < COUNT && !(registry[k]->offers & what)) k++;
  return registry[k]->info.name;
}

/* ---- checking forces ---- */

/* Below it, r^-5 of a jerk is beyond the range of float, which ends at 3e38, for speeds and masses of about 1. */
static const double beyond_float = 1e-7;

void hb_forces_reason(const struct hb_forces_at *at, uint32_t i, char reason[HB_FORCES_REASON])
{
  const double *x = at->x, *xi = at->x + 3 * (size_t)i;
  double least = INFINITY;
  size_t nearest = i;
  for (size_t j = 0; j < at->n; j++) {
    double r = hypot(hypot(x[3 * j] - xi[0], x[3 * j + 1] - xi[1]), x[3 * j + 2] - xi[2]);
    if (j != i && r < least) least = r, nearest = j;
  }
  int is_too_near = hb_force_rounds(at->force) && least < beyond_float;
  reason[0] = 0;
  if (least == 0)
    snprintf(reason, HB_FORCES_REASON, "; particle %zu is at the same place: eps above 0 keeps forces finite",
             nearest);
  else if (nearest != i)
    snprintf(reason, HB_FORCES_REASON, "; its nearest neighbor, particle %zu, is %.3g away%s%s%s", nearest,
             least, is_too_near ? ", too close for precision " : "",
             is_too_near ? hb_force_precision(at->force) : "",
             is_too_near ? " (eps above 0, or scheme host, keeps forces finite)" : "");
}

/* The sign of a NaN depends on the compiler, and printf shows it. */
static double unsigned_nan(double value) { return isnan(value) ? fabs(value) : value; }

enum hb_status hb_forces_check(const struct hb_forces_at *at, size_t ni, const uint32_t *index,
                               const double *a, const double *j, const double *phi)
{
  char reason[HB_FORCES_REASON];
  size_t b = 0, c = 0;
  while (b < ni && hb_forces_are_finite(1, a + 3 * b, j + 3 * b, phi + b)) b++;
  if (b == ni) return HB_OK;
  while (c < 2 && isfinite(a[3 * b + c]) && isfinite(j[3 * b + c])) c++;
  hb_forces_reason(at, index[b], reason);
  return hb_fail(HB_ERR_NUMERIC,
                 "particle %u at t = %.17g in block step %" PRIu64
                 " has a%c = %g, jerk %g, phi = %g, expected finite%s",
                 index[b], at->t, at->step, "xyz"[c], unsigned_nan(a[3 * b + c]), unsigned_nan(j[3 * b + c]),
                 unsigned_nan(phi[b]), reason);
}

enum hb_status hb_integrator_copy(const struct hb_integrator_ops *ops, const void *state,
                                  const struct hb_sim_params *params, struct hb_force *force, void **copy)
{
  HB_OWN_SECTIONS struct hb_sections sections = {0};
  *copy = NULL;
  HB_TRY(ops->save(state, &sections));
  return ops->resume(&sections, params, force, copy);
}

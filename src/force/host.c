/* The host as source of forces: exact double precision, the reference; or the bits that every device has. */
#include "force/force.h"
#include "force/host_reproducible.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "base/text.h"
#include "core/gravity.h"

#include <stdio.h>
#include <sys/utsname.h>

struct host {
  double eps2;
  size_t room;
  struct hb_gravity *gravity;
  struct hb_host_reproducible *reproducible; /* in that precision */
  char device[160];
};

static enum hb_status host_open(const struct hb_force_params *params, struct hb_gl_context *gl, void **state)
{
  (void)gl;
  struct host *h;
  HB_TRY(HB_ALLOC(1, &h));
  *state = h;
  h->eps2 = hb_force_eps2(params);
  if (hb_precision_find(params->precision) == HB_PRECISION_REPRODUCIBLE)
    HB_TRY(hb_host_reproducible_create(&h->reproducible));
  struct utsname machine;
  uname(&machine);
  snprintf(h->device, sizeof h->device, "%s, %d thread%s", machine.machine, hb_parallel_threads(),
           hb_text_s((uint64_t)hb_parallel_threads()));
  return HB_OK;
}

static void host_close(void *state)
{
  struct host *h = state;
  if (!h) return;
  hb_gravity_destroy(h->gravity);
  hb_host_reproducible_destroy(h->reproducible);
  hb_mem_free(h);
}

static void host_set_eps(void *state, double eps) { ((struct host *)state)->eps2 = eps * eps; }

static enum hb_status host_set_j(void *state, size_t nj, const double *m, const double *x, const double *v)
{
  struct host *h = state;
  if (nj > h->room) {
    hb_gravity_destroy(h->gravity);
    h->gravity = NULL;
    h->room = 0;
    HB_TRY(hb_gravity_create(nj, &h->gravity));
    h->room = nj;
  }
  hb_gravity_set_j(h->gravity, nj, m, x, v);
  return HB_OK;
}

static enum hb_status host_begin(void *state, size_t ni, const uint32_t *index, double *a, double *j,
                                 double *phi)
{
  const struct host *h = state;
  hb_gravity_eval(h->gravity, h->eps2, ni, index, a, j, phi);
  return HB_OK;
}

static enum hb_status host_begin_at(void *state, size_t ni, const double *x, const double *v,
                                    const uint32_t *own, double *a, double *j, double *phi)
{
  const struct host *h = state;
  hb_gravity_at(h->gravity, h->eps2, ni, x, v, own, a, j, phi);
  return HB_OK;
}

/* ---- precision reproducible ---- */

static enum hb_status fixed_set_j(void *state, const struct hb_reproducible_units *units, size_t nj,
                                  const double *m, const double *x, const double *v)
{
  return hb_host_reproducible_set_j(((struct host *)state)->reproducible, units, nj, m, x, v);
}

static enum hb_status fixed_begin(void *state, size_t ni, const uint32_t *index, const uint32_t *scale,
                                  struct hb_fixed_total *totals)
{
  return hb_host_reproducible_begin(((struct host *)state)->reproducible, ni, index, scale, totals);
}

static enum hb_status fixed_begin_at(void *state, size_t ni, const double *x, const double *v,
                                     const uint32_t *own, const uint32_t *scale,
                                     struct hb_fixed_total *totals)
{
  return hb_host_reproducible_begin_at(((struct host *)state)->reproducible, ni, x, v, own, scale, totals);
}

static const struct hb_reproducible_ops fixed_ops = {fixed_set_j, fixed_begin, fixed_begin_at, NULL};

/* The columns of struct hb_gravity, or floats. */
static void host_memory(const struct hb_force_params *params, struct hb_force_need *need)
{
  int reproducible = hb_precision_find(params->precision) == HB_PRECISION_REPRODUCIBLE;
  need->host_particle += reproducible ? HB_HOST_REPRODUCIBLE_PARTICLE : 7 * sizeof(double);
}

static const char *host_device(const void *state) { return ((const struct host *)state)->device; }

const struct hb_force_ops hb_force_host = {
    .info = {.name = "host",
             .summary = "double precision on the processor, the reference",
             .source = "[PZ07] eq. 1",
             .precisions = "double reproducible",
             .flops_per_pair = 43,
             .on_host = 1,
             .is_exact = 1},
    .open = host_open,
    .close = host_close,
    .memory = host_memory,
    .set_eps = host_set_eps,
    .set_j = host_set_j,
    .begin = host_begin,
    .begin_at = host_begin_at,
    .reproducible = &fixed_ops,
    .device = host_device,
};

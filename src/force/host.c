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

static enum hb_status host_send(struct host *h, const struct hb_force_job *job)
{
  const struct hb_force_sources *s = &job->sources;
  double start = hb_clock_now();
  if (s->n > h->room) {
    hb_gravity_destroy(h->gravity);
    h->gravity = NULL;
    h->room = 0;
    HB_TRY(hb_gravity_create(s->n, &h->gravity));
    h->room = s->n;
  }
  hb_gravity_set_j(h->gravity, s->n, s->m, s->x, s->v);
  hb_force_sent(job, start);
  return HB_OK;
}

static enum hb_status host_begin(void *state, const struct hb_force_job *job)
{
  struct host *h = state;
  const struct hb_force_sinks *i = &job->sinks;
  const struct hb_force_results *to = &job->to;
  if (h->reproducible) return hb_host_reproducible_begin(h->reproducible, job);
  if (job->sources.m) HB_TRY(host_send(h, job));
  if (i->x)
    hb_gravity_at(h->gravity, h->eps2, i->n, i->x, i->v, i->index, to->a, to->j, to->phi);
  else if (i->n)
    hb_gravity_eval(h->gravity, h->eps2, i->n, i->index, to->a, to->j, to->phi);
  return HB_OK;
}

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
    .begin = host_begin,
    .has_points = 1,
    .device = host_device,
};

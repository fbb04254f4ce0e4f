/* Walks with few passes, to be followed by eye. */
#include "inspect/trace.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>

enum { BAGS = 5 };

void hb_trace_center(struct hb_particles *particles, size_t n)
{
  const double *m = hb_particles_m(particles);
  double *const both[] = {hb_particles_x(particles), hb_particles_v(particles)};
  for (int k = 0; k < 2; k++) {
    double mean[3] = {0}, mass = 0;
    for (size_t i = 0; i < n; i++) {
      mass += m[i];
      for (size_t c = 0; c < 3; c++) mean[c] += m[i] * both[k][3 * i + c];
    }
    for (size_t i = 0; mass > 0 && i < 3 * n; i++) both[k][i] -= mean[i % 3] / mass;
  }
}

/* bag in five passes, and no draw split to save time. */
static enum hb_status open_force(const struct hb_force_params *force_params, const char *scheme, size_t n,
                                 struct hb_force **force)
{
  char tuning[128] = "";
  size_t bag = ((n + BAGS - 1) / BAGS + 3) / 4 * 4;
  if (hb_force_scheme_find(scheme)->has_tuning && !hb_force_scheme_find(scheme)->is_compute)
    snprintf(tuning, sizeof tuning,
             "i_each=4 partial=4 unroll=4 threads=1 bag=%zu output=targets j_source=buffer_texture", bag);
  struct hb_force_params params = *force_params;
  params.scheme = scheme;
  params.precision = "single";
  params.tuning = *tuning ? tuning : NULL;
  params.max_draw_s = 10;
  params.flags = HB_FORCE_NO_TUNE;
  return hb_force_open(&params, force);
}

static enum hb_status walk(struct hb_force *force, struct hb_particles *particles, size_t n,
                           struct hb_trace *trace)
{
  double *f;
  uint32_t *index;
  HB_TRY(HB_ALLOC(7 * n, &f));
  enum hb_status status = HB_ALLOC(n, &index);
  for (size_t k = 0; status == HB_OK && k < n; k++) index[k] = (uint32_t)k;
  if (status == HB_OK)
    status = hb_force_set_j(force, n, hb_particles_m(particles), hb_particles_x(particles),
                            hb_particles_v(particles));
  if (status == HB_OK) {
    hb_trace_begin(trace);
    status = hb_force_eval(force, n, index, f, f + 3 * n, f + 6 * n);
    enum hb_status traced = hb_trace_end(trace);
    if (status == HB_OK) status = traced;
  }
  hb_mem_free(f);
  hb_mem_free(index);
  return status;
}

enum hb_status hb_trace_walk(const struct hb_force_params *params, const char *scheme, size_t n,
                             struct hb_particles *particles, struct hb_trace *trace)
{
  struct hb_force *force = NULL;
  enum hb_status status = open_force(params, scheme, n, &force);
  if (status == HB_OK) status = walk(force, particles, n, trace);
  hb_force_close(force);
  return status;
}

#include "force/massive.h"

#include "base/mem.h"

#include <holmberg/holmberg.h>

#include <string.h>

void hb_massive_free(struct hb_massive *s)
{
  hb_mem_free(s->slot);
  hb_mem_free(s->place);
  hb_mem_free(s->own);
  double *arrays[] = {s->m, s->x, s->v, s->xi, s->vi};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) hb_mem_free(arrays[k]);
  *s = (struct hb_massive){0};
}

static enum hb_status fill(struct hb_massive *s, size_t n, size_t count, const double *m)
{
  HB_TRY(HB_ALLOC(count, &s->slot));
  HB_TRY(HB_ALLOC(n, &s->place));
  HB_TRY(HB_ALLOC(count, &s->m));
  HB_TRY(HB_ALLOC(3 * count, &s->x));
  HB_TRY(HB_ALLOC(3 * count, &s->v));
  for (size_t i = 0, k = 0; i < n; i++) {
    s->place[i] = m[i] > 0 ? (uint32_t)k : HB_NO_SOURCE;
    if (m[i] > 0) s->slot[k++] = (uint32_t)i;
  }
  s->n = n;
  s->count = count;
  return HB_OK;
}

enum hb_status hb_massive_find(struct hb_massive *s, size_t n, const double *m)
{
  size_t count = 0;
  hb_massive_free(s);
  for (size_t i = 0; i < n; i++) count += m[i] > 0;
  if (count == 0 || count == n) return HB_OK;
  enum hb_status status = fill(s, n, count, m);
  if (status != HB_OK) hb_massive_free(s);
  return status;
}

static void gather(struct hb_massive *s, const struct hb_force_sources *all)
{
  for (size_t k = 0; k < s->count; k++) {
    size_t i = s->slot[k];
    s->m[k] = all->m[i];
    memcpy(s->x + 3 * k, all->x + 3 * i, 3 * sizeof(double));
    memcpy(s->v + 3 * k, all->v + 3 * i, 3 * sizeof(double));
  }
}

static enum hb_status reserve(struct hb_massive *s, size_t ni)
{
  if (ni <= s->room) return HB_OK;
  s->room = 0;
  HB_TRY(HB_RESIZE(ni, &s->own));
  HB_TRY(HB_RESIZE(3 * ni, &s->xi));
  HB_TRY(HB_RESIZE(3 * ni, &s->vi));
  s->room = ni;
  return HB_OK;
}

enum hb_status hb_massive_job(struct hb_massive *s, struct hb_force_job *job)
{
  const struct hb_force_sources *all = &job->sources;
  size_t ni = job->sinks.n;
  gather(s, all);
  HB_TRY(reserve(s, ni));
  for (size_t k = 0; k < ni; k++) {
    size_t i = job->sinks.index[k];
    s->own[k] = s->place[i];
    memcpy(s->xi + 3 * k, all->x + 3 * i, 3 * sizeof(double));
    memcpy(s->vi + 3 * k, all->v + 3 * i, 3 * sizeof(double));
  }
  job->sources = (struct hb_force_sources){s->count, s->m, s->x, s->v};
  job->sinks = (struct hb_force_sinks){ni, s->own, s->xi, s->vi};
  return HB_OK;
}

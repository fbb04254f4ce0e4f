#include "force/points.h"

#include "base/mem.h"

#include <holmberg/holmberg.h>

#include <math.h>

void hb_points_free(struct hb_points *points)
{
  hb_mem_free(points->in_frame.xv);
  hb_mem_free(points->rest);
  hb_mem_free(points->nobody);
  *points = (struct hb_points){0};
}

static enum hb_status reserve(struct hb_points *p, size_t ni)
{
  if (ni <= p->capacity) return HB_OK;
  p->capacity = 0;
  HB_TRY(HB_RESIZE(3 * ni, &p->rest));
  HB_TRY(HB_RESIZE(ni, &p->nobody));
  for (size_t i = 0; i < ni; i++) p->nobody[i] = HB_NO_SOURCE;
  p->capacity = ni;
  return HB_OK;
}

static enum hb_status check(double reach, size_t ni, const double *x, const double *v)
{
  for (size_t k = 0; k < 3 * ni; k++)
    if (!(fabs(x[k]) <= reach && fabs(v[k]) <= reach))
      return hb_fail(HB_ERR_INPUT,
                     "point %zu has %c = %g from the center and v%c = %g, expected within %.3g: this float "
                     "arithmetic goes no further (scheme host computes in double)",
                     k / 3, "xyz"[k % 3], x[k], "xyz"[k % 3], v[k], reach);
  return HB_OK;
}

enum hb_status hb_points_prepare(struct hb_points *points, const double origin[2][3], double reach, size_t ni,
                                 const double **x, const double **v, const uint32_t **own)
{
  if (!*v || !*own) HB_TRY(reserve(points, ni));
  if (!*v) *v = points->rest;
  if (!*own) *own = points->nobody;
  HB_TRY(hb_frame_enter(origin, ni, x, v, &points->in_frame));
  return reach > 0 ? check(reach, ni, *x, *v) : HB_OK;
}

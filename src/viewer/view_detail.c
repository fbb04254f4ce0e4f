#include "viewer/view_detail.h"

#include "base/clock.h"

#include <math.h>

/* Thirty pictures a second, half of whose time belongs to the steps. */
static const double draw_most_s = 0.5 / 30, draw_spare_s = 0.2 / 30;
static const double again_s = 10; /* until details that took too long are tried once more */

enum { COARSEST = 3, PICTURES = 8 };

static enum hb_status set(struct hb_view *view, int coarse)
{
  view->detail.pictures = 0;
  view->detail.best_s = INFINITY;
  view->style.glow = view->plain ? -1 : 0;
  return hb_window_set_coarse(&view->window, coarse);
}

enum hb_status hb_view_detail_full(struct hb_view *view) { return set(view, 1); }

/* The best of a few pictures is not disturbed by other programs. */
enum hb_status hb_view_detail_adapt(struct hb_view *view)
{
  struct hb_view_detail *d = &view->detail;
  double now = hb_clock_now();
  int coarse = view->window.coarse;
  d->best_s = d->pictures++ ? fmin(d->best_s, view->draw_s) : view->draw_s;
  int enough = d->best_s > 4 * draw_most_s ? 2 : PICTURES;
  if (view->recording || d->pictures < enough) return HB_OK;
  if (d->best_s > draw_most_s && coarse < COARSEST) {
    d->again_at = now + again_s;
    return set(view, coarse + 1);
  }
  if (d->best_s < draw_spare_s && coarse > 1 && now > d->again_at) return set(view, coarse - 1);
  d->pictures = 0;
  return HB_OK;
}

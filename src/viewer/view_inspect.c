/* The texture inspector beside the stars: the textures behind the forces, and the same particle marked in both. */
#include "viewer/view_inspect.h"

static const double share_of_stars = 0.4;
enum { CG2007_MOST = 256 }; /* a draw for each other particle */

static int has_textures(const struct hb_view *view)
{
  const struct hb_sim *sim = view->source.sim;
  return sim && hb_force_scheme(hb_sim_force(sim))->needs_gl;
}

/* Where the processor computes the forces, OpenGL does as long as the inspector is open: few particles by the kernel of 2007,
 * whose textures are explained most easily, and many by bag. */
enum hb_status hb_view_inspect_use_textures(struct hb_view *view)
{
  struct hb_view_source *s = &view->source;
  if (has_textures(view)) return HB_OK;
  const struct hb_force_params before = s->settings.sim.force;
  const char *host = hb_force_scheme(hb_sim_force(s->sim))->name;
  enum hb_status status = HB_ERR_USAGE;
  if (s->n <= CG2007_MOST) status = hb_view_source_use(s, "cg2007", NULL);
  if (status == HB_ERR_USAGE) status = hb_view_source_use(s, "bag", NULL); /* cg2007 knows gravity only */
  HB_TRY(status);
  view->before = before;
  view->has_before = 1;
  hb_hud_history_clear(&view->history);
  hb_view_say(view, "%s has no textures: %s computes until i closes them", host,
              hb_force_scheme(hb_sim_force(s->sim))->name);
  return HB_OK;
}

enum hb_status hb_view_inspect_use_before(struct hb_view *view)
{
  if (!view->has_before) return HB_OK;
  view->has_before = 0;
  hb_hud_history_clear(&view->history);
  return hb_view_source_use(&view->source, view->before.scheme, view->before.precision);
}

enum hb_status hb_view_inspect(struct hb_view *view)
{
  view->texel = (struct hb_inspector_texel){.particle = -1};
  if (view->inspector) {
    hb_inspector_close(view->inspector);
    view->inspector = NULL;
    HB_TRY(hb_view_inspect_use_before(view));
    return hb_window_set_share(&view->window, 1);
  }
  if (!view->source.sim)
    return hb_fail(HB_ERR_USAGE, "there are no textures to inspect: snapshots have no forces");
  HB_TRY(hb_view_inspect_use_textures(view));
  HB_TRY(hb_inspector_open(&view->inspector));
  view->plays_passes = 0;
  return hb_window_set_share(&view->window, share_of_stars);
}

void hb_view_inspect_step(struct hb_view *view, int by)
{
  if (view->inspector) hb_inspector_step(view->inspector, by);
}

void hb_view_inspect_play(struct hb_view *view)
{
  if (!view->inspector) return;
  view->plays_passes = !view->plays_passes;
  hb_inspector_play(view->inspector, view->plays_passes);
}

void hb_view_inspect_point(struct hb_view *view, double x, double y)
{
  struct hb_inspector_texel texel;
  if (!view->inspector || !hb_inspector_hit(view->inspector, (int)x, (int)y, &texel)) return;
  view->texel = texel;
  hb_inspector_mark(view->inspector, texel.particle);
}

enum hb_status hb_view_inspect_walk(struct hb_view *view)
{
  if (!view->inspector || !has_textures(view)) return HB_OK;
  int nothing = !*hb_inspector_title(view->inspector);
  return nothing || hb_inspector_waits(view->inspector) ? hb_view_source_diagnose(&view->source) : HB_OK;
}

/* A frame around the particle that the texel under the mouse belongs to. */
static enum hb_status mark(struct hb_view *view)
{
  struct hb_window *w = &view->window;
  struct hb_particles *state;
  double at[2], depth, reach = 8 * w->text_scale, width = 1.5 * w->text_scale;
  char name[32];
  HB_TRY(hb_view_source_state(&view->source, &state));
  int seen = hb_camera_project(&w->camera, hb_particles_x(state) + 3 * view->texel.particle, at, &depth);
  hb_particles_destroy(state);
  double x = (w->scene_width + at[0] * w->height) / 2, y = (1 - at[1]) * w->height / 2;
  if (!seen || x > w->scene_width) return HB_OK;
  for (int k = -1; k <= 1; k += 2) {
    hb_paint_line(w->paint, x - reach, y + k * reach, x + reach, y + k * reach, width, 0xffd27aff);
    hb_paint_line(w->paint, x + k * reach, y - reach, x + k * reach, y + reach, width, 0xffd27aff);
  }
  snprintf(name, sizeof name, "%lld", (long long)view->texel.particle);
  hb_paint_text(w->paint, x + 1.5 * reach, y - reach, 0xffd27aff, name);
  return HB_OK;
}

enum hb_status hb_view_inspect_draw(struct hb_view *view, const struct hb_gl_target *target)
{
  struct hb_window *w = &view->window;
  if (!view->inspector) return HB_OK;
  HB_TRY(hb_inspector_draw(view->inspector, w->context, w->paint, target, w->scene_width, 0,
                           w->width - w->scene_width, w->height));
  int there = view->texel.particle >= 0 && (uint64_t)view->texel.particle < view->source.n;
  return there ? mark(view) : HB_OK;
}

/* The picture of the page: stars, and the textures behind them. */
#include "web/page.h"

#include "base/mem.h"
#include "render/coloring.h"
#include "sim/sim_device.h"

#include <stdio.h>
#include <string.h>

enum hb_status hb_page_open_picture(void)
{
  HB_TRY(hb_scene_open(page.context, hb_scene_quick_format(page.context), &page.scene));
  HB_TRY(hb_view_particles_open(page.context, &page.stars));
  page.pictures = 0;
  return hb_paint_open(page.context, &page.paint);
}

void hb_page_close_picture(void)
{
  hb_scene_close(page.scene);
  hb_view_particles_close(&page.stars);
  hb_paint_close(page.paint);
  page.scene = NULL;
  page.paint = NULL;
  page.stars = (struct hb_view_particles){0};
}

static double aspect_seen = 1.6;

void hb_page_fit(double aspect)
{
  if (aspect > 0) aspect_seen = aspect;
  hb_camera_reset(&page.camera);
  if (!page.initial) return;
  if (hb_camera_enclose(&page.camera, hb_particles_n(page.initial), hb_particles_x(page.initial),
                        aspect_seen) != HB_OK)
    hb_camera_reset(&page.camera);
}

/* ---- colors: by speed ---------------------------------------------------------------------------------- */

enum { PICTURES = 32 }; /* from one fit to the next */

static enum hb_status fit_colors(struct hb_particles *p)
{
  double *speed;
  if (page.pictures++ % PICTURES) return HB_OK;
  HB_TRY(HB_ALLOC(hb_particles_n(p), &speed));
  hb_coloring_speeds(hb_particles_n(p), hb_particles_v(p), speed);
  hb_coloring_range(hb_particles_n(p), speed, page.style.range);
  hb_mem_free(speed);
  return HB_OK;
}

/* ---- stars --------------------------------------------------------------------------------------------- */

static enum hb_status place(void)
{
  struct hb_device_particles at;
  hb_sim_on_device(page.sim, &at);
  int on_device = at.layout != HB_DEVICE_NONE;
  if (on_device && page.pictures % PICTURES) {
    page.pictures++;
    return hb_view_particles_lend(&page.stars, &at);
  }
  struct hb_particles *now;
  HB_TRY(hb_sim_state(page.sim, hb_sim_time(page.sim), &now));
  enum hb_status status = fit_colors(now);
  if (status == HB_OK)
    status =
        on_device ? hb_view_particles_lend(&page.stars, &at) : hb_view_particles_load(&page.stars, now, NULL);
  hb_particles_destroy(now);
  return status;
}

/* Those that begin: until then there is nothing else to draw them from. */
enum hb_status hb_page_show(struct hb_particles *coming)
{
  HB_TRY(hb_gl_context_use(page.context));
  page.pictures = 0;
  HB_TRY(fit_colors(coming));
  return hb_view_particles_load(&page.stars, coming, NULL);
}

static enum hb_status draw_stars(const struct hb_gl_target *target, int x, int y, int width, int height)
{
  HB_TRY(hb_scene_resize(page.scene, width, height, 1));
  if (!page.is_busy || !page.stars.at.n) HB_TRY(place());
  HB_TRY(hb_scene_begin(page.scene, &page.camera));
  HB_TRY(hb_scene_stars(page.scene, &page.stars, &page.style));
  return hb_scene_tone_map(page.scene, &page.style, target, x, y);
}

/* ---- textures ------------------------------------------------------------------------------------------ */

EMSCRIPTEN_KEEPALIVE enum hb_status page_inspect(int open)
{
  if (!open) {
    hb_inspector_close(page.inspector);
    page.inspector = NULL;
    return HB_OK;
  }
  return page.inspector ? HB_OK : hb_inspector_open(&page.inspector);
}

EMSCRIPTEN_KEEPALIVE void page_pass(int by)
{
  if (page.inspector) hb_inspector_step(page.inspector, by);
}

EMSCRIPTEN_KEEPALIVE void page_play_passes(int plays)
{
  if (page.inspector) hb_inspector_play(page.inspector, plays);
}

EMSCRIPTEN_KEEPALIVE const char *page_title(void)
{
  return page.inspector ? hb_inspector_title(page.inspector) : "";
}

/* "cg2007/acc_jerk_pot.frag otherParticle = 12": what runs in the pass on show. */
EMSCRIPTEN_KEEPALIVE const char *page_running(void)
{
  static char text[128];
  if (!page.inspector) return "";
  snprintf(text, sizeof text, "%s %s", hb_inspector_shader(page.inspector),
           hb_inspector_input(page.inspector));
  return text;
}

/* Where the inspector has no pass to show, or is to show another one: without a step. */
static enum hb_status walk(void)
{
  if (!page.inspector || !page.sim || page.is_busy || !hb_force_scheme(hb_sim_force(page.sim))->needs_gl)
    return HB_OK;
  if (*hb_inspector_title(page.inspector) && !hb_inspector_waits(page.inspector)) return HB_OK;
  struct hb_diagnostics d;
  return hb_sim_diagnose(page.sim, hb_sim_time(page.sim), &d);
}

/* The texel under a pixel in words; "" where there is none. Its particle is marked in all images. */
EMSCRIPTEN_KEEPALIVE const char *page_texel(int x, int y)
{
  static struct hb_inspector_texel texel;
  if (!page.inspector || !hb_inspector_hit(page.inspector, x, y, &texel)) return "";
  hb_inspector_mark(page.inspector, texel.particle);
  return texel.text;
}

/* ---- all of it ----------------------------------------------------------------------------------------- */

/* Stars in the rectangle x y width height, from the canvas's upper left corner, textures in the rest: to the right of it, or
 * below. `scale`: pixels of a pixel of the font. */
EMSCRIPTEN_KEEPALIVE enum hb_status page_draw(int canvas_width, int canvas_height, int width, int height,
                                              int scale)
{
  const struct hb_gl_target target = {.width = canvas_width, .height = canvas_height, .count = 1};
  if (!page.sim && !page.stars.at.n) return HB_OK;
  HB_TRY(walk());
  HB_TRY(hb_gl_context_use(page.context));
  HB_TRY(draw_stars(&target, 0, canvas_height - height, width, height));
  hb_paint_begin(page.paint, canvas_width, canvas_height, scale);
  if (page.inspector) {
    int beside = width < canvas_width;
    HB_TRY(hb_inspector_draw(page.inspector, page.context, page.paint, &target, beside ? width : 0,
                             beside ? 0 : height, beside ? canvas_width - width : canvas_width,
                             beside ? canvas_height : canvas_height - height));
  }
  return hb_paint_end(page.paint, &target);
}

/* In units of the picture's height. */
EMSCRIPTEN_KEEPALIVE void page_drag(double dx, double dy) { hb_camera_drag(&page.camera, dx, dy); }
EMSCRIPTEN_KEEPALIVE void page_pan(double dx, double dy) { hb_camera_pan(&page.camera, dx, dy); }
EMSCRIPTEN_KEEPALIVE void page_zoom(double factor) { hb_camera_zoom(&page.camera, factor); }
EMSCRIPTEN_KEEPALIVE void page_fit(double aspect) { hb_page_fit(aspect); }

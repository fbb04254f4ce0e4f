/* One canvas, whose panes show up to four runs as they are remembered (render/history.h), by one camera. Functions called show_...
 * are called by page.js; those that can fail return an hb_status, and page_error has the sentence. */
#include "web/show.h"

#include "base/mem.h"
#include "perf/machine_model.h"
#include "perf/paper.h"
#include "render/coloring.h"
#include "render/history.h"
#include "render/scene.h"

#include <holmberg/holmberg.h>

#include <emscripten.h>
#include <math.h>
#include <string.h>

enum { PANES = 4, PICTURES = 32 /* from one fit of the colors to the next */ };

struct pane {
  struct hb_history history;
  struct hb_particles *at; /* where they are drawn */
  struct hb_view_particles stars;
  struct hb_trails trails;
};

static struct {
  struct hb_gl_context *context;
  struct hb_scene *scene;
  struct hb_scene_style style;
  struct hb_camera camera;
  struct pane pane[PANES];
  int pictures;
} show;

/* ---- states that come and go ---------------------------------------------------------------------------- */

static struct {
  double *room;
  int capacity, n; /* n and t: of what was given last */
  double t;
} state;

/* 7 n doubles, valid until the next call; NULL: no memory. */
EMSCRIPTEN_KEEPALIVE double *show_room(int n)
{
  if (n <= state.capacity) return state.room;
  hb_mem_free(state.room);
  state.capacity = 0;
  if (HB_ALLOC(7 * (size_t)n, &state.room) == HB_OK) state.capacity = n;
  return state.room;
}

EMSCRIPTEN_KEEPALIVE int show_state_n(void) { return state.n; }
EMSCRIPTEN_KEEPALIVE double show_state_time(void) { return state.t; }

static enum hb_status copy(const struct hb_particles *p, int gives)
{
  double *at = show_room((int)p->n), *const parts[] = {p->m, p->x, p->v};
  if (!at) return hb_fail(HB_ERR_INTERNAL, "out of memory");
  for (size_t k = 0, count = p->n; k < 3; k++, at += count, count = 3 * p->n)
    memcpy(gives ? at : parts[k], gives ? parts[k] : at, count * sizeof *at);
  return HB_OK;
}

enum hb_status show_give(const struct hb_particles *p)
{
  state.n = (int)p->n;
  state.t = p->t;
  return copy(p, 1);
}

enum hb_status show_take(int n, double t, struct hb_particles **p)
{
  HB_TRY(hb_particles_create((size_t)n, p));
  (*p)->t = t;
  return copy(*p, 0);
}

/* ---- the context --------------------------------------------------------------------------------------- */

EMSCRIPTEN_KEEPALIVE enum hb_status show_open(void)
{
  HB_TRY(hb_gl_context_open(&(const struct hb_gl_context_params){.context = "webgl"}, &show.context));
  hb_gl_context_show(show.context);
  return hb_scene_open(show.context, hb_scene_quick_format(show.context), &show.scene);
}

/* Of all that is on the device. */
static void forget(struct pane *p)
{
  hb_trails_close(&p->trails);
  hb_view_particles_close(&p->stars);
}

/* After the context was lost: what is remembered is not. */
EMSCRIPTEN_KEEPALIVE enum hb_status show_restored(void)
{
  for (int k = 0; k < PANES; k++) forget(&show.pane[k]);
  hb_scene_close(show.scene);
  show.scene = NULL;
  hb_gl_context_show(NULL);
  hb_gl_context_close(show.context);
  return show_open();
}

/* After a shader was edited: "" or what the compiler says. */
EMSCRIPTEN_KEEPALIVE const char *show_reload(void)
{
  const char *message = "";
  if (hb_gl_context_use(show.context) == HB_OK) hb_gl_reload(show.context, &message);
  return message;
}

/* ---- states -------------------------------------------------------------------------------------------- */

static size_t count_of(const struct pane *p) { return p->history.count; }

EMSCRIPTEN_KEEPALIVE void show_end(int k)
{
  struct pane *p = &show.pane[k];
  forget(p);
  hb_history_close(&p->history);
  hb_particles_destroy(p->at);
  *p = (struct pane){0};
}

static enum hb_status add(struct pane *p)
{
  return hb_history_add(&p->history, p->at->t, p->at->x, p->at->v);
}

static enum hb_status begin(struct pane *p, int n, int lit, double t, double bytes)
{
  HB_TRY(show_take(n, t, &p->at));
  if (lit < n) HB_TRY(hb_particles_print_note(p->at, "dark", "%d", n - lit));
  HB_TRY(hb_history_open((size_t)n, (size_t)bytes, 512, &p->history));
  show.pictures = 0;
  return add(p);
}

/* Another run, of the particles in the room, `lit` of which shine; its states may take so many bytes. */
EMSCRIPTEN_KEEPALIVE enum hb_status show_begin(int k, int n, int lit, double t, double bytes)
{
  show_end(k);
  enum hb_status status = begin(&show.pane[k], n, lit, t, bytes);
  if (status != HB_OK) show_end(k);
  return status;
}

/* Its present, in the room. */
EMSCRIPTEN_KEEPALIVE enum hb_status show_add(int k, double t)
{
  struct pane *p = &show.pane[k];
  p->at->t = t;
  HB_TRY(copy(p->at, 0));
  return add(p);
}

EMSCRIPTEN_KEEPALIVE int show_count(int k) { return (int)count_of(&show.pane[k]); }
EMSCRIPTEN_KEEPALIVE int show_n(int k) { return (int)show.pane[k].history.n; }
EMSCRIPTEN_KEEPALIVE double show_time(int k, int state) { return show.pane[k].history.t[state]; }

EMSCRIPTEN_KEEPALIVE int show_before(int k, double t)
{
  return (int)hb_history_before(&show.pane[k].history, t);
}

/* One of the states, with its masses, to the room. */
EMSCRIPTEN_KEEPALIVE double *show_state(int k, int which)
{
  struct pane *p = &show.pane[k];
  size_t n = p->history.n;
  double *to = show_room((int)n);
  memcpy(to, p->at->m, n * sizeof *to);
  memcpy(to + n, p->history.state[which], 6 * n * sizeof *to);
  return to;
}

/* ---- where they are drawn ------------------------------------------------------------------------------ */

static void place(struct pane *p, double t)
{
  hb_history_at(&p->history, t, p->at->x, p->at->v);
  p->at->t = fmax(p->history.t[0], fmin(t, p->history.t[count_of(p) - 1]));
}

/* To the room. */
EMSCRIPTEN_KEEPALIVE enum hb_status show_read(const char *path)
{
  HB_OWN_PARTICLES struct hb_particles *p = NULL;
  HB_TRY(hb_snapshot_read(path, NULL, &p));
  return show_give(p);
}

EMSCRIPTEN_KEEPALIVE enum hb_status show_save(int k, double t, const char *path)
{
  place(&show.pane[k], t);
  return hb_snapshot_write(path, NULL, show.pane[k].at);
}

static enum hb_status send(void *pane, double t)
{
  struct pane *p = pane;
  place(p, t);
  if (!p->stars.context) HB_TRY(hb_view_particles_open(show.context, &p->stars));
  return hb_view_particles_load(&p->stars, p->at, NULL);
}

/* x[3 n] at time t, for a page that cannot draw them here. */
EMSCRIPTEN_KEEPALIVE double *show_placed(int k, double t)
{
  struct pane *p = &show.pane[k];
  if (!p->at) return NULL;
  place(p, t);
  return p->at->x;
}

static enum hb_status fit_colors(const struct pane *p)
{
  if (show.pictures++ % PICTURES) return HB_OK;
  return hb_coloring_fit(p->history.n, p->at->v, NULL, show.style.range);
}

/* Pane k at time t, INFINITY: the present, in a rectangle of the canvas, from its lower left corner; with trails as long as that
 * in time, 0: none. Nothing where no state has come. */
EMSCRIPTEN_KEEPALIVE enum hb_status show_draw(int k, double t, double length, int x, int y, int width,
                                              int height, int canvas_width, int canvas_height)
{
  struct pane *p = &show.pane[k];
  const struct hb_gl_target target = {.width = canvas_width, .height = canvas_height, .count = 1};
  if (!count_of(p)) return HB_OK;
  HB_TRY(hb_gl_context_use(show.context));
  HB_TRY(send(p, t));
  HB_TRY(fit_colors(p));
  const struct hb_trails_past past = {p->history.t[0], send, p};
  if (length > 0) HB_TRY(hb_trails_follow(&p->trails, &p->stars, length, &past));
  HB_TRY(hb_scene_resize(show.scene, width, height, 1));
  HB_TRY(hb_scene_begin(show.scene, &show.camera));
  if (length > 0) HB_TRY(hb_scene_trails(show.scene, &p->trails, &p->stars, length, &show.style));
  HB_TRY(hb_scene_stars(show.scene, &p->stars, &show.style));
  HB_TRY(hb_scene_enlarge(show.scene, &show.style, &target, x, y, width, height));
  return hb_gl_context_check(show.context, "drawing");
}

/* ---- the camera, in units of the picture's height ------------------------------------------------------- */

EMSCRIPTEN_KEEPALIVE void show_drag(double dx, double dy) { hb_camera_drag(&show.camera, dx, dy); }
EMSCRIPTEN_KEEPALIVE void show_pan(double dx, double dy) { hb_camera_pan(&show.camera, dx, dy); }
EMSCRIPTEN_KEEPALIVE void show_zoom(double factor) { hb_camera_zoom(&show.camera, factor); }

/* center[3], axis[3][3], distance, field of view. */
EMSCRIPTEN_KEEPALIVE double *show_camera(void) { return (double *)&show.camera; }

/* It sees all of the first run's first state. */
EMSCRIPTEN_KEEPALIVE void show_fit(double aspect)
{
  const struct hb_history *h = &show.pane[0].history;
  hb_camera_reset(&show.camera);
  if (h->count && hb_camera_enclose(&show.camera, h->n, h->state[0], aspect) != HB_OK)
    hb_camera_reset(&show.camera);
}

/* ---- the machines of 2007 -------------------------------------------------------------------------------- */

EMSCRIPTEN_KEEPALIVE const char *show_ghost_name(int machine) { return hb_machines[machine].name; }

/* Seconds of a time unit of n stars: as printed, or if they are by the paper's model, negative. */
EMSCRIPTEN_KEEPALIVE double show_ghost(int machine, int n)
{
  int is_printed;
  double seconds = hb_paper_seconds(machine, (size_t)n, &is_printed);
  return is_printed ? seconds : -seconds;
}

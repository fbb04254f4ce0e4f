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

enum { PANES = 4, ENTRIES = 48 /* of trails */, PICTURES = 32 /* from one fit of the colors to the next */ };

struct pane {
  struct hb_history history;
  struct hb_view_particles stars;
  struct hb_trails trails;
  double *m, *x, *v; /* [n], [3 n] where they are drawn */
  double t;          /* of x and v                      */
  double mass;       /* of a typical star               */
  size_t lit;        /* the others are dark             */
};

static struct {
  struct hb_gl_context *context;
  struct hb_scene *scene;
  struct hb_scene_style style;
  struct hb_camera camera;
  struct pane pane[PANES];
  int pictures;
} show;

double *show_buffer(int n)
{
  static double *buffer;
  static int capacity;
  if (n <= capacity) return buffer;
  hb_mem_free(buffer);
  capacity = 0;
  if (HB_ALLOC(7 * (size_t)n, &buffer) != HB_OK) return buffer = NULL;
  capacity = n;
  return buffer;
}

EMSCRIPTEN_KEEPALIVE double *show_room(int n) { return show_buffer(n); }

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
  hb_mem_free(p->m);
  hb_mem_free(p->x);
  hb_mem_free(p->v);
  *p = (struct pane){0};
}

static double mean(size_t n, const double *x)
{
  double sum = 0;
  for (size_t k = 0; k < n; k++) sum += x[k];
  return sum / (double)n;
}

static enum hb_status begin(struct pane *p, size_t n, size_t lit, size_t bytes)
{
  HB_TRY(hb_history_open(n, bytes, 512, &p->history));
  HB_TRY(HB_ALLOC(n, &p->m));
  HB_TRY(HB_ALLOC(3 * n, &p->x));
  HB_TRY(HB_ALLOC(3 * n, &p->v));
  memcpy(p->m, show_buffer((int)n), n * sizeof *p->m);
  p->lit = lit;
  p->mass = mean(lit, p->m);
  show.pictures = 0;
  return HB_OK;
}

/* Another run, of the particles in the buffer, `lit` of which shine; its states may take so many bytes. */
EMSCRIPTEN_KEEPALIVE enum hb_status show_begin(int k, int n, int lit, double t, double bytes)
{
  struct pane *p = &show.pane[k];
  show_end(k);
  enum hb_status status = begin(p, (size_t)n, (size_t)lit, (size_t)bytes);
  const double *x = show_buffer(n) + n;
  if (status == HB_OK) status = hb_history_add(&p->history, t, x, x + (size_t)3 * (size_t)n);
  if (status != HB_OK) show_end(k);
  return status;
}

/* Its present, in the buffer. */
EMSCRIPTEN_KEEPALIVE enum hb_status show_add(int k, double t)
{
  struct pane *p = &show.pane[k];
  size_t n = p->history.n;
  const double *x = show_buffer((int)n) + n;
  return hb_history_add(&p->history, t, x, x + 3 * n);
}

EMSCRIPTEN_KEEPALIVE int show_count(int k) { return (int)count_of(&show.pane[k]); }
EMSCRIPTEN_KEEPALIVE int show_n(int k) { return (int)show.pane[k].history.n; }
EMSCRIPTEN_KEEPALIVE double show_time(int k, int state) { return show.pane[k].history.t[state]; }

EMSCRIPTEN_KEEPALIVE int show_before(int k, double t)
{
  return (int)hb_history_before(&show.pane[k].history, t);
}

/* One of the states, with its masses, to the buffer. */
EMSCRIPTEN_KEEPALIVE double *show_state(int k, int state)
{
  struct pane *p = &show.pane[k];
  size_t n = p->history.n;
  double *to = show_buffer((int)n);
  memcpy(to, p->m, n * sizeof *to);
  memcpy(to + n, p->history.state[state], 6 * n * sizeof *to);
  return to;
}

/* ---- files: a moment of what is remembered, and a state that is to be ---- */

static struct {
  int n;
  double t;
} read;

EMSCRIPTEN_KEEPALIVE int show_read_n(void) { return read.n; }
EMSCRIPTEN_KEEPALIVE double show_read_time(void) { return read.t; }

/* To the buffer. */
EMSCRIPTEN_KEEPALIVE enum hb_status show_read(const char *path)
{
  struct hb_particles *p;
  HB_TRY(hb_snapshot_read(path, NULL, &p));
  size_t n = hb_particles_n(p);
  double *to = show_buffer((int)n);
  if (to) {
    memcpy(to, hb_particles_m(p), n * sizeof *to);
    memcpy(to + n, hb_particles_x(p), 3 * n * sizeof *to);
    memcpy(to + 4 * n, hb_particles_v(p), 3 * n * sizeof *to);
  }
  read.n = (int)n;
  read.t = hb_particles_time(p);
  hb_particles_destroy(p);
  return to ? HB_OK : hb_fail(HB_ERR_INTERNAL, "out of memory");
}

EMSCRIPTEN_KEEPALIVE enum hb_status show_save(int k, double t, const char *path)
{
  const struct pane *from = &show.pane[k];
  size_t n = from->history.n;
  struct hb_particles *p;
  HB_TRY(hb_particles_create(n, &p));
  memcpy(hb_particles_m(p), from->m, n * sizeof(double));
  hb_history_at(&from->history, t, hb_particles_x(p), hb_particles_v(p));
  hb_particles_set_time(p, t);
  enum hb_status status = hb_snapshot_write(path, NULL, p);
  hb_particles_destroy(p);
  return status;
}

/* ---- where they are drawn ------------------------------------------------------------------------------ */

static enum hb_status send(struct pane *p)
{
  if (!p->stars.context) HB_TRY(hb_view_particles_open(show.context, &p->stars));
  HB_TRY(hb_view_particles_send(&p->stars, p->history.n, p->m, p->x, p->v, p->t, NULL));
  p->stars.lit = p->lit;
  p->stars.mass = p->mass;
  return HB_OK;
}

static void move(struct pane *p, double t)
{
  hb_history_at(&p->history, t, p->x, p->v);
  p->t = fmax(p->history.t[0], fmin(t, p->history.t[count_of(p) - 1]));
}

static enum hb_status place(struct pane *p, double t)
{
  move(p, t);
  return send(p);
}

/* x[3 n] at time t, for a page that cannot draw them here. */
EMSCRIPTEN_KEEPALIVE double *show_placed(int k, double t)
{
  struct pane *p = &show.pane[k];
  if (count_of(p)) move(p, t);
  return p->x;
}

static double youngest(const struct hb_trails *trails)
{
  return trails->count ? trails->t[(trails->next + trails->capacity - 1) % trails->capacity] : -INFINITY;
}

static enum hb_status add_to_trail(struct pane *p, double length)
{
  hb_trails_thin(&p->trails, length / ENTRIES);
  return hb_trails_add(&p->trails, &p->stars);
}

/* As long as `length`, ending where the stars are now: by one more entry, or if it was cut or time went back, anew. */
static enum hb_status trail(struct pane *p, double length)
{
  struct hb_trails *trails = &p->trails;
  double t = p->t, last;
  if (trails->n != p->history.n) {
    hb_trails_close(trails);
    HB_TRY(hb_trails_open(show.context, p->history.n, ENTRIES, trails));
  }
  last = youngest(trails);
  if (last == t) return HB_OK;
  if (t > last && t - last < length / 4) return add_to_trail(p, length);
  hb_trails_clear(trails);
  double from = fmax(p->history.t[0], t - length);
  for (int k = 0; k < ENTRIES && t > from; k++) {
    HB_TRY(place(p, from + (t - from) * k / (ENTRIES - 1)));
    HB_TRY(hb_trails_add(trails, &p->stars));
  }
  return place(p, t);
}

static enum hb_status fit_colors(const struct pane *p)
{
  if (show.pictures++ % PICTURES) return HB_OK;
  return hb_coloring_fit(p->history.n, p->v, NULL, show.style.range);
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
  HB_TRY(place(p, t));
  HB_TRY(fit_colors(p));
  if (length > 0) HB_TRY(trail(p, length));
  HB_TRY(hb_scene_resize(show.scene, width, height, 1));
  HB_TRY(hb_scene_begin(show.scene, &show.camera));
  if (length > 0) HB_TRY(hb_scene_trails(show.scene, &p->trails, &p->stars, length, &show.style));
  HB_TRY(hb_scene_stars(show.scene, &p->stars, &show.style));
  HB_TRY(hb_scene_tone_map(show.scene, &show.style, &target, x, y));
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

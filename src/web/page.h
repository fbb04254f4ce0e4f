/* The page around the library, as its script sees it: one simulation on the canvas. Functions called page_... are called by
 * page.js; those that can fail return an hb_status, and page_error has the sentence. */
#ifndef HB_WEB_PAGE_H
#define HB_WEB_PAGE_H

#include "gl/gl_context.h"
#include "inspect/inspector.h"
#include "render/scene.h"

#include <holmberg/diagnostics.h>

#include <emscripten.h>

/* Everything there is. */
struct page {
  struct hb_gl_context *context;

  /* the simulation */
  struct hb_sim *sim;
  struct hb_particles *initial; /* what it began with, and what starting over begins with */
  char model[64];
  struct hb_diagnostics energy_begin, energy; /* at the beginning, and when last asked */
  unsigned told;                              /* warnings that were given: page.c */
  double force_error;                         /* of page_check */
  double step_s;                              /* time spent in steps */
  int is_busy; /* a call about it has not returned yet, perhaps because it sleeps: web_gl.h */

  /* the picture */
  struct hb_scene *scene;
  struct hb_view_particles stars;
  struct hb_scene_style style;
  struct hb_camera camera;
  struct hb_paint *paint;
  struct hb_inspector *inspector; /* NULL: closed */
  int pictures;                   /* since the colors were last fitted */
};

extern struct page page;

/* The settings: page.c. */
struct hb_sim_params hb_page_params(void);

/* Opens and closes what is in the context: page_draw.c. */
enum hb_status hb_page_open_picture(void);
void hb_page_close_picture(void);

/* The stars that are drawn while a simulation of them begins: page_draw.c. */
enum hb_status hb_page_show(struct hb_particles *coming);

/* The camera sees all of the particles. */
void hb_page_fit(double aspect);

#endif

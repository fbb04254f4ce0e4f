/* The settings of `holmberg view`. */
#ifndef HB_VIEW_SETTINGS_H
#define HB_VIEW_SETTINGS_H

#include "render/coloring.h"
#include "run/run_settings.h"

/* As given, from cmd_view.c. */
struct hb_view_settings {
  struct hb_run_settings run;
  size_t n; /* particles of a model; 0: the model's default */
  uint64_t seed;
  int width, height; /* points */
  double scale;      /* size of text; 0: as the screen suggests */
  int paused, inspect, plain, trails;
  enum hb_coloring color;
  uint64_t groups;
  double rate;      /* snapshots per second of a series                           */
  double speed;     /* time units a second; 0: that of what is shown              */
  int fps;          /* of a movie: a picture is 1 / fps of a second on the clock  */
  double cycle_s;   /* another model after so long; 0: never                    */
  const char *race; /* schemes with commas; NULL: none */
  const char *script, *record;
  double seconds; /* of the record */
};

#endif

/* What stars are colored by: its names, its values and their range. */
#ifndef HB_COLORING_H
#define HB_COLORING_H

#include "base/status.h"
#include "render/scene.h"

enum hb_coloring {
  HB_COLORING_SPEED, /* computed on the device from the drawn velocities    */
  HB_COLORING_ACC,   /* its logarithm                                       */
  HB_COLORING_ENERGY,
  HB_COLORING_STEP,  /* its logarithm                                       */
  HB_COLORING_GROUP, /* equal parts of the particles, in order              */
  HB_COLORING_MASS,  /* its logarithm                                       */
  HB_COLORING_BOUND, /* singles, binaries, triples ... like groups          */
  HB_COLORING_AGE,   /* of the step; only in a running simulation           */
  HB_COLORING_COUNT
};

/* As on the command line, NULL after the last; and as shown to the user. */
const char *hb_coloring_name(size_t k);
const char *hb_coloring_label(enum hb_coloring coloring);

/* The way in which a scene colors by it. */
enum hb_scene_color hb_coloring_scene(enum hb_coloring coloring);

/* The quantity behind a value, which may be its logarithm (base 10). */
double hb_coloring_number(enum hb_coloring coloring, double value);

/* value[n] of a simulation's particles; all but GROUP. Errors: those of hb_sim_quantity. */
enum hb_status hb_coloring_of_sim(enum hb_coloring coloring, struct hb_sim *sim, size_t n, double *value);

/* SPEED and GROUP. */
void hb_coloring_speeds(size_t n, const double *v, double *value);
void hb_coloring_groups(size_t n, size_t groups, double *value);

/* The range of the values without a few outliers at either end; reorders them. */
void hb_coloring_range(size_t n, double *value, double range[2]);

/* The same of value[n], which stay as they are, or of the speeds v[3 * n] where value is NULL. */
enum hb_status hb_coloring_fit(size_t n, const double *v, const double *value, double range[2]);

#endif

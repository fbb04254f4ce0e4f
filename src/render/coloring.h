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

/* As on the command line, NULL after the last. */
const char *hb_coloring_name(size_t k);

/* As shown to the user; and the quantities behind a range of values, which may be their logarithms (base 10). */
const char *hb_coloring_label(enum hb_coloring coloring, const double range[2], double numbers[2]);

/* The way in which a scene colors by it. */
enum hb_scene_color hb_coloring_scene(enum hb_coloring coloring);

/* value[n] of a simulation's particles; all but GROUP. Errors: those of hb_sim_quantity. */
enum hb_status hb_coloring_of_sim(enum hb_coloring coloring, struct hb_sim *sim, size_t n, double *value);

/* GROUP. */
void hb_coloring_groups(size_t n, size_t groups, double *value);

/* The range of value[n] without a few outliers at either end, or of the speeds v[3 * n] where value is NULL. */
enum hb_status hb_coloring_fit(size_t n, const double *v, const double *value, double range[2]);

#endif

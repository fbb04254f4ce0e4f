/* What stars are colored by: the words for it, the numbers behind it, their range. */
#ifndef HB_COLORING_H
#define HB_COLORING_H

#include "base/status.h"
#include "render/scene.h"

enum hb_coloring {
  HB_COLORING_SPEED, /* taken from the drawn velocities on the device       */
  HB_COLORING_ACC,   /* its logarithm                                       */
  HB_COLORING_ENERGY,
  HB_COLORING_STEP,  /* its logarithm                                       */
  HB_COLORING_GROUP, /* equal parts of the particles, one after the other   */
  HB_COLORING_AGE,   /* of the step; only while steps are done              */
  HB_COLORING_COUNT
};

/* As on the command line, NULL behind the last; and as a person reads it. */
const char *hb_coloring_name(size_t k);
const char *hb_coloring_label(enum hb_coloring coloring);

/* How a scene colors by it. */
enum hb_scene_color hb_coloring_scene(enum hb_coloring coloring);

/* The number of a value: what is colored by its logarithm (base 10) comes back. */
double hb_coloring_number(enum hb_coloring coloring, double value);

/* value[n] of a simulation's particles; ACC, ENERGY, STEP, AGE. Errors: those of hb_sim_quantity. */
enum hb_status hb_coloring_of_sim(enum hb_coloring coloring, struct hb_sim *sim, size_t n, double *value);

/* SPEED and GROUP. */
void hb_coloring_speeds(struct hb_particles *particles, double *value);
void hb_coloring_groups(size_t n, size_t groups, double *value);

/* All values but those of a few outliers at either end lie in range; sorts them. */
void hb_coloring_range(size_t n, double *value, double range[2]);

#endif

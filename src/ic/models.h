/* Initial conditions: the models are rows of a table in ic.c. */
#ifndef HB_MODELS_H
#define HB_MODELS_H

#include "base/rng.h"
#include "core/particles.h"

/* A spherical model, ready to be drawn from. Mass and G are 1; the length is the model's own. */
struct hb_ic_sphere {
  void (*draw)(const struct hb_ic_sphere *sphere, struct hb_rng *rng, double x[3], double v[3]);
  double length; /* its unit of length where U = -1/2; 0: the model keeps its own */
  double reach;  /* no star is farther out, in its unit of length; 0: no such end */
  double number; /* for draw */
  void *table;   /* for draw, freed with hb_mem_free; nullable */
};

struct hb_ic_ops {
  struct hb_ic_model info;
  /* The softening that it means, where make writes no note of it; of a cluster, if its stars have one mass. */
  double eps;
  /* One of the three. Bodies m x v as they are: 7 numbers for each of info.n. */
  const double (*bodies)[7];
  /* Fills m, x, v of particles->n particles (all zero before). params are checked and complete. */
  enum hb_status (*make)(const struct hb_ic_ops *model, const struct hb_ic_params *params,
                         struct hb_particles *particles);
  /* Where info.is_cluster; cluster.c does the rest. */
  enum hb_status (*open)(const struct hb_ic_params *params, struct hb_ic_sphere *sphere);
};

enum hb_status hb_galaxy_make(const struct hb_ic_ops *model, const struct hb_ic_params *params,
                              struct hb_particles *particles);
enum hb_status hb_galaxy_make_two(const struct hb_ic_ops *model, const struct hb_ic_params *params,
                                  struct hb_particles *particles);

#endif

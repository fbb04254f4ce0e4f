/* Initial conditions, one model per file; the registry is in ic.c. */
#ifndef HB_IC_H
#define HB_IC_H

#include "base/rng.h"
#include "core/particles.h"

/* The most particles of models that allow any number: indices stay exact in a float. */
#define IC_N_MAX ((size_t)1 << 24)

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
  double
      eps; /* the softening that it means, where make writes no note of it; of a cluster, if its stars have one mass */
  /* Fills m, x, v of particles->n particles (all zero before). params are checked and complete. */
  enum hb_status (*make)(const struct hb_ic_params *params, struct hb_particles *particles);
  /* In place of make, where info.is_cluster: cluster.c does the rest. */
  enum hb_status (*open)(const struct hb_ic_params *params, struct hb_ic_sphere *sphere);
};

extern const struct hb_ic_ops hb_ic_plummer, hb_ic_king, hb_ic_twobody, hb_ic_figure8, hb_ic_pythagorean,
    hb_ic_coldsphere, hb_ic_cube, hb_ic_holmberg1941, hb_ic_disc, hb_ic_merger;

enum { HB_IC_DEMO_COUNT = 7 };
extern const struct hb_ic_ops hb_ic_demos[HB_IC_DEMO_COUNT];

#endif

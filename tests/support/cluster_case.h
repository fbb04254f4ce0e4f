/* Clusters under test. */
#ifndef CLUSTER_CASE_H
#define CLUSTER_CASE_H

#include "support/ic_case.h"

struct hb_particles *cluster_make(const char *model, size_t n, struct hb_ic_cluster cluster);

/* Kinetic energy over the absolute potential energy. */
double cluster_virial_ratio(const struct hb_particles *particles);

/* Binaries, the first pairs of stars in the list, and single stars as points. */
struct hb_particles *cluster_systems(struct hb_particles *stars, size_t pairs);

/* 0 below 0, 1 above 1. */
double cluster_uniform(double u);

#endif

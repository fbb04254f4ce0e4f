/* A star cluster: the stars of a spherical model with masses, substructure, binaries and so on. */
#ifndef HB_CLUSTER_H
#define HB_CLUSTER_H

#include "ic/ic.h"

/* Checks params->cluster of a model with is_cluster and puts defaults in place of its zeros. params->n becomes the number
 * of masses where a file gives them. Errors: HB_ERR_USAGE; HB_ERR_IO, HB_ERR_INPUT (that file). */
enum hb_status hb_cluster_check(const struct hb_ic_model *model, struct hb_ic_params *params);

/* Whether nothing but the plain model is asked for. */
int hb_cluster_is_plain(const struct hb_ic_cluster *cluster);

/* Fills particles. params are checked. Errors: HB_ERR_INTERNAL, HB_ERR_USAGE. */
enum hb_status hb_cluster_make(const struct hb_ic_ops *model, const struct hb_ic_params *params,
                               struct hb_particles *particles);

#endif

/* Particles that stay on the device from step to step ([PZ07] Fig. 5), beside the all-pairs engine that walks them: only
 * blocks are transferred; the device predicts and, on request, corrects. See shaders/hermite. */
#ifndef HB_RESIDENT_H
#define HB_RESIDENT_H

#include "force/force.h"
#include "pairs/pairs.h"

struct hb_resident;

/* For n particles beside pairs, which is not owned. Errors: HB_ERR_GL (limits). */
enum hb_status hb_resident_create(struct hb_pairs *pairs, size_t n, struct hb_resident **resident);
void hb_resident_destroy(struct hb_resident *resident);

/* Sends the particles index[ni] of p; index NULL: the first ni. */
enum hb_status hb_resident_put(struct hb_resident *resident, const struct hb_force_particles *p, size_t ni,
                               const uint32_t *index);

/* All particles predicted to a time dt[level] after their own, as the sources of the engine. */
enum hb_status hb_resident_predict(struct hb_resident *resident, const double dt[HB_FORCE_LEVELS]);

/* HB_ERR_DEVICE where a draw that stored or predicted them was lost; to be called after reading forces from them. */
enum hb_status hb_resident_check(struct hb_resident *resident);

/* Forces on the sinks index[ni] from the predicted sources, correction, and the steps of eq. 9, step[ni]. The state
 * does not change where it fails; else hb_resident_settle is to follow, with the levels level[ni] at which they go on. ahead,
 * nullable: as in hb_force_correct. last, nullable: waits for the device to take the time of each phase.
 * Errors: HB_ERR_DEVICE (a draw was lost), HB_ERR_NUMERIC (names the particle). */
enum hb_status hb_resident_correct(struct hb_resident *resident, size_t ni, const uint32_t *index,
                                   const struct hb_force_step *how, const double *ahead, double *step,
                                   struct hb_phases *last);
enum hb_status hb_resident_settle(struct hb_resident *resident, size_t ni, const uint32_t *index,
                                  const uint8_t *level);

/* x v a j of all particles at their own times. */
enum hb_status hb_resident_get(struct hb_resident *resident, struct hb_force_particles *p);

#endif

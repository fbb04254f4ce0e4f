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

/* Bytes of the device for each particle, beside those of the engine, in blocks of all of them. */
double hb_resident_memory(const struct hb_interaction *interaction, enum hb_precision precision);

/* Sends the particles index[ni] of p; index NULL: the first ni. */
enum hb_status hb_resident_put(struct hb_resident *resident, const struct hb_force_particles *p, size_t ni,
                               const uint32_t *index);

/* All particles predicted to a time dt[level] after their own, as the sources of the engine. */
enum hb_status hb_resident_predict(struct hb_resident *resident, const double dt[HB_FORCE_LEVELS]);

/* HB_ERR_DEVICE where a draw that stored or predicted them was lost; to be called with the accelerations a[3 * ni] that were
 * read since. */
enum hb_status hb_resident_check(struct hb_resident *resident, size_t ni, const double *a);

/* Forces on the sinks index[ni] from the predicted sources, correction, and the steps of eq. 9, step[ni]. The state
 * does not change where it fails; else hb_resident_settle is to follow, with the levels level[ni] at which they go on. ahead,
 * nullable: as in hb_force_correct. last, nullable: waits for the device to take the time of each phase. news, nullable: as
 * in the op.
 * Errors: HB_ERR_DEVICE (a draw was lost), HB_ERR_NUMERIC (names the particle). */
enum hb_status hb_resident_correct(struct hb_resident *resident, size_t ni, const uint32_t *index,
                                   const struct hb_force_step *how, const double *ahead, double *step,
                                   struct hb_phases *last, struct hb_force_news *news);
enum hb_status hb_resident_settle(struct hb_resident *resident, size_t ni, const uint32_t *index,
                                  const uint8_t *level);

/* As the ops of these names in force.h. Errors: HB_ERR_GL (this way to keep particles cannot), HB_ERR_DEVICE. */
enum hb_status hb_resident_take(struct hb_resident *resident, size_t ni, const uint32_t *index,
                                struct hb_force_news *news);
enum hb_status hb_resident_give(struct hb_resident *resident, const struct hb_force_news *news);
enum hb_status hb_resident_predict_ahead(struct hb_resident *resident, const double dt[HB_FORCE_LEVELS]);
void hb_resident_undo(struct hb_resident *resident, size_t ni, const uint32_t *index);

/* x v a j of all particles at their own times. */
enum hb_status hb_resident_get(struct hb_resident *resident, struct hb_force_particles *p);

#endif

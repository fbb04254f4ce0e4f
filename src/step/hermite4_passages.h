/* Encounters without groups: pairs of stars that come as near as a group forms (groups.h). They are only told, and change no step. */
#ifndef HB_HERMITE4_PASSAGES_H
#define HB_HERMITE4_PASSAGES_H

#include "step/hermite4.h"

/* Two stars that were told and have not parted since. */
struct hb_passage {
  uint32_t i, k; /* i < k */
};

struct hb_passages {
  struct hb_groups scale; /* what is close: r_close and m_mean alone */
  struct hb_passage *at;
  size_t count, capacity;
};

/* After the block of ni particles at tick T is scheduled, if encounters are watched. A softened run has none, nor has one that is
 * corrected on the device. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_hermite4_tell_passages(struct hb_hermite4 *hermite4, uint64_t T, size_t ni);
void hb_passages_close(struct hb_passages *passages);

/* Particles change their numbers to number[n], of which those that are HB_GROUPS_PARKED vanish. */
void hb_passages_renumber(struct hb_passages *passages, const uint32_t *number);

/* Sections "passages" and "passages.scale" of a checkpoint, and back if it has them. Errors: HB_ERR_INPUT, HB_ERR_INTERNAL. */
enum hb_status hb_passages_put(const struct hb_passages *passages, struct hb_sections *sections);
enum hb_status hb_passages_get(const struct hb_sections *sections, struct hb_hermite4 *hermite4);

#endif

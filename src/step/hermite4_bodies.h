/* Bodies of a Hermite run that touch or escape: hermite4_bodies.c decides, hermite4_merge.c makes one of two,
 * hermite4_touch.c knows who was told to touch, hermite4_escape.c finds escapers, hermite4_drop.c lets particles vanish. All of it depends on the state alone, and happens at times of blocks. */
#ifndef HB_HERMITE4_BODIES_H
#define HB_HERMITE4_BODIES_H

#include "step/hermite4.h"

/* A particle of the block that may have touched one with mass in its last step, dt. */
struct hb_suspect {
  uint32_t i, other; /* whom it has touched; itself: nobody */
  double dt;
};

/* collisions = stop: two that were told to touch and have not been found apart since; or that were, but who will still look back
 * to before then. */
struct hb_touch {
  uint32_t i, k;  /* i < k */
  uint64_t apart; /* the last block in which they were; HB_TOUCHING: none since */
};
#define HB_TOUCHING UINT64_MAX

enum hb_body { HB_BODY_STAYS = 0, HB_BODY_IS_NEW = 1, HB_BODY_IS_GONE = 2 };

struct hb_bodies {
  double eps;                  /* softening */
  double m_least, radius_most; /* of those with mass */
  struct hb_suspect *suspect;  /* [suspects] of [n] */
  size_t suspects;
  uint8_t *fate;          /* [n] enum hb_body, in the present step */
  uint32_t *number;       /* [n] scratch */
  double *phi;            /* [n] of the block, where escapers are looked for at its time; else NULL */
  uint8_t *listed;        /* [n] whether it has escaped already, by order; NULL: escapers are not listed */
  struct hb_touch *touch; /* [touches] of [touch_capacity], ascending */
  size_t touches, touch_capacity;
  double e_lost; /* energy that went with the merged and the escaped */
  uint64_t merged, escaped;
};

/* ---- hermite4_merge.c ---- */

/* Merges or, for collisions = stop, reports what has touched at tick T. Places are xp vp. */
enum hb_status hb_bodies_collide(struct hb_hermite4 *hermite4, uint64_t T);

/* ---- hermite4_touch.c ---- */

/* NULL: it was not told that they touch, or they have been apart since. Whether they still touch. */
const struct hb_touch *hb_touches_find(const struct hb_bodies *bodies, uint32_t i, uint32_t k);
int hb_touches_last(const struct hb_bodies *bodies, uint32_t i, uint32_t k);

/* They have just been told. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_touches_add(struct hb_bodies *bodies, uint32_t i, uint32_t k);

/* From i to k at tick T, also of members of groups that are there; places of nodes are xp vp. */
void hb_bodies_between(const struct hb_hermite4 *hermite4, uint64_t T, uint32_t i, uint32_t k, double r[3],
                       double v[3]);

/* Which of them are apart at tick T, where xp vp are. */
void hb_touches_part(struct hb_hermite4 *hermite4, uint64_t T);

/* Particles change their numbers to number[n], of which those that are HB_GROUPS_PARKED vanish. */
void hb_touches_renumber(struct hb_bodies *bodies, const uint32_t *number);

/* Section "bodies.touches" of a checkpoint, if there are any, and back if it has one. Errors: HB_ERR_INPUT, HB_ERR_INTERNAL. */
enum hb_status hb_touches_put(const struct hb_bodies *bodies, struct hb_sections *sections);
enum hb_status hb_touches_get(const struct hb_sections *sections, struct hb_hermite4 *hermite4);

/* ---- hermite4_escape.c ---- */

/* Removes or reports escapers of the block at tick T, a multiple of dt_max. */
enum hb_status hb_bodies_escape(struct hb_hermite4 *hermite4, uint64_t T, size_t ni);

/* ---- hermite4_drop.c ---- */

/* m_least and radius_most. */
void hb_bodies_measure(struct hb_hermite4 *hermite4);

/* Those that are gone leave all arrays; those that are new get forces and steps; *ni of the block, and the new, are the block. */
enum hb_status hb_bodies_drop(struct hb_hermite4 *hermite4, uint64_t T, size_t *ni);

#endif

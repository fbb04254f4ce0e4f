/* Bodies of a Hermite run that touch or escape: hermite4_bodies.c decides, hermite4_merge.c makes one of two,
 * hermite4_escape.c finds escapers, hermite4_drop.c lets particles vanish. All of it depends on the state alone, and happens at times of blocks. */
#ifndef HB_HERMITE4_BODIES_H
#define HB_HERMITE4_BODIES_H

#include "step/hermite4.h"

/* A particle of the block that may have touched one with mass in its last step, dt. */
struct hb_suspect {
  uint32_t i, other; /* whom it has touched; itself: nobody */
  double dt, x[3];   /* where it was before that step */
};

enum hb_body { HB_BODY_STAYS = 0, HB_BODY_IS_NEW = 1, HB_BODY_IS_GONE = 2 };

struct hb_bodies {
  double eps;                  /* softening */
  double m_least, radius_most; /* of those with mass */
  struct hb_suspect *suspect;  /* [suspects] of [n] */
  size_t suspects;
  uint8_t *fate;    /* [n] enum hb_body, in the present step */
  uint32_t *number; /* [n] scratch */
  double *phi;      /* [n] of the block, where escapers are looked for at its time; else NULL */
  uint8_t *listed;  /* [n] whether it has escaped already, by order; NULL: escapers are not listed */
  double e_lost;    /* energy that went with the merged and the escaped */
  uint64_t merged, escaped;
};

/* ---- hermite4_merge.c ---- */

/* Merges or, for collisions = stop, reports what has touched at tick T. Places are xp vp. */
enum hb_status hb_bodies_collide(struct hb_hermite4 *hermite4, uint64_t T);

/* ---- hermite4_escape.c ---- */

/* Removes or reports escapers of the block at tick T, a multiple of dt_max. */
enum hb_status hb_bodies_escape(struct hb_hermite4 *hermite4, uint64_t T, size_t ni);

/* ---- hermite4_drop.c ---- */

/* m_least and radius_most. */
void hb_bodies_measure(struct hb_hermite4 *hermite4);

/* Those that are gone leave all arrays; those that are new get forces and steps; *ni of the block, and the new, are the block. */
enum hb_status hb_bodies_drop(struct hb_hermite4 *hermite4, uint64_t T, size_t *ni);

#endif

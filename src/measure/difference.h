/* How much two sets of particles differ. */
#ifndef HB_DIFFERENCE_H
#define HB_DIFFERENCE_H

#include <holmberg/holmberg.h>

/* Of masses, or of the lengths of the differences of vectors. */
struct hb_difference_of {
  double largest, rms;
  uint64_t id; /* of the particle with the largest */
};

/* All zero where nothing is matched. */
struct hb_difference {
  size_t matched, only_a, only_b; /* particles with the same identity, and the others */
  int same_bits;                  /* the same particles at the same time, bit for bit; -0 is not 0 */
  double dt;                      /* of b less that of a */
  struct hb_difference_of m, x, v;
};

/* Puts the numbers of b into the units of a, if both have units; *how says what was done. Errors: HB_ERR_INPUT. */
enum hb_units_match { HB_UNITS_SAME, HB_UNITS_CONVERTED, HB_UNITS_ONLY_A, HB_UNITS_ONLY_B };
enum hb_status hb_difference_units(const struct hb_particles *a, struct hb_particles *b,
                                   enum hb_units_match *how);

/* Errors: HB_ERR_INPUT if an identity occurs twice in one of them; HB_ERR_INTERNAL. */
enum hb_status hb_difference_find(const struct hb_particles *a, const struct hb_particles *b,
                                  struct hb_difference *difference);

#endif

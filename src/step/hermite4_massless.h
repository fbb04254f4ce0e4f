/* The energy of test particles. No sum over a system has it: it is not conserved where stars move. But whatever the forces, what a
 * step adds to v^2 / 2 is their work along the way, the integral of v . a. That is taken from a, j at both ends; by how much
 * the steps' v^2 / 2 differs from it in the end is the energy that the integrator has made. In a field it is Jacobi's. */
#ifndef HB_HERMITE4_MASSLESS_H
#define HB_HERMITE4_MASSLESS_H

#include "step/hermite4.h"

struct hb_massless_watch {
  double *made;           /* [n] energy per mass that the steps of a particle have made */
  double *before, *depth; /* [n] scratch of a step: v^2 / 2 and the first half of the work; -phi */
  struct hb_energy_made worst;
};

/* If there are test particles that the host corrects. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_massless_open(struct hb_hermite4 *hermite4);
void hb_massless_close(struct hb_massless_watch *watch);

/* Before and after the block's correction. */
void hb_massless_before(struct hb_hermite4 *hermite4, size_t ni);
void hb_massless_after(struct hb_hermite4 *hermite4, uint64_t T, size_t ni);

enum hb_status hb_massless_put(const struct hb_hermite4 *hermite4, struct hb_sections *sections);
enum hb_status hb_massless_get(const struct hb_sections *sections, struct hb_hermite4 *hermite4);

#endif

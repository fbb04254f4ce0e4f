/* A change of a running simulation, as an integrator gets it; and the energy that it brings. */
#ifndef HB_CHANGE_H
#define HB_CHANGE_H

#include "core/field.h"
#include "core/particles.h"

/* Particles by their numbers, none twice, in the integrator's coordinates. NULL: that stays. */
struct hb_state_change {
  size_t n;
  const uint32_t *slot;     /* [n] */
  const double *m, *radius; /* [n] */
  const double *x, *v;      /* [3 * n] */
  size_t n_removed;
  const uint32_t *removed;          /* [n_removed] */
  const struct hb_particles *added; /* nullable; they come behind the others */
};

static inline size_t hb_change_added(const struct hb_state_change *by)
{
  return by->added ? by->added->n : 0;
}

/* Room for those that are added, as particles without mass at the origin. Errors: HB_ERR_INTERNAL, p is what it was. */
enum hb_status hb_change_make_room(const struct hb_state_change *by, struct hb_particles *p);

/* After that: m, id and radius of p, and x[3 * p->n] v[3 * p->n], which may be p's. Those removed lose their mass. */
void hb_change_apply(const struct hb_state_change *by, struct hb_particles *p, double *x, double *v);

/* number[n] for hb_columns_renumber; how many are left. */
size_t hb_change_number(const struct hb_state_change *by, size_t n, uint32_t *number);

/* Of all energies that of the particles with this bit in what[p->n], with all others: what is left of e_total of hb_diagnostics is not
 * changed by them, but for the motion of the center of mass, which is taken off. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_change_energy(const struct hb_particles *p, const double *x, const double *v,
                                const uint8_t *what, unsigned bit, double eps2, const struct hb_field *field,
                                double *energy);

#endif

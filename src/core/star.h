/* How a single star ages, by analytic fits to models of solar composition (Z = 0.02). Masses in solar masses, radii in solar radii, times in
 * Myr.
 *
 * Life times and cores: Hurley, Pols & Tout 2000 (HPT); radii of the zero age main sequence: Tout et al. 1996; how radii grow on it, and
 * giants: Eggleton, Fitchett & Tout 1989 (EFT); winds: Nieuwenhuijzen & de Jager 1990 and, without an envelope, Langer 1989; fallback:
 * Belczynski, Kalogera & Bulik 2002. */
#ifndef HB_STAR_H
#define HB_STAR_H

#include <holmberg/holmberg.h>

struct hb_star {
  enum hb_star_type type;
  double m, radius;
};

/* Masses at birth, zams, that the functions below take. */
static const double hb_star_least = 0.01, hb_star_most = 150;

/* From birth to the remnant. HPT eqs 4 and 57: it falls with mass. */
double hb_star_lifetime(double zams);

/* What it is then; before its birth as at it. m never grows with age. */
struct hb_star hb_star_at(double zams, double age);

/* Whether it ends as a neutron star or black hole, which are born with a kick. */
int hb_star_explodes(double zams);

#endif

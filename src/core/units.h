/* Physical units: solar masses, pc, Myr, km/s. Inside, G = 1; G is stated here and nowhere else.
 *
 * G M_sun is the nominal value of IAU 2015 resolution B3, the parsec that of IAU 2015 resolution B2, the year the Julian one.
 * The solar mass in g, which only files need, is that over CODATA 2018's G. */
#ifndef HB_UNITS_H
#define HB_UNITS_H

#include "core/particles.h"

static const double hb_units_gm_sun = 1.3271244e20;      /* m^3 / s^2       */
static const double hb_units_gravity = 6.67430e-11;      /* m^3 / (kg s^2)  */
static const double hb_units_au = 149597870700.0;        /* m               */
static const double hb_units_pc = 3.0856775814913673e16; /* m: 648000 / pi au */
static const double hb_units_r_sun = 6.957e8;            /* m: nominal, IAU 2015 resolution B3 */
static const double hb_units_day = 86400;                /* s               */
static const double hb_units_myr = 3.15576e13;           /* s: 10^6 years of 365.25 days */

/* G in pc^3 / (M_sun Myr^2), 0.0044985; in km^2 pc / (s^2 M_sun) it is 0.0043009. */
double hb_units_g(void);

#endif

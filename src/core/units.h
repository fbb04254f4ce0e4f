/* Physical units: solar masses, pc, Myr, km/s. Inside, G = 1; G is stated here and nowhere else.
 *
 * G M_sun is the nominal value of IAU 2015 resolution B3, the parsec that of IAU 2015 resolution B2, the year the Julian one.
 * The solar mass in g, which only files need, is that over CODATA 2018's G. */
#ifndef HB_UNITS_H
#define HB_UNITS_H

#include "base/status.h"
#include "core/particles.h"

#include <holmberg/holmberg.h>

static const double hb_units_gm_sun = 1.3271244e20;      /* m^3 / s^2       */
static const double hb_units_gravity = 6.67430e-11;      /* m^3 / (kg s^2)  */
static const double hb_units_au = 149597870700.0;        /* m               */
static const double hb_units_pc = 3.0856775814913673e16; /* m: 648000 / pi au */
static const double hb_units_r_sun = 6.957e8;            /* m: nominal, IAU 2015 resolution B3 */
static const double hb_units_day = 86400;                /* s               */
static const double hb_units_myr = 3.15576e13;           /* s: 10^6 years of 365.25 days */

/* ---- numbers in words, with a unit of astronomers: 5Myr, 0.1pc; see holmberg.h for what becomes of them ---- */

/* Takes the unit off a word: number gets what is left, *unit the factor to Myr, pc, km/s, solar masses or 1/Myr; 0: it has no unit. */
enum hb_dimension hb_dimension_split(const char *word, char number[64], double *unit);

/* A number, with the factor of its unit in *unit; 0: it has none. Errors: HB_ERR_USAGE (not of this dimension). */
enum hb_status hb_dimension_read(enum hb_dimension of, const char *word, double *value, double *unit);

/* The unit of a dimension in Myr, pc, km/s, solar masses or 1/Myr; 0: not known. units may be NULL. */
double hb_dimension_unit(const struct hb_units *units, enum hb_dimension of);

/* value / unit: a number times its unit, over its unit, is that number again. */
double hb_dimension_divide(double value, double unit);

/* hb_units_field, where is_astro: 1: numbers without a unit are in Myr, pc, km/s and solar masses. */
enum hb_status hb_dimension_field(const struct hb_units *units, int is_astro, const char *words, char *text,
                                  size_t size);

#endif

/* Numbers in words, with a unit of astronomers: 5Myr, 0.1pc. See holmberg.h for what becomes of them. */
#ifndef HB_DIMENSION_H
#define HB_DIMENSION_H

#include "base/status.h"

#include <holmberg/holmberg.h>

/* Takes the unit off a word: number gets what is left, *unit the factor to Myr, pc, km/s, solar masses or 1/Myr; 0: it has no unit. */
enum hb_dimension hb_dimension_split(const char *word, char number[64], double *unit);

/* A number, with the factor of its unit in *unit; 0: it has none. Errors: HB_ERR_USAGE (not of this dimension). */
enum hb_status hb_dimension_read(enum hb_dimension of, const char *word, double *value, double *unit);

/* The unit of a dimension in Myr, pc, km/s, solar masses or 1/Myr; 0: not known. units may be NULL. */
double hb_dimension_unit(const struct hb_units *units, enum hb_dimension of);

/* value / unit: a number times its unit, over its unit, is that number again. */
double hb_dimension_divide(double value, double unit);

/* "'5Myr' has a unit, but the particles have none": HB_ERR_USAGE. */
enum hb_status hb_dimension_unknown(const char *word);

/* hb_units_field, where is_astro: 1: numbers without a unit are in Myr, pc, km/s and solar masses. */
enum hb_status hb_dimension_field(const struct hb_units *units, int is_astro, const char *words, char *text,
                                  size_t size);

#endif

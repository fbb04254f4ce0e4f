/* Params structs leave open what is zero: the value, or the default in its place. */
#ifndef HB_DEFAULT_H
#define HB_DEFAULT_H

static inline int hb_default(int value, int fallback) { return value ? value : fallback; }
static inline double hb_default_real(double value, double fallback) { return value == 0 ? fallback : value; }

#endif

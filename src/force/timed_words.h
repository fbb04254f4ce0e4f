/* Numbers of a particle with a time of its own in words of the device, see shaders/hermite/timed.glsl. */
#ifndef HB_TIMED_WORDS_H
#define HB_TIMED_WORDS_H

#include "force/timed_device.h"

enum { HB_TIMED_LAYERS = 10 /* of a particle */ };

/* A vector as the xyz of two layers: high words, then low ones. */
void hb_timed_vector(enum hb_precision precision, const double x[3], uint32_t word[8]);

/* A time as three words: two and a zero, or floats that together are exactly it. */
void hb_timed_time(enum hb_precision precision, double t, uint32_t word[3]);

void hb_timed_pack(enum hb_precision precision, const struct hb_timed_body *body,
                   uint32_t word[4 * HB_TIMED_LAYERS]);

#endif

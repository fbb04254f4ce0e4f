#include "force/timed_words.h"

#include "base/bits.h"

void hb_timed_vector(enum hb_precision precision, const double x[3], uint32_t word[8])
{
  for (int c = 0; c < 3; c++) hb_precision_split(precision, x[c], word + c, word + 4 + c);
}

void hb_timed_time(enum hb_precision precision, double t, uint32_t word[3])
{
  volatile float first = (float)t; /* volatile: as in hb_split_low */
  volatile double rest = t - (double)first;
  word[2] = 0;
  hb_precision_split(precision, t, &word[0], &word[1]);
  if (precision != HB_PRECISION_DOUBLE) word[2] = hb_bits_of_float(hb_split_low(rest));
}

void hb_timed_pack(enum hb_precision precision, const struct hb_timed_body *p,
                   uint32_t word[4 * HB_TIMED_LAYERS])
{
  uint32_t time[3];
  hb_timed_vector(precision, p->x, word);
  hb_timed_vector(precision, p->v, word + 8);
  hb_timed_vector(precision, p->a2, word + 16);
  hb_timed_vector(precision, p->j6, word + 24);
  hb_timed_vector(precision, p->s24, word + 32);
  for (int k = 5; k < HB_TIMED_LAYERS; k++) word[4 * k + 3] = 0;
  hb_precision_split(precision, p->m, &word[3], &word[7]);
  hb_timed_time(precision, p->t, time);
  for (int k = 0; k < 3; k++) word[4 * (2 + k) + 3] = time[k];
}

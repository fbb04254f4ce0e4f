#include "force/shares.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL = 4 /* parts: rounded up, so few would take a tenth longer than the fastest alone */ };

struct hb_shares hb_shares_equal(int count)
{
  struct hb_shares shares = {.count = count};
  for (int k = 0; k < count; k++) shares.part[k] = 1;
  return shares;
}

int hb_shares_takers(const struct hb_shares *shares)
{
  int takers = 0;
  for (int k = 0; k < shares->count; k++) takers += shares->part[k] > 0;
  return takers;
}

struct hb_shares hb_shares_of_rates(int count, const double *rates)
{
  struct hb_shares shares = {.count = count};
  double most = 0;
  for (int k = 0; k < count; k++) most = fmax(most, rates[k]);
  for (int k = 0; k < count; k++) {
    double part = HB_SHARES_WHOLE * rates[k] / most;
    shares.part[k] = (unsigned)(part < SMALL ? part : round(part));
  }
  return shares;
}

void hb_shares_of_alike(int count, const char *const *names, double *rates)
{
  double mean[HB_SHARES_MOST] = {0};
  for (int k = 0; k < count; k++) {
    double sum = 0;
    int alike = 0;
    for (int o = 0; o < count; o++)
      if (strcmp(names[o], names[k]) == 0) sum += rates[o], alike++;
    mean[k] = sum / alike;
  }
  memcpy(rates, mean, (size_t)count * sizeof *rates);
}

size_t hb_shares_cut(const struct hb_shares *shares, int k, size_t n, size_t step)
{
  size_t before = 0, all = 0;
  for (int s = 0; s < shares->count; s++) {
    all += shares->part[s];
    before += s < k ? shares->part[s] : 0;
  }
  if (before == all) return n;
  size_t cut = (size_t)((double)n * (double)before / (double)all / (double)step + 0.5) * step;
  return cut < n ? cut : n;
}

enum hb_status hb_shares_parse(const char *text, struct hb_shares *shares)
{
  const char *at = text;
  *shares = (struct hb_shares){0};
  while (shares->count < HB_SHARES_MOST) {
    char *end;
    long part = strtol(at, &end, 10);
    if (end == at || part < 0 || part > HB_SHARES_WHOLE) break;
    shares->part[shares->count++] = (unsigned)part;
    if (*end == 0 && hb_shares_takers(shares) > 0) return HB_OK;
    if (*end != ':') break;
    at = end + 1;
  }
  return hb_fail(HB_ERR_USAGE,
                 "unknown shares '%s': expected numbers up to %d like 16:15, one a device, not all 0", text,
                 HB_SHARES_WHOLE);
}

void hb_shares_print(const struct hb_shares *shares, size_t room, char *text)
{
  *text = 0;
  for (int k = 0; k < shares->count; k++) {
    size_t used = strlen(text);
    snprintf(text + used, room - used, "%s%u", k ? ":" : "", shares->part[k]);
  }
}

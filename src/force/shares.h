/* Shares of a block for devices or processes that work at it together. Pure functions. */
#ifndef HB_SHARES_H
#define HB_SHARES_H

#include "base/status.h"

#include <stddef.h>

enum { HB_SHARES_MOST = 16, HB_SHARES_WHOLE = 16 };

/* How much each of them does, relative to the others: up to HB_SHARES_WHOLE, 0 takes no part. count 0: not known yet. */
struct hb_shares {
  int count;
  unsigned part[HB_SHARES_MOST];
};

struct hb_shares hb_shares_equal(int count);

/* Those that take part. */
int hb_shares_takers(const struct hb_shares *shares);

/* Proportional to rates[count] > 0, the fastest has HB_SHARES_WHOLE: coarse, so that equal devices, measured with some noise,
 * have equal shares. A small one is rounded down, to 0 if need be: the others must not wait for it. */
struct hb_shares hb_shares_of_rates(int count, const double *rates);

/* Devices of one name get their mean rate: what differs between them is noise. */
void hb_shares_of_alike(int count, const char *const *names, double *rates);

/* Where share k of n things begins, and that of the one before ends: a multiple of step; k = count: n. */
size_t hb_shares_cut(const struct hb_shares *shares, int k, size_t n, size_t step);

/* Shares of sources begin where a stretch of sources begins that is summed as one, in any precision. */
enum { HB_SHARES_OF_SOURCES = 64, HB_SHARES_OF_SINKS = 1 };

/* As "16:15". Errors: HB_ERR_USAGE with the word. */
enum hb_status hb_shares_parse(const char *text, struct hb_shares *shares);
void hb_shares_print(const struct hb_shares *shares, size_t room, char *text);

#endif

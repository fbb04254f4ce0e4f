/* How several devices share out a block, as words of a tuning: "shares=16:15 alone_below=512". Pure functions. */
#ifndef HB_DEVICES_PLAN_H
#define HB_DEVICES_PLAN_H

#include "force/hybrid_split.h"
#include "force/shares.h"
#include "force/split_words.h"

/* The first device alone takes blocks of fewer sinks; of particles that stay on the devices, kept_alone_below. 0: not known
 * yet; SIZE_MAX: all blocks. */
struct hb_devices_plan {
  struct hb_shares shares;
  size_t alone_below, kept_alone_below;
  char others[HB_SPLIT_WORDS]; /* words of the scheme that walks */
};

/* The first device alone; or each device has a part of the sources, and sums are added; or all sources, and a part of the
 * sinks. */
enum hb_devices_way { HB_DEVICES_ALONE, HB_DEVICES_BY_SOURCES, HB_DEVICES_BY_SINKS };

/* Of sources that have to be sent: whatever makes less travel to and from each device. All of the particles are sinks at the
 * start and for diagnostics, when alone_below may not be known, and is asked only whether it is SIZE_MAX. */
enum hb_devices_way hb_devices_plan_way(const struct hb_devices_plan *plan, size_t ni, size_t nj);

/* Without measuring: the number of sinks from which several devices are taken for so many sources. */
size_t hb_devices_plan_rule(size_t nj);

/* What a call takes, from seconds[count] of so many, which are reordered: the mean of all but the longest sixteenth. The mean is what
 * a run pays; one call that another process has delayed for a time slice would outweigh all others. */
double hb_devices_plan_usual(size_t count, double *seconds);

/* The bound from costs[count] in ascending ni, of one device (host) and of all (gl): the least above which all of them are the
 * faster at every size that was measured and at n, by more than this margin. */
static const double HB_DEVICES_MARGIN = 0.05;
size_t hb_devices_plan_bound(size_t n, size_t count, const struct hb_hybrid_cost *costs);

/* The number of sinks to measure next for it; 0: enough are known. */
size_t hb_devices_plan_ask(size_t n, size_t count, const struct hb_hybrid_cost *costs);

/* text may be NULL. Errors: HB_ERR_USAGE with the word. Without a word for it, nothing is known. */
enum hb_status hb_devices_plan_parse(const char *text, struct hb_devices_plan *plan);
void hb_devices_plan_print(const struct hb_devices_plan *plan, size_t room, char *text);

#endif

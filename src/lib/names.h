/* The indices by which programs name their j-particles: which address has which, and back. */
#ifndef HB_NAMES_H
#define HB_NAMES_H

#include "base/status.h"

struct hb_names {
  size_t room, used;          /* used: one beyond the highest address that has a name */
  int *name;                  /* [used] */
  uint8_t *is_set;            /* [used] 0: this address was left out so far */
  int *first, *next, *before; /* lists of the addresses whose names share a hash: heads, and both ways */
};

void hb_names_free(struct hb_names *names);

/* Errors: HB_ERR_INTERNAL (memory). */
enum hb_status hb_names_set(struct hb_names *names, size_t address, int name);

/* The addresses below n that have this name: one of them in *address (HB_NO_SOURCE: there is none). Returns how many, 2 for
 * more. */
int hb_names_find(const struct hb_names *names, int name, size_t n, uint32_t *address);

/* Of the first n addresses that have a name, but not this one, the one nearest to x (HB_NO_SOURCE: there is none), and its
 * square distance. place says where each is. */
uint32_t hb_names_nearest(const struct hb_names *names, int name, size_t n, const double x[3],
                          void (*place)(const void *context, size_t address, double x[3]),
                          const void *context, double *r2);

#endif

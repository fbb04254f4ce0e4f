/* Table 2 of [PZ07], embedded from data/paper/table2.csv at build time, so that an installed program has it. */
#ifndef HB_PAPER_TABLE2_H
#define HB_PAPER_TABLE2_H

#include <stddef.h>

enum { HB_PAPER_MACHINES = 4 };

struct hb_paper_table2_row {
  size_t n;
  double wall_s[HB_PAPER_MACHINES]; /* 0: not measured */
};

extern const char *const hb_paper_machines[HB_PAPER_MACHINES];

/* Ended by n = 0. */
extern const struct hb_paper_table2_row hb_paper_table2[];

#endif

/* The file of --follow: some particles, step by step. */
#ifndef HB_RUN_FOLLOW_H
#define HB_RUN_FOLLOW_H

#include "run/run_files.h"

#include <holmberg/measure.h>

enum { HB_RUN_FOLLOW_MOST = 64 };

/* Start from {0}. */
struct hb_run_follow {
  struct hb_run_rows rows;
  struct hb_follow of[HB_RUN_FOLLOW_MOST];
  size_t count;
};

/* The particles of a list such as 3,17; NULL: none. Errors: HB_ERR_USAGE (what is no such list). */
enum hb_status hb_run_follow_take(const char *list, struct hb_run_follow *follow);

/* Whether these have them all. Errors: HB_ERR_USAGE. */
enum hb_status hb_run_follow_check(const struct hb_run_follow *follow, struct hb_particles *particles);

/* A row for each of them whose step has ended in the last block step; at the start, for all. Nothing if the file is not open. Errors: those of
 * hb_sim_follow, HB_ERR_IO. */
enum hb_status hb_run_follow_put(struct hb_run_follow *follow, struct hb_sim *sim);

#endif

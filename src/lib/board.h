/* A GRAPE-6 board: memory for j-particles, a predictor, pipelines for forces on i-particles, and their neighbors. The calls
 * of holmberg/g6.h by id; the conventions are theirs. */
#ifndef HB_BOARD_H
#define HB_BOARD_H

#include "base/status.h"

enum { HB_BOARDS = 64 };

/* Any id, modulo HB_BOARDS. Opening a board that is open, and closing one that is not, changes nothing. Errors: as
 * hb_engine_open. */
enum hb_status hb_board_open(int id);
enum hb_status hb_board_close(int id);

/* Forgets a call that was begun, and a failure. This and what follows is meant for the only open board where the id's own is
 * not open; errors: HB_ERR_USAGE where there is not one. */
enum hb_status hb_board_reset(int id);

enum hb_status hb_board_set_ti(int id, double ti);

/* snap / 18, jerk / 6 and acc / 2 as they are sent; each may be NULL: zeros. */
struct hb_board_j {
  int address, index;
  double t, m;
  const double *s_18th, *j_sixth, *a_half, *v, *x;
};
enum hb_status hb_board_set_j(int id, const struct hb_board_j *particle);

/* What both halves of a call say. v and h2 may be NULL: zeros. */
struct hb_board_call {
  int id, nj, ni;
  const int *index;
  const double *x, *v, *h2;
  double eps2;
};
enum hb_status hb_board_first(const struct hb_board_call *call);

/* Where results go, NULL: nowhere. They are written in this order, for programs that pass an array twice; after a failure
 * they are NaN. */
struct hb_board_results {
  double *a, *j, *phi;
  int *nearest;     /* index of the nearest particle; -1: there is none */
  float *r_nearest; /* its distance, softened                           */
};
enum hb_status hb_board_last(const struct hb_board_call *call, const struct hb_board_results *results);

/* Finds the neighbors of the i-particles of the last call, r^2 < h2. *overflow = 1 where a list is cut. */
enum hb_status hb_board_read_lists(int id, int *overflow);

/* list[*count], the indices of the neighbors of i-particle `pipe`, ascending; *overflow = 1 where there are more than
 * `most`. */
enum hb_status hb_board_list(int id, int pipe, int most, int *count, int *list, int *overflow);

/* The mode of sorting, which changes nothing, after setting it to `mode` where that is not NULL. */
int hb_board_sort_mode(const int *mode);

/* x[3 * nj] and v[3 * nj] of the first nj addresses, predicted to ti. */
enum hb_status hb_board_predicted(int id, int nj, double *x, double *v);

#endif

/* Shared by the files of board.h: board.c opens boards and stores j-particles, board_call.c computes forces on i-particles,
 * board_neighbors.c finds their neighbors. */
#ifndef HB_BOARD_STATE_H
#define HB_BOARD_STATE_H

#include "lib/board.h"
#include "lib/engine.h"
#include "lib/names.h"

/* The i-particles of a call. Copies: programs pass the same arrays as guesses and for results. */
struct hb_sinks {
  size_t room, n;
  int *index;
  double *x, *v, *h2;  /* [3 * n] [3 * n] [n] */
  uint32_t *own;       /* [n] the address that a sink leaves out */
  uint8_t *has_twins;  /* [n] 1: more than one address has its index */
  double *a, *j, *phi; /* results */
};

struct hb_board {
  struct hb_engine *engine;
  struct hb_timed *timed; /* the engine's */
  struct hb_names names;
  double *m; /* [m_room] by address */
  size_t m_room;
  size_t checked; /* there is memory for addresses below it */
  double ti;
  struct hb_sinks sinks;
  size_t nj;    /* sources of the call: its nj, or fewer where fewer addresses were set */
  double t;     /* to which they are predicted */
  double eps2;  /* of the call */
  int is_begun; /* between first and last half */
  struct hb_near_lists lists;
  enum hb_status trouble; /* of a call that returns nothing: for the next last half */
  char sentence[256];
};

/* The open board of an id. Errors: HB_ERR_USAGE. */
enum hb_status hb_board_find(int id, struct hb_board **board);

/* Waits for a call that was begun and is not wanted any more. */
void hb_board_drop_call(struct hb_board *board);

/* Remembers a failure, the first, for the next last half. Returns status. */
enum hb_status hb_board_keep_trouble(struct hb_board *board, enum hb_status status);

/* Nearest neighbors of the sinks, by index, and their softened distances; either NULL: not wanted. */
enum hb_status hb_board_nearest(struct hb_board *board, int *nearest, float *r_nearest);

#endif

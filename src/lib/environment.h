/* What the environment says on programs that were written for other machines; the words are in holmberg/g6.h. */
#ifndef HB_ENVIRONMENT_H
#define HB_ENVIRONMENT_H

#include "pairs/precision.h"

struct hb_environment {
  char scheme[16], precision[16],
      device[192]; /* "": what the scheme does first; HB_DEVICE, else the best one */
  int is_chosen;   /* 1: the precision is the user's choice, not ours */
};

/* For a board, in the precision that is usual for its calls where the scheme has it and nobody asks for another. Errors: HB_ERR_INTERNAL (memory). */
enum hb_status hb_environment_read(int board, enum hb_precision usual, struct hb_environment *words);

/* i-particles of a call: HB_G6_NPIPES, 48 without it. */
int hb_environment_pipes(void);

/* 1: nothing is told on stderr. */
int hb_environment_is_quiet(void);

#endif

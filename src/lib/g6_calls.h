/* The calls of holmberg/g6.h behind both of their forms. */
#ifndef HB_G6_CALLS_H
#define HB_G6_CALLS_H

#include "lib/board.h"
#include "lib/engine.h"

#include <holmberg/g6.h>

/* A program may define a call itself, as ph4 and sapporo2's tests do: then its own is used. */
#define HB_G6_WEAK __attribute__((weak))

/* They return what the program gets. Results: see struct hb_board_results. */
int hb_g6_set_j(int id, const struct hb_board_j *particle);
void hb_g6_first(const struct hb_board_call *call);
int hb_g6_last(const struct hb_board_call *call, const struct hb_board_results *results);
int hb_g6_read_lists(int id);
int hb_g6_list(int id, int pipe, int most, int *count, int *list);

/* The mode, after setting it to `mode` where that is not NULL. */
int hb_g6_sort_mode(const int *mode);

#endif

/* The calls of holmberg/g6.h behind both of their forms. */
#ifndef HB_G6_CALLS_H
#define HB_G6_CALLS_H

#include "lib/board.h"
#include "lib/engine.h"

#include <holmberg/g6.h>

/* They return what the program gets. */
int hb_g6_read_lists(int id);
int hb_g6_list(int id, int pipe, int most, int *count, int *list);

/* The mode, after setting it to `mode` where that is not NULL. */
int hb_g6_sort_mode(const int *mode);

#endif

/* What a key does: a row of one table (view_input.c) for the program, the help over the picture, and --help. */
#ifndef HB_KEYS_H
#define HB_KEYS_H

#include "base/status.h"

struct hb_view;

struct hb_keys_row {
  int key;          /* a character or enum hb_gl_key; 0: a row for the eyes only, or the end      */
  const char *name; /* as the key is called: "space"; NULL: the row before has the help           */
  enum hb_status (*act)(struct hb_view *view);
  const char *help;
};

#endif

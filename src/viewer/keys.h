/* What keys and mouse do in the viewer: one table for the program, the help over the picture, --help and README. */
#ifndef HB_KEYS_H
#define HB_KEYS_H

#include <stddef.h>

enum hb_keys_action {
  HB_KEYS_NOTHING,
  HB_KEYS_PAUSE,
  HB_KEYS_STEP,
  HB_KEYS_BACK,
  HB_KEYS_RESET,
  HB_KEYS_CENTRE,
  HB_KEYS_MODEL_1,
  HB_KEYS_MODEL_2,
  HB_KEYS_MODEL_3,
  HB_KEYS_MODEL_BEFORE,
  HB_KEYS_MODEL_AFTER,
  HB_KEYS_POINT,
  HB_KEYS_COLOR,
  HB_KEYS_TRAILS,
  HB_KEYS_SLIDERS,
  HB_KEYS_HUD,
  HB_KEYS_HELP,
  HB_KEYS_INSPECTOR,
  HB_KEYS_PASS_AFTER,
  HB_KEYS_PASS_BEFORE,
  HB_KEYS_PASS_PLAY,
  HB_KEYS_DRAW,
  HB_KEYS_SCREENSHOT,
  HB_KEYS_RECORD,
  HB_KEYS_FULLSCREEN,
  HB_KEYS_QUIT
};

struct hb_keys_row {
  int key;          /* a character or enum hb_gl_key; 0: a row for the eyes only  */
  const char *name; /* as the key is called: "space"; NULL: the row before says it */
  enum hb_keys_action action;
  const char *help;
};

/* All rows, in the order of the help. */
const struct hb_keys_row *hb_keys_rows(size_t *count);

enum hb_keys_action hb_keys_action(int key);

/* The models of keys 1, 2 and 3. */
extern const char *const hb_keys_models[3];

/* The key of that name, also "[" or "q"; 0 if there is none. */
int hb_keys_key(const char *name);

#endif

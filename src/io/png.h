/* Pictures as PNG, with text that says how they were made. */
#ifndef HB_PNG_H
#define HB_PNG_H

#include "base/status.h"

#include <stdint.h>

/* Keywords have 1 to 79 Latin-1 characters: "Software", "Comment", or our own; values are UTF-8. */
struct hb_png_text {
  const char *keyword, *value;
};

struct hb_png {
  int width, height, channels; /* channels: 1 gray, 3 RGB, 4 RGBA; eight bits each, top row first */
  uint8_t *pixels;             /* [channels * width * height] */
  struct hb_png_text *text;    /* [text_count] */
  size_t text_count;
};

/* The file is written completely or not at all; the same picture and text give the same bytes. Errors: HB_ERR_IO,
 * HB_ERR_INTERNAL. */
enum hb_status hb_png_write(const char *path, const struct hb_png *png);

#endif

/* Contact sheets: a complete walk on one page, drawn by a function per scheme; below, what they share (sheet.c). */
#ifndef HB_SHEET_H
#define HB_SHEET_H

#include "inspect/trace.h"
#include "render/canvas.h"

enum hb_status hb_sheet_cg2007(const struct hb_trace *trace, struct hb_canvas *page);
enum hb_status hb_sheet_matrix(const struct hb_trace *trace, struct hb_canvas *page);
enum hb_status hb_sheet_bag(const struct hb_trace *trace, struct hb_canvas *page);
enum hb_status hb_sheet_tile(const struct hb_trace *trace, struct hb_canvas *page);

/* ---- sheet.c ---- */

enum {
  HB_SHEET_PAPER = 0x121218,
  HB_SHEET_INK = 0xe6e6ec,
  HB_SHEET_FAINT = 0x9a9aa8,
  HB_SHEET_LINE = 0x4a4a58,
  HB_SHEET_READ = 0x4ac0b0, /* A of a swapping pair */
  HB_SHEET_WRITE = 0xf0a040 /* B */
};
enum { HB_SHEET_WIDTH = 900, HB_SHEET_MARGIN = 20, HB_SHEET_TOP = 84 };

/* A page of this height with a title and a line of text below it. */
enum hb_status hb_sheet_page(int height, const char *title, const char *text, struct hb_canvas *page);

/* One component of an array's records as cells of `cell` pixels, row 0 at the top. */
struct hb_sheet_image {
  const struct hb_trace_array *array;
  int component;
  double most; /* end of the scale */
  int cell;
  int numbers; /* 1: write the particle's number in each cell */
  int shift;   /* each cell shows the record this many places on, cyclically */
  unsigned frame;
};

/* The c-th component of a quantity, from the first of count arrays that has it, about `width` pixels wide. */
struct hb_sheet_image hb_sheet_image(const struct hb_trace *trace, const struct hb_trace_array *arrays,
                                     int count, const char *quantity, int c, int width);
int hb_sheet_image_height(const struct hb_sheet_image *image);
void hb_sheet_image_draw(struct hb_canvas *page, int x, int y, const struct hb_sheet_image *image);

void hb_sheet_note(struct hb_canvas *page, int x, int y, const char *text); /* faint */

/* "12 draws for ... pairs; ...": the cost of the walk per pair. */
void hb_sheet_cost(struct hb_canvas *page, int x, int y, const struct hb_trace *trace);

#endif

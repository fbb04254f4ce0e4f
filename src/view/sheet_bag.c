/* bag and tile on a page: which pairs a pass walks in registers, and the totals that it leaves. */
#include "view/sheet.h"

#include <inttypes.h>
#include <stdio.h>

enum { ROOM = 160, STEP = 172, A_ROW = 5, DIAGRAM = 148 };

static struct hb_sheet_image image_of(const struct hb_trace *t, const struct hb_trace_pass *p,
                                      const char *quantity)
{
  const struct hb_gl_watch_quantity *q;
  struct hb_sheet_image image = {.array = hb_trace_find(p->write, 1, quantity, &q), .numbers = 1};
  image.component = q->first;
  image.most = hb_trace_most(t, quantity);
  image.cell = ROOM / image.array->copy.array.columns;
  if (image.cell < 2) image.cell = 2;
  return image;
}

/* Fragments to the right, sources down: walked before, walked now, to be walked. */
static void draw_diagram(const struct hb_trace *t, struct hb_canvas *page, int x, int y, int k, double before)
{
  const struct hb_gl_watch_array *totals = &t->pass[k]->write[0].copy.array;
  double walked = before + (double)t->pass[k]->pass.pairs / (double)totals->n;
  int columns = totals->columns, width = ROOM / columns;
  for (int source = 0; source < (int)t->n; source++) {
    int top = y + DIAGRAM * source / (int)t->n, below = y + DIAGRAM * (source + 1) / (int)t->n;
    unsigned color = source < (int)before ? 0x3a3a48 : source < (int)walked ? 0xc8d8e8 : 0x1c1c26;
    for (int c = 0; c < columns; c++)
      hb_canvas_box(page, x + c * width, top, width - 1, below - top - 1, color);
  }
}

static void draw_bag(const struct hb_trace *t, struct hb_canvas *page, int x, int y, int k, double before)
{
  const struct hb_trace_pass *p = t->pass[k];
  unsigned frame = k % 2 ? HB_SHEET_READ : HB_SHEET_WRITE;
  hb_canvas_text(page, x, y, 1, HB_SHEET_INK, "pass %d", k + 1);
  hb_canvas_text(page, x, y + 16, 1, HB_SHEET_FAINT, "%s", p->pass.what);
  draw_diagram(t, page, x, y + 36, k, before);
  y += 36 + DIAGRAM;
  hb_canvas_arrow(page, x + ROOM / 2, y + 4, x + ROOM / 2, y + 22, HB_SHEET_INK);
  hb_canvas_text(page, x, y + 8, 1, frame, "writes %s", k % 2 ? "A" : "B");
  static const char *const quantities[] = {"potential", "acceleration", "acceleration"};
  static const char *const names[] = {"potential", "acceleration x", "acceleration y"};
  y += 30;
  for (int q = 0; q < 3; q++) {
    struct hb_sheet_image image = image_of(t, p, quantities[q]);
    int height = image.array->copy.array.rows * image.cell;
    image.component += q == 2;
    image.frame = frame;
    hb_canvas_text(page, x, y, 1, HB_SHEET_FAINT, "%s", names[q]);
    hb_sheet_image(page, x, y + 17, &image);
    if (q == 0 && k + 1 < t->count && (k + 1) % A_ROW)
      hb_canvas_arrow(page, x + ROOM, y + 17 + height / 2, x + STEP - 1, y + 17 + height / 2, HB_SHEET_INK);
    y += 17 + height + 8;
  }
}

enum hb_status hb_sheet_bag(const struct hb_trace *t, struct hb_canvas *page)
{
  char text[200];
  const struct hb_gl_watch_array *totals = &t->pass[0]->write[0].copy.array;
  struct hb_sheet_image some = image_of(t, t->pass[0], "potential");
  int height = 36 + DIAGRAM + 30 + 3 * (25 + totals->rows * some.cell) + 16;
  int lines = (t->count + A_ROW - 1) / A_ROW;
  double before = 0;
  snprintf(
      text, sizeof text,
      "%zu particles, %d fragments that keep the sums of %d sinks each in registers, %d passes; after [HI07]",
      t->n, totals->columns, totals->each, t->count);
  HB_TRY(hb_sheet_page(HB_SHEET_TOP + 44 + lines * height + 100,
                       "bag: a loop over some sources in each fragment", text, page));
  hb_canvas_text(page, HB_SHEET_MARGIN, HB_SHEET_TOP - 10, 1, HB_SHEET_FAINT,
                 "Fragments stand side by side, sources one below the other. Bright: walked in this pass, in "
                 "registers;\ndim: walked before, and summed up in the texture that this pass reads first.");
  for (int k = 0; k < t->count; k++) {
    draw_bag(t, page, HB_SHEET_MARGIN + k % A_ROW * STEP, HB_SHEET_TOP + 34 + k / A_ROW * height, k, before);
    before += (double)t->pass[k]->pass.pairs / (double)totals->n;
  }
  int y = HB_SHEET_TOP + 34 + lines * height;
  hb_canvas_scale(page, HB_SHEET_MARGIN + 80, y + 4, 220, some.most, -1, NULL);
  hb_canvas_text(page, HB_SHEET_MARGIN, y + 2, 1, HB_SHEET_FAINT, "potential");
  hb_canvas_scale(page, HB_SHEET_MARGIN + 520, y + 4, 300, hb_trace_most(t, "acceleration"), 0, NULL);
  hb_canvas_text(page, HB_SHEET_MARGIN + 400, y + 2, 1, HB_SHEET_FAINT, "acceleration");
  hb_sheet_cost(page, HB_SHEET_MARGIN, page->height - 34, t);
  return HB_OK;
}

/* ---- tile ---- */

static int draw_list(const struct hb_trace *t, struct hb_canvas *page, const struct hb_trace_array *arrays,
                     const char *const quantities[3], const char *const names[3], const int component[3],
                     int x, int y)
{
  for (int k = 0; k < 3; k++) {
    const struct hb_gl_watch_quantity *q;
    struct hb_sheet_image image = {.numbers = 1, .frame = HB_SHEET_LINE};
    image.array = hb_trace_find(arrays, 1, quantities[k], &q);
    image.component = q->first + component[k];
    image.most = hb_trace_most(t, quantities[k]);
    image.cell = 144 / image.array->copy.array.columns;
    int height = image.array->copy.array.rows * image.cell;
    hb_canvas_text(page, x, y, 1, HB_SHEET_FAINT, "%s", names[k]);
    hb_sheet_image(page, x, y + 17, &image);
    hb_canvas_scale(page, x, y + 25 + height, 124, image.most, 0, NULL);
    y += 17 + height + 48;
  }
  return y;
}

enum hb_status hb_sheet_tile(const struct hb_trace *t, struct hb_canvas *page)
{
  static const char *const in[] = {"mass", "position", "position"}, *const in_names[] = {"mass", "position x",
                                                                                         "position y"};
  static const char *const out[] = {"potential", "acceleration", "acceleration"}, *const out_names[] = {
                                                                                      "potential",
                                                                                      "acceleration x",
                                                                                      "acceleration y"};
  static const int components[] = {0, 0, 1};
  const struct hb_trace_pass *p = t->pass[t->count - 1];
  int top = HB_SHEET_TOP + 30, height = 3 * (17 + 48 + p->write[0].copy.array.rows * 18);
  char text[160];
  snprintf(text, sizeof text, "%zu particles, %d dispatch of %zu threads; after [NHP07] section 31.3", t->n,
           t->count, p->pass.fragments);
  HB_TRY(hb_sheet_page(top + height + 40, "tile: threads that share what they fetch", text, page));
  hb_canvas_text(page, 60, HB_SHEET_TOP, 1, HB_SHEET_INK, "buffer of particles");
  draw_list(t, page, p->read, in, in_names, components, 60, top);
  hb_canvas_arrow(page, 226, top + height / 2, 300, top + height / 2, HB_SHEET_INK);
  hb_canvas_frame(page, 310, top + 40, 280, height - 100, 2, HB_SHEET_READ);
  hb_canvas_text(page, 326, top + 54, 1, HB_SHEET_READ, "a workgroup");
  hb_canvas_text(
      page, 326, top + 80, 1, HB_SHEET_FAINT,
      "Each thread brings one source\ninto the memory that all share,\n\n    a tile of sources,\n\n"
      "all wait until it is there, and\neach lets its own sink feel them\nall. Then the next tile.\n\n"
      "No texture swaps: a thread keeps\nits sum in registers to the end\nand writes it where it likes.");
  hb_canvas_arrow(page, 600, top + height / 2, 674, top + height / 2, HB_SHEET_INK);
  hb_canvas_text(page, 690, HB_SHEET_TOP, 1, HB_SHEET_INK, "buffer of totals");
  draw_list(t, page, p->write, out, out_names, components, 690, top);
  hb_sheet_cost(page, HB_SHEET_MARGIN, page->height - 34, t);
  return HB_OK;
}

/* bag and tile on a page: which pairs a pass walks in registers, and the totals that it leaves. */
#include "inspect/sheet.h"

#include "render/false_color.h"

#include <inttypes.h>
#include <stdio.h>

enum {
  ROOM = 160,
  STEP = 172,
  A_ROW = 5,
  DIAGRAM = 148,
  BESIDE = 19 /* columns of the legend that leave room for the scales */
};

static struct hb_sheet_image image_of(const struct hb_trace *t, const struct hb_trace_pass *p,
                                      const char *quantity)
{
  const struct hb_gl_trace_quantity *q;
  struct hb_sheet_image image = {.array = hb_trace_find(p->write, 1, quantity, &q)};
  image.component = q->first;
  image.most = hb_trace_most(t, quantity);
  image.cell = ROOM / image.array->copy.array.columns;
  if (image.cell < 2) image.cell = 2;
  return image;
}

/* Fragments to the right, sources down: walked before, walked now, to be walked. */
static void draw_diagram(const struct hb_trace *t, struct hb_canvas *page, int x, int y, int k, double before)
{
  const struct hb_gl_trace_array *totals = &t->pass[k]->write[0].copy.array;
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
  const struct hb_gl_trace_array *totals = &t->pass[0]->write[0].copy.array;
  struct hb_sheet_image some = image_of(t, t->pass[0], "potential");
  int height = 36 + DIAGRAM + 30 + 3 * (25 + totals->rows * some.cell) + 16;
  int legend = 20 * totals->rows, below = totals->columns > BESIDE ? legend + 18 : 0;
  int lines = (t->count + A_ROW - 1) / A_ROW;
  double before = 0, some_most = some.most;
  snprintf(
      text, sizeof text,
      "%zu particles, %d fragments that keep the sums of %d sinks each in registers, %d passes; after [HI07]",
      t->n, totals->columns, totals->each, t->count);
  HB_TRY(hb_sheet_page(HB_SHEET_TOP + 44 + lines * height + 64 + (below ? below + 80 : legend),
                       "bag: a loop over some sources in each fragment", text, page));
  hb_canvas_text(page, HB_SHEET_MARGIN, HB_SHEET_TOP - 10, 1, HB_SHEET_FAINT,
                 "Fragments stand side by side, sources one below the other. Bright: walked in this pass, in "
                 "registers;\ndim: walked before, and summed up in the texture that this pass reads first.");
  for (int k = 0; k < t->count; k++) {
    draw_bag(t, page, HB_SHEET_MARGIN + k % A_ROW * STEP, HB_SHEET_TOP + 34 + k / A_ROW * height, k, before);
    before += (double)t->pass[k]->pass.pairs / (double)totals->n;
  }
  int y = HB_SHEET_TOP + 34 + lines * height;
  some.most = 0; /* dark: only who is where */
  some.cell = 20;
  some.numbers = 1;
  some.frame = HB_SHEET_LINE;
  hb_canvas_text(page, HB_SHEET_MARGIN, y, 1, HB_SHEET_FAINT, "Whose sums they are: a column is a fragment");
  hb_sheet_image(page, HB_SHEET_MARGIN, y + 18, &some);
  y += below;
  hb_canvas_scale(page, 540, y + 22, 320, some_most, -1, NULL);
  hb_canvas_text(page, 430, y + 20, 1, HB_SHEET_FAINT, "potential");
  hb_canvas_scale(page, 540, y + 68, 320, hb_trace_most(t, "acceleration"), 0, NULL);
  hb_canvas_text(page, 430, y + 66, 1, HB_SHEET_FAINT, "acceleration");
  hb_sheet_cost(page, HB_SHEET_MARGIN, page->height - 34, t);
  return HB_OK;
}

/* ---- tile ---- */

struct list {
  const char *quantity, *name;
  int component, signs; /* signs: see hb_canvas_scale */
};

static void draw_list(const struct hb_trace *t, struct hb_canvas *page, const struct hb_trace_array *arrays,
                      const struct list list[3], int x, int y)
{
  for (int k = 0; k < 3; k++) {
    const struct hb_gl_trace_quantity *q;
    struct hb_sheet_image image = {.numbers = 1, .frame = HB_SHEET_LINE};
    image.array = hb_trace_find(arrays, 1, list[k].quantity, &q);
    image.component = q->first + list[k].component;
    image.most = hb_trace_most(t, list[k].quantity);
    image.cell = 160 / image.array->copy.array.columns;
    int height = image.array->copy.array.rows * image.cell;
    hb_canvas_text(page, x, y, 1, HB_SHEET_FAINT, "%s", list[k].name);
    hb_sheet_image(page, x, y + 17, &image);
    hb_canvas_scale(page, x, y + 25 + height, 140, image.most, list[k].signs, NULL);
    y += 17 + height + 48;
  }
}

/* One row of an array's records as a strip. */
static void draw_strip(const struct hb_trace *t, struct hb_canvas *page, const struct hb_trace_array *array,
                       const char *quantity, int x, int y, int width)
{
  const struct hb_gl_trace_quantity *q;
  const struct hb_trace_array *a = hb_trace_find(array, 1, quantity, &q);
  double most = hb_trace_most(t, quantity);
  int n = (int)t->n, cell = width / n;
  for (int k = 0; k < n; k++) {
    uint8_t rgb[3];
    hb_false_color((double)a->floats[HB_TEXELS_FLOATS * k + q->first], most, rgb);
    hb_canvas_box(page, x + k * cell, y, cell - (cell > 3), 22,
                  (unsigned)rgb[0] << 16 | (unsigned)rgb[1] << 8 | rgb[2]);
  }
  hb_canvas_frame(page, x - 1, y - 1, n * cell + 1, 23, 1, HB_SHEET_LINE);
}

static void draw_workgroup(const struct hb_trace *t, struct hb_canvas *page, int x, int y, int height)
{
  const struct hb_trace_pass *p = t->pass[t->count - 1];
  hb_canvas_frame(page, x, y, 280, height, 2, HB_SHEET_READ);
  hb_canvas_text(page, x + 16, y + 14, 1, HB_SHEET_READ, "a workgroup");
  hb_canvas_text(page, x + 16, y + 42, 1, HB_SHEET_FAINT,
                 "Each thread brings one source\ninto memory that all share:");
  draw_strip(t, page, p->read, "mass", x + 16, y + 78, 250);
  hb_canvas_text(page, x + 16, y + 108, 1, HB_SHEET_FAINT,
                 "All wait until it is there. Then\neach thread lets its own sink\nfeel all of it.");
  hb_canvas_arrow(page, x + 140, y + 158, x + 140, y + 186, HB_SHEET_INK);
  hb_canvas_text(page, x + 16, y + 194, 1, HB_SHEET_FAINT, "In registers, one sum a thread:");
  draw_strip(t, page, p->write, "potential", x + 16, y + 216, 250);
  hb_canvas_text(
      page, x + 16, y + 250, 1, HB_SHEET_FAINT,
      "Then the next tile of sources.\n\nNo textures, so none to swap:\nthe sums stay where they are\n"
      "until the last tile, and go\nwhere the thread likes.");
}

enum hb_status hb_sheet_tile(const struct hb_trace *t, struct hb_canvas *page)
{
  static const struct list in[] = {
      {"mass", "mass", 0, 1}, {"position", "position x", 0, 0}, {"position", "position y", 1, 0}};
  static const struct list out[] = {{"potential", "potential", 0, -1},
                                    {"acceleration", "acceleration x", 0, 0},
                                    {"acceleration", "acceleration y", 1, 0}};
  const struct hb_trace_pass *p = t->pass[t->count - 1];
  int top = HB_SHEET_TOP + 30, height = 3 * (17 + 48 + p->write[0].copy.array.rows * 20);
  char text[160];
  snprintf(text, sizeof text, "%zu particles, %d dispatch of %zu threads; after [NHP07] section 31.3", t->n,
           t->count, p->pass.fragments);
  HB_TRY(hb_sheet_page(top + height + 40, "tile: threads that share what they fetch", text, page));
  hb_canvas_text(page, 40, HB_SHEET_TOP, 1, HB_SHEET_INK, "buffer of particles");
  draw_list(t, page, p->read, in, 40, top);
  hb_canvas_arrow(page, 226, top + height / 2, 300, top + height / 2, HB_SHEET_INK);
  draw_workgroup(t, page, 310, top + 20, height - 60);
  hb_canvas_arrow(page, 600, top + height / 2, 674, top + height / 2, HB_SHEET_INK);
  hb_canvas_text(page, 690, HB_SHEET_TOP, 1, HB_SHEET_INK, "buffer of totals");
  draw_list(t, page, p->write, out, 690, top);
  hb_sheet_cost(page, HB_SHEET_MARGIN, page->height - 34, t);
  return HB_OK;
}

/* matrix2004 on a page: all pairs as texels, and the levels of the sum. */
#include "inspect/sheet.h"

#include "base/text.h"

#include <stdio.h>

enum { SIDE = 296, LEFT = 62, RIGHT = 500, GAP = 26 };

static struct hb_sheet_image image_of(const struct hb_trace *t, int pass)
{
  return hb_sheet_image(t, t->pass[pass]->write, 1, "potential", 0, SIDE);
}

/* Column of the sink to follow by eye. */
static int followed(const struct hb_trace *t) { return (int)t->n * 20 / 37; }

static void draw_image(const struct hb_trace *t, struct hb_canvas *page, int x, int y,
                       const struct hb_sheet_image *image)
{
  hb_sheet_image_draw(page, x, y, image);
  hb_canvas_frame(page, x + followed(t) * image->cell - 1, y - 1, image->cell + 1,
                  hb_sheet_image_height(image) + 1, 1, HB_SHEET_INK);
}

/* The largest potential of a pair: single terms have a scale of their own beside the sums. */
static double most_of_pairs(const struct hb_trace *t)
{
  const struct hb_trace pairs = {.n = t->n, .count = 1, .pass = t->pass};
  return hb_trace_most(&pairs, "potential");
}

static int draw_pairs(const struct hb_trace *t, struct hb_canvas *page, int y)
{
  struct hb_sheet_image image = image_of(t, 0);
  int width = (int)t->n * image.cell, height = hb_sheet_image_height(&image), half = ((int)t->n + 1) / 2;
  int fold = half * image.cell, beside = LEFT + width + 8;
  image.frame = HB_SHEET_READ;
  image.most = most_of_pairs(t);
  hb_canvas_text(page, LEFT, y, 1, HB_SHEET_READ, "draw 1 writes A: a texel is a pair");
  hb_sheet_note(page, LEFT, y + 18, "sinks i ->");
  y += 36;
  draw_image(t, page, LEFT, y, &image);
  hb_sheet_note(page, 8, y, "source\n   j\n   |\n   v");
  hb_canvas_box(page, beside, y + 2, 2, fold - 4, HB_SHEET_FAINT);
  hb_canvas_box(page, beside, y + fold + 2, 2, height - fold - 4, HB_SHEET_FAINT);
  hb_canvas_text(page, beside + 8, y + fold / 2 - 7, 1, HB_SHEET_FAINT, "rows 0-%d", half - 1);
  hb_canvas_text(page, beside + 8, y + fold + (height - fold) / 2 - 7, 1, HB_SHEET_FAINT, "+ rows %d-%d",
                 half, (int)t->n - 1);
  return y + height;
}

/* The passes that fold, one below the other; the last one adds to the totals. */
static int draw_levels(const struct hb_trace *t, struct hb_canvas *page, int y)
{
  hb_canvas_text(page, RIGHT, y, 1, HB_SHEET_INK, "each further draw adds the lower half");
  hb_canvas_text(page, RIGHT, y + 18, 1, HB_SHEET_INK, "of the rows to the upper half");
  y += 54;
  for (int k = 1; k < t->count; k++) {
    struct hb_sheet_image image = image_of(t, k);
    int last = k == t->count - 1, rows = image.array->copy.array.rows;
    image.frame = last ? HB_SHEET_LINE : k % 2 ? HB_SHEET_WRITE : HB_SHEET_READ;
    draw_image(t, page, RIGHT, y, &image);
    hb_canvas_text(page, RIGHT + (int)t->n * image.cell + 12, y + hb_sheet_image_height(&image) / 2 - 7, 1,
                   last ? HB_SHEET_INK : image.frame, last ? "totals" : "%s: %d row%s", k % 2 ? "B" : "A",
                   rows, rows > 1 ? "s" : "");
    y += hb_sheet_image_height(&image);
    if (last) continue;
    hb_canvas_arrow(page, RIGHT + SIDE / 2, y + 4, RIGHT + SIDE / 2, y + GAP - 5, HB_SHEET_FAINT);
    y += GAP;
  }
  return y;
}

static void draw_scale(struct hb_canvas *page, int x, int y, const char *name, double most)
{
  hb_canvas_scale(page, x + 80, y + 2, 210, most, -1);
  hb_sheet_note(page, x, y, name);
}

enum hb_status hb_sheet_matrix(const struct hb_trace *t, struct hb_canvas *page)
{
  char text[200];
  const struct hb_sheet_image last = image_of(t, t->count - 1);
  int levels = 110, left = 36 + (int)t->n * last.cell + 160;
  for (int k = 1; k < t->count; k++) levels += GAP + t->pass[k]->write[0].copy.array.rows * last.cell;
  snprintf(text, sizeof text, "%zu x %zu pairs in one texture, then %d level%s; after [NHP07] section 31.5",
           t->n, t->n, t->count - 2, hb_text_s((uint64_t)t->count - 2));
  HB_TRY(hb_sheet_page(HB_SHEET_TOP + (left > levels ? left : levels) + 50,
                       "matrix2004: all pairs are texels, then fold", text, page));
  int y = draw_pairs(t, page, HB_SHEET_TOP), below = draw_levels(t, page, HB_SHEET_TOP);
  hb_canvas_text(page, LEFT, y + 20, 1, HB_SHEET_FAINT,
                 "Shown is the potential. On the diagonal\na particle meets itself and feels nothing.\n"
                 "The framed column is what sink %d feels of\neach: in the end its sum, %.4f.",
                 followed(t), (double)last.array->floats[HB_TEXELS_FLOATS * followed(t) + last.component]);
  draw_scale(page, LEFT, y + 96, "of a pair", most_of_pairs(t));
  draw_scale(page, RIGHT, below + 20, "of sums", last.most);
  hb_sheet_cost(page, HB_SHEET_MARGIN, page->height - 34, t);
  return HB_OK;
}

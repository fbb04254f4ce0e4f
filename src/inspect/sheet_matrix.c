/* matrix2004 on a page: all pairs as texels, and the levels of the sum. */
#include "inspect/sheet.h"

#include <inttypes.h>
#include <stdio.h>

enum { SIDE = 296, LEFT = 62, RIGHT = 500, GAP = 26 };

static struct hb_sheet_image image_of(const struct hb_trace *t, const struct hb_trace_pass *p, double most)
{
  const struct hb_gl_trace_quantity *q;
  struct hb_sheet_image image = {.array = hb_trace_find(p->write, 1, "potential", &q), .most = most};
  int cell = SIDE / (int)t->n;
  image.component = q->first;
  image.cell = cell > 2 ? cell : 2;
  return image;
}

static int height_of(const struct hb_sheet_image *image)
{
  return image->array->copy.array.rows * image->cell;
}

/* Column of the sink that the eye may follow. */
static int followed(const struct hb_trace *t) { return (int)t->n * 20 / 37; }

static void frame_column(const struct hb_trace *t, struct hb_canvas *page, int x, int y,
                         const struct hb_sheet_image *image)
{
  hb_canvas_frame(page, x + followed(t) * image->cell - 1, y - 1, image->cell + 1, height_of(image) + 1, 1,
                  HB_SHEET_INK);
}

static double number_of(const struct hb_trace *t, const struct hb_sheet_image *image)
{
  return (double)image->array->floats[HB_TEXELS_FLOATS * followed(t) + image->component];
}

/* The largest potential of a pair, whose terms have a scale of their own beside the sums. */
static double most_of_pairs(const struct hb_trace *t)
{
  const struct hb_trace pairs = {.n = t->n, .count = 1, .pass = t->pass};
  return hb_trace_most(&pairs, "potential");
}

static int draw_pairs(const struct hb_trace *t, struct hb_canvas *page, int y, double most)
{
  struct hb_sheet_image image = image_of(t, t->pass[0], most);
  int width = (int)t->n * image.cell, height = height_of(&image), half = ((int)t->n + 1) / 2;
  image.frame = HB_SHEET_READ;
  hb_canvas_text(page, LEFT, y, 1, HB_SHEET_READ, "draw 1 writes A: a texel is a pair");
  hb_canvas_text(page, LEFT, y + 18, 1, HB_SHEET_FAINT, "sinks i ->");
  y += 36;
  hb_sheet_image(page, LEFT, y, &image);
  frame_column(t, page, LEFT, y, &image);
  hb_canvas_text(page, 8, y, 1, HB_SHEET_FAINT, "source\n   j\n   |\n   v");
  int fold = half * image.cell;
  hb_canvas_box(page, LEFT + width + 8, y + 2, 2, fold - 4, HB_SHEET_FAINT);
  hb_canvas_box(page, LEFT + width + 8, y + fold + 2, 2, height - fold - 4, HB_SHEET_FAINT);
  hb_canvas_text(page, LEFT + width + 16, y + fold / 2 - 7, 1, HB_SHEET_FAINT, "rows 0-%d", half - 1);
  hb_canvas_text(page, LEFT + width + 16, y + fold + (height - fold) / 2 - 7, 1, HB_SHEET_FAINT,
                 "+ rows %d-%d", half, (int)t->n - 1);
  return y + height;
}

/* The passes that fold, one below the other; the last one adds to the totals. */
static int draw_levels(const struct hb_trace *t, struct hb_canvas *page, int y, double most)
{
  hb_canvas_text(page, RIGHT, y, 1, HB_SHEET_INK, "each further draw adds the lower half");
  hb_canvas_text(page, RIGHT, y + 18, 1, HB_SHEET_INK, "of the rows to the upper half");
  y += 54;
  for (int k = 1; k < t->count; k++) {
    struct hb_sheet_image image = image_of(t, t->pass[k], most);
    int last = k == t->count - 1, rows = image.array->copy.array.rows;
    image.frame = last ? HB_SHEET_LINE : k % 2 ? HB_SHEET_WRITE : HB_SHEET_READ;
    hb_sheet_image(page, RIGHT, y, &image);
    frame_column(t, page, RIGHT, y, &image);
    hb_canvas_text(page, RIGHT + (int)t->n * image.cell + 12, y + height_of(&image) / 2 - 7, 1,
                   last ? HB_SHEET_INK : image.frame, last ? "totals" : "%s: %d row%s", k % 2 ? "B" : "A",
                   rows, rows > 1 ? "s" : "");
    y += height_of(&image);
    if (!last) hb_canvas_arrow(page, RIGHT + SIDE / 2, y + 4, RIGHT + SIDE / 2, y + GAP - 5, HB_SHEET_FAINT);
    if (!last) y += GAP;
  }
  return y;
}

enum hb_status hb_sheet_matrix(const struct hb_trace *t, struct hb_canvas *page)
{
  char text[200];
  double most = hb_trace_most(t, "potential");
  int levels = 0, cell = image_of(t, t->pass[0], most).cell;
  for (int k = 1; k < t->count; k++)
    levels += GAP + image_of(t, t->pass[k], most).array->copy.array.rows * cell;
  int left = 36 + (int)t->n * cell + 160, height = left > levels + 110 ? left : levels + 110;
  snprintf(text, sizeof text, "%zu x %zu pairs in one texture, then %d levels; after [NHP07] section 31.5",
           t->n, t->n, t->count - 2);
  HB_TRY(
      hb_sheet_page(HB_SHEET_TOP + height + 50, "matrix2004: all pairs are texels, then fold", text, page));
  int y = draw_pairs(t, page, HB_SHEET_TOP, most_of_pairs(t));
  int below = draw_levels(t, page, HB_SHEET_TOP, most);
  struct hb_sheet_image one = image_of(t, t->pass[t->count - 1], most);
  hb_canvas_text(page, LEFT, y + 20, 1, HB_SHEET_FAINT,
                 "Shown is the potential. On the diagonal\na particle meets itself and feels nothing.\n"
                 "The framed column is what sink %d feels of\neach: in the end its sum, %.4f.",
                 followed(t), number_of(t, &one));
  hb_canvas_scale(page, LEFT + 80, y + 98, 210, most_of_pairs(t), -1, NULL);
  hb_canvas_text(page, LEFT, y + 96, 1, HB_SHEET_FAINT, "of a pair");
  hb_canvas_scale(page, RIGHT + 80, below + 22, 210, most, -1, NULL);
  hb_canvas_text(page, RIGHT, below + 20, 1, HB_SHEET_FAINT, "of sums");
  hb_sheet_cost(page, HB_SHEET_MARGIN, page->height - 34, t);
  return HB_OK;
}

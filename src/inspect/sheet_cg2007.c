/* cg2007 on a page: what every draw reads, two draws in detail, and the sum growing in all of them. */
#include "inspect/sheet.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
  WIDE = 160,
  SMALL = 80,
  STEP = 96,
  A_ROW = 9
}; /* pixels of an image, of a small one; small ones in a row */

static int cell_for(const struct hb_trace_array *a, int width)
{
  int cell = width / a->copy.array.columns;
  return cell > 1 ? cell : 1;
}

static struct hb_sheet_image image_of(const struct hb_trace *t, const struct hb_trace_array *arrays,
                                      int count, const char *quantity, int component, int width)
{
  const struct hb_gl_trace_quantity *q;
  const struct hb_trace_array *a = hb_trace_find(arrays, count, quantity, &q);
  return (struct hb_sheet_image){.array = a,
                                 .component = q->first + component,
                                 .most = hb_trace_most(t, quantity),
                                 .cell = cell_for(a, width),
                                 .frame = HB_SHEET_LINE};
}

static int height_of(const struct hb_sheet_image *image)
{
  return image->array->copy.array.rows * image->cell;
}

/* Written by pass k; A is the texture that pass 1 reads. */
static unsigned frame_of(int k) { return k % 2 ? HB_SHEET_WRITE : HB_SHEET_READ; }

static int draw_inputs(const struct hb_trace *t, struct hb_canvas *page, int y)
{
  static const struct {
    const char *quantity, *name;
    int component;
  } inputs[] = {{"mass", "mass", 0},
                {"position", "position x", 0},
                {"position", "position y", 1},
                {"velocity", "velocity x", 0},
                {"velocity", "velocity y", 1}};
  const struct hb_trace_pass *first = t->pass[0];
  int height = 0;
  hb_canvas_text(page, HB_SHEET_MARGIN, y, 1, HB_SHEET_INK, "Every draw reads these. A texel is a particle:");
  for (int k = 0; k < 5; k++) {
    struct hb_sheet_image image =
        image_of(t, first->read, first->pass.read_count, inputs[k].quantity, inputs[k].component, WIDE);
    int x = HB_SHEET_MARGIN + k * (WIDE + 15);
    image.numbers = 1;
    hb_canvas_text(page, x, y + 20, 1, HB_SHEET_FAINT, "%s", inputs[k].name);
    hb_sheet_image(page, x, y + 38, &image);
    hb_canvas_scale(page, x + 16, y + 46 + height_of(&image), WIDE - 42, image.most,
                    image.component || k ? 0 : 1, NULL);
    height = height_of(&image);
  }
  return y + 38 + height + 58;
}

/* Sum read + pull of one other = sum written. */
static int draw_detail(const struct hb_trace *t, struct hb_canvas *page, int y, int k)
{
  const struct hb_trace_pass *p = t->pass[k - 1];
  struct hb_sheet_image before = image_of(t, p->read, p->pass.read_count, "potential", 0, WIDE);
  struct hb_sheet_image other = image_of(t, p->read, p->pass.read_count, "mass", 0, WIDE);
  struct hb_sheet_image after = image_of(t, p->write, p->pass.write_count, "potential", 0, WIDE);
  int x = HB_SHEET_MARGIN, middle = y + 20 + height_of(&before) / 2;
  before.numbers = other.numbers = after.numbers = 1;
  other.shift = k;
  before.frame = frame_of(k - 1);
  after.frame = frame_of(k);
  hb_canvas_text(page, x, y, 1, before.frame, "draw %d reads %s%s", k, k % 2 ? "A" : "B",
                 k == 1 ? ": zeros" : "");
  hb_canvas_text(page, x + 220, y, 1, HB_SHEET_INK, "the particle %d place%s on", k, k > 1 ? "s" : "");
  hb_canvas_text(page, x + 440, y, 1, after.frame, "and writes %s", k % 2 ? "B" : "A");
  hb_sheet_image(page, x, y + 20, &before);
  hb_canvas_text(page, x + 182, middle - 14, 2, HB_SHEET_INK, "+");
  hb_sheet_image(page, x + 220, y + 20, &other);
  hb_canvas_arrow(page, x + 388, middle, x + 432, middle, HB_SHEET_INK);
  hb_sheet_image(page, x + 440, y + 20, &after);
  return y + 20 + height_of(&before) + 20;
}

static void draw_explanation(struct hb_canvas *page, int y)
{
  static const char *const lines[] = {"A fragment is a particle i.",
                                      "It fetches its own sum, here",
                                      "the potential, and particle",
                                      "i + p, adds what that one",
                                      "does to it, and its colour",
                                      "is the new sum.",
                                      "",
                                      "No draw may write to what",
                                      "it reads. So there are two",
                                      "sets of sums, A and B,",
                                      "which swap after each draw.",
                                      "",
                                      "The middle shows who is",
                                      "felt: behind the last one",
                                      "comes the first again."};
  for (size_t k = 0; k < sizeof lines / sizeof *lines; k++)
    hb_canvas_text(page, 652, y + 15 * (int)k, 1, HB_SHEET_FAINT, "%s", lines[k]);
}

static int draw_all(const struct hb_trace *t, struct hb_canvas *page, int y)
{
  hb_canvas_text(page, HB_SHEET_MARGIN, y, 1, HB_SHEET_INK,
                 "The potential that each draw has written: a sum that grows");
  y += 22;
  int height = 0;
  for (int k = 1; k <= t->count; k++) {
    const struct hb_trace_pass *p = t->pass[k - 1];
    struct hb_sheet_image image = image_of(t, p->write, p->pass.write_count, "potential", 0, SMALL);
    height = height_of(&image);
    int x = HB_SHEET_MARGIN + (k - 1) % A_ROW * STEP, row = y + (k - 1) / A_ROW * (height + 28);
    image.frame = frame_of(k);
    hb_canvas_text(page, x, row, 1, image.frame, "%d: %s", k, k % 2 ? "B" : "A");
    hb_sheet_image(page, x, row + 17, &image);
    if (k % A_ROW && k < t->count)
      hb_canvas_arrow(page, x + SMALL + 2, row + 17 + height / 2, x + STEP - 3, row + 17 + height / 2,
                      HB_SHEET_FAINT);
  }
  return y + (t->count + A_ROW - 1) / A_ROW * (height + 28);
}

enum hb_status hb_sheet_cg2007(const struct hb_trace *t, struct hb_canvas *page)
{
  char text[160];
  const struct hb_trace_array *some = &t->pass[0]->write[0];
  int rows = some->copy.array.rows, columns = some->copy.array.columns;
  int big = rows * cell_for(some, WIDE), small = rows * cell_for(some, SMALL);
  int shown = t->count < 2 ? t->count : 2, lines = (t->count + A_ROW - 1) / A_ROW;
  int height = HB_SHEET_TOP + 96 + big + shown * (big + 40) + 30 + 22 + lines * (small + 28) + 84;
  snprintf(text, sizeof text, "%zu particles in textures of %d columns, %d draws; after [PZ07] appendix A",
           t->n, columns, t->count);
  HB_TRY(hb_sheet_page(height, "cg2007: a draw lets everybody feel one other", text, page));
  int y = draw_inputs(t, page, HB_SHEET_TOP);
  draw_explanation(page, y + 4);
  for (int k = 1; k <= shown; k++) y = draw_detail(t, page, y, k);
  y = draw_all(t, page, y + 20);
  hb_canvas_scale(page, HB_SHEET_MARGIN + 80, y + 8, 240, hb_trace_most(t, "potential"), -1, NULL);
  hb_canvas_text(page, HB_SHEET_MARGIN, y + 6, 1, HB_SHEET_FAINT, "potential");
  hb_sheet_cost(page, HB_SHEET_MARGIN, y + 50, t);
  return HB_OK;
}

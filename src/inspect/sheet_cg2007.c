/* cg2007 on a page: what every draw reads, two draws in detail, and how the sum grows in all of them. */
#include "inspect/sheet.h"

#include "base/text.h"

#include <stdio.h>

/* pixels of an image, of a small one, from one to the next; small ones per row */
enum { WIDE = 160, SMALL = 80, STEP = 96, A_ROW = 9 };

static struct hb_sheet_image read_by(const struct hb_trace *t, int pass, const char *quantity, int c)
{
  const struct hb_trace_pass *p = t->pass[pass];
  return hb_sheet_image(t, p->read, p->pass.read_count, quantity, c, WIDE);
}

static struct hb_sheet_image written_by(const struct hb_trace *t, int pass, int width)
{
  const struct hb_trace_pass *p = t->pass[pass];
  return hb_sheet_image(t, p->write, p->pass.write_count, "potential", 0, width);
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
  int height = 0;
  hb_canvas_text(page, HB_SHEET_MARGIN, y, 1, HB_SHEET_INK, "Every draw reads these. A texel is a particle:");
  for (int k = 0; k < 5; k++) {
    struct hb_sheet_image image = read_by(t, 0, inputs[k].quantity, inputs[k].component);
    int x = HB_SHEET_MARGIN + k * (WIDE + 15);
    image.numbers = 1;
    height = hb_sheet_image_height(&image);
    hb_sheet_note(page, x, y + 20, inputs[k].name);
    hb_sheet_image_draw(page, x, y + 38, &image);
    hb_canvas_scale(page, x + 16, y + 46 + height, WIDE - 42, image.most, k == 0);
  }
  return y + 38 + height + 58;
}

/* Sum read + contribution of one other = sum written. */
static int draw_detail(const struct hb_trace *t, struct hb_canvas *page, int y, int k)
{
  struct hb_sheet_image before = read_by(t, k - 1, "potential", 0), other = read_by(t, k - 1, "mass", 0);
  struct hb_sheet_image after = written_by(t, k - 1, WIDE);
  int x = HB_SHEET_MARGIN, height = hb_sheet_image_height(&before), middle = y + 20 + height / 2;
  before.numbers = other.numbers = after.numbers = 1;
  other.shift = k;
  before.frame = frame_of(k - 1);
  after.frame = frame_of(k);
  hb_canvas_text(page, x, y, 1, before.frame, "draw %d reads %s%s", k, k % 2 ? "A" : "B",
                 k == 1 ? ": zeros" : "");
  hb_canvas_text(page, x + 220, y, 1, HB_SHEET_INK, "the particle %d place%s on", k, hb_text_s((uint64_t)k));
  hb_canvas_text(page, x + 440, y, 1, after.frame, "and writes %s", k % 2 ? "B" : "A");
  hb_sheet_image_draw(page, x, y + 20, &before);
  hb_canvas_text(page, x + 182, middle - 14, 2, HB_SHEET_INK, "+");
  hb_sheet_image_draw(page, x + 220, y + 20, &other);
  hb_canvas_arrow(page, x + 388, middle, x + 432, middle, HB_SHEET_INK);
  hb_sheet_image_draw(page, x + 440, y + 20, &after);
  return y + 20 + height + 20;
}

static void draw_explanation(struct hb_canvas *page, int y)
{
  static const char *const lines[] = {"A fragment is a particle i.",
                                      "It fetches its own sum, here",
                                      "the potential, and particle",
                                      "i + p, adds what that one",
                                      "does to it, and its color",
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
    hb_sheet_note(page, 652, y + 15 * (int)k, lines[k]);
}

static int draw_all(const struct hb_trace *t, struct hb_canvas *page, int y)
{
  hb_canvas_text(page, HB_SHEET_MARGIN, y, 1, HB_SHEET_INK,
                 "The potential that each draw has written: a sum that grows");
  y += 22;
  int height = 0;
  for (int k = 1; k <= t->count; k++) {
    struct hb_sheet_image image = written_by(t, k - 1, SMALL);
    height = hb_sheet_image_height(&image);
    int x = HB_SHEET_MARGIN + (k - 1) % A_ROW * STEP, row = y + (k - 1) / A_ROW * (height + 28);
    image.frame = frame_of(k);
    hb_canvas_text(page, x, row, 1, image.frame, "%d: %s", k, k % 2 ? "B" : "A");
    hb_sheet_image_draw(page, x, row + 17, &image);
    if (k % A_ROW && k < t->count)
      hb_canvas_arrow(page, x + SMALL + 2, row + 17 + height / 2, x + STEP - 3, row + 17 + height / 2,
                      HB_SHEET_FAINT);
  }
  return y + (t->count + A_ROW - 1) / A_ROW * (height + 28);
}

enum hb_status hb_sheet_cg2007(const struct hb_trace *t, struct hb_canvas *page)
{
  char text[160];
  const struct hb_sheet_image large = written_by(t, 0, WIDE), little = written_by(t, 0, SMALL);
  int columns = large.array->copy.array.columns, big = hb_sheet_image_height(&large);
  int small = hb_sheet_image_height(&little);
  int shown = t->count < 2 ? t->count : 2, lines = (t->count + A_ROW - 1) / A_ROW;
  int height = HB_SHEET_TOP + 96 + big + shown * (big + 40) + 30 + 22 + lines * (small + 28) + 84;
  snprintf(text, sizeof text, "%zu particles in textures of %d columns, %d draw%s; after [PZ07] appendix A",
           t->n, columns, t->count, hb_text_s((uint64_t)t->count));
  HB_TRY(hb_sheet_page(height, "cg2007: each draw adds one pair to every sum", text, page));
  int y = draw_inputs(t, page, HB_SHEET_TOP);
  draw_explanation(page, y + 4);
  for (int k = 1; k <= shown; k++) y = draw_detail(t, page, y, k);
  y = draw_all(t, page, y + 20);
  hb_canvas_scale(page, HB_SHEET_MARGIN + 80, y + 8, 240, large.most, -1);
  hb_sheet_note(page, HB_SHEET_MARGIN, y + 6, "potential");
  hb_sheet_cost(page, HB_SHEET_MARGIN, y + 50, t);
  return HB_OK;
}

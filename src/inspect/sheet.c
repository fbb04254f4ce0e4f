#include "inspect/sheet.h"

#include "render/colormap.h"
#include "render/font.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { NUMBERED = 20 }; /* pixels of a cell that two digits fit into */

enum hb_status hb_sheet_page(int height, const char *title, const char *text, struct hb_canvas *page)
{
  HB_TRY(hb_canvas_create(HB_SHEET_WIDTH, height, HB_SHEET_PAPER, page));
  hb_canvas_text(page, HB_SHEET_MARGIN, 14, 2, HB_SHEET_INK, "%s", title);
  hb_sheet_note(page, HB_SHEET_MARGIN, 48, text);
  return HB_OK;
}

void hb_sheet_note(struct hb_canvas *page, int x, int y, const char *text)
{
  hb_canvas_text(page, x, y, 1, HB_SHEET_FAINT, "%s", text);
}

struct hb_sheet_image hb_sheet_image(const struct hb_trace *t, const struct hb_trace_array *arrays, int count,
                                     const char *quantity, int c, int width)
{
  const struct hb_gl_trace_quantity *q;
  const struct hb_trace_array *a = hb_trace_find(arrays, count, quantity, &q);
  int cell = width / a->copy.array.columns;
  return (struct hb_sheet_image){.array = a,
                                 .component = q->first + c,
                                 .most = hb_trace_most(t, quantity),
                                 .cell = cell > 2 ? cell : 2,
                                 .frame = HB_SHEET_LINE};
}

int hb_sheet_image_height(const struct hb_sheet_image *image)
{
  return image->array->copy.array.rows * image->cell;
}

static void draw_cell(struct hb_canvas *page, int x, int y, const struct hb_sheet_image *image, int column,
                      int row)
{
  const struct hb_gl_trace_array *grid = &image->array->copy.array;
  int64_t particle = hb_texels_particle(grid, column, row);
  int cell = image->cell, gap = cell >= 7;
  if (particle < 0) { /* unused: a dot in the middle */
    hb_canvas_box(page, x + cell / 2 - 1, y + cell / 2 - 1, 2, 2, HB_SHEET_LINE);
    return;
  }
  if (image->shift) {
    int k = (row * grid->columns + column + image->shift) % (int)grid->n;
    column = k % grid->columns;
    row = k / grid->columns;
    particle = hb_texels_particle(grid, column, row);
  }
  size_t at = HB_TEXELS_FLOATS * (size_t)(row * grid->columns + column) + (size_t)image->component;
  unsigned color = hb_false_color((double)image->array->floats[at], image->most);
  hb_canvas_box(page, x, y, cell - gap, cell - gap, color);
  if (!image->numbers || cell < NUMBERED) return;
  int bright = 3 * (color >> 16) + 6 * (color >> 8 & 255) + (color & 255) > 1150;
  hb_canvas_text_at(page, x + cell / 2, y + (cell - HB_FONT_HEIGHT) / 2 + 1, bright ? 0x101018 : 0xd0d0d8,
                    "%" PRId64, particle);
}

void hb_sheet_image_draw(struct hb_canvas *page, int x, int y, const struct hb_sheet_image *image)
{
  const struct hb_gl_trace_array *grid = &image->array->copy.array;
  int width = grid->columns * image->cell, height = hb_sheet_image_height(image);
  for (int row = 0; row < grid->rows; row++)
    for (int column = 0; column < grid->columns; column++)
      draw_cell(page, x + column * image->cell, y + row * image->cell, image, column, row);
  if (image->frame) hb_canvas_frame(page, x - 1, y - 1, width + 1, height + 1, 1, image->frame);
}

void hb_sheet_cost(struct hb_canvas *page, int x, int y, const struct hb_trace *t)
{
  const struct hb_trace_cost *c = &t->cost;
  const char *unit = hb_force_scheme_find(t->scheme)->is_compute ? "dispatch"
                     : c->draws == 1                             ? "draw"
                                                                 : "draws";
  double pairs = (double)c->pairs;
  hb_canvas_text(page, x, y, 1, HB_SHEET_FAINT,
                 "%" PRIu64 " %s for %" PRIu64 " pairs; a pair asks for %.3g texels (%.4g bytes) and writes "
                 "%.3g (%.4g bytes)",
                 c->draws, unit, c->pairs, (double)c->texels_read / pairs, (double)c->bytes_read / pairs,
                 (double)c->texels_written / pairs, (double)c->bytes_written / pairs);
}

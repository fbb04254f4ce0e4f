#include "inspect/sheet.h"

#include "base/mem.h"
#include "base/text.h"
#include "render/false_color.h"
#include "render/font.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { CELL = 20, NUMBERED = 20 }; /* pixels of a cell; of one that two digits fit into */

static unsigned color_of(const uint8_t rgb[3])
{
  return (unsigned)rgb[0] << 16 | (unsigned)rgb[1] << 8 | (unsigned)rgb[2];
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
  uint8_t rgb[3];
  hb_false_color(
      (double)image->array->floats[HB_TEXELS_FLOATS * (row * grid->columns + column) + image->component],
      image->most, rgb);
  hb_canvas_box(page, x, y, cell - gap, cell - gap, color_of(rgb));
  if (!image->numbers || cell < NUMBERED) return;
  int bright = 3 * rgb[0] + 6 * rgb[1] + rgb[2] > 1150;
  hb_canvas_text_at(page, x + cell / 2, y + (cell - HB_FONT_HEIGHT) / 2 + 1, bright ? 0x101018 : 0xd0d0d8,
                    "%" PRId64, particle);
}

void hb_sheet_image(struct hb_canvas *page, int x, int y, const struct hb_sheet_image *image)
{
  const struct hb_gl_trace_array *grid = &image->array->copy.array;
  int width = grid->columns * image->cell, height = grid->rows * image->cell;
  for (int row = 0; row < grid->rows; row++)
    for (int column = 0; column < grid->columns; column++)
      draw_cell(page, x + column * image->cell, y + row * image->cell, image, column, row);
  if (image->frame) hb_canvas_frame(page, x - 1, y - 1, width + 1, height + 1, 1, image->frame);
}

enum hb_status hb_sheet_page(int height, const char *title, const char *text, struct hb_canvas *page)
{
  HB_TRY(hb_canvas_create(HB_SHEET_WIDTH, height, HB_SHEET_PAPER, page));
  hb_canvas_text(page, HB_SHEET_MARGIN, 14, 2, HB_SHEET_INK, "%s", title);
  hb_canvas_text(page, HB_SHEET_MARGIN, 48, 1, HB_SHEET_FAINT, "%s", text);
  return HB_OK;
}

void hb_sheet_cost(struct hb_canvas *page, int x, int y, const struct hb_trace *t)
{
  const struct hb_trace_cost *c = &t->cost;
  double pairs = (double)c->pairs;
  hb_canvas_text(page, x, y, 1, HB_SHEET_FAINT,
                 "%" PRIu64 " %s for %" PRIu64 " pairs; a pair asks for %.3g texels (%.4g bytes) and writes "
                 "%.3g (%.4g bytes)",
                 c->draws,
                 strcmp(t->scheme, "tile") == 0 ? "dispatch"
                 : c->draws == 1                ? "draw"
                                                : "draws",
                 c->pairs, (double)c->texels_read / pairs, (double)c->bytes_read / pairs,
                 (double)c->texels_written / pairs, (double)c->bytes_written / pairs);
}

/* ---- one picture a texture ---- */

static const char *component_name(const struct hb_gl_trace_quantity *q, int c)
{
  static const char *const names[] = {" x", " y", " z"};
  return q->count == 3 ? names[c] : "";
}

/* A number that no shader uses. */
static int is_left_out(const struct hb_trace *t, const struct hb_gl_trace_quantity *q)
{
  return strcmp(q->name, "free") == 0 && hb_trace_most(t, q->name) == 0;
}

/* Its components side by side, each quantity with its scale. */
static enum hb_status draw_array(const struct hb_trace *t, const struct hb_trace_pass *p,
                                 const struct hb_trace_array *a, const char *role, struct hb_canvas *page)
{
  enum { GAP = 24, TOP = 62, BELOW = 62, LEAST = 132 };
  const struct hb_gl_trace_array *grid = &a->copy.array;
  int components = 0, cell = grid->columns > 16 ? 8 : CELL;
  for (const struct hb_gl_trace_quantity *q = grid->quantities; q->name; q++)
    components += is_left_out(t, q) ? 0 : q->count;
  int width = grid->columns * cell, height = grid->rows * cell, step = (width > LEAST ? width : LEAST) + GAP;
  int page_width = components * step + GAP;
  HB_TRY(hb_canvas_create(page_width > 560 ? page_width : 560, TOP + height + BELOW, HB_SHEET_PAPER, page));
  hb_canvas_text(page, GAP, 8, 1, HB_SHEET_INK, "%s, pass %" PRIu64 ": %s", p->pass.scheme, p->pass.number,
                 p->pass.what);
  hb_canvas_text(page, GAP, 24, 1, HB_SHEET_FAINT, "%s %s: %d x %d records of %d particles", role, grid->name,
                 grid->columns, grid->rows, (int)t->n);
  int x = GAP;
  for (const struct hb_gl_trace_quantity *q = grid->quantities; q->name; q++) {
    double most = hb_trace_most(t, q->name);
    if (is_left_out(t, q)) continue;
    for (int c = 0; c < q->count; c++, x += step) {
      const struct hb_sheet_image image = {a, q->first + c, most, cell, cell >= NUMBERED, 0, HB_SHEET_LINE};
      hb_canvas_text(page, x, TOP - 18, 1, HB_SHEET_INK, "%s%s", q->name, component_name(q, c));
      hb_sheet_image(page, x, TOP, &image);
      if (c == 0) hb_canvas_scale(page, x, TOP + height + 18, LEAST - 20, most, 0, NULL);
    }
  }
  return HB_OK;
}

static enum hb_status write_array(const struct hb_trace *t, const struct hb_trace_pass *p,
                                  const struct hb_trace_array *a, const char *role, const char *folder,
                                  int *count)
{
  if (!a->floats) return HB_OK; /* the list of sinks */
  struct hb_text path = {0};
  struct hb_canvas page = {0};
  int length = (int)strcspn(a->copy.array.name, ", ");
  enum hb_status status = hb_text_append(&path, "%s/%s_%02" PRIu64 "_%s_%.*s.png", folder, p->pass.scheme,
                                         p->pass.number, role, length, a->copy.array.name);
  if (status == HB_OK) status = draw_array(t, p, a, role, &page);
  if (status == HB_OK) status = hb_canvas_write(&page, path.text, p->pass.what);
  *count += status == HB_OK;
  hb_canvas_destroy(&page);
  hb_mem_free(path.text);
  return status;
}

/* ---- all of it ---- */

static enum hb_status write_sheet(const struct hb_trace *t, const char *folder, int *count)
{
  static const struct {
    const char *scheme;
    enum hb_status (*draw)(const struct hb_trace *trace, struct hb_canvas *page);
  } sheets[] = {{"cg2007", hb_sheet_cg2007},
                {"matrix2004", hb_sheet_matrix},
                {"bag", hb_sheet_bag},
                {"tile", hb_sheet_tile}};
  for (size_t k = 0; k < sizeof sheets / sizeof *sheets; k++) {
    if (strcmp(sheets[k].scheme, t->scheme) != 0) continue;
    struct hb_canvas page = {0};
    struct hb_text path = {0}, comment = {0};
    enum hb_status status = hb_text_append(&path, "%s/%s.png", folder, t->scheme);
    if (status == HB_OK)
      status = hb_text_append(&comment, "a walk of %zu particles by %s, pass by pass", t->n, t->scheme);
    if (status == HB_OK) status = sheets[k].draw(t, &page);
    if (status == HB_OK) status = hb_canvas_write(&page, path.text, comment.text);
    *count += status == HB_OK;
    hb_canvas_destroy(&page);
    hb_mem_free(path.text);
    hb_mem_free(comment.text);
    return status;
  }
  return hb_fail(HB_ERR_INTERNAL, "there is no contact sheet for scheme %s", t->scheme);
}

enum hb_status hb_trace_write(const struct hb_trace *t, const char *folder, int *count)
{
  for (int k = 0; k < t->count; k++) {
    const struct hb_trace_pass *p = t->pass[k];
    for (int r = 0; r < p->pass.read_count; r++)
      HB_TRY(write_array(t, p, &p->read[r], "read", folder, count));
    for (int w = 0; w < p->pass.write_count; w++)
      HB_TRY(write_array(t, p, &p->write[w], "write", folder, count));
  }
  return write_sheet(t, folder, count);
}

/* Passes as slides for a screen: what a pass reads above, what it writes below, large enough for the back of a room. */
#include "base/mem.h"
#include "base/text.h"
#include "inspect/sheet.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 1920, HEIGHT = 1080, MARGIN = 50, TOP = 150, GAP = 10, WIDE_GAP = 40, LABEL = 62, LEAST = 24 };

/* Where the next image goes; without a page, only how far it would get. */
struct pen {
  struct hb_canvas *page;
  int x, y, line;
};

static void next_line(struct pen *pen)
{
  if (pen->x > MARGIN) pen->y += pen->line + GAP;
  pen->x = MARGIN;
  pen->line = 0;
}

/* The components of a quantity side by side, below its name. */
static void put_quantity(const struct hb_trace *t, const struct hb_trace_array *a,
                         const struct hb_gl_trace_quantity *q, int side, struct pen *pen)
{
  static const char *const axes[] = {"x", "y", "z"};
  const struct hb_gl_trace_array *grid = &a->copy.array;
  int longest = grid->columns > grid->rows ? grid->columns : grid->rows, cell = side / longest;
  struct hb_sheet_image image = {.array = a,
                                 .most = hb_trace_most(t, q->name),
                                 .cell = cell > 1 ? cell : 1,
                                 .numbers = 1,
                                 .frame = HB_SHEET_LINE};
  int width = grid->columns * image.cell, names = 16 * (int)strlen(q->name);
  int step = width + GAP, all = q->count * step > names ? q->count * step : names;
  if (pen->x > MARGIN && pen->x + all > WIDTH - MARGIN) next_line(pen);
  if (pen->page) hb_canvas_text(pen->page, pen->x, pen->y, 2, HB_SHEET_INK, "%s", q->name);
  for (int c = 0; c < q->count && pen->page; c++) {
    image.component = q->first + c;
    if (q->count == 3)
      hb_canvas_text(pen->page, pen->x + c * step, pen->y + 32, 2, HB_SHEET_FAINT, "%s", axes[c]);
    hb_sheet_image_draw(pen->page, pen->x + c * step, pen->y + LABEL, &image);
  }
  pen->x += all + WIDE_GAP;
  int height = LABEL + hb_sheet_image_height(&image);
  if (height > pen->line) pen->line = height;
}

static void put_arrays(const struct hb_trace *t, const struct hb_trace_array *arrays, int count,
                       const char *verb, unsigned color, int side, struct pen *pen)
{
  if (pen->page) hb_canvas_text(pen->page, MARGIN, pen->y, 3, color, "%s", verb);
  pen->y += 54;
  for (int k = 0; k < count; k++) {
    if (!arrays[k].floats) continue; /* the list of sinks */
    for (const struct hb_gl_trace_quantity *q = arrays[k].copy.array.quantities; q->name; q++)
      if (!hb_trace_is_unused(t, q)) put_quantity(t, &arrays[k], q, side, pen);
  }
  next_line(pen);
}

static int put_pass(const struct hb_trace *t, const struct hb_trace_pass *p, int side, struct hb_canvas *page)
{
  struct pen pen = {.page = page, .x = MARGIN, .y = TOP};
  put_arrays(t, p->read, p->pass.read_count, "reads", HB_SHEET_READ, side, &pen);
  put_arrays(t, p->write, p->pass.write_count, "writes", HB_SHEET_WRITE, side, &pen);
  return pen.y;
}

static enum hb_status draw(const struct hb_trace *t, const struct hb_trace_pass *p, struct hb_canvas *page)
{
  int side = WIDTH / 4;
  HB_TRY(hb_canvas_create(WIDTH, HEIGHT, HB_SHEET_PAPER, page));
  hb_canvas_text(page, MARGIN, 36, 4, HB_SHEET_INK, "%s, pass %" PRIu64 " of %d", p->pass.scheme,
                 p->pass.number, t->count);
  hb_canvas_text(page, MARGIN, 104, 2, HB_SHEET_FAINT, "%s", p->pass.what);
  while (side > LEAST && put_pass(t, p, side, NULL) > HEIGHT) side -= 4; /* as large as fits */
  put_pass(t, p, side, page);
  return HB_OK;
}

static enum hb_status write_slide(const struct hb_trace *t, const struct hb_trace_pass *p, const char *folder)
{
  struct hb_canvas page = {0};
  struct hb_text path = {0};
  enum hb_status status =
      hb_text_append(&path, "%s/%s_slide_%02" PRIu64 ".png", folder, t->scheme, p->pass.number);
  if (status == HB_OK) status = draw(t, p, &page);
  if (status == HB_OK) status = hb_canvas_write(&page, path.text, p->pass.what);
  hb_canvas_destroy(&page);
  hb_mem_free(path.text);
  return status;
}

/* The middle of a long walk is more of the same. */
enum hb_status hb_trace_write_slides(const struct hb_trace *t, const char *folder, int *count)
{
  enum { ALL = 12, FIRST = 3 };
  for (int k = 0; k < t->count; k++) {
    if (t->count > ALL && k >= FIRST && k + 1 < t->count) continue;
    HB_TRY(write_slide(t, t->pass[k], folder));
    ++*count;
  }
  return HB_OK;
}

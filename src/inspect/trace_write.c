/* Writes a walk: a picture of each array of each pass, and the scheme's contact sheet. */
#include "base/mem.h"
#include "base/text.h"
#include "inspect/sheet.h"

#include <inttypes.h>
#include <string.h>

enum { CELL = 20, SMALL_CELL = 8, GAP = 24, TOP = 62, BELOW = 62, LEAST_WIDTH = 132, LEAST_PAGE = 560 };

int hb_trace_is_unused(const struct hb_trace *t, const struct hb_gl_trace_quantity *q)
{
  return strcmp(q->name, "free") == 0 && hb_trace_most(t, q->name) == 0;
}

/* The components side by side, each quantity with its scale; returns where the next one starts. */
static int draw_quantity(const struct hb_trace *t, const struct hb_trace_array *a,
                         const struct hb_gl_trace_quantity *q, int cell, int step, int x,
                         struct hb_canvas *page)
{
  static const char *const axes[] = {" x", " y", " z"};
  struct hb_sheet_image image = {.array = a,
                                 .most = hb_trace_most(t, q->name),
                                 .cell = cell,
                                 .numbers = cell == CELL,
                                 .frame = HB_SHEET_LINE};
  hb_canvas_scale(page, x, TOP + hb_sheet_image_height(&image) + 18, LEAST_WIDTH - 20, image.most, 0);
  for (int c = 0; c < q->count; c++, x += step) {
    image.component = q->first + c;
    hb_canvas_text(page, x, TOP - 18, 1, HB_SHEET_INK, "%s%s", q->name, q->count == 3 ? axes[c] : "");
    hb_sheet_image_draw(page, x, TOP, &image);
  }
  return x;
}

static enum hb_status draw_array(const struct hb_trace *t, const struct hb_trace_pass *p,
                                 const struct hb_trace_array *a, const char *role, struct hb_canvas *page)
{
  const struct hb_gl_trace_array *grid = &a->copy.array;
  int components = 0, cell = grid->columns > 16 ? SMALL_CELL : CELL, x = GAP;
  for (const struct hb_gl_trace_quantity *q = grid->quantities; q->name; q++)
    components += hb_trace_is_unused(t, q) ? 0 : q->count;
  int width = grid->columns * cell, step = (width > LEAST_WIDTH ? width : LEAST_WIDTH) + GAP;
  int page_width = components * step + GAP;
  HB_TRY(hb_canvas_create(page_width > LEAST_PAGE ? page_width : LEAST_PAGE, TOP + grid->rows * cell + BELOW,
                          HB_SHEET_PAPER, page));
  hb_canvas_text(page, GAP, 8, 1, HB_SHEET_INK, "%s, pass %" PRIu64 ": %s", p->pass.scheme, p->pass.number,
                 p->pass.what);
  hb_canvas_text(page, GAP, 24, 1, HB_SHEET_FAINT, "%s %s: %d x %d records of %d particles", role, grid->name,
                 grid->columns, grid->rows, (int)t->n);
  for (const struct hb_gl_trace_quantity *q = grid->quantities; q->name; q++)
    if (!hb_trace_is_unused(t, q)) x = draw_quantity(t, a, q, cell, step, x, page);
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

static const struct {
  const char *scheme;
  enum hb_status (*draw)(const struct hb_trace *trace, struct hb_canvas *page);
} sheets[] = {{"cg2007", hb_sheet_cg2007},
              {"matrix2004", hb_sheet_matrix},
              {"bag", hb_sheet_bag},
              {"tile", hb_sheet_tile}};
enum { SHEETS = sizeof sheets / sizeof *sheets };

enum hb_status hb_trace_write_sheet(const struct hb_trace *t, const char *folder)
{
  struct hb_canvas page = {0};
  struct hb_text path = {0}, comment = {0};
  int k = 0;
  while (k < SHEETS && strcmp(sheets[k].scheme, t->scheme) != 0) k++;
  if (k == SHEETS) return hb_fail(HB_ERR_INTERNAL, "there is no contact sheet for scheme %s", t->scheme);
  enum hb_status status = hb_text_append(&path, "%s/%s.png", folder, t->scheme);
  if (status == HB_OK)
    status = hb_text_append(&comment, "a walk of %zu particles by %s, pass by pass", t->n, t->scheme);
  if (status == HB_OK) status = sheets[k].draw(t, &page);
  if (status == HB_OK) status = hb_canvas_write(&page, path.text, comment.text);
  hb_canvas_destroy(&page);
  hb_mem_free(path.text);
  hb_mem_free(comment.text);
  return status;
}

enum hb_status hb_trace_write_passes(const struct hb_trace *t, const char *folder, int *count)
{
  for (int k = 0; k < t->count; k++) {
    const struct hb_trace_pass *p = t->pass[k];
    for (int r = 0; r < p->pass.read_count; r++)
      HB_TRY(write_array(t, p, &p->read[r], "read", folder, count));
    for (int w = 0; w < p->pass.write_count; w++)
      HB_TRY(write_array(t, p, &p->write[w], "write", folder, count));
  }
  return HB_OK;
}

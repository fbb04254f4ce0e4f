/* bag and tile on a page: which pairs each pass walks in registers, and the totals that it leaves. */
#include "inspect/sheet.h"

#include "base/text.h"

#include "render/colormap.h"

#include <stdio.h>

enum { IMAGE = 160, STEP = 172, A_ROW = 5, DIAGRAM = 148 };
enum { BESIDE = 19 /* columns of the legend that leave space for the scales */ };

static const struct column {
  const char *quantity, *name;
  int component, signs; /* signs: see hb_canvas_scale */
} sums[3] = {{"potential", "potential", 0, -1},
             {"acceleration", "acceleration x", 0, 0},
             {"acceleration", "acceleration y", 1, 0}};

static struct hb_sheet_image image_of(const struct hb_trace *t, const struct hb_trace_array *arrays,
                                      const struct column *column)
{
  return hb_sheet_image(t, arrays, 1, column->quantity, column->component, IMAGE);
}

/* Fragments to the right, sources downwards: walked before, in this pass, later. */
static void draw_diagram(const struct hb_trace *t, struct hb_canvas *page, int x, int y, int k, double before)
{
  const struct hb_gl_trace_array *totals = &t->pass[k]->write[0].copy.array;
  double walked = before + (double)t->pass[k]->pass.pairs / (double)totals->n;
  int columns = totals->columns, width = IMAGE / columns;
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
  hb_sheet_note(page, x, y + 16, p->pass.what);
  draw_diagram(t, page, x, y + 36, k, before);
  y += 36 + DIAGRAM;
  hb_canvas_arrow(page, x + IMAGE / 2, y + 4, x + IMAGE / 2, y + 22, HB_SHEET_INK);
  hb_canvas_text(page, x, y + 8, 1, frame, "writes %s", k % 2 ? "A" : "B");
  y += 30;
  for (int q = 0; q < 3; q++) {
    struct hb_sheet_image image = image_of(t, p->write, &sums[q]);
    int height = hb_sheet_image_height(&image);
    image.frame = frame;
    hb_sheet_note(page, x, y, sums[q].name);
    hb_sheet_image_draw(page, x, y + 17, &image);
    if (q == 0 && k + 1 < t->count && (k + 1) % A_ROW)
      hb_canvas_arrow(page, x + IMAGE, y + 17 + height / 2, x + STEP - 1, y + 17 + height / 2, HB_SHEET_INK);
    y += 17 + height + 8;
  }
}

/* Which sums are where, and the scales. */
static void draw_legend(const struct hb_trace *t, struct hb_canvas *page, int y, int below)
{
  struct hb_sheet_image who = image_of(t, t->pass[0]->write, &sums[0]);
  int x = 430;
  hb_sheet_note(page, HB_SHEET_MARGIN, y, "Whose sums they are: a column is a fragment");
  y += below;
  hb_canvas_scale(page, x + 110, y + 22, 320, who.most, -1);
  hb_sheet_note(page, x, y + 20, "potential");
  hb_canvas_scale(page, x + 110, y + 68, 320, hb_trace_most(t, "acceleration"), 0);
  hb_sheet_note(page, x, y + 66, "acceleration");
  who.most = 0; /* dark: only the numbers count */
  who.cell = 20;
  who.numbers = 1;
  hb_sheet_image_draw(page, HB_SHEET_MARGIN, y - below + 18, &who);
}

enum hb_status hb_sheet_bag(const struct hb_trace *t, struct hb_canvas *page)
{
  char text[200];
  const struct hb_gl_trace_array *totals = &t->pass[0]->write[0].copy.array;
  const struct hb_sheet_image some = image_of(t, t->pass[0]->write, &sums[0]);
  int height = 36 + DIAGRAM + 30 + 3 * (25 + hb_sheet_image_height(&some)) + 16;
  int legend = 20 * totals->rows, below = totals->columns > BESIDE ? legend + 18 : 0;
  int lines = (t->count + A_ROW - 1) / A_ROW, top = HB_SHEET_TOP + 34;
  double before = 0;
  snprintf(text, sizeof text,
           "%zu particles, %d fragments that keep the sums of %d sink%s each in registers, %d pass%s; after "
           "[HI07]",
           t->n, totals->columns, totals->each, hb_text_s((uint64_t)totals->each), t->count,
           t->count == 1 ? "" : "es");
  HB_TRY(hb_sheet_page(top + 10 + lines * height + 64 + (below ? below + 80 : legend),
                       "bag: a loop over some sources in each fragment", text, page));
  hb_sheet_note(page, HB_SHEET_MARGIN, HB_SHEET_TOP - 10,
                "Fragments stand side by side, sources one below the other. Bright: walked in this pass, in "
                "registers;\ndim: walked before, and summed up in the texture that this pass reads first.");
  for (int k = 0; k < t->count; k++) {
    draw_bag(t, page, HB_SHEET_MARGIN + k % A_ROW * STEP, top + k / A_ROW * height, k, before);
    before += (double)t->pass[k]->pass.pairs / (double)totals->n;
  }
  draw_legend(t, page, top + lines * height, below);
  hb_sheet_cost(page, HB_SHEET_MARGIN, page->height - 34, t);
  return HB_OK;
}

/* ---- tile ---- */

static void draw_list(const struct hb_trace *t, struct hb_canvas *page, const struct hb_trace_array *arrays,
                      const struct column list[3], int x, int y)
{
  for (int k = 0; k < 3; k++) {
    struct hb_sheet_image image = image_of(t, arrays, &list[k]);
    int height = hb_sheet_image_height(&image);
    image.numbers = 1;
    hb_sheet_note(page, x, y, list[k].name);
    hb_sheet_image_draw(page, x, y + 17, &image);
    hb_canvas_scale(page, x, y + 25 + height, 140, image.most, list[k].signs);
    y += 17 + height + 48;
  }
}

/* One row of an array's records as a strip. */
static void draw_strip(const struct hb_trace *t, struct hb_canvas *page, const struct hb_trace_array *arrays,
                       const char *quantity, int x, int y)
{
  const struct hb_sheet_image image = hb_sheet_image(t, arrays, 1, quantity, 0, IMAGE);
  int n = (int)t->n, cell = 250 / n;
  for (int k = 0; k < n; k++)
    hb_canvas_box(
        page, x + k * cell, y, cell - (cell > 3), 22,
        hb_false_color((double)image.array->floats[HB_TEXELS_FLOATS * k + image.component], image.most));
  hb_canvas_frame(page, x - 1, y - 1, n * cell + 1, 23, 1, HB_SHEET_LINE);
}

static void draw_workgroup(const struct hb_trace *t, struct hb_canvas *page, int x, int y, int height)
{
  const struct hb_trace_pass *p = t->pass[t->count - 1];
  hb_canvas_frame(page, x, y, 280, height, 2, HB_SHEET_READ);
  hb_canvas_text(page, x + 16, y + 14, 1, HB_SHEET_READ, "a workgroup");
  hb_sheet_note(page, x + 16, y + 42, "Each thread brings one source\ninto memory that all share:");
  draw_strip(t, page, p->read, "mass", x + 16, y + 78);
  hb_sheet_note(page, x + 16, y + 108,
                "All wait until it is there. Then\neach thread lets its own sink\nfeel all of it.");
  hb_canvas_arrow(page, x + 140, y + 158, x + 140, y + 186, HB_SHEET_INK);
  hb_sheet_note(page, x + 16, y + 194, "In registers, one sum a thread:");
  draw_strip(t, page, p->write, "potential", x + 16, y + 216);
  hb_sheet_note(
      page, x + 16, y + 250,
      "Then the next tile of sources.\n\nNo textures, so none to swap:\nthe sums stay where they are\n"
      "until the last tile, and go\nwhere the thread likes.");
}

enum hb_status hb_sheet_tile(const struct hb_trace *t, struct hb_canvas *page)
{
  static const struct column in[] = {
      {"mass", "mass", 0, 1}, {"position", "position x", 0, 0}, {"position", "position y", 1, 0}};
  const struct hb_trace_pass *p = t->pass[t->count - 1];
  int top = HB_SHEET_TOP + 30, height = 3 * (17 + 48 + p->write[0].copy.array.rows * 20);
  char text[160];
  snprintf(text, sizeof text, "%zu particles, %d dispatch%s of %zu threads; after [NHP07] section 31.3", t->n,
           t->count, t->count == 1 ? "" : "es", p->pass.fragments);
  HB_TRY(hb_sheet_page(top + height + 40, "tile: threads that share what they fetch", text, page));
  hb_canvas_text(page, 40, HB_SHEET_TOP, 1, HB_SHEET_INK, "buffer of particles");
  draw_list(t, page, p->read, in, 40, top);
  hb_canvas_arrow(page, 226, top + height / 2, 300, top + height / 2, HB_SHEET_INK);
  draw_workgroup(t, page, 310, top + 20, height - 60);
  hb_canvas_arrow(page, 600, top + height / 2, 674, top + height / 2, HB_SHEET_INK);
  hb_canvas_text(page, 690, HB_SHEET_TOP, 1, HB_SHEET_INK, "buffer of totals");
  draw_list(t, page, p->write, sums, 690, top);
  hb_sheet_cost(page, HB_SHEET_MARGIN, page->height - 34, t);
  return HB_OK;
}

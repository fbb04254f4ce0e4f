#include "inspect/trace.h"

#include "base/arith.h"
#include "base/draft.h"
#include "base/mem.h"
#include "render/colormap.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum hb_status take(struct hb_trace *t, const struct hb_gl_trace_array *from,
                           struct hb_trace_array *to)
{
  HB_TRY(hb_texels_take(&t->texels, from, &to->copy));
  const struct hb_gl_trace_array *grid = &to->copy.array;
  HB_TRY(HB_ALLOC((size_t)HB_TEXELS_FLOATS * (size_t)grid->columns * (size_t)grid->rows, &to->floats));
  HB_TRY(hb_texels_read(&t->texels, &to->copy, 0, 0, grid->columns, grid->rows, to->floats));
  hb_gl_texture_destroy(&to->copy.layers);
  return HB_OK;
}

static enum hb_status add_pass(struct hb_trace *t, struct hb_trace_pass **added)
{
  HB_TRY(HB_GROW((size_t)t->count, &t->capacity, &t->pass));
  HB_TRY(HB_ALLOC(1, &t->pass[t->count]));
  *added = t->pass[t->count++];
  return HB_OK;
}

static void add_cost(struct hb_trace_cost *cost, const struct hb_gl_trace_pass *pass)
{
  cost->draws += (uint64_t)pass->draws;
  cost->pairs += pass->pairs;
  for (int k = 0; k < pass->read_count; k++) {
    cost->texels_read += pass->read[k].traffic;
    cost->bytes_read += 4 * (uint64_t)pass->read[k].channels * pass->read[k].traffic;
  }
  for (int k = 0; k < pass->write_count; k++) {
    cost->texels_written += pass->write[k].traffic;
    cost->bytes_written += 4 * (uint64_t)pass->write[k].channels * pass->write[k].traffic;
  }
}

static enum hb_status record(struct hb_trace *t, const struct hb_gl_trace_pass *pass)
{
  struct hb_trace_pass *p;
  if (!t->texels.context) hb_texels_open(pass->context, &t->texels);
  snprintf(t->scheme, sizeof t->scheme, "%s", pass->scheme);
  HB_TRY(add_pass(t, &p));
  p->pass = *pass;
  add_cost(&t->cost, pass);
  for (int k = 0; k < pass->read_count; k++) {
    if (!pass->read[k].quantities) continue;
    HB_TRY(take(t, &pass->read[k], &p->read[k]));
    if (pass->read[k].n > t->n) t->n = pass->read[k].n;
  }
  for (int k = 0; k < pass->write_count; k++) HB_TRY(take(t, &pass->write[k], &p->write[k]));
  return HB_OK;
}

static void on_pass(void *context, const struct hb_gl_trace_pass *pass)
{
  struct hb_trace *t = context;
  if (t->status != HB_OK) return;
  t->status = record(t, pass);
  if (t->status != HB_OK) snprintf(t->error, sizeof t->error, "%s", hb_error());
}

static struct hb_gl_trace watcher = {.pass = on_pass};

void hb_trace_begin(struct hb_trace *trace)
{
  watcher.context = trace;
  hb_gl_trace = &watcher;
}

enum hb_status hb_trace_end(struct hb_trace *trace)
{
  hb_gl_trace = NULL;
  hb_texels_close(&trace->texels);
  if (trace->status != HB_OK) return hb_fail(trace->status, "%s", trace->error);
  if (trace->count == 0) return hb_fail(HB_ERR_USAGE, "no walk on a device took place");
  return HB_OK;
}

void hb_trace_free(struct hb_trace *t)
{
  for (int p = 0; p < t->count; p++) {
    for (int k = 0; k < HB_GL_TRACE_MOST; k++) {
      struct hb_trace_array *both[] = {&t->pass[p]->read[k], &t->pass[p]->write[k]};
      for (int w = 0; w < 2; w++) {
        HB_FREE(both[w]->floats, both[w]->copy.numbers);
      }
    }
    hb_mem_free(t->pass[p]);
  }
  hb_mem_free(t->pass);
  *t = (struct hb_trace){0};
}

const struct hb_trace_array *hb_trace_find(const struct hb_trace_array *arrays, int count,
                                           const char *quantity, const struct hb_gl_trace_quantity **found)
{
  for (int k = 0; k < count; k++)
    for (const struct hb_gl_trace_quantity *q = arrays[k].copy.array.quantities; q && q->name; q++)
      if (strcmp(q->name, quantity) == 0) {
        *found = q;
        return &arrays[k];
      }
  return NULL;
}

static double most_of(const struct hb_trace_array *a, const char *quantity)
{
  const struct hb_gl_trace_array *grid = &a->copy.array;
  double most = 0;
  for (const struct hb_gl_trace_quantity *q = grid->quantities; q && q->name; q++) {
    if (strcmp(q->name, quantity) != 0) continue;
    for (int row = 0; row < grid->rows; row++)
      for (int column = 0; column < grid->columns; column++) {
        if (hb_texels_particle(grid, column, row) < 0) continue;
        const float *f = a->floats + HB_TEXELS_FLOATS * (row * grid->columns + column) + q->first;
        for (int c = 0; c < q->count; c++) most = fmax(most, fabs((double)f[c]));
      }
  }
  return most;
}

double hb_trace_most(const struct hb_trace *t, const char *quantity)
{
  double most = 0;
  for (int p = 0; p < t->count; p++)
    for (int k = 0; k < HB_GL_TRACE_MOST; k++)
      most =
          fmax(most, fmax(most_of(&t->pass[p]->read[k], quantity), most_of(&t->pass[p]->write[k], quantity)));
  return most;
}

/* ---- walking ---- */

enum { BAGS = 5 };

/* bag in five passes, and no draw split to save time. */
static enum hb_status open_force(const struct hb_force_params *force_params, const char *scheme, size_t n,
                                 struct hb_force **force)
{
  char tuning[128] = "";
  size_t bag = ((n + BAGS - 1) / BAGS + 3) / 4 * 4;
  if (hb_force_scheme_find(scheme)->has_tuning && !hb_force_scheme_find(scheme)->is_compute)
    snprintf(tuning, sizeof tuning,
             "i_each=4 partial=4 unroll=4 threads=1 bag=%zu output=targets j_source=buffer_texture", bag);
  struct hb_force_params params = *force_params;
  params.scheme = scheme;
  params.precision = "single";
  params.tuning = *tuning ? tuning : NULL;
  params.max_draw_s = 10;
  params.flags = HB_FORCE_NO_TUNE;
  return hb_force_open(&params, force);
}

static enum hb_status walk(struct hb_force *force, struct hb_particles *particles, size_t n,
                           struct hb_trace *trace)
{
  double *f;
  uint32_t *index;
  HB_TRY(HB_ALLOC(7 * n, &f));
  enum hb_status status = HB_ALLOC(n, &index);
  for (size_t k = 0; status == HB_OK && k < n; k++) index[k] = (uint32_t)k;
  if (status == HB_OK)
    status = hb_force_set_j(force, n, hb_particles_m(particles), hb_particles_x(particles),
                            hb_particles_v(particles));
  if (status == HB_OK) {
    hb_trace_begin(trace);
    status = hb_force_eval(force, n, index, f, f + 3 * n, f + 6 * n);
    enum hb_status traced = hb_trace_end(trace);
    if (status == HB_OK) status = traced;
  }
  HB_FREE(f, index);
  return status;
}

enum hb_status hb_trace_walk(const struct hb_force_params *params, const char *scheme, size_t n,
                             struct hb_particles *particles, struct hb_trace *trace)
{
  struct hb_force *force = NULL;
  enum hb_status status = open_force(params, scheme, n, &force);
  if (status == HB_OK) status = walk(force, particles, n, trace);
  hb_force_close(force);
  return status;
}

/* ---- a page of pictures -------------------------------------------------------------------------------- */

enum { INK = 0xe6e6ec, FAINT = 0x9a9aa8, LINE = 0x4a4a58, READ = 0x4ac0b0, WRITE = 0xf0a040 }; /* A, B */
enum {
  MARGIN = 20,
  GAP = 16,
  PAPER_WIDTH = 900,
  NUMBERED = 20 /* a cell that fits two digits */,
  AFAR = 30 /* and one whose digits are read from afar */,
  SLIDE_SCALE = 600,
  SLIDE_WIDTH = 1920,
  SLIDE_HEIGHT = 1080
};

/* Pictures and texts flow: below each other in a column, columns side by side, and lines of columns down the page. */
struct page {
  struct hb_draft svg;
  int width;               /* where lines end */
  int x, y, top;           /* the next place, and where its column begins */
  int column, low, widest; /* right end of the column, lower end of the line, right end of the page */
};

static struct page new_page(int width)
{
  return (struct page){.width = width, .x = MARGIN, .y = MARGIN, .top = MARGIN};
}

static void taken(struct page *p, int width, int height)
{
  p->y += height;
  if (p->x + width > p->column) p->column = p->x + width;
  if (p->column > p->widest) p->widest = p->column;
  if (p->y > p->low) p->low = p->y;
}

static void next_line(struct page *p)
{
  p->x = p->column = MARGIN;
  p->y = p->top = p->low + GAP;
}

/* The next column, if it is so wide that it fits beside the last one; else the next line. */
static void next_column(struct page *p, int gap, int width)
{
  p->x = p->column > MARGIN ? p->column + gap : MARGIN;
  p->y = p->top;
  if (p->x + width > p->width - MARGIN) next_line(p);
}

/* Lines of text, each an element of its own. */
static void put_text(struct page *p, unsigned color, int size, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void put_text(struct page *p, unsigned color, int size, const char *format, ...)
{
  char text[1024], *rest = text;
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  for (char *line; (line = strsep(&rest, "\n"));) {
    hb_draft_put(&p->svg, "<text x='%d' y='%d' font-size='%d' fill='#%06x'>", p->x, p->y + size, size, color);
    hb_draft_put_escaped(&p->svg, line);
    hb_draft_put(&p->svg, "</text>\n");
    taken(p, (int)strlen(line) * size * 3 / 5, size * 5 / 4);
  }
}

static void put_box(struct page *p, int x, int y, int width, int height, const char *style, unsigned color)
{
  hb_draft_put(&p->svg, "<rect x='%d' y='%d' width='%d' height='%d' %s='#%06x'/>\n", x, y, width, height,
               style, color);
}

/* From -most or 0 to 0 or most, with numbers where the root of the color is 0, 1/2 and 1. */
static void put_scale(struct page *p, double most, int signs, int width)
{
  enum { STEPS = 40, THICK = 10 };
  int low = signs > 0 ? 0 : -2, high = signs < 0 ? 0 : 2, step = high - low == 4 && width < 200 ? 2 : 1;
  int size = width < SLIDE_SCALE ? 10 : 24, digits = size > 10 ? 2 : 3;
  p->y += GAP / 2;
  for (int k = 0; k < STEPS; k++) {
    double t = (low + (high - low) * (k + 0.5) / STEPS) / 2;
    put_box(p, p->x + k * width / STEPS, p->y, (k + 1) * width / STEPS - k * width / STEPS, THICK, "fill",
            hb_false_color(t * fabs(t), 1));
  }
  for (int k = low; k <= high; k += step)
    hb_draft_put(&p->svg, "<text x='%d' y='%d' font-size='%d' fill='#%06x' text-anchor='%s'>%.*g</text>\n",
                 p->x + (k - low) * width / (high - low), p->y + THICK + 2 + size, size, FAINT,
                 k == low    ? "start"
                 : k == high ? "end"
                             : "middle",
                 digits, k * abs(k) / 4.0 * most);
  taken(p, width, THICK + 6 + size);
}

/* The title is also what a reader of the file finds. Errors: HB_ERR_IO, HB_ERR_INTERNAL. */
static enum hb_status write_page(struct page *p, int width, int height, const char *title, const char *path)
{
  struct hb_draft file = {0};
  hb_draft_put(&file,
               "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d' "
               "font-family='DejaVu Sans Mono,Menlo,Consolas,monospace' xml:space='preserve'>\n<title>",
               width, height, width, height);
  hb_draft_put_escaped(&file, title);
  hb_draft_put(&file, "</title>\n<rect width='100%%' height='100%%' fill='#121218'/>\n");
  hb_draft_put_bytes(&file, p->svg.text.text ? p->svg.text.text : "", p->svg.text.length);
  hb_draft_put(&file, "</svg>\n");
  hb_draft_note(&file, p->svg.status);
  hb_draft_clear(&p->svg);
  return hb_draft_save(&file, path);
}

/* ---- a texture as a picture ------------------------------------------------------------------------------ */

/* One component of an array's records as cells of `cell` pixels, row 0 at the top. */
struct tiles {
  const struct hb_trace_array *array;
  int component, columns, rows;
  double most; /* end of the scale */
  int cell;
  int shift; /* each cell shows the record this many places on, cyclically */
  unsigned frame;
};

static struct tiles tiles_of(const struct hb_trace *t, const struct hb_trace_array *a,
                             const struct hb_gl_trace_quantity *q, int c, int cell)
{
  const struct hb_gl_trace_array *grid = &a->copy.array;
  return (struct tiles){.array = a,
                        .component = q->first + c,
                        .columns = grid->columns,
                        .rows = grid->rows,
                        .most = hb_trace_most(t, q->name),
                        .cell = cell,
                        .frame = LINE};
}

/* The c-th component of a quantity, from the first of count arrays that has it, about `width` pixels wide. */
static struct tiles find_tiles(const struct hb_trace *t, const struct hb_trace_array *arrays, int count,
                               const char *quantity, int c, int width)
{
  const struct hb_gl_trace_quantity *q;
  const struct hb_trace_array *a = hb_trace_find(arrays, count, quantity, &q);
  int cell = width / a->copy.array.columns;
  return tiles_of(t, a, q, c, cell > 2 ? cell : 2);
}

/* A number may be read where the pointer rests. */
static void put_number(struct page *p, const struct tiles *tiles, int column, int row, int64_t particle,
                       float value)
{
  unsigned color = hb_false_color((double)value, tiles->most);
  int bright = 3 * (color >> 16) + 6 * (color >> 8 & 255) + (color & 255) > 1150;
  hb_draft_put(&p->svg, "<text x='%g' y='%g' fill='#%s'>%" PRId64 "<title>%.7g</title></text>\n",
               p->x + (column + 0.5) * tiles->cell,
               p->y + (row + 0.5) * tiles->cell + (tiles->cell < AFAR ? 4 : 8), bright ? "101018" : "d0d0d8",
               particle, (double)value);
}

static void put_cell(struct page *p, const struct tiles *tiles, int column, int row)
{
  const struct hb_gl_trace_array *grid = &tiles->array->copy.array;
  int k = row * tiles->columns + column, cell = tiles->cell, gap = cell >= 7;
  int64_t particle = hb_texels_particle(grid, k % grid->columns, k / grid->columns);
  if (particle < 0) { /* unused: a dot in the center */
    put_box(p, p->x + column * cell + cell / 2 - 1, p->y + row * cell + cell / 2 - 1, 2, 2, "fill", LINE);
    return;
  }
  if (tiles->shift) {
    k = (k + tiles->shift) % (int)grid->n;
    particle = hb_texels_particle(grid, k % grid->columns, k / grid->columns);
  }
  float value = tiles->array->floats[HB_TEXELS_FLOATS * (size_t)k + (size_t)tiles->component];
  hb_draft_put(&p->svg, "<path stroke='#%06x' d='M%d %gh%d'/>\n", hb_false_color((double)value, tiles->most),
               p->x + column * cell, p->y + row * cell + (cell - gap) / 2.0, cell - gap);
  if (cell >= (p->width == SLIDE_WIDTH ? AFAR : NUMBERED)) put_number(p, tiles, column, row, particle, value);
}

static void put_tiles(struct page *p, const struct tiles *tiles)
{
  int width = tiles->columns * tiles->cell, height = tiles->rows * tiles->cell, cell = tiles->cell;
  p->y += 3;
  hb_draft_put(&p->svg,
               "<g stroke-width='%d' font-size='%d' text-anchor='middle' shape-rendering='crispEdges'>\n",
               cell - (cell >= 7), cell < AFAR ? 11 : 24);
  for (int row = 0; row < tiles->rows; row++)
    for (int column = 0; column < tiles->columns; column++) put_cell(p, tiles, column, row);
  hb_draft_put(&p->svg, "</g>\n");
  put_box(p, p->x - 1, p->y - 1, width + 1, height + 1, "fill='none' stroke", tiles->frame);
  taken(p, width, height);
}

static void put_named(struct page *p, unsigned color, const char *name, const struct tiles *tiles)
{
  put_text(p, color, 12, "%s", name);
  put_tiles(p, tiles);
}

/* A column with a sign between two pictures of this height. */
static void put_sign(struct page *p, const char *sign, int height)
{
  next_column(p, GAP / 2, 0);
  p->y += height / 2;
  put_text(p, INK, 18, "%s", sign);
  p->column -= (int)strlen(sign) * 18 * 3 / 5 - 18; /* an arrow has several bytes */
}

/* ---- contact sheets: a walk on one page ------------------------------------------------------------------ */

struct column {
  const char *quantity, *name;
  int component, signs; /* signs: see put_scale */
};
static const struct column sums[3] = {{"potential", "potential", 0, -1},
                                      {"acceleration", "acceleration x", 0, 0},
                                      {"acceleration", "acceleration y", 1, 0}};

enum { WIDE = 160, SMALL = 80, SIDE = 296 };

static void put_title(struct page *p, const char *title, const char *text)
{
  put_text(p, INK, 22, "%s", title);
  put_text(p, FAINT, 12, "%s", text);
  next_line(p);
}

static void put_heading(struct page *p, const char *text)
{
  put_text(p, INK, 13, "%s", text);
  next_line(p);
}

static void put_cost(struct page *p, const struct hb_trace *t)
{
  const struct hb_trace_cost *c = &t->cost;
  const char *unit = hb_force_scheme_find(t->scheme)->is_compute ? "dispatch"
                     : c->draws == 1                             ? "draw"
                                                                 : "draws";
  double pairs = (double)c->pairs;
  next_line(p);
  put_text(p, FAINT, 11,
           "%" PRIu64 " %s for %" PRIu64 " pairs; a pair asks for %.3g texels (%.4g bytes) and writes %.3g "
           "(%.4g bytes)",
           c->draws, unit, c->pairs, (double)c->texels_read / pairs, (double)c->bytes_read / pairs,
           (double)c->texels_written / pairs, (double)c->bytes_written / pairs);
}

/* ---- cg2007: what every draw reads, two draws in detail, and how the sum grows in all of them ---- */

static struct tiles read_by(const struct hb_trace *t, int pass, const char *quantity, int c)
{
  const struct hb_trace_pass *p = t->pass[pass];
  return find_tiles(t, p->read, p->pass.read_count, quantity, c, WIDE);
}

static struct tiles written_by(const struct hb_trace *t, int pass, int width)
{
  const struct hb_trace_pass *p = t->pass[pass];
  return find_tiles(t, p->write, p->pass.write_count, "potential", 0, width);
}

/* Written by pass k; A is the texture that pass 1 reads. */
static unsigned frame_of(int k) { return k % 2 ? WRITE : READ; }

/* Sum read + contribution of one other = sum written. */
static void put_draw(const struct hb_trace *t, struct page *p, int k)
{
  struct tiles before = read_by(t, k - 1, "potential", 0), other = read_by(t, k - 1, "mass", 0);
  struct tiles after = written_by(t, k - 1, WIDE);
  int height = before.rows * before.cell;
  other.shift = k;
  before.frame = frame_of(k - 1);
  after.frame = frame_of(k);
  put_named(p, before.frame, hb_phrase("draw %d reads %s%s", k, k % 2 ? "A" : "B", k == 1 ? ": zeros" : ""),
            &before);
  put_sign(p, "+", height);
  next_column(p, GAP / 2, WIDE);
  put_named(p, INK, hb_phrase("the particle %d place%s on", k, hb_text_s((uint64_t)k)), &other);
  put_sign(p, "→", height);
  next_column(p, GAP / 2, WIDE);
  put_named(p, after.frame, hb_phrase("and writes %s", k % 2 ? "B" : "A"), &after);
  next_column(p, GAP, WIDE);
  put_text(p, FAINT, 12, "%s",
           k == 1 ? "A fragment is a particle i. It fetches\nits own sum, here the potential, and\n"
                    "particle i + p, adds what that one\ndoes to it, and its color is the new\nsum."
                  : "No draw may write to what it reads.\nSo there are two sets of sums, A and\n"
                    "B, which swap after each draw.\n\nThe middle shows who is felt: behind\n"
                    "the last one comes the first again.");
  next_line(p);
}

static void put_cg2007(const struct hb_trace *t, struct page *p)
{
  static const struct column inputs[] = {{"mass", "mass", 0, 1},
                                         {"position", "position x", 0, 0},
                                         {"position", "position y", 1, 0},
                                         {"velocity", "velocity x", 0, 0},
                                         {"velocity", "velocity y", 1, 0}};
  put_title(p, "cg2007: each draw adds one pair to every sum",
            hb_phrase("%zu particles in textures of %d columns, %d draw%s; after [PZ07] appendix A", t->n,
                      written_by(t, 0, WIDE).columns, t->count, hb_text_s((uint64_t)t->count)));
  put_heading(p, "Every draw reads these. A texel is a particle:");
  for (int k = 0; k < 5; k++) {
    struct tiles tiles = read_by(t, 0, inputs[k].quantity, inputs[k].component);
    next_column(p, GAP / 2, WIDE);
    put_named(p, FAINT, inputs[k].name, &tiles);
    put_scale(p, tiles.most, inputs[k].signs, WIDE - 8);
  }
  next_line(p);
  for (int k = 1; k <= t->count && k <= 2; k++) put_draw(t, p, k);
  put_heading(p, "The potential that each draw has written: a sum that grows");
  for (int k = 1; k <= t->count; k++) {
    struct tiles tiles = written_by(t, k - 1, SMALL);
    tiles.frame = frame_of(k);
    next_column(p, GAP, SMALL);
    put_named(p, tiles.frame, hb_phrase("%d: %s", k, k % 2 ? "B" : "A"), &tiles);
  }
  next_line(p);
  put_text(p, FAINT, 12, "potential");
  put_scale(p, written_by(t, 0, WIDE).most, -1, 2 * WIDE);
}

/* ---- matrix2004: all pairs as texels, and the levels of the sum ---- */

/* With a frame around the column of one sink, to follow it by eye. */
static void put_followed(struct page *p, unsigned color, const char *name, const struct tiles *tiles,
                         int followed)
{
  put_named(p, color, name, tiles);
  int height = tiles->rows * tiles->cell;
  put_box(p, p->x + followed * tiles->cell - 1, p->y - height - 1, tiles->cell + 1, height + 1,
          "fill='none' stroke", INK);
}

static void put_matrix(const struct hb_trace *t, struct page *p)
{
  int followed = (int)t->n * 20 / 37;
  struct tiles pairs = find_tiles(t, t->pass[0]->write, 1, "potential", 0, SIDE), level = pairs;
  const struct hb_trace first = {.n = t->n, .count = 1, .pass = t->pass};
  pairs.frame = READ;
  pairs.most =
      hb_trace_most(&first, "potential"); /* single terms have a scale of their own beside the sums */
  put_title(p, "matrix2004: all pairs are texels, then fold",
            hb_phrase("%zu x %zu pairs in one texture, then %d level%s; after [NHP07] section 31.5", t->n,
                      t->n, t->count - 2, hb_text_s((uint64_t)t->count - 2)));
  put_text(p, INK, 12, "sinks i side by side, sources j one below the other");
  put_followed(p, READ, "draw 1 writes A: a texel is a pair", &pairs, followed);
  p->y += GAP / 2;
  put_text(p, FAINT, 12, "of a pair");
  put_scale(p, pairs.most, -1, SIDE);
  next_column(p, 4 * GAP, SIDE);
  put_text(p, INK, 12, "each further draw adds the lower half of the rows\nto the upper half");
  for (int k = 1; k < t->count; k++) {
    int last = k == t->count - 1;
    level = find_tiles(t, t->pass[k]->write, 1, "potential", 0, SIDE);
    level.frame = last ? LINE : k % 2 ? WRITE : READ;
    p->y += GAP / 2;
    put_followed(
        p, last ? INK : level.frame,
        last ? "totals"
             : hb_phrase("%s: %d row%s", k % 2 ? "B" : "A", level.rows, hb_text_s((uint64_t)level.rows)),
        &level, followed);
  }
  p->y += GAP / 2;
  put_text(p, FAINT, 12, "of sums");
  put_scale(p, level.most, -1, SIDE);
  next_line(p);
  put_text(p, FAINT, 12,
           "Shown is the potential. On the diagonal a particle meets itself and feels nothing. The framed "
           "column is "
           "what sink %d\nfeels of each: in the end its sum, %.4f.",
           followed, (double)level.array->floats[HB_TEXELS_FLOATS * followed + level.component]);
}

/* ---- bag: which pairs each pass walks in registers, and the totals that it leaves ---- */

/* Fragments to the right, sources downwards: walked before, in this pass, later. */
static void put_diagram(struct page *p, const struct hb_trace *t, const struct hb_gl_trace_array *totals,
                        double before, double walked)
{
  enum { HEIGHT = 148 };
  int width = WIDE / totals->columns;
  p->y += 3;
  for (int source = 0; source < (int)t->n; source++) {
    int top = HEIGHT * source / (int)t->n, below = HEIGHT * (source + 1) / (int)t->n;
    unsigned color = source < (int)before ? 0x3a3a48 : source < (int)walked ? 0xc8d8e8 : 0x1c1c26;
    for (int c = 0; c < totals->columns; c++)
      put_box(p, p->x + c * width, p->y + top, width - 1, below - top - 1, "fill", color);
  }
  taken(p, WIDE, HEIGHT + GAP / 2);
}

static void put_bag(const struct hb_trace *t, struct page *p)
{
  const struct hb_gl_trace_array *totals = &t->pass[0]->write[0].copy.array;
  struct tiles who = find_tiles(t, t->pass[0]->write, 1, "potential", 0, WIDE);
  double before = 0, walked;
  put_title(
      p, "bag: a loop over some sources in each fragment",
      hb_phrase("%zu particles, %d fragments that keep the sums of %d sink%s each in registers, %d pass%s; "
                "after [HI07]",
                t->n, totals->columns, totals->each, hb_text_s((uint64_t)totals->each), t->count,
                t->count == 1 ? "" : "es"));
  put_text(p, FAINT, 12,
           "Fragments stand side by side, sources one below the other. Bright: walked in this pass, in "
           "registers;\n"
           "dim: walked before, and summed up in the texture that this pass reads first.");
  next_line(p);
  for (int k = 0; k < t->count; k++, before = walked) {
    const struct hb_trace_pass *pass = t->pass[k];
    walked = before + (double)pass->pass.pairs / (double)totals->n;
    next_column(p, GAP / 2, WIDE);
    put_text(p, INK, 13, "pass %d", k + 1);
    put_text(p, FAINT, 12, "%s", pass->pass.what);
    put_diagram(p, t, totals, before, walked);
    put_text(p, k % 2 ? READ : WRITE, 12, "writes %s", k % 2 ? "A" : "B");
    for (int q = 0; q < 3; q++) {
      struct tiles tiles = find_tiles(t, pass->write, 1, sums[q].quantity, sums[q].component, WIDE);
      tiles.frame = k % 2 ? READ : WRITE;
      put_named(p, FAINT, sums[q].name, &tiles);
      p->y += GAP / 2;
    }
  }
  next_line(p);
  put_text(p, FAINT, 12, "Whose sums they are: a column is a fragment");
  double most = who.most;
  who.most = 0; /* dark: only the numbers count */
  who.cell = NUMBERED;
  put_tiles(p, &who);
  next_column(p, 2 * GAP, 2 * WIDE);
  for (int q = 0; q < 2; q++) {
    put_text(p, FAINT, 12, "%s", sums[q].quantity);
    put_scale(p, q ? hb_trace_most(t, "acceleration") : most, sums[q].signs, 2 * WIDE);
  }
}

/* ---- tile: a workgroup between two buffers ---- */

static void put_list(const struct hb_trace *t, struct page *p, const char *title,
                     const struct hb_trace_array *arrays, const struct column list[3])
{
  put_text(p, INK, 13, "%s", title);
  for (int k = 0; k < 3; k++) {
    struct tiles tiles = find_tiles(t, arrays, 1, list[k].quantity, list[k].component, WIDE);
    p->y += GAP / 2;
    put_named(p, FAINT, list[k].name, &tiles);
    put_scale(p, tiles.most, list[k].signs, WIDE);
  }
}

/* An array's records in one row. */
static void put_strip(const struct hb_trace *t, struct page *p, const struct hb_trace_array *arrays,
                      const char *quantity)
{
  struct tiles tiles = find_tiles(t, arrays, 1, quantity, 0, WIDE);
  tiles.columns = (int)t->n;
  tiles.rows = 1;
  tiles.cell = hb_max_int(250 / (int)t->n, 2);
  put_tiles(p, &tiles);
  p->y += GAP;
}

static void put_tile(const struct hb_trace *t, struct page *p)
{
  static const struct column in[3] = {
      {"mass", "mass", 0, 1}, {"position", "position x", 0, 0}, {"position", "position y", 1, 0}};
  const struct hb_trace_pass *pass = t->pass[t->count - 1];
  put_title(p, "tile: threads that share what they fetch",
            hb_phrase("%zu particles, %d dispatch%s of %zu threads; after [NHP07] section 31.3", t->n,
                      t->count, t->count == 1 ? "" : "es", pass->pass.fragments));
  put_list(t, p, "buffer of particles", pass->read, in);
  int middle = p->low - p->top;
  put_sign(p, "→", middle);
  next_column(p, 2 * GAP, 0);
  int left = p->x, top = p->y;
  put_text(p, READ, 13, "a workgroup");
  put_text(p, FAINT, 12, "\nEach thread brings one source into\nmemory that all share:");
  put_strip(t, p, pass->read, "mass");
  put_text(p, FAINT, 12,
           "All wait until it is there. Then each\nthread lets its own sink feel all of it.\n\n"
           "In registers, one sum a thread:");
  put_strip(t, p, pass->write, "potential");
  put_text(p, FAINT, 12,
           "Then the next tile of sources.\n\nNo textures, so none to swap: the sums\n"
           "stay where they are until the last tile,\nand go where the thread likes.");
  put_box(p, left - GAP / 2, top - GAP / 2, p->column - left + GAP, p->y - top + GAP, "fill='none' stroke",
          READ);
  put_sign(p, "→", middle);
  next_column(p, 2 * GAP, 0);
  put_list(t, p, "buffer of totals", pass->write, sums);
}

enum hb_status hb_trace_write_sheet(const struct hb_trace *t, const char *folder)
{
  static const struct {
    const char *scheme;
    void (*put)(const struct hb_trace *trace, struct page *page);
  } sheets[] = {{"cg2007", put_cg2007}, {"matrix2004", put_matrix}, {"bag", put_bag}, {"tile", put_tile}};
  enum { SHEETS = sizeof sheets / sizeof *sheets };
  struct page page = new_page(PAPER_WIDTH);
  int k = 0;
  while (k < SHEETS && strcmp(sheets[k].scheme, t->scheme) != 0) k++;
  if (k == SHEETS) return hb_fail(HB_ERR_INTERNAL, "there is no contact sheet for scheme %s", t->scheme);
  sheets[k].put(t, &page);
  put_cost(&page, t);
  return write_page(&page, hb_max_int(page.widest + MARGIN, PAPER_WIDTH), page.low + MARGIN,
                    hb_phrase("a walk of %zu particles by %s, pass by pass", t->n, t->scheme),
                    hb_phrase("%s/%s.svg", folder, t->scheme));
}

/* ---- each array of a pass -------------------------------------------------------------------------------- */

/* Whether this is a number that the shader does not use. */
static int is_unused(const struct hb_trace *t, const struct hb_gl_trace_quantity *q)
{
  return strcmp(q->name, "free") == 0 && hb_trace_most(t, q->name) == 0;
}

/* Its quantities, their components side by side, in cells of a picture of this size or, 0, of one for reading. */
static void put_array(const struct hb_trace *t, const struct hb_trace_array *a, int side, int size,
                      struct page *p)
{
  static const char *const axes[] = {" x", " y", " z"};
  const struct hb_gl_trace_array *grid = &a->copy.array;
  if (!a->floats) return; /* the list of sinks */
  int cell = side                 ? hb_max_int(side / hb_max_int(grid->columns, grid->rows), 1)
             : grid->columns > 16 ? 8
                                  : NUMBERED;
  for (const struct hb_gl_trace_quantity *q = grid->quantities; q->name; q++)
    for (int c = 0; c < q->count && !is_unused(t, q); c++) {
      struct tiles tiles = tiles_of(t, a, q, c, cell);
      next_column(p, GAP,
                  q->count == 1 || c > 0 ? tiles.columns * cell : q->count * (tiles.columns * cell + GAP));
      put_text(p, INK, size, "%s%s", q->name, q->count == 3 ? axes[c] : "");
      put_tiles(p, &tiles);
      if (!side) put_scale(p, tiles.most, 0, hb_max_int(tiles.columns * cell, 112));
    }
}

static enum hb_status write_array(const struct hb_trace *t, const struct hb_trace_pass *p,
                                  const struct hb_trace_array *a, const char *role, const char *folder,
                                  int *count)
{
  struct page page = new_page(INT_MAX);
  const struct hb_gl_trace_array *grid = &a->copy.array;
  if (!a->floats) return HB_OK;
  put_text(&page, INK, 13, "%s, pass %" PRIu64 ": %s", p->pass.scheme, p->pass.number, p->pass.what);
  put_text(&page, FAINT, 12, "%s %s: %d x %d records of %d particles", role, grid->name, grid->columns,
           grid->rows, (int)t->n);
  next_line(&page);
  put_array(t, a, 0, 12, &page);
  HB_TRY(write_page(&page, page.widest + MARGIN, page.low + MARGIN, p->pass.what,
                    hb_phrase("%s/%s_%02" PRIu64 "_%s_%.*s.svg", folder, p->pass.scheme, p->pass.number, role,
                              (int)strcspn(grid->name, ", "), grid->name)));
  ++*count;
  return HB_OK;
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

/* ---- passes as slides for a screen ----------------------------------------------------------------------- */

/* What a pass reads above, what it writes below, and the scale. Where sums go to and fro, A is what the first pass reads. */
static struct page slide_of(const struct hb_trace *t, const struct hb_trace_pass *p, int side)
{
  struct page page = new_page(SLIDE_WIDTH);
  put_text(&page, INK, 52, "%s, pass %" PRIu64 " of %d", p->pass.scheme, p->pass.number, t->count);
  put_text(&page, FAINT, 28, "%s", p->pass.what);
  next_line(&page);
  int swaps = strcmp(p->pass.scheme, "cg2007") == 0 || strcmp(p->pass.scheme, "bag") == 0;
  int odd = p->pass.number % 2 != 0;
  put_text(&page, READ, 40, "reads%s", !swaps ? "" : odd ? ", sums from A" : ", sums from B");
  next_line(&page);
  for (int k = 0; k < p->pass.read_count; k++) put_array(t, &p->read[k], side, 24, &page);
  next_line(&page);
  put_text(&page, WRITE, 40, "writes%s", !swaps ? "" : odd ? " B" : " A");
  next_line(&page);
  for (int k = 0; k < p->pass.write_count; k++) put_array(t, &p->write[k], side, 24, &page);
  next_line(&page);
  put_text(&page, FAINT, 24, "colors, as parts of the largest number of an image");
  put_scale(&page, 1, 0, SLIDE_SCALE);
  return page;
}

/* As large as fits. */
static enum hb_status write_slide(const struct hb_trace *t, const struct hb_trace_pass *p, const char *folder)
{
  int side = SLIDE_WIDTH / 4;
  struct page page = slide_of(t, p, side);
  while (side > 24 && page.low + MARGIN > SLIDE_HEIGHT) {
    hb_draft_clear(&page.svg);
    page = slide_of(t, p, side -= 4);
  }
  return write_page(&page, SLIDE_WIDTH, SLIDE_HEIGHT, p->pass.what,
                    hb_phrase("%s/%s_slide_%02" PRIu64 ".svg", folder, t->scheme, p->pass.number));
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

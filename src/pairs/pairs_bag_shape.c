/* How the bag scheme walks a block: the tuning, completed; which program, how many segments, what portions. */
#include "pairs/pairs_bag.h"

#include "base/arith.h"

enum {
  SMALL_PARTIAL = 32,
  MOST_EACH = 8, /* sinks a fragment, or render targets */
  LONG = 64      /* float sums of full length; with so many a sink, few sinks need no shorter ones */
};
/* A fraction of the wanted fragments is enough for the shape that does more per fetch, and for a draw that others follow. */
enum { SOFTWARE_FILLED = 16, GPU_FILLED = 4, DRAWN = 32 };
enum { BLOCKS_WANTED = 4 }; /* times the fragments: a draw waits for nothing, a pass for the one before */
enum { OUTPUT_TARGETS = 1, OUTPUT_STORAGE = 2 };
enum { ADD_HOST = 1, ADD_DEVICE = 2 };

/* llvmpipe runs fragments in blocks of 4 x 4, half a block in lockstep: fewer rows leave lanes idle. */
enum { SOFTWARE_BAND = 2, SOFTWARE_ROWS = 4 };
/* A GPU runs blocks of 8 x 4 in lockstep, which should walk one segment: with bands of four rows they do, once a segment has
 * enough groups of sinks. */
enum { GPU_BAND = 4, GPU_BANDED = 256 };
/* Where a fragment holds one sink: more vectors, and fewer pending fetches. */
enum { SOFTWARE_PARTIAL = 128, SOFTWARE_UNROLL = 4 };

/* ---- the tuning ---- */

static int holds_several(enum hb_bag_shape shape) { return shape <= HB_BAG_MANY; }
static int adds_on_device(const struct hb_pairs *p) { return p->params.tuning.add_plus_1 == ADD_DEVICE; }

/* The totals of few sinks are few: textures are read sooner, and llvmpipe's programs that write them are faster; but
 * for a compute program that adds them they go to a buffer, since a GPU's driver may first convert a texture's layout. */
static int uses_storage(const struct hb_pairs *p, enum hb_bag_shape shape)
{
  return holds_several(shape) ? p->params.tuning.output_plus_1 == OUTPUT_STORAGE : adds_on_device(p);
}

static int needs_storage(const struct hb_pairs *p)
{
  return uses_storage(p, HB_BAG_MANY) || uses_storage(p, HB_BAG_FEW);
}

/* Sinks that a fragment can hold: each needs its own render targets. */
static int most_each(const struct hb_pairs *p)
{
  return uses_storage(p, HB_BAG_MANY)
             ? MOST_EACH
             : hb_min_int(MOST_EACH, p->params.context->caps.max_draw_buffers) / p->words;
}

static enum hb_status check_tuning(const struct hb_pairs *p)
{
  const struct hb_gl_caps *caps = &p->params.context->caps;
  const struct hb_pairs_tuning *t = &p->params.tuning;
  if (t->i_each > most_each(p))
    return hb_fail(HB_ERR_USAGE, "i_each is %d sinks a fragment of the bag scheme, expected at most %d here",
                   t->i_each, most_each(p));
  if (t->partial % t->unroll)
    return hb_fail(HB_ERR_USAGE, "a float sum is over %d sources, expected a multiple of %d", t->partial,
                   t->unroll);
  int needs_43 = needs_storage(p) || t->j_source_plus_1 == HB_J_STORAGE + 1;
  if (needs_43 && !caps->has_storage)
    return hb_fail(HB_ERR_GL, "storage buffers need OpenGL 4.3, %s has %s", caps->renderer, caps->api);
  if (t->j_source_plus_1 == HB_J_BLOCK + 1 && caps->max_uniform_block_size < HB_BAG_BLOCK_BYTES)
    return hb_fail(HB_ERR_GL, "sources from blocks need uniform blocks of %d bytes, the limit of %s is %d",
                   HB_BAG_BLOCK_BYTES, caps->renderer, caps->max_uniform_block_size);
  return HB_OK;
}

/* Where sources are read fastest; for a software renderer all are ordinary memory. */
static enum hb_j_source fastest_source(const struct hb_gl_caps *caps)
{
  int has_blocks = caps->max_uniform_block_size >= HB_BAG_BLOCK_BYTES;
  return has_blocks && !caps->software ? HB_J_BLOCK : HB_J_BUFFER_TEXTURE;
}

/* Safe choices where nothing was measured; from the measurements in data/measured. */
enum hb_status hb_bag_complete_tuning(struct hb_pairs *p)
{
  int software = p->params.context->caps.software, storage = p->params.context->caps.has_storage;
  enum hb_precision precision = p->params.precision;
  struct hb_pairs_tuning *t = &p->params.tuning;
  t->output_plus_1 = hb_default(t->output_plus_1, software && storage ? OUTPUT_STORAGE : OUTPUT_TARGETS);
  t->add_plus_1 = hb_default(t->add_plus_1, !software && storage ? ADD_DEVICE : ADD_HOST);
  t->j_source_plus_1 = hb_default(t->j_source_plus_1, (int)fastest_source(&p->params.context->caps) + 1);
  t->i_each = hb_default(t->i_each, software ? most_each(p) : hb_min_int(4, most_each(p)));
  int is_fixed = hb_precisions[precision].is_fixed;
  t->unroll = hb_default(t->unroll, software ? 8 : precision == HB_PRECISION_DOUBLE ? 2 : is_fixed ? 4 : 8);
  /* two tiles of 64 texels, a piece of work for two llvmpipe threads; or what spreads over a GPU's rasterizers */
  t->width = hb_default(t->width, software ? 128 : 1024);
  int partial = hb_precisions[precision].partial;
  t->partial =
      hb_default(t->partial, software ? partial : hb_min_int(64, partial)); /* a GPU is faster with 64 */
  t->threads = hb_default(t->threads, software ? 1024 : 65536);
  return check_tuning(p);
}

/* ---- shape and portions ---- */

static void take_shape(const struct hb_pairs *p, enum hb_bag_shape shape)
{
  struct hb_bag *b = p->state;
  const struct hb_pairs_tuning *t = &p->params.tuning;
  int software = p->params.context->caps.software, several = holds_several(shape);
  b->shape = shape;
  b->each = several ? t->i_each : 1;
  b->unroll = !several && software ? hb_min_int(t->unroll, SOFTWARE_UNROLL) : t->unroll;
  int is_fixed = hb_precisions[p->params.precision].is_fixed;
  b->partial = is_fixed                               ? t->partial
               : shape == HB_BAG_FEW                  ? hb_min_int(t->partial, SMALL_PARTIAL)
               : shape == HB_BAG_FEW_LONG && software ? hb_min_int(t->partial, SOFTWARE_PARTIAL)
                                                      : t->partial;
  enum hb_j_source tuned = (enum hb_j_source)(t->j_source_plus_1 - 1);
  enum hb_j_source other = hb_pairs_fit_texture_2d(p) ? HB_J_TEXTURE : HB_J_BUFFER_TEXTURE;
  b->j_source = shape != HB_BAG_BLOCKS && tuned == HB_J_BLOCK ? other : tuned;
  b->in_storage = uses_storage(p, shape);
  b->layers = several ? b->many : b->few;
  b->on_device = adds_on_device(p);
  b->sum = several ? &b->sum_of_many : &b->sum_of_few;
}

static int band_of(const struct hb_pairs *p, size_t groups)
{
  const struct hb_bag *b = p->state;
  if (p->params.context->caps.software) return SOFTWARE_BAND;
  int is_banded = b->shape != HB_BAG_BLOCKS && (groups >= GPU_BANDED || !holds_several(b->shape));
  return b->segments > 1 && is_banded ? GPU_BAND : 1;
}

size_t hb_bag_block_step(const struct hb_pairs *p)
{
  size_t step = (size_t)p->params.tuning.partial;
  while (step * (size_t)p->texels % 16) step *= 2; /* a block begins at a multiple of 256 bytes */
  return step;
}

size_t hb_bag_block_length(const struct hb_pairs *p)
{
  size_t step = hb_bag_block_step(p);
  return HB_BAG_BLOCK_TEXELS / (size_t)p->texels / step * step;
}

/* Into at most `wanted` segments of equal length, a multiple of `unit` sources; a single one has no more float sums than
 * are needed. */
static void cut(const struct hb_pairs *p, size_t unit, size_t wanted)
{
  struct hb_bag *b = p->state;
  size_t units = hb_div_ceil(p->nj, unit), each = hb_div_ceil(units, wanted < units ? wanted : units);
  b->segments = (int)hb_div_ceil(units, each);
  if (b->segments == 1) unit = (size_t)b->partial, each = hb_div_ceil(p->nj, unit);
  b->segment_length = (int)(each * unit);
}

/* Whether a draw for each uniform block has enough work, and a float sum fits one. */
static int takes_blocks(const struct hb_pairs *p, size_t groups)
{
  const struct hb_pairs_tuning *t = &p->params.tuning;
  return t->j_source_plus_1 == HB_J_BLOCK + 1 && groups >= (size_t)t->threads / DRAWN &&
         hb_bag_block_length(p) > 0;
}

/* Shape and segments, from the sinks of all portions, so that portions cannot change a result. Segments: as many as give
 * the wanted number of fragments, each at least one float sum long. */
static void choose_shape(const struct hb_pairs *p)
{
  struct hb_bag *b = p->state;
  const struct hb_pairs_tuning *t = &p->params.tuning;
  size_t each = (size_t)t->i_each, threads = (size_t)t->threads;
  size_t groups = hb_div_ceil(p->sinks, each), sums = hb_div_ceil(p->nj, (size_t)t->partial);
  /* a processor has no lanes to spare for groups of sinks that are mostly empty */
  int software = p->params.context->caps.software, wasteful = software && 2 * p->sinks < groups * each;
  int many = groups * sums >= threads / (software ? SOFTWARE_FILLED : GPU_FILLED) && !wasteful;
  int blocks = takes_blocks(p, groups);
  take_shape(p, blocks ? HB_BAG_BLOCKS : many ? HB_BAG_MANY : sums >= LONG ? HB_BAG_FEW_LONG : HB_BAG_FEW);
  groups = hb_div_ceil(p->sinks, (size_t)b->each);
  cut(p, blocks ? hb_bag_block_length(p) : (size_t)b->partial,
      hb_div_ceil(blocks ? BLOCKS_WANTED * threads : threads, groups));
  b->band = band_of(p, groups);
}

/* Portions of equal size, as few as keep the totals within bounds. */
size_t hb_bag_portion(const struct hb_pairs *p)
{
  choose_shape(p);
  const struct hb_bag *b = p->state;
  size_t each = (size_t)b->each, groups = hb_div_ceil(p->sinks, each), copies = b->in_storage ? 1 : 2;
  size_t most = HB_PAIRS_TOTALS / (copies * HB_BAG_TEXEL * each * (size_t)p->words * (size_t)b->segments);
  size_t wanted = (size_t)p->params.tuning.portion / each, results = hb_pairs_results_portion(p) / each;
  if (p->params.tuning.portion && wanted < most) most = wanted;
  if (b->on_device && results < most) most = results;
  if (most == 0) most = 1;
  return hb_div_ceil(groups, hb_div_ceil(groups, most)) * each;
}

/* Each segment is drawn separately, in complete rows: empty groups fill the last one. */
static void choose_rows_for_each(struct hb_bag *b, size_t width)
{
  size_t band = (size_t)b->band, rows = hb_div_ceil((size_t)b->groups, band * width) * band;
  b->width = (int)hb_div_ceil((size_t)b->groups, rows);
  b->groups = b->width * (int)rows;
  b->height = b->segments * (int)rows;
}

/* Fragments in rows of the tuned width; a software renderer's in shorter ones where there would be too few rows. */
void hb_bag_choose_framebuffer(const struct hb_pairs *p)
{
  struct hb_bag *b = p->state;
  b->groups = (int)hb_div_ceil(p->ni, (size_t)b->each);
  size_t fragments = (size_t)b->groups * (size_t)b->segments, width = (size_t)p->params.tuning.width;
  size_t rows = p->params.context->caps.software && fragments < 2 * width ? SOFTWARE_ROWS : 1;
  if (b->shape == HB_BAG_BLOCKS && b->segments > 1) return choose_rows_for_each(b, width);
  size_t shortest = hb_div_ceil(fragments, rows), band = (size_t)b->band;
  if (shortest < width) width = shortest;
  b->width = (int)width;
  b->height = (int)(hb_div_ceil(fragments, band * width) * band);
}

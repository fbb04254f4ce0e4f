/* The device proposes, in float, and the host decides, in double. */
#include "force/near.h"

#include "base/arith.h"
#include "base/bits.h"
#include "base/mem.h"
#include "base/parallel.h"

#include <math.h>

enum {
  EACH = 4,  /* points of a fragment: I_EACH of shaders/near */
  BITS = 128 /* of a texel of lists.frag */
};

/* A coordinate in the frame beyond which a place is ANYWHERE, the e of one that only the host compares. */
#define REACH    1e15
#define ANYWHERE 3e38F

/* The part of e for what is too small for float: 2^-61 squared, the square of a difference, is a normal one. */
#define LEAST 0x1p-59

/* Proposals for `count` points: word w of point i over segment s is at
 * words[4 * ((i % EACH * segments + s) * columns + i / EACH) + w]; each segment has
 * group * BITS sources. */
struct proposals {
  const uint32_t *words;
  size_t segments, columns, group;
};
static inline const uint32_t *proposal_of(const struct proposals *p, size_t i, size_t segment)
{
  return p->words + 4 * ((i % EACH * p->segments + segment) * p->columns + i / EACH);
}

/* ---- the frame ---- */

enum { SAMPLE = 63 };
static const double LARGEST_SCALE = 0x1p300; /* squares of double coordinates are normal numbers within it */

/* The median of the finite ones; 0: there are none. */
static double median(size_t n, double *q)
{
  size_t count = 0;
  for (size_t k = 0; k < n; k++)
    if (isfinite(q[k])) q[count++] = q[k];
  return count ? hb_select(count, q, count / 2) : 0;
}

void hb_near_frame_find(size_t n, const double *x, struct hb_near_frame *frame)
{
  double q[SAMPLE] = {0};
  size_t count = n < SAMPLE ? n : SAMPLE, step = n / (count ? count : 1);
  for (size_t c = 0; c < 3; c++) {
    for (size_t k = 0; k < count; k++) q[k] = x[3 * step * k + c];
    frame->origin[c] = median(count, q);
  }
  for (size_t k = 0; k < count; k++) {
    const double *at = x + 3 * step * k, *o = frame->origin;
    q[k] = fmax(fmax(fabs(at[0] - o[0]), fabs(at[1] - o[1])), fabs(at[2] - o[2]));
  }
  double far = median(count, q);
  frame->scale = far > 1 / LARGEST_SCALE && far < LARGEST_SCALE ? ldexp(1, -ilogb(far)) : 1;
}

/* A float that is not below x >= 0. */
static float round_up(double x) { return (float)(x * (1 + 0x1p-22)); }

/* (x, y, z, e) of a place. */
static void place_in_frame(const struct hb_near_frame *frame, const double x[3], float place[4])
{
  double size2 = 0, missed2 = 0;
  for (int c = 0; c < 3; c++) {
    double q = (x[c] - frame->origin[c]) * frame->scale;
    place[c] = (float)q;
    size2 += q * q;
    missed2 += (q - (double)place[c]) * (q - (double)place[c]);
  }
  if (size2 < REACH * REACH) {
    /* the differences are rounded to 2^-53 */
    place[3] = round_up(sqrt(missed2) + 0x1p-51 * sqrt(size2) + LEAST);
    return;
  }
  for (int c = 0; c < 3; c++) place[c] = 0;
  place[3] = ANYWHERE;
}

/* A radius >= 0 as `reach` of a point with this e, rounded up. */
static float reach_in_frame(const struct hb_near_frame *frame, double radius, float e)
{
  return round_up(fmin(radius * frame->scale * (1 + 0x1p-50) + (double)e, (double)ANYWHERE));
}

/* ---- what the device proposes ---- */

enum {
  MOST_COLUMNS = 1024,      /* of the target: groups of points asked at once */
  MOST_TEXELS = 1 << 20,    /* of each of its layers: 64 MB in all */
  ENOUGH_FRAGMENTS = 32768, /* beyond them a longer loop is better than more results */
  PACKED = 4096             /* sources a thread packs at a time */
};

/* A draw of at most so many pairs: some milliseconds of a GPU, a tenth of a second of a processor. */
static const double PAIRS_A_DRAW = 0x1p28, PAIRS_A_DRAW_SOFTWARE = 0x1p24;

/* ---- create and destroy ---- */

static enum hb_status build(struct hb_near_device *d, const char *fragment, struct hb_gl_pass *pass)
{
  const struct hb_gl_program_source source = {.fragment = fragment, .unrolled = {{"I_EACH", EACH}}};
  HB_TRY(hb_gl_pass_create(d->context, &source, pass));
  pass->tally = &d->tally;
  return HB_OK;
}

static void destroy_device(struct hb_near_device *d)
{
  if (!d) return;
  if (hb_gl_context_use(d->context) == HB_OK) {
    HB_GL_DESTROY(pass, &d->nearest, &d->lists);
    HB_GL_DESTROY(buffer, &d->sources, &d->points);
    hb_gl_texture_destroy(&d->target);
    hb_gl_readback_destroy(&d->readback);
    hb_gl_tally_destroy(&d->tally);
  }
  hb_gl_context_close(d->context);
  hb_mem_free(d);
}

static enum hb_status create_device(struct hb_gl_context *context, struct hb_near_device **device)
{
  struct hb_near_device *d;
  *device = NULL;
  HB_TRY(HB_ALLOC(1, &d));
  d->context = hb_gl_context_share(context);
  enum hb_status status = hb_gl_context_use(d->context);
  if (status == HB_OK) status = build(d, "near/nearest.frag", &d->nearest);
  if (status == HB_OK) status = build(d, "near/lists.frag", &d->lists);
  return HB_MADE(status, d, destroy_device, device);
}

/* ---- sources ---- */

enum hb_status hb_near_device_reserve(struct hb_near_device *d, size_t nj)
{
  const struct hb_gl_caps *caps = &d->context->caps;
  HB_TRY(hb_gl_context_use(d->context));
  if (nj > (size_t)caps->max_texture_buffer_size)
    return hb_fail(
        HB_ERR_GL,
        "neighbors among %zu sources need a buffer texture of as many texels, the limit of %s is %d", nj,
        caps->renderer, caps->max_texture_buffer_size);
  size_t bytes = hb_div_ceil(nj, 1024) * 1024 * 16; /* whole rows of a texture that is copied here */
  d->nj = nj;
  if (bytes == d->sources.bytes) return HB_OK;
  hb_gl_buffer_fill(&d->sources, HB_GL_BY_HOST, bytes, NULL);
  hb_gl_buffer_texture(&d->sources, HB_GL_RGBA32F);
  return hb_gl_context_check(d->context, "reserving memory for neighbors");
}

struct packing {
  const struct hb_near_frame *frame;
  const double *x;
  float *place;
};

static void pack_piece(void *context, size_t j, size_t end)
{
  const struct packing *p = context;
  for (; j < end; j++) place_in_frame(p->frame, p->x + 3 * j, p->place + 4 * j);
}

enum hb_status hb_near_device_send(struct hb_near_device *d, size_t nj, const double *x)
{
  HB_TRY(hb_near_device_reserve(d, nj));
  hb_near_frame_find(nj, x, &d->frame);
  HB_OWN float *place = NULL;
  HB_TRY(HB_ALLOC(4 * nj, &place));
  struct packing packing = {.frame = &d->frame, .x = x, .place = place};
  hb_parallel_pieces(nj, PACKED, 4 * PACKED, pack_piece, &packing);
  hb_gl_buffer_write(&d->sources, 16 * nj, place);
  return hb_gl_context_check(d->context, "sending sources of neighbors");
}

/* ---- questions ---- */

static enum hb_status send_points(struct hb_near_device *d, size_t count, const double *x,
                                  const uint32_t *own, const double *h2)
{
  enum { WORDS = 8 };
  size_t all = hb_div_ceil(count, EACH) * EACH, bytes = all * WORDS * sizeof(uint32_t);
  HB_OWN uint32_t *words = NULL;
  HB_TRY(HB_ALLOC(all * WORDS, &words));
  for (size_t i = 0; i < count; i++) {
    float place[4];
    uint32_t *w = words + WORDS * i;
    place_in_frame(&d->frame, x + 3 * i, place);
    for (int c = 0; c < 4; c++) w[c] = hb_bits_of_float(place[c]);
    w[4] = own ? own[i] : HB_NO_SOURCE;
    w[5] = hb_bits_of_float(h2 && h2[i] > 0 ? reach_in_frame(&d->frame, sqrt(h2[i]), place[3]) : 0);
  }
  if (bytes > d->points.bytes) {
    hb_gl_buffer_fill(&d->points, HB_GL_BY_HOST, bytes + 4096, NULL);
    hb_gl_buffer_texture(&d->points, HB_GL_RGBA32UI);
  }
  hb_gl_buffer_write(&d->points, bytes, words);
  return HB_OK;
}

static size_t segments_of(const struct hb_near_device *d, size_t group)
{
  return hb_div_ceil(d->nj, group * BITS);
}

static size_t most_rows(const struct hb_near_device *d)
{
  return (size_t)hb_min_int(d->context->caps.max_texture_size, MOST_TEXELS);
}

/* The points first ... of all that one call takes, at most `left`. */
static size_t portion_of(const struct hb_near_device *d, size_t left)
{
  return hb_min(left, hb_min((size_t)d->context->caps.max_texture_size, MOST_COLUMNS) * EACH);
}

/* Sources of a bit: as many as leave enough fragments, and as the target's size asks for. */
static size_t choose_group(const struct hb_near_device *d, size_t columns)
{
  size_t group = 1;
  while (group < 32 && segments_of(d, 2 * group) * columns >= ENOUGH_FRAGMENTS) group *= 2;
  while (segments_of(d, group) * columns > MOST_TEXELS || segments_of(d, group) > most_rows(d)) group *= 2;
  return group;
}

static enum hb_status reserve_target(struct hb_near_device *d, size_t columns, size_t segments)
{
  int width = (int)columns, height = (int)segments;
  if (d->target.width >= width && d->target.height >= height) return HB_OK;
  if (d->target.width > width && (size_t)d->target.width * segments <= MOST_TEXELS) width = d->target.width;
  if (d->target.height > height && (size_t)d->target.height * columns <= MOST_TEXELS)
    height = d->target.height;
  hb_gl_texture_destroy(&d->target);
  return hb_gl_texture_words(d->context, width, height, EACH, &d->target);
}

/* Where fragments cannot be counted, what a dropped draw leaves behind must propose every source of its segment. */
static void propose_all(struct hb_near_device *d, int nearest)
{
  static const uint32_t bits[4] = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX};
  uint32_t far = hb_bits_of_float(3e38F), none[4] = {HB_NO_SOURCE, far, far, 0};
  if (!d->context->caps.has_counts) hb_gl_target_fill(&d->target.target, nearest ? none : bits);
}

static void draw(struct hb_near_device *d, struct hb_gl_pass *pass, const struct proposals *p)
{
  propose_all(d, pass == &d->nearest);
  double pairs_a_row = (double)(p->columns * EACH * p->group * BITS),
         most = d->context->caps.software ? PAIRS_A_DRAW_SOFTWARE : PAIRS_A_DRAW;
  size_t rows = pairs_a_row < most ? (size_t)(most / pairs_a_row) : 1;
  for (size_t from = 0; from < p->segments; from += rows) {
    size_t count = hb_min(rows, p->segments - from);
    hb_gl_pass_draw(pass, &d->target.target, 0, (int)from, (int)p->columns, (int)count);
    if (count < p->segments) hb_gl_flush();
  }
  hb_gl_tally_pause(&d->tally);
}

/* What shaders/near/nearest.frag or, h2[count] not being NULL, lists.frag leaves for points x[3 * count], own[count]
 * (nullable); valid until end_question. count at most a portion. Errors: HB_ERR_DEVICE when a draw was lost. */
static enum hb_status ask_device(struct hb_near_device *d, size_t count, const double *x, const uint32_t *own,
                                 const double *h2, struct proposals *p)
{
  struct hb_gl_pass *pass = h2 ? &d->lists : &d->nearest;
  HB_TRY(hb_gl_context_use(d->context));
  HB_TRY(send_points(d, count, x, own, h2));
  p->columns = hb_div_ceil(count, EACH);
  p->group = choose_group(d, p->columns);
  p->segments = segments_of(d, p->group);
  HB_TRY(reserve_target(d, p->columns, p->segments));
  size_t layer = p->columns * p->segments * 16, layers = hb_min(count, EACH);
  HB_TRY(hb_gl_readback_reserve(d->context, layer * layers, &d->readback));
  hb_gl_pass_texture(pass, "sources", &d->sources.texture);
  hb_gl_pass_texture(pass, "points", &d->points.texture);
  hb_gl_pass_int(pass, "source_count", (int)d->nj);
  hb_gl_pass_int(pass, "segment_length", (int)(p->group * BITS));
  if (h2) hb_gl_pass_int(pass, "group", (int)p->group);
  hb_gl_tally_reset(&d->tally);
  draw(d, pass, p);
  for (size_t k = 0; k < layers; k++)
    hb_gl_target_copy(&d->target.target, (int)k, (int)p->columns, (int)p->segments, &d->readback.buffer,
                      k * layer);
  HB_TRY(hb_gl_context_check(d->context, "looking for neighbors"));
  HB_TRY(hb_gl_readback_open(d->context, &d->readback, layer * layers, &p->words));
  enum hb_status status = hb_gl_tally_check(&d->tally, d->context);
  if (status != HB_OK) hb_gl_readback_close(&d->readback);
  return status;
}

static void end_question(struct hb_near_device *d) { hb_gl_readback_close(&d->readback); }

/* ---- how the host decides ---- */

enum {
  PLACES = 256,          /* sources whose places are computed at a time */
  PIECE = 16,            /* points a thread decides at a time */
  HOST_PORTION = 1 << 14 /* points at once without a device */
};
static const double WORTH_THREADS =
    30000; /* pairs or proposals to look at; with fewer, waking threads takes longer */

struct hb_near {
  struct hb_near_device *device; /* NULL: the host does it */
  struct hb_near_sources sources;
  int is_filled; /* the device has them */
};

/* A portion of the points at work. */
struct question {
  const struct hb_near_sources *sources;
  const double *places;              /* x of all sources; NULL: not known */
  const struct proposals *proposals; /* NULL: none, every source may be the answer */
  size_t first, count;
  const struct hb_near_points *points;
  uint32_t *nearest;
  double *r2; /* nullable */
  const double *h2;
  struct hb_near_lists *lists;
  int stores; /* of lists: 0: counts, 1: stores */
};

enum hb_status hb_near_create(struct hb_gl_context *context, struct hb_near **near)
{
  HB_GL_VISIT;
  struct hb_near *n;
  *near = NULL;
  HB_TRY(HB_ALLOC(1, &n));
  enum hb_status status = context ? create_device(context, &n->device) : HB_OK;
  return HB_MADE(status, n, hb_near_destroy, near);
}

void hb_near_destroy(struct hb_near *near)
{
  HB_GL_VISIT;
  if (!near) return;
  destroy_device(near->device);
  hb_mem_free(near);
}

void hb_near_set_sources(struct hb_near *near, const struct hb_near_sources *sources)
{
  near->sources = *sources;
  near->is_filled = 0;
}

enum hb_status hb_near_set_j(struct hb_near *near, size_t nj, const double *x)
{
  if (nj > INT32_MAX) return hb_fail(HB_ERR_USAGE, "the number of sources is %zu, expected below 2^31", nj);
  hb_near_set_sources(near, &(const struct hb_near_sources){.nj = nj, .x = x});
  return HB_OK;
}

static enum hb_status fill(struct hb_near *near)
{
  const struct hb_near_sources *s = &near->sources;
  if (near->is_filled) return HB_OK;
  HB_TRY(s->fill ? s->fill(s->owner, near->device) : hb_near_device_send(near->device, s->nj, s->x));
  near->is_filled = 1;
  return HB_OK;
}

/* ---- looking at sources, in double ---- */

/* x of sources from .. to, of which there are at most PLACES. */
static const double *places(const struct question *q, size_t from, size_t to, double room[3 * PLACES])
{
  if (q->places) return q->places + 3 * from;
  q->sources->place(q->sources->owner, from, to, room);
  return room;
}

static double distance2(const double xi[3], const double xj[3])
{
  double dx = xj[0] - xi[0], dy = xj[1] - xi[1], dz = xj[2] - xi[2];
  return dx * dx + dy * dy + dz * dz;
}

static size_t own_of(const struct question *q, size_t i)
{
  return q->points->own ? q->points->own[i] : HB_NO_SOURCE;
}

/* Sources from .. to, which must come in ascending order: the first of the nearest stays. */
static void find_nearer(const struct question *q, size_t i, size_t from, size_t to, double *r2)
{
  const double *xi = q->points->x + 3 * i;
  double room[3 * PLACES];
  for (size_t end, own = own_of(q, i); from < to; from = end) {
    end = hb_parallel_end(to, PLACES, from);
    const double *xj = places(q, from, end, room);
    for (size_t j = from; j < end; j++, xj += 3) {
      double d2 = distance2(xi, xj);
      if (!(d2 < *r2) || j == own) continue;
      *r2 = d2;
      q->nearest[i] = (uint32_t)j;
    }
  }
}

/* Appends those within the radius to the list, or only counts them. */
static void find_within(const struct question *q, size_t i, size_t from, size_t to)
{
  const double *xi = q->points->x + 3 * i;
  double room[3 * PLACES], h2 = q->h2[i];
  struct hb_near_lists *lists = q->lists;
  uint32_t count = lists->count[i];
  uint32_t *list = q->stores && lists->source ? lists->source + lists->start[i] : NULL;
  size_t most = q->stores ? lists->start[i + 1] - lists->start[i] : 0;
  for (size_t end, own = own_of(q, i); from < to; from = end) {
    end = hb_parallel_end(to, PLACES, from);
    const double *xj = places(q, from, end, room);
    for (size_t j = from; j < end; j++, xj += 3) {
      if (!(distance2(xi, xj) < h2) || j == own) continue;
      if (count < most) list[count] = (uint32_t)j;
      count++;
    }
  }
  lists->count[i] = count;
}

/* ---- deciding on proposals ---- */

/* Whatever may be as near as the smallest upper bound says that something is. */
static void decide_nearest(const struct question *q, size_t i)
{
  const struct proposals *p = q->proposals;
  double r2 = INFINITY;
  q->nearest[i] = HB_NO_SOURCE;
  if (!p) find_nearer(q, i, 0, q->sources->nj, &r2);
  float within = INFINITY;
  for (size_t s = 0; p && s < p->segments; s++)
    within = fminf(within, hb_bits_to_float(proposal_of(p, i - q->first, s)[1]));
  for (size_t s = 0; p && s < p->segments; s++) {
    const uint32_t *word = proposal_of(p, i - q->first, s); /* see shaders/near/nearest.frag */
    size_t length = p->group * BITS, from = s * length;
    if (hb_bits_to_float(word[3]) <= within)
      find_nearer(q, i, from, hb_parallel_end(q->sources->nj, length, from), &r2);
    else if (word[0] != HB_NO_SOURCE && hb_bits_to_float(word[2]) <= within)
      find_nearer(q, i, word[0], word[0] + 1, &r2);
  }
  if (q->r2) q->r2[i] = r2;
}

static void decide_list(const struct question *q, size_t i)
{
  const struct proposals *p = q->proposals;
  q->lists->count[i] = 0;
  if (!(q->h2[i] > 0)) return;
  if (!p) find_within(q, i, 0, q->sources->nj);
  for (size_t s = 0; p && s < p->segments; s++)
    for (size_t w = 0; w < 4; w++) {
      uint32_t bits = proposal_of(p, i - q->first, s)[w];
      for (; bits; bits &= bits - 1) {
        size_t from = (s * BITS + 32 * w + (size_t)__builtin_ctz(bits)) * p->group;
        find_within(q, i, from, hb_min(from + p->group, q->sources->nj)); /* there may be bits beyond */
      }
    }
}

static void decide_piece(void *context, size_t piece)
{
  const struct question *q = context;
  size_t from = piece * PIECE, to = hb_parallel_end(q->count, PIECE, from);
  for (size_t k = from; k < to; k++) {
    if (q->lists)
      decide_list(q, q->first + k);
    else
      decide_nearest(q, q->first + k);
  }
}

static void decide(struct question *q)
{
  double work = (double)q->count * (double)(q->proposals ? 4 * q->proposals->segments : q->sources->nj);
  hb_parallel_for(work < WORTH_THREADS ? 1 : hb_parallel_threads(), hb_div_ceil(q->count, PIECE),
                  decide_piece, q);
}

/* ---- portions ---- */

/* How many places the proposals of the portion ask for; not beyond `enough`. */
static size_t count_places(const struct question *q, size_t enough)
{
  const struct proposals *p = q->proposals;
  size_t count = q->count;
  if (!p) return enough;
  for (size_t k = 0; q->lists && k < q->count; k++)
    for (size_t s = 0; s < p->segments; s++)
      for (size_t w = 0; w < 4; w++) {
        if (count >= enough) return enough;
        count += p->group * (size_t)__builtin_popcount(proposal_of(p, k, s)[w]);
      }
  return count;
}

/* Makes the lists of the portion, which begin where the last ones end, as long as they were counted. */
static enum hb_status reserve_lists(const struct question *q, size_t most)
{
  struct hb_near_lists *lists = q->lists;
  for (size_t i = q->first; i < q->first + q->count; i++) {
    size_t count = lists->count[i];
    lists->start[i + 1] = lists->start[i] + (most && count > most ? most : count);
  }
  size_t end = lists->start[q->first + q->count];
  if (end <= lists->source_room) return HB_OK;
  size_t room = q->first + q->count < q->points->ni ? end + end / 2 : end; /* more are to come */
  HB_TRY(HB_RESIZE(room, &lists->source));
  lists->source_room = room;
  return HB_OK;
}

static enum hb_status answer_portion(struct question *q, size_t most)
{
  const struct hb_near_sources *s = q->sources;
  q->places = s->x;
  if (!s->x && s->expect) q->places = s->expect(s->owner, count_places(q, s->nj));
  q->stores = 0;
  decide(q);
  if (!q->lists) return HB_OK;
  HB_TRY(reserve_lists(q, most));
  q->stores = 1;
  decide(q);
  return HB_OK;
}

/* Point by point in portions, each proposed by the device, if there is one, and then decided. */
static enum hb_status answer(struct hb_near *near, struct question *q, size_t most)
{
  HB_GL_VISIT;
  struct hb_near_device *d = near->sources.nj ? near->device : NULL;
  const struct hb_near_points *points = q->points;
  q->sources = &near->sources;
  if (d) HB_TRY(fill(near));
  for (; q->first < points->ni; q->first += q->count) {
    size_t left = points->ni - q->first;
    struct proposals proposals = {0};
    q->count = d ? portion_of(d, left) : hb_min(left, HOST_PORTION);
    q->proposals = d ? &proposals : NULL;
    if (d)
      HB_TRY(ask_device(d, q->count, points->x + 3 * q->first, points->own ? points->own + q->first : NULL,
                        q->h2 ? q->h2 + q->first : NULL, &proposals));
    enum hb_status status = answer_portion(q, most);
    if (d) end_question(d);
    HB_TRY(status);
  }
  return HB_OK;
}

enum hb_status hb_near_nearest(struct hb_near *near, const struct hb_near_points *points, uint32_t *nearest,
                               double *r2)
{
  return answer(near, &(struct question){.points = points, .nearest = nearest, .r2 = r2}, 0);
}

/* ---- lists ---- */

void hb_near_lists_free(struct hb_near_lists *lists)
{
  HB_FREE(lists->start, lists->count, lists->source);
  *lists = (struct hb_near_lists){0};
}

static enum hb_status begin_lists(struct hb_near_lists *lists, size_t ni)
{
  lists->ni = 0;
  if (ni > lists->points_room || !lists->start) {
    HB_TRY(HB_RESIZE(ni + 1, &lists->start));
    HB_TRY(HB_RESIZE(ni, &lists->count));
    lists->points_room = ni;
  }
  lists->start[0] = 0;
  return HB_OK;
}

static int has_radius(size_t ni, const double *h2)
{
  for (size_t i = 0; i < ni; i++)
    if (h2[i] > 0) return 1;
  return 0;
}

enum hb_status hb_near_find(struct hb_near *near, const struct hb_near_points *points, const double *h2,
                            size_t most, struct hb_near_lists *lists)
{
  size_t ni = points->ni;
  HB_TRY(begin_lists(lists, ni));
  if (has_radius(ni, h2)) {
    struct question q = {.points = points, .h2 = h2, .lists = lists};
    HB_TRY(answer(near, &q, most));
  } else { /* as many clients leave it */
    for (size_t i = 0; i < ni; i++) lists->start[i + 1] = lists->count[i] = 0;
  }
  lists->ni = ni;
  return HB_OK;
}

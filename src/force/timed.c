#include "force/timed.h"

#include "base/arith.h"
#include "base/bits.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "core/frame.h"
#include "force/resident.h"
#include "pairs/selftest.h"

#include <math.h>
#include <string.h>

enum { PIECE = 1024 /* particles that a thread predicts at a time */, SAMPLE = 63 };
enum { PACKED = 256 /* particles that a thread packs at a time */ };
enum { LAYERS = 10 /* of a particle, see shaders/hermite/timed.glsl */ };

/* A particle as it is stored: derivatives over their factorials, so that Horner's form needs no division. */
struct body {
  double t, m, x[3], v[3], a2[3], j6[3], s24[3];
};

/* Particles beside the all-pairs engine, in a storage buffer, predicted by compute shaders. Without these the host predicts. */
struct device {
  struct hb_gl_context *context; /* a share of it */
  enum hb_precision precision;
  int texels; /* of a particle in the engine */
  struct hb_gl_pass predict, near;
  uint32_t now[4], origin[16], near_origin[16];
  struct hb_kept kept;
};

struct hb_timed {
  struct hb_force *force;
  struct body *body; /* [n] */
  size_t n, room;
  uint32_t *waiting;   /* [waiting_count] addresses that the device lacks */
  uint8_t *is_waiting; /* [room] */
  size_t waiting_count;

  /* the last prediction */
  int is_predicted;
  size_t nj;
  double t;

  struct device *device;  /* NULL: the host predicts */
  unsigned opening;       /* of the force, in which it and `near` were made */
  double origin[2][3];    /* of the frame on the device */
  size_t framed, renewed; /* particles it was found for, and those that have come since */

  /* predicted by the host */
  double *m, *x, *v; /* [places_room], 3 times, 3 times */
  size_t places_room;
  int has_places;

  struct hb_near *near; /* made with the first question */
};

/* ---- the device ---- */

static void destroy_device(struct device *d)
{
  if (!d) return;
  if (hb_gl_context_use(d->context) == HB_OK) {
    hb_gl_pass_destroy(&d->predict);
    hb_gl_pass_destroy(&d->near);
    hb_kept_destroy(&d->kept);
  }
  hb_gl_context_close(d->context);
  hb_mem_free(d);
}

/* Whether the engine's kernels are those of positions and velocities, its arithmetic is exact where it must be, and a dropped
 * dispatch would be noticed. */
static int suits(const struct hb_pairs *pairs, size_t n)
{
  struct hb_gl_context *context = pairs->params.context;
  return pairs->params.interaction->records == 2 && hb_kept_suits(&context->caps, n, LAYERS) &&
         hb_selftest_exact(context, "predicting on the device") == HB_OK;
}

static enum hb_status build(struct device *d, const struct hb_pairs *pairs, const char *compute,
                            struct hb_gl_pass *pass)
{
  const struct hb_gl_program_source source = {.compute = compute, .unrolled = {{"TEXELS", d->texels}}};
  return hb_kept_program(d->context, d->precision, pairs->fma_is_fused, &source, pass);
}

/* Room for n particles, for the sources of engines with the context and precision of `pairs`. Errors: HB_ERR_GL (limits). */
static enum hb_status create_device(const struct hb_pairs *pairs, size_t n, struct device **device)
{
  struct device *d;
  HB_TRY(HB_ALLOC(1, &d));
  d->context = hb_gl_context_share(pairs->params.context);
  d->precision = pairs->params.precision;
  d->texels = pairs->texels;
  enum hb_status status = hb_gl_context_use(d->context);
  if (status == HB_OK) status = build(d, pairs, "hermite/timed_predict.comp", &d->predict);
  if (status == HB_OK) status = build(d, pairs, "hermite/timed_near.comp", &d->near);
  if (status == HB_OK) status = hb_kept_create(d->context, n, LAYERS, &d->kept);
  *device = status == HB_OK ? d : NULL;
  if (status != HB_OK) destroy_device(d);
  return status;
}

/* A vector as the xyz of two layers: high words, then low ones. */
static void pack_vector(enum hb_precision precision, const double x[3], uint32_t word[8])
{
  for (int c = 0; c < 3; c++) hb_precision_split(precision, x[c], word + c, word + 4 + c);
}

/* A time as three words: two and a zero, or floats that together are exactly it. */
static void pack_time(enum hb_precision precision, double t, uint32_t word[3])
{
  volatile float first = (float)t; /* volatile: as in hb_split_low */
  volatile double rest = t - (double)first;
  word[2] = 0;
  hb_precision_split(precision, t, &word[0], &word[1]);
  if (precision != HB_PRECISION_DOUBLE) word[2] = hb_bits_of_float(hb_split_low(rest));
}

static void pack(enum hb_precision precision, const struct body *p, uint32_t word[4 * LAYERS])
{
  const double *const vectors[] = {p->x, p->v, p->a2, p->j6, p->s24};
  uint32_t time[3];
  for (int k = 0; k < 5; k++) pack_vector(precision, vectors[k], word + 8 * k);
  for (int k = 5; k < LAYERS; k++) word[4 * k + 3] = 0;
  hb_precision_split(precision, p->m, &word[3], &word[7]);
  pack_time(precision, p->t, time);
  for (int k = 0; k < 3; k++) word[4 * (2 + k) + 3] = time[k];
}

struct packing {
  enum hb_precision precision;
  size_t count;
  const uint32_t *address;
  const struct body *bodies;
  uint32_t *out;
};

static void pack_piece(void *context, size_t piece)
{
  const struct packing *p = context;
  for (size_t k = piece * PACKED, end = hb_parallel_end(p->count, PACKED, k); k < end; k++)
    pack(p->precision, &p->bodies[p->address[k]], p->out + 4 * LAYERS * k);
}

/* Stores bodies[address[k]] at address[k], for each k < count; none twice. */
static enum hb_status store_on_device(struct device *d, size_t count, const uint32_t *address,
                                      const struct body *bodies)
{
  HB_TRY(hb_gl_context_use(d->context));
  for (size_t first = 0; first < count; first += HB_KEPT_PORTION) {
    struct packing packing = {d->precision, hb_min(count - first, HB_KEPT_PORTION), address + first, bodies,
                              NULL};
    uint32_t *number;
    HB_TRY(hb_kept_reserve(&d->kept, packing.count, &packing.out, &number));
    hb_parallel_for(packing.count > PACKED ? hb_parallel_threads() : 1, hb_div_ceil(packing.count, PACKED),
                    pack_piece, &packing);
    memcpy(number, packing.address, packing.count * sizeof *number);
    hb_kept_store(&d->kept, packing.count);
  }
  return hb_gl_context_check(d->context, "storing particles");
}

/* The first nj at time t, in the frame with that place and velocity, into the buffer. words: of d, because the pass keeps them. */
static void run(struct device *d, struct hb_gl_pass *pass, size_t nj, double t, const double origin[2][3],
                uint32_t words[16], const struct hb_gl_buffer *buffer)
{
  pack_time(d->precision, t, d->now);
  pack_vector(d->precision, origin[0], words);
  pack_vector(d->precision, origin[1], words + 8);
  hb_gl_pass_set(pass, "now", HB_GL_UINT4, 1, d->now);
  hb_gl_pass_set(pass, "origin", HB_GL_UINT4, 4, words);
  hb_gl_pass_int(pass, "source_count", (int)nj);
  hb_gl_pass_storage(pass, HB_KEPT_BINDINGS, buffer);
  hb_kept_dispatch(&d->kept, pass, nj);
}

/* As the sources of the engine; and of the neighbor passes, in near->frame, the scale of which must be within this range. */
static enum hb_status run_into_pairs(struct device *d, struct hb_pairs *pairs, size_t nj, double t,
                                     const double origin[2][3])
{
  HB_TRY(hb_gl_context_use(d->context));
  HB_TRY(hb_pairs_reserve_j(pairs, nj));
  run(d, &d->predict, nj, t, origin, d->origin, &pairs->j);
  return hb_pairs_filled_j(pairs);
}

static const double SCALE = 0x1p90;

static enum hb_status run_into_near(struct device *d, size_t nj, double t, struct hb_near_device *near)
{
  const double origin[2][3] = {{near->frame.origin[0], near->frame.origin[1], near->frame.origin[2]}};
  HB_TRY(hb_near_device_reserve(near, nj));
  hb_gl_pass_float(&d->near, "scale", near->frame.scale);
  run(d, &d->near, nj, t, origin, d->near_origin, &near->sources);
  return hb_gl_context_check(d->context, "predicting particles");
}

/* HB_ERR_DEVICE where a dispatch of these was lost; after what depends on them was read. */
static enum hb_status check_device(struct device *d)
{
  HB_TRY(hb_gl_context_use(d->context));
  return hb_kept_check(&d->kept);
}

enum hb_status hb_timed_create(struct hb_force *force, struct hb_timed **timed)
{
  struct hb_timed *p;
  *timed = NULL;
  HB_TRY(HB_ALLOC(1, &p));
  p->force = force;
  *timed = p;
  return HB_OK;
}

/* What belongs to a device; it is made again, and everything sent again. */
static void drop_device(struct hb_timed *p)
{
  destroy_device(p->device);
  hb_near_destroy(p->near);
  p->device = NULL;
  p->near = NULL;
  p->is_predicted = 0;
}

void hb_timed_destroy(struct hb_timed *p)
{
  HB_GL_VISIT;
  if (!p) return;
  drop_device(p);
  hb_mem_free(p->body);
  hb_mem_free(p->waiting);
  hb_mem_free(p->is_waiting);
  hb_mem_free(p->m);
  hb_mem_free(p->x);
  hb_mem_free(p->v);
  hb_mem_free(p);
}

/* ---- particles as they arrive ---- */

static enum hb_status reserve(struct hb_timed *p, size_t n)
{
  if (n <= p->room) return HB_OK;
  size_t room = n + n / 2;
  HB_TRY(HB_RESIZE(room, &p->body));
  HB_TRY(HB_RESIZE(room, &p->waiting));
  HB_TRY(HB_RESIZE(room, &p->is_waiting));
  p->room = room;
  return HB_OK;
}

static void wait_for(struct hb_timed *p, size_t address)
{
  if (p->is_waiting[address]) return;
  p->is_waiting[address] = 1;
  p->waiting[p->waiting_count++] = (uint32_t)address;
}

static void store(struct body *body, const struct hb_timed_particle *q)
{
  body->t = q->t;
  body->m = q->m;
  for (int c = 0; c < 3; c++) {
    body->x[c] = q->x[c];
    body->v[c] = q->v[c];
    body->a2[c] = q->a[c] / 2;
    body->j6[c] = q->j[c] / 6;
    body->s24[c] = q->s[c] / 24;
  }
}

enum hb_status hb_timed_put(struct hb_timed *p, size_t count, const uint32_t *address,
                            const struct hb_timed_particle *particles)
{
  size_t n = p->n;
  for (size_t k = 0; k < count; k++) {
    size_t at = address ? address[k] : k;
    if (at > INT32_MAX) return hb_fail(HB_ERR_USAGE, "address %zu of a particle, expected below 2^31", at);
    if (at >= n) n = at + 1;
  }
  HB_TRY(reserve(p, n));
  for (size_t at = p->n; at < n; at++) wait_for(p, at); /* addresses in between are sent, too */
  p->n = n;
  for (size_t k = 0; k < count; k++) {
    size_t at = address ? address[k] : k;
    store(&p->body[at], &particles[k]);
    wait_for(p, at);
  }
  p->renewed += count;
  return HB_OK;
}

/* ---- prediction on the host ---- */

void hb_timed_place(const struct hb_timed *p, size_t address, double t, double x[3], double v[3])
{
  const struct body *b = &p->body[address];
  double dt = t - b->t;
  for (int c = 0; c < 3; c++) {
    x[c] = b->x[c] + dt * (b->v[c] + dt * (b->a2[c] + dt * (b->j6[c] + dt * b->s24[c])));
    if (v) v[c] = b->v[c] + dt * (2 * b->a2[c] + dt * (3 * b->j6[c] + dt * (4 * b->s24[c])));
  }
}

static void predict_piece(void *context, size_t piece)
{
  struct hb_timed *p = context;
  size_t from = piece * PIECE, to = hb_parallel_end(p->nj, PIECE, from);
  for (size_t k = from; k < to; k++) {
    p->m[k] = p->body[k].m;
    hb_timed_place(p, k, p->t, p->x + 3 * k, p->v + 3 * k);
  }
}

/* m, x and v of the nj particles at time t. */
static enum hb_status predict_places(struct hb_timed *p)
{
  if (p->has_places) return HB_OK;
  if (p->nj > p->places_room) {
    p->places_room = 0;
    HB_TRY(HB_RESIZE(p->nj, &p->m));
    HB_TRY(HB_RESIZE(3 * p->nj, &p->x));
    HB_TRY(HB_RESIZE(3 * p->nj, &p->v));
    p->places_room = p->nj;
  }
  hb_parallel_for(p->nj > 4 * PIECE ? hb_parallel_threads() : 1, hb_div_ceil(p->nj, PIECE), predict_piece, p);
  p->has_places = 1;
  return HB_OK;
}

/* ---- and on the device ---- */

/* The frame need not be the best one, only near: it is found again when there are more particles, and once in a while. */
static int needs_frame(const struct hb_timed *p) { return p->nj > 2 * p->framed || p->renewed > 16 * p->nj; }

static enum hb_status find_frame(struct hb_timed *p)
{
  memset(p->origin, 0, sizeof p->origin);
  p->framed = p->renewed = 0;
  HB_TRY(predict_places(p));
  hb_frame_origin(p->nj, p->m, p->x, HB_FRAME_COARSE, p->origin[0]);
  hb_frame_origin(p->nj, p->m, p->v, HB_FRAME_COARSE, p->origin[1]);
  hb_frame_subtract(p->origin[0], p->nj, p->x, p->x);
  hb_frame_subtract(p->origin[1], p->nj, p->v, p->v);
  p->has_places = 0;
  HB_TRY(hb_force_check_range(p->force, p->nj, p->m, p->x, p->v));
  p->framed = p->nj;
  return HB_OK;
}

/* A device with room for all, which in a new one are still to come. */
static enum hb_status reserve_device(struct hb_timed *p, const struct hb_pairs *pairs)
{
  if (p->device && p->device->kept.n >= p->n) return HB_OK;
  destroy_device(p->device);
  p->device = NULL;
  HB_TRY(create_device(pairs, p->room, &p->device));
  for (size_t at = 0; at < p->n; at++) wait_for(p, at);
  return HB_OK;
}

static void none_waits(struct hb_timed *p)
{
  for (size_t k = 0; k < p->waiting_count; k++) p->is_waiting[p->waiting[k]] = 0;
  p->waiting_count = 0;
}

static enum hb_status predict_on_device(struct hb_timed *p, struct hb_pairs *pairs)
{
  HB_TRY(reserve_device(p, pairs));
  if (hb_force_rounds(p->force) && needs_frame(p)) HB_TRY(find_frame(p));
  HB_TRY(store_on_device(p->device, p->waiting_count, p->waiting, p->body));
  HB_TRY(run_into_pairs(p->device, pairs, p->nj, p->t, (const double(*)[3])p->origin));
  hb_force_filled(p->force, p->nj, (const double(*)[3])p->origin);
  return HB_OK;
}

static enum hb_status predict_on_host(struct hb_timed *p)
{
  HB_TRY(predict_places(p));
  return hb_force_set_j(p->force, p->nj, p->m, p->x, p->v);
}

static void set_near_sources(struct hb_timed *p);

enum hb_status hb_timed_predict(struct hb_timed *p, size_t nj, double t)
{
  HB_GL_VISIT;
  struct hb_pairs *pairs;
  if (nj == 0 || nj > p->n)
    return hb_fail(HB_ERR_USAGE, "the number of sources is %zu, expected 1 to the %zu stored", nj, p->n);
  if (!isfinite(t)) return hb_fail(HB_ERR_USAGE, "the time to predict to is %g, expected finite", t);
  if (p->opening != hb_force_openings(p->force)) drop_device(p);
  p->opening = hb_force_openings(p->force);
  if (p->is_predicted && nj == p->nj && t == p->t && p->waiting_count == 0) return HB_OK;
  p->is_predicted = p->has_places = 0;
  p->nj = nj;
  p->t = t;
  HB_TRY(hb_force_engine(p->force, nj, &pairs));
  int on_device = pairs && suits(pairs, p->room);
  HB_TRY(on_device ? predict_on_device(p, pairs) : predict_on_host(p));
  none_waits(p);
  p->is_predicted = 1;
  if (p->near) set_near_sources(p);
  return HB_OK;
}

enum hb_status hb_timed_check(struct hb_timed *p)
{
  HB_GL_VISIT;
  enum hb_status status = p->device ? check_device(p->device) : HB_OK;
  if (status != HB_OK) drop_device(p); /* what it stores is not known */
  return status;
}

/* ---- neighbors ---- */

static void place_some(void *owner, size_t from, size_t to, double *x)
{
  const struct hb_timed *p = owner;
  for (size_t k = from; k < to; k++, x += 3) hb_timed_place(p, k, p->t, x, NULL);
}

/* Where several threads will ask for most of the places, all are computed once. */
static const double *expect(void *owner, size_t count)
{
  struct hb_timed *p = owner;
  if (count < p->nj / 4 && !p->has_places) return NULL;
  return predict_places(p) == HB_OK ? p->x : NULL;
}

static enum hb_status fill(void *owner, struct hb_near_device *near)
{
  struct hb_timed *p = owner;
  double x[3 * SAMPLE];
  size_t count = hb_min(p->nj, SAMPLE), step = p->nj / count;
  for (size_t k = 0; k < count; k++) place_some(p, step * k, step * k + 1, x + 3 * k);
  hb_near_frame_find(count, x, &near->frame);
  if (p->device && near->frame.scale < SCALE && near->frame.scale > 1 / SCALE)
    return run_into_near(p->device, p->nj, p->t, near);
  HB_TRY(predict_places(p));
  return hb_near_device_send(near, p->nj, p->x);
}

static void set_near_sources(struct hb_timed *p)
{
  const struct hb_near_sources sources = {
      .nj = p->nj, .owner = p, .place = place_some, .fill = fill, .expect = expect};
  hb_near_set_sources(p->near, &sources);
}

static enum hb_status prepare_near(struct hb_timed *p)
{
  if (!p->is_predicted)
    return hb_fail(HB_ERR_USAGE, "neighbors requested before the particles were predicted");
  if (p->near) return HB_OK;
  HB_TRY(hb_near_create(hb_force_gl(p->force), &p->near));
  set_near_sources(p);
  return HB_OK;
}

/* Of a question: what a lost draw has left must not be the answer, nor stay. */
static enum hb_status end_question(struct hb_timed *p, enum hb_status status)
{
  if (status == HB_OK) return hb_timed_check(p);
  if (status == HB_ERR_DEVICE) drop_device(p);
  return status;
}

enum hb_status hb_timed_nearest(struct hb_timed *p, const struct hb_near_points *points, uint32_t *nearest,
                                double *r2)
{
  HB_GL_VISIT;
  HB_TRY(prepare_near(p));
  return end_question(p, hb_near_nearest(p->near, points, nearest, r2));
}

enum hb_status hb_timed_find(struct hb_timed *p, const struct hb_near_points *points, const double *h2,
                             size_t most, struct hb_near_lists *lists)
{
  HB_GL_VISIT;
  HB_TRY(prepare_near(p));
  return end_question(p, hb_near_find(p->near, points, h2, most, lists));
}

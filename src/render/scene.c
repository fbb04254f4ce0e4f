#include "render/scene.h"

#include "base/arith.h"
#include "base/draft.h"
#include "base/mem.h"
#include "core/particles.h"
#include "sim/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the particles of a picture ----------------------------------------------------------------------- */

enum { TEXELS = 2 }; /* (x y z m) (vx vy vz -) */

enum hb_status hb_view_particles_open(struct hb_gl_context *context, struct hb_view_particles *p)
{
  *p = (struct hb_view_particles){.context = context};
  return hb_gl_context_use(context);
}

void hb_view_particles_close(struct hb_view_particles *p)
{
  if (p->context && hb_gl_context_use(p->context) == HB_OK)
    HB_GL_DESTROY(buffer, &p->records, &p->values, &p->order);
  *p = (struct hb_view_particles){0};
}

/* ---- to the device ----------------------------------------------------------------------------------- */

static enum hb_status fill(const struct hb_view_particles *p, struct hb_gl_buffer *buffer,
                           enum hb_gl_format format, size_t texels, size_t texel_bytes, const void *data)
{
  const struct hb_gl_caps *caps = &p->context->caps;
  if (texels > (size_t)caps->max_texture_buffer_size)
    return hb_fail(HB_ERR_GL, "the particles need a buffer texture of %zu texels, the limit of %s is %d",
                   texels, caps->renderer, caps->max_texture_buffer_size);
  HB_TRY(hb_gl_context_use(p->context));
  hb_gl_buffer_fill(buffer, HB_GL_BY_HOST, texels * texel_bytes, data);
  hb_gl_buffer_texture(buffer, format);
  return hb_gl_context_check(p->context, "sending particles to be drawn");
}

/* The mean of every `step`-th number. */
static double mean(size_t n, const double *numbers, size_t step)
{
  double sum = 0;
  for (size_t k = 0; k < n; k++) sum += numbers[step * k];
  return sum / (double)n;
}

static void pack(size_t n, const double *m, const double *x, const double *v, const double origin[3],
                 float *out)
{
  for (size_t k = 0; k < n; k++, out += 4 * TEXELS) {
    for (size_t c = 0; c < 3; c++) {
      out[c] = (float)(x[3 * k + c] - origin[c]);
      out[4 + c] = v ? (float)v[3 * k + c] : 0;
    }
    out[3] = m ? (float)m[k] : 0;
    out[7] = 0;
  }
}

enum hb_status hb_view_particles_send(struct hb_view_particles *p, size_t n, const double *m, const double *x,
                                      const double *v, double t, const double *origin)
{
  HB_OWN float *records = NULL;
  double zero[3];
  p->at = (struct hb_device_particles){0};
  p->has_values = p->lent = 0;
  if (n == 0) return HB_OK;
  for (int c = 0; c < 3; c++) zero[c] = origin ? origin[c] : mean(n, x + c, 3);
  HB_TRY(HB_ALLOC(4 * TEXELS * n, &records));
  pack(n, m, x, v, zero, records);
  HB_TRY(fill(p, &p->records, HB_GL_RGBA32F, TEXELS * n, 16, records));
  for (int c = 0; c < 3; c++) p->origin[c] = zero[c];
  p->lit = n;
  p->mass = m ? mean(n, m, 1) : 0;
  p->at = (struct hb_device_particles){
      .layout = HB_DEVICE_RECORDS, .n = n, .texture = {p->records.texture.id}, .texels = TEXELS, .t = t};
  return HB_OK;
}

size_t hb_view_particles_lit(const struct hb_particles *from)
{
  const char *note = hb_particles_note(from, "dark");
  size_t n = hb_particles_n(from), dark = note ? strtoull(note, NULL, 10) : 0;
  return dark < n ? n - dark : n;
}

enum hb_status hb_view_particles_load(struct hb_view_particles *p, struct hb_particles *from,
                                      const double *origin)
{
  HB_TRY(hb_view_particles_send(p, hb_particles_n(from), hb_particles_m(from), hb_particles_x(from),
                                hb_particles_v(from), hb_particles_time(from), origin));
  p->lit = hb_view_particles_lit(from);
  p->mass = mean(p->lit, hb_particles_m(from), 1);
  return HB_OK;
}

static enum hb_status particles_lend(struct hb_view_particles *p, const struct hb_device_particles *at)
{
  if (p->has_values && p->at.n != at->n) p->has_values = 0;
  if (p->at.n != at->n) p->lit = at->n;
  p->at = *at;
  p->lent = 1;
  for (int c = 0; c < 3; c++) p->origin[c] = at->origin[c];
  return at->order ? fill(p, &p->order, HB_GL_R32UI, at->n, sizeof *at->order, at->order) : HB_OK;
}

enum hb_status hb_view_particles_follow(struct hb_view_particles *p, struct hb_sim *sim, double t)
{
  struct hb_device_particles at = {.layout = HB_DEVICE_NONE};
  HB_OWN_PARTICLES struct hb_particles *state = NULL;
  if (t == hb_sim_time(sim)) hb_sim_on_device(sim, &at);
  if (at.layout != HB_DEVICE_NONE && hb_sim_device_context(sim) == p->context) return particles_lend(p, &at);
  HB_TRY(hb_sim_state(sim, t, &state));
  return hb_view_particles_load(p, state, NULL);
}

enum hb_status hb_view_particles_values(struct hb_view_particles *p, size_t n, const double *value)
{
  HB_OWN float *values = NULL;
  HB_TRY(HB_ALLOC(n, &values));
  for (size_t k = 0; k < n; k++) values[k] = (float)value[k];
  p->has_values = 0;
  HB_TRY(fill(p, &p->values, HB_GL_R32F, n, sizeof *values, values));
  p->has_values = 1;
  return HB_OK;
}

/* ---- for shaders ------------------------------------------------------------------------------------- */

static enum hb_status create_pass(struct hb_gl_context *context, const char *name, int layout,
                                  struct hb_gl_pass *pass)
{
  static const char *const defines[] = {"#define LAYOUT 1\n", "#define LAYOUT 2\n", "#define LAYOUT 3\n",
                                        "#define LAYOUT 3\n#define RECTANGLE\n"};
  const struct hb_gl_program_source source = {.vertex = hb_phrase("view/%s.vert", name),
                                              .fragment = hb_phrase("view/%s.frag", name),
                                              .defines = defines[layout]};
  return hb_gl_pass_create(context, &source, pass);
}

/* Passes of view/NAME.vert and .frag that read particles, one per layout, created when first needed: *pass is ready
 * with the particles and the uniforms of shaders/view/places.glsl. */
static enum hb_status particles_pass(const struct hb_view_particles *p, const char *name,
                                     struct hb_gl_pass passes[HB_VIEW_PARTICLES_LAYOUTS],
                                     struct hb_gl_pass **pass)
{
  static const char *const streams[] = {"positions", "velocities", "masses"};
  const struct hb_device_particles *at = &p->at;
  int is_streams = at->layout == HB_DEVICE_STREAMS;
  int layout = is_streams ? 2 + at->rectangle : at->layout == HB_DEVICE_DOUBLES;
  struct hb_gl_pass *own = &passes[layout];
  if (!own->program) HB_TRY(create_pass(p->context, name, layout, own));
  hb_gl_pass_int(own, "texels", at->texels);
  hb_gl_pass_int(own, "width", at->width);
  hb_gl_pass_int(own, "has_order", at->order != NULL);
  hb_gl_pass_float4(own, "drift", at->drift[0], at->drift[1], at->drift[2], 0);
  for (int k = 0; is_streams && k < 3; k++)
    hb_gl_pass_texture(own, streams[k],
                       &(const struct hb_gl_texture){.shape = at->rectangle ? HB_GL_RECTANGLE : HB_GL_2D,
                                                     .id = at->texture[k]});
  if (!is_streams)
    hb_gl_pass_texture(own, "particles",
                       &(const struct hb_gl_texture){.shape = HB_GL_BUFFER, .id = at->texture[0]});
  hb_gl_pass_texture(own, "order", &p->order.texture);
  *pass = own;
  return HB_OK;
}

static void particles_destroy_passes(struct hb_gl_pass passes[HB_VIEW_PARTICLES_LAYOUTS])
{
  for (int k = 0; k < HB_VIEW_PARTICLES_LAYOUTS; k++) hb_gl_pass_destroy(&passes[k]);
}

/* ---- where they were ---- */

enum { WIDTH = 1024 };

enum hb_status hb_trails_open(struct hb_gl_context *context, size_t n, int capacity, struct hb_trails *trails)
{
  size_t height = hb_div_ceil(n, (size_t)WIDTH);
  *trails = (struct hb_trails){.context = context,
                               .n = n,
                               .width = n < (size_t)WIDTH ? (int)n : WIDTH,
                               .height = (int)height,
                               .capacity = capacity};
  const struct hb_gl_texture_params params = {.what = "a trail",
                                              .shape = HB_GL_LAYERS,
                                              .format = HB_GL_RGBA32F,
                                              .width = trails->width,
                                              .height = trails->height,
                                              .layers = 2 * capacity};
  HB_TRY(hb_gl_context_use(context));
  HB_TRY(HB_ALLOC((size_t)capacity, &trails->t));
  return hb_gl_texture_create(context, &params, &trails->ring);
}

void hb_trails_close(struct hb_trails *trails)
{
  if (trails->context && hb_gl_context_use(trails->context) == HB_OK) {
    particles_destroy_passes(trails->record);
    hb_gl_target_destroy(&trails->target);
    hb_gl_texture_destroy(&trails->ring);
  }
  hb_mem_free(trails->t);
  *trails = (struct hb_trails){0};
}

enum hb_status hb_trails_add(struct hb_trails *trails, const struct hb_view_particles *particles)
{
  const double *at = particles->origin, *zero = trails->origin;
  struct hb_gl_pass *pass;
  if (particles->at.n != trails->n)
    return hb_fail(HB_ERR_USAGE, "the trails belong to %zu particles, not to %zu", trails->n,
                   particles->at.n);
  HB_TRY(hb_gl_context_use(trails->context));
  if (trails->count == 0) {
    trails->t_zero = particles->at.t;
    for (int c = 0; c < 3; c++) trails->origin[c] = at[c];
  }
  HB_TRY(particles_pass(particles, "record", trails->record, &pass));
  HB_TRY(hb_gl_target_layers(trails->context, &trails->ring, 2 * trails->next, 2, &trails->target));
  hb_gl_pass_int2(pass, "ring_size", trails->width, trails->height);
  hb_gl_pass_float4(pass, "shift", at[0] - zero[0], at[1] - zero[1], at[2] - zero[2],
                    particles->at.t - trails->t_zero);
  const struct hb_gl_vertices points = {.target = &trails->target, .count = trails->n, .are_points = 1};
  hb_gl_pass_draw_vertices(pass, &points);
  trails->t[trails->next] = particles->at.t;
  trails->next = (trails->next + 1) % trails->capacity;
  if (trails->count < trails->capacity) trails->count++;
  return hb_gl_context_check(trails->context, "adding to trails");
}

enum { ENTRIES = 48 }; /* of trails that follow */

/* Forgets the youngest entry if it is less than `spacing` later than the one before: entries are that far apart, and the youngest is
 * the present. */
static void trails_thin(struct hb_trails *trails, double spacing)
{
  int capacity = trails->capacity, youngest = (trails->next + capacity - 1) % capacity;
  int before = (youngest + capacity - 1) % capacity;
  if (trails->count < 2 || trails->t[youngest] - trails->t[before] >= spacing) return;
  trails->next = youngest;
  trails->count--;
}

static enum hb_status add_present(struct hb_trails *trails, const struct hb_view_particles *particles,
                                  double length)
{
  trails_thin(trails, length / ENTRIES);
  return hb_trails_add(trails, particles);
}

enum hb_status hb_trails_follow(struct hb_trails *trails, const struct hb_view_particles *particles,
                                double length, const struct hb_trails_past *past)
{
  double t = particles->at.t;
  if (trails->n != particles->at.n) {
    hb_trails_close(trails);
    HB_TRY(hb_trails_open(particles->context, particles->at.n, ENTRIES, trails));
  }
  double last = trails->count ? trails->t[(trails->next + ENTRIES - 1) % ENTRIES] : -INFINITY;
  if (!past || (t > last && t - last < length / 4)) return add_present(trails, particles, length);
  if (t == last) return HB_OK;
  double from = fmax(past->first, t - length);
  hb_trails_clear(trails);
  for (int k = 0; k < ENTRIES; k++) {
    HB_TRY(past->place(past->of, k + 1 < ENTRIES ? from + (t - from) * k / (ENTRIES - 1) : t));
    HB_TRY(add_present(trails, particles, length));
  }
  return HB_OK;
}

/* ---- light ------------------------------------------------------------------------------------------- */

/* A format in which light can be summed. */
struct hb_light_format {
  const char *name; /* "RGBA32F" */
  enum hb_gl_format format;
  double unit; /* brightness of a single star in it */
};

enum { LEVELS = 10 };

struct hb_scene {
  struct hb_gl_context *context;
  const struct hb_light_format *format;
  int width, height, samples;
  struct hb_camera camera;
  struct hb_gl_texture light, picture; /* picture: created when first used */
  struct hb_gl_texture palette;        /* one row of PALETTE colors per map, then one for groups */
  struct hb_gl_pass stars[HB_VIEW_PARTICLES_LAYOUTS], trails, enlarge;

  /* the tone map */
  struct hb_gl_texture mean;          /* of the samples of a pixel; unused if samples = 1 */
  struct hb_gl_texture level[LEVELS]; /* scattered light, each half the size of the one before */
  struct hb_gl_texture most[LEVELS];  /* each an eighth */
  /* the brightest place, of light at half the size and of scattered light: of this and of the previous picture */
  struct hb_gl_texture white[2], haze[2];
  int levels, mosts, turn, has_white;
  struct hb_gl_pass resolve, halve, spread, brightest, tone;
};

/* ---- the tone map: light becomes colors ----------------------------------------------------------------- */

enum { SMALLEST = 4, FOLD = 8 };

/* The white point is at least this many stars, so that a lone star does not glare. */
static const double LEAST_WHITE = 1.3;

/* s of the tone curve, see tone.vert: with less, even the edge of a star would be as bright as its center. */
static const double LEAST_SOFTENING = 0.05;

/* Factor by which a level adds to the next larger one: above 1, since narrow blurs are bright around each star, and
 * wide ones only where there are many. */
static const double PASSED_ON = 1.5;

/* ---- open and close ---- */

/* A render target for light, or for a finished picture (RGBA8). Errors: HB_ERR_GL (limit and need), HB_ERR_DEVICE. */
static enum hb_status tone_map_texture(struct hb_gl_context *context, enum hb_gl_format format, int width,
                                       int height, struct hb_gl_texture *texture)
{
  const struct hb_gl_texture_params params = {
      .what = "a picture", .format = format, .width = width, .height = height, .drawn = 1, .smooth = 1};
  return hb_gl_texture_create(context, &params, texture);
}

enum hb_status hb_tone_map_read(struct hb_gl_context *context, const struct hb_gl_target *target, int width,
                                int height, uint8_t *rgb)
{
  HB_OWN uint8_t *rgba = NULL;
  HB_TRY(HB_ALLOC(4 * (size_t)width * (size_t)height, &rgba));
  hb_gl_target_read(target, 0, 0, target->height - height, width, height, HB_GL_BYTES, rgba);
  for (int y = height - 1; y >= 0; y--) { /* OpenGL starts at the bottom */
    const uint8_t *from = rgba + 4 * (size_t)width * (size_t)y;
    for (int x = 0; x < width; x++, from += 4, rgb += 3) memcpy(rgb, from, 3);
  }
  return hb_gl_context_check_lost(context, "reading a picture");
}

/* Builds the programs of the tone map. */
static enum hb_status open_passes(struct hb_scene *s)
{
  static const char *const names[] = {"resolve", "halve", "spread", "brightest", "tone"};
  struct hb_gl_pass *const passes[] = {&s->resolve, &s->halve, &s->spread, &s->brightest, &s->tone};
  for (int k = 0; k < 5; k++) {
    const struct hb_gl_program_source source = {.vertex = passes[k] == &s->tone ? "view/tone.vert" : NULL,
                                                .fragment = hb_phrase("view/%s.frag", names[k])};
    HB_TRY(hb_gl_pass_create(s->context, &source, passes[k]));
  }
  return HB_OK;
}

static void destroy_textures(struct hb_scene *s)
{
  HB_GL_DESTROY(texture, &s->light, &s->picture, &s->mean, &s->white[0], &s->white[1], &s->haze[0],
                &s->haze[1]);
  for (int k = 0; k < LEVELS; k++) HB_GL_DESTROY(texture, &s->level[k], &s->most[k]);
  s->width = s->height = s->levels = s->mosts = s->has_white = 0;
}

static int part(int size, int of) { return (size + of - 1) / of; }

static enum hb_status create_textures(struct hb_scene *s, int width, int height, int samples)
{
  enum hb_gl_format light = s->format->format;
  int w = part(width, 2), h = part(height, 2);
  HB_TRY(tone_map_texture(s->context, light, width * samples, height * samples, &s->light));
  if (samples > 1) HB_TRY(tone_map_texture(s->context, light, width, height, &s->mean));
  do {
    HB_TRY(tone_map_texture(s->context, light, w, h, &s->level[s->levels++]));
    w = part(w, 2), h = part(h, 2);
  } while (s->levels < LEVELS && w >= SMALLEST && h >= SMALLEST);
  w = part(s->level[0].width, FOLD), h = part(s->level[0].height, FOLD);
  for (; w > 1 || h > 1; w = part(w, FOLD), h = part(h, FOLD))
    HB_TRY(tone_map_texture(s->context, light, w, h, &s->most[s->mosts++]));
  for (int k = 0; k < 2; k++) {
    HB_TRY(tone_map_texture(s->context, light, 1, 1, &s->white[k]));
    HB_TRY(tone_map_texture(s->context, light, 1, 1, &s->haze[k]));
  }
  s->width = width, s->height = height, s->samples = samples;
  return HB_OK;
}

/* ---- passes ---- */

static void draw_light(struct hb_gl_pass *pass, const struct hb_gl_texture *from,
                       const struct hb_gl_texture *to, enum hb_gl_blend blend)
{
  const struct hb_gl_vertices all = {.target = &to->target, .count = 3, .blend = blend};
  hb_gl_pass_texture(pass, "source", from);
  hb_gl_pass_draw_vertices(pass, &all);
}

/* Halves the picture down to a few texels. */
static void halve(struct hb_scene *s, const struct hb_gl_texture *light, int levels)
{
  for (int k = 0; k < levels; k++)
    draw_light(&s->halve, k ? &s->level[k - 1] : light, &s->level[k], HB_GL_REPLACE);
}

/* Adds the levels on the way up again: a sum of ever wider and fainter blurs. */
static void scatter(struct hb_scene *s)
{
  for (int k = s->levels - 1; k > 0; k--) {
    const struct hb_gl_texture *to = &s->level[k - 1];
    hb_gl_pass_float4(&s->spread, "target_size", to->width, to->height, PASSED_ON, 0);
    draw_light(&s->spread, &s->level[k], to, HB_GL_ADD);
  }
}

/* Writes the brightest place of the first level to found[turn]; that of the previous picture is in the other one. */
static void find_brightest(struct hb_scene *s, double adapt, const struct hb_gl_texture found[2])
{
  const struct hb_gl_texture *from = &s->level[0];
  hb_gl_pass_texture(&s->brightest, "before", &found[!s->turn]);
  hb_gl_pass_float4(&s->brightest, "adapt", 1, 0, 0, 0);
  for (int k = 0; k < s->mosts; k++) {
    draw_light(&s->brightest, from, &s->most[k], HB_GL_REPLACE);
    from = &s->most[k];
  }
  hb_gl_pass_float4(&s->brightest, "adapt", s->has_white ? adapt : 1, 0, 0, 0);
  draw_light(&s->brightest, from, &found[s->turn], HB_GL_REPLACE);
}

enum { PALETTE = 256, SAMPLES_MOST = 8, VERTICES = 6, PIECES = 8 /* of trails.vert */ };

/* In samples: the smallest Gaussian that looks the same wherever it falls between the samples. */
static const double LEAST_SIGMA = 0.6;
static const double LARGEST_STAR = 40; /* times the usual size: closer stars do not grow */
static const double TRAIL = 0.2;       /* brightness of a trail's young end, relative to a star's */
static const double NEAR = 1e-3;       /* of the distance to the center */
static const double BACKGROUND[3] = {0.018, 0.021, 0.038};

/* Best first. OpenGL 3.3 requires blending for each of them, but drivers for small hardware lack it for floats, 32-bit
 * floats first. */
static const struct hb_light_format formats[] = {
    {"RGBA32F", HB_GL_RGBA32F, 1},
    {"RGBA16F", HB_GL_RGBA16F, 1},
    {"RGBA16", HB_GL_RGBA16, 1. / 64}, /* up to 64 stars in one place, each of 1024 steps */
};
enum { FORMATS = sizeof formats / sizeof *formats };

/* ---- open and close ---- */

static enum hb_status make_palette(struct hb_scene *s)
{
  enum { ROWS = HB_COLORMAP_COUNT + 1 };
  HB_OWN float(*rgba)[4] = NULL;
  HB_TRY(HB_ALLOC(ROWS * PALETTE, &rgba));
  for (int row = 0; row < ROWS; row++)
    for (int k = 0; k < PALETTE; k++) {
      float *color = rgba[row * PALETTE + k];
      if (row < HB_COLORMAP_COUNT)
        hb_colormap_rgb((enum hb_colormap)row, k / (PALETTE - 1.0), color);
      else
        hb_colormap_group((size_t)k, color);
      color[3] = 1;
    }
  const struct hb_gl_texture_params params = {
      .format = HB_GL_RGBA32F, .width = PALETTE, .height = ROWS, .data = rgba};
  return hb_gl_texture_create(s->context, &params, &s->palette);
}

/* Whether light adds up: three times the palette's last gray, 1, onto one texel. */
static int adds_up(struct hb_scene *s, const struct hb_light_format *format)
{
  struct hb_gl_texture texel;
  struct hb_gl_pass *spread = &s->spread;
  float sum[4] = {0};
  if (tone_map_texture(s->context, format->format, 1, 1, &texel) != HB_OK) return 0;
  const struct hb_gl_vertices all = {.target = &texel.target, .count = 3, .blend = HB_GL_ADD};
  hb_gl_target_clear(&texel.target);
  hb_gl_pass_float4(spread, "target_size", 1, 1, format->unit, 0);
  hb_gl_pass_texture(spread, "source", &s->palette);
  for (int k = 0; k < 3; k++) hb_gl_pass_draw_vertices(spread, &all);
  hb_gl_target_read(&texel.target, 0, 0, 0, 1, 1, HB_GL_FLOATS, sum);
  hb_gl_texture_destroy(&texel);
  return hb_gl_context_check(s->context, "adding up light") == HB_OK &&
         fabs(sum[3] / format->unit - 3) < 0.01;
}

static enum hb_status choose_format(struct hb_scene *s, const char *wanted)
{
  int from_here = !wanted;
  for (int k = 0; k < FORMATS; k++) {
    from_here = from_here || strcmp(wanted, formats[k].name) == 0;
    if (!from_here || !adds_up(s, &formats[k])) continue;
    s->format = &formats[k];
    return HB_OK;
  }
  return hb_fail(HB_ERR_GL, "%s cannot add up light in %s", s->context->caps.renderer,
                 wanted ? wanted : "textures of floats or of 16 bits");
}

static enum hb_status prepare(struct hb_scene *s, const char *format)
{
  HB_TRY(hb_gl_context_use(s->context));
  const struct hb_gl_program_source trails = {.vertex = "view/trails.vert", .fragment = "view/trails.frag"};
  HB_TRY(open_passes(s));
  HB_TRY(hb_gl_pass_create(s->context, &trails, &s->trails));
  HB_TRY(make_palette(s));
  HB_TRY(choose_format(s, format));
  return hb_scene_resize(s, 640, 480, 1);
}

enum hb_status hb_scene_open(struct hb_gl_context *context, const char *format, struct hb_scene **scene)
{
  struct hb_scene *s;
  *scene = NULL;
  HB_TRY(HB_ALLOC(1, &s));
  s->context = context;
  hb_camera_reset(&s->camera);
  enum hb_status status = prepare(s, format);
  return HB_MADE(status, s, hb_scene_close, scene);
}

void hb_scene_close(struct hb_scene *s)
{
  if (!s) return;
  if (hb_gl_context_use(s->context) == HB_OK) {
    particles_destroy_passes(s->stars);
    HB_GL_DESTROY(pass, &s->trails, &s->enlarge, &s->resolve, &s->halve, &s->spread, &s->brightest, &s->tone);
    HB_GL_DESTROY(texture, &s->palette);
    destroy_textures(s);
  }
  hb_mem_free(s);
}

enum hb_status hb_scene_resize(struct hb_scene *s, int width, int height, int samples)
{
  samples = hb_default(samples, 1);
  if (width < 1 || height < 1)
    return hb_fail(HB_ERR_USAGE, "cannot draw a picture of %d x %d pixels", width, height);
  if (samples < 0 || samples > SAMPLES_MOST)
    return hb_fail(HB_ERR_USAGE, "%d x %d samples per pixel (expected 1 to %d)", samples, samples,
                   SAMPLES_MOST);
  if (width == s->width && height == s->height && samples == s->samples) return HB_OK;
  HB_TRY(hb_gl_context_use(s->context));
  destroy_textures(s);
  return create_textures(s, width, height, samples);
}

const char *hb_scene_quick_format(const struct hb_gl_context *context)
{
  return context->caps.software ? NULL : "RGBA16F";
}

/* ---- exposing ---- */

enum hb_status hb_scene_begin(struct hb_scene *s, const struct hb_camera *camera)
{
  HB_TRY(hb_gl_context_use(s->context));
  if (s->width == 0) return hb_fail(HB_ERR_USAGE, "the picture has no size yet");
  s->camera = *camera;
  hb_gl_target_clear(&s->light.target);
  return HB_OK;
}

/* The uniforms of camera.glsl; positions on the device are relative to origin. */
static void set_camera(const struct hb_scene *s, const double origin[3], struct hb_gl_pass *pass)
{
  static const char *const names[3] = {"axis_right", "axis_up", "axis_back"};
  const struct hb_camera *c = &s->camera;
  double slope = hb_camera_slope(c), aspect = (double)s->width / s->height;
  const double w[3] = {1 / (slope * aspect), 1 / slope, NEAR * c->distance};
  hb_gl_pass_float4(pass, "eye", c->center[0] - origin[0], c->center[1] - origin[1], c->center[2] - origin[2],
                    c->distance);
  for (int k = 0; k < 3; k++)
    hb_gl_pass_float4(pass, names[k], c->axis[k][0], c->axis[k][1], c->axis[k][2], w[k]);
  hb_gl_pass_float4(pass, "screen", s->light.width, s->light.height, 0, 0);
}

/* The uniforms of color.glsl. */
static void set_color(const struct hb_scene *s, const struct hb_scene_style *style, struct hb_gl_pass *pass)
{
  double from = style->range[0], length = style->range[1] - style->range[0];
  int is_group = style->color == HB_SCENE_COLOR_GROUP;
  hb_gl_pass_int(pass, "color_by", (int)style->color);
  hb_gl_pass_float4(pass, "range", from, length != 0 ? 1 / length : 0, length != 0 ? 0 : 0.5, 0);
  hb_gl_pass_int(pass, "palette_row", is_group ? HB_COLORMAP_COUNT : (int)style->map);
  hb_gl_pass_texture(pass, "palette", &s->palette);
}

/* Sigma of a star at the center, in samples; by default larger for fewer stars. */
static double sigma_of(const struct hb_scene *s, size_t n, const struct hb_scene_style *style)
{
  double by_default = fmin(fmax(1.8 * pow(1e4 / (double)n, 0.25), 1), 10);
  return hb_default_real(style->point_size, by_default) / 1000 * s->light.height;
}

static enum hb_status draw(struct hb_scene *s, struct hb_gl_pass *pass, size_t vertices)
{
  enum { MOST = VERTICES * (1 << 26) };
  struct hb_gl_vertices v = {.target = &s->light.target, .blend = HB_GL_ADD};
  hb_gl_pass_float(pass, "unit", s->format->unit);
  for (; v.first < vertices; v.first += MOST) {
    v.count = vertices - v.first < MOST ? vertices - v.first : MOST;
    hb_gl_pass_draw_vertices(pass, &v);
  }
  return hb_gl_context_check(s->context, "drawing particles");
}

static enum hb_status check_values(const struct hb_scene_style *style, int has_values)
{
  if (style->color == HB_SCENE_COLOR_SPEED || has_values) return HB_OK;
  return hb_fail(HB_ERR_INTERNAL, "the particles have no values to be colored by");
}

enum hb_status hb_scene_stars(struct hb_scene *s, struct hb_view_particles *particles,
                              const struct hb_scene_style *style)
{
  struct hb_gl_pass *pass;
  if (particles->at.n == 0) return HB_OK;
  HB_TRY(check_values(style, particles->has_values));
  HB_TRY(hb_gl_context_use(s->context));
  HB_TRY(particles_pass(particles, "stars", s->stars, &pass));
  set_camera(s, particles->origin, pass);
  set_color(s, style, pass);
  hb_gl_pass_texture(pass, "values", &particles->values.texture);
  double sigma = sigma_of(s, particles->at.n, style);
  hb_gl_pass_int(pass, "point", (int)style->point);
  hb_gl_pass_int(pass, "lit", (int)particles->lit);
  hb_gl_pass_float4(pass, "star", sigma, LEAST_SIGMA * (style->point == HB_SCENE_POINT_DOT ? s->samples : 1),
                    LARGEST_STAR * fmax(sigma, LEAST_SIGMA), particles->mass);
  return draw(s, pass, VERTICES * particles->at.n);
}

enum hb_status hb_scene_trails(struct hb_scene *s, const struct hb_trails *trails,
                               const struct hb_view_particles *particles, double length,
                               const struct hb_scene_style *style)
{
  if (trails->count < 2) return HB_OK;
  HB_TRY(check_values(style, particles->has_values));
  HB_TRY(hb_gl_context_use(s->context));
  int oldest = (trails->next - trails->count + trails->capacity) % trails->capacity;
  int youngest = (trails->next - 1 + trails->capacity) % trails->capacity;
  double sigma = 0.6 * sigma_of(s, trails->n, style);
  struct hb_gl_pass *pass = &s->trails;
  set_camera(s, trails->origin, pass);
  set_color(s, style, pass);
  hb_gl_pass_int4(pass, "entries", oldest, trails->count, trails->capacity, (int)trails->n);
  hb_gl_pass_float4(pass, "ages", trails->t[youngest] - trails->t_zero, length, 0, 0);
  hb_gl_pass_float4(pass, "line", sigma, LEAST_SIGMA, LARGEST_STAR * fmax(sigma, LEAST_SIGMA), TRAIL);
  hb_gl_pass_texture(pass, "ring", &trails->ring);
  hb_gl_pass_texture(pass, "values", &particles->values.texture);
  return draw(s, pass, VERTICES * PIECES * (size_t)(trails->count - 1) * particles->lit);
}

/* ---- pictures ---- */

static enum hb_status tone_map(struct hb_scene *s, const struct hb_scene_style *style,
                               const struct hb_gl_target *target, int x, int y)
{
  const struct hb_gl_texture *light = s->samples > 1 ? &s->mean : &s->light;
  struct hb_gl_pass *tone = &s->tone;
  double glow = style->glow < 0 ? 0 : hb_default_real(style->glow, 0.5);
  double adapt = hb_default_real(style->adapt, 1);
  HB_TRY(hb_gl_context_use(s->context));
  hb_gl_pass_int(&s->resolve, "samples", s->samples);
  if (s->samples > 1) draw_light(&s->resolve, &s->light, &s->mean, HB_GL_REPLACE);
  s->turn = !s->turn;
  halve(s, light, glow > 0 ? s->levels : 1); /* without, only the brightest place is needed */
  find_brightest(s, adapt, s->white);
  if (glow > 0) scatter(s);
  if (glow > 0) find_brightest(s, adapt, s->haze);
  s->has_white = 1;
  hb_gl_pass_float4(tone, "tone", hb_default_real(style->exposure, 0.8), LEAST_WHITE, glow, LEAST_SOFTENING);
  hb_gl_pass_float4(tone, "background", BACKGROUND[0], BACKGROUND[1], BACKGROUND[2], 1);
  hb_gl_pass_float4(tone, "corner", x, y, s->width, s->height);
  hb_gl_pass_float(tone, "unit", s->format->unit);
  hb_gl_pass_texture(tone, "source", light);
  hb_gl_pass_texture(tone, "glow", &s->level[0]);
  hb_gl_pass_texture(tone, "white", &s->white[s->turn]);
  hb_gl_pass_texture(tone, "haze", &s->haze[s->turn]);
  hb_gl_pass_draw(tone, target, x, y, s->width, s->height);
  return hb_gl_context_check(s->context, "tone mapping a picture");
}

enum hb_status hb_scene_expose(struct hb_scene *s, const struct hb_scene_style *style)
{
  HB_TRY(hb_gl_context_use(s->context));
  if (!s->picture.id) HB_TRY(tone_map_texture(s->context, HB_GL_RGBA8, s->width, s->height, &s->picture));
  return tone_map(s, style, &s->picture.target, 0, 0);
}

enum hb_status hb_scene_enlarge(struct hb_scene *s, const struct hb_scene_style *style,
                                const struct hb_gl_target *target, int x, int y, int width, int height)
{
  const struct hb_gl_program_source source = {.fragment = "view/enlarge.frag"};
  if (width == s->width && height == s->height) return tone_map(s, style, target, x, y);
  HB_TRY(hb_scene_expose(s, style));
  if (!s->enlarge.program) HB_TRY(hb_gl_pass_create(s->context, &source, &s->enlarge));
  hb_gl_pass_float4(&s->enlarge, "corner", x, y, width, height);
  hb_gl_pass_texture(&s->enlarge, "source", &s->picture);
  hb_gl_pass_draw(&s->enlarge, target, x, y, width, height);
  return hb_gl_context_check(s->context, "enlarging a picture");
}

enum hb_status hb_scene_picture(struct hb_scene *s, const struct hb_scene_style *style, uint8_t *rgb)
{
  HB_TRY(hb_scene_expose(s, style));
  return hb_tone_map_read(s->context, &s->picture.target, s->width, s->height, rgb);
}

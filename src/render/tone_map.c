#include "render/tone_map.h"

#include "base/mem.h"

#include <stdio.h>
#include <string.h>

enum { SMALLEST = 4, FOLD = 8 };

/* The white point is at least this many stars, so that a lone star does not glare. */
static const double LEAST_WHITE = 1.3;

/* s of the tone curve, see tone.vert: with less, even the edge of a star would be as bright as its center. */
static const double LEAST_SOFTENING = 0.05;

/* Factor by which a level adds to the next larger one: above 1, since narrow blurs are bright around each star, and
 * wide ones only where there are many. */
static const double PASSED_ON = 1.5;

/* ---- open and close ---- */

enum hb_status hb_tone_map_texture(struct hb_gl_context *context, enum hb_gl_format format, int width,
                                   int height, struct hb_gl_texture *texture)
{
  const struct hb_gl_texture_params params = {
      .what = "a picture", .format = format, .width = width, .height = height, .drawn = 1, .smooth = 1};
  return hb_gl_texture_create(context, &params, texture);
}

enum hb_status hb_tone_map_read(struct hb_gl_context *context, const struct hb_gl_target *target, int width,
                                int height, uint8_t *rgb)
{
  uint8_t *rgba;
  HB_TRY(HB_ALLOC(4 * (size_t)width * (size_t)height, &rgba));
  hb_gl_target_read(target, 0, 0, target->height - height, width, height, HB_GL_BYTES, rgba);
  for (int y = height - 1; y >= 0; y--) { /* OpenGL starts at the bottom */
    const uint8_t *from = rgba + 4 * (size_t)width * (size_t)y;
    for (int x = 0; x < width; x++, from += 4, rgb += 3) memcpy(rgb, from, 3);
  }
  hb_mem_free(rgba);
  return hb_gl_context_check_lost(context, "reading a picture");
}

enum hb_status hb_tone_map_open(struct hb_gl_context *context, struct hb_tone_map *m)
{
  static const char *const names[] = {"resolve", "halve", "spread", "brightest", "tone"};
  struct hb_gl_pass *const passes[] = {&m->resolve, &m->halve, &m->spread, &m->brightest, &m->tone};
  m->context = context;
  for (int k = 0; k < 5; k++) {
    char path[64];
    snprintf(path, sizeof path, "view/%s.frag", names[k]);
    const struct hb_gl_program_source source = {.vertex = passes[k] == &m->tone ? "view/tone.vert" : NULL,
                                                .fragment = path};
    HB_TRY(hb_gl_pass_create(context, &source, passes[k]));
  }
  return HB_OK;
}

static void destroy_textures(struct hb_tone_map *m)
{
  hb_gl_texture_destroy(&m->mean);
  for (int k = 0; k < HB_TONE_MAP_LEVELS; k++) {
    hb_gl_texture_destroy(&m->level[k]);
    hb_gl_texture_destroy(&m->most[k]);
  }
  for (int k = 0; k < 2; k++) {
    hb_gl_texture_destroy(&m->white[k]);
    hb_gl_texture_destroy(&m->haze[k]);
  }
  m->levels = m->mosts = m->has_white = 0;
}

void hb_tone_map_close(struct hb_tone_map *m)
{
  struct hb_gl_pass *const passes[] = {&m->resolve, &m->halve, &m->spread, &m->brightest, &m->tone};
  destroy_textures(m);
  for (int k = 0; k < 5; k++) hb_gl_pass_destroy(passes[k]);
  *m = (struct hb_tone_map){0};
}

static int part(int size, int of) { return (size + of - 1) / of; }

enum hb_status hb_tone_map_resize(struct hb_tone_map *m, const struct hb_light_format *format, int width,
                                  int height, int samples)
{
  enum hb_gl_format light = format->format;
  destroy_textures(m);
  m->format = format;
  m->samples = samples;
  if (samples > 1) HB_TRY(hb_tone_map_texture(m->context, light, width, height, &m->mean));
  int w = part(width, 2), h = part(height, 2);
  do {
    HB_TRY(hb_tone_map_texture(m->context, light, w, h, &m->level[m->levels++]));
    w = part(w, 2), h = part(h, 2);
  } while (m->levels < HB_TONE_MAP_LEVELS && w >= SMALLEST && h >= SMALLEST);
  w = part(m->level[0].width, FOLD), h = part(m->level[0].height, FOLD);
  for (; w > 1 || h > 1; w = part(w, FOLD), h = part(h, FOLD))
    HB_TRY(hb_tone_map_texture(m->context, light, w, h, &m->most[m->mosts++]));
  for (int k = 0; k < 2; k++) {
    HB_TRY(hb_tone_map_texture(m->context, light, 1, 1, &m->white[k]));
    HB_TRY(hb_tone_map_texture(m->context, light, 1, 1, &m->haze[k]));
  }
  return HB_OK;
}

/* ---- passes ---- */

static void draw(struct hb_gl_pass *pass, const struct hb_gl_texture *from, const struct hb_gl_texture *to,
                 enum hb_gl_blend blend)
{
  const struct hb_gl_vertices all = {.target = &to->target, .count = 3, .blend = blend};
  hb_gl_pass_texture(pass, "source", from);
  hb_gl_pass_draw_vertices(pass, &all);
}

/* Halves the picture down to a few texels. */
static void halve(struct hb_tone_map *m, const struct hb_gl_texture *light, int levels)
{
  for (int k = 0; k < levels; k++) draw(&m->halve, k ? &m->level[k - 1] : light, &m->level[k], HB_GL_REPLACE);
}

/* Adds the levels on the way up again: a sum of ever wider and fainter blurs. */
static void scatter(struct hb_tone_map *m)
{
  for (int k = m->levels - 1; k > 0; k--) {
    const struct hb_gl_texture *to = &m->level[k - 1];
    hb_gl_pass_float4(&m->spread, "target_size", to->width, to->height, PASSED_ON, 0);
    draw(&m->spread, &m->level[k], to, HB_GL_ADD);
  }
}

/* Writes the brightest place of the first level to found[turn]; that of the previous picture is in the other one. */
static void find_brightest(struct hb_tone_map *m, double adapt, const struct hb_gl_texture found[2])
{
  const struct hb_gl_texture *from = &m->level[0];
  hb_gl_pass_texture(&m->brightest, "before", &found[!m->turn]);
  hb_gl_pass_float4(&m->brightest, "adapt", 1, 0, 0, 0);
  for (int k = 0; k < m->mosts; k++) {
    draw(&m->brightest, from, &m->most[k], HB_GL_REPLACE);
    from = &m->most[k];
  }
  hb_gl_pass_float4(&m->brightest, "adapt", m->has_white ? adapt : 1, 0, 0, 0);
  draw(&m->brightest, from, &found[m->turn], HB_GL_REPLACE);
}

enum hb_status hb_tone_map_picture(struct hb_tone_map *m, const struct hb_gl_texture *light,
                                   const struct hb_tone_map_params *params, const struct hb_gl_target *target,
                                   int x, int y, int width, int height)
{
  struct hb_gl_pass *tone = &m->tone;
  HB_TRY(hb_gl_context_use(m->context));
  if (m->samples > 1) {
    hb_gl_pass_int(&m->resolve, "samples", m->samples);
    draw(&m->resolve, light, &m->mean, HB_GL_REPLACE);
    light = &m->mean;
  }
  m->turn = !m->turn;
  int glows = params->glow > 0; /* without, only the brightest place is needed */
  halve(m, light, glows ? m->levels : 1);
  find_brightest(m, params->adapt, m->white);
  if (glows) scatter(m);
  if (glows) find_brightest(m, params->adapt, m->haze);
  m->has_white = 1;
  hb_gl_pass_float4(tone, "tone", params->exposure, LEAST_WHITE, params->glow, LEAST_SOFTENING);
  hb_gl_pass_float4(tone, "background", params->background[0], params->background[1], params->background[2],
                    1);
  hb_gl_pass_float4(tone, "corner", x, y, width, height);
  hb_gl_pass_float(tone, "unit", m->format->unit);
  hb_gl_pass_texture(tone, "source", light);
  hb_gl_pass_texture(tone, "glow", &m->level[0]);
  hb_gl_pass_texture(tone, "white", &m->white[m->turn]);
  hb_gl_pass_texture(tone, "haze", &m->haze[m->turn]);
  hb_gl_pass_draw(tone, target, x, y, width, height);
  return hb_gl_context_check(m->context, "tone mapping a picture");
}

#include "render/tone_map.h"

#include "gl/gl.h"
#include "gl/gl_reload.h"
#include "render/view_program.h"

enum { SMALLEST = 4, FOLD = 8 };

/* The plate is full at this many stars at least: a single star is no blaze. */
static const double LEAST_WHITE = 1.3;

/* s of the tone curve, see tone.vert: with less even a star's own edge would be as bright as its middle. */
static const double LEAST_SOFTENING = 0.05;

/* Of its light that a level passes on to the next larger one: above 1, since the narrow blurs are bright around each star
 * and the wide ones where there are many. */
static const double PASSED_ON = 1.5;

/* ---- open and close ---- */

enum hb_status hb_tone_map_build(struct hb_gl_context *context, struct hb_tone_map *d)
{
  d->context = context;
  HB_TRY(hb_view_program_build(context, NULL, "resolve", "", &d->resolve));
  HB_TRY(hb_view_program_build(context, NULL, "halve", "", &d->halve));
  HB_TRY(hb_view_program_build(context, NULL, "spread", "", &d->spread));
  HB_TRY(hb_view_program_build(context, NULL, "brightest", "", &d->brightest));
  return hb_view_program_build(context, "tone", "tone", "", &d->tone);
}

static void destroy_plates(struct hb_tone_map *d)
{
  hb_plate_destroy(&d->mean);
  for (int k = 0; k < HB_TONE_MAP_LEVELS; k++) {
    hb_plate_destroy(&d->level[k]);
    hb_plate_destroy(&d->most[k]);
  }
  for (int k = 0; k < 2; k++) {
    hb_plate_destroy(&d->white[k]);
    hb_plate_destroy(&d->haze[k]);
  }
  d->levels = d->mosts = d->has_white = 0;
}

void hb_tone_map_close(struct hb_tone_map *d)
{
  unsigned *const programs[] = {&d->resolve, &d->halve, &d->spread, &d->brightest, &d->tone};
  destroy_plates(d);
  for (int k = 0; k < 5 && d->context; k++) hb_gl_reload_delete(d->context, programs[k]);
  *d = (struct hb_tone_map){0};
}

static int part(int size, int of) { return (size + of - 1) / of; }

enum hb_status hb_tone_map_resize(struct hb_tone_map *d, const struct hb_plate_format *format, int width,
                                  int height, int samples)
{
  destroy_plates(d);
  d->format = format;
  d->samples = samples;
  if (samples > 1) HB_TRY(hb_plate_create(d->context, format->internal, width, height, &d->mean));
  int w = part(width, 2), h = part(height, 2);
  do {
    HB_TRY(hb_plate_create(d->context, format->internal, w, h, &d->level[d->levels++]));
    w = part(w, 2), h = part(h, 2);
  } while (d->levels < HB_TONE_MAP_LEVELS && w >= SMALLEST && h >= SMALLEST);
  w = part(d->level[0].width, FOLD), h = part(d->level[0].height, FOLD);
  for (; w > 1 || h > 1; w = part(w, FOLD), h = part(h, FOLD))
    HB_TRY(hb_plate_create(d->context, format->internal, w, h, &d->most[d->mosts++]));
  for (int k = 0; k < 2; k++) {
    HB_TRY(hb_plate_create(d->context, format->internal, 1, 1, &d->white[k]));
    HB_TRY(hb_plate_create(d->context, format->internal, 1, 1, &d->haze[k]));
  }
  return HB_OK;
}

/* ---- passes ---- */

static void pass(unsigned program, const struct hb_plate *from, const struct hb_plate *to)
{
  glUseProgram(program);
  hb_view_bind(HB_VIEW_UNIT_PARTICLES, GL_TEXTURE_2D, from->texture);
  hb_plate_use(to);
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

/* Down to a few texels. */
static void halve(const struct hb_tone_map *d, const struct hb_plate *plate)
{
  for (int k = 0; k < d->levels; k++) pass(d->halve, k ? &d->level[k - 1] : plate, &d->level[k]);
}

/* And up again, adding: a sum of ever wider and fainter blurs. */
static void scatter(const struct hb_tone_map *d)
{
  hb_plate_add_up();
  for (int k = d->levels - 1; k > 0; k--) {
    const struct hb_plate *to = &d->level[k - 1];
    glUseProgram(d->spread);
    hb_view_set(d->spread, "target_size", to->width, to->height, PASSED_ON, 0);
    pass(d->spread, &d->level[k], to);
  }
  hb_plate_replace();
}

/* The brightest place of the first level into found[turn]; that of the last picture is in the other one. */
static void find_brightest(const struct hb_tone_map *d, double adapt, const struct hb_plate found[2])
{
  const struct hb_plate *from = &d->level[0];
  glUseProgram(d->brightest);
  hb_view_set(d->brightest, "adapt", 1, 0, 0, 0);
  for (int k = 0; k < d->mosts; k++) {
    pass(d->brightest, from, &d->most[k]);
    from = &d->most[k];
  }
  hb_view_set(d->brightest, "adapt", d->has_white ? adapt : 1, 0, 0, 0);
  hb_view_bind(HB_VIEW_UNIT_VELOCITIES, GL_TEXTURE_2D, found[!d->turn].texture);
  pass(d->brightest, from, &found[d->turn]);
}

enum hb_status hb_tone_map_picture(struct hb_tone_map *d, const struct hb_plate *light,
                                   const struct hb_tone_map_how *how, unsigned framebuffer, int x, int y,
                                   int width, int height)
{
  const struct hb_plate *plate = light;
  HB_TRY(hb_gl_context_use(d->context));
  hb_plate_replace();
  if (d->samples > 1) {
    glUseProgram(d->resolve);
    hb_view_set_int(d->resolve, "samples", d->samples);
    pass(d->resolve, light, &d->mean);
    plate = &d->mean;
  }
  d->turn = !d->turn;
  halve(d, plate);
  find_brightest(d, how->adapt, d->white);
  scatter(d);
  find_brightest(d, how->adapt, d->haze);
  d->has_white = 1;
  glUseProgram(d->tone);
  hb_view_set(d->tone, "tone", how->exposure, LEAST_WHITE, how->glow, LEAST_SOFTENING);
  hb_view_set(d->tone, "background", how->background[0], how->background[1], how->background[2], 1);
  hb_view_set(d->tone, "corner", x, y, width, height);
  hb_view_set_float(d->tone, "unit", d->format->unit);
  hb_view_bind(HB_VIEW_UNIT_PARTICLES, GL_TEXTURE_2D, plate->texture);
  hb_view_bind(HB_VIEW_UNIT_VELOCITIES, GL_TEXTURE_2D, d->level[0].texture);
  hb_view_bind(HB_VIEW_UNIT_MASSES, GL_TEXTURE_2D, d->white[d->turn].texture);
  hb_view_bind(HB_VIEW_UNIT_PALETTE, GL_TEXTURE_2D, d->haze[d->turn].texture);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glViewport(x, y, width, height);
  glDrawArrays(GL_TRIANGLES, 0, 3);
  return hb_gl_context_check(d->context, "developing a picture");
}

/* From light to a picture of eight bits: scattered light, the brightest place, the tone curve. See shaders/view. */
#ifndef HB_TONE_MAP_H
#define HB_TONE_MAP_H

#include "gl/gl_pass.h"

/* What light can be added up in. */
struct hb_light_format {
  const char *name; /* "RGBA32F" */
  enum hb_gl_format format;
  double unit; /* what a single star's brightness is there */
};

enum { HB_TONE_MAP_LEVELS = 10 };

struct hb_tone_map {
  struct hb_gl_context *context;
  const struct hb_light_format *format;
  int samples;
  struct hb_gl_texture mean;                      /* of the samples of a pixel; unused where samples = 1 */
  struct hb_gl_texture level[HB_TONE_MAP_LEVELS]; /* scattered light, each half the size of the one before */
  struct hb_gl_texture most[HB_TONE_MAP_LEVELS];  /* each an eighth */
  struct hb_gl_texture white[2], haze[2]; /* the brightest place, of light at half the size and of all that
                                             scatters: now and before */
  int levels, mosts, turn, has_white;
  struct hb_gl_pass resolve, halve, spread, brightest, tone;
};

/* How. */
struct hb_tone_map_how {
  double exposure;      /* what a single star becomes, coded, 0 to 1          */
  double glow;          /* what the brightest of the scattered light becomes, coded */
  double adapt;         /* share of the new white, 1: all                      */
  double background[3]; /* coded                                               */
};

/* Builds the programs; *map stays where it is. On failure hb_tone_map_close is still to be called. Errors: HB_ERR_GL. */
enum hb_status hb_tone_map_open(struct hb_gl_context *context, struct hb_tone_map *map);
void hb_tone_map_close(struct hb_tone_map *map);

/* Textures for pictures of width x height pixels of samples x samples. */
enum hb_status hb_tone_map_resize(struct hb_tone_map *map, const struct hb_light_format *format, int width,
                                  int height, int samples);

/* light, samples times as wide and high as the picture, into a target with the lower left corner at x y. */
enum hb_status hb_tone_map_picture(struct hb_tone_map *map, const struct hb_gl_texture *light,
                                   const struct hb_tone_map_how *how, const struct hb_gl_target *target,
                                   int x, int y, int width, int height);

/* A texture that light, or a finished picture (RGBA8), falls on. Errors: HB_ERR_GL with limit and need, HB_ERR_DEVICE. */
enum hb_status hb_tone_map_texture(struct hb_gl_context *context, enum hb_gl_format format, int width,
                                   int height, struct hb_gl_texture *texture);

/* The upper left width x height pixels of a finished picture: rgb[3 * width * height], top row first. */
enum hb_status hb_tone_map_read(struct hb_gl_context *context, const struct hb_gl_target *target, int width,
                                int height, uint8_t *rgb);

#endif

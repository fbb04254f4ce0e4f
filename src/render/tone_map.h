/* From light to an eight-bit picture: scattered light, white point, tone curve. See shaders/view. */
#ifndef HB_TONE_MAP_H
#define HB_TONE_MAP_H

#include "gl/gl_pass.h"

/* A format in which light can be summed. */
struct hb_light_format {
  const char *name; /* "RGBA32F" */
  enum hb_gl_format format;
  double unit; /* brightness of a single star in it */
};

enum { HB_TONE_MAP_LEVELS = 10 };

struct hb_tone_map {
  struct hb_gl_context *context;
  const struct hb_light_format *format;
  int samples;
  struct hb_gl_texture mean;                      /* of the samples of a pixel; unused if samples = 1 */
  struct hb_gl_texture level[HB_TONE_MAP_LEVELS]; /* scattered light, each half the size of the one before */
  struct hb_gl_texture most[HB_TONE_MAP_LEVELS];  /* each an eighth */
  /* the brightest place, of light at half the size and of scattered light: of this and of the previous picture */
  struct hb_gl_texture white[2], haze[2];
  int levels, mosts, turn, has_white;
  struct hb_gl_pass resolve, halve, spread, brightest, tone;
};

struct hb_tone_map_params {
  double exposure;      /* coded brightness of a single star, 0 to 1         */
  double glow;          /* coded brightness of the brightest scattered light */
  double adapt;         /* weight of the new white point; 1: only it         */
  double background[3]; /* coded                                               */
};

/* Builds the programs; *map must not move. Call hb_tone_map_close even after a failure. Errors: HB_ERR_GL. */
enum hb_status hb_tone_map_open(struct hb_gl_context *context, struct hb_tone_map *map);
void hb_tone_map_close(struct hb_tone_map *map);

/* Textures for pictures of width x height pixels of samples x samples. */
enum hb_status hb_tone_map_resize(struct hb_tone_map *map, const struct hb_light_format *format, int width,
                                  int height, int samples);

/* Draws light, samples times as wide and high as the picture, into a target with the lower left corner at x y. */
enum hb_status hb_tone_map_picture(struct hb_tone_map *map, const struct hb_gl_texture *light,
                                   const struct hb_tone_map_params *params, const struct hb_gl_target *target,
                                   int x, int y, int width, int height);

/* A render target for light, or for a finished picture (RGBA8). Errors: HB_ERR_GL (limit and need), HB_ERR_DEVICE. */
enum hb_status hb_tone_map_texture(struct hb_gl_context *context, enum hb_gl_format format, int width,
                                   int height, struct hb_gl_texture *texture);

/* The upper left width x height pixels of a finished picture: rgb[3 * width * height], top row first. */
enum hb_status hb_tone_map_read(struct hb_gl_context *context, const struct hb_gl_target *target, int width,
                                int height, uint8_t *rgb);

#endif

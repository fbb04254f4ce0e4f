/* From light to a picture of eight bits: scattered light, the brightest place, the tone curve. See shaders/view. */
#ifndef HB_TONE_MAP_H
#define HB_TONE_MAP_H

#include "render/plate.h"

enum { HB_TONE_MAP_LEVELS = 10 };

struct hb_tone_map {
  struct hb_gl_context *context;
  const struct hb_plate_format *format;
  int samples;
  struct hb_plate mean; /* of the samples of a pixel; unused where samples = 1          */
  struct hb_plate
      level[HB_TONE_MAP_LEVELS]; /* each half as wide and high as the one before: scattered light */
  struct hb_plate
      most[HB_TONE_MAP_LEVELS]; /* each an eighth                                                */
  struct hb_plate white[2],
      haze[2]; /* the brightest place, of light at half the size and of all that scatters: now and before */
  int levels, mosts, turn, has_white;
  unsigned resolve, halve, spread, brightest, tone; /* programs */
};

/* How. */
struct hb_tone_map_how {
  double exposure;      /* what a single star becomes, coded, 0 to 1          */
  double glow;          /* what the brightest of the scattered light becomes, coded */
  double adapt;         /* share of the new white, 1: all                      */
  double background[3]; /* coded                                               */
};

/* Builds the programs, which follow their files: *develop stays where it is. On failure hb_tone_map_close is still to be
 * called. Errors: HB_ERR_GL. */
enum hb_status hb_tone_map_build(struct hb_gl_context *context, struct hb_tone_map *develop);

/* Textures for pictures of width x height pixels of samples x samples. */
enum hb_status hb_tone_map_resize(struct hb_tone_map *develop, const struct hb_plate_format *format,
                                  int width, int height, int samples);

/* light, samples times as wide and high as the picture, into a framebuffer with the lower left corner at x y. */
enum hb_status hb_tone_map_picture(struct hb_tone_map *develop, const struct hb_plate *light,
                                   const struct hb_tone_map_how *how, unsigned framebuffer, int x, int y,
                                   int width, int height);
void hb_tone_map_close(struct hb_tone_map *develop);

#endif

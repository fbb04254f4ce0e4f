/* Pictures of particles as stars, the way `holmberg render` draws them. Conventions as in holmberg.h. */
#ifndef HOLMBERG_PICTURE_H
#define HOLMBERG_PICTURE_H

#include <holmberg/holmberg.h>

#ifdef __cplusplus
extern "C" {
#endif

enum hb_colormap {
  HB_COLORMAP_STARS, /* blue, white, gold         */
  HB_COLORMAP_EMBER, /* blue, violet, red, gold   */
  HB_COLORMAP_ICE,   /* indigo, blue, pale green  */
  HB_COLORMAP_GRAY,
  HB_COLORMAP_COUNT
};
extern const char *const hb_colormap_names[];

/* What is not given is found from the first picture, and kept for the following ones. Angles are in degrees. */
struct hb_picture_params {
  const char *context, *device; /* as in hb_force_params                                                 */
  int width, height;            /* pixels, each the mean of 4 samples; 0: 960, 540                       */
  enum hb_colormap map;
  double range[2];    /* values of the first and the last color; equal: enclosing 96 % of the particles */
  double center[3];   /* that the camera looks at; with radius 0: the median of the particles           */
  double radius;      /* around it that fits into the picture; 0: of nine tenths of the particles       */
  double inclination; /* of the camera from the z axis; 0: x to the right and y up                      */
  double azimuth;     /* of the camera around the z axis                                                */
  double point_size;  /* sigma of a star, thousandths of the height; 0: 1 to 10, by n                   */
  double glow;        /* strength of the glow around bright places; 0: 0.5, < 0: none                   */
  double exposure;    /* brightness of a single star, below 1; 0: 0.8                                   */
};

struct hb_picture;

/* An OpenGL context and what is drawn with in it; it stays with this thread. Errors: HB_ERR_GL, HB_ERR_USAGE. */
enum hb_status hb_picture_open(const struct hb_picture_params *params, struct hb_picture **picture);
void hb_picture_close(struct hb_picture *picture);

/* rgb[3 * width * height], eight bits each, top row first: n > 0 particles m[n] (NULL: equally bright), x[3 * n], v[3 * n],
 * colored by value[n] (NULL: by speed; then v may not be NULL). Errors: HB_ERR_USAGE, HB_ERR_GL, HB_ERR_DEVICE. */
enum hb_status hb_picture_draw(struct hb_picture *picture, size_t n, const double *m, const double *x,
                               const double *v, const double *value, uint8_t *rgb);

/* What the driver calls it. */
const char *hb_picture_device(const struct hb_picture *picture);

/* The same with sizes, see "Releases" in holmberg.h. */
enum hb_status hb_picture_open_sized(size_t size, const struct hb_picture_params *params,
                                     struct hb_picture **picture);

#ifndef HB_ONE_RELEASE /* defined by programs that are always built with the library */
#define hb_picture_open(...) hb_picture_open_sized(sizeof(struct hb_picture_params), __VA_ARGS__)
#endif

#ifdef __cplusplus
}
#endif
#endif

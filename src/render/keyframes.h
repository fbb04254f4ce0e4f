/* A path for the camera, given by a few rows of a text file:
 *
 *   # when   center x y z    azimuth elevation   distance
 *     0      0 0 0           0       25          4
 *     1      0 0 0           180     60          1.5
 *
 * `when` increases from row to row, in any unit: the first row is the first frame, the last row the last one. Angles are
 * in degrees as in hb_camera_look, beyond 360 for more than one turn. Between rows every column follows a cubic that
 * does not overshoot (Fritsch & Butland 1984), the distance in its logarithm; the camera is at rest at both ends. */
#ifndef HB_KEYFRAMES_H
#define HB_KEYFRAMES_H

#include "render/camera.h"

enum { HB_KEYFRAMES_COLUMNS = 7 };

/* Start from {0}. */
struct hb_keyframes {
  double (*rows)[HB_KEYFRAMES_COLUMNS]; /* distances as logarithms */
  size_t count;
};

/* Errors: HB_ERR_IO, HB_ERR_INPUT (with file, line and value). */
enum hb_status hb_keyframes_read(const char *path, struct hb_keyframes *keyframes);
void hb_keyframes_clear(struct hb_keyframes *keyframes);

/* Sets center, direction and distance at a fraction 0 to 1 of the path; the field of view stays. */
void hb_keyframes_camera(const struct hb_keyframes *keyframes, double share, struct hb_camera *camera);

#endif

/* A camera that looks at a center from a distance. Pure mathematics: in the plane of the picture x points right and y
 * up, 0 0 is its center, y = 1 its upper edge and x = aspect = width / height its right edge. */
#ifndef HB_CAMERA_H
#define HB_CAMERA_H

#include "base/status.h"

#include <math.h>
#include <stddef.h>

/* axis[0] points to the right in the picture, axis[1] up, axis[2] from the center to the camera: a right-handed
 * orthonormal set. Each motion rotates the set itself, so no direction is special and there is no gimbal lock. */
struct hb_camera {
  double center[3];
  double axis[3][3];
  double distance;      /* from the center to the eye, > 0 */
  double field_of_view; /* of the picture's height, radians */
};

/* Looks along -z at the origin from distance 1 with a field of view of 0.5 (29 degrees). */
void hb_camera_reset(struct hb_camera *camera);

/* Sets the direction by angles in radians: azimuth about the z axis, elevation above the x y plane, roll about the line
 * of sight. z is up; azimuth 0 looks along +y, elevation pi / 2 looks down with x to the right, y up. */
void hb_camera_look(struct hb_camera *camera, double azimuth, double elevation, double roll);

/* Rotates the scene as if it were dragged by dx to the right and dy up, in units of the picture's height: the whole
 * height is half a turn. */
void hb_camera_drag(struct hb_camera *camera, double dx, double dy);

/* The distance becomes distance / factor: factor > 1 comes closer to the center. Never 0 or infinite. */
void hb_camera_zoom(struct hb_camera *camera, double factor);

/* The scene moves by dx to the right and dy up in the plane of the center, in units of the picture's height. */
void hb_camera_pan(struct hb_camera *camera, double dx, double dy);

/* Moves along the line of sight until a sphere around the center fits into a picture of this aspect ratio. */
void hb_camera_fit(struct hb_camera *camera, double radius, double aspect);

/* Looks at the median of x[3 * n] from where nine tenths of them fit into the picture, with a margin. Errors:
 * HB_ERR_INTERNAL (no memory). */
enum hb_status hb_camera_enclose(struct hb_camera *camera, size_t n, const double *x, double aspect);

/* Where x is in the picture, and its distance from the eye along the line of sight; returns 0 if it is not in front of
 * the camera. */
int hb_camera_project(const struct hb_camera *camera, const double x[3], double picture[2], double *depth);

/* The height of the picture at the center's distance is 2 * distance * this. */
static inline double hb_camera_slope(const struct hb_camera *camera)
{
  return tan(camera->field_of_view / 2);
}

/* A center and a radius for x[3 * n]: the median of each coordinate, and the radius around it that contains the given
 * fraction of the particles; > 0 even for a single point. Errors: HB_ERR_INTERNAL (no memory). */
enum hb_status hb_camera_extent(size_t n, const double *x, double fraction, double center[3], double *radius);

#endif

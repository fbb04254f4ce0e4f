/* A camera that looks at a center from a distance. Pure mathematics: the picture's plane has x to the right and y up, a
 * point in the center of the picture at 0 0, the upper edge at y = 1 and the right one at x = aspect = width / height. */
#ifndef HB_CAMERA_H
#define HB_CAMERA_H

#include "base/status.h"

#include <stddef.h>

/* axis[0] points to the right in the picture, axis[1] up, axis[2] from the center to the camera: a right-handed
 * orthonormal set. Each motion turns this set itself, so that no direction is special and nothing locks. */
struct hb_camera {
  double center[3];
  double axis[3][3];
  double distance;      /* from the center to the eye, > 0 */
  double field_of_view; /* of the picture's height, radians */
};

/* Looks along -z at the origin from distance 1 with a field of view of 0.5 (29 degrees). */
void hb_camera_reset(struct hb_camera *camera);

/* The direction by angles in radians: azimuth about the z axis, elevation above the x y plane, roll about the line of
 * sight. z is up; azimuth 0 looks along +y, elevation pi / 2 looks down with x to the right, y up. */
void hb_camera_look(struct hb_camera *camera, double azimuth, double elevation, double roll);

/* Turns the scene as if a finger dragged it by dx to the right and dy up, in units of the picture's height: half a
 * picture is a quarter turn. */
void hb_camera_drag(struct hb_camera *camera, double dx, double dy);

/* The distance becomes distance / factor: factor > 1 comes closer to the center. Never 0 or infinite. */
void hb_camera_zoom(struct hb_camera *camera, double factor);

/* The scene moves by dx to the right and dy up in the plane of the center, in units of the picture's height. */
void hb_camera_pan(struct hb_camera *camera, double dx, double dy);

/* Moves along the line of sight until a sphere about the center fits into a picture of this aspect. */
void hb_camera_fit(struct hb_camera *camera, double radius, double aspect);

/* Where x is in the picture, and its distance along the line of sight from the eye; 0 when it is not before the eye. */
int hb_camera_project(const struct hb_camera *camera, const double x[3], double picture[2], double *depth);

/* The height of the picture at the center's distance is 2 * distance * this. */
double hb_camera_slope(const struct hb_camera *camera);

/* A center and a radius for x[3 * n]: the median of each coordinate, and the distance from there within which the given
 * fraction of the particles lies. radius > 0 also for a single point. Errors: HB_ERR_INTERNAL (no memory). */
enum hb_status hb_camera_extent(size_t n, const double *x, double fraction, double center[3], double *radius);

#endif

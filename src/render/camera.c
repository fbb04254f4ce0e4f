#include "render/camera.h"

#include "base/arith.h"
#include "base/mem.h"

#include <string.h>

static const double PI = 3.14159265358979323846;

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(const double a[3], const double b[3], double c[3])
{
  for (int k = 0; k < 3; k++) c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

static void normalize(double a[3])
{
  double length = sqrt(dot(a, a));
  for (int k = 0; k < 3; k++) a[k] /= length;
}

/* Keeps the rounding errors of many small rotations from distorting the axes. */
static void orthonormalize(struct hb_camera *c)
{
  normalize(c->axis[2]);
  cross(c->axis[1], c->axis[2], c->axis[0]);
  normalize(c->axis[0]);
  cross(c->axis[2], c->axis[0], c->axis[1]);
}

/* Rotates the axes by an angle about a unit vector (Rodrigues). */
static void turn(struct hb_camera *c, const double about[3], double angle)
{
  double cosine = cos(angle), sine = sin(angle);
  for (int k = 0; k < 3; k++) {
    double *a = c->axis[k], across[3], along = dot(about, a);
    cross(about, a, across);
    for (int l = 0; l < 3; l++) a[l] = a[l] * cosine + across[l] * sine + about[l] * along * (1 - cosine);
  }
  orthonormalize(c);
}

void hb_camera_reset(struct hb_camera *camera)
{
  *camera =
      (struct hb_camera){.axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .distance = 1, .field_of_view = 0.5};
}

void hb_camera_look(struct hb_camera *c, double azimuth, double elevation, double roll)
{
  double right[3] = {cos(azimuth), sin(azimuth), 0};
  double back[3] = {sin(azimuth) * cos(elevation), -cos(azimuth) * cos(elevation), sin(elevation)};
  memcpy(c->axis[0], right, sizeof right);
  memcpy(c->axis[2], back, sizeof back);
  cross(back, right, c->axis[1]);
  turn(c, back, roll);
}

void hb_camera_drag(struct hb_camera *c, double dx, double dy)
{
  double length = hypot(dx, dy), about[3];
  if (length == 0) return;
  for (int k = 0; k < 3; k++) about[k] = (dy * c->axis[0][k] - dx * c->axis[1][k]) / length;
  turn(c, about, PI * length);
}

void hb_camera_zoom(struct hb_camera *c, double factor)
{
  c->distance = fmin(fmax(c->distance / factor, 1e-30), 1e30);
}

void hb_camera_pan(struct hb_camera *c, double dx, double dy)
{
  double height = 2 * c->distance * hb_camera_slope(c);
  for (int k = 0; k < 3; k++) c->center[k] -= height * (dx * c->axis[0][k] + dy * c->axis[1][k]);
}

void hb_camera_fit(struct hb_camera *c, double radius, double aspect)
{
  double half = atan(hb_camera_slope(c) * fmin(aspect, 1));
  c->distance = fmin(fmax(radius / sin(half), 1e-30), 1e30);
}

int hb_camera_project(const struct hb_camera *c, const double x[3], double picture[2], double *depth)
{
  double d[3] = {x[0] - c->center[0], x[1] - c->center[1], x[2] - c->center[2]};
  *depth = c->distance - dot(d, c->axis[2]);
  if (!(*depth > 0)) return 0;
  for (int k = 0; k < 2; k++) picture[k] = dot(d, c->axis[k]) / (*depth * hb_camera_slope(c));
  return 1;
}

enum hb_status hb_camera_extent(size_t n, const double *x, double fraction, double center[3], double *radius)
{
  HB_OWN double *column = NULL;
  double largest = 0;
  HB_TRY(HB_ALLOC(n, &column));
  for (int c = 0; c < 3; c++) {
    for (size_t k = 0; k < n; k++) column[k] = x[3 * k + (size_t)c];
    center[c] = hb_select(n, column, n / 2);
    if (n % 2 == 0) center[c] = (center[c] + hb_select(n, column, n / 2 - 1)) / 2;
    largest = fmax(largest, fabs(center[c]));
  }
  for (size_t k = 0; k < n; k++) {
    double d[3] = {x[3 * k] - center[0], x[3 * k + 1] - center[1], x[3 * k + 2] - center[2]};
    column[k] = sqrt(dot(d, d));
  }
  double last = ceil(fraction * (double)n) - 1;
  *radius = hb_select(n, column, last < 0 ? 0 : last > (double)n - 1 ? n - 1 : (size_t)last);
  if (!(*radius > 1e-12 * largest)) *radius = largest > 0 ? largest : 1;
  return HB_OK;
}

enum hb_status hb_camera_enclose(struct hb_camera *c, size_t n, const double *x, double aspect)
{
  static const double fitted = 0.9,
                      margin = 1.1; /* fraction of the points; the picture's size relative to theirs */
  double radius;
  HB_TRY(hb_camera_extent(n, x, fitted, c->center, &radius));
  hb_camera_fit(c, margin * radius, aspect);
  return HB_OK;
}

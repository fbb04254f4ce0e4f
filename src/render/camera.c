#include "render/camera.h"

#include "base/arith.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
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
  double *column, largest = 0;
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
  hb_mem_free(column);
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

/* ---- its path ---- */

enum { WHEN, CENTER, AZIMUTH = 4, ELEVATION, DISTANCE };

/* ---- reading ----------------------------------------------------------------------------------------- */

/* The numbers of a line, which is modified; *count = 0 if it is empty. */
static enum hb_status read_row(char *line, double row[HB_KEYFRAMES_COLUMNS], int *count)
{
  const char *words[HB_KEYFRAMES_COLUMNS + 1];
  line[strcspn(line, "#")] = 0;
  *count = hb_text_words(line, " \t\r,", HB_KEYFRAMES_COLUMNS + 1, words);
  for (int k = 0; k < *count; k++) {
    if (k == HB_KEYFRAMES_COLUMNS)
      return hb_fail(HB_ERR_INPUT, "more than 7 columns, the next is '%s'", words[k]);
    if (hb_text_number(words[k], &row[k]) != HB_OK)
      return hb_fail(HB_ERR_INPUT, "'%s' is not a number", words[k]);
  }
  if (*count == 0) return HB_OK;
  if (*count < HB_KEYFRAMES_COLUMNS)
    return hb_fail(HB_ERR_INPUT, "%d column%s, expected 7: when, center x y z, azimuth, elevation, distance",
                   *count, hb_text_s((uint64_t)*count));
  if (row[DISTANCE] <= 0) return hb_fail(HB_ERR_INPUT, "the distance is %g, expected > 0", row[DISTANCE]);
  row[DISTANCE] = log(row[DISTANCE]);
  return HB_OK;
}

static enum hb_status add_row(struct hb_keyframes *k, const double row[HB_KEYFRAMES_COLUMNS])
{
  if (k->count && !(row[WHEN] > k->rows[k->count - 1][WHEN]))
    return hb_fail(HB_ERR_INPUT, "the row is at %g, expected later than the previous one, %g", row[WHEN],
                   k->rows[k->count - 1][WHEN]);
  memcpy(k->rows[k->count++], row, sizeof *k->rows);
  return HB_OK;
}

static enum hb_status parse(char *text, const char *path, struct hb_keyframes *k)
{
  size_t most = 1;
  for (const char *c = text; *c; c++) most += *c == '\n';
  HB_TRY(HB_ALLOC(most, &k->rows));
  int number = 1;
  for (char *line = text, *end; line; line = end ? end + 1 : NULL, number++) {
    double row[HB_KEYFRAMES_COLUMNS];
    int count;
    end = strchr(line, '\n');
    if (end) *end = 0;
    enum hb_status status = read_row(line, row, &count);
    if (status == HB_OK && count) status = add_row(k, row);
    if (status != HB_OK) {
      char place[512];
      snprintf(place, sizeof place, "%s:%d", path, number);
      return hb_fail_in(status, place);
    }
  }
  return k->count ? HB_OK : hb_fail(HB_ERR_INPUT, "%s: the camera path has no rows", path);
}

enum hb_status hb_keyframes_read(const char *path, struct hb_keyframes *keyframes)
{
  char *text;
  size_t count;
  *keyframes = (struct hb_keyframes){0};
  HB_TRY(hb_file_read(path, &text, &count));
  enum hb_status status = parse(text, path, keyframes);
  hb_mem_free(text);
  if (status != HB_OK) hb_keyframes_clear(keyframes);
  return status;
}

void hb_keyframes_clear(struct hb_keyframes *keyframes)
{
  hb_mem_free(keyframes->rows);
  *keyframes = (struct hb_keyframes){0};
}

/* ---- the path ---------------------------------------------------------------------------------------- */

static double secant(const struct hb_keyframes *k, size_t from, int column)
{
  return (k->rows[from + 1][column] - k->rows[from][column]) /
         (k->rows[from + 1][WHEN] - k->rows[from][WHEN]);
}

/* The slope at a row: the weighted harmonic mean of the secants on both sides, 0 at an extremum and at the ends. */
static double slope(const struct hb_keyframes *k, size_t row, int column)
{
  if (row == 0 || row + 1 == k->count) return 0;
  double before = secant(k, row - 1, column), after = secant(k, row, column);
  if (before * after <= 0) return 0;
  double h0 = k->rows[row][WHEN] - k->rows[row - 1][WHEN], h1 = k->rows[row + 1][WHEN] - k->rows[row][WHEN];
  double share = (h0 + 2 * h1) / (3 * (h0 + h1));
  return before * after / (share * after + (1 - share) * before);
}

static double value(const struct hb_keyframes *k, size_t row, double u, int column)
{
  if (row + 1 == k->count) return k->rows[row][column];
  double h = k->rows[row + 1][WHEN] - k->rows[row][WHEN];
  return hb_cubic(k->rows[row][column], slope(k, row, column), k->rows[row + 1][column],
                  slope(k, row + 1, column), h, u);
}

void hb_keyframes_camera(const struct hb_keyframes *k, double share, struct hb_camera *camera)
{
  double first = k->rows[0][WHEN], last = k->rows[k->count - 1][WHEN];
  double when = first + fmin(fmax(share, 0), 1) * (last - first);
  size_t row = 0;
  while (row + 2 < k->count && when >= k->rows[row + 1][WHEN]) row++;
  double u = k->count > 1 ? (when - k->rows[row][WHEN]) / (k->rows[row + 1][WHEN] - k->rows[row][WHEN]) : 0;
  for (int c = 0; c < 3; c++) camera->center[c] = value(k, row, u, CENTER + c);
  hb_camera_look(camera, value(k, row, u, AZIMUTH) * HB_DEGREE, value(k, row, u, ELEVATION) * HB_DEGREE, 0);
  camera->distance = exp(value(k, row, u, DISTANCE));
}

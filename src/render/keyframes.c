#include "render/keyframes.h"

#include "base/arith.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

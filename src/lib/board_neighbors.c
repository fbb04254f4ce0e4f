#include "lib/board_state.h"

#include "base/mem.h"

#include <math.h>
#include <stdlib.h>

/* Entries that a list may have however many lists there are: as many as GRAPE-6 had room for. */
enum { LIST_LEAST = 256 };

static struct hb_near_points points_of(const struct hb_board *b)
{
  return (struct hb_near_points){b->sinks.n, b->sinks.x, b->sinks.own};
}

/* ---- nearest ---- */

static double square_distance(const double a[3], const double b[3])
{
  double dx = a[0] - b[0], dy = a[1] - b[1], dz = a[2] - b[2];
  return dx * dx + dy * dy + dz * dz;
}

/* For a sink whose index several addresses have: none of them counts. */
static void nearest_without_twins(const struct hb_board *b, size_t i, uint32_t *nearest, double *r2)
{
  *nearest = HB_NO_SOURCE;
  *r2 = INFINITY;
  for (size_t k = 0; k < b->nj; k++) {
    double x[3];
    if (!b->names.is_set[k] || b->names.name[k] == b->sinks.index[i]) continue;
    hb_timed_place(b->timed, k, b->t, x, NULL);
    double d2 = square_distance(x, b->sinks.x + 3 * i);
    if (!(d2 < *r2)) continue;
    *r2 = d2;
    *nearest = (uint32_t)k;
  }
}

static enum hb_status find_nearest(struct hb_board *b, uint32_t *address, double *r2)
{
  const struct hb_sinks *s = &b->sinks;
  const struct hb_near_points points = points_of(b);
  enum hb_status status = hb_timed_nearest(b->timed, &points, address, r2);
  if (status == HB_ERR_DEVICE) {
    HB_TRY(hb_engine_again(b->engine));
    status = hb_timed_nearest(b->timed, &points, address, r2);
  }
  HB_TRY(status);
  for (size_t i = 0; i < s->n; i++) {
    if (s->has_twins[i]) nearest_without_twins(b, i, &address[i], &r2[i]);
    if (address[i] != HB_NO_SOURCE && !b->names.is_set[address[i]]) address[i] = HB_NO_SOURCE;
  }
  return HB_OK;
}

enum hb_status hb_board_nearest(struct hb_board *b, int *nearest, float *r_nearest)
{
  size_t n = b->sinks.n;
  uint32_t *address;
  double *r2 = NULL;
  if (!nearest && !r_nearest) return HB_OK;
  HB_TRY(HB_ALLOC(n, &address));
  for (size_t i = 0; i < n; i++) address[i] = HB_NO_SOURCE;
  enum hb_status status = HB_ALLOC(n, &r2);
  if (status == HB_OK && b->nj > 0) status = find_nearest(b, address, r2);
  for (size_t i = 0; status == HB_OK && i < n; i++) {
    int is_one = address[i] != HB_NO_SOURCE;
    if (nearest) nearest[i] = is_one ? b->names.name[address[i]] : -1;
    if (r_nearest) r_nearest[i] = is_one ? (float)sqrt(r2[i] + b->eps2) : INFINITY;
  }
  hb_mem_free(address);
  hb_mem_free(r2);
  return status;
}

/* ---- lists ---- */

enum hb_status hb_board_read_lists(int id, int *overflow)
{
  HB_GL_VISIT;
  struct hb_board *b;
  *overflow = 0;
  HB_TRY(hb_board_find(id, &b));
  const struct hb_sinks *s = &b->sinks;
  if (s->n == 0 || b->nj == 0) return HB_OK;
  const struct hb_near_points points = points_of(b);
  size_t share = HB_BOARD_ENTRIES / s->n, most = share > LIST_LEAST ? share : LIST_LEAST;
  enum hb_status status = hb_timed_find(b->timed, &points, s->h2, most, &b->lists);
  if (status == HB_ERR_DEVICE) {
    HB_TRY(hb_engine_again(b->engine));
    status = hb_timed_find(b->timed, &points, s->h2, most, &b->lists);
  }
  HB_TRY(status);
  for (size_t i = 0; i < s->n; i++) *overflow |= b->lists.count[i] > most;
  return HB_OK;
}

static int ascending(const void *a, const void *b)
{
  int x = *(const int *)a, y = *(const int *)b;
  return (x > y) - (x < y);
}

enum hb_status hb_board_list(int id, int pipe, int most, int *count, int *list, int *overflow)
{
  struct hb_board *b;
  *count = *overflow = 0;
  HB_TRY(hb_board_find(id, &b));
  if (pipe < 0 || (size_t)pipe >= b->sinks.n)
    return hb_fail(HB_ERR_USAGE, "the neighbors of i-particle %d were asked for, expected one of %zu", pipe,
                   b->sinks.n);
  if ((size_t)pipe >= b->lists.ni) return HB_OK; /* there are no sources, or the lists were not read */
  const struct hb_near_lists *lists = &b->lists;
  size_t from = lists->start[pipe], length = lists->start[pipe + 1] - from;
  for (size_t k = from; k < from + length; k++) {
    uint32_t address = lists->source[k];
    if (!b->names.is_set[address] || b->names.name[address] == b->sinks.index[pipe]) continue;
    if (!list || *count >= most) {
      *overflow = 1;
      break;
    }
    list[(*count)++] = b->names.name[address];
  }
  if (lists->count[pipe] > length) *overflow = 1;
  if (*count > 1) qsort(list, (size_t)*count, sizeof *list, ascending);
  return HB_OK;
}

/* board.h: boards and their j-particles, forces on i-particles, and their neighbors. */
#include "lib/board.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "lib/engine.h"
#include "lib/names.h"

#include <holmberg/g6.h>

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The i-particles of a call. Copies: programs pass the same arrays as guesses and for results. */
struct sinks {
  size_t room, n;
  int *index;
  double *x, *v, *h2;  /* [3 * n] [3 * n] [n] */
  uint32_t *own;       /* [n] the address that a sink leaves out */
  uint8_t *has_twins;  /* [n] 1: more than one address has its index */
  double *a, *j, *phi; /* results */
};

struct hb_board {
  struct hb_engine *engine;
  struct hb_timed *timed; /* the engine's */
  struct hb_names names;
  size_t checked; /* there is memory for addresses below it */
  double ti;
  struct sinks sinks;
  size_t nj;    /* sources of the call: its nj, or fewer where fewer addresses were set */
  double t;     /* to which they are predicted */
  double eps2;  /* of the call */
  int is_begun; /* between first and last half */
  struct hb_near_lists lists;
  enum hb_status trouble; /* of a call that returns nothing: for the next last half */
  char sentence[256];
};

/* Where addresses are that were left out: beyond any system, yet within the range of float. */
static const double far_away = 1e9;

/* The one global state of the library, which calls by id demand: boards may be opened and closed by several threads, and each
 * is used by one at a time. */
static struct hb_board *boards[HB_BOARDS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* ---- by id ---- */

/* ph4 opens the device it was told, or a number that it never set, and calls it by its rank. */
static int place_of(int id) { return (int)((unsigned)id % HB_BOARDS); }

/* The board of an id or, where that is not open, the only one that is. */
static struct hb_board *meant(int id)
{
  struct hb_board *only = NULL;
  int count = 0;
  if (boards[place_of(id)]) return boards[place_of(id)];
  for (int k = 0; k < HB_BOARDS; k++) {
    if (boards[k]) only = boards[k];
    count += boards[k] != NULL;
  }
  return count == 1 ? only : NULL;
}

/* The open board of an id. */
static enum hb_status find_board(int id, struct hb_board **board)
{
  pthread_mutex_lock(&lock);
  *board = meant(id);
  pthread_mutex_unlock(&lock);
  return *board ? HB_OK : hb_fail(HB_ERR_USAGE, "board %d is not open", id);
}

/* Waits for a call that was begun and is not wanted any more. */
static void drop_call(struct hb_board *b)
{
  if (b->is_begun) hb_engine_finish(b->engine); /* its results are not wanted, and so is its failure */
  b->is_begun = 0;
}

static void destroy_board(struct hb_board *b)
{
  if (!b) return;
  drop_call(b);
  hb_engine_close(b->engine);
  hb_names_free(&b->names);
  hb_near_lists_free(&b->lists);
  struct sinks *s = &b->sinks;
  HB_FREE(s->index, s->x, s->v, s->h2, s->own, s->has_twins, s->a, s->j, s->phi, b);
}

static enum hb_status make_board(int id, struct hb_board **board)
{
  struct hb_board *b;
  *board = NULL;
  HB_TRY(HB_ALLOC(1, &b));
  /* clients find the time step from differences of forces, in which the noise of float pairs grows as dt^-3 */
  enum hb_status status = hb_engine_open(id, HB_PRECISION_DOUBLE, &b->engine);
  if (status == HB_OK) status = hb_engine_timed(b->engine, &b->timed);
  return HB_MADE(status, b, destroy_board, board);
}

enum hb_status hb_board_open(int id)
{
  HB_GL_VISIT;
  enum hb_status status = HB_OK;
  int place = place_of(id);
  pthread_mutex_lock(&lock);
  if (!boards[place]) status = make_board(place, &boards[place]);
  pthread_mutex_unlock(&lock);
  return status;
}

enum hb_status hb_board_close(int id)
{
  HB_GL_VISIT;
  int place = place_of(id);
  pthread_mutex_lock(&lock);
  destroy_board(boards[place]);
  boards[place] = NULL;
  pthread_mutex_unlock(&lock);
  return HB_OK;
}

enum hb_status hb_board_reset(int id)
{
  struct hb_board *b;
  HB_TRY(find_board(id, &b));
  drop_call(b);
  b->trouble = HB_OK;
  return HB_OK;
}

/* Remembers a failure, the first, for the next last half. Returns status. */
static enum hb_status keep_trouble(struct hb_board *b, enum hb_status status)
{
  if (status == HB_OK || b->trouble != HB_OK) return status;
  b->trouble = status;
  snprintf(b->sentence, sizeof b->sentence, "%s", hb_error());
  return status;
}

/* ---- how much memory there is ---- */

enum { PATH = 4096 };

static FILE *open_in(const char *root, const char *folder, const char *name)
{
  char path[2 * PATH];
  int length = snprintf(path, sizeof path, "%s%s%s", root, folder, name);
  return length > 0 && (size_t)length < sizeof path ? fopen(path, "r") : NULL;
}

/* The number behind a key in a file of lines; NaN: none. */
static double number_behind(FILE *file, const char *key)
{
  char line[256];
  double number = NAN;
  size_t length = strlen(key);
  while (file && isnan(number) && fgets(line, sizeof line, file))
    if (strncmp(line, key, length) == 0) sscanf(line + length, " %lf", &number);
  if (file) fclose(file);
  return number;
}

/* What the limit of a group leaves; files that are only cached give way. Infinite: it has no limit ("max", or 2^63 less a page). */
static double left_in(const char *root, const char *group, int version)
{
  double limit =
      number_behind(open_in(root, group, version == 2 ? "/memory.max" : "/memory.limit_in_bytes"), "");
  double used =
      number_behind(open_in(root, group, version == 2 ? "/memory.current" : "/memory.usage_in_bytes"), "");
  double cached = number_behind(open_in(root, group, "/memory.stat"),
                                version == 2 ? "inactive_file " : "total_inactive_file ");
  if (isnan(limit) || limit > 1e18) return INFINITY;
  return fmax(limit - fmax(used - fmax(cached, 0), 0), 0);
}

/* The group of this process and all above it; in a container its path may be that outside, and the mount is the group. */
static double left_in_groups(const char *root, const char *mount, char *path, int version)
{
  char group[PATH + 64];
  double left = INFINITY;
  path[strcspn(path, "\n")] = 0;
  for (;;) {
    snprintf(group, sizeof group, "%s%s", mount, path);
    left = fmin(left, left_in(root, group, version));
    char *slash = strrchr(path, '/');
    if (!slash) return left;
    *slash = 0;
  }
}

static double left_by_limits(const char *root)
{
  char line[PATH], *path;
  double left = INFINITY;
  FILE *file = open_in(root, "/proc/self/cgroup", "");
  while (file && fgets(line, sizeof line, file)) {
    if (strncmp(line, "0::", 3) == 0)
      left = fmin(left, left_in_groups(root, "/sys/fs/cgroup", line + 3, 2));
    else if ((path = strstr(line, ":memory:")) != NULL)
      left = fmin(left, left_in_groups(root, "/sys/fs/cgroup/memory", path + 8, 1));
  }
  if (file) fclose(file);
  return left;
}

/* Bytes that can be used yet: what Linux calls available and what limits of control groups (version 2 or 1) leave, the least of
 * them; physical memory where nothing says so. root: "", or a folder with a proc and a sys of a test's. Linux promises more than there
 * is, and then ends the program. */
static double room_left(const char *root)
{
  double left = 1024 * number_behind(open_in(root, "/proc/meminfo", ""), "MemAvailable:");
  if (isnan(left)) left = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
  return fmin(left, left_by_limits(root));
}

/* ---- j-particles ---- */

enum hb_status hb_board_set_ti(int id, double ti)
{
  struct hb_board *b;
  HB_TRY(find_board(id, &b));
  if (!isfinite(ti)) return keep_trouble(b, hb_fail(HB_ERR_USAGE, "the time is %g, expected finite", ti));
  b->ti = ti;
  return HB_OK;
}

/* Bodies with room for half as many more, names to a power of two, and the columns that are sent or
 * predicted. */
static double bytes_for(double room)
{
  double each = sizeof(struct hb_timed_particle) + 17, named = 4 * sizeof(int) + 1;
  double columns = 8 * sizeof(double), names = 1024;
  while (names < room) names *= 2;
  return room * (each + columns) + names * named;
}

/* Memory grows to the highest address. What grows is copied: the old arrays, which are not among what is left, stay until then. */
static enum hb_status check_room(struct hb_board *b, size_t address)
{
  static const double small = 1 << 26; /* not worth a look at files */
  if (address < b->checked) return HB_OK;
  size_t room = address + 1 + (address + 1) / 2;
  double need = bytes_for((double)room), left = need > small ? room_left("") : INFINITY;
  if (need > left)
    return hb_fail(HB_ERR_USAGE,
                   "the address of a j-particle is %zu: all below it need %.1f GB, of which %.1f are left",
                   address, need / 1e9, left / 1e9);
  b->checked = room;
  return HB_OK;
}

static enum hb_status put_j(struct hb_board *b, const struct hb_board_j *p)
{
  if (p->address < 0)
    return hb_fail(HB_ERR_USAGE, "the address of a j-particle is %d, expected >= 0", p->address);
  if (!p->x) return hb_fail(HB_ERR_USAGE, "no position of the j-particle at address %d", p->address);
  const struct hb_timed_particle nobody = {.x = {far_away, far_away, far_away}};
  struct hb_timed_particle particle = {.t = p->t, .m = p->m};
  for (int d = 0; d < 3; d++) {
    particle.x[d] = p->x[d];
    if (p->v) particle.v[d] = p->v[d];
    if (p->a_half) particle.a[d] = 2 * p->a_half[d];
    if (p->j_sixth) particle.j[d] = 6 * p->j_sixth[d];
    if (p->s_18th) particle.s[d] = 18 * p->s_18th[d];
  }
  size_t address = (size_t)p->address, used = b->names.used;
  HB_TRY(check_room(b, address));
  HB_TRY(hb_names_set(&b->names, address, p->index));
  for (uint32_t k = (uint32_t)used; k < address; k++) HB_TRY(hb_timed_put(b->timed, 1, &k, &nobody));
  const uint32_t number = (uint32_t)address;
  return hb_timed_put(b->timed, 1, &number, &particle);
}

enum hb_status hb_board_set_j(int id, const struct hb_board_j *particle)
{
  struct hb_board *b;
  HB_TRY(find_board(id, &b));
  return keep_trouble(b, put_j(b, particle));
}

enum hb_status hb_board_predicted(int id, int nj, double *x, double *v)
{
  struct hb_board *b;
  HB_TRY(find_board(id, &b));
  if (nj < 0 || (size_t)nj > b->names.used)
    return hb_fail(HB_ERR_USAGE, "%d predicted particles were asked for, expected 0 to %zu", nj,
                   b->names.used);
  for (size_t k = 0; k < (size_t)nj; k++) hb_timed_place(b->timed, k, b->ti, x + 3 * k, v + 3 * k);
  return HB_OK;
}

enum { PIECE = 1024, ALONE = 4 * PIECE /* sinks that are copied before a second thread has woken up */ };

/* ---- first half ---- */

static void copy_or_clear(size_t count, const double *from, double *to)
{
  if (from)
    memcpy(to, from, count * sizeof *to);
  else
    memset(to, 0, count * sizeof *to);
}

struct taking {
  struct hb_board *board;
  const struct hb_board_call *call;
};

/* Copies sinks, and finds which address each is to leave out. */
static void take_piece(void *context, size_t from, size_t end)
{
  const struct taking *t = context;
  const struct hb_board_call *call = t->call;
  const struct hb_board *b = t->board;
  const struct sinks *s = &b->sinks;
  size_t count = end - from;
  memcpy(s->index + from, call->index + from, count * sizeof *s->index);
  copy_or_clear(3 * count, call->x + 3 * from, s->x + 3 * from);
  copy_or_clear(3 * count, call->v ? call->v + 3 * from : NULL, s->v + 3 * from);
  copy_or_clear(count, call->h2 ? call->h2 + from : NULL, s->h2 + from);
  for (size_t i = from; i < end; i++)
    s->has_twins[i] = hb_names_find(&b->names, s->index[i], b->nj, &s->own[i]) > 1;
}

static enum hb_status check_call(const struct hb_board_call *call)
{
  HB_TRY(hb_engine_check(call->nj, call->ni));
  if (call->ni > 0 && (!call->index || !call->x))
    return hb_fail(HB_ERR_USAGE, "the i-particles have no %s", call->x ? "indices" : "positions");
  return HB_OK;
}

static size_t sources(const struct hb_board *b, const struct hb_board_call *call)
{
  return (size_t)call->nj < b->names.used ? (size_t)call->nj : b->names.used;
}

static enum hb_status begin_call(struct hb_board *b, const struct hb_board_call *call)
{
  struct sinks *s = &b->sinks;
  HB_TRY(check_call(call));
  size_t ni = (size_t)call->ni;
  s->n = 0;
  b->lists.ni = 0;
  HB_TRY(HB_RENEW(ni, &s->room, HB_ARRAY(1, &s->index), HB_ARRAY(3, &s->x), HB_ARRAY(3, &s->v),
                  HB_ARRAY(1, &s->h2), HB_ARRAY(1, &s->own), HB_ARRAY(1, &s->has_twins), HB_ARRAY(3, &s->a),
                  HB_ARRAY(3, &s->j), HB_ARRAY(1, &s->phi)));
  b->nj = sources(b, call);
  b->t = b->ti;
  b->eps2 = call->eps2;
  hb_parallel_pieces(ni, PIECE, ALONE, take_piece, &(struct taking){b, call});
  hb_engine_predict_j(b->engine, b->nj, b->t);
  HB_TRY(
      hb_engine_begin(b->engine, call->eps2,
                      &(struct hb_force_job){.sinks = {ni, s->own, s->x, s->v}, .to = {s->a, s->j, s->phi}}));
  s->n = ni;
  b->is_begun = 1;
  return HB_OK;
}

enum hb_status hb_board_first(const struct hb_board_call *call)
{
  HB_GL_VISIT;
  struct hb_board *b;
  HB_TRY(find_board(call->id, &b));
  drop_call(b);
  return keep_trouble(b, begin_call(b, call));
}

/* ---- last half ---- */

/* Several addresses have the index of this sink, of which the engine leaves out one: it is summed here. */
static void sum_without_twins(struct hb_board *b, size_t i)
{
  struct sinks *s = &b->sinks;
  const double *xi = s->x + 3 * i, *vi = s->v + 3 * i;
  double sum[7] = {0}, xj[3], vj[3];
  for (size_t k = 0; k < b->nj; k++) {
    if (!b->names.is_set[k] || b->names.name[k] == s->index[i]) continue;
    double m = hb_timed_place(b->timed, k, b->t, xj, vj);
    hb_engine_add_pair(b->eps2, xi, vi, m, xj, vj, sum);
  }
  memcpy(s->a + 3 * i, sum, 3 * sizeof *sum);
  memcpy(s->j + 3 * i, sum + 3, 3 * sizeof *sum);
  s->phi[i] = 0 - sum[6];
}

/* A program that left out the first half, or gave it other numbers, gets its forces all the same. */
static enum hb_status finish(struct hb_board *b, const struct hb_board_call *call)
{
  struct sinks *s = &b->sinks;
  if (b->trouble != HB_OK) return hb_fail(b->trouble, "%s", b->sentence);
  HB_TRY(check_call(call));
  if (!b->is_begun || s->n != (size_t)call->ni || b->nj != sources(b, call)) {
    drop_call(b);
    HB_TRY(begin_call(b, call));
  }
  b->is_begun = 0;
  HB_TRY(hb_engine_finish(b->engine));
  for (size_t i = 0; i < s->n; i++)
    if (s->has_twins[i]) sum_without_twins(b, i);
  return HB_OK;
}

static struct hb_near_points points_of(const struct hb_board *b)
{
  return (struct hb_near_points){b->sinks.n, b->sinks.x, b->sinks.own};
}

static void place_of_j(const void *board, size_t address, double x[3])
{
  const struct hb_board *b = board;
  hb_timed_place(b->timed, address, b->t, x, NULL);
}

static enum hb_status find_nearest(struct hb_board *b, uint32_t *address, double *r2)
{
  const struct sinks *s = &b->sinks;
  const struct hb_near_points points = points_of(b);
  enum hb_status status = hb_timed_nearest(b->timed, &points, address, r2);
  if (status == HB_ERR_DEVICE) {
    HB_TRY(hb_engine_again(b->engine));
    status = hb_timed_nearest(b->timed, &points, address, r2);
  }
  HB_TRY(status);
  for (size_t i = 0; i < s->n; i++) {
    if (s->has_twins[i]) /* several addresses have its index: none of them counts */
      address[i] = hb_names_nearest(&b->names, s->index[i], b->nj, s->x + 3 * i, place_of_j, b, &r2[i]);
    if (address[i] != HB_NO_SOURCE && !b->names.is_set[address[i]]) address[i] = HB_NO_SOURCE;
  }
  return HB_OK;
}

/* Nearest neighbors of the sinks, by index, and their softened distances; either NULL: not wanted. */
static enum hb_status give_nearest(struct hb_board *b, int *nearest, float *r_nearest)
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
  HB_FREE(address, r2);
  return status;
}

static enum hb_status give_results(const struct hb_board_call *call, const struct hb_board_results *results)
{
  struct hb_board *b;
  HB_TRY(find_board(call->id, &b));
  enum hb_status status = finish(b, call);
  b->trouble = HB_OK;
  if (status != HB_OK) drop_call(b);
  HB_TRY(status);
  const struct sinks *s = &b->sinks;
  if (s->n == 0) return HB_OK;
  if (results->a) hb_parallel_copy(results->a, s->a, 3 * s->n * sizeof *s->a);
  if (results->j) hb_parallel_copy(results->j, s->j, 3 * s->n * sizeof *s->j);
  if (results->phi) hb_parallel_copy(results->phi, s->phi, s->n * sizeof *s->phi);
  return give_nearest(b, results->nearest, results->r_nearest);
}

enum hb_status hb_board_last(const struct hb_board_call *call, const struct hb_board_results *r)
{
  HB_GL_VISIT;
  enum hb_status status = give_results(call, r);
  for (int k = 0; status != HB_OK && r->nearest && k < call->ni; k++) r->nearest[k] = -1;
  for (int k = 0; status != HB_OK && r->r_nearest && k < call->ni; k++) r->r_nearest[k] = NAN;
  return hb_engine_spoil(status, call->ni, r->a, r->j, r->phi);
}

/* ---- lists ---- */

/* All lists of a call have room for so many entries, a list for its share; one list always for as many as GRAPE-6 had room. */
enum { ENTRIES = 1 << 24, LIST_LEAST = 256 };

enum hb_status hb_board_read_lists(int id, int *overflow)
{
  HB_GL_VISIT;
  struct hb_board *b;
  *overflow = 0;
  HB_TRY(find_board(id, &b));
  const struct sinks *s = &b->sinks;
  if (s->n == 0 || b->nj == 0) return HB_OK;
  const struct hb_near_points points = points_of(b);
  size_t share = ENTRIES / s->n, most = share > LIST_LEAST ? share : LIST_LEAST;
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
  HB_TRY(find_board(id, &b));
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

int hb_board_sort_mode(const int *mode)
{
  static atomic_int kept;
  if (mode) kept = *mode;
  return kept;
}

const char *g6_error(void) { return hb_error(); }

#include "lib/board_state.h"

#include "base/mem.h"
#include "lib/room.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

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

enum hb_status hb_board_find(int id, struct hb_board **board)
{
  pthread_mutex_lock(&lock);
  *board = meant(id);
  pthread_mutex_unlock(&lock);
  return *board ? HB_OK : hb_fail(HB_ERR_USAGE, "board %d is not open", id);
}

void hb_board_drop_call(struct hb_board *b)
{
  if (b->is_begun) hb_engine_finish(b->engine); /* its results are not wanted, and so is its failure */
  b->is_begun = 0;
}

static void destroy(struct hb_board *b)
{
  if (!b) return;
  hb_board_drop_call(b);
  hb_engine_close(b->engine);
  hb_names_free(&b->names);
  hb_near_lists_free(&b->lists);
  struct hb_sinks *s = &b->sinks;
  void *blocks[] = {b->m, s->index, s->x, s->v, s->h2, s->own, s->has_twins, s->a, s->j, s->phi};
  for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) hb_mem_free(blocks[k]);
  hb_mem_free(b);
}

static enum hb_status make(int id, struct hb_board **board)
{
  struct hb_board *b;
  *board = NULL;
  HB_TRY(HB_ALLOC(1, &b));
  /* clients find the time step from differences of forces, in which the noise of float pairs grows as dt^-3 */
  enum hb_status status = hb_engine_open(id, HB_PRECISION_DOUBLE, &b->engine);
  if (status == HB_OK) status = hb_engine_timed(b->engine, &b->timed);
  if (status != HB_OK) {
    destroy(b);
    return status;
  }
  *board = b;
  return HB_OK;
}

enum hb_status hb_board_open(int id)
{
  HB_GL_VISIT;
  enum hb_status status = HB_OK;
  int place = place_of(id);
  pthread_mutex_lock(&lock);
  if (!boards[place]) status = make(place, &boards[place]);
  pthread_mutex_unlock(&lock);
  return status;
}

enum hb_status hb_board_close(int id)
{
  HB_GL_VISIT;
  int place = place_of(id);
  pthread_mutex_lock(&lock);
  destroy(boards[place]);
  boards[place] = NULL;
  pthread_mutex_unlock(&lock);
  return HB_OK;
}

enum hb_status hb_board_reset(int id)
{
  struct hb_board *b;
  HB_TRY(hb_board_find(id, &b));
  hb_board_drop_call(b);
  b->trouble = HB_OK;
  return HB_OK;
}

enum hb_status hb_board_keep_trouble(struct hb_board *b, enum hb_status status)
{
  if (status == HB_OK || b->trouble != HB_OK) return status;
  b->trouble = status;
  snprintf(b->sentence, sizeof b->sentence, "%s", hb_error());
  return status;
}

/* ---- j-particles ---- */

enum hb_status hb_board_set_ti(int id, double ti)
{
  struct hb_board *b;
  HB_TRY(hb_board_find(id, &b));
  if (!isfinite(ti))
    return hb_board_keep_trouble(b, hb_fail(HB_ERR_USAGE, "the time is %g, expected finite", ti));
  b->ti = ti;
  return HB_OK;
}

/* Bodies with room for half as many more (force/timed.c), names and masses to a power of two, and the columns that are sent or
 * predicted. */
static double bytes_for(double room)
{
  double each = sizeof(struct hb_timed_particle) + 5, named = 4 * sizeof(int) + 1 + sizeof(double);
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
  double need = bytes_for((double)room), left = need > small ? hb_room_left("") : INFINITY;
  if (need > left)
    return hb_fail(HB_ERR_USAGE,
                   "the address of a j-particle is %zu: all below it need %.1f GB, of which %.1f are left",
                   address, need / 1e9, left / 1e9);
  b->checked = room;
  return HB_OK;
}

static enum hb_status put(struct hb_board *b, const struct hb_board_j *p)
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
  if (b->names.room > b->m_room) {
    HB_TRY(HB_RESIZE(b->names.room, &b->m));
    b->m_room = b->names.room;
  }
  b->m[address] = p->m;
  for (uint32_t k = (uint32_t)used; k < address; k++) HB_TRY(hb_timed_put(b->timed, 1, &k, &nobody));
  const uint32_t number = (uint32_t)address;
  return hb_timed_put(b->timed, 1, &number, &particle);
}

enum hb_status hb_board_set_j(int id, const struct hb_board_j *particle)
{
  struct hb_board *b;
  HB_TRY(hb_board_find(id, &b));
  return hb_board_keep_trouble(b, put(b, particle));
}

enum hb_status hb_board_predicted(int id, int nj, double *x, double *v)
{
  struct hb_board *b;
  HB_TRY(hb_board_find(id, &b));
  if (nj < 0 || (size_t)nj > b->names.used)
    return hb_fail(HB_ERR_USAGE, "%d predicted particles were asked for, expected 0 to %zu", nj,
                   b->names.used);
  for (size_t k = 0; k < (size_t)nj; k++) hb_timed_place(b->timed, k, b->ti, x + 3 * k, v + 3 * k);
  return HB_OK;
}

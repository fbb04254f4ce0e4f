/* GRAPE-5's calls of holmberg/g6.h: a memory of particles at rest, forces at points, a board for each number. */
#include "lib/board.h"
#include "lib/engine.h"

#include "base/mem.h"
#include "base/text.h"

#include <holmberg/g6.h>

#include <limits.h>
#include <string.h>

struct g5 {
  struct hb_engine *engine;
  size_t room, used, n; /* memory for particles; those that were sent; those that are summed */
  double *m, *x;        /* [room], [3 * room] */
  double eps2;
  int is_changed; /* the engine does not have them yet */
  size_t ni, ni_room;
  double *xi, *a, *j, *p; /* [3 * ni_room] points and forces, [ni_room] potentials */
  enum hb_status status;  /* of the last run */
};

static struct g5 *boards[HB_BOARDS];

static enum hb_status find(int id, struct g5 **board)
{
  int is_one = id >= 0 && id < HB_BOARDS;
  *board = is_one ? boards[id] : NULL;
  if (*board) return HB_OK;
  return is_one ? hb_fail(HB_ERR_USAGE, "GRAPE-5 board %d is not open", id)
                : hb_fail(HB_ERR_USAGE, "the GRAPE-5 board is %d, expected 0 to %d", id, HB_BOARDS - 1);
}

void g5_closeMC(int devid)
{
  struct g5 *b;
  if (find(devid, &b) != HB_OK) return; /* also of a board that was never open */
  hb_engine_close(b->engine);
  HB_FREE(b->m, b->x, b->xi, b->a, b->j, b->p, b);
  boards[devid] = NULL;
}

static enum hb_status open(int id)
{
  struct g5 *b;
  if (find(id, &b) == HB_OK) return HB_OK;
  if (id < 0 || id >= HB_BOARDS) return HB_ERR_USAGE;
  HB_TRY(HB_ALLOC(1, &boards[id]));
  enum hb_status status = hb_engine_open(id, HB_PRECISION_DS, &boards[id]->engine);
  if (status != HB_OK) g5_closeMC(id);
  return status;
}

/* ---- particles ---- */

static enum hb_status store(struct g5 *b, int adr, int nj, const double *x, const double *m)
{
  if (adr < 0 || nj < 0 || adr > INT_MAX - nj)
    return hb_fail(HB_ERR_USAGE, "%d particles at address %d, expected >= 0", nj, adr);
  b->status = hb_engine_finish(b->engine); /* a run keeps what it has begun with */
  size_t from = (size_t)adr, count = (size_t)nj;
  if (from + count > b->room) {
    size_t room = 2 * (from + count);
    HB_TRY(HB_RESIZE(room, &b->m));
    HB_TRY(HB_RESIZE(3 * room, &b->x));
    b->room = room;
  }
  if (count > 0) memcpy(b->m + from, m, count * sizeof *m);
  if (count > 0) memcpy(b->x + 3 * from, x, 3 * count * sizeof *x);
  if (from + count > b->used) b->used = from + count;
  b->is_changed = 1;
  return HB_OK;
}

static enum hb_status set_n(struct g5 *b, int n)
{
  if (n < 0) return hb_fail(HB_ERR_USAGE, "the number of particles is %d, expected >= 0", n);
  b->n = (size_t)n;
  b->is_changed = 1;
  return HB_OK;
}

static enum hb_status set_eps2(struct g5 *b, double eps2)
{
  b->eps2 = eps2;
  return HB_OK;
}

/* ---- forces ---- */

static enum hb_status set_points(struct g5 *b, int ni, const double *x)
{
  if (ni < 0) return hb_fail(HB_ERR_USAGE, "the number of points is %d, expected >= 0", ni);
  size_t count = (size_t)ni;
  hb_engine_finish(b->engine); /* an earlier run whose forces were never fetched */
  b->ni = 0;
  HB_TRY(HB_RENEW(count, &b->ni_room, HB_ARRAY(3, &b->xi), HB_ARRAY(3, &b->a), HB_ARRAY(3, &b->j),
                  HB_ARRAY(1, &b->p)));
  if (count > 0) memcpy(b->xi, x, 3 * count * sizeof *x);
  b->ni = count;
  return HB_OK;
}

static enum hb_status begin(struct g5 *b)
{
  if (b->n > b->used)
    return hb_fail(HB_ERR_USAGE, "forces of %zu particle%s were asked for, %zu were sent", b->n,
                   hb_text_s(b->n), b->used);
  if (b->is_changed) HB_TRY(hb_engine_set_j(b->engine, &(struct hb_force_sources){b->n, b->m, b->x, NULL}));
  b->is_changed = 0;
  const struct hb_force_job job = {.sinks = {b->ni, NULL, b->xi, NULL}, .to = {b->a, b->j, b->p}};
  return hb_engine_begin(b->engine, b->eps2, &job);
}

static enum hb_status run(struct g5 *b)
{
  hb_engine_finish(b->engine); /* an earlier run whose forces were never fetched */
  b->status = begin(b);
  return b->status;
}

static enum hb_status get(struct g5 *b, int ni, double *a, double *p)
{
  if (ni < 0 || (size_t)ni > b->ni)
    return hb_fail(HB_ERR_USAGE, "forces on %d points were asked for, expected 0 to %zu", ni, b->ni);
  if (b->status != HB_OK) return b->status;
  b->status = hb_engine_finish(b->engine);
  HB_TRY(b->status);
  memcpy(a, b->a, 3 * (size_t)ni * sizeof *a);
  for (int i = 0; i < ni; i++) p[i] = -b->p[i];
  return HB_OK;
}

/* ---- the calls --------------------------------------------------------------------------------------- */

#define STATUS_ON(STATUS, CALL)                                                                              \
  struct g5 *b;                                                                                              \
  enum hb_status STATUS = find(devid, &b);                                                                   \
  if (STATUS == HB_OK) STATUS = CALL
#define ON_BOARD(CALL)                                                                                       \
  STATUS_ON(status, CALL);                                                                                   \
  hb_engine_report(status)

void g5_openMC(int devid) { hb_engine_report(open(devid)); }
void g5_runMC(int devid) { ON_BOARD(run(b)); }
void g5_open(void) { g5_openMC(0); }
void g5_close(void) { g5_closeMC(0); }
void g5_run(void) { g5_runMC(0); }
int g5_get_number_of_pipelines(void) { return hb_engine_pipes(); }
int g5_get_jmemsize(void) { return INT_MAX; } /* it grows */

/* The others in both forms: with the board in front, and that of board 0. */
#define WORDS(...) __VA_ARGS__
#define BOTH(NAME, PARAMETERS, ARGUMENTS, ...)                                                               \
  void g5_##NAME##MC(int devid, WORDS PARAMETERS) { __VA_ARGS__; }                                           \
  void g5_##NAME PARAMETERS { g5_##NAME##MC(0, WORDS ARGUMENTS); }

BOTH(set_xmj, (int adr, int nj, double xj[][3], double mj[]), (adr, nj, xj, mj),
     ON_BOARD(store(b, adr, nj, (const double *)xj, mj)))
BOTH(set_jp, (int adr, int nj, double mj[], double xj[][3]), (adr, nj, mj, xj),
     ON_BOARD(store(b, adr, nj, (const double *)xj, mj)))
BOTH(set_range, (double xmin, double xmax, double mmin), (xmin, xmax, mmin), (void)devid, (void)xmin,
     (void)xmax, (void)mmin)
BOTH(set_n, (int n), (n), ON_BOARD(set_n(b, n)))
BOTH(set_eps2_to_all, (double eps2), (eps2), ON_BOARD(set_eps2(b, eps2)))
BOTH(set_eps_to_all, (double eps), (eps), ON_BOARD(set_eps2(b, eps *eps)))
BOTH(set_xi, (int ni, double xi[][3]), (ni, xi), ON_BOARD(set_points(b, ni, (const double *)xi)))
BOTH(get_force, (int ni, double a[][3], double p[]), (ni, a, p),
     STATUS_ON(status, get(b, ni, (double *)a, p));
     hb_engine_report(hb_engine_spoil(status, ni, (double *)a, NULL, p)))
BOTH(calculate_force_on_x, (double x[][3], double a[][3], double p[], int ni), (x, a, p, ni),
     g5_set_xiMC(devid, ni, x);
     g5_runMC(devid); g5_get_forceMC(devid, ni, a, p))

#include "lib/engine.h"

#include "lib/environment.h"

#include "base/mem.h"
#include "force/force.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

struct hb_engine {
  struct hb_force *force;
  struct hb_timed *timed; /* NULL: its sources are the arrays below */
  double t;               /* to which they are predicted */
  size_t nj;
  const double *m, *x, *v;
  int is_sent;   /* force has the arrays */
  double *still; /* zeros, for sources at rest */
  size_t still_room;
  struct {
    size_t ni;
    const double *x, *v;
    const uint32_t *own;
    double *a, *j, *phi;
  } call;
};

static enum hb_status open_force(const struct hb_environment *words, const char *precision,
                                 struct hb_force **force)
{
  const struct hb_force_params params = {.scheme = words->scheme,
                                         .precision = *precision ? precision : NULL,
                                         .device = *words->device ? words->device : NULL};
  return hb_force_open(&params, force);
}

enum hb_status hb_engine_open(int board, enum hb_precision usual, struct hb_engine **engine)
{
  HB_GL_VISIT;
  struct hb_environment words;
  struct hb_engine *e;
  *engine = NULL;
  HB_TRY(hb_environment_read(board, usual, &words));
  const struct hb_force_ops *ops = hb_force_find(words.scheme);
  if (ops && !ops->has_points)
    return hb_fail(HB_ERR_USAGE, "scheme %s computes forces on its sources only, not on i-particles",
                   words.scheme);
  HB_TRY(HB_ALLOC(1, &e));
  enum hb_status status = open_force(&words, words.precision, &e->force);
  const char *ds = hb_precision_names[HB_PRECISION_DS];
  if (status == HB_ERR_GL && !words.is_chosen && strcmp(words.precision, ds) != 0)
    status = open_force(&words, ds, &e->force);
  if (status != HB_OK) {
    hb_engine_close(e);
    return status;
  }
  *engine = e;
  return HB_OK;
}

void hb_engine_close(struct hb_engine *engine)
{
  HB_GL_VISIT;
  if (!engine) return;
  hb_timed_destroy(engine->timed);
  hb_force_close(engine->force);
  hb_mem_free(engine->still);
  hb_mem_free(engine);
}

struct hb_gl_context *hb_engine_context(struct hb_engine *engine)
{
  struct hb_device_particles particles;
  return hb_force_on_device(engine->force, &particles);
}

/* ---- sources ---- */

enum hb_status hb_engine_set_j(struct hb_engine *e, size_t nj, const double *m, const double *x,
                               const double *v)
{
  e->is_sent = 0;
  e->nj = 0;
  if (!v && 3 * nj > e->still_room) {
    HB_TRY(HB_RESIZE(3 * nj, &e->still));
    e->still_room = 3 * nj;
  }
  e->nj = nj;
  e->m = m;
  e->x = x;
  e->v = v ? v : e->still;
  return HB_OK;
}

enum hb_status hb_engine_timed(struct hb_engine *e, struct hb_timed **timed)
{
  if (!e->timed) HB_TRY(hb_timed_create(e->force, &e->timed));
  *timed = e->timed;
  return HB_OK;
}

void hb_engine_predict_j(struct hb_engine *e, size_t nj, double t)
{
  e->nj = nj;
  e->t = t;
}

static enum hb_status send(struct hb_engine *e)
{
  if (e->timed) return hb_timed_predict(e->timed, e->nj, e->t);
  if (!e->is_sent) HB_TRY(hb_force_set_j(e->force, e->nj, e->m, e->x, e->v));
  e->is_sent = 1;
  return HB_OK;
}

/* ---- forces ---- */

static enum hb_status begin(struct hb_engine *e)
{
  HB_TRY(send(e));
  return hb_force_begin_any(e->force,
                            &(struct hb_force_job){.sinks = {e->call.ni, e->call.own, e->call.x, e->call.v},
                                                   .to = {e->call.a, e->call.j, e->call.phi}});
}

static enum hb_status finish(struct hb_engine *e)
{
  HB_TRY(hb_force_finish(e->force));
  return e->timed ? hb_timed_check(e->timed) : HB_OK;
}

/* A device that failed gets a second chance, with shorter draws. */
enum hb_status hb_engine_again(struct hb_engine *e)
{
  e->is_sent = 0;
  HB_TRY(hb_force_open_again(e->force));
  return send(e);
}

static enum hb_status begin_again(struct hb_engine *e)
{
  HB_TRY(hb_engine_again(e));
  return begin(e);
}

enum hb_status hb_engine_begin(struct hb_engine *e, double eps2, size_t ni, const double *x, const double *v,
                               const uint32_t *own, double *a, double *j, double *phi)
{
  HB_GL_VISIT;
  if (!(eps2 >= 0) || isinf(eps2))
    return hb_fail(HB_ERR_USAGE, "the softening squared is %g, expected finite and >= 0", eps2);
  e->call.ni = 0;
  if (ni == 0) return HB_OK;
  if (e->nj == 0) {
    memset(a, 0, 3 * ni * sizeof *a);
    memset(j, 0, 3 * ni * sizeof *j);
    memset(phi, 0, ni * sizeof *phi);
    return HB_OK;
  }
  HB_TRY(hb_force_set_eps(e->force, sqrt(eps2)));
  e->call.x = x;
  e->call.v = v;
  e->call.own = own;
  e->call.a = a;
  e->call.j = j;
  e->call.phi = phi;
  e->call.ni = ni;
  enum hb_status status = begin(e);
  if (status == HB_ERR_DEVICE) status = begin_again(e);
  if (status != HB_OK) e->call.ni = 0;
  return status;
}

enum hb_status hb_engine_finish(struct hb_engine *e)
{
  HB_GL_VISIT;
  if (e->call.ni == 0) return HB_OK;
  enum hb_status status = finish(e);
  if (status == HB_ERR_DEVICE) status = begin_again(e) == HB_OK ? finish(e) : HB_ERR_DEVICE;
  e->call.ni = 0;
  return status;
}

enum hb_status hb_engine_forces(struct hb_engine *e, double eps2, size_t ni, const double *x, const double *v,
                                const uint32_t *own, double *a, double *j, double *phi)
{
  HB_TRY(hb_engine_begin(e, eps2, ni, x, v, own, a, j, phi));
  return hb_engine_finish(e);
}

/* ---- failures ---- */

int hb_engine_report(enum hb_status status)
{
  static atomic_flag was_reported = ATOMIC_FLAG_INIT;
  if (status == HB_OK) return 0;
  if (!hb_environment_is_quiet() && !atomic_flag_test_and_set(&was_reported))
    fprintf(stderr, "holmberg: %s\n", hb_error());
  return -(int)status;
}

void hb_engine_spoil(size_t n, double *results)
{
  for (size_t k = 0; results && k < n; k++) results[k] = NAN;
}

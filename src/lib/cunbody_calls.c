/* The calls of holmberg/cunbody.h: one engine for all, opened by the first. */
#include "lib/engine.h"

#include "base/mem.h"

#include <holmberg/cunbody.h>

#include <math.h>
#include <pthread.h>
#include <string.h>

/* The softening in the pipeline of appendix A. */
static const double paper_eps = 1.0 / 256;

static struct hb_engine *engine;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Forces of nj particles on ni points; j and phi, nullable, as wanted. Points that are particles leave out themselves. */
struct task {
  int ni, nj;
  const double *m, *xj, *vj, *xi, *vi;
  double eps2, *a, *j, *phi;
};

static enum hb_status compute(const struct task *t)
{
  size_t n = (size_t)t->ni, own_count = t->xi == t->xj ? n : 0;
  double *rest; /* jerk and potential where the caller wants none */
  uint32_t *own;
  HB_TRY(HB_ALLOC(4 * n, &rest));
  enum hb_status status = HB_ALLOC(own_count, &own);
  for (uint32_t k = 0; status == HB_OK && k < own_count; k++) own[k] = k < (uint32_t)t->nj ? k : HB_NO_SOURCE;
  if (status == HB_OK && !engine) status = hb_engine_open(0, HB_PRECISION_DS, &engine);
  if (status == HB_OK) status = hb_engine_set_j(engine, (size_t)t->nj, t->m, t->xj, t->vj);
  if (status == HB_OK)
    status = hb_engine_forces(engine, t->eps2, n, t->xi, t->vi, own_count ? own : NULL, t->a,
                              t->j ? t->j : rest, t->phi ? t->phi : rest + 3 * n);
  hb_mem_free(own);
  hb_mem_free(rest);
  return status;
}

static enum hb_status run(const struct task *t)
{
  if (t->ni < 0 || t->nj < 0)
    return hb_fail(HB_ERR_USAGE, "forces of %d particles on %d were asked for, expected >= 0", t->nj, t->ni);
  pthread_mutex_lock(&lock);
  enum hb_status status = compute(t);
  pthread_mutex_unlock(&lock);
  return status;
}

static void run_or_spoil(const struct task *t)
{
  if (hb_engine_report(run(t)) == 0) return;
  size_t n = t->ni > 0 ? (size_t)t->ni : 0;
  hb_engine_spoil(3 * n, t->a);
  hb_engine_spoil(3 * n, t->j);
  hb_engine_spoil(n, t->phi);
}

void force(double xj[][3], double mj[], double xi[][3], double eps2, double a[][3], int ni, int nj)
{
  const struct task task = {.ni = ni,
                            .nj = nj,
                            .m = mj,
                            .xj = (const double *)xj,
                            .xi = (const double *)xi,
                            .eps2 = eps2,
                            .a = (double *)a};
  run_or_spoil(&task);
}

void force_jerk_pot(double x[][3], double v[][3], double m[], double p[], double a[][3], double jk[][3],
                    int n)
{
  const struct task task = {.ni = n,
                            .nj = n,
                            .m = m,
                            .xj = (const double *)x,
                            .vj = (const double *)v,
                            .xi = (const double *)x,
                            .vi = (const double *)v,
                            .eps2 = paper_eps * paper_eps,
                            .a = (double *)a,
                            .j = (double *)jk,
                            .phi = p};
  run_or_spoil(&task);
  for (int i = 0; i < n; i++)
    p[i] -= m[i] / paper_eps; /* of the particle itself, which the engine leaves out */
}

void force_(double xj[][3], double mj[], double xi[][3], const double *eps2, double a[][3], const int *ni,
            const int *nj)
{
  force(xj, mj, xi, *eps2, a, *ni, *nj);
}

void force_jerk_pot_(double x[][3], double v[][3], double m[], double p[], double a[][3], double jk[][3],
                     const int *n)
{
  force_jerk_pot(x, v, m, p, a, jk, *n);
}

void cunbody_close(void)
{
  pthread_mutex_lock(&lock);
  hb_engine_close(engine);
  engine = NULL;
  pthread_mutex_unlock(&lock);
}

void cunbody_close_(void) { cunbody_close(); }

const char *cunbody_error(void) { return hb_error(); }

/* The calls of holmberg/cunbody.h: one engine for all, opened by the first. */
#include "lib/engine.h"

#include <holmberg/cunbody.h>

#include <pthread.h>

/* The softening in the pipeline of appendix A. */
static const double paper_eps = 1.0 / 256;

static struct hb_engine *engine;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void run(int ni, int nj, double eps2, const struct hb_force_job *job)
{
  enum hb_status status = hb_engine_check(nj, ni);
  pthread_mutex_lock(&lock);
  if (status == HB_OK) status = hb_engine_once(&engine, eps2, job);
  pthread_mutex_unlock(&lock);
  hb_engine_report(hb_engine_spoil(status, ni, job->to.a, job->to.j, job->to.phi));
}

void force(double xj[][3], double mj[], double xi[][3], double eps2, double a[][3], int ni, int nj)
{
  const struct hb_force_job job = {.sources = {(size_t)nj, mj, (const double *)xj, NULL},
                                   .sinks = {(size_t)ni, NULL, (const double *)xi, NULL},
                                   .to = {.a = (double *)a}};
  run(ni, nj, eps2, &job);
}

void force_jerk_pot(double x[][3], double v[][3], double m[], double p[], double a[][3], double jk[][3],
                    int n)
{
  const double *xj = (const double *)x, *vj = (const double *)v;
  const struct hb_force_job job = {.sources = {(size_t)n, m, xj, vj},
                                   .sinks = {(size_t)n, NULL, xj, vj},
                                   .to = {(double *)a, (double *)jk, p}};
  run(n, n, paper_eps * paper_eps, &job);
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

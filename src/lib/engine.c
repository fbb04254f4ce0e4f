#include "lib/engine.h"

#include "base/clock.h"
#include "base/mem.h"
#include "base/rng.h"
#include "base/text.h"
#include "core/vector.h"
#include "force/force.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the environment --------------------------------------------------------------------------------- */

/* GRAPE-6 computed forces on 48 particles at once: programs have arrays for that many, and some take a larger number for
 * another machine's. The other is that of sapporo2, the largest that a program is known to have arrays for. */
enum { USUAL_PIPES = 48, MOST_PIPES = 16384 };

enum { DEVICES_MOST = 64 };

static const char *word_of(const char *name)
{
  const char *value = getenv(name);
  return value && *value ? value : NULL;
}

static int is_quiet(void) { return word_of("HB_G6_QUIET") != NULL; }

int hb_engine_pipes(void)
{
  const char *word = word_of("HB_G6_NPIPES");
  uint64_t number;
  if (!word || hb_text_count(word, &number) != HB_OK || number < 1) return USUAL_PIPES;
  return number < MOST_PIPES ? (int)number : MOST_PIPES;
}

/* HB_G6_DEVICES has a device for each board; HB_DEVICE is one for all. Board 0 takes the best one, as everywhere; board k the
 * k-th GPU, and from the first again where there are fewer. */
static void choose_device(int board, size_t room, char *device)
{
  const char *list = word_of("HB_G6_DEVICES"), *words[DEVICES_MOST];
  struct hb_gl_devices gpus;
  char line[512];
  if (!list && (board == 0 || word_of("HB_DEVICE"))) return;
  if (!list && hb_gl_devices_named("all", &gpus) == HB_OK && gpus.count > 1)
    snprintf(device, room, "%s", gpus.name[board % gpus.count]);
  snprintf(line, sizeof line, "%s", list ? list : "");
  int count = hb_text_words(line, " ,", DEVICES_MOST, words);
  if (count > 0) snprintf(device, room, "%s", words[board % count]);
}

/* Pairs a second of a call on so many sinks that it takes TRIAL_SECONDS, or on all of MANY; the second of two calls, since the
 * first one compiles. 0 where there is no such source. */
static double rate_of(const struct hb_force_params *params)
{
  enum { MANY = 16384, FIRST = 16 };
  static const double TRIAL_SECONDS = 0.01;
  double *all = NULL, seconds = 0;
  uint32_t *index = NULL;
  size_t ni = FIRST;
  struct hb_force *force;
  if (hb_force_open(params, &force) != HB_OK) return 0;
  enum hb_status status = HB_ALLOC(14 * MANY, &all);
  if (status == HB_OK) status = HB_ALLOC(MANY, &index);
  struct hb_rng rng = hb_rng_seeded(1);
  for (size_t k = 0; status == HB_OK && k < 7 * MANY; k++) all[k] = hb_rng_uniform(&rng);
  for (uint32_t k = 0; status == HB_OK && k < MANY; k++) index[k] = k;
  struct hb_force_job job = {.sources = {MANY, all, all + MANY, all + 4 * MANY},
                             .to = {all + 7 * MANY, all + 10 * MANY, all + 13 * MANY}};
  for (; status == HB_OK && seconds < TRIAL_SECONDS && ni <= MANY; ni *= 4) {
    job.sinks = (struct hb_force_sinks){.n = ni, .index = index};
    for (int k = 0; k < 2 && status == HB_OK; k++) {
      double start = hb_clock_now();
      status = hb_force_of(force, &job);
      seconds = hb_clock_now() - start;
    }
  }
  hb_force_close(force);
  HB_FREE(all, index);
  return status == HB_OK ? (double)(ni / 4) * MANY / seconds : 0;
}

/* In the precision of the call, or in ds where the GPU lacks it, as hb_engine_open does. Said once. */
static int is_slower(const char *device, const char *gpu, const char *host, const char *precision)
{
  const double EPS = 0.01;
  struct hb_force_params params = {.scheme = gpu,
                                   .precision = precision,
                                   .device = *device ? device : NULL,
                                   .eps = EPS,
                                   .flags = HB_FORCE_NO_TUNE};
  double of_gpu = rate_of(&params);
  if (of_gpu == 0) {
    params.precision = hb_precision_names[HB_PRECISION_DS];
    of_gpu = rate_of(&params);
  }
  params = (struct hb_force_params){.scheme = host, .precision = precision, .eps = EPS};
  double of_host = rate_of(&params);
  if (of_gpu >= of_host) return 0;
  static atomic_flag was_told = ATOMIC_FLAG_INIT;
  if (!is_quiet() && !atomic_flag_test_and_set(&was_told))
    fprintf(stderr,
            "holmberg: the processor is faster than the GPU (%.2g and %.2g billion pairs a second) and takes "
            "the forces; "
            "HB_G6_SCHEME=%s keeps them on the GPU\n",
            of_host / 1e9, of_gpu / 1e9, gpu);
  return 1;
}

/* Sources that stay on the device: not hybrid, which `auto` means on a GPU, as it sends all of them for each call. Without a
 * GPU, or where that is slower, host-simd, or host for what that lacks. */
static const char *choose_scheme(const char *device, const char *precision)
{
  static const struct hb_force_ops *const choices[] = {
      [HB_GL_GPU] = &hb_force_bag, [HB_GL_GPU_COMPUTE] = &hb_force_tile};
  const struct hb_gl_context_params place = {.device = *device ? device : NULL};
  struct hb_gl_context *gl = NULL;
  if (hb_gl_context_open_gpu(&place, &gl) != HB_OK) gl = NULL;
  enum hb_gl_gpu gpu = hb_gl_context_gpu(gl);
  hb_gl_context_close(gl);
  const struct hb_force_scheme *host = &hb_force_host_simd.info;
  if (!hb_text_is_listed(precision, host->precisions)) host = &hb_force_host.info;
  if (gpu == HB_GL_NO_GPU || is_slower(device, choices[gpu]->info.name, host->name, precision))
    return host->name;
  return choices[gpu]->info.name;
}

enum hb_status hb_engine_words(int board, enum hb_precision usual, struct hb_engine_words *words)
{
  const char *scheme = word_of("HB_G6_SCHEME"), *precision = word_of("HB_G6_PRECISION");
  *words = (struct hb_engine_words){.is_chosen = precision != NULL};
  const struct hb_force_scheme *found = scheme ? hb_force_scheme_find(scheme) : NULL;
  if (!found || !found->on_host) choose_device(board, sizeof words->device, words->device);
  const char *wanted = precision ? precision : hb_precision_names[usual],
             *ds = hb_precision_names[HB_PRECISION_DS];
  if (!scheme) scheme = choose_scheme(words->device, wanted);
  snprintf(words->scheme, sizeof words->scheme, "%s", scheme);
  /* a scheme that lacks the usual one computes in what it has, unless told otherwise */
  found = hb_force_scheme_find(scheme);
  if (!precision && found && !hb_text_is_listed(wanted, found->precisions))
    wanted = hb_text_is_listed(ds, found->precisions) ? ds : "";
  snprintf(words->precision, sizeof words->precision, "%s", wanted);
  return HB_OK;
}

/* ---- opening ----------------------------------------------------------------------------------------- */

struct hb_engine {
  struct hb_force *force;
  struct hb_timed *timed; /* NULL: its sources are the arrays below */
  double t;               /* to which they are predicted */
  struct hb_force_sources j;
  unsigned sent; /* in which opening force got the arrays; 0: in none */
  double *still; /* zeros, for sources at rest */
  size_t still_room;
  struct hb_force_job call; /* sinks.n 0: none is under way */
};

static enum hb_status open_force(const struct hb_engine_words *words, const char *precision,
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
  struct hb_engine_words words;
  struct hb_engine *e;
  *engine = NULL;
  HB_TRY(hb_engine_words(board, usual, &words));
  const struct hb_force_ops *ops = hb_force_find(words.scheme);
  if (ops && !ops->has_points)
    return hb_fail(HB_ERR_USAGE, "scheme %s computes forces on its sources only, not on i-particles",
                   words.scheme);
  HB_TRY(HB_ALLOC(1, &e));
  enum hb_status status = open_force(&words, words.precision, &e->force);
  const char *ds = hb_precision_names[HB_PRECISION_DS];
  if (status == HB_ERR_GL && !words.is_chosen && strcmp(words.precision, ds) != 0)
    status = open_force(&words, ds, &e->force);
  return HB_MADE(status, e, hb_engine_close, engine);
}

void hb_engine_close(struct hb_engine *engine)
{
  HB_GL_VISIT;
  if (!engine) return;
  hb_timed_destroy(engine->timed);
  hb_force_close(engine->force);
  HB_FREE(engine->still, engine);
}

struct hb_gl_context *hb_engine_context(struct hb_engine *engine)
{
  struct hb_device_particles particles;
  return hb_force_on_device(engine->force, &particles);
}

/* ---- sources ---- */

enum hb_status hb_engine_set_j(struct hb_engine *e, const struct hb_force_sources *j)
{
  e->sent = 0;
  e->j.n = 0;
  if (!j->v) HB_TRY(HB_RENEW(j->n, &e->still_room, HB_ARRAY(3, &e->still)));
  e->j = *j;
  if (!j->v) e->j.v = e->still;
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
  e->j.n = nj;
  e->t = t;
}

static enum hb_status send(void *engine)
{
  struct hb_engine *e = engine;
  if (e->timed) return hb_timed_predict(e->timed, e->j.n, e->t);
  if (e->sent != hb_force_openings(e->force))
    HB_TRY(hb_force_set_j(e->force, e->j.n, e->j.m, e->j.x, e->j.v));
  e->sent = hb_force_openings(e->force);
  return HB_OK;
}

/* A device that failed gets a second chance, with shorter draws. */
enum hb_status hb_engine_again(struct hb_engine *e)
{
  HB_TRY(hb_force_open_again(e->force));
  return send(e);
}

/* ---- forces ---- */

static enum hb_status check(void *engine)
{
  const struct hb_engine *e = engine;
  return e->timed ? hb_timed_check(e->timed) : HB_OK;
}

enum hb_status hb_engine_begin(struct hb_engine *e, double eps2, const struct hb_force_job *job)
{
  HB_GL_VISIT;
  size_t ni = job->sinks.n;
  e->call.sinks.n = 0;
  if (!(eps2 >= 0) || isinf(eps2))
    return hb_fail(HB_ERR_USAGE, "the softening squared is %g, expected finite and >= 0", eps2);
  if (ni == 0) return HB_OK;
  if (e->j.n == 0) {
    memset(job->to.a, 0, 3 * ni * sizeof *job->to.a);
    memset(job->to.j, 0, 3 * ni * sizeof *job->to.j);
    memset(job->to.phi, 0, ni * sizeof *job->to.phi);
    return HB_OK;
  }
  HB_TRY(hb_force_set_eps(e->force, sqrt(eps2)));
  e->call =
      (struct hb_force_job){.sinks = job->sinks, .to = job->to, .prepare = send, .check = check, .owner = e};
  enum hb_status status = hb_force_begin_of(e->force, &e->call);
  if (status != HB_OK) e->call.sinks.n = 0;
  return status;
}

enum hb_status hb_engine_finish(struct hb_engine *e)
{
  HB_GL_VISIT;
  if (e->call.sinks.n == 0) return HB_OK;
  enum hb_status status = hb_force_finish_of(e->force, &e->call);
  e->call.sinks.n = 0;
  return status;
}

/* ---- both at once ------------------------------------------------------------------------------------ */

enum hb_status hb_engine_check(int nj, int ni)
{
  if (ni >= 0 && nj >= 0) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "forces of %d particles on %d were asked for, expected >= 0", nj, ni);
}

enum hb_status hb_engine_forces(struct hb_engine *e, double eps2, const struct hb_force_job *job)
{
  HB_TRY(hb_engine_begin(e, eps2, job));
  return hb_engine_finish(e);
}

enum hb_status hb_engine_once(struct hb_engine **engine, double eps2, const struct hb_force_job *job)
{
  struct hb_force_job all = *job;
  size_t ni = job->sinks.n;
  double *rest; /* what the caller does not want */
  uint32_t *own;
  HB_TRY(HB_ALLOC(7 * ni, &rest));
  if (!all.to.a) all.to.a = rest;
  if (!all.to.j) all.to.j = rest + 3 * ni;
  if (!all.to.phi) all.to.phi = rest + 6 * ni;
  enum hb_status status = HB_ALLOC(ni, &own);
  for (uint32_t k = 0; status == HB_OK && k < ni; k++) own[k] = k < job->sources.n ? k : HB_NO_SOURCE;
  if (job->sinks.x == job->sources.x) all.sinks.index = own;
  if (status == HB_OK && !*engine) status = hb_engine_open(0, HB_PRECISION_DS, engine);
  if (status == HB_OK) status = hb_engine_set_j(*engine, &job->sources);
  if (status == HB_OK) status = hb_engine_forces(*engine, eps2, &all);
  HB_FREE(own, rest);
  return status;
}

void hb_engine_add_pair(double eps2, const double xi[3], const double vi[3], double m, const double xj[3],
                        const double vj[3], double sum[7])
{
  const double dx[3] = {xj[0] - xi[0], xj[1] - xi[1], xj[2] - xi[2]};
  const double dv[3] = {vj[0] - vi[0], vj[1] - vi[1], vj[2] - vi[2]};
  double r2 = hb_dot(dx, dx) + eps2;
  double rv = 3 * hb_dot(dx, dv) / r2;
  double m_r = m / sqrt(r2), m_r3 = m_r / r2;
  for (int d = 0; d < 3; d++) sum[d] += m_r3 * dx[d];
  for (int d = 0; d < 3; d++) sum[3 + d] += m_r3 * (dv[d] - rv * dx[d]);
  sum[6] += m_r;
}

/* ---- failures ---- */

int hb_engine_report(enum hb_status status)
{
  static atomic_flag was_reported = ATOMIC_FLAG_INIT;
  if (status == HB_OK) return 0;
  if (!is_quiet() && !atomic_flag_test_and_set(&was_reported)) fprintf(stderr, "holmberg: %s\n", hb_error());
  return -(int)status;
}

static void spoil(size_t n, double *results)
{
  for (size_t k = 0; results && k < n; k++) results[k] = NAN;
}

enum hb_status hb_engine_spoil(enum hb_status status, int ni, double *a, double *j, double *phi)
{
  size_t n = status != HB_OK && ni > 0 ? (size_t)ni : 0;
  spoil(3 * n, a);
  spoil(3 * n, j);
  spoil(n, phi);
  return status;
}

/* The interface of a source of forces: one const row per source, one list of them. */
#ifndef HB_SOURCE_H
#define HB_SOURCE_H

#include "base/clock.h"
#include "base/status.h"
#include "force/reproducible.h"
#include "gl/gl_context.h"
#include "pairs/pairs.h"

#include <holmberg/device.h>

/* Particles between block steps, each at its own time; arrays by particle. A level says how long its step is; all
 * particles of a level share their time. */
enum { HB_FORCE_LEVELS = 63 };
struct hb_force_particles {
  size_t n;
  const double *m;       /* [n] */
  double *x, *v, *a, *j; /* [3 * n] each */
  const uint8_t *level;  /* [n] below HB_FORCE_LEVELS */
};

/* A request for forces: sources, sinks, and where the results go. */
struct hb_force_job {
  /* m[n], x[3 * n], v[3 * n], in their frame; m NULL: those that the last job set, or that are kept. */
  struct hb_force_sources {
    size_t n;
    const double *m, *x, *v;
  } sources;

  /* The sources index[n], none twice, each without itself. Or points x[3 * n], v[3 * n], each without source index[i],
   * HB_NO_SOURCE: none. n 0: the sources are only set. */
  struct hb_force_sinks {
    size_t n;
    const uint32_t *index;
    const double *x, *v; /* NULL: by number */
  } sinks;

  struct hb_force_results {
    double *a, *j, *phi; /* [3 * n] [3 * n] [n] of the sinks */
  } to;

  /* In precision reproducible, from force.h on, totals[n] of the sinks take the place of results, each in its scale[n]. The units
   * come from all sources; those of the job may be a part of them, from a multiple of HB_FIXED_BLOCK on, up to another or the end. */
  struct hb_force_words {
    const struct hb_reproducible_units *units; /* of the sources, the same until others are sent or set */
    const uint32_t *scale;
    struct hb_fixed_total *totals;
  } words;

  /* Sends what is not there yet, and predicts: called before a job on sources that are set or kept, and again where the source was
   * opened again. NULL: that is done. And when it has ended, for HB_ERR_DEVICE where what prepared it was lost; NULL: the source knows. */
  enum hb_status (*prepare)(void *owner);
  enum hb_status (*check)(void *owner);
  void *owner;

  /* Seconds of sending and receiving (HB_FORCE_PHASES) are added here, NULL: nobody asks; the clock when the job began. */
  struct hb_phases *spent;
  double since;
};

/* Positions and velocities in arrays that grow; starts as zeros. */
struct hb_part_points {
  size_t room;
  double *x, *v; /* [3 * room] */
};

struct hb_field;

/* What eq. 9 of [PZ07] needs besides the forces: its nu; and for forces rounded by `noise`, relative to the pulls among
 * particles of this mass, the arguments of rely_on_jerks of step/timestep.c (0: not used). */
struct hb_force_step {
  double eta, noise, mass;
  const struct hb_field *field; /* forces from outside; NULL: none */
};

/* Particles as a device stores them, words a particle of equal number; each proves by its last word, index + token, that it
 * has come. Valid until the device is asked for news twice more. */
struct hb_force_news {
  size_t count;
  const uint32_t *index, *words;
  uint32_t token;
};

/* A request to correct: forces on the sinks index[ni] from the predicted sources, their correction (eqs 5 to 8) and their next steps
 * (eq. 9), all on the device. */
struct hb_force_correction {
  size_t ni;
  const uint32_t *index;
  const struct hb_force_step *how;
  double *step; /* [ni] */

  /* What dt will probably be in the next call of hb_force_predict, for particles at their levels before this one: the device may begin
   * with it. [HB_FORCE_LEVELS]; NULL: not known. */
  const double *ahead;

  /* Between sources: the seconds of each phase, and particles as corrected, for other devices; NULL: nobody asks. */
  struct hb_phases *last;
  struct hb_force_news *news;
};

/* Operations on particles that a source keeps on its device ([PZ07] Fig. 5); see the functions below. `state` is what the op
 * `records` gives. */
struct hb_force_resident_ops {
  enum hb_status (*keep)(void *state, const struct hb_force_particles *p, size_t ni, const uint32_t *index);
  enum hb_status (*predict)(void *state, const double dt[HB_FORCE_LEVELS]);
  /* after forces, of which a[3 * ni]: HB_ERR_DEVICE where keep or predict lost a draw */
  enum hb_status (*check)(void *state, size_t ni, const double *a);
  enum hb_status (*correct)(void *state, const struct hb_force_correction *c);
  enum hb_status (*settle)(void *state, size_t ni, const uint32_t *index, const uint8_t *level);
  enum hb_status (*fetch)(void *state, struct hb_force_particles *p);
  double (*memory)(const struct hb_interaction *interaction, enum hb_precision precision); /* device_kept */

  /* For several devices that keep the same particles (force/devices.h). News of the particles index[ni], here or by correct
   * (nullable) of its block; and from another device. Ahead of the next call of predict, it may begin with that. And after
   * correct: the block is again what it was before. Errors: HB_ERR_GL (this way to keep particles cannot), HB_ERR_DEVICE. */
  enum hb_status (*take)(void *state, size_t ni, const uint32_t *index, struct hb_force_news *news);
  enum hb_status (*give)(void *state, const struct hb_force_news *news);
  enum hb_status (*predict_ahead)(void *state, const double dt[HB_FORCE_LEVELS]);
  void (*undo)(void *state, size_t ni, const uint32_t *index);
};

#define HB_FORCE_FLOAT_REACH 0x1p62 /* r^2 <= 3 (2 * 2^62)^2 < 2^128 */

/* What a source implements. force.c has checked every argument. `state` belongs to the source. */
struct hb_force_ops {
  struct hb_force_scheme info;         /* the public facts of the scheme; modes NULL: all/host/host */
  const struct hb_pairs_scheme *pairs; /* walks the pairs, and has the rest of info; NULL: none */
  int takes_interactions;              /* any that can be integrated; else gravity alone */

  /* The largest coordinate of a particle for which float arithmetic, up to r^2 or r^-5 of two such particles, stays within
   * the normal floats; 0: not float arithmetic. */
  double reach;

  /* Makes *state; params->scheme is info.name (of the scheme around which it is), params->precision one of info.precisions and params->interaction no longer
   * NULL. gl, nullable, is a context of the caller's that is already open by these params, see hb_force_open_gl. After a
   * failure close is still called, with a half-built state or NULL. */
  enum hb_status (*open)(const struct hb_force_params *params, struct hb_gl_context *gl, void **state);
  void (*close)(void *state);

  /* Adds to *need what the source allocates in this precision: device_source, device_sink, device_fixed, host_particle and
   * host_fixed; nothing is opened. */
  void (*memory)(const struct hb_force_params *params, struct hb_force_need *need);

  /* Another softening from now on; the sources stay. NULL: it has to be opened again. */
  void (*set_eps)(void *state, double eps);

  /* Sources, if any, and forces, if any. It may return while the device works, and finish, which gets the same job, waits; NULL: it
   * is done. Until then the arrays of the job stay where they are; those of sources alone are copied. After sources and
   * forces in one, only jobs on these sources may follow, and only until the job is finished. */
  enum hb_status (*begin)(void *state, const struct hb_force_job *job);
  enum hb_status (*finish)(void *state, const struct hb_force_job *job);
  int has_points; /* 0: it computes forces on its sources only */

  /* Which sources from .. to - 1 of nj the forces on ni sinks depend on here, beside those sinks; NULL: on all. */
  void (*needs)(const void *state, size_t nj, size_t ni, size_t *from, size_t *to);

  /* Room for n particles that stay on the device, as it has the source itself, made when first asked for; NULL: it cannot. */
  enum hb_status (*records)(void *state, size_t n, void **records);
  const struct hb_force_resident_ops *resident;

  /* The all-pairs engine, tuned for nj sources, that others may fill on the device; NULL: there is none. */
  enum hb_status (*engine)(void *state, size_t nj, struct hb_pairs **pairs);

  /* Where the last sources are stored on the device, and in which context; NULL: not, or not always. */
  struct hb_gl_context *(*on_device)(const void *state, struct hb_device_particles *particles);

  /* Where it runs, for records: the OpenGL context, NULL on the host; the device, NULL: that of the context. And how, NULL
   * where there is no choice: opened with these words it gives the same bytes. */
  const struct hb_gl_context *(*gl)(const void *state);
  const char *(*device)(const void *state);
  const char *(*tuning)(const void *state);
};

/* Every source, in the order in which they are listed: struct hb_force_ops hb_force_NAME. */
#define HB_FORCE_SOURCES(X)     X(host) X(cg2007) HB_PAIRS_SCHEMES(X) X(host_simd) X(hybrid) X(grape6) X(gpu2007)
#define HB_FORCE_DECLARED(name) extern const struct hb_force_ops hb_force_##name;
HB_FORCE_SOURCES(HB_FORCE_DECLARED)

/* Several devices around a scheme, params->scheme. Chosen by params->device, not by name. */
extern const struct hb_force_ops hb_force_devices;

/* NULL if there is none with that name. */
const struct hb_force_ops *hb_force_find(const char *name);

/* The source that params->scheme names, or that "auto" means on this machine: then *gl is the context, if any, that was
 * opened to find out, which belongs to the caller. And of its precisions the wanted one, or (NULL) the first. Errors:
 * HB_ERR_USAGE, with the known names. */
enum hb_status hb_source_choose(const struct hb_force_params *params, struct hb_gl_context **gl,
                                const struct hb_force_ops **ops);

/* ---- for sources ---- */

/* Emulated pairs, done before a second thread has woken up. */
enum { HB_FORCE_PAIRS_ALONE = 8192 };

/* The processor as a device: "GRAPE-6 emulated, x86_64, AVX2, 2 threads", with what stands before it and behind. */
void hb_force_name_processor(const char *before, const char *behind, size_t room, char *device);

/* A share of gl, or where that is NULL the context that params ask for. Errors: HB_ERR_GL, HB_ERR_USAGE. */
static inline struct hb_gl_context_params hb_force_place(const struct hb_force_params *params)
{
  return (struct hb_gl_context_params){params->context, params->device,
                                       (params->flags & HB_FORCE_GL_DEBUG) != 0};
}
static inline enum hb_status hb_force_open_gl(const struct hb_force_params *params, struct hb_gl_context *gl,
                                              struct hb_gl_context **context)
{
  const struct hb_gl_context_params place = hb_force_place(params);
  *context = gl ? hb_gl_context_share(gl) : NULL;
  return gl ? HB_OK : hb_gl_context_open(&place, context);
}

/* The softening squared that a kernel adds to r^2. */
static inline double hb_force_eps2(const struct hb_force_params *params) { return params->eps * params->eps; }

/* The seconds since `start` were spent sending. */
static inline void hb_force_sent(const struct hb_force_job *job, double start)
{
  if (job->spent) job->spent->send_s += hb_clock_now() - start;
}

/* Whether it pays to leave those without mass out of n sources: they pull nobody. */
static inline int hb_massless_are_many(size_t n, size_t massless)
{
  enum { FEW = 16 }; /* one in so many */
  return FEW * massless > n && massless < n;
}

#endif

/* A source of forces, seen from inside: one const struct per source, one file per source, one registry. */
#ifndef HB_FORCE_H
#define HB_FORCE_H

#include "base/status.h"
#include "gl/gl_context.h"

/* What a source implements. force.c has checked every argument: sources assert. `state` is the source's own. */
struct hb_force_ops {
  struct hb_force_scheme info;

  /* Makes *state; params->scheme is info.name and params->precision one of info.precisions. On failure close is still called with what is there, NULL included. */
  enum hb_status (*open)(const struct hb_force_params *params, void **state);
  void (*close)(void *state);

  /* The sources m[nj], x[3 * nj], v[3 * nj]; nj may change from call to call. */
  enum hb_status (*set_j)(void *state, size_t nj, const double *m, const double *x, const double *v);

  /* a[3 * ni], j[3 * ni], phi[ni] of the sources index[ni], each without itself. 0 < ni <= nj, none twice. */
  enum hb_status (*eval)(void *state, size_t ni, const uint32_t *index, double *a, double *j, double *phi);

  /* set_j and eval in one, for a source that sends the sources only where it needs them; NULL: one after the other.
   * Afterwards no sources are set. */
  enum hb_status (*of)(void *state, size_t nj, const double *m, const double *x, const double *v, size_t ni,
                       const uint32_t *index, double *a, double *j, double *phi);

  /* What the last eval spent in sending and receiving (HB_FORCE_PHASES), and the last `of` in all; NULL where nothing
   * travels. */
  void (*phases)(const void *state, struct hb_phases *last);

  /* Where it runs, for records: context ("none" on the host) and device; and how, NULL where there is no choice.
   * Opened with these words it gives the same bytes. */
  const char *(*context)(const void *state);
  const char *(*device)(const void *state);
  const char *(*tuning)(const void *state);
};

/* The registry. */
extern const struct hb_force_ops hb_force_host;
extern const struct hb_force_ops hb_force_host_simd;
extern const struct hb_force_ops hb_force_cg2007;
extern const struct hb_force_ops hb_force_bag, hb_force_tile, hb_force_matrix2004;
extern const struct hb_force_ops hb_force_hybrid;

/* What "auto" means where there is such a GPU, for a precision (NULL: none was asked for): a GPU takes the large blocks
 * in double-single, and without one, where a software renderer is slower than the host's own loop, no bit of the
 * host's double is given up for speed. */
const struct hb_force_ops *hb_force_auto(enum hb_gl_gpu gpu, const char *precision);

/* hb_force_set_j and hb_force_eval in one, as integrators call them: when the device fails, the source is opened anew
 * with draws a quarter as long and asked once more. Errors: as both; HB_ERR_DEVICE when that failed, too. */
enum hb_status hb_force_of(struct hb_force *force, size_t nj, const double *m, const double *x,
                           const double *v, size_t ni, const uint32_t *index, double *a, double *j,
                           double *phi);

/* Seconds that hb_force_of took since the source was opened: send, force, receive; the others stay 0. Who asks for
 * forces outside the integration puts back what was there before. */
struct hb_phases *hb_force_phases(struct hb_force *force);

/* For sources: the softening squared that a kernel adds to r^2. */
static inline double hb_force_eps2(const struct hb_force_params *params) { return params->eps * params->eps; }

#endif

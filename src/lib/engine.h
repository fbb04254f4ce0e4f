/* A source of forces as other people's calls need it: chosen by the environment (see holmberg/g6.h), with a softening for
 * each call and sinks that need not be sources. */
#ifndef HB_ENGINE_H
#define HB_ENGINE_H

#include "force/timed.h"
#include "pairs/precision.h"

struct hb_engine;

/* For the board of this number, which says on which device, in the precision that is usual for its calls: or, where the device
 * lacks that and nobody has asked for it, in ds. Errors: HB_ERR_USAGE, HB_ERR_GL. */
enum hb_status hb_engine_open(int board, enum hb_precision usual, struct hb_engine **engine);
void hb_engine_close(struct hb_engine *engine);

/* The sources m[nj], x[3 * nj], v[3 * nj] (NULL: at rest). They are sent when forces are next asked for, and again where
 * that fails: they must stay until other sources are set. nj = 0: none. Errors: HB_ERR_INTERNAL (memory). */
enum hb_status hb_engine_set_j(struct hb_engine *engine, size_t nj, const double *m, const double *x,
                               const double *v);

/* Or sources that have times of their own: nj of these, predicted to time t. They belong to the engine. */
enum hb_status hb_engine_timed(struct hb_engine *engine, struct hb_timed **timed);
void hb_engine_predict_j(struct hb_engine *engine, size_t nj, double t);

/* hb_force_begin_at and hb_force_finish; x v own a j phi must stay until finish. Results are zero without sources. Where the
 * device fails, it is opened again, and asked once more. */
enum hb_status hb_engine_begin(struct hb_engine *engine, double eps2, size_t ni, const double *x,
                               const double *v, const uint32_t *own, double *a, double *j, double *phi);
enum hb_status hb_engine_finish(struct hb_engine *engine);

/* After HB_ERR_DEVICE from a question on its sources: opens the device again, and sends them. */
enum hb_status hb_engine_again(struct hb_engine *engine);

/* Both at once. */
enum hb_status hb_engine_forces(struct hb_engine *engine, double eps2, size_t ni, const double *x,
                                const double *v, const uint32_t *own, double *a, double *j, double *phi);

/* Finds neighbors of points among sources of hb_engine_set_j on the engine's device; NULL: it has none. */
struct hb_gl_context *hb_engine_context(struct hb_engine *engine);

/* For programs that may not check a result: 0 for HB_OK, else minus the status. The first failure of a process is also
 * written to stderr, unless HB_G6_QUIET is set. */
int hb_engine_report(enum hb_status status);

/* Fills results[n] (nullable) with NaN, so that what the array held before is not mistaken for forces. */
void hb_engine_spoil(size_t n, double *results);

#endif

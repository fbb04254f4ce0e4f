/* A source of forces as other people's calls need it: chosen by the environment (see holmberg/g6.h), with a softening for
 * each call and sinks that need not be sources. */
#ifndef HB_ENGINE_H
#define HB_ENGINE_H

#include "force/resident.h"
#include "pairs/precision.h"

struct hb_engine;

/* What the environment says; the words are in holmberg/g6.h. */
struct hb_engine_words {
  char scheme[16], precision[16],
      device[192]; /* "": what the scheme does first; HB_DEVICE, else the best one */
  int is_chosen;   /* 1: the precision is the user's choice, not ours */
};

/* For a board, in the precision that is usual for its calls where the scheme has it and nobody asks for another. Errors:
 * HB_ERR_INTERNAL (memory). */
enum hb_status hb_engine_words(int board, enum hb_precision usual, struct hb_engine_words *words);

/* i-particles of a call: HB_G6_NPIPES, 48 without it. */
int hb_engine_pipes(void);

/* For the board of this number, which says on which device, in the precision that is usual for its calls: or, where the device
 * lacks that and nobody has asked for it, in ds. Errors: HB_ERR_USAGE, HB_ERR_GL. */
enum hb_status hb_engine_open(int board, enum hb_precision usual, struct hb_engine **engine);
void hb_engine_close(struct hb_engine *engine);

/* The sources; v NULL: at rest. They are sent when forces are next asked for, and again where that fails: the arrays must stay
 * until other sources are set. Errors: HB_ERR_INTERNAL (memory). */
enum hb_status hb_engine_set_j(struct hb_engine *engine, const struct hb_force_sources *sources);

/* Or sources that have times of their own: nj of these, predicted to time t. They belong to the engine. */
enum hb_status hb_engine_timed(struct hb_engine *engine, struct hb_timed **timed);
void hb_engine_predict_j(struct hb_engine *engine, size_t nj, double t);

/* Forces of these sources on the points of job->sinks, whose arrays and results must stay until finish. Results are zero
 * without sources. Where the device fails, it is opened again, and asked once more. */
enum hb_status hb_engine_begin(struct hb_engine *engine, double eps2, const struct hb_force_job *job);
enum hb_status hb_engine_finish(struct hb_engine *engine);

/* After HB_ERR_DEVICE from a question on its sources: opens the device again, and sends them. */
enum hb_status hb_engine_again(struct hb_engine *engine);

/* Both at once. */
enum hb_status hb_engine_forces(struct hb_engine *engine, double eps2, const struct hb_force_job *job);

/* Forces of job->sources (v NULL: at rest) on the points of job->sinks. The engine is opened, in ds, where it is NULL; so may be
 * results that are not wanted. Points that are the sources leave out themselves. */
enum hb_status hb_engine_once(struct hb_engine **engine, double eps2, const struct hb_force_job *job);

/* Finds neighbors of points among sources of hb_engine_set_j on the engine's device; NULL: it has none. */
struct hb_gl_context *hb_engine_context(struct hb_engine *engine);

/* For programs that may not check a result: 0 for HB_OK, else minus the status. The first failure of a process is also
 * written to stderr, unless HB_G6_QUIET is set. */
int hb_engine_report(enum hb_status status);

/* After a failure makes results, each nullable, NaN: what the arrays held before is not mistaken for forces. Returns status. */
enum hb_status hb_engine_spoil(enum hb_status status, int ni, double *a, double *j, double *phi);

/* HB_ERR_USAGE for numbers of sources and of sinks below 0. */
enum hb_status hb_engine_check(int nj, int ni);

/* What source j does to i by the host, added to acceleration, jerk and potential (positive). */
void hb_engine_add_pair(double eps2, const double xi[3], const double vi[3], double m, const double xj[3],
                        const double vj[3], double sum[7]);

#endif

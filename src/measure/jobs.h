/* The jobs of `bench run` and `model fit`: lists of particle numbers, schemes, precisions and modes, checked before anything
 * is measured, and the loop over their combinations. */
#ifndef HB_JOBS_H
#define HB_JOBS_H

#include "console/opts.h"

#include <holmberg/measure.h>

/* All schemes. */
const char *hb_jobs_scheme(size_t k); /* the k-th; NULL after the last */

/* What is sent, where particles are predicted, where they are corrected. */
struct hb_jobs_mode {
  const char *name, *help; /* "block/gpu/host" */
  enum hb_transfer transfer;
  enum hb_place predict, correct;
  int by_default;
};

/* Must not be copied. */
struct hb_jobs {
  struct hb_counts n;
  struct hb_list schemes, precisions, modes; /* empty: the default */
};

extern const struct hb_setting hb_jobs_options[]; /* --scheme --precision --mode, of struct hb_jobs */

/* Where no scheme is named, the default of a run with this context and device. Errors: as hb_force_open. */
enum hb_status hb_jobs_take_default(const struct hb_force_params *place, struct hb_jobs *jobs);

/* Every scheme with every requested mode and precision that it has; others are skipped with a note. Errors: of visit;
 * HB_ERR_USAGE when nothing is left. */
typedef enum hb_status hb_jobs_visit(void *context, const struct hb_force_scheme *scheme,
                                     const char *precision, const struct hb_jobs_mode *mode);
enum hb_status hb_jobs_each(const struct hb_jobs *jobs, hb_jobs_visit *visit, void *context);

/* The same runs with this scheme, precision and mode, and every default filled in. */
struct hb_bench_run_params hb_jobs_params(const struct hb_bench_run_params *run,
                                          const struct hb_force_scheme *scheme, const char *precision,
                                          const struct hb_jobs_mode *mode);

enum { HB_JOBS_REPEATS = 1000 }; /* the most repeats, and the most seeds */

/* Announces how long such runs take, if that is long. */
void hb_jobs_announce(const struct hb_bench_run_params *run, int runs);

/* The modes, for --help. */
void hb_jobs_list_modes(const struct hb_help *help);

#endif

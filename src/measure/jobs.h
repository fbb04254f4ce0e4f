/* The jobs of `bench run` and `model fit`: lists of numbers of particles, schemes, precisions and modes, checked before
 * anything is measured, and the walk over what they name. */
#ifndef HB_JOBS_H
#define HB_JOBS_H

#include "console/list.h"

#include <holmberg/measure.h>

#include <stdio.h>

/* The k-th scheme of forces and the k-th precision; NULL after the last. */
const char *hb_jobs_scheme(size_t k);
const char *hb_jobs_precision(size_t k);

/* What travels, where is predicted, where is corrected. */
struct hb_jobs_mode {
  const char *name, *help; /* "block/gpu/host" */
  enum hb_transfer transfer;
  enum hb_place predict, correct;
  int by_default;
};

/* Options as given; NULL: not given, which is allowed for all but n. */
struct hb_jobs_words {
  const char *n, *schemes, *precisions, *modes;
  const char *context, *device; /* where the default scheme is looked for */
};

/* Must not be copied. */
struct hb_jobs {
  size_t n[HB_LIST_WORDS], n_count;
  struct hb_list schemes, precisions, modes; /* empty: the default */
};

/* Errors: HB_ERR_USAGE with the word that is none, and the nearest that is one; as hb_force_open. */
enum hb_status hb_jobs_read(const struct hb_jobs_words *words, struct hb_jobs *jobs);

/* Every scheme with every mode and precision that was asked for and that it has; what it has not is passed over with a note.
 * Errors: of visit; HB_ERR_USAGE when nothing is left. */
typedef enum hb_status hb_jobs_visit(void *context, const struct hb_force_scheme *scheme,
                                     const char *precision, const struct hb_jobs_mode *mode);
enum hb_status hb_jobs_each(const struct hb_jobs *jobs, hb_jobs_visit *visit, void *context);

enum { HB_JOBS_REPEATS = 1000 }; /* the most repeats, and the most seeds */

/* Announces how long such runs take, where that is long. */
void hb_jobs_announce(const struct hb_bench_run_params *run, int runs);

/* The modes, for --help. */
void hb_jobs_list_modes(FILE *out);

#endif

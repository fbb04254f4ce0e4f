/* The output of `model fit` and `model predict`: tables, and lines of JSON, of which the fits are read back. */
#ifndef HB_MODEL_H
#define HB_MODEL_H

#include "console/opts.h"
#include "base/status.h"
#include "base/table.h"

#include <holmberg/measure.h>

/* One fit: measurements and results. */
struct hb_model_record {
  const char *scheme, *precision, *mode, *rounding; /* "bag" "ds" "block/gpu/host" "down" */
  const struct hb_model_fit_params *params;         /* every default filled in            */
  struct hb_bench_run_result last;                  /* of its last run: where it ran      */
  const struct hb_model_size *sizes;                /* [params->n_count]                  */
  const struct hb_model_fit *fit;
};

/* A line for each size, and one for the fit. */
void hb_model_record_write(const struct hb_model_record *record, FILE *out);

/* As text: the sizes, the constants beside those of the paper, and how well a half of the sizes predicts the other. */
void hb_model_record_show(const struct hb_model_record *record);

/* A machine for each line of a fit, called "SCHEME PRECISION MODE ROUNDING"; other lines are skipped. *machines is freed
 * with hb_mem_free. Errors: HB_ERR_IO, HB_ERR_INPUT with file, line and reason. */
enum hb_status hb_model_record_read(const char *path, struct hb_machine **machines, size_t *count);

/* The last line of 'bench messages --json'. Errors: HB_ERR_IO, HB_ERR_INPUT (there is none). */
enum hb_status hb_model_record_network(const char *path, struct hb_network *network);

/* What the lines hold, for --help. */
void hb_model_record_help(const struct hb_help *help);

#endif

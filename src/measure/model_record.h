/* The lines of JSON that `model fit` writes, and the fits among them read back. */
#ifndef HB_MODEL_RECORD_H
#define HB_MODEL_RECORD_H

#include "base/status.h"

#include <holmberg/measure.h>

#include <stdio.h>

/* One fit: what was measured, and what came out. */
struct hb_model_record {
  const char *scheme, *precision, *mode, *rounding; /* "bag" "ds" "block/gpu/host" "down" */
  const struct hb_model_fit_params *params;         /* nothing left to default            */
  struct hb_bench_run_result last;                  /* of its last run: where it ran      */
  const struct hb_model_size *sizes;                /* [params->n_count]                  */
  const struct hb_model_fit *fit;
};

/* A number of a fit's line: its name there and its place in struct hb_machine; its standard error is NAME_error. */
struct hb_model_field {
  const char *name;
  size_t offset;
};
const struct hb_model_field *hb_model_fields(size_t *count);
double hb_model_field_of(const struct hb_machine *machine, const struct hb_model_field *field);

void hb_model_record_sizes(const struct hb_model_record *record, FILE *out); /* a line each */
void hb_model_record_fit(const struct hb_model_record *record, FILE *out);

/* A machine for each line of a fit, called "SCHEME PRECISION MODE ROUNDING"; other lines are passed over. *machines goes back
 * with hb_mem_free. Errors: HB_ERR_IO, HB_ERR_INPUT with file, line and reason. */
enum hb_status hb_model_record_read(const char *path, struct hb_machine **machines, size_t *count);

/* What the lines hold, for --help. */
void hb_model_record_help(FILE *out);

#endif

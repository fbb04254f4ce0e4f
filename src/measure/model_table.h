/* What `model fit` and `model predict` print for people. */
#ifndef HB_MODEL_TABLE_H
#define HB_MODEL_TABLE_H

#include "measure/model_record.h"

/* The sizes, the constants beside those of the paper, and how well a half of the sizes predicts the other. */
void hb_model_table_fit(const struct hb_model_record *record);

void hb_model_table_header(void);
void hb_model_table_row(const struct hb_machine *machine, size_t n, const struct hb_model_time *time);

#endif

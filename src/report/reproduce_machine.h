/* The machine that the jobs ran on, kept beside them, so that the report can be written on another one. */
#ifndef HB_REPRODUCE_MACHINE_H
#define HB_REPRODUCE_MACHINE_H

#include "report/reproduction.h"

/* Reads what machine the jobs in this folder ran on, as records of kind=machine and kind=host; writes it at the start. */
enum hb_status hb_reproduce_open_machine(struct hb_reproduction *r);

/* Whether it is this one. Errors: HB_ERR_USAGE. */
enum hb_status hb_reproduce_check_machine(const struct hb_reproduction *r);

#endif

/* The half of `holmberg info` that is about a file. */
#ifndef HB_CMD_INFO_FILE_H
#define HB_CMD_INFO_FILE_H

#include "console/opts.h"

#include <holmberg/diagnostics.h>

struct hb_info_file_settings {
  const char *input_format;
  double eps, time;
  enum hb_exact_energy exact_energy;
};

/* Rows of struct hb_info_file_settings, which make sense with a file only. */
extern const struct hb_opts_option hb_info_file_options[];

/* Prints what is in the file that the operand names. */
enum hb_status hb_info_file(const struct hb_opts *opts, const struct hb_info_file_settings *settings,
                            int json);

#endif

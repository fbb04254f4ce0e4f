/* The commands whose subject is this room's. */
#ifndef HB_MEASURE_COMMANDS_H
#define HB_MEASURE_COMMANDS_H

#include "console/opts.h"

extern const struct hb_opts_command hb_cmd_analyze, hb_cmd_info, hb_cmd_diff, hb_cmd_tune;

#endif

/* The commands, each in the room of its subject, or in cli. */
#ifndef HB_COMMANDS_H
#define HB_COMMANDS_H

#include "console/opts.h"

extern const struct hb_opts_command hb_cmd_ic, hb_cmd_ic_combine, hb_cmd_scale, hb_cmd_run, hb_cmd_plot,
    hb_cmd_view, hb_cmd_render, hb_cmd_trace, hb_cmd_convert, hb_cmd_diff;
extern const struct hb_opts_command hb_cmd_pairs, hb_cmd_bench, hb_cmd_bench_run, hb_cmd_bench_frames;
extern const struct hb_opts_command hb_cmd_model, hb_cmd_model_fit, hb_cmd_model_predict;
extern const struct hb_opts_command hb_cmd_reproduce, hb_cmd_tune, hb_cmd_info, hb_cmd_card, hb_cmd_analyze;

#endif

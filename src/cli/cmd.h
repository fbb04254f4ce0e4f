/* The commands, one per cmd_*.c; main.c lists them. */
#ifndef HB_CMD_H
#define HB_CMD_H

#include "console/opts.h"

extern const struct hb_opts_command hb_cmd_ic;
extern const struct hb_opts_command hb_cmd_run;
extern const struct hb_opts_command hb_cmd_plot;
extern const struct hb_opts_command hb_cmd_view;
extern const struct hb_opts_command hb_cmd_bench;
extern const struct hb_opts_command hb_cmd_bench_run;    /* behind bench     */
extern const struct hb_opts_command hb_cmd_bench_frames; /* behind bench run */
extern const struct hb_opts_command hb_cmd_model;
extern const struct hb_opts_command hb_cmd_model_fit;     /* behind model     */
extern const struct hb_opts_command hb_cmd_model_predict; /* behind model fit */
extern const struct hb_opts_command hb_cmd_tune;
extern const struct hb_opts_command hb_cmd_render;
extern const struct hb_opts_command hb_cmd_trace;
extern const struct hb_opts_command hb_cmd_info;
extern const struct hb_opts_command hb_cmd_reproduce;

#endif

/* Completion of the command line by shells, from the option tables. commands ends with NULL. */
#ifndef HB_COMPLETION_H
#define HB_COMPLETION_H

#include "console/opts.h"

void hb_completion_bash(const struct hb_opts_command *const *commands, FILE *out);
void hb_completion_zsh(const struct hb_opts_command *const *commands, FILE *out);

#endif

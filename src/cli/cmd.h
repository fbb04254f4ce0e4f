/* The table of the commands. */
#ifndef HB_CMD_H
#define HB_CMD_H

#include "console/astro.h"
#include "console/commands.h"

/* All of them, in the order of --help; NULL after the last. */
extern const struct hb_opts_command *const hb_commands[];

/* The command named by the first two words, or else by the first one; NULL: none. */
const struct hb_opts_command *hb_cmd_find(int count, char **words);

#endif

/* The report on 2007 is made by many processes, which Windows begins and watches in another way. */
#include "console/commands.h"

static enum hb_status work(const struct hb_opts *opts)
{
  (void)opts;
  return hb_fail(HB_ERR_USAGE, "holmberg reproduce does not run on Windows");
}

const struct hb_opts_command hb_cmd_reproduce = {
    .name = "reproduce", .summary = "Not on Windows.", .settings_size = 1, .work = work};

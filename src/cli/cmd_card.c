/* holmberg card: what this device can do, in one row that its owner sends. */
#include "cli/cmd.h"
#include "console/terminal.h"
#include "measure/card.h"

#include <stdlib.h>

struct settings {
  struct hb_force_params force;
};

/* Where to, and how. */
static const char how_to_send[] =
    "This row says what the device can do, and nothing about you. To send it, add it to data/cards as a file "
    "of its own,\nor open an issue of the repository with it; tools/cards.py check says whether it is "
    "whole.\n";

static void doing(const char *what, void *context)
{
  (void)context;
  fprintf(stderr, "holmberg: measuring %s\n", what);
}

/* Drivers keep what they have compiled, and compiling is measured. */
static void forget_programs(void)
{
  setenv("MESA_SHADER_CACHE_DISABLE", "true", 1);
  setenv("__GL_SHADER_DISK_CACHE", "0", 1);
}

static enum hb_status work(const struct hb_opts *opts)
{
  const struct settings *s = opts->settings;
  forget_programs();
  HB_TRY(hb_card_make(&s->force, doing, NULL, stdout));
  HB_TRY(hb_terminal_flush());
  fputs(how_to_send, stderr);
  return HB_OK;
}

const struct hb_opts_command hb_cmd_card = {
    .name = "card",
    .summary = "Measure what this device can do, in about a minute: one row of JSON, to be sent.",
    .groups = {{.options = hb_opts_place, .at = offsetof(struct settings, force)}},
    .settings_size = sizeof(struct settings),
    .example = "  holmberg card >card.json\n"
               "  holmberg card --device 1 >card.json\n",
    .work = work,
};

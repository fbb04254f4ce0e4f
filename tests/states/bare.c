/* What the program of `make bare` leaves out, besides src/web/web_without.c: all commands but two. */
#include "cli/cmd.h"
#include "web/web_turn.h"

#include <string.h>

const struct hb_opts_command *const hb_commands[] = {&hb_cmd_ic, &hb_cmd_run, NULL};

const struct hb_opts_command *hb_cmd_find(int count, char **words)
{
  for (size_t k = 0; count > 0 && hb_commands[k]; k++)
    if (strcmp(hb_commands[k]->name, words[0]) == 0) return hb_commands[k];
  return NULL;
}

enum hb_status hb_web_breathe(double work)
{
  (void)work;
  return HB_OK;
}

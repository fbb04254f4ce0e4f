#include "cli/cmd.h"

#include <string.h>

const struct hb_opts_command *const hb_commands[] = {&hb_cmd_ic,
                                                     &hb_cmd_ic_combine,
                                                     &hb_cmd_run,
                                                     &hb_cmd_plot,
                                                     &hb_cmd_analyze,
                                                     &hb_cmd_view,
                                                     &hb_cmd_render,
                                                     &hb_cmd_trace,
                                                     &hb_cmd_convert,
                                                     &hb_cmd_scale,
                                                     &hb_cmd_diff,
                                                     &hb_cmd_pairs,
                                                     &hb_cmd_bench,
                                                     &hb_cmd_bench_run,
                                                     &hb_cmd_bench_frames,
                                                     &hb_cmd_model,
                                                     &hb_cmd_model_fit,
                                                     &hb_cmd_model_predict,
                                                     &hb_cmd_reproduce,
                                                     &hb_cmd_tune,
                                                     &hb_cmd_info,
                                                     &hb_cmd_card,
                                                     NULL};

static const struct hb_opts_command *find(const char *name)
{
  for (size_t k = 0; hb_commands[k]; k++)
    if (strcmp(hb_commands[k]->name, name) == 0 ||
        (hb_commands[k]->also && strcmp(hb_commands[k]->also, name) == 0))
      return hb_commands[k];
  return NULL;
}

const struct hb_opts_command *hb_cmd_find(int count, char **words)
{
  char both[64];
  const struct hb_opts_command *found = NULL;
  if (count > 1 && snprintf(both, sizeof both, "%s %s", words[0], words[1]) < (int)sizeof both)
    found = find(both);
  return found || count == 0 ? found : find(words[0]);
}

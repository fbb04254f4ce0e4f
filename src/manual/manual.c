/* Writes what `make install` puts beside the program and only its tables know: a page of the manual for each command, and
 * completion for two shells. Run by tools/manual.sh: manual FOLDER VERSION DATE. */
#include "cli/cmd.h"
#include "manual/completion.h"
#include "manual/man_page.h"

#include <stdio.h>
#include <string.h>

static FILE *create(const char *folder, const char *name, const char *ending)
{
  char path[1024];
  snprintf(path, sizeof path, "%s/%s%s", folder, name, ending);
  for (char *c = path + strlen(folder); *c; c++)
    if (*c == ' ') *c = '-';
  FILE *out = fopen(path, "w");
  if (!out) perror(path);
  return out;
}

int main(int count, char **words)
{
  if (count != 4) return fputs("usage: manual FOLDER VERSION DATE\n", stderr), 2;
  const struct hb_man_edition edition = {.version = words[2], .date = words[3]};
  int failed = 0;
  for (size_t k = 0; hb_commands[k] && !failed; k++) {
    char name[64];
    snprintf(name, sizeof name, "holmberg-%s", hb_commands[k]->name);
    FILE *out = create(words[1], name, ".1");
    if (out) hb_man_command(hb_commands[k], &edition, out);
    failed = !out || fclose(out) != 0;
  }
  FILE *page = create(words[1], "holmberg", ".1");
  FILE *bash = create(words[1], "holmberg", ".bash");
  FILE *zsh = create(words[1], "_holmberg", "");
  if (!page || !bash || !zsh) return 1;
  hb_man_program(hb_commands, &edition, page);
  hb_completion_bash(hb_commands, bash);
  hb_completion_zsh(hb_commands, zsh);
  return failed || fclose(page) || fclose(bash) || fclose(zsh);
}

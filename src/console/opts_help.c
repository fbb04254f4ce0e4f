/* --help, from the rows of the option table. */
#include "console/opts.h"

#include <string.h>

enum { HELP_COLUMN = 32, HELP_WIDTH = 100 };

void hb_opts_help_row(const char *name, const char *help, FILE *out)
{
  int column = fprintf(out, "%s", name);
  if (column > HELP_COLUMN - 2) {
    fputc('\n', out);
    column = 0;
  }
  while (*help) {
    int length = (int)strcspn(help, " ");
    if (column + 1 + length > HELP_WIDTH) {
      fputc('\n', out);
      column = 0;
    }
    int indent = column < HELP_COLUMN ? HELP_COLUMN - column : 1;
    column += fprintf(out, "%*s%.*s", indent, "", length, help);
    help += length + (help[length] == ' ');
  }
  fputc('\n', out);
}

void hb_opts_help_entry(const char *name, const char *summary, const char *source, const char *rest,
                        FILE *out)
{
  char left[64], help[768];
  snprintf(left, sizeof left, "  %s", name);
  snprintf(help, sizeof help, "%s%s%s%s%s", summary, *source ? " (" : "", source, *source ? ")" : "", rest);
  hb_opts_help_row(left, help, out);
}

static void option_row(const struct hb_opts_option *option, FILE *out)
{
  char name[80], help[512], letter[8] = "    ";
  if (option->letter) snprintf(letter, sizeof letter, "-%c, ", option->letter);
  snprintf(name, sizeof name, "  %s--%s%s%s", letter, option->name, option->metavar ? " " : "",
           option->metavar ? option->metavar : "");
  snprintf(help, sizeof help, "%s%s%s%s", option->help, option->fallback ? " (default " : "",
           option->fallback ? option->fallback : "", option->fallback ? ")" : "");
  hb_opts_help_row(name, help, out);
}

void hb_opts_help(const struct hb_opts_command *command, FILE *out)
{
  const char *operand = command->operand ? command->operand : "";
  fprintf(out, "usage: holmberg %s%s%s [options]\n\n%s\n\noptions:\n", command->name, *operand ? " " : "",
          operand, command->summary);
  for (size_t k = 0; hb_opts_option_at(command, k); k++) option_row(hb_opts_option_at(command, k), out);
  fputs("\nNumbers may be written like 0.01, 1e-3, 2^-8 or 1/256.\n", out);
  if (hb_opts_units_help(command)) hb_opts_help_row("", hb_opts_units_help(command), out);
  if (command->more_help) command->more_help(out);
  fprintf(out, "\nexample:\n%s", command->example);
}

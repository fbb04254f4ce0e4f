/* Writes what `make install` puts beside the program and only its tables know: a page of the manual for each command, and
 * completion for two shells; and what the package for Python has to know of options. Run by tools/manual.sh: manual FOLDER VERSION DATE. */
#include "cli/cmd.h"
#include "console/opts.h"
#include "sim/sim_settings.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* What stands in the corners of a page. */
struct man_edition {
  const char *version, *date;
};

enum { WIDTH = 76 };

/* ---- text in roff ---- */

/* A dash between letters is a hyphen; any other, as of an option or a negative number, is the character that users type. */
static void put_letter(const char *text, const char *at, FILE *out)
{
  int between = at > text && isalnum((unsigned char)at[-1]) && isalpha((unsigned char)at[1]);
  if (*at == '\\')
    fputs("\\e", out);
  else if (*at == '-' && !between)
    fputs("\\-", out);
  else
    fputc(*at, out);
}

static void put_word(const char *word, size_t length, FILE *out)
{
  if (*word == '.' || *word == '\'') fputs("\\&", out); /* at the start of a line it would be a request */
  for (size_t k = 0; k < length; k++) put_letter(word, word + k, out);
}

/* Wrapped: roff fills the lines again. */
static void put_text(const char *text, FILE *out)
{
  size_t column = 0;
  while (*(text += strspn(text, " \n"))) {
    size_t length = strcspn(text, " \n");
    if (column) fputc(column + length < WIDTH ? ' ' : '\n', out);
    column = column && column + length < WIDTH ? column + 1 + length : length;
    put_word(text, length, out);
    text += length;
  }
  fputc('\n', out);
}

/* Every dash as typed, lines as they are. */
static void put_verbatim(const char *text, FILE *out)
{
  fputs(".PP\n.EX\n", out);
  for (const char *c = text; *c; c++) {
    if ((c == text || c[-1] == '\n') && (*c == '.' || *c == '\'')) fputs("\\&", out);
    fputs(*c == '\\' ? "\\e" : *c == '-' ? "\\-" : (char[]){*c, 0}, out);
  }
  fputs(".EE\n", out);
}

/* Like that, within a line. */
static void put_name(const char *name, size_t length, FILE *out)
{
  for (size_t k = 0; k < length; k++)
    fputs(name[k] == '\\'  ? "\\e"
          : name[k] == '-' ? "\\-"
          : name[k] == '"' ? "\\(dq"
                           : (char[]){name[k], 0},
          out);
}

/* "Make a cluster." as "make a cluster" */
static void put_summary(const char *summary, FILE *out)
{
  size_t length = strlen(summary);
  int is_name = isupper((unsigned char)summary[0]) && isupper((unsigned char)summary[1]);
  fputc(is_name ? summary[0] : tolower((unsigned char)summary[0]), out);
  for (size_t k = 1; k < length; k++)
    if (k + 1 < length || summary[k] != '.') put_letter(summary, summary + k, out);
  fputc('\n', out);
}

static void put_title(const char *name, const struct man_edition *edition, FILE *out)
{
  fputs(".TH \"", out);
  for (const char *c = name; *c; c++) fputc(toupper((unsigned char)*c), out);
  fprintf(out, "\" 1 %s \"Holmberg %s\" \"User Commands\"\n.nh\n", edition->date, edition->version);
}

/* ---- a page's options ---- */

static void put_option(const struct hb_setting *option, FILE *out)
{
  char all[HB_WORDS_LENGTH], text[HB_OPTS_TEXT];
  fputs(".TP\n", out);
  if (option->letter) fprintf(out, "\\fB\\-%c\\fR, ", option->letter);
  fputs("\\fB\\-\\-", out);
  put_name(option->name, strlen(option->name), out);
  fputs("\\fR", out);
  if (option->metavar) fprintf(out, " \\fI%s\\fR", option->metavar);
  fputc('\n', out);
  put_text(hb_opts_help_of(option, text), out);
  if (option->fallback) {
    fputs("(default ", out);
    put_name(option->fallback, strlen(option->fallback), out);
    fputs(")\n", out);
  }
  if (!hb_words_any(option->words) || option->kind == HB_SETTING_AUTO_COUNT) return;
  fputs(".br\nPossible values: ", out);
  put_text(hb_words_join(option->words, all), out);
}

/* ---- what follows the options in --help ---- */

static void put_heading(const char *text, FILE *out)
{
  fprintf(out, ".SS %c", toupper((unsigned char)*text));
  put_name(text + 1, strlen(text + 1), out);
  fputc('\n', out);
}

static void put_entry(const char *name, const char *text, FILE *out)
{
  fputs(".TP\n\\fB", out);
  put_name(name, strlen(name), out);
  fputs("\\fR\n", out);
  put_text(text, out);
}

static void put_paragraph(const char *text, FILE *out)
{
  fputs(".PP\n", out);
  put_text(text, out);
}

/* ---- pages ---- */

/* Of "bench run" holmberg-bench-run */
static void page_name(const struct hb_opts_command *command, char name[64])
{
  snprintf(name, 64, "holmberg-%s", command->name);
  for (char *c = name; *c; c++)
    if (*c == ' ') *c = '-';
}

static void man_command(const struct hb_opts_command *command, const struct man_edition *edition, FILE *out)
{
  char name[64];
  page_name(command, name);
  put_title(name, edition, out);
  fputs(".SH NAME\n", out);
  put_name(name, strlen(name), out);
  fputs(" \\- ", out);
  put_summary(command->summary, out);
  fprintf(out, ".SH SYNOPSIS\n.B holmberg %s\n", command->name);
  if (command->operand) fprintf(out, command->operand_min ? ".I %s\n" : "[\\fI%s\\fR]\n", command->operand);
  fputs("[\\fIoptions\\fR]\n.SH DESCRIPTION\n", out);
  put_text(command->summary, out);
  fputs(".PP\nNumbers may be written like 0.01, 1e\\-3, 2^\\-8 or 1/256.\n", out);
  if (hb_opts_units_help(command)) put_text(hb_opts_units_help(command), out);
  fputs(".SH OPTIONS\n", out);
  for (size_t k = 0; hb_opts_option_at(command, k); k++) put_option(hb_opts_option_at(command, k), out);
  const struct hb_help more = {out, put_heading, put_entry, put_paragraph, put_verbatim};
  if (command->more_help) fputs(".SH NOTES\n", out), command->more_help(&more);
  fputs(".SH EXAMPLES\n", out);
  put_verbatim(command->example, out);
  fputs(".SH SEE ALSO\n.BR holmberg (1),\n.BR holmberg\\-formats (5)\n", out);
}

/* holmberg(1), up to its environment and exit codes; commands ends with NULL. */
static void man_program(const struct hb_opts_command *const *commands, const struct man_edition *edition,
                        FILE *out)
{
  put_title("holmberg", edition, out);
  fputs(
      ".SH NAME\nholmberg \\- direct gravitational N\\-body integration on OpenGL\n"
      ".SH SYNOPSIS\n.B holmberg\n.I command\n[\\fIoptions\\fR]\n.SH DESCRIPTION\n"
      "Holmberg integrates the motion of N bodies under their mutual gravity, summing all forces directly,\n"
      "on the processor or on anything that has OpenGL 3.3. Each command has a page of its own.\n"
      ".SH COMMANDS\n",
      out);
  for (; *commands; commands++) {
    char name[64];
    page_name(*commands, name);
    fputs(".TP\n.BR ", out);
    put_name(name, strlen(name), out);
    fputs(" (1)\n", out);
    put_text((*commands)->summary, out);
  }
}

/* ---- completion by shells, from the option tables ---- */

static void put_words(struct hb_words words, FILE *out)
{
  for (size_t k = 0; hb_words_any(words) && hb_words_at(words, k); k++)
    fprintf(out, "%s%s", k ? " " : "", hb_words_at(words, k));
}

static int is_file(const char *metavar)
{
  return metavar && (strncmp(metavar, "FILE", 4) == 0 || strcmp(metavar, "FOLDER") == 0);
}

/* ---- bash ---- */

static const char bash_head[] =
    "# Completion for bash, made from the option tables of holmberg.\n"
    "_holmberg() {\n"
    "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} "
    "words= values=\n"
    "  COMPREPLY=()\n"
    "  if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD - 2]}; fi\n"
    "  if ((COMP_CWORD == 1)); then\n"
    "    COMPREPLY=($(compgen -W '%s help --help --version' -- \"$cur\"))\n"
    "    return\n"
    "  fi\n";

static const char bash_tail[] =
    "  if [[ $values == FILE ]]; then return; fi\n"
    "  if [[ $values == NONE ]]; then compopt +o default 2>/dev/null; return; fi\n"
    "  if [[ $values == LIST* ]]; then\n"
    "    local before=\n"
    "    [[ $cur != *,* ]] || before=${cur%,*},\n"
    "    COMPREPLY=($(compgen -P \"$before\" -W \"${values#LIST}\" -- \"${cur##*,}\"))\n"
    "  elif [[ -n $values ]]; then\n"
    "    COMPREPLY=($(compgen -W \"$values\" -- \"$cur\"))\n"
    "  else\n"
    "    COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
    "  fi\n"
    "}\n"
    "complete -o default -F _holmberg holmberg\n";

static void bash_option(const struct hb_setting *option, FILE *out)
{
  if (option->kind == HB_SETTING_FLAG) return;
  fprintf(out, "      --%s%s", option->name, option->letter ? " | -" : "");
  if (option->letter) fputc(option->letter, out);
  fputs(") values=", out);
  if (hb_words_any(option->words)) {
    fputs(option->kind == HB_SETTING_WORDS ? "'LIST" : "'", out);
    put_words(option->words, out);
    fputc('\'', out);
  } else {
    fputs(is_file(option->metavar) ? "FILE" : "NONE", out);
  }
  fputs(" ;;\n", out);
}

static void bash_command(const struct hb_opts_command *command, FILE *out)
{
  fprintf(out, "  '%s')\n    words='", command->name);
  put_words(command->operand_words, out);
  for (size_t k = 0; hb_opts_option_at(command, k); k++)
    fprintf(out, " --%s", hb_opts_option_at(command, k)->name);
  fputs("'\n    case $prev in\n", out);
  for (size_t k = 0; hb_opts_option_at(command, k); k++) bash_option(hb_opts_option_at(command, k), out);
  fputs("    esac\n    ;;\n", out);
}

/* A pattern of the first words of the commands that have two. */
static void put_pairs(const struct hb_opts_command *const *commands, FILE *out)
{
  fputs("  case \"$command ${COMP_WORDS[2]}\" in\n  ", out);
  for (int count = 0; *commands; commands++)
    if (strchr((*commands)->name, ' ')) fprintf(out, "%s'%s'", count++ ? " | " : "", (*commands)->name);
  fputs(")\n    ((COMP_CWORD == 2)) || command+=\" ${COMP_WORDS[2]}\"\n    ;;\n  esac\n", out);
}

static void completion_bash(const struct hb_opts_command *const *commands, FILE *out)
{
  char names[512] = "";
  for (size_t k = 0; commands[k]; k++)
    if (!strchr(commands[k]->name, ' ') && strlen(names) + strlen(commands[k]->name) + 2 < sizeof names)
      strcat(strcat(names, *names ? " " : ""), commands[k]->name);
  fprintf(out, bash_head, names);
  put_pairs(commands, out);
  fputs("  case $command in\n", out);
  for (size_t k = 0; commands[k]; k++) bash_command(commands[k], out);
  fputs("  esac\n", out);
  fputs(bash_tail, out);
}

/* ---- zsh ---- */

/* Within a word in single quotes, of the form '--name[help]:value:action'. */
static void zsh_text(const char *text, FILE *out)
{
  for (; *text; text++) {
    if (strchr("[]:\\", *text)) fputc('\\', out);
    fputs(*text == '\'' ? "'\\''" : (char[]){*text, 0}, out);
  }
}

static void zsh_value(const char *metavar, struct hb_words words, int is_list, FILE *out)
{
  fprintf(out, ":%s:", metavar);
  if (hb_words_any(words)) {
    fputs(is_list ? "_values -s , word " : "(", out);
    put_words(words, out);
    if (!is_list) fputc(')', out);
  } else if (is_file(metavar)) {
    fputs("_files", out);
  }
}

static void zsh_option(const struct hb_setting *option, FILE *out)
{
  char text[HB_OPTS_TEXT];
  for (int with_letter = 0; with_letter < (option->letter ? 2 : 1); with_letter++) {
    if (with_letter)
      fprintf(out, " \\\n        '-%c[", option->letter);
    else
      fprintf(out, " \\\n        '--%s%s[", option->name, option->kind == HB_SETTING_FLAG ? "" : "=");
    zsh_text(hb_opts_help_of(option, text), out);
    fputc(']', out);
    if (option->kind != HB_SETTING_FLAG)
      zsh_value(option->metavar, option->words, option->kind == HB_SETTING_WORDS, out);
    fputc('\'', out);
  }
}

static void zsh_command(const struct hb_opts_command *command, FILE *out)
{
  fprintf(out, "    '%s')\n      _arguments", command->name);
  for (size_t k = 0; hb_opts_option_at(command, k); k++) zsh_option(hb_opts_option_at(command, k), out);
  if (command->operand) {
    fprintf(out, " \\\n        '%s", command->operand_max > 1 ? "*" : "1");
    zsh_value(command->operand, command->operand_words, 0, out);
    fputc('\'', out);
  }
  fputs("\n      ;;\n", out);
}

static void completion_zsh(const struct hb_opts_command *const *commands, FILE *out)
{
  fputs("#compdef holmberg\n"
        "# Completion for zsh, made from the option tables of holmberg.\n"
        "_holmberg() {\n  local -a commands=(\n",
        out);
  for (size_t k = 0; commands[k]; k++) {
    if (strchr(commands[k]->name, ' ')) continue;
    fprintf(out, "    '%s:", commands[k]->name);
    zsh_text(commands[k]->summary, out);
    fputs("'\n", out);
  }
  fputs("  )\n  if ((CURRENT == 2)); then\n    _describe command commands\n    return\n  fi\n"
        "  local name=$words[2]\n  shift words\n  ((CURRENT--))\n"
        "  case \"$name $words[2]\" in\n  ",
        out);
  for (size_t k = 0, count = 0; commands[k]; k++)
    if (strchr(commands[k]->name, ' ')) fprintf(out, "%s'%s'", count++ ? "|" : "", commands[k]->name);
  fputs(")\n    if ((CURRENT > 2)); then\n      name+=\" $words[2]\"\n      shift words\n      "
        "((CURRENT--))\n    fi\n"
        "    ;;\n  esac\n  case $name in\n",
        out);
  for (size_t k = 0; commands[k]; k++) zsh_command(commands[k], out);
  fputs("  esac\n}\n_holmberg \"$@\"\n", out);
}

/* ---- the package for Python ---- */

/* Of a setting that is a number, a choice or a file: what it measures, its words. */
static void python_setting(const struct hb_setting *row, const char *help, FILE *out)
{
  char name[HB_SETTING_NAME];
  int is_choice = row->kind == HB_SETTING_CHOICE, is_auto_count = row->kind == HB_SETTING_AUTO_COUNT;
  int is_number = row->kind >= HB_SETTING_NUMBER && row->kind <= HB_SETTING_POWER && row->unit == 0;
  int is_file = *help && row->is_idle && row->kind == HB_SETTING_TEXT;
  int is_whole = *help && row->kind == HB_SETTING_WHOLE;
  if (!is_choice && !is_number && !is_auto_count && !is_file && !is_whole &&
      row->of != HB_SETTING_FIELD_WORDS)
    return;
  fprintf(out, "    \"%s\": Setting(%d, %d, %d, [", hb_setting_param(row, name), is_file ? -2 : row->of,
          row->is_astro, row->kind == HB_SETTING_POWER);
  for (size_t w = 0; is_choice && hb_words_at(row->words, w); w++)
    fprintf(out, "%s\"%s\"", w ? ", " : "", hb_words_at(row->words, w));
  fprintf(out, "], %d, %s",
          is_auto_count ? 1
          : is_whole    ? 2
                        : 0,
          row->kind == HB_SETTING_NOT_NEGATIVE && *help && row->fallback ? row->fallback : "0");
  if (*help)
    fprintf(out, ",\n        \"%s%s%s%s\"", help, row->fallback ? " (default " : "",
            row->fallback ? row->fallback : "", row->fallback ? ")" : "");
  fputs("),\n", out);
}

/* Those of forces have a place of their own. */
static int is_force(const struct hb_setting *row)
{
  const size_t at = offsetof(struct hb_sim_params, force);
  return row->at >= at && row->at < at + sizeof(struct hb_force_params);
}

static void python_package(FILE *out)
{
  const struct hb_setting *row;
  fputs("\"\"\"The settings of simulations and models, written by the build into manual/_settings.py.\"\"\"\n"
        "# flake8: noqa\n"
        "from typing import List, NamedTuple\n\n\n"
        "class Setting(NamedTuple):\n"
        "    of: int  # what a number measures, HB_DIMENSION_...; -1: words with numbers; -2: a file\n"
        "    is_astro: int  # 1: it is in Myr, pc, km/s or solar masses\n"
        "    is_power: int  # 1: a power of two\n"
        "    words: List[str]  # of a choice, by the values of its enum\n"
        "    is_count: int  # 1: 'auto', 0 for none, or a number; 2: a whole number\n"
        "    fallback: float = 0  # of a number that may be 0\n"
        "    help: str = \"\"\n\n\n"
        "SIM = {\n",
        out);
  for (size_t k = 0; (row = hb_setting_at(hb_sim_settings, k)); k++)
    if (!is_force(row)) python_setting(row, row->help, out);
  fputs("}\n\nIC = {\n", out);
  for (size_t k = 0; (row = hb_opts_option_at(&hb_cmd_ic, k)); k++) python_setting(row, "", out);
  fputs("}\n", out);
}

/* ---- the files ---- */

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
  const struct man_edition edition = {.version = words[2], .date = words[3]};
  int failed = 0;
  for (size_t k = 0; hb_commands[k] && !failed; k++) {
    char name[64];
    snprintf(name, sizeof name, "holmberg-%s", hb_commands[k]->name);
    FILE *out = create(words[1], name, ".1");
    if (out) man_command(hb_commands[k], &edition, out);
    failed = !out || fclose(out) != 0;
  }
  FILE *page = create(words[1], "holmberg", ".1");
  FILE *bash = create(words[1], "holmberg", ".bash");
  FILE *zsh = create(words[1], "_holmberg", "");
  FILE *python = create(words[1], "_settings", ".py");
  if (!page || !bash || !zsh || !python) return 1;
  man_program(hb_commands, &edition, page);
  completion_bash(hb_commands, bash);
  completion_zsh(hb_commands, zsh);
  python_package(python);
  return failed || fclose(page) || fclose(bash) || fclose(zsh) || fclose(python);
}

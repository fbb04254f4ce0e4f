#include "manual/completion.h"

#include <string.h>

/* ---- of both ---- */

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

static void bash_option(const struct hb_opts_option *option, FILE *out)
{
  if (option->kind == HB_OPTS_FLAG) return;
  fprintf(out, "      --%s%s", option->name, option->letter ? " | -" : "");
  if (option->letter) fputc(option->letter, out);
  fputs(") values=", out);
  if (hb_words_any(option->words)) {
    fputs(option->kind == HB_OPTS_WORDS ? "'LIST" : "'", out);
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

void hb_completion_bash(const struct hb_opts_command *const *commands, FILE *out)
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

static void zsh_option(const struct hb_opts_option *option, FILE *out)
{
  for (int with_letter = 0; with_letter < (option->letter ? 2 : 1); with_letter++) {
    if (with_letter)
      fprintf(out, " \\\n        '-%c[", option->letter);
    else
      fprintf(out, " \\\n        '--%s%s[", option->name, option->kind == HB_OPTS_FLAG ? "" : "=");
    zsh_text(option->help, out);
    fputc(']', out);
    if (option->kind != HB_OPTS_FLAG)
      zsh_value(option->metavar, option->words, option->kind == HB_OPTS_WORDS, out);
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

void hb_completion_zsh(const struct hb_opts_command *const *commands, FILE *out)
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

/* holmberg COMMAND: finds the command in a table, hands it its options, turns its status into a sentence and
 * an exit code. */
#include "base/log.h"
#include "base/mem.h"
#include "cli/cmd.h"
#include "console/terminal.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const struct hb_opts_command *const commands[] = {
    &hb_cmd_ic,    &hb_cmd_run,   &hb_cmd_plot,      &hb_cmd_view, &hb_cmd_render, &hb_cmd_trace,
    &hb_cmd_bench, &hb_cmd_model, &hb_cmd_reproduce, &hb_cmd_tune, &hb_cmd_info,
};

enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static const char *command_choice(size_t k) { return k < COMMAND_COUNT ? commands[k]->name : NULL; }

static const char *option_choice(size_t k)
{
  static const char *const words[] = {"--help", "--version", NULL};
  return words[k];
}

static void print_help(void)
{
  puts("usage: holmberg COMMAND [options]\n\n"
       "Direct gravitational N-body integration on OpenGL.\n\n"
       "commands:");
  for (size_t k = 0; k < COMMAND_COUNT; k++) {
    char name[32];
    snprintf(name, sizeof name, "  %s", commands[k]->name);
    hb_opts_help_row(name, commands[k]->summary, stdout);
  }
  puts("\noptions:");
  hb_opts_help_row("  -h, --help", "print this and stop; 'holmberg COMMAND --help' explains a command",
                   stdout);
  hb_opts_help_row("  -v, --version", "print the version and stop", stdout);
  puts("\nexit codes: 0 done, 1 internal, 2 usage, 3 bad input, 4 reading or writing failed,\n"
       "  5 no OpenGL device or one that lacks what is needed, 6 device fault, 7 numerical failure,\n"
       "  75 stopped before the end by a signal or --max-hours\n\n"
       "example:\n"
       "  holmberg ic plummer -n 1024 && holmberg run plummer.h5 --t-end 0.5 -o end.h5");
}

static void print_version(void) { printf("holmberg %s\n", hb_version()); }

static enum hb_status work(const struct hb_opts_command *command, int count, char **words)
{
  const char **operands;
  HB_TRY(HB_ALLOC((size_t)count, &operands));
  struct hb_opts opts;
  enum hb_opts_question asked;
  enum hb_status status = hb_opts_parse(command, count, words, operands, &opts, &asked);
  if (status == HB_OK && asked)
    asked == HB_OPTS_HELP ? hb_opts_help(command, stdout) : print_version();
  else if (status == HB_OK)
    status = command->work(&opts);
  hb_mem_free(operands);
  return status;
}

static const struct hb_opts_command *find_command(const char *name)
{
  for (size_t k = 0; k < COMMAND_COUNT; k++)
    if (strcmp(commands[k]->name, name) == 0) return commands[k];
  return NULL;
}

/* The branch whose name has word as its second; NULL: none. */
static const struct hb_opts_command *find_branch(const struct hb_opts_command *command, const char *word)
{
  const struct hb_opts_command *branch = command->branch;
  while (branch && strcmp(strchr(branch->name, ' ') + 1, word) != 0) branch = branch->branch;
  return branch;
}

/* The command that the first words name, and how many of them. */
static enum hb_status name_command(int count, char **words, const struct hb_opts_command **command,
                                   int *taken)
{
  *command = find_command(words[0]);
  if (!*command) return hb_opts_unknown("command", words[0], command_choice);
  const struct hb_opts_command *branch = count > 1 ? find_branch(*command, words[1]) : NULL;
  *taken = branch ? 2 : 1;
  if (branch) *command = branch;
  return HB_OK;
}

/* "holmberg help bench run" */
static enum hb_status help(int count, char **words)
{
  const struct hb_opts_command *command;
  int taken;
  if (count == 0) return print_help(), HB_OK;
  HB_TRY(name_command(count, words, &command, &taken));
  return hb_opts_help(command, stdout), HB_OK;
}

/* The part of the command line that belongs to no command; *command is set when there is one. */
static enum hb_status dispatch(int argc, char **argv, const struct hb_opts_command **command)
{
  if (argc < 2) return hb_fail(HB_ERR_USAGE, "no command given");
  const char *word = argv[1];
  int taken;
  if (hb_opts_question_of(word) == HB_OPTS_HELP) return print_help(), HB_OK;
  if (hb_opts_question_of(word) == HB_OPTS_VERSION) return print_version(), HB_OK;
  if (strcmp(word, "help") == 0) return help(argc - 2, argv + 2);
  if (*word == '-') return hb_opts_unknown("option", word, option_choice);
  HB_TRY(name_command(argc - 1, argv + 1, command, &taken));
  return work(*command, argc - 1 - taken, argv + 1 + taken);
}

/* A closed standard stream stays unusable, but its number is taken: else a file of ours could get it, and the table be
 * printed into that file. */
static void keep_streams(void)
{
  static const int flags[] = {O_WRONLY, O_RDONLY, O_RDONLY};
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", flags[fd]) < 0)
      return; /* the lowest number that is free */
}

int main(int argc, char **argv)
{
  keep_streams();
  signal(SIGPIPE, SIG_IGN); /* a reader that went away is an error of write(), not a death, */
  signal(SIGXFSZ, SIG_IGN); /* and so is a file that may not grow                          */
  hb_log_set_warning_sink(hb_terminal_note);
  signal(SIGCHLD, SIG_DFL); /* we wait for gnuplot and ffmpeg, whatever the caller ignores */
  const struct hb_opts_command *command = NULL;
  enum hb_status status = dispatch(argc, argv, &command);
  if (status == HB_OK) status = hb_terminal_flush();
  hb_terminal_clear_progress();
  if (status != HB_OK) hb_terminal_error(status, command ? command->name : NULL);
  return (int)status;
}

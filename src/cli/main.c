/* holmberg COMMAND: finds the command, parses its options, runs it, and turns its status into a message and an exit
 * code. */
#include "base/log.h"
#include "base/mem.h"
#include "base/ranks.h"
#include "base/status.h"
#include "cli/cmd.h"
#include "console/terminal.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* The k-th command whose name is a single word. */
static const struct hb_opts_command *command_at(size_t k)
{
  const struct hb_opts_command *const *c = hb_commands;
  for (; *c; c++)
    if (!strchr((*c)->name, ' ') && k-- == 0) break;
  return *c;
}

static const char *command_name(size_t k) { return command_at(k) ? command_at(k)->name : NULL; }

static void print_help(void)
{
  puts("usage: holmberg COMMAND [options]\n\n"
       "Direct gravitational N-body integration on OpenGL.\n\n"
       "commands:");
  for (size_t k = 0; command_at(k); k++) hb_opts_help_entry(command_name(k), command_at(k)->summary, stdout);
  puts("\noptions:");
  hb_opts_help_row("  -h, --help", "print this help and exit; 'holmberg COMMAND --help' explains a command",
                   stdout);
  hb_opts_help_row("  -v, --version", "print the version and exit", stdout);
  puts("\nexit codes: 0 done, 1 internal, 2 usage, 3 bad input, 4 reading or writing failed,\n"
       "  5 no OpenGL device, or one that lacks a needed feature, 6 device fault, 7 numerical failure,\n"
       "  75 stopped before the end by a signal or --max-hours\n\n"
       "example:\n"
       "  holmberg ic plummer -n 1024 && holmberg run plummer.h5 --t-end 0.5 -o end.h5");
}

static void print_version(void) { printf("holmberg %s\n", hb_library_version()); }

/* Several ranks do the work of a command together, or rank 0 does it alone. */
static int is_idle(const struct hb_opts_command *command)
{
  return hb_ranks_number() > 0 && !(command && command->by_ranks);
}

static enum hb_status work(const struct hb_opts_command *command, int count, char **words)
{
  if (command->by_ranks) HB_TRY(hb_ranks_open(count, words));
  enum hb_opts_question asked = hb_opts_question(count, words);
  if (asked == HB_OPTS_VERSION) return print_version(), HB_OK;
  if (asked == HB_OPTS_HELP) return hb_opts_help(command, stdout), HB_OK;
  struct hb_opts opts;
  char *settings;
  HB_TRY(HB_ALLOC(command->settings_size, &settings));
  enum hb_status status = hb_opts_parse(command, count, words, settings, &opts);
  if (status == HB_OK) status = hb_opts_check_powers(&opts);
  if (status == HB_OK && command->has_no_units)
    status = hb_opts_convert(&opts, NULL, &(struct hb_units){0}, 0); /* which says so where a word has one */
  status = hb_ranks_agree(status);
  if (status == HB_OK) status = command->work(&opts);
  hb_mem_free(settings);
  return status;
}

static enum hb_status name_command(int count, char **words, const struct hb_opts_command **command)
{
  const struct hb_words names = {.at = command_name, .what = "command"};
  *command = strchr(words[0], ' ') ? NULL : hb_cmd_find(count, words);
  return *command ? HB_OK : hb_words_unknown(names, words[0]);
}

/* "holmberg help bench run" */
static enum hb_status help(int count, char **words)
{
  const struct hb_opts_command *command;
  if (count == 0) return print_help(), HB_OK;
  HB_TRY(name_command(count, words, &command));
  return hb_opts_help(command, stdout), HB_OK;
}

/* Handles what belongs to no command; *command is set if there is one. */
static enum hb_status dispatch(int argc, char **argv, const struct hb_opts_command **command)
{
  if (argc < 2) return hb_fail(HB_ERR_USAGE, "no command given");
  static const char *const options[] = {"--help", "--version", NULL};
  char *word = argv[1];
  enum hb_opts_question asked = hb_opts_question(1, &word);
  if (asked == HB_OPTS_HELP) return print_help(), HB_OK;
  if (asked == HB_OPTS_VERSION) return print_version(), HB_OK;
  if (strcmp(word, "help") == 0) return help(argc - 2, argv + 2);
  if (*word == '-') return hb_words_unknown((struct hb_words){.array = options, .what = "option"}, word);
  HB_TRY(name_command(argc - 1, argv + 1, command));
  if (is_idle(*command)) return HB_OK;
  int taken = strchr((*command)->name, ' ') ? 2 : 1;
  return work(*command, argc - 1 - taken, argv + 1 + taken);
}

/* Occupies the number of a closed standard stream: otherwise a file of ours could get it, and the table would be printed
 * into that file. */
static void keep_streams(void)
{
  static const int flags[] = {O_WRONLY, O_RDONLY, O_RDONLY};
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
    if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", flags[fd]) < 0) return; /* takes the lowest free number */
}

/* Rank 0 speaks for all. */
static void keep_silent(void)
{
  int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere < 0) return;
  dup2(nowhere, STDOUT_FILENO);
  close(nowhere);
  hb_terminal.is_silent = 1;
}

/* The exit code: of a failure that all ranks know of, rank 0 reports it. */
static int end(enum hb_status status, const struct hb_opts_command *command)
{
  int alone = 0;
  status = hb_ranks_close(status, &alone);
  if (alone) hb_terminal.is_silent = 0;
  if (alone && hb_ranks_number() > 0) {
    char who[64];
    snprintf(who, sizeof who, "rank %d of %d", hb_ranks_number(), hb_ranks_count());
    hb_fail_in(status, who);
  }
  if (status != HB_OK) hb_terminal_error(status, command ? command->name : NULL);
  if (alone) hb_ranks_kill(status);
  return hb_ranks_number() > 0 ? 0 : (int)status;
}

int main(int argc, char **argv)
{
  keep_streams();
  hb_ranks_detect();
  if (hb_ranks_number() > 0) keep_silent();
  signal(SIGPIPE, SIG_IGN); /* a lost reader is an error of write(), not a death, */
  signal(SIGXFSZ, SIG_IGN); /* and so is a file that may not grow               */
  hb_log_set_sink(HB_LOG_WARNINGS, hb_terminal_note);
  signal(SIGCHLD, SIG_DFL); /* we wait for gnuplot and ffmpeg, whatever the caller ignores */
  const struct hb_opts_command *command = NULL;
  enum hb_status status = dispatch(argc, argv, &command);
  if (status == HB_OK) status = hb_terminal_flush();
  hb_terminal_clear_progress();
  return end(status, command);
}

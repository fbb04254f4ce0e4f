/* Child processes. They are spawned, never forked: the library is used inside other programs, whose threads, locks and
 * drivers a fork would copy in the middle of their work. */
#ifndef HB_PROCESS_H
#define HB_PROCESS_H

#include "base/status.h"

#include <limits.h>
#include <sys/types.h>

enum hb_process_flags {
  HB_PROCESS_TO = 1,     /* its standard input is our pipe `to`; else /dev/null      */
  HB_PROCESS_FROM = 2,   /* its standard output is our pipe `from`; else /dev/null   */
  HB_PROCESS_SILENT = 4, /* its standard error is /dev/null; else ours               */
  HB_PROCESS_SAID = 8,   /* its standard error is our pipe `said`                    */
  HB_PROCESS_APART = 16  /* Ctrl-C at the terminal is not for it                     */
};

struct hb_process {
  pid_t pid;
  int to, from, said; /* -1: none */
};

/* words end with NULL; the first is searched in PATH unless it has a slash. The child starts with default signal handling.
 * Errors: HB_ERR_IO with the program's name (HB_ERR_USAGE: it is not installed); *process is invalid then. */
enum hb_status hb_process_start(const char *const *words, unsigned flags, struct hb_process *process);

/* The same with an open file as its standard input, which remains the caller's; excludes HB_PROCESS_TO. */
enum hb_status hb_process_start_on(const char *const *words, unsigned flags, int file,
                                   struct hb_process *process);

/* How a program ended. */
struct hb_process_end {
  int code; /* exit code, 0 to 255; -1: a signal, or unknown because the host program collects its children itself */
  int signal; /* 0: none */
};

/* Closes one of its pipes; closing `to` ends the program's input. */
void hb_process_close(int *pipe);

/* Closes the remaining pipes and waits for the end. */
struct hb_process_end hb_process_end(struct hb_process *process);

/* Sends SIGKILL, unless it has been waited for. */
void hb_process_kill(struct hb_process *process);

/* Whether it was ended by a fault, such as SIGSEGV, and not by a signal that asks a program to end. */
int hb_process_crashed(struct hb_process_end end);

/* A file that belongs to the program: what the environment variable names, or seen from this program or shared library beside
 * it, one folder above, in ../libexec/holmberg or ../../libexec/holmberg. Errors: HB_ERR_IO (not found). */
enum hb_status hb_process_beside(const char *name, const char *variable, char path[PATH_MAX]);

/* The helper program for work that may crash, holmberg-child or HB_CHILD. */
enum hb_status hb_process_child(char path[PATH_MAX]);

#endif

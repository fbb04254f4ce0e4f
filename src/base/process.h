/* Programs that run beside ours. They are spawned, never forked: the library lives in other people's programs, whose
 * threads, locks and drivers a fork would copy in the middle of their work. */
#ifndef HB_PROCESS_H
#define HB_PROCESS_H

#include "base/status.h"

#include <sys/types.h>

enum hb_process_flags {
  HB_PROCESS_TO = 1,     /* its standard input is our pipe `to`; else /dev/null      */
  HB_PROCESS_FROM = 2,   /* its standard output is our pipe `from`; else /dev/null   */
  HB_PROCESS_SILENT = 4, /* its standard error is /dev/null; else ours               */
  HB_PROCESS_SAID = 8    /* its standard error is our pipe `said`                    */
};

struct hb_process {
  pid_t pid;
  int to, from, said; /* -1: none */
};

/* words end with NULL; the first is looked for in PATH unless it has a slash. All signals have their default effect in it.
 * Errors: HB_ERR_IO with the program's name (HB_ERR_USAGE: it is not installed); *process is not to be used then. */
enum hb_status hb_process_start(const char *const *words, unsigned flags, struct hb_process *process);

/* The same with an open file, which stays the caller's, as its standard input; without HB_PROCESS_TO then. */
enum hb_status hb_process_start_on(const char *const *words, unsigned flags, int file,
                                   struct hb_process *process);

/* How a program ended. */
struct hb_process_end {
  int code; /* exit code, 0 to 255; -1: a signal, or unknown because the host program collects its children itself */
  int signal; /* 0: none */
};

/* Closes one of its pipes; closing `to` ends what the program reads. */
void hb_process_close(int *pipe);

/* Closes the pipes that are still open and waits. */
struct hb_process_end hb_process_end(struct hb_process *process);

/* Sends SIGKILL, unless it has been waited for. */
void hb_process_kill(struct hb_process *process);

/* Whether it ended by a signal of a fault, such as SIGSEGV, and not by one that asks a program to end. */
int hb_process_crashed(struct hb_process_end end);

/* The program that does what may crash: holmberg-child beside this program, one folder above it, or in
 * ../libexec/holmberg; HB_CHILD names another. Errors: HB_ERR_IO (not found). */
enum hb_status hb_process_child(char path[4096]);

#endif

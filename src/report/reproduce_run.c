
#include "base/clock.h"
#include "base/draft.h"
#include "base/mem.h"
#include "base/process.h"
#include "base/text.h"
#include "console/signals.h"
#include "console/terminal.h"
#include "report/reproduce_job.h"
#include "report/reproduce_plan.h"
#include "report/reproduce_rows.h"
#include "report/reproduce_sources.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- one child --------------------------------------------------------------------------------------- */

enum { WORDS_MOST = 64, POLL_MS = 10 };

/* "NAME=value holmberg run ..." by env, with this program in place of holmberg. */
static enum hb_status start(const struct hb_job *job, struct hb_process *process)
{
  char command[sizeof job->command], self[64];
  const char *words[WORDS_MOST] = {"env"};
  size_t count = 1;
  strcpy(command, job->command);
  snprintf(self, sizeof self, "/proc/%ld/exe", (long)getpid());
  for (char *rest, *w = strtok_r(command, " ", &rest); w && count + 1 < WORDS_MOST;
       w = strtok_r(NULL, " ", &rest))
    words[count++] = strcmp(w, "holmberg") == 0 ? self : w;
  enum hb_status status = hb_process_start(words, HB_PROCESS_FROM | HB_PROCESS_SAID, process);
  return status == HB_OK ? HB_OK : hb_fail_in(HB_ERR_IO, job->name);
}

/* ---- the bar ----------------------------------------------------------------------------------------- */

/* Estimated seconds of the jobs done and of all, and when the first job of this session began. */
struct progress {
  double done_s, all_s, began;
  size_t done, all; /* jobs */
};

static void show(const struct progress *p, double job_s, double estimate_s)
{
  if (!hb_terminal_is_live() || !(p->all_s > 0)) return;
  hb_terminal_progress((p->done_s + fmin(job_s, estimate_s)) / p->all_s, hb_clock_now() - p->began);
}

/* Without a progress bar, a line for each finished job. */
static void say(const struct progress *p, const struct hb_job *job, double seconds)
{
  if (hb_terminal_is_live()) return;
  printf("job %zu of %zu, %.1f s: %s\n", p->done, p->all, seconds, job->command);
  fflush(stdout);
}

/* Appends what can be read; closes the pipe at its end. */
static enum hb_status take(int *pipe, struct hb_text *text)
{
  char part[16384];
  ssize_t got = read(*pipe, part, sizeof part);
  if (got > 0) return hb_text_append_bytes(text, part, (size_t)got);
  if (got == 0 || errno != EINTR) hb_process_close(pipe);
  return HB_OK;
}

/* Collects what the child writes until it ends, and forwards a signal to stop. */
static enum hb_status listen(struct hb_process *child, const struct hb_job *job,
                             const struct progress *progress, struct hb_text *rows, struct hb_text *said)
{
  double began = hb_clock_now();
  int forwarded = 0;
  while (child->from >= 0 || child->said >= 0) {
    struct pollfd pipes[] = {{child->from, POLLIN, 0}, {child->said, POLLIN, 0}}; /* -1 is ignored */
    if (hb_signals_stop() && !forwarded++) kill(child->pid, SIGTERM);
    show(progress, hb_clock_now() - began, job->estimate_s);
    if (poll(pipes, 2, POLL_MS) <= 0) continue;
    if (pipes[0].revents) HB_TRY(take(&child->from, rows));
    if (pipes[1].revents) HB_TRY(take(&child->said, said));
  }
  return HB_OK;
}

/* ---- one job ----------------------------------------------------------------------------------------- */

/* The child's first line of standard error, without the program's name. */
static void note_failure(struct hb_job *job, const struct hb_text *said, struct hb_process_end end)
{
  const char *line = said->length ? said->text : "";
  line += strncmp(line, "holmberg: ", 10) == 0 ? 10 : 0;
  if (end.signal)
    snprintf(job->failure, sizeof job->failure, "signal %d", end.signal);
  else
    snprintf(job->failure, sizeof job->failure, "exit code %d: %.*s", end.code, (int)strcspn(line, "\n"),
             line);
}

static enum hb_status run_job(struct hb_job *job, const struct progress *progress)
{
  struct hb_process child;
  struct hb_text rows = {0}, said = {0};
  double began = hb_clock_now();
  HB_TRY(start(job, &child));
  enum hb_status status = listen(&child, job, progress, &rows, &said);
  if (status != HB_OK) hb_process_kill(&child);
  struct hb_process_end end = hb_process_end(&child);
  if (status == HB_OK && hb_signals_stop())
    status =
        hb_fail(HB_ERR_STOPPED, "stopped by %s; the same command continues from here", hb_signals_stop());
  else if (end.code != 0)
    note_failure(job, &said, end);
  /* what a probe cannot do this machine cannot do: that is an answer; other failures are retried next time */
  if (status == HB_OK && (!*job->failure || job->kind == HB_JOB_PROBE))
    status = hb_job_keep(job, hb_clock_now() - began, rows.text, rows.length);
  job->wall_s = hb_clock_now() - began;
  job->is_done = status == HB_OK && !*job->failure;
  hb_mem_free(rows.text);
  hb_mem_free(said.text);
  return status;
}

/* ---- all jobs ---------------------------------------------------------------------------------------- */

static enum hb_status resume(struct hb_reproduction *r)
{
  for (size_t k = 0; k < r->job_count; k++) {
    struct hb_job *job = &r->jobs[k];
    if (job->is_done || job->is_left_out || !hb_job_is_kept(job)) continue;
    job->is_done = 1;
    HB_TRY(hb_job_read(job, r));
  }
  return HB_OK;
}

static int is_due(const struct hb_job *job) { return !job->is_done && !job->is_left_out && !*job->failure; }

static struct progress progress_of(const struct hb_reproduction *r)
{
  struct progress progress = {.began = hb_clock_now()};
  for (size_t k = 0; k < r->job_count; k++)
    if (is_due(&r->jobs[k])) progress.all++, progress.all_s += r->jobs[k].estimate_s;
  return progress;
}

/* In their order, on the machine that the folder belongs to. */
static enum hb_status run_due(struct hb_reproduction *r)
{
  HB_TRY(resume(r));
  struct progress progress = progress_of(r);
  if (progress.all) HB_TRY(hb_reproduce_check_machine(r));
  for (size_t k = 0; k < r->job_count; k++) {
    struct hb_job *job = &r->jobs[k];
    if (!is_due(job)) continue;
    double began = hb_clock_now();
    HB_TRY(run_job(job, &progress));
    progress.done++;
    progress.done_s += job->estimate_s;
    say(&progress, job, hb_clock_now() - began);
    if (job->is_done)
      HB_TRY(hb_job_read(job, r));
    else if (job->kind != HB_JOB_PROBE)
      hb_terminal_note(hb_phrase("job %s failed: %s", job->name, job->failure));
  }
  hb_terminal_clear_progress();
  return HB_OK;
}

static void say_estimate(const struct hb_reproduction *r)
{
  struct progress due = progress_of(r);
  size_t done = 0;
  char text[32];
  for (size_t k = 0; k < r->job_count; k++) done += (size_t)r->jobs[k].is_done;
  hb_terminal_duration(due.all_s, text);
  if (due.all == 0)
    printf("%zu job%s done, 0 are to do\n", done, done == 1 ? " is" : "s are");
  else
    printf("%zu job%s done, %zu %s to do: about %s on this machine, by its measured rates\n", done,
           done == 1 ? " is" : "s are", due.all, due.all == 1 ? "is" : "are", text);
  fflush(stdout);
}

enum hb_status hb_reproduce_run(struct hb_reproduction *r)
{
  HB_TRY(hb_reproduce_open_machine(r));
  for (int stage = 0; stage < 2; stage++) {
    HB_TRY(hb_reproduce_plan_probes(r, stage));
    HB_TRY(run_due(r));
    HB_TRY(hb_reproduce_take_probes(r, stage));
  }
  HB_TRY(hb_reproduce_plan(r));
  HB_TRY(resume(r));
  say_estimate(r);
  return run_due(r);
}

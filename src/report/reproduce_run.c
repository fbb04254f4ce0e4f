#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/process.h"
#include "report/commit.h"
#include "base/json.h"
#include "report/reproduce.h"
#include "console/signals.h"
#include "console/terminal.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- one child --------------------------------------------------------------------------------------- */

enum { WORDS_MOST = 64, POLL_MS = 10 };

/* "NAME=value holmberg run ..." by env, with this program in holmberg's place. */
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

/* Estimates of what is done and of all, against the clock since the first job of this sitting. */
struct progress {
  double done_s, all_s, began;
  size_t done, all; /* jobs */
};

static void show(const struct progress *p, double job_s, double estimate_s)
{
  if (!hb_terminal_is_live() || !(p->all_s > 0)) return;
  hb_terminal_progress((p->done_s + fmin(job_s, estimate_s)) / p->all_s, hb_clock_now() - p->began);
}

/* Without a progress bar, a line for each job that has ended. */
static void say(const struct progress *p, const struct hb_job *job, double seconds)
{
  if (hb_terminal_is_live()) return;
  printf("job %zu of %zu, %.1f s: %s\n", p->done, p->all, seconds, job->command);
  fflush(stdout);
}

/* Appends what there is to read; closes the pipe at its end. */
static enum hb_status take(int *pipe, struct hb_text *text)
{
  char part[16384];
  ssize_t got = read(*pipe, part, sizeof part);
  if (got > 0) return hb_text_append_bytes(text, part, (size_t)got);
  if (got == 0 || errno != EINTR) hb_process_close(pipe);
  return HB_OK;
}

/* Takes what the child writes until it ends, and passes a signal to stop on to it. */
static enum hb_status listen(struct hb_process *child, const struct hb_job *job,
                             const struct progress *progress, struct hb_text *rows, struct hb_text *said)
{
  double began = hb_clock_now();
  int told = 0;
  while (child->from >= 0 || child->said >= 0) {
    struct pollfd pipes[] = {{child->from, POLLIN, 0}, {child->said, POLLIN, 0}}; /* -1 is left alone */
    if (hb_signals_stop() && !told++) kill(child->pid, SIGTERM);
    show(progress, hb_clock_now() - began, job->estimate_s);
    if (poll(pipes, 2, POLL_MS) <= 0) continue;
    if (pipes[0].revents) HB_TRY(take(&child->from, rows));
    if (pipes[1].revents) HB_TRY(take(&child->said, said));
  }
  return HB_OK;
}

/* ---- one job ----------------------------------------------------------------------------------------- */

static void file_of(const struct hb_job *job, char path[128])
{
  snprintf(path, 128, "jobs/%s.jsonl", job->name);
}

static enum hb_status write_header(FILE *file, const struct hb_job *job, double wall_s)
{
  char date[32];
  time_t now = time(NULL);
  strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
  struct hb_json json = {.out = file};
  hb_json_open_object(&json, NULL);
  hb_json_text(&json, "command", job->command);
  hb_json_text(&json, "version", hb_version());
  hb_json_text(&json, "commit", hb_commit);
  hb_json_text(&json, "date", date);
  hb_json_number(&json, "estimate_s", job->estimate_s);
  hb_json_number(&json, "job_wall_s", wall_s);
  if (*job->failure) hb_json_text(&json, "failure", job->failure);
  hb_json_close_object(&json);
  fputc('\n', file);
  return fflush(file) == 0 ? HB_OK : hb_fail(HB_ERR_IO, "cannot keep job %s: %s", job->name, strerror(errno));
}

/* The output under its name, of a job that failed none, behind a line that says what it is of. */
static enum hb_status keep(const struct hb_job *job, double wall_s, const struct hb_text *rows)
{
  char *whole = NULL, path[128];
  size_t length;
  FILE *file = open_memstream(&whole, &length);
  enum hb_status status = file ? HB_OK : hb_fail(HB_ERR_INTERNAL, "no memory for job %s", job->name);
  if (status == HB_OK) status = write_header(file, job, wall_s);
  if (status == HB_OK && !*job->failure && rows->length) fwrite(rows->text, 1, rows->length, file);
  if (file && fclose(file) != 0) status = hb_fail(HB_ERR_INTERNAL, "no memory for job %s", job->name);
  file_of(job, path);
  if (status == HB_OK) status = hb_file_replace(path, whole, length);
  free(whole);
  return status;
}

/* The first line of what the child said, without the program's name. */
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
    status = hb_fail(HB_ERR_STOPPED, "stopped by %s; the same command goes on where this one stopped",
                     hb_signals_stop());
  else if (end.code != 0)
    note_failure(job, &said, end);
  /* what a probe cannot do this machine cannot do: that is an answer; other failures are tried again another time */
  if (status == HB_OK && (!*job->failure || job->kind == HB_JOB_PROBE))
    status = keep(job, hb_clock_now() - began, &rows);
  job->is_done = status == HB_OK && !*job->failure;
  hb_mem_free(rows.text);
  hb_mem_free(said.text);
  return status;
}

int hb_job_is_kept(const struct hb_job *job, char *failure)
{
  char done[128], *text;
  struct hb_record header = {0};
  size_t length;
  file_of(job, done);
  if (access(done, R_OK) != 0 || hb_file_read(done, &text, &length) != HB_OK) return 0;
  text[strcspn(text, "\n")] = 0;
  int same = hb_record_take("", text, &header) == HB_OK &&
             strcmp(hb_record_text(&header, "command"), job->command) == 0 &&
             strcmp(hb_record_text(&header, "version"), hb_version()) == 0;
  const char *kept = hb_record_text(&header, "failure");
  int failed = same && *kept;
  if (failed && failure) snprintf(failure, HB_JOB_FAILURE, "%s", kept);
  hb_mem_free(header.text);
  hb_mem_free(text);
  return same && !failed;
}

enum hb_status hb_reproduce_resume(struct hb_reproduction *r)
{
  for (size_t k = 0; k < r->job_count; k++) {
    struct hb_job *job = &r->jobs[k];
    if (job->is_done || job->is_left_out || !hb_job_is_kept(job, job->failure)) continue;
    job->is_done = 1;
    HB_TRY(hb_reproduce_read(r, k));
  }
  return HB_OK;
}

enum hb_status hb_reproduce_run(struct hb_reproduction *r)
{
  struct progress progress = {.began = hb_clock_now()};
  for (size_t k = 0; k < r->job_count; k++)
    if (hb_job_is_due(&r->jobs[k])) progress.all++, progress.all_s += r->jobs[k].estimate_s;
  for (size_t k = 0; k < r->job_count; k++) {
    struct hb_job *job = &r->jobs[k];
    if (!hb_job_is_due(job)) continue;
    double began = hb_clock_now();
    HB_TRY(run_job(job, &progress));
    progress.done++;
    progress.done_s += job->estimate_s;
    say(&progress, job, hb_clock_now() - began);
    if (job->is_done) HB_TRY(hb_reproduce_read(r, k));
    if (job->is_done || job->kind == HB_JOB_PROBE) continue;
    char line[400];
    snprintf(line, sizeof line, "job %s failed: %s", job->name, job->failure);
    hb_terminal_note(line);
  }
  hb_terminal_clear_progress();
  return HB_OK;
}

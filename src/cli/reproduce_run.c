#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "cli/commit.h"
#include "cli/json.h"
#include "cli/reproduce.h"
#include "cli/signals.h"
#include "cli/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* ---- one child --------------------------------------------------------------------------------------- */

enum { WORDS_MOST = 64, POLL_MS = 10 };

/* "NAME=value holmberg run ...": variables for the environment, then the words of the command; both NULL-ended. */
static void split_command(char *command, char *variables[WORDS_MOST], char *words[WORDS_MOST])
{
  size_t variable = 0, word = 0;
  char *rest = NULL;
  for (char *w = strtok_r(command, " ", &rest); w && word + 1 < WORDS_MOST; w = strtok_r(NULL, " ", &rest)) {
    if (word == 0 && strchr(w, '='))
      variables[variable++] = w;
    else
      words[word++] = w;
  }
  variables[variable] = words[word] = NULL;
}

/* The variables before those of this process, so that they win. */
static enum hb_status make_environment(char *const *variables, char ***environment)
{
  size_t count = 0, k = 0;
  while (environ[count]) count++;
  HB_TRY(HB_ALLOC(count + WORDS_MOST, environment));
  for (; variables[k]; k++) (*environment)[k] = variables[k];
  for (char **old = environ; *old; old++) {
    int is_set = 0;
    for (size_t v = 0; variables[v]; v++)
      is_set |= strncmp(*old, variables[v], strcspn(variables[v], "=") + 1) == 0;
    if (!is_set) (*environment)[k++] = *old;
  }
  return HB_OK;
}

static enum hb_status start(const struct hb_job *job, const char *out, const char *said, pid_t *child)
{
  char command[sizeof job->command], *variables[WORDS_MOST], *words[WORDS_MOST], **environment;
  strcpy(command, job->command);
  split_command(command, variables, words);
  HB_TRY(make_environment(variables, &environment));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, said, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  int error = posix_spawn(child, "/proc/self/exe", &actions, NULL, words, environment);
  posix_spawn_file_actions_destroy(&actions);
  hb_mem_free(environment);
  return error ? hb_fail(HB_ERR_IO, "cannot run job %s: %s", job->name, strerror(error)) : HB_OK;
}

/* ---- the bar ----------------------------------------------------------------------------------------- */

/* Estimates of what is done and of all, against the clock since the first job of this sitting. */
struct progress {
  double done_s, all_s, began;
};

static void show(const struct progress *p, double job_s, double estimate_s)
{
  if (!hb_terminal_is_live() || !(p->all_s > 0)) return;
  hb_terminal_progress((p->done_s + fmin(job_s, estimate_s)) / p->all_s, hb_clock_now() - p->began);
}

/* Waits for the child with an eye on signals, which it is told of; its wait status in *end. */
static void wait_for(pid_t child, const struct hb_job *job, const struct progress *progress, int *end)
{
  double began = hb_clock_now();
  int told = 0;
  while (waitpid(child, end, WNOHANG) == 0) {
    if (hb_signals_stop() && !told++) kill(child, SIGTERM);
    show(progress, hb_clock_now() - began, job->estimate_s);
    nanosleep(&(struct timespec){0, POLL_MS * 1000000L}, NULL);
  }
}

/* ---- one job ----------------------------------------------------------------------------------------- */

static void name_files(const struct hb_job *job, char done[128], char out[128], char said[128])
{
  snprintf(done, 128, "jobs/%s.jsonl", job->name);
  snprintf(out, 128, "jobs/%s.part", job->name);
  snprintf(said, 128, "jobs/%s.said", job->name);
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
static enum hb_status keep(const struct hb_job *job, double wall_s, const char *out, const char *done)
{
  char *rows, *whole = NULL;
  size_t length, header;
  HB_TRY(hb_file_read(out, &rows, &length));
  FILE *file = open_memstream(&whole, &header);
  enum hb_status status = file ? HB_OK : hb_fail(HB_ERR_INTERNAL, "no memory for job %s", job->name);
  if (status == HB_OK) status = write_header(file, job, wall_s);
  if (status == HB_OK && !*job->failure) fwrite(rows, 1, length, file);
  if (file && fclose(file) != 0) status = hb_fail(HB_ERR_INTERNAL, "no memory for job %s", job->name);
  if (status == HB_OK) status = hb_file_replace(done, whole, header);
  free(whole);
  hb_mem_free(rows);
  return status;
}

/* The first line of what the child said, without the program's name. */
static void note_failure(struct hb_job *job, const char *said, int end)
{
  char *text = NULL;
  size_t length;
  const char *line = "";
  if (hb_file_read(said, &text, &length) == HB_OK) line = text;
  line += strncmp(line, "holmberg: ", 10) == 0 ? 10 : 0;
  if (WIFSIGNALED(end))
    snprintf(job->failure, sizeof job->failure, "signal %d", WTERMSIG(end));
  else
    snprintf(job->failure, sizeof job->failure, "exit code %d: %.*s", WEXITSTATUS(end),
             (int)strcspn(line, "\n"), line);
  hb_mem_free(text);
}

static enum hb_status run_job(struct hb_job *job, const struct progress *progress)
{
  char done[128], out[128], said[128];
  name_files(job, done, out, said);
  pid_t child;
  int end = 0;
  double began = hb_clock_now();
  HB_TRY(start(job, out, said, &child));
  wait_for(child, job, progress, &end);
  enum hb_status status = HB_OK;
  if (hb_signals_stop())
    status = hb_fail(HB_ERR_STOPPED, "stopped by %s; the same command goes on where this one stopped",
                     hb_signals_stop());
  else if (!WIFEXITED(end) || WEXITSTATUS(end) != 0)
    note_failure(job, said, end);
  /* what a probe cannot do this machine cannot do: that is an answer; other failures are tried again another time */
  if (status == HB_OK && (!*job->failure || job->kind == HB_JOB_PROBE))
    status = keep(job, hb_clock_now() - began, out, done);
  job->is_done = status == HB_OK && !*job->failure;
  unlink(out);
  unlink(said);
  return status;
}

int hb_job_is_kept(const struct hb_job *job, char *failure)
{
  char done[128], out[128], said[128], *text;
  struct hb_record header = {0};
  size_t length;
  name_files(job, done, out, said);
  if (access(done, R_OK) != 0 || hb_file_read(done, &text, &length) != HB_OK) return 0;
  text[strcspn(text, "\n")] = 0;
  int same = hb_record_take(text, &header) == HB_OK &&
             strcmp(hb_record_text(&header, "command"), job->command) == 0 &&
             strcmp(hb_record_text(&header, "version"), hb_version()) == 0;
  const char *kept = hb_record_text(&header, "failure");
  int failed = same && *kept;
  if (failed && failure) snprintf(failure, HB_JOB_FAILURE, "%s", kept);
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
    if (hb_job_is_due(&r->jobs[k])) progress.all_s += r->jobs[k].estimate_s;
  for (size_t k = 0; k < r->job_count; k++) {
    struct hb_job *job = &r->jobs[k];
    if (!hb_job_is_due(job)) continue;
    HB_TRY(run_job(job, &progress));
    progress.done_s += job->estimate_s;
    if (job->is_done) HB_TRY(hb_reproduce_read(r, k));
    if (job->is_done || job->kind == HB_JOB_PROBE) continue;
    char line[400];
    snprintf(line, sizeof line, "job %s failed: %s", job->name, job->failure);
    hb_terminal_note(line);
  }
  hb_terminal_clear_progress();
  return HB_OK;
}

/* The jobs of a reproduction: their command lines, how long each will take here, running them, and keeping their output. */
#include "report/reproduce_jobs.h"

#include "base/arith.h"
#include "base/clock.h"
#include "base/draft.h"
#include "base/file.h"
#include "base/json.h"
#include "base/json_read.h"
#include "base/mem.h"
#include "base/process.h"
#include "base/text.h"
#include "console/signals.h"
#include "console/terminal.h"
#include "report/commit.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* ---- records ---------------------------------------------------------------------------------------- */

/* The lines of a job, after one that describes it; of the machine, without labels. */
static enum hb_status read_records(struct hb_reproduction *r, const char *path, const char *labels)
{
  char *text, *rest = NULL;
  size_t length;
  HB_TRY(hb_file_read(path, &text, &length));
  enum hb_status status = HB_OK;
  char *line = strtok_r(text, "\n", &rest);
  if (*labels) line = strtok_r(NULL, "\n", &rest);
  for (; line && status == HB_OK; line = strtok_r(NULL, "\n", &rest)) {
    cJSON *object = NULL;
    status = hb_json_read(line, &object);
    if (object) hb_values_record(&r->values, labels, object);
  }
  hb_mem_free(text);
  return status == HB_OK ? HB_OK : hb_fail_in(status, path);
}

void hb_reproduce_clear(struct hb_reproduction *r)
{
  hb_values_close(&r->values);
  *r = (struct hb_reproduction){0};
}

const struct hb_section hb_sections[] = {
    {"table2", "Table 2: seconds of the runs"},
    {"fig1", "Fig. 1: time against N"},
    {"fig4", "Fig. 4: speed-up over the host"},
    {"table1", "Table 1: the machines"},
    {"table3", "Table 3: the constants of the model"},
    {"fig3", "Fig. 3: model against measurement"},
    {"fig5", "Fig. 5: what the paper predicted"},
    {"fig2", "Fig. 2: energy error against the accuracy parameter"},
    {"energy", "Section 6: energy errors, measured twice"},
    {"steps", "Section 5: block steps with rounded forces"},
    {"rounding", "Eqs 14 and 17: three roundings of the time step"},
    {"hi07", "[HI07] Tables 2 and 3: sums in bags"},
    {"nhp07", "[NHP07] Figs 31-5 to 31-8: rates"},
    {"differs", "What differs"},
    {NULL, NULL},
};

static const char machine_file[] = "machine.jsonl";

/* Clang's __VERSION__ has its name, gcc's is "12.2.0". */
#ifdef __clang__
#define COMPILER ""
#else
#define COMPILER "gcc "
#endif

/* ---- the machine that the jobs run on, kept beside them -------------------------------------------------------------------------------------- */

/* The text after "name : " of the first processor, "" if the system does not report it. */
static void processor_line(const char *name, char text[256])
{
  char line[512];
  FILE *file = fopen("/proc/cpuinfo", "r");
  *text = 0;
  while (file && !*text && fgets(line, sizeof line, file)) {
    char *colon = strchr(line, ':');
    if (strncmp(line, name, strlen(name)) != 0 || !colon) continue;
    snprintf(text, 256, "%.250s", colon + 1 + strspn(colon + 1, " "));
    text[strcspn(text, "\n")] = 0;
  }
  if (file) fclose(file);
}

static double memory_bytes(void) { return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE); }

static void describe_host(char text[512])
{
  char model[256];
  processor_line("model name", model);
  snprintf(text, 512, "%s, %ld processors, %.1f GB of memory",
           *model ? model : "processor not told by the system", sysconf(_SC_NPROCESSORS_ONLN),
           1e-9 * memory_bytes());
}

static void row(struct hb_json *json, const char *name, const char *value)
{
  hb_json_open_object(json, NULL);
  hb_json_text(json, "kind", "machine");
  hb_json_text(json, "name", name);
  hb_json_text(json, "value", value);
  hb_json_close_object(json);
  fputc('\n', json->out);
  json->follows = 0;
}

static void put_contexts(struct hb_json *json)
{
  struct hb_context_info all[HB_CONTEXTS_MOST];
  size_t count;
  if (hb_info_contexts(all, &count) != HB_OK) return;
  for (size_t k = 0; k < count; k++)
    row(json, hb_phrase("OpenGL, %s", all[k].name),
        all[k].usable ? hb_phrase("%s; %s; %s%s", all[k].renderer, all[k].vendor, all[k].version,
                                  all[k].software ? " (software renderer)" : "")
                      : hb_phrase("not usable: %s", all[k].reason));
}

static void put_all(FILE *out)
{
  struct hb_json json = {.out = out};
  struct utsname system;
  char text[512], clock[256];
  put_contexts(&json);
  describe_host(text);
  row(&json, "host", text);
  if (uname(&system) == 0)
    row(&json, "system", hb_phrase("%s %s, %s", system.sysname, system.release, system.machine));
  row(&json, "Holmberg",
      hb_phrase("%s, commit %s, compiled by %s%s", hb_library_version(), hb_commit, COMPILER, __VERSION__));
  processor_line("cpu MHz", clock);
  hb_json_open_object(&json, NULL);
  hb_json_text(&json, "kind", "host");
  hb_json_number(&json, "processors", (double)sysconf(_SC_NPROCESSORS_ONLN));
  hb_json_number(&json, "clock_mhz", *clock ? strtod(clock, NULL) : NAN);
  hb_json_number(&json, "memory_bytes", memory_bytes());
  hb_json_close_object(&json);
  fputc('\n', out);
}

/* Ends a text in memory and replaces the file by it. */
static enum hb_status finish(FILE *out, char **text, const size_t *length, const char *path)
{
  enum hb_status status = fclose(out) == 0 ? hb_file_replace(path, *text, *length)
                                           : hb_fail(HB_ERR_INTERNAL, "no memory for %s", path);
  free(*text);
  return status;
}

static enum hb_status write_machine(void)
{
  char *text = NULL;
  size_t length;
  FILE *out = open_memstream(&text, &length);
  if (!out) return hb_fail(HB_ERR_INTERNAL, "no memory for %s", machine_file);
  put_all(out);
  return finish(out, &text, &length, machine_file);
}

static enum hb_status open_machine(struct hb_reproduction *r)
{
  if (access(machine_file, F_OK) != 0) HB_TRY(write_machine());
  return read_records(r, machine_file, "");
}

/* What the folder was started by: "0.1.0, commit ...". */
static int is_of_version(const struct hb_reproduction *r, const char *version)
{
  const char *there = hb_values_word_in(hb_values_next(&r->values, NULL, "machine name=Holmberg"), "value");
  size_t length = strcspn(there, ",");
  return strlen(version) == length && strncmp(there, version, length) == 0;
}

static enum hb_status check_machine(const struct hb_reproduction *r)
{
  char here[512];
  describe_host(here);
  const char *there = hb_values_word_in(hb_values_next(&r->values, NULL, "machine name=host"), "value");
  if (strcmp(here, there) == 0 && is_of_version(r, hb_library_version())) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "%s was started %s (%s); its jobs cannot continue here", r->out,
                 strcmp(here, there) == 0 ? "by another version" : "on another machine", there);
}

/* ---- a job's output ---------------------------------------------------------------------------------- */

/* A job is a record "job" with its labels and
 *   name       "nu-cg2007-1024", the labels' values; its output is in jobs/NAME.jsonl
 *   records    its labels, those of the lines of its output
 *   command    as typed in the folder OUT, after any variables
 *   estimate, seconds    what it would take, or took; took: the latter as a word
 *   done, left_out       left out: would take longer than allowed
 *   failure    a message; "": none
 *   may_fail   1: a failure is an answer, too */
static const char *word_of(const cJSON *job, const char *name) { return hb_values_word_in(job, name); }

static int is(const cJSON *job, const char *name) { return hb_values_field(job, name) > 0; }

static const char *file_of(const cJSON *job) { return hb_phrase("jobs/%s.jsonl", word_of(job, "name")); }

static void set_seconds(cJSON *job, double seconds)
{
  hb_values_number(job, "seconds", seconds);
  hb_values_word(job, "took", hb_phrase("%.1f", seconds));
}

static void write_header(FILE *file, const cJSON *job)
{
  char date[32];
  time_t now = time(NULL);
  strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
  struct hb_json json = {.out = file};
  hb_json_open_object(&json, NULL);
  hb_json_text(&json, "command", word_of(job, "command"));
  hb_json_text(&json, "version", hb_library_version());
  hb_json_text(&json, "commit", hb_commit);
  hb_json_text(&json, "date", date);
  hb_json_number(&json, "estimate_s", hb_values_field(job, "estimate"));
  hb_json_number(&json, "job_wall_s", hb_values_field(job, "seconds"));
  if (*word_of(job, "failure")) hb_json_text(&json, "failure", word_of(job, "failure"));
  hb_json_close_object(&json);
  fputc('\n', file);
}

/* Writes the output of a finished job, or its failure, after a line that describes the job. Errors: HB_ERR_IO. */
static enum hb_status keep_job(const cJSON *job, const struct hb_text *rows)
{
  char *whole = NULL;
  size_t count;
  FILE *file = open_memstream(&whole, &count);
  if (!file) return hb_fail(HB_ERR_INTERNAL, "no memory for %s", file_of(job));
  write_header(file, job);
  if (!*word_of(job, "failure") && rows->length) fwrite(rows->text, 1, rows->length, file);
  return finish(file, &whole, &count, file_of(job));
}

static cJSON *jobs_of(const struct hb_reproduction *r)
{
  return cJSON_GetObjectItemCaseSensitive(r->values.records, "job");
}

/* Whether the job's output exists, from the same command and the folder's version, and how long it took. If a failure was kept
 * instead: 0, and it is the job's. */
static int is_kept(const struct hb_reproduction *r, cJSON *job)
{
  char *text;
  cJSON *header = NULL;
  size_t length;
  if (access(file_of(job), R_OK) != 0 || hb_file_read(file_of(job), &text, &length) != HB_OK) return 0;
  text[strcspn(text, "\n")] = 0;
  int same = hb_json_read(text, &header) == HB_OK &&
             strcmp(word_of(header, "command"), word_of(job, "command")) == 0 &&
             is_of_version(r, word_of(header, "version"));
  if (same) {
    hb_values_word(job, "failure", word_of(header, "failure"));
    set_seconds(job, hb_values_field(header, "job_wall_s"));
  }
  cJSON_Delete(header);
  hb_mem_free(text);
  return same && !*word_of(job, "failure");
}

/* ---- planning ---------------------------------------------------------------------------------------- */

/* "model source=ds mode=block/gpu/gpu": "model-ds-block-gpu-gpu" */
static void write_name(const char *labels, char name[HB_VALUES_TEXT])
{
  while (*labels) {
    size_t key = strcspn(labels, "= ");
    if (labels[key] == '=') labels += key + 1;
    for (; *labels && *labels != ' '; labels++) *name++ = *labels == '/' ? '-' : *labels;
    if (*labels) *name++ = '-', labels++;
  }
  *name = 0;
}

/* {"job": its labels, "command", "seconds": expression}; it is left out if it would take longer than "limit", unless its output
 * exists already: then "over" is 1. With "either" it is not added at all then, and else ends two loops. */
static int add_job(struct hb_reproduction *r, const cJSON *row, const struct hb_scope *scope)
{
  struct hb_values *v = &r->values;
  char labels[HB_VALUES_TEXT], text[HB_VALUES_TEXT];
  hb_values_fill(v, scope, word_of(row, "job"), labels);
  cJSON *job = hb_values_record(v, hb_phrase("job %s", labels + strcspn(labels, " ")), NULL);
  hb_values_word(job, "records", labels);
  write_name(labels, text);
  hb_values_word(job, "name", text);
  hb_values_word(v->given, "name", text);
  hb_values_word(job, "command", hb_values_fill(v, scope, word_of(row, "command"), text));
  hb_values_word(job, "sections", r->sections);
  hb_values_word(job, "failure", "");
  double estimate = hb_values_in(v, scope, row, "seconds", 1);
  set_seconds(job, estimate);
  hb_values_number(job, "estimate", estimate);
  hb_values_number(job, "may_fail", cJSON_HasObjectItem(row, "may_fail"));
  int is_over = estimate > hb_values_in(v, scope, row, "limit", INFINITY) && !is_kept(r, job),
      is_either = cJSON_HasObjectItem(row, "either");
  hb_values_number(job, "done", 0);
  hb_values_number(job, "left_out", is_over);
  if (is_over) hb_values_number(v->given, "over", 1);
  if (is_over && is_either) cJSON_Delete(cJSON_DetachItemViaPointer(jobs_of(r), job));
  return is_either && !is_over ? 2 : 0;
}

/* Also {"let": name, "be": expression}; {"list": name, "item": pattern}: appends to the list, without an item it is empty; and what
 * hb_values_derive takes. */
static int plan(struct hb_values *v, const cJSON *row, const struct hb_scope *scope, void *context)
{
  char text[HB_VALUES_TEXT];
  const char *let = word_of(row, "let"), *list = word_of(row, "list"), *item = word_of(row, "item");
  const char *before = word_of(v->given, list);
  if (*let)
    hb_values_number(v->given, let, hb_values_in(v, scope, row, "be", NAN));
  else if (*list && *item)
    hb_values_word(v->given, list,
                   hb_phrase("%s%s%s", before, *before ? "," : "", hb_values_fill(v, scope, item, text)));
  else if (*list)
    hb_values_word(v->given, list, "");
  else if (*word_of(row, "job"))
    return add_job(context, row, scope);
  else
    return hb_values_derive(v, row, scope, NULL);
  return 0;
}

static enum hb_status plan_rows(struct hb_reproduction *r, const char *name)
{
  hb_values_walk(&r->values, cJSON_GetObjectItemCaseSensitive(r->values.design, name), NULL, plan, r);
  return r->values.status;
}

/* "jobs": a list of {"sections": those that need them, "do": rows}. */
static enum hb_status plan_all(struct hb_reproduction *r)
{
  const cJSON *group;
  cJSON_ArrayForEach (group, cJSON_GetObjectItemCaseSensitive(r->values.design, "jobs")) {
    int is_chosen = 0;
    snprintf(r->sections, sizeof r->sections, " %s ", word_of(group, "sections"));
    for (size_t k = 0; hb_sections[k].name; k++)
      is_chosen |= r->chosen >> k & 1 && strstr(r->sections, hb_phrase(" %s ", hb_sections[k].name));
    if (is_chosen) hb_values_walk(&r->values, cJSON_GetObjectItemCaseSensitive(group, "do"), NULL, plan, r);
  }
  return r->values.status;
}

enum hb_status hb_reproduce_open(struct hb_reproduction *r)
{
  HB_TRY(hb_values_open(&r->values));
  cJSON *given = r->values.given;
  struct hb_draft place = {0};
  if (r->place.context) hb_draft_put(&place, " --context %s", r->place.context);
  if (r->place.device) hb_draft_put(&place, " --device %s", r->place.device);
  hb_values_word(given, "place", place.text.text ? place.text.text : "");
  hb_draft_clear(&place);
  hb_values_number(given, "is_full", r->is_full);
  hb_values_number(given, "n_most", (double)r->n_most);
  hb_values_number(given, "longest", r->longest_s);
  return plan_rows(r, "begin");
}

/* ---- one child --------------------------------------------------------------------------------------- */

enum { WORDS_MOST = 64, POLL_MS = 10 };

/* "NAME=value holmberg run ..." by env, with this program in place of holmberg. */
static enum hb_status start(const cJSON *job, struct hb_process *process)
{
  char command[HB_VALUES_TEXT], self[64];
  const char *words[WORDS_MOST] = {"env"};
  size_t count = 1;
  strcpy(command, word_of(job, "command"));
  snprintf(self, sizeof self, "/proc/%ld/exe", (long)getpid());
  for (char *rest, *w = strtok_r(command, " ", &rest); w && count + 1 < WORDS_MOST;
       w = strtok_r(NULL, " ", &rest))
    words[count++] = strcmp(w, "holmberg") == 0 ? self : w;
  enum hb_status status = hb_process_start(words, HB_PROCESS_FROM | HB_PROCESS_SAID, process);
  return status == HB_OK ? HB_OK : hb_fail_in(HB_ERR_IO, word_of(job, "name"));
}

#define DUE "job done=0 left_out=0 failure="

/* Estimated seconds of all jobs that were due, and when the first one began. */
struct progress {
  double all_s, began;
};

static void show(struct hb_values *v, const struct progress *p, double job_s, double estimate_s)
{
  if (!hb_terminal_is_live() || !(p->all_s > 0)) return;
  double done_s = p->all_s - hb_values_of(v, NULL, "sum[" DUE " estimate]") + fmin(job_s, estimate_s);
  hb_terminal_progress(done_s / p->all_s, hb_clock_now() - p->began);
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
static enum hb_status listen(struct hb_values *v, struct hb_process *child, double estimate_s,
                             const struct progress *progress, struct hb_text *rows, struct hb_text *said)
{
  double began = hb_clock_now();
  int forwarded = 0;
  while (child->from >= 0 || child->said >= 0) {
    struct pollfd pipes[] = {{child->from, POLLIN, 0}, {child->said, POLLIN, 0}}; /* -1 is ignored */
    if (hb_signals_stop() && !forwarded++) kill(child->pid, SIGTERM);
    show(v, progress, hb_clock_now() - began, estimate_s);
    if (poll(pipes, 2, POLL_MS) <= 0) continue;
    if (pipes[0].revents) HB_TRY(take(&child->from, rows));
    if (pipes[1].revents) HB_TRY(take(&child->said, said));
  }
  return HB_OK;
}

/* ---- one job ----------------------------------------------------------------------------------------- */

/* The child's first line of standard error, without the program's name. */
static void note_failure(cJSON *job, const struct hb_text *said, struct hb_process_end end)
{
  const char *line = said->length ? said->text : "";
  line += strncmp(line, "holmberg: ", 10) == 0 ? 10 : 0;
  hb_values_word(
      job, "failure",
      end.signal ? hb_phrase("signal %d", end.signal)
                 : hb_phrase("exit code %d: %.*s", end.code, (int)hb_min(strcspn(line, "\n"), 200), line));
}

static enum hb_status run_job(struct hb_values *v, cJSON *job, const struct progress *progress)
{
  struct hb_process child;
  struct hb_text rows = {0}, said = {0};
  double began = hb_clock_now();
  HB_TRY(start(job, &child));
  enum hb_status status = listen(v, &child, hb_values_field(job, "estimate"), progress, &rows, &said);
  if (status != HB_OK) hb_process_kill(&child);
  struct hb_process_end end = hb_process_end(&child);
  if (status == HB_OK && hb_signals_stop())
    status =
        hb_fail(HB_ERR_STOPPED, "stopped by %s; the same command continues from here", hb_signals_stop());
  else if (end.code != 0)
    note_failure(job, &said, end);
  set_seconds(job, hb_clock_now() - began);
  int has_failed = *word_of(job, "failure") != 0;
  if (status == HB_OK && (!has_failed || is(job, "may_fail"))) status = keep_job(job, &rows);
  hb_values_number(job, "done", status == HB_OK && !has_failed);
  HB_FREE(rows.text, said.text);
  return status;
}

/* ---- all jobs ---------------------------------------------------------------------------------------- */

static enum hb_status resume(struct hb_reproduction *r)
{
  cJSON *job;
  cJSON_ArrayForEach (job, jobs_of(r)) {
    if (is(job, "done") || is(job, "left_out") || !is_kept(r, job)) continue;
    hb_values_number(job, "done", 1);
    HB_TRY(read_records(r, file_of(job), word_of(job, "records")));
  }
  return HB_OK;
}

/* In their order, on the machine that the folder belongs to; without a progress bar, a line for each. */
static enum hb_status run_due(struct hb_reproduction *r)
{
  struct hb_values *v = &r->values;
  cJSON *job;
  HB_TRY(resume(r));
  const struct progress progress = {hb_values_of(v, NULL, "sum[" DUE " estimate]"), hb_clock_now()};
  const double all = hb_values_of(v, NULL, "count[" DUE " *]");
  if (all > 0) HB_TRY(check_machine(r));
  for (int k = 1; (job = (cJSON *)hb_values_next(v, NULL, DUE)); k++) {
    HB_TRY(run_job(v, job, &progress));
    if (!hb_terminal_is_live())
      printf("job %d of %.0f, %.1f s: %s\n", k, all, hb_values_field(job, "seconds"),
             word_of(job, "command"));
    fflush(stdout);
    if (is(job, "done"))
      HB_TRY(read_records(r, file_of(job), word_of(job, "records")));
    else if (!is(job, "may_fail"))
      hb_terminal_note(hb_phrase("job %s failed: %s", word_of(job, "name"), word_of(job, "failure")));
  }
  hb_terminal_clear_progress();
  return HB_OK;
}

static void say_estimate(struct hb_values *v)
{
  const double done = hb_values_of(v, NULL, "count[job done=1 *]"),
               due = hb_values_of(v, NULL, "count[" DUE " *]");
  char text[32];
  hb_terminal_duration(hb_values_of(v, NULL, "sum[" DUE " estimate]"), text);
  printf("%.0f job%s done, ", done, done == 1 ? " is" : "s are");
  if (due > 0)
    printf("%.0f %s to do: about %s on this machine, by its measured rates\n", due, due == 1 ? "is" : "are",
           text);
  else
    printf("0 are to do\n");
  fflush(stdout);
}

/* Where each would be kept, how long it will take here, and what a user types. */
static enum hb_status say_plan(const struct hb_values *v)
{
  for (const cJSON *job = NULL; (job = hb_values_next(v, job, DUE));)
    printf("%s %.3g s: %s\n", file_of(job), hb_values_field(job, "estimate"), word_of(job, "command"));
  return hb_terminal_flush();
}

/* What each source costs; those that follow are by the faster of bag and tile. Errors: HB_ERR_GL. */
static enum hb_status probe(struct hb_reproduction *r, int stage)
{
  struct hb_values *v = &r->values;
  hb_values_number(v->given, "stage", stage);
  HB_TRY(plan_rows(r, "probes"));
  HB_TRY(run_due(r));
  HB_TRY(plan_rows(r, "probed"));
  if (hb_values_of(v, NULL, "[source source=cg2007 there] & [source source=host there]") > 0) return HB_OK;
  return hb_fail(HB_ERR_GL, "the kernel of 2007 cannot run on this machine: %s",
                 word_of(hb_values_next(v, NULL, "job name=probe-cg2007"), "failure"));
}

enum hb_status hb_reproduce_run(struct hb_reproduction *r)
{
  HB_TRY(open_machine(r));
  HB_TRY(probe(r, 0));
  HB_TRY(probe(r, 1));
  HB_TRY(plan_all(r));
  HB_TRY(resume(r));
  say_estimate(&r->values);
  return r->plans_only ? say_plan(&r->values) : run_due(r);
}

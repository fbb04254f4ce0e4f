#include "report/reproduce_job.h"

#include "base/draft.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mem.h"
#include "report/commit.h"
#include "report/reproduce_rows.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* ---- adding one -------------------------------------------------------------------------------------- */

/* The passes of cg2007 are so short that waking the threads of a software renderer takes longer; grape6 has only one
 * precision; `ic` needs no OpenGL. */
static enum hb_status write_command(const struct hb_reproduction *r, const struct hb_source *source,
                                    const char *command, struct hb_job *job)
{
  struct hb_draft text = {0};
  int needs_gl = strncmp(command, "ic ", 3) != 0;
  hb_draft_put(&text, "%sholmberg %s", source == &r->sources[HB_SOURCE_CG2007] ? "LP_NUM_THREADS=0 " : "",
               command);
  if (source) hb_draft_put(&text, " --scheme %s", source->scheme);
  if (source && source != &r->sources[HB_SOURCE_GRAPE6])
    hb_draft_put(&text, " --precision %s", source->precision);
  if (job->kind == HB_JOB_RUN)
    hb_draft_put(&text, " --checkpoint jobs/%s.ckpt", job->name); /* for interruptions */
  if (r->place.context && needs_gl) hb_draft_put(&text, " --context %s", r->place.context);
  if (r->place.device && needs_gl) hb_draft_put(&text, " --device %s", r->place.device);
  enum hb_status status = text.status;
  if (status == HB_OK && text.text.length >= sizeof job->command)
    status = hb_fail(HB_ERR_USAGE, "the command line of a job is too long: %s", text.text.text);
  if (status == HB_OK) strcpy(job->command, text.text.text);
  hb_draft_clear(&text);
  return status;
}

/* "kind=model source=ds mode=block/gpu/gpu": "model-ds-block-gpu-gpu" */
static void write_name(const char *labels, char name[80])
{
  size_t length = 0;
  while ((labels = strchr(labels, '=')) && length < 79) {
    for (labels++; *labels && *labels != ' ' && length < 79; labels++)
      name[length++] = *labels == '/' ? '-' : *labels;
    if (*labels && length < 79) name[length++] = '-';
  }
  name[length] = 0;
}

void hb_job_add(struct hb_reproduction *r, enum hb_job_kind kind, const struct hb_source *source,
                double estimate_s, const char *labels, const char *command)
{
  if (r->planned == HB_OK) r->planned = HB_GROW(r->job_count, &r->job_capacity, &r->jobs);
  if (r->planned != HB_OK) return;
  struct hb_job *job = &r->jobs[r->job_count++];
  *job = (struct hb_job){.kind = kind, .estimate_s = estimate_s};
  snprintf(job->labels, sizeof job->labels, "%s", labels);
  write_name(labels, job->name);
  r->planned = write_command(r, source, command, job);
}

int hb_job_leave_out(struct hb_reproduction *r, double longest_s)
{
  if (r->planned != HB_OK) return 1;
  struct hb_job *job = &r->jobs[r->job_count - 1];
  return job->is_left_out = job->estimate_s > longest_s && !hb_job_is_kept(job);
}

/* ---- its output -------------------------------------------------------------------------------------- */

static const char *file_of(const struct hb_job *job) { return hb_phrase("jobs/%s.jsonl", job->name); }

static void write_header(FILE *file, const struct hb_job *job, double wall_s)
{
  char date[32];
  time_t now = time(NULL);
  strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
  struct hb_json json = {.out = file};
  hb_json_open_object(&json, NULL);
  hb_json_text(&json, "command", job->command);
  hb_json_text(&json, "version", hb_library_version());
  hb_json_text(&json, "commit", hb_commit);
  hb_json_text(&json, "date", date);
  hb_json_number(&json, "estimate_s", job->estimate_s);
  hb_json_number(&json, "job_wall_s", wall_s);
  if (*job->failure) hb_json_text(&json, "failure", job->failure);
  hb_json_close_object(&json);
  fputc('\n', file);
}

enum hb_status hb_job_keep(const struct hb_job *job, double wall_s, const void *rows, size_t length)
{
  char *whole = NULL;
  size_t count;
  FILE *file = open_memstream(&whole, &count);
  if (!file) return hb_fail(HB_ERR_INTERNAL, "no memory for job %s", job->name);
  write_header(file, job, wall_s);
  if (!*job->failure && length) fwrite(rows, 1, length, file);
  enum hb_status status =
      fclose(file) == 0 ? HB_OK : hb_fail(HB_ERR_INTERNAL, "no memory for job %s", job->name);
  if (status == HB_OK) status = hb_file_replace(file_of(job), whole, count);
  free(whole);
  return status;
}

int hb_job_is_kept(struct hb_job *job)
{
  char *text;
  struct hb_record header = {0};
  size_t length;
  if (access(file_of(job), R_OK) != 0 || hb_file_read(file_of(job), &text, &length) != HB_OK) return 0;
  text[strcspn(text, "\n")] = 0;
  int same = hb_record_take("", text, &header) == HB_OK &&
             strcmp(hb_record_text(&header, "command"), job->command) == 0 &&
             strcmp(hb_record_text(&header, "version"), hb_library_version()) == 0;
  if (same) {
    snprintf(job->failure, sizeof job->failure, "%s", hb_record_text(&header, "failure"));
    job->wall_s = hb_record_number(&header, "job_wall_s");
  }
  hb_mem_free(header.text);
  hb_mem_free(text);
  return same && !*job->failure;
}

enum hb_status hb_job_read(const struct hb_job *job, struct hb_reproduction *r)
{
  return hb_reproduce_read_lines(r, file_of(job), job->labels, 1);
}

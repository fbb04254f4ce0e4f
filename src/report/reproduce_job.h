/* Jobs: adding them, keeping what they wrote, running those that are due. */
#ifndef HB_REPRODUCE_JOB_H
#define HB_REPRODUCE_JOB_H

#include "report/reproduction.h"

/* A job to add. Its texts are copied, phrases for example. */
struct hb_job_plan {
  enum hb_job_kind kind;
  const struct hb_source *source; /* whose scheme and precision the command gets; NULL: none */
  double estimate_s;
  const char *command; /* behind "holmberg"; the OpenGL that was asked for is added */
  const char *name, *labels;
  const char *
      subject; /* NULL: never left out; else it is where it would take more than longest_s, unless it is there */
  double longest_s;
};

/* is_left_out, nullable. Errors: HB_ERR_USAGE (a command line that is too long). */
enum hb_status hb_job_add(struct hb_reproduction *r, const struct hb_job_plan *plan, int *is_left_out);

/* Writes the output of a job that is done, or what it failed of, under its name, behind a line that says what it is of.
 * Errors: HB_ERR_IO. */
enum hb_status hb_job_keep(const struct hb_job *job, double wall_s, const void *rows, size_t length);

/* Whether the job's output is there, of the same command and version. Where instead of output a failure was kept: 0, and
 * the sentence goes to failure[HB_JOB_FAILURE], NULL: not wanted; without one that stays as it is. */
int hb_job_is_kept(const struct hb_job *job, char *failure);

static inline int hb_job_is_due(const struct hb_job *job)
{
  return !job->is_done && !job->is_left_out && !*job->failure;
}

#endif

/* Jobs: adding them, keeping what they wrote, running those that are due. */
#ifndef HB_REPRODUCE_JOB_H
#define HB_REPRODUCE_JOB_H

#include "report/reproduction.h"

/* Adds a job with these labels, "kind=run n=16"; the command, behind "holmberg", gets the source's scheme and precision (NULL:
 * none) and the OpenGL that was asked for. What goes wrong is kept in r->planned. */
void hb_job_add(struct hb_reproduction *r, enum hb_job_kind kind, const struct hb_source *source,
                double estimate_s, const char *labels, const char *command);

/* Leaves out the job that was added last where it would take longer than that, unless its output is there already. */
int hb_job_leave_out(struct hb_reproduction *r, double longest_s);

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

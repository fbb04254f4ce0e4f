/* Jobs: adding them, and keeping their output. */
#ifndef HB_REPRODUCE_JOB_H
#define HB_REPRODUCE_JOB_H

#include "report/reproduction.h"

/* Adds a job with these labels, "kind=run n=16"; the command, without "holmberg", gets the source's scheme and precision (NULL:
 * none) and the requested OpenGL. Errors are kept in r->planned. */
void hb_job_add(struct hb_reproduction *r, enum hb_job_kind kind, const struct hb_source *source,
                double estimate_s, const char *labels, const char *command);

/* Leaves out the job that was added last if it would take longer than that, unless its output exists already. */
int hb_job_leave_out(struct hb_reproduction *r, double longest_s);

/* Writes the output of a finished job, or its failure, under its name, after a line that describes the job. Errors:
 * HB_ERR_IO. */
enum hb_status hb_job_keep(const struct hb_job *job, double wall_s, const void *rows, size_t length);

/* Whether the job's output exists, from the same command and version; sets wall_s. If a failure was kept instead: 0, and
 * it is the job's. */
int hb_job_is_kept(struct hb_job *job);

/* Adds the lines of its output to the records. Errors: HB_ERR_INPUT, HB_ERR_IO. */
enum hb_status hb_job_read(const struct hb_job *job, struct hb_reproduction *r);

#endif

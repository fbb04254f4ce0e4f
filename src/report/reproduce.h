/* holmberg reproduce: jobs are command lines of this program, run one after another as children, each with its output in
 * OUT/jobs; sections make tables, figures and sentences of those outputs and of what the papers printed. cmd_reproduce.c
 * has the options, reproduce_jobs.c the jobs, reproduce_run.c runs them, reproduce_rows.c reads what they wrote,
 * reproduce_sections.c lists the sections, which the other files write through report.h. */
#ifndef HB_REPRODUCE_H
#define HB_REPRODUCE_H

#include "base/text.h"

#include <holmberg/holmberg.h>

#include <stdio.h>

/* What a job is for: a section names the kinds that it needs. */
enum hb_job_kind {
  HB_JOB_PROBE = 1,    /* speed of each source, for the estimates                          */
  HB_JOB_RUN = 2,      /* the paper's Table 2 runs                                         */
  HB_JOB_NU = 4,       /* energy error against nu                                          */
  HB_JOB_ROUNDING = 8, /* block steps by rounding of the steps, several seeds              */
  HB_JOB_SUMS = 16,    /* errors of forces from float positions                            */
  HB_JOB_FORCE = 32,   /* rate of accelerations alone                                      */
  HB_JOB_THREADS = 64, /* the same by threads a body                                       */
  HB_JOB_DEVICE = 128, /* transfers and multiply-adds                                      */
  HB_JOB_MODEL = 256   /* holmberg model fit                                               */
};

enum { HB_JOB_FAILURE = 256 };

struct hb_job {
  char name[80];     /* of its file jobs/NAME.jsonl                     */
  char subject[80];  /* of one that is left out: "host at N = 8192"     */
  char labels[160];  /* "source=cg2007 n=1024": its rows are found by   */
  char command[480]; /* as typed in the folder OUT, variables before    */
  enum hb_job_kind kind;
  double estimate_s, wall_s;
  int is_done, is_left_out;     /* left out: would take longer than a job may */
  char failure[HB_JOB_FAILURE]; /* a sentence; "": none                       */
};

/* Where forces come from. Of a block of ni among n particles they take passes * (pass_s + pair_s * n * ni / passes), where
 * passes is n - 1 for the kernel of 2007, 1 for others. */
struct hb_source {
  const char *name, *scheme, *precision;
  const char *what; /* for the reader */
  double pass_s, pair_s;
  int is_there;
  char why_not[256];
};

enum hb_source_name {
  HB_SOURCE_HOST,
  HB_SOURCE_SIMD,
  HB_SOURCE_CG2007,
  HB_SOURCE_BAG,
  HB_SOURCE_TILE,
  HB_SOURCE_GRAPE6,
  HB_SOURCE_COMPENSATED, /* these three by the faster of bag and tile */
  HB_SOURCE_DS,
  HB_SOURCE_DOUBLE,
  HB_SOURCES
};

struct hb_field {
  const char *key, *value;
};

enum { HB_FIELDS_MOST = 64 };

/* A line of a job's output; its fields are the job's labels, then those of the line. */
struct hb_record {
  char *text; /* that the fields point into */
  struct hb_field fields[HB_FIELDS_MOST];
  size_t count;
};

struct hb_reproduction {
  const char *out;              /* the folder, as its user named it */
  struct hb_force_params place; /* context and device, NULL where not given */
  int is_full;
  unsigned kinds;   /* of jobs that the chosen sections need */
  double longest_s; /* of one job, by estimate               */
  size_t n_least, n_most;
  double start_s, gl_start_s; /* of a job that does nothing, without and with OpenGL */
  struct hb_source sources[HB_SOURCES];
  struct hb_job *jobs;
  size_t job_count, job_room;
  struct hb_record *records;
  size_t record_count, record_room;
};

/* The jobs of the chosen sections (1 << k for hb_sections[k]) in folder r->out, then, unless jobs_only, the report. n_most,
 * longest_s (0: the default), is_full and place are set. Errors: HB_ERR_USAGE, HB_ERR_IO, those of the jobs. */
enum hb_status hb_reproduce(struct hb_reproduction *r, unsigned chosen, int jobs_only);

/* ---- reproduce_machine.c ---- */

/* Reads what machine the jobs in this folder ran on, as records of kind=machine and kind=host; writes it at the begin. */
enum hb_status hb_reproduce_open_machine(struct hb_reproduction *r);

/* Whether it is this one. Errors: HB_ERR_USAGE. */
enum hb_status hb_reproduce_check_machine(const struct hb_reproduction *r);

/* ---- reproduce_probe.c ---- */

/* Jobs that measure the speed of the sources: at stage 0 those of their own, at stage 1 those of the faster walk. */
enum hb_status hb_reproduce_plan_probes(struct hb_reproduction *r, int stage);

/* What the probes say. Errors: HB_ERR_GL (no kernel of 2007 on this machine). */
enum hb_status hb_reproduce_take_probes(struct hb_reproduction *r, int stage);

/* Seconds that a job with the source takes to begin, the source for a block of ni among n, and a run of that many block
 * steps of n with its beginning and its energies. */
double hb_source_start_seconds(const struct hb_reproduction *r, const struct hb_source *source);
double hb_source_seconds(const struct hb_source *source, double n, double ni);
double hb_source_run_seconds(const struct hb_reproduction *r, const struct hb_source *source, size_t n,
                             double steps);

/* ---- reproduce_jobs.c ---- */

/* A job of this command, which gets the source's scheme and precision (NULL: none) and the OpenGL that was asked for. */
enum hb_status hb_job_add(struct hb_reproduction *r, enum hb_job_kind kind, const struct hb_source *source,
                          double estimate_s, struct hb_job **job, const char *command, ...)
    __attribute__((format(printf, 6, 7)));
void hb_job_name(struct hb_job *job, const char *labels, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* All jobs but probes that the sections need, with their estimates. */
enum hb_status hb_reproduce_plan(struct hb_reproduction *r);

enum { HB_ROUNDINGS = 3, HB_ROUNDING_SEEDS = 3, HB_NU_SIZES = 2, HB_THREAD_COUNTS = 4 };

/* The two numbers of particles of Fig. 2, the larger one last. */
void hb_reproduce_nu_sizes(const struct hb_reproduction *r, size_t n[HB_NU_SIZES]);

/* The numbers of threads that share a body. */
extern const int hb_thread_counts[HB_THREAD_COUNTS];

/* ---- reproduce_run.c ---- */

/* Whether the job's output is there, of the same command and version. Where instead of output a failure was kept: 0, and
 * the sentence goes to failure[HB_JOB_FAILURE], NULL: not wanted; without one that stays as it is. */
int hb_job_is_kept(const struct hb_job *job, char *failure);

/* Reads the outputs that an earlier sitting left, of the same command and version. */
enum hb_status hb_reproduce_resume(struct hb_reproduction *r);

/* Runs the jobs that are due, in their order, and reads what they wrote. A job that fails is noted, the others go on.
 * Errors: HB_ERR_STOPPED, HB_ERR_IO. */
enum hb_status hb_reproduce_run(struct hb_reproduction *r);

static inline int hb_job_is_due(const struct hb_job *job)
{
  return !job->is_done && !job->is_left_out && !*job->failure;
}

/* ---- reproduce_rows.c ---- */

/* The fields of an object of JSON in a line, which is cut into them, behind those that the record has. Errors: HB_ERR_INPUT. */
enum hb_status hb_record_take(char *line, struct hb_record *record);

/* Adds the lines of a file behind its first, *header (to be given back with hb_mem_free; NULL: all lines), with these labels
 * before their fields. Errors: HB_ERR_INPUT, HB_ERR_IO. */
enum hb_status hb_reproduce_read_lines(struct hb_reproduction *r, const char *path, const char *labels,
                                       char **header);

/* Adds the lines of a job that is done. Errors: HB_ERR_INPUT, HB_ERR_IO. */
enum hb_status hb_reproduce_read(struct hb_reproduction *r, size_t job);

/* The first record behind `after` (NULL: from the first on) whose fields have these values, "kind=run n=1024"; NULL: none. */
const struct hb_record *hb_reproduce_next(const struct hb_reproduction *r, const struct hb_record *after,
                                          const char *filter);

/* A field; "" and NaN where it has none. "a/b" is the quotient of two fields. */
const char *hb_record_text(const struct hb_record *record, const char *key);
double hb_record_number(const struct hb_record *record, const char *key);

/* The number in the last such record; NaN without one. */
double hb_reproduce_number(const struct hb_reproduction *r, const char *key, const char *filter, ...)
    __attribute__((format(printf, 3, 4)));

void hb_reproduce_clear(struct hb_reproduction *r);

#endif

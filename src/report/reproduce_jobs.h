/* Jobs are command lines of this program, run one after another as children, each with its output in OUT/jobs; records are the
 * lines of those outputs, and what the papers and their model say. */
#ifndef HB_REPRODUCE_JOBS_H
#define HB_REPRODUCE_JOBS_H

#include "report/values.h"

#include <holmberg/measure.h>

/* What a job measures: a section names the kinds that it needs. */
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
  char labels[160];  /* "nu source=cg2007 n=1024": its records are found by           */
  char name[80];     /* "nu-cg2007-1024", the labels' values; for its file NAME.jsonl */
  char command[480]; /* as typed in the folder OUT, after any variables               */
  enum hb_job_kind kind;
  double estimate_s, wall_s;
  int is_done, is_left_out;     /* left out: would take longer than allowed   */
  char failure[HB_JOB_FAILURE]; /* a message; "": none                        */
};

/* A way to compute forces. For a block of ni among n particles it takes passes * (pass_s + pair_s * n * ni / passes)
 * seconds, where passes is n - 1 for the kernel of 2007, else 1. */
struct hb_source {
  const char *name, *scheme, *precision;
  const char *what; /* for the reader */
  double pass_s, pair_s;
  int is_there;
  char why_not[256];
  int passes_each; /* 1: a pass for each other particle */
  int has_lists;   /* of neighbors, unless they are switched off */
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

struct hb_reproduction {
  const char *out;              /* the folder, as the user named it; the program works inside it */
  struct hb_force_params place; /* context and device of the jobs; NULL: not asked for           */
  int is_full, plans_only;
  unsigned kinds;   /* of jobs that the chosen sections need */
  double longest_s; /* estimated limit of one job            */
  size_t n_least, n_most;
  double start_s, gl_start_s; /* of an empty job, without and with OpenGL */
  struct hb_source sources[HB_SOURCES];
  enum hb_status planned; /* the first failure of adding a job */
  struct hb_job *jobs;
  size_t job_count, job_capacity;
  struct hb_values values; /* what the jobs wrote, and report.json */
};

enum { HB_ROUNDINGS = 3, HB_ROUNDING_SEEDS = 3, HB_NU_SIZES = 2, HB_NU_HALVINGS = 8, HB_NU_SHORT = 8 };

/* The two numbers of particles of Fig. 2, the larger one last, which also runs to t = 2^-HB_NU_SHORT; how many seeds its curves have. */
int hb_reproduce_nu_seeds(const struct hb_reproduction *r);
void hb_reproduce_nu_sizes(const struct hb_reproduction *r, size_t n[HB_NU_SIZES]);

/* Adds jobs that measure the sources: at stage 0 each of its own, at stage 1 those that use the faster of bag and tile. */
enum hb_status hb_reproduce_plan_probes(struct hb_reproduction *r, int stage);

/* Plans all jobs, reuses the output of an earlier session, of the same command and of the version that began the folder,
 * announces how long the others will take, and runs those in their order. A failed job is noted, the others continue. The machine
 * that they ran on is kept beside them. Errors: HB_ERR_STOPPED, HB_ERR_IO, HB_ERR_GL (the kernel of 2007 cannot run on this
 * machine), HB_ERR_USAGE (started on another machine, or by another version). */
enum hb_status hb_reproduce_run(struct hb_reproduction *r);

void hb_reproduce_clear(struct hb_reproduction *r);

#endif

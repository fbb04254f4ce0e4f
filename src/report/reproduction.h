/* What a reproduction knows: jobs are command lines of this program, run one after another as children, each with its output
 * in OUT/jobs; records are the lines of those outputs; sections make tables, figures and sentences of the records and of what
 * the papers printed. */
#ifndef HB_REPRODUCTION_H
#define HB_REPRODUCTION_H

#include "base/status.h"

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
  char labels[160];  /* "kind=nu source=cg2007 n=1024": its rows are found by         */
  char name[80];     /* "nu-cg2007-1024", the labels' values: of its file NAME.jsonl  */
  char command[480]; /* as typed in the folder OUT, variables before                  */
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
  int passes_each; /* 1: a pass for each other particle */
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
  const char *out;              /* the folder, as its user named it; the program works inside it */
  struct hb_force_params place; /* context and device of the jobs; NULL: not asked for           */
  int is_full;
  unsigned kinds;   /* of jobs that the chosen sections need */
  double longest_s; /* of one job, by estimate               */
  size_t n_least, n_most;
  double start_s, gl_start_s; /* of a job that does nothing, without and with OpenGL */
  struct hb_source sources[HB_SOURCES];
  enum hb_status planned; /* the first failure of adding a job */
  struct hb_job *jobs;
  size_t job_count, job_room;
  struct hb_record *records;
  size_t record_count, record_room;
};

#endif

/* What a format of snapshots is, one per file, and what they share. The registry is in snapshot.c. */
#ifndef HB_SNAPSHOT_FORMAT_H
#define HB_SNAPSHOT_FORMAT_H

#include "base/text.h"
#include "core/particles.h"
#include "io/lines.h"

/* Which snapshot of a file is wanted, and what a reader finds out on its way to it. */
struct hb_snapshot_choice {
  double t;               /* the snapshot nearest to this time; NaN: the last             */
  double t_chosen;        /* the time of the best so far                                  */
  size_t count;           /* so far; a reader of formats with a single one leaves it 0    */
  double t_first, t_last; /* smallest and largest time so far                             */
  char format[24];        /* its name where a reader knows better than its caller; else "" */
};

struct hb_snapshot_ops {
  struct hb_snapshot_format info;
  /* Whether a file of total bytes that starts with head[count], at most HB_SNAPSHOT_HEAD of them, is of this format; NULL:
   * that cannot be told. */
  int (*recognize)(const char *head, size_t count, uint64_t total);
  /* One of the two: by name, or from the bytes of the whole file, which a NUL follows. The registry checks the values
   * afterwards, and destroys what a failure leaves in *particles. Messages start with the file's name. */
  enum hb_status (*read)(const char *path, struct hb_snapshot_choice *choice,
                         struct hb_particles **particles);
  enum hb_status (*parse)(const char *name, const char *bytes, size_t count,
                          struct hb_snapshot_choice *choice, struct hb_particles **particles);
  /* The complete file, into an empty text. */
  enum hb_status (*write)(const struct hb_particles *particles, struct hb_text *bytes);
  /* Instead of it, for a format of more than one file. */
  enum hb_status (*save)(const char *path, const struct hb_particles *particles);
  enum hb_status (*load)(void); /* a library, before anything is written; NULL: there is none */
  const char *beside;           /* the extension of its other file; NULL: there is one file only */
  unsigned facts;               /* of enum hb_snapshot_facts                                     */
};

enum hb_snapshot_facts {
  HB_SNAPSHOT_NO_NOTES = 1, /* the header keeps nothing but the time */
  HB_SNAPSHOT_RADII = 2,    /* it keeps radii                        */
  HB_SNAPSHOT_INT_N = 4,    /* its number of particles is an int     */
  HB_SNAPSHOT_INT_IDS = 8   /* and so are its identities             */
};

enum { HB_SNAPSHOT_HEAD = 512 };

extern const struct hb_snapshot_ops hb_snapshot_hdf5, hb_snapshot_text, hb_snapshot_nemo,
    hb_snapshot_phigrape, hb_snapshot_tipsy[3], hb_snapshot_dyn, hb_snapshot_amuse, hb_snapshot_xdmf;

/* The name of the file that is written beside path, for XDMF; nothing is appended where there is none. Errors:
 * HB_ERR_USAGE, HB_ERR_INTERNAL. */
enum hb_status hb_snapshot_beside(const char *path, const char *format, struct hb_text *name);

/* ---- what formats share ---- */

/* Counts a snapshot of time t; returns whether it is better than all before it. */
int hb_snapshot_offer(struct hb_snapshot_choice *choice, double t);

/* The numbers of a particle in the order of most tables, by name and by place: m x y z vx vy vz, and its radius where there
 * is one. */
enum { HB_SNAPSHOT_COLUMNS = 7, HB_SNAPSHOT_MOST_COLUMNS = 8 };
extern const char *const hb_snapshot_columns[HB_SNAPSHOT_MOST_COLUMNS];
double *hb_snapshot_value(const struct hb_particles *particles, size_t i, size_t column);

/* The words of a line from `at` on as the first `count` columns of particle i, and nothing behind them. The line has `before`
 * words in front of them and should have these. Errors: HB_ERR_INPUT. */
enum hb_status hb_snapshot_take_row(const struct hb_lines *line, const char *at, size_t before, size_t count,
                                    const char *expected, struct hb_particles *particles, size_t i);

/* After reading identities: they stay if *are_kept, and if none is there twice; else they are the numbers of the rows, and
 * *are_kept is 0. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_snapshot_settle_ids(struct hb_particles *particles, int *are_kept);

/* Appends path with another extension. */
enum hb_status hb_snapshot_rename(const char *path, const char *extension, struct hb_text *name);

#endif

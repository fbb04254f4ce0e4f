/* What emulations of old machines share: sinks are taken one group at a time, each by a thread with its own memory. */
#ifndef HB_EMULATED_H
#define HB_EMULATED_H

#include "force/source.h"

struct emulated {
  char device[160]; /* hb_force_name_processor */
  int threads;      /* that have memory: */
  char *memory;     /* [threads][bytes] */
};

/* Sinks from .. from + count - 1 of the job, count <= group. */
typedef void emulated_fn(void *machine, const struct hb_force_job *job, size_t from, size_t count,
                         void *memory);

void emulated_close(struct emulated *e);

/* Calls eval for all sinks of the job, in groups, with `bytes` of memory a thread, always the same number. Errors: HB_ERR_MEMORY. */
enum hb_status emulated_eval(struct emulated *e, const struct hb_force_job *job, size_t nj, size_t group,
                             size_t bytes, emulated_fn *eval, void *machine);

#endif

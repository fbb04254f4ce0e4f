#include "force/emulated.h"

#include "base/arith.h"
#include "base/mem.h"
#include "base/parallel.h"

#include <stdatomic.h>

/* Fewer pairs than this are done before a second thread has woken up. */
static const double pairs_worth_threads = 8192;

void emulated_close(struct emulated *e) { hb_mem_free(e->memory); }

struct evaluation {
  const struct emulated *e;
  const struct hb_force_job *job;
  size_t group, bytes;
  emulated_fn *eval;
  void *machine;
  atomic_size_t next; /* group */
};

static void eval_groups(void *context, size_t thread)
{
  struct evaluation *v = context;
  for (size_t from; (from = v->group * atomic_fetch_add(&v->next, 1)) < v->job->sinks.n;)
    v->eval(v->machine, v->job, from, hb_min(v->group, v->job->sinks.n - from),
            v->e->memory + thread * v->bytes);
}

enum hb_status emulated_eval(struct emulated *e, const struct hb_force_job *job, size_t nj, size_t group,
                             size_t bytes, emulated_fn *eval, void *machine)
{
  int threads = (double)job->sinks.n * (double)nj > pairs_worth_threads ? hb_parallel_threads() : 1;
  if (threads > e->threads) {
    hb_mem_free(e->memory);
    e->memory = NULL;
    e->threads = 0;
    HB_TRY(HB_ALLOC((size_t)threads * bytes, &e->memory));
    e->threads = threads;
  }
  struct evaluation v = {
      .e = e, .job = job, .group = group, .bytes = bytes, .eval = eval, .machine = machine};
  hb_parallel_for(threads, (size_t)threads, eval_groups, &v);
  return HB_OK;
}

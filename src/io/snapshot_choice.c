#include "io/snapshot_choice.h"

#include "base/mem.h"
#include "core/identity.h"

#include <math.h>
#include <string.h>

int hb_snapshot_offer(struct hb_snapshot_choice *c, double t)
{
  int is_better = c->count == 0 || isnan(c->t) || fabs(t - c->t) <= fabs(c->t_chosen - c->t);
  c->t_first = c->count ? fmin(c->t_first, t) : t;
  c->t_last = c->count ? fmax(c->t_last, t) : t;
  if (is_better) c->t_chosen = t;
  c->count++;
  return is_better;
}

enum hb_status hb_snapshot_check_ids(const struct hb_particles *p, const char *format)
{
  for (size_t i = 0; i < p->n; i++)
    if (p->id[i] > INT32_MAX)
      return hb_fail(HB_ERR_INPUT,
                     "particle %zu has identity %llu, but those of format %s are below 2^31: write hdf5", i,
                     (unsigned long long)p->id[i], format);
  return HB_OK;
}

enum hb_status hb_snapshot_take_ids(struct hb_particles *p, const uint64_t *ids, int *taken)
{
  uint32_t *order;
  size_t twice = 0;
  HB_TRY(HB_ALLOC(p->n, &order));
  enum hb_status status = hb_identity_sort(p->n, ids, order, &twice);
  *taken = status == HB_OK && twice == p->n;
  if (*taken) memcpy(p->id, ids, p->n * sizeof *ids);
  hb_mem_free(order);
  return status;
}

enum hb_status hb_snapshot_rename(const char *path, const char *extension, struct hb_text *name)
{
  return hb_text_append(name, "%.*s.%s", (int)(hb_text_extension(path) - path), path, extension);
}

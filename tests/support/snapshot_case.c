#include "support/snapshot_case.h"

#include "core/particles.h"
#include "support/support.h"

void snapshot_assert_same(const struct hb_particles *a, const struct hb_particles *b)
{
  assert_int_equal(a->n, b->n);
  assert_memory_equal(&a->t, &b->t, sizeof a->t);
  assert_memory_equal(a->m, b->m, a->n * sizeof *a->m);
  assert_memory_equal(a->x, b->x, 3 * a->n * sizeof *a->x);
  assert_memory_equal(a->v, b->v, 3 * a->n * sizeof *a->v);
}

struct trip {
  const struct hb_particles *particles;
  const char *path;
};

static enum hb_status there_and_back(void *data)
{
  const struct trip *trip = data;
  struct hb_particles *back = NULL;
  enum hb_status status = hb_snapshot_write(trip->path, NULL, trip->particles);
  if (status == HB_OK) status = hb_snapshot_read(trip->path, NULL, &back);
  hb_particles_destroy(back);
  return status;
}

void snapshot_survives_lack_of_memory(const struct hb_particles *particles, const char *path)
{
  struct trip trip = {particles, path};
  support_survives_lack_of_memory(there_and_back, &trip, 10);
}

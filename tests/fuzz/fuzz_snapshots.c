/* Snapshots that are read from memory: what is written of them is read back unchanged. */
#include "fuzz/fuzz.h"

#include "io/snapshot_format.h"

#include <string.h>

static int same_numbers(const struct hb_particles *a, const struct hb_particles *b)
{
  size_t bytes = a->n * sizeof(double);
  return a->n == b->n && a->t == b->t && memcmp(a->m, b->m, bytes) == 0 &&
         memcmp(a->x, b->x, 3 * bytes) == 0 && memcmp(a->v, b->v, 3 * bytes) == 0 &&
         memcmp(a->id, b->id, a->n * sizeof *a->id) == 0;
}

static int same_notes(const struct hb_particles *a, const struct hb_particles *b)
{
  int equal = 1;
  for (size_t k = 0; k < a->note_count && equal; k++) {
    const char *note = hb_particles_note(b, a->notes[k].key);
    equal = note && strcmp(note, a->notes[k].value) == 0;
  }
  return equal;
}

static void read_back(const struct hb_snapshot_ops *ops, const struct hb_particles *first)
{
  struct hb_particles *again;
  fuzz_demand(hb_snapshot_read("out", ops->info.name, &again) == HB_OK, "what was written cannot be read");
  fuzz_demand(same_numbers(first, again), "what was written is read as something else");
  if (ops == &hb_snapshot_text) fuzz_demand(same_notes(first, again), "notes have changed");
  hb_particles_destroy(again);
}

/* As a file of that name, so that the choice among formats is made, too. Identities that the format cannot hold may be
 * refused. */
static enum hb_status take(const struct hb_snapshot_ops *ops, const char *name, const uint8_t *bytes,
                           size_t count)
{
  struct hb_particles *first;
  HB_TRY(hb_snapshot_read(fuzz_file(name, bytes, count), ops->info.name, &first));
  enum hb_status status = hb_snapshot_write("out", ops->info.name, first);
  if (status == HB_OK) read_back(ops, first);
  hb_particles_destroy(first);
  if (hb_snapshot_read_at(name, NULL, 0.5, &first, NULL) == HB_OK) hb_particles_destroy(first);
  return status;
}

enum hb_status fuzz_text(const uint8_t *bytes, size_t count)
{
  return take(&hb_snapshot_text, "in.txt", bytes, count);
}

enum hb_status fuzz_nemo(const uint8_t *bytes, size_t count)
{
  return take(&hb_snapshot_nemo, "in.nemo", bytes, count);
}

enum hb_status fuzz_phigrape(const uint8_t *bytes, size_t count)
{
  return take(&hb_snapshot_phigrape, "in.dat", bytes, count);
}

enum hb_status fuzz_tipsy(const uint8_t *bytes, size_t count)
{
  return take(&hb_snapshot_tipsy[2], "in.tipsy", bytes, count);
}

enum hb_status fuzz_dyn(const uint8_t *bytes, size_t count)
{
  return take(&hb_snapshot_dyn, "in.dyn", bytes, count);
}

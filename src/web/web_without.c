/* What a page does without: threads, child programs, HDF5 and PNG; and a sum of zlib's. */
#include "base/parallel.h"
#include "io/png.h"
#include "io/snapshot.h"

#include <zlib.h>

int hb_parallel_threads(void) { return 1; }
void hb_parallel_set_threads(int threads) { (void)threads; }

void hb_parallel_for(int threads, size_t count, void (*work)(void *context, size_t k), void *context)
{
  (void)threads;
  for (size_t k = 0; k < count; k++) work(context, k);
}

static enum hb_status not_here(const char *what)
{
  return hb_fail(HB_ERR_USAGE, "this page has no %s", what);
}

enum hb_status hb_png_write(const char *path, const struct hb_png *png)
{
  (void)path, (void)png;
  return not_here("PNG files");
}

enum hb_status hb_snapshot_hdf5_read(const char *path, struct hb_snapshot_choice *choice,
                                     struct hb_particles **particles)
{
  (void)path, (void)choice, (void)particles;
  return not_here("HDF5 (`holmberg convert` makes a table of text of it)");
}

const struct hb_snapshot_ops hb_snapshot_hdf5 = {
    .info = {.name = "hdf5", .summary = "not in this page", .extensions = "h5 hdf5"},
    .read = hb_snapshot_hdf5_read};
const struct hb_snapshot_ops hb_snapshot_amuse = {
    .info = {.name = "amuse", .summary = "not in this page", .extensions = "amuse"},
    .read = hb_snapshot_hdf5_read};

uLong crc32_z(uLong sum, const Bytef *bytes, size_t count)
{
  uint32_t rest = ~(uint32_t)sum;
  for (size_t k = 0; k < count; k++) {
    rest ^= bytes[k];
    for (int bit = 0; bit < 8; bit++) rest = rest >> 1 ^ (rest & 1 ? 0xedb88320u : 0);
  }
  return ~rest & 0xffffffffu;
}

#include "fuzz/fuzz.h"

#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>

const struct fuzz_target fuzz_targets[] = {
    {"text", fuzz_text},
    {"nemo", fuzz_nemo},
    {"phigrape", fuzz_phigrape},
    {"tipsy", fuzz_tipsy},
    {"dyn", fuzz_dyn},
    {"checkpoint", fuzz_checkpoint},
    {"options", fuzz_options},
    {"tuning", fuzz_tuning},
    {"camera", fuzz_camera},
    {"fit", fuzz_fit},
    {"diag", fuzz_diag},
    {"script", fuzz_script},
    {"answer", fuzz_answer},
    {"hdf5", fuzz_hdf5},
    {"amuse", fuzz_amuse},
    {"interaction", fuzz_interaction},
    {"table", fuzz_table},
    {"field", fuzz_field},
    {"radii", fuzz_radii},
    {"masses", fuzz_masses},
    {"shares", fuzz_shares},
    {"xdmf", fuzz_xdmf},
    {NULL, NULL},
};

/* Fuzzers make files of some kilobytes. */
enum { MOST_MEMORY = 64 << 20 };

void fuzz_demand(int holds, const char *sentence)
{
  if (holds) return;
  fprintf(stderr, "fuzz: %s; the library says: %s\n", sentence, hb_error());
  abort();
}

enum hb_status fuzz_run(const struct fuzz_target *target, const uint8_t *bytes, size_t count)
{
  size_t before = hb_mem_watch.now;
  hb_mem_watch.most = hb_mem_watch.now;
  hb_fail(HB_OK, "%s", "");
  enum hb_status status = target->read(bytes, count);
  fuzz_demand(hb_mem_watch.now == before, "memory was lost");
  fuzz_demand(hb_mem_watch.most < before + MOST_MEMORY, "a small file took much memory");
  fuzz_demand(status == HB_OK || *hb_error(), "a failure without a sentence");
  fuzz_demand(status != HB_ERR_INTERNAL, "a bad file must not be an internal error");
  return status;
}

const char *fuzz_file(const char *name, const void *bytes, size_t count)
{
  FILE *file = fopen(name, "wb");
  fuzz_demand(file && fwrite(bytes, 1, count, file) == count && fclose(file) == 0, "cannot write a file");
  return name;
}

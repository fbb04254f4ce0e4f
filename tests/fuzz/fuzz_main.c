/* The program for a fuzzer, or for files to be read again: FUZZ_TARGET=name build/fuzz/fuzzer [FILE ...] */
#include "fuzz/fuzz.h"

#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
  static const struct fuzz_target *target;
  const char *name = getenv("FUZZ_TARGET");
  for (const struct fuzz_target *t = fuzz_targets; !target && t->name; t++)
    if (name && strcmp(t->name, name) == 0) target = t;
  fuzz_demand(target != NULL, "FUZZ_TARGET names no target");
  H5set_free_list_limits(-1, -1, -1, -1, -1, -1); /* else it maps half a megabyte anew with each file */
  fuzz_run(target, bytes, count);
  return 0;
}

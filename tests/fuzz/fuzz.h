/* Each reader of files and words from outside, as a function of bytes: fuzz_main.c passes it what a fuzzer invents,
 * tests/unit/test_fuzz.c the corpus and a little of its own. They write into the current folder. */
#ifndef FUZZ_H
#define FUZZ_H

#include "base/status.h"

#include <stdint.h>

/* A seed that is called good... is read without an error, bad... is refused. */
struct fuzz_target {
  const char *name; /* of its folder in tests/fuzz/corpus */
  enum hb_status (*read)(const uint8_t *bytes, size_t count);
};

/* The last one has no name. */
extern const struct fuzz_target fuzz_targets[];

enum hb_status fuzz_text(const uint8_t *bytes, size_t count);
enum hb_status fuzz_nemo(const uint8_t *bytes, size_t count);
enum hb_status fuzz_phigrape(const uint8_t *bytes, size_t count);
enum hb_status fuzz_tipsy(const uint8_t *bytes, size_t count);
enum hb_status fuzz_dyn(const uint8_t *bytes, size_t count);
enum hb_status fuzz_checkpoint(const uint8_t *bytes, size_t count);
enum hb_status fuzz_options(const uint8_t *bytes, size_t count);
enum hb_status fuzz_tuning(const uint8_t *bytes, size_t count);
enum hb_status fuzz_camera(const uint8_t *bytes, size_t count);
enum hb_status fuzz_fit(const uint8_t *bytes, size_t count);
enum hb_status fuzz_diag(const uint8_t *bytes, size_t count);
enum hb_status fuzz_script(const uint8_t *bytes, size_t count);
enum hb_status fuzz_answer(const uint8_t *bytes, size_t count);
enum hb_status fuzz_hdf5(const uint8_t *bytes, size_t count);
enum hb_status fuzz_amuse(const uint8_t *bytes, size_t count);
enum hb_status fuzz_interaction(const uint8_t *bytes, size_t count);
enum hb_status fuzz_table(const uint8_t *bytes, size_t count);
enum hb_status fuzz_field(const uint8_t *bytes, size_t count);
enum hb_status fuzz_radii(const uint8_t *bytes, size_t count);
enum hb_status fuzz_masses(const uint8_t *bytes, size_t count);
enum hb_status fuzz_shares(const uint8_t *bytes, size_t count);
enum hb_status fuzz_xdmf(const uint8_t *bytes, size_t count);

/* Corrects checksums, lengths and counts of a checkpoint, so that the damage is in what they protect; returns its length. */
size_t fuzz_mend(uint8_t *file, size_t count);

/* Reads, and aborts on what no input may cause: memory lost or taken without bound, a failure without a sentence, an
 * internal error. */
enum hb_status fuzz_run(const struct fuzz_target *target, const uint8_t *bytes, size_t count);

/* Aborts with the sentence unless it holds. */
void fuzz_demand(int holds, const char *sentence);

/* Writes a file of that name with these bytes; returns the name. */
const char *fuzz_file(const char *name, const void *bytes, size_t count);

/* `FAKE(f);` on a line of its own: calls of f from other files come to __wrap_f, which that file has, as the Makefile asks
 * the linker. */
#define FAKE(function) __typeof__(function) __wrap_##function

#endif

/* What reads files and words from outside, each as a function of bytes: fuzz_main.c hands them what a fuzzer invents,
 * tests/unit/test_fuzz.c the corpus and what little it invents itself. They write into the current folder. */
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
enum hb_status fuzz_checkpoint(const uint8_t *bytes, size_t count);
enum hb_status fuzz_options(const uint8_t *bytes, size_t count);
enum hb_status fuzz_tuning(const uint8_t *bytes, size_t count);
enum hb_status fuzz_camera(const uint8_t *bytes, size_t count);
enum hb_status fuzz_fit(const uint8_t *bytes, size_t count);
enum hb_status fuzz_diag(const uint8_t *bytes, size_t count);
enum hb_status fuzz_script(const uint8_t *bytes, size_t count);
enum hb_status fuzz_answer(const uint8_t *bytes, size_t count);
enum hb_status fuzz_hdf5(const uint8_t *bytes, size_t count);

/* Puts checksums, lengths and counts of a checkpoint right, so that what is damaged is what they protect; gives its length. */
size_t fuzz_mend(uint8_t *file, size_t count);

/* Reads, and dies of what no bytes may do: memory lost, or taken without measure, a failure without a sentence, one that is
 * not the input's. */
enum hb_status fuzz_run(const struct fuzz_target *target, const uint8_t *bytes, size_t count);

/* Dies with the sentence unless it holds. */
void fuzz_demand(int holds, const char *sentence);

/* A file of that name with these bytes; gives the name. */
const char *fuzz_file(const char *name, const void *bytes, size_t count);

/* `FAKE(f);` on a line of its own: calls of f from other files come to __wrap_f, which that file has, as the Makefile asks
 * the linker. */
#define FAKE(function) __typeof__(function) __wrap_##function

#endif

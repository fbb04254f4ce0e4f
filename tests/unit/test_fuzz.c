/* The readers of files and words: the corpus of tests/fuzz, and a few thousand inputs made of it, always the same ones. Each
 * target works in a process of its own, so that a crash leaves its input behind. */
#include "support/support.h"

#include "fuzz/fuzz.h"

#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_SEEDS = 64, MOST_BYTES = 8192, MUTATIONS = 2000, SECONDS = 300 };

struct seed {
  char name[64];
  uint8_t *bytes;
  size_t count;
};

/* What a process works on, seen by its parent. */
struct input {
  const char *name; /* the seed's, or what it is */
  int number;
  size_t count;
  uint8_t bytes[MOST_BYTES];
};

static const char *program;

static size_t read_seeds(const char *target, struct seed *seeds)
{
  char folder[256], path[600];
  struct dirent **entries;
  snprintf(folder, sizeof folder, "tests/fuzz/corpus/%s", target);
  int entry_count = scandir(folder, &entries, NULL, alphasort);
  size_t count = 0;
  for (int k = 0; k < entry_count; k++) {
    snprintf(path, sizeof path, "%s/%s", folder, entries[k]->d_name);
    if (*entries[k]->d_name != '.') {
      struct seed *seed = &seeds[count++];
      expect_below(count, MOST_SEEDS);
      snprintf(seed->name, sizeof seed->name, "%.63s", entries[k]->d_name);
      seed->bytes = (uint8_t *)support_read(path, &seed->count);
      assert_true(seed->bytes);
      expect_at_most(seed->count, MOST_BYTES);
    }
    free(entries[k]);
  }
  if (entry_count >= 0) free(entries);
  return count;
}

/* ---- mutations ---- */

static uint64_t dice;

static size_t roll(size_t below)
{
  dice ^= dice << 13, dice ^= dice >> 7, dice ^= dice << 17;
  return below ? dice % below : 0;
}

/* A bit, a byte, a number, a piece gone, a piece twice, or a piece of another seed. */
static void mutate(const struct seed *other, struct input *input)
{
  static const char *const numbers[] = {
      "0", "-1", "1e300", "1e-320", "nan", "4294967296", "18446744073709551616", "2^1024"};
  size_t at = roll(input->count + 1), rest = input->count - at, length = roll(rest < 64 ? rest + 1 : 64);
  size_t from = roll(other->count), room = MOST_BYTES - input->count;
  const char *number = numbers[roll(COUNT_OF(numbers))];
  const uint8_t *piece = other->bytes + from;
  size_t kind = roll(6), added = roll(other->count - from < 64 ? other->count - from + 1 : 64);
  if (kind == 0 && rest) input->bytes[at] ^= (uint8_t)(1 << roll(8));
  if (kind == 1 && rest) input->bytes[at] = (uint8_t) "\0\xff\x80\x7f \n,="[roll(8)];
  if (kind == 2) {
    memmove(input->bytes + at, input->bytes + at + length, rest - length);
    input->count -= length;
  }
  if (kind < 3) return;
  if (kind == 3) piece = (const uint8_t *)number, added = strlen(number);
  if (kind == 4) piece = input->bytes + at, added = length;
  if (added > room) return;
  uint8_t kept[64];
  memcpy(kept, piece, added); /* it may be what moves */
  memmove(input->bytes + at + added, input->bytes + at, rest);
  memcpy(input->bytes + at, kept, added);
  input->count += added;
}

/* ---- a process ---- */

#if defined __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
static void check_leaks(void) { __lsan_do_leak_check(); }
#else
static void check_leaks(void) {}
#endif

static void read_all(const struct fuzz_target *target, const struct seed *seeds, size_t seed_count,
                     struct input *input)
{
  for (size_t k = 0; k < seed_count; k++) {
    input->name = seeds[k].name;
    memcpy(input->bytes, seeds[k].bytes, input->count = seeds[k].count);
    enum hb_status status = fuzz_run(target, input->bytes, input->count);
    fuzz_demand(strncmp(input->name, "good", 4) != 0 || status == HB_OK, "a good seed is refused");
    fuzz_demand(strncmp(input->name, "bad", 3) != 0 || status == HB_ERR_INPUT || status == HB_ERR_USAGE,
                "a bad seed is not refused");
  }
  for (int k = 0; k < MUTATIONS; k++) {
    const struct seed *seed = &seeds[roll(seed_count)];
    input->name = "mutation", input->number = k;
    memcpy(input->bytes, seed->bytes, input->count = seed->count);
    for (size_t times = 1 + roll(8); times > 0; times--) mutate(&seeds[roll(seed_count)], input);
    fuzz_run(target, input->bytes, input->count);
  }
}

static void test_target(void **state)
{
  const struct fuzz_target *target = *state;
  struct seed seeds[MOST_SEEDS];
  size_t count = read_seeds(target->name, seeds);
  expect_above(count, 0);
  char kept[600];
  const char *folder = support_path(target->name); /* before the fork: the parent removes it */
  struct input *input = mmap(NULL, sizeof *input, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert_true(input != MAP_FAILED);
  snprintf(kept, sizeof kept, "%s-%s", program, target->name);
  pid_t child = fork();
  if (child == 0) {
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS};
    for (size_t k = 0; k < COUNT_OF(crashes); k++)
      signal(crashes[k], SIG_DFL); /* cmocka would go on in here */
    *strrchr(folder, '/') = 0;
    fuzz_demand(chdir(folder) == 0, "cannot go to the test's folder");
    alarm(SECONDS);
    dice = UINT64_C(0x9e3779b97f4a7c15);
    read_all(target, seeds, count, input);
    check_leaks();
    _exit(0);
  }
  int end = 0;
  assert_int_equal(waitpid(child, &end, 0), child);
  if (end != 0) {
    support_write(kept, input->bytes, input->count);
    fail_msg("%s: %s %d ended it (status %d); the input is in %s", target->name, input->name, input->number,
             end, kept);
  }
  for (size_t k = 0; k < count; k++) free(seeds[k].bytes);
  munmap(input, sizeof *input);
}

int main(int argc, char **argv)
{
  (void)argc;
  program = argv[0];
  if (access("/dev/shm", W_OK) == 0) setenv("TMPDIR", "/dev/shm", 0); /* nobody waits for a disk */
  struct CMUnitTest tests[32] = {{0}};
  size_t count = 0;
  for (const struct fuzz_target *t = fuzz_targets; t->name; t++)
    tests[count++] =
        (struct CMUnitTest){.name = t->name, .test_func = test_target, .initial_state = (void *)(uintptr_t)t};
  return _cmocka_run_group_tests("fuzz", tests, count, NULL, NULL);
}

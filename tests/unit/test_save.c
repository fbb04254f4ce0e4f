/* hb_sim_save and hb_sim_resume: the same bits as without, and no harm from files that make no sense. */
#include "support/faults.h"
#include "support/resume_case.h"
#include "support/support.h"

#include "base/file.h"
#include "base/mem.h"
#include "io/checkpoint.h"

#include <holmberg/checkpoint.h>

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double eps = 1.0 / 256;

static void same_bits_on_the_host(void **state)
{
  (void)state;
  for (int rounding = HB_ROUND_DOWN; rounding <= HB_ROUND_UP; rounding++) {
    const struct hb_sim_params params = {.force = {.scheme = "host", .eps = eps},
                                         .eta = 0.02,
                                         .dt_max = 0.0625,
                                         .dt_min = 0x1p-30,
                                         .rounding = (enum hb_rounding)rounding};
    resume_case_run(&params, 128, 5, 0.3);
  }
}

static void same_bits_on_vector_units(void **state)
{
  (void)state;
  for (int k = 0; k < 2; k++) {
    const struct hb_sim_params params = {
        .force = {.scheme = "host-simd", .precision = k ? "ds" : "single", .eps = eps}};
    resume_case_run(&params, 200, 3, 0.25);
  }
}

/* After each block step of a stretch with blocks of many sizes. */
static void same_bits_at_every_step(void **state)
{
  (void)state;
  const struct hb_sim_params params = {.force = {.scheme = "host", .eps = eps}};
  resume_case_run(&params, 64, 60, 0.02);
}

/* Groups form and break on the way. */
static void same_bits_within_encounters(void **state)
{
  (void)state;
  const struct hb_sim_params params = {.force = {.scheme = "host", .flags = HB_FORCE_UNSOFTENED},
                                       .encounters = HB_ENCOUNTERS_GROUPS};
  resume_case_run(&params, 8, 40, 2);
  resume_case_run(&params, 12, 20, 2); /* one chain of twelve */
  resume_case_run(&params, 64, 20, 0.5);
}

/* Every kind of state that a checkpoint can hold. */
static const struct hb_sim_params kinds[] = {
    {.force = {.scheme = "host", .eps = 1.0 / 256}},
    {.force = {.scheme = "host-simd", .precision = "ds", .eps = 1.0 / 256}, .steps = HB_STEPS_SHARED},
    {.force = {.scheme = "grape6", .eps = 1.0 / 256}, .rounding = HB_ROUND_UP},
    {.force = {.scheme = "host", .eps = 1.0 / 256},
     .integrator = "leapfrog",
     .dt = 1.0 / 1024,
     .damping = 0.99},
    {.force = {.scheme = "host", .flags = HB_FORCE_UNSOFTENED}, .encounters = HB_ENCOUNTERS_GROUPS},
    {.force = {.scheme = "host", .flags = HB_FORCE_UNSOFTENED}, .neighbors = 8},
    {.force = {.scheme = "host", .eps = 1.0 / 256}, .neighbors = 8},
};
enum { NEAR = sizeof kinds / sizeof *kinds - 1 };

static struct hb_sim *begin(size_t kind, size_t n)
{
  struct hb_particles *p;
  struct hb_sim *sim;
  ASSERT_OK(hb_ic_make("plummer", &(struct hb_ic_params){.n = n, .seed = 5}, &p));
  ASSERT_OK(hb_sim_create(p, &kinds[kind], &sim));
  hb_particles_destroy(p);
  return sim;
}

static struct hb_sim *plummer(size_t n) { return begin(0, n); }

static void save(struct hb_sim *sim, const char *path) { ASSERT_OK(hb_sim_save(sim, path, NULL, 0, 0)); }

/* Saving changes nothing, so saving at once again gives the same file; so does resuming. */
static void saved_is_what_was_saved(void **state)
{
  (void)state;
  struct hb_sim *sim = plummer(32);
  for (int k = 0; k < 7; k++) ASSERT_OK(hb_sim_step(sim));
  const char *a = support_path("a"), *b = support_path("b");
  save(sim, a);
  hb_sim_destroy(sim);
  struct hb_checkpoint *checkpoint;
  ASSERT_OK(hb_checkpoint_open(a, &checkpoint));
  ASSERT_OK(hb_sim_resume(checkpoint, NULL, &sim));
  hb_checkpoint_close(checkpoint);
  save(sim, b);
  hb_sim_destroy(sim);
  size_t count, again;
  char *first = support_read(a, &count), *second = support_read(b, &again);
  assert_int_equal(count, again);
  assert_memory_equal(first, second, count);
  free(first);
  free(second);
}

/* The hash of a run that goes on from the sections. */
static uint64_t end_of(const struct hb_sections *sections, const char *path)
{
  struct hb_checkpoint *checkpoint;
  struct hb_particles *p;
  struct hb_sim *sim;
  ASSERT_OK(hb_checkpoint_write(path, NULL, sections));
  ASSERT_OK(hb_checkpoint_open(path, &checkpoint));
  ASSERT_OK(hb_sim_resume(checkpoint, NULL, &sim));
  hb_checkpoint_close(checkpoint);
  ASSERT_OK(hb_sim_integrate(sim, 0.5));
  ASSERT_OK(hb_sim_state(sim, 0.5, &p));
  hb_sim_destroy(sim);
  uint64_t hash = hb_particles_hash(p);
  hb_particles_destroy(p);
  return hash;
}

static void take_out(struct hb_sections *s, size_t k)
{
  hb_mem_free(s->at[k].own);
  s->at[k] = s->at[--s->count];
}

/* What rounding took from positions and velocities is part of the state: without it a run goes on with other bits. */
static void what_rounding_lost_is_saved(void **state)
{
  (void)state;
  const char *path = support_path("lost");
  struct hb_sections s = {0};
  struct hb_particles *p;
  struct hb_sim *sim = plummer(32);
  ASSERT_OK(hb_sim_integrate(sim, 0.25));
  save(sim, path);
  ASSERT_OK(hb_sim_integrate(sim, 0.5));
  ASSERT_OK(hb_sim_state(sim, 0.5, &p));
  ASSERT_OK(hb_checkpoint_read(path, &s));
  expect_equal(end_of(&s, path), hb_particles_hash(p));
  for (size_t k = 0; k < s.count; k++)
    if (strcmp(s.at[k].name, "lost") == 0) take_out(&s, k);
  expect_other(end_of(&s, path), hb_particles_hash(p)); /* the negative control */
  hb_sections_clear(&s);
  hb_particles_destroy(p);
  hb_sim_destroy(sim);
}

/* ---- files that make no sense, with checksums that do ---- */

static enum hb_status resume(const char *path)
{
  struct hb_checkpoint *checkpoint;
  struct hb_sim *sim = NULL;
  enum hb_status status = hb_checkpoint_open(path, &checkpoint);
  if (status == HB_OK) status = hb_sim_resume(checkpoint, NULL, &sim);
  hb_checkpoint_close(checkpoint);
  hb_sim_destroy(sim);
  return status;
}

/* What a file may lack: it takes its default, or is the caller's. */
static int may_be_missing(size_t kind, const char *name)
{
  static const char *const of_near[] = {
      "near.full_blocks", "near.far_steps", "near.near_pairs", "near.full_pairs", "near.listed",
      "near.longest",     "near.changes",   "near.by_reach",   "near.by_noise",   "sim.full_blocks"};
  if (kind == NEAR && (strcmp(name, "sim.neighbors") == 0 || strcmp(name, "sim.first_step") == 0)) return 0;
  for (size_t k = 0; k < COUNT_OF(of_near); k++)
    if (strcmp(name, of_near[k]) == 0) return 1;
  static const char *const names[] = {
      "lost",           "shortest",       "block_steps",      "particle_steps",
      "noisy_steps",    "merged",         "escaped",          "e_lost",
      "massless.error", "massless.t",     "massless.who",     "frame.x",
      "frame.v",        "frame.t",        "sim.dt",           "sim.damping",
      "sim.rounding",   "sim.transfer",   "sim.predict",      "sim.correct",
      "sim.steps",      "sim.first_step", "sim.collisions",   "sim.escapers",
      "sim.stop_at",    "sim.flags",      "sim.exact_energy", "sim.escape_radius",
      "sim.predict_s",  "sim.send_s",     "sim.force_s",      "sim.receive_s",
      "sim.correct_s",  "sim.blocks",     "sim.eta_far",      "sim.neighbors",
      "sim.near_s",     "sim.lists_s",    "sim.groups_s",     "sim.light_speed",
      "changes",        "e_changed"};
  for (size_t k = 0; k < COUNT_OF(names); k++)
    if (strcmp(name, names[k]) == 0) return 1;
  return strcmp(name, "sim.chosen_device") == 0;
}

/* Every section without its last element, under another name, left out, and with bytes in it that are no numbers. */
static void make_no_sense_of(size_t kind)
{
  const char *path = support_path("nonsense");
  struct hb_sim *sim = begin(kind, 12);
  save(sim, path);
  hb_sim_destroy(sim);
  ASSERT_OK(resume(path));
  struct hb_sections s = {0};
  ASSERT_OK(hb_checkpoint_read(path, &s));
  expect_at_least(s.count, 14);
  for (size_t k = 0; k < s.count; k++) {
    struct hb_section kept = s.at[k], last = s.at[s.count - 1];
    int optional = strcmp(kept.name, "own") == 0 || strcmp(kept.name, "notes") == 0;
    int is_word = kept.type == HB_SECTION_WORDS;
    if (kept.count > 0) {
      s.at[k].count--;
      ASSERT_OK(hb_checkpoint_write(path, NULL, &s));
      if (!optional) ASSERT_FAILS(resume(path), HB_ERR_INPUT, path);
      s.at[k] = kept;
    }
    s.at[k].name[0] = '?';
    ASSERT_OK(hb_checkpoint_write(path, NULL, &s));
    ASSERT_FAILS(resume(path), HB_ERR_INPUT, may_be_missing(kind, kept.name) ? s.at[k].name : path);
    s.at[k] = last;
    s.count--;
    ASSERT_OK(hb_checkpoint_write(path, NULL, &s));
    if (may_be_missing(kind, kept.name))
      ASSERT_OK(resume(path));
    else
      ASSERT_FAILS(resume(path), HB_ERR_INPUT, path);
    s.at[s.count++] = last;
    s.at[k] = kept;
    char *ones;
    size_t bytes = kept.count * hb_section_width(kept.type);
    ASSERT_OK(HB_ALLOC(bytes + 1, &ones));
    memset(ones, 0xff, bytes);
    s.at[k].data = ones;
    ASSERT_OK(hb_checkpoint_write(path, NULL, &s));
    int any_word = is_word && strncmp(kept.name, "sim.", 4) != 0 && strcmp(kept.name, "lost") != 0 &&
                   strcmp(kept.name, "now") != 0;
    if (!optional && !any_word && strcmp(kept.name, "sim.blocks") != 0 &&
        strcmp(kept.name, "sim.full_blocks") != 0)
      ASSERT_FAILS(resume(path), HB_ERR_INPUT, path);
    s.at[k] = kept;
    hb_mem_free(ones);
  }
  hb_sections_clear(&s);
}

static void sections_that_make_no_sense(void **state)
{
  (void)state;
  make_no_sense_of(0);
  make_no_sense_of(NEAR);
}

/* Thousands of files that need not outlive the machine. */
static int open_file(const char *path, int flags, mode_t mode) { return open(path, flags, mode); }
static int sync_nothing(int fd) { return fd < 0 ? -1 : 0; }
static const struct hb_file_calls unsynced = {open_file, write, sync_nothing, close, rename};

static void save_kind(size_t kind, const char *path)
{
  struct hb_sim *sim = begin(kind, 12);
  for (int step = 0; step < 9; step++) ASSERT_OK(hb_sim_step(sim));
  ASSERT_OK(hb_sim_save(sim, path, "own", 4, 0));
  hb_sim_destroy(sim);
}

static uint64_t drawn(uint64_t *state)
{
  return (*state = *state * 6364136223846793005u + 1442695040888963407u) >> 33;
}

/* The bars of a release: a byte is changed 1000 times, a file cut 500 times, all kinds together. */
static void damaged_anywhere(void **state)
{
  (void)state;
  const char *path = support_path("damaged");
  uint64_t random = 1;
  for (size_t k = 0; k < COUNT_OF(kinds); k++) {
    save_kind(k, path);
    size_t count;
    unsigned char *bytes = (unsigned char *)support_read(path, &count);
    for (int n = 0; n < 1000; n += COUNT_OF(kinds)) {
      size_t at = drawn(&random) % count;
      unsigned char was = bytes[at];
      bytes[at] ^= (unsigned char)(1 + drawn(&random) % 255);
      support_write(path, bytes, count);
      bytes[at] = was;
      ASSERT_FAILS(resume(path), HB_ERR_INPUT, path);
    }
    for (int n = 0; n < 500; n += COUNT_OF(kinds)) {
      support_write(path, bytes, drawn(&random) % count);
      ASSERT_FAILS(resume(path), HB_ERR_INPUT, path);
    }
    support_write(path, bytes, count);
    ASSERT_OK(resume(path));
    free(bytes);
  }
}

/* Resumes and takes a step; a refusal to resume names the file. 1: refused. */
static int tried(const char *path)
{
  struct hb_checkpoint *checkpoint;
  struct hb_sim *sim = NULL;
  enum hb_status status = hb_checkpoint_open(path, &checkpoint);
  if (status == HB_OK) status = hb_sim_resume(checkpoint, NULL, &sim);
  hb_checkpoint_close(checkpoint);
  if (status != HB_OK) {
    ASSERT_FAILS(status, HB_ERR_INPUT, path);
    return 1;
  }
  double next = hb_sim_next_time(sim);
  hb_sim_step(sim); /* whatever it says */
  expect_below(next, INFINITY);
  hb_sim_destroy(sim);
  return 0;
}

/* Each number of the small sections, and the first and last of the large ones, is another one, with checksums that are right. */
static void forged_numbers(void **state)
{
  (void)state;
  static const double doubles[] = {NAN, -INFINITY, 0x1p70, -1, 0};
  static const uint64_t words[] = {UINT64_MAX, UINT64_C(1) << 63, 3, 0};
  static const unsigned char bytes[] = {255, 200, 26, 0};
  static const struct {
    const void *values;
    size_t count, width;
  } of_type[] = {{bytes, COUNT_OF(bytes), 1}, {words, COUNT_OF(words), 8}, {doubles, COUNT_OF(doubles), 8}};
  const char *path = support_path("forged");
  int refused = 0;
  hb_file_set_calls(&unsynced);
  for (size_t kind = 0; kind < COUNT_OF(kinds); kind++) {
    struct hb_sections s = {0};
    save_kind(kind, path);
    ASSERT_OK(hb_checkpoint_read(path, &s));
    for (size_t k = 0; k < s.count; k++) {
      size_t width = of_type[s.at[k].type].width, count = s.at[k].count;
      for (size_t e = 0; e<count; e += count> 8 && e == 0 ? count - 1 : 1)
        for (size_t v = 0; v < of_type[s.at[k].type].count; v++) {
          char kept[8], *at = (char *)s.at[k].own + width * e;
          memcpy(kept, at, width);
          memcpy(at, (const char *)of_type[s.at[k].type].values + width * v, width);
          ASSERT_OK(hb_checkpoint_write(path, NULL, &s));
          refused += tried(path);
          memcpy(at, kept, width);
        }
    }
    hb_sections_clear(&s);
  }
  hb_file_set_calls(NULL);
  print_message("# %d refusals\n", refused);
  expect_above(refused, 300);
}

static void no_memory(void **state)
{
  (void)state;
  const char *path = support_path("memory");
  for (size_t kind = 0; kind < COUNT_OF(kinds); kind++) {
    struct hb_sim *sim = begin(kind, 12);
    enum hb_status status = HB_ERR_INTERNAL;
    int failures = 0;
    for (unsigned long n = 1; status != HB_OK; n++) {
      hb_mem_watch.fail_at = n;
      status = hb_sim_save(sim, path, "x", 1, HB_SAVE_KEEP);
      if (status == HB_OK) status = resume(path);
      hb_mem_watch.fail_at = 0;
      assert_true(status == HB_OK || status == HB_ERR_INTERNAL);
      failures += status != HB_OK;
    }
    expect_above(failures, 40);
    hb_sim_destroy(sim);
  }
}

/* ---- a run whose disk fails ---- */

/* t_end of a run that saves itself after every tenth step, until one fails; then it is resumed from what is there. */
static struct hb_sim *run_with_faults(size_t run, const char *path, double t_end, int *struck)
{
  struct hb_sim *sim = begin(run, 32);
  unsigned flags = 0;
  for (int step = 0; hb_sim_next_time(sim) <= t_end; step++) {
    ASSERT_OK(hb_sim_step(sim));
    if (step % 10) continue;
    if (hb_sim_save(sim, path, NULL, 0, flags) == HB_OK) {
      flags = HB_SAVE_KEEP;
      continue;
    }
    hb_sim_destroy(sim);
    *struck = faults_stop();
    struct hb_checkpoint *checkpoint;
    char previous[700];
    snprintf(previous, sizeof previous, "%s~", path);
    if (hb_checkpoint_open(path, &checkpoint) != HB_OK) {
      if (step == 0) return NULL; /* it was the first */
      assert_false(support_exists(path));
      ASSERT_OK(hb_checkpoint_open(previous, &checkpoint));
      flags = 0;
    }
    ASSERT_OK(hb_sim_resume(checkpoint, NULL, &sim));
    hb_checkpoint_close(checkpoint);
  }
  return sim;
}

/* Write, fsync, rename, open and close of run number `run` fail, each at every COUNT_OF(kinds)-th place. */
static int strike(size_t run, const char *path, double t_end)
{
  struct hb_sim *whole = begin(run, 32);
  struct hb_particles *p, *q;
  while (hb_sim_next_time(whole) <= t_end) ASSERT_OK(hb_sim_step(whole));
  ASSERT_OK(hb_sim_state(whole, t_end, &p));
  hb_sim_destroy(whole);
  int faults = 0;
  for (enum faults_kind kind = FAULTS_OPEN; kind < FAULTS_KINDS; kind++)
    for (int n = 1 + (int)run, struck = 1; struck; n += COUNT_OF(kinds)) {
      unlink(path);
      unlink(support_path("faulty~"));
      struck = 0;
      faults_start(kind, n, n / 2 % 2 ? ENOSPC : EIO);
      struct hb_sim *sim = run_with_faults(run, path, t_end, &struck);
      struck |= faults_stop();
      faults += struck;
      if (!sim) continue;
      ASSERT_OK(hb_sim_state(sim, t_end, &q));
      assert_memory_equal(hb_particles_x(p), hb_particles_x(q), 96 * sizeof(double));
      assert_memory_equal(hb_particles_v(p), hb_particles_v(q), 96 * sizeof(double));
      hb_particles_destroy(q);
      hb_sim_destroy(sim);
    }
  hb_particles_destroy(p);
  return faults;
}

static void same_bits_after_failing_calls(void **state)
{
  (void)state;
  char path[600];
  snprintf(path, sizeof path, "%s", support_path("faulty"));
  int faults = 0;
  for (size_t run = 0; run < COUNT_OF(kinds); run++) faults += strike(run, path, 0.0625);
  print_message("# %d failing calls\n", faults);
  expect_above(faults, 50);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_bits_on_the_host),
      cmocka_unit_test(same_bits_on_vector_units),
      cmocka_unit_test(same_bits_at_every_step),
      cmocka_unit_test(same_bits_within_encounters),
      cmocka_unit_test(saved_is_what_was_saved),
      cmocka_unit_test(what_rounding_lost_is_saved),
      cmocka_unit_test(sections_that_make_no_sense),
      cmocka_unit_test(no_memory),
      cmocka_unit_test(same_bits_after_failing_calls),
      cmocka_unit_test(damaged_anywhere),
      cmocka_unit_test(forged_numbers),
  };
  return cmocka_run_group_tests_name("save", tests, NULL, NULL);
}

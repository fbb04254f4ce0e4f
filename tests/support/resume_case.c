#include "support/resume_case.h"

#include "support/support.h"

#include <holmberg/checkpoint.h>

#include <string.h>

/* Off the origin and on its way, by numbers that are round in no system: sources that round have a frame to keep, too. */
static struct hb_sim *begin(const struct hb_sim_params *params, size_t n)
{
  struct hb_particles *p;
  struct hb_sim *sim;
  ASSERT_OK(hb_ic_make("plummer", &(struct hb_ic_params){.n = n, .seed = 5}, &p));
  ASSERT_OK(hb_particles_set_note(p, "note", "travels"));
  hb_particles_id(p)[3] = 77;
  for (size_t k = 0; k < 3 * n; k++) hb_particles_x(p)[k] += 1000.1, hb_particles_v(p)[k] += 30.1;
  ASSERT_OK(hb_sim_create(p, params, &sim));
  hb_particles_destroy(p);
  return sim;
}

static void go(struct hb_sim *sim, double t)
{
  while (hb_sim_next_time(sim) <= t) ASSERT_OK(hb_sim_step(sim));
}

/* Through a file, with the old simulation gone before the new one comes. */
static struct hb_sim *save_and_resume(struct hb_sim *sim)
{
  const char *path = support_path("resumed");
  struct hb_checkpoint *checkpoint;
  size_t bytes;
  ASSERT_OK(hb_sim_save(sim, path, "mine", 5, HB_SAVE_KEEP));
  hb_sim_destroy(sim);
  ASSERT_OK(hb_checkpoint_open(path, &checkpoint));
  assert_string_equal(hb_checkpoint_own(checkpoint, &bytes), "mine");
  assert_int_equal(bytes, 5);
  ASSERT_OK(hb_sim_resume(checkpoint, NULL, &sim));
  struct hb_checkpoint_info info;
  hb_checkpoint_info(checkpoint, &info);
  const struct hb_force *force = hb_sim_force(sim);
  assert_string_equal(info.version, hb_library_version());
  assert_string_equal(info.scheme, hb_force_scheme(force)->name);
  assert_string_equal(info.precision, hb_force_precision(force));
  assert_string_equal(info.tuning, hb_force_tuning(force));
  assert_string_equal(info.context, hb_force_context(force));
  assert_string_equal(info.device, hb_force_device(force));
  hb_checkpoint_close(checkpoint);
  return sim;
}

static void expect_same(struct hb_sim *a, struct hb_sim *b, double t)
{
  struct hb_particles *p, *q;
  struct hb_sim_counts counts_a, counts_b;
  ASSERT_OK(hb_sim_state(a, t, &p));
  ASSERT_OK(hb_sim_state(b, t, &q));
  size_t n = hb_particles_n(p);
  assert_int_equal(hb_particles_n(q), n);
  assert_memory_equal(hb_particles_m(p), hb_particles_m(q), n * sizeof(double));
  assert_memory_equal(hb_particles_x(p), hb_particles_x(q), 3 * n * sizeof(double));
  assert_memory_equal(hb_particles_v(p), hb_particles_v(q), 3 * n * sizeof(double));
  assert_memory_equal(hb_particles_id(p), hb_particles_id(q), n * sizeof(uint64_t));
  assert_string_equal(hb_particles_note(q, "note"), "travels");
  expect_equal(hb_particles_time(q), t);
  hb_particles_destroy(p);
  hb_particles_destroy(q);
  hb_sim_counts(a, &counts_a);
  hb_sim_counts(b, &counts_b);
  counts_a.sent_bytes = counts_b.sent_bytes = 0; /* each has a device of its own */
  assert_memory_equal(&counts_a, &counts_b, sizeof counts_a);
  expect_above(counts_a.block_steps, 10);
}

void resume_case_run(const struct hb_sim_params *params, size_t n, int times, double t_end)
{
  struct hb_sim *whole = begin(params, n), *parts = begin(params, n);
  for (int k = 0; k < times; k++) {
    go(parts, t_end * (k + 0.3) / times);
    parts = save_and_resume(parts);
  }
  go(whole, t_end);
  go(parts, t_end);
  expect_same(whole, parts, t_end);
  hb_sim_destroy(whole);
  hb_sim_destroy(parts);
}

void resume_case_now(struct hb_sim **sim)
{
  const char *path = support_path("kept.ckpt");
  struct hb_checkpoint *checkpoint;
  ASSERT_OK(hb_sim_save(*sim, path, NULL, 0, 0));
  hb_sim_destroy(*sim);
  ASSERT_OK(hb_checkpoint_open(path, &checkpoint));
  ASSERT_OK(hb_sim_resume(checkpoint, NULL, sim));
  hb_checkpoint_close(checkpoint);
}

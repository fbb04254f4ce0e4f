#include "support/fault_case.h"

#include "base/mem.h"
#include "support/support.h"

#include <holmberg/checkpoint.h>
#include <holmberg/diagnostics.h>

#include <string.h>

enum { N = 24, STEPS = 6, MANY = 3000 };

static enum hb_status begin(const struct fault_case *c, struct hb_sim **sim)
{
  struct hb_particles *p;
  *sim = NULL;
  enum hb_status status = hb_ic_make("plummer", &(struct hb_ic_params){.n = N, .seed = 5}, &p);
  if (status != HB_OK) return status;
  status = hb_sim_create(p, &c->params, sim);
  hb_particles_destroy(p);
  return status;
}

static enum hb_status go(struct hb_sim *sim)
{
  struct hb_diagnostics d;
  enum hb_status status = HB_OK;
  for (int k = 0; k < STEPS && status == HB_OK; k++) status = hb_sim_step(sim);
  return status == HB_OK ? hb_sim_diagnose(sim, hb_sim_next_time(sim), &d) : status;
}

static enum hb_status resume(struct hb_sim **sim, const char *path)
{
  struct hb_checkpoint *checkpoint;
  *sim = NULL;
  enum hb_status status = hb_checkpoint_open(path, &checkpoint);
  if (status != HB_OK) return status;
  status = hb_sim_resume(checkpoint, NULL, sim);
  hb_checkpoint_close(checkpoint);
  return status;
}

/* The state as one number. */
static enum hb_status look(const struct hb_sim *sim, uint64_t *state)
{
  struct hb_particles *p;
  enum hb_status status = hb_sim_state(sim, hb_sim_next_time(sim), &p);
  if (status != HB_OK) return status;
  *state = support_fnv(SUPPORT_FNV, hb_particles_x(p), 3 * N * sizeof(double));
  *state = support_fnv(*state, hb_particles_v(p), 3 * N * sizeof(double));
  hb_particles_destroy(p);
  return HB_OK;
}

static enum hb_status live(const struct fault_case *c, uint64_t *state)
{
  const char *path = support_path("fault");
  struct hb_sim *sim;
  enum hb_status status = begin(c, &sim);
  if (status == HB_OK) status = go(sim);
  if (status == HB_OK) status = hb_sim_save(sim, path, NULL, 0, 0);
  hb_sim_destroy(sim);
  sim = NULL;
  if (status == HB_OK) status = resume(&sim, path);
  if (status == HB_OK) status = go(sim);
  if (status == HB_OK) status = look(sim, state);
  hb_sim_destroy(sim);
  return status;
}

void fault_case_memory(const struct fault_case *c, unsigned long first, unsigned long stride)
{
  uint64_t expected, state = 0;
  unsigned long nth = first, left = 0;
  ASSERT_OK(live(c, &expected)); /* what is kept for ever is there then */
  size_t before = hb_mem_watch.now;
  for (; left == 0 && nth < MANY; nth += stride) {
    hb_mem_watch.fail_at = nth;
    enum hb_status status = live(c, &state);
    left = hb_mem_watch.fail_at;
    hb_mem_watch.fail_at = 0;
    if (status != HB_OK && status != HB_ERR_INTERNAL)
      fail_msg("%s: allocation %lu failed: status %d, %s", c->name, nth, (int)status, hb_error());
    if (status == HB_OK && state != expected)
      fail_msg("%s: allocation %lu failed, and the result is another", c->name, nth);
    if (hb_mem_watch.now != before)
      fail_msg("%s: allocation %lu failed, %zu bytes are left behind", c->name, nth,
               hb_mem_watch.now - before);
  }
  expect_above(left, 0);
  expect_above(nth, first + stride);
}

void fault_case_calls(const struct fault_case *c, const struct fault_case_calls *calls, int first, int stride)
{
  uint64_t expected = 0, state = 0;
  for (int nth = 0, count = 1; nth <= count; nth += nth ? stride : first) {
    struct hb_sim *sim;
    ASSERT_OK(begin(c, &sim));
    calls->begin(nth);
    enum hb_status status = go(sim);
    if (status == HB_OK) status = look(sim, &state);
    int came = calls->end();
    if (nth == 0) {
      count = came;
      expected = state;
    }
    if (status != HB_OK && (nth == 0 || status != HB_ERR_DEVICE))
      fail_msg("%s: call %d failed: status %d, %s", c->name, nth, (int)status, hb_error());
    if (status == HB_OK && state != expected)
      fail_msg("%s: call %d of %d failed, and the result is another", c->name, nth, count);
    hb_sim_destroy(sim);
  }
}

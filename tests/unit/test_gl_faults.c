/* Whole lives of simulations on OpenGL in which draws are dropped, the context is lost, or memory is short: over schemes,
 * precisions, places and integrators. */
#include "support/fault_case.h"
#include "support/pairs_case.h"
#include "support/support.h"

#include <string.h>

#define FORCE(name, bits)                                                                                    \
  .force = {.scheme = name, .precision = bits, .flags = HB_FORCE_NO_TUNE, .eps = 1.0 / 64}
#define LEAP      .integrator = "leapfrog", .dt = 0x1p-6
#define BLOCK_GPU .transfer = HB_TRANSFER_BLOCK, .predict = HB_PLACE_GPU

static const struct fault_case cases[] = {
    {"bag single", {FORCE("bag", "single")}},
    {"bag ds, leapfrog", {FORCE("bag", "ds"), LEAP}},
    {"bag ds, block/gpu/host", {FORCE("bag", "ds"), BLOCK_GPU}},
    {"bag single, block/gpu/gpu", {FORCE("bag", "single"), BLOCK_GPU, .correct = HB_PLACE_GPU}},
    {"bag double, shared", {FORCE("bag", "double"), .steps = HB_STEPS_SHARED}},
    {"tile ds", {FORCE("tile", "ds")}},
    {"tile single, block/gpu/gpu", {FORCE("tile", "single"), BLOCK_GPU, .correct = HB_PLACE_GPU}},
    {"tile double, leapfrog", {FORCE("tile", "double"), LEAP}},
    {"matrix2004 single, shared", {FORCE("matrix2004", "single"), .steps = HB_STEPS_SHARED}},
    {"cg2007", {FORCE("cg2007", "single")}},
    {"cg2007, rectangles", {.force = {.scheme = "cg2007", .flags = HB_FORCE_CG2007_RECT, .eps = 1.0 / 64}}},
    {"hybrid ds", {FORCE("hybrid", "ds"), .force.tuning = "host_below=4"}},
};

/* ---- draws ---- */

/* Where the device predicts each draw is dropped once; in cg2007, where all are alike, a few of its many. A quarter of them
 * unless there is time; each case begins at another one. */
static int stride_of(const struct fault_case *c)
{
  int often = support_is_long() ? 1 : 4;
  return often * (strcmp(c->params.force.scheme, "cg2007") == 0 ? 37
                  : c->params.predict == HB_PLACE_GPU           ? 1
                                                                : 3);
}

/* What the context cannot do: OpenGL ES has neither doubles nor rectangle textures, and not always compute shaders. */
static int is_lacking(const struct fault_case *c)
{
  struct hb_force *force;
  enum hb_status status = hb_force_open(&c->params.force, &force);
  if (status == HB_OK) {
    hb_force_close(force);
    return 0;
  }
  if (status != HB_ERR_GL || !pairs_context()->caps.is_es) fail_msg("%s: %s", c->name, hb_error());
  return 1;
}

static void test_dropped_draws(void **state)
{
  (void)state;
  const struct fault_case_calls draws = {pairs_draws_begin, pairs_draws_end};
  for (size_t k = 0; k < COUNT_OF(cases); k++)
    if (!is_lacking(&cases[k])) fault_case_calls(&cases[k], &draws, 1 + (int)k % 3, stride_of(&cases[k]));
}

/* ---- a lost context ---- */

static void test_lost_context(void **state)
{
  (void)state;
  const struct fault_case_calls resets = {pairs_resets_begin, pairs_resets_end};
  if (!pairs_context()->caps.has_reset) skip();
  for (size_t k = 0; k < COUNT_OF(cases); k++)
    if (!is_lacking(&cases[k]))
      fault_case_calls(&cases[k], &resets, 1 + (int)k % 2, support_is_long() ? 2 : 6);
}

/* ---- memory ---- */

static void test_memory(void **state)
{
  (void)state;
  for (size_t k = 0; k < COUNT_OF(cases); k++)
    if (!is_lacking(&cases[k]))
      fault_case_memory(&cases[k], 1 + k, COUNT_OF(cases) * (support_is_long() ? 1 : 3));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_dropped_draws),
                                     cmocka_unit_test(test_lost_context), cmocka_unit_test(test_memory)};
  return RUN_TESTS(tests, 1, NULL, NULL);
}

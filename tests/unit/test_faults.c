/* Whole lives of simulations on the processor, with each allocation failing once: over integrators, schemes, precisions. */
#include "support/fault_case.h"
#include "support/support.h"

#define EPS  .eps = 1.0 / 64
#define LEAP .integrator = "leapfrog", .dt = 0x1p-6

static const struct fault_case cases[] = {
    {"host", {.force = {.scheme = "host", EPS}}},
    {"host, shared", {.force = {.scheme = "host", EPS}, .steps = HB_STEPS_SHARED}},
    {"host, leapfrog", {.force = {.scheme = "host", EPS}, LEAP}},
    {"host-simd single", {.force = {.scheme = "host-simd", .precision = "single", EPS}}},
    {"host-simd ds, shared",
     {.force = {.scheme = "host-simd", .precision = "ds", EPS}, .steps = HB_STEPS_SHARED}},
    {"host-simd single, leapfrog", {.force = {.scheme = "host-simd", .precision = "single", EPS}, LEAP}},
    {"grape6", {.force = {.scheme = "grape6", EPS}}},
    {"gpu2007", {.force = {.scheme = "gpu2007", EPS}}},
    {"grape6, leapfrog", {.force = {.scheme = "grape6", EPS}, LEAP}},
    {"hybrid ds on the host",
     {.force = {.scheme = "hybrid", .precision = "ds", .tuning = "host_below=all", EPS}}},
};

static void test_memory(void **state)
{
  (void)state;
  for (size_t k = 0; k < COUNT_OF(cases); k++) fault_case_memory(&cases[k], 1, 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

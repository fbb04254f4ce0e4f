/* A run that is resumed gives the bits of one that is not, with forces from OpenGL, too. */
#include "support/pairs_case.h"
#include "support/resume_case.h"
#include "support/support.h"

#include <holmberg/checkpoint.h>

#include <string.h>

static void same_bits(const char *scheme, const char *precision, unsigned flags, const char *tuning)
{
  const struct hb_sim_params params = {
      .force = {
          .scheme = scheme, .precision = precision, .tuning = tuning, .flags = flags, .eps = 1.0 / 256}};
  resume_case_run(&params, 100, 2, 0.0625);
}

static void test_bag(void **state)
{
  (void)state;
  same_bits("bag", "single", HB_FORCE_NO_TUNE, NULL);
  same_bits("bag", "ds", HB_FORCE_NO_TUNE, NULL);
  same_bits("bag", "compensated", 0, "partial=16 i_each=1");
}

/* Particles that are on the device, corrected there even: what is saved is what it has. */
static void test_places(void **state)
{
  (void)state;
  static const char *const precisions[] = {"single", "ds", "double"};
  for (size_t k = 0; k < COUNT_OF(precisions) && !pairs_lacks_a(precisions[k]); k++)
    for (int correct = HB_PLACE_HOST; correct <= HB_PLACE_GPU; correct++) {
      const struct hb_sim_params params = {
          .force = {.scheme = "bag", .precision = precisions[k], .flags = HB_FORCE_NO_TUNE, .eps = 1.0 / 256},
          .transfer = HB_TRANSFER_BLOCK,
          .predict = HB_PLACE_GPU,
          .correct = (enum hb_place)correct};
      resume_case_run(&params, 100, 2, 0.0625);
    }
  pairs_skip_if_lacking();
}

static void test_cg2007(void **state)
{
  (void)state;
  same_bits("cg2007", NULL, 0, NULL);
  if (!pairs_lacks_a("rectangles")) same_bits("cg2007", NULL, HB_FORCE_CG2007_RECT, NULL);
  pairs_skip_if_lacking();
}

/* A tuning that was looked up or measured is the checkpoint's, whatever the cache says at the resumption. */
static void test_tuning_is_kept(void **state)
{
  (void)state;
  const char *path = support_path("tuned");
  struct hb_particles *p;
  struct hb_sim *sim;
  struct hb_checkpoint *checkpoint;
  struct hb_sim_params params = {.force = {.scheme = "bag", .tuning = "partial=32 unroll=4", .eps = 0.01}};
  ASSERT_OK(hb_ic_make("plummer", &(struct hb_ic_params){.n = 32, .seed = 1}, &p));
  ASSERT_OK(hb_sim_create(p, &params, &sim));
  hb_particles_destroy(p);
  ASSERT_OK(hb_sim_save(sim, path, NULL, 0, 0));
  hb_sim_destroy(sim);
  ASSERT_OK(hb_checkpoint_open(path, &checkpoint));
  ASSERT_OK(hb_sim_resume(checkpoint, NULL, &sim));
  assert_non_null(strstr(hb_force_tuning(hb_sim_force(sim)), "unroll=4 partial=32"));
  hb_sim_destroy(sim);
  hb_checkpoint_close(checkpoint);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bag),
      cmocka_unit_test(test_places),
      cmocka_unit_test(test_cg2007),
      cmocka_unit_test(test_tuning_is_kept),
  };
  return cmocka_run_group_tests_name("save", tests, NULL, NULL);
}

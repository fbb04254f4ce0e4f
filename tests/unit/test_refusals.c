/* What the library's functions cannot take: a sentence, and no file. */
#include "core/particles.h"
#include "support/support.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static void refused(const char *what, enum hb_status status, enum hb_status expected, const char *sentence)
{
  print_message("# %s: %d, %s\n", what, status, hb_error());
  if (status != expected || strcmp(hb_error(), sentence) != 0)
    fail_msg("%s: expected %d, %s", what, expected, sentence);
}

static void pointers_to_nothing(void **state)
{
  (void)state;
  struct hb_particles *p, *read;
  struct hb_force *f;
  double q[12] = {0};
  ASSERT_OK(hb_particles_create(4, &p));
  ASSERT_OK(hb_force_open(&(struct hb_force_params){.scheme = "host"}, &f));
#define REFUSED(call, sentence) refused(#call, call, HB_ERR_USAGE, sentence)
  REFUSED(hb_scale_particles(p, NULL), "no values to scale");
  REFUSED(hb_scale_particles(NULL, &(struct hb_scale){0}), "no particles to scale");
  REFUSED(hb_force_set_j(f, 4, NULL, NULL, NULL), "no masses of the sources");
  REFUSED(hb_force_set_j(f, 4, q, NULL, q), "no positions of the sources");
  REFUSED(hb_force_set_j(f, 4, q, q, NULL), "no velocities of the sources");
  REFUSED(hb_snapshot_write(NULL, NULL, p), "no path of a snapshot to write");
  REFUSED(hb_snapshot_write("a.txt", NULL, NULL), "no particles of a snapshot to write");
  REFUSED(hb_snapshot_read(NULL, NULL, &read), "no path of a snapshot to read");
  hb_force_close(f);
  hb_particles_destroy(p);
}

static void not_finite(void **state)
{
  (void)state;
  struct hb_particles *p;
  size_t count;
  const struct hb_snapshot_format *formats = hb_snapshot_formats(&count);
  ASSERT_OK(hb_particles_create(4, &p));
  double *const places[] = {p->m + 3, p->x + 3, p->v + 11, &p->t};
  const char *const sentences[] = {
      "particle 3 has mass nan, expected finite and >= 0", "particle 1 has x = nan, expected finite",
      "particle 3 has vz = nan, expected finite", "the time is nan, expected between -1e+15 and 1e+15"};
  for (size_t f = 0; f < count; f++)
    for (size_t k = 0; k < COUNT_OF(places); k++) {
      const char *path = support_path("none");
      *places[k] = NAN;
      refused(formats[f].name, hb_snapshot_write(path, formats[f].name, p), HB_ERR_INPUT, sentences[k]);
      *places[k] = 0;
      assert_int_equal(access(path, F_OK), -1);
    }
  hb_particles_destroy(p);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(pointers_to_nothing), cmocka_unit_test(not_finite)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

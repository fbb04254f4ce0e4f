/* The contact sheets of shaders/figures, made again: `holmberg trace -n 37`. Their numbers are those of the walk; the pages
 * look the same up to what another driver's rounding may change in a color. */
#include "support/support.h"
#include "force/force.h"
#include "gl/gl_context.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/inspector.c"

enum { N = 37 };

static struct hb_particles *lamps;
static double f[7 * N];
static uint32_t all[N];

/* The first nebula of holmberg1941 in the frame of its centre, as the program takes it. */
static int set_up(void **state)
{
  (void)state;
  if (hb_ic_make("holmberg1941", NULL, &lamps) != HB_OK) return -1;
  const double *m = hb_particles_m(lamps);
  double *const both[] = {hb_particles_x(lamps), hb_particles_v(lamps)};
  for (int k = 0; k < 2; k++) {
    double mean[3] = {0}, mass = 0;
    for (int i = 0; i < N; i++) {
      mass += m[i];
      for (int c = 0; c < 3; c++) mean[c] += m[i] * both[k][3 * i + c];
    }
    for (int i = 0; i < 3 * N; i++) both[k][i] -= mean[i % 3] / mass;
  }
  for (uint32_t k = 0; k < N; k++) all[k] = k;
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  hb_particles_destroy(lamps);
  return 0;
}

static int software; /* the device of the last walk */

static void trace_forces(const char *scheme, struct trace *trace)
{
  struct hb_force *force;
  const char *tuning =
      strcmp(scheme, "bag") == 0
          ? "i_each=4 partial=4 unroll=4 threads=1 bag=8 output=targets j_source=buffer_texture"
          : NULL;
  const struct hb_force_params params = {.scheme = scheme,
                                         .precision = "single",
                                         .tuning = tuning,
                                         .max_draw_s = 10,
                                         .eps = 1.0 / 256,
                                         .flags = HB_FORCE_NO_TUNE | HB_FORCE_GL_DEBUG};
  ASSERT_OK(hb_force_open(&params, &force));
  ASSERT_OK(hb_force_set_j(force, N, hb_particles_m(lamps), hb_particles_x(lamps), hb_particles_v(lamps)));
  software = hb_force_gl(force)->caps.software;
  trace_begin(trace);
  ASSERT_OK(hb_force_eval(force, N, all, f, f + 3 * N, f + 6 * N));
  ASSERT_OK(trace_end(trace));
  hb_force_close(force);
}

/* The last pass has written what the force gives. */
static void check_numbers(const struct trace *trace)
{
  const struct trace_pass *last = trace->pass[trace->count - 1];
  const struct hb_gl_trace_quantity *q;
  const struct trace_array *a = trace_find(last->write, last->pass.write_count, "potential", &q);
  const struct hb_gl_trace_array *grid = &a->copy.array;
  int found = 0;
  for (int cell = 0; cell < grid->columns * grid->rows; cell++) {
    int64_t i = texels_particle(grid, cell % grid->columns, cell / grid->columns);
    if (i < 0) continue;
    expect_equal(a->floats[TEXELS_FLOATS * cell + q->first], (float)f[6 * N + i]);
    found++;
  }
  assert_int_equal(found, N);
  double most = 0;
  for (int i = 0; i < N; i++) most = fmax(most, fabs(f[6 * N + i]));
  expect_equal(trace_most(trace, "potential"), (double)(float)most);
}

/* Another rounding changes a color by a step or two of 255, or the last digit of a number; a wrong number changes whole
 * cells, and a wrong page its words and places. */
static const unsigned SAME = 6;

static unsigned apart(unsigned a, unsigned b)
{
  unsigned most = 0;
  for (int c = 0; c < 3; c++) {
    int d = abs((int)(a >> 8 * c & 255) - (int)(b >> 8 * c & 255));
    if ((unsigned)d > most) most = (unsigned)d;
  }
  return most;
}

/* The cells whose colors differ, and other lines that do. */
static size_t differences(char *made, char *kept)
{
  static const char cell[] = "<path stroke='#";
  size_t count = 0;
  char *rest_made = NULL, *rest_kept = NULL;
  char *a = strtok_r(made, "\n", &rest_made), *b = strtok_r(kept, "\n", &rest_kept);
  for (; a && b; a = strtok_r(NULL, "\n", &rest_made), b = strtok_r(NULL, "\n", &rest_kept)) {
    char *title_a = strstr(a, "' fill="), *title_b = strstr(b, "' fill=");
    if (title_a && title_b && strstr(a, "<title>"))
      *title_a = *title_b = 0; /* the ink, and the number to be read */
    if (strncmp(a, cell, strlen(cell)) == 0 && strncmp(b, cell, strlen(cell)) == 0) {
      char *place_a, *place_b;
      unsigned color_a = (unsigned)strtoul(a + strlen(cell), &place_a, 16);
      unsigned color_b = (unsigned)strtoul(b + strlen(cell), &place_b, 16);
      count += apart(color_a, color_b) > SAME;
      a = place_a, b = place_b;
    }
    count += strcmp(a, b) != 0;
  }
  assert_null(a);
  assert_null(b);
  return count;
}

static void compare(const struct trace *trace, size_t least, size_t most)
{
  char name[64];
  size_t length;
  ASSERT_OK(trace_write_sheet(trace, support_path(".")));
  snprintf(name, sizeof name, "shaders/figures/%s.svg", trace->scheme);
  char *made = support_read(support_path(strrchr(name, '/') + 1), &length),
       *kept = support_read(name, &length);
  assert_non_null(made);
  assert_non_null(kept);
  size_t count = differences(made, kept);
  if (count < least || count > most)
    fail_msg("%s differs in %zu cells, expected %zu to %zu", name, count, least, most);
  free(made);
  free(kept);
}

static void test_sheets(void **state)
{
  (void)state;
  static const char *const schemes[] = {"cg2007", "matrix2004", "bag", "tile"};
  for (int k = 0; k < 4; k++) {
    struct trace trace = {0};
    trace_forces(schemes[k], &trace);
    check_numbers(&trace);
    if (k == 0) assert_int_equal(trace.cost.texels_read, 36 * 40 * 7);
    /* bag and tile walk otherwise on a GPU than on a software renderer, which the pages in the tree show */
    int as_kept = k < 2 || software;
    if (as_kept) compare(&trace, 0, 8);
    trace_free(&trace);
  }
}

/* A particle that is elsewhere shows. */
static void test_other_numbers_differ(void **state)
{
  (void)state;
  struct trace trace = {0};
  hb_particles_x(lamps)[3 * 11] += 0.5;
  trace_forces("cg2007", &trace);
  hb_particles_x(lamps)[3 * 11] -= 0.5;
  compare(&trace, 20, 100000);
  trace_free(&trace);
}

static void test_no_walk(void **state)
{
  (void)state;
  struct trace trace = {0};
  trace_begin(&trace);
  ASSERT_FAILS(trace_end(&trace), HB_ERR_USAGE, "no walk on a device");
  trace_free(&trace);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sheets),
      cmocka_unit_test(test_other_numbers_differ),
      cmocka_unit_test(test_no_walk),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}

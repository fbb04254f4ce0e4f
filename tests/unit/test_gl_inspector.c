/* The inspector: the pass that is asked for is shown, texel by texel what the kernel wrote; pixels have the colors of the
 * numbers. The picture goes to $HB_TEST_PICTURES where that is set. */
#include "core/frame.h"
#include "gl/gl_trace.h"
#include "support/support.h"
#include "support/canvas.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inspect/inspector.c"

enum { N = 37, WIDTH = 640, HEIGHT = 720 };

static double m[N], x[3 * N], v[3 * N], a[3 * N], j[3 * N], phi[N];
static uint32_t all[N];
static struct hb_force *force;
static struct hb_inspector *inspector;
static struct hb_gl_context *context;
static struct hb_paint *paint;
static struct hb_gl_texture texture;
static unsigned char pixels[4 * WIDTH * HEIGHT];

static const struct hb_gl_trace *asked; /* the inspector's own watcher, behind ours */

static void remember(void *unused, const struct hb_gl_trace_pass *pass)
{
  (void)unused;
  context = pass->context;
  asked->pass(asked->context, pass);
}

static void evaluate(void) { ASSERT_OK(hb_force_eval(force, N, all, a, j, phi)); }

static void open_scheme(const char *scheme, const char *tuning)
{
  static struct hb_gl_trace ours = {remember, NULL};
  const struct hb_force_params params = {.scheme = scheme,
                                         .precision = "single",
                                         .tuning = tuning,
                                         .eps = 0.125,
                                         .max_draw_s = 10,
                                         .flags = HB_FORCE_NO_TUNE | HB_FORCE_GL_DEBUG};
  ASSERT_OK(hb_inspector_open(&inspector));
  asked = hb_gl_trace;
  hb_gl_trace = &ours;
  ASSERT_OK(hb_force_open(&params, &force));
  ASSERT_OK(hb_force_set_j(force, N, m, x, v));
  assert_string_equal(hb_inspector_title(inspector), "");
  assert_true(hb_inspector_waits(inspector));
  evaluate();
  assert_false(hb_inspector_waits(inspector));
  ASSERT_OK(hb_paint_open(context, &paint));
  const struct hb_gl_texture_params page = {
      .format = HB_GL_RGBA8, .width = WIDTH, .height = HEIGHT, .drawn = 1};
  ASSERT_OK(hb_gl_texture_create(context, &page, &texture));
}

static void close_scheme(void)
{
  hb_gl_texture_destroy(&texture);
  hb_paint_close(paint);
  hb_gl_trace = asked;
  hb_inspector_close(inspector);
  assert_null(hb_gl_trace);
  hb_force_close(force);
}

static void draw_panel(int width, const char *picture)
{
  uint64_t before = hb_gl_readback_bytes();
  hb_paint_begin(paint, WIDTH, HEIGHT, 1);
  ASSERT_OK(hb_inspector_draw(inspector, context, paint, &texture.target, 0, 0, width, HEIGHT));
  ASSERT_OK(hb_paint_end(paint, &texture.target));
  assert_int_equal(hb_gl_readback_bytes(), before); /* drawing reads nothing */
  hb_gl_target_read(&texture.target, 0, 0, 0, WIDTH, HEIGHT, HB_GL_BYTES, pixels);
  const char *folder = getenv("HB_TEST_PICTURES");
  if (!folder || !picture) return;
  struct hb_canvas page;
  char path[256];
  ASSERT_OK(hb_canvas_create(WIDTH, HEIGHT, 0, &page));
  for (int row = 0; row < HEIGHT; row++)
    for (int column = 0; column < WIDTH; column++)
      memcpy(page.rgb + 3 * (row * WIDTH + column), pixels + 4 * ((HEIGHT - 1 - row) * WIDTH + column), 3);
  snprintf(path, sizeof path, "%s/inspector_%s.png", folder, picture);
  ASSERT_OK(hb_canvas_write(&page, path, NULL));
  hb_canvas_destroy(&page);
}

static void draw(const char *picture) { draw_panel(WIDTH, picture); }

/* Every pixel of the panel is asked for, on a grid; what is found is given to check. */
static int scan(void (*check)(const struct hb_inspector_texel *texel, int column, int row))
{
  int found = 0;
  for (int row = 0; row < HEIGHT; row += 5)
    for (int column = 0; column < WIDTH; column += 5) {
      struct hb_inspector_texel texel;
      if (!hb_inspector_hit(inspector, column, row, &texel)) continue;
      check(&texel, column, row);
      found++;
    }
  return found;
}

static float last_most; /* of the quantity that is checked */

/* The final sums are those that the force gives; positions and masses are the particles' own. */
static void check_final(const struct hb_inspector_texel *t, int column, int row)
{
  (void)column, (void)row;
  if (t->particle < 0) return;
  int64_t i = t->particle;
  expect_below(i, N);
  if (strcmp(t->array, "posTexture") == 0)
    for (int c = 0; c < 3; c++) expect_equal(t->value[c], (float)x[3 * i + c]);
  if (strcmp(t->array, "massTexture") == 0) expect_equal(t->value[0], (float)m[i]);
  if (strcmp(t->array, "accOut") == 0)
    for (int c = 0; c < 3; c++) expect_equal(t->value[c], (float)a[3 * i + c]);
  if (strcmp(t->array, "jerkAndPotOut") == 0 && strcmp(t->quantity, "potential") == 0) {
    expect_equal(t->value[0], (float)phi[i]);
    last_most = fmaxf(last_most, fabsf(t->value[0]));
  }
}

static void nothing(const struct hb_inspector_texel *t, int column, int row)
{
  (void)t, (void)column, (void)row;
}

/* Away from the edges of its cell a texel has the false color of its number. */
static int matched, missed;
static void check_color(const struct hb_inspector_texel *t, int column, int row)
{
  if (strcmp(t->array, "jerkAndPotOut") != 0 || strcmp(t->quantity, "potential") != 0 || t->particle < 0)
    return;
  unsigned color = false_color((double)t->value[0], (double)last_most);
  const unsigned char *pixel = pixels + 4 * ((HEIGHT - 1 - row) * WIDTH + column);
  int same = 1;
  for (int c = 0; c < 3; c++) same = same && abs(pixel[c] - (int)(color >> (16 - 8 * c) & 255)) <= 2;
  matched += same;
  missed += !same;
}

static int green(void)
{
  int count = 0;
  for (int k = 0; k < WIDTH * HEIGHT; k++) {
    const unsigned char *p = pixels + 4 * k;
    count += p[1] > 240 && p[0] > 60 && p[0] < 100 && p[2] > 100 && p[2] < 130;
  }
  return count;
}

/* A title of 57 letters stays in a panel of 43, and so do the names of images. */
static void test_narrow(void **state)
{
  (void)state;
  static unsigned char outside[sizeof pixels];
  enum { NARROW = 360 };
  open_scheme("cg2007", NULL);
  hb_paint_begin(paint, WIDTH, HEIGHT, 1);
  hb_paint_box(paint, 0, 0, WIDTH, HEIGHT, 0x305070ff);
  ASSERT_OK(hb_paint_end(paint, &texture.target));
  hb_gl_target_read(&texture.target, 0, 0, 0, WIDTH, HEIGHT, HB_GL_BYTES, outside);
  draw_panel(NARROW, "cg2007_narrow");
  int inside = 0;
  for (int k = 0; k < WIDTH * HEIGHT; k++) {
    int differs = memcmp(pixels + 4 * k, outside + 4 * k, 3) != 0;
    inside += differs;
    if (k % WIDTH >= NARROW && differs)
      fail_msg("row %d, column %d is drawn", HEIGHT - 1 - k / WIDTH, k % WIDTH);
  }
  expect_equal(inside, NARROW * HEIGHT);
  expect_above(scan(nothing), 100); /* images, too */
  close_scheme();
}

static void test_cg2007(void **state)
{
  (void)state;
  open_scheme("cg2007", NULL);
  assert_string_equal(hb_inspector_title(inspector),
                      "cg2007, pass 1 of 36: each feels the particle 1 place on");
  draw("cg2007_first");
  hb_inspector_step(inspector, 35);
  assert_true(hb_inspector_waits(inspector));
  uint64_t before = hb_gl_readback_bytes();
  evaluate();
  /* the forces of 40 texels in two textures, where draws are not counted their passes in a third, and a scale of 32 bytes for each
   * of the seven arrays */
  int textures = context->caps.has_counts ? 2 : 3;
  assert_int_equal(hb_gl_readback_bytes() - before, textures * 40 * 16 + 7 * 32);
  assert_false(hb_inspector_waits(inspector));
  draw("cg2007_last");
  assert_true(strstr(hb_inspector_title(inspector), "pass 36 of 36") != NULL);
  last_most = 0;
  int found = scan(check_final);
  expect_above(found, 21 * N); /* 14 images read, 7 written */
  struct hb_inspector_texel texel;
  before = hb_gl_readback_bytes();
  assert_false(hb_inspector_hit(inspector, 1, 1, &texel));
  assert_int_equal(hb_gl_readback_bytes(), before);
  matched = missed = 0;
  scan(check_color);
  if (matched < 3 * missed) fail_msg("%d pixels have their number's color, %d have not", matched, missed);

  assert_int_equal(green(), 0);
  hb_inspector_mark(inspector, 17);
  draw("cg2007_marked");
  expect_above(green(), 20 * 21);
  hb_inspector_mark(inspector, -1);

  hb_inspector_step(inspector, 5); /* there is no later one */
  assert_false(hb_inspector_waits(inspector));
  hb_inspector_step(inspector, -100);
  evaluate();
  assert_true(strstr(hb_inspector_title(inspector), "pass 1 of 36") != NULL);
  hb_inspector_play(inspector, 1);
  for (int k = 2; k <= 38; k++) {
    char expected[32];
    evaluate();
    snprintf(expected, sizeof expected, "pass %d of 36", (k - 1) % 36 + 1);
    if (!strstr(hb_inspector_title(inspector), expected)) fail_msg("%s", hb_inspector_title(inspector));
  }
  close_scheme();
}

static int64_t last_source;
static int terms;
static void check_terms(const struct hb_inspector_texel *t, int column, int row)
{
  (void)column, (void)row;
  if (strcmp(t->array, "result") != 0) return;
  terms++;
  last_source = t->source > last_source ? t->source : last_source;
  if (t->particle == t->source)
    for (int c = 0; c < t->count; c++) expect_equal(t->value[c], 0);
}

static void test_matrix(void **state)
{
  (void)state;
  open_scheme("matrix2004", NULL);
  assert_string_equal(hb_inspector_title(inspector), "matrix2004, pass 1 of 8: 37 x 37 pairs");
  hb_inspector_mark(inspector, 20);
  draw("matrix_pairs");
  last_source = terms = 0;
  scan(check_terms);
  assert_int_equal(last_source, N - 1);
  expect_above(terms, 37 * 37);
  hb_inspector_step(inspector, 1);
  evaluate();
  assert_string_equal(hb_inspector_title(inspector), "matrix2004, pass 2 of 8: fold 37 rows to 19");
  draw("matrix_fold");
  close_scheme();
}

static void test_bag(void **state)
{
  (void)state;
  open_scheme("bag", "i_each=4 partial=4 unroll=4 threads=1 bag=8 output=targets j_source=buffer_texture");
  hb_inspector_step(inspector, 2);
  evaluate();
  assert_string_equal(hb_inspector_title(inspector), "bag, pass 3 of 5: sources 16 to 23");
  hb_inspector_mark(inspector, 5);
  draw("bag");
  expect_above(scan(nothing), 100);
  hb_inspector_forget(inspector); /* another model may follow */
  assert_string_equal(hb_inspector_title(inspector), "");
  draw(NULL);
  assert_int_equal(scan(nothing), 0);
  evaluate();
  assert_true(strstr(hb_inspector_title(inspector), "bag, pass 3 of 5") != NULL);
  close_scheme();
}

/* The scales of many particles: reduced in several levels, and strips that are cut into pieces. */
static void test_many(void **state)
{
  (void)state;
  enum { MANY = 3000 };
  static double mm[MANY], xx[3 * MANY], vv[3 * MANY], aa[3 * MANY], jj[3 * MANY], pp[MANY];
  static uint32_t index[MANY];
  open_scheme("bag", "threads=1 output=targets j_source=buffer_texture"); /* one pass */
  double most = 0;
  for (uint32_t k = 0; k < MANY; k++) {
    index[k] = k;
    mm[k] = 1.0 / MANY;
    for (uint32_t c = 0; c < 3; c++) xx[3 * k + c] = (float)sin(3.7 * k + 2 * c) * (k == 1234 ? 3 : 1);
    most = fmax(most, fabs(xx[3 * k]));
  }
  ASSERT_OK(hb_force_set_j(force, MANY, mm, xx, vv));
  for (int k = 0; k < 20 && !strstr(hb_inspector_title(inspector), "pass 1 of 1:"); k++)
    ASSERT_OK(hb_force_eval(force, MANY, index, aa, jj, pp)); /* the time of compiling has made draws short */
  draw("many");
  int found = 0;
  for (int row = 0; row < HEIGHT; row += 2)
    for (int column = 0; column < WIDTH; column += 2) {
      struct hb_inspector_texel t;
      if (!hb_inspector_hit(inspector, column, row, &t) || t.particle < 0) continue;
      for (int c = 0; c < t.count; c++) {
        if (strcmp(t.quantity, "position") == 0) expect_equal(t.value[c], (float)xx[3 * t.particle + c]);
        if (strcmp(t.quantity, "acceleration") == 0) expect_equal(t.value[c], (float)aa[3 * t.particle + c]);
      }
      found += strcmp(t.array, "result") == 0;
    }
  expect_above(found, MANY);
  close_scheme();
}

/* Into their frame, so that on the device they are as they are here. */
static void center(double *q)
{
  double origin[3];
  hb_frame_origin(N, m, q, HB_FRAME_COARSE, origin);
  for (int k = 0; k < 3 * N; k++) q[k] = (float)(q[k] - origin[k % 3]);
}

int main(void)
{
  srand(1);
  for (uint32_t k = 0; k < N; k++) all[k] = k;
  for (int k = 0; k < 3 * N; k++) {
    x[k] = (float)(rand() / (RAND_MAX + 1.0));
    v[k] = (float)(rand() / (RAND_MAX + 1.0) - 0.5);
  }
  for (int k = 0; k < N; k++) m[k] = (float)(1.0 / N * (1 + k % 3));
  center(x);
  center(v);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_narrow), cmocka_unit_test(test_cg2007), cmocka_unit_test(test_matrix),
      cmocka_unit_test(test_bag),    cmocka_unit_test(test_many),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

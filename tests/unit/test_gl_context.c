/* Contexts, streams, targets and timers, in the context that HB_CONTEXT names. */
#include "gl/gl.h"
#include "gl/gl_context.h"
#include "gl/gl_mapped.h"
#include "gl/gl_shader.h"
#include "gl/gl_texture.h"
#include "gl/gl_pass.h"
#include "support/support.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static struct hb_gl_context *open_context(void)
{
  const struct hb_gl_context_params params = {.debug = 1};
  struct hb_gl_context *context;
  if (hb_gl_context_open(&params, &context) != HB_OK) fail_msg("%s", hb_error());
  return context;
}

static void test_caps(void **state)
{
  (void)state;
  struct hb_gl_context *c = open_context();
  expect_at_least(10 * c->caps.major + c->caps.minor, (c->caps.is_es ? 30 : 33));
  expect_above(strlen(c->caps.renderer), 0);
  assert_in_range(c->caps.max_texture_size, 1024, 1 << 20);
  assert_in_range(c->caps.max_draw_buffers, 2, 64);
  assert_int_equal(c->caps.software, strstr(c->caps.renderer, "pipe") != NULL);
  hb_gl_context_close(c);
  hb_gl_context_close(NULL);
}

/* What a device lacks, the other tests leave out. It is said here, so that none is left out in silence. */
static void test_nothing_is_left_out(void **state)
{
  (void)state;
  struct hb_gl_context *c = open_context();
  if (!c->caps.has_compute) fail_msg("%s has no compute programs", c->caps.renderer);
  if (!c->caps.has_double && !c->caps.is_es) fail_msg("%s has no double", c->caps.renderer);
  if (!c->caps.has_precise) fail_msg("%s has no precise", c->caps.renderer);
  if (c->caps.max_texture_buffer_size < 2000000)
    fail_msg("%s has buffer textures of %d texels only", c->caps.renderer, c->caps.max_texture_buffer_size);
  hb_gl_context_close(c);
}

/* Two contexts take turns; closing one leaves the other usable; and again after all are closed. */
static void test_two_contexts(void **state)
{
  (void)state;
  for (int round = 0; round < 2; round++) {
    struct hb_gl_context *a = open_context(), *b = open_context();
    assert_int_equal(hb_gl_context_use(a), HB_OK);
    assert_non_null(glGetString(GL_RENDERER));
    assert_int_equal(hb_gl_context_use(b), HB_OK);
    hb_gl_context_close(b);
    assert_int_equal(hb_gl_context_use(a), HB_OK);
    assert_string_equal((const char *)glGetString(GL_RENDERER), a->caps.renderer);
    assert_int_equal(hb_gl_context_check(a, "testing"), HB_OK);
    hb_gl_context_close(a);
  }
}

static void test_unknown_names(void **state)
{
  (void)state;
  struct hb_gl_context *context;
  struct hb_gl_context_params params = {.context = "vulkan"};
  assert_int_equal(hb_gl_context_open(&params, &context), HB_ERR_USAGE);
  assert_string_equal(hb_error(), "unknown context 'vulkan' (expected egl, glfw, gles, osmesa or auto)");
  assert_null(context);
  params = (struct hb_gl_context_params){.context = "osmesa", .device = "7"};
  assert_int_equal(hb_gl_context_open(&params, &context), HB_ERR_USAGE);
  params = (struct hb_gl_context_params){.context = "egl", .device = "/dev/dri/none"};
  assert_int_equal(hb_gl_context_open(&params, &context), HB_ERR_GL);
  assert_non_null(strstr(hb_error(), "EGL has no device '/dev/dri/none'"));
}

static void test_software_device(void **state)
{
  (void)state;
  const struct hb_gl_context_params params = {.device = "software"};
  struct hb_gl_context *context;
  if (hb_gl_context_open(&params, &context) != HB_OK) { /* a machine with a GPU need not have Mesa */
    if (!strstr(hb_error(), "has no software renderer, it opened")) fail_msg("%s", hb_error());
    return;
  }
  assert_true(context->caps.software);
  hb_gl_context_close(context);
}

static void test_errors_are_seen(void **state)
{
  (void)state;
  struct hb_gl_context *c = open_context();
  glEnable(0x12345);
  assert_int_equal(hb_gl_context_check(c, "testing"), HB_ERR_DEVICE);
  assert_non_null(strstr(hb_error(), "testing: GL_INVALID_ENUM"));
  assert_int_equal(hb_gl_context_check(c, "testing"), HB_OK);
  hb_gl_context_close(c);
}

/* What goes up comes down: every record of a stream, by way of a framebuffer, bit for bit. */
static void round_trip(struct hb_gl_context *c, enum hb_gl_shape shape, enum hb_gl_format format,
                       int channels, size_t n)
{
  struct hb_gl_texture stream;
  struct hb_gl_texture_params params = {.shape = shape, .format = format, .drawn = 1};
  assert_int_equal(hb_gl_texture_square(c, shape, n, &params.width, &params.height), HB_OK);
  assert_int_equal(hb_gl_texture_create(c, &params, &stream), HB_OK);
  expect_at_least((size_t)stream.width * (size_t)stream.height, n);
  expect_below((size_t)stream.width * ((size_t)stream.height - 1), n); /* no row without a record */
  assert_int_equal(stream.width & (stream.width - 1), 0);
  size_t texels = (size_t)stream.width * (size_t)stream.height;
  float *up = calloc(texels * (size_t)channels, sizeof *up), *down = calloc(texels * 4, sizeof *down);
  for (size_t k = 0; k < texels * (size_t)channels; k++) up[k] = 1.0f / (float)(k + 3);
  hb_gl_texture_write(&stream, 0, stream.width, stream.height, up);
  hb_gl_target_read(&stream.target, 0, 0, 0, stream.width, stream.height, HB_GL_FLOATS, down);
  for (size_t k = 0; k < n; k++)
    for (int l = 0; l < channels; l++)
      expect_equal(down[4 * k + (size_t)l], up[(size_t)channels * k + (size_t)l]);
  hb_gl_target_clear(&stream.target);
  hb_gl_target_read(&stream.target, 0, 0, 0, stream.width, stream.height, HB_GL_FLOATS, down);
  for (size_t k = 0; k < n; k++) expect_equal(down[4 * k], 0);
  free(up);
  free(down);
  hb_gl_texture_destroy(&stream);
  assert_int_equal(hb_gl_context_check(c, "testing"), HB_OK);
}

static void test_streams(void **state)
{
  (void)state;
  struct hb_gl_context *c = open_context();
  static const size_t n[] = {1, 2, 3, 4, 5, 16, 17, 1000, 1024, 1025, 65536};
  for (size_t k = 0; k < sizeof n / sizeof *n; k++) {
    round_trip(c, HB_GL_2D, HB_GL_R32F, 1, n[k]);
    round_trip(c, HB_GL_2D, HB_GL_RGBA32F, 4, n[k]);
    if (c->caps.is_es) continue; /* has no rectangles, and does not draw into RGB32F */
    round_trip(c, HB_GL_RECTANGLE, HB_GL_RGB32F, 3, n[k]);
    round_trip(c, HB_GL_RECTANGLE, HB_GL_RGBA32F, 4, n[k]);
  }
  hb_gl_context_close(c);
}

static void test_limits_are_named(void **state)
{
  (void)state;
  struct hb_gl_context *c = open_context();
  c->caps.max_texture_size = 8; /* a device of 2^6 particles */
  int width, height;
  assert_int_equal(hb_gl_texture_square(c, HB_GL_2D, 64, &width, &height), HB_OK);
  assert_int_equal(hb_gl_texture_square(c, HB_GL_2D, 65, &width, &height), HB_ERR_GL);
  assert_non_null(strstr(hb_error(), "65 particles need a texture of 16 x 16 texels, the limit of"));
  hb_gl_context_close(c);
}

/* What the device writes arrives, whether the buffer stays mapped or not, also after it has grown. */
static void check_inbox(struct hb_gl_context *c)
{
  enum { TEXELS = 64, WORDS = 4 * TEXELS };
  struct hb_gl_texture layers;
  struct hb_gl_readback inbox = {0};
  uint32_t sent[WORDS];
  assert_int_equal(hb_gl_texture_words(c, TEXELS, 1, 1, &layers), HB_OK);
  for (uint32_t round = 1; round < 5; round++) {
    const uint32_t *got;
    size_t bytes = sizeof sent * round;
    for (uint32_t k = 0; k < WORDS; k++) sent[k] = 1000 * round + k;
    assert_int_equal(hb_gl_readback_reserve(c, bytes, &inbox), HB_OK);
    assert_int_equal(inbox.lasting != NULL, c->caps.has_lasting_maps);
    hb_gl_texture_write(&layers, 0, TEXELS, 1, sent);
    hb_gl_target_copy(&layers.target, 0, TEXELS, 1, &inbox.buffer, bytes - sizeof sent);
    assert_int_equal(hb_gl_readback_open(c, &inbox, bytes, &got), HB_OK);
    assert_memory_equal(got + (bytes - sizeof sent) / sizeof *got, sent, sizeof sent);
    hb_gl_readback_close(&inbox);
  }
  assert_int_equal(hb_gl_context_check(c, "testing"), HB_OK);
  hb_gl_readback_destroy(&inbox);
  hb_gl_texture_destroy(&layers);
}

static void test_inbox(void **state)
{
  (void)state;
  struct hb_gl_context *c = open_context();
  check_inbox(c);
  c->caps.has_lasting_maps = 0;
  check_inbox(c);
  hb_gl_context_close(c);
}

/* The time between start and stop covers the work: drawing 2^20 texels eight times over takes longer than nothing does, of
 * which other programs disturb the shortest of many least. */
static void test_timer(void **state)
{
  (void)state;
  struct hb_gl_context *c = open_context();
  struct hb_gl_texture stream;
  const struct hb_gl_texture_params params = {
      .format = HB_GL_RGBA32F, .width = 1024, .height = 1024, .drawn = 1};
  assert_int_equal(hb_gl_texture_create(c, &params, &stream), HB_OK);
  double idle = INFINITY;
  for (int k = 0; k < 100; k++) idle = fmin(idle, hb_gl_timer_stop(hb_gl_timer_start()));
  double start = hb_gl_timer_start();
  for (int k = 0; k < 8; k++) hb_gl_target_clear(&stream.target);
  double busy = hb_gl_timer_stop(start);
  expect_at_least(idle, 0);
  expect_above(busy, idle);
  hb_gl_texture_destroy(&stream);
  hb_gl_context_close(c);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_caps),
      cmocka_unit_test(test_nothing_is_left_out),
      cmocka_unit_test(test_two_contexts),
      cmocka_unit_test(test_unknown_names),
      cmocka_unit_test(test_software_device),
      cmocka_unit_test(test_errors_are_seen),
      cmocka_unit_test(test_streams),
      cmocka_unit_test(test_limits_are_named),
      cmocka_unit_test(test_inbox),
      cmocka_unit_test(test_timer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

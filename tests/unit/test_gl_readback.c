/* Results seen as they arrive, without waiting for the driver: here the processor is said to be a GPU. What the device
 * writes is a copy. */
#include "gl/gl_mapped.h"
#include "gl/gl.h"
#include "support/support.h"

enum { COUNT = 1024, LONG = 32 * COUNT, ROW = 256 /* words */ };

static struct hb_gl_context *context;
static struct hb_gl_readback readback;
static struct hb_gl_texture source;
static uint32_t data[LONG];

/* ---- how often the driver is asked ---- */

static int asked;
static PFNGLCLIENTWAITSYNCPROC real_wait;

static GLenum GLAPIENTRY count_wait(GLsync fence, GLbitfield flags, GLuint64 nanoseconds)
{
  asked++;
  return real_wait(fence, flags, nanoseconds);
}

static GLenum GLAPIENTRY never(GLsync fence, GLbitfield flags, GLuint64 nanoseconds)
{
  (void)fence, (void)flags, (void)nanoseconds;
  asked++;
  return GL_TIMEOUT_EXPIRED;
}

static int is_gpu;

static int set_up(void **state)
{
  (void)state;
  const struct hb_gl_context_params params = {0};
  ASSERT_OK(hb_gl_context_open(&params, &context));
  if (!context->caps.has_lasting_maps) return 0;
  is_gpu = !context->caps.software;
  context->caps.software = 0;
  ASSERT_OK(hb_gl_readback_reserve(context, sizeof data, &readback));
  ASSERT_OK(hb_gl_texture_words(context, ROW / 4, LONG / ROW, 1, &source));
  real_wait = hb_gl_since_12.__glewClientWaitSync;
  hb_gl_since_12.__glewClientWaitSync = count_wait;
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  if (real_wait) hb_gl_since_12.__glewClientWaitSync = real_wait;
  hb_gl_readback_destroy(&readback);
  hb_gl_texture_destroy(&source);
  hb_gl_context_close(context);
  return 0;
}

/* ---- */

/* The device writes count numbers from `first` on. */
static void send(uint32_t first, size_t count)
{
  for (size_t k = 0; k < count; k++) data[k] = first + (uint32_t)k;
  hb_gl_texture_write(&source, 0, ROW / 4, (int)count / ROW, data);
  hb_gl_readback_expect(context, count * sizeof *data, &readback);
  hb_gl_target_copy(&source.target, 0, ROW / 4, (int)count / ROW, &readback.buffer, 0);
}

/* Whether the driver was asked. */
static int is_asked_for(uint32_t first, size_t count)
{
  const uint32_t *words;
  asked = 0;
  ASSERT_OK(hb_gl_readback_open(context, &readback, count * sizeof *words, &words));
  for (size_t k = 0; k < count; k++)
    if (words[k] != first + (uint32_t)k) fail_msg("word %zu is %u, was to be %zu", k, words[k], first + k);
  hb_gl_readback_close(&readback);
  return asked > 0;
}

/* Whether the numbers from `first` on arrive without that: on a busy machine not always soon enough; on a GPU that other
 * programs keep busy never, and only the numbers count. */
static int arrives(uint32_t first)
{
  enum { TIMES = 100 };
  for (int k = 0; k < TIMES; k++) {
    if (!is_asked_for(first, COUNT)) return 1;
    send(first, COUNT);
  }
  return is_gpu;
}

static void need_lasting_maps(void)
{
  if (!real_wait) skip();
}

static void test_arriving(void **state)
{
  (void)state;
  need_lasting_maps();
  for (uint32_t k = 0; k < 100; k++) {
    send(17 * k, COUNT);
    assert_true(arrives(17 * k));
  }
}

/* On a software renderer, to which polling takes the processor away. */
static void test_software(void **state)
{
  (void)state;
  need_lasting_maps();
  context->caps.software = 1;
  send(1, COUNT);
  assert_true(is_asked_for(1, COUNT));
  context->caps.software = 0;
}

/* A result that looks as if it had not arrived. */
static void test_blank_result(void **state)
{
  (void)state;
  need_lasting_maps();
  uint32_t blank = readback.lasting[0];
  send(blank - COUNT / 2, COUNT);
  assert_true(is_asked_for(blank - COUNT / 2, COUNT));
  send(0, COUNT);
  assert_true(arrives(0));
}

/* What nobody read is not taken for what came after it. */
static void test_unread(void **state)
{
  (void)state;
  need_lasting_maps();
  send(5, COUNT);
  send(6, COUNT / 2);
  assert_true(is_asked_for(6, COUNT / 2));
  send(7, COUNT);
  assert_true(arrives(7));
}

/* Long results are not made blank again, and short ones after them are. */
static void test_long_results(void **state)
{
  (void)state;
  need_lasting_maps();
  for (uint32_t k = 0; k < 3; k++) {
    send(k, LONG);
    assert_true(is_asked_for(k, LONG));
    send(k, COUNT);
    assert_true(arrives(k));
  }
}

/* A fence that never signals: the wait ends, later where the device was given more to do. The driver's sleep is skipped. */
static void test_lost_device(void **state)
{
  (void)state;
  need_lasting_maps();
  const uint32_t *words;
  int asked_before = 0;
  for (int given = 0; given < 2; given++) {
    asked = 0;
    context->given = given;
    uint32_t blank = readback.lasting[0];
    send(blank - COUNT / 2, COUNT); /* one word seems not to arrive */
    hb_gl_since_12.__glewClientWaitSync = never;
    ASSERT_FAILS(hb_gl_readback_open(context, &readback, COUNT * sizeof *words, &words), HB_ERR_DEVICE,
                 given ? "has not finished results for 160 s" : "has not finished results for 60 s");
    hb_gl_since_12.__glewClientWaitSync = count_wait;
    hb_gl_readback_close(&readback);
    expect_above(asked, asked_before);
    asked_before = asked;
  }
  context->given = 0;
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_arriving),     cmocka_unit_test(test_software),
                                     cmocka_unit_test(test_blank_result), cmocka_unit_test(test_unread),
                                     cmocka_unit_test(test_long_results), cmocka_unit_test(test_lost_device)};
  return RUN_TESTS(tests, 1, set_up, tear_down);
}

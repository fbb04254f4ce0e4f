/* Uploads by pieces: what arrives, that no place is written again while the device may still read it, and what a driver that
 * does not say so leads to. A software renderer is given the buffer itself, so here it is told that it is none. */
#include "gl/gl.h"
#include "gl/gl_mapped.h"
#include "support/pairs_case.h"
#include "support/support.h"

#include <string.h>

static struct hb_gl_context *context;

static int set_up(void **state)
{
  (void)state;
  context = pairs_context();
  context->caps.software = 0;
  return 0;
}

static int can(void) { return hb_gl_upload_is_there(context); }

/* ---- a driver that is watched ---- */

static PFNGLCLIENTWAITSYNCPROC real_wait;
static PFNGLCOPYBUFFERSUBDATAPROC real_copy;
static void *waited[64];
static int waits, copies, late;
static GLenum answer;

/* The first answers are that time is up. */
static GLenum GLAPIENTRY wait(GLsync fence, GLbitfield flags, GLuint64 timeout)
{
  waited[waits++ % 64] = fence;
  if (late-- > 0) return GL_TIMEOUT_EXPIRED;
  return answer ? answer : real_wait(fence, flags, timeout);
}

static void GLAPIENTRY copy(GLenum from, GLenum to, GLintptr at, GLintptr there, GLsizeiptr bytes)
{
  copies++;
  real_copy(from, to, at, there, bytes);
}

static void watch(void)
{
  real_wait = hb_gl_since_12.__glewClientWaitSync;
  real_copy = hb_gl_since_12.__glewCopyBufferSubData;
  hb_gl_since_12.__glewClientWaitSync = wait;
  hb_gl_since_12.__glewCopyBufferSubData = copy;
  waits = copies = late = 0;
  answer = 0;
}

static int unwatch(void **state)
{
  (void)state;
  if (real_wait) hb_gl_since_12.__glewClientWaitSync = real_wait;
  if (real_copy) hb_gl_since_12.__glewCopyBufferSubData = real_copy;
  real_wait = NULL;
  real_copy = NULL;
  return 0;
}

/* ---- pieces ---- */

enum { PIECES = 2 * HB_GL_UPLOAD_PLACES + 3, WORDS = 1024 };

static void send_piece(struct hb_gl_upload *upload, const struct hb_gl_buffer *buffer, uint32_t k)
{
  void *room;
  uint32_t words[WORDS];
  ASSERT_OK(hb_gl_upload_begin(context, upload, &room));
  for (uint32_t w = 0; w < WORDS; w++) words[w] = WORDS * k + w;
  memcpy(room, words, sizeof words);
  hb_gl_upload_end(upload, buffer, sizeof words * k, sizeof words);
}

static void test_pieces(void **state)
{
  (void)state;
  static uint32_t got[PIECES * WORDS];
  struct hb_gl_upload upload = {0};
  struct hb_gl_buffer buffer = {0};
  if (!can()) skip();
  hb_gl_buffer_fill(&buffer, HB_GL_BY_DEVICE, sizeof got, NULL);
  watch();
  for (uint32_t k = 0; k < PIECES; k++) {
    void *fence = upload.fence[k % HB_GL_UPLOAD_PLACES];
    late = 2;
    send_piece(&upload, &buffer, k);
    if (k < HB_GL_UPLOAD_PLACES) {
      assert_int_equal(waits, 0);
    } else { /* for the fence of that place, however long it takes */
      assert_int_equal(waits, 3);
      for (int w = 0; w < 3; w++) assert_ptr_equal(waited[w], fence);
      waits = 0;
    }
  }
  assert_int_equal(copies, PIECES);
  hb_gl_buffer_read(&buffer, 0, sizeof got, got);
  for (uint32_t w = 0; w < PIECES * WORDS; w++) assert_int_equal(got[w], w);
  hb_gl_upload_destroy(&upload);
  hb_gl_buffer_destroy(&buffer);
  ASSERT_OK(hb_gl_context_check(context, "testing uploads"));
}

static void test_device_that_does_not_say(void **state)
{
  (void)state;
  struct hb_gl_upload upload = {0};
  struct hb_gl_buffer buffer = {0};
  void *room;
  if (!can()) skip();
  hb_gl_buffer_fill(&buffer, HB_GL_BY_DEVICE, PIECES * WORDS * 4, NULL);
  watch();
  for (uint32_t k = 0; k < HB_GL_UPLOAD_PLACES; k++) send_piece(&upload, &buffer, k);
  answer = GL_WAIT_FAILED;
  ASSERT_FAILS(hb_gl_upload_begin(context, &upload, &room), HB_ERR_DEVICE,
               "does not say when uploads are ready");
  assert_null(room);
  hb_gl_upload_destroy(&upload);
  hb_gl_buffer_destroy(&buffer);
}

/* ---- particles ---- */

enum { N = 40000, BYTES_MOST = 16 * 4 * N };

static void send_particles(enum hb_precision precision, size_t n, uint32_t *words)
{
  static double x[7 * N];
  const struct pairs_case c = {"gravity_jerk", "bag", NULL, precision};
  struct hb_pairs *pairs = pairs_open(&c, 1);
  struct hb_column columns[4 * HB_RECORDS_MAX] = {{0}};
  for (size_t k = 0; k < 7 * n; k++) x[k] = 1 / (k + 3.);
  for (size_t k = 0; k < 7; k++) columns[k] = (struct hb_column){x + k * n, 1};
  ASSERT_OK(hb_pairs_set_j(pairs, n, columns));
  hb_gl_buffer_read(&pairs->j, 0, 16 * (size_t)pairs->texels * n, words);
  hb_pairs_destroy(pairs);
}

/* The same words on the device as when its buffer is mapped, for a piece and less, and for many. */
static void test_particles(void **state)
{
  (void)state;
  static const size_t counts[] = {1, 1000, HB_GL_UPLOAD_PIECE / 48, HB_GL_UPLOAD_PIECE / 48 + 1, N};
  static uint32_t pieces[BYTES_MOST / 4], whole[BYTES_MOST / 4];
  if (!can()) skip();
  for (int precision = 0; precision < HB_PRECISION_COUNT; precision++)
    for (size_t k = 0; k < COUNT_OF(counts); k++) {
      const struct pairs_case c = {"gravity_jerk", "bag", NULL, (enum hb_precision)precision};
      if (pairs_lacks(&c)) continue;
      memset(whole, 1, sizeof whole);
      memset(pieces, 1, sizeof pieces);
      context->caps.software = 1;
      send_particles(c.precision, counts[k], whole);
      context->caps.software = 0;
      watch();
      send_particles(c.precision, counts[k], pieces);
      unwatch(NULL);
      if (counts[k] > 1)
        expect_above(copies, counts[k] == N);
      else
        expect_equal(copies, 0); /* one is sent without */
      assert_memory_equal(pieces, whole, sizeof whole);
    }
  pairs_skip_if_lacking();
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(test_pieces, unwatch),
                                     cmocka_unit_test_teardown(test_device_that_does_not_say, unwatch),
                                     cmocka_unit_test_teardown(test_particles, unwatch)};
  return RUN_TESTS(tests, 1, set_up, NULL);
}

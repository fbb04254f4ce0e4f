/* PNG files: what is written is read back, text and all; failures leave the old file. */
#include "support/faults.h"
#include "support/picture.h"
#include "support/support.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { W = 37, H = 5 };

static uint8_t pixels[4 * W * H];

static struct hb_png picture(int channels)
{
  uint32_t random = 7;
  for (size_t k = 0; k < sizeof pixels; k++) {
    random = random * 1664525u + 1013904223u;
    pixels[k] = (uint8_t)(random >> 24);
  }
  return (struct hb_png){.width = W, .height = H, .channels = channels, .pixels = pixels};
}

static void test_round_trip(void **state)
{
  (void)state;
  static const int channels[] = {1, 3, 4};
  struct hb_png_text text[] = {{"Software", "Holmberg"},
                               {"command", "holmberg render 'a b.h5' --size 37x5"},
                               {"note", "\xce\xb5 = 1/256"},
                               {"empty", ""}};
  for (size_t k = 0; k < COUNT_OF(channels); k++) {
    struct hb_png out = picture(channels[k]), in;
    const char *path = support_path("a.png");
    out.text = text;
    out.text_count = COUNT_OF(text);
    ASSERT_OK(hb_png_write(path, &out));
    picture_read(path, &in);
    expect_equal(in.width, W);
    expect_equal(in.height, H);
    expect_equal(in.channels, channels[k]);
    assert_memory_equal(in.pixels, pixels, (size_t)channels[k] * W * H);
    assert_int_equal(in.text_count, COUNT_OF(text));
    for (size_t l = 0; l < COUNT_OF(text); l++) {
      assert_string_equal(in.text[l].keyword, text[l].keyword);
      assert_string_equal(in.text[l].value, text[l].value);
    }
    picture_free(&in);
  }
}

static void test_same_bytes(void **state)
{
  (void)state;
  struct hb_png png = picture(3);
  size_t count[2];
  ASSERT_OK(hb_png_write(support_path("1.png"), &png));
  ASSERT_OK(hb_png_write(support_path("2.png"), &png));
  char *a = support_read(support_path("1.png"), &count[0]),
       *b = support_read(support_path("2.png"), &count[1]);
  assert_int_equal(count[0], count[1]);
  assert_memory_equal(a, b, count[0]);
  free(a);
  free(b);
}

static void test_failed_writes(void **state)
{
  (void)state;
  const char *path = support_path("kept.png");
  support_write(path, "old", 3);
  struct hb_png png = picture(3);
  size_t files = support_file_count();
  for (int kind = FAULTS_OPEN; kind <= FAULTS_RENAME; kind++) {
    faults_start((enum faults_kind)kind, 1, ENOSPC);
    enum hb_status status = hb_png_write(path, &png);
    assert_true(faults_stop());
    assert_int_equal(status, HB_ERR_IO);
    char *kept = support_read(path, NULL);
    assert_string_equal(kept, "old");
    free(kept);
    assert_int_equal(support_file_count(), files);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_round_trip),
      cmocka_unit_test(test_same_bytes),
      cmocka_unit_test(test_failed_writes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

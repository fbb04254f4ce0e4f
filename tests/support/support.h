/* What several tests need: a folder of their own, files, and a fingerprint of bytes. cmocka and what it needs
 * comes with it. */
#ifndef SUPPORT_H
#define SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <holmberg/holmberg.h>

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

/* Fails the test with the library's sentence unless the call gave HB_OK. */
#define ASSERT_OK(call) support_assert_status((call), HB_OK, NULL, #call, __FILE__, __LINE__)

/* Fails unless the call gave status and hb_error() is a sentence that contains this text. */
#define ASSERT_FAILS(call, status, sentence)                                                                 \
  support_assert_status((call), (status), (sentence), #call, __FILE__, __LINE__)

/* Two numbers compared. Where they are not so, the test fails and says both, and how they stand in the source. */
#define expect_below(value, bound)    SUPPORT_EXPECT(value, <, bound)
#define expect_at_most(value, bound)  SUPPORT_EXPECT(value, <=, bound)
#define expect_above(value, bound)    SUPPORT_EXPECT(value, >, bound)
#define expect_at_least(value, bound) SUPPORT_EXPECT(value, >=, bound)
#define expect_equal(value, right)    SUPPORT_EXPECT(value, ==, right)
#define expect_other(value, wrong)    SUPPORT_EXPECT(value, !=, wrong)
#define SUPPORT_EXPECT(a, is, b)                                                                             \
  do {                                                                                                       \
    const __typeof__((a) + 0) support_value = (a); /* once, whatever it does */                              \
    if (!(support_value is(b)))                                                                              \
      support_unexpected((double)support_value, (double)(b), #a " " #is " " #b, __FILE__, __LINE__);         \
  } while (0)
#define expect_near(value, right, relative)                                                                  \
  support_near((value), (right), (relative), #value " within " #relative " of " #right, __FILE__, __LINE__)

void support_unexpected(double value, double bound, const char *expected, const char *file, int line);
void support_near(double value, double right, double relative, const char *expected, const char *file,
                  int line);

void support_assert_status(enum hb_status got, enum hb_status expected, const char *sentence,
                           const char *call, const char *file, int line);

/* name in a temporary folder of this process, which is emptied and removed at exit. One of 8 buffers in turn. */
const char *support_path(const char *name);
size_t support_file_count(void); /* files in that folder */

void support_write(const char *path, const void *bytes, size_t count);
char *support_read(const char *path, size_t *count); /* NUL-terminated, to be freed; NULL: no such file */
int support_exists(const char *path);

/* Runs work(data) with its first, second, ... allocation failing until it needs no more, which takes `least` turns or
 * more. Each time it must say HB_ERR_INTERNAL; the address sanitizer sees what it leaves behind. */
typedef enum hb_status support_work(void *data);
void support_survives_lack_of_memory(support_work *work, void *data, unsigned long least);

/* 1 where LONG is set: `make test-long` asks for what takes minutes, too. */
int support_is_long(void);

/* Root of the mean over n vectors of |difference|^2 / |reference|^2. */
double support_rms(size_t n, size_t width, const double *value, const double *reference);

/* A program's main: all tests, or with SMOKE set the first `smoke` of them, in a context that is another way to the same
 * renderer. */
#define RUN_TESTS(tests, smoke, set_up, tear_down)                                                           \
  _cmocka_run_group_tests(#tests, tests, getenv("SMOKE") ? (smoke) : COUNT_OF(tests), set_up, tear_down)

/* 64-bit FNV-1a, started with SUPPORT_FNV and fed piece by piece. */
#define SUPPORT_FNV UINT64_C(0xcbf29ce484222325)
uint64_t support_fnv(uint64_t hash, const void *bytes, size_t count);

#endif

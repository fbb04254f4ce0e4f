/* What a page does without: threads and PNG files; and a sum of zlib's. */
#include "base/parallel.h"
#include "io/png.h"
#include "web/web_turn.h"

#include <string.h>
#include <zlib.h>

int hb_parallel_threads(void) { return 1; }
void hb_parallel_set_threads(int threads) { (void)threads; }

void hb_parallel_copy(void *to, const void *from, size_t bytes) { memcpy(to, from, bytes); }

void hb_parallel_for(int threads, size_t count, void (*work)(void *context, size_t k), void *context)
{
  (void)threads;
  for (size_t k = 0; k < count; k++) {
    work(context, k);
    if (k % 16 == 15) hb_web_breathe(0);
  }
}

void hb_parallel_pieces(size_t n, size_t size, size_t alone,
                        void (*work)(void *context, size_t from, size_t to), void *context)
{
  (void)alone;
  for (size_t from = 0, k = 0; from < n; from += size) {
    work(context, from, hb_parallel_end(n, size, from));
    if (k++ % 16 == 15) hb_web_breathe(0);
  }
}

void hb_parallel_shares(size_t n, size_t most, size_t alone,
                        void (*work)(void *context, size_t from, size_t to), void *context)
{
  hb_parallel_pieces(n, most, alone, work, context);
}

static enum hb_status not_here(const char *what)
{
  return hb_fail(HB_ERR_USAGE, "this page has no %s", what);
}

enum hb_status hb_worker_create(int threads, struct hb_worker **worker)
{
  (void)threads;
  *worker = NULL;
  return not_here("threads");
}

void hb_worker_destroy(struct hb_worker *worker) { (void)worker; }

void hb_worker_start(struct hb_worker *worker, enum hb_status (*work)(void *context), void *context)
{
  (void)worker, (void)work, (void)context;
}

enum hb_status hb_worker_wait(struct hb_worker *worker)
{
  (void)worker;
  return HB_OK;
}

enum hb_status hb_png_write(const char *path, const struct hb_png *png)
{
  (void)path, (void)png;
  return hb_fail(HB_ERR_USAGE, "this page writes no PNG files");
}

uLong crc32_z(uLong sum, const Bytef *bytes, size_t count)
{
  uint32_t rest = ~(uint32_t)sum;
  for (size_t k = 0; k < count; k++) {
    rest ^= bytes[k];
    for (int bit = 0; bit < 8; bit++) rest = rest >> 1 ^ (rest & 1 ? 0xedb88320u : 0);
  }
  return ~rest & 0xffffffffu;
}

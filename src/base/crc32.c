#include "base/crc32.h"

#include <pthread.h>

/* rows[k][b]: the remainder of byte b with k zero bytes behind it, so that eight bytes go in one step. */
static uint32_t rows[8][256];
static pthread_once_t rows_filled = PTHREAD_ONCE_INIT;

static void fill_rows(void)
{
  for (uint32_t b = 0; b < 256; b++) {
    uint32_t r = b;
    for (int bit = 0; bit < 8; bit++) r = r >> 1 ^ (r & 1 ? 0xedb88320 : 0);
    rows[0][b] = r;
  }
  for (uint32_t b = 0; b < 256; b++)
    for (int k = 1; k < 8; k++) rows[k][b] = rows[k - 1][b] >> 8 ^ rows[0][rows[k - 1][b] & 255];
}

static uint32_t word_at(const unsigned char *b)
{
  return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

uint32_t hb_crc32(uint32_t crc, const void *bytes, size_t count)
{
  pthread_once(&rows_filled, fill_rows);
  const unsigned char *b = bytes;
  crc = ~crc;
  for (; count >= 8; b += 8, count -= 8) {
    uint32_t low = word_at(b) ^ crc, high = word_at(b + 4);
    crc = rows[7][low & 255] ^ rows[6][low >> 8 & 255] ^ rows[5][low >> 16 & 255] ^ rows[4][low >> 24] ^
          rows[3][high & 255] ^ rows[2][high >> 8 & 255] ^ rows[1][high >> 16 & 255] ^ rows[0][high >> 24];
  }
  for (; count > 0; b++, count--) crc = crc >> 8 ^ rows[0][(crc ^ *b) & 255];
  return ~crc;
}

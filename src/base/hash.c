#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

uint64_t hb_hash_words(uint64_t hash, size_t count, const void *words)
{
  for (size_t k = 0; k < count; k++) {
    uint64_t word;
    memcpy(&word, (const char *)words + k * sizeof word, sizeof word);
    for (int shift = 0; shift < 64; shift += 8) hash = hb_hash_byte(hash, (uint8_t)(word >> shift));
  }
  return hash;
}

void hb_hash_text(uint64_t hash, char text[HB_HASH_TEXT])
{
  snprintf(text, HB_HASH_TEXT, "%016" PRIx64, hash);
}

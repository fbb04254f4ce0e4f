/* FNV-1a of 64 bits (Fowler, Noll & Vo): tells two states or two files apart, but nobody who wants them confused. */
#ifndef HB_HASH_H
#define HB_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Of nothing; each of the functions below continues a hash. */
#define HB_HASH_EMPTY UINT64_C(0xcbf29ce484222325)

static inline uint64_t hb_hash_byte(uint64_t hash, uint8_t byte) { return (hash ^ byte) * 0x100000001b3u; }

/* count words of 64 bits, integers or doubles, the low byte of each first whatever the machine's own order. */
uint64_t hb_hash_words(uint64_t hash, size_t count, const void *words);

/* As it is printed: 16 hexadecimal digits. */
enum { HB_HASH_TEXT = 17 };
void hb_hash_text(uint64_t hash, char text[HB_HASH_TEXT]);

#endif

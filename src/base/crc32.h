/* The checksum of zip, png and Ethernet: CRC-32 with the polynomial 0xedb88320. Notices every change of up to 32
 * neighbouring bits, and any other but for one in 2^32. */
#ifndef HB_CRC32_H
#define HB_CRC32_H

#include <stddef.h>
#include <stdint.h>

/* Of nothing it is 0; piece by piece: crc = hb_crc32(crc, piece, count). "123456789" has 0xcbf43926. */
uint32_t hb_crc32(uint32_t crc, const void *bytes, size_t count);

#endif

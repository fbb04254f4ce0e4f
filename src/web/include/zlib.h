/* What the library asks of zlib, which browsers' C has not: in web_without.c. */
#ifndef HB_WEB_ZLIB_H
#define HB_WEB_ZLIB_H

#include <stddef.h>

typedef unsigned char Bytef;
typedef unsigned long uLong;
uLong crc32_z(uLong sum, const Bytef *bytes, size_t count);

#endif

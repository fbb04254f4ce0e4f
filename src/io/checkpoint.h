/* Sections in a file of our own format, so that a writer that is killed cannot leave a file that looks whole:
 *
 *   offset  bytes
 *        0      8  89 'H' 'B' 'C' 'K' 0d 0a 1a
 *        8      4  version, 1
 *       12      4  0x01020304: 04 03 02 01 in the right order of bytes
 *       16      8  length of the file
 *       24      4  number of sections
 *       28      4  checksum of the table and of the 28 bytes before
 *       32     40  for each section: name, zeros behind it, 24; type of enum hb_section_type, 4; checksum, 4; elements, 8
 *        then      the sections' elements, in the order of the table, nothing between
 *
 * Numbers are little-endian, doubles as their 64 bits; checksums are the CRC-32 of zlib. */
#ifndef HB_CHECKPOINT_H
#define HB_CHECKPOINT_H

#include "core/sections.h"

/* Replaces path as base/file.h says, without a second copy of the arrays. previous: nullable, the name that the old
 * file takes. Errors: HB_ERR_IO. */
enum hb_status hb_checkpoint_write(const char *path, const char *previous,
                                   const struct hb_sections *sections);

/* Adds what the file holds to *sections, which owns it. Errors: HB_ERR_INPUT (no checkpoint, another version, damaged; names
 * file and section), HB_ERR_IO; then *sections is empty. */
enum hb_status hb_checkpoint_read(const char *path, struct hb_sections *sections);

/* The same through a pipe, whose length is not known in advance: more than `most` bytes are refused. name is for
 * sentences. */
enum hb_status hb_checkpoint_send(int fd, const char *name, const struct hb_sections *sections);
enum hb_status hb_checkpoint_receive(int fd, const char *name, uint64_t most, struct hb_sections *sections);

#endif

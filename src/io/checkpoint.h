/* Sections in a file format of our own, in which an incomplete file cannot pass for a complete one:
 *
 *   offset  bytes
 *        0      8  89 'H' 'B' 'C' 'K' 0d 0a 1a
 *        8      4  version, 1
 *       12      4  0x01020304: 04 03 02 01 in the right byte order
 *       16      8  length of the file
 *       24      4  number of sections
 *       28      4  checksum of the 28 bytes before and of the table
 *       32     40  for each section: name, padded with zeros, 24; enum hb_section_type, 4; checksum, 4; elements, 8
 *        then      the sections' elements, in the order of the table, without gaps
 *
 * Numbers are little-endian, doubles as their 64 bits; checksums are the CRC-32 of zlib. */
#ifndef HB_CHECKPOINT_H
#define HB_CHECKPOINT_H

#include "core/sections.h"

/* Replaces path as base/file.h says, without copying the arrays. previous, nullable: the new name of the old file. Errors:
 * HB_ERR_IO. */
enum hb_status hb_checkpoint_write(const char *path, const char *previous,
                                   const struct hb_sections *sections);

/* Adds the file's sections to *sections, which owns them. Errors: HB_ERR_INPUT (not a checkpoint, another version, damaged;
 * names file and section), HB_ERR_IO; *sections is empty then. */
enum hb_status hb_checkpoint_read(const char *path, struct hb_sections *sections);

/* The same through a pipe; more than `most` bytes are refused. name is for messages. */
enum hb_status hb_checkpoint_send(int fd, const char *name, const struct hb_sections *sections);
enum hb_status hb_checkpoint_receive(int fd, const char *name, uint64_t most, struct hb_sections *sections);

#endif

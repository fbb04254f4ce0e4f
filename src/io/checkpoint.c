#include "io/checkpoint.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { VERSION = 1, HEAD = 32, ROW = 40, NAME = 24, CHUNK = 65536, MOST_SECTIONS = 1024 };

static const unsigned char magic[8] = {0x89, 'H', 'B', 'C', 'K', '\r', '\n', 0x1a};
static const uint32_t order_mark = 0x01020304, order_mark_swapped = 0x04030201;

/* ---- little-endian numbers, on any machine ---- */

static void put32(unsigned char *at, uint32_t value)
{
  for (int k = 0; k < 4; k++) at[k] = (unsigned char)(value >> 8 * k);
}

static void put64(unsigned char *at, uint64_t value)
{
  for (int k = 0; k < 8; k++) at[k] = (unsigned char)(value >> 8 * k);
}

static uint32_t get32(const unsigned char *at)
{
  uint32_t value = 0;
  for (int k = 0; k < 4; k++) value |= (uint32_t)at[k] << 8 * k;
  return value;
}

static uint64_t get64(const unsigned char *at) { return get32(at) | (uint64_t)get32(at + 4) << 32; }

/* ---- writing ---- */

/* Encodes up to a chunk of a section from byte `from` on. Returns the number of bytes, 0 at the end. */
static size_t encode(const struct hb_section *section, size_t from, unsigned char chunk[CHUNK])
{
  size_t bytes = section->count * hb_section_width(section->type) - from;
  if (bytes == 0) return 0; /* data may be NULL then */
  if (bytes > CHUNK) bytes = CHUNK;
  const char *data = (const char *)section->data + from;
  if (section->type == HB_SECTION_BYTES) {
    memcpy(chunk, data, bytes);
    return bytes;
  }
  for (size_t k = 0; k < bytes; k += 8) {
    uint64_t word; /* a double's bits, too */
    memcpy(&word, data + k, sizeof word);
    put64(chunk + k, word);
  }
  return bytes;
}

static uint32_t checksum(const struct hb_section *section)
{
  unsigned char chunk[CHUNK];
  uLong crc = 0;
  for (size_t from = 0, bytes; (bytes = encode(section, from, chunk)) > 0; from += bytes)
    crc = crc32_z(crc, chunk, bytes);
  return (uint32_t)crc;
}

static void fill_head(const struct hb_sections *sections, unsigned char *head)
{
  size_t table = ROW * sections->count;
  uint64_t length = HEAD + table;
  for (size_t k = 0; k < sections->count; k++) {
    const struct hb_section *section = &sections->at[k];
    unsigned char *row = head + HEAD + ROW * k;
    memcpy(row, section->name, NAME);
    put32(row + 24, (uint32_t)section->type);
    put32(row + 28, checksum(section));
    put64(row + 32, section->count);
    length += section->count * hb_section_width(section->type);
  }
  memcpy(head, magic, sizeof magic);
  put32(head + 8, VERSION);
  put32(head + 12, order_mark);
  put64(head + 16, length);
  put32(head + 24, (uint32_t)sections->count);
  put32(head + 28, (uint32_t)crc32_z(crc32_z(0, head, 28), head + HEAD, table));
}

static enum hb_status put_all(struct hb_file *file, const struct hb_sections *sections)
{
  unsigned char *head;
  HB_TRY(HB_ALLOC(HEAD + ROW * sections->count, &head));
  fill_head(sections, head);
  enum hb_status status = hb_file_write(file->fd, file->path, head, HEAD + ROW * sections->count);
  hb_mem_free(head);
  unsigned char chunk[CHUNK];
  for (size_t k = 0; k < sections->count; k++)
    for (size_t from = 0, bytes; status == HB_OK && (bytes = encode(&sections->at[k], from, chunk)) > 0;
         from += bytes)
      status = hb_file_write(file->fd, file->path, chunk, bytes);
  return status;
}

enum hb_status hb_checkpoint_write(const char *path, const char *previous, const struct hb_sections *sections)
{
  struct hb_file file;
  HB_TRY(hb_file_begin(path, &file));
  return hb_file_end(&file, put_all(&file, sections), previous);
}

enum hb_status hb_checkpoint_send(int fd, const char *name, const struct hb_sections *sections)
{
  struct hb_file stream = {.fd = fd, .path = name};
  return put_all(&stream, sections);
}

/* ---- reading ---- */

static enum hb_status read_bytes(int fd, const char *path, void *bytes, size_t count)
{
  for (char *next = bytes; count > 0;) {
    ssize_t got = read(fd, next, count);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return hb_fail(HB_ERR_IO, "cannot read %s: %s", path, strerror(errno));
    if (got == 0) return hb_fail(HB_ERR_INPUT, "%s became shorter while it was read", path);
    next += got;
    count -= (size_t)got;
  }
  return HB_OK;
}

/* Whether it is the head of a checkpoint that this program can read, and of this length. */
static enum hb_status check_head(const char *path, const unsigned char head[HEAD], uint64_t length)
{
  uint32_t version = get32(head + 8), order = get32(head + 12), count = get32(head + 24);
  uint64_t expected = get64(head + 16);
  if (memcmp(head, magic, sizeof magic) != 0)
    return hb_fail(HB_ERR_INPUT, "%s is not a checkpoint of holmberg", path);
  if (order == order_mark_swapped)
    return hb_fail(HB_ERR_INPUT, "%s is in the wrong byte order, expected little-endian numbers", path);
  if (version != VERSION)
    return hb_fail(HB_ERR_INPUT, "%s is a checkpoint of version %" PRIu32 ", expected %d", path, version,
                   VERSION);
  if (length != expected)
    return hb_fail(HB_ERR_INPUT, "%s is damaged: it has %" PRIu64 " byte%s, expected %" PRIu64, path, length,
                   hb_text_s(length), expected);
  if (order != order_mark || count > MOST_SECTIONS || HEAD + ROW * (uint64_t)count > length)
    return hb_fail(HB_ERR_INPUT, "%s is damaged: its head makes no sense", path);
  return HB_OK;
}

static enum hb_status check_sum(const char *path, const char *what, uint32_t found, uint32_t expected)
{
  if (found == expected) return HB_OK;
  return hb_fail(HB_ERR_INPUT, "%s is damaged: %s has the checksum %08" PRIx32 ", expected %08" PRIx32, path,
                 what, found, expected);
}

/* Types must be known, names terminated and unique, and the lengths add up to that of the file. */
static enum hb_status check_table(const char *path, const unsigned char *table, size_t count, uint64_t bytes)
{
  int good = 1;
  for (size_t k = 0; k < count && good; k++) {
    const unsigned char *row = table + ROW * k;
    uint32_t type = get32(row + 24);
    uint64_t elements = get64(row + 32), width = type == HB_SECTION_BYTES ? 1 : 8;
    good = row[0] && !row[NAME - 1] && type <= HB_SECTION_DOUBLES && elements <= bytes / width;
    if (good) bytes -= elements * width;
    for (size_t l = 0; l < k; l++) good = good && strcmp((const char *)row, (const char *)table + ROW * l);
  }
  if (good && bytes == 0) return HB_OK;
  return hb_fail(HB_ERR_INPUT, "%s is damaged: its table of sections makes no sense", path);
}

static enum hb_status read_section(int fd, const char *path, const unsigned char *row,
                                   struct hb_sections *sections)
{
  const char *name = (const char *)row;
  enum hb_section_type type = (enum hb_section_type)get32(row + 24);
  size_t count = get64(row + 32), bytes = count * hb_section_width(type);
  HB_OWN unsigned char *data = NULL;
  char what[48];
  snprintf(what, sizeof what, "section '%s'", name);
  HB_TRY(HB_ALLOC(bytes, &data));
  HB_TRY(read_bytes(fd, path, data, bytes));
  HB_TRY(check_sum(path, what, crc32_z(0, data, bytes), get32(row + 28)));
  for (size_t k = 0; k < bytes && type != HB_SECTION_BYTES; k += 8) {
    uint64_t word = get64(data + k);
    memcpy(data + k, &word, sizeof word);
  }
  HB_TRY(hb_sections_put(sections, name, type, count, data));
  return HB_GIVE(data, &sections->at[sections->count - 1].own);
}

static enum hb_status read_table(int fd, const char *path, const unsigned char head[HEAD], uint64_t length,
                                 struct hb_sections *sections)
{
  size_t count = get32(head + 24), size = ROW * count;
  HB_OWN unsigned char *table = NULL;
  HB_TRY(HB_ALLOC(size, &table));
  HB_TRY(read_bytes(fd, path, table, size));
  HB_TRY(
      check_sum(path, "its table of sections", crc32_z(crc32_z(0, head, 28), table, size), get32(head + 28)));
  HB_TRY(check_table(path, table, count, length - HEAD - size));
  for (size_t k = 0; k < count; k++) HB_TRY(read_section(fd, path, table + ROW * k, sections));
  return HB_OK;
}

static enum hb_status read_all(int fd, const char *path, struct hb_sections *sections)
{
  struct stat info;
  unsigned char head[HEAD] = {0};
  if (fstat(fd, &info) != 0) return hb_fail(HB_ERR_IO, "cannot read %s: %s", path, strerror(errno));
  if (S_ISDIR(info.st_mode)) return hb_fail(HB_ERR_IO, "cannot read %s: %s", path, strerror(EISDIR));
  uint64_t length = (uint64_t)info.st_size;
  HB_TRY(read_bytes(fd, path, head, length < HEAD ? (size_t)length : HEAD));
  size_t known = length < sizeof magic ? (size_t)length : sizeof magic;
  if (length < HEAD && length > 0 && memcmp(head, magic, known) == 0)
    return hb_fail(HB_ERR_INPUT, "%s is damaged: it has %" PRIu64 " byte%s, expected at least %d", path,
                   length, hb_text_s(length), HEAD);
  HB_TRY(check_head(path, head, length));
  return read_table(fd, path, head, length, sections);
}

enum hb_status hb_checkpoint_read(const char *path, struct hb_sections *sections)
{
  HB_OWN_FD int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); /* a fifo would wait for its other end */
  if (fd < 0) return hb_fail(HB_ERR_IO, "cannot read %s: %s", path, strerror(errno));
  enum hb_status status = read_all(fd, path, sections);
  if (status != HB_OK) hb_sections_clear(sections);
  return status;
}

static enum hb_status receive(int fd, const char *name, uint64_t most, struct hb_sections *sections)
{
  unsigned char head[HEAD], more;
  HB_TRY(read_bytes(fd, name, head, HEAD));
  uint64_t length = get64(head + 16);
  if (length > most)
    return hb_fail(HB_ERR_INPUT, "%s has %" PRIu64 " bytes, expected at most %" PRIu64, name, length, most);
  HB_TRY(check_head(name, head, length));
  HB_TRY(read_table(fd, name, head, length, sections));
  return read_bytes(fd, name, &more, 1) == HB_OK ? hb_fail(HB_ERR_INPUT, "%s has bytes after its end", name)
                                                 : HB_OK;
}

enum hb_status hb_checkpoint_receive(int fd, const char *name, uint64_t most, struct hb_sections *sections)
{
  enum hb_status status = receive(fd, name, most, sections);
  if (status != HB_OK) hb_sections_clear(sections);
  return status;
}

/* Writes the structured binary snapshots of NEMO, in double; snapshot_nemo_read.c reads them. Notes are items History, as
 * NEMO's own programs leave them: lines of history as they are, others as `# key: value`. */
#include "io/snapshot_nemo.h"

#include "base/mem.h"
#include "base/text.h"
#include "io/endian.h"
#include "io/lines.h"

#include <string.h>

/* Always little-endian, so that the bytes are the same everywhere. */
static enum hb_status put_bytes(struct hb_text *text, const void *bytes, size_t size, size_t count)
{
  if (!HB_ENDIAN_IS_BIG) return hb_text_append_bytes(text, bytes, size * count);
  for (size_t k = 0; k < count; k++) {
    char turned[8];
    hb_endian_copy(turned, (const char *)bytes + k * size, size, 1);
    HB_TRY(hb_text_append_bytes(text, turned, size));
  }
  return HB_OK;
}

/* The head of an item; rank 0: a single value. */
static enum hb_status put_head(struct hb_text *text, char type, const char *tag, int rank,
                               const int32_t *shape)
{
  const uint16_t magic = rank ? HB_NEMO_ARRAY : HB_NEMO_SINGLE;
  const int32_t end = 0;
  const char word[2] = {type, 0};
  HB_TRY(put_bytes(text, &magic, sizeof magic, 1));
  HB_TRY(hb_text_append_bytes(text, word, sizeof word));
  if (tag) HB_TRY(hb_text_append_bytes(text, tag, strlen(tag) + 1));
  if (!rank) return HB_OK;
  HB_TRY(put_bytes(text, shape, sizeof *shape, (size_t)rank));
  return put_bytes(text, &end, sizeof end, 1);
}

static enum hb_status put_int(struct hb_text *text, const char *tag, int32_t value)
{
  HB_TRY(put_head(text, 'i', tag, 0, NULL));
  return put_bytes(text, &value, sizeof value, 1);
}

static enum hb_status put_history(void *text, const char *line, size_t length)
{
  HB_TRY(put_head(text, 'c', "History", 1, (const int32_t[]){(int32_t)length + 1}));
  HB_TRY(hb_text_append_bytes(text, line, length));
  return hb_text_append_bytes(text, "", 1);
}

/* One particle after another: position, velocity. */
static enum hb_status put_phase_space(struct hb_text *text, const struct hb_particles *p)
{
  HB_TRY(put_head(text, 'd', "PhaseSpace", 3, (const int32_t[]){(int32_t)p->n, 2, 3}));
  for (size_t i = 0; i < p->n; i++) {
    HB_TRY(put_bytes(text, p->x + 3 * i, sizeof(double), 3));
    HB_TRY(put_bytes(text, p->v + 3 * i, sizeof(double), 3));
  }
  return HB_OK;
}

static enum hb_status put_keys(struct hb_text *text, const struct hb_particles *p)
{
  HB_TRY(put_head(text, 'i', "Key", 1, (const int32_t[]){(int32_t)p->n}));
  for (size_t i = 0; i < p->n; i++) {
    const int32_t key = (int32_t)p->id[i];
    HB_TRY(put_bytes(text, &key, sizeof key, 1));
  }
  return HB_OK;
}

static enum hb_status put_all(struct hb_text *text, const struct hb_particles *p)
{
  const int32_t n = (int32_t)p->n;
  HB_TRY(hb_lines_put_notes(p, put_history, text));
  HB_TRY(put_head(text, '(', "SnapShot", 0, NULL));
  HB_TRY(put_head(text, '(', "Parameters", 0, NULL));
  HB_TRY(put_int(text, "Nobj", n));
  HB_TRY(put_head(text, 'd', "Time", 0, NULL));
  HB_TRY(put_bytes(text, &p->t, sizeof p->t, 1));
  HB_TRY(put_head(text, ')', NULL, 0, NULL));
  HB_TRY(put_head(text, '(', "Particles", 0, NULL));
  HB_TRY(put_int(text, "CoordSystem", HB_NEMO_CARTESIAN));
  HB_TRY(put_head(text, 'd', "Mass", 1, &n));
  HB_TRY(put_bytes(text, p->m, sizeof *p->m, p->n));
  HB_TRY(put_phase_space(text, p));
  HB_TRY(put_keys(text, p));
  HB_TRY(put_head(text, ')', NULL, 0, NULL));
  return put_head(text, ')', NULL, 0, NULL);
}

static enum hb_status nemo_write(const struct hb_particles *p, char **bytes, size_t *count)
{
  struct hb_text text = {0};
  const char *name = hb_snapshot_nemo.info.name;
  *bytes = NULL;
  *count = 0;
  if (p->n > INT32_MAX)
    return hb_fail(HB_ERR_INPUT, "format %s holds fewer than 2^31 particles, not %zu", name, p->n);
  HB_TRY(hb_snapshot_check_ids(p, name));
  enum hb_status status = put_all(&text, p);
  if (status != HB_OK) {
    hb_mem_free(text.text);
    return status;
  }
  *bytes = text.text;
  *count = text.length;
  return HB_OK;
}

/* A magic number in one of the two byte orders, and a type of items that are found at the top of a file. */
static int nemo_recognize(const char *head, size_t count, uint64_t total)
{
  if (count < 4 || total < 4 || !strchr("(c", head[2]) || head[2] == 0 || head[3] != 0) return 0;
  for (int swap = 0; swap < 2; swap++) {
    uint16_t magic = hb_endian_16(head, swap);
    if (magic == HB_NEMO_SINGLE || magic == HB_NEMO_ARRAY) return 1;
  }
  return 0;
}

const struct hb_snapshot_ops hb_snapshot_nemo = {
    .info = {.name = "nemo",
             .summary = "NEMO's structured binary snapshots, in double",
             .extensions = "nemo snap dat"},
    .recognize = nemo_recognize,
    .parse = hb_snapshot_nemo_parse,
    .write = nemo_write,
};

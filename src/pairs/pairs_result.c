/* Results on their way back: totals of all segments, added in double, and the count of sources that each was summed
 * over, which tells whether the driver has done all draws. */
#include "pairs/pairs.h"

#include "base/bits.h"
#include "base/mem.h"
#include "gl/gl.h"
#include "gl/gl_readback.h"

#include <string.h>

size_t hb_pairs_room(size_t bytes, size_t most)
{
  size_t spare = bytes / 2;
  if (bytes >= most) return bytes;
  return bytes + spare < most ? bytes + spare : most;
}

enum hb_status hb_pairs_stage(struct hb_pairs *p, size_t count)
{
  if (count <= p->staging_room) return HB_OK;
  hb_mem_free(p->staging);
  p->staging_room = 0;
  HB_TRY(HB_ALLOC(count, &p->staging));
  p->staging_room = count;
  return HB_OK;
}

/* Adds the total in words to f; gives the number of sources it was summed over. */
static uint32_t add_total(const struct hb_pairs *p, const uint32_t *const words[], double *f)
{
  int records = p->params.interaction->f_records;
  for (int c = 0; c < 4 * records - 1; c++) {
    uint32_t high = words[c / 4][c % 4];
    if (p->params.precision == HB_PRECISION_SINGLE) {
      f[c] += (double)hb_bits_to_float(high);
      continue;
    }
    uint32_t low = words[records + c / 4][c % 4];
    f[c] += p->params.precision == HB_PRECISION_DOUBLE
                ? hb_bits_to_double(high, low)
                : (double)hb_bits_to_float(high) + (double)hb_bits_to_float(low);
  }
  return words[records - 1][3];
}

enum hb_status hb_pairs_add_segments(const struct hb_pairs *p, size_t segments, size_t segment_length,
                                     hb_pairs_find find, double *f)
{
  size_t width = 4 * (size_t)p->params.interaction->f_records;
  memset(f, 0, width * p->ni * sizeof *f);
  for (size_t segment = 0; segment < segments; segment++) {
    size_t from = segment * segment_length, to = from + segment_length;
    uint32_t expected = (uint32_t)((to < p->nj ? to : p->nj) - from);
    for (size_t i = 0; i < p->ni; i++) {
      const uint32_t *words[2 * HB_RECORDS_MAX];
      find(p, segment, i, words);
      uint32_t walked = add_total(p, words, f + width * i);
      if (walked != p->begun + expected)
        return hb_fail(HB_ERR_DEVICE, "%s gave up a draw: sink %zu has met %u of %u sources",
                       p->params.context->caps.renderer, p->before + i, walked - p->begun, expected);
    }
  }
  return HB_OK;
}

/* ---- totals in a storage buffer: [segment][sink][words] ---- */

enum hb_status hb_pairs_storage_bytes(struct hb_pairs *p, size_t bytes)
{
  if (!p->storage) glGenBuffers(1, &p->storage);
  if (bytes <= p->storage_room) return HB_OK;
  p->storage_room = hb_pairs_room(bytes, HB_PAIRS_TOTALS);
  glBindBuffer(GL_SHADER_STORAGE_BUFFER, p->storage);
  glBufferData(GL_SHADER_STORAGE_BUFFER, (GLsizeiptr)p->storage_room, NULL, GL_STREAM_READ);
  return hb_gl_context_check(p->params.context, "making room for results");
}

enum hb_status hb_pairs_storage_room(struct hb_pairs *p, size_t segments)
{
  return hb_pairs_storage_bytes(p, p->ni * segments * (size_t)p->words * 16);
}

void hb_pairs_storage_totals(const struct hb_pairs *p, size_t segments, struct hb_pairs_totals *totals)
{
  *totals = (struct hb_pairs_totals){
      .buffer = p->storage,
      .segments = (int)segments,
      .groups = (int)p->ni,
      .each = 1,
      .width = INT32_MAX,
      .band = 1,
      .texels = p->words,
      .layer = 1,
      .walked = (uint32_t)segments * p->begun + (uint32_t)p->nj,
  };
}

static void find_in_storage(const struct hb_pairs *p, size_t segment, size_t i, const uint32_t *words[])
{
  size_t total = (segment * p->ni + i) * (size_t)p->words;
  for (int w = 0; w < p->words; w++) words[w] = p->staging + 4 * (total + (size_t)w);
}

enum hb_status hb_pairs_read_storage(struct hb_pairs *p, size_t segments, size_t segment_length, double *f)
{
  size_t count = p->ni * segments * (size_t)p->words * 4;
  HB_TRY(hb_pairs_stage(p, count));
  glBindBuffer(GL_SHADER_STORAGE_BUFFER, p->storage);
  glGetBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, (GLsizeiptr)(count * sizeof *p->staging), p->staging);
  hb_gl_readback_add(count * sizeof *p->staging);
  return hb_pairs_add_segments(p, segments, segment_length, find_in_storage, f);
}

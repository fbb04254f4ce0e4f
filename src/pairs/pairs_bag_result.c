/* The results of a walk of the bag scheme: for the host, for the device, for a tracer. */
#include "pairs/pairs_bag.h"

#include "base/text.h"
#include "pairs/pairs_trace.h"

#include <stdio.h>
#include <string.h>

/* ---- to the host ---- */

/* Adds fragments first .. end, of whose rows the staging area holds each layer: sink k of a group in the layers from
 * k * words on. Small blocks have many totals, and 32 bits are divided faster than 64. */
static enum hb_status add_fragments(const struct hb_pairs *p, uint32_t first, uint32_t end, size_t layer)
{
  const struct hb_bag *b = p->state;
  uint32_t each = (uint32_t)b->each, groups = (uint32_t)b->groups, rows = (uint32_t)b->band;
  uint32_t width = (uint32_t)b->width, segment = first / groups, group = first % groups;
  for (uint32_t fragment = 0; fragment < end - first; fragment++) {
    uint32_t column = fragment / rows, row = column / width * rows + fragment % rows;
    const uint32_t *texel = p->staging + 4 * ((size_t)row * width + column % width);
    for (size_t k = 0, i = (size_t)group * each; k < each && i < p->ni; k++, i++) {
      const uint32_t *words[2 * HB_RECORDS_MAX];
      for (int w = 0; w < p->words; w++, texel += layer) words[w] = texel;
      HB_TRY(hb_pairs_add(p, segment, (size_t)b->segment_length, i, words));
    }
    if (++group == groups) group = 0, segment++;
  }
  return HB_OK;
}

/* In a browser each read takes a millisecond, however little it reads: the device gathers all layers in a buffer first. */
static enum hb_status read_at_once(struct hb_pairs *p)
{
  const struct hb_bag *b = p->state;
  size_t layers = (size_t)(b->each * p->words), layer = 4 * (size_t)b->width * (size_t)b->height;
  size_t bytes = 4 * layers * layer;
  const uint32_t *words;
  HB_TRY(hb_gl_readback_reserve(p->params.context, bytes, &p->readback));
  for (size_t k = 0; k < layers; k++)
    hb_gl_target_copy(&b->layers[b->written].target, (int)k, b->width, b->height, &p->readback.buffer,
                      4 * layer * k);
  HB_TRY(hb_gl_readback_open(p->params.context, &p->readback, bytes, &words));
  memcpy(p->staging, words, bytes);
  hb_gl_readback_close(&p->readback);
  return add_fragments(p, 0, (uint32_t)b->groups * (uint32_t)b->segments, layer);
}

/* Band after band of rows, as many as fit the staging area. */
static enum hb_status read_layers(struct hb_pairs *p)
{
  const struct hb_bag *b = p->state;
  int layers = b->each * p->words, rows = b->band;
  size_t row = 4 * (size_t)b->width * (size_t)layers, piece;
  HB_TRY(hb_pairs_stage(p, row * (size_t)rows, row * (size_t)b->height, &piece));
  if (p->params.context->caps.is_es && piece == row * (size_t)b->height) return read_at_once(p);
  rows *= (int)(piece / row) / rows;
  size_t fragments = (size_t)b->groups * (size_t)b->segments, layer = 4 * (size_t)b->width * (size_t)rows;
  for (int from = 0; from < b->height; from += rows) {
    int height = b->height - from < rows ? b->height - from : rows;
    for (int k = 0; k < layers; k++)
      hb_gl_target_read(&b->layers[b->written].target, k, 0, from, b->width, height, HB_GL_WORDS,
                        p->staging + layer * (size_t)k);
    size_t first = (size_t)b->width * (size_t)from, end = first + (size_t)b->width * (size_t)height;
    HB_TRY(add_fragments(p, (uint32_t)first, (uint32_t)(end < fragments ? end : fragments), layer));
  }
  return HB_OK;
}

enum hb_status hb_bag_read(struct hb_pairs *p)
{
  const struct hb_bag *b = p->state;
  if (b->on_device) return hb_pairs_read_results(p);
  if (!b->in_storage) return read_layers(p);
  return hb_pairs_read_storage(p, (size_t)b->segments, (size_t)b->segment_length);
}

/* ---- to the device ---- */

/* Render targets are copied into a buffer, layer after layer, by the device. */
static enum hb_status copy_layers(struct hb_pairs *p, struct hb_pairs_totals *where)
{
  const struct hb_bag *b = p->state;
  int layers = b->each * p->words, layer = b->width * b->height;
  size_t bytes = HB_BAG_TEXEL * (size_t)layer;
  HB_TRY(hb_pairs_reserve_storage(p, bytes * (size_t)layers));
  for (int k = 0; k < layers; k++)
    hb_gl_target_copy(&b->layers[b->written].target, k, b->width, b->height, &p->storage, bytes * (size_t)k);
  *where = (struct hb_pairs_totals){
      .buffer = p->storage.id,
      .segments = b->segments,
      .groups = b->groups,
      .each = b->each,
      .width = b->width,
      .band = b->band,
      .texels = 1,
      .layer = layer,
      .walked = (uint32_t)b->segments * p->count_start + (uint32_t)p->nj,
  };
  return HB_OK;
}

enum hb_status hb_bag_totals(struct hb_pairs *p, struct hb_pairs_totals *where)
{
  const struct hb_bag *b = p->state;
  if (!b->on_device && !b->in_storage) return copy_layers(p, where);
  hb_pairs_storage_totals(p, b->on_device ? 1 : (size_t)b->segments, where);
  return HB_OK;
}

/* ---- to a tracer ---- */

static struct hb_gl_trace_array traced(const struct hb_pairs *p, const char *name, int which)
{
  const struct hb_bag *b = p->state;
  struct hb_gl_trace_array array = b->in_storage
                                       ? hb_pairs_trace_totals(p, HB_GL_BUFFER, p->storage.id)
                                       : hb_pairs_trace_totals(p, HB_GL_LAYERS, b->layers[which].id);
  array.name = b->in_storage ? "totals" : name;
  array.columns = b->groups;
  array.each = b->each;
  array.rows = b->segments * b->each;
  array.width = b->width;
  array.band = b->band;
  return array;
}

/* Sources from .. to of each segment, of all segments together. */
static size_t sources_of(const struct hb_pairs *p, size_t from, size_t to)
{
  const struct hb_bag *b = p->state;
  size_t count = 0;
  for (size_t first = 0; first < (size_t)(b->segments * b->segment_length);
       first += (size_t)b->segment_length) {
    size_t begin = first + from < p->nj ? first + from : p->nj, end = first + to < p->nj ? first + to : p->nj;
    count += end - begin;
  }
  return count;
}

/* Fragments after the last one have no sources, but they read their sinks. Called before the pair is swapped. */
void hb_bag_describe(void *pairs, struct hb_gl_trace_pass *t)
{
  struct hb_pairs *p = pairs;
  const struct hb_bag *b = p->state;
  size_t sources = sources_of(p, b->from, b->to), fragments = (size_t)b->width * (size_t)b->height;
  uint64_t sinks = fragments * (uint64_t)b->each, texels = (uint64_t)p->texels;
  hb_pairs_trace_pass(p, texels * (sinks + (uint64_t)b->groups * sources), sinks, t);
  t->by = "bag";
  t->fragments = fragments;
  t->pairs = (uint64_t)p->ni * sources;
  t->write_count = 1;
  t->write[0] = traced(p, "result", !b->written);
  t->write[0].traffic = sinks * (uint64_t)p->words;
  if (b->from > 0) {
    t->read[t->read_count] = traced(p, "before", b->written);
    if (b->in_storage) t->read[t->read_count].quantities = NULL; /* overwritten by now */
    t->read[t->read_count++].traffic = sinks * (uint64_t)p->words;
  }
  if (b->segments > 1)
    snprintf(t->what, sizeof t->what, "sources %zu to %zu of %d segment%s", b->from, b->to - 1, b->segments,
             hb_text_s((uint64_t)b->segments));
  else
    snprintf(t->what, sizeof t->what, "sources %zu to %zu", b->from, (b->to < p->nj ? b->to : p->nj) - 1);
}

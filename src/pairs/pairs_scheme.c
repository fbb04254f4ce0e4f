/* What the schemes share. Totals of all segments are added in double, and the count of sources that each was summed over shows
 * whether the driver has done all draws. */
#include "pairs/pairs_scheme.h"

#include "base/arith.h"
#include "base/bits.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/text.h"

#include <stdatomic.h>
#include <string.h>

const char *const hb_j_source_names[] = {"buffer_texture", "texture", "block", "storage", NULL};

/* ---- programs ---- */

static enum hb_status write_defines(const struct hb_pairs *p, const struct hb_pairs_program_source *source,
                                    struct hb_text *text)
{
  if (p->params.context->caps.software) HB_TRY(hb_text_append(text, "#define SOFTWARE\n"));
  if (hb_pairs_has_few_registers(p) && source->i_each == 1)
    HB_TRY(hb_text_append(text, "#define FEW_REGISTERS\n"));
  HB_TRY(hb_text_append(text,
                        "#define PRECISION %d\n#define I_EACH %d\n#define UNROLL %d\n#define PARTIAL %d\n",
                        (int)source->precision, source->i_each, source->unroll, source->partial));
  HB_TRY(hb_text_append(text, "#define RECORDS %d\n#define F_RECORDS %d\n", p->params.interaction->records,
                        p->params.interaction->f_records));
  if (p->root_error != 0) HB_TRY(hb_text_append(text, "#define ROOT_ERROR %.6e\n", p->root_error));
  return hb_text_append(text, "%s", source->defines);
}

/* The loops that the loader unrolls: see "Loops of constant length" in shaders/README.md. */
static void unroll(const struct hb_interaction *interaction, const struct hb_pairs_program_source *source,
                   struct hb_gl_loop loops[HB_GL_LOOPS])
{
  int low_records = hb_precisions[source->precision].low_texels;
  const struct hb_gl_loop all[HB_GL_LOOPS] = {{"I_EACH", source->i_each},
                                              {"UNROLL", source->unroll},
                                              {"ALL_RECORDS", interaction->records + low_records},
                                              {"F_RECORDS", interaction->f_records},
                                              {"WORDS", hb_pairs_words(interaction, source->precision)}};
  memcpy(loops, all, sizeof all);
}

/* What a compiler has against a user's interaction is the fault of that file, even where it shows elsewhere. */
static enum hb_status blame(const struct hb_interaction *interaction, enum hb_status status)
{
  if (!interaction->text || (status != HB_ERR_GL && status != HB_ERR_INPUT)) return status;
  int is_named = strncmp(hb_error(), interaction->file, strlen(interaction->file)) == 0;
  if (is_named) return hb_fail(HB_ERR_INPUT, "%s", hb_error());
  return hb_fail(HB_ERR_INPUT, "%s does not fit where it is used: %s", interaction->file, hb_error());
}

enum hb_status hb_pairs_program_build(struct hb_pairs *p, const struct hb_pairs_program_source *source,
                                      struct hb_gl_pass *pass)
{
  if (pass->program) return HB_OK;
  HB_TEXT_IN_C;
  HB_OWN struct hb_text defines = {0};
  enum hb_status status = write_defines(p, source, &defines);
  struct hb_gl_program_source gl = {.fragment = source->fragment,
                                    .compute = source->compute,
                                    .defines = defines.text,
                                    .version = source->version,
                                    .part = p->params.interaction->file,
                                    .part_text = p->params.interaction->text};
  unroll(p->params.interaction, source, gl.unrolled);
  if (status == HB_OK) status = hb_gl_pass_create(p->params.context, &gl, pass);
  if (status != HB_OK) return blame(p->params.interaction, status);
  pass->describe = source->describe;
  pass->owner = p;
  return HB_OK;
}

void hb_pairs_program_inputs(const struct hb_pairs *p, struct hb_gl_pass *pass)
{
  float high[4], low[4];
  for (int k = 0; k < 4; k++) {
    high[k] = (float)p->params.parameter[k];
    low[k] = hb_split_low(p->params.parameter[k]);
  }
  hb_gl_pass_set(pass, "parameter_high", HB_GL_FLOAT4, 1, high);
  hb_gl_pass_set(pass, "parameter_low", HB_GL_FLOAT4, 1, low);
  hb_gl_pass_texture(pass, "particles", &p->j.texture);
  hb_gl_pass_texture(pass, "points",
                     p->job.points ? &p->i_points.texture : &p->j.texture); /* never unbound */
  hb_gl_pass_int(pass, "has_points", p->job.points != NULL);
  hb_gl_pass_texture(pass, "sinks", &p->i.buffer.texture);
  if (p->i_scale.buffer.id) hb_gl_pass_texture(pass, "scales", &p->i_scale.buffer.texture);
  if (p->j_2d.id) {
    hb_gl_pass_texture(pass, "particle_texture", &p->j_2d);
    hb_gl_pass_int2(pass, "particle_texture_size", (1 << p->shift) - 1, p->shift);
  }
  hb_gl_pass_int(pass, "token", (int)p->token);
}

/* ---- for a tracer ---- */

static struct hb_gl_trace_array particles(const struct hb_pairs *p)
{
  int doubles = p->params.precision == HB_PRECISION_DOUBLE, columns = hb_gl_trace_columns(p->nj);
  return (struct hb_gl_trace_array){
      .name = "particles",
      .quantities = p->params.interaction->particle,
      .object = p->j.id,
      .kind = HB_GL_BUFFER,
      .form = doubles ? HB_GL_TRACE_DOUBLES : HB_GL_TRACE_FLOATS,
      .channels = 4,
      .columns = columns,
      .rows = (int)hb_div_ceil(p->nj, (size_t)columns),
      .each = 1,
      .wraps = 1,
      .n = p->nj,
      .first_source = -1,
      .texels = p->texels,
      .step = doubles ? 2 : 1,
      .low = doubles,
  };
}

static struct hb_gl_trace_array sinks(const struct hb_pairs *p)
{
  return (struct hb_gl_trace_array){
      .name = "sinks",
      .object = p->i.buffer.id,
      .kind = HB_GL_BUFFER,
      .form = HB_GL_TRACE_WORDS,
      .channels = 1,
      .columns = (int)p->ni,
      .rows = 1,
      .each = 1,
      .n = p->ni,
      .numbers = p->job.index + p->before,
      .first_source = -1,
      .texels = 1,
      .step = 1,
  };
}

void hb_pairs_trace_pass(struct hb_pairs *p, uint64_t particle_texels, uint64_t sink_texels,
                         struct hb_gl_trace_pass *trace)
{
  trace->scheme = p->scheme->name;
  trace->number = ++p->passes;
  trace->read_count = 2;
  trace->read[0] = particles(p);
  trace->read[1] = sinks(p);
  trace->read[0].traffic = particle_texels;
  trace->read[1].traffic = sink_texels;
}

struct hb_gl_trace_array hb_pairs_trace_totals(const struct hb_pairs *p, enum hb_gl_shape kind,
                                               unsigned object)
{
  int doubles = p->params.precision == HB_PRECISION_DOUBLE;
  return (struct hb_gl_trace_array){
      .quantities = p->params.interaction->force,
      .object = object,
      .kind = kind,
      .form = doubles ? HB_GL_TRACE_DOUBLES : HB_GL_TRACE_WORDS,
      .channels = 4,
      .n = p->ni,
      .numbers = p->job.index + p->before,
      .first_source = -1,
      .band = 1,
      .texels = p->words,
      .step = 1,
      .low = doubles ? p->params.interaction->f_records : 0,
  };
}

/* ---- totals ---- */

enum { PIECE = 1024, ALONE = 4 * PIECE /* sinks that are read before a second thread has woken up */ };

size_t hb_pairs_capacity(size_t bytes, size_t most)
{
  size_t spare = bytes / 2;
  if (bytes >= most) return bytes;
  return bytes + spare < most ? bytes + spare : most;
}

enum hb_status hb_pairs_stage(struct hb_pairs *p, size_t least, size_t count, size_t *piece)
{
  size_t most =
      (p->params.context->caps.software ? HB_PAIRS_PIECE_SOFTWARE : HB_PAIRS_PIECE) / sizeof *p->staging;
  size_t room = count < most ? count : most < least ? least : most;
  if (room > p->staging_capacity) {
    hb_mem_free(p->staging);
    p->staging_capacity = 0;
    size_t all = room < most ? most : room; /* once for all: unused pages cost nothing */
    HB_TRY(HB_ALLOC(all, &p->staging));
    p->staging_capacity = all;
  }
  *piece = room;
  return HB_OK;
}

/* The numbers of a total; a constant precision makes three loops of one. */
static inline __attribute__((always_inline)) void add_as(enum hb_precision precision,
                                                         const struct hb_pairs *p, size_t segment, size_t i,
                                                         const uint32_t *const words[])
{
  int records = p->params.interaction->f_records;
  const struct hb_result *result = p->results;
  for (int r = 0; r < records; r++) {
    double value[4];
    for (int c = 0; c < 4; c++) { /* all four, by vector instructions */
      uint32_t high = words[r][c], low = precision == HB_PRECISION_SINGLE ? 0 : words[records + r][c];
      value[c] = precision == HB_PRECISION_DOUBLE
                     ? hb_bits_to_double(high, low)
                     : (double)hb_bits_to_float(high) + (double)hb_bits_to_float(low);
    }
    for (int c = 0; c < (r == records - 1 ? 3 : 4); c++, result++) {
      if (!result->data) continue;
      double *sum = result->data + result->stride * i;
      *sum = (segment ? *sum : 0) + value[c];
    }
  }
}

/* Of whole numbers, and the largest blocks. */
static void add_fixed(const struct hb_pairs *p, size_t segment, size_t i, const uint32_t *const words[])
{
  int records = p->params.interaction->f_records;
  struct hb_fixed_total *total = p->job.totals + i, more = {.most = words[2 * records - 1][3]};
  for (int r = 0, k = 0; r < records; r++)
    for (int c = 0; c < (r == records - 1 ? 3 : 4); c++, k++)
      more.sum[k] = (int64_t)((uint64_t)words[r][c] << 32 | words[records + r][c]);
  if (segment)
    hb_fixed_add(total, &more);
  else
    *total = more;
}

enum hb_status hb_pairs_add(const struct hb_pairs *p, size_t segment, size_t segment_length, size_t i,
                            const uint32_t *const words[])
{
  size_t from = segment * segment_length, to = from + segment_length, sink = p->before + i;
  uint32_t expected = (uint32_t)((to < p->nj ? to : p->nj) - from);
  uint32_t walked = words[p->params.interaction->f_records - 1][3] - p->count_start;
  if (walked != expected)
    return hb_gl_context_dropped(p->params.context, "sink %zu summed only %u of %u sources", sink,
                                 walked < expected ? walked : 0, expected);
  const struct hb_precision_facts *precision = &hb_precisions[p->params.precision];
  if (precision->is_fixed)
    add_fixed(p, segment, sink, words);
  else if (precision->total_words == 1)
    add_as(HB_PRECISION_SINGLE, p, segment, sink, words);
  else if (precision->is_double)
    add_as(HB_PRECISION_DOUBLE, p, segment, sink, words);
  else
    add_as(HB_PRECISION_DS, p, segment, sink, words);
  return HB_OK;
}

/* ---- sums in the readback buffer ---- */

size_t hb_pairs_results_portion(struct hb_pairs *p) { return HB_PAIRS_PIECE / (16 * (size_t)p->words); }

enum hb_status hb_pairs_results(struct hb_pairs *p, struct hb_gl_pass *pass)
{
  size_t bytes = p->ni * (size_t)p->words * 16;
  if (p->job.take) {
    HB_TRY(hb_pairs_reserve_storage(p, bytes));
  } else if (bytes > p->readback.buffer.bytes) {
    size_t most = hb_pairs_results_portion(p), all = p->nj < most ? p->nj : most;
    HB_TRY(hb_gl_readback_reserve(p->params.context, hb_pairs_capacity(bytes, all * (size_t)p->words * 16),
                                  &p->readback));
  }
  if (!p->job.take) hb_gl_readback_expect(p->params.context, bytes, &p->readback);
  hb_gl_pass_storage(pass, 3, p->job.take ? &p->storage : &p->readback.buffer);
  return HB_OK;
}

struct reading {
  const struct hb_pairs *pairs;
  const uint32_t *word;
  atomic_int is_incomplete;
};

static enum hb_status add_sinks(const struct reading *r, size_t from, size_t to)
{
  const uint32_t *words[2 * HB_RECORDS_MAX], *word = r->word + 4 * (size_t)r->pairs->words * from;
  for (size_t i = from; i < to; i++) {
    for (int w = 0; w < r->pairs->words; w++, word += 4) words[w] = word;
    HB_TRY(hb_pairs_add(r->pairs, 0, r->pairs->nj, i, words));
  }
  return HB_OK;
}

static void add_piece(void *context, size_t from, size_t to)
{
  struct reading *r = context;
  if (add_sinks(r, from, to) != HB_OK) r->is_incomplete = 1;
}

enum hb_status hb_pairs_read_results(struct hb_pairs *p)
{
  struct reading r = {.pairs = p};
  HB_TRY(hb_gl_readback_open(p->params.context, &p->readback, p->ni * (size_t)p->words * 16, &r.word));
  hb_parallel_pieces(p->ni, PIECE, ALONE, add_piece, &r);
  enum hb_status status = r.is_incomplete ? add_sinks(&r, 0, p->ni) : HB_OK; /* again, for the sentence */
  hb_gl_readback_close(&p->readback);
  return status;
}

/* ---- totals in a storage buffer: [segment][sink][words] ---- */

enum hb_status hb_pairs_reserve_storage(struct hb_pairs *p, size_t bytes)
{
  if (bytes <= p->storage.bytes) return HB_OK;
  hb_gl_buffer_fill(&p->storage, HB_GL_BY_DEVICE, hb_pairs_capacity(bytes, HB_PAIRS_TOTALS), NULL);
  return hb_gl_context_check(p->params.context, "reserving memory for totals");
}

enum hb_status hb_pairs_reserve_totals(struct hb_pairs *p, size_t segments)
{
  return hb_pairs_reserve_storage(p, p->ni * segments * (size_t)p->words * 16);
}

void hb_pairs_storage_totals(const struct hb_pairs *p, size_t segments, struct hb_pairs_totals *totals)
{
  *totals = (struct hb_pairs_totals){
      .buffer = p->storage.id,
      .segments = (int)segments,
      .groups = (int)p->ni,
      .each = 1,
      .width = INT32_MAX,
      .band = 1,
      .texels = p->words,
      .layer = 1,
      .walked = (uint32_t)segments * p->count_start + (uint32_t)p->nj,
  };
}

enum hb_status hb_pairs_read_storage(struct hb_pairs *p)
{
  size_t total = 4 * (size_t)p->words, count = p->shape.segments * p->ni, piece;
  HB_TRY(hb_pairs_stage(p, total, count * total, &piece));
  piece /= total;
  for (size_t first = 0; first < count; first += piece) {
    size_t end = first + piece < count ? first + piece : count;
    size_t size = total * sizeof *p->staging;
    hb_gl_buffer_read(&p->storage, first * size, (end - first) * size, p->staging);
    for (size_t k = first; k < end; k++) {
      const uint32_t *words[2 * HB_RECORDS_MAX];
      for (int w = 0; w < p->words; w++) words[w] = p->staging + (k - first) * total + 4 * w;
      HB_TRY(hb_pairs_add(p, k / p->ni, p->shape.segment_length, k % p->ni, words));
    }
  }
  return HB_OK;
}

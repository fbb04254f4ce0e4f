#include "pairs/pairs_trace.h"

#include "base/arith.h"

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
      .object = p->i.id,
      .kind = HB_GL_BUFFER,
      .form = HB_GL_TRACE_WORDS,
      .channels = 1,
      .columns = (int)p->ni,
      .rows = 1,
      .each = 1,
      .n = p->ni,
      .numbers = p->index,
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
      .numbers = p->index,
      .first_source = -1,
      .band = 1,
      .texels = p->words,
      .step = 1,
      .low = doubles ? p->params.interaction->f_records : 0,
  };
}

#include "gl/gl_tally.h"

#include "gl/gl.h"

#include <inttypes.h>

static const uint64_t MOST_FRAGMENTS = (uint64_t)1 << 31; /* of one query: its counter may have 32 bits */

static unsigned query(const struct hb_gl_tally *t, uint64_t number)
{
  return t->query[number % HB_GL_TALLY_QUERIES];
}

static void read_one(struct hb_gl_tally *t)
{
  GLuint count = 0;
  glGetQueryObjectuiv(query(t, t->read++), GL_QUERY_RESULT, &count);
  t->drawn += count;
}

void hb_gl_tally_destroy(struct hb_gl_tally *t)
{
  if (t->query[0]) glDeleteQueries(HB_GL_TALLY_QUERIES, t->query);
  *t = (struct hb_gl_tally){0};
}

void hb_gl_tally_reset(struct hb_gl_tally *t)
{
  hb_gl_tally_pause(t);
  t->read = t->started;
  t->expected = t->drawn = 0;
}

void hb_gl_tally_expect(struct hb_gl_tally *t, uint64_t fragments)
{
  if (!hb_gl_context_caps()->has_counts) return;
  if (t->counting && t->counting + fragments > MOST_FRAGMENTS) hb_gl_tally_pause(t);
  if (!t->counting) {
    if (!t->query[0]) glGenQueries(HB_GL_TALLY_QUERIES, t->query);
    if (t->started - t->read == HB_GL_TALLY_QUERIES) read_one(t);
    glBeginQuery(GL_SAMPLES_PASSED, query(t, t->started));
  }
  t->counting += fragments;
}

void hb_gl_tally_pause(struct hb_gl_tally *t)
{
  if (!t->counting) return;
  glEndQuery(GL_SAMPLES_PASSED);
  t->started++;
  t->expected += t->counting;
  t->counting = 0;
}

enum hb_status hb_gl_tally_check(struct hb_gl_tally *t, const struct hb_gl_context *context)
{
  hb_gl_tally_pause(t);
  while (t->read < t->started) read_one(t);
  if (t->drawn == t->expected) return HB_OK;
  return hb_fail(HB_ERR_DEVICE, "%s dropped a draw: only %" PRIu64 " of %" PRIu64 " fragments were drawn",
                 context->caps.renderer, t->drawn, t->expected);
}

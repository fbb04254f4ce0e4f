#include "gl/gl_tally.h"

#include "gl/gl.h"

#include <inttypes.h>

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

void hb_gl_tally_anew(struct hb_gl_tally *t)
{
  t->read = t->begun;
  t->expected = t->drawn = 0;
}

void hb_gl_tally_begin(struct hb_gl_tally *t)
{
  if (!t->query[0]) glGenQueries(HB_GL_TALLY_QUERIES, t->query);
  if (t->begun - t->read == HB_GL_TALLY_QUERIES) read_one(t);
  glBeginQuery(GL_SAMPLES_PASSED, query(t, t->begun));
}

void hb_gl_tally_end(struct hb_gl_tally *t, uint64_t fragments)
{
  glEndQuery(GL_SAMPLES_PASSED);
  t->begun++;
  t->expected += fragments;
}

enum hb_status hb_gl_tally_check(struct hb_gl_tally *t, const struct hb_gl_context *context)
{
  while (t->read < t->begun) read_one(t);
  if (t->drawn == t->expected) return HB_OK;
  return hb_fail(HB_ERR_DEVICE, "%s gave up a draw: %" PRIu64 " of %" PRIu64 " fragments were drawn",
                 context->caps.renderer, t->drawn, t->expected);
}

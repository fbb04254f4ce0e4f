#include "gl/gl_trace.h"

const struct hb_gl_trace *hb_gl_trace;

int hb_gl_trace_columns(size_t n)
{
  size_t side = 1;
  while (side * side < n) side *= 2;
  return (int)side;
}

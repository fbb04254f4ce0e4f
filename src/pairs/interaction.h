/* What two particles do to each other: a GLSL file and the numbers the engine needs to know of it. */
#ifndef HB_INTERACTION_H
#define HB_INTERACTION_H

#include "gl/gl_trace.h"

enum { HB_RECORDS_MAX = 4 };

struct hb_interaction {
  const char *name, *summary, *source;
  const char *file; /* under shaders/ */
  int records;      /* vec4s a particle brings: the file's RECORDS   */
  int f_records;    /* vec4s it feels: the file's F_RECORDS; the last component is the engine's */
  const struct hb_gl_trace_quantity *particle, *force; /* what the numbers of both mean */
  int flops; /* operations of one pair, sqrt and division counted as one each */
};

extern const struct hb_interaction hb_interactions[];
extern const size_t hb_interaction_count;

/* NULL if there is none of that name. */
const struct hb_interaction *hb_interaction_find(const char *name);

#endif

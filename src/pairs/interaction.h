/* What two particles do to each other: a GLSL file, and what the engine needs to know of it. */
#ifndef HB_INTERACTION_H
#define HB_INTERACTION_H

#include "gl/gl_trace.h"

enum { HB_RECORDS_MAX = 4 };

struct hb_interaction {
  const char *name, *summary, *source;
  const char *file; /* under shaders/ */
  int records;      /* vec4s a particle brings: the file's RECORDS   */
  int f_records;    /* vec4s it feels: the file's F_RECORDS; the last component belongs to the engine */
  const struct hb_gl_trace_quantity *particle, *force; /* what the numbers of both mean */
  int flops;           /* operations of one pair, sqrt and division counted as one each */
  int takes_eps;       /* the first number is eps^2 in place of the one below */
  double parameter[4]; /* its numbers, `parameter` in its file */
};

extern const struct hb_interaction hb_interactions[];
extern const size_t hb_interaction_count;

/* Gravity with jerk and potential, for integrators. */
#define HB_INTERACTION_GRAVITY (&hb_interactions[0])

/* NULL if there is none with that name. */
const struct hb_interaction *hb_interaction_find(const char *name);

/* Its numbers for a softening. */
void hb_interaction_parameter(const struct hb_interaction *interaction, double eps, double parameter[4]);

/* Whether particles and what they feel are laid out like those of gravity with jerk and potential. */
int hb_interaction_is_integrable(const struct hb_interaction *interaction);

#endif

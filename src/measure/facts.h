/* What is known of a context: its names, limits and arithmetic, as `info` and `card` show them. */
#ifndef HB_FACTS_H
#define HB_FACTS_H

#include "base/table.h"
#include "gl/gl_context.h"
#include "pairs/selftest.h"

/* A way to get OpenGL, tried on this machine. */
struct hb_context_info {
  const char *name; /* egl, osmesa, glfw, gles */
  int usable;       /* 1: opened; 0: reason says why not */
  char reason[256];
  struct hb_gl_caps caps;
  struct hb_selftest_info selftest;
};

enum { HB_CONTEXTS_MOST = 4 };

/* Opens and closes each kind of context once: tenths of a second. */
enum hb_status hb_info_contexts(struct hb_context_info contexts[HB_CONTEXTS_MOST], size_t *count);

/* All but the reason. The self-test runs, with its doubles; cases are 0 where it fails. */
void hb_facts_of(struct hb_gl_context *context, struct hb_context_info *info);

/* Its names and version. */
enum { HB_FACTS_CONTEXT = 10 };
extern const struct hb_table_column hb_facts_context[HB_FACTS_CONTEXT];

/* Adds to the open object the objects limits and selftest, empty for NULL. */
void hb_facts_limits(const struct hb_context_info *context, struct hb_json *json);
void hb_facts_selftest(const struct hb_context_info *context, struct hb_json *json);

extern const char *const hb_facts_fusion_names[]; /* of enum hb_fusion */

#endif

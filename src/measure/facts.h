/* What is known of a context: its names, limits and arithmetic, as `info` and `card` show them. */
#ifndef HB_FACTS_H
#define HB_FACTS_H

#include "base/json.h"
#include "gl/gl_context.h"

#include <holmberg/measure.h>

/* All but the reason. The self-test runs, with its doubles; cases are 0 where it fails. */
void hb_facts_of(struct hb_gl_context *context, struct hb_context_info *info);

/* Adds to the open object: the context's names and version, or an array of those of several; and the objects limits and selftest, empty
 * for NULL. */
void hb_facts_context(const struct hb_context_info *context, struct hb_json *json);
void hb_facts_contexts(size_t count, const struct hb_context_info *contexts, struct hb_json *json);
void hb_facts_limits(const struct hb_context_info *context, struct hb_json *json);
void hb_facts_selftest(const struct hb_context_info *context, struct hb_json *json);

extern const char *const hb_facts_fusion_names[]; /* of enum hb_fusion */

#endif

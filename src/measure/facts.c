#include "measure/facts.h"

#include <stdio.h>

void hb_facts_of(struct hb_gl_context *context, struct hb_context_info *info)
{
  info->name = context->backend->name;
  info->usable = 1;
  info->caps = context->caps;
  if (hb_selftest_doubles(context, &info->selftest) != HB_OK) info->selftest.cases = 0;
}

enum hb_status hb_info_contexts(struct hb_context_info contexts[HB_CONTEXTS_MOST], size_t *count)
{
  for (*count = 0; *count < HB_CONTEXTS_MOST && hb_gl_backends[*count]; ++*count) {
    struct hb_context_info *info = &contexts[*count];
    *info = (struct hb_context_info){.name = hb_gl_backends[*count]->name};
    struct hb_gl_context *context;
    const struct hb_gl_context_params params = {.context = info->name, .device = "auto"};
    if (hb_gl_context_open(&params, &context) != HB_OK) {
      snprintf(info->reason, sizeof info->reason, "%s", hb_error());
      continue;
    }
    hb_facts_of(context, info);
    hb_gl_context_close(context);
  }
  return HB_OK;
}

const char *const hb_facts_fusion_names[] = {"separate", "fused", "other", "absent"};

#define AT(place) .offset = offsetof(struct hb_context_info, place)

const struct hb_table_column hb_facts_context[HB_FACTS_CONTEXT] = {
    {"name", HB_TABLE_TEXT, AT(name)},
    {"usable", HB_TABLE_TRUTH, AT(usable)},
    {"reason", HB_TABLE_CHARS, AT(reason)},
    {"vendor", HB_TABLE_CHARS, AT(caps.vendor)},
    {"renderer", HB_TABLE_CHARS, AT(caps.renderer)},
    {"version", HB_TABLE_CHARS, AT(caps.version)},
    {"major", HB_TABLE_INT, AT(caps.major)},
    {"minor", HB_TABLE_INT, AT(caps.minor)},
    {"software", HB_TABLE_TRUTH, AT(caps.software)},
    {"es", HB_TABLE_TRUTH, AT(caps.is_es)},
};
static const struct hb_table_column limit_columns[] = {
    {"context", HB_TABLE_TEXT, AT(name)},
    {"max_texture_size", HB_TABLE_INT, AT(caps.max_texture_size)},
    {"max_color_attachments", HB_TABLE_INT, AT(caps.max_color_attachments)},
    {"max_draw_buffers", HB_TABLE_INT, AT(caps.max_draw_buffers)},
    {"max_texture_buffer_size", HB_TABLE_INT, AT(caps.max_texture_buffer_size)},
};

/* Around the two names of fusion_names. */
static const struct hb_table_column exactness_columns[] = {
    {"context", HB_TABLE_TEXT, AT(name)},
    {"cases", HB_TABLE_INT, AT(selftest.cases)},
    {"two_sum_wrong", HB_TABLE_INT, AT(selftest.two_sum_wrong)},
    {"two_sum_precise_wrong", HB_TABLE_INT, AT(selftest.two_sum_precise_wrong)},
    {"carry_precise_wrong", HB_TABLE_INT, AT(selftest.carry_precise_wrong)},
    {"two_product_wrong", HB_TABLE_INT, AT(selftest.two_product_wrong)},
};
static const struct hb_table_column error_columns[] = {
    {"dot_differs", HB_TABLE_INT, AT(selftest.dot_differs)},
    {"sqrt_ulp", HB_TABLE_REAL, AT(selftest.sqrt_ulp)},
    {"rsqrt_ulp", HB_TABLE_REAL, AT(selftest.rsqrt_ulp)},
    {"one_over_sqrt_ulp", HB_TABLE_REAL, AT(selftest.one_over_sqrt_ulp)},
    {"inverse_ulp", HB_TABLE_REAL, AT(selftest.inverse_ulp)},
    {"rsqrt_mean", HB_TABLE_REAL, AT(selftest.rsqrt_mean)},
    {"denormals_lost", HB_TABLE_INT, AT(selftest.denormals_lost)},
    {"denormal_products_lost", HB_TABLE_INT, AT(selftest.denormal_products_lost)},
    {"special_wrong", HB_TABLE_INT, AT(selftest.special_wrong)},
    {"wrap_wrong", HB_TABLE_INT, AT(selftest.wrap_wrong)},
    {"has_double", HB_TABLE_TRUTH, AT(selftest.has_double)},
    {"double_wrong", HB_TABLE_INT, AT(selftest.double_wrong)},
    {"double_ulp", HB_TABLE_REAL, AT(selftest.double_ulp)},
    {"roots_ulp", HB_TABLE_REAL, AT(selftest.roots_ulp)},
    {"double_emulated", HB_TABLE_TRUTH, AT(selftest.double_emulated)},
};
#undef AT

void hb_facts_limits(const struct hb_context_info *context, struct hb_json *json)
{
  hb_table_object(json, "limits", limit_columns, context ? sizeof limit_columns / sizeof *limit_columns : 0,
                  context);
}

void hb_facts_selftest(const struct hb_context_info *context, struct hb_json *json)
{
  hb_json_open_object(json, "selftest");
  if (context) {
    hb_table_members(HB_TABLE_COLUMNS(exactness_columns), context, json);
    hb_json_text(json, "multiply_add", hb_facts_fusion_names[context->selftest.multiply_add]);
    hb_json_text(json, "fma", hb_facts_fusion_names[context->selftest.fma]);
    hb_table_members(HB_TABLE_COLUMNS(error_columns), context, json);
  }
  hb_json_close_object(json);
}

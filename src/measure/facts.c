#include "measure/facts.h"

#include "base/table.h"
#include "pairs/selftest.h"

#include <string.h>

void hb_facts_of(struct hb_gl_context *context, struct hb_context_info *info)
{
  const struct hb_gl_caps *caps = &context->caps;
  info->name = context->backend->name;
  info->usable = 1;
  memcpy(info->vendor, caps->vendor, sizeof info->vendor);
  memcpy(info->renderer, caps->renderer, sizeof info->renderer);
  memcpy(info->version, caps->version, sizeof info->version);
  info->major = caps->major;
  info->minor = caps->minor;
  info->software = caps->software;
  info->is_es = caps->is_es;
  info->max_texture_size = caps->max_texture_size;
  info->max_color_attachments = caps->max_color_attachments;
  info->max_draw_buffers = caps->max_draw_buffers;
  info->max_texture_buffer_size = caps->max_texture_buffer_size;
  if (hb_selftest_doubles(context, &info->selftest) != HB_OK) info->selftest.cases = 0;
}

const char *const hb_facts_fusion_names[] = {"separate", "fused", "other", "absent"};

#define AT(place) .offset = offsetof(struct hb_context_info, place)

static const struct hb_table_column context_columns[] = {
    {"name", HB_TABLE_TEXT, AT(name)},          {"usable", HB_TABLE_TRUTH, AT(usable)},
    {"reason", HB_TABLE_CHARS, AT(reason)},     {"vendor", HB_TABLE_CHARS, AT(vendor)},
    {"renderer", HB_TABLE_CHARS, AT(renderer)}, {"version", HB_TABLE_CHARS, AT(version)},
    {"major", HB_TABLE_INT, AT(major)},         {"minor", HB_TABLE_INT, AT(minor)},
    {"software", HB_TABLE_TRUTH, AT(software)}, {"es", HB_TABLE_TRUTH, AT(is_es)},
};
static const struct hb_table_column limit_columns[] = {
    {"context", HB_TABLE_TEXT, AT(name)},
    {"max_texture_size", HB_TABLE_INT, AT(max_texture_size)},
    {"max_color_attachments", HB_TABLE_INT, AT(max_color_attachments)},
    {"max_draw_buffers", HB_TABLE_INT, AT(max_draw_buffers)},
    {"max_texture_buffer_size", HB_TABLE_INT, AT(max_texture_buffer_size)},
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

void hb_facts_context(const struct hb_context_info *context, struct hb_json *json)
{
  hb_table_members(HB_TABLE_COLUMNS(context_columns), context, json);
}

void hb_facts_contexts(size_t count, const struct hb_context_info *contexts, struct hb_json *json)
{
  hb_table_array(json, "contexts", HB_TABLE_COLUMNS(context_columns), count, sizeof *contexts, contexts);
}

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

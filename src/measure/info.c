/* The contexts and devices of this machine: hb_info_* of the public header. */
#include "base/status.h"
#include "gl/gl_context.h"
#include "gl/gl_egl.h"
#include "measure/facts.h"

#include <stdio.h>

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

enum hb_status hb_info_devices(size_t max, struct hb_device_info *devices, size_t *count)
{
  hb_gl_egl_devices(max, devices, count);
  for (size_t k = 0; k < *count; k++) {
    char index[16];
    snprintf(index, sizeof index, "%d", devices[k].index);
    struct hb_gl_context *context;
    const struct hb_gl_context_params params = {.context = "egl", .device = index};
    if (hb_gl_context_open(&params, &context) != HB_OK) continue; /* listed, but cannot be opened */
    snprintf(devices[k].renderer, sizeof devices[k].renderer, "%s", context->caps.renderer);
    hb_gl_context_close(context);
  }
  return HB_OK;
}

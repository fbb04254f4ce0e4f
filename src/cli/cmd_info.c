/* holmberg info: what this program and this machine can do. */
#include "cli/cmd.h"
#include "measure/info_memory.h"
#include "base/json.h"

#include <holmberg/measure.h>

#include <string.h>

struct settings {
  uint64_t n;
  int json;
};

static const struct hb_opts_option options[] = {
    {"n", 'n', HB_OPTS_COUNT, HB_OPTS_FIELD(struct settings, n), "N",
     .help = "also the memory that a run of N particles needs, by scheme and precision"},
    {0}};

enum { DEVICES_MOST = 32 };

struct machine {
  struct hb_context_info contexts[HB_CONTEXT_COUNT];
  struct hb_device_info devices[DEVICES_MOST];
  size_t device_count;
};

/* The context whose limits matter: a GPU before software, in the library's order. NULL: none opens. */
static const struct hb_context_info *preferred(const struct machine *machine)
{
  const struct hb_context_info *found = NULL;
  for (size_t k = 0; k < HB_CONTEXT_COUNT; k++) {
    const struct hb_context_info *context = &machine->contexts[k];
    if (context->usable && (!found || (found->software && !context->software))) found = context;
  }
  return found;
}

/* ---- JSON -------------------------------------------------------------------------------------------- */

static void json_contexts(struct hb_json *json, const struct machine *machine)
{
  hb_json_open_array(json, "contexts");
  for (size_t k = 0; k < HB_CONTEXT_COUNT; k++) {
    const struct hb_context_info *context = &machine->contexts[k];
    hb_json_open_object(json, NULL);
    hb_json_text(json, "name", context->name);
    hb_json_truth(json, "usable", context->usable);
    hb_json_text(json, "reason", context->reason);
    hb_json_text(json, "vendor", context->vendor);
    hb_json_text(json, "renderer", context->renderer);
    hb_json_text(json, "version", context->version);
    hb_json_number(json, "major", context->major);
    hb_json_number(json, "minor", context->minor);
    hb_json_truth(json, "software", context->software);
    hb_json_close_object(json);
  }
  hb_json_close_array(json);
}

static void json_devices(struct hb_json *json, const struct machine *machine)
{
  hb_json_open_array(json, "devices");
  for (size_t k = 0; k < machine->device_count; k++) {
    const struct hb_device_info *device = &machine->devices[k];
    hb_json_open_object(json, NULL);
    hb_json_number(json, "index", device->index);
    hb_json_text(json, "path", device->path);
    hb_json_text(json, "renderer", device->renderer);
    hb_json_truth(json, "software", device->software);
    hb_json_close_object(json);
  }
  hb_json_close_array(json);
}

static void json_limits(struct hb_json *json, const struct machine *machine)
{
  const struct hb_context_info *context = preferred(machine);
  hb_json_open_object(json, "limits");
  if (context) {
    hb_json_text(json, "context", context->name);
    hb_json_number(json, "max_texture_size", context->max_texture_size);
    hb_json_number(json, "max_color_attachments", context->max_color_attachments);
    hb_json_number(json, "max_draw_buffers", context->max_draw_buffers);
    hb_json_number(json, "max_texture_buffer_size", context->max_texture_buffer_size);
  }
  hb_json_close_object(json);
}

static const char *const fusion_names[] = {"separate", "fused", "other", "absent"};

static void json_selftest(struct hb_json *json, const struct machine *machine)
{
  const struct hb_context_info *context = preferred(machine);
  hb_json_open_object(json, "selftest");
  if (context) {
    const struct hb_selftest_info *t = &context->selftest;
    hb_json_text(json, "context", context->name);
    hb_json_number(json, "cases", t->cases);
    hb_json_number(json, "two_sum_wrong", t->two_sum_wrong);
    hb_json_number(json, "two_sum_precise_wrong", t->two_sum_precise_wrong);
    hb_json_number(json, "carry_precise_wrong", t->carry_precise_wrong);
    hb_json_number(json, "two_product_wrong", t->two_product_wrong);
    hb_json_text(json, "multiply_add", fusion_names[t->multiply_add]);
    hb_json_text(json, "fma", fusion_names[t->fma]);
    hb_json_number(json, "dot_differs", t->dot_differs);
    hb_json_number(json, "sqrt_ulp", t->sqrt_ulp);
    hb_json_number(json, "rsqrt_ulp", t->rsqrt_ulp);
    hb_json_number(json, "one_over_sqrt_ulp", t->one_over_sqrt_ulp);
    hb_json_number(json, "inverse_ulp", t->inverse_ulp);
    hb_json_number(json, "rsqrt_mean", t->rsqrt_mean);
    hb_json_number(json, "denormals_lost", t->denormals_lost);
    hb_json_number(json, "denormal_products_lost", t->denormal_products_lost);
    hb_json_number(json, "special_wrong", t->special_wrong);
    hb_json_number(json, "wrap_wrong", t->wrap_wrong);
    hb_json_truth(json, "has_double", t->has_double);
    hb_json_number(json, "double_wrong", t->double_wrong);
    hb_json_number(json, "double_ulp", t->double_ulp);
  }
  hb_json_close_object(json);
}

static void json_schemes(struct hb_json *json)
{
  size_t count;
  const struct hb_force_scheme *schemes = hb_force_schemes(&count);
  hb_json_open_array(json, "schemes");
  for (size_t k = 0; k < count; k++) {
    hb_json_open_object(json, NULL);
    hb_json_text(json, "name", schemes[k].name);
    hb_json_text(json, "summary", schemes[k].summary);
    hb_json_text(json, "source", schemes[k].source);
    hb_json_text(json, "precisions", schemes[k].precisions);
    hb_json_truth(json, "needs_gl", schemes[k].needs_gl);
    hb_json_number(json, "flops_per_pair", schemes[k].flops_per_pair);
    hb_json_close_object(json);
  }
  hb_json_close_array(json);
}

/* n 0: nobody asked for the memory of so many particles. */
static enum hb_status print_json(const struct machine *machine, uint64_t n)
{
  struct hb_json json = {stdout, 0};
  hb_json_open_object(&json, NULL);
  hb_json_text(&json, "version", hb_version());
  json_contexts(&json, machine);
  json_devices(&json, machine);
  json_limits(&json, machine);
  json_selftest(&json, machine);
  json_schemes(&json);
  if (n) HB_TRY(hb_info_memory_json(n, &json));
  hb_json_close_object(&json);
  putchar('\n');
  return HB_OK;
}

/* ---- text -------------------------------------------------------------------------------------------- */

static void print_contexts(const struct machine *machine)
{
  puts("\ncontexts:");
  for (size_t k = 0; k < HB_CONTEXT_COUNT; k++) {
    const struct hb_context_info *context = &machine->contexts[k];
    if (!context->usable)
      printf("  %-8s not usable: %s\n", context->name, context->reason);
    else
      printf("  %-8s OpenGL %d.%d, %s%s\n", context->name, context->major, context->minor, context->renderer,
             context->software ? " (software)" : "");
  }
}

static void print_devices(const struct machine *machine)
{
  puts("\ndevices (for --device):");
  if (machine->device_count == 0) puts("  none");
  for (size_t k = 0; k < machine->device_count; k++) {
    const struct hb_device_info *device = &machine->devices[k];
    printf("  %-8d %s%s%s%s\n", device->index, device->path, *device->path ? "  " : "", device->renderer,
           device->software ? " (software)" : "");
  }
}

static void print_limits(const struct machine *machine)
{
  const struct hb_context_info *context = preferred(machine);
  if (!context) return;
  printf("\nlimits (%s):\n", context->name);
  printf("  texture size             %d\n", context->max_texture_size);
  printf("  colour attachments       %d\n", context->max_color_attachments);
  printf("  draw buffers             %d\n", context->max_draw_buffers);
  printf("  texture buffer size      %d\n", context->max_texture_buffer_size);
}

static void print_selftest(const struct machine *machine)
{
  const struct hb_context_info *context = preferred(machine);
  if (!context) return;
  const struct hb_selftest_info *t = &context->selftest;
  printf("\nself-test (%s, %d cases against the host, bit by bit):\n", context->name, t->cases);
  if (t->cases == 0) {
    puts("  could not be run");
    return;
  }
  printf("  sum and its error        %d wrong; with `precise` %d, carried %d\n", t->two_sum_wrong,
         t->two_sum_precise_wrong, t->carry_precise_wrong);
  printf("  product and its error    %d wrong\n", t->two_product_wrong);
  printf("  rounding of a * b + c    %s; fma %s; dot() differs in %d\n", fusion_names[t->multiply_add],
         fusion_names[t->fma], t->dot_differs);
  printf("  largest error            sqrt %.2f ulp, inversesqrt %.2f, 1 / sqrt %.2f, 1 / x %.2f\n",
         t->sqrt_ulp, t->rsqrt_ulp, t->one_over_sqrt_ulp, t->inverse_ulp);
  printf("  error on the whole       1 / r %.1e of itself\n", t->rsqrt_mean);
  printf("  denormal numbers         %d lost, as products %d\n", t->denormals_lost,
         t->denormal_products_lost);
  printf("  NaN, infinity, zero      %d wrong; unsigned wrap %d\n", t->special_wrong, t->wrap_wrong);
  if (t->has_double)
    printf("  double                   %d wrong; roots and quotients %.2f ulp\n", t->double_wrong,
           t->double_ulp);
  else
    puts("  double                   absent");
}

static void print_schemes(void)
{
  size_t count;
  const struct hb_force_scheme *schemes = hb_force_schemes(&count);
  puts("\nschemes:");
  printf("  %-8s %s\n", "auto", hb_force_auto_summary());
  for (size_t k = 0; k < count; k++)
    printf("  %-8s %s (%s)\n           %s, %d flops per pair%s\n", schemes[k].name, schemes[k].summary,
           schemes[k].source, schemes[k].precisions, schemes[k].flops_per_pair,
           schemes[k].needs_gl ? ", needs OpenGL" : "");
}

static enum hb_status info(const struct hb_opts *opts)
{
  struct machine machine;
  memset(&machine, 0, sizeof machine);
  HB_TRY(hb_info_contexts(machine.contexts));
  HB_TRY(hb_info_devices(DEVICES_MOST, machine.devices, &machine.device_count));
  if (machine.device_count > DEVICES_MOST) machine.device_count = DEVICES_MOST;
  const struct settings *s = opts->settings;
  if (s->json) return print_json(&machine, s->n);
  printf("holmberg %s\n", hb_version());
  print_contexts(&machine);
  print_devices(&machine);
  print_limits(&machine);
  print_selftest(&machine);
  print_schemes();
  return s->n ? hb_info_memory_print(s->n) : HB_OK;
}

const struct hb_opts_command hb_cmd_info = {
    .name = "info",
    .summary = "Show contexts, devices, limits, exactness and schemes on this machine.",
    .groups = {{.options = options}, {.options = hb_opts_json, .at = offsetof(struct settings, json)}},
    .settings_size = sizeof(struct settings),
    .example = "  holmberg info\n"
               "  holmberg info --n 9000000\n"
               "  holmberg info --json\n",
    .work = info,
};

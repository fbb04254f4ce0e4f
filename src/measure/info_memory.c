#include "measure/info_memory.h"

#include "base/status.h"

#include <inttypes.h>
#include <string.h>

/* A row: scheme and precision as they are shown, and what they need. */
typedef void row_fn(const char *scheme, const char *precision, const struct hb_force_need *need, void *to);

static void print_row(const char *scheme, const char *precision, const struct hb_force_need *need, void *to)
{
  (void)to;
  printf("  %-20s %-11s %8.0f %8.0f %8.1f %10.1f %8.0f %8.1f %10.1f\n", scheme, precision,
         need->device_source, need->device_sink, 1e-6 * need->device_fixed, 1e-6 * need->device,
         need->host_particle, 1e-6 * need->host_fixed, 1e-6 * need->host);
}

static void json_row(const char *scheme, const char *precision, const struct hb_force_need *need, void *to)
{
  struct hb_json *json = to;
  hb_json_open_object(json, NULL);
  hb_json_text(json, "scheme", scheme);
  hb_json_text(json, "precision", precision);
  hb_json_number(json, "device_source", need->device_source);
  hb_json_number(json, "device_sink", need->device_sink);
  hb_json_number(json, "device_fixed", need->device_fixed);
  hb_json_number(json, "device", need->device);
  hb_json_number(json, "host_particle", need->host_particle);
  hb_json_number(json, "host_fixed", need->host_fixed);
  hb_json_number(json, "host", need->host);
  hb_json_close_object(json);
}

static enum hb_status one_row(const struct hb_force_params *params, const char *shown, uint64_t n,
                              row_fn *row, void *to)
{
  struct hb_force_need need;
  HB_TRY(hb_force_memory(params, n, &need));
  row(shown, params->precision, &need, to);
  return HB_OK;
}

static enum hb_status rows_of_scheme(const struct hb_force_scheme *scheme, uint64_t n, row_fn *row, void *to)
{
  char precision[16];
  for (const char *word = scheme->precisions; *word; word += strspn(word, " ")) {
    size_t length = strcspn(word, " ");
    snprintf(precision, sizeof precision, "%.*s", (int)length, word);
    word += length;
    struct hb_force_params params = {.scheme = scheme->name, .precision = precision};
    HB_TRY(one_row(&params, scheme->name, n, row, to));
    params.flags = HB_FORCE_CG2007_RECT;
    if (scheme->has_rect) HB_TRY(one_row(&params, "cg2007 --cg2007-rect", n, row, to));
  }
  return HB_OK;
}

static enum hb_status all_rows(uint64_t n, row_fn *row, void *to)
{
  size_t count;
  const struct hb_force_scheme *schemes = hb_force_schemes(&count);
  for (size_t k = 0; k < count; k++) HB_TRY(rows_of_scheme(&schemes[k], n, row, to));
  return HB_OK;
}

enum hb_status hb_info_memory_print(uint64_t n)
{
  printf("\nmemory for %" PRIu64 " particles:\n"
         "  %-20s %-11s %37s %28s\n"
         "  %-20s %-11s %8s %8s %8s %10s %8s %8s %10s\n",
         n, "", "", "device", "host", "scheme", "precision", "B each", "B a sink", "MB fixed", "MB", "B each",
         "MB fixed", "MB");
  HB_TRY(all_rows(n, print_row, NULL));
  puts("  The device keeps its results for the sinks of the largest block; the start of a run evaluates all\n"
       "  particles, and so does the column MB. A software renderer's device memory is the host's. What the "
       "host\n"
       "  needs is for steps and diagnostics; a snapshot takes 64 bytes a particle more while it is written, "
       "--diag 41.");
  return HB_OK;
}

enum hb_status hb_info_memory_json(uint64_t n, struct hb_json *json)
{
  hb_json_open_array(json, "memory");
  HB_TRY(all_rows(n, json_row, json));
  hb_json_close_array(json);
  return HB_OK;
}

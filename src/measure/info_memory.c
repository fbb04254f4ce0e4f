#include "measure/info_memory.h"

#include "base/status.h"
#include "base/table.h"
#include "base/text.h"

#include <inttypes.h>
#include <string.h>

struct row {
  const char *scheme, *precision;
  struct hb_force_need need; /* bytes */
};

#define AT(place) .offset = offsetof(struct row, place)
static const struct hb_table_column columns[] = {
    {"scheme", HB_TABLE_TEXT, AT(scheme), "  %-20s"},
    {"precision", HB_TABLE_TEXT, AT(precision), "%-11s"},
    {"device_source", HB_TABLE_REAL, AT(need.device_source), "%8.0f", "B each"},
    {"device_sink", HB_TABLE_REAL, AT(need.device_sink), "%8.0f", "B a sink"},
    {"device_fixed", HB_TABLE_REAL, AT(need.device_fixed)},
    {NULL, HB_TABLE_REAL, AT(need.device_fixed), "%8.1f", "MB fixed", 1e-6},
    {"device_kept", HB_TABLE_REAL, AT(need.device_kept), "%7.0f", "B kept"},
    {"device", HB_TABLE_REAL, AT(need.device)},
    {NULL, HB_TABLE_REAL, AT(need.device), "%10.1f", "MB", 1e-6},
    {"host_particle", HB_TABLE_REAL, AT(need.host_particle), "%8.0f", "B each"},
    {"host_fixed", HB_TABLE_REAL, AT(need.host_fixed)},
    {NULL, HB_TABLE_REAL, AT(need.host_fixed), "%8.1f", "MB fixed", 1e-6},
    {"host", HB_TABLE_REAL, AT(need.host)},
    {NULL, HB_TABLE_REAL, AT(need.host), "%10.1f", "MB", 1e-6},
    {"host_rank", HB_TABLE_REAL, AT(need.host_rank), "%8.0f", "B a rank"},
};
#undef AT

/* json NULL: as text. */
static enum hb_status put_row(const struct hb_force_params *params, uint64_t n, struct row *row,
                              struct hb_table *table, struct hb_json *json)
{
  HB_TRY(hb_force_memory(params, n, &row->need));
  if (!json) {
    hb_table_put(table, row);
    return HB_OK;
  }
  hb_json_open_object(json, NULL);
  hb_table_members(HB_TABLE_COLUMNS(columns), row, json);
  hb_json_close_object(json);
  return HB_OK;
}

static enum hb_status put_scheme(const struct hb_force_scheme *scheme, uint64_t n, struct hb_table *table,
                                 struct hb_json *json)
{
  char precision[16];
  for (const char *word = scheme->precisions; *word; word += strspn(word, " ")) {
    size_t length = strcspn(word, " ");
    snprintf(precision, sizeof precision, "%.*s", (int)length, word);
    word += length;
    struct hb_force_params params = {.scheme = scheme->name, .precision = precision};
    struct row row = {.scheme = scheme->name, .precision = precision};
    HB_TRY(put_row(&params, n, &row, table, json));
    params.flags = HB_FORCE_CG2007_RECT;
    row.scheme = "cg2007 --cg2007-rect";
    if (scheme->has_rect) HB_TRY(put_row(&params, n, &row, table, json));
  }
  return HB_OK;
}

static enum hb_status put_all(uint64_t n, struct hb_json *json)
{
  struct hb_table table = {HB_TABLE_COLUMNS(columns), HB_TABLE_TEXT_FORM, stdout, 0};
  size_t count;
  const struct hb_force_scheme *schemes = hb_force_schemes(&count);
  for (size_t k = 0; k < count; k++) HB_TRY(put_scheme(&schemes[k], n, &table, json));
  return HB_OK;
}

enum hb_status hb_info_memory_print(uint64_t n)
{
  printf("\nmemory for %" PRIu64 " particle%s:\n"
         "  %-20s %-11s %45s %28s\n",
         n, hb_text_s(n), "", "", "device", "host");
  HB_TRY(put_all(n, NULL));
  puts(
      "  The device keeps its results for the sinks of the largest block; the start of a run evaluates all\n"
      "  particles, and so does the column MB. Particles that stay there (--transfer block) take as much\n"
      "  more as \"B kept\" says. A software renderer's device memory is the host's. What the host needs is\n"
      "  for steps and diagnostics; a snapshot takes 64 bytes a particle more while it is written, --diag\n"
      "  41, and groups (--eps 0) 22. Each of several ranks (mpirun) has all particles, and takes as much "
      "more\n"
      "  for each as \"B a rank\" says.");
  return HB_OK;
}

enum hb_status hb_info_memory_json(uint64_t n, struct hb_json *json)
{
  hb_json_open_array(json, "memory");
  HB_TRY(put_all(n, json));
  hb_json_close_array(json);
  return HB_OK;
}

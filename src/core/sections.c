#include "core/sections.h"

#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

size_t hb_section_width(enum hb_section_type type) { return type == HB_SECTION_BYTES ? 1 : 8; }

void hb_sections_clear(struct hb_sections *sections)
{
  for (size_t k = 0; k < sections->count; k++) hb_mem_free(sections->at[k].own);
  hb_mem_free(sections->at);
  *sections = (struct hb_sections){0};
}

enum hb_status hb_sections_put(struct hb_sections *sections, const char *name, enum hb_section_type type,
                               size_t count, const void *data)
{
  if (strlen(name) >= sizeof sections->at->name || hb_sections_find(sections, name))
    return hb_fail(HB_ERR_INTERNAL, "the name of section '%s' is too long or there already", name);
  HB_TRY(HB_GROW(sections->count, &sections->capacity, &sections->at));
  struct hb_section *section = &sections->at[sections->count];
  *section = (struct hb_section){.type = type, .count = count, .data = data};
  snprintf(section->name, sizeof section->name, "%s", name);
  sections->count++;
  return HB_OK;
}

enum hb_status hb_sections_put_copy(struct hb_sections *sections, const char *name, enum hb_section_type type,
                                    size_t count, const void *data)
{
  HB_OWN char *copy = NULL;
  size_t bytes = count * hb_section_width(type);
  HB_TRY(HB_ALLOC(bytes ? bytes : 1, &copy));
  if (bytes) memcpy(copy, data, bytes);
  HB_TRY(hb_sections_put(sections, name, type, count, copy));
  return HB_GIVE(copy, &sections->at[sections->count - 1].own);
}

const struct hb_section *hb_sections_find(const struct hb_sections *sections, const char *name)
{
  for (size_t k = 0; k < sections->count; k++)
    if (strcmp(sections->at[k].name, name) == 0) {
      sections->at[k].was_found = 1;
      return &sections->at[k];
    }
  return NULL;
}

enum hb_status hb_sections_put_text(struct hb_sections *sections, const char *name, const char *text)
{
  return hb_sections_put(sections, name, HB_SECTION_BYTES, strlen(text) + 1, text);
}

enum hb_status hb_sections_text(const struct hb_sections *sections, const char *name, const char **text)
{
  const struct hb_section *section = hb_sections_find(sections, name);
  *text = section ? section->data : NULL;
  if (!section || (section->type == HB_SECTION_BYTES && section->count && !(*text)[section->count - 1]))
    return HB_OK;
  return hb_fail(HB_ERR_INPUT, "section '%s' is not a text", name);
}

enum hb_status hb_sections_get(const struct hb_sections *sections, const char *name,
                               enum hb_section_type type, size_t count, const void **data)
{
  const struct hb_section *section = hb_sections_find(sections, name);
  if (!section) return hb_fail(HB_ERR_INPUT, "section '%s' is missing", name);
  if (section->type != type || section->count != count)
    return hb_fail(HB_ERR_INPUT, "section '%s' has %zu elements of type %d, expected %zu of type %d", name,
                   section->count, (int)section->type, count, (int)type);
  *data = section->data;
  return HB_OK;
}

enum hb_status hb_sections_copy(const struct hb_sections *sections, const char *name,
                                enum hb_section_type type, size_t count, void *to)
{
  const void *data = NULL;
  HB_TRY(hb_sections_get(sections, name, type, count, &data));
  memcpy(to, data, count * hb_section_width(type));
  return HB_OK;
}

enum hb_status hb_sections_copy_finite(const struct hb_sections *sections, const char *name, size_t count,
                                       double *to)
{
  HB_TRY(hb_sections_copy(sections, name, HB_SECTION_DOUBLES, count, to));
  for (size_t k = 0; k < count; k++)
    if (!(fabs(to[k]) <= HB_SECTIONS_MOST))
      return hb_fail(HB_ERR_INPUT, "section '%s' has %g at %zu, expected finite and at most %g", name, to[k],
                     k, HB_SECTIONS_MOST);
  return HB_OK;
}

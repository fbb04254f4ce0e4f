/* Particles to sections and back. */
#include "core/particles.h"

#include "base/mem.h"
#include "base/text.h"

#include <string.h>

/* Keys and values alternate, each with its NUL. */
static enum hb_status put_notes(const struct hb_particles *p, struct hb_sections *sections)
{
  struct hb_text text = {0};
  enum hb_status status = HB_OK;
  for (size_t k = 0; k < p->note_count && status == HB_OK; k++) {
    status = hb_text_append_bytes(&text, p->notes[k].key, strlen(p->notes[k].key) + 1);
    if (status == HB_OK)
      status = hb_text_append_bytes(&text, p->notes[k].value, strlen(p->notes[k].value) + 1);
  }
  if (status == HB_OK)
    status = hb_sections_put_copy(sections, "notes", HB_SECTION_BYTES, text.length, text.text);
  hb_mem_free(text.text);
  return status;
}

enum hb_status hb_particles_put(const struct hb_particles *particles, struct hb_sections *sections)
{
  const struct hb_particles *p = particles;
  HB_TRY(hb_sections_put_copy(sections, "time", HB_SECTION_DOUBLES, 1, &p->t));
  HB_TRY(hb_sections_put(sections, "m", HB_SECTION_DOUBLES, p->n, p->m));
  HB_TRY(hb_sections_put(sections, "x", HB_SECTION_DOUBLES, 3 * p->n, p->x));
  HB_TRY(hb_sections_put(sections, "v", HB_SECTION_DOUBLES, 3 * p->n, p->v));
  HB_TRY(hb_sections_put(sections, "id", HB_SECTION_WORDS, p->n, p->id));
  if (p->radius) HB_TRY(hb_sections_put(sections, "radius", HB_SECTION_DOUBLES, p->n, p->radius));
  return put_notes(p, sections);
}

static enum hb_status get_notes(const struct hb_sections *sections, struct hb_particles *p)
{
  const struct hb_section *section = hb_sections_find(sections, "notes");
  if (!section) return hb_fail(HB_ERR_INPUT, "section 'notes' is missing");
  const char *next = section->data, *end = next + section->count;
  if (section->type != HB_SECTION_BYTES || (next < end && end[-1]))
    return hb_fail(HB_ERR_INPUT, "section 'notes' is not text");
  while (next < end) {
    const char *key = next, *value = key + strlen(key) + 1;
    if (value >= end) return hb_fail(HB_ERR_INPUT, "section 'notes' has no value for '%.40s'", key);
    enum hb_status status = hb_particles_set_note(p, key, value);
    if (status != HB_OK) return status == HB_ERR_USAGE ? hb_fail_in(HB_ERR_INPUT, "section 'notes'") : status;
    next = value + strlen(value) + 1;
  }
  return HB_OK;
}

static enum hb_status get_arrays(const struct hb_sections *sections, struct hb_particles *p)
{
  HB_TRY(hb_sections_copy(sections, "time", HB_SECTION_DOUBLES, 1, &p->t));
  HB_TRY(hb_sections_copy(sections, "m", HB_SECTION_DOUBLES, p->n, p->m));
  HB_TRY(hb_sections_copy(sections, "x", HB_SECTION_DOUBLES, 3 * p->n, p->x));
  HB_TRY(hb_sections_copy(sections, "v", HB_SECTION_DOUBLES, 3 * p->n, p->v));
  HB_TRY(hb_sections_copy(sections, "id", HB_SECTION_WORDS, p->n, p->id));
  if (hb_sections_find(sections, "radius")) {
    HB_TRY(hb_particles_reserve_radius(p));
    HB_TRY(hb_sections_copy(sections, "radius", HB_SECTION_DOUBLES, p->n, p->radius));
  }
  return hb_particles_check(p);
}

enum hb_status hb_particles_get(const struct hb_sections *sections, struct hb_particles **particles)
{
  *particles = NULL;
  const struct hb_section *masses = hb_sections_find(sections, "m");
  if (!masses || masses->count == 0 || masses->count > UINT32_MAX)
    return hb_fail(HB_ERR_INPUT, "section 'm' is missing or has no particles");
  struct hb_particles *p;
  HB_TRY(hb_particles_create(masses->count, &p));
  enum hb_status status = get_arrays(sections, p);
  if (status == HB_OK) status = get_notes(sections, p);
  if (status != HB_OK) {
    hb_particles_destroy(p);
    return status;
  }
  *particles = p;
  return HB_OK;
}

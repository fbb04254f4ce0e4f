/* Checkpoints of older layouts, in which a section had several numbers by their places: such sections become those of today, one a
 * number. Nothing else knows of them. */
#include "sim/sim.h"

#include "base/mem.h"
#include "groups/groups.h"

#include <string.h>

/* Elements from `at` on, `each` of them, of every record of so many elements. */
struct split {
  const char *section;
  size_t record, at, each;
  const char *name;
};

enum { MEMBERS = HB_CHAIN_MOST, LINKS = 3 * (HB_CHAIN_MOST - 1) };
enum { GROUP_WORDS = 6 + MEMBERS, GROUP_NUMBERS = 2 + MEMBERS + 2 * LINKS };
static const struct split splits[] = {
    {"sim.numbers", 6, 0, 1, "sim.eta"},
    {"sim.numbers", 6, 1, 1, "sim.dt_max"},
    {"sim.numbers", 6, 2, 1, "sim.dt_min"},
    {"sim.numbers", 6, 3, 1, "sim.eps"},
    {"sim.numbers", 6, 4, 1, "sim.dt"},
    {"sim.numbers", 6, 5, 1, "sim.damping"},
    {"sim.words", 7, 0, 1, "sim.rounding"},
    {"sim.words", 7, 1, 1, "sim.flags"},
    {"sim.words", 7, 2, 1, "sim.transfer"},
    {"sim.words", 7, 3, 1, "sim.predict"},
    {"sim.words", 7, 4, 1, "sim.correct"},
    {"sim.words", 7, 5, 1, "sim.exact_energy"},
    {"sim.words", 7, 6, 1, "sim.steps"},
    {"sim.first", 1, 0, 1, "sim.first_step"},
    {"sim.stop", 1, 0, 1, "sim.stop_at"},
    {"sim.bodies", 2, 0, 1, "sim.collisions"},
    {"sim.bodies", 2, 1, 1, "sim.escapers"},
    {"sim.escape", 1, 0, 1, "sim.escape_radius"},
    {"sim.phases", 5, 0, 1, "sim.predict_s"},
    {"sim.phases", 5, 1, 1, "sim.send_s"},
    {"sim.phases", 5, 2, 1, "sim.force_s"},
    {"sim.phases", 5, 3, 1, "sim.receive_s"},
    {"sim.phases", 5, 4, 1, "sim.correct_s"},
    {"frame", 7, 0, 3, "frame.x"},
    {"frame", 7, 3, 3, "frame.v"},
    {"frame", 7, 6, 1, "frame.t"},
    {"hermite4", 4, 0, 1, "now"},
    {"hermite4", 4, 1, 1, "block_steps"},
    {"hermite4", 4, 2, 1, "particle_steps"},
    {"hermite4", 4, 3, 1, "noisy_steps"},
    {"bodies", 2, 0, 1, "merged"},
    {"bodies", 2, 1, 1, "escaped"},
    {"bodies.energy", 1, 0, 1, "e_lost"},
    {"massless.worst", 2, 0, 1, "massless.error"},
    {"massless.worst", 2, 1, 1, "massless.t"},
    {"passages", 2, 0, 1, "passages.i"},
    {"passages", 2, 1, 1, "passages.k"},
    {"bodies.touches", 3, 0, 1, "touches.i"},
    {"bodies.touches", 3, 1, 1, "touches.k"},
    {"bodies.touches", 3, 2, 1, "touches.apart"},
    {"watch.energies", 1, 0, 1, "watch.E"},
    {"watch.words", 4, 0, 2, "watch.id"},
    {"watch.words", 4, 2, 2, "watch.at"},
    {"passages.scale", 2, 0, 1, "passages.r_close"},
    {"passages.scale", 2, 1, 1, "passages.m_mean"},
    {"groups", 6, 2, 1, "groups.formed"},
    {"groups", 6, 3, 1, "groups.dissolved"},
    {"groups", 6, 4, 1, "groups.forces"},
    {"groups.close", 3, 0, 1, "groups.r_close"},
    {"groups.close", 3, 1, 1, "groups.m_mean"},
    {"groups.close", 3, 2, 1, "groups.stars"},
    {"groups.words", GROUP_WORDS, 0, 1, "groups.node"},
    {"groups.words", GROUP_WORDS, 1, 1, "groups.tick"},
    {"groups.words", GROUP_WORDS, 2, 1, "groups.listed"},
    {"groups.words", GROUP_WORDS, 3, 1, "groups.settled"},
    {"groups.words", GROUP_WORDS, 4, 1, "groups.rows"},
    {"groups.words", GROUP_WORDS, 5, 1, "groups.n"},
    {"groups.words", GROUP_WORDS, 6, MEMBERS, "groups.member"},
    {"groups.numbers", GROUP_NUMBERS, 0, 1, "groups.B"},
    {"groups.numbers", GROUP_NUMBERS, 1, 1, "groups.ds"},
    {"groups.numbers", GROUP_NUMBERS, 2, MEMBERS, "groups.masses"},
    {"groups.numbers", GROUP_NUMBERS, 2 + MEMBERS, LINKS, "groups.X"},
    {"groups.numbers", GROUP_NUMBERS, 2 + MEMBERS + LINKS, LINKS, "groups.V"},
    {"t0", 3, 1, 1, "leapfrog.dt"}, /* of leapfrog; that of hermite4 has one number, the time alone */
    {"t0", 3, 2, 1, "leapfrog.damping"},
    {"t0", 3, 0, 1, "t0"},
};
enum { SPLITS = sizeof splits / sizeof *splits };

/* Strings, each with its NUL. */
static const char *const texts[] = {"sim.version", "sim.integrator", "sim.scheme", "sim.precision",
                                    "sim.tuning",  "sim.context",    "sim.device", "sim.chosen_device"};
enum { TEXTS = sizeof texts / sizeof *texts };

static struct hb_section *find(struct hb_sections *sections, const char *name)
{
  for (size_t k = 0; k < sections->count; k++)
    if (strcmp(sections->at[k].name, name) == 0) return sections->at + k;
  return NULL;
}

static void take_out(struct hb_sections *sections, struct hb_section *section)
{
  hb_mem_free(section->own);
  *section = sections->at[--sections->count];
}

static enum hb_status put_part(struct hb_sections *sections, const struct split *s)
{
  const struct hb_section *old = find(sections, s->section);
  const enum hb_section_type type = old->type;
  size_t records = old->count / s->record, width = hb_section_width(type);
  char *part;
  HB_TRY(HB_ALLOC(records * s->each * width + 1, &part));
  for (size_t k = 0; k < records; k++)
    memcpy(part + k * s->each * width, (const char *)old->data + (k * s->record + s->at) * width,
           s->each * width);
  enum hb_status status = hb_sections_put_copy(sections, s->name, type, records * s->each, part);
  hb_mem_free(part);
  return status;
}

/* All new ones of an old section, which are neighbors in the table; the old one goes before one of its own name comes. */
static enum hb_status split_section(struct hb_sections *sections, size_t *k)
{
  const struct split *first = splits + *k;
  struct hb_section *old = find(sections, first->section);
  int is_old = old && old->type != HB_SECTION_BYTES && (old->count == 0 || old->count >= first->record) &&
               old->count % first->record == 0 && !find(sections, first->name);
  size_t end = *k;
  while (end < SPLITS && strcmp(splits[end].section, first->section) == 0) end++;
  for (; *k < end; ++*k) {
    if (!is_old) continue;
    if (strcmp(splits[*k].name, first->section) != 0) {
      HB_TRY(put_part(sections, splits + *k));
      continue;
    }
    find(sections, first->section)->count = splits[*k].each; /* what is left of it is at its beginning */
    return HB_OK;
  }
  if (is_old) take_out(sections, find(sections, first->section));
  return HB_OK;
}

static enum hb_status split_text(struct hb_sections *sections)
{
  const struct hb_section *old = find(sections, "sim.text");
  if (!old || old->type != HB_SECTION_BYTES) return HB_OK;
  const char *next = old->data, *end = next + old->count;
  for (int k = 0; k < TEXTS; k++) {
    const char *nul = next < end ? memchr(next, 0, (size_t)(end - next)) : NULL;
    if (!nul) return hb_fail(HB_ERR_INPUT, "section 'sim.text' has %d strings, expected %d", k, TEXTS);
    HB_TRY(hb_sections_put_copy(sections, texts[k], HB_SECTION_BYTES, (size_t)(nul + 1 - next), next));
    next = nul + 1;
  }
  take_out(sections, find(sections, "sim.text"));
  return HB_OK;
}

enum hb_status hb_sim_read_older(struct hb_sections *sections)
{
  HB_TRY(split_text(sections));
  for (size_t k = 0; k < SPLITS;) HB_TRY(split_section(sections, &k));
  return HB_OK;
}

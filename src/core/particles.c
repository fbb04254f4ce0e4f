#include "core/particles.h"

#include "base/machine.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct hb_columns_row rows[] = {
    HB_COLUMN_OF("m", HB_SECTION_DOUBLES, struct hb_particles, m, 1, HB_COLUMN_SAVED),
    HB_COLUMN_OF("x", HB_SECTION_DOUBLES, struct hb_particles, x, 3, HB_COLUMN_SAVED),
    HB_COLUMN_OF("v", HB_SECTION_DOUBLES, struct hb_particles, v, 3, HB_COLUMN_SAVED),
    HB_COLUMN_OF("id", HB_SECTION_WORDS, struct hb_particles, id, 1, HB_COLUMN_SAVED),
    HB_COLUMN_OF("radius", HB_SECTION_DOUBLES, struct hb_particles, radius, 1, HB_COLUMN_ON_DEMAND),
};
const struct hb_columns hb_particles_columns = HB_COLUMNS(rows, 0);

enum hb_status hb_particles_create(size_t n, struct hb_particles **particles)
{
  *particles = NULL;
  if (n == 0) return hb_fail(HB_ERR_USAGE, "the number of particles is 0, expected at least 1");
  if (n > UINT32_MAX) return hb_fail(HB_ERR_USAGE, "the number of particles is %zu, expected below 2^32", n);
  HB_OWN_PARTICLES struct hb_particles *p = NULL;
  HB_TRY(HB_ALLOC(1, &p));
  p->n = n;
  HB_TRY(hb_columns_reserve(&hb_particles_columns, n, p));
  for (size_t i = 0; i < n; i++) p->id[i] = i;
  return HB_GIVE(p, particles);
}

void hb_particles_destroy(struct hb_particles *p)
{
  if (!p) return;
  for (size_t k = 0; k < p->note_count; k++) HB_FREE(p->notes[k].key, p->notes[k].value);
  hb_mem_free(p->notes);
  hb_columns_free(&hb_particles_columns, p);
  hb_mem_free(p);
}

enum hb_status hb_particles_copy(const struct hb_particles *from, struct hb_particles **particles)
{
  HB_OWN_PARTICLES struct hb_particles *p = NULL;
  *particles = NULL;
  HB_TRY(hb_particles_create(from->n, &p));
  p->t = from->t;
  HB_TRY(hb_columns_copy(&hb_particles_columns, from->n, from, p));
  for (size_t k = 0; k < from->note_count; k++)
    HB_TRY(hb_particles_set_note(p, from->notes[k].key, from->notes[k].value));
  return HB_GIVE(p, particles);
}

size_t hb_particles_n(const struct hb_particles *p) { return p->n; }
double hb_particles_time(const struct hb_particles *p) { return p->t; }
void hb_particles_set_time(struct hb_particles *p, double t) { p->t = t; }
double *hb_particles_m(struct hb_particles *p) { return p->m; }
double *hb_particles_x(struct hb_particles *p) { return p->x; }
double *hb_particles_v(struct hb_particles *p) { return p->v; }
uint64_t *hb_particles_id(struct hb_particles *p) { return p->id; }

enum hb_status hb_particles_reserve_radius(struct hb_particles *p)
{
  return p->radius ? HB_OK : HB_ALLOC(p->n, &p->radius);
}

double *hb_particles_radius(struct hb_particles *p)
{
  return hb_particles_reserve_radius(p) == HB_OK ? p->radius : NULL;
}

const double *hb_particles_radii(const struct hb_particles *p)
{
  for (size_t i = 0; p->radius && i < p->n; i++)
    if (p->radius[i] != 0) return p->radius;
  return NULL;
}

uint64_t hb_particles_hash(const struct hb_particles *p)
{
  const uint64_t n = p->n;
  uint64_t hash = hb_hash_words(HB_HASH_EMPTY, 1, &n);
  hash = hb_hash_words(hash, 1, &p->t);
  hash = hb_hash_words(hash, p->n, p->m);
  hash = hb_hash_words(hash, 3 * p->n, p->x);
  hash = hb_hash_words(hash, 3 * p->n, p->v);
  hash = hb_hash_words(hash, p->n, p->id);
  return hb_particles_radii(p) ? hb_hash_words(hash, p->n, p->radius) : hash;
}

HB_CLONES size_t hb_particles_massive(const struct hb_particles *p)
{
  const double *m = p->m;
  size_t count = 0, n = p->n;
#pragma omp simd reduction(+ : count)
  for (size_t i = 0; i < n; i++) count += m[i] > 0;
  return count;
}

enum hb_status hb_particles_copy_massive(const struct hb_particles *from, struct hb_particles **massive)
{
  size_t count = hb_particles_massive(from), k = 0;
  *massive = NULL;
  if (count == 0 || count == from->n) return HB_OK;
  HB_TRY(hb_particles_create(count, massive));
  struct hb_particles *p = *massive;
  p->t = from->t;
  for (size_t i = 0; i < from->n; i++) {
    if (!(from->m[i] > 0)) continue;
    p->m[k] = from->m[i];
    p->id[k] = from->id[i];
    memcpy(p->x + 3 * k, from->x + 3 * i, 3 * sizeof *p->x);
    memcpy(p->v + 3 * k++, from->v + 3 * i, 3 * sizeof *p->v);
  }
  return HB_OK;
}

static struct hb_note *find_note(const struct hb_particles *p, const char *key)
{
  for (size_t k = 0; k < p->note_count; k++)
    if (strcmp(p->notes[k].key, key) == 0) return &p->notes[k];
  return NULL;
}

const char *hb_particles_note(const struct hb_particles *p, const char *key)
{
  const struct hb_note *note = find_note(p, key);
  return note ? note->value : NULL;
}

const char *hb_particles_note_key(const struct hb_particles *p, size_t k)
{
  return k < p->note_count ? p->notes[k].key : NULL;
}

static int is_key(const char *key)
{
  size_t length = strspn(key, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
  return length > 0 && key[length] == 0;
}

/* Without a value yet. */
static enum hb_status append_note(struct hb_particles *p, const char *key, struct hb_note **note)
{
  HB_TRY(HB_RESIZE(p->note_count + 1, &p->notes));
  *note = p->notes + p->note_count;
  HB_TRY(hb_mem_strdup(key, &(*note)->key));
  p->note_count++;
  return HB_OK;
}

enum hb_status hb_particles_set_note(struct hb_particles *p, const char *key, const char *value)
{
  if (!is_key(key))
    return hb_fail(HB_ERR_USAGE, "'%s' is not a valid key of a note (letters, digits, '_')", key);
  HB_OWN char *copy = NULL;
  HB_TRY(hb_mem_strdup(value, &copy));
  struct hb_note *note = find_note(p, key);
  if (!note) HB_TRY(append_note(p, key, &note));
  hb_mem_free(note->value);
  note->capacity = 0;
  return HB_GIVE(copy, &note->value);
}

/* Makes room in a note for `more` characters. */
static enum hb_status make_room(struct hb_note *note, size_t more)
{
  if (note->capacity == 0) note->length = strlen(note->value);
  size_t needed = note->length + more + 1;
  if (needed <= note->capacity) return HB_OK;
  HB_TRY(HB_RESIZE(2 * needed, &note->value));
  note->capacity = 2 * needed;
  return HB_OK;
}

enum hb_status hb_particles_extend_note(struct hb_particles *p, const char *key, const char *line,
                                        size_t length)
{
  struct hb_note *note = find_note(p, key);
  int is_new = !note;
  if (is_new) {
    HB_TRY(hb_particles_set_note(p, key, ""));
    note = find_note(p, key);
  }
  HB_TRY(make_room(note, length + 1));
  if (!is_new) note->value[note->length++] = '\n';
  memcpy(note->value + note->length, line, length);
  note->value[note->length += length] = 0;
  return HB_OK;
}

enum hb_status hb_particles_print_note(struct hb_particles *p, const char *key, const char *format, ...)
{
  char text[256];
  va_list values;
  va_start(values, format);
  vsnprintf(text, sizeof text, format, values);
  va_end(values);
  return hb_particles_set_note(p, key, text);
}

enum hb_status hb_particles_add_history(struct hb_particles *p, const char *line)
{
  return hb_particles_extend_note(p, "history", line, strlen(line));
}

enum hb_status hb_particles_check(const struct hb_particles *p)
{
  if (!(fabs(p->t) <= HB_PARTICLES_LATEST))
    return hb_fail(HB_ERR_INPUT, "the time is %g, expected between -%g and %g", p->t, HB_PARTICLES_LATEST,
                   HB_PARTICLES_LATEST);
  for (size_t i = 0; i < p->n; i++) {
    if (!isfinite(p->m[i]) || p->m[i] < 0)
      return hb_fail(HB_ERR_INPUT, "particle %zu has mass %g, expected finite and >= 0", i, p->m[i]);
    if (p->radius && (!isfinite(p->radius[i]) || p->radius[i] < 0))
      return hb_fail(HB_ERR_INPUT, "particle %zu has radius %g, expected finite and >= 0", i, p->radius[i]);
    for (size_t k = 3 * i; k < 3 * i + 3; k++) {
      if (!isfinite(p->x[k]))
        return hb_fail(HB_ERR_INPUT, "particle %zu has %c = %g, expected finite", i, "xyz"[k % 3], p -> x[k]);
      if (!isfinite(p->v[k]))
        return hb_fail(HB_ERR_INPUT, "particle %zu has v%c = %g, expected finite", i, "xyz"[k % 3],
                       p -> v[k]);
    }
  }
  return HB_OK;
}

/* ---- sections ---- */

/* Keys and values alternate, each with its NUL. */
static enum hb_status put_notes(const struct hb_particles *p, struct hb_sections *sections)
{
  HB_OWN struct hb_text text = {0};
  for (size_t k = 0; k < p->note_count; k++) {
    HB_TRY(hb_text_append_bytes(&text, p->notes[k].key, strlen(p->notes[k].key) + 1));
    HB_TRY(hb_text_append_bytes(&text, p->notes[k].value, strlen(p->notes[k].value) + 1));
  }
  return hb_sections_put_copy(sections, "notes", HB_SECTION_BYTES, text.length, text.text);
}

enum hb_status hb_particles_put(const struct hb_particles *particles, struct hb_sections *sections)
{
  const struct hb_particles *p = particles;
  HB_TRY(hb_sections_put_copy(sections, "time", HB_SECTION_DOUBLES, 1, &p->t));
  HB_TRY(hb_columns_put(&hb_particles_columns, p->n, p, sections));
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

enum hb_status hb_particles_get(const struct hb_sections *sections, struct hb_particles **particles)
{
  *particles = NULL;
  const struct hb_section *masses = hb_sections_find(sections, "m");
  if (!masses || masses->count == 0 || masses->count > UINT32_MAX)
    return hb_fail(HB_ERR_INPUT, "section 'm' is missing or has no particles");
  HB_OWN_PARTICLES struct hb_particles *p = NULL;
  HB_TRY(hb_particles_create(masses->count, &p));
  HB_TRY(hb_sections_copy(sections, "time", HB_SECTION_DOUBLES, 1, &p->t));
  HB_TRY(hb_columns_get(&hb_particles_columns, sections, p->n, p));
  HB_TRY(hb_particles_check(p));
  HB_TRY(get_notes(sections, p));
  return HB_GIVE(p, particles);
}

/* ---- by identity ---- */

struct entry {
  uint64_t id;
  uint32_t index;
};

static int compare_entries(const void *a, const void *b)
{
  const struct entry *p = a, *q = b;
  if (p->id != q->id) return p->id < q->id ? -1 : 1;
  return p->index < q->index ? -1 : p->index > q->index;
}

enum hb_status hb_identity_sort(size_t n, const uint64_t *id, uint32_t *order, size_t *twice)
{
  HB_OWN struct entry *entries = NULL;
  int is_sorted = 1;
  HB_TRY(HB_ALLOC(n, &entries));
  for (size_t i = 0; i < n; i++) {
    entries[i] = (struct entry){id[i], (uint32_t)i};
    is_sorted &= i == 0 || id[i - 1] <= id[i];
  }
  if (!is_sorted) qsort(entries, n, sizeof *entries, compare_entries);
  *twice = n;
  for (size_t i = n; i-- > 0;) {
    order[i] = entries[i].index;
    if (i + 1 < n && entries[i].id == entries[i + 1].id) *twice = i;
  }
  return HB_OK;
}

/* ---- their softening ---- */

/* The value of "eps=" among the words of the note options; "" if there is none. */
static void option_eps(const char *options, char value[32])
{
  static const char word[] = "eps=";
  size_t length = strlen(word);
  *value = 0;
  for (const char *c = options; c; c = strchr(c, ' ')) {
    c += strspn(c, " ");
    if (strncmp(c, word, length) != 0) continue;
    size_t span = strcspn(c + length, " ");
    if (span < 32) memcpy(value, c + length, span), value[span] = 0;
    return;
  }
}

enum hb_status hb_particles_eps(const struct hb_particles *particles, double *eps)
{
  HB_TEXT_IN_C;
  char value[32];
  double number;
  const char *note = hb_particles_note(particles, "eps");
  *eps = NAN;
  option_eps(hb_particles_note(particles, "options"), value); /* of a run that wrote no such note */
  if (!note) note = value;
  if (!*note) return HB_OK;
  if (hb_text_number(note, &number) != HB_OK || number < 0)
    return hb_fail(HB_ERR_INPUT, "the snapshot gives eps = '%s', which is out of range", note);
  *eps = number;
  return HB_OK;
}

enum hb_status hb_softening_note(struct hb_particles *particles, double eps)
{
  HB_TEXT_IN_C;
  const char *note = hb_particles_note(particles, "eps");
  double number;
  if (note && hb_text_number(note, &number) == HB_OK && number == eps) return HB_OK;
  return hb_particles_print_note(particles, "eps", "%.17g", eps);
}

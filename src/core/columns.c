#include "core/columns.h"

#include "base/mem.h"

#include <math.h>
#include <string.h>

static void *array_of(const struct hb_columns_row *c, const void *base)
{
  void *array;
  memcpy(&array, (const char *)base + c->offset, sizeof array);
  return array;
}

static enum hb_status reserve_column(const struct hb_columns_row *c, size_t n, void *base)
{
  return array_of(c, base) ? HB_OK : hb_mem_alloc(n * c->per, c->width, (void **)((char *)base + c->offset));
}

enum hb_status hb_columns_reserve(const struct hb_columns *columns, size_t n, void *base)
{
  for (size_t k = 0; k < columns->count; k++)
    if (columns->at[k].life != HB_COLUMN_ON_DEMAND) HB_TRY(reserve_column(columns->at + k, n, base));
  return HB_OK;
}

enum hb_status hb_columns_grow(const struct hb_columns *columns, size_t n, void *base)
{
  for (size_t k = 0; k < columns->count; k++) {
    const struct hb_columns_row *c = columns->at + k;
    if (array_of(c, base)) HB_TRY(hb_mem_resize(n * c->per, c->width, (void **)((char *)base + c->offset)));
  }
  return HB_OK;
}

void hb_columns_free(const struct hb_columns *columns, void *base)
{
  for (size_t k = 0; k < columns->count; k++) hb_mem_free(array_of(columns->at + k, base));
}

enum hb_status hb_columns_copy(const struct hb_columns *columns, size_t n, const void *from, void *to)
{
  for (size_t k = 0; k < columns->count; k++) {
    const struct hb_columns_row *c = columns->at + k;
    const void *array = array_of(c, from);
    if (c->life == HB_COLUMN_SCRATCH || !array) continue;
    HB_TRY(reserve_column(c, n, to));
    memcpy(array_of(c, to), array, n * c->per * c->width);
  }
  return HB_OK;
}

void hb_columns_renumber(const struct hb_columns *columns, size_t n, const uint32_t *number, void *base)
{
  for (size_t k = 0; k < columns->count; k++) {
    size_t each = columns->at[k].per * columns->at[k].width;
    char *array = array_of(columns->at + k, base);
    if (columns->at[k].life == HB_COLUMN_SCRATCH || !array) continue;
    for (size_t i = 0; i < n; i++)
      if (number[i] != HB_COLUMNS_GONE) memmove(array + each * number[i], array + each * i, each);
  }
}

enum hb_status hb_columns_put(const struct hb_columns *columns, size_t n, const void *base,
                              struct hb_sections *sections)
{
  for (size_t k = 0; k < columns->count; k++) {
    const struct hb_columns_row *c = columns->at + k;
    if (c->life >= HB_COLUMN_SAVED && array_of(c, base))
      HB_TRY(hb_sections_put(sections, c->name, c->type, n * c->per, array_of(c, base)));
  }
  return HB_OK;
}

enum hb_status hb_columns_get(const struct hb_columns *columns, const struct hb_sections *sections, size_t n,
                              void *base)
{
  for (size_t k = 0; k < columns->count; k++) {
    const struct hb_columns_row *c = columns->at + k;
    int may_lack = c->life >= HB_COLUMN_ADDED;
    if (c->life < HB_COLUMN_SAVED || (may_lack && !hb_sections_find(sections, c->name))) continue;
    HB_TRY(reserve_column(c, n, base));
    if (c->type == HB_SECTION_DOUBLES && columns->is_bounded)
      HB_TRY(hb_sections_copy_finite(sections, c->name, n * c->per, array_of(c, base)));
    else
      HB_TRY(hb_sections_copy(sections, c->name, c->type, n * c->per, array_of(c, base)));
  }
  return HB_OK;
}

/* ---- numbers ---- */

static size_t width_of(enum hb_number_kind kind)
{
  static const size_t widths[] = {[HB_NUMBER_WORD] = sizeof(uint64_t),
                                  [HB_NUMBER_SIZE] = sizeof(size_t),
                                  [HB_NUMBER_INDEX] = sizeof(uint32_t),
                                  [HB_NUMBER_CHOICE] = sizeof(unsigned),
                                  [HB_NUMBER_DOUBLE] = sizeof(double)};
  return widths[kind];
}

static size_t each_of(const struct hb_numbers_row *f) { return f->size / width_of(f->kind); }

static enum hb_section_type type_of(const struct hb_numbers_row *f)
{
  return f->kind == HB_NUMBER_DOUBLE ? HB_SECTION_DOUBLES : HB_SECTION_WORDS;
}

/* The bits of a double, or the number itself. */
static uint64_t word_at(const char *at, size_t width)
{
  uint64_t word;
  uint32_t half;
  memcpy(width == sizeof word ? (void *)&word : &half, at, width);
  return width == sizeof word ? word : half;
}

static void set_word(char *at, size_t width, uint64_t word)
{
  const uint32_t half = (uint32_t)word;
  memcpy(at, width == sizeof word ? (const void *)&word : &half, width);
}

static enum hb_status put_number(const struct hb_numbers *numbers, const struct hb_numbers_row *f, size_t n,
                                 const char *base, struct hb_sections *sections)
{
  HB_OWN uint64_t *words = NULL;
  if (f->kind == HB_NUMBER_TEXT) {
    const char *const *text = (const void *)(base + f->offset);
    return *text ? hb_sections_put_text(sections, f->name, *text) : HB_OK;
  }
  size_t each = each_of(f), width = width_of(f->kind);
  HB_TRY(HB_ALLOC(n * each, &words));
  for (size_t k = 0; k < n * each; k++)
    words[k] = word_at(base + k / each * numbers->record + f->offset + k % each * width, width);
  return hb_sections_put_copy(sections, f->name, type_of(f), n * each, words);
}

enum hb_status hb_numbers_put(const struct hb_numbers *numbers, size_t n, const void *base,
                              struct hb_sections *sections)
{
  for (size_t k = 0; k < numbers->count; k++) HB_TRY(put_number(numbers, numbers->at + k, n, base, sections));
  return HB_OK;
}

static enum hb_status check_word(const struct hb_numbers_row *f, uint64_t word, size_t k)
{
  uint64_t most = f->kind == HB_NUMBER_CHOICE             ? f->most
                  : width_of(f->kind) == sizeof(uint32_t) ? UINT32_MAX
                                                          : UINT64_MAX;
  double number;
  memcpy(&number, &word, sizeof number);
  if (f->kind == HB_NUMBER_DOUBLE && !(fabs(number) <= HB_SECTIONS_MOST))
    return hb_fail(HB_ERR_INPUT, "section '%s' has %g at %zu, expected finite and at most %g", f->name,
                   number, k, HB_SECTIONS_MOST);
  if (f->kind != HB_NUMBER_DOUBLE && word > most)
    return hb_fail(HB_ERR_INPUT, "section '%s' has %llu, expected 0 to %llu", f->name,
                   (unsigned long long)word, (unsigned long long)most);
  return HB_OK;
}

static enum hb_status get_text(const struct hb_numbers_row *f, const struct hb_sections *sections, void *base)
{
  const char **text = (void *)((char *)base + f->offset);
  HB_TRY(hb_sections_text(sections, f->name, text));
  return *text || !f->must ? HB_OK : hb_fail(HB_ERR_INPUT, "section '%s' is missing", f->name);
}

enum hb_status hb_numbers_get(const struct hb_numbers *numbers, const struct hb_sections *sections, size_t n,
                              void *base)
{
  for (size_t row = 0; row < numbers->count; row++) {
    const struct hb_numbers_row *f = numbers->at + row;
    if (f->kind == HB_NUMBER_TEXT) {
      HB_TRY(get_text(f, sections, base));
      continue;
    }
    const void *words;
    size_t each = each_of(f), width = width_of(f->kind);
    if (!f->must && !hb_sections_find(sections, f->name)) continue;
    HB_TRY(hb_sections_get(sections, f->name, type_of(f), n * each, &words));
    for (size_t k = 0; k < n * each; k++) {
      uint64_t word = word_at((const char *)words + 8 * k, 8);
      HB_TRY(check_word(f, word, k));
      set_word((char *)base + k / each * numbers->record + f->offset + k % each * width, width, word);
    }
  }
  return HB_OK;
}

size_t hb_numbers_records(const struct hb_numbers *numbers, const struct hb_sections *sections)
{
  const struct hb_section *section = hb_sections_find(sections, numbers->at->name);
  return section ? section->count : 0;
}

#include "pairs/tuning.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fields by name; those with words hold one more than the word's index. */
static const char *const output_names[] = {"targets", "storage", NULL};
static const char *const add_names[] = {"host", "device", NULL};
const char *const hb_j_source_names[] = {"buffer_texture", "texture", "block", "storage", NULL};

static const struct field {
  const char *name;
  size_t offset;
  const char *const *words; /* NULL: a number */
} fields[] = {
    {"i_each", offsetof(struct hb_pairs_tuning, i_each), NULL},
    {"unroll", offsetof(struct hb_pairs_tuning, unroll), NULL},
    {"partial", offsetof(struct hb_pairs_tuning, partial), NULL},
    {"j_source", offsetof(struct hb_pairs_tuning, j_source_plus_1), hb_j_source_names},
    {"output", offsetof(struct hb_pairs_tuning, output_plus_1), output_names},
    {"add", offsetof(struct hb_pairs_tuning, add_plus_1), add_names},
    {"threads", offsetof(struct hb_pairs_tuning, threads), NULL},
    {"width", offsetof(struct hb_pairs_tuning, width), NULL},
    {"workgroup", offsetof(struct hb_pairs_tuning, workgroup), NULL},
    {"body_threads", offsetof(struct hb_pairs_tuning, body_threads), NULL},
    {"limit", offsetof(struct hb_pairs_tuning, limit), NULL},
    {"bag", offsetof(struct hb_pairs_tuning, bag), NULL},
    {"portion", offsetof(struct hb_pairs_tuning, portion), NULL},
};
enum { FIELDS = sizeof fields / sizeof *fields };

static int *place(struct hb_pairs_tuning *t, const struct field *field)
{
  return (int *)((char *)t + field->offset);
}

/* The value of a field's text: a place in its list of words + 1, or a number from 1 on; 0 if it is neither. */
static int value_of(const struct field *field, const char *text)
{
  for (int k = 0; field->words && field->words[k]; k++)
    if (strcmp(field->words[k], text) == 0) return k + 1;
  if (field->words) return 0;
  char *end;
  long value = strtol(text, &end, 10);
  return *end == 0 && value > 0 && value < (1L << 30) ? (int)value : 0;
}

static enum hb_status parse_word(const char *word, struct hb_pairs_tuning *tuning)
{
  const char *equals = strchr(word, '=');
  for (int k = 0; equals && k < FIELDS; k++) {
    size_t length = strlen(fields[k].name);
    if ((size_t)(equals - word) != length || strncmp(word, fields[k].name, length) != 0) continue;
    int value = value_of(&fields[k], equals + 1);
    if (!value) return hb_fail(HB_ERR_USAGE, "unknown tuning '%s': bad value", word);
    *place(tuning, &fields[k]) = value;
    return HB_OK;
  }
  return hb_fail(HB_ERR_USAGE,
                 "unknown tuning '%s' (expected e.g. i_each=4, unroll, partial, j_source, output, add, "
                 "threads, width, workgroup, body_threads, limit, bag, portion)",
                 word);
}

enum hb_status hb_tuning_parse(const char *text, struct hb_pairs_tuning *tuning)
{
  char words[256];
  if (!text) return HB_OK;
  if (strlen(text) >= sizeof words) return hb_fail(HB_ERR_USAGE, "the tuning '%.40s...' is too long", text);
  strcpy(words, text);
  char *rest = NULL;
  for (char *word = strtok_r(words, " ,", &rest); word; word = strtok_r(NULL, " ,", &rest))
    HB_TRY(parse_word(word, tuning));
  return HB_OK;
}

void hb_tuning_print(const struct hb_pairs_tuning *tuning, size_t room, char *text)
{
  struct hb_pairs_tuning t = *tuning;
  size_t used = 0;
  text[0] = 0;
  for (int k = 0; k < FIELDS; k++) {
    int value = *place(&t, &fields[k]);
    if (!value || used >= room) continue;
    const char *gap = used ? " " : "";
    int written = fields[k].words ? snprintf(text + used, room - used, "%s%s=%s", gap, fields[k].name,
                                             fields[k].words[value - 1])
                                  : snprintf(text + used, room - used, "%s%s=%d", gap, fields[k].name, value);
    if (written > 0) used += (size_t)written;
  }
}

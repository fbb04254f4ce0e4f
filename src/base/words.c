#include "base/words.h"

#include "base/text.h"

#include <string.h>

/* ---- words ---- */

int hb_words_any(struct hb_words words) { return words.array || words.at; }

const char *hb_words_at(struct hb_words words, size_t k) { return words.at ? words.at(k) : words.array[k]; }

int hb_words_find(struct hb_words words, const char *word)
{
  if (words.also[0] && strcmp(words.also[0], word) == 0) word = words.also[1];
  for (int k = 0; hb_words_at(words, (size_t)k); k++)
    if (strcmp(hb_words_at(words, (size_t)k), word) == 0) return k;
  return -1;
}

struct hb_near hb_near_to(const char *word) { return (struct hb_near){word, NULL, 2 + strlen(word) / 4}; }

void hb_near_try(struct hb_near *near, const char *candidate)
{
  size_t distance = hb_text_distance(near->word, candidate);
  if (distance >= near->least || distance >= strlen(candidate)) return;
  near->least = distance;
  near->best = candidate;
}

const char *hb_words_join(struct hb_words words, char all[HB_WORDS_LENGTH])
{
  const char *word;
  *all = 0;
  for (size_t k = 0; (word = hb_words_at(words, k)) && strlen(all) + strlen(word) + 3 < HB_WORDS_LENGTH; k++)
    strcat(strcat(all, k ? ", " : ""), word);
  return all;
}

enum hb_status hb_words_unknown(struct hb_words words, const char *word)
{
  const char *what = words.what ? words.what : "value";
  char all[HB_WORDS_LENGTH];
  struct hb_near near = hb_near_to(word);
  for (size_t k = 0; hb_words_at(words, k); k++) hb_near_try(&near, hb_words_at(words, k));
  if (near.best) return hb_fail(HB_ERR_USAGE, "unknown %s '%s'; did you mean '%s'?", what, word, near.best);
  return hb_fail(HB_ERR_USAGE, "unknown %s '%s' (expected one of %s)", what, word, hb_words_join(words, all));
}

/* ---- lists ---- */

enum hb_status hb_list_split(const char *text, const char *separators, struct hb_list *list)
{
  list->count = 0;
  if (strlen(text) >= sizeof list->text)
    return hb_fail(HB_ERR_USAGE, "the list '%.40s...' is too long", text);
  strcpy(list->text, text);
  char *rest = NULL;
  for (char *w = strtok_r(list->text, separators, &rest); w; w = strtok_r(NULL, separators, &rest)) {
    if (list->count == HB_LIST_WORDS)
      return hb_fail(HB_ERR_USAGE, "the list '%s' has more than %d words", text, HB_LIST_WORDS);
    list->words[list->count++] = w;
  }
  return list->count ? HB_OK : hb_fail(HB_ERR_USAGE, "the list '%s' is empty", text);
}

int hb_list_has(const struct hb_list *list, const char *word)
{
  for (size_t k = 0; k < list->count; k++)
    if (strcmp(list->words[k], word) == 0) return 1;
  return 0;
}

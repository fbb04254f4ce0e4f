#include "console/list.h"

#include "console/opts.h"

#include <stdlib.h>
#include <string.h>

enum hb_status hb_list_split(const char *text, const char *separators, struct hb_list *list)
{
  list->count = 0;
  if (strlen(text) >= sizeof list->room)
    return hb_fail(HB_ERR_USAGE, "the list '%.40s...' is too long", text);
  strcpy(list->room, text);
  char *rest = NULL;
  for (char *w = strtok_r(list->room, separators, &rest); w; w = strtok_r(NULL, separators, &rest)) {
    if (list->count == HB_LIST_WORDS)
      return hb_fail(HB_ERR_USAGE, "the list '%s' has more than %d words", text, HB_LIST_WORDS);
    list->words[list->count++] = w;
  }
  return list->count ? HB_OK : hb_fail(HB_ERR_USAGE, "the list '%s' is empty", text);
}

enum hb_status hb_list_choose(const char *text, const char *what, const char *(*choice)(size_t k),
                              struct hb_list *list)
{
  HB_TRY(hb_list_split(text, ",", list));
  for (size_t w = 0; w < list->count; w++) {
    size_t k = 0;
    while (choice(k) && strcmp(choice(k), list->words[w]) != 0) k++;
    if (!choice(k)) return hb_opts_unknown(what, list->words[w], choice);
  }
  return HB_OK;
}

enum hb_status hb_list_counts(const char *option, const char *text, size_t least, size_t n[HB_LIST_WORDS],
                              size_t *count)
{
  struct hb_list list;
  HB_TRY(hb_list_split(text, ",", &list));
  for (size_t k = 0; k < list.count; k++) {
    uint64_t number;
    enum hb_status status = hb_text_count(list.words[k], &number);
    if (status != HB_OK) return hb_fail_in(status, option);
    if (number < least)
      return hb_fail(HB_ERR_USAGE, "%s: '%s' is out of range (expected at least %zu)", option, list.words[k],
                     least);
    n[k] = number;
  }
  *count = list.count;
  return HB_OK;
}

enum hb_status hb_list_sizes(const char *text, size_t n[HB_LIST_WORDS], size_t *count)
{
  return hb_list_counts("option --n", text, 2, n, count);
}

enum hb_status hb_list_pixels(const char *text, int least, int most, int *width, int *height)
{
  char *end;
  long w = strtol(text, &end, 10), h = *end == 'x' ? strtol(end + 1, &end, 10) : 0;
  if (*end || w < least || h < least || w > most || h > most)
    return hb_fail(HB_ERR_USAGE,
                   "option --size: '%s' is no size (expected WIDTHxHEIGHT like 1920x1080, each %d to %d)",
                   text, least, most);
  *width = (int)w;
  *height = (int)h;
  return HB_OK;
}

int hb_list_has(const struct hb_list *list, const char *word)
{
  for (size_t k = 0; k < list->count; k++)
    if (strcmp(list->words[k], word) == 0) return 1;
  return 0;
}

#include "force/split_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum hb_status hb_split_words_parse(const char *text, hb_split_words_taker take, void *plan, char *others)
{
  char copy[HB_SPLIT_WORDS], *rest = NULL;
  *others = 0;
  if (!text) return HB_OK;
  if (strlen(text) >= sizeof copy) return hb_fail(HB_ERR_USAGE, "the tuning '%.40s...' is too long", text);
  strcpy(copy, text);
  for (char *word = strtok_r(copy, " ,", &rest); word; word = strtok_r(NULL, " ,", &rest)) {
    int is_own = 1;
    HB_TRY(take(word, plan, &is_own));
    if (!is_own) hb_split_words_append(word, "", HB_SPLIT_WORDS, others);
  }
  return HB_OK;
}

const char *hb_split_words_value(const char *word, const char *name)
{
  size_t length = strlen(name);
  return strncmp(word, name, length) == 0 && word[length] == '=' ? word + length + 1 : NULL;
}

enum hb_status hb_split_words_bound(const char *word, const char *value, size_t *bound)
{
  char *end;
  unsigned long long number = strtoull(value, &end, 10);
  if (strcmp(value, "all") == 0)
    *bound = HB_SPLIT_WORDS_ALL;
  else if (*value >= '0' && *value <= '9' && *end == 0 && number > 0 && number < HB_SPLIT_WORDS_ALL)
    *bound = (size_t)number;
  else
    return hb_fail(HB_ERR_USAGE, "unknown tuning '%s': expected a number of sinks from 1 on, or all", word);
  return HB_OK;
}

void hb_split_words_append(const char *name, const char *value, size_t room, char *text)
{
  size_t used = strlen(text);
  snprintf(text + used, room - used, "%s%s%s", used ? " " : "", name, value);
}

void hb_split_words_append_bound(const char *name, size_t bound, size_t room, char *text)
{
  char value[24] = "all";
  if (bound == 0) return;
  if (bound != HB_SPLIT_WORDS_ALL) snprintf(value, sizeof value, "%zu", bound);
  hb_split_words_append(name, value, room, text);
}

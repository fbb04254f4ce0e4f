#include "console/models.h"

#include <string.h>
#include <unistd.h>

const char *hb_models_name(size_t k)
{
  size_t count;
  const struct hb_ic_model *models = hb_ic_models(&count);
  return k < count ? models[k].name : NULL;
}

const struct hb_words hb_models_words = {.at = hb_models_name, .what = "model"};

const struct hb_ic_model *hb_models_find(const char *name)
{
  size_t count;
  const struct hb_ic_model *models = hb_ic_models(&count);
  for (size_t k = 0; k < count; k++)
    if (strcmp(models[k].name, name) == 0) return &models[k];
  return NULL;
}

enum hb_status hb_models_check(const char *word)
{
  if (hb_models_find(word) || strpbrk(word, "./") || strcmp(word, "-") == 0 || access(word, F_OK) == 0)
    return HB_OK;
  return hb_words_unknown(hb_models_words, word);
}

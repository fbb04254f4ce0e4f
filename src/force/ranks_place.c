#include "force/ranks_place.h"

#include "base/log.h"
#include "base/mem.h"
#include "base/ranks.h"
#include "base/text.h"
#include "gl/gl_egl.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_named(const char *word, const char *variable)
{
  if (!word) word = getenv(variable);
  return word && *word && strcmp(word, "auto") != 0;
}

/* Whose devices have numbers. */
static int is_egl(const char *context)
{
  if (!context) context = getenv("HB_CONTEXT");
  return context && strcmp(context, "egl") == 0;
}

void hb_ranks_place_choose(struct hb_force_params *params, char device[16])
{
  enum { MOST = 32 };
  struct hb_device_info devices[MOST];
  const struct hb_force_ops *ops = params->scheme ? hb_force_find(params->scheme) : NULL;
  size_t count, gpus = 0;
  if (hb_ranks_count() == 1 || (ops && ops->info.on_host) || is_named(params->device, "HB_DEVICE") ||
      (is_named(params->context, "HB_CONTEXT") && !is_egl(params->context)))
    return;
  hb_gl_egl_devices(MOST, devices, &count);
  for (size_t k = 0; k < count; k++)
    if (!devices[k].software) devices[gpus++] = devices[k];
  if (gpus == 0) return;
  snprintf(device, 16, "%d", devices[(size_t)hb_ranks_local() % gpus].index);
  params->device = device;
}

enum hb_status hb_ranks_place_agree(enum hb_status status, const struct hb_force_ops **ops)
{
  char name[32] = "";
  if (hb_ranks_count() == 1) return status;
  HB_TRY(hb_ranks_agree(status));
  snprintf(name, sizeof name, "%s", (*ops)->info.name);
  HB_TRY(hb_ranks_share(name, sizeof name));
  *ops = hb_force_find(name);
  return HB_OK; /* the programs are the same */
}

/* Compared as bytes. */
struct place {
  char machine[64], device[192], place[64];
};

static int is_same(const struct place *a, const struct place *b) { return memcmp(a, b, sizeof *a) == 0; }

static enum hb_status append_ranks(int count, const struct place *places, int first, struct hb_text *line)
{
  int several = 0;
  for (int k = first; k < count; k++)
    if (is_same(&places[k], &places[first])) HB_TRY(hb_text_append(line, several++ ? ", %d" : "%d", k));
  return HB_OK;
}

static enum hb_status log_place(int count, const struct place *places, int first)
{
  const struct place *at = &places[first];
  struct hb_text ranks = {0};
  enum hb_status status = append_ranks(count, places, first, &ranks);
  if (status == HB_OK)
    hb_log_warn("rank%s %s of %d on %s: %s%s%s", strchr(ranks.text, ',') ? "s" : "", ranks.text, count,
                at->machine, at->device, *at->place ? ", " : "", at->place);
  hb_mem_free(ranks.text);
  return status;
}

static enum hb_status log_places(int count, const struct place *places)
{
  for (int k = 0; k < count; k++) {
    int first = 0;
    while (!is_same(&places[first], &places[k])) first++;
    if (first == k) HB_TRY(log_place(count, places, k));
  }
  return HB_OK;
}

enum hb_status hb_ranks_place_report(const char *device, const char *place)
{
  struct place mine, *all;
  int count = hb_ranks_count();
  memset(&mine, 0, sizeof mine);
  snprintf(mine.machine, sizeof mine.machine, "%s", hb_ranks_machine());
  snprintf(mine.device, sizeof mine.device, "%s", device);
  snprintf(mine.place, sizeof mine.place, "%s", place);
  HB_TRY(HB_ALLOC((size_t)count, &all));
  enum hb_status status = hb_ranks_gather(sizeof mine / sizeof(uint64_t), &mine, all);
  if (status == HB_OK && hb_ranks_number() == 0) status = log_places(count, all);
  hb_mem_free(all);
  return status;
}

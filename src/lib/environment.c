#include "lib/environment.h"

#include "base/mem.h"
#include "base/text.h"
#include "force/force.h"
#include "gl/gl_egl.h"

#include <stdio.h>
#include <stdlib.h>

/* GRAPE-6 computed forces on 48 particles at once: programs have arrays for that many, and some take a larger number for
 * another machine's. The other is that of sapporo2, the largest that a program is known to have arrays for. */
enum { USUAL_PIPES = 48, MOST_PIPES = 16384 };

enum { DEVICES_MOST = 64 };

static const char *word_of(const char *name)
{
  const char *value = getenv(name);
  return value && *value ? value : NULL;
}

int hb_environment_is_quiet(void) { return word_of("HB_G6_QUIET") != NULL; }

int hb_environment_pipes(void)
{
  const char *word = word_of("HB_G6_NPIPES");
  uint64_t number;
  if (!word || hb_text_count(word, &number) != HB_OK || number < 1) return USUAL_PIPES;
  return number < MOST_PIPES ? (int)number : MOST_PIPES;
}

/* The number in EGL's list of the GPU for board k: the k-th, and from the first again where there are fewer. */
static enum hb_status nth_gpu(int board, size_t room, char *device)
{
  struct hb_device_info *all;
  size_t count = 0, gpus = 0;
  HB_TRY(HB_ALLOC(DEVICES_MOST, &all));
  hb_gl_egl_devices(DEVICES_MOST, all, &count);
  for (size_t k = 0; k < count; k++)
    if (!all[k].software) all[gpus++] = all[k];
  if (gpus > 1) snprintf(device, room, "%d", all[(size_t)board % gpus].index);
  hb_mem_free(all);
  return HB_OK;
}

/* HB_G6_DEVICES has a device for each board; HB_DEVICE is one for all. Board 0 takes the best one, as everywhere. */
static enum hb_status choose_device(int board, size_t room, char *device)
{
  const char *list = word_of("HB_G6_DEVICES");
  if (!list) return board == 0 || word_of("HB_DEVICE") ? HB_OK : nth_gpu(board, room, device);
  char line[512];
  const char *words[DEVICES_MOST];
  snprintf(line, sizeof line, "%s", list);
  int count = hb_text_words(line, " ,", DEVICES_MOST, words);
  if (count > 0) snprintf(device, room, "%s", words[board % count]);
  return HB_OK;
}

/* Sources that stay on the device: not hybrid, which `auto` means on a GPU, as it sends all of them for each call. Without a
 * GPU host-simd, or host for what that lacks. */
static const char *choose_scheme(const char *device, const char *precision)
{
  static const struct hb_force_ops *const choices[] = {[HB_GL_NO_GPU] = &hb_force_host_simd,
                                                       [HB_GL_GPU] = &hb_force_bag,
                                                       [HB_GL_GPU_COMPUTE] = &hb_force_tile};
  const struct hb_gl_context_params place = {.device = *device ? device : NULL};
  struct hb_gl_context *gl = NULL;
  if (hb_gl_context_open_gpu(&place, &gl) != HB_OK) gl = NULL;
  const struct hb_force_scheme *info = &choices[hb_gl_context_gpu(gl)]->info;
  hb_gl_context_close(gl);
  if (info == &hb_force_host_simd.info && !hb_text_is_listed(precision, info->precisions))
    info = &hb_force_host.info;
  return info->name;
}

enum hb_status hb_environment_read(int board, enum hb_precision usual, struct hb_environment *words)
{
  const char *scheme = word_of("HB_G6_SCHEME"), *precision = word_of("HB_G6_PRECISION");
  *words = (struct hb_environment){.is_chosen = precision != NULL};
  const struct hb_force_scheme *found = scheme ? hb_force_scheme_find(scheme) : NULL;
  if (!found || !found->on_host) HB_TRY(choose_device(board, sizeof words->device, words->device));
  const char *wanted = precision ? precision : hb_precision_names[usual],
             *ds = hb_precision_names[HB_PRECISION_DS];
  if (!scheme) scheme = choose_scheme(words->device, wanted);
  snprintf(words->scheme, sizeof words->scheme, "%s", scheme);
  /* a scheme that lacks the usual one computes in what it has, unless told otherwise */
  found = hb_force_scheme_find(scheme);
  if (!precision && found && !hb_text_is_listed(wanted, found->precisions))
    wanted = hb_text_is_listed(ds, found->precisions) ? ds : "";
  snprintf(words->precision, sizeof words->precision, "%s", wanted);
  return HB_OK;
}

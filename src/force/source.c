/* The list of sources of forces, and choosing one by name. */
#include "force/source.h"

#include "base/parallel.h"
#include "base/text.h"
#include "gl/gl_context.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#define LISTED(name) &hb_force_##name,
static const struct hb_force_ops *const registry[] = {HB_FORCE_SOURCES(LISTED)};
enum { COUNT = sizeof registry / sizeof *registry };

#define PREDICTS "all/host/host all/gpu/host block/gpu/host"

/* Facts from the source and, where it uses the all-pairs engine, from the engine's scheme. */
static void complete(const struct hb_force_ops *ops, struct hb_force_scheme *scheme)
{
  const struct hb_pairs_scheme *pairs = ops->pairs;
  *scheme = ops->info;
  if (!scheme->modes) scheme->modes = "all/host/host";
  if (!pairs) return;
  scheme->summary = pairs->summary;
  scheme->source = pairs->source;
  scheme->modes = pairs->totals ? PREDICTS " block/gpu/gpu" : PREDICTS;
  scheme->flops_per_pair = HB_INTERACTION_GRAVITY->flops;
  scheme->is_compute = pairs->is_compute;
  scheme->is_historic = pairs->is_historic;
  scheme->has_tuning = pairs->has_tuning;
}

static struct hb_force_scheme infos[COUNT];

static void fill_infos(void)
{
  for (size_t k = 0; k < COUNT; k++) complete(registry[k], &infos[k]);
}

const struct hb_force_scheme *hb_force_schemes(size_t *count)
{
  static pthread_once_t filled = PTHREAD_ONCE_INIT;
  pthread_once(&filled, fill_infos);
  *count = COUNT;
  return infos;
}

const struct hb_force_ops *hb_force_find(const char *name)
{
  for (size_t k = 0; k < COUNT; k++)
    if (strcmp(registry[k]->info.name, name) == 0) return registry[k];
  return NULL;
}

const struct hb_force_scheme *hb_force_scheme_find(const char *name)
{
  size_t count;
  const struct hb_force_scheme *schemes = hb_force_schemes(&count); /* with their modes */
  for (size_t k = 0; k < count; k++)
    if (strcmp(schemes[k].name, name) == 0) return &schemes[k];
  return NULL;
}

/* With the known names. */
static enum hb_status unknown_scheme(const char *name)
{
  char known[512];
  size_t used = 0;
  for (size_t k = 0; k < COUNT && used < sizeof known; k++)
    used += (size_t)snprintf(known + used, sizeof known - used, "%s, ", registry[k]->info.name);
  return hb_fail(HB_ERR_USAGE, "unknown scheme '%s' (expected %sauto)", name, known);
}

/* What "auto" means on such a GPU, for a precision (NULL: any): a GPU takes the large blocks in double-single; without one,
 * as a software renderer is slower than the host's own loop, the host computes in full double. */
static const struct hb_force_ops *automatic_scheme(enum hb_gl_gpu gpu, const char *precision)
{
  static const struct hb_force_ops *const choices[][3] = {
      [HB_GL_NO_GPU] = {&hb_force_host, &hb_force_host_simd, &hb_force_bag},
      [HB_GL_GPU] = {&hb_force_hybrid, &hb_force_bag},
      [HB_GL_GPU_COMPUTE] = {&hb_force_hybrid, &hb_force_tile}};
  for (int k = 0; precision && k < 3 && choices[gpu][k]; k++)
    if (hb_text_is_listed(precision, choices[gpu][k]->info.precisions)) return choices[gpu][k];
  return choices[gpu][0];
}

const char *hb_force_auto_summary(void)
{
  return "hybrid on a GPU, host without one; with a precision that it lacks, the fastest that has it";
}

static int is_gravity(const struct hb_force_params *params)
{
  const char *name = params->interaction;
  if (!name) return !params->custom_interaction || params->custom_interaction == HB_INTERACTION_GRAVITY;
  return strcmp(name, HB_INTERACTION_GRAVITY->name) == 0;
}

/* For a scheme that opens none of them. */
static enum hb_status check_devices(struct hb_gl_context_params *place, const struct hb_gl_devices *devices)
{
  HB_TRY(hb_gl_context_check_params(place));
  for (int k = 1; k < devices->count; k++) {
    place->device = devices->name[k];
    HB_TRY(hb_gl_context_check_params(place));
  }
  return HB_OK;
}

enum hb_status hb_source_choose(const struct hb_force_params *params, struct hb_gl_context **gl,
                                const struct hb_force_ops **ops)
{
  struct hb_gl_devices devices;
  *gl = NULL;
  HB_TRY(hb_gl_devices_named(params->device, &devices));
  struct hb_gl_context_params place = hb_force_place(params);
  if (devices.count) place.device = devices.name[0];
  int automatic = !params->scheme || strcmp(params->scheme, "auto") == 0;
  if (automatic && hb_gl_context_open_gpu(&place, gl) != HB_OK) *gl = NULL;
  enum hb_gl_gpu gpu = hb_gl_context_gpu(*gl);
  *ops = !automatic                                 ? hb_force_find(params->scheme)
         : devices.count == 0 && is_gravity(params) ? automatic_scheme(gpu, params->precision)
         : gpu == HB_GL_GPU_COMPUTE                 ? &hb_force_tile
                                                    : &hb_force_bag;
  if (!*ops) return unknown_scheme(params->scheme);
  return (*ops)->info.on_host ? check_devices(&place, &devices) : HB_OK; /* else opening says what is wrong */
}

void hb_force_name_processor(const char *before, const char *behind, size_t room, char *device)
{
  struct utsname machine;
  uname(&machine);
  snprintf(device, room, "%s%s%s, %d thread%s", before, machine.machine, behind, hb_parallel_threads(),
           hb_text_s((uint64_t)hb_parallel_threads()));
}

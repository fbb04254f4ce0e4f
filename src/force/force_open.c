/* The list of sources of forces, choosing and opening one, and what is known of it. */
#include "force/force_handle.h"

#include "base/ieee.h"
#include "base/mem.h"
#include "base/ranks.h"
#include "base/text.h"
#include "force/force.h"
#include "force/force_ranks.h"
#include "force/split.h"
#include "gl/gl_context.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* ---- the list ---- */

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
  struct hb_text known = {0};
  enum hb_status status = HB_OK;
  for (size_t k = 0; k < COUNT && status == HB_OK; k++)
    status = hb_text_append(&known, "%s, ", registry[k]->info.name);
  if (status == HB_OK)
    status = hb_fail(HB_ERR_USAGE, "unknown scheme '%s' (expected %sauto)", name, known.text);
  hb_mem_free(known.text);
  return status;
}

const struct hb_force_ops *hb_force_auto(enum hb_gl_gpu gpu, const char *precision)
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

/* The source that params->scheme names, or that "auto" means on this machine: then *gl is the context, if any, that was
 * opened to find out, which belongs to the caller. Errors: HB_ERR_USAGE, with the known names. */
static enum hb_status choose_scheme(const struct hb_force_params *params, struct hb_gl_context **gl,
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
         : devices.count == 0 && is_gravity(params) ? hb_force_auto(gpu, params->precision)
         : gpu == HB_GL_GPU_COMPUTE                 ? &hb_force_tile
                                                    : &hb_force_bag;
  if (!*ops) return unknown_scheme(params->scheme);
  return (*ops)->info.on_host ? check_devices(&place, &devices) : HB_OK; /* else opening says what is wrong */
}

/* Of its precisions the wanted one, or (NULL) the first. */
static enum hb_status choose_precision(const struct hb_force_scheme *scheme, const char *wanted,
                                       enum hb_precision *precision)
{
  char first[16];
  const char *known = scheme->precisions;
  if (wanted && !hb_text_is_listed(wanted, known))
    return hb_fail(HB_ERR_USAGE, "scheme %s has no precision '%s' (expected one of: %s)", scheme->name,
                   wanted, known);
  snprintf(first, sizeof first, "%.*s", (int)strcspn(known, " "), known);
  *precision = hb_precision_find(wanted ? wanted : first);
  return HB_OK;
}

/* ---- opening ---- */

/* Copies an optional string of the caller's. */
static const char *keep(const char *text, size_t room, char *copy)
{
  if (!text) return NULL;
  snprintf(copy, room, "%s", text);
  return copy;
}

/* Gravity, or another interaction that the source accepts: one of the program's, the caller's, or that of a file. */
static enum hb_status choose_interaction(struct hb_force *f, const struct hb_force_params *params)
{
  const char *name = params->interaction;
  double parameter[4];
  if (name && hb_interaction_is_path(name)) HB_TRY(hb_interaction_create(name, &f->own_interaction));
  f->interaction = f->own_interaction           ? f->own_interaction
                   : params->custom_interaction ? params->custom_interaction
                   : name                       ? hb_interaction_find(name)
                                                : HB_INTERACTION_GRAVITY;
  if (!f->interaction) return hb_interaction_unknown(name);
  if (!f->scheme->takes_interactions && f->interaction != HB_INTERACTION_GRAVITY)
    return hb_fail(HB_ERR_USAGE, "scheme %s computes gravity_jerk only, not %s", f->scheme->info.name,
                   f->interaction->name);
  if (!hb_interaction_is_integrable(f->interaction))
    return hb_fail(
        HB_ERR_USAGE,
        "interaction %s cannot be integrated: its particle is not (x, y, z, m) (vx, vy, vz, -), or its "
        "force not (ax, ay, az, phi) (jx, jy, jz, -)",
        f->interaction->name);
  HB_TRY(hb_interaction_set(f->interaction, params->eps, params->parameters, parameter));
  if (params->parameters) HB_TRY(hb_mem_strdup(params->parameters, &f->parameters));
  f->params.parameters = f->parameters;
  f->params.custom_interaction = f->interaction;
  f->params.interaction = f->interaction->name;
  return HB_OK;
}

/* One device, or several around the scheme. */
static enum hb_status choose_devices(struct hb_force *f)
{
  struct hb_gl_devices devices;
  if (f->scheme->info.on_host) return HB_OK; /* choose_scheme has checked the names */
  HB_TRY(hb_gl_devices_named(f->params.device, &devices));
  if (devices.count == 0) return HB_OK;
  if (!f->scheme->pairs)
    return hb_fail(HB_ERR_USAGE,
                   "scheme %s works on one device, not on several (bag, tile and matrix2004 do)",
                   f->scheme->info.name);
  f->inner = f->ops = &hb_force_devices;
  return HB_OK;
}

/* What was written by several devices or ranks may be resumed by one: it does not know the words of their plans. */
static enum hb_status choose_tuning(struct hb_force *f, const char *words)
{
  struct hb_devices_plan plan;
  struct hb_ranks_split split;
  if (words && f->inner != &hb_force_devices) {
    HB_TRY(hb_devices_plan_parse(words, &plan));
    words = *plan.others ? plan.others : NULL;
  }
  HB_TRY(hb_ranks_split_parse(words, hb_ranks_count(), &split));
  if (words && hb_ranks_count() == 1) words = *split.others ? split.others : NULL;
  f->params.tuning = keep(words, sizeof f->tuning, f->tuning);
  return HB_OK;
}

/* The scheme whose first precision is the default: what auto chooses on several devices stands for hybrid on one. */
static const struct hb_force_scheme *like(const struct hb_force *f, const struct hb_force_params *params)
{
  int automatic = !params->scheme || strcmp(params->scheme, "auto") == 0;
  int stands_for_hybrid = f->inner == &hb_force_devices && automatic && !params->precision;
  return stands_for_hybrid ? &hb_force_hybrid.info : &f->scheme->info;
}

/* By the scheme, by several devices or by several ranks. */
static enum hb_status open_ops(struct hb_force *f, struct hb_gl_context *gl)
{
  if (hb_ranks_count() == 1) return f->ops->open(&f->params, gl, &f->state);
  hb_force_ranks_around(f->inner, &f->shared);
  f->ops = &f->shared;
  return hb_force_ranks_open(f->inner, &f->params, gl, &f->state);
}

static enum hb_status open_source(struct hb_force *f, const struct hb_force_params *params,
                                  struct hb_gl_context *gl)
{
  f->params = *params;
  f->params.scheme = f->scheme->info.name;
  f->params.context = keep(params->context, sizeof f->context, f->context);
  f->params.device = keep(params->device, sizeof f->device, f->device);
  HB_TRY(choose_devices(f));
  HB_TRY(choose_tuning(f, params->tuning));
  HB_TRY(choose_precision(like(f, params), params->precision, &f->precision));
  f->params.precision = hb_precision_names[f->precision];
  HB_TRY(choose_interaction(f, params));
  if (hb_precisions[f->precision].is_fixed) HB_TRY(hb_rescale_create(&f->rescale));
  f->openings = 1;
  HB_TRY(open_ops(f, gl));
  return hb_precisions[f->precision].is_fixed ? hb_ieee_check() : HB_OK; /* now that the driver is loaded */
}

static enum hb_status check_eps(double eps)
{
  if (isfinite(eps) && eps >= 0) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "the softening is %g, expected finite and >= 0", eps);
}

enum hb_status hb_force_open(const struct hb_force_params *given, struct hb_force **force)
{
  HB_GL_VISIT;
  char device[16];
  *force = NULL;
  if (!given) return hb_fail(HB_ERR_USAGE, "no parameters (NULL); all 0 are the defaults");
  struct hb_force_params params = *given;
  HB_TRY(check_eps(params.eps));
  if (!isfinite(params.max_draw_s) || params.max_draw_s < 0)
    return hb_fail(HB_ERR_USAGE, "the longest draw is %g s, expected finite and >= 0", params.max_draw_s);
  const struct hb_force_ops *scheme = NULL;
  struct hb_gl_context *gl;
  struct hb_force *f = NULL;
  hb_ranks_place_choose(&params, device);
  enum hb_status status = hb_ranks_place_agree(choose_scheme(&params, &gl, &scheme), &scheme);
  if (status == HB_OK) status = HB_ALLOC(1, &f);
  if (status == HB_OK) {
    f->ops = f->inner = f->scheme = scheme;
    status = open_source(f, &params, gl);
  }
  hb_gl_context_close(gl);
  if (status != HB_OK) {
    hb_force_close(f);
    return status;
  }
  *force = f;
  return HB_OK;
}

void hb_force_close(struct hb_force *force)
{
  HB_GL_VISIT;
  if (!force) return;
  force->ops->close(force->state);
  hb_force_free_jobs(force);
  hb_rescale_destroy(force->rescale);
  hb_interaction_destroy(force->own_interaction);
  hb_mem_free(force->parameters);
  hb_mem_free(force);
}

enum hb_status hb_force_check_idle(const struct hb_force *force)
{
  return force->is_under_way ? hb_fail(HB_ERR_USAGE, "a call is under way: hb_force_finish it first") : HB_OK;
}

double hb_force_eps(const struct hb_force *force) { return force->params.eps; }

enum hb_status hb_force_set_eps(struct hb_force *force, double eps)
{
  HB_TRY(check_eps(eps));
  HB_TRY(hb_force_check_idle(force));
  if (eps == force->params.eps) return HB_OK;
  if (!force->ops->set_eps)
    return hb_fail(HB_ERR_USAGE, "scheme %s keeps the softening it was opened with",
                   force->scheme->info.name);
  if (force->rescale)
    return hb_fail(HB_ERR_USAGE, "precision %s keeps the softening it was opened with",
                   hb_force_precision(force));
  if (force->state) force->ops->set_eps(force->state, eps); /* else the device failed: it is opened again */
  force->params.eps = eps;
  return HB_OK;
}

const struct hb_force_scheme *hb_force_scheme(const struct hb_force *force)
{
  return hb_force_scheme_find(force->scheme->info.name);
}
const struct hb_precision_facts *hb_force_facts(const struct hb_force *force)
{
  return &hb_precisions[force->precision];
}
const struct hb_interaction *hb_force_interaction(const struct hb_force *force) { return force->interaction; }
const char *hb_force_parameters(const struct hb_force *force) { return force->parameters; }
int hb_force_position_bits(const char *precision)
{
  enum hb_precision found = hb_precision_find(precision);
  return found < HB_PRECISION_NAMES ? hb_precisions[found].position_bits : 0;
}
int hb_force_is_reproducible(const char *precision)
{
  enum hb_precision found = hb_precision_find(precision);
  return found < HB_PRECISION_NAMES && hb_precisions[found].is_fixed;
}
const char *hb_force_precision(const struct hb_force *force) { return hb_precision_names[force->precision]; }
const char *hb_force_tuning(const struct hb_force *force)
{
  return force->ops->tuning ? force->ops->tuning(force->state) : "";
}
struct hb_gl_context *hb_force_gl(const struct hb_force *force)
{
  const struct hb_force_ops *ops = force->ops;
  return ops->gl && force->state ? (struct hb_gl_context *)ops->gl(force->state) : NULL;
}
unsigned hb_force_openings(const struct hb_force *force) { return force->openings; }
const char *hb_force_context(const struct hb_force *force)
{
  const struct hb_gl_context *gl = hb_force_gl(force);
  return gl ? gl->backend->name : "none";
}
const char *hb_force_device(const struct hb_force *force)
{
  const struct hb_force_ops *ops = force->ops;
  return ops->device ? ops->device(force->state) : ops->gl(force->state)->caps.renderer;
}

/* A new context and smaller draws: what a driver dropped for taking too long may succeed in pieces. The tuning stays. */
enum hb_status hb_force_open_again(struct hb_force *force)
{
  static const double usual = 0.05;
  const char *words = hb_force_tuning(force);
  if (*words) force->params.tuning = keep(words, sizeof force->tuning, force->tuning);
  force->ops->close(force->state);
  force->state = NULL;
  force->nj = force->kept = 0;
  force->is_under_way = 0;
  force->openings++;
  double longest = force->params.max_draw_s > 0 ? force->params.max_draw_s : usual;
  force->params.max_draw_s = longest / 4;
  return open_ops(force, NULL);
}

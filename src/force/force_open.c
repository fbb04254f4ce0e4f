/* Opening a source of forces, and what is known of it. */
#include "force/force_handle.h"

#include "base/ieee.h"
#include "base/mem.h"
#include "base/ranks.h"
#include "force/split.h"
#include "force/force_ranks.h"
#include "gl/gl_devices.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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
  if (f->scheme->info.on_host) return HB_OK; /* hb_force_choose has checked the names */
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
  HB_TRY(hb_force_choose_precision(like(f, params), params->precision, &f->precision));
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
  enum hb_status status = hb_ranks_place_agree(hb_force_choose(&params, &gl, &scheme), &scheme);
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

/* Opening a source of forces, and what is known of it. */
#include "force/force_handle.h"

#include "base/mem.h"

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
  if (!f->ops->takes_interactions && f->interaction != HB_INTERACTION_GRAVITY)
    return hb_fail(HB_ERR_USAGE, "scheme %s computes gravity_jerk only, not %s", f->ops->info.name,
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

static enum hb_status open_source(struct hb_force *f, const struct hb_force_params *params,
                                  struct hb_gl_context *gl)
{
  f->params = *params;
  f->params.scheme = f->ops->info.name;
  f->params.context = keep(params->context, sizeof f->context, f->context);
  f->params.device = keep(params->device, sizeof f->device, f->device);
  f->params.tuning = keep(params->tuning, sizeof f->tuning, f->tuning);
  HB_TRY(hb_force_choose_precision(&f->ops->info, params->precision, &f->precision));
  f->params.precision = hb_precision_names[f->precision];
  HB_TRY(choose_interaction(f, params));
  f->openings = 1;
  return f->ops->open(&f->params, gl, &f->state);
}

static enum hb_status check_eps(double eps)
{
  if (isfinite(eps) && eps >= 0) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "the softening is %g, expected finite and >= 0", eps);
}

enum hb_status hb_force_open(const struct hb_force_params *params, struct hb_force **force)
{
  HB_GL_VISIT;
  *force = NULL;
  HB_TRY(check_eps(params->eps));
  if (!isfinite(params->max_draw_s) || params->max_draw_s < 0)
    return hb_fail(HB_ERR_USAGE, "the longest draw is %g s, expected finite and >= 0", params->max_draw_s);
  const struct hb_force_ops *ops;
  struct hb_gl_context *gl;
  struct hb_force *f = NULL;
  enum hb_status status = hb_force_choose(params, &gl, &ops);
  if (status == HB_OK) status = HB_ALLOC(1, &f);
  if (status == HB_OK) {
    f->ops = ops;
    status = open_source(f, params, gl);
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
  hb_mem_free(force->stamp);
  hb_mem_free(force->sources.xv);
  hb_points_free(&force->points);
  hb_interaction_destroy(force->own_interaction);
  hb_mem_free(force->parameters);
  hb_mem_free(force);
}

enum hb_status hb_force_check_idle(const struct hb_force *force)
{
  return force->is_under_way ? hb_fail(HB_ERR_USAGE, "a call is under way: hb_force_finish it first") : HB_OK;
}

enum hb_status hb_force_set_eps(struct hb_force *force, double eps)
{
  HB_TRY(check_eps(eps));
  HB_TRY(hb_force_check_idle(force));
  if (eps == force->params.eps) return HB_OK;
  if (!force->ops->set_eps)
    return hb_fail(HB_ERR_USAGE, "scheme %s keeps the softening it was opened with", force->ops->info.name);
  if (force->state) force->ops->set_eps(force->state, eps); /* else the device failed: it is opened again */
  force->params.eps = eps;
  return HB_OK;
}

const struct hb_force_scheme *hb_force_scheme(const struct hb_force *force)
{
  return hb_force_scheme_find(force->ops->info.name);
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
  return force->ops->open(&force->params, NULL, &force->state);
}

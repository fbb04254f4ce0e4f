#include "render/view_particles.h"

#include "base/arith.h"
#include "base/mem.h"
#include "sim/sim.h"

#include <stdio.h>
#include <stdlib.h>

enum { TEXELS = 2 }; /* (x y z m) (vx vy vz -) */

enum hb_status hb_view_particles_open(struct hb_gl_context *context, struct hb_view_particles *p)
{
  *p = (struct hb_view_particles){.context = context};
  return hb_gl_context_use(context);
}

void hb_view_particles_close(struct hb_view_particles *p)
{
  if (p->context && hb_gl_context_use(p->context) == HB_OK) {
    hb_gl_buffer_destroy(&p->records);
    hb_gl_buffer_destroy(&p->values);
    hb_gl_buffer_destroy(&p->order);
  }
  *p = (struct hb_view_particles){0};
}

/* ---- to the device ----------------------------------------------------------------------------------- */

static enum hb_status fill(const struct hb_view_particles *p, struct hb_gl_buffer *buffer,
                           enum hb_gl_format format, size_t texels, size_t texel_bytes, const void *data)
{
  const struct hb_gl_caps *caps = &p->context->caps;
  if (texels > (size_t)caps->max_texture_buffer_size)
    return hb_fail(HB_ERR_GL, "the particles need a buffer texture of %zu texels, the limit of %s is %d",
                   texels, caps->renderer, caps->max_texture_buffer_size);
  HB_TRY(hb_gl_context_use(p->context));
  hb_gl_buffer_fill(buffer, HB_GL_BY_HOST, texels * texel_bytes, data);
  hb_gl_buffer_texture(buffer, format);
  return hb_gl_context_check(p->context, "sending particles to be drawn");
}

/* The mean of every `step`-th number. */
static double mean(size_t n, const double *numbers, size_t step)
{
  double sum = 0;
  for (size_t k = 0; k < n; k++) sum += numbers[step * k];
  return sum / (double)n;
}

static void pack(size_t n, const double *m, const double *x, const double *v, const double origin[3],
                 float *out)
{
  for (size_t k = 0; k < n; k++, out += 4 * TEXELS) {
    for (size_t c = 0; c < 3; c++) {
      out[c] = (float)(x[3 * k + c] - origin[c]);
      out[4 + c] = v ? (float)v[3 * k + c] : 0;
    }
    out[3] = m ? (float)m[k] : 0;
    out[7] = 0;
  }
}

enum hb_status hb_view_particles_send(struct hb_view_particles *p, size_t n, const double *m, const double *x,
                                      const double *v, double t, const double *origin)
{
  float *records;
  double zero[3];
  p->at = (struct hb_device_particles){0};
  p->has_values = p->lent = 0;
  if (n == 0) return HB_OK;
  for (int c = 0; c < 3; c++) zero[c] = origin ? origin[c] : mean(n, x + c, 3);
  HB_TRY(HB_ALLOC(4 * TEXELS * n, &records));
  pack(n, m, x, v, zero, records);
  enum hb_status status = fill(p, &p->records, HB_GL_RGBA32F, TEXELS * n, 16, records);
  hb_mem_free(records);
  if (status != HB_OK) return status;
  for (int c = 0; c < 3; c++) p->origin[c] = zero[c];
  p->lit = n;
  p->mass = m ? mean(n, m, 1) : 0;
  p->at = (struct hb_device_particles){
      .layout = HB_DEVICE_RECORDS, .n = n, .texture = {p->records.texture.id}, .texels = TEXELS, .t = t};
  return HB_OK;
}

size_t hb_view_particles_lit(const struct hb_particles *from)
{
  const char *note = hb_particles_note(from, "dark");
  size_t n = hb_particles_n(from), dark = note ? strtoull(note, NULL, 10) : 0;
  return dark < n ? n - dark : n;
}

enum hb_status hb_view_particles_load(struct hb_view_particles *p, struct hb_particles *from,
                                      const double *origin)
{
  HB_TRY(hb_view_particles_send(p, hb_particles_n(from), hb_particles_m(from), hb_particles_x(from),
                                hb_particles_v(from), hb_particles_time(from), origin));
  p->lit = hb_view_particles_lit(from);
  p->mass = mean(p->lit, hb_particles_m(from), 1);
  return HB_OK;
}

enum hb_status hb_view_particles_lend(struct hb_view_particles *p, const struct hb_device_particles *at)
{
  if (p->has_values && p->at.n != at->n) p->has_values = 0;
  if (p->at.n != at->n) p->lit = at->n;
  p->at = *at;
  p->lent = 1;
  for (int c = 0; c < 3; c++) p->origin[c] = at->origin[c];
  return at->order ? fill(p, &p->order, HB_GL_R32UI, at->n, sizeof *at->order, at->order) : HB_OK;
}

enum hb_status hb_view_particles_follow(struct hb_view_particles *p, struct hb_sim *sim, double t)
{
  struct hb_device_particles at = {.layout = HB_DEVICE_NONE};
  struct hb_particles *state;
  if (t == hb_sim_time(sim)) hb_sim_on_device(sim, &at);
  if (at.layout != HB_DEVICE_NONE && hb_sim_device_context(sim) == p->context)
    return hb_view_particles_lend(p, &at);
  HB_TRY(hb_sim_state(sim, t, &state));
  enum hb_status status = hb_view_particles_load(p, state, NULL);
  hb_particles_destroy(state);
  return status;
}

enum hb_status hb_view_particles_values(struct hb_view_particles *p, size_t n, const double *value)
{
  float *values;
  HB_TRY(HB_ALLOC(n, &values));
  for (size_t k = 0; k < n; k++) values[k] = (float)value[k];
  enum hb_status status = fill(p, &p->values, HB_GL_R32F, n, sizeof *values, values);
  hb_mem_free(values);
  p->has_values = status == HB_OK;
  return status;
}

/* ---- for shaders ------------------------------------------------------------------------------------- */

static enum hb_status create(struct hb_gl_context *context, const char *name, int layout,
                             struct hb_gl_pass *pass)
{
  static const char *const defines[] = {"#define LAYOUT 1\n", "#define LAYOUT 2\n", "#define LAYOUT 3\n",
                                        "#define LAYOUT 3\n#define RECTANGLE\n"};
  char vertex[64], fragment[64];
  snprintf(vertex, sizeof vertex, "view/%s.vert", name);
  snprintf(fragment, sizeof fragment, "view/%s.frag", name);
  const struct hb_gl_program_source source = {
      .vertex = vertex, .fragment = fragment, .defines = defines[layout]};
  return hb_gl_pass_create(context, &source, pass);
}

enum hb_status hb_view_particles_pass(const struct hb_view_particles *p, const char *name,
                                      struct hb_gl_pass passes[HB_VIEW_PARTICLES_LAYOUTS],
                                      struct hb_gl_pass **pass)
{
  static const char *const streams[] = {"positions", "velocities", "masses"};
  const struct hb_device_particles *at = &p->at;
  int is_streams = at->layout == HB_DEVICE_STREAMS;
  int layout = is_streams ? 2 + at->rectangle : at->layout == HB_DEVICE_DOUBLES;
  struct hb_gl_pass *own = &passes[layout];
  if (!own->program) HB_TRY(create(p->context, name, layout, own));
  hb_gl_pass_int(own, "texels", at->texels);
  hb_gl_pass_int(own, "width", at->width);
  hb_gl_pass_int(own, "has_order", at->order != NULL);
  hb_gl_pass_float4(own, "drift", at->drift[0], at->drift[1], at->drift[2], 0);
  for (int k = 0; is_streams && k < 3; k++)
    hb_gl_pass_texture_id(own, streams[k], at->rectangle ? HB_GL_RECTANGLE : HB_GL_2D, at->texture[k]);
  if (!is_streams) hb_gl_pass_texture_id(own, "particles", HB_GL_BUFFER, at->texture[0]);
  hb_gl_pass_texture_id(own, "order", HB_GL_BUFFER, p->order.texture.id);
  *pass = own;
  return HB_OK;
}

void hb_view_particles_destroy_passes(struct hb_gl_pass passes[HB_VIEW_PARTICLES_LAYOUTS])
{
  for (int k = 0; k < HB_VIEW_PARTICLES_LAYOUTS; k++) hb_gl_pass_destroy(&passes[k]);
}

/* ---- where they were ---- */

enum { WIDTH = 1024 };

enum hb_status hb_trails_open(struct hb_gl_context *context, size_t n, int capacity, struct hb_trails *trails)
{
  size_t height = hb_div_ceil(n, (size_t)WIDTH);
  *trails = (struct hb_trails){.context = context,
                               .n = n,
                               .width = n < (size_t)WIDTH ? (int)n : WIDTH,
                               .height = (int)height,
                               .capacity = capacity};
  const struct hb_gl_texture_params params = {.what = "a trail",
                                              .shape = HB_GL_LAYERS,
                                              .format = HB_GL_RGBA32F,
                                              .width = trails->width,
                                              .height = trails->height,
                                              .layers = 2 * capacity};
  HB_TRY(hb_gl_context_use(context));
  HB_TRY(HB_ALLOC((size_t)capacity, &trails->t));
  return hb_gl_texture_create(context, &params, &trails->ring);
}

void hb_trails_close(struct hb_trails *trails)
{
  if (trails->context && hb_gl_context_use(trails->context) == HB_OK) {
    hb_view_particles_destroy_passes(trails->record);
    hb_gl_target_destroy(&trails->target);
    hb_gl_texture_destroy(&trails->ring);
  }
  hb_mem_free(trails->t);
  *trails = (struct hb_trails){0};
}

void hb_trails_clear(struct hb_trails *trails) { trails->count = trails->next = 0; }

void hb_trails_thin(struct hb_trails *trails, double spacing)
{
  int capacity = trails->capacity;
  if (trails->count < 2) return;
  int youngest = (trails->next + capacity - 1) % capacity, before = (youngest + capacity - 1) % capacity;
  if (trails->t[youngest] - trails->t[before] >= spacing) return;
  trails->next = youngest;
  trails->count--;
}

enum hb_status hb_trails_add(struct hb_trails *trails, const struct hb_view_particles *particles)
{
  const double *at = particles->origin, *zero = trails->origin;
  struct hb_gl_pass *pass;
  if (particles->at.n != trails->n)
    return hb_fail(HB_ERR_USAGE, "the trails belong to %zu particles, not to %zu", trails->n,
                   particles->at.n);
  HB_TRY(hb_gl_context_use(trails->context));
  if (trails->count == 0) {
    trails->t_zero = particles->at.t;
    for (int c = 0; c < 3; c++) trails->origin[c] = at[c];
  }
  HB_TRY(hb_view_particles_pass(particles, "record", trails->record, &pass));
  HB_TRY(hb_gl_target_layers(trails->context, &trails->ring, 2 * trails->next, 2, &trails->target));
  hb_gl_pass_int2(pass, "ring_size", trails->width, trails->height);
  hb_gl_pass_float4(pass, "shift", at[0] - zero[0], at[1] - zero[1], at[2] - zero[2],
                    particles->at.t - trails->t_zero);
  const struct hb_gl_vertices points = {.target = &trails->target, .count = trails->n, .are_points = 1};
  hb_gl_pass_draw_vertices(pass, &points);
  trails->t[trails->next] = particles->at.t;
  trails->next = (trails->next + 1) % trails->capacity;
  if (trails->count < trails->capacity) trails->count++;
  return hb_gl_context_check(trails->context, "adding to trails");
}

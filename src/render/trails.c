#include "render/trails.h"

#include "base/arith.h"
#include "base/mem.h"

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

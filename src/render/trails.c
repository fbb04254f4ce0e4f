#include "render/trails.h"

#include "base/mem.h"
#include "base/arith.h"
#include "gl/gl.h"
#include "render/places.h"
#include "render/view_program.h"

enum hb_status hb_trails_open(struct hb_gl_context *context, size_t n, int room, struct hb_trails *trails)
{
  int limit = context->caps.max_texture_size, width = 1024;
  *trails = (struct hb_trails){.context = context, .n = n, .room = room};
  size_t height = hb_div_ceil(n, (size_t)width);
  if (height > (size_t)limit)
    return hb_fail(HB_ERR_GL,
                   "trails of %zu particles need textures of %d x %zu texels, the limit of %s is %d", n,
                   width, height, context->caps.renderer, limit);
  trails->height = (int)height;
  trails->width = n < (size_t)width ? (int)n : width;
  HB_TRY(hb_gl_context_use(context));
  HB_TRY(HB_ALLOC((size_t)room, &trails->t));
  glGenTextures(1, &trails->texture);
  glBindTexture(GL_TEXTURE_2D_ARRAY, trails->texture);
  glTexImage3D(GL_TEXTURE_2D_ARRAY, 0, GL_RGBA32F, trails->width, trails->height, 2 * room, 0, GL_RGBA,
               GL_FLOAT, NULL);
  glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glGenFramebuffers(1, &trails->framebuffer);
  return hb_gl_context_check(context, "making room for trails");
}

void hb_trails_close(struct hb_trails *trails)
{
  if (trails->context && hb_gl_context_use(trails->context) == HB_OK) {
    hb_places_destroy(trails->context, trails->program);
    glDeleteFramebuffers(1, &trails->framebuffer);
    glDeleteTextures(1, &trails->texture);
  }
  hb_mem_free(trails->t);
  *trails = (struct hb_trails){0};
}

void hb_trails_clear(struct hb_trails *trails) { trails->count = trails->next = 0; }

enum hb_status hb_trails_add(struct hb_trails *trails, const struct hb_view_particles *particles)
{
  static const GLenum buffers[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
  unsigned program;
  if (particles->at.n != trails->n)
    return hb_fail(HB_ERR_USAGE, "the trails are of %zu particles, but now there are %zu", trails->n,
                   particles->at.n);
  HB_TRY(hb_gl_context_use(trails->context));
  if (trails->count == 0) {
    trails->t_zero = particles->at.t;
    for (int c = 0; c < 3; c++) trails->origin[c] = particles->origin[c];
  }
  HB_TRY(hb_places_use(trails->program, "record", "record", particles, &program));
  glUniform2i(glGetUniformLocation(program, "ring_size"), trails->width, trails->height);
  hb_view_set(program, "shift", particles->origin[0] - trails->origin[0],
              particles->origin[1] - trails->origin[1], particles->origin[2] - trails->origin[2],
              particles->at.t - trails->t_zero);
  glBindFramebuffer(GL_FRAMEBUFFER, trails->framebuffer);
  for (int k = 0; k < 2; k++)
    glFramebufferTextureLayer(GL_FRAMEBUFFER, buffers[k], trails->texture, 0, 2 * trails->next + k);
  glDrawBuffers(2, buffers);
  glViewport(0, 0, trails->width, trails->height);
  glDrawArrays(GL_POINTS, 0, (GLsizei)trails->n);
  trails->t[trails->next] = particles->at.t;
  trails->next = (trails->next + 1) % trails->room;
  if (trails->count < trails->room) trails->count++;
  return hb_gl_context_check(trails->context, "adding to trails");
}

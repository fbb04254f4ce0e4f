#include "render/view_particles.h"

#include "base/mem.h"
#include "gl/gl.h"

enum { RECORDS, VALUES, ORDER }; /* buffers */
enum { TEXELS = 2 };             /* (x y z m) (vx vy vz -) */

enum hb_status hb_view_particles_open(struct hb_gl_context *context, struct hb_view_particles *p)
{
  *p = (struct hb_view_particles){.context = context};
  HB_TRY(hb_gl_context_use(context));
  glGenBuffers(3, p->buffers);
  glGenTextures(1, &p->texture);
  glGenTextures(1, &p->values);
  glGenTextures(1, &p->order);
  return hb_gl_context_check(context, "preparing to draw particles");
}

void hb_view_particles_close(struct hb_view_particles *p)
{
  if (p->context && hb_gl_context_use(p->context) == HB_OK) {
    const GLuint textures[] = {p->texture, p->values, p->order};
    glDeleteTextures(3, textures);
    glDeleteBuffers(3, p->buffers);
  }
  *p = (struct hb_view_particles){0};
}

/* Fills a buffer and lays a buffer texture over it. */
static enum hb_status fill(const struct hb_view_particles *p, int which, unsigned texture, unsigned format,
                           size_t texels, size_t texel_bytes, const void *data)
{
  const struct hb_gl_caps *caps = &p->context->caps;
  if (texels > (size_t)caps->max_texture_buffer_size)
    return hb_fail(HB_ERR_GL, "the particles need a buffer texture of %zu texels, the limit of %s is %d",
                   texels, caps->renderer, caps->max_texture_buffer_size);
  HB_TRY(hb_gl_context_use(p->context));
  glBindBuffer(GL_TEXTURE_BUFFER, p->buffers[which]);
  glBufferData(GL_TEXTURE_BUFFER, (GLsizeiptr)(texels * texel_bytes), data, GL_STREAM_DRAW);
  glBindTexture(GL_TEXTURE_BUFFER, texture);
  glTexBuffer(GL_TEXTURE_BUFFER, format, p->buffers[which]);
  glBindBuffer(GL_TEXTURE_BUFFER, 0);
  return hb_gl_context_check(p->context, "sending particles to be drawn");
}

static void mean_place(size_t n, const double *x, double mean[3])
{
  for (int c = 0; c < 3; c++) {
    double sum = 0;
    for (size_t k = 0; k < n; k++) sum += x[3 * k + (size_t)c];
    mean[c] = sum / (double)n;
  }
}

static double mean_mass(size_t n, const double *m)
{
  double sum = 0;
  for (size_t k = 0; k < n; k++) sum += m[k];
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
  p->has_values = 0;
  if (n == 0) return HB_OK;
  if (origin)
    for (int c = 0; c < 3; c++) zero[c] = origin[c];
  else
    mean_place(n, x, zero);
  HB_TRY(HB_ALLOC(4 * TEXELS * n, &records));
  pack(n, m, x, v, zero, records);
  enum hb_status status = fill(p, RECORDS, p->texture, GL_RGBA32F, TEXELS * n, 16, records);
  hb_mem_free(records);
  if (status != HB_OK) return status;
  for (int c = 0; c < 3; c++) p->origin[c] = zero[c];
  p->mass = m ? mean_mass(n, m) : 0;
  p->at = (struct hb_device_particles){
      .layout = HB_DEVICE_RECORDS, .n = n, .texture = {p->texture}, .texels = TEXELS, .t = t};
  return HB_OK;
}

enum hb_status hb_view_particles_lend(struct hb_view_particles *p, const struct hb_device_particles *at)
{
  if (p->has_values && p->at.n != at->n) p->has_values = 0;
  p->at = *at;
  for (int c = 0; c < 3; c++) p->origin[c] = at->origin[c];
  return at->order ? fill(p, ORDER, p->order, GL_R32UI, at->n, sizeof *at->order, at->order) : HB_OK;
}

enum hb_status hb_view_particles_values(struct hb_view_particles *p, size_t n, const double *value)
{
  float *values;
  HB_TRY(HB_ALLOC(n, &values));
  for (size_t k = 0; k < n; k++) values[k] = (float)value[k];
  enum hb_status status = fill(p, VALUES, p->values, GL_R32F, n, sizeof *values, values);
  hb_mem_free(values);
  p->has_values = status == HB_OK;
  return status;
}

#include "gl/gl_caps.h"

#include "gl/gl.h"
#include "gl/gl_texture.h"

#include <stdio.h>
#include <string.h>

int hb_gl_is_software(const char *renderer)
{
  static const char *const names[] = {"llvmpipe",    "softpipe", "swrast",
                                      "SwiftShader", "lavapipe", "Software Rasterizer"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (strstr(renderer, names[k])) return 1;
  return 0;
}

static GLint limit(GLenum name)
{
  GLint value = 0;
  glGetIntegerv(name, &value);
  return value;
}

static int has_extension(const char *name)
{
  GLint count = limit(GL_NUM_EXTENSIONS);
  for (GLint k = 0; k < count; k++)
    if (strcmp((const char *)glGetStringi(GL_EXTENSIONS, (GLuint)k), name) == 0) return 1;
  return 0;
}

static void copy_string(GLenum name, size_t room, char *text)
{
  const GLubyte *string = glGetString(name);
  snprintf(text, room, "%s", string ? (const char *)string : "unknown");
}

static int version_of(const struct hb_gl_caps *caps) { return 10 * caps->major + caps->minor; }

static void read_desktop_caps(int version, struct hb_gl_caps *caps)
{
  caps->has_precise = version >= 40 || has_extension("GL_ARB_gpu_shader5");
  caps->has_double = version >= 40 || has_extension("GL_ARB_gpu_shader_fp64");
  caps->has_compute = caps->has_storage = version >= 43;
  caps->has_reset = version >= 45 || has_extension("GL_KHR_robustness");
  caps->has_texture_barrier = version >= 45 || has_extension("GL_ARB_texture_barrier");
  caps->has_lasting_maps = version >= 44 || (version >= 43 && has_extension("GL_ARB_buffer_storage"));
  caps->has_buffer_textures = caps->has_counts = 1;
  caps->max_rectangle_size = limit(GL_MAX_RECTANGLE_TEXTURE_SIZE);
  caps->max_texture_buffer_size = limit(GL_MAX_TEXTURE_BUFFER_SIZE);
}

/* What GL 4.3 promises, and shaders/pairs takes for granted: ES 3.1 promises half of the threads and of their memory, and
 * storage buffers to compute shaders alone. */
static void read_es_compute(struct hb_gl_caps *caps)
{
  enum { STORAGES = 4, IN_FRAGMENTS = 2, THREADS = 256, SHARED = 32768 };
  caps->has_compute = limit(GL_MAX_COMPUTE_SHADER_STORAGE_BLOCKS) >= STORAGES &&
                      limit(GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS) >= THREADS &&
                      limit(GL_MAX_COMPUTE_SHARED_MEMORY_SIZE) >= SHARED;
  caps->has_storage = caps->has_compute && limit(GL_MAX_FRAGMENT_SHADER_STORAGE_BLOCKS) >= IN_FRAGMENTS;
}

static void read_es_caps(int version, struct hb_gl_caps *caps)
{
  if (version >= 31) read_es_compute(caps);
  caps->has_precise = version >= 32 || (version >= 31 && has_extension("GL_EXT_gpu_shader5"));
  caps->has_reset = version >= 32;
  caps->has_buffer_textures = version >= 32;
  if (caps->has_buffer_textures) caps->max_texture_buffer_size = limit(GL_MAX_TEXTURE_BUFFER_SIZE);
}

void hb_gl_caps_read(struct hb_gl_caps *caps)
{
  copy_string(GL_VENDOR, sizeof caps->vendor, caps->vendor);
  copy_string(GL_RENDERER, sizeof caps->renderer, caps->renderer);
  copy_string(GL_VERSION, sizeof caps->version, caps->version);
  caps->major = limit(GL_MAJOR_VERSION);
  caps->minor = limit(GL_MINOR_VERSION);
  caps->software = hb_gl_is_software(caps->renderer);
  caps->is_es = hb_gl_api_is_es();
  snprintf(caps->api, sizeof caps->api, "OpenGL %s%d.%d", caps->is_es ? "ES " : "", caps->major, caps->minor);
  caps->max_texture_size = limit(GL_MAX_TEXTURE_SIZE);
  caps->max_color_attachments = limit(GL_MAX_COLOR_ATTACHMENTS);
  caps->max_draw_buffers = limit(GL_MAX_DRAW_BUFFERS);
  caps->max_uniform_block_size = limit(GL_MAX_UNIFORM_BLOCK_SIZE);
  if (caps->is_es)
    read_es_caps(version_of(caps), caps);
  else
    read_desktop_caps(version_of(caps), caps);
  if (caps->has_compute) caps->max_storage_block_size = limit(GL_MAX_SHADER_STORAGE_BLOCK_SIZE);
  if (!caps->has_buffer_textures) caps->max_texture_buffer_size = HB_GL_ROW * caps->max_texture_size;
  /* Mesa 22.3's softpipe promises 65536 texels and fetches wrong ones from 32768 on. */
  if (strstr(caps->renderer, "softpipe") && caps->max_texture_buffer_size > 32768)
    caps->max_texture_buffer_size = 32768;
}

enum hb_status hb_gl_caps_check(const struct hb_gl_caps *caps)
{
  if (version_of(caps) < (caps->is_es ? 30 : 33))
    return hb_fail(HB_ERR_GL, "%s offers %s, expected OpenGL 3.3, OpenGL ES 3.0, or newer", caps->renderer,
                   caps->api);
  if (caps->is_es && version_of(caps) < 32 && !has_extension("GL_EXT_color_buffer_float"))
    return hb_fail(HB_ERR_GL, "%s cannot draw into textures of floats (it lacks EXT_color_buffer_float)",
                   caps->renderer);
  return HB_OK;
}

/* Before ES 3.2 they have other names. */
int hb_gl_caps_have_debug(const struct hb_gl_caps *caps)
{
  return caps->is_es ? version_of(caps) >= 32 : version_of(caps) >= 43 || has_extension("GL_KHR_debug");
}

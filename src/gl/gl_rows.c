#include "gl/gl_rows.h"

#include "base/arith.h"
#include "base/mem.h"
#include "gl/gl.h"

static void bind(const struct hb_gl_texture *texture)
{
  glActiveTexture(GL_TEXTURE0 + HB_GL_UNIT_OF_NONE);
  glBindTexture(GL_TEXTURE_2D, texture->id);
}

/* Whole rows, and the rest in one that is not; from memory, or from the start of the buffer that is bound. */
static void write_rows(const struct hb_gl_layout *layout, size_t texels, const char *data)
{
  GLsizei rows = (GLsizei)(texels / HB_GL_ROW), rest = (GLsizei)(texels % HB_GL_ROW);
  if (rows) glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, HB_GL_ROW, rows, layout->pixels, layout->type, data);
  if (rest)
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, rows, rest, 1, layout->pixels, layout->type,
                    data + (size_t)rows * HB_GL_ROW * layout->bytes);
}

void hb_gl_rows_reserve(size_t bytes, struct hb_gl_texture *texture)
{
  const struct hb_gl_layout *layout = hb_gl_layout(texture->format);
  int rows = (int)hb_div_ceil(bytes / layout->bytes, HB_GL_ROW);
  if (texture->height == rows) return;
  texture->width = HB_GL_ROW;
  texture->height = rows;
  bind(texture);
  glTexImage2D(GL_TEXTURE_2D, 0, (GLint)layout->internal, HB_GL_ROW, rows, 0, layout->pixels, layout->type,
               NULL);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
}

void hb_gl_rows_copy(unsigned buffer, size_t bytes, const struct hb_gl_texture *texture)
{
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, buffer);
  hb_gl_rows_write(texture, bytes, NULL);
  glBindBuffer(GL_PIXEL_UNPACK_BUFFER, 0);
}

void hb_gl_rows_write(const struct hb_gl_texture *texture, size_t bytes, const void *data)
{
  const struct hb_gl_layout *layout = hb_gl_layout(texture->format);
  bind(texture);
  write_rows(layout, bytes / layout->bytes, data);
}

static _Thread_local struct {
  uint8_t *memory;
  size_t bytes;
} mapped;

void *hb_gl_rows_map(size_t bytes)
{
  mapped.bytes = bytes;
  return HB_ALLOC(bytes, &mapped.memory) == HB_OK ? mapped.memory : NULL;
}

void hb_gl_rows_unmap(unsigned buffer, const struct hb_gl_texture *texture)
{
  glBindBuffer(GL_ARRAY_BUFFER, buffer);
  glBufferSubData(GL_ARRAY_BUFFER, 0, (GLsizeiptr)mapped.bytes, mapped.memory);
  hb_gl_rows_write(texture, mapped.bytes, mapped.memory);
  hb_mem_free(mapped.memory);
  mapped.memory = NULL;
}

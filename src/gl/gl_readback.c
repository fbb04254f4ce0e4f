#include "gl/gl_readback.h"

#include "base/clock.h"
#include "gl/gl.h"

/* A driver that sleeps until the device is done wakes up late: for this long it is polled instead, unless the processor
 * that polls is itself the device. */
static const double POLLING_SECONDS = 1e-3;
static const GLuint64 SLEEP_NANOSECONDS = 10000000;

void hb_gl_readback_destroy(struct hb_gl_readback *readback)
{
  hb_gl_buffer_destroy(&readback->buffer); /* unmaps it */
  *readback = (struct hb_gl_readback){0};
}

enum hb_status hb_gl_readback_reserve(struct hb_gl_context *context, size_t bytes,
                                      struct hb_gl_readback *readback)
{
  if (bytes <= readback->buffer.bytes) return HB_OK;
  hb_gl_readback_destroy(readback); /* storage that stays mapped cannot be resized */
  glGenBuffers(1, &readback->buffer.id);
  glBindBuffer(GL_COPY_WRITE_BUFFER, readback->buffer.id);
  if (context->caps.has_lasting_maps) {
    const GLbitfield kind = GL_MAP_READ_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
    glBufferStorage(GL_COPY_WRITE_BUFFER, (GLsizeiptr)bytes, NULL, kind | GL_CLIENT_STORAGE_BIT);
    readback->lasting = glMapBufferRange(GL_COPY_WRITE_BUFFER, 0, (GLsizeiptr)bytes, kind);
  } else {
    glBufferData(GL_COPY_WRITE_BUFFER, (GLsizeiptr)bytes, NULL, GL_STREAM_READ);
  }
  HB_TRY(hb_gl_context_check(context, "reserving memory for results"));
  readback->buffer.bytes = bytes;
  return HB_OK;
}

/* Until the device has done everything up to here. */
static enum hb_status wait(struct hb_gl_context *context)
{
  double polling = context->caps.software ? 0 : POLLING_SECONDS;
  GLsync fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  double start = hb_clock_now();
  GLenum answer = glClientWaitSync(fence, GL_SYNC_FLUSH_COMMANDS_BIT, 0);
  while (answer == GL_TIMEOUT_EXPIRED)
    answer = glClientWaitSync(fence, 0, hb_clock_now() - start < polling ? 0 : SLEEP_NANOSECONDS);
  glDeleteSync(fence);
  if (answer != GL_WAIT_FAILED) return HB_OK;
  HB_TRY(hb_gl_context_check(context, "waiting for results"));
  return hb_fail(HB_ERR_DEVICE, "%s does not say when results are ready", context->caps.renderer);
}

enum hb_status hb_gl_readback_open(struct hb_gl_context *context, const struct hb_gl_readback *readback,
                                   size_t bytes, const uint32_t **words)
{
  hb_gl_readback_add(bytes);
  if (readback->lasting) {
    glMemoryBarrier(GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT);
    HB_TRY(wait(context));
    *words = readback->lasting;
    return HB_OK;
  }
  glBindBuffer(GL_COPY_WRITE_BUFFER, readback->buffer.id);
  *words = glMapBufferRange(GL_COPY_WRITE_BUFFER, 0, (GLsizeiptr)bytes, GL_MAP_READ_BIT);
  if (*words) return HB_OK;
  HB_TRY(hb_gl_context_check(context, "mapping results"));
  return hb_fail(HB_ERR_DEVICE, "%s cannot map the buffer of results", context->caps.renderer);
}

void hb_gl_readback_close(const struct hb_gl_readback *readback)
{
  if (readback->lasting) return;
  glBindBuffer(GL_COPY_WRITE_BUFFER, readback->buffer.id);
  glUnmapBuffer(GL_COPY_WRITE_BUFFER);
}

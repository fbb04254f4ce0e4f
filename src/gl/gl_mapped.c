#include "gl/gl_mapped.h"

#include "base/clock.h"
#include "gl/gl.h"

#include <stdatomic.h>

/* Words are polled for this long, unless the processor that polls is itself the device: then the driver is asked, which
 * takes some microseconds more, but sleeps. */
static const double POLLING_SECONDS = 1e-3;

enum hb_status hb_gl_mapped_reserve(struct hb_gl_context *context, size_t bytes, struct hb_gl_mapped *mapped)
{
  const GLbitfield kind = GL_MAP_READ_BIT | GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
  if (bytes <= mapped->buffer.bytes) return HB_OK;
  hb_gl_mapped_destroy(mapped); /* storage that stays mapped cannot be resized */
  glGenBuffers(1, &mapped->buffer.id);
  glBindBuffer(GL_ARRAY_BUFFER, mapped->buffer.id);
  glBufferStorage(GL_ARRAY_BUFFER, (GLsizeiptr)bytes, NULL, kind | GL_CLIENT_STORAGE_BIT);
  mapped->memory = glMapBufferRange(GL_ARRAY_BUFFER, 0, (GLsizeiptr)bytes, kind);
  HB_TRY(hb_gl_context_check(context, "reserving shared memory"));
  if (!mapped->memory)
    return hb_fail(HB_ERR_DEVICE, "%s cannot share %zu bytes of memory", context->caps.renderer, bytes);
  mapped->buffer.bytes = bytes;
  return HB_OK;
}

void hb_gl_mapped_destroy(struct hb_gl_mapped *mapped)
{
  hb_gl_buffer_destroy(&mapped->buffer); /* unmaps it */
  *mapped = (struct hb_gl_mapped){0};
}

static int have_come(const volatile uint32_t *word, size_t count, uint32_t waiting)
{
  double start = hb_clock_now();
  size_t k = 0;
  glFlush();
  do {
    while (k < count && word[k] != waiting) k++;
  } while (k < count && hb_clock_now() - start < POLLING_SECONDS);
  atomic_thread_fence(memory_order_acquire);
  return k == count;
}

int hb_gl_mapped_await(const struct hb_gl_context *context, const volatile uint32_t *word, size_t count,
                       uint32_t waiting)
{
  hb_gl_readback_add(count * sizeof *word);
  if (!context->caps.software && have_come(word, count, waiting)) return 0;
  glFinish();
  return 1;
}

void hb_gl_mapped_finish(void) { glFinish(); }

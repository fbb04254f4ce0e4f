#include "gl/gl_mapped.h"

#include "base/clock.h"
#include "gl/gl.h"
#include "gl/gl_trace.h"

#include <stdatomic.h>

/* A driver that sleeps until the device is done wakes up late: for this long it, or what the device writes, is polled
 * instead, unless the processor that polls is itself the device. */
static const double POLLING_SECONDS = 1e-3;
static const GLuint64 SLEEP_NANOSECONDS = 10000000;

/* A device that takes so long, and so many times as long as what it was given should take, does not come back: seconds that
 * the driver slept, so that a process that was stopped meanwhile does not count. */
static const double PATIENCE_SECONDS = 60, PATIENCE = 100;

struct patience {
  struct hb_gl_context *context;
  const char *what; /* is waited for */
  double slept;
};

/* Asks the driver once, for this long: GL_TIMEOUT_EXPIRED, and HB_ERR_DEVICE where it was the last time. */
static enum hb_status ask(struct patience *p, GLsync fence, GLbitfield flags, GLuint64 nanoseconds,
                          GLenum *answer)
{
  *answer = p->context->caps.has_draws ? glClientWaitSync(fence, flags, nanoseconds) : GL_ALREADY_SIGNALED;
  if (*answer == GL_TIMEOUT_EXPIRED) {
    p->slept += 1e-9 * (double)nanoseconds;
    if (p->slept <= PATIENCE_SECONDS + PATIENCE * p->context->given) return HB_OK;
    return hb_fail(HB_ERR_DEVICE, "%s has not finished %s for %.0f s", p->context->caps.renderer, p->what,
                   p->slept);
  }
  p->context->given = 0;
  if (*answer != GL_WAIT_FAILED) return HB_OK;
  HB_TRY(hb_gl_context_check(p->context, p->what));
  return hb_fail(HB_ERR_DEVICE, "%s does not say when %s are ready", p->context->caps.renderer, p->what);
}

/* ---- memory that host and device share ---- */

void hb_gl_mapped_destroy(struct hb_gl_mapped *mapped)
{
  hb_gl_buffer_destroy(&mapped->buffer); /* unmaps it */
  *mapped = (struct hb_gl_mapped){0};
}

/* A new buffer that stays mapped, in the host's memory. */
static enum hb_status map_lasting(struct hb_gl_context *context, const char *doing, size_t bytes,
                                  GLbitfield access, struct hb_gl_mapped *mapped)
{
  const GLbitfield kind = access | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
  hb_gl_mapped_destroy(mapped); /* storage that stays mapped cannot be resized */
  glGenBuffers(1, &mapped->buffer.id);
  glBindBuffer(GL_COPY_READ_BUFFER, mapped->buffer.id);
  glBufferStorage(GL_COPY_READ_BUFFER, (GLsizeiptr)bytes, NULL, kind | GL_CLIENT_STORAGE_BIT);
  mapped->memory = glMapBufferRange(GL_COPY_READ_BUFFER, 0, (GLsizeiptr)bytes, kind);
  HB_TRY(hb_gl_context_check(context, doing));
  if (!mapped->memory)
    return hb_fail(HB_ERR_DEVICE, "%s: %s cannot map %zu bytes", doing, context->caps.renderer, bytes);
  mapped->buffer.bytes = bytes;
  return HB_OK;
}

enum hb_status hb_gl_mapped_reserve(struct hb_gl_context *context, size_t bytes, struct hb_gl_mapped *mapped)
{
  if (bytes <= mapped->buffer.bytes) return HB_OK;
  return map_lasting(context, "reserving shared memory", bytes, GL_MAP_READ_BIT | GL_MAP_WRITE_BIT, mapped);
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

/* ---- results on their way to the host ---- */

/* What arrives within this time is not worth a fence, which takes some microseconds itself. */
static const double SOON_SECONDS = 100e-6;

/* Not a number, and not one that a computation makes: those have other bits. */
static const uint32_t BLANK = 0x7fb5a96d;

enum {
  WATCHED_MOST =
      64 << 10, /* bytes: blanks take a while to write, and what is longer is not late by waiting */
  LOOKS = 2000  /* at a word, between two questions to the driver: about a microsecond */
};

static void make_blank(struct hb_gl_readback *readback, size_t bytes)
{
  size_t count = (bytes < WATCHED_MOST ? bytes : WATCHED_MOST) / sizeof BLANK;
  for (size_t k = 0; k < count; k++) readback->lasting[k] = BLANK;
  readback->dirty = 0;
}

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
  if (context->caps.has_lasting_maps) {
    struct hb_gl_mapped mapped = {0};
    enum hb_status status = hb_gl_mapped_reserve(context, bytes, &mapped);
    readback->buffer = mapped.buffer; /* after a failure, too: it is destroyed with the rest */
    HB_TRY(status);
    readback->lasting = mapped.memory;
    make_blank(readback, bytes);
    return HB_OK;
  }
  glGenBuffers(1, &readback->buffer.id);
  glBindBuffer(GL_COPY_WRITE_BUFFER, readback->buffer.id);
  glBufferData(GL_COPY_WRITE_BUFFER, (GLsizeiptr)bytes, NULL, GL_STREAM_READ);
  HB_TRY(hb_gl_context_check(context, "reserving memory for results"));
  readback->buffer.bytes = bytes;
  return HB_OK;
}

/* A tracer's own commands may read the buffer later than the host would make it blank again. */
void hb_gl_readback_expect(const struct hb_gl_context *context, size_t bytes, struct hb_gl_readback *readback)
{
  readback->is_watched = readback->lasting && !context->caps.software && !hb_gl_trace &&
                         readback->dirty == 0 && bytes <= WATCHED_MOST;
  if (bytes > readback->dirty) readback->dirty = bytes;
}

/* Looks at the words from *seen on, each until it has arrived. */
static int have_arrived(const volatile uint32_t *words, size_t count, size_t *seen)
{
  for (int looks = 0; *seen < count && looks < LOOKS; looks++) {
    while (*seen < count && words[*seen] != BLANK) ++*seen;
  }
  if (*seen < count) return 0;
  atomic_thread_fence(memory_order_acquire);
  return 1;
}

/* Until the device has done everything up to here, or all these words (count = 0: NULL) have arrived. */
static enum hb_status wait_for_results(struct hb_gl_context *context, const uint32_t *words, size_t count)
{
  double polling = context->caps.software ? 0 : POLLING_SECONDS, start = hb_clock_now();
  size_t seen = 0;
  if (count) glFlush();
  while (count && hb_clock_now() - start < SOON_SECONDS)
    if (have_arrived(words, count, &seen)) return HB_OK;
  glMemoryBarrier(GL_CLIENT_MAPPED_BUFFER_BARRIER_BIT);
  GLsync fence = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  GLenum answer = GL_TIMEOUT_EXPIRED;
  glFlush();
  struct patience patience = {context, "results", 0};
  enum hb_status status = HB_OK;
  while (status == HB_OK && answer == GL_TIMEOUT_EXPIRED && !(count && have_arrived(words, count, &seen)))
    status = ask(&patience, fence, 0, hb_clock_now() - start < polling ? 0 : SLEEP_NANOSECONDS, &answer);
  glDeleteSync(fence);
  return status;
}

enum hb_status hb_gl_readback_open(struct hb_gl_context *context, struct hb_gl_readback *readback,
                                   size_t bytes, const uint32_t **words)
{
  hb_gl_readback_add(bytes);
  if (readback->lasting) {
    HB_TRY(wait_for_results(context, readback->lasting, readback->is_watched ? bytes / sizeof(uint32_t) : 0));
    *words = readback->lasting;
    return HB_OK;
  }
  glBindBuffer(GL_COPY_WRITE_BUFFER, readback->buffer.id);
  *words = glMapBufferRange(GL_COPY_WRITE_BUFFER, 0, (GLsizeiptr)bytes, GL_MAP_READ_BIT);
  if (*words) return HB_OK;
  HB_TRY(hb_gl_context_check(context, "mapping results"));
  return hb_fail(HB_ERR_DEVICE, "%s cannot map the buffer of results", context->caps.renderer);
}

const uint32_t *hb_gl_readback_there(const struct hb_gl_readback *readback, size_t bytes)
{
  hb_gl_readback_add(bytes);
  return readback->lasting;
}

void hb_gl_readback_close(struct hb_gl_readback *readback)
{
  if (readback->lasting) {
    make_blank(readback, readback->dirty);
    return;
  }
  glBindBuffer(GL_COPY_WRITE_BUFFER, readback->buffer.id);
  glUnmapBuffer(GL_COPY_WRITE_BUFFER);
}

/* ---- arrays on their way to the device ---- */

int hb_gl_upload_is_there(const struct hb_gl_context *context)
{
  return context->caps.has_lasting_maps && !context->caps.software;
}

void hb_gl_upload_destroy(struct hb_gl_upload *upload)
{
  for (int k = 0; k < HB_GL_UPLOAD_PLACES; k++)
    if (upload->fence[k]) glDeleteSync(upload->fence[k]);
  hb_gl_mapped_destroy(&upload->places);
  *upload = (struct hb_gl_upload){0};
}

/* Until the device has read what the place held before. */
static enum hb_status wait_for_place(struct hb_gl_context *context, void **fence)
{
  if (!*fence) return HB_OK;
  struct patience patience = {context, "uploads", 0};
  GLenum answer = GL_TIMEOUT_EXPIRED;
  enum hb_status status = HB_OK;
  GLbitfield flags = GL_SYNC_FLUSH_COMMANDS_BIT; /* the first time */
  for (; status == HB_OK && answer == GL_TIMEOUT_EXPIRED; flags = 0)
    status = ask(&patience, *fence, flags, SLEEP_NANOSECONDS, &answer);
  glDeleteSync(*fence);
  *fence = NULL;
  return status;
}

enum hb_status hb_gl_upload_begin(struct hb_gl_context *context, struct hb_gl_upload *upload, void **room)
{
  *room = NULL;
  const size_t bytes = (size_t)HB_GL_UPLOAD_PLACES * HB_GL_UPLOAD_PIECE;
  if (!upload->places.memory)
    HB_TRY(map_lasting(context, "reserving memory for uploads", bytes, GL_MAP_WRITE_BIT, &upload->places));
  HB_TRY(wait_for_place(context, &upload->fence[upload->turn]));
  *room = (char *)upload->places.memory + (size_t)upload->turn * HB_GL_UPLOAD_PIECE;
  return HB_OK;
}

void hb_gl_upload_end(struct hb_gl_upload *upload, const struct hb_gl_buffer *buffer, size_t offset,
                      size_t bytes)
{
  GLintptr from = (GLintptr)upload->turn * HB_GL_UPLOAD_PIECE;
  glBindBuffer(GL_COPY_READ_BUFFER, upload->places.buffer.id);
  glBindBuffer(GL_COPY_WRITE_BUFFER, buffer->id);
  glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, from, (GLintptr)offset, (GLsizeiptr)bytes);
  upload->fence[upload->turn] = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  upload->turn = (upload->turn + 1) % HB_GL_UPLOAD_PLACES;
}

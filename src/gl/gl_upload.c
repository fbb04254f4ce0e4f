#include "gl/gl_upload.h"

#include "gl/gl.h"

static const GLuint64 SLEEP_NANOSECONDS = 10000000;

int hb_gl_upload_is_there(const struct hb_gl_context *context)
{
  return context->caps.has_lasting_maps && !context->caps.software;
}

void hb_gl_upload_destroy(struct hb_gl_upload *upload)
{
  for (int k = 0; k < HB_GL_UPLOAD_PLACES; k++)
    if (upload->fence[k]) glDeleteSync(upload->fence[k]);
  hb_gl_buffer_destroy(&upload->places); /* unmaps it */
  *upload = (struct hb_gl_upload){0};
}

static enum hb_status reserve(struct hb_gl_context *context, struct hb_gl_upload *upload)
{
  const GLbitfield kind = GL_MAP_WRITE_BIT | GL_MAP_PERSISTENT_BIT | GL_MAP_COHERENT_BIT;
  const GLsizeiptr bytes = (GLsizeiptr)HB_GL_UPLOAD_PLACES * HB_GL_UPLOAD_PIECE;
  if (upload->lasting) return HB_OK;
  hb_gl_upload_destroy(upload); /* of an attempt that failed */
  glGenBuffers(1, &upload->places.id);
  glBindBuffer(GL_COPY_READ_BUFFER, upload->places.id);
  glBufferStorage(GL_COPY_READ_BUFFER, bytes, NULL, kind | GL_CLIENT_STORAGE_BIT);
  upload->lasting = glMapBufferRange(GL_COPY_READ_BUFFER, 0, bytes, kind);
  HB_TRY(hb_gl_context_check(context, "reserving memory for uploads"));
  if (upload->lasting) return HB_OK;
  return hb_fail(HB_ERR_DEVICE, "%s cannot map memory for uploads", context->caps.renderer);
}

/* Until the device has read what the place held before. */
static enum hb_status wait(struct hb_gl_context *context, void **fence)
{
  if (!*fence) return HB_OK;
  GLenum answer = glClientWaitSync(*fence, GL_SYNC_FLUSH_COMMANDS_BIT, SLEEP_NANOSECONDS);
  while (answer == GL_TIMEOUT_EXPIRED) answer = glClientWaitSync(*fence, 0, SLEEP_NANOSECONDS);
  glDeleteSync(*fence);
  *fence = NULL;
  if (answer != GL_WAIT_FAILED) return HB_OK;
  HB_TRY(hb_gl_context_check(context, "waiting for an upload"));
  return hb_fail(HB_ERR_DEVICE, "%s does not say when an upload is complete", context->caps.renderer);
}

enum hb_status hb_gl_upload_begin(struct hb_gl_context *context, struct hb_gl_upload *upload, void **room)
{
  *room = NULL;
  HB_TRY(reserve(context, upload));
  HB_TRY(wait(context, &upload->fence[upload->turn]));
  *room = upload->lasting + (size_t)upload->turn * HB_GL_UPLOAD_PIECE;
  return HB_OK;
}

void hb_gl_upload_end(struct hb_gl_upload *upload, const struct hb_gl_buffer *buffer, size_t offset,
                      size_t bytes)
{
  GLintptr from = (GLintptr)upload->turn * HB_GL_UPLOAD_PIECE;
  glBindBuffer(GL_COPY_READ_BUFFER, upload->places.id);
  glBindBuffer(GL_COPY_WRITE_BUFFER, buffer->id);
  glCopyBufferSubData(GL_COPY_READ_BUFFER, GL_COPY_WRITE_BUFFER, from, (GLintptr)offset, (GLsizeiptr)bytes);
  upload->fence[upload->turn] = glFenceSync(GL_SYNC_GPU_COMMANDS_COMPLETE, 0);
  upload->turn = (upload->turn + 1) % HB_GL_UPLOAD_PLACES;
}

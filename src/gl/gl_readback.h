/* A readback buffer is written by programs of the device and read by the host. Where the driver can leave it mapped
 * (GL 4.4) it is in the host's memory and is not copied: on an NVIDIA H200 a draw that writes 1 KB here is read 17
 * microseconds later; a copy out of the device's own memory takes 530, whatever its size.
 *
 * A quarter of the 17 is the driver's way to say that the device is done. But the host can see that itself, in memory that it
 * shares with the device: before a program writes there, every word is made blank, a bit pattern of which nothing is
 * computed, and a word that is no longer blank has arrived. No word says anything about another one, so that the order in
 * which they arrive does not matter; and where a result happens to be that pattern, the host waits for the driver. */
#ifndef HB_GL_READBACK_H
#define HB_GL_READBACK_H

#include "gl/gl_texture.h"

/* Starts as zeros. */
struct hb_gl_readback {
  struct hb_gl_buffer buffer; /* for a program's storage, or as target of a copy */
  uint32_t *lasting;          /* the permanent mapping; NULL: mapped for each reading */
  size_t dirty;               /* so many bytes from its start on may be other than blank */
  int is_watched; /* what the device writes now replaces blanks: each word shows that it has arrived */
};

/* Makes it at least this large; its contents are lost. Errors: HB_ERR_DEVICE (no memory). */
enum hb_status hb_gl_readback_reserve(struct hb_gl_context *context, size_t bytes,
                                      struct hb_gl_readback *readback);
void hb_gl_readback_destroy(struct hb_gl_readback *readback);

/* To be called before the command by which the device writes each word of the first bytes once: the next
 * hb_gl_readback_open need not wait for more than those. */
void hb_gl_readback_expect(const struct hb_gl_context *context, size_t bytes,
                           struct hb_gl_readback *readback);

/* Waits for all commands so far, or for what is expected: the first bytes of the buffer, valid until
 * hb_gl_readback_close. */
enum hb_status hb_gl_readback_open(struct hb_gl_context *context, struct hb_gl_readback *readback,
                                   size_t bytes, const uint32_t **words);

/* The same for memory that stays mapped, after the device has been waited for. */
const uint32_t *hb_gl_readback_there(const struct hb_gl_readback *readback, size_t bytes);
void hb_gl_readback_close(struct hb_gl_readback *readback);

#endif

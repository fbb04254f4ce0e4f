/* Memory that host and device share: a buffer that stays mapped (GL 4.4), in the host's memory. Programs read in it what
 * the host has written before they were started, without a call of OpenGL in between, and the host sees what they write. */
#ifndef HB_GL_MAPPED_H
#define HB_GL_MAPPED_H

#include "gl/gl_texture.h"

/* Starts as zeros. */
struct hb_gl_mapped {
  struct hb_gl_buffer buffer; /* for a program's storage */
  void *memory;
};

/* Makes it at least this large; its contents are lost if it grows. Errors: HB_ERR_DEVICE (no memory). */
enum hb_status hb_gl_mapped_reserve(struct hb_gl_context *context, size_t bytes, struct hb_gl_mapped *mapped);
void hb_gl_mapped_destroy(struct hb_gl_mapped *mapped);

/* Waits until programs have written something else into each of these words than `waiting`, or have come to their end
 * without. Whether it has waited until no program is running. */
int hb_gl_mapped_await(const struct hb_gl_context *context, const volatile uint32_t *word, size_t count,
                       uint32_t waiting);

/* Waits until no program is running that might read or write. */
void hb_gl_mapped_finish(void);

/* A readback buffer is written by programs of the device and read by the host. Where the driver can leave it mapped
 * (GL 4.4) it is in the host's memory and is not copied: on an NVIDIA H200 a draw that writes 1 KB here is read 17
 * microseconds later; a copy out of the device's own memory takes 530, whatever its size.
 *
 * A quarter of the 17 is the driver's way to say that the device is done. But the host can see that itself, in memory that it
 * shares with the device: before a program writes there, every word is made blank, a bit pattern of which nothing is
 * computed, and a word that is no longer blank has arrived. No word says anything about another one, so that the order in
 * which they arrive does not matter; and where a result happens to be that pattern, the host waits for the driver. */

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

/* Large arrays on their way to the device, a piece at a time. The host writes a piece into a buffer that stays mapped
 * (GL 4.4), and the device copies it from there: the driver allocates and copies nothing while the host waits, and a piece
 * travels while the next one is written. Pieces take turns in a few places; one is written again only when a fence says that
 * the device has read it.
 *
 *   for (offset = 0; offset < bytes; offset += piece) {
 *     HB_TRY(hb_gl_upload_begin(context, &upload, &room));
 *     // write bytes offset .. offset + piece to room, complete cache lines in order
 *     hb_gl_upload_end(&upload, &buffer, offset, piece);
 *   } */

enum { HB_GL_UPLOAD_PIECE = 1 << 20, HB_GL_UPLOAD_PLACES = 4 };

/* Starts as zeros. */
struct hb_gl_upload {
  struct hb_gl_mapped places;
  int turn;                         /* the place that is written */
  void *fence[HB_GL_UPLOAD_PLACES]; /* passed when the device has read the place; NULL: nothing to wait for */
};

/* Whether a context has such uploads: not where the processor is the device, which can be given the buffer itself. */
int hb_gl_upload_is_there(const struct hb_gl_context *context);

/* A place of HB_GL_UPLOAD_PIECE bytes; and the first `bytes` of it on their way to the buffer. Errors: HB_ERR_DEVICE. */
enum hb_status hb_gl_upload_begin(struct hb_gl_context *context, struct hb_gl_upload *upload, void **room);
void hb_gl_upload_end(struct hb_gl_upload *upload, const struct hb_gl_buffer *buffer, size_t offset,
                      size_t bytes);
void hb_gl_upload_destroy(struct hb_gl_upload *upload); /* the context must be current */

#endif

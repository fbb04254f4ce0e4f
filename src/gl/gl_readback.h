/* Bytes that came from the device to the host: whoever reads there counts them, so that a test can tell that somebody does
 * not. */
#ifndef HB_GL_READBACK_H
#define HB_GL_READBACK_H

#include <stddef.h>
#include <stdint.h>

void hb_gl_readback_add(size_t bytes);

/* Since the program started, over all contexts. */
uint64_t hb_gl_readback_bytes(void);

#endif

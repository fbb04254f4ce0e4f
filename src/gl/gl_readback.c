#include "gl/gl_readback.h"

static uint64_t total;

void hb_gl_readback_add(size_t bytes) { total += bytes; }
uint64_t hb_gl_readback_bytes(void) { return total; }

/* Without EGL: no devices to list, and no contexts of a caller's own to go back to. */
#include "gl/gl_egl.h"

void hb_gl_egl_devices(size_t max, struct hb_device_info *devices, size_t *count)
{
  (void)max, (void)devices;
  *count = 0;
}

struct hb_gl_current hb_gl_current_ask(const void *known) { return (void)known, (struct hb_gl_current){0}; }

/* For drawing a simulation's particles from their textures on the device (holmberg/device.h). */
#ifndef HB_SIM_DEVICE_H
#define HB_SIM_DEVICE_H

#include "gl/gl_context.h"

#include <holmberg/device.h>

/* The context of the textures of hb_sim_on_device; NULL if there are none. */
struct hb_gl_context *hb_sim_device_context(const struct hb_sim *sim);

#endif

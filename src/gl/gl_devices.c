#include "gl/gl_devices.h"

#include "gl/gl_context.h"
#include "gl/gl_egl.h"

#include <stdio.h>
#include <string.h>

static enum hb_status name_all(struct hb_gl_devices *devices)
{
  struct hb_device_info infos[32];
  size_t count;
  hb_gl_egl_devices(sizeof infos / sizeof *infos, infos, &count);
  for (size_t k = 0; k < count && devices->count < HB_GL_DEVICES_MOST; k++)
    if (!infos[k].software)
      snprintf(devices->name[devices->count++], sizeof *devices->name, "%d", infos[k].index);
  if (devices->count > 0) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "device all: no GPU among the devices of EGL, of which there are %zu", count);
}

static int is_software(const char *name) { return strcmp(name, "software") == 0; }

static void put_software_last(struct hb_gl_devices *devices)
{
  int others = 0;
  for (int k = 0; k < devices->count; k++)
    if (!is_software(devices->name[k]))
      memcpy(devices->name[others++], devices->name[k], sizeof *devices->name);
  while (others < devices->count) strcpy(devices->name[others++], "software");
}

enum hb_status hb_gl_devices_named(const char *device, struct hb_gl_devices *devices)
{
  const char *word = hb_gl_context_device(device);
  *devices = (struct hb_gl_devices){0};
  if (word && strcmp(word, "all") == 0) return name_all(devices);
  if (!word || !strchr(word, ',')) return HB_OK;
  for (const char *comma; word; word = comma ? comma + 1 : NULL) {
    comma = strchr(word, ',');
    size_t length = comma ? (size_t)(comma - word) : strlen(word);
    if (devices->count == HB_GL_DEVICES_MOST)
      return hb_fail(HB_ERR_USAGE, "more than %d devices are named", HB_GL_DEVICES_MOST);
    if (length == 0 || length >= sizeof *devices->name)
      return hb_fail(HB_ERR_USAGE, "device %d of the list has a name of %zu characters, expected 1 to %zu",
                     devices->count, length, sizeof *devices->name - 1);
    snprintf(devices->name[devices->count++], sizeof *devices->name, "%.*s", (int)length, word);
  }
  put_software_last(devices);
  return HB_OK;
}

#include "gl/gl_software.h"

#include <stdio.h>
#include <stdlib.h>

static const char variable[] = "LIBGL_ALWAYS_SOFTWARE";

struct hb_gl_software hb_gl_software_begin(void)
{
  const char *value = getenv(variable);
  struct hb_gl_software before = {.was_set = value != NULL};
  snprintf(before.value, sizeof before.value, "%s", value ? value : "");
  setenv(variable, "1", 1);
  return before;
}

void hb_gl_software_end(const struct hb_gl_software *before)
{
  if (before->was_set)
    setenv(variable, before->value, 1);
  else
    unsetenv(variable);
}

#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char sentence[1024];

const char *hb_library_version(void) { return HB_VERSION; } /* from the Makefile */
const char *hb_error(void) { return sentence; }

enum hb_status hb_fail(enum hb_status status, const char *format, ...)
{
  char text[sizeof sentence]; /* the arguments may include the old sentence */
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  memcpy(sentence, text, sizeof text);
  return status;
}

enum hb_status hb_fail_in(enum hb_status status, const char *context)
{
  return hb_fail(status, "%s: %s", context, sentence);
}

#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

static void (*log_sink)(const char *line);

void hb_log_set_sink(void (*sink)(const char *line)) { log_sink = sink; }

void hb_log(const char *format, ...)
{
  if (!log_sink) return;
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  log_sink(line);
}

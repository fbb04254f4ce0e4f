#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

static hb_log_sink sinks[2];

void hb_log_set_sink(enum hb_log_kind kind, hb_log_sink sink) { sinks[kind] = sink; }

static void send_line(hb_log_sink sink, const char *format, va_list arguments)
{
  if (!sink) return;
  char line[1024];
  vsnprintf(line, sizeof line, format, arguments);
  sink(line);
}

void hb_log(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  send_line(sinks[HB_LOG_MESSAGES], format, arguments);
  va_end(arguments);
}

void hb_log_warn(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  send_line(sinks[HB_LOG_WARNINGS], format, arguments);
  va_end(arguments);
}

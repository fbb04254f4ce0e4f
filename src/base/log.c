#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

static void (*log_sink)(const char *line);
static void (*warning_sink)(const char *line);

void hb_log_set_sink(void (*sink)(const char *line)) { log_sink = sink; }
void hb_log_set_warning_sink(void (*sink)(const char *line)) { warning_sink = sink; }

static void send_line(void (*sink)(const char *line), const char *format, va_list arguments)
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
  send_line(log_sink, format, arguments);
  va_end(arguments);
}

void hb_log_warn(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  send_line(warning_sink, format, arguments);
  va_end(arguments);
}

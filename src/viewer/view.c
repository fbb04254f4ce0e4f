#include "viewer/view.h"

#include "base/clock.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

static const double message_s = 4;

void hb_view_say(struct hb_view *view, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(view->message, sizeof view->message, format, arguments);
  va_end(arguments);
  view->message_until = view->scripted ? INFINITY : hb_clock_now() + message_s;
}

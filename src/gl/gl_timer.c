#include "gl/gl_timer.h"

#include "base/clock.h"
#include "gl/gl.h"

double hb_gl_timer_start(void)
{
  glFinish();
  return hb_clock_now();
}

double hb_gl_timer_stop(double start)
{
  glFinish();
  return hb_clock_now() - start;
}

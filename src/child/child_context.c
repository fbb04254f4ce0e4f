/* holmberg-child context NAME DEVICE: exit code 0 if a context opens and draws, or fails with an error; a driver that
 * crashes or calls exit() ends it otherwise. */
#include "child/child.h"

#include "gl/gl_context.h"
#include "gl/gl_probe.h"
#include "pairs/selftest.h"

#include <unistd.h>

static int work(char **words)
{
  struct hb_gl_context *context;
  double mean;
  const struct hb_gl_context_params params = {.context = words[0], .device = words[1]};
  hb_gl_probe_never();
  alarm(HB_GL_PROBE_S);
  if (hb_gl_context_open(&params, &context) == HB_OK) {
    hb_selftest_roots(context, &mean);
    hb_gl_context_close(context);
  }
  _exit(0); /* without the driver's cleanup, which says nothing about it */
}

const struct hb_child_task hb_child_context = {.name = "context", .word_count = 2, .work = work};

#include "gl/gl_probe.h"

#include "base/process.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_child;

void hb_gl_probe_never(void) { is_child = 1; }

static struct hb_process_end try(const char *context, const char *device)
{
  struct hb_process process;
  char path[PATH_MAX];
  const char *const words[] = {path, "context", context, device, NULL};
  if (hb_process_child(path) != HB_OK || hb_process_start(words, HB_PROCESS_SILENT, &process) != HB_OK)
    return (struct hb_process_end){0};
  return hb_process_end(&process);
}

enum hb_status hb_gl_probe(const char *context, const char *device)
{
  enum { KEPT = 40 };
  static struct kept {
    char key[200];
    struct hb_process_end end;
  } kept[KEPT];
  static int count;
  if (is_child) return HB_OK;
  struct kept *found = kept, now;
  snprintf(now.key, sizeof now.key, "%s %s", context, device ? device : "auto");
  while (found < kept + count && strcmp(found->key, now.key) != 0) found++;
  if (found == kept + count) {
    now.end = try(context, device ? device : "auto");
    if (count < KEPT) kept[count++] = now;
    found = &now;
  }
  if (hb_process_crashed(found->end))
    return hb_fail(HB_ERR_GL, "the driver behind %s crashed (signal %d) while opening a context", context,
                   found->end.signal);
  if (found->end.signal == SIGALRM)
    return hb_fail(HB_ERR_GL, "the driver behind %s opened no context within %d s", context, HB_GL_PROBE_S);
  if (found->end.code > 0)
    return hb_fail(HB_ERR_GL, "the driver behind %s ended the program (exit code %d) while opening a context",
                   context, found->end.code);
  return HB_OK;
}

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

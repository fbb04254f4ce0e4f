#include "support/shader_case.h"

#include "gl/gl_shader.h"
#include "pairs/selftest.h"
#include "support/support.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static char folder[64];

void shader_folder_put(const char *name, const char *text)
{
  char path[600];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  for (char *slash = path + strlen(folder) + 1; (slash = strchr(slash, '/')); *slash++ = '/') {
    *slash = 0;
    mkdir(path, 0700);
  }
  support_write(path, text, strlen(text));
}

void shader_folder_open(void)
{
  snprintf(folder, sizeof folder, "/tmp/hb_shaders_XXXXXX");
  assert_non_null(mkdtemp(folder));
  for (const struct hb_gl_shader_file *file = hb_gl_shader_files; file->name; file++)
    shader_folder_put(file->name, file->text);
}

void shader_folder_close(void)
{
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
}

void shader_folder_use(int use)
{
  if (use)
    setenv("HB_SHADER_DIR", folder, 1);
  else
    unsetenv("HB_SHADER_DIR");
}

const char *shader_text(const char *name)
{
  const struct hb_gl_shader_file *file = hb_gl_shader_files;
  while (file->name && strcmp(file->name, name) != 0) file++;
  assert_non_null(file->name);
  return file->text;
}

void shader_break_sums(struct hb_gl_context *context)
{
  static const char sum[] = "precise vec4 error = ";
  char *text = strdup(shader_text("common/real.glsl")), *at = strstr(text, sum);
  assert_non_null(at);
  for (at += strlen(sum); *at != ';'; at++) *at = *at == '\n' ? '\n' : ' ';
  memcpy(at - 10, "vec4(0.0) ", 10);
  char kept[64];
  memcpy(kept, folder, sizeof kept);
  shader_folder_open();
  shader_folder_put("common/real.glsl", text);
  free(text);
  snprintf(context->caps.version, sizeof context->caps.version, "broken"); /* the result is kept by this */
  shader_folder_use(1);
  struct hb_selftest_info broken;
  ASSERT_OK(hb_selftest_run(context, &broken));
  shader_folder_use(0);
  shader_folder_close();
  memcpy(folder, kept, sizeof folder);
  expect_above(broken.two_sum_precise_wrong, 32);
  assert_int_equal(broken.carry_precise_wrong, 0);
}

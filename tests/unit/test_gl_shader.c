/* Shader files: embedding, the folder that wins, #include, errors that name file and line. */
#include "gl/gl_pass.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "gl/gl_shader.c"

static char folder[64];
static struct hb_gl_context *context;

static void put(const char *name, const char *text)
{
  char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static int set_up(void **state)
{
  (void)state;
  const struct hb_gl_context_params params = {0};
  if (hb_gl_context_open(&params, &context) != HB_OK) return -1;
  snprintf(folder, sizeof folder, "/tmp/hb_shader_XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
  (void)state;
  hb_gl_context_close(context);
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}

static enum hb_status build(const char *fragment, const char *defines)
{
  unsigned program;
  const struct hb_gl_program_source source = {
      .vertex = "fullscreen.vert", .fragment = fragment, .defines = defines};
  return hb_gl_program_build(context, &source, NULL, NULL, &program);
}

static const char triangle[] = "void main() { gl_Position = vec4(0); }\n";

static void test_embedded_builds(void **state)
{
  (void)state;
  unsetenv("HB_SHADER_DIR");
  assert_int_equal(build("cg2007/acc_jerk_pot.frag", ""), HB_OK);
  if (!context->caps.is_es) /* which has no rectangles */
    assert_int_equal(build("cg2007/acc_jerk_pot.frag", "#define HB_CG2007_RECT\n"), HB_OK);
  assert_int_equal(build("none.frag", ""), HB_ERR_INTERNAL);
  assert_string_equal(hb_error(), "no shader file none.frag");
}

static void test_unknown_input(void **state)
{
  (void)state;
  unsetenv("HB_SHADER_DIR");
  struct hb_gl_pass pass;
  const struct hb_gl_program_source source = {.fragment = "cg2007/acc_jerk_pot.frag"};
  assert_int_equal(hb_gl_pass_create(context, &source, &pass), HB_OK);
  hb_gl_pass_float(&pass, "eps2", 1);
  assert_int_equal(hb_gl_context_check(context, "trying"), HB_OK);
  hb_gl_pass_float(&pass, "epsilon", 1);
  assert_int_equal(hb_gl_context_check(context, "trying"), HB_ERR_INTERNAL);
  assert_string_equal(hb_error(), "trying: cg2007/acc_jerk_pot.frag has no input 'epsilon'");
  assert_int_equal(hb_gl_context_check(context, "trying"), HB_OK);
  hb_gl_pass_destroy(&pass);
}

/* Letters, because a name has only to stand in the source. */
static void test_too_many_inputs(void **state)
{
  (void)state;
  static const char *const names[] = {"a", "c", "d", "e", "i", "o", "r", "s", "t"};
  unsetenv("HB_SHADER_DIR");
  struct hb_gl_pass pass;
  const struct hb_gl_program_source source = {.fragment = "cg2007/acc_jerk_pot.frag"};
  assert_int_equal(hb_gl_pass_create(context, &source, &pass), HB_OK);
  const struct hb_gl_texture none = {.shape = HB_GL_2D};
  for (int k = 0; k < HB_GL_PASS_TEXTURES; k++) hb_gl_pass_texture(&pass, names[k], &none);
  assert_int_equal(hb_gl_context_check(context, "trying"), HB_OK);
  hb_gl_pass_texture(&pass, names[HB_GL_PASS_TEXTURES], &none);
  assert_int_equal(hb_gl_context_check(context, "trying"), HB_ERR_INTERNAL);
  assert_string_equal(hb_error(), "trying: cg2007/acc_jerk_pot.frag has no room for texture 't'");
  hb_gl_pass_destroy(&pass);
}

static void test_folder_wins(void **state)
{
  (void)state;
  setenv("HB_SHADER_DIR", folder, 1);
  put("fullscreen.vert", triangle);
  put("new.frag", "out vec4 color;\nvoid main() { color = vec4(VALUE); }\n");
  assert_int_equal(build("new.frag", "#define VALUE 1.0\n"), HB_OK);
  assert_int_equal(build("missing.frag", ""), HB_ERR_IO); /* and not the embedded ones */
  assert_non_null(strstr(hb_error(), "missing.frag: No such file or directory"));
}

static void test_include_keeps_lines(void **state)
{
  (void)state;
  setenv("HB_SHADER_DIR", folder, 1);
  put("fullscreen.vert", triangle);
  put("good.glsl", "float twice(float x) {\n  return 2.0 * x;\n}\n");
  put("bad.glsl", "float one() {\n  return 1.0;\n}\nfloat two() {\n  return nonsense;\n}\n");
  put("a.frag", "out vec4 color;\n#include \"good.glsl\"\nvoid main() {\n  color = vec4(twice(1.0));\n}\n");
  assert_int_equal(build("a.frag", ""), HB_OK);
  /* an error in the included file, and one behind an #include */
  put("b.frag", "out vec4 color;\n#include \"bad.glsl\"\nvoid main() {\n  color = vec4(two());\n}\n");
  assert_int_equal(build("b.frag", ""), HB_ERR_GL);
  assert_true(strncmp(hb_error(), "shaders/bad.glsl:5: ", 20) == 0); /* from its first message on */
  put("c.frag", "out vec4 color;\n#include \"good.glsl\"\nvoid main() {\n  color = nonsense;\n}\n");
  assert_int_equal(build("c.frag", ""), HB_ERR_GL);
  assert_non_null(strstr(hb_error(), "shaders/c.frag:4: "));
}

static void test_include_of_itself(void **state)
{
  (void)state;
  setenv("HB_SHADER_DIR", folder, 1);
  put("fullscreen.vert", triangle);
  put("self.frag", "#include \"self.frag\"\n");
  assert_int_equal(build("self.frag", ""), HB_ERR_INTERNAL);
  assert_string_equal(hb_error(), "shader self.frag includes too many files, or itself");
}

/* Logs as Mesa, NVIDIA and the others write them. */
static void test_places(void **state)
{
  (void)state;
  static const struct {
    const char *log;
    int file, line;
    const char *rest;
  } cases[] = {
      {"0:12(3): error: `x' undeclared", 0, 12, "error: `x' undeclared"},
      {"2(7) : error C1503: undefined variable", 2, 7, "error C1503: undefined variable"},
      {"ERROR: 1:34: 'x' : undeclared identifier", 1, 34, "'x' : undeclared identifier"},
      {"WARNING: 0:3: odd", 0, 3, "odd"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    int file = -1, line = -1;
    const char *rest = NULL;
    assert_true(log_place(cases[k].log, &file, &line, &rest));
    assert_int_equal(file, cases[k].file);
    assert_int_equal(line, cases[k].line);
    assert_string_equal(rest, cases[k].rest);
  }
  int file, line;
  const char *rest;
  assert_false(log_place("1 error generated", &file, &line, &rest));
  assert_false(log_place("error: too many outputs", &file, &line, &rest));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_embedded_builds),
      cmocka_unit_test(test_unknown_input),
      cmocka_unit_test(test_too_many_inputs),
      cmocka_unit_test(test_folder_wins),
      cmocka_unit_test(test_include_keeps_lines),
      cmocka_unit_test(test_include_of_itself),
      cmocka_unit_test(test_places),
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}

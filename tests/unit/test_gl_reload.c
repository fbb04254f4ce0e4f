/* Shaders that are saved while they run: forces and pictures follow, a mistake is told with its place and changes nothing. */
#include "base/status.h"
#include "gl/gl_pass.h"
#include "gl/gl_trace.h"
#include "support/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/scene_light.h"

enum { N = 6 };
static char folder[64];

static void put(const char *name, const char *text)
{
  char path[256];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  if (!file) fail_msg("cannot write %s", path);
  fputs(text, file);
  fclose(file);
}

static const char *embedded(const char *name)
{
  for (const struct hb_gl_shader_file *file = hb_gl_shader_files; file->name; file++)
    if (strcmp(file->name, name) == 0) return file->text;
  fail_msg("no shader %s", name);
  return NULL;
}

/* All shaders, in a folder of their own that wins. */
static int set_up(void **state)
{
  (void)state;
  snprintf(folder, sizeof folder, "/tmp/hb_reload_XXXXXX");
  if (!mkdtemp(folder)) return -1;
  for (const struct hb_gl_shader_file *file = hb_gl_shader_files; file->name; file++) {
    char path[256];
    const char *slash = strrchr(file->name, '/');
    snprintf(path, sizeof path, "%s/%.*s", folder, slash ? (int)(slash - file->name) : 0, file->name);
    mkdir(path, 0700);
    put(file->name, file->text);
  }
  return setenv("HB_SHADER_DIR", folder, 1);
}

static int tear_down(void **state)
{
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", folder);
  return system(command);
}

/* The file with one piece of its text replaced by another. */
static void change(const char *name, const char *from, const char *to)
{
  const char *text = embedded(name), *at = strstr(text, from);
  if (!at) fail_msg("%s does not say %s", name, from);
  size_t room = strlen(text) + strlen(to) + 1;
  char *changed = malloc(room);
  snprintf(changed, room, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
  put(name, changed);
  free(changed);
}

/* ---- forces ---- */

static struct hb_gl_context *context; /* of the source, as a watcher is told */

static void remember(void *unused, const struct hb_gl_trace_pass *pass)
{
  (void)unused;
  context = pass->context;
}

static void potentials(struct hb_force *force, double phi[N])
{
  static const struct hb_gl_trace watcher = {remember, NULL};
  static double a[3 * N], j[3 * N];
  static const uint32_t all[N] = {0, 1, 2, 3, 4, 5};
  hb_gl_trace = &watcher;
  ASSERT_OK(hb_force_eval(force, N, all, a, j, phi));
  hb_gl_trace = NULL;
}

static void check_scaled(struct hb_force *force, const double before[N], double factor)
{
  double phi[N];
  potentials(force, phi);
  for (int k = 0; k < N; k++)
    if (fabs(phi[k] - factor * before[k]) > 1e-6 * fabs(phi[k]))
      fail_msg("%.9g is not %g times %.9g", phi[k], factor, before[k]);
}

/* `line` is one of the file and adds a particle's potential; `strong` adds twice as much. */
static void follow(const char *scheme, const char *file, const char *line, const char *strong, int number)
{
  static const double m[N] = {1, 2, 3, 4, 5, 6}, v[3 * N];
  double x[3 * N], phi[N];
  for (int k = 0; k < 3 * N; k++) x[k] = k * k % 7;
  struct hb_force *force;
  const struct hb_force_params params = {
      .scheme = scheme, .precision = "single", .eps = 0.5, .flags = HB_FORCE_NO_TUNE | HB_FORCE_GL_DEBUG};
  put(file, embedded(file));
  ASSERT_OK(hb_force_open(&params, &force));
  ASSERT_OK(hb_force_set_j(force, N, m, x, v));
  potentials(force, phi);
  const char *message = NULL;
  assert_false(hb_gl_reload(context, &message)); /* nothing was saved */
  assert_string_equal(message, "");

  change(file, line, strong);
  check_scaled(force, phi, 1); /* nobody has looked yet */
  assert_true(hb_gl_reload(context, &message));
  assert_string_equal(message, "");
  assert_false(hb_gl_reload(context, NULL));
  check_scaled(force, phi, 2);

  change(file, line, "  a mistake;");
  char place[128];
  snprintf(place, sizeof place, "shaders/%s:%d: ", file, number);
  for (int k = 0; k < 3; k++) { /* frame after frame */
    assert_false(hb_gl_reload(context, &message));
    if (!strstr(message, place)) fail_msg("'%s' does not say %s", message, place);
    check_scaled(force, phi, 2);
  }
  put(file, embedded(file));
  assert_true(hb_gl_reload(context, &message));
  assert_string_equal(message, "");
  check_scaled(force, phi, 1);
  hb_force_close(force);
}

static void test_cg2007(void **state)
{
  (void)state;
  static const char line[] = "  jerkAndPot.a   = jerkAndPot.a - otherMass * rinv;";
  int number = 1;
  for (const char *at = embedded("cg2007/acc_jerk_pot.frag");
       at < strstr(embedded("cg2007/acc_jerk_pot.frag"), line); at++)
    number += *at == '\n';
  follow("cg2007", "cg2007/acc_jerk_pot.frag", line,
         "  jerkAndPot.a = jerkAndPot.a - 2.0 * (otherMass * rinv);", number);
}

/* A file that is included by two programs of one scheme, and those that are not built yet. */
static void test_included(void **state)
{
  (void)state;
  static const char *const schemes[] = {"bag", "matrix2004"};
  const char *file = "interactions/gravity_jerk.glsl", *line = "  f[0].w -= mrinv;";
  int number = 1;
  for (const char *at = embedded(file); at < strstr(embedded(file), line); at++) number += *at == '\n';
  for (int k = 0; k < 2; k++) follow(schemes[k], file, line, "  f[0].w -= 2.0 * mrinv;", number);
}

/* ---- pictures ---- */

/* Light of one star, added up. */
static double light_of(struct hb_scene *scene, struct hb_view_particles *stars)
{
  enum { SIDE = 16 };
  static float light[4 * SIDE * SIDE];
  struct hb_camera camera;
  double sum = 0;
  hb_camera_reset(&camera);
  ASSERT_OK(hb_scene_resize(scene, SIDE, SIDE, 1));
  ASSERT_OK(hb_scene_begin(scene, &camera));
  ASSERT_OK(hb_scene_stars(scene, stars, &(const struct hb_scene_style){0}));
  read_light(scene, light);
  for (int k = 3; k < 4 * SIDE * SIDE; k += 4) sum += (double)light[k];
  return sum;
}

static void test_stars(void **state)
{
  (void)state;
  static const double x[3], v[3];
  struct hb_gl_context *own;
  struct hb_scene *scene;
  struct hb_view_particles stars;
  const char *message, *line = "  sum = light * share;";
  ASSERT_OK(hb_gl_context_open(&(const struct hb_gl_context_params){0}, &own));
  ASSERT_OK(hb_scene_open(own, NULL, &scene));
  ASSERT_OK(hb_view_particles_open(own, &stars));
  ASSERT_OK(hb_view_particles_send(&stars, 1, NULL, x, v, 0, NULL));
  double before = light_of(scene, &stars);
  expect_above(before, 0);
  change("view/stars.frag", line, "  sum = 2.0 * light * share;");
  assert_true(hb_gl_reload(own, &message));
  expect_below(fabs(light_of(scene, &stars) - 2 * before), 1e-3 * before);
  change("view/stars.frag", line, "  a mistake = light * share;");
  assert_false(hb_gl_reload(own, &message));
  assert_non_null(strstr(message, "shaders/view/stars.frag:"));
  expect_below(fabs(light_of(scene, &stars) - 2 * before), 1e-3 * before);
  put("view/stars.frag", embedded("view/stars.frag"));
  assert_true(hb_gl_reload(own, &message));
  expect_below(fabs(light_of(scene, &stars) - before), 1e-3 * before);
  hb_view_particles_close(&stars);
  hb_scene_close(scene);
  assert_null(own->reloads);
  hb_gl_context_close(own);
}

/* ---- programs of one's own ---- */

static const char one[] = "out vec4 color;\nvoid main() {\n  color = vec4(1.0);\n}\n";
static const char more[] =
    "#include \"more.glsl\"\nout vec4 color;\nvoid main() {\n  color = vec4(more);\n}\n";
static const struct hb_gl_program_source source = {.vertex = "fullscreen.vert", .fragment = "one.frag"};

static struct hb_gl_context *open_context(void)
{
  struct hb_gl_context *own;
  ASSERT_OK(hb_gl_context_open(&(const struct hb_gl_context_params){0}, &own));
  return own;
}

static void test_forgotten(void **state)
{
  (void)state;
  struct hb_gl_context *own = open_context();
  struct hb_gl_pass pass;
  const char *message;
  put("one.frag", one);
  ASSERT_OK(hb_gl_pass_create(own, &source, &pass));
  hb_gl_pass_destroy(&pass);
  assert_int_equal(pass.program, 0);
  put("one.frag", "// saved again\nout vec4 color;\nvoid main() {\n  color = vec4(1.0);\n}\n");
  assert_false(hb_gl_reload(own, &message));
  assert_string_equal(message, "");
  hb_gl_context_close(own);
}

/* A file that is asked for before it is there. */
static void test_file_that_comes_later(void **state)
{
  (void)state;
  struct hb_gl_context *own = open_context();
  struct hb_gl_pass pass;
  const char *message;
  put("one.frag", one);
  ASSERT_OK(hb_gl_pass_create(own, &source, &pass));
  unsigned built = own->built;
  put("one.frag", more);
  assert_false(hb_gl_reload(own, &message));
  assert_non_null(strstr(message, "more.glsl: No such file or directory"));
  put("more.glsl", "const float more = 2.0;\n");
  assert_true(hb_gl_reload(own, &message));
  assert_string_equal(message, "");
  assert_int_equal(own->built, built + 2); /* one of them in vain */
  hb_gl_pass_destroy(&pass);
  hb_gl_context_close(own);
}

static void test_embedded_are_not_followed(void **state)
{
  (void)state;
  unsetenv("HB_SHADER_DIR");
  struct hb_gl_context *own = open_context();
  struct hb_gl_pass pass;
  const struct hb_gl_program_source files = {
      .vertex = "fullscreen.vert", .fragment = "bench/ceiling.frag", .unrolled = {{"ROUNDS", 1}}};
  ASSERT_OK(hb_gl_pass_create(own, &files, &pass));
  assert_null(own->reloads);
  assert_false(hb_gl_reload(own, NULL));
  hb_gl_pass_destroy(&pass);
  hb_gl_context_close(own);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_cg2007),
      cmocka_unit_test(test_included),
      cmocka_unit_test(test_stars),
      cmocka_unit_test(test_forgotten),
      cmocka_unit_test(test_file_that_comes_later),
      cmocka_unit_test(test_embedded_are_not_followed), /* the last one: it unsets the folder */
  };
  return cmocka_run_group_tests(tests, set_up, tear_down);
}

/* drivers: the names of all cases. drivers CASE: builds the programs of a case on the device that is there, by walks that draw
 * nothing if HB_LIMITS="has_draws=0" says so, and prints what the driver's compiler tells of each program. Columns, by tabs:
 *
 *   device  RENDERER  VERSION                   first
 *   building  PROGRAM                         what comes before the next one is about this
 *   built   PROGRAM   seconds                   of the processor, from the source to the linked program
 *   took    CASE      seconds                   of the processor, for all of it
 *   says    PROGRAM   sentence                  the driver's own statistics (GL_KHR_debug), as for Mesa's shader-db
 *   cannot  sentence                            what the device lacks for this case
 *
 * PROGRAM is the file, and for those of the all-pairs engine the shape: bag.frag/many. */
#include "base/mem.h"
#include "force/force.h"
#include "force/near.h"
#include "force/resident.h"
#include "gl/gl.h"
#include "gl/gl_pass.h"
#include "gl/gl_probe.h"
#include "gl/gl_shader.h"
#include "pairs/selftest.h"
#include "pairs/tuning.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 16384, PROGRAMS = 256 };

static struct hb_gl_context *context;

/* ---- what is said of which program ---- */

static char names[PROGRAMS][160]; /* by OpenGL's number */
static char building[160];        /* "": no program is being built */

/* As it stands in the defines: "#define NAME value" gives value, or "". */
static void define_of(const char *defines, const char *name, size_t room, char *value)
{
  char line[64];
  snprintf(line, sizeof line, "#define %s", name);
  const char *at = defines ? strstr(defines, line) : NULL;
  at = at ? at + strlen(line) : "";
  at += strspn(at, " ");
  snprintf(value, room, "%.*s", (int)strcspn(at, "\n"), at);
}

/* The file and what tells its programs apart. */
static void name_program(const struct hb_gl_program_source *source, char name[160])
{
  static const char *const told[] = {"I_EACH", "UNROLL", "PARTIAL", "J_SOURCE", "PRECISION"};
  size_t used = (size_t)snprintf(name, 160, "%s", source->compute ? source->compute : source->fragment);
  for (size_t k = 0; k < sizeof told / sizeof *told && used < 140; k++) {
    char value[16];
    define_of(source->defines, told[k], sizeof value, value);
    if (*value)
      used += (size_t)snprintf(name + used, 160 - used, "%c%s", strchr(name, ':') ? ',' : ':', value);
  }
  static const char *const flags[] = {"CONTINUES", "SEGMENTS"};
  for (size_t k = 0; k < sizeof flags / sizeof *flags && source->defines; k++)
    if (strstr(source->defines, flags[k])) used += (size_t)snprintf(name + used, 160 - used, ",%s", flags[k]);
}

static void GLAPIENTRY on_said(GLenum source, GLenum type, GLuint id, GLenum severity, GLsizei length,
                               const GLchar *text, const void *user)
{
  (void)source, (void)type, (void)id, (void)severity, (void)length, (void)user;
  const char *name = *building ? building : context->program < PROGRAMS ? names[context->program] : "";
  printf("says\t%s\t%.*s\n", name, (int)strcspn(text, "\n"), text);
}

/* The linker calls this in place of the function. */
enum hb_status __real_hb_gl_program_build(struct hb_gl_context *, const struct hb_gl_program_source *,
                                          void (*)(void *, const char *), void *, unsigned *);
enum hb_status __wrap_hb_gl_program_build(struct hb_gl_context *, const struct hb_gl_program_source *,
                                          void (*)(void *, const char *), void *, unsigned *);
enum hb_status __wrap_hb_gl_program_build(struct hb_gl_context *c, const struct hb_gl_program_source *source,
                                          void (*note)(void *, const char *), void *note_context,
                                          unsigned *program)
{
  name_program(source, building);
  printf("building\t%s\n", building);
  clock_t start = clock();
  enum hb_status status = __real_hb_gl_program_build(c, source, note, note_context, program);
  if (status == HB_OK) printf("built\t%s\t%.2f\n", building, (double)(clock() - start) / CLOCKS_PER_SEC);
  if (status == HB_OK && *program < PROGRAMS) memcpy(names[*program], building, sizeof building);
  building[0] = 0;
  return status;
}

/* Sources of forces share the context. */
enum hb_status __real_hb_gl_context_open(const struct hb_gl_context_params *, struct hb_gl_context **);
enum hb_status __wrap_hb_gl_context_open(const struct hb_gl_context_params *, struct hb_gl_context **);
enum hb_status __wrap_hb_gl_context_open(const struct hb_gl_context_params *params,
                                         struct hb_gl_context **opened)
{
  if (!context) return __real_hb_gl_context_open(params, opened);
  *opened = hb_gl_context_share(context);
  return HB_OK;
}

static void listen(void)
{
  PFNGLDEBUGMESSAGECALLBACKPROC set =
      (PFNGLDEBUGMESSAGECALLBACKPROC)context->backend->get_proc("glDebugMessageCallback");
  if (!set) set = (PFNGLDEBUGMESSAGECALLBACKPROC)context->backend->get_proc("glDebugMessageCallbackKHR");
  if (!set) return;
  glEnable(GL_DEBUG_OUTPUT);
  glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
  set(on_said, NULL);
}

/* ---- particles ---- */

static double numbers[8 * MOST], m[MOST], x[3 * MOST], v[3 * MOST];
static uint32_t indices[MOST], scales[MOST];
static struct hb_fixed_total totals[MOST];

static void make_particles(void)
{
  for (size_t k = 0; k < 8 * MOST; k++) numbers[k] = (double)(k * 2654435761u % 65536) / 65536;
  for (size_t k = 0; k < MOST; k++) indices[k] = (uint32_t)k, scales[k] = 0x7f7f7f7f, m[k] = 1. / MOST;
  memcpy(x, numbers, sizeof x);
  memcpy(v, numbers, sizeof v);
}

/* ---- cases ---- */

static enum hb_status walk(struct hb_pairs *p, size_t nj, size_t ni)
{
  struct hb_column columns[4 * HB_RECORDS_MAX] = {{0}};
  struct hb_fixed_column rounding[4 * HB_RECORDS_MAX];
  size_t width = 4 * (size_t)p->params.interaction->records;
  for (size_t c = 0; c < width; c++) {
    columns[c] = (struct hb_column){numbers + c % 8, 8};
    rounding[c] = (struct hb_fixed_column){1, 1};
  }
  int is_fixed = hb_precisions[p->params.precision].is_fixed;
  if (is_fixed) hb_pairs_set_rounding(p, rounding);
  HB_TRY(hb_pairs_set_j(p, nj, columns));
  HB_TRY(hb_pairs_walk(p, &(const struct hb_pairs_job){.ni = ni,
                                                       .index = indices,
                                                       .scale = is_fixed ? scales : NULL,
                                                       .totals = is_fixed ? totals : NULL}));
  return hb_pairs_read(p);
}

/* Blocks of all sizes, which take each shape of a scheme's programs. */
static enum hb_status walk_all(struct hb_pairs *p)
{
  static const size_t sizes[][2] = {{128, 16}, {1024, 16}, {16384, 16}, {4096, 4096}, {16384, 16384}};
  int count = strcmp(p->scheme->name, "matrix2004") == 0 ? 4 : 5;
  for (int k = 0; k < count; k++) HB_TRY(walk(p, sizes[k][0], sizes[k][1]));
  return HB_OK;
}

static enum hb_status pairs_case(const char *scheme, const char *precision, const char *interaction,
                                 enum hb_status (*use)(struct hb_pairs *p))
{
  struct hb_pairs *p;
  struct hb_pairs_params params = {.context = context,
                                   .interaction = hb_interaction_find(interaction),
                                   .scheme = scheme,
                                   .precision = hb_precision_find(precision),
                                   .parameter = {1e-4, 1, 1, 1}};
  HB_TRY(hb_tuning_parse(getenv("TUNING"), &params.tuning));
  HB_TRY(hb_pairs_create(&params, &p));
  enum hb_status status = use(p);
  hb_pairs_destroy(p);
  return status;
}

static enum hb_status stay(struct hb_pairs *p)
{
  static uint8_t level[MOST];
  static double a[3 * MOST], j[3 * MOST], dt[HB_FORCE_LEVELS], step[MOST];
  static const struct hb_force_step how = {.eta = 0.01};
  struct hb_force_particles all = {MOST, m, x, v, a, j, level};
  struct hb_resident *r;
  HB_TRY(hb_resident_create(p, MOST, 0, &r));
  const struct hb_force_correction correction = {.ni = 64, .index = indices, .how = &how, .step = step};
  enum hb_status status = hb_resident_ops.keep(r, &all, MOST, NULL);
  if (status == HB_OK) status = hb_resident_ops.predict(r, dt);
  if (status == HB_OK) status = hb_resident_ops.correct(r, &correction);
  if (status == HB_OK) status = hb_resident_ops.settle(r, 64, indices, level);
  if (status == HB_OK) status = hb_resident_ops.predict(r, dt);
  if (status == HB_OK) status = hb_resident_ops.fetch(r, &all);
  hb_resident_destroy(r);
  return status;
}

/* In textures, as where no compute shaders are. */
static enum hb_status stay_drawn(struct hb_pairs *p)
{
  context->caps.has_lasting_maps = 0;
  return stay(p);
}

static enum hb_status cg2007(const char *interaction)
{
  (void)interaction;
  static double a[3 * 64], j[3 * 64], phi[64];
  struct hb_force *force;
  const struct hb_force_params params = {.scheme = "cg2007", .eps = 0.01};
  HB_TRY(hb_force_open(&params, &force));
  const struct hb_force_job job = {
      .sources = {64, m, x, v}, .sinks = {.n = 64, .index = indices}, .to = {a, j, phi}};
  enum hb_status status = hb_force_of(force, &job);
  hb_force_close(force);
  return status;
}

static enum hb_status near(const char *word)
{
  (void)word;
  static uint32_t nearest[64];
  static double h2[64], r2[64];
  struct hb_near *n;
  struct hb_near_lists lists = {0};
  const struct hb_near_points points = {64, x, NULL};
  for (int k = 0; k < 64; k++) h2[k] = 0.01;
  HB_TRY(hb_near_create(context, &n));
  enum hb_status status = hb_near_set_j(n, MOST, x);
  if (status == HB_OK) status = hb_near_nearest(n, &points, nearest, r2);
  if (status == HB_OK) status = hb_near_find(n, &points, h2, 0, &lists);
  hb_near_lists_free(&lists);
  hb_near_destroy(n);
  return status;
}

static enum hb_status timed(const char *precision)
{
  static struct hb_timed_particle particles[1024];
  static uint32_t nearest[64];
  struct hb_force *force;
  struct hb_timed *t;
  const struct hb_force_params params = {
      .scheme = "bag", .precision = precision, .eps = 0.01, .flags = HB_FORCE_NO_TUNE};
  const struct hb_near_points points = {64, x, NULL};
  for (int k = 0; k < 1024; k++) particles[k].m = 1, memcpy(particles[k].x, x + 3 * k, 3 * sizeof *x);
  HB_TRY(hb_force_open(&params, &force));
  enum hb_status status = hb_timed_create(force, &t);
  if (status == HB_OK) status = hb_timed_put(t, 1024, NULL, particles);
  if (status == HB_OK) status = hb_timed_predict(t, 1024, 0.1);
  if (status == HB_OK) status = hb_timed_nearest(t, &points, nearest, NULL);
  hb_timed_destroy(t);
  hb_force_close(force);
  return status;
}

/* Programs that draw pictures are linked, which compiles them. */
static enum hb_status pictures(const char *word)
{
  (void)word;
  static const char *const files[][2] = {{"view/stars.vert", "view/stars.frag"},
                                         {"view/trails.vert", "view/trails.frag"},
                                         {"view/record.vert", "view/record.frag"},
                                         {"view/paint.vert", "view/paint.frag"},
                                         {"view/tone.vert", "view/tone.frag"},
                                         {NULL, "view/spread.frag"},
                                         {NULL, "view/halve.frag"},
                                         {NULL, "view/resolve.frag"},
                                         {NULL, "view/brightest.frag"},
                                         {NULL, "view/enlarge.frag"},
                                         {NULL, "view/range.frag"},
                                         {NULL, "view/inspect.frag"},
                                         {NULL, "view/texels.frag"}};
  for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
    struct hb_gl_pass pass;
    const struct hb_gl_program_source source = {
        .vertex = files[k][0], .fragment = files[k][1], .defines = "#define PRECISION 0\n"};
    HB_TRY(hb_gl_pass_create(context, &source, &pass));
    hb_gl_pass_destroy(&pass);
  }
  return HB_OK;
}

static enum hb_status selftest(const char *word)
{
  (void)word;
  struct hb_selftest_info info;
  return hb_selftest_doubles(context, &info);
}

static const struct {
  const char *name, *word;
  enum hb_status (*run)(const char *word);
} others[] = {{"selftest", NULL, selftest}, {"cg2007 single", NULL, cg2007},   {"near", NULL, near},
              {"timed ds", "ds", timed},    {"timed double", "double", timed}, {"view", NULL, pictures}};
enum { OTHERS = sizeof others / sizeof *others };

static const char *const schemes[] = {"bag", "tile", "matrix2004"};
static const char *const precisions[] = {"single", "compensated", "ds", "double", "reproducible"};
static const char *const interactions[] = {"gravity",       "coulomb",     "gravity_snap",    "hologram",
                                           "lennard_jones", "sph_density", "boundary_element"};

static void print_cases(void)
{
  for (int s = 0; s < 3; s++)
    for (int p = 0; p < 5; p++) printf("%s %s gravity_jerk\n", schemes[s], precisions[p]);
  for (int k = 0; k < 7; k++) printf("bag single %s\ntile ds %s\n", interactions[k], interactions[k]);
  for (int p = 0; p < 3; p++) printf("stay %s\nstay_drawn %s\n", precisions[p + 1], precisions[p + 1]);
  for (int k = 0; k < OTHERS; k++) printf("%s\n", others[k].name);
}

static enum hb_status run(const char *name)
{
  char words[3][32] = {""};
  for (int k = 0; k < OTHERS; k++)
    if (strcmp(name, others[k].name) == 0) return others[k].run(others[k].word);
  if (sscanf(name, "%31s %31s %31s", words[0], words[1], words[2]) < 2)
    return hb_fail(HB_ERR_USAGE, "unknown case '%s'", name);
  if (strcmp(words[0], "stay") == 0) return pairs_case("bag", words[1], "gravity_jerk", stay);
  if (strcmp(words[0], "stay_drawn") == 0) return pairs_case("bag", words[1], "gravity_jerk", stay_drawn);
  return pairs_case(words[0], words[1], words[2], walk_all);
}

int main(int count, char **words)
{
  if (count == 1) return print_cases(), 0;
  setvbuf(stdout, NULL, _IOLBF, 0);
  hb_gl_probe_never();
  const struct hb_gl_context_params params = {.debug = 1};
  if (hb_gl_context_open(&params, &context) != HB_OK) {
    printf("cannot\t%s\n", hb_error());
    return HB_ERR_GL;
  }
  printf("device\t%s\t%s\n", context->caps.renderer, context->caps.version);
  listen();
  make_particles();
  clock_t start = clock();
  enum hb_status status = run(words[1]);
  printf("took\t%s\t%.2f\n", words[1], (double)(clock() - start) / CLOCKS_PER_SEC);
  if (status != HB_OK) printf("cannot\t%s\n", hb_error());
  fflush(stdout);
  _Exit(status); /* a driver without its card may not know how to end */
}

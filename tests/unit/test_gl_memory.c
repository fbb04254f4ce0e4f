/* Host memory of whole runs, as base/mem counts it, against what hb_force_memory states, for every scheme
 * and for every place where particles can be predicted and corrected; and bag's memory on a GPU. */
#include "base/mem.h"
#include "base/parallel.h"
#include "base/ranks.h"
#include "force/force.h"
#include "force/resident.h"
#include "gl/gl.h"
#include "support/pairs_case.h"
#include "support/support.h"

#include <holmberg/diagnostics.h>

#include <math.h>
#include <string.h>

/* The larger of two numbers of particles is so large that what travels does so in several pieces; their difference shows what
 * a particle takes, whatever the rest. Places of prediction and ranks want both so large. cg2007 draws once for each particle,
 * and matrix2004 writes a texel for each pair. */
enum { N = 1536, N_PLACES = 3072, N_SLOW = 512, N_WARM = 64 };

/* Short programs, which compile fast: what is told here is no matter of theirs. */
#define SHORT " i_each=2 unroll=2"

static const double BYTES_A_THREAD = 600e3; /* grape6 holds the terms of 8192 pairs */

struct run {
  const char *scheme, *precision, *tuning;
  enum hb_transfer transfer;
  enum hb_place predict, correct;
  double groups; /* bytes a particle for them; 0: none, it is softened */
  double lists;  /* the same for 64 neighbors; 0: none */
};

/* What `holmberg info -n N` says of them. */
static const double stated_lists = 1300, lists_within = 0.03;

/* The most bytes at once while a run starts, takes a step and is diagnosed. Shared
 * steps: each block is the largest, and what it takes to compile programs is over before the first. */
static size_t peak(const struct run *run, size_t n)
{
  const struct hb_sim_params params = {.force = {.scheme = run->scheme,
                                                 .precision = run->precision,
                                                 .tuning = run->tuning,
                                                 .eps = run->groups > 0 ? 0 : 1.0 / 256,
                                                 .flags = HB_FORCE_NO_TUNE | HB_FORCE_UNSOFTENED},
                                       .transfer = run->transfer,
                                       .predict = run->predict,
                                       .correct = run->correct,
                                       .steps = run->groups > 0 || run->lists > 0 ? HB_STEPS_BLOCK
                                                                                  : HB_STEPS_SHARED,
                                       .neighbors = run->lists > 0 ? 64 : HB_NEIGHBORS_NONE,
                                       .exact_energy = HB_EXACT_ENERGY_NO};
  const struct hb_ic_params ic = {.n = n, .seed = 1, .scaling = HB_IC_SCALING_MODEL};
  struct hb_particles *particles;
  struct hb_diagnostics d;
  struct hb_sim *sim;
  ASSERT_OK(hb_ic_make("plummer", &ic, &particles));
  size_t before = hb_mem_watch.now - (size_t)(64 * n); /* these particles are the run's */
  hb_mem_watch.most = hb_mem_watch.now;
  ASSERT_OK(hb_sim_take(particles, &params, &sim));
  ASSERT_OK(hb_sim_step(sim));
  ASSERT_OK(hb_sim_diagnose(sim, hb_sim_next_time(sim), &d));
  hb_sim_destroy(sim);
  return hb_mem_watch.most - before;
}

static void check(const struct run *run, size_t n)
{
  struct hb_force_need need;
  const struct hb_force_params params = {.scheme = run->scheme, .precision = run->precision};
  ASSERT_OK(hb_force_memory(&params, n, &need));
  peak(run, N_WARM); /* what is kept from run to run, as what was found out about a device */
  int is_fixed = hb_force_is_reproducible(run->precision); /* some sinks are not summed again; totals count */
  int is_kept = run->correct == HB_PLACE_GPU;              /* no energies, and no binaries looked for */
  size_t more = is_fixed || is_kept ? n : n / 2; /* with half as many more, their peaks are elsewhere */
  size_t few = peak(run, n), many = peak(run, n + more);
  double each = (double)(many - few) / (double)more - run->groups;
  double slack = run->groups > 0 ? 4 : 1; /* `info` says 142 */
  if (each > need.host_particle + slack ||
      each < need.host_particle - slack - (is_fixed ? HB_RESCALE_AGAIN : 0) - (is_kept ? 8 : 0) ||
      each >= (is_fixed ? 425 : 365))
    fail_msg("%s %s %s %d%d%d: %.1f bytes a particle, stated are %.1f", run->scheme, run->precision,
             run->tuning ? run->tuning : "", run->transfer, run->predict, run->correct, each,
             need.host_particle);
  /* and the rest: pieces, what threads work in, texts and the like */
  double fixed = (double)few - each * (double)n;
  if (fixed > need.host_fixed + BYTES_A_THREAD * hb_parallel_threads())
    fail_msg("%s: %.0f bytes for no particle", run->scheme, fixed);
}

static void test_bag(void **state)
{
  (void)state;
  const struct run runs[] = {
      {.scheme = "bag", .precision = "ds", .tuning = "output=targets" SHORT},
      {.scheme = "bag", .precision = "ds", .tuning = "output=storage" SHORT},
      {.scheme = "bag", .precision = "ds", .tuning = "portion=512" SHORT}, /* a third of N */
      {.scheme = "bag", .precision = "reproducible", .tuning = SHORT},
  };
  for (size_t k = 0; k < COUNT_OF(runs); k++) check(&runs[k], N);
}

static void test_tile(void **state)
{
  (void)state;
  check(&(struct run){.scheme = "tile", .precision = "ds", .tuning = SHORT}, N);
  check(&(struct run){.scheme = "tile", .precision = "reproducible", .tuning = SHORT}, N);
}

static void test_matrix2004(void **state)
{
  (void)state;
  const struct run run = {.scheme = "matrix2004", .precision = "ds", .tuning = "limit=128"};
  check(&run, N_SLOW);
}

static void test_cg2007(void **state)
{
  (void)state;
  const struct run run = {.scheme = "cg2007", .precision = "single"};
  check(&run, N_SLOW);
}

static void test_places(void **state)
{
  (void)state;
  const struct run places[] = {
      {"bag", "ds", "output=targets" SHORT, HB_TRANSFER_ALL, HB_PLACE_GPU, HB_PLACE_HOST, 0, 0},
      {"bag", "ds", "output=targets" SHORT, HB_TRANSFER_BLOCK, HB_PLACE_GPU, HB_PLACE_HOST, 0, 0},
      {"bag", "ds", "output=targets" SHORT, HB_TRANSFER_BLOCK, HB_PLACE_GPU, HB_PLACE_GPU, 0, 0},
      {"tile", "ds", SHORT, HB_TRANSFER_BLOCK, HB_PLACE_GPU, HB_PLACE_GPU, 0, 0},
  };
  for (size_t k = 0; k < COUNT_OF(places); k++) check(&places[k], N_PLACES);
}

static void test_host(void **state)
{
  (void)state;
  const struct run runs[] = {
      {.scheme = "host", .precision = "double"},
      {.scheme = "host", .precision = "double", .groups = 142},
      {.scheme = "host", .precision = "reproducible"},
      {.scheme = "host-simd", .precision = "single"},
      {.scheme = "host-simd", .precision = "ds"},
      {.scheme = "grape6", .precision = "grape6"},
      {.scheme = "gpu2007", .precision = "g80"},
  };
  for (size_t k = 0; k < COUNT_OF(runs); k++) /* many threads take a share of few sinks each */
    check(&runs[k], hb_force_is_reproducible(runs[k].precision) ? N_PLACES : N);
}

/* Lists, parts, records, order; negative control: those without. */
static void test_lists(void **state)
{
  (void)state;
  const struct run alone = {.scheme = "host", .precision = "double", .groups = 142},
                   lists = {.scheme = "host", .precision = "double", .groups = 142, .lists = stated_lists};
  double without = (double)(peak(&alone, N + N / 2) - peak(&alone, N)) / (N / 2);
  double each = (double)(peak(&lists, N + N / 2) - peak(&lists, N)) / (N / 2) - without;
  print_message("# 64 neighbors: %.1f bytes a particle, stated are %g\n", each, stated_lists);
  expect_below(fabs(each / stated_lists - 1), lists_within);
}

/* ---- ranks ---- */

static const char *share(void *data, size_t bytes) { return data && bytes ? NULL : "nothing"; }

/* The other rank finds what this one does. */
static const char *gather(size_t words, const void *mine, void *all)
{
  if (mine) memcpy(all, mine, words * sizeof(uint64_t));
  memcpy((uint64_t *)all + words, all, words * sizeof(uint64_t));
  return NULL;
}

/* One of two: shared steps are shared out by sinks, and leave out what blocks by sources take. */
static void test_rank(void **state)
{
  (void)state;
  static const struct hb_ranks_ops ops = {.share = share, .gather = gather};
  const struct run run = {.scheme = "host", .precision = "double"};
  const struct hb_force_params params = {.scheme = run.scheme, .precision = run.precision};
  struct hb_force_need need;
  ASSERT_OK(hb_force_memory(&params, N_PLACES, &need));
  double alone = (double)(peak(&run, N_PLACES + N_PLACES / 2) - peak(&run, N_PLACES)) / (N_PLACES / 2);
  ASSERT_OK(hb_ranks_join(&ops, &(struct hb_ranks_self){.count = 2}));
  double each = (double)(peak(&run, N_PLACES + N_PLACES / 2) - peak(&run, N_PLACES)) / (N_PLACES / 2) - alone;
  ASSERT_OK(hb_ranks_join(NULL, &(struct hb_ranks_self){.count = 1}));
  if (each > need.host_rank || each < 7 * sizeof(double) - 1)
    fail_msg("a rank takes %.1f bytes more a particle, stated are %.1f", each, need.host_rank);
}

/* ---- on the device ---- */

/* Bytes that bag asks for; what it replaces by something larger is counted on. */
static double source_bytes, total_bytes;
static PFNGLBUFFERDATAPROC real_buffer;
static PFNGLTEXIMAGE3DPROC real_layers;
static void(GLAPIENTRY *real_texture)(GLenum, GLint, GLint, GLsizei, GLsizei, GLint, GLenum, GLenum,
                                      const void *);

static void GLAPIENTRY buffer(GLenum target, GLsizeiptr size, const void *data, GLenum usage)
{
  double asked = (double)(size - size % 512); /* a buffer is an odd number of 256 bytes, see gl_texture.c */
  if (usage == GL_STREAM_DRAW) source_bytes += asked; /* particles and numbers of sinks */
  if (usage == GL_DYNAMIC_COPY) total_bytes += asked;
  real_buffer(target, size, data, usage);
}

static void GLAPIENTRY texture(GLenum target, GLint level, GLint internal, GLsizei width, GLsizei height,
                               GLint border, GLenum format, GLenum type, const void *pixels)
{
  source_bytes += 16. * width * height;
  real_texture(target, level, internal, width, height, border, format, type, pixels);
}

static void GLAPIENTRY layers(GLenum target, GLint level, GLint internal, GLsizei width, GLsizei height,
                              GLsizei depth, GLint border, GLenum format, GLenum type, const void *pixels)
{
  total_bytes += 16. * width * height * depth;
  real_layers(target, level, internal, width, height, depth, border, format, type, pixels);
}

static int is_counting;

static void begin_count(void)
{
  source_bytes = total_bytes = 0;
  if (is_counting) return; /* or these would call themselves */
  is_counting = 1;
  real_buffer = hb_gl_since_12.__glewBufferData;
  real_texture = hb_gl_core_11.TexImage2D;
  real_layers = hb_gl_since_12.__glewTexImage3D;
  hb_gl_since_12.__glewBufferData = buffer;
  hb_gl_core_11.TexImage2D = texture;
  hb_gl_since_12.__glewTexImage3D = layers;
}

static void end_count(void)
{
  if (!is_counting) return;
  is_counting = 0;
  hb_gl_since_12.__glewBufferData = real_buffer;
  hb_gl_core_11.TexImage2D = real_texture;
  hb_gl_since_12.__glewTexImage3D = real_layers;
}

/* Before and after a test, also one that fails in the midst: nothing of it reaches the next. */
static struct hb_gl_caps real_caps;

static int set_up(void **state)
{
  (void)state;
  real_caps = pairs_context()->caps;
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  end_count();
  pairs_context()->caps = real_caps;
  return 0;
}

static void count_bytes(struct hb_pairs *pairs, size_t n, size_t ni)
{
  static double f[8 * PAIRS_MOST];
  static uint32_t index[PAIRS_MOST], scale[PAIRS_MOST];
  static struct hb_fixed_total totals[PAIRS_MOST];
  begin_count();
  pairs_index(ni, 1, n, index);
  pairs_send(pairs, n);
  if (hb_precisions[pairs->params.precision].is_fixed) {
    ASSERT_OK(hb_pairs_walk(
        pairs, &(const struct hb_pairs_job){.ni = ni, .index = index, .scale = scale, .totals = totals}));
    ASSERT_OK(hb_pairs_read(pairs));
  } else {
    pairs_eval(pairs, ni, index, f);
  }
  end_count();
}

/* Numbers of sinks, and in precision reproducible their scales: what all of the sinks take more than one does, which has no
 * less room than a number and half of another. */
static void test_sinks(void **state)
{
  (void)state;
  enum { SOME = 1024 };
  static const enum hb_precision precisions[] = {HB_PRECISION_DS, HB_PRECISION_REPRODUCIBLE};
  double bytes[2], stated[2];
  pairs_context()->caps.has_lasting_maps =
      0; /* what the host fills is told from what the device fills by how it is made */
  for (int k = 0; k < 2; k++) {
    const struct pairs_case c = {"gravity_jerk", "tile", SHORT, precisions[k]};
    const struct hb_force_params params = {.scheme = c.scheme,
                                           .precision = hb_precision_names[precisions[k]]};
    struct hb_force_need need;
    if (pairs_lacks(&c)) continue;
    ASSERT_OK(hb_force_memory(&params, SOME, &need));
    struct hb_pairs *pairs = pairs_open(&c, 1);
    count_bytes(pairs, SOME, SOME);
    hb_pairs_destroy(pairs);
    stated[k] = need.device_source + need.device_sink;
    bytes[k] = source_bytes / SOME;
    if (bytes[k] != stated[k])
      fail_msg("tile %s: a particle takes %.1f bytes of the device, stated are %.1f", params.precision,
               bytes[k], stated[k]);
  }
  pairs_skip_if_lacking();
}

/* With the defaults of a GPU, where particles lie twice; and of all numbers of few sinks one with the most totals, that of
 * a fragment with two sinks or with four. */
static void check_bag_on_gpu(enum hb_precision precision, const char *tuning)
{
  enum { SOME = 1024 };
  int single = precision == HB_PRECISION_SINGLE, ds = precision == HB_PRECISION_DS;
  const struct pairs_case c = {"gravity_jerk", "bag", tuning, precision};
  const struct hb_force_params params = {.scheme = "bag", .precision = hb_precision_names[precision]};
  const size_t n[] = {SOME, 2 * SOME, single ? 1472 : ds ? 1376 : 2752}, ni[] = {1, 1, single ? 1456 : 762};
  double sources[3];
  struct hb_force_need need;
  if (pairs_lacks(&c)) return;
  ASSERT_OK(hb_force_memory(&params, SOME, &need));
  hb_pairs_destroy(pairs_open(&c, 1)); /* the first one's test of forces in double leaves it buffers */
  for (int k = 0; k < 3; k++) {
    struct hb_pairs *pairs = pairs_open(&c, 1);
    count_bytes(pairs, n[k], ni[k]);
    sources[k] = source_bytes;
    hb_pairs_destroy(pairs);
  }
  double each = (sources[1] - sources[0]) / SOME, fixed = 2 * sources[0] - sources[1] + total_bytes,
         stated = need.device_fixed - HB_PAIRS_TOTALS;
  if (each != need.device_source)
    fail_msg("bag %s: a particle takes %.1f bytes of a GPU, stated are %.1f", params.precision, each,
             need.device_source);
  if (fixed > stated || (tuning && fixed < (ds ? 0.4 : 0.6) * stated))
    fail_msg("bag %s: few sinks take %.0f bytes of a GPU, stated are %.0f", params.precision, fixed, stated);
}

static void test_bag_on_gpu(void **state)
{
  (void)state;
  struct hb_gl_caps *caps = &pairs_context()->caps;
  caps->software = 0;
  caps->registers = 255;      /* the largest defaults */
  caps->has_lasting_maps = 0; /* what the host fills is told from what the device fills by how it is made */
  for (int precision = 0; precision < HB_PRECISION_COUNT; precision++) {
    check_bag_on_gpu((enum hb_precision)precision, NULL);
    check_bag_on_gpu((enum hb_precision)precision, "add=host"); /* OpenGL 3.3: totals in two textures */
  }
  pairs_skip_if_lacking();
}

/* Particles that stay: what a block of all of them takes beside the engine, which has walked before. */
static void check_kept(enum hb_precision precision, int is_stored)
{
  enum { ROWS = 1024 /* of textures */, SMALL = 2 * 4096 + 64 /* spare memory of lists, and counters */ };
  static double m[ROWS], x[3 * ROWS], v[3 * ROWS], zeros[3 * ROWS], dt[HB_FORCE_LEVELS], step[ROWS];
  static uint8_t level[ROWS];
  static uint32_t index[ROWS];
  const struct hb_force_particles p = {ROWS, m, x, v, zeros, zeros, level};
  const struct hb_force_params params = {.scheme = "bag", .precision = hb_precision_names[precision]};
  const struct pairs_case c = {"gravity_jerk", "bag", "output=targets" SHORT, precision};
  struct hb_force_need need;
  struct hb_resident *r;
  if (pairs_lacks(&c)) return;
  for (int k = 0; k < 3 * ROWS; k++) x[k] = k % 101, v[k] = k % 31;
  for (int k = 0; k < ROWS; k++) m[k] = 1;
  pairs_index(ROWS, 1, ROWS, index);
  ASSERT_OK(hb_force_memory(&params, ROWS, &need));
  struct hb_pairs *pairs = pairs_open(&c, 1);
  ASSERT_OK(hb_resident_create(pairs, ROWS, 0, &r));
  double most = 0;
  for (int turn = 0; turn < 2; turn++) { /* in the first one, the engine's own memory */
    begin_count();
    if (turn > 0) {
      hb_resident_destroy(r);
      ASSERT_OK(hb_resident_create(pairs, ROWS, 0, &r));
    }
    ASSERT_OK(hb_resident_ops.keep(r, &p, ROWS, NULL));
    ASSERT_OK(hb_resident_ops.predict(r, dt));
    ASSERT_OK(hb_resident_ops.correct(
        r, &(struct hb_force_correction){.ni = ROWS,
                                         .index = index,
                                         .how = &(const struct hb_force_step){.eta = 0.01},
                                         .step = step,
                                         .ahead = turn ? NULL : dt}));
    end_count();
    most = source_bytes + total_bytes;
  }
  assert_int_equal(pairs->j_next.bytes > 0, is_stored);
  if (is_stored)
    most += 16.0 * pairs->texels * ROWS; /* of it; blocks also want some room behind the last one */
  if (most > need.device_kept * ROWS + SMALL || most < (need.device_kept - 5) * ROWS)
    fail_msg("bag %s: a particle that stays takes %.1f bytes, stated are %.1f", params.precision, most / ROWS,
             need.device_kept);
  hb_resident_destroy(r);
  hb_pairs_destroy(pairs);
}

static void test_kept_on_gpu(void **state)
{
  (void)state;
  struct hb_gl_caps *caps = &pairs_context()->caps;
  int lasting = caps->has_lasting_maps;
  for (int precision = 0; precision < HB_PRECISION_COUNT; precision++) {
    if (lasting) check_kept((enum hb_precision)precision, 1);
    caps->has_lasting_maps = 0;
    check_kept((enum hb_precision)precision, 0);
    caps->has_lasting_maps = lasting;
  }
  pairs_skip_if_lacking();
}

#define ON_DEVICE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_bag),    cmocka_unit_test(test_tile),   cmocka_unit_test(test_matrix2004),
      cmocka_unit_test(test_cg2007), cmocka_unit_test(test_places), cmocka_unit_test(test_host),
      cmocka_unit_test(test_lists),  cmocka_unit_test(test_rank),   ON_DEVICE(test_bag_on_gpu),
      ON_DEVICE(test_kept_on_gpu),   ON_DEVICE(test_sinks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

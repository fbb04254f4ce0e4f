/* The renderer: where a star falls, how light adds up, where particles may lie, and what pictures look like. */
#include "gl/gl.h"
#include "support/picture.h"
#include "support/support.h"
#include "sim/sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/scene_light.h"

enum { W = PICTURE_WIDTH, H = PICTURE_HEIGHT, PIXELS = 3 * W * H };

static struct hb_gl_context *context;
static struct hb_scene *scene;
static struct hb_view_particles particles;
static struct hb_camera camera;
static float light[4 * 4 * W * H];

static int set_up(void **state)
{
  (void)state;
  const struct hb_gl_context_params params = {.debug = 1};
  ASSERT_OK(hb_gl_context_open(&params, &context));
  ASSERT_OK(hb_scene_open(context, NULL, &scene));
  ASSERT_OK(hb_scene_resize(scene, W, H, 1));
  ASSERT_OK(hb_view_particles_open(context, &particles));
  hb_camera_reset(&camera);
  camera.distance = 4;
  return 0;
}

static int tear_down(void **state)
{
  (void)state;
  hb_view_particles_close(&particles);
  hb_scene_close(scene);
  hb_gl_context_close(context);
  return 0;
}

static void send(size_t n, const double *x, const double *v)
{
  ASSERT_OK(hb_view_particles_send(&particles, n, NULL, x, v, 0, NULL));
}

static void expose(const struct hb_scene_style *style)
{
  ASSERT_OK(hb_scene_begin(scene, &camera));
  ASSERT_OK(hb_scene_stars(scene, &particles, style));
  read_light(scene, light);
}

/* Of brightness, in samples; width x height of them. */
static void center_of_light(int width, int height, double at[2], double *sum)
{
  double s = 0, sx = 0, sy = 0;
  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++) {
      double a = light[4 * (y * width + x) + 3];
      s += a, sx += a * (x + 0.5), sy += a * (y + 0.5);
    }
  at[0] = sx / s, at[1] = sy / s;
  *sum = s;
}

/* ---- where and how bright ---------------------------------------------------------------------------- */

/* A star falls where the camera's mathematics says, to a hundredth of a sample. */
static void test_place(void **state)
{
  (void)state;
  const struct hb_scene_style style = {.point_size = 12};
  for (int samples = 1; samples <= 2; samples++) {
    double x[3] = {0.31, -0.17, 0.9}, picture[2], depth, at[2], sum;
    ASSERT_OK(hb_scene_resize(scene, W, H, samples));
    hb_camera_look(&camera, 0.4, 0.9, 0.2);
    send(1, x, NULL);
    expose(&style);
    assert_true(hb_camera_project(&camera, x, picture, &depth));
    center_of_light(samples * W, samples * H, at, &sum);
    expect_below(fabs(at[0] - samples * (W / 2. + picture[0] * H / 2)), 0.01);
    expect_below(fabs(at[1] - samples * (H / 2. + picture[1] * H / 2)), 0.01);
  }
  ASSERT_OK(hb_scene_resize(scene, W, H, 1));
  hb_camera_look(&camera, 0, 0, 0);
}

/* Stars behind the camera or at NaN are not drawn: the one star in front of it is all that shows. */
static void test_nothing(void **state)
{
  (void)state;
  const struct hb_scene_style style = {.point_size = 12};
  const double x[] = {0, 4.5, 0, NAN, 0, 0, INFINITY, 0, 0, 0, -4, 0};
  double at[2], alone, all;
  hb_camera_look(&camera, acos(-1), 0, 0); /* from y = 4 along -y */
  ASSERT_OK(hb_view_particles_send(&particles, 1, NULL, x + 9, NULL, 0, (double[3]){0}));
  expose(&style);
  center_of_light(W, H, at, &alone);
  ASSERT_OK(hb_view_particles_send(&particles, 4, NULL, x, NULL, 0, (double[3]){0}));
  expose(&style);
  center_of_light(W, H, at, &all);
  expect_above(alone, 0);
  expect_below(fabs(at[0] - W / 2.), 0.01);
  expect_below(fabs(at[1] - H / 2.), 0.01);
  expect_below(fabs(all / alone - 1), 1e-5); /* NaN, too, would fail */
  hb_camera_look(&camera, 0, 0, 0);
}

/* Two stars in the same place are twice as bright, and their colors add. */
static void test_adds_up(void **state)
{
  (void)state;
  const struct hb_scene_style style = {.point_size = 12, .range = {0, 1}};
  const double x[6] = {0.1, 0, 0.2, 0.1, 0, 0.2}, v[6] = {0, 0, 0, 1, 0, 0};
  static float sum[4 * W * H];
  memset(sum, 0, sizeof sum);
  for (int k = 0; k < 2; k++) {
    ASSERT_OK(hb_view_particles_send(&particles, 1, NULL, x, v + 3 * k, 0, (double[3]){0}));
    expose(&style);
    for (size_t l = 0; l < COUNT_OF(sum); l++) sum[l] += light[l];
  }
  ASSERT_OK(hb_view_particles_send(&particles, 2, NULL, x, v, 0, (double[3]){0}));
  expose(&style);
  double most = 0;
  for (size_t k = 0; k < COUNT_OF(sum); k++) {
    expect_at_most(fabs(light[k] - sum[k]), 1e-3 * fabs(sum[k]) + 1e-6); /* half floats round to 5e-4 */
    most = fmax(most, sum[k]);
  }
  expect_above(most, 1.5);
}

/* The farther a star the fainter it is, by the square of the distance, also when it is smaller than a sample. */
static void test_distance(void **state)
{
  (void)state;
  static const double sizes[] = {30, 2};
  for (size_t k = 0; k < COUNT_OF(sizes); k++) {
    const struct hb_scene_style style = {.point_size = sizes[k]};
    double at[2], near_sum, far_sum;
    ASSERT_OK(hb_view_particles_send(&particles, 1, NULL, (double[3]){0, 0, 0}, NULL, 0, (double[3]){0}));
    expose(&style);
    center_of_light(W, H, at, &near_sum);
    ASSERT_OK(hb_view_particles_send(&particles, 1, NULL, (double[3]){0, 4, 0}, NULL, 0, (double[3]){0}));
    expose(&style);
    center_of_light(W, H, at, &far_sum);
    expect_below(fabs(near_sum / far_sum / 4 - 1), 0.15); /* the nucleus of a small star is wider */
  }
}

/* What a device adds up in: each of them, the poorer ones asked for by name. */
static void test_formats(void **state)
{
  (void)state;
  static const char *const names[] = {"RGBA32F", "RGBA16F", "RGBA16"};
  static uint8_t rgb[COUNT_OF(names)][PIXELS];
  const struct hb_scene_style style = {.range = {0, 2}};
  struct hb_particles *p;
  struct hb_scene *best = scene;
  assert_int_equal(hb_ic_make("plummer", &(struct hb_ic_params){.n = 500, .seed = 3}, &p), HB_OK);
  send(500, hb_particles_x(p), hb_particles_v(p));
  static uint8_t usual[PIXELS];
  ASSERT_OK(hb_scene_begin(scene, &camera));
  ASSERT_OK(hb_scene_stars(scene, &particles, &style));
  ASSERT_OK(hb_scene_picture(scene, &style, usual));
  for (size_t k = 0; k < COUNT_OF(names); k++) {
    if (context->caps.is_es && strcmp(names[k], "RGBA16") == 0) continue; /* ES draws none */
    ASSERT_OK(hb_scene_open(context, names[k], &scene));
    ASSERT_OK(hb_scene_resize(scene, W, H, 1));
    ASSERT_OK(hb_scene_begin(scene, &camera));
    ASSERT_OK(hb_scene_stars(scene, &particles, &style));
    ASSERT_OK(hb_scene_picture(scene, &style, rgb[k]));
    expect_below(picture_difference(rgb[0], rgb[k]), 0.02);         /* the poorest has 64 of 1024 steps */
    expect_equal(memcmp(usual, rgb[k], sizeof usual) == 0, k == 0); /* the best unless asked for another */
    hb_scene_close(scene);
  }
  scene = best;
  struct hb_scene *none;
  ASSERT_FAILS(hb_scene_open(context, "RGBA64F", &none), HB_ERR_GL, "RGBA64F");
  hb_particles_destroy(p);
}

/* n stars in one place, in a format: in the first call (n = 1) a star's light is kept, in others the least and most of n
 * times that is found that a component has of it. */
static void pile_up(const char *format, size_t n, double share[2])
{
  static float one[4 * W * H];
  static double x[3 * 16384];
  const struct hb_scene_style style = {.point_size = 12};
  struct hb_scene *best = scene;
  expect_at_most(n, COUNT_OF(x) / 3);
  ASSERT_OK(hb_scene_open(context, format, &scene));
  ASSERT_OK(hb_scene_resize(scene, W, H, 1));
  ASSERT_OK(hb_view_particles_send(&particles, n, NULL, x, NULL, 0, (double[3]){0}));
  expose(&style);
  hb_scene_close(scene);
  scene = best;
  if (n == 1) memcpy(one, light, sizeof one);
  share[0] = INFINITY, share[1] = 0;
  for (size_t k = 0; k < COUNT_OF(one); k++) {
    if (one[k] < 0.02) continue;
    share[0] = fmin(share[0], light[k] / one[k] / (double)n);
    share[1] = fmax(share[1], light[k] / one[k] / (double)n);
  }
}

/* How many stars in one place still add up: as many as there may be in RGBA32F, in half precision what scene.h says, in
 * RGBA16 64 of the brightest. */
static void test_many_in_one_place(void **state)
{
  (void)state;
  static const size_t some[] = {16, 64, 256, 512};
  double share[2], more[2];
  pile_up("RGBA32F", 1, share);
  pile_up("RGBA32F", 16384, share);
  expect_above(share[0], 0.999);
  expect_below(share[1], 1.001);
  pile_up("RGBA16F", 1, share);
  for (size_t k = 0; k < COUNT_OF(some); k++) {
    double n = (double)some[k];
    pile_up("RGBA16F", some[k], share);
    if (share[0] < 1 - n / 2048 || share[1] > 1 + n / 4096)
      fail_msg("half precision: %g to %g of the light of %g stars", share[0], share[1], n);
  }
  pile_up("RGBA16F", 8192, share);
  pile_up("RGBA16F", 16384, more);
  for (int k = 0; k < 2; k++) {
    expect_at_least(8192 * share[k], 1023);
    expect_at_most(8192 * share[k], 4097);
    expect_equal(16384 * more[k], 8192 * share[k]); /* no brighter */
  }
  if (context->caps.is_es) return; /* no RGBA16 */
  pile_up("RGBA16", 1, share);
  pile_up("RGBA16", 64, share);
  expect_above(share[0], 0.999);
  expect_below(share[1], 1.001);
}

static void test_sizes(void **state)
{
  (void)state;
  uint8_t pixel[3 * 7 * 3];
  const struct hb_scene_style style = {0};
  ASSERT_FAILS(hb_scene_resize(scene, 0, 4, 1), HB_ERR_USAGE, "0 x 4");
  ASSERT_FAILS(hb_scene_resize(scene, 4, 4, 9), HB_ERR_USAGE, "9 x 9 samples");
  ASSERT_FAILS(hb_scene_resize(scene, 1 << 20, 4, 1), HB_ERR_GL, "1048576 x 4");
  ASSERT_FAILS(hb_scene_begin(scene, &camera), HB_ERR_USAGE, "size");
  ASSERT_OK(hb_scene_resize(scene, 7, 3, 3)); /* smaller than any blur */
  ASSERT_OK(hb_scene_begin(scene, &camera));
  ASSERT_OK(hb_scene_picture(scene, &style, pixel));
  ASSERT_OK(hb_scene_resize(scene, W, H, 1));
}

/* ---- a simulation's own textures --------------------------------------------------------------------- */

enum { N = 300 };

static unsigned long readbacks;
static void(GLAPIENTRY *real_read_pixels)(GLint, GLint, GLsizei, GLsizei, GLenum, GLenum, void *);
static PFNGLGETBUFFERSUBDATAPROC real_get_buffer;
static PFNGLMAPBUFFERRANGEPROC real_map;

static void GLAPIENTRY count_read_pixels(GLint x, GLint y, GLsizei w, GLsizei h, GLenum f, GLenum t, void *d)
{
  readbacks++;
  real_read_pixels(x, y, w, h, f, t, d);
}
static void GLAPIENTRY count_get_buffer(GLenum target, GLintptr offset, GLsizeiptr size, void *data)
{
  readbacks++;
  real_get_buffer(target, offset, size, data);
}
static void *GLAPIENTRY count_map(GLenum target, GLintptr offset, GLsizeiptr length, GLbitfield access)
{
  readbacks += (access & GL_MAP_READ_BIT) != 0;
  return real_map(target, offset, length, access);
}

static void count_readbacks(void)
{
  readbacks = 0;
  real_read_pixels = hb_gl_core_11.ReadPixels;
  real_get_buffer = hb_gl_since_12.__glewGetBufferSubData;
  real_map = hb_gl_since_12.__glewMapBufferRange;
  hb_gl_core_11.ReadPixels = count_read_pixels;
  hb_gl_since_12.__glewGetBufferSubData = count_get_buffer;
  hb_gl_since_12.__glewMapBufferRange = count_map;
}

static void stop_counting(void)
{
  hb_gl_core_11.ReadPixels = real_read_pixels;
  hb_gl_since_12.__glewGetBufferSubData = real_get_buffer;
  hb_gl_since_12.__glewMapBufferRange = real_map;
}

/* Off the center and on its way: sources of less than double have it in a frame of its own. */
static struct hb_sim *start(const struct hb_force_params *force)
{
  struct hb_particles *p;
  struct hb_sim *sim;
  ASSERT_OK(hb_ic_make("plummer", &(struct hb_ic_params){.n = N, .seed = 5}, &p));
  for (size_t k = 0; k < N; k++) {
    hb_particles_m(p)[k] *= k % 7 ? 1 : 3;
    hb_particles_x(p)[3 * k] += 0.75;
    hb_particles_v(p)[3 * k + 2] += 2;
  }
  struct hb_sim_params params = {.force = *force};
  params.force.eps = 1. / 64;
  params.force.flags |= HB_FORCE_NO_TUNE | HB_FORCE_GL_DEBUG;
  ASSERT_OK(hb_sim_create(p, &params, &sim));
  hb_particles_destroy(p);
  return sim;
}

/* A simulation that is drawn from its own textures, and one that is left alone. */
struct drawn_sim {
  struct hb_sim *sim, *undisturbed;
  struct hb_scene *scene;
  struct hb_view_particles particles;
  struct hb_trails trails;
  double value[N];
};

static const struct hb_scene_style value_style = {
    .color = HB_SCENE_COLOR_VALUE, .range = {0, 1.5}, .map = HB_COLORMAP_EMBER};

static void step(struct hb_sim *sim, int steps)
{
  for (int k = 0; k < steps; k++) ASSERT_OK(hb_sim_step(sim));
}

static void draw_sim(struct drawn_sim *d)
{
  ASSERT_OK(hb_view_particles_values(&d->particles, N, d->value));
  d->particles.mass = 1. / N;
  ASSERT_OK(hb_trails_add(&d->trails, &d->particles));
  ASSERT_OK(hb_scene_begin(d->scene, &camera));
  ASSERT_OK(hb_scene_stars(d->scene, &d->particles, &value_style));
  ASSERT_OK(hb_scene_trails(d->scene, &d->trails, &d->particles, 1, &value_style));
}

static void open_drawn(const struct hb_force_params *force, struct drawn_sim *d)
{
  struct hb_device_particles at;
  d->sim = start(force);
  d->undisturbed = start(force);
  hb_sim_on_device(d->sim, &at);
  assert_int_equal(at.layout, HB_DEVICE_NONE);
  step(d->sim, 3);
  hb_sim_on_device(d->sim, &at);
  assert_int_equal(at.n, N);
  ASSERT_OK(hb_scene_open(hb_sim_device_context(d->sim), NULL, &d->scene));
  ASSERT_OK(hb_scene_resize(d->scene, W, H, 1));
  ASSERT_OK(hb_view_particles_open(hb_sim_device_context(d->sim), &d->particles));
  ASSERT_OK(hb_trails_open(hb_sim_device_context(d->sim), N, 3, &d->trails));
  ASSERT_OK(hb_sim_quantity(d->sim, HB_QUANTITY_SPEED, d->value));
}

static void close_drawn(struct drawn_sim *d)
{
  hb_trails_close(&d->trails);
  hb_view_particles_close(&d->particles);
  hb_scene_close(d->scene);
  hb_sim_destroy(d->sim);
  hb_sim_destroy(d->undisturbed);
}

/* With a trail of 40 steps, and nothing read back but the picture itself, which shows that the counting counts. Gives the
 * time of the picture. */
static double draw_from_device(struct drawn_sim *d, uint8_t rgb[PIXELS])
{
  struct hb_device_particles at;
  hb_sim_on_device(d->sim, &at);
  count_readbacks();
  ASSERT_OK(particles_lend(&d->particles, &at));
  ASSERT_OK(hb_trails_add(&d->trails, &d->particles));
  step(d->sim, 40);
  readbacks = 0;
  hb_sim_on_device(d->sim, &at);
  ASSERT_OK(particles_lend(&d->particles, &at));
  draw_sim(d);
  assert_int_equal(readbacks, 0);
  ASSERT_OK(hb_scene_picture(d->scene, &value_style, rgb));
  assert_int_equal(readbacks, 1);
  stop_counting();
  return at.t;
}

static void send_state(struct drawn_sim *d, double t)
{
  struct hb_particles *p;
  ASSERT_OK(hb_sim_state(d->undisturbed, t, &p));
  ASSERT_OK(hb_view_particles_send(&d->particles, N, hb_particles_m(p), hb_particles_x(p), hb_particles_v(p),
                                   hb_particles_time(p), (double[3]){0}));
  hb_particles_destroy(p);
}

/* The same of what the host has sent, at the same times. */
static void draw_from_host(struct drawn_sim *d, double t, uint8_t rgb[PIXELS])
{
  step(d->undisturbed, 3);
  send_state(d, d->trails.t[0]);
  hb_trails_clear(&d->trails);
  ASSERT_OK(hb_trails_add(&d->trails, &d->particles));
  step(d->undisturbed, 40);
  send_state(d, t);
  draw_sim(d);
  ASSERT_OK(hb_scene_picture(d->scene, &value_style, rgb));
}

/* The same picture from the simulation's textures as from particles that the host has sent, by value and with a trail;
 * nothing is read back for it, and the simulation goes on with the same bits. */
static void check_scheme(const struct hb_force_params *force)
{
  static uint8_t drawn[PIXELS], sent[PIXELS];
  static struct drawn_sim d;
  struct hb_particles *p, *q;
  open_drawn(force, &d);
  double t = draw_from_device(&d, drawn);
  draw_from_host(&d, t, sent);
  double difference = picture_difference(drawn, sent);
  if (difference > 1e-3) fail_msg("%s %s: %g", force->scheme, force->precision, difference);

  step(d.sim, 20);
  step(d.undisturbed, 20);
  t = fmax(hb_sim_next_time(d.sim), 0);
  ASSERT_OK(hb_sim_state(d.sim, t, &p));
  ASSERT_OK(hb_sim_state(d.undisturbed, t, &q));
  assert_memory_equal(hb_particles_x(p), hb_particles_x(q), 3 * N * sizeof(double));
  hb_particles_destroy(p);
  hb_particles_destroy(q);
  close_drawn(&d);
}

/* One of each layout; the all-pairs schemes share theirs. */
static void test_simulations(void **state)
{
  (void)state;
  static const struct hb_force_params forces[] = {
      {.scheme = "cg2007", .precision = "single"},
      {.scheme = "cg2007", .precision = "single", .flags = HB_FORCE_CG2007_RECT},
      {.scheme = "bag", .precision = "ds"},
      {.scheme = "bag", .precision = "double"},
  };
  for (size_t k = 0; k < COUNT_OF(forces); k++) {
    if (context->caps.is_es && forces[k].flags & HB_FORCE_CG2007_RECT) continue; /* which has no rectangles */
    if (strcmp(forces[k].precision, "double") == 0 && !context->caps.has_double)
      skip(); /* the last of them */
    check_scheme(&forces[k]);
  }
}

static void test_without_device(void **state)
{
  (void)state;
  struct hb_device_particles at = {.n = 7};
  struct hb_sim *sim = start(&(struct hb_force_params){.scheme = "host"});
  ASSERT_OK(hb_sim_step(sim));
  hb_sim_on_device(sim, &at);
  expect_equal(at.layout, HB_DEVICE_NONE);
  expect_equal(at.n, 0);
  hb_sim_destroy(sim);
}

/* ---- golden pictures --------------------------------------------------------------------------------- */

/* Other drivers round otherwise; what is wrong differs by more than three times this. */
static const double SAME = 0.003;

struct shot {
  const char *model, *golden;
  size_t n;
  int is_group;
  double trail;
};

static void shoot(const struct shot *shot, const struct hb_camera *from, enum hb_colormap map, uint8_t *rgb)
{
  struct hb_scene_style style = {
      .color = shot->is_group ? HB_SCENE_COLOR_GROUP : HB_SCENE_COLOR_SPEED, .map = map, .range = {0, 1}};
  struct hb_particles *p;
  struct hb_trails trails = {0};
  ASSERT_OK(hb_ic_make(shot->model, &(struct hb_ic_params){.n = shot->n, .seed = 1}, &p));
  size_t n = hb_particles_n(p);
  double *x = hb_particles_x(p), *v = hb_particles_v(p), *past = malloc(3 * n * sizeof *past);
  double *value = malloc(n * sizeof *value);
  for (size_t k = 0; k < 3 * n; k++) past[k] = x[k] - shot->trail * v[k];
  for (size_t k = 0; k < n; k++) value[k] = (double)(2 * k / n);
  ASSERT_OK(hb_trails_open(context, n, 2, &trails));
  ASSERT_OK(hb_view_particles_send(&particles, n, NULL, past, v, -shot->trail, NULL));
  if (shot->trail > 0) ASSERT_OK(hb_trails_add(&trails, &particles));
  ASSERT_OK(hb_view_particles_send(&particles, n, hb_particles_m(p), x, v, 0, NULL));
  ASSERT_OK(hb_view_particles_values(&particles, n, value));
  ASSERT_OK(hb_trails_add(&trails, &particles));
  ASSERT_OK(hb_scene_resize(scene, W, H, 2));
  ASSERT_OK(hb_scene_begin(scene, from));
  ASSERT_OK(hb_scene_stars(scene, &particles, &style));
  ASSERT_OK(hb_scene_trails(scene, &trails, &particles, shot->trail, &style));
  ASSERT_OK(hb_scene_picture(scene, &style, rgb));
  hb_trails_close(&trails);
  hb_particles_destroy(p);
  free(past);
  free(value);
}

static void expect(const char *what, double difference, int same)
{
  if (same ? difference > SAME : difference < 3 * SAME)
    fail_msg("%s: a difference of %g, expected %s %g", what, difference, same ? "at most" : "more than",
             same ? SAME : 3 * SAME);
}

static void test_golden_cluster(void **state)
{
  (void)state;
  static uint8_t rgb[PIXELS], again[PIXELS], golden[PIXELS];
  const struct shot shot = {.model = "plummer", .golden = "scene_cluster", .n = 600};
  struct hb_camera from, wrong;
  hb_camera_reset(&from);
  hb_camera_look(&from, 0.3, 0.5, 0);
  hb_camera_fit(&from, 2, (double)W / H);
  shoot(&shot, &from, HB_COLORMAP_STARS, rgb);
  shoot(&shot, &from, HB_COLORMAP_STARS, again);
  assert_memory_equal(rgb, again, PIXELS);
  picture_golden(shot.golden, rgb, golden);
  expect("the cluster", picture_difference(rgb, golden), 1);

  shoot(&shot, &from, HB_COLORMAP_EMBER, again);
  expect("a wrong color map", picture_difference(again, golden), 0);
  wrong = from;
  hb_camera_drag(&wrong, 0.1 / acos(-1), 0);
  shoot(&shot, &wrong, HB_COLORMAP_STARS, again);
  expect("a camera six degrees off", picture_difference(again, golden), 0);
  wrong = from;
  hb_camera_zoom(&wrong, 1.1);
  shoot(&shot, &wrong, HB_COLORMAP_STARS, again);
  expect("a camera too near", picture_difference(again, golden), 0);
}

static void test_golden_lamps(void **state)
{
  (void)state;
  static uint8_t rgb[PIXELS], again[PIXELS], golden[PIXELS];
  struct shot shot = {.model = "holmberg1941", .golden = "scene_lamps", .is_group = 1, .trail = 1};
  struct hb_camera from, wrong;
  hb_camera_reset(&from);
  hb_camera_look(&from, 0, 1, 0);
  hb_camera_fit(&from, 4, (double)W / H);
  shoot(&shot, &from, HB_COLORMAP_STARS, rgb);
  picture_golden(shot.golden, rgb, golden);
  expect("the lamps", picture_difference(rgb, golden), 1);

  wrong = from;
  hb_camera_pan(&wrong, 0.02, 0);
  shoot(&shot, &wrong, HB_COLORMAP_STARS, again);
  expect("a camera that looks beside", picture_difference(again, golden), 0);
  shot.trail = 0;
  shoot(&shot, &from, HB_COLORMAP_STARS, again);
  expect("missing trails", picture_difference(again, golden), 0);
}

/* Entries of a trail are a spacing apart, the youngest is the present. */
static void test_thin(void **state)
{
  (void)state;
  double t[4] = {0};
  struct hb_trails trails = {.capacity = 4, .t = t};
  for (int k = 0; k <= 20; k++) { /* as hb_trails_add does */
    trails_thin(&trails, 0.25);
    t[trails.next] = k * 0.1;
    trails.next = (trails.next + 1) % 4;
    if (trails.count < 4) trails.count++;
  }
  assert_int_equal(trails.count, 4);
  for (int e = 0; e < 3; e++) {
    double from = t[(trails.next + e) % 4], to = t[(trails.next + e + 1) % 4];
    if (e < 2) {
      expect_above(to - from, 0.25);
      expect_below(to - from, 0.36);
    }
    if (e == 2) expect_equal(to, 2);
  }
}

static enum hb_status place_one(void *of, double t)
{
  const double x[3] = {t, 0, 0}, v[3] = {1, 0, 0};
  return hb_view_particles_send(of, 1, NULL, x, v, t, NULL);
}

/* By one more entry where time goes on, anew from the past where it has jumped; without a past always by one. */
static void test_follow(void **state)
{
  (void)state;
  static const struct {
    double t, oldest; /* of the entries after it */
    int count, has_past;
  } moments[] = {{0, 0, 2, 1},    {0.5, 0, -1, 1}, {0.6, 0, -1, 1},
                 {0.4, 0, -1, 1}, {3, 2, 48, 1},   {9, 2, 48, 0}};
  struct hb_view_particles one;
  struct hb_trails trails = {0};
  ASSERT_OK(hb_view_particles_open(context, &one));
  const struct hb_trails_past past = {0, place_one, &one};
  for (size_t k = 0; k < COUNT_OF(moments); k++) {
    ASSERT_OK(place_one(&one, moments[k].t));
    ASSERT_OK(hb_trails_follow(&trails, &one, 1, moments[k].has_past ? &past : NULL));
    int oldest = (trails.next - trails.count + trails.capacity) % trails.capacity;
    int youngest = (trails.next + trails.capacity - 1) % trails.capacity;
    if (moments[k].count >= 0) assert_int_equal(trails.count, moments[k].count);
    expect_equal(trails.t[youngest], moments[k].t);
    if (moments[k].has_past) expect_equal(trails.t[oldest], moments[k].oldest);
  }
  hb_trails_close(&trails);
  hb_view_particles_close(&one);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_thin),           cmocka_unit_test(test_follow),
      cmocka_unit_test(test_golden_lamps),   cmocka_unit_test(test_place),
      cmocka_unit_test(test_nothing),        cmocka_unit_test(test_adds_up),
      cmocka_unit_test(test_distance),       cmocka_unit_test(test_formats),
      cmocka_unit_test(test_sizes),          cmocka_unit_test(test_many_in_one_place),
      cmocka_unit_test(test_simulations),    cmocka_unit_test(test_without_device),
      cmocka_unit_test(test_golden_cluster),
  };
  return RUN_TESTS(tests, 1, set_up, tear_down);
}

/* What the viewer's window does with a mouse, with sliders, with keys and with a history of energy errors; no window. */
#include "support/support.h"

#include "viewer/view.c"

/* ---- the mouse --------------------------------------------------------------------------------------- */

enum { WIDTH = 400, HEIGHT = 300 };

static struct steer steer;

static int set_up(void **state)
{
  (void)state;
  steer = (struct steer){0};
  hb_camera_reset(&steer.camera);
  return 0;
}

static int tell(double now, enum hb_gl_event_kind kind, enum hb_gl_button button, int shift, double x,
                double y)
{
  const struct hb_gl_event event = {.kind = kind, .button = button, .shift = shift, .x = x, .y = y};
  return steer_event(&steer, &event, now, WIDTH, HEIGHT);
}

/* A point of the plane of the center, in pixels from the upper left corner. */
static void seen_at(const double x[3], double pixel[2])
{
  double picture[2], depth;
  assert_true(hb_camera_project(&steer.camera, x, picture, &depth));
  pixel[0] = WIDTH / 2.0 + picture[0] * HEIGHT / 2;
  pixel[1] = HEIGHT / 2.0 - picture[1] * HEIGHT / 2;
}

static void a_panned_point_stays_under_the_mouse(void **state)
{
  (void)state;
  const double point[3] = {0.1, -0.05, 0};
  for (int way = 0; way < 2; way++) {
    double before[2], after[2];
    enum hb_gl_button button = way ? HB_GL_BUTTON_RIGHT : HB_GL_BUTTON_LEFT;
    seen_at(point, before);
    tell(1, HB_GL_EVENT_PRESS, button, !way, 50, 60);
    assert_true(tell(1, HB_GL_EVENT_MOVE, button, 0, 73, 49));
    tell(1, HB_GL_EVENT_RELEASE, button, 0, 73, 49);
    assert_false(tell(1, HB_GL_EVENT_MOVE, button, 0, 200, 200)); /* nothing is held */
    seen_at(point, after);
    assert_float_equal(after[0], before[0] + 23, 1e-6);
    assert_float_equal(after[1], before[1] - 11, 1e-6);
  }
}

static void a_drag_turns_towards_the_hand_and_keeps_the_center(void **state)
{
  (void)state;
  const struct hb_camera before = steer.camera;
  const double front[3] = {0, 0, 0.1}; /* between the center and the eye */
  double at[2];
  tell(1, HB_GL_EVENT_PRESS, HB_GL_BUTTON_LEFT, 0, 50, 60);
  assert_true(tell(1, HB_GL_EVENT_MOVE, HB_GL_BUTTON_LEFT, 0, 80, 60));
  seen_at(front, at);
  expect_above(at[0], WIDTH / 2.0 + 1);
  assert_float_equal(at[1], HEIGHT / 2.0, 1e-6);
  expect_equal(steer.camera.distance, before.distance);
  assert_memory_equal(steer.camera.center, before.center, sizeof before.center);
}

static void the_wheel_zooms_there_and_back(void **state)
{
  (void)state;
  double distance = steer.camera.distance;
  assert_true(tell(1, HB_GL_EVENT_WHEEL, HB_GL_BUTTON_LEFT, 0, 0, 3));
  expect_below(steer.camera.distance, 0.8 * distance);
  assert_true(tell(1, HB_GL_EVENT_WHEEL, HB_GL_BUTTON_LEFT, 0, 0, -3));
  assert_float_equal(steer.camera.distance, distance, 1e-12);
}

static void click(double now, double x, double y)
{
  tell(now, HB_GL_EVENT_PRESS, HB_GL_BUTTON_LEFT, 0, x, y);
  tell(now, HB_GL_EVENT_RELEASE, HB_GL_BUTTON_LEFT, 0, x, y);
}

static void a_double_click_centers(void **state)
{
  (void)state;
  const double point[3] = {0.1, -0.05, 0};
  double at[2];
  seen_at(point, at);
  click(1, at[0], at[1]);
  click(1.2, at[0] + 1, at[1]);
  seen_at(point, at);
  assert_float_equal(at[0], WIDTH / 2.0 - 1, 1e-6);
  assert_float_equal(at[1], HEIGHT / 2.0, 1e-6);
}

/* Too late, too far, a third click, a drag in between. */
static void other_clicks_do_not(void **state)
{
  (void)state;
  const struct hb_camera before = steer.camera;
  click(1, 50, 60);
  click(2, 50, 60);
  assert_memory_equal(&steer.camera, &before, sizeof before);
  click(2.1, 90, 60);
  assert_memory_equal(&steer.camera, &before, sizeof before);
  tell(3, HB_GL_EVENT_PRESS, HB_GL_BUTTON_RIGHT, 0, 50, 60);
  tell(3, HB_GL_EVENT_MOVE, HB_GL_BUTTON_RIGHT, 0, 90, 60);
  tell(3, HB_GL_EVENT_MOVE, HB_GL_BUTTON_RIGHT, 0, 50, 60);
  tell(3, HB_GL_EVENT_RELEASE, HB_GL_BUTTON_RIGHT, 0, 50, 60);
  const struct hb_camera dragged = steer.camera;
  click(3.1, 50, 60);
  assert_memory_equal(&steer.camera, &dragged, sizeof dragged);
  click(3.2, 50, 60);
  const struct hb_camera centered = steer.camera;
  assert_memory_not_equal(&steer.camera, &dragged, sizeof dragged);
  click(3.3, 50, 60);
  assert_memory_equal(&steer.camera, &centered, sizeof centered);
}

/* ---- sliders ----------------------------------------------------------------------------------------- */

static void sliders_go_from_end_to_end(void **state)
{
  (void)state;
  double value;
  struct hud_slider linear = {.least = 2, .most = 4, .value = &value},
                    log = {.least = 0.01, .most = 100, .law = HUD_LOGARITHMIC, .value = &value},
                    with_zero = {
                        .least = 0.01, .most = 1, .law = HUD_LOGARITHMIC, .with_zero = 1, .value = &value};
  struct hud_slider *all[] = {&linear, &log, &with_zero};
  for (size_t k = 0; k < COUNT_OF(all); k++)
    for (double place = 0; place <= 1; place += 0.125) {
      value = hud_slider_value(all[k], place);
      assert_float_equal(hud_slider_place(all[k]), place, 1e-12);
    }
  assert_float_equal(hud_slider_value(&linear, 0.5), 3, 1e-12);
  assert_float_equal(hud_slider_value(&log, 0.5), 1, 1e-12);
  expect_equal(hud_slider_value(&with_zero, 0), 0);
  assert_float_equal(hud_slider_value(&with_zero, 0.04), 0.01, 1e-12);
  assert_float_equal(hud_slider_value(&with_zero, 2), 1, 1e-12); /* beyond its end */
}

static enum hud_answer to(struct hud_slider *slider, enum hb_gl_event_kind kind, double x, double y)
{
  const struct hb_gl_event event = {.kind = kind, .x = x, .y = y};
  return hud_slider_event(slider, &event);
}

static void a_slider_takes_its_own_events(void **state)
{
  (void)state;
  double value = 5;
  struct hud_slider s = {.most = 10, .value = &value, .x = 100, .y = 50, .length = 200, .reach = 8};
  assert_int_equal(to(&s, HB_GL_EVENT_PRESS, 200, 60), HUD_NOT_MINE);
  assert_int_equal(to(&s, HB_GL_EVENT_PRESS, 310, 50), HUD_NOT_MINE);
  assert_int_equal(to(&s, HB_GL_EVENT_MOVE, 200, 50), HUD_NOT_MINE);
  assert_int_equal(to(&s, HB_GL_EVENT_RELEASE, 200, 50), HUD_NOT_MINE);
  assert_int_equal(to(&s, HB_GL_EVENT_PRESS, 200, 55), HUD_TAKEN); /* where its knob is */
  assert_int_equal(to(&s, HB_GL_EVENT_MOVE, 240, 500), HUD_MOVED); /* held, wherever the mouse goes */
  assert_float_equal(value, 7, 1e-12);
  assert_int_equal(to(&s, HB_GL_EVENT_RELEASE, 240, 500), HUD_LET_GO);
  assert_int_equal(to(&s, HB_GL_EVENT_MOVE, 280, 50), HUD_NOT_MINE);
  s.absent = 1;
  assert_int_equal(to(&s, HB_GL_EVENT_PRESS, 200, 50), HUD_NOT_MINE);
}

/* ---- history ----------------------------------------------------------------------------------------- */

/* However many come, first and range stay, times ascend, and none is lost but by halving. */
static void a_history_never_fills(void **state)
{
  (void)state;
  static struct hud_history h;
  for (int k = 0; k < 10000; k++) {
    hud_history_add(&h, k, 1e-6 * k);
    expect_at_most(h.count, HUD_HISTORY);
    expect_equal(h.t[0], 0);
    expect_above(h.t[h.count - 1], k - (1 << h.skip));
  }
  for (int k = 1; k < h.count; k++) {
    expect_equal(h.t[k] - h.t[k - 1], 1 << h.skip);
    expect_equal(h.error[k], 1e-6 * h.t[k]);
  }
  expect_at_least(h.count, HUD_HISTORY / 2);
  expect_equal(hud_history_at(&h, h.t[7] + 1e-3, 1), h.error[7]); /* in the past, the error of then */
  expect_equal(hud_history_at(&h, h.t[0] - 1, 1), 0);
  expect_equal(hud_history_at(&h, 10000, 1), 1); /* and of now */
  h = (struct hud_history){0};
  hud_history_add(&h, 1, NAN);
  assert_int_equal(h.count, 0);
}

/* ---- keys -------------------------------------------------------------------------------------------- */

static void every_key_has_one_action_and_a_name_of_its_own(void **state)
{
  (void)state;
  const struct keys_row *rows = keys;
  for (size_t k = 0; rows[k].name || rows[k].key; k++) {
    assert_true(rows[k].help || !rows[k].name);
    if (!rows[k].key) continue;
    for (size_t other = 0; other < k; other++) assert_int_not_equal(rows[k].key, rows[other].key);
    assert_non_null(rows[k].act);
    for (size_t other = 0; other < k && rows[k].name; other++)
      if (rows[other].name) assert_string_not_equal(rows[k].name, rows[other].name);
    const char *model = rows[k].help && strncmp(rows[k].help, "model ", 6) == 0 ? rows[k].help + 6 : NULL;
    if (!model) continue;
    struct hb_particles *particles;
    ASSERT_OK(hb_ic_make(model, NULL, &particles));
    hb_particles_destroy(particles);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(a_panned_point_stays_under_the_mouse, set_up),
      cmocka_unit_test_setup(a_drag_turns_towards_the_hand_and_keeps_the_center, set_up),
      cmocka_unit_test_setup(the_wheel_zooms_there_and_back, set_up),
      cmocka_unit_test_setup(a_double_click_centers, set_up),
      cmocka_unit_test_setup(other_clicks_do_not, set_up),
      cmocka_unit_test(sliders_go_from_end_to_end),
      cmocka_unit_test(a_slider_takes_its_own_events),
      cmocka_unit_test(a_history_never_fills),
      cmocka_unit_test(every_key_has_one_action_and_a_name_of_its_own),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* holmberg bench frames: what it costs to draw a simulation while it runs, out of sight. The same block steps are taken
 * twice from the same start: with as many pictures a second as a screen shows, for the time that was asked for, and then
 * without. */
#include "base/clock.h"
#include "cli/cmd.h"
#include "base/json.h"
#include "console/list.h"
#include "console/terminal.h"
#include "render/frames.h"
#include "sim/sim_device.h"

#include <string.h>

enum {
  FRAMES_N,
  FRAMES_SCHEME,
  FRAMES_PRECISION,
  FRAMES_SIZE,
  FRAMES_RATE,
  FRAMES_SECONDS,
  FRAMES_CONTEXT,
  FRAMES_DEVICE,
  FRAMES_JSON,
  FRAMES_COUNT
};

static const struct hb_opts_option options[FRAMES_COUNT] = {
    [FRAMES_N] = {"n", 'n', HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "LIST", "4096,65536", NULL,
                  "numbers of particles, separated by commas"},
    [FRAMES_SCHEME] = {"scheme", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "SCHEME", "bag", NULL,
                       "scheme of forces on OpenGL"},
    [FRAMES_PRECISION] = {"precision", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "PRECISION", NULL, NULL,
                          "its precision (default: the first that it offers)"},
    [FRAMES_SIZE] = {"size", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "WxH", "1920x1080", NULL, "pixels"},
    [FRAMES_RATE] = {"rate", 0, HB_OPTS_POSITIVE, HB_OPTS_SHAPES_RESULT, "HZ", "60", NULL,
                     "pictures a second"},
    [FRAMES_SECONDS] = {"seconds", 0, HB_OPTS_POSITIVE, HB_OPTS_SHAPES_RESULT, "S", "2", NULL,
                        "how long block steps are taken with pictures, and then as many without them"},
    [FRAMES_CONTEXT] = {"context", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "C", NULL, NULL,
                        "egl, osmesa, glfw or auto"},
    [FRAMES_DEVICE] = {"device", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "D", NULL, NULL,
                       "INDEX, /dev/dri/... or software"},
    [FRAMES_JSON] = {"json", 0, HB_OPTS_FLAG, HB_OPTS_SHOWS_RESULT, NULL, NULL, NULL,
                     "one line of JSON for each row"},
};

enum { WARM_UP = 8, PICTURES = 31 };
static const double RADIUS = 4; /* of a Plummer sphere's stars 97 % */

struct row {
  char precision[16];
  size_t n, steps, warm_up; /* block steps that are timed, and before those */
  double step_s, with_s;    /* a block step without and with pictures */
  double frame_s;           /* a picture alone */
  size_t frames;
};

/* The first steps are slow. The first simulation finds how many, and the second takes as many. */
static enum hb_status warm_up(struct hb_sim *sim, double seconds, struct row *row)
{
  size_t most = row->warm_up ? row->warm_up : WARM_UP, steps = 0;
  double end = hb_clock_now() + seconds;
  do HB_TRY(hb_sim_step(sim));
  while (++steps < most && (row->warm_up || hb_clock_now() < end));
  row->warm_up = steps;
  return HB_OK;
}

static enum hb_status start(const struct hb_opts *opts, struct row *row, struct hb_sim **sim)
{
  const struct hb_opts_value *values = opts->values;
  const struct hb_sim_params params = {.force = {.scheme = values[FRAMES_SCHEME].text,
                                                 .precision = values[FRAMES_PRECISION].text,
                                                 .context = values[FRAMES_CONTEXT].text,
                                                 .device = values[FRAMES_DEVICE].text,
                                                 .eps = 1. / 256}};
  struct hb_particles *p;
  HB_TRY(hb_ic_make("plummer", &(struct hb_ic_params){.n = row->n, .seed = 1}, &p));
  enum hb_status status = hb_sim_create(p, &params, sim);
  hb_particles_destroy(p);
  return status == HB_OK ? warm_up(*sim, values[FRAMES_SECONDS].number, row) : status;
}

static enum hb_status time_steps(struct hb_sim *sim, struct row *row)
{
  double begin = hb_clock_now();
  for (size_t k = 0; k < row->steps; k++) HB_TRY(hb_sim_step(sim));
  row->step_s = (hb_clock_now() - begin) / (double)row->steps;
  return HB_OK;
}

static enum hb_status time_pictures(struct hb_sim *sim, const struct hb_opts *opts, struct hb_frames *frames,
                                    struct row *row)
{
  struct hb_device_particles at;
  double begin = hb_clock_now(), next = begin, now = begin;
  for (; now - begin < opts->values[FRAMES_SECONDS].number; now = hb_clock_now(), row->steps++) {
    HB_TRY(hb_sim_step(sim));
    now = hb_clock_now();
    if (now < next) continue;
    next = now + 1 / opts->values[FRAMES_RATE].number;
    hb_sim_on_device(sim, &at);
    HB_TRY(hb_frames_draw(frames, &at));
    row->frames++;
  }
  row->with_s = (now - begin) / (double)row->steps;
  return HB_OK;
}

static enum hb_status with_pictures(struct hb_sim *sim, const struct hb_opts *opts, int width, int height,
                                    struct row *row)
{
  struct hb_frames frames = {0};
  struct hb_device_particles at;
  hb_sim_on_device(sim, &at);
  if (at.layout == HB_DEVICE_NONE)
    return hb_fail(HB_ERR_USAGE, "scheme %s keeps no particles on a device, expected one on OpenGL",
                   opts->values[FRAMES_SCHEME].text);
  enum hb_status status = hb_frames_open(hb_sim_device_context(sim), width, height, RADIUS, &frames);
  double most_s = opts->values[FRAMES_SECONDS].number;
  if (status == HB_OK) status = hb_frames_time(&frames, &at, PICTURES, most_s, &row->frame_s);
  if (status == HB_OK) status = time_pictures(sim, opts, &frames, row);
  hb_frames_close(&frames);
  return status;
}

static void print_header(void)
{
  printf("#%-9s %-11s %8s %8s %10s %10s %8s %10s %9s\n", "scheme", "precision", "n", "steps", "step us",
         "with us", "frames", "frame us", "added");
}

static void print_row(const struct row *row, const struct hb_opts *opts)
{
  double share = row->with_s / row->step_s - 1;
  if (!opts->values[FRAMES_JSON].given) {
    printf("%-10s %-11s %8zu %8zu %10.1f %10.1f %8zu %10.1f %8.1f%%\n", opts->values[FRAMES_SCHEME].text,
           row->precision, row->n, row->steps, 1e6 * row->step_s, 1e6 * row->with_s, row->frames,
           1e6 * row->frame_s, 100 * share);
    return;
  }
  struct hb_json json = {.out = stdout};
  hb_json_open_object(&json, NULL);
  hb_json_text(&json, "scheme", opts->values[FRAMES_SCHEME].text);
  hb_json_text(&json, "precision", row->precision);
  hb_json_text(&json, "size", opts->values[FRAMES_SIZE].text);
  hb_json_number(&json, "rate", opts->values[FRAMES_RATE].number);
  hb_json_count(&json, "n", row->n);
  hb_json_count(&json, "block_steps", row->steps);
  hb_json_number(&json, "step_us", 1e6 * row->step_s);
  hb_json_number(&json, "step_with_frames_us", 1e6 * row->with_s);
  hb_json_count(&json, "frames", row->frames);
  hb_json_number(&json, "frame_us", 1e6 * row->frame_s);
  hb_json_number(&json, "added", share);
  hb_json_close_object(&json);
  putchar('\n');
}

static enum hb_status measure(const struct hb_opts *opts, size_t n, int first, int width, int height)
{
  struct row row = {.n = n};
  struct hb_sim *sim = NULL;
  enum hb_status status = start(opts, &row, &sim);
  if (status == HB_OK)
    snprintf(row.precision, sizeof row.precision, "%s", hb_force_precision(hb_sim_force(sim)));
  if (status == HB_OK) status = with_pictures(sim, opts, width, height, &row);
  hb_sim_destroy(sim);
  sim = NULL;
  if (status == HB_OK) status = start(opts, &row, &sim);
  if (status == HB_OK) status = time_steps(sim, &row);
  hb_sim_destroy(sim);
  if (status == HB_OK && first && !opts->values[FRAMES_JSON].given) print_header();
  if (status == HB_OK) print_row(&row, opts);
  return status == HB_OK ? hb_terminal_flush() : status;
}

static enum hb_status work(const struct hb_opts *opts)
{
  int width, height;
  size_t n[HB_LIST_WORDS], count;
  HB_TRY(hb_list_pixels(opts->values[FRAMES_SIZE].text, 1, 16384, &width, &height));
  HB_TRY(hb_list_sizes(opts->values[FRAMES_N].text, n, &count));
  for (size_t k = 0; k < count; k++) HB_TRY(measure(opts, n[k], k == 0, width, height));
  return HB_OK;
}

const struct hb_opts_command hb_cmd_bench_frames = {
    .name = "bench frames",
    .summary = "Measure what it costs to draw a simulation while it runs, out of sight.",
    .options = options,
    .option_count = FRAMES_COUNT,
    .example = "  holmberg bench frames --scheme tile --n 65536 --size 1280x720\n",
    .work = work,
};

/* holmberg bench frames: what it costs to draw a simulation while it runs, out of sight. The same block steps are taken
 * twice from the same start: with as many pictures a second as a screen shows, for the time that was asked for, and then
 * without. */
#include "base/clock.h"
#include "cli/cmd.h"
#include "base/table.h"
#include "console/list.h"
#include "console/terminal.h"
#include "render/frames.h"

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
  const char *scheme, *shape; /* as the options have them */
  double rate;
  char precision[16];
  size_t n, steps, warm_up; /* block steps that are timed, and before those */
  double step_s, with_s;    /* a block step without and with pictures */
  double frame_s;           /* a picture alone */
  size_t frames;
  double added; /* share of the time without pictures */
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
  enum hb_status status = hb_frames_open(at.context, width, height, RADIUS, &frames);
  double most_s = opts->values[FRAMES_SECONDS].number;
  if (status == HB_OK) status = hb_frames_time(&frames, &at, PICTURES, most_s, &row->frame_s);
  if (status == HB_OK) status = time_pictures(sim, opts, &frames, row);
  hb_frames_close(&frames);
  return status;
}

#define AT(place) .offset = offsetof(struct row, place)
static const struct hb_table_column columns[] = {
    {"scheme", HB_TABLE_TEXT, AT(scheme), "%-10s", "#scheme"},
    {"precision", HB_TABLE_CHARS, AT(precision), "%-11s"},
    {"size", HB_TABLE_TEXT, AT(shape)},
    {"rate", HB_TABLE_REAL, AT(rate)},
    {"n", HB_TABLE_SIZE, AT(n), "%8llu"},
    {"block_steps", HB_TABLE_SIZE, AT(steps), "%8llu", "steps"},
    {"step_us", HB_TABLE_REAL, AT(step_s), "%10.1f", "step us", 1e6},
    {"step_with_frames_us", HB_TABLE_REAL, AT(with_s), "%10.1f", "with us", 1e6},
    {"frames", HB_TABLE_SIZE, AT(frames), "%8llu"},
    {"frame_us", HB_TABLE_REAL, AT(frame_s), "%10.1f", "frame us", 1e6},
    {"added", HB_TABLE_REAL, AT(added)},
    {NULL, HB_TABLE_REAL, AT(added), "%8.1f%%", "added", 100},
};
#undef AT

static enum hb_status measure(const struct hb_opts *opts, size_t n, int width, int height,
                              struct hb_table *table)
{
  struct row row = {.scheme = opts->values[FRAMES_SCHEME].text,
                    .shape = opts->values[FRAMES_SIZE].text,
                    .rate = opts->values[FRAMES_RATE].number,
                    .n = n};
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
  if (status != HB_OK) return status;
  row.added = row.with_s / row.step_s - 1;
  hb_table_put(table, &row);
  return hb_terminal_flush();
}

static enum hb_status work(const struct hb_opts *opts)
{
  int width, height;
  size_t n[HB_LIST_WORDS], count;
  enum hb_table_form form = opts->values[FRAMES_JSON].given ? HB_TABLE_JSON_FORM : HB_TABLE_TEXT_FORM;
  struct hb_table table = {HB_TABLE_COLUMNS(columns), form, stdout, 0};
  HB_TRY(hb_list_pixels(opts->values[FRAMES_SIZE].text, 1, 16384, &width, &height));
  HB_TRY(hb_list_sizes(opts->values[FRAMES_N].text, n, &count));
  for (size_t k = 0; k < count; k++) HB_TRY(measure(opts, n[k], width, height, &table));
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

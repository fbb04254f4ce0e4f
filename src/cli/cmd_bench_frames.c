/* holmberg bench frames: what it costs to draw a simulation while it runs. */
#include "cli/cmd.h"
#include "base/json.h"
#include "console/terminal.h"
#include "render/frames_cost.h"

struct settings {
  struct hb_counts n;
  struct hb_frames_job job;
  int json;
};

#define FIELD(member) HB_OPTS_FIELD(struct settings, member)
static const struct hb_opts_option options[] = {
    {"n", 'n', HB_OPTS_COUNTS, FIELD(n), "LIST", "4096,65536", .least = 2,
     .help = "numbers of particles, separated by commas"},
    {"scheme", 0, HB_OPTS_TEXT, FIELD(job.force.scheme), "SCHEME", "bag",
     .help = "scheme of forces on OpenGL"},
    {"precision", 0, HB_OPTS_TEXT, FIELD(job.force.precision), "PRECISION",
     .help = "its precision (default: the first that it offers)"},
    {"size", 0, HB_OPTS_PIXELS, FIELD(job.width), "WxH", "1920x1080", .most = 16384, .help = "pixels"},
    {"rate", 0, HB_OPTS_POSITIVE, FIELD(job.rate), "HZ", "60", .help = "pictures a second"},
    {"seconds", 0, HB_OPTS_POSITIVE, FIELD(job.seconds), "S", "2",
     .help = "how long block steps are taken with pictures, and then as many without them"},
    {0}};

static void print_header(void)
{
  printf("#%-9s %-11s %8s %8s %10s %10s %8s %10s %9s\n", "scheme", "precision", "n", "steps", "step us",
         "with us", "frames", "frame us", "added");
}

static void print_row(const struct settings *s, const struct hb_frames_cost *row)
{
  double share = row->with_s / row->step_s - 1;
  if (!s->json) {
    printf("%-10s %-11s %8zu %8zu %10.1f %10.1f %8zu %10.1f %8.1f%%\n", s->job.force.scheme, row->precision,
           row->n, row->steps, 1e6 * row->step_s, 1e6 * row->with_s, row->frames, 1e6 * row->frame_s,
           100 * share);
    return;
  }
  char size[32];
  snprintf(size, sizeof size, "%dx%d", s->job.width, s->job.height);
  struct hb_json json = {.out = stdout};
  hb_json_open_object(&json, NULL);
  hb_json_text(&json, "scheme", s->job.force.scheme);
  hb_json_text(&json, "precision", row->precision);
  hb_json_text(&json, "size", size);
  hb_json_number(&json, "rate", s->job.rate);
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

static enum hb_status work(const struct hb_opts *opts)
{
  struct settings *s = opts->settings;
  s->job.force.eps = 1. / 256;
  for (size_t k = 0; k < s->n.count; k++) {
    struct hb_frames_cost cost;
    HB_TRY(hb_frames_cost(&s->job, s->n.n[k], &cost));
    if (k == 0 && !s->json) print_header();
    print_row(s, &cost);
    HB_TRY(hb_terminal_flush());
  }
  return HB_OK;
}

const struct hb_opts_command hb_cmd_bench_frames = {
    .name = "bench frames",
    .summary = "Measure what it costs to draw a simulation while it runs, out of sight.",
    .groups = {{.options = options},
               {.options = hb_opts_place, .at = offsetof(struct settings, job.force)},
               {.options = hb_opts_json, .at = offsetof(struct settings, json)}},
    .settings_size = sizeof(struct settings),
    .example = "  holmberg bench frames --scheme tile --n 65536 --size 1280x720\n",
    .work = work,
};

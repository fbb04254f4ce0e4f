/* holmberg bench frames: what it costs to draw a simulation while it runs. */
#include "base/table.h"
#include "cli/cmd.h"
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
    {"size", 0, HB_OPTS_PIXELS, FIELD(job.width), "WxH", "1920x1080", .most = 16384,
     .help = "size of the pictures in pixels"},
    {"rate", 0, HB_OPTS_POSITIVE, FIELD(job.rate), "HZ", "60", .help = "pictures per second"},
    {"seconds", 0, HB_OPTS_POSITIVE, FIELD(job.seconds), "S", "2",
     .help = "time to run with pictures; then the same number of block steps without"},
    {0}};

struct row {
  const char *scheme;
  char size[32];
  double rate;
  struct hb_frames_cost cost;
  double added; /* share of the time without pictures */
};

#define AT(place) .offset = offsetof(struct row, place)
static const struct hb_table_column columns[] = {
    {"scheme", HB_TABLE_TEXT, AT(scheme), "%-10s", "#scheme"},
    {"precision", HB_TABLE_CHARS, AT(cost.precision), "%-11s"},
    {"size", HB_TABLE_CHARS, AT(size)},
    {"rate", HB_TABLE_REAL, AT(rate)},
    {"n", HB_TABLE_SIZE, AT(cost.n), "%8llu"},
    {"block_steps", HB_TABLE_SIZE, AT(cost.steps), "%8llu", "steps"},
    {"step_us", HB_TABLE_REAL, AT(cost.step_s), "%10.1f", "step us", 1e6},
    {"step_with_frames_us", HB_TABLE_REAL, AT(cost.with_s), "%10.1f", "with us", 1e6},
    {"frames", HB_TABLE_SIZE, AT(cost.frames), "%8llu"},
    {"frame_us", HB_TABLE_REAL, AT(cost.frame_s), "%10.1f", "frame us", 1e6},
    {"added", HB_TABLE_REAL, AT(added)},
    {NULL, HB_TABLE_REAL, AT(added), "%8.1f%%", "added", 100},
};
#undef AT

static enum hb_status work(const struct hb_opts *opts)
{
  struct settings *s = opts->settings;
  struct row row = {.scheme = s->job.force.scheme, .rate = s->job.rate};
  struct hb_table table = {HB_TABLE_COLUMNS(columns), s->json ? HB_TABLE_JSON_FORM : HB_TABLE_TEXT_FORM,
                           stdout, 0};
  s->job.force.eps = 1. / 256;
  snprintf(row.size, sizeof row.size, "%dx%d", s->job.width, s->job.height);
  for (size_t k = 0; k < s->n.count; k++) {
    HB_TRY(hb_frames_cost(&s->job, s->n.n[k], &row.cost));
    row.added = row.cost.with_s / row.cost.step_s - 1;
    hb_table_put(&table, &row);
    HB_TRY(hb_terminal_flush());
  }
  return HB_OK;
}

const struct hb_opts_command hb_cmd_bench_frames = {
    .name = "bench frames",
    .summary = "Measure what it costs to draw a simulation while it runs, off screen.",
    .groups = {{.options = options},
               {.options = hb_opts_place, .at = offsetof(struct settings, job.force)},
               {.options = hb_opts_json, .at = offsetof(struct settings, json)}},
    .settings_size = sizeof(struct settings),
    .example = "  holmberg bench frames --scheme tile --n 65536 --size 1280x720\n",
    .work = work,
};

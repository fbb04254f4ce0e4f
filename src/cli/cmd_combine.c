/* holmberg ic combine: two systems in one. */
#include "cli/cmd.h"
#include "console/target.h"
#include "console/terminal.h"

#include <string.h>

struct settings {
  double at[3], velocity[3];
  const char *output, *format;
  int quiet;
};

#define FIELD(member) HB_OPTS_FIELD(struct settings, member)
static const struct hb_opts_option options[] = {
    {"at", 0, HB_OPTS_NUMBERS, FIELD(at), "X,Y,Z", .help = "displacement of B (default 0,0,0)",
     .of = HB_DIMENSION_LENGTH},
    {"velocity", 0, HB_OPTS_NUMBERS, FIELD(velocity), "VX,VY,VZ",
     .help = "velocity added to B (default 0,0,0)", .of = HB_DIMENSION_VELOCITY},
    {"output", 'o', HB_OPTS_TEXT, FIELD(output), "FILE", .use = HB_OPTS_SHOWS,
     .help = "file to write; - is standard output (default: combined.h5)"},
    {"format", 0, HB_OPTS_WORD, FIELD(format), "F", .words.at = hb_target_format, .use = HB_OPTS_SHOWS,
     .help = "format of the file (default: by extension)"},
    {0}};

static enum hb_status combine(const struct hb_opts *opts)
{
  const struct settings *s = opts->settings;
  const char *path = s->output ? s->output : "combined.h5";
  struct hb_particles *a = NULL, *b = NULL, *both = NULL;
  HB_TRY(hb_target_check(path, s->format));
  for (size_t k = 0; k < 2; k++) HB_TRY(hb_target_spare(path, s->format, opts->operands[k]));
  enum hb_status status = hb_snapshot_read(opts->operands[0], NULL, &a);
  if (status == HB_OK) status = hb_snapshot_read(opts->operands[1], NULL, &b);
  struct hb_opts own = *opts;
  if (status == HB_OK) status = hb_astro_convert(&own, NULL, a, 0);
  if (status == HB_OK) status = hb_combine_particles(a, b, s->at, s->velocity, &both);
  if (status == HB_OK) status = hb_opts_add_history(&own, both);
  if (status == HB_OK) status = hb_target_write(path, s->format, both);
  if (status == HB_OK && !s->quiet && strcmp(path, "-") != 0)
    hb_terminal_say("wrote %s: %zu particles, %zu and %zu", path, hb_particles_n(both), hb_particles_n(a),
                    hb_particles_n(b));
  hb_particles_destroy(both);
  hb_particles_destroy(b);
  hb_particles_destroy(a);
  return status;
}

const struct hb_opts_command hb_cmd_ic_combine = {
    .name = "ic combine",
    .summary = "Put two systems together, B displaced and in motion, at the time of A.",
    .operand = "A B",
    .operand_min = 2,
    .operand_max = 2,
    .groups = {{.options = options}, {.options = hb_opts_quiet, .at = offsetof(struct settings, quiet)}},
    .settings_size = sizeof(struct settings),
    .example = "  holmberg ic combine a.h5 b.h5 --at 10,2,0 --velocity -0.5,0,0 -o encounter.h5\n",
    .work = combine,
};

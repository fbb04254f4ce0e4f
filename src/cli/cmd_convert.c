/* holmberg convert: a snapshot in another format. */
#include "base/text.h"
#include "cli/cmd.h"
#include "console/target.h"
#include "console/terminal.h"

#include <math.h>
#include <string.h>

struct settings {
  const char *format, *input_format;
  double time;
  int quiet;
};

#define FIELD(member) HB_OPTS_FIELD(struct settings, member)
static const struct hb_opts_option options[] = {
    {"format", 0, HB_OPTS_WORD, FIELD(format), "F", .words.at = hb_target_format, .use = HB_OPTS_SHOWS,
     .help = "format of OUT (default: by extension)"},
    {"input-format", 0, HB_OPTS_WORD, FIELD(input_format), "F", .words.at = hb_target_format,
     .use = HB_OPTS_SHOWS, .help = "format of IN (default: by extension and content)"},
    {"time", 0, HB_OPTS_NUMBER, FIELD(time), "T",
     .help = "the snapshot of this time, of a file that holds many (default: the last)",
     .of = HB_DIMENSION_TIME},
    {0}};

static enum hb_status convert(const struct hb_opts *opts)
{
  const struct settings *s = opts->settings;
  const char *in = opts->operands[0], *out = opts->operands[1];
  struct hb_snapshot_contents found;
  struct hb_particles *particles;
  HB_TRY(hb_target_check(out, s->format));
  HB_TRY(hb_target_spare(out, s->format, in));
  HB_TRY(hb_astro_convert_by_file(opts, in, s->input_format, 0));
  double t = hb_opts_typed(opts, &s->time) ? s->time : NAN;
  HB_TRY(hb_snapshot_read_at(in, s->input_format, t, &particles, &found));
  enum hb_status status = hb_opts_add_history(opts, particles);
  if (status == HB_OK) status = hb_target_write(out, s->format, particles);
  if (status == HB_OK && !s->quiet && strcmp(out, "-") != 0)
    hb_terminal_say("wrote %s: %zu particle%s, t = %.9g, from format %s", out, hb_particles_n(particles),
                    hb_text_s(hb_particles_n(particles)), hb_particles_time(particles), found.format);
  hb_particles_destroy(particles);
  return status;
}

static void list_formats(FILE *out)
{
  size_t count;
  const struct hb_snapshot_format *formats = hb_snapshot_formats(&count);
  fputs("\nformats:\n", out);
  for (size_t k = 0; k < count; k++) {
    char extensions[64];
    snprintf(extensions, sizeof extensions, "; extensions: %s", formats[k].extensions);
    hb_opts_help_entry(formats[k].name, formats[k].summary, "", extensions, out);
  }
}

const struct hb_opts_command hb_cmd_convert = {
    .name = "convert",
    .summary = "Write a snapshot in another format.",
    .operand = "IN OUT",
    .operand_min = 2,
    .operand_max = 2,
    .groups = {{.options = options}, {.options = hb_opts_quiet, .at = offsetof(struct settings, quiet)}},
    .settings_size = sizeof(struct settings),
    .more_help = list_formats,
    .example = "  holmberg convert end.h5 end.nemo\n"
               "  holmberg convert movie.nemo one.xmf --time 2.5       # and one.h5, for ParaView\n"
               "  makeplummer -n 64 | holmberg convert - start.h5\n",
    .work = convert,
};

/* holmberg convert, scale and ic combine: snapshots that become others. */
#include "base/text.h"
#include "cli/cmd.h"
#include "console/target.h"
#include "console/terminal.h"

#include <math.h>
#include <string.h>

/* ---- convert: in another format ---- */

struct convert_settings {
  const char *format, *input_format;
  double time;
  int quiet;
};

#define FIELD(member) HB_SETTING_FIELD(struct convert_settings, member)
static const struct hb_setting convert_options[] = {
    {"format", 0, HB_SETTING_WORD, FIELD(format), "F", .words.at = hb_target_format, .use = HB_SETTING_SHOWS,
     .help = "format of OUT (default: by extension)"},
    {"input-format", 0, HB_SETTING_WORD, FIELD(input_format), "F", .words.at = hb_target_format,
     .use = HB_SETTING_SHOWS, .help = "format of IN (default: by extension and content)"},
    {"time", 0, HB_SETTING_NUMBER, FIELD(time), "T",
     .help = "the snapshot of this time, of a file that holds many (default: the last)",
     .of = HB_DIMENSION_TIME},
    {0}};
#undef FIELD

static enum hb_status convert(const struct hb_opts *opts)
{
  const struct convert_settings *s = opts->settings;
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

static void list_formats(const struct hb_help *help)
{
  size_t count;
  const struct hb_snapshot_format *formats = hb_snapshot_formats(&count);
  help->heading("formats", help->out);
  for (size_t k = 0; k < count; k++)
    hb_help_entry(help, formats[k].name, "%s; extensions: %s", formats[k].summary, formats[k].extensions);
}

const struct hb_opts_command hb_cmd_convert = {
    .name = "convert",
    .summary = "Write a snapshot in another format.",
    .operand = "IN OUT",
    .operand_min = 2,
    .operand_max = 2,
    .groups = {{.options = convert_options},
               {.options = hb_opts_quiet, .at = offsetof(struct convert_settings, quiet)}},
    .settings_size = sizeof(struct convert_settings),
    .more_help = list_formats,
    .example = "  holmberg convert end.h5 end.nemo\n"
               "  holmberg convert movie.nemo one.xmf --time 2.5       # and one.h5, for ParaView\n"
               "  makeplummer -n 64 | holmberg convert - start.h5\n",
    .work = convert,
};

/* ---- scale: mass, size and virial ratio of a system, and its units ---- */

enum units { FROM_ASTRO = 1, STANDARD = 2 };

struct scale_settings {
  struct hb_scale to;
  double at[3], velocity[3];
  unsigned units;
  const char *radius, *format;
  int quiet;
};

#define FIELD(member) HB_SETTING_FIELD(struct scale_settings, member)
static const struct hb_setting scale_options[] = {
    {"from-astro", 0, HB_SETTING_FLAG, FIELD(units), .bit = FROM_ASTRO,
     .help = "first: the numbers of IN are in solar masses, pc and km/s, the time in Myr; OUT has units with "
             "G = 1"},
    {"mass", 0, HB_SETTING_POSITIVE, FIELD(to.mass), "M", .help = "change the total mass to this",
     .of = HB_DIMENSION_MASS},
    {"length", 0, HB_SETTING_POSITIVE, FIELD(to.radius), "R",
     .help = "change the virial radius M^2 / (2 |U|) to this; orbits stay similar",
     .of = HB_DIMENSION_LENGTH},
    {"virial", 0, HB_SETTING_POSITIVE, FIELD(to.virial), "Q",
     .help = "change the virial ratio T / |U| to this by a factor for all velocities about that of the "
             "center of mass"},
    {"standard", 0, HB_SETTING_FLAG, FIELD(units), .bit = STANDARD,
     .help = "last: express it in units where M = 1 and the virial radius is 1, its center of mass at rest "
             "at the origin; units follow"},
    {"at", 0, HB_SETTING_NUMBERS, FIELD(at), "X,Y,Z", .help = "after all that: displace everything by this",
     .of = HB_DIMENSION_LENGTH},
    {"velocity", 0, HB_SETTING_NUMBERS, FIELD(velocity), "VX,VY,VZ", .help = "and add this velocity",
     .of = HB_DIMENSION_VELOCITY},
    {"radius", 0, HB_SETTING_TEXT, FIELD(radius), "R",
     .help = "last of all: radii for run --collisions, a number, 1AU, R*m^P or sun*m^P, see 'holmberg ic'"},
    {"format", 0, HB_SETTING_WORD, FIELD(format), "F", .words.at = hb_target_format, .use = HB_SETTING_SHOWS,
     .help = "format of OUT (default: by extension)"},
    {0}};
#undef FIELD

static int is_moved(const struct scale_settings *s)
{
  int is_moved = 0;
  for (int k = 0; k < 3; k++) is_moved |= s->at[k] != 0 || s->velocity[k] != 0;
  return is_moved;
}

static void move(const struct scale_settings *s, struct hb_particles *p)
{
  double *x = hb_particles_x(p), *v = hb_particles_v(p);
  for (size_t k = 0; k < 3 * hb_particles_n(p); k++) {
    x[k] += s->at[k % 3];
    v[k] += s->velocity[k % 3];
  }
}

static enum hb_status change(const struct hb_opts *opts, struct hb_particles *p)
{
  const struct scale_settings *s = opts->settings;
  struct hb_opts own = *opts;
  if (s->units & FROM_ASTRO) HB_TRY(hb_scale_from_astro(p));
  HB_TRY(hb_astro_convert(&own, &s->to.mass, p, 0));
  HB_TRY(hb_astro_convert(&own, &s->to.radius, p, 0));
  if (s->to.mass > 0 || s->to.radius > 0 || s->to.virial > 0) HB_TRY(hb_scale_particles(p, &s->to));
  if (s->units & STANDARD) HB_TRY(hb_scale_to_standard(p));
  HB_TRY(hb_astro_convert(&own, s->at, p, 0)); /* by the units of OUT */
  HB_TRY(hb_astro_convert(&own, s->velocity, p, 0));
  if (is_moved(s)) move(s, p);
  if (s->radius) HB_TRY(hb_particles_set_radii(p, s->radius));
  return hb_opts_add_history(&own, p);
}

static enum hb_status scale(const struct hb_opts *opts)
{
  const struct scale_settings *s = opts->settings;
  const char *in = opts->operands[0], *out = opts->operands[1];
  struct hb_particles *particles;
  if (s->units == 0 && s->to.mass == 0 && s->to.radius == 0 && s->to.virial == 0 && !is_moved(s) &&
      !s->radius)
    return hb_fail(HB_ERR_USAGE, "nothing to change, expected --mass, --length, --virial, --standard, "
                                 "--from-astro, --at, --velocity or --radius");
  HB_TRY(hb_target_check(out, s->format));
  HB_TRY(hb_target_spare(out, s->format, in));
  HB_TRY(hb_snapshot_read(in, NULL, &particles));
  enum hb_status status = change(opts, particles);
  if (status == HB_OK) status = hb_target_write(out, s->format, particles);
  if (status == HB_OK && !s->quiet && strcmp(out, "-") != 0)
    hb_terminal_say("wrote %s: %zu particle%s", out, hb_particles_n(particles),
                    hb_text_s(hb_particles_n(particles)));
  hb_particles_destroy(particles);
  return status;
}

const struct hb_opts_command hb_cmd_scale = {
    .name = "scale",
    .summary = "Change the mass, size, virial ratio, place or units of a system.",
    .operand = "IN OUT",
    .operand_min = 2,
    .operand_max = 2,
    .groups = {{.options = scale_options},
               {.options = hb_opts_quiet, .at = offsetof(struct scale_settings, quiet)}},
    .settings_size = sizeof(struct scale_settings),
    .example = "  holmberg scale cluster.h5 small.h5 --length 0.5 --virial 0.3\n"
               "  holmberg scale cluster.h5 start.h5 --at 100,0,0 --velocity 0,10,0\n"
               "  holmberg scale observed.txt start.h5 --from-astro --standard\n",
    .work = scale,
};

/* ---- ic combine: two systems in one ---- */

struct combine_settings {
  double at[3], velocity[3];
  const char *output, *format;
  int quiet;
};

#define FIELD(member) HB_SETTING_FIELD(struct combine_settings, member)
static const struct hb_setting combine_options[] = {
    {"at", 0, HB_SETTING_NUMBERS, FIELD(at), "X,Y,Z", .help = "displacement of B (default 0,0,0)",
     .of = HB_DIMENSION_LENGTH},
    {"velocity", 0, HB_SETTING_NUMBERS, FIELD(velocity), "VX,VY,VZ",
     .help = "velocity added to B (default 0,0,0)", .of = HB_DIMENSION_VELOCITY},
    {"output", 'o', HB_SETTING_TEXT, FIELD(output), "FILE", .use = HB_SETTING_SHOWS,
     .help = "file to write; - is standard output (default: combined.h5)"},
    {"format", 0, HB_SETTING_WORD, FIELD(format), "F", .words.at = hb_target_format, .use = HB_SETTING_SHOWS,
     .help = "format of the file (default: by extension)"},
    {0}};
#undef FIELD

static enum hb_status combine(const struct hb_opts *opts)
{
  const struct combine_settings *s = opts->settings;
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
    .groups = {{.options = combine_options},
               {.options = hb_opts_quiet, .at = offsetof(struct combine_settings, quiet)}},
    .settings_size = sizeof(struct combine_settings),
    .example = "  holmberg ic combine a.h5 b.h5 --at 10,2,0 --velocity -0.5,0,0 -o encounter.h5\n",
    .work = combine,
};

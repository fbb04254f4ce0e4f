/* holmberg scale: mass, size and virial ratio of a system, and its units. */
#include "base/text.h"
#include "cli/cmd.h"
#include "console/target.h"
#include "console/terminal.h"

#include <string.h>

enum units { FROM_ASTRO = 1, STANDARD = 2 };

struct settings {
  struct hb_scale to;
  double at[3], velocity[3];
  unsigned units;
  const char *radius, *format;
  int quiet;
};

#define FIELD(member) HB_OPTS_FIELD(struct settings, member)
static const struct hb_opts_option options[] = {
    {"from-astro", 0, HB_OPTS_FLAG, FIELD(units), .bit = FROM_ASTRO,
     .help = "first: the numbers of IN are in solar masses, pc and km/s, the time in Myr; OUT has units with "
             "G = 1"},
    {"mass", 0, HB_OPTS_POSITIVE, FIELD(to.mass), "M", .help = "change the total mass to this",
     .of = HB_DIMENSION_MASS},
    {"length", 0, HB_OPTS_POSITIVE, FIELD(to.radius), "R",
     .help = "change the virial radius M^2 / (2 |U|) to this; orbits stay similar",
     .of = HB_DIMENSION_LENGTH},
    {"virial", 0, HB_OPTS_POSITIVE, FIELD(to.virial), "Q",
     .help = "change the virial ratio T / |U| to this by a factor for all velocities about that of the "
             "center of mass"},
    {"standard", 0, HB_OPTS_FLAG, FIELD(units), .bit = STANDARD,
     .help = "last: express it in units where M = 1 and the virial radius is 1, its center of mass at rest "
             "at the origin; units follow"},
    {"at", 0, HB_OPTS_NUMBERS, FIELD(at), "X,Y,Z", .help = "after all that: displace everything by this",
     .of = HB_DIMENSION_LENGTH},
    {"velocity", 0, HB_OPTS_NUMBERS, FIELD(velocity), "VX,VY,VZ", .help = "and add this velocity",
     .of = HB_DIMENSION_VELOCITY},
    {"radius", 0, HB_OPTS_TEXT, FIELD(radius), "R",
     .help = "last of all: radii for run --collisions, a number, 1AU, R*m^P or sun*m^P, see 'holmberg ic'"},
    {"format", 0, HB_OPTS_WORD, FIELD(format), "F", .words.at = hb_target_format, .use = HB_OPTS_SHOWS,
     .help = "format of OUT (default: by extension)"},
    {0}};

static int is_moved(const struct settings *s)
{
  int is_moved = 0;
  for (int k = 0; k < 3; k++) is_moved |= s->at[k] != 0 || s->velocity[k] != 0;
  return is_moved;
}

static void move(const struct settings *s, struct hb_particles *p)
{
  double *x = hb_particles_x(p), *v = hb_particles_v(p);
  for (size_t k = 0; k < 3 * hb_particles_n(p); k++) {
    x[k] += s->at[k % 3];
    v[k] += s->velocity[k % 3];
  }
}

static enum hb_status change(const struct hb_opts *opts, struct hb_particles *p)
{
  const struct settings *s = opts->settings;
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
  const struct settings *s = opts->settings;
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
    .groups = {{.options = options}, {.options = hb_opts_quiet, .at = offsetof(struct settings, quiet)}},
    .settings_size = sizeof(struct settings),
    .example = "  holmberg scale cluster.h5 small.h5 --length 0.5 --virial 0.3\n"
               "  holmberg scale cluster.h5 start.h5 --at 100,0,0 --velocity 0,10,0\n"
               "  holmberg scale observed.txt start.h5 --from-astro --standard\n",
    .work = scale,
};

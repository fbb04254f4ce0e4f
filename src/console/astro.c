#include "console/astro.h"

#include "base/status.h"

#include <string.h>

const char *const hb_astro_names[] = {"nbody", "astro", NULL};

enum hb_status hb_astro_find(const struct hb_particles *particles, struct hb_units *units)
{
  int are_known;
  HB_TRY(hb_units_get(particles, units, &are_known));
  if (are_known) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "option --units: the particles have no units, see 'holmberg ic --help' and "
                               "'holmberg scale --help'");
}

enum hb_status hb_astro_convert(struct hb_opts *opts, const void *field, const struct hb_particles *particles,
                                int is_astro)
{
  struct hb_units units = {0};
  int are_known;
  if (!hb_opts_has_units(opts, is_astro)) return HB_OK;
  HB_TRY(hb_units_get(particles, &units, &are_known));
  return hb_opts_convert(opts, field, &units, is_astro);
}

enum hb_status hb_astro_convert_by_file(const struct hb_opts *opts, const char *path, const char *format,
                                        int is_astro)
{
  struct hb_particles *particles;
  struct hb_opts own = *opts;
  if (!hb_opts_has_units(opts, is_astro)) return HB_OK;
  if (strcmp(path, "-") == 0)
    return hb_fail(HB_ERR_USAGE,
                   "numbers with units need a file that can be read twice; standard input cannot be");
  HB_TRY(hb_snapshot_read(path, format, &particles));
  enum hb_status status = hb_astro_convert(&own, NULL, particles, is_astro);
  hb_particles_destroy(particles);
  return status;
}

double hb_astro_energy(const struct hb_units *u)
{
  return u->mass * hb_units_velocity(u) * hb_units_velocity(u);
}

static void multiply(double x[3], double unit)
{
  for (int k = 0; k < 3; k++) x[k] *= unit;
}

static void convert_binaries(const struct hb_units *u, struct hb_binaries *b)
{
  b->energy *= hb_astro_energy(u);
  b->a_hardest *= u->length;
  b->hard_above *= hb_astro_energy(u);
}

void hb_astro_diagnostics(const struct hb_units *u, struct hb_diagnostics *d)
{
  d->t *= u->time;
  d->e_total *= hb_astro_energy(u);
  d->e_kin *= hb_astro_energy(u);
  d->e_pot *= hb_astro_energy(u);
  d->e_bulk *= hb_astro_energy(u);
  d->e_gpu *= hb_astro_energy(u);
  d->e_field *= hb_astro_energy(u);
  d->e_lost *= hb_astro_energy(u);
  d->e_changed *= hb_astro_energy(u);
  d->e_jacobi *= hb_astro_energy(u);
  d->e_cluster *= hb_astro_energy(u);
  convert_binaries(u, &d->binaries);
  d->e_orbit *= hb_astro_energy(u);
  d->e_scale *= hb_astro_energy(u);
  d->r_half *= u->length;
}

void hb_astro_structure(const struct hb_units *u, struct hb_structure *s)
{
  double velocity = hb_units_velocity(u);
  s->t *= u->time;
  multiply(s->momentum, u->mass * velocity);
  multiply(s->angular_momentum, u->mass * u->length * velocity);
  multiply(s->x_mass, u->length);
  multiply(s->v_mass, velocity);
  multiply(s->x_density, u->length);
  s->r_core *= u->length;
  for (int k = 0; k < HB_LAGRANGE_COUNT; k++) s->r_lagrange[k] *= u->length;
  convert_binaries(u, &s->binaries);
}

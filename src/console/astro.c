#include "console/astro.h"

#include "base/status.h"

const char *const hb_astro_names[] = {"nbody", "astro", NULL};

enum hb_status hb_astro_find(const struct hb_particles *particles, struct hb_units *units)
{
  int are_known;
  HB_TRY(hb_units_get(particles, units, &are_known));
  if (are_known) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "option --units: the particles have no units, see 'holmberg ic --help' and "
                               "'holmberg scale --help'");
}

double hb_astro_energy(const struct hb_units *u)
{
  return u->mass * hb_units_velocity(u) * hb_units_velocity(u);
}

static void multiply(double x[3], double unit)
{
  for (int k = 0; k < 3; k++) x[k] *= unit;
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
  d->e_jacobi *= hb_astro_energy(u);
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
  s->binaries.energy *= hb_astro_energy(u);
  s->binaries.a_hardest *= u->length;
  s->binaries.hard_above *= hb_astro_energy(u);
}

/* Two systems in one. */
#include "base/log.h"
#include "core/particles.h"
#include "core/units.h"

#include <math.h>
#include <string.h>

/* Factors from the units of `second` to those of `first`. */
static enum hb_status convert(const struct hb_particles *first, const struct hb_particles *second,
                              double *mass, double *length, double *velocity)
{
  struct hb_units to, from;
  int first_has, second_has;
  HB_TRY(hb_units_get(first, &to, &first_has));
  HB_TRY(hb_units_get(second, &from, &second_has));
  if (first_has != second_has)
    return hb_fail(HB_ERR_INPUT, "the %s system has units, the %s has none: they cannot be combined",
                   first_has ? "first" : "second", first_has ? "second" : "first");
  if (!first_has) return HB_OK;
  *mass = from.mass / to.mass;
  *length = from.length / to.length;
  *velocity = hb_units_velocity(&from) / hb_units_velocity(&to);
  return HB_OK;
}

/* What one says, or, if they differ, the smaller one, which spoils neither: 0 for binaries. */
static enum hb_status join_eps(const struct hb_particles *first, const struct hb_particles *second,
                               double by_length, struct hb_particles *p)
{
  double a, b;
  HB_TRY(hb_particles_eps(first, &a));
  HB_TRY(hb_particles_eps(second, &b));
  b *= by_length;
  double eps = fmin(a, b); /* the other one, of NaN */
  if (isnan(eps)) return HB_OK;
  if (a != b && !isnan(a) && !isnan(b))
    hb_log_warn("the systems have different softenings, %.9g and %.9g: both get %.9g, the smaller one", a, b,
                eps);
  return hb_softening_note(p, eps);
}

/* How it is to be integrated: what one says and the other does not deny. */
static enum hb_status join_advice(const struct hb_particles *first, const struct hb_particles *second,
                                  struct hb_particles *p)
{
  static const char *const keys[] = {"dt", "damping"};
  for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
    const char *a = hb_particles_note(first, keys[k]), *b = hb_particles_note(second, keys[k]);
    if ((a || b) && (!a || !b || strcmp(a, b) == 0)) HB_TRY(hb_particles_set_note(p, keys[k], a ? a : b));
  }
  return HB_OK;
}

/* The lines of both histories, and what both say alike. */
static enum hb_status join_notes(const struct hb_particles *first, const struct hb_particles *second,
                                 struct hb_particles *p)
{
  for (size_t k = 0; k < first->note_count; k++) {
    const char *key = first->notes[k].key, *value = first->notes[k].value;
    const char *other = hb_particles_note(second, key);
    int is_kept =
        strcmp(key, "history") == 0 || strcmp(key, "units") == 0 || (other && strcmp(value, other) == 0);
    if (is_kept && strcmp(key, "eps") != 0) HB_TRY(hb_particles_set_note(p, key, value));
  }
  const char *history = hb_particles_note(second, "history");
  return history ? hb_particles_add_history(p, history) : HB_OK;
}

static enum hb_status join_identities(const struct hb_particles *first, const struct hb_particles *second,
                                      struct hb_particles *p)
{
  uint64_t most = 0;
  for (size_t i = 0; i < first->n; i++) most = first->id[i] > most ? first->id[i] : most;
  memcpy(p->id, first->id, first->n * sizeof *p->id);
  for (size_t i = 0; i < second->n; i++) {
    if (second->id[i] >= UINT64_MAX - most)
      return hb_fail(HB_ERR_INPUT, "the identities %llu and %llu leave no room for one after the other",
                     (unsigned long long)most, (unsigned long long)second->id[i]);
    p->id[first->n + i] = most + 1 + second->id[i];
  }
  return HB_OK;
}

static enum hb_status join(const struct hb_particles *first, const struct hb_particles *second,
                           const double at[3], const double velocity[3], struct hb_particles *p)
{
  double by_mass = 1, by_length = 1, by_velocity = 1;
  size_t n = first->n;
  HB_TRY(convert(first, second, &by_mass, &by_length, &by_velocity));
  HB_TRY(join_identities(first, second, p));
  p->t = first->t;
  memcpy(p->m, first->m, n * sizeof *p->m);
  memcpy(p->x, first->x, 3 * n * sizeof *p->x);
  memcpy(p->v, first->v, 3 * n * sizeof *p->v);
  for (size_t i = 0; i < second->n; i++) p->m[n + i] = by_mass * second->m[i];
  if (first->radius || second->radius) HB_TRY(hb_particles_reserve_radius(p));
  if (first->radius) memcpy(p->radius, first->radius, n * sizeof *p->radius);
  for (size_t i = 0; i < second->n && second->radius; i++) p->radius[n + i] = by_length * second->radius[i];
  for (size_t k = 0; k < 3 * second->n; k++) {
    p->x[3 * n + k] = at[k % 3] + by_length * second->x[k];
    p->v[3 * n + k] = velocity[k % 3] + by_velocity * second->v[k];
  }
  HB_TRY(join_eps(first, second, by_length, p));
  HB_TRY(join_advice(first, second, p));
  return join_notes(first, second, p);
}

enum hb_status hb_combine_particles(const struct hb_particles *first, const struct hb_particles *second,
                                    const double at[3], const double velocity[3],
                                    struct hb_particles **particles)
{
  struct hb_particles *p;
  *particles = NULL;
  HB_TRY(hb_particles_create(first->n + second->n, &p));
  enum hb_status status = join(first, second, at, velocity, p);
  if (status == HB_OK) status = hb_particles_check(p);
  return HB_MADE(status, p, hb_particles_destroy, particles);
}

#include "ic/cluster.h"

#include "base/elementary.h"
#include "base/mem.h"
#include "base/text.h"
#include "core/diagnostics.h"
#include "core/units.h"
#include "ic/fractal.h"
#include "ic/masses.h"
#include "ic/primordial.h"
#include "ic/rotation.h"
#include "ic/scale.h"
#include "ic/segregation.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What draws random numbers, each from a sequence of its own: an option changes only what it is about. */
enum purpose { ORBITS, MASSES, PAIRS, FRACTAL, SEGREGATION, ROTATION, BINARIES };

/* ---- checks ------------------------------------------------------------------------------------------ */

int hb_cluster_is_plain(const struct hb_ic_cluster *cluster)
{
  static const struct hb_ic_cluster plain;
  return memcmp(cluster, &plain, sizeof plain) == 0;
}

static enum hb_status check_range(const char *what, double value, double least, double most)
{
  if (value >= least && value <= most) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "%s is %g, expected %g to %g", what, value, least, most);
}

static enum hb_status check_not_negative(const char *what, double value)
{
  if (isfinite(value) && value >= 0) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "%s is %g, expected finite and > 0", what, value);
}

/* A quarter of the mean distance of systems within the half-mass radius, about 0.8, is this over the cubic root of their
 * number: wider pairs have others between them at apocenter. */
static const double spacing = 0.4;

static enum hb_status check_orbits(struct hb_ic_cluster *c, size_t n)
{
  if ((unsigned)c->pairing > HB_IC_PAIRING_UNIFORM || (unsigned)c->orbits > HB_IC_ORBITS_DUQUENNOY1991 ||
      (unsigned)c->eccentricities > HB_IC_CIRCULAR)
    return hb_fail(HB_ERR_USAGE, "pairing, orbits and eccentricities are %d, %d and %d, expected 0, 1 or 2",
                   (int)c->pairing, (int)c->orbits, (int)c->eccentricities);
  HB_TRY(check_range("the share of binaries", c->binaries, 0, 1));
  HB_TRY(check_not_negative("the smallest axis", c->a_min));
  HB_TRY(check_not_negative("the largest axis", c->a_max));
  if (c->binaries == 0) {
    if (c->pairing || c->orbits || c->eccentricities || c->a_min > 0 || c->a_max > 0)
      return hb_fail(HB_ERR_USAGE, "pairing, orbits, eccentricities, the smallest and the largest axis are "
                                   "of binaries: give their share");
    return HB_OK;
  }
  size_t systems = n - hb_primordial_pairs(c->binaries, n);
  if (systems < 2) return hb_fail(HB_ERR_USAGE, "%zu particles make one system, expected two or more", n);
  int is_opik = c->orbits == HB_IC_ORBITS_OPIK;
  if (c->a_max == 0 && is_opik) c->a_max = 1 / (double)systems;
  if (c->a_max == 0 && c->orbits == HB_IC_ORBITS_DUQUENNOY1991)
    c->a_max = spacing * hb_elementary_power((double)systems, -1.0 / 3);
  if (c->a_max == 0) c->a_max = INFINITY;
  if (c->a_min == 0 && is_opik) c->a_min = fmin(0.01 / (double)systems, c->a_max / 100);
  if (c->a_min < c->a_max) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "semi-major axes from %g to %g, expected the first below the second", c->a_min,
                 c->a_max);
}

/* Masses in solar masses are a unit already. */
static enum hb_status check_units(const struct hb_ic_cluster *c)
{
  struct hb_units u = c->units;
  int is_given = u.mass != 0 || u.length != 0 || u.time != 0, are_solar = hb_masses_are_solar(c);
  if (are_solar && (u.mass != 0 || (u.length != 0 && u.time != 0)))
    return hb_fail(HB_ERR_USAGE,
                   "the masses '%s' are in solar masses, so only one unit is left, of length or of time",
                   c->masses);
  if (are_solar && is_given) u.mass = 1;
  if (is_given) return hb_units_complete(&u);
  if (c->orbits == HB_IC_ORBITS_OPIK) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "orbits other than opik have periods in days, expected units: give %s",
                 are_solar ? "that of length" : "those of mass and length");
}

static enum hb_status check_scaling(const struct hb_ic_model *model, struct hb_ic_params *p)
{
  const struct hb_ic_cluster *c = &p->cluster;
  int has_own_units = !hb_text_is_listed("scaling", model->options);
  if (has_own_units && c->tidal_radius > 0)
    return hb_fail(HB_ERR_USAGE, "model %s ends at r = 1 and takes no tidal radius", model->name);
  if (has_own_units && c->rotation != 0 && c->virial == 0)
    return hb_fail(HB_ERR_USAGE, "model %s is at rest and cannot rotate: give a virial ratio", model->name);
  if (c->fractal == 0 && c->tidal_radius == 0 && !has_own_units) return HB_OK;
  if (p->scaling == HB_IC_SCALING_MODEL && !has_own_units)
    return hb_fail(HB_ERR_USAGE,
                   "a fractal or a tidal radius changes the energy of the model, expected scaling measured");
  p->scaling = HB_IC_SCALING_MEASURED;
  return HB_OK;
}

enum hb_status hb_cluster_check(const struct hb_ic_model *model, struct hb_ic_params *params)
{
  struct hb_ic_cluster *c = &params->cluster;
  HB_TRY(hb_masses_check(c, &params->n));
  HB_TRY(check_range("the degree of segregation", c->segregation, 0, 1));
  HB_TRY(check_range("rotation", c->rotation, -1, 1));
  HB_TRY(check_not_negative("the virial ratio", c->virial));
  HB_TRY(check_not_negative("the tidal radius", c->tidal_radius));
  if (c->fractal != 0 && !(c->fractal > 1 && c->fractal <= 3))
    return hb_fail(HB_ERR_USAGE, "the fractal dimension is %g, expected 1 < D <= 3", c->fractal);
  HB_TRY(check_orbits(c, params->n ? params->n : model->n));
  HB_TRY(check_units(c));
  return check_scaling(model, params);
}

/* ---- systems: single stars and centers of mass of binaries ------------------------------------------- */

/* Stars of mass 1 in total; unit becomes that mass as drawn. */
static enum hb_status draw_masses(const struct hb_ic_params *params, size_t pairs, size_t n, double *m,
                                  double *unit)
{
  const struct hb_ic_cluster *c = &params->cluster;
  struct hb_rng masses = hb_rng_sequence(params->seed, MASSES), order = hb_rng_sequence(params->seed, PAIRS);
  HB_TRY(hb_masses_draw(c, &masses, n, m));
  if (pairs > 0) HB_TRY(hb_primordial_pair(&order, c->pairing, n, pairs, m));
  *unit = hb_sum(n, m);
  for (size_t i = 0; i < n; i++) m[i] /= *unit;
  return HB_OK;
}

static enum hb_status draw_orbits(const struct hb_ic_params *params, const struct hb_ic_sphere *sphere,
                                  size_t count, double *x, double *v)
{
  struct hb_rng rng = hb_rng_sequence(params->seed, ORBITS);
  double most = params->cluster.tidal_radius / sphere->length;
  for (size_t i = 0, again = 0; i < count; i++) {
    double *xi = x + 3 * i;
    do {
      sphere->draw(sphere, &rng, xi, v + 3 * i);
      if (again++ > 1000 * count + 1000000)
        return hb_fail(HB_ERR_USAGE, "hardly a star of the model is within the tidal radius %g",
                       params->cluster.tidal_radius);
    } while (most > 0 && xi[0] * xi[0] + xi[1] * xi[1] + xi[2] * xi[2] > most * most);
  }
  return HB_OK;
}

static double length(const double a[3]) { return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]); }

static enum hb_status sort_by_radius(size_t n, const double *x, size_t *order)
{
  double *r;
  HB_TRY(HB_ALLOC(n, &r));
  for (size_t i = 0; i < n; i++) r[i] = length(x + 3 * i);
  enum hb_status status = hb_segregation_sort(n, r, order);
  hb_mem_free(r);
  return status;
}

/* The directions of the fractal, the radii and speeds of the model: the k-th from the center of one those of the k-th of the
 * other, so that the density profile stays. */
static enum hb_status add_fractal(const struct hb_ic_params *params, size_t n, double *x, double *v)
{
  struct hb_rng rng = hb_rng_sequence(params->seed, FRACTAL);
  double *X = NULL;
  size_t *to = NULL;
  enum hb_status status = HB_ALLOC(6 * n, &X);
  if (status == HB_OK) status = HB_ALLOC(2 * n, &to);
  if (status == HB_OK) status = hb_fractal_draw(&rng, params->cluster.fractal, n, X, X + 3 * n);
  if (status == HB_OK) status = sort_by_radius(n, x, to);
  if (status == HB_OK) status = sort_by_radius(n, X, to + n);
  for (size_t k = 0; status == HB_OK && k < n; k++) {
    double *xi = x + 3 * to[k], *vi = v + 3 * to[k], *Xi = X + 3 * to[n + k], *Vi = Xi + 3 * n;
    double r = length(xi) / length(Xi), speed = length(vi) / length(Vi);
    for (int c = 0; c < 3; c++) xi[c] = r * Xi[c], vi[c] = speed * Vi[c];
  }
  hb_mem_free(to);
  hb_mem_free(X);
  return status;
}

/* p gets the orbits that its masses take. */
static enum hb_status segregate(const struct hb_ic_params *params, size_t count, const double *x,
                                const double *v, struct hb_particles *p)
{
  struct hb_rng rng = hb_rng_sequence(params->seed, SEGREGATION);
  size_t *orbit;
  HB_TRY(HB_ALLOC(p->n, &orbit));
  enum hb_status status =
      hb_segregation_choose(&rng, params->cluster.segregation, p->n, p->m, count, x, v, orbit);
  for (size_t i = 0; status == HB_OK && i < p->n; i++) {
    memcpy(p->x + 3 * i, x + 3 * orbit[i], 3 * sizeof *x);
    memcpy(p->v + 3 * i, v + 3 * orbit[i], 3 * sizeof *v);
  }
  hb_mem_free(orbit);
  return status;
}

static enum hb_status place(const struct hb_ic_params *params, const struct hb_ic_sphere *sphere,
                            struct hb_particles *p)
{
  const struct hb_ic_cluster *c = &params->cluster;
  size_t count = c->segregation > 0 ? HB_SEGREGATION_ORBITS * p->n : p->n;
  double *pool = NULL, *x = p->x, *v = p->v;
  if (c->segregation > 0) {
    HB_TRY(HB_ALLOC(6 * count, &pool));
    x = pool, v = pool + 3 * count;
  }
  enum hb_status status = draw_orbits(params, sphere, count, x, v);
  if (status == HB_OK && c->fractal > 0) status = add_fractal(params, count, x, v);
  if (status == HB_OK && pool) status = segregate(params, count, x, v, p);
  hb_mem_free(pool);
  return status;
}

/* Lengths so that U = -1/2, then speeds so that T = Q |U|: with the measured sums the energy of the sample itself is exact,
 * not only that of the distribution it is drawn from. What a tide has cut off leaves the other lengths as they are. */
static enum hb_status scale(const struct hb_ic_params *params, struct hb_ic_sphere *sphere,
                            struct hb_particles *p)
{
  const struct hb_ic_cluster *c = &params->cluster;
  double Q = c->virial > 0 ? c->virial : 0.5, e_pot;
  if (sphere->length == 0 && c->virial == 0) return HB_OK;
  if (params->scaling == HB_IC_SCALING_MODEL) {
    hb_scale_by(p, sphere->length, 1 / sqrt(sphere->length) * sqrt(2 * Q));
    sphere->reach *= sphere->length;
    return HB_OK;
  }
  HB_TRY(hb_scale_potential(p, params->progress, params->progress_context, &e_pot));
  double l = sphere->length == 0 ? 1 : c->tidal_radius > 0 ? sphere->length : -2 * e_pot;
  hb_scale_by(p, l, sqrt(Q * (-e_pot / l) / hb_kinetic_energy(p)));
  sphere->reach *= l;
  return HB_OK;
}

static enum hb_status make_systems(const struct hb_ic_params *params, struct hb_ic_sphere *sphere,
                                   struct hb_particles *p)
{
  struct hb_rng rng = hb_rng_sequence(params->seed, ROTATION);
  HB_TRY(place(params, sphere, p));
  if (params->cluster.rotation != 0) hb_rotation_turn(&rng, params->cluster.rotation, p->n, p->x, p->v);
  hb_center_at_rest(p);
  return scale(params, sphere, p);
}

/* ---- stars ------------------------------------------------------------------------------------------- */

/* The members of system k are stars 2 k and 2 k + 1 while it is one of the pairs. */
static void resolve(size_t pairs, const double *orbits, const struct hb_particles *systems,
                    struct hb_particles *stars)
{
  for (size_t k = 0; k < systems->n; k++) {
    size_t i = k < pairs ? 2 * k : k + pairs;
    double share = k < pairs ? stars->m[i + 1] / systems->m[k] : 0;
    for (size_t c = 0; c < 3; c++) {
      double x = k < pairs ? orbits[6 * k + c] : 0, v = k < pairs ? orbits[6 * k + 3 + c] : 0;
      stars->x[3 * i + c] = systems->x[3 * k + c] - share * x;
      stars->v[3 * i + c] = systems->v[3 * k + c] - share * v;
      if (k >= pairs) continue;
      stars->x[3 * i + 3 + c] = systems->x[3 * k + c] + (1 - share) * x;
      stars->v[3 * i + 3 + c] = systems->v[3 * k + c] + (1 - share) * v;
    }
  }
}

static enum hb_status make_stars(const struct hb_ic_params *params, struct hb_ic_sphere *sphere, size_t pairs,
                                 const double *orbits, struct hb_particles *p)
{
  struct hb_particles *systems;
  if (pairs == 0) return make_systems(params, sphere, p);
  HB_TRY(hb_particles_create(p->n - pairs, &systems));
  for (size_t k = 0; k < systems->n; k++)
    systems->m[k] = k < pairs ? p->m[2 * k] + p->m[2 * k + 1] : p->m[k + pairs];
  enum hb_status status = make_systems(params, sphere, systems);
  if (status == HB_OK) resolve(pairs, orbits, systems, p);
  hb_particles_destroy(systems);
  return status;
}

/* The units, or at least what the mass function says about them. */
static enum hb_status set_units(struct hb_ic_cluster *c, double mass, struct hb_particles *p)
{
  char text[32];
  if (hb_masses_are_solar(c)) c->units.mass = mass;
  if (c->units.mass == 0 && c->units.length == 0 && c->units.time == 0) return HB_OK;
  if (c->units.length != 0 || c->units.time != 0) {
    HB_TRY(hb_units_complete(&c->units));
    return hb_units_set(p, &c->units);
  }
  snprintf(text, sizeof text, "%.17g", mass);
  return hb_particles_set_note(p, "mass_msun", text);
}

/* The masses to 1 in total again, and the units and orbits with them. */
static enum hb_status renew_units(struct hb_ic_cluster *c, const struct hb_units *given, size_t pairs,
                                  double *orbits, struct hb_particles *p)
{
  struct hb_units old = c->units;
  double grown = hb_sum(p->n, p->m);
  for (size_t i = 0; i < p->n; i++) p->m[i] /= grown;
  c->units = *given;
  HB_TRY(set_units(c, old.mass * grown, p));
  double length = old.length / c->units.length, velocity = length * c->units.time / old.time;
  for (size_t k = 0; k < 6 * pairs; k++) orbits[k] *= k % 6 < 3 ? length : velocity;
  return HB_OK;
}

/* The relative orbits of the pairs, x[3] and v[3] each. */
static enum hb_status draw_binaries(struct hb_ic_params *params, const struct hb_units *given, size_t pairs,
                                    double *orbits, struct hb_particles *p)
{
  struct hb_ic_cluster *c = &params->cluster;
  struct hb_rng rng = hb_rng_sequence(params->seed, BINARIES);
  size_t redrawn = 0;
  char text[32];
  for (size_t k = 0; k < pairs; k++) {
    double a, e, *m = p->m + 2 * k;
    HB_TRY(hb_primordial_orbit(&rng, c, m, &a, &e, &redrawn));
    hb_primordial_place(&rng, m[0] + m[1], a, e, orbits + 6 * k, orbits + 6 * k + 3);
  }
  if (c->orbits == HB_IC_ORBITS_KROUPA1995 && hb_masses_function(c->masses))
    HB_TRY(renew_units(c, given, pairs, orbits, p));
  if (c->orbits != HB_IC_ORBITS_OPIK) {
    snprintf(text, sizeof text, "%zu", redrawn);
    HB_TRY(hb_particles_set_note(p, "orbits_redrawn", text));
    snprintf(text, sizeof text, "%.6g", c->a_max);
    if (isfinite(c->a_max)) HB_TRY(hb_particles_set_note(p, "orbits_a_max", text));
  }
  return hb_particles_set_note(p, "eps", "0"); /* a softening would not be these orbits */
}

/* Whoever matches the model to a galaxy's tide has to know where it ends. */
static enum hb_status set_tidal_radius(const struct hb_ic_params *params, const struct hb_ic_sphere *sphere,
                                       struct hb_particles *p)
{
  char text[32];
  double cut = params->cluster.tidal_radius, r = sphere->reach;
  if (cut > 0 && !(r > 0 && r < cut)) r = cut;
  if (r == 0) return HB_OK;
  snprintf(text, sizeof text, "%.17g", r);
  return hb_particles_set_note(p, "initial_tidal_radius", text);
}

enum hb_status hb_cluster_make(const struct hb_ic_ops *model, const struct hb_ic_params *params,
                               struct hb_particles *p)
{
  struct hb_ic_params own = *params;
  struct hb_ic_sphere sphere = {0};
  size_t pairs = hb_primordial_pairs(own.cluster.binaries, p->n);
  double unit, *orbits = NULL;
  HB_TRY(draw_masses(&own, pairs, p->n, p->m, &unit));
  HB_TRY(set_units(&own.cluster, unit, p));
  if (pairs > 0) HB_TRY(HB_ALLOC(6 * pairs, &orbits));
  enum hb_status status = pairs > 0 ? draw_binaries(&own, &params->cluster.units, pairs, orbits, p) : HB_OK;
  if (status == HB_OK) status = model->open(&own, &sphere);
  if (status == HB_OK) status = make_stars(&own, &sphere, pairs, orbits, p);
  if (status == HB_OK) status = set_tidal_radius(&own, &sphere, p);
  hb_mem_free(sphere.table);
  hb_mem_free(orbits);
  return status;
}

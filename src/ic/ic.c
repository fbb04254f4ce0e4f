/* Models of initial conditions: star clusters, galaxies, a few bodies; scaling them, and combining two. */
#include "base/elementary.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "base/text.h"
#include "core/diagnostics.h"
#include "core/gravity.h"
#include "core/particles.h"
#include "core/units.h"
#include "core/vector.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A spherical model, ready to be drawn from. Mass and G are 1; the length is the model's own. */
struct hb_ic_sphere {
  void *table; /* for draw; nullable */
  void (*draw)(const struct hb_ic_sphere *sphere, struct hb_rng *rng, double x[3], double v[3]);
  double length; /* its unit of length where U = -1/2; 0: the model keeps its own */
  double reach;  /* no star is farther out, in its unit of length; 0: no such end */
  double number; /* for draw */
};

struct hb_ic_ops {
  struct hb_ic_model info;
  /* The softening that it means, where make writes no note of it; of a cluster, if its stars have one mass. */
  double eps;
  /* One of the three. Bodies m x v as they are: 7 numbers for each of info.n. */
  const double (*bodies)[7];
  /* Fills m, x, v of particles->n particles (all zero before). params are checked and complete. */
  enum hb_status (*make)(const struct hb_ic_ops *model, const struct hb_ic_params *params,
                         struct hb_particles *particles);
  /* Where info.is_cluster; make_cluster does the rest. */
  enum hb_status (*open)(const struct hb_ic_params *params, struct hb_ic_sphere *sphere);
};

/* ---- to standard units, to a velocity scale ------------------------------------------------------------- */

/* The potential energy U without softening, N^2 pairs; progress, nullable, is told about after each part. Errors:
 * HB_ERR_INTERNAL. */
static enum hb_status scale_potential(const struct hb_particles *p,
                                      void (*progress)(void *context, double done), void *context,
                                      double *e_pot)
{
  static const size_t pairs = (size_t)1 << 28; /* in a part: a fraction of a second */
  size_t n = p->n, part = pairs / n + 1;
  HB_OWN double *phi = NULL;
  HB_TRY(HB_ALLOC(n, &phi));
  for (size_t first = 0; first < n; first += part) {
    size_t end = hb_parallel_end(n, part, first);
    hb_gravity_potential(n, p->m, p->x, 0, first, end, phi);
    if (progress) progress(context, (double)end / (double)n);
  }
  *e_pot = hb_potential_energy(p, phi);
  return HB_OK;
}

/* Multiplies positions and radii, and velocities. */
static void scale_by(struct hb_particles *p, double length, double velocity)
{
  for (size_t k = 0; k < 3 * p->n; k++) {
    p->x[k] *= length;
    p->v[k] *= velocity;
  }
  for (size_t i = 0; i < p->n && p->radius; i++) p->radius[i] *= length;
}

/* Mass and virial radius. */
static enum hb_status measure(const struct hb_particles *p, double *mass, double *radius, double *e_pot)
{
  *mass = hb_sum(p->n, p->m);
  HB_TRY(scale_potential(p, NULL, NULL, e_pot));
  if (*mass > 0 && isfinite(*e_pot) && *e_pot < 0) {
    *radius = *mass * *mass / (-2 * *e_pot);
    return HB_OK;
  }
  return hb_fail(HB_ERR_INPUT, "the mass is %g and the potential energy %g, so there is no virial radius",
                 *mass, *e_pot);
}

/* A note that is a number, if there is one. */
static enum hb_status scale_note(struct hb_particles *p, const char *key, double by)
{
  double number;
  const char *value = hb_particles_note(p, key);
  return value && hb_text_number(value, &number) == HB_OK
             ? hb_particles_print_note(p, key, "%.17g", by * number)
             : HB_OK;
}

static enum hb_status scale_eps(struct hb_particles *p, double length)
{
  double eps;
  HB_TRY(hb_particles_eps(p, &eps));
  return isnan(eps) ? HB_OK : hb_softening_note(p, length * eps);
}

/* All factors of a similar system with G = 1. */
static enum hb_status make_similar(struct hb_particles *p, double mass, double length)
{
  double time = length * sqrt(length / mass);
  for (size_t i = 0; i < p->n; i++) p->m[i] *= mass;
  scale_by(p, length, sqrt(mass / length));
  p->t *= time;
  HB_TRY(scale_note(p, "initial_tidal_radius", length));
  HB_TRY(scale_eps(p, length));
  return scale_note(p, "dt", time);
}

static enum hb_status check(const char *what, double value)
{
  if (value == 0 || (isfinite(value) && value > 0)) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "the %s to scale to is %g, expected finite and > 0", what, value);
}

enum hb_status hb_scale_particles(struct hb_particles *p, const struct hb_scale *scale)
{
  double mass, radius = 1, e_pot, x[3], V[3], e_kin, e_bulk;
  if (!p || !scale) return hb_fail(HB_ERR_USAGE, "no %s to scale", p ? "values" : "particles");
  HB_TRY(check("mass", scale->mass));
  HB_TRY(check("virial radius", scale->radius));
  HB_TRY(check("virial ratio", scale->virial));
  HB_TRY(measure(p, &mass, &radius, &e_pot));
  double by_mass = scale->mass > 0 ? scale->mass / mass : 1,
         by_length = scale->radius > 0 ? scale->radius / radius : 1;
  hb_center_of_mass(p, x, V);
  hb_kinetic_energy_in(p, V, &e_kin, &e_bulk);
  if (scale->virial > 0 && !(e_kin > 0))
    return hb_fail(HB_ERR_INPUT, "the particles are at rest: no virial ratio but 0 can be reached");
  HB_TRY(make_similar(p, by_mass, by_length));
  if (scale->virial == 0) return HB_OK;
  double more = sqrt(scale->virial * -e_pot / e_kin) - 1, similar = sqrt(by_mass / by_length);
  for (size_t k = 0; k < 3 * p->n; k++) p->v[k] += more * (p->v[k] - similar * V[k % 3]);
  return HB_OK;
}

enum hb_status hb_scale_to_standard(struct hb_particles *p)
{
  struct hb_units units;
  double mass, radius = 1, e_pot;
  int are_known;
  HB_TRY(hb_units_get(p, &units, &are_known));
  HB_TRY(measure(p, &mass, &radius, &e_pot));
  HB_TRY(make_similar(p, 1 / mass, 1 / radius));
  hb_center_at_rest(p);
  if (!are_known) return HB_OK;
  return hb_units_set(p, &(struct hb_units){.mass = units.mass * mass, .length = units.length * radius});
}

enum hb_status hb_scale_from_astro(struct hb_particles *p)
{
  struct hb_units units = {.mass = 1, .length = 1};
  if (hb_particles_note(p, "units")) return hb_fail(HB_ERR_INPUT, "the particles have units already");
  HB_TRY(hb_units_complete(&units));
  scale_by(p, 1, 1 / hb_units_velocity(&units));
  p->t /= units.time;
  return hb_units_set(p, &units);
}

static const double PI = 3.14159265358979323846, LN10 = 2.30258509299404568402;

/* What draws random numbers, each from a sequence of its own: an option changes only what it is about. */
enum { ORBITS_EACH = 8 }; /* how many times as many orbits as stars there are to choose from */
enum purpose { ORBITS, MASSES, PAIRS, FRACTAL, SEGREGATION, ROTATION, BINARIES };

/* ---- masses ----------------------------------------------------------------------------------------------- */

/* A mass function that is piecewise a power law, dN / dm ~ m^-slope from `from` on, and continuous. A slope of 0 ends it. */
enum { PIECES = 3 };
struct piece {
  double from, slope;
};

/* Salpeter 1955, ApJ 121, 161; Kroupa 2001, MNRAS 322, 231, eq. 2; in solar masses. */
static const struct {
  const char *name;
  struct piece pieces[PIECES];
} functions[] = {{"salpeter", {{0, 2.35}}}, {"kroupa", {{0.01, 0.3}, {0.08, 1.3}, {0.5, 2.3}}}};

/* NULL: not one of them. */
static const struct piece *mass_function(const char *name)
{
  for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
    if (strcmp(name, functions[k].name) == 0) return functions[k].pieces;
  return NULL;
}

static int is_kind(const struct hb_ic_cluster *c, const char *name) { return strcmp(c->masses, name) == 0; }

static int is_file(const struct hb_ic_cluster *c)
{
  return !is_kind(c, "equal") && !is_kind(c, "two") && !mass_function(c->masses);
}

/* Else only their ratios have a meaning. */
static int are_solar_masses(const struct hb_ic_cluster *c) { return mass_function(c->masses) || is_file(c); }

struct pieces {
  int count;
  double from[PIECES], to[PIECES], slope[PIECES];
  double stars[PIECES]; /* in each, in any unit */
};

/* The integral of m^-slope is m^p / p, p = 1 - slope. Where a piece begins it goes on as high as the one before it. */
static void cut_pieces(const struct piece *piece, double least, double most, struct pieces *p)
{
  double height = 1; /* the factor of m^-slope */
  p->count = 0;
  for (int k = 0; k < PIECES && piece[k].slope > 0; k++) {
    int is_last = k == PIECES - 1 || piece[k + 1].slope == 0;
    if (k > 0) height *= hb_elementary_power(piece[k].from, piece[k].slope - piece[k - 1].slope);
    double from = fmax(piece[k].from, least), to = is_last ? most : fmin(piece[k + 1].from, most);
    if (from >= to) continue;
    double q = 1 - piece[k].slope;
    p->from[p->count] = from;
    p->to[p->count] = to;
    p->slope[p->count] = piece[k].slope;
    p->stars[p->count++] = height * (hb_elementary_power(to, q) - hb_elementary_power(from, q)) / q;
  }
}

static double draw_mass(const struct pieces *p, struct hb_rng *rng)
{
  double all = 0;
  for (int k = 0; k < p->count; k++) all += p->stars[k];
  double u = hb_rng_uniform(rng) * all;
  int k = 0;
  while (k < p->count - 1 && u > p->stars[k]) u -= p->stars[k++];
  double q = 1 - p->slope[k], from = hb_elementary_power(p->from[k], q),
         to = hb_elementary_power(p->to[k], q);
  double m = hb_elementary_power(from + fmin(u / p->stars[k], 1) * (to - from), 1 / q);
  return fmin(fmax(m, p->from[k]), p->to[k]);
}

/* One mass in each line; empty lines and what follows a # are skipped. m[*n] is allocated. */
static enum hb_status parse_masses(const char *path, char *text, double **m, size_t *n)
{
  size_t capacity = 0, line = 0;
  for (char *next; text; text = next) {
    const char *words[2];
    next = strchr(text, '\n');
    if (next) *next++ = 0;
    line++;
    text[strcspn(text, "#")] = 0;
    int count = hb_text_words(text, " \t\r", 2, words);
    if (count == 0) continue;
    HB_TRY(HB_GROW(*n, &capacity, m));
    double *mass = &(*m)[*n];
    if (count > 1 || hb_text_number(words[0], mass) != HB_OK || *mass <= 0)
      return hb_fail(HB_ERR_INPUT, "%s:%zu: '%s%s', expected one mass > 0 in each line", path, line, words[0],
                     count > 1 ? " ..." : "");
    ++*n;
  }
  return *n > 0 ? HB_OK : hb_fail(HB_ERR_INPUT, "%s: there is no mass in it", path);
}

static enum hb_status read_masses(const char *path, double **m, size_t *n)
{
  HB_OWN char *text = NULL;
  size_t length;
  *m = NULL;
  *n = 0;
  HB_TRY(hb_file_read_regular(path, &text, &length));
  if (memchr(text, 0, length)) return hb_fail(HB_ERR_INPUT, "%s: it is not text", path);
  return parse_masses(path, text, m, n);
}

static enum hb_status check_file(const struct hb_ic_cluster *c, size_t *n)
{
  HB_OWN double *m = NULL;
  size_t count;
  if (access(c->masses, F_OK) != 0)
    return hb_fail(HB_ERR_USAGE, "masses '%s' are neither equal, salpeter, kroupa or two nor a file",
                   c->masses);
  HB_TRY(read_masses(c->masses, &m, &count));
  if (*n != 0 && *n != count)
    return hb_fail(HB_ERR_USAGE, "%s has %zu mass%s, but %zu particles were asked for", c->masses, count,
                   count == 1 ? "" : "es", *n);
  *n = count;
  return HB_OK;
}

static enum hb_status check_limits(struct hb_ic_cluster *c, const struct piece *piece)
{
  if (c->mass_min == 0) c->mass_min = 0.08;
  if (c->mass_max == 0) c->mass_max = 100;
  if (!(c->mass_min > 0 && c->mass_min < c->mass_max && isfinite(c->mass_max)))
    return hb_fail(HB_ERR_USAGE,
                   "masses from %g to %g solar masses, expected the first above 0 and below the second",
                   c->mass_min, c->mass_max);
  if (c->mass_min < piece->from)
    return hb_fail(HB_ERR_USAGE, "the smallest mass is %g solar masses, but %s begins at %g", c->mass_min,
                   c->masses, piece->from);
  return HB_OK;
}

/* The kind of cluster->masses, checked, with defaults put in place of zeros; *n becomes the number of masses in a file.
 * Errors: HB_ERR_USAGE, HB_ERR_IO, HB_ERR_INPUT (file, line, word). */
static enum hb_status cluster_check_masses(struct hb_ic_cluster *c, size_t *n)
{
  if (!c->masses) c->masses = "equal";
  const struct piece *piece = mass_function(c->masses);
  if (!piece && (c->mass_min != 0 || c->mass_max != 0))
    return hb_fail(HB_ERR_USAGE,
                   "a smallest and a largest mass are for the masses salpeter and kroupa, not '%s'",
                   c->masses);
  if (!is_kind(c, "two") && (c->mass_ratio != 0 || c->heavy != 0))
    return hb_fail(HB_ERR_USAGE, "a mass ratio and a share of heavy stars are for the masses 'two', not '%s'",
                   c->masses);
  if (piece) return check_limits(c, piece);
  if (is_kind(c, "equal")) return HB_OK;
  if (!is_kind(c, "two")) return check_file(c, n);
  if (c->mass_ratio == 0) c->mass_ratio = 10;
  if (c->heavy == 0) c->heavy = 0.1;
  if (!(c->mass_ratio > 0 && isfinite(c->mass_ratio)))
    return hb_fail(HB_ERR_USAGE, "the mass ratio is %g, expected finite and > 0", c->mass_ratio);
  if (!(c->heavy > 0 && c->heavy < 1))
    return hb_fail(HB_ERR_USAGE, "the share of heavy stars is %g, expected 0 < heavy < 1", c->heavy);
  return HB_OK;
}

/* m[n]. Errors: as above, HB_ERR_INTERNAL. */
static enum hb_status cluster_draw_masses(const struct hb_ic_cluster *c, struct hb_rng *rng, size_t n,
                                          double *m)
{
  const struct piece *piece = mass_function(c->masses);
  struct pieces pieces = {0};
  if (is_file(c)) {
    HB_OWN double *read = NULL;
    size_t count;
    HB_TRY(read_masses(c->masses, &read, &count));
    if (count != n)
      return hb_fail(HB_ERR_INPUT, "%s has %zu mass%s now, it had %zu before", c->masses, count,
                     count == 1 ? "" : "es", n);
    memcpy(m, read, n * sizeof *m);
    return HB_OK;
  }
  size_t heavy = is_kind(c, "two") ? (size_t)((double)n * c->heavy + 0.5) : 0;
  if (piece) cut_pieces(piece, c->mass_min, c->mass_max, &pieces);
  for (size_t i = 0; i < n; i++) m[i] = piece ? draw_mass(&pieces, rng) : i < heavy ? c->mass_ratio : 1;
  return HB_OK;
}

/* ---- order ------------------------------------------------------------------------------------------------ */

struct key {
  double value;
  size_t index;
};

/* Equal values keep their order, so that every machine sorts alike. */
static int ascending(const void *a, const void *b)
{
  const struct key *p = a, *q = b;
  int by_value = (p->value > q->value) - (p->value < q->value);
  return by_value ? by_value : (p->index > q->index) - (p->index < q->index);
}

/* index[count]: 0 ... count - 1 in ascending order of the values. Errors: HB_ERR_INTERNAL. */
static enum hb_status cluster_sort(size_t count, const double *values, size_t *index)
{
  HB_OWN struct key *keys = NULL;
  HB_TRY(HB_ALLOC(count, &keys));
  for (size_t i = 0; i < count; i++) keys[i] = (struct key){values[i], i};
  qsort(keys, count, sizeof *keys, ascending);
  for (size_t i = 0; i < count; i++) index[i] = keys[i].index;
  return HB_OK;
}

static enum hb_status sort_by_radius(size_t n, const double *x, size_t *order)
{
  HB_OWN double *r = NULL;
  HB_TRY(HB_ALLOC(n, &r));
  for (size_t i = 0; i < n; i++) r[i] = hb_norm(x + 3 * i);
  return cluster_sort(n, r, order);
}

/* ---- binaries --------------------------------------------------------------------------------------------- */

/* Primordial binaries: which stars belong together, and on which orbits.
 *
 * Pairing of stars that are drawn from the mass function at random:
 *   random    any two
 *   ordered   the two heaviest of those chosen, the next two, and so on
 *   uniform   primaries are drawn, secondaries have q times their mass, q uniform from 0.1 to 1 [Sana et al. 2012, Science
 *             337, 444]
 *
 * Semi-major axes a or periods P in days:
 *   opik             dN / d log a constant from a_min to a_max
 *   kroupa1995       dN / d log P = 2.5 (log P - 1) / (45 + (log P - 1)^2), 1 <= log P <= 8.43, at birth; then the young stars
 *                    change each other at pericenter, r_p = a (1 - e), which stays: with rho = (28 R_sun / r_p)^(3/4),
 *                    e becomes e exp(-rho) and q = m2 / m1 becomes q + (1 - q) min(rho, 1) [Kroupa 1995, MNRAS 277, 1507]
 *   duquennoy1991    log P normal with mean 4.8 and standard deviation 2.3 [Duquennoy & Mayor 1991, A&A 248, 485]
 *
 * Orbits with periods are drawn again while the stars, with radii of R_sun (m / M_sun)^0.8, would touch at pericenter.
 *
 * Eccentricities: thermal, dN / de = 2 e [Jeans 1919]; uniform; circular. Where the stars are on their orbits, and how these
 * lie in space, is at random. */
static const double least_ratio = 0.1; /* of the masses, for uniform */

/* Of n stars so many pairs make the share of the systems: of S systems share S are pairs, and there are (1 + share) S stars. */
static size_t cluster_pairs(double share, size_t n)
{
  size_t pairs = (size_t)((double)n * share / (1 + share) + 0.5);
  return pairs < n / 2 ? pairs : n / 2;
}

static void shuffle(struct hb_rng *rng, size_t n, double *m)
{
  for (size_t i = 0; i + 1 < n; i++) {
    size_t k = i + (size_t)(hb_rng_uniform(rng) * (double)(n - i));
    double old = m[i];
    m[i] = m[k];
    m[k] = old;
  }
}

static int descending(const void *a, const void *b)
{
  double p = *(const double *)a, q = *(const double *)b;
  return (p < q) - (p > q);
}

/* Puts the members of the pairs first in m[n], the primary before its secondary, the single stars behind them. */
static void pair_up(struct hb_rng *rng, enum hb_ic_pairing pairing, size_t n, size_t pairs, double *m)
{
  shuffle(rng, n, m);
  if (pairing == HB_IC_PAIRING_ORDERED) qsort(m, 2 * pairs, sizeof *m, descending);
  for (size_t i = 0; i < 2 * pairs; i += 2) {
    if (pairing == HB_IC_PAIRING_UNIFORM)
      m[i + 1] = m[i] * (least_ratio + (1 - least_ratio) * hb_rng_uniform(rng));
    if (m[i] >= m[i + 1]) continue;
    double primary = m[i + 1];
    m[i + 1] = m[i];
    m[i] = primary;
  }
}

/* log P. The integral of kroupa1995 is 1.25 ln (1 + (log P - 1)^2 / 45), and 1 at its end. */
static double draw_period(struct hb_rng *rng, enum hb_ic_orbits orbits)
{
  double normals[2];
  if (orbits == HB_IC_ORBITS_KROUPA1995)
    return 1 + sqrt(45 * (hb_elementary_exp(hb_rng_uniform(rng) / 1.25) - 1));
  hb_elementary_normals(rng, normals);
  return 4.8 + 2.3 * normals[0];
}

/* Kepler's third law, a^3 = m P^2 / 4 pi^2. */
static double axis_of(const struct hb_units *units, double m, double log_p)
{
  double days = hb_units_day / (hb_units_myr * units->time), P = hb_elementary_exp(log_p * LN10) * days;
  return hb_elementary_power(m * P * P / (4 * PI * PI), 1.0 / 3);
}

static double draw_axis(struct hb_rng *rng, const struct hb_ic_cluster *c, double m)
{
  if (c->orbits != HB_IC_ORBITS_OPIK) return axis_of(&c->units, m, draw_period(rng, c->orbits));
  double a = c->a_min * hb_elementary_power(c->a_max / c->a_min, hb_rng_uniform(rng));
  return fmin(fmax(a, c->a_min), c->a_max);
}

static double draw_eccentricity(struct hb_rng *rng, enum hb_ic_eccentricities kind)
{
  double u = hb_rng_uniform(rng);
  return kind == HB_IC_THERMAL ? sqrt(u) : kind == HB_IC_UNIFORM ? u : 0;
}

/* What the stars do to each other at pericenter while they are young; see above. */
static void evolve(const struct hb_ic_cluster *c, double m[2], double *a, double *e)
{
  double pericenter = *a * (1 - *e);
  double rho = hb_elementary_power(28 * hb_units_r_sun / (hb_units_pc * c->units.length) / pericenter, 0.75);
  *e *= hb_elementary_exp(-rho);
  *a = pericenter / (1 - *e);
  if (mass_function(c->masses)) m[1] += (m[0] - m[1]) * fmin(rho, 1); /* masses that are given stay */
}

static int touch(const struct hb_ic_cluster *c, const double m[2], double a, double e)
{
  double R = 0;
  for (int k = 0; k < 2; k++) R += hb_elementary_power(m[k] * c->units.mass, 0.8);
  return a * (1 - e) <= R * hb_units_r_sun / (hb_units_pc * c->units.length);
}

static enum hb_status hardly_ever(const struct hb_ic_cluster *c, double m)
{
  char axes[64];
  if (isinf(c->a_max))
    snprintf(axes, sizeof axes, "above %g", c->a_min);
  else if (c->a_min > 0)
    snprintf(axes, sizeof axes, "from %g to %g", c->a_min, c->a_max);
  else
    snprintf(axes, sizeof axes, "below %g", c->a_max);
  return hb_fail(HB_ERR_USAGE, "a binary of mass %g would hardly ever have a semi-major axis %s", m, axes);
}

/* Semi-major axis and eccentricity of a binary of masses m[2], the primary's first, all in units with G = 1. cluster is
 * checked: a_min < a_max are given, and cluster->units where orbits needs them. With kroupa1995 m[1] may grow. *redrawn is
 * counted up if the first draw did not fit. Errors: HB_ERR_USAGE (hardly an orbit fits). */
static enum hb_status cluster_orbit(struct hb_rng *rng, const struct hb_ic_cluster *c, double m[2], double *a,
                                    double *e, size_t *redrawn)
{
  double born = m[1];
  for (int tries = 0, fits = 0; !fits; tries++) {
    if (tries == 1 && c->orbits != HB_IC_ORBITS_OPIK) ++*redrawn;
    if (tries == 100000) return hardly_ever(c, m[0] + born);
    m[1] = born;
    *a = draw_axis(rng, c, m[0] + m[1]);
    if (*a < c->a_min || *a > c->a_max) continue;
    *e = draw_eccentricity(rng, c->eccentricities);
    if (c->orbits == HB_IC_ORBITS_KROUPA1995) evolve(c, m, a, e);
    fits = c->orbits == HB_IC_ORBITS_OPIK || !touch(c, m, *a, *e);
  }
  return HB_OK;
}

/* cos E and sin E for a mean anomaly E - e sin E that is uniform: E has the density 1 - e cos E, so that Kepler's equation
 * need not be solved. */
static void draw_phase(struct hb_rng *rng, double e, double *cos_E, double *sin_E)
{
  double r2, point[2];
  do {
    do {
      for (int k = 0; k < 2; k++) point[k] = 2 * hb_rng_uniform(rng) - 1;
      r2 = point[0] * point[0] + point[1] * point[1];
    } while (r2 > 1 || r2 < 0x1p-20);
    *cos_E = point[0] / sqrt(r2);
    *sin_E = point[1] / sqrt(r2);
  } while (hb_rng_uniform(rng) * (1 + e) >= 1 - e * *cos_E);
}

/* Unit vectors to pericenter and along the motion there. */
static void draw_axes(struct hb_rng *rng, double p[3], double q[3])
{
  double along, length2;
  hb_rng_direction(rng, p);
  do {
    hb_rng_direction(rng, q);
    along = hb_dot(p, q);
    for (int k = 0; k < 3; k++) q[k] -= along * p[k];
    length2 = hb_dot(q, q);
  } while (length2 < 0x1p-20);
  for (int k = 0; k < 3; k++) q[k] /= sqrt(length2);
}

/* A place x[3] and velocity v[3] of the secondary relative to the primary, at a random phase and in a random direction. */
static void place_pair(struct hb_rng *rng, double m, double a, double e, double x[3], double v[3])
{
  double c, s, p[3], q[3], minor = sqrt((1 - e) * (1 + e));
  draw_phase(rng, e, &c, &s);
  draw_axes(rng, p, q);
  double speed = sqrt(m / a) / (1 - e * c); /* a dE / dt */
  for (int k = 0; k < 3; k++) {
    x[k] = a * ((c - e) * p[k] + minor * s * q[k]);
    v[k] = speed * (minor * c * q[k] - s * p[k]);
  }
}

/* ---- substructure ----------------------------------------------------------------------------------------- */

struct part {
  double x[3], v[3];
};

/* One generation; `half` is half of the edge of its cubes, and also how fast a part moves within its parent. */
struct generation {
  struct part *parts;
  size_t count;
  double half;
};

/* A part's center lies at random within `loose` half edges about the middle, so that no grid shows. */
static struct part part_of(const struct part *parent, int octant, double half, double loose,
                           struct hb_rng *rng)
{
  struct part child;
  double normals[3];
  hb_elementary_three_normals(rng, normals);
  for (int k = 0; k < 3; k++) {
    double side = octant >> k & 1 ? 1 : -1, noise = (2 * hb_rng_uniform(rng) - 1) * half * loose;
    child.x[k] = parent->x[k] + side * half + noise;
    child.v[k] = parent->v[k] + half * normals[k];
  }
  return child;
}

static enum hb_status divide(struct hb_rng *rng, double survives, const struct generation *parents,
                             struct generation *children)
{
  size_t capacity = 0;
  double loose = (1 - survives) / 4; /* parts that all survive fill their parent evenly */
  *children = (struct generation){.half = parents->half / 2};
  for (size_t i = 0; i < parents->count; i++)
    for (int octant = 0; octant < 8; octant++) {
      if (hb_rng_uniform(rng) >= survives) continue;
      HB_TRY(HB_GROW(children->count, &capacity, &children->parts));
      children->parts[children->count++] = part_of(&parents->parts[i], octant, children->half, loose, rng);
    }
  return HB_OK;
}

/* Keeps those that reach into the unit ball. */
static size_t round_off(struct generation *g)
{
  size_t kept = 0;
  double most = 1 + g->half * sqrt(3);
  for (size_t i = 0; i < g->count; i++) {
    const double *x = g->parts[i].x;
    if (hb_dot(x, x) < most * most) g->parts[kept++] = g->parts[i];
  }
  return kept;
}

/* Generations until one has twice n in the ball. The first has all of its eight parts, and a line that dies out begins anew. */
static enum hb_status grow(struct hb_rng *rng, double D, size_t n, struct generation *g)
{
  double survives = hb_elementary_power(2, D - 3);
  for (size_t inside = 0; inside < 2 * n;) {
    struct part origin = {{0}, {0}};
    struct generation first = {&origin, 1, 1}, next;
    int is_new = g->count == 0;
    enum hb_status status = divide(rng, is_new ? 1 : survives, is_new ? &first : g, &next);
    hb_mem_free(g->parts);
    *g = next;
    HB_TRY(status);
    if (g->count < 2 * n) continue;
    inside = round_off(g);
    g->count = inside;
  }
  return HB_OK;
}

/* Any place in any part that is in the ball: where all parts survive, stars are as independent of each other as raindrops. */
static void draw_star(struct hb_rng *rng, const struct generation *g, double x[3], double v[3])
{
  double normals[3], r2;
  const struct part *part;
  do {
    part = &g->parts[(size_t)(hb_rng_uniform(rng) * (double)g->count)];
    r2 = 0;
    for (int k = 0; k < 3; k++) {
      x[k] = part->x[k] + g->half * (2 * hb_rng_uniform(rng) - 1);
      r2 += x[k] * x[k];
    }
  } while (r2 >= 1);
  hb_elementary_three_normals(rng, normals);
  for (int k = 0; k < 3; k++) v[k] = part->v[k] + g->half / 2 * normals[k];
}

/* Fractal substructure [Goodwin & Whitworth 2004, A&A 413, 929, section 2]: a cube has eight parts, each of which has parts
 * of its own with the probability 2^(D - 3), and so on. What moves a part moves all that comes of it, so that neighbors
 * have similar velocities. x[3 * n] in the unit ball and v[3 * n] of fractal dimension 1 < D <= 3, whose center is at the
 * origin; only directions and ratios of v have a meaning. Errors: HB_ERR_INTERNAL. */
static enum hb_status cluster_fractal(struct hb_rng *rng, double D, size_t n, double *x, double *v)
{
  HB_OWN struct generation g = {0};
  HB_TRY(grow(rng, D, n, &g));
  for (size_t i = 0; i < n; i++) draw_star(rng, &g, x + 3 * i, v + 3 * i);
  return HB_OK;
}

/* ---- segregation ------------------------------------------------------------------------------------------ */

/* v^2 / 2 + Phi, Phi that of the orbits themselves as shells of equal mass. order is scratch. */
static enum hb_status energies(size_t count, const double *X, const double *V, size_t *order, double *E)
{
  for (size_t i = 0; i < count; i++) E[i] = hb_norm(X + 3 * i);
  HB_TRY(cluster_sort(count, E, order));
  double outside = 0; /* sum of 1 / r of the shells beyond */
  for (size_t k = count; k-- > 0;) {
    size_t i = order[k];
    const double *v = V + 3 * i, r = E[i], share = ((double)k + 0.5) / (double)count;
    E[i] = hb_dot(v, v) / 2 - share / r - outside / (double)count;
    outside += 1 / r;
  }
  return HB_OK;
}

/* How many places are left, as a tree of partial sums [Fenwick 1994]: left[k] of those in (k - lowest bit of k, k]. */
static void fill_tree(size_t n, size_t *left)
{
  for (size_t k = 1; k <= n; k++) left[k] = k & (~k + 1);
}

/* Takes the place that `before` of those left come before. */
static size_t take(size_t n, size_t *left, size_t before)
{
  size_t place = 0, bit = 1;
  while (2 * bit <= n) bit *= 2;
  for (; bit > 0; bit /= 2)
    if (place + bit <= n && left[place + bit] <= before) place += bit, before -= left[place];
  for (size_t k = place + 1; k <= n; k += k & (~k + 1)) left[k]--;
  return place;
}

/* star[k]: who has the k-th place. work[n + 1] is scratch. */
static enum hb_status take_places(struct hb_rng *rng, double degree, size_t n, const double *m, size_t *work,
                                  size_t *star)
{
  HB_OWN size_t *by_mass = NULL;
  HB_TRY(HB_ALLOC(n, &by_mass));
  HB_TRY(cluster_sort(n, m, by_mass));
  fill_tree(n, work);
  for (size_t k = 0; k < n; k++) {
    double share = degree < 1 ? 1 - hb_elementary_power(hb_rng_uniform(rng), 1 - degree) : 0;
    size_t before = (size_t)(share * (double)(n - k));
    star[take(n, work, before < n - k ? before : n - k - 1)] = by_mass[n - 1 - k];
  }
  return HB_OK;
}

/* The middle of each place's share of the mass says which orbit; a star that weighs less than an orbit takes the next one. */
static void take_orbits(size_t n, const double *m, const size_t *star, size_t count, const size_t *by_energy,
                        size_t *orbit)
{
  double all = 0, before = 0;
  for (size_t i = 0; i < n; i++) all += m[i];
  for (size_t k = 0, next = 0; k < n; k++) {
    double mass = m[star[k]];
    size_t at = (size_t)fmax((before + mass / 2) / all * (double)count, 0), last = count - (n - k);
    if (at < next) at = next;
    if (at > last) at = last;
    orbit[star[k]] = by_energy[at];
    before += mass;
    next = at + 1;
  }
}

/* Primordial mass segregation: heavy stars on orbits of low energy, without a change of the density profile of mass. Which of
 * the count >= n orbits X[3 * count], V[3 * count] of a sphere with G = M = 1 star i of mass m[i] gets, in orbit[i]; none
 * twice. degree 0: at random, to 1: in the order of mass.
 *
 * Stars take places in the order of energy as in McLuster [Kuepper et al. 2011, MNRAS 417, 2300]: the k-th heaviest of n takes
 * number (1 - u^(1 - degree)) (n - k) of those left, u uniform. The place is then not a number of stars but a share of the
 * mass [Baumgardt, De Marchi & Kroupa 2008, ApJ 685, 247]: the orbit is the one that as large a part of the orbits has less
 * energy than, as of the mass is in the places before. So the mass is distributed as in the model. Errors: HB_ERR_INTERNAL. */
static enum hb_status cluster_segregate(struct hb_rng *rng, double degree, size_t n, const double *m,
                                        size_t count, const double *X, const double *V, size_t *orbit)
{
  HB_OWN double *E = NULL;
  HB_OWN size_t *order = NULL, *star = NULL, *work = NULL;
  HB_TRY(HB_ALLOC(count, &E));
  HB_TRY(HB_ALLOC(count, &order));
  HB_TRY(HB_ALLOC(n, &star));
  HB_TRY(HB_ALLOC(n + 1, &work));
  HB_TRY(energies(count, X, V, order, E));
  HB_TRY(cluster_sort(count, E, order));
  HB_TRY(take_places(rng, degree, n, m, work, star));
  take_orbits(n, m, star, count, order, orbit);
  return HB_OK;
}

/* ---- rotation --------------------------------------------------------------------------------------------- */

/* The azimuthal part of v, (x vy - y vx) / R, changes its sign. */
static void turn_around(const double x[3], double v[3])
{
  double R2 = x[0] * x[0] + x[1] * x[1], omega = (x[0] * v[1] - x[1] * v[0]) / R2;
  if (R2 == 0) return;
  v[0] += 2 * omega * x[1];
  v[1] -= 2 * omega * x[0];
}

/* Rotation of a sphere without a change of its density or its energy: stars are turned around on their orbits [Lynden-Bell
 * 1960, MNRAS 120, 204]. Of those that move clockwise about the z axis, this share, chosen at random, moves counter-clockwise
 * afterwards; below 0 the other way around. */
static void cluster_turn(struct hb_rng *rng, double share, size_t n, const double *x, double *v)
{
  double way = share < 0 ? -1 : 1;
  for (size_t i = 0; i < n; i++) {
    const double *xi = x + 3 * i, *vi = v + 3 * i;
    int is_chosen = hb_rng_uniform(rng) < fabs(share);
    if (is_chosen && way * (xi[0] * vi[1] - xi[1] * vi[0]) < 0) turn_around(xi, v + 3 * i);
  }
}

/* ---- checks ------------------------------------------------------------------------------------------ */

/* Whether nothing but the plain model is asked for. */
static int cluster_is_plain(const struct hb_ic_cluster *cluster)
{
  static const struct hb_ic_cluster plain;
  return memcmp(cluster, &plain, sizeof plain) == 0;
}

/* HB_ERR_USAGE unless least <= value <= most or, where most is infinite, the value is 0 or finite and positive. */
static enum hb_status cluster_check_number(const char *what, double value, double least, double most)
{
  if (isfinite(value) && value >= least && value <= most) return HB_OK;
  return isinf(most) ? hb_fail(HB_ERR_USAGE, "%s is %g, expected finite and > 0", what, value)
                     : hb_fail(HB_ERR_USAGE, "%s is %g, expected %g to %g", what, value, least, most);
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
  HB_TRY(cluster_check_number("the share of binaries", c->binaries, 0, 1));
  HB_TRY(cluster_check_number("the smallest axis", c->a_min, 0, INFINITY));
  HB_TRY(cluster_check_number("the largest axis", c->a_max, 0, INFINITY));
  if (c->binaries == 0) {
    if (c->pairing || c->orbits || c->eccentricities || c->a_min > 0 || c->a_max > 0)
      return hb_fail(HB_ERR_USAGE, "pairing, orbits, eccentricities, the smallest and the largest axis are "
                                   "of binaries: give their share");
    return HB_OK;
  }
  size_t systems = n - cluster_pairs(c->binaries, n);
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
  int is_given = u.mass != 0 || u.length != 0 || u.time != 0, are_solar = are_solar_masses(c);
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

/* Checks params->cluster of a model with is_cluster and puts defaults in place of its zeros. params->n becomes the number
 * of masses where a file gives them. Errors: HB_ERR_USAGE; HB_ERR_IO, HB_ERR_INPUT (that file). */
static enum hb_status cluster_check(const struct hb_ic_model *model, struct hb_ic_params *params)
{
  struct hb_ic_cluster *c = &params->cluster;
  HB_TRY(cluster_check_masses(c, &params->n));
  HB_TRY(cluster_check_number("the degree of segregation", c->segregation, 0, 1));
  HB_TRY(cluster_check_number("rotation", c->rotation, -1, 1));
  HB_TRY(cluster_check_number("the virial ratio", c->virial, 0, INFINITY));
  HB_TRY(cluster_check_number("the tidal radius", c->tidal_radius, 0, INFINITY));
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
  HB_TRY(cluster_draw_masses(c, &masses, n, m));
  if (pairs > 0) pair_up(&order, c->pairing, n, pairs, m);
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
    } while (most > 0 && hb_dot(xi, xi) > most * most);
  }
  return HB_OK;
}

/* The directions of the fractal, the radii and speeds of the model: the k-th from the center of one those of the k-th of the
 * other, so that the density profile stays. */
static enum hb_status add_fractal(const struct hb_ic_params *params, size_t n, double *x, double *v)
{
  struct hb_rng rng = hb_rng_sequence(params->seed, FRACTAL);
  HB_OWN double *X = NULL;
  HB_OWN size_t *to = NULL;
  HB_TRY(HB_ALLOC(6 * n, &X));
  HB_TRY(HB_ALLOC(2 * n, &to));
  HB_TRY(cluster_fractal(&rng, params->cluster.fractal, n, X, X + 3 * n));
  HB_TRY(sort_by_radius(n, x, to));
  HB_TRY(sort_by_radius(n, X, to + n));
  for (size_t k = 0; k < n; k++) {
    double *xi = x + 3 * to[k], *vi = v + 3 * to[k], *Xi = X + 3 * to[n + k], *Vi = Xi + 3 * n;
    double r = hb_norm(xi) / hb_norm(Xi), speed = hb_norm(vi) / hb_norm(Vi);
    for (int c = 0; c < 3; c++) xi[c] = r * Xi[c], vi[c] = speed * Vi[c];
  }
  return HB_OK;
}

/* p gets the orbits that its masses take. */
static enum hb_status segregate(const struct hb_ic_params *params, size_t count, const double *x,
                                const double *v, struct hb_particles *p)
{
  struct hb_rng rng = hb_rng_sequence(params->seed, SEGREGATION);
  HB_OWN size_t *orbit = NULL;
  HB_TRY(HB_ALLOC(p->n, &orbit));
  HB_TRY(cluster_segregate(&rng, params->cluster.segregation, p->n, p->m, count, x, v, orbit));
  for (size_t i = 0; i < p->n; i++) {
    memcpy(p->x + 3 * i, x + 3 * orbit[i], 3 * sizeof *x);
    memcpy(p->v + 3 * i, v + 3 * orbit[i], 3 * sizeof *v);
  }
  return HB_OK;
}

static enum hb_status place(const struct hb_ic_params *params, const struct hb_ic_sphere *sphere,
                            struct hb_particles *p)
{
  const struct hb_ic_cluster *c = &params->cluster;
  size_t count = c->segregation > 0 ? ORBITS_EACH * p->n : p->n;
  HB_OWN double *pool = NULL;
  double *x = p->x, *v = p->v;
  if (c->segregation > 0) {
    HB_TRY(HB_ALLOC(6 * count, &pool));
    x = pool, v = pool + 3 * count;
  }
  HB_TRY(draw_orbits(params, sphere, count, x, v));
  if (c->fractal > 0) HB_TRY(add_fractal(params, count, x, v));
  return pool ? segregate(params, count, x, v, p) : HB_OK;
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
    scale_by(p, sphere->length, 1 / sqrt(sphere->length) * sqrt(2 * Q));
    sphere->reach *= sphere->length;
    return HB_OK;
  }
  HB_TRY(scale_potential(p, params->progress, params->progress_context, &e_pot));
  double l = sphere->length == 0 ? 1 : c->tidal_radius > 0 ? sphere->length : -2 * e_pot;
  scale_by(p, l, sqrt(Q * (-e_pot / l) / hb_kinetic_energy(p)));
  sphere->reach *= l;
  return HB_OK;
}

static enum hb_status make_systems(const struct hb_ic_params *params, struct hb_ic_sphere *sphere,
                                   struct hb_particles *p)
{
  struct hb_rng rng = hb_rng_sequence(params->seed, ROTATION);
  HB_TRY(place(params, sphere, p));
  if (params->cluster.rotation != 0) cluster_turn(&rng, params->cluster.rotation, p->n, p->x, p->v);
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
  HB_OWN_PARTICLES struct hb_particles *systems = NULL;
  if (pairs == 0) return make_systems(params, sphere, p);
  HB_TRY(hb_particles_create(p->n - pairs, &systems));
  for (size_t k = 0; k < systems->n; k++)
    systems->m[k] = k < pairs ? p->m[2 * k] + p->m[2 * k + 1] : p->m[k + pairs];
  HB_TRY(make_systems(params, sphere, systems));
  resolve(pairs, orbits, systems, p);
  return HB_OK;
}

/* The units, or at least what the mass function says about them. */
static enum hb_status set_units(struct hb_ic_cluster *c, double mass, struct hb_particles *p)
{
  if (are_solar_masses(c)) c->units.mass = mass;
  if (c->units.mass == 0 && c->units.length == 0 && c->units.time == 0) return HB_OK;
  if (c->units.length != 0 || c->units.time != 0) {
    HB_TRY(hb_units_complete(&c->units));
    return hb_units_set(p, &c->units);
  }
  return hb_particles_print_note(p, "mass_msun", "%.17g", mass);
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
  for (size_t k = 0; k < pairs; k++) {
    double a = 0, e = 0, *m = p->m + 2 * k;
    HB_TRY(cluster_orbit(&rng, c, m, &a, &e, &redrawn));
    place_pair(&rng, m[0] + m[1], a, e, orbits + 6 * k, orbits + 6 * k + 3);
  }
  if (c->orbits == HB_IC_ORBITS_KROUPA1995 && mass_function(c->masses))
    HB_TRY(renew_units(c, given, pairs, orbits, p));
  if (c->orbits != HB_IC_ORBITS_OPIK) {
    HB_TRY(hb_particles_print_note(p, "orbits_redrawn", "%zu", redrawn));
    if (isfinite(c->a_max)) HB_TRY(hb_particles_print_note(p, "orbits_a_max", "%.6g", c->a_max));
  }
  return hb_particles_set_note(p, "eps", "0"); /* a softening would not be these orbits */
}

/* Whoever matches the model to a galaxy's tide has to know where it ends. */
static enum hb_status set_tidal_radius(const struct hb_ic_params *params, const struct hb_ic_sphere *sphere,
                                       struct hb_particles *p)
{
  double cut = params->cluster.tidal_radius, r = sphere->reach;
  if (cut > 0 && !(r > 0 && r < cut)) r = cut;
  return r == 0 ? HB_OK : hb_particles_print_note(p, "initial_tidal_radius", "%.17g", r);
}

/* Fills particles. params are checked. Errors: HB_ERR_INTERNAL, HB_ERR_USAGE. */
static enum hb_status make_cluster(const struct hb_ic_ops *model, const struct hb_ic_params *params,
                                   struct hb_particles *p)
{
  struct hb_ic_params own = *params;
  HB_OWN struct hb_ic_sphere sphere = {0};
  HB_OWN double *orbits = NULL;
  size_t pairs = cluster_pairs(own.cluster.binaries, p->n);
  double unit;
  HB_TRY(draw_masses(&own, pairs, p->n, p->m, &unit));
  HB_TRY(set_units(&own.cluster, unit, p));
  if (pairs > 0) HB_TRY(HB_ALLOC(6 * pairs, &orbits));
  if (pairs > 0) HB_TRY(draw_binaries(&own, &params->cluster.units, pairs, orbits, p));
  HB_TRY(model->open(&own, &sphere));
  HB_TRY(make_stars(&own, &sphere, pairs, orbits, p));
  return set_tidal_radius(&own, &sphere, p);
}

/* ---- a disc galaxy at rest, and two of them on a parabola ------------------------------------------------
 *
 * G = 1, the mass and the scale length h of a disc are 1: Sigma(R) = exp(-R) / 2 pi, and sech^2 (z / z0) across; the bulge and the
 * halo have mass M r^2 / (r + a)^2 within r (Hernquist 1990), out to their edges. The particles of the halos are the last ones; the note `dark` says how many,
 * for pictures of stars.
 *
 * After ten turns at R = 2, 113 time units, there is no bar, and the half-mass radius of the disc has grown by 15 % with
 * n = 4096 and by 7 % with 8192. But so few particles deflect each other: it is 2.2 and 1.8 times as thick.
 *
 * Positions are drawn from the profiles; velocities are those of Hernquist (1993, ApJS 86, 389). The disc: the epicyclic
 * approximation, with dispersions that fall as exp(-R / 2 h) from Toomre's Q at 2.43 h on, and the mean rotation that Jeans'
 * equation then asks for. Bulge and halo: isotropic dispersions by Jeans' equation in the spherical average of everything,
 * and normal velocities up to nearly the speed of escape. */

static const double galaxy_z0 = 0.25, galaxy_q = 1.5, galaxy_eps = 0.1;
static const double disc_edge = 8, reference_radius = 2.43, escape_share = 0.95;

/* A sphere of Hernquist's: mass M and scale a; s = r / (r + a) goes from 0 to its edge. */
struct sphere {
  double mass, a, edge;
};
static const struct sphere bulge = {0.25, 0.25, 4}, halo = {6, 2, 20};

static double share_at(const struct sphere *s, double r) { return r / (r + s->a); }

static double mass_in(const struct sphere *s, double r)
{
  double share = share_at(s, fmin(r, s->edge));
  return s->mass * share * share;
}

/* Of n particles: so many are of the disc, the next ones of the bulge, the last of the halo. */
static size_t galaxy_disc(size_t n) { return n / 2; }
static size_t galaxy_bulge(size_t n) { return n / 16; }
static double galaxy_mass(void) { return 1 + mass_in(&bulge, bulge.edge) + mass_in(&halo, halo.edge); }

/* ---- the disc ---------------------------------------------------------------------------------------- */

static double surface_density(double R) { return hb_elementary_exp(-R) / (2 * PI); }

/* Modified Bessel functions by their series, K1 by the Wronskian I0 K1 + I1 K0 = 1 / y. */
static void bessel(double y, double i[2], double k[2])
{
  static const double euler = 0.57721566490153286061;
  double q = y * y / 4, term = 1, harmonic = 0, sum = 0;
  i[0] = 1;
  i[1] = 1;
  for (int n = 1; n < 40; n++) {
    term *= q / n / n;
    harmonic += 1.0 / n;
    i[0] += term;
    i[1] += term / (n + 1);
    sum += term * harmonic;
  }
  i[1] *= y / 2;
  k[0] = sum - (hb_elementary_log(y / 2) + euler) * i[0];
  k[1] = (1 / y - i[1] * k[0]) / i[0];
}

/* A thin exponential disc: Freeman 1970, ApJ 160, 811. */
static double disc_circular2(double R)
{
  double i[2], k[2], y = R / 2;
  bessel(y, i, k);
  return 2 * y * y * (i[0] * k[0] - i[1] * k[1]);
}

/* At a distance R in the plane: the square of the speed of a circular orbit, that of the epicyclic frequency, and the
 * dispersion of radial velocities. */
static double galaxy_circular2(double R)
{
  return disc_circular2(R) + (mass_in(&bulge, R) + mass_in(&halo, R)) / R;
}

/* kappa^2 = R d Omega^2 / dR + 4 Omega^2 = (d v^2 / dR + 2 v^2 / R) / R */
static double galaxy_epicyclic2(double R)
{
  double step = 0x1p-10 * R;
  double slope = (galaxy_circular2(R + step) - galaxy_circular2(R - step)) / (2 * step);
  return (slope + 2 * galaxy_circular2(R) / R) / R;
}

/* Q = sigma kappa / (3.36 Sigma): Toomre 1964, ApJ 139, 1217. */
static double galaxy_dispersion(double R)
{
  double at_reference =
      galaxy_q * 3.36 * surface_density(reference_radius) / sqrt(galaxy_epicyclic2(reference_radius));
  return at_reference * hb_elementary_exp((reference_radius - R) / 2);
}

/* In the middle, mean z d Phi / dz: of the disc itself, pi Sigma z0; and of the spheres, whose pull grows with z. */
static double vertical2(double R)
{
  double r2 = R * R + galaxy_z0 * galaxy_z0, r = sqrt(r2);
  double omega2 = (mass_in(&bulge, r) + mass_in(&halo, r)) / (r2 * r);
  return PI * surface_density(R) * galaxy_z0 + omega2 * galaxy_z0 * galaxy_z0 * PI * PI / 12;
}

static void draw_disc(struct hb_rng *rng, double x[3], double v[3])
{
  double R, u = hb_rng_uniform(rng), way[2], first[2], second[2];
  do R = -hb_elementary_log(hb_rng_uniform(rng)) - hb_elementary_log(hb_rng_uniform(rng));
  while (R > disc_edge);
  hb_elementary_normals(rng, way);
  hb_elementary_normals(rng, first);
  hb_elementary_normals(rng, second);
  double length = sqrt(way[0] * way[0] + way[1] * way[1]), c = way[0] / length, s = way[1] / length;
  double circular2 = galaxy_circular2(R), sigma = galaxy_dispersion(R);
  double ratio2 = galaxy_epicyclic2(R) * R * R / (4 * circular2);  /* of sigma_phi to sigma_R */
  double mean2 = circular2 + sigma * sigma * (1 - ratio2 - 2 * R); /* the asymmetric drift */
  double outward = sigma * first[0], around = sqrt(fmax(mean2, 0)) + sigma * sqrt(ratio2) * first[1];
  x[0] = R * c, x[1] = R * s, x[2] = galaxy_z0 / 2 * hb_elementary_log(u / (1 - u));
  v[0] = outward * c - around * s, v[1] = outward * s + around * c;
  v[2] = sqrt(vertical2(R)) * second[0];
}

/* ---- bulge and halo ---------------------------------------------------------------------------------- */

enum { STEPS = 512 };

/* sigma^2 of a sphere at s = k / STEPS of its edge's. */
struct dispersions {
  double s_edge, sigma2[STEPS + 1];
};

/* The mass of everything within r. */
static double mass_within(double r)
{
  return mass_in(&bulge, r) + mass_in(&halo, r) + 1 - (1 + r) * hb_elementary_exp(-r);
}

/* All shells inside and outside of r. */
static double potential(double r)
{
  return -bulge.mass / (r + bulge.a) - halo.mass / (r + halo.a) - (1 - (1 + r) * hb_elementary_exp(-r)) / r -
         hb_elementary_exp(-r);
}

/* rho M(r) / r^2 dr / ds, without the constants of rho = M a / (2 pi r (r + a)^3). */
static double pull(const struct sphere *sphere, double s)
{
  double r = sphere->a * s / (1 - s), sum = r + sphere->a;
  return mass_within(r) / (r * r) / (r * sum * sum * sum) * sum * sum / sphere->a;
}

/* rho sigma^2 = integral from r outward of rho M / r^2, by the midpoints of the steps. */
static void solve(const struct sphere *sphere, struct dispersions *d)
{
  double sum = 0, ds;
  d->s_edge = share_at(sphere, sphere->edge);
  ds = d->s_edge / STEPS;
  d->sigma2[STEPS] = 0;
  for (int k = STEPS - 1; k > 0; k--) {
    double s = k * ds, r = sphere->a * s / (1 - s), outer = r + sphere->a;
    sum += pull(sphere, s + ds / 2) * ds;
    d->sigma2[k] = sum * r * outer * outer * outer;
  }
  d->sigma2[0] = d->sigma2[1];
}

static void draw_sphere(struct hb_rng *rng, const struct sphere *sphere, const struct dispersions *d,
                        double x[3], double v[3])
{
  double s = d->s_edge * sqrt(hb_rng_uniform(rng)), r = sphere->a * s / (1 - s), direction[3], v2;
  double at = s / d->s_edge * STEPS, most2 = -2 * potential(r) * escape_share * escape_share;
  int k = (int)fmin(at, STEPS - 1);
  double sigma = sqrt(d->sigma2[k] + (at - k) * (d->sigma2[k + 1] - d->sigma2[k]));
  hb_rng_direction(rng, direction);
  for (int c = 0; c < 3; c++) x[c] = r * direction[c];
  do {
    hb_elementary_three_normals(rng, v);
    for (int c = 0; c < 3; c++) v[c] *= sigma;
    v2 = hb_dot(v, v);
  } while (v2 > most2);
}

/* Every other particle is on the other side of the center: a few heavy ones far out would pull the disc aside. */
static void mirror(const double from[3], double to[3])
{
  for (int c = 0; c < 3; c++) to[c] = -from[c];
}

/* ---- all of it --------------------------------------------------------------------------------------- */

static void center(size_t n, const double *m, double *x)
{
  double mean[3] = {0}, mass = 0;
  for (size_t i = 0; i < n; i++) {
    mass += m[i];
    for (size_t c = 0; c < 3; c++) mean[c] += m[i] * x[3 * i + c];
  }
  for (size_t k = 0; k < 3 * n; k++) x[k] -= mean[k % 3] / mass;
}

/* m[n], x[3 * n] and v[3 * n], turning counter-clockwise about the z axis, the center of mass at rest at the origin. */
static enum hb_status draw_galaxy(struct hb_rng *rng, size_t n, double *m, double *x, double *v)
{
  static const struct sphere *const spheres[] = {&bulge, &halo};
  const size_t ends[] = {galaxy_disc(n) + galaxy_bulge(n), n};
  HB_OWN struct dispersions *d = NULL;
  HB_TRY(HB_ALLOC(1, &d));
  size_t i = 0, disc = galaxy_disc(n);
  for (; i < disc; i++) {
    m[i] = 1 / (double)disc;
    draw_disc(rng, x + 3 * i, v + 3 * i);
  }
  for (int k = 0; k < 2; k++) {
    solve(spheres[k], d);
    double mass = mass_in(spheres[k], spheres[k]->edge) / (double)(ends[k] - i);
    for (size_t first = i; i < ends[k]; i++) {
      m[i] = mass;
      if ((i - first) % 2) {
        mirror(x + 3 * (i - 1), x + 3 * i);
        mirror(v + 3 * (i - 1), v + 3 * i);
      } else {
        draw_sphere(rng, spheres[k], d, x + 3 * i, v + 3 * i);
      }
    }
  }
  center(n, m, x);
  center(n, m, v);
  return HB_OK;
}

static const double dt = 0x1p-4; /* of a leapfrog: 180 steps a turn at the half-mass radius */

static enum hb_status note(struct hb_particles *p, size_t dark)
{
  HB_TRY(hb_particles_print_note(p, "eps", "%g", galaxy_eps));
  HB_TRY(hb_particles_print_note(p, "dt", "%g", dt));
  return hb_particles_print_note(p, "dark", "%zu", dark);
}

static size_t halo_of(size_t n) { return n - galaxy_disc(n) - galaxy_bulge(n); }

static enum hb_status galaxy_make(const struct hb_ic_ops *model, const struct hb_ic_params *params,
                                  struct hb_particles *p)
{
  (void)model;
  struct hb_rng rng = hb_rng_seeded(params->seed);
  HB_TRY(draw_galaxy(&rng, p->n, p->m, p->x, p->v));
  return note(p, halo_of(p->n));
}

/* ---- two of them ------------------------------------------------------------------------------------- */

/* The first disc lies in the plane of the orbit and turns the same way; the second is tilted by 60 degrees about the x axis.
 * Parabolic as of two points, which the halos are not: they brake each other and merge. */
static const double closest = 2.5, start = 12;
static const double tilt[2] = {0.5, 0.86602540378443864676};

static void turn(double a[3])
{
  double y = a[1], z = a[2];
  a[1] = tilt[0] * y - tilt[1] * z;
  a[2] = tilt[1] * y + tilt[0] * z;
}

/* Half of the distance, and of the relative velocity, for each. */
static void place_star(int which, size_t n, double *x, double *v)
{
  double mu = 2 * galaxy_mass(), side = which ? -0.5 : 0.5, transverse = sqrt(2 * mu * closest) / start;
  const double to[3] = {side * start, 0, 0};
  const double at[3] = {-side * sqrt(2 * mu / start - transverse * transverse), side * transverse, 0};
  for (size_t i = 0; i < n; i++) {
    if (which) turn(x + 3 * i), turn(v + 3 * i);
    for (size_t c = 0; c < 3; c++) x[3 * i + c] += to[c], v[3 * i + c] += at[c];
  }
}

/* Stars of both come before the halos of both. */
static void sort(int which, size_t n, const double *m, const double *x, const double *v,
                 struct hb_particles *p)
{
  size_t stars = n - halo_of(n);
  const size_t from[] = {0, stars}, to[] = {which ? stars : 0, which ? n + stars : 2 * stars};
  const size_t count[] = {stars, n - stars};
  for (int k = 0; k < 2; k++) {
    memcpy(p->m + to[k], m + from[k], count[k] * sizeof *m);
    memcpy(p->x + 3 * to[k], x + 3 * from[k], 3 * count[k] * sizeof *x);
    memcpy(p->v + 3 * to[k], v + 3 * from[k], 3 * count[k] * sizeof *v);
  }
}

static enum hb_status galaxy_make_two(const struct hb_ic_ops *model, const struct hb_ic_params *params,
                                      struct hb_particles *p)
{
  (void)model;
  struct hb_rng rng = hb_rng_seeded(params->seed);
  size_t n = p->n / 2;
  HB_OWN double *m = NULL;
  if (p->n % 2)
    return hb_fail(HB_ERR_USAGE, "two galaxies cannot share %zu particles: expected an even number", p->n);
  HB_TRY(HB_ALLOC(7 * n, &m));
  double *x = m + n, *v = x + 3 * n;
  for (int k = 0; k < 2; k++) {
    HB_TRY(draw_galaxy(&rng, n, m, x, v));
    place_star(k, n, x, v);
    sort(k, n, m, x, v, p);
  }
  return note(p, 2 * halo_of(n));
}

const char *const hb_ic_scaling_names[] = {"auto", "measured", "model", NULL};
const char *const hb_ic_shape_names[] = {"shell", "random", "expand", NULL};
const char *const hb_ic_pairing_names[] = {"random", "ordered", "uniform", NULL};
const char *const hb_ic_orbits_names[] = {"opik", "kroupa1995", "duquennoy1991", NULL};
const char *const hb_ic_eccentricities_names[] = {"thermal", "uniform", "circular", NULL};

/* ---- models of few bodies, and of none -------------------------------------------------------------- */

/* Burrau's problem: masses 3, 4 and 5 at rest at the corners of a triangle with sides 3, 4 and 5, each mass opposite
 * the side of its number. After about 60 time units two of them leave as a binary. */
static const double pythagorean[3][7] = {{3, 1, 3, 0}, {4, -2, -1, 0}, {5, 1, -1, 0}};

/* Three equal masses chasing each other on a figure eight, period 6.32591398. Initial values: C. Simo's in
 * Chenciner & Montgomery (2000); bodies 1 and 2 balance the momentum of body 3. */
#define X1  0.97000435669734
#define Y1  -0.24308753153583
#define VX3 -0.93240737144104
#define VY3 -0.86473146092102
static const double figure8[3][7] = {{1, X1, Y1, 0, -(VX3) / 2, -(VY3) / 2, 0},
                                     {1, -(X1), -(Y1), 0, -(VX3) / 2, -(VY3) / 2, 0},
                                     {1, 0, 0, 0, VX3, VY3, 0}};

/* Two bodies on a Kepler orbit in the xy plane, counter-clockwise, at apocenter: body 1 on the negative x axis,
 * body 2 on the positive one, their center of mass at rest at the origin. */
static enum hb_status twobody_make(const struct hb_ic_ops *model, const struct hb_ic_params *params,
                                   struct hb_particles *p)
{
  (void)model;
  double mass = params->m1 + params->m2;
  double r = params->a * (1 + params->e);
  double v = sqrt(mass / params->a * (1 - params->e) / (1 + params->e));
  double share1 = params->m2 / mass, share2 = params->m1 / mass;
  p->m[0] = params->m1;
  p->m[1] = params->m2;
  p->x[0] = -share1 * r;
  p->x[3] = share2 * r;
  p->v[1] = -share1 * v;
  p->v[4] = share2 * v;
  return HB_OK;
}

/* Points uniform in the cube from -1 to 1 in x, y and z, at rest, G = M = 1: the plainest input for timing forces.
 * Not centered, so that no coordinate exceeds 1. */
static enum hb_status cube_make(const struct hb_ic_ops *model, const struct hb_ic_params *params,
                                struct hb_particles *p)
{
  (void)model;
  struct hb_rng rng = hb_rng_seeded(params->seed);
  for (size_t i = 0; i < p->n; i++) p->m[i] = 1.0 / (double)p->n;
  for (size_t k = 0; k < 3 * p->n; k++) p->x[k] = 2 * hb_rng_uniform(&rng) - 1;
  return HB_OK;
}

/* The cube root of a uniform number: the largest of three. */
static double rng_cube_root(struct hb_rng *rng)
{
  double largest = 0;
  for (int k = 0; k < 3; k++) largest = fmax(largest, hb_rng_uniform(rng));
  return largest;
}

/* ---- spherical models, from which clusters of stars are made ----------------------------------------------- */

/* ---- Plummer ---------------------------------------------------------------------------------------- */

/* Plummer's sphere as Aarseth, Henon & Wielen (1974, A&A 37, 183) draw it, in the units of Heggie & Mathieu
 * (1986): G = M = 1, E = -1/4, in virial equilibrium, the center of mass at rest at the origin; the initial
 * conditions of [PZ07] section 4. Only + - * / and sqrt are used, which IEEE rounds the same everywhere, so a
 * seed gives the same bytes on every machine. */

/* The Plummer radius, total mass and G are 1 here. The mass within r is s^3 with s = r / sqrt(1 + r^2), so s is the
 * cube root of a uniform number. s_max is s at the cut-off. */
static double draw_radius(struct hb_rng *rng, double s_max)
{
  double s = s_max * rng_cube_root(rng);
  return s / sqrt(1 - s * s);
}

/* Speed in units of the speed of escape: density q^2 (1 - q^2)^(7/2), by von Neumann's rejection. The density
 * is at most 0.0923, at q^2 = 2/9. */
static double draw_speed(struct hb_rng *rng)
{
  for (;;) {
    double q = hb_rng_uniform(rng);
    double w = 1 - q * q;
    if (0.1 * hb_rng_uniform(rng) < q * q * w * w * w * sqrt(w)) return q;
  }
}

static void plummer_draw(const struct hb_ic_sphere *sphere, struct hb_rng *rng, double x[3], double v[3])
{
  double direction[3], r = draw_radius(rng, sphere->number);
  hb_rng_direction(rng, direction);
  for (int k = 0; k < 3; k++) x[k] = r * direction[k];
  double speed = draw_speed(rng) * sqrt(2 / sqrt(1 + r * r)); /* times the speed of escape */
  hb_rng_direction(rng, direction);
  for (int k = 0; k < 3; k++) v[k] = speed * direction[k];
}

static enum hb_status plummer_open(const struct hb_ic_params *params, struct hb_ic_sphere *sphere)
{
  double s_max = params->r_cut > 0 ? 1 / sqrt(1 + 1 / params->r_cut / params->r_cut) : 1;
  *sphere = (struct hb_ic_sphere){
      .draw = plummer_draw, .number = s_max, .length = 0.58904862254808623221 /* 3 pi / 16 */};
  return HB_OK;
}

/* ---- cold sphere ------------------------------------------------------------------------------------ */

/* A sphere of uniform density at rest, G = M = R = 1, centered: U = -3/5 up to the sampling noise, and all shells
 * would meet in the center at t = pi / sqrt(8) = 1.11. With a virial ratio its velocities are normal. */
static void coldsphere_draw(const struct hb_ic_sphere *sphere, struct hb_rng *rng, double x[3], double v[3])
{
  double r = rng_cube_root(rng), direction[3];
  hb_rng_direction(rng, direction);
  for (int k = 0; k < 3; k++) x[k] = r * direction[k];
  if (sphere->number != 0) hb_elementary_three_normals(rng, v);
}

static enum hb_status coldsphere_open(const struct hb_ic_params *params, struct hb_ic_sphere *sphere)
{
  *sphere = (struct hb_ic_sphere){.draw = coldsphere_draw, .number = params->cluster.virial};
  return HB_OK;
}

/* ---- King ------------------------------------------------------------------------------------------- */

/* King's model of a cluster that its galaxy's tide has cut off: f ~ e^(W - v^2 / 2) - 1 where that is positive [King 1966,
 * AJ 71, 64]. Speeds are in units of the dispersion parameter sigma, lengths in those of King's core radius
 * r0 = 3 sigma / sqrt(4 pi G rho0), and W = -(Phi - Phi(r_t)) / sigma^2:
 *
 *   W'' + 2 W' / r = -9 rho(W) / rho(W0),  W(0) = W0,  W'(0) = 0,  W(r_t) = 0 */

/* What is integrated along r. mu is 9 times the integral of rho / rho0 r^2, so G M within r, and W' = -mu / r^2; depth is
 * the integral of W over mu. */
struct state {
  double W, mu, depth;
};

/* Steps are this part of r + 1, so that the error of the fourth order is 1e-10, and that of straight lines in a step 1e-6. */
static const double step_part = 1.0 / 512;

/* Up to W0 = 20, where r_t is 30000: 512 ln 30000 steps. */
enum { ROWS = 8192 };

struct table {
  int last;
  double r3[ROWS], W[ROWS], mu[ROWS];
};

/* rho ~ e^W erf(sqrt W) - sqrt(4 W / pi) (1 + 2 W / 3): what is left of the series of the first term, W^(k + 1/2) /
 * Gamma(k + 3/2), when the second takes k = 0 and 1 away. */
static double density(double W)
{
  if (W <= 0) return 0;
  double term = W * W * sqrt(W) * 0.30090111122547003; /* 1 / Gamma(7 / 2) */
  double sum = term;
  for (int k = 3; term > 1e-17 * sum; k++) sum += term *= W / (k + 0.5);
  return sum;
}

static struct state slope(double r, const struct state *s, double rho0)
{
  double dmu = 9 * density(s->W) / rho0 * r * r;
  return (struct state){.W = -s->mu / (r * r), .mu = dmu, .depth = s->W * dmu};
}

static struct state along(const struct state *s, double h, const struct state *k)
{
  return (struct state){s->W + h * k->W, s->mu + h * k->mu, s->depth + h * k->depth};
}

/* One step of Runge and Kutta's fourth order. */
static struct state advance(double r, double h, const struct state *s, double rho0)
{
  struct state k1 = slope(r, s, rho0), at = along(s, h / 2, &k1);
  struct state k2 = slope(r + h / 2, &at, rho0);
  at = along(s, h / 2, &k2);
  struct state k3 = slope(r + h / 2, &at, rho0);
  at = along(s, h, &k3);
  struct state k4 = slope(r + h, &at, rho0);
  at = along(s, h / 6, &k1);
  at = along(&at, h / 3, &k2);
  at = along(&at, h / 3, &k3);
  return along(&at, h / 6, &k4);
}

static void put_row(struct table *t, double r, double W, double mu)
{
  t->r3[t->last] = r * r * r;
  t->W[t->last] = W;
  t->mu[t->last] = mu;
}

/* From the series about the center to the last step before W = 0; there is hardly any mass beyond it, so W is linear in
 * 1 / r. Returns the length for U = -1/2: with G = M = 1 it is mean W / mu + 1 / r_t. */
static double integrate(double W0, struct table *t)
{
  double rho0 = density(W0), r = step_part;
  struct state s = {.W = W0 - 1.5 * r * r, .mu = 3 * r * r * r};
  s.depth = W0 * s.mu;
  t->last = 0;
  put_row(t, 0, W0, 0);
  for (;;) {
    t->last++;
    put_row(t, r, s.W, s.mu);
    double h = step_part * (r + 1);
    struct state next = advance(r, h, &s, rho0);
    if (next.W <= 0 || t->last == ROWS - 2) break;
    s = next;
    r += h;
  }
  double r_t = 1 / (1 / r - s.W / s.mu);
  t->last++;
  put_row(t, r_t, 0, s.mu);
  return s.depth / (s.mu * s.mu) + 1 / r_t;
}

/* The row below the one where mu is reached. */
static int row_of(const struct table *t, double mu)
{
  int low = 0, high = t->last;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (t->mu[middle] <= mu)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Speeds are distributed as v^2 (e^(W - v^2 / 2) - 1). Where W is large a normal velocity is kept with the probability
 * 1 - e^(v^2 / 2 - W), where it is small one that is uniform in a ball. */
static void draw_velocity(struct hb_rng *rng, double W, double v[3])
{
  double v2, keep;
  do {
    if (W > 2) {
      hb_elementary_three_normals(rng, v);
      v2 = hb_dot(v, v);
      keep = v2 < 2 * W ? 1 - hb_elementary_exp(v2 / 2 - W) : 0;
    } else {
      double v_escape = sqrt(2 * W);
      v2 = hb_rng_ball(rng, v) * 2 * W;
      for (int k = 0; k < 3; k++) v[k] *= v_escape;
      keep = W > 0 ? (hb_elementary_exp(W - v2 / 2) - 1) / (hb_elementary_exp(W) - 1) : 1;
    }
  } while (hb_rng_uniform(rng) >= keep);
}

static void king_draw(const struct hb_ic_sphere *sphere, struct hb_rng *rng, double x[3], double v[3])
{
  const struct table *t = sphere->table;
  double mu_t = t->mu[t->last], mu = hb_rng_uniform(rng) * mu_t, direction[3];
  int k = row_of(t, mu);
  double at = t->mu[k + 1] > t->mu[k] ? (mu - t->mu[k]) / (t->mu[k + 1] - t->mu[k]) : 0;
  double r = hb_elementary_power(t->r3[k] + at * (t->r3[k + 1] - t->r3[k]), 1.0 / 3);
  double W = t->W[k] + at * (t->W[k + 1] - t->W[k]);
  hb_rng_direction(rng, direction);
  for (int c = 0; c < 3; c++) x[c] = r * direction[c];
  draw_velocity(rng, W, v);
  for (int c = 0; c < 3; c++) v[c] /= sqrt(mu_t); /* G M is mu_t where sigma is 1 */
}

static enum hb_status king_open(const struct hb_ic_params *params, struct hb_ic_sphere *sphere)
{
  struct table *table;
  double w0 = params->w0;
  if (!(w0 >= 0.1 && w0 <= 16))
    return hb_fail(HB_ERR_USAGE, "the depth w0 of a King model is %g, expected 0.1 to 16", w0);
  HB_TRY(HB_ALLOC(1, &table));
  *sphere = (struct hb_ic_sphere){.draw = king_draw, .table = table, .length = integrate(w0, table)};
  sphere->reach = hb_elementary_power(table->r3[table->last], 1.0 / 3);
  return HB_OK;
}

/* ---- Holmberg's lamps of 1941 ----------------------------------------------------------------------- */

/* The experiment this program is named after: two nebulae of 37 lamps each pass each other, with light in place of
 * gravity (Holmberg 1941, ApJ 94, 385).
 *
 * From the paper, as quoted in the literature and as NEMO's mkh41 (P. Teuben and A. Toomre) reads its
 * figure 3: one lamp in the center and rings of 6, 8, 10 and 12 with evenly spaced radii, the first lamp of each
 * ring directly above the center; candle power of a lamp 1, 1, 1, 0.7, 0.3 from the center outward; 0.8 m
 * across, for a nebula of 1e11 solar masses and about 2500 pc; both nebulae in the plane of their orbit and
 * turning the same way; the encounters studied range up to parabolic speed and both senses of rotation.
 *
 * Assumed here (the paper itself was not at hand): a closest approach of one diameter; point masses; each ring
 * turns with the speed that balances the mean pull of its own nebula; the start is at a distance of two diameters,
 * one of them between the rims.
 *
 * Units: G = 1, mass of a nebula 1, radius of its outer ring 1. `velocity` is that of the nebulae relative to each
 * other at infinity, before the encounter (0: parabolic). The orbit runs counter-clockwise; `spin` 1 turns the
 * nebulae the same way (direct), -1 the other way (retrograde). */

enum { LAMPS = 37, RINGS = 5 };

static const double closest_approach = 2, start_distance = 4;

/* Cosine and sine of the angle from one lamp to the next, written out: libraries round theirs differently. */
struct ring {
  int lamps;
  double candle_power, radius, cosine, sine;
};

static const struct ring rings[RINGS] = {
    {1, 1.0, 0.00, 1, 0},
    {6, 1.0, 0.25, 0.5, 0.86602540378443864676},
    {8, 1.0, 0.50, 0.70710678118654752440, 0.70710678118654752440},
    {10, 0.7, 0.75, 0.80901699437494742410, 0.58778525229247312917},
    {12, 0.3, 1.00, 0.86602540378443864676, 0.5},
};

/* Masses and positions of one nebula about its center. */
static void place_lamps(double *m, double *x)
{
  double light = 0;
  for (int k = 0; k < RINGS; k++) light += rings[k].lamps * rings[k].candle_power;
  for (int k = 0, i = 0; k < RINGS; k++) {
    const struct ring *ring = &rings[k];
    double c = 0, s = 1; /* directly above the center */
    for (int lamp = 0; lamp < ring->lamps; lamp++, i++) {
      m[i] = ring->candle_power / light;
      x[3 * i] = ring->radius * c;
      x[3 * i + 1] = ring->radius * s;
      x[3 * i + 2] = 0;
      double next = c * ring->cosine - s * ring->sine;
      s = s * ring->cosine + c * ring->sine;
      c = next;
    }
  }
}

/* -(a . x) of lamp i in the field of its nebula: the square of the speed of a circular orbit. */
static double circular_speed2(int i, const double *m, const double *x)
{
  double sum = 0;
  for (int j = 0; j < LAMPS; j++) {
    if (j == i) continue;
    double dx = x[3 * j] - x[3 * i], dy = x[3 * j + 1] - x[3 * i + 1];
    double r2 = dx * dx + dy * dy;
    sum -= m[j] * (dx * x[3 * i] + dy * x[3 * i + 1]) / (r2 * sqrt(r2));
  }
  return sum;
}

/* All lamps of a ring get their mean speed, so that it stays a ring for a while. */
static void set_turning(double spin, const double *m, const double *x, double *v)
{
  for (int k = 0, first = 0; k < RINGS; first += rings[k].lamps, k++) {
    if (rings[k].radius == 0) continue;
    double speed2 = 0;
    for (int i = first; i < first + rings[k].lamps; i++) speed2 += circular_speed2(i, m, x) / rings[k].lamps;
    double omega = spin * sqrt(speed2) / rings[k].radius;
    for (int i = first; i < first + rings[k].lamps; i++) {
      v[3 * i] = -omega * x[3 * i + 1];
      v[3 * i + 1] = omega * x[3 * i];
    }
  }
}

/* Relative orbit of the two centers as point masses: speed from the energy, transverse part from the angular
 * momentum at closest approach, the rest inward. */
static void set_orbit(double v_infinity, double *v_radial, double *v_transverse)
{
  const double mass = 2, q = closest_approach, r = start_distance;
  double speed2 = v_infinity * v_infinity + 2 * mass / r;
  *v_transverse = q / r * sqrt(v_infinity * v_infinity + 2 * mass / q);
  *v_radial = -sqrt(speed2 - *v_transverse * *v_transverse);
}

static enum hb_status holmberg1941_make(const struct hb_ic_ops *model, const struct hb_ic_params *params,
                                        struct hb_particles *p)
{
  (void)model;
  double v_radial, v_transverse;
  place_lamps(p->m, p->x);
  set_turning(params->spin, p->m, p->x, p->v);
  set_orbit(params->velocity, &v_radial, &v_transverse);
  for (size_t i = 0; i < LAMPS; i++) {
    double *x = p->x + 3 * i, *v = p->v + 3 * i;
    x[0] += start_distance / 2;
    v[0] += v_radial / 2;
    v[1] += v_transverse / 2;
    /* the second nebula is the first one turned by half a circle */
    size_t twin = i + LAMPS;
    p->m[twin] = p->m[i];
    for (size_t k = 0; k < 2; k++) {
      p->x[3 * twin + k] = -x[k];
      p->v[3 * twin + k] = -v[k];
    }
  }
  return HB_OK;
}

/* ---- the demonstrations of the CUDA samples --------------------------------------------------------- */

/* The seven demonstrations of the program `nbody` of the CUDA samples, which grew out of [NHP07]. G = 1 and every body
 * has mass 1, so the total mass is N.
 *
 * Transcribed (nbody.cpp and bodysystem.h of the samples, 2022): the table below and the three ways to place bodies;
 * the program starts every demonstration with the shell. Kept: each coordinate of the shell has a radius of its own, so
 * that it is not spherical, and nothing is moved to the center of mass. Ours: the random numbers (the sample uses
 * rand()), double in place of float, and N = 16384, the number for which the sample's own table gives demo1's scales;
 * the sample fills its GPU. Speeds do not depend on N: with other N a demo is bound more or less tightly. eps, dt and
 * damping are notes that `holmberg run` uses, point_size and camera notes for a viewer. */

struct demo {
  double cluster, velocity, eps, damping; /* cluster and velocity are scales, see below */
  double point_size, camera[3];
};

static const struct demo demos[] = {
    {1.54, 8, 0.1, 1, 1, {0, -2, -100}},    {0.68, 20, 0.1, 1, 0.8, {0, -2, -30}},
    {0.16, 1000, 1, 1, 0.07, {0, 0, -1.5}}, {0.16, 1000, 1, 1, 0.07, {0, 0, -1.5}},
    {0.32, 276, 1, 1, 0.07, {0, 0, -5}},    {0.32, 272, 0.145, 1, 0.08, {0, 0, -5}},
    {6.04, 0, 1, 1, 0.76, {0, 0, -50}},
};

enum { PICTURES_A_SECOND = 60 }; /* the sample draws one after each step dt */

/* ---- three ways to place a body --------------------------------------------------------------------- */

/* Between 2.5 and 4 scales from the center, rotating about the z axis like a solid body; very close to that axis, where
 * the sample guards its cross product, about another one. */
static void shell(struct hb_rng *rng, double scale, double speed, double x[3], double v[3])
{
  double point[3], axis[3] = {0, 0, 1};
  hb_rng_direction(rng, point);
  for (int k = 0; k < 3; k++) x[k] = scale * point[k] * (2.5 + 1.5 * hb_rng_uniform(rng));
  if (1 - point[2] < 1e-6) {
    double length = sqrt(point[0] * point[0] + point[1] * point[1] + 1);
    axis[0] = point[1] / length, axis[1] = point[0] / length, axis[2] = 1 / length;
  }
  for (int k = 0; k < 3; k++) {
    int l = (k + 1) % 3, m = (k + 2) % 3;
    v[k] = speed * (x[l] * axis[m] - x[m] * axis[l]);
  }
}

/* Position and velocity uniform in a ball each. */
static void scattered(struct hb_rng *rng, double scale, double speed, double x[3], double v[3])
{
  hb_rng_ball(rng, x);
  hb_rng_ball(rng, v);
  for (int k = 0; k < 3; k++) x[k] *= scale, v[k] *= speed;
}

/* Expanding: velocity proportional to position. */
static void expanding(struct hb_rng *rng, double scale, double speed, double x[3], double v[3])
{
  hb_rng_ball(rng, x);
  for (int k = 0; k < 3; k++) v[k] = speed * x[k], x[k] *= scale;
}

static void demo_place(const struct demo *demo, const struct hb_ic_params *params, struct hb_particles *p)
{
  static void (*const ways[])(struct hb_rng *, double, double, double *, double *) = {
      [HB_IC_SHAPE_SHELL] = shell, [HB_IC_SHAPE_RANDOM] = scattered, [HB_IC_SHAPE_EXPAND] = expanding};
  struct hb_rng rng = hb_rng_seeded(params->seed);
  double scale = demo->cluster;
  if (params->shape != HB_IC_SHAPE_SHELL) scale *= fmax(1, (double)p->n / 1024);
  for (size_t i = 0; i < p->n; i++) {
    p->m[i] = 1;
    ways[params->shape](&rng, scale, scale * demo->velocity, p->x + 3 * i, p->v + 3 * i);
  }
}

/* ---- one of the seven ------------------------------------------------------------------------------- */

static enum hb_status demo_make(const struct hb_ic_ops *model, const struct hb_ic_params *params,
                                struct hb_particles *p)
{
  const struct demo *demo = &demos[model->info.name[4] - '1'];
  const double *camera = demo->camera;
  demo_place(demo, params, p);
  HB_TRY(hb_particles_print_note(p, "eps", "%g", demo->eps));
  HB_TRY(hb_particles_print_note(p, "dt", "%g", model->info.speed / PICTURES_A_SECOND));
  HB_TRY(hb_particles_print_note(p, "damping", "%g", demo->damping));
  HB_TRY(hb_particles_print_note(p, "point_size", "%g", demo->point_size));
  return hb_particles_print_note(p, "camera", "%g %g %g", camera[0], camera[1], camera[2]);
}

/* ---- all of them ------------------------------------------------------------------------------------ */

/* The most particles of models that allow any number: indices stay exact in a float. */
#define MOST ((size_t)1 << 24)

/* The seven of the CUDA samples, which draw a picture after each step. */
#define DEMO(K, SUMMARY, DT)                                                                                 \
  {                                                                                                          \
    {"demo" #K, SUMMARY, "CUDA samples, nbody", "n seed shape", 16384, 1, MOST, 60 * DT, 0},                 \
        .make = demo_make                                                                                    \
  }

/* name, summary, source, options; n, the least and the most; speed; is_cluster */
static const struct hb_ic_ops models[] = {
    {{"plummer", "Plummer's sphere in virial equilibrium, M = 1, E = -1/4",
      "Aarseth, Henon & Wielen 1974, A&A 37, 183", "n seed r-cut scaling", 1024, 2, MOST, 0.5, 1},
     .eps = 1.0 / 256,
     .open = plummer_open},
    {{"coldsphere", "uniform sphere at rest, M = 1, R = 1: it collapses at t = 1.1",
      "van Albada 1982, MNRAS 201, 939", "n seed", 1024, 1, MOST, 0.25, 1},
     .eps = 1.0 / 256,
     .open = coldsphere_open},
    {{"king", "King's model of a tidally limited cluster in virial equilibrium, M = 1, E = -1/4",
      "King 1966, AJ 71, 64", "n seed w0 scaling", 1024, 2, MOST, 0.5, 1},
     .eps = 1.0 / 256,
     .open = king_open},
    {{"cube", "uniform cube from -1 to 1 at rest, M = 1", "", "n seed", 1024, 1, MOST, 0.4, 0},
     .eps = 1.0 / 256,
     .make = cube_make},
    {{"twobody", "two bodies on a Kepler orbit, at apocenter", "Kepler 1609; Newton 1687", "m1 m2 a e", 2, 2,
      2, 1, 0},
     .make = twobody_make},
    {{"figure8", "three equal masses on a figure eight, period 6.3259",
      "Chenciner & Montgomery 2000, Ann. Math. 152, 881", "", 3, 3, 3, 6.32591398 / 6, 0},
     .bodies = figure8},
    {{"pythagorean", "masses 3, 4, 5 at rest in the corners of a 3-4-5 triangle",
      "Burrau 1913, AN 195, 113; Szebehely & Peters 1967, AJ 72, 876", "", 3, 3, 3, 2, 0},
     .bodies = pythagorean},
    {{"holmberg1941", "two passing nebulae of 37 lamps each, as Erik Holmberg laid them out",
      "Holmberg 1941, ApJ 94, 385", "velocity spin", 74, 74, 74, 0.4, 0},
     .eps = 1.0 / 256,
     .make = holmberg1941_make},
    {{"disc", "a galaxy: exponential disc with Q = 1.5, bulge and halo; M = h = 1 of the disc, stable",
      "Hernquist 1993, ApJS 86, 389", "n seed", 8192, 64, MOST, 1.5, 0},
     .make = galaxy_make},
    {{"merger", "two such galaxies on a parabola: tails, bridges, and in the end one galaxy",
      "Toomre & Toomre 1972, ApJ 178, 623; Hernquist 1993", "n seed", 8192, 128, MOST, 1.5, 0},
     .make = galaxy_make_two},
    DEMO(1, "a turning shell of masses 1, eps 0.1, dt 0.016", 0.016),
    DEMO(2, "the same, smaller and faster", 0.016),
    DEMO(3, "a shell within its softening, eps 1, dt 0.0006", 0.0006),
    DEMO(4, "as demo3", 0.0006),
    DEMO(5, "the same, larger, dt 0.0019", 0.0019),
    DEMO(6, "a shell with eps 0.145, dt 0.0016", 0.0016),
    DEMO(7, "a large shell at rest, eps 1, dt 0.016", 0.016),
};

enum { MODEL_COUNT = sizeof models / sizeof *models };

static struct hb_ic_model infos[MODEL_COUNT];
static pthread_once_t infos_filled = PTHREAD_ONCE_INIT;

static void fill_infos(void)
{
  for (size_t k = 0; k < MODEL_COUNT; k++) infos[k] = models[k].info;
}

const struct hb_ic_model *hb_ic_models(size_t *count)
{
  pthread_once(&infos_filled, fill_infos);
  *count = MODEL_COUNT;
  return infos;
}

enum hb_ic_scaling hb_ic_scaling_for(size_t n)
{
  return n <= HB_IC_MEASURED_MOST ? HB_IC_SCALING_MEASURED : HB_IC_SCALING_MODEL;
}

static enum hb_status find_model(const char *name, const struct hb_ic_ops **model)
{
  size_t nearest = 0;
  *model = NULL;
  for (size_t k = 0; k < MODEL_COUNT; k++) {
    if (strcmp(models[k].info.name, name) == 0) {
      *model = &models[k];
      return HB_OK;
    }
    if (hb_text_distance(name, models[k].info.name) < hb_text_distance(name, models[nearest].info.name))
      nearest = k;
  }
  return hb_fail(HB_ERR_USAGE, "unknown model '%s', did you mean '%s'?", name, models[nearest].info.name);
}

static enum hb_status check_n(const struct hb_ic_model *info, size_t n)
{
  if (n >= info->n_min && n <= info->n_max) return HB_OK;
  if (info->n_min == info->n_max)
    return hb_fail(HB_ERR_USAGE, "model %s has %zu particles, not %zu", info->name, info->n_min, n);
  return hb_fail(HB_ERR_USAGE, "model %s accepts %zu to %zu particles, not %zu", info->name, info->n_min,
                 info->n_max, n);
}

/* Zero meant the default, which stands there now. */
static enum hb_status check_values(const struct hb_ic_params *p)
{
  HB_TRY(cluster_check_number("mass m1", p->m1, 0, INFINITY));
  HB_TRY(cluster_check_number("mass m2", p->m2, 0, INFINITY));
  HB_TRY(cluster_check_number("semi-major axis a", p->a, 0, INFINITY));
  if (!(p->e >= 0 && p->e < 1))
    return hb_fail(HB_ERR_USAGE, "eccentricity e is %g, expected 0 <= e < 1", p->e);
  HB_TRY(cluster_check_number("cut-off radius", p->r_cut, 0, INFINITY));
  HB_TRY(cluster_check_number("velocity at infinity", p->velocity, 0, INFINITY));
  if ((unsigned)p->shape > HB_IC_SHAPE_EXPAND)
    return hb_fail(HB_ERR_USAGE, "the shape is %d, expected 0, 1 or 2", (int)p->shape);
  if (!isfinite(p->spin)) return hb_fail(HB_ERR_USAGE, "spin is %g, expected finite", p->spin);
  return HB_OK;
}

/* Unless the model has written it. A softening is not what stars of many masses and binaries mean. */
static enum hb_status note_eps(const struct hb_ic_ops *model, const struct hb_ic_cluster *cluster,
                               struct hb_particles *p)
{
  double eps = cluster->binaries > 0 ? 0 : model->eps;
  if (hb_particles_note(p, "eps")) return HB_OK;
  for (size_t i = 1; i < p->n && model->info.is_cluster; i++)
    if (p->m[i] != p->m[0]) eps = 0;
  return hb_softening_note(p, eps);
}

static enum hb_status fill(const struct hb_ic_ops *model, const struct hb_ic_params *params,
                           struct hb_particles *p)
{
  if (model->open) return make_cluster(model, params, p);
  if (model->make) return model->make(model, params, p);
  for (size_t i = 0; i < p->n; i++) {
    p->m[i] = model->bodies[i][0];
    memcpy(p->x + 3 * i, model->bodies[i] + 1, 3 * sizeof *p->x);
    memcpy(p->v + 3 * i, model->bodies[i] + 4, 3 * sizeof *p->v);
  }
  return HB_OK;
}

enum hb_status hb_ic_make(const char *name, const struct hb_ic_params *params,
                          struct hb_particles **particles)
{
  HB_TEXT_IN_C;
  *particles = NULL;
  const struct hb_ic_ops *model;
  HB_TRY(find_model(name, &model));
  struct hb_ic_params p = params ? *params : (struct hb_ic_params){0};
  if (model->info.is_cluster)
    HB_TRY(cluster_check(&model->info, &p));
  else if (!cluster_is_plain(&p.cluster))
    return hb_fail(HB_ERR_USAGE, "model %s is not a cluster whose masses, binaries and so on can be chosen",
                   name);
  if (p.n == 0) p.n = model->info.n;
  if (p.w0 == 0) p.w0 = 6;
  if (p.m1 == 0) p.m1 = 0.5;
  if (p.m2 == 0) p.m2 = 0.5;
  if (p.a == 0) p.a = 1;
  if (p.spin == 0) p.spin = 1;
  if (p.scaling == HB_IC_SCALING_AUTO) p.scaling = hb_ic_scaling_for(p.n);
  HB_TRY(check_n(&model->info, p.n));
  HB_TRY(check_values(&p));

  HB_OWN_PARTICLES struct hb_particles *made = NULL;
  HB_TRY(hb_particles_create(p.n, &made));
  HB_TRY(fill(model, &p, made));
  HB_TRY(note_eps(model, &p.cluster, made));
  return HB_GIVE(made, particles);
}

/* ---- two systems in one ------------------------------------------------------------------------------- */

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
  HB_OWN_PARTICLES struct hb_particles *p = NULL;
  *particles = NULL;
  HB_TRY(hb_particles_create(first->n + second->n, &p));
  HB_TRY(join(first, second, at, velocity, p));
  HB_TRY(hb_particles_check(p));
  return HB_GIVE(p, particles);
}

#include "ic/cluster.h"

#include "base/elementary.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "base/text.h"
#include "core/diagnostics.h"
#include "core/gravity.h"
#include "core/units.h"
#include "core/vector.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- to standard units, to a velocity scale ------------------------------------------------------------- */

/* The potential energy U without softening, N^2 pairs; progress, nullable, is told about after each part. Errors:
 * HB_ERR_INTERNAL. */
static enum hb_status scale_potential(const struct hb_particles *p,
                                      void (*progress)(void *context, double done), void *context,
                                      double *e_pot)
{
  static const size_t pairs = (size_t)1 << 28; /* in a part: a fraction of a second */
  size_t n = p->n, part = pairs / n + 1;
  double *phi;
  HB_TRY(HB_ALLOC(n, &phi));
  for (size_t first = 0; first < n; first += part) {
    size_t end = hb_parallel_end(n, part, first);
    hb_gravity_potential_part(n, p->m, p->x, 0, first, end, phi);
    if (progress) progress(context, (double)end / (double)n);
  }
  *e_pot = hb_potential_energy(p, phi);
  hb_mem_free(phi);
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
  char *text;
  size_t length;
  *m = NULL;
  *n = 0;
  HB_TRY(hb_file_read_regular(path, &text, &length));
  enum hb_status status = memchr(text, 0, length) ? hb_fail(HB_ERR_INPUT, "%s: it is not text", path)
                                                  : parse_masses(path, text, m, n);
  hb_mem_free(text);
  return status;
}

static enum hb_status check_file(const struct hb_ic_cluster *c, size_t *n)
{
  double *m;
  size_t count;
  if (access(c->masses, F_OK) != 0)
    return hb_fail(HB_ERR_USAGE, "masses '%s' are neither equal, salpeter, kroupa or two nor a file",
                   c->masses);
  enum hb_status status = read_masses(c->masses, &m, &count);
  hb_mem_free(m);
  HB_TRY(status);
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

enum hb_status hb_cluster_check_masses(struct hb_ic_cluster *c, size_t *n)
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

enum hb_status hb_cluster_draw_masses(const struct hb_ic_cluster *c, struct hb_rng *rng, size_t n, double *m)
{
  const struct piece *piece = mass_function(c->masses);
  struct pieces pieces = {0};
  if (is_file(c)) {
    double *read;
    size_t count;
    enum hb_status status = read_masses(c->masses, &read, &count);
    if (status == HB_OK && count != n)
      status = hb_fail(HB_ERR_INPUT, "%s has %zu mass%s now, it had %zu before", c->masses, count,
                       count == 1 ? "" : "es", n);
    if (status == HB_OK) memcpy(m, read, n * sizeof *m);
    hb_mem_free(read);
    return status;
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

enum hb_status hb_cluster_sort(size_t count, const double *values, size_t *index)
{
  struct key *keys;
  HB_TRY(HB_ALLOC(count, &keys));
  for (size_t i = 0; i < count; i++) keys[i] = (struct key){values[i], i};
  qsort(keys, count, sizeof *keys, ascending);
  for (size_t i = 0; i < count; i++) index[i] = keys[i].index;
  hb_mem_free(keys);
  return HB_OK;
}

static enum hb_status sort_by_radius(size_t n, const double *x, size_t *order)
{
  double *r;
  HB_TRY(HB_ALLOC(n, &r));
  for (size_t i = 0; i < n; i++) r[i] = hb_norm(x + 3 * i);
  enum hb_status status = hb_cluster_sort(n, r, order);
  hb_mem_free(r);
  return status;
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

/* Of S systems share S are pairs, and there are (1 + share) S stars. */
size_t hb_cluster_pairs(double share, size_t n)
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

enum hb_status hb_cluster_orbit(struct hb_rng *rng, const struct hb_ic_cluster *c, double m[2], double *a,
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

enum hb_status hb_cluster_fractal(struct hb_rng *rng, double D, size_t n, double *x, double *v)
{
  struct generation g = {0};
  enum hb_status status = grow(rng, D, n, &g);
  for (size_t i = 0; status == HB_OK && i < n; i++) draw_star(rng, &g, x + 3 * i, v + 3 * i);
  hb_mem_free(g.parts);
  return status;
}

/* ---- segregation ------------------------------------------------------------------------------------------ */

/* v^2 / 2 + Phi, Phi that of the orbits themselves as shells of equal mass. order is scratch. */
static enum hb_status energies(size_t count, const double *X, const double *V, size_t *order, double *E)
{
  for (size_t i = 0; i < count; i++) E[i] = hb_norm(X + 3 * i);
  HB_TRY(hb_cluster_sort(count, E, order));
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
  size_t *by_mass;
  HB_TRY(HB_ALLOC(n, &by_mass));
  enum hb_status status = hb_cluster_sort(n, m, by_mass);
  fill_tree(n, work);
  for (size_t k = 0; status == HB_OK && k < n; k++) {
    double share = degree < 1 ? 1 - hb_elementary_power(hb_rng_uniform(rng), 1 - degree) : 0;
    size_t before = (size_t)(share * (double)(n - k));
    star[take(n, work, before < n - k ? before : n - k - 1)] = by_mass[n - 1 - k];
  }
  hb_mem_free(by_mass);
  return status;
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

enum hb_status hb_cluster_segregate(struct hb_rng *rng, double degree, size_t n, const double *m,
                                    size_t count, const double *X, const double *V, size_t *orbit)
{
  double *E = NULL;
  size_t *order = NULL, *star = NULL, *work = NULL;
  enum hb_status status = HB_ALLOC(count, &E);
  if (status == HB_OK) status = HB_ALLOC(count, &order);
  if (status == HB_OK) status = HB_ALLOC(n, &star);
  if (status == HB_OK) status = HB_ALLOC(n + 1, &work);
  if (status == HB_OK) status = energies(count, X, V, order, E);
  if (status == HB_OK) status = hb_cluster_sort(count, E, order);
  if (status == HB_OK) status = take_places(rng, degree, n, m, work, star);
  if (status == HB_OK) take_orbits(n, m, star, count, order, orbit);
  hb_mem_free(work);
  hb_mem_free(star);
  hb_mem_free(order);
  hb_mem_free(E);
  return status;
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

void hb_cluster_turn(struct hb_rng *rng, double share, size_t n, const double *x, double *v)
{
  double way = share < 0 ? -1 : 1;
  for (size_t i = 0; i < n; i++) {
    const double *xi = x + 3 * i, *vi = v + 3 * i;
    int is_chosen = hb_rng_uniform(rng) < fabs(share);
    if (is_chosen && way * (xi[0] * vi[1] - xi[1] * vi[0]) < 0) turn_around(xi, v + 3 * i);
  }
}

/* ---- checks ------------------------------------------------------------------------------------------ */

int hb_cluster_is_plain(const struct hb_ic_cluster *cluster)
{
  static const struct hb_ic_cluster plain;
  return memcmp(cluster, &plain, sizeof plain) == 0;
}

enum hb_status hb_cluster_check_number(const char *what, double value, double least, double most)
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
  HB_TRY(hb_cluster_check_number("the share of binaries", c->binaries, 0, 1));
  HB_TRY(hb_cluster_check_number("the smallest axis", c->a_min, 0, INFINITY));
  HB_TRY(hb_cluster_check_number("the largest axis", c->a_max, 0, INFINITY));
  if (c->binaries == 0) {
    if (c->pairing || c->orbits || c->eccentricities || c->a_min > 0 || c->a_max > 0)
      return hb_fail(HB_ERR_USAGE, "pairing, orbits, eccentricities, the smallest and the largest axis are "
                                   "of binaries: give their share");
    return HB_OK;
  }
  size_t systems = n - hb_cluster_pairs(c->binaries, n);
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

enum hb_status hb_cluster_check(const struct hb_ic_model *model, struct hb_ic_params *params)
{
  struct hb_ic_cluster *c = &params->cluster;
  HB_TRY(hb_cluster_check_masses(c, &params->n));
  HB_TRY(hb_cluster_check_number("the degree of segregation", c->segregation, 0, 1));
  HB_TRY(hb_cluster_check_number("rotation", c->rotation, -1, 1));
  HB_TRY(hb_cluster_check_number("the virial ratio", c->virial, 0, INFINITY));
  HB_TRY(hb_cluster_check_number("the tidal radius", c->tidal_radius, 0, INFINITY));
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
  HB_TRY(hb_cluster_draw_masses(c, &masses, n, m));
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
  double *X = NULL;
  size_t *to = NULL;
  enum hb_status status = HB_ALLOC(6 * n, &X);
  if (status == HB_OK) status = HB_ALLOC(2 * n, &to);
  if (status == HB_OK) status = hb_cluster_fractal(&rng, params->cluster.fractal, n, X, X + 3 * n);
  if (status == HB_OK) status = sort_by_radius(n, x, to);
  if (status == HB_OK) status = sort_by_radius(n, X, to + n);
  for (size_t k = 0; status == HB_OK && k < n; k++) {
    double *xi = x + 3 * to[k], *vi = v + 3 * to[k], *Xi = X + 3 * to[n + k], *Vi = Xi + 3 * n;
    double r = hb_norm(xi) / hb_norm(Xi), speed = hb_norm(vi) / hb_norm(Vi);
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
      hb_cluster_segregate(&rng, params->cluster.segregation, p->n, p->m, count, x, v, orbit);
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
  size_t count = c->segregation > 0 ? ORBITS_EACH * p->n : p->n;
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
  if (params->cluster.rotation != 0) hb_cluster_turn(&rng, params->cluster.rotation, p->n, p->x, p->v);
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
    double a, e, *m = p->m + 2 * k;
    HB_TRY(hb_cluster_orbit(&rng, c, m, &a, &e, &redrawn));
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

enum hb_status hb_cluster_make(const struct hb_ic_ops *model, const struct hb_ic_params *params,
                               struct hb_particles *p)
{
  struct hb_ic_params own = *params;
  struct hb_ic_sphere sphere = {0};
  size_t pairs = hb_cluster_pairs(own.cluster.binaries, p->n);
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

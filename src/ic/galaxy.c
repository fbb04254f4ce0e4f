/* A disc galaxy at rest, and two of them on a parabola. G = 1, the mass and the scale length of a disc are 1. The particles
 * of the halos are the last ones; the note `dark` says how many, for pictures of stars.
 *
 * After ten turns at R = 2, 113 time units, there is no bar, and the half-mass radius of the disc has grown by 15 % with
 * n = 4096 and by 7 % with 8192. But so few particles deflect each other: it is 2.2 and 1.8 times as thick.
 *
 * Positions are drawn from the profiles; velocities are those of Hernquist (1993, ApJS 86, 389). The disc: the epicyclic
 * approximation, with dispersions that fall as exp(-R / 2 h) from Toomre's Q at 2.43 h on, and the mean rotation that Jeans'
 * equation then asks for. Bulge and halo: isotropic dispersions by Jeans' equation in the spherical average of everything,
 * and normal velocities up to nearly the speed of escape. */
#include "ic/galaxy.h"

#include "base/elementary.h"
#include "base/mem.h"
#include "core/vector.h"
#include "ic/models.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;
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

size_t hb_galaxy_disc(size_t n) { return n / 2; }
size_t hb_galaxy_bulge(size_t n) { return n / 16; }
double hb_galaxy_mass(void) { return 1 + mass_in(&bulge, bulge.edge) + mass_in(&halo, halo.edge); }

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

double hb_galaxy_circular2(double R)
{
  return disc_circular2(R) + (mass_in(&bulge, R) + mass_in(&halo, R)) / R;
}

/* kappa^2 = R d Omega^2 / dR + 4 Omega^2 = (d v^2 / dR + 2 v^2 / R) / R */
double hb_galaxy_epicyclic2(double R)
{
  double step = 0x1p-10 * R;
  double slope = (hb_galaxy_circular2(R + step) - hb_galaxy_circular2(R - step)) / (2 * step);
  return (slope + 2 * hb_galaxy_circular2(R) / R) / R;
}

/* Q = sigma kappa / (3.36 Sigma): Toomre 1964, ApJ 139, 1217. */
double hb_galaxy_dispersion(double R)
{
  double at_reference =
      hb_galaxy_q * 3.36 * surface_density(reference_radius) / sqrt(hb_galaxy_epicyclic2(reference_radius));
  return at_reference * hb_elementary_exp((reference_radius - R) / 2);
}

/* In the middle, mean z d Phi / dz: of the disc itself, pi Sigma z0; and of the spheres, whose pull grows with z. */
static double vertical2(double R)
{
  double r2 = R * R + hb_galaxy_z0 * hb_galaxy_z0, r = sqrt(r2);
  double omega2 = (mass_in(&bulge, r) + mass_in(&halo, r)) / (r2 * r);
  return PI * surface_density(R) * hb_galaxy_z0 + omega2 * hb_galaxy_z0 * hb_galaxy_z0 * PI * PI / 12;
}

static void draw_disc(struct hb_rng *rng, double x[3], double v[3])
{
  double R, u = hb_rng_uniform(rng), way[2], first[2], second[2];
  do R = hb_elementary_waiting(rng) + hb_elementary_waiting(rng);
  while (R > disc_edge);
  hb_elementary_normals(rng, way);
  hb_elementary_normals(rng, first);
  hb_elementary_normals(rng, second);
  double length = sqrt(way[0] * way[0] + way[1] * way[1]), c = way[0] / length, s = way[1] / length;
  double circular2 = hb_galaxy_circular2(R), sigma = hb_galaxy_dispersion(R);
  double ratio2 = hb_galaxy_epicyclic2(R) * R * R / (4 * circular2); /* of sigma_phi to sigma_R */
  double mean2 = circular2 + sigma * sigma * (1 - ratio2 - 2 * R);   /* the asymmetric drift */
  double outward = sigma * first[0], around = sqrt(fmax(mean2, 0)) + sigma * sqrt(ratio2) * first[1];
  x[0] = R * c, x[1] = R * s, x[2] = hb_galaxy_z0 / 2 * hb_elementary_log(u / (1 - u));
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
  const size_t ends[] = {hb_galaxy_disc(n) + hb_galaxy_bulge(n), n};
  struct dispersions *d;
  HB_TRY(HB_ALLOC(1, &d));
  size_t i = 0, disc = hb_galaxy_disc(n);
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
  hb_mem_free(d);
  return HB_OK;
}

static const double dt = 0x1p-4; /* of a leapfrog: 180 steps a turn at the half-mass radius */

static enum hb_status note(struct hb_particles *p, size_t dark)
{
  HB_TRY(hb_particles_print_note(p, "eps", "%g", hb_galaxy_eps));
  HB_TRY(hb_particles_print_note(p, "dt", "%g", dt));
  return hb_particles_print_note(p, "dark", "%zu", dark);
}

static size_t halo_of(size_t n) { return n - hb_galaxy_disc(n) - hb_galaxy_bulge(n); }

enum hb_status hb_galaxy_make(const struct hb_ic_ops *model, const struct hb_ic_params *params,
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
static void place(int which, size_t n, double *x, double *v)
{
  double mu = 2 * hb_galaxy_mass(), side = which ? -0.5 : 0.5, transverse = sqrt(2 * mu * closest) / start;
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

enum hb_status hb_galaxy_make_two(const struct hb_ic_ops *model, const struct hb_ic_params *params,
                                  struct hb_particles *p)
{
  (void)model;
  struct hb_rng rng = hb_rng_seeded(params->seed);
  size_t n = p->n / 2;
  double *m;
  if (p->n % 2)
    return hb_fail(HB_ERR_USAGE, "two galaxies cannot share %zu particles: expected an even number", p->n);
  HB_TRY(HB_ALLOC(7 * n, &m));
  double *x = m + n, *v = x + 3 * n;
  enum hb_status status = HB_OK;
  for (int k = 0; k < 2; k++) {
    status = draw_galaxy(&rng, n, m, x, v);
    if (status != HB_OK) break;
    place(k, n, x, v);
    sort(k, n, m, x, v, p);
  }
  hb_mem_free(m);
  return status == HB_OK ? note(p, 2 * halo_of(n)) : status;
}

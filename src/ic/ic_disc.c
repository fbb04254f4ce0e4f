/* A disc galaxy at rest, and two of them on a parabola. G = 1, the mass and the scale length of a disc are 1. The particles
 * of the halos are the last ones; the note `dark` says how many, for pictures of stars.
 *
 * After ten turns at R = 2, 113 time units, there is no bar, and the half-mass radius of the disc has grown by 15 % with
 * n = 4096 and by 7 % with 8192. But so few particles deflect each other: it is 2.2 and 1.8 times as thick. */
#include "ic/galaxy.h"
#include "ic/ic.h"

#include "base/mem.h"
#include "base/rng.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double dt = 0x1p-4; /* of a leapfrog: 180 steps a turn at the half-mass radius */

static enum hb_status note(struct hb_particles *p, size_t dark)
{
  char text[32];
  snprintf(text, sizeof text, "%g", hb_galaxy_eps);
  HB_TRY(hb_particles_set_note(p, "eps", text));
  snprintf(text, sizeof text, "%g", dt);
  HB_TRY(hb_particles_set_note(p, "dt", text));
  snprintf(text, sizeof text, "%zu", dark);
  return hb_particles_set_note(p, "dark", text);
}

static size_t halo_of(size_t n) { return n - hb_galaxy_disc(n) - hb_galaxy_bulge(n); }

static enum hb_status disc_make(const struct hb_ic_params *params, struct hb_particles *p)
{
  struct hb_rng rng = hb_rng_seeded(params->seed);
  HB_TRY(hb_galaxy_draw(&rng, p->n, p->m, p->x, p->v));
  return note(p, halo_of(p->n));
}

const struct hb_ic_ops hb_ic_disc = {
    .info = {.name = "disc",
             .summary =
                 "a galaxy: exponential disc with Q = 1.5, bulge and halo; M = h = 1 of the disc, stable",
             .source = "Hernquist 1993, ApJS 86, 389",
             .options = "n seed",
             .n = 8192,
             .n_min = 64,
             .n_max = IC_N_MAX,
             .speed = 1.5},
    .make = disc_make,
};

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

static enum hb_status merger_make(const struct hb_ic_params *params, struct hb_particles *p)
{
  struct hb_rng rng = hb_rng_seeded(params->seed);
  size_t n = p->n / 2;
  double *m;
  if (p->n % 2)
    return hb_fail(HB_ERR_USAGE, "two galaxies cannot share %zu particles: expected an even number", p->n);
  HB_TRY(HB_ALLOC(7 * n, &m));
  double *x = m + n, *v = x + 3 * n;
  enum hb_status status = HB_OK;
  for (int k = 0; k < 2; k++) {
    status = hb_galaxy_draw(&rng, n, m, x, v);
    if (status != HB_OK) break;
    place(k, n, x, v);
    sort(k, n, m, x, v, p);
  }
  hb_mem_free(m);
  return status == HB_OK ? note(p, 2 * halo_of(n)) : status;
}

const struct hb_ic_ops hb_ic_merger = {
    .info = {.name = "merger",
             .summary = "two such galaxies on a parabola: tails, bridges, and in the end one galaxy",
             .source = "Toomre & Toomre 1972, ApJ 178, 623; Hernquist 1993",
             .options = "n seed",
             .n = 8192,
             .n_min = 128,
             .n_max = IC_N_MAX,
             .speed = 1.5},
    .make = merger_make,
};

#include "core/star.h"

#include "base/elementary.h"

#include <math.h>

static double power(double x, double y) { return hb_elementary_power(x, y); }

/* ---- times ---- */

/* To the base of the giant branch: HPT eq. 4. */
static double time_to_giant(double m)
{
  double m4 = power(m, 4), m7 = power(m, 7);
  return (1593.890 + 2706.708 * m4 + 146.6143 * power(m, 5.5) + m7) / (0.0414196 * m * m + 0.3426349 * m7);
}

/* The main sequence: HPT eqs 5 to 7. */
static double time_as_dwarf(double m)
{
  double hook = fmax(19.49814 / power(m, 4.90383), 0.05212154 + 1.312179 / power(m, 0.8073972));
  return fmax(fmax(0.5, 1 - 0.01 * hook), 0.95) * time_to_giant(m);
}

/* As a giant that burns helium: HPT eq. 57 for intermediate and high masses; of light stars that is short in any case. */
double hb_star_lifetime(double m)
{
  double m5 = power(m, 5), b41 = power(2.327037, 1.997378), b44 = power(2.327409, 5);
  return time_to_giant(m) * (1 + (b41 * power(m, 1.997378) + 0.1079113 * m5) / (b44 + m5));
}

/* ---- luminosities and radii ---- */

/* The fits end at 100. */
static double within_fits(double m) { return fmin(fmax(m, 0.1), 100); }

/* At zero age: Tout et al. 1996 eqs 1 and 2. */
static double first_luminosity(double mass)
{
  double m = within_fits(mass);
  return (0.3970417 * power(m, 5.5) + 8.527626 * power(m, 11)) /
         (0.00025546 + power(m, 3) + 5.432889 * power(m, 5) + 5.563579 * power(m, 7) +
          0.7886606 * power(m, 8) + 0.00586685 * power(m, 9.5));
}

static double first_radius(double mass)
{
  double m = within_fits(mass);
  return (1.715359 * power(m, 2.5) + 6.597788 * power(m, 6.5) + 10.08855 * power(m, 11) +
          1.012495 * power(m, 19) + 0.07490166 * power(m, 19.5)) /
         (0.01077422 + 3.082234 * m * m + 17.84778 * power(m, 8.5) + power(m, 18.5) +
          0.00022582 * power(m, 19.5));
}

/* EFT eqs 2 to 5: the logarithm of a radius on the main sequence over the first one; tau from 0 to 1. */
static double growth(double mass, double tau)
{
  double log_m = hb_elementary_log(within_fits(mass)) / hb_elementary_log(10);
  int is_light = mass < 1.334;
  double alpha = is_light ? 0.08353 + 0.0565 * log_m : 0.1509 + 0.1709 * log_m;
  double beta = is_light ? 0.01291 + 0.2226 * log_m : 0.06656 - 0.4805 * log_m;
  double gamma = is_light ? 0.1151 + 0.06267 * log_m : 0.007395 + 0.5083 * log_m;
  return fmax(0, tau * (alpha + tau * (beta + tau * gamma))) * hb_elementary_log(10);
}

/* At both ends of the life of a giant: EFT. */
static double base_luminosity(double mass)
{
  double m = within_fits(mass);
  return m * m * (2.15 + 0.22 * m * m * m) / (1 + m * m * (0.014 + 5e-6 * m * m));
}
static double top_luminosity(double mass)
{
  double m = within_fits(mass);
  return m * (4000 + 500 * m);
}

/* EFT; no star is known to be larger than the bound. */
static double giant_radius(double l, double m)
{
  return fmin((0.25 * power(l, 0.4) + 0.8 * power(l, 0.67)) / power(m, 0.27), 1500);
}

/* Without an envelope: HPT eq. 78. */
static double helium_radius(double m)
{
  double m3 = m * m * m;
  return 0.2391 * power(m, 4.6) / (m3 * m + 0.162 * m3 + 0.0065);
}

/* ---- cores and what is left ---- */

static const double chandrasekhar = 1.44;

/* The helium core when helium ends: HPT eq. 66. */
static double core_mass(double m) { return fmin(m, sqrt(sqrt(4.36e-4 * power(m, 5.22) + 6.84e-2))); }

int hb_star_explodes(double zams) { return core_mass(zams) >= 2.25; }

/* After the second dredge-up: HPT eq. 69. */
static double white_dwarf_mass(double m)
{
  double core = core_mass(m);
  return fmin(core < 0.8 ? core : 0.44 * core + 0.448, chandrasekhar);
}

/* HPT eqs 91 and 93; a neutron star has 10 km. */
static double remnant_radius(enum hb_star_type type, double m)
{
  const double neutron = 1.4e-5;
  if (type == HB_STAR_BLACK_HOLE) return 4.24e-6 * m;
  if (type == HB_STAR_NEUTRON) return neutron;
  double x = power(fmin(m, chandrasekhar) / chandrasekhar, 2. / 3);
  return fmax(neutron, 0.0115 * sqrt(1 / x - x));
}

/* HPT eqs 75 and 92; of what was there before, cores from 5 to 7.6 keep a growing part, heavier ones all (Belczynski et al. 2002). */
static struct hb_star collapsed(double zams, double before)
{
  double core = fmax(chandrasekhar, 0.773 * fmin(core_mass(zams), before) - 0.35);
  double proto = 1.17 + 0.09 * core, fallback = fmin(fmax((core - 5) / 2.6, 0), 1);
  struct hb_star star = {.m = proto + fallback * (before - proto)};
  star.type = star.m > 3 ? HB_STAR_BLACK_HOLE : HB_STAR_NEUTRON;
  star.radius = remnant_radius(star.type, star.m);
  return star;
}

/* ---- winds ---- */

/* Solar masses in a Myr. */
static double wind(double l, double m, double r)
{
  return 9.6e-9 * power(l, 1.24) * power(m, 0.16) * power(r, 0.81);
}

/* A wind whose logarithm goes from that of w0 to that of w1 in the time dt, after the part s of it. */
static double blown(double w0, double w1, double dt, double s)
{
  double k = hb_elementary_log(w1 / w0);
  return fabs(k) < 1e-6 ? w0 * dt * s : w0 * dt * (hb_elementary_exp(k * s) - 1) / k;
}

/* The part of dt after which the wind has blown `mass` away; may be above 1. */
static double part_for(double w0, double w1, double dt, double mass)
{
  double k = hb_elementary_log(w1 / w0), more = mass / (w0 * dt);
  if (fabs(k) < 1e-6) return more;
  return 1 + k * more > 0 ? hb_elementary_log(1 + k * more) / k : INFINITY;
}

/* Without an envelope for the time t: m' = -0.08 m^2.5 (Langer 1989). */
static double stripped(double core, double t) { return power(power(core, -1.5) + 0.12 * t, -2. / 3); }

/* ---- a life ---- */

struct life {
  double zams, dwarf, giant, end; /* times */
  double l_giant, r_dwarf, r_giant;
};

static struct life life_of(double zams)
{
  struct life life = {.zams = zams,
                      .dwarf = time_as_dwarf(zams),
                      .giant = time_to_giant(zams),
                      .end = hb_star_lifetime(zams)};
  life.l_giant = base_luminosity(zams);
  life.r_dwarf = first_radius(zams) * hb_elementary_exp(growth(zams, 1));
  life.r_giant = fmax(life.r_dwarf, giant_radius(life.l_giant, zams));
  return life;
}

/* Of a star that will explode; *is_stripped: it has lost its envelope. */
static double heavy_mass(const struct life *life, double age, int *is_stripped)
{
  double zams = life->zams, core = core_mass(zams), l = first_luminosity(zams), top = top_luminosity(zams);
  double first = wind(l, zams, first_radius(zams)), last = wind(2 * l, zams, life->r_dwarf);
  double base = wind(life->l_giant, zams, life->r_giant), tip = wind(top, zams, giant_radius(top, zams));
  double m = zams - blown(first, last, life->giant, fmin(age / life->giant, 1));
  *is_stripped = 0;
  if (age <= life->giant) return fmax(m, core);
  double dt = life->end - life->giant, s = (age - life->giant) / dt;
  double bare = part_for(base, tip, dt, fmax(m - core, 0));
  if (s < bare) return m - blown(base, tip, dt, s);
  *is_stripped = 1;
  return stripped(core, (s - bare) * dt);
}

/* Others keep all until a superwind takes the envelope in the last hundredth of their life. */
static double light_mass(const struct life *life, double age)
{
  double dt = 0.01 * life->end, s = fmax(0, (age - (life->end - dt)) / dt);
  return life->zams - s * (life->zams - white_dwarf_mass(life->zams));
}

static double between(double from, double to, double s)
{
  return from * power(to / from, fmin(fmax(s, 0), 1));
}

static double radius_at(const struct life *life, double m, double age)
{
  double zams = life->zams;
  if (age < life->dwarf) return first_radius(zams) * hb_elementary_exp(growth(zams, age / life->dwarf));
  if (age < life->giant)
    return between(life->r_dwarf, life->r_giant, (age - life->dwarf) / (life->giant - life->dwarf));
  double s = (age - life->giant) / (life->end - life->giant);
  return fmax(life->r_giant, giant_radius(between(life->l_giant, top_luminosity(zams), s), m));
}

struct hb_star hb_star_at(double zams, double given)
{
  struct life life = life_of(zams);
  double age = fmin(fmax(given, 0), life.end);
  int is_heavy = hb_star_explodes(zams), is_stripped = 0;
  struct hb_star star = {.m = is_heavy ? heavy_mass(&life, age, &is_stripped) : light_mass(&life, age)};
  if (given >= life.end && is_heavy) return collapsed(zams, star.m);
  if (given >= life.end) star.type = HB_STAR_WHITE_DWARF, star.radius = remnant_radius(star.type, star.m);
  if (given >= life.end) return star;
  star.type = age < life.dwarf ? HB_STAR_DWARF : HB_STAR_GIANT;
  star.radius = is_stripped ? helium_radius(star.m) : radius_at(&life, star.m, age);
  return star;
}

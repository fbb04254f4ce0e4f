/* hb_sim_*: particles, a source of forces and an integrator in one handle. */
#include "sim/sim.h"

#include "base/arith.h"
#include "base/draft.h"
#include "base/elementary.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/ranks.h"
#include "base/text.h"
#include "core/diagnostics.h"
#include "core/gravity.h"
#include "core/kdtree.h"
#include "core/particles.h"
#include "core/structure.h"
#include "core/units.h"
#include "core/vector.h"
#include "force/force.h"
#include "gl/gl_shader.h"
#include "groups/groups.h"
#include "io/checkpoint.h"
#include "io/lines.h"
#include "perf/machine_model.h"
#include "sim/sim_settings.h"
#include "gl/gl_context.h"

#include <holmberg/checkpoint.h>
#include <holmberg/diagnostics.h>

#include <limits.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void sim_judge_from_here(struct hb_sim *sim);

/* ---- checkpoints of older layouts: their sections become those of today, one a number ------------------- */

/* An older section, and the ones of today that its records become, one after the other: NAME*N has N elements of each; - is nobody's. */
static const char *const splits[] = {
    "sim.numbers sim.eta sim.dt_max sim.dt_min sim.eps sim.dt sim.damping",
    "sim.words sim.rounding sim.flags sim.transfer sim.predict sim.correct sim.exact_energy sim.steps",
    "sim.first sim.first_step",
    "sim.stop sim.stop_at",
    "sim.bodies sim.collisions sim.escapers",
    "sim.escape sim.escape_radius",
    "sim.phases sim.predict_s sim.send_s sim.force_s sim.receive_s sim.correct_s",
    "frame frame.x*3 frame.v*3 frame.t",
    "hermite4 now block_steps particle_steps noisy_steps",
    "bodies merged escaped",
    "bodies.energy e_lost",
    "massless.worst massless.error massless.t",
    "passages passages.i passages.k",
    "bodies.touches touches.i touches.k touches.apart",
    "watch.energies watch.E",
    "watch.words watch.id*2 watch.at*2",
    "passages.scale passages.r_close passages.m_mean",
    "groups -*2 groups.formed groups.dissolved groups.forces -",
    "groups.close groups.r_close groups.m_mean groups.stars",
    "groups.words groups.node groups.tick groups.listed groups.settled groups.rows groups.n groups.member*8",
    "groups.numbers groups.B groups.ds groups.masses*8 groups.X*21 groups.V*21",
    "t0 t0 leapfrog.dt leapfrog.damping", /* of leapfrog; that of hermite4 has one number, the time alone */
};

/* Strings, each with its NUL. */
static const char *const texts[] = {"sim.version", "sim.integrator", "sim.scheme", "sim.precision",
                                    "sim.tuning",  "sim.context",    "sim.device", "sim.chosen_device"};
enum { TEXTS = sizeof texts / sizeof *texts };

static struct hb_section *find(const struct hb_sections *sections, const char *name)
{
  for (size_t k = 0; k < sections->count; k++)
    if (strcmp(sections->at[k].name, name) == 0) return sections->at + k;
  return NULL;
}

static void take_out(struct hb_sections *sections, struct hb_section *section)
{
  hb_mem_free(section->own);
  *section = sections->at[--sections->count];
}

/* The next word, and how many elements of a record it has; 0: there is none. */
static size_t next_word(const char **words, char name[24])
{
  int length = 0;
  unsigned each = 1;
  if (sscanf(*words, " %23[^ *]%n*%u%n", name, &length, &each, &length) < 1) return 0;
  *words += length;
  return each;
}

/* Elements at .. at + each - 1 of each record. */
static enum hb_status put_part(struct hb_sections *sections, const char *from, size_t record, size_t at,
                               size_t each, const char *name)
{
  const struct hb_section *old = find(sections, from);
  const enum hb_section_type type = old->type;
  size_t records = old->count / record, width = hb_section_width(type);
  HB_OWN char *part = NULL;
  HB_TRY(HB_ALLOC(records * each * width + 1, &part));
  for (size_t k = 0; k < records; k++)
    memcpy(part + k * each * width, (const char *)old->data + (k * record + at) * width, each * width);
  return hb_sections_put_copy(sections, name, type, records * each, part);
}

static enum hb_status split_section(struct hb_sections *sections, const char *words)
{
  char from[24], name[24];
  size_t record = 0, at = 0, each;
  int stays = 0, has_new = 0;
  next_word(&words, from);
  for (const char *rest = words; (each = next_word(&rest, name)) > 0; record += each)
    has_new = has_new || (strcmp(name, from) != 0 && find(sections, name));
  const struct hb_section *old = find(sections, from);
  if (!old || old->type == HB_SECTION_BYTES || old->count % record != 0 || has_new) return HB_OK;
  for (; (each = next_word(&words, name)) > 0; at += each) {
    stays = stays || strcmp(name, from) == 0; /* what is left of it is at its beginning */
    if (strcmp(name, from) != 0 && *name != '-') HB_TRY(put_part(sections, from, record, at, each, name));
  }
  if (stays)
    find(sections, from)->count /= record;
  else
    take_out(sections, find(sections, from));
  return HB_OK;
}

static enum hb_status split_text(struct hb_sections *sections)
{
  const struct hb_section *old = find(sections, "sim.text");
  if (!old || old->type != HB_SECTION_BYTES) return HB_OK;
  const char *next = old->data, *end = next + old->count;
  for (int k = 0; k < TEXTS; k++) {
    const char *nul = next < end ? memchr(next, 0, (size_t)(end - next)) : NULL;
    if (!nul) return hb_fail(HB_ERR_INPUT, "section 'sim.text' has %d strings, expected %d", k, TEXTS);
    HB_TRY(hb_sections_put_copy(sections, texts[k], HB_SECTION_BYTES, (size_t)(nul + 1 - next), next));
    next = nul + 1;
  }
  take_out(sections, find(sections, "sim.text"));
  return HB_OK;
}

/* Sections of older checkpoints become those of today. Errors: HB_ERR_INPUT, HB_ERR_INTERNAL. */
static enum hb_status sim_read_older(struct hb_sections *sections)
{
  HB_TRY(split_text(sections));
  for (size_t k = 0; k < sizeof splits / sizeof *splits; k++) HB_TRY(split_section(sections, splits[k]));
  return HB_OK;
}

/* ---- opening, stepping, reading ------------------------------------------------------------------------- */

/* ---- how a single star ages -----------------------------------------------------------------------------
 *
 * By analytic fits to models of solar composition (Z = 0.02). Masses in solar masses, radii in solar radii, times in Myr.
 *
 * Life times and cores: Hurley, Pols & Tout 2000 (HPT); radii of the zero age main sequence: Tout et al. 1996; how radii grow on it, and
 * giants: Eggleton, Fitchett & Tout 1989 (EFT); winds: Nieuwenhuijzen & de Jager 1990 and, without an envelope, Langer 1989; fallback:
 * Belczynski, Kalogera & Bulik 2002. */

struct star {
  enum hb_star_type type;
  double m, radius;
};

/* Masses at birth, zams, that the functions below take. */
static const double star_least = 0.01, star_most = 150;

static double power(double x, double y) { return hb_elementary_power(x, y); }

/* ---- a star: times ---- */

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

/* From birth to the remnant; it falls with mass. As a giant that burns helium: HPT eq. 57 for intermediate and high masses; of light stars that is short in any case. */
static double lifetime_of(double m)
{
  double m5 = power(m, 5), b41 = power(2.327037, 1.997378), b44 = power(2.327409, 5);
  return time_to_giant(m) * (1 + (b41 * power(m, 1.997378) + 0.1079113 * m5) / (b44 + m5));
}

/* ---- a star: luminosities and radii ---- */

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

/* ---- a star: cores and what is left ---- */

static const double chandrasekhar = 1.44;

/* The helium core when helium ends: HPT eq. 66. */
static double core_mass(double m) { return fmin(m, sqrt(sqrt(4.36e-4 * power(m, 5.22) + 6.84e-2))); }

/* Whether it ends as a neutron star or black hole, which are born with a kick. */
static int explodes(double zams) { return core_mass(zams) >= 2.25; }

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
static struct star collapsed(double zams, double before)
{
  double core = fmax(chandrasekhar, 0.773 * fmin(core_mass(zams), before) - 0.35);
  double proto = 1.17 + 0.09 * core, fallback = fmin(fmax((core - 5) / 2.6, 0), 1);
  struct star star = {.m = proto + fallback * (before - proto)};
  star.type = star.m > 3 ? HB_STAR_BLACK_HOLE : HB_STAR_NEUTRON;
  star.radius = remnant_radius(star.type, star.m);
  return star;
}

/* ---- a star: winds ---- */

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

/* ---- a star: a life ---- */

struct life {
  double zams, dwarf, giant, end; /* times */
  double l_giant, r_dwarf, r_giant;
};

static struct life life_of(double zams)
{
  struct life life = {
      .zams = zams, .dwarf = time_as_dwarf(zams), .giant = time_to_giant(zams), .end = lifetime_of(zams)};
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

/* What a star is at an age; before its birth as at it. m never grows with age. */
static struct star star_at(double zams, double given)
{
  struct life life = life_of(zams);
  double age = fmin(fmax(given, 0), life.end);
  int is_heavy = explodes(zams), is_stripped = 0;
  struct star star = {.m = is_heavy ? heavy_mass(&life, age, &is_stripped) : light_mass(&life, age)};
  if (given >= life.end && is_heavy) return collapsed(zams, star.m);
  if (given >= life.end) star.type = HB_STAR_WHITE_DWARF, star.radius = remnant_radius(star.type, star.m);
  if (given >= life.end) return star;
  star.type = age < life.dwarf ? HB_STAR_DWARF : HB_STAR_GIANT;
  star.radius = is_stripped ? helium_radius(star.m) : radius_at(&life, star.m, age);
  return star;
}

/* ---- stars that age, by this fit or a table of others (data/FORMATS.md) ---------------------
 *
 * What a star is depends on its identity, its mass at birth and the time, never on what came before: so a resumed simulation goes on
 * as if it had not stopped. */

const char *const hb_stars_names[] = {"none", "zams", NULL};
const char *const hb_star_type_names[] = {"unknown",      "dwarf",      "giant", "white dwarf",
                                          "neutron star", "black hole", NULL};

static const char note_name[] = "stars";

/* From t on: Myr, solar masses, solar radii; and a kick at t, in km/s. */
struct table_row {
  double t;
  uint64_t id;
  double m, radius, kick;
};

struct born {
  uint64_t id;
  double zams, birth; /* solar masses, Myr */
};

/* What changes: room for all n. */
struct changes {
  size_t n, room;
  uint64_t *id;
  double *m, *v, *radius;
};

struct hb_sim_stars {
  size_t n;
  struct born *at;
  char *table;            /* its file; NULL: the fit */
  struct table_row *rows; /* [n_rows]: in place of the fit */
  size_t n_rows;
  struct hb_units units;
  double *ends;        /* [n_ends] ascending: when masses jump and kicks come, N-body, rounded up */
  size_t n_ends, next; /* the first that has not come */
  double looked;       /* until when stars have been looked at, N-body */
  double every;        /* what is no jump is looked at at its multiples, N-body */
  double kick;         /* km/s */
  uint64_t seed;
  struct changes changes;   /* of the last call of stars_change */
  struct hb_sim_star *told; /* of the last call of hb_sim_stars */
};

/* ---- tables ---- */

static enum hb_status fail_in_table(const struct hb_lines *c, const char *at, const char *expected)
{
  return hb_fail(HB_ERR_INPUT, "%s:%zu: '%.*s', expected %s", c->name, c->line, hb_lines_shown(c, at), at,
                 expected);
}

static enum hb_status take_number(const struct hb_lines *c, const char **at, double least,
                                  const char *expected, double *number)
{
  hb_lines_skip_blanks(c, at);
  const char *word = *at;
  return hb_lines_number(c, at, number) && *number >= least ? HB_OK : fail_in_table(c, word, expected);
}

static enum hb_status take_row(const struct hb_lines *c, struct table_row *row)
{
  const char *at = c->begin;
  HB_TRY(take_number(c, &at, -1e300, "a time in Myr", &row->t));
  hb_lines_skip_blanks(c, &at);
  const char *word = at;
  if (!hb_lines_whole(c, &at, &row->id)) return fail_in_table(c, word, "an identity");
  HB_TRY(take_number(c, &at, 0, "a mass in solar masses, at least 0", &row->m));
  HB_TRY(take_number(c, &at, 0, "a radius in solar radii, at least 0", &row->radius));
  HB_TRY(take_number(c, &at, 0, "a kick in km/s, at least 0", &row->kick));
  hb_lines_skip_blanks(c, &at);
  return at == c->end ? HB_OK : fail_in_table(c, at, "the end of the line: time id mass radius kick");
}

static int by_star_and_time(const void *a, const void *b)
{
  const struct table_row *left = a, *right = b;
  if (left->id != right->id) return left->id < right->id ? -1 : 1;
  return left->t < right->t ? -1 : left->t > right->t;
}

/* One time of one star has one row. */
static enum hb_status sort_rows(const char *path, struct table_row *rows, size_t n)
{
  if (n == 0)
    return hb_fail(HB_ERR_INPUT, "%s has no rows, expected lines of time id mass radius kick", path);
  qsort(rows, n, sizeof *rows, by_star_and_time);
  for (size_t k = 1; k < n; k++)
    if (by_star_and_time(rows + k - 1, rows + k) == 0)
      return hb_fail(HB_ERR_INPUT, "%s has two rows of star %" PRIu64 " at %.17g Myr, expected one", path,
                     rows[k].id, rows[k].t);
  return HB_OK;
}

static enum hb_status take_rows(struct hb_lines c, struct table_row **rows, size_t *n)
{
  size_t room = 0;
  while (hb_lines_next(&c)) {
    if (c.begin == c.end || *c.begin == '#') continue;
    HB_TRY(HB_GROW(*n, &room, rows));
    HB_TRY(take_row(&c, *rows + (*n)++));
  }
  return HB_OK;
}

/* The rows[n] by identity, then time. Errors: HB_ERR_IO, HB_ERR_INPUT (file, line, value, what was expected). */
static enum hb_status read_table(const char *path, struct table_row **rows, size_t *n)
{
  HB_OWN char *text = NULL;
  size_t length;
  HB_TRY(hb_file_read(path, &text, &length));
  HB_TRY(take_rows(hb_lines_at_start(path, text, length), rows, n));
  return sort_rows(path, *rows, *n);
}

/* ---- opening ---- */

/* Whether the params can be. Errors: HB_ERR_USAGE. */
static enum hb_status stars_check(const struct hb_sim_params *p)
{
  if (p->stars == HB_STARS_NONE && !p->evolution) return HB_OK;
  if (p->stars != HB_STARS_NONE && p->evolution)
    return hb_fail(HB_ERR_USAGE, "stars and evolution exclude each other (expected a fit or a table)");
  if (p->collisions == HB_COLLISIONS_MERGE)
    return hb_fail(HB_ERR_USAGE, "collisions merge: what a merged star becomes is not known where stars age "
                                 "(expected collisions none or stop)");
  return HB_OK;
}

static int by_identity(const void *a, const void *b)
{
  const struct born *left = a, *right = b;
  return left->id < right->id ? -1 : left->id > right->id;
}

static const struct born *born_of(const struct hb_sim_stars *stars, uint64_t id)
{
  return bsearch(&(struct born){.id = id}, stars->at, stars->n, sizeof *stars->at, by_identity);
}

static enum hb_status read_star(const struct hb_lines *c, struct born *star)
{
  const char *at = c->begin;
  int is_good = hb_lines_whole(c, &at, &star->id);
  hb_lines_skip_blanks(c, &at);
  is_good = is_good && hb_lines_number(c, &at, &star->zams);
  hb_lines_skip_blanks(c, &at);
  is_good = is_good && hb_lines_number(c, &at, &star->birth) && at == c->end && star->zams > 0;
  return is_good
             ? HB_OK
             : hb_fail(HB_ERR_INPUT, "the note stars has '%.*s', expected an identity, a mass and a birth",
                       (int)(c->end - c->begin), c->begin);
}

static enum hb_status read_note(const char *note, struct hb_sim_stars *stars)
{
  struct hb_lines c = hb_lines_at_start(note_name, note, strlen(note));
  for (size_t room = 0; hb_lines_next(&c);) {
    HB_TRY(HB_GROW(stars->n, &room, &stars->at));
    HB_TRY(read_star(&c, stars->at + stars->n));
    stars->n++;
  }
  return HB_OK;
}

static enum hb_status write_note(const struct hb_sim_stars *stars, struct hb_particles *particles)
{
  HB_OWN struct hb_text text = {0};
  for (size_t k = 0; k < stars->n; k++)
    HB_TRY(hb_text_append(&text, "%s%" PRIu64 " %.17g %.17g", k ? "\n" : "", stars->at[k].id,
                          stars->at[k].zams, stars->at[k].birth));
  return hb_particles_set_note(particles, note_name, text.text);
}

/* Born now. */
static enum hb_status take_masses(struct hb_particles *p, struct hb_sim_stars *stars)
{
  HB_TRY(HB_ALLOC(p->n, &stars->at));
  stars->n = p->n;
  for (size_t i = 0; i < p->n; i++) {
    double zams = p->m[i] * stars->units.mass;
    if (!stars->rows && !(zams >= star_least && zams <= star_most))
      return hb_fail(HB_ERR_INPUT,
                     "particle %" PRIu64 " has %g solar masses, expected %g to %g for stars that age",
                     p->id[i], zams, star_least, star_most);
    stars->at[i] = (struct born){p->id[i], zams, p->t * stars->units.time};
  }
  return HB_OK;
}

/* ---- what a star is ---- */

struct now {
  double m, radius, kick; /* solar; km/s, between `before` and t */
};

static const struct table_row *last_row(const struct hb_sim_stars *stars, uint64_t id, double t)
{
  size_t low = 0, high = stars->n_rows; /* the first behind it */
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const struct table_row *r = stars->rows + middle;
    if (r->id < id || (r->id == id && r->t <= t))
      low = middle + 1;
    else
      high = middle;
  }
  return low > 0 && stars->rows[low - 1].id == id ? stars->rows + low - 1 : NULL;
}

/* Several kicks since then add up as one. */
static struct now by_table(const struct hb_sim_stars *stars, const struct born *s, double before, double t)
{
  const struct table_row *row = last_row(stars, s->id, t);
  if (!row) return (struct now){.m = s->zams};
  struct now now = {.m = row->m, .radius = row->radius};
  for (; row >= stars->rows && row->id == s->id && row->t > before; row--) now.kick += row->kick;
  return now;
}

/* A number and a direction of a star and a seed alone. */
static struct hb_rng drawn(const struct hb_sim_stars *stars, uint64_t id)
{
  struct hb_rng rng = hb_rng_sequence(stars->seed, 0);
  rng.block = id << 8;
  return rng;
}

static struct now by_fit(const struct born *s, double t)
{
  struct star star = star_at(s->zams, t - s->birth);
  return (struct now){.m = star.m, .radius = star.radius};
}

static int explodes_between(const struct hb_sim_stars *stars, const struct born *s, double before, double t)
{
  if (stars->rows || !explodes(s->zams)) return 0;
  double end = s->birth + lifetime_of(s->zams);
  return before < end && end <= t;
}

static void add_kick(const struct hb_sim_stars *stars, const struct born *s, const struct now *now,
                     double before, double t, double v[3])
{
  double kick[3] = {0}, unit = hb_units_velocity(&stars->units), size = now->kick;
  struct hb_rng rng = drawn(stars, s->id);
  if (explodes_between(stars, s, before, t))
    hb_elementary_three_normals(&rng, kick), size = stars->kick;
  else if (size > 0)
    hb_rng_direction(&rng, kick);
  for (int k = 0; k < 3; k++) v[k] += size * kick[k] / unit;
}

static double radius_unit(const struct hb_sim_stars *stars)
{
  return hb_units_r_sun / hb_units_pc / stars->units.length;
}

static void set_radii(const struct hb_sim_stars *stars, struct hb_particles *p)
{
  double *radius = hb_particles_radius(p), t = p->t * stars->units.time;
  for (size_t i = 0; radius && i < p->n; i++) {
    const struct born *s = born_of(stars, p->id[i]);
    if (!s) continue;
    struct now now = stars->rows ? by_table(stars, s, t, t) : by_fit(s, t);
    if (now.radius > 0) radius[i] = now.radius * radius_unit(stars);
  }
}

/* ---- when lives end ---- */

/* Of a table: rows with a kick, or where more than this part of the mass goes at once; winds are told in smaller parts. */
static const double jump = 0.01;

static int is_jump(const struct hb_sim_stars *stars, const struct table_row *row)
{
  const struct table_row *before = row > stars->rows ? row - 1 : row;
  if (row->kick > 0) return 1;
  if (before != row && before->id == row->id) return fabs(row->m - before->m) > jump * before->m;
  const struct born *s = born_of(stars, row->id);
  return s && fabs(row->m - s->zams) > jump * s->zams;
}

/* Of a time in Myr: in N-body units, which in Myr again is not before it. */
static double not_before(const struct hb_sim_stars *stars, double end)
{
  double t = end / stars->units.time;
  while (t * stars->units.time < end) t = nextafter(t, INFINITY);
  return t;
}

static enum hb_status list_ends(struct hb_sim_stars *stars, double from)
{
  HB_TRY(HB_ALLOC(stars->rows ? stars->n_rows : stars->n, &stars->ends));
  for (size_t k = 0; k < stars->n_rows; k++)
    if (is_jump(stars, stars->rows + k)) stars->ends[stars->n_ends++] = stars->rows[k].t;
  for (size_t k = 0; !stars->rows && k < stars->n; k++)
    stars->ends[stars->n_ends++] = stars->at[k].birth + lifetime_of(stars->at[k].zams);
  qsort(stars->ends, stars->n_ends, sizeof *stars->ends, hb_ascending_doubles);
  for (size_t k = 0; k < stars->n_ends; k++) stars->ends[k] = not_before(stars, stars->ends[k]);
  while (stars->next < stars->n_ends && stars->ends[stars->next] <= from) stars->next++;
  return HB_OK;
}

/* ---- opening and saving ---- */

static double step_of(const struct hb_sim_params *p)
{
  return hb_integrator_named(p->integrator)->has_dt ? p->dt * fmax(1, floor(p->dt_max / p->dt)) : p->dt_max;
}

static enum hb_status take_stars(const struct hb_sim_params *params, struct hb_particles *p,
                                 struct hb_sim_stars *stars)
{
  int are_known;
  HB_TRY(hb_units_get(p, &stars->units, &are_known));
  if (!are_known)
    return hb_fail(HB_ERR_USAGE,
                   "%s: the particles have no units, expected those that say what a mass and a time are",
                   params->evolution ? "evolution" : "stars");
  if (params->evolution) {
    HB_TRY(hb_mem_strdup(params->evolution, &stars->table));
    HB_TRY(read_table(stars->table, &stars->rows, &stars->n_rows));
  }
  const char *note = hb_particles_note(p, note_name);
  HB_TRY(note ? read_note(note, stars) : take_masses(p, stars));
  if (!note) HB_TRY(write_note(stars, p));
  qsort(stars->at, stars->n, sizeof *stars->at, by_identity);
  return HB_OK;
}

static const char looked_section[] = "stars.looked";

static void stars_close(struct hb_sim_stars *stars)
{
  if (!stars) return;
  const struct changes *c = &stars->changes;
  HB_FREE(stars->at, stars->table, stars->rows, stars->ends, stars->told, c->id, c->m, c->v, c->radius,
          stars);
}

/* Takes masses at birth from the note `stars`, or, where there is none, makes it of the masses. Without sections, of a checkpoint, the
 * stars are new, and radii become theirs. *stars, NULL at first, stays so where they do not age, and is the caller's to close after a
 * failure, too; else the table of params is then a copy of its own. Errors: HB_ERR_USAGE (no units), HB_ERR_INPUT (masses, note, table), HB_ERR_IO. */
static enum hb_status stars_open(struct hb_sim_params *params, const struct hb_sections *sections,
                                 struct hb_particles *p, struct hb_sim_stars **stars)
{
  if (params->stars == HB_STARS_NONE && !params->evolution) return HB_OK;
  HB_TRY(HB_ALLOC(1, stars));
  struct hb_sim_stars *s = *stars;
  s->every = step_of(params), s->kick = params->kick, s->seed = params->kick_seed;
  s->looked = p->t;
  HB_TRY(take_stars(params, p, s));
  if (sections) HB_TRY(hb_sections_copy(sections, looked_section, HB_SECTION_DOUBLES, 1, &s->looked));
  HB_TRY(list_ends(s, s->looked));
  if (!sections) set_radii(s, p);
  params->evolution = s->table;
  return HB_OK;
}

/* ---- aging ---- */

/* A mass that is off by this part is set; a radius, by that. Both are small against what the steps make. */
static const double off_mass = 1e-5, off_radius = 0.01;

static int is_off(double is, double was, double by) { return fabs(is - was) > by * fabs(was); }

/* Whether its life ended since stars were looked at. */
static int ends_by(const struct hb_sim_stars *stars, const struct born *s, double t)
{
  double before = stars->looked * stars->units.time;
  if (!stars->rows) {
    double end = s->birth + lifetime_of(s->zams);
    return before < end && end <= t;
  }
  const struct table_row *row = last_row(stars, s->id, t);
  for (; row && row >= stars->rows && row->id == s->id && row->t > before; row--)
    if (is_jump(stars, row)) return 1;
  return 0;
}

static void look_at(const struct hb_sim_stars *stars, const struct born *s, const struct hb_particles *p,
                    const double *radii, size_t i, struct changes *c)
{
  double t = p->t * stars->units.time, before = stars->looked * stars->units.time;
  struct now now = stars->rows ? by_table(stars, s, before, t) : by_fit(s, t);
  double m = now.m / stars->units.mass, radius = now.radius * radius_unit(stars);
  if (radius == 0 && stars->rows) radius = radii[i];
  int is_kicked = now.kick > 0 || explodes_between(stars, s, before, t);
  if (!is_kicked && !is_off(m, p->m[i], off_mass) && !is_off(radius, radii[i], off_radius)) return;
  size_t k = c->n++;
  c->id[k] = p->id[i];
  c->m[k] = m;
  c->radius[k] = radius;
  memcpy(c->v + 3 * k, p->v + 3 * i, 3 * sizeof(double));
  add_kick(stars, s, &now, before, t, c->v + 3 * k);
}

static int are_all_due(const struct hb_sim_stars *stars, double t)
{
  double count = t / stars->every;
  return fabs(count - nearbyint(count)) <= 1e-9;
}

static int has_end(const struct hb_sim_stars *stars, double t)
{
  return stars->next < stars->n_ends && stars->ends[stars->next] <= t;
}

/* What becomes of these particles by p->t; *change is valid until the next call. Errors: HB_ERR_INTERNAL. */
static enum hb_status stars_change(struct hb_sim_stars *stars, struct hb_particles *p,
                                   struct hb_change *change)
{
  struct changes *c = &stars->changes;
  const double *radii = hb_particles_radius(p);
  int of_all = are_all_due(stars, p->t);
  if (!radii) return hb_fail(HB_ERR_INTERNAL, "out of memory for radii");
  c->n = 0;
  HB_TRY(HB_RENEW(p->n, &c->room, HB_ARRAY(1, &c->id), HB_ARRAY(1, &c->m), HB_ARRAY(1, &c->radius),
                  HB_ARRAY(3, &c->v)));
  for (size_t i = 0; i < p->n; i++) {
    const struct born *s = born_of(stars, p->id[i]);
    if (s && (of_all || ends_by(stars, s, p->t * stars->units.time))) look_at(stars, s, p, radii, i, c);
  }
  *change = (struct hb_change){.n = c->n, .id = c->id, .m = c->m, .v = c->v, .radius = c->radius};
  return HB_OK;
}

/* ---- what has become of them ---- */

static struct hb_sim_star told_of(const struct hb_sim_stars *stars, const struct born *s, double t)
{
  struct hb_sim_star star = {.id = s->id, .m_birth = s->zams, .t_birth = s->birth};
  if (stars->rows) {
    struct now now = by_table(stars, s, s->birth, t);
    star.m = now.m, star.radius = now.radius, star.kick = now.kick;
    return star;
  }
  struct star now = star_at(s->zams, t - s->birth);
  double v[3] = {0};
  add_kick(stars, s, &(struct now){.m = now.m}, -INFINITY, t, v);
  star.type = now.type, star.m = now.m, star.radius = now.radius;
  star.kick = hb_norm(v) * hb_units_velocity(&stars->units);
  return star;
}

/* ---- params: what they mean, what they need ---------------------------------------------------------- */

double hb_sim_default_dt_min(double eps) { return eps == 0 ? 0x1p-40 : 0x1p-26; }

/* The params' own softening, or that of the particles, which then say it. */
static enum hb_status settle_eps(struct hb_force_params *force, struct hb_particles *initial)
{
  double noted;
  if (force->eps == 0 && !(force->flags & HB_FORCE_UNSOFTENED)) {
    HB_TRY(hb_particles_eps(initial, &noted));
    if (!isnan(noted)) force->eps = noted;
  }
  return hb_softening_note(initial, force->eps);
}

enum hb_first_step hb_sim_default_first_step(const struct hb_sim_params *params,
                                             const struct hb_particles *initial)
{
  const struct hb_integrator_info *integrator =
      params->integrator ? hb_integrator_named(params->integrator) : NULL;
  if (integrator && integrator->has_dt) return HB_FIRST_STEP_EQ2;
  if (params->force.eps == 0 || params->neighbors > 0) return HB_FIRST_STEP_EQ9;
  double m = 0; /* of the stars: nobody feels test particles */
  for (size_t i = 0; i < initial->n; i++) {
    if (m > 0 && initial->m[i] > 0 && initial->m[i] != m) return HB_FIRST_STEP_EQ9;
    m = fmax(m, initial->m[i]);
  }
  return HB_FIRST_STEP_EQ2;
}

/* ---- what particles say of the simulation that they were made for ---- */

/* The note's number where there is none; else that is what the particles say from now on, if they say one. */
static enum hb_status settle_note(struct hb_particles *p, const char *name, double *value)
{
  HB_TEXT_IN_C;
  const char *note = hb_particles_note(p, name);
  double noted;
  char text[32];
  if (!note) return HB_OK;
  int is_number = hb_text_number(note, &noted) == HB_OK && noted > 0;
  if (*value == 0 && !is_number)
    return hb_fail(HB_ERR_INPUT, "the particles' note %s is '%s', expected a number > 0", name, note);
  if (*value == 0) *value = noted;
  if (is_number && *value == noted) return HB_OK;
  snprintf(text, sizeof text, "%.17g", *value);
  return hb_particles_set_note(p, name, text);
}

static enum hb_status take_notes(struct hb_sim_params *params, struct hb_particles *initial)
{
  const struct hb_integrator_ops *integrator;
  HB_TRY(hb_integrator_find(params->integrator, &integrator));
  if (!integrator->info.has_dt) return HB_OK;
  HB_TRY(settle_note(initial, "dt", &params->dt));
  return settle_note(initial, "damping", &params->damping);
}

/* ---- collisions, escapers, groups ---- */

static const char *lacks_for_companions(const struct hb_sim_params *p)
{
  const struct hb_integrator_ops *integrator;
  if (hb_integrator_find(p->integrator, &integrator) != HB_OK || !(integrator->offers & HB_OFFERS_COMPANIONS))
    return hb_phrase("integrator %s", hb_integrator_offering(HB_OFFERS_COMPANIONS));
  int is_gravity = !p->force.interaction || strcmp(p->force.interaction, "gravity_jerk") == 0;
  return is_gravity && !p->force.custom_interaction ? NULL : "gravity, not another interaction";
}

static const char *lacks_for_bodies(const struct hb_sim_params *p)
{
  struct hb_gl_devices devices;
  const char *lacking = lacks_for_companions(p);
  if (lacking) return lacking;
  if (p->steps != HB_STEPS_BLOCK) return "block steps";
  if (p->predict != HB_PLACE_HOST) return "predict host: particles that stay on a device cannot leave it";
  if (hb_gl_devices_named(p->force.device, &devices) == HB_OK && devices.count > 0) return "a single device";
  return hb_ranks_count() > 1 ? "a single process" : NULL;
}

/* Whether a simulation can have these collisions and escapers. Errors: HB_ERR_USAGE. */
static enum hb_status sim_check_bodies(const struct hb_sim_params *p)
{
  if (p->escape_radius > 0 && p->escapers == HB_ESCAPERS_NONE)
    return hb_fail(HB_ERR_USAGE, "an escape radius without escapers (expected escapers list or remove)");
  int has_approaches = p->approach_distance > 0 || p->approach_radii > 0;
  if (p->collisions == HB_COLLISIONS_NONE && p->escapers == HB_ESCAPERS_NONE && !has_approaches) return HB_OK;
  const char *what = lacks_for_bodies(p), *who = p->collisions ? "collisions"
                                                 : p->escapers ? "escapers"
                                                               : "approaches";
  return what ? hb_fail(HB_ERR_USAGE, "%s need %s", who, what) : HB_OK;
}

/* What groups need and these params lack; NULL: nothing. */
static const char *lacks_for_groups(const struct hb_sim_params *p)
{
  const char *lacking = lacks_for_companions(p);
  if (lacking) return lacking;
  if (p->force.eps != 0) return "eps 0: softened binaries are not regularized";
  if (p->steps != HB_STEPS_BLOCK) return "block steps";
  return p->correct == HB_PLACE_HOST ? NULL : "correct host, where the forces near groups are corrected";
}

enum hb_encounters hb_sim_default_encounters(const struct hb_sim_params *params)
{
  /* shaders of one's own may compute another force than Newton's, which is what groups know */
  return lacks_for_groups(params) || hb_gl_shader_folder() ? HB_ENCOUNTERS_NONE : HB_ENCOUNTERS_GROUPS;
}

static enum hb_status settle_encounters(struct hb_sim_params *p)
{
  if (p->encounters == HB_ENCOUNTERS_AUTO) p->encounters = hb_sim_default_encounters(p);
  const char *lacking = p->encounters == HB_ENCOUNTERS_GROUPS ? lacks_for_groups(p) : NULL;
  return lacking ? hb_fail(HB_ERR_USAGE, "encounters groups needs %s", lacking) : HB_OK;
}

/* ---- near and far forces ---- */

/* The precision of the forces, as they will be opened; "": auto's, ds or double. */
static void name_precision(const struct hb_force_params *force, char name[32])
{
  const struct hb_force_scheme *scheme = force->scheme ? hb_force_scheme_find(force->scheme) : NULL;
  const char *from = force->precision ? force->precision : scheme ? scheme->precisions : "";
  snprintf(name, 32, "%.*s", (int)strcspn(from, " "), from);
}

/* What neighbors need and these params lack; NULL: nothing. */
static const char *lacks_for_neighbors(const struct hb_sim_params *p)
{
  const char *lacking = lacks_for_companions(p);
  if (lacking) return lacking;
  if (p->steps != HB_STEPS_BLOCK) return "block steps";
  if (p->first_step == HB_FIRST_STEP_EQ2) return "first steps by eq. 9: far forces begin with a trial";
  if (p->correct != HB_PLACE_HOST) return "correct host: near forces are the host's";
  if ((p->predict == HB_PLACE_GPU) != (p->transfer == HB_TRANSFER_BLOCK))
    return "transfer block where a device predicts: it gets those that have stepped since the last full "
           "block";
  char precision[32];
  name_precision(&p->force, precision);
  /* where a strong near pull is taken from the pulls of all, its rounding stays: places of 24 bits leave too much */
  if (*precision && hb_force_position_bits(precision) < hb_force_position_bits("ds"))
    return hb_phrase("precision ds, reproducible or double, not %s", precision);
  return NULL;
}

static size_t count_massive(const struct hb_particles *p)
{
  size_t count = 0;
  for (size_t i = 0; i < p->n; i++) count += p->m[i] > 0;
  return count;
}

/* The same of the particles. Lists may not hold all others: nothing would be far. */
static const char *lacks_in_particles(const struct hb_sim_params *p, const struct hb_particles *initial)
{
  return (size_t)p->neighbors < count_massive(initial) ? NULL : "more particles than a list has";
}

/* In less than double, what a far force was rounded by stays for a far step: some 1e-9 of the energy in a unit of time, which whoever asks for
 * less does not want. */
static int asks_for_more(const struct hb_sim_params *p)
{
  static const double least = 0.005;
  char precision[32];
  name_precision(&p->force, precision);
  return p->eta < least &&
         hb_force_position_bits(*precision ? precision : "ds") < hb_force_position_bits("double");
}

int hb_sim_default_neighbors(const struct hb_sim_params *params, const struct hb_particles *initial)
{
  enum { USUAL = 64, FROM = 1000 };
  const struct hb_force_scheme *scheme =
      params->force.scheme ? hb_force_scheme_find(params->force.scheme) : NULL;
  if (params->predict != HB_PLACE_HOST || count_massive(initial) < FROM || asks_for_more(params) ||
      lacks_for_neighbors(params) || lacks_in_particles(params, initial))
    return HB_NEIGHBORS_NONE;
  /* schemes of 2004 and 2007 are asked for as they were; for shaders of one's own, see hb_sim_default_encounters */
  return (scheme && scheme->is_historic) || hb_gl_shaders_differ(NULL) ? HB_NEIGHBORS_NONE : USUAL;
}

/* What eta_far = 0 means with neighbors. */
static double sim_eta_far(const struct hb_sim_params *params) { return 0.75 * params->eta; }

/* Whether it can have these neighbors, whatever its particles. Errors: HB_ERR_USAGE. */
static enum hb_status sim_check_neighbors(const struct hb_sim_params *p)
{
  if (p->light_speed > 0 && p->encounters != HB_ENCOUNTERS_GROUPS)
    return hb_fail(HB_ERR_USAGE, "post-Newtonian terms (light_speed) need encounters groups, so eps 0");
  if (p->eta_far > 0 && p->neighbors == HB_NEIGHBORS_NONE)
    return hb_fail(HB_ERR_USAGE, "an eta_far without neighbors (expected neighbors auto, or how many)");
  const char *lacking = p->neighbors > 0 ? lacks_for_neighbors(p) : NULL;
  return lacking ? hb_fail(HB_ERR_USAGE, "neighbors need %s", lacking) : HB_OK;
}

/* And the first step, which depends on them. From here on 0 neighbors are none. */
static enum hb_status settle_neighbors(struct hb_sim_params *p, const struct hb_particles *initial)
{
  HB_TRY(sim_check_neighbors(p));
  const char *lacking = p->neighbors > 0 ? lacks_in_particles(p, initial) : NULL;
  if (lacking) return hb_fail(HB_ERR_USAGE, "%d neighbors need %s", p->neighbors, lacking);
  if (p->neighbors == HB_NEIGHBORS_AUTO) p->neighbors = hb_sim_default_neighbors(p, initial);
  if (p->neighbors == HB_NEIGHBORS_NONE) p->neighbors = 0;
  p->eta_far = p->neighbors ? hb_default_real(p->eta_far, sim_eta_far(p)) : 0;
  if (p->first_step == HB_FIRST_STEP_AUTO) p->first_step = hb_sim_default_first_step(p, initial);
  return HB_OK;
}

/* ---- another interaction than gravity ---- */

/* Whether integrator and diagnostics can do with what the interaction gives. Errors: HB_ERR_USAGE. */
static enum hb_status sim_check_interaction(const struct hb_sim *sim, const struct hb_sim_params *params)
{
  const struct hb_interaction *interaction = hb_force_interaction(sim->force);
  if (!(sim->integrator->offers & HB_OFFERS_NO_JERKS) && !hb_interaction_has_jerk(interaction))
    return hb_fail(HB_ERR_USAGE,
                   "interaction %s gives no jerk (jx, jy, jz), which integrator %s needs; %s does not",
                   interaction->name, sim->integrator->info.name, hb_integrator_offering(HB_OFFERS_NO_JERKS));
  if (params->exact_energy == HB_EXACT_ENERGY_YES && interaction != HB_INTERACTION_GRAVITY)
    return hb_fail(HB_ERR_USAGE,
                   "exact energies are those of gravity: interaction %s has only its own potential",
                   interaction->name);
  return HB_OK;
}

/* ---- what ends a simulation before its time ---- */

const char *const hb_stop_at_names[] = {"none", "collision", "pair", "escape", NULL};

static void complete_stop(struct hb_sim_params *p)
{
  if (p->stop_at == HB_STOP_AT_COLLISION && p->collisions == HB_COLLISIONS_NONE)
    p->collisions = HB_COLLISIONS_STOP;
  if (p->stop_at == HB_STOP_AT_ESCAPE && p->escapers == HB_ESCAPERS_NONE) p->escapers = HB_ESCAPERS_LIST;
}

static unsigned awaited(const struct hb_sim_params *p)
{
  static const unsigned kinds[] = {[HB_STOP_AT_NONE] = 0,
                                   [HB_STOP_AT_COLLISION] = 1U << HB_EVENT_COLLISION,
                                   [HB_STOP_AT_PAIR] = 1U << HB_EVENT_FORMED | 1U << HB_EVENT_ENCOUNTER,
                                   [HB_STOP_AT_ESCAPE] = 1U << HB_EVENT_ESCAPE};
  return kinds[p->stop_at] | (p->collisions == HB_COLLISIONS_STOP ? 1U << HB_EVENT_COLLISION : 0);
}

const struct hb_event *hb_sim_stopped(const struct hb_sim *sim)
{
  unsigned kinds = awaited(&sim->params);
  size_t count, k = 0;
  const struct hb_event *events = hb_sim_events(sim, &count);
  if (!kinds) return NULL;
  while (k < count && !(kinds & 1U << events[k].kind)) k++;
  return k < count ? events + k : NULL;
}

/* ---- binaries from one look to the next: which have formed, hardened, exchanged a star or broken ---- */

/* Half of the 40 % that a hard binary gains on average in an encounter [Heggie 1975]. */
static const double told_again = 1.2;

static const uint32_t nobody = UINT32_MAX;

struct look {
  const struct hb_particles *p;
  double eps2;
  struct hb_events *events;
  struct hb_binary *pairs; /* [hard] */
  size_t hard;
  uint32_t *pair_of; /* [n] the hard pair that a particle is in, or nobody */
  uint8_t *is_known; /* [hard] */
};

static uint32_t place_of(const struct hb_particles *p, uint64_t id, uint32_t hint)
{
  if (hint < p->n && p->id[hint] == id) return hint;
  for (uint32_t i = 0; i < p->n; i++)
    if (p->id[i] == id) return i;
  return nobody;
}

static enum hb_status tell_of(const struct look *l, enum hb_event_kind kind,
                              const struct hb_watched_binary *b, const struct hb_orbit *orbit,
                              const uint64_t *third)
{
  struct hb_event event = hb_event_of(kind, l->p->t, b->id[0], b->id[1], orbit);
  if (third) event.id[event.n++] = *third;
  return hb_events_add(l->events, &event);
}

static enum hb_status add_binary(struct hb_binary_watch *watch, const struct look *l, size_t pair,
                                 enum hb_event_kind kind, const uint64_t *third)
{
  const struct hb_binary *b = l->pairs + pair;
  uint32_t i = b->i, j = b->j;
  if (l->p->id[j] < l->p->id[i]) i = b->j, j = b->i;
  l->is_known[pair] = 1;
  HB_TRY(HB_GROW(watch->count, &watch->capacity, &watch->known));
  struct hb_watched_binary *known = watch->known + watch->count++;
  *known = (struct hb_watched_binary){{l->p->id[i], l->p->id[j]}, b->orbit.E, {i, j}};
  return tell_of(l, kind, known, &b->orbit, third);
}

/* Whether it stays in the list; if it is *replaced, by the pair of one of its stars with another. */
static enum hb_status follow_binary(struct hb_watched_binary *b, const struct look *l, int *stays,
                                    uint32_t *replaced)
{
  const struct hb_orbit gone = {NAN, NAN, NAN, NAN};
  uint32_t pair[2] = {nobody, nobody};
  *replaced = nobody;
  *stays = 0;
  for (size_t s = 0; s < 2; s++) {
    b->at[s] = place_of(l->p, b->id[s], b->at[s]);
    if (b->at[s] != nobody) pair[s] = l->pair_of[b->at[s]];
  }
  if (b->at[0] == nobody || b->at[1] == nobody) return tell_of(l, HB_EVENT_BROKEN, b, &gone, NULL);
  const struct hb_orbit now = hb_orbit_of_pair(l->p->m, l->p->x, l->p->v, l->eps2, b->at[0], b->at[1]);
  if (pair[0] == nobody && pair[1] == nobody) { /* it has become soft, or a third star is nearer */
    *stays = now.E < 0;
    return *stays ? HB_OK : tell_of(l, HB_EVENT_BROKEN, b, &now, NULL);
  }
  if (pair[0] != pair[1]) {
    *replaced = pair[0] != nobody ? pair[0] : pair[1];
    return HB_OK;
  }
  *stays = 1;
  l->is_known[pair[0]] = 1;
  if (!(now.E < told_again * b->E)) return HB_OK;
  b->E = now.E;
  return tell_of(l, HB_EVENT_HARDENED, b, &now, NULL);
}

/* Where both of its stars have found others, or the pair was known already, the binary is broken. */
static enum hb_status replace_binary(struct hb_binary_watch *watch, const struct hb_watched_binary *b,
                                     const struct look *l, uint32_t pair)
{
  const struct hb_binary *new = l->pairs + pair;
  int both = l->pair_of[b->at[0]] != nobody && l->pair_of[b->at[1]] != nobody;
  if (both || l->is_known[pair]) {
    const struct hb_orbit now = hb_orbit_of_pair(l->p->m, l->p->x, l->p->v, l->eps2, b->at[0], b->at[1]);
    return tell_of(l, HB_EVENT_BROKEN, b, &now, NULL);
  }
  uint64_t left = b->id[b->at[0] == new->i || b->at[0] == new->j];
  return add_binary(watch, l, pair, HB_EVENT_EXCHANGED, &left);
}

/* Known binaries in their order, then new ones, the tightest first. */
static enum hb_status compare_binaries(struct hb_binary_watch *watch, const struct look *l,
                                       enum hb_event_kind kind)
{
  size_t kept = 0, before = watch->count;
  HB_OWN struct {
    struct hb_watched_binary old;
    uint32_t pair;
  } *left = NULL;
  size_t count = 0, capacity = 0;
  for (size_t k = 0; k < before; k++) {
    struct hb_watched_binary b = watch->known[k];
    int stays;
    uint32_t replaced;
    HB_TRY(follow_binary(&b, l, &stays, &replaced));
    if (stays) watch->known[kept++] = b;
    if (replaced == nobody) continue;
    HB_TRY(HB_GROW(count, &capacity, &left));
    left[count].old = b, left[count++].pair = replaced;
  }
  watch->count = kept;
  for (size_t k = 0; k < count; k++) HB_TRY(replace_binary(watch, &left[k].old, l, left[k].pair));
  for (size_t k = 0; k < l->hard; k++)
    if (!l->is_known[k]) HB_TRY(add_binary(watch, l, k, kind, NULL));
  return HB_OK;
}

static enum hb_status look_for_binaries(struct hb_binary_watch *watch, struct look *l,
                                        enum hb_event_kind kind)
{
  double hard_above;
  HB_TRY(HB_ALLOC(l->p->n, &l->pair_of));
  HB_TRY(hb_kdtree_nearest_of_all(l->p->n, l->p->x, l->pair_of));
  HB_TRY(hb_binaries_list(l->p, l->eps2, l->pair_of, NAN, &l->pairs, &l->hard, &hard_above));
  HB_TRY(HB_ALLOC(l->hard, &l->is_known));
  memset(l->pair_of, 0xff, l->p->n * sizeof *l->pair_of);
  for (size_t k = 0; k < l->hard; k++) l->pair_of[l->pairs[k].i] = l->pair_of[l->pairs[k].j] = (uint32_t)k;
  return compare_binaries(watch, l, kind);
}

/* Looks at the particles and adds to events what has become of the binaries; a new one is told as `kind`. Particles are known
 * by their identities: between two looks they may move in their arrays, be added or removed. O(N log N). Errors:
 * HB_ERR_INTERNAL. */
static enum hb_status watch_look(struct hb_binary_watch *watch, const struct hb_particles *particles,
                                 double eps2, enum hb_event_kind kind, struct hb_events *events)
{
  HB_OWN_PARTICLES struct hb_particles *stars =
      NULL; /* a test particle nearer than the companion must not hide it */
  HB_TRY(hb_particles_copy_massive(particles, &stars));
  struct look l = {.p = stars ? stars : particles, .eps2 = eps2, .events = events};
  enum hb_status status = look_for_binaries(watch, &l, kind);
  HB_FREE(l.pairs, l.pair_of, l.is_known);
  return status;
}

static void watch_clear(struct hb_binary_watch *watch)
{
  hb_mem_free(watch->known);
  *watch = (struct hb_binary_watch){0};
}

static const struct hb_numbers_row watch_rows[] = {
    /* identities may occur twice, places do not */
    HB_NUMBER("watch.E", HB_NUMBER_DOUBLE, struct hb_watched_binary, E, 1),
    HB_NUMBER("watch.id", HB_NUMBER_WORD, struct hb_watched_binary, id, 1),
    HB_NUMBER("watch.at", HB_NUMBER_INDEX, struct hb_watched_binary, at, 1),
};
static const struct hb_numbers of_watch = HB_NUMBERS(watch_rows, struct hb_watched_binary);

/* Sections "watch.*" of a checkpoint, and back: all that the next look depends on. Errors: HB_ERR_INPUT,
 * HB_ERR_INTERNAL. */
static enum hb_status watch_put(const struct hb_binary_watch *watch, struct hb_sections *sections)
{
  return hb_numbers_put(&of_watch, watch->count, watch->known, sections);
}

static enum hb_status watch_get(const struct hb_sections *sections, struct hb_binary_watch *watch)
{
  size_t count = hb_numbers_records(&of_watch, sections);
  HB_TRY(HB_ALLOC(count, &watch->known));
  watch->count = watch->capacity = count;
  HB_TRY(hb_numbers_get(&of_watch, sections, count, watch->known));
  for (size_t k = 0; k < count; k++)
    if (!(watch->known[k].E < 0))
      return hb_fail(HB_ERR_INPUT, "section 'watch.E' has %g, expected an energy below 0", watch->known[k].E);
  return HB_OK;
}

/* ---- what happens in it ---- */

static const unsigned of_binaries = 1U << HB_EVENT_INITIAL | 1U << HB_EVENT_FORMED | 1U << HB_EVENT_HARDENED |
                                    1U << HB_EVENT_EXCHANGED | 1U << HB_EVENT_BROKEN;

static void close_view(struct hb_state_view *view)
{
  if (!view->own) return;
  HB_FREE(view->a, view->j, view->phi, view->index);
  hb_particles_destroy(view->own);
}
#define OWN_VIEW __attribute__((cleanup(close_view)))

static enum hb_status check_time(double t)
{
  return isfinite(t) ? HB_OK : hb_fail(HB_ERR_USAGE, "the time is %g, expected finite", t);
}

static enum hb_status copy_view(const struct hb_integrator_ops *integrator, const void *state, double t,
                                struct hb_state_view *view)
{
  HB_TRY(integrator->particles(state, t, &view->own));
  view->at = *view->own;
  size_t n = view->at.n;
  HB_TRY(HB_ALLOC(3 * n, &view->a));
  HB_TRY(HB_ALLOC(3 * n, &view->j));
  HB_TRY(HB_ALLOC(n, &view->phi));
  HB_TRY(HB_ALLOC(n, &view->index));
  for (size_t i = 0; i < n; i++) view->index[i] = (uint32_t)i;
  return HB_OK;
}

/* In the integrator's frame, until its next step; and in the given coordinates. */
static enum hb_status open_view(const struct hb_sim *sim, double t, struct hb_state_view *view)
{
  HB_TRY(check_time(t));
  if (sim->integrator->view) return sim->integrator->view(sim->state, t, view);
  return copy_view(sim->integrator, sim->state, t, view);
}
static enum hb_status view_of(struct hb_sim *sim, double t, struct hb_state_view *view)
{
  HB_TRY(open_view(sim, t, view));
  hb_frame_leave(&sim->frame, &view->at);
  return HB_OK;
}

static enum hb_status look(struct hb_sim *sim, enum hb_event_kind kind)
{
  OWN_VIEW struct hb_state_view view = {.own = NULL};
  HB_TRY(open_view(sim, hb_sim_time(sim), &view));
  return watch_look(&sim->binaries, &view.at, sim->eps2, kind, &sim->events);
}

static void follow(struct hb_sim *sim)
{
  if (sim->integrator->report) sim->integrator->report(sim->state, &sim->events);
}

enum hb_status hb_sim_watch(struct hb_sim *sim, unsigned kinds)
{
  HB_GL_VISIT;
  int is_anew = kinds >> HB_EVENT_INITIAL & 1;
  int begins = is_anew || ((kinds & of_binaries) && !(sim->events.kinds & of_binaries));
  if (begins && hb_force_interaction(sim->force) != HB_INTERACTION_GRAVITY)
    return hb_fail(HB_ERR_USAGE, "binaries are found by gravity, and this interaction is not gravity");
  if (is_anew) watch_clear(&sim->binaries);
  sim->events.kinds |= kinds;
  follow(sim);
  return begins ? look(sim, HB_EVENT_INITIAL) : HB_OK;
}

const struct hb_event *hb_sim_events(const struct hb_sim *sim, size_t *count)
{
  *count = sim->events.count;
  return sim->events.at;
}

static enum hb_status look_if_due(struct hb_sim *sim, double t)
{
  double every = 2 * sim->params.dt_max; /* from 1024 stars on less than 2 % of the time of the steps */
  return floor(hb_sim_time(sim) / every) == floor(t / every) ? HB_OK : look(sim, HB_EVENT_FORMED);
}

/* ---- its frame ---- */

/* That of the center of mass: its position at time t on a coarse grid, its velocity on a fine one. */
static void frame_find(size_t n, const double *m, const double *x, const double *v, double t,
                       struct hb_frame *frame)
{
  hb_frame_origin(n, m, x, HB_FRAME_COARSE, frame->x);
  hb_frame_origin(n, m, v, HB_FRAME_FINE, frame->v);
  frame->t = t;
}

/* The origin of the frame at time t. */
static void frame_at(const struct hb_frame *f, double t, double x[3])
{
  for (int k = 0; k < 3; k++) x[k] = f->x[k] + f->v[k] * (t - f->t);
}

static const struct hb_numbers_row frame_rows[] = {
    HB_NUMBER("frame.x", HB_NUMBER_DOUBLE, struct hb_frame, x, 0),
    HB_NUMBER("frame.v", HB_NUMBER_DOUBLE, struct hb_frame, v, 0),
    HB_NUMBER("frame.t", HB_NUMBER_DOUBLE, struct hb_frame, t, 0),
};
/* Without them all is 0. */
static const struct hb_numbers of_frame = HB_NUMBERS(frame_rows, struct hb_frame);

/* ---- its settings ---- */

static int is_real(const struct hb_setting *option)
{
  return option->kind >= HB_SETTING_NUMBER && option->kind <= HB_SETTING_POWER;
}

/* 0 becomes the default where that is none of the possible values. */
static void complete_settings(void *params)
{
  const struct hb_setting *option;
  for (size_t k = 0; (option = hb_setting_at(hb_sim_settings, k)); k++) {
    double *field = (void *)((char *)params + option->at);
    int needs = option->kind == HB_SETTING_POSITIVE || option->kind == HB_SETTING_POWER;
    if (needs && option->fallback && *field == 0) (void)hb_setting_read(option, option->fallback, field);
  }
}

/* 0 is what has no default, or a default that is found elsewhere. */
static enum hb_status check_real(const struct hb_setting *option, const char *name, double value)
{
  int exponent, may_be_0 = option->kind == HB_SETTING_NOT_NEGATIVE;
  if (value == 0 && (may_be_0 || !option->fallback)) return HB_OK;
  if (!isfinite(value) || (value <= 0 && option->kind != HB_SETTING_NUMBER))
    return hb_fail(HB_ERR_USAGE, "%s is %g, expected finite and %s 0", name, value, may_be_0 ? ">=" : ">");
  if (option->kind == HB_SETTING_POWER && !(isnormal(value) && frexp(value, &exponent) == 0.5))
    return hb_fail(HB_ERR_USAGE, "%s is %g, expected a power of two like 0.125", name, value);
  if (option->most > 0 && value > option->most)
    return hb_fail(HB_ERR_USAGE, "%s is %g, expected at most %g", name, value, option->most);
  return HB_OK;
}

static unsigned last_choice(const struct hb_setting *option)
{
  unsigned k = 0;
  while (hb_words_at(option->words, k + 1)) k++;
  return k;
}

static enum hb_status check_field(const struct hb_setting *option, const void *field)
{
  char name[HB_SETTING_NAME], all[HB_WORDS_LENGTH];
  hb_setting_param(option, name);
  if (is_real(option)) return check_real(option, name, *(const double *)field);
  if (option->kind != HB_SETTING_CHOICE && option->kind != HB_SETTING_AUTO_COUNT) return HB_OK;
  const int value = *(const int *)field;
  if (option->kind == HB_SETTING_CHOICE)
    return (unsigned)value <= last_choice(option)
               ? HB_OK
               : hb_fail(HB_ERR_USAGE, "%s is %d, expected 0 to %u (%s)", name, value, last_choice(option),
                         hb_words_join(option->words, all));
  return value == 0 || value == -1 || (value >= option->least && value <= option->most)
             ? HB_OK
             : hb_fail(HB_ERR_USAGE, "%s is %d, expected 0 (auto), -1 (none) or %g to %g", name, value,
                       option->least, option->most);
}

/* Whether what a program or a file has set is possible; 0 is where nothing takes its place above. Errors: HB_ERR_USAGE naming the
 * field. */
static enum hb_status check_settings(const void *params)
{
  const struct hb_setting *option;
  for (size_t k = 0; (option = hb_setting_at(hb_sim_settings, k)); k++)
    HB_TRY(check_field(option, (const char *)params + option->at));
  return HB_OK;
}

static struct hb_numbers_row row_of(const struct hb_setting *option, char section[2 * HB_SETTING_NAME])
{
  char name[HB_SETTING_NAME];
  int is_text = option->kind == HB_SETTING_TEXT || option->kind == HB_SETTING_WORD;
  snprintf(section, 2 * HB_SETTING_NAME, "sim.%s", hb_setting_param(option, name));
  return (struct hb_numbers_row){.name = section,
                                 .kind = is_real(option)                    ? HB_NUMBER_DOUBLE
                                         : is_text                          ? HB_NUMBER_TEXT
                                         : option->kind == HB_SETTING_WHOLE ? HB_NUMBER_WORD
                                                                            : HB_NUMBER_CHOICE,
                                 .offset = option->at,
                                 .size = option->size,
                                 .must = option->life == HB_SETTING_SAVED,
                                 .most = option->kind == HB_SETTING_CHOICE ? last_choice(option)
                                                                           : (unsigned)option->most};
}

/* To sections sim.NAME, and back into params that are {0}; texts stay the sections'. Errors: HB_ERR_INPUT naming the section,
 * HB_ERR_INTERNAL. */
static enum hb_status put_settings(const void *params, struct hb_sections *sections)
{
  const struct hb_setting *option;
  char section[2 * HB_SETTING_NAME];
  for (size_t k = 0; (option = hb_setting_at(hb_sim_settings, k)); k++) {
    const struct hb_numbers_row row = row_of(option, section);
    if (option->life == HB_SETTING_PASSING || (option->is_idle && option->is_idle(params))) continue;
    HB_TRY(hb_numbers_put(&(const struct hb_numbers){1, &row, 0}, 1, params, sections));
  }
  return HB_OK;
}

static enum hb_status get_settings(const struct hb_sections *sections, void *params)
{
  const struct hb_setting *option;
  char section[2 * HB_SETTING_NAME];
  for (size_t k = 0; (option = hb_setting_at(hb_sim_settings, k)); k++) {
    const struct hb_numbers_row row = row_of(option, section);
    void *field = (char *)params + option->at;
    if (option->life == HB_SETTING_PASSING) continue;
    if (row.kind == HB_NUMBER_DOUBLE) *(double *)field = option->before;
    if (row.kind == HB_NUMBER_CHOICE) *(int *)field = (int)option->before;
    HB_TRY(hb_numbers_get(&(const struct hb_numbers){1, &row, 0}, sections, 1, params));
    if (check_field(option, field) != HB_OK) return hb_fail_in(HB_ERR_INPUT, section);
  }
  return HB_OK;
}

/* ---- its life ---------------------------------------------------------------------------------------- */

static enum hb_status complete(struct hb_sim_params *params, struct hb_particles *initial)
{
  HB_TRY(settle_eps(&params->force, initial));
  HB_TRY(take_notes(params, initial));
  complete_settings(params);
  params->dt_min = hb_default_real(params->dt_min, hb_sim_default_dt_min(params->force.eps));
  params->damping = hb_default_real(params->damping, 1);
  return check_settings(params);
}

/* A simulation with an integrator, but without forces and state. params are complete. Errors: HB_ERR_USAGE (integrator),
 * HB_ERR_INTERNAL. */
static enum hb_status sim_open(const struct hb_sim_params *params, struct hb_sim **sim)
{
  *sim = NULL;
  const struct hb_integrator_ops *integrator;
  HB_TRY(hb_integrator_find(params->integrator, &integrator));
  HB_OWN_SIM struct hb_sim *s = NULL;
  HB_TRY(HB_ALLOC(1, &s));
  s->integrator = integrator;
  s->eps2 = params->force.eps * params->force.eps;
  if (params->force.device) HB_TRY(hb_mem_strdup(params->force.device, &s->device));
  s->params = *params;
  s->params.integrator = integrator->info.name;
  s->params.force =
      (struct hb_force_params){.eps = params->force.eps, .flags = params->force.flags, .device = s->device};
  return HB_GIVE(s, sim);
}

enum hb_status hb_sim_create(const struct hb_particles *initial, const struct hb_sim_params *params,
                             struct hb_sim **sim)
{
  HB_GL_VISIT;
  struct hb_particles *copy;
  *sim = NULL;
  if (!initial) return hb_fail(HB_ERR_USAGE, "no particles (NULL), expected those to integrate");
  HB_TRY(hb_particles_copy(initial, &copy));
  return hb_sim_take(copy, params, sim);
}

/* If forces are rounded to less than double, a run is integrated in the system's own frame, found once: steps cost no more,
 * and the device's copies are in it, too. Damping is relative to the given frame, so that the own one must not move then. */
static enum hb_status enter_frame(struct hb_sim *s, struct hb_particles *p)
{
  if (hb_force_rounds(s->force) && !s->field) frame_find(p->n, p->m, p->x, p->v, p->t, &s->frame);
  if (s->params.damping != 1) memset(s->frame.v, 0, sizeof s->frame.v);
  hb_frame_subtract(s->frame.x, p->n, p->x, p->x);
  hb_frame_subtract(s->frame.v, p->n, p->v, p->v);
  return hb_force_check_range(s->force, p->n, p->m, p->x, p->v);
}

/* Opens the force, and the field if there is one. Errors: as hb_force_open; HB_ERR_USAGE (the field; what cannot be combined
 * with one). */
static enum hb_status sim_open_force(struct hb_sim *s, const struct hb_sim_params *params)
{
  enum { ENOUGH_BITS = 40 }; /* of a position: a thousandth of a pc in a galaxy leaves 16 */
  if (params->field) HB_TRY(hb_field_create(params->field, &s->field));
  HB_TRY(hb_force_open(&params->force, &s->force));
  if (!params->field) return HB_OK;
  s->params.field = hb_field_words(s->field);
  const char *precision = hb_force_precision(s->force);
  if (hb_force_rounds(s->force) && hb_force_position_bits(precision) < ENOUGH_BITS)
    return hb_fail(HB_ERR_USAGE,
                   "precision %s has too few digits for orbits in a field (expected ds or double)",
                   precision);
  if (hb_field_turn(s->field) != 0 && !(s->integrator->offers & HB_OFFERS_VELOCITIES))
    return hb_fail(HB_ERR_USAGE, "field '%s' has a force that depends on velocities (expected integrator %s)",
                   params->field, hb_integrator_offering(HB_OFFERS_VELOCITIES));
  hb_force_set_field(s->force, s->field);
  return HB_OK;
}

static enum hb_status take(struct hb_particles *given, const struct hb_sim_params *how, struct hb_sim **sim)
{
  HB_OWN_PARTICLES struct hb_particles *initial = given;
  HB_OWN_SIM struct hb_sim *s = NULL;
  struct hb_sim_params params = *how;
  HB_TRY(hb_particles_check(initial));
  HB_TRY(complete(&params, initial));
  HB_TRY(settle_encounters(&params));
  complete_stop(&params);
  HB_TRY(sim_check_bodies(&params));
  HB_TRY(stars_check(&params));
  HB_TRY(settle_neighbors(&params, initial));
  HB_TRY(sim_open(&params, &s));
  HB_TRY(sim_open_force(s, &params));
  HB_TRY(sim_check_interaction(s, &params));
  if (hb_force_interaction(s->force) == HB_INTERACTION_GRAVITY)
    s->exact_energy = hb_energy_is_exact(params.exact_energy, hb_particles_massive(initial));
  HB_TRY(stars_open(&s->params, NULL, initial, &s->stars));
  HB_TRY(enter_frame(s, initial));
  struct hb_particles *taken = initial;
  initial = NULL;
  HB_TRY(s->integrator->create(taken, &params, s->force, &s->state));
  if (awaited(&s->params)) HB_TRY(hb_sim_watch(s, awaited(&s->params)));
  sim_judge_from_here(s);
  return HB_GIVE(s, sim);
}

enum hb_status hb_sim_take(struct hb_particles *initial, const struct hb_sim_params *given,
                           struct hb_sim **sim)
{
  HB_GL_VISIT;
  *sim = NULL;
  if (initial && given) return take(initial, given, sim);
  hb_particles_destroy(initial);
  return hb_fail(HB_ERR_USAGE, "no %s (NULL); all parameters 0 are the defaults",
                 initial ? "parameters" : "particles");
}

/* hb_sim_step_trouble judges the steps from now on. The state must exist. */
static void sim_judge_from_here(struct hb_sim *sim)
{
  hb_sim_counts(sim, &sim->judged);
  sim->n_steps_usual =
      fmax(hb_model_rounded(sim->params.rounding) * hb_model_n_steps((double)sim->judged.n, sim->params.eta),
           1 / sim->params.dt_max);
  sim->t_judged = sim->integrator->time(sim->state);
}

void hb_sim_destroy(struct hb_sim *sim)
{
  HB_GL_VISIT;
  if (!sim) return;
  sim->integrator->destroy(sim->state);
  hb_force_close(sim->force);
  hb_field_destroy(sim->field);
  hb_mem_free(sim->events.at);
  watch_clear(&sim->binaries);
  hb_mem_free(sim->bound);
  stars_close(sim->stars);
  hb_mem_free(sim->device);
  for (int k = 0; k < HB_SIM_LENT; k++) hb_mem_free(sim->lent[k]);
  hb_mem_free(sim);
}

double hb_sim_time(const struct hb_sim *sim) { return sim->integrator->time(sim->state); }

/* Of a star whose life ends before the next block step; INFINITY: none does. */
static double next_end(const struct hb_sim *sim)
{
  const struct hb_sim_stars *stars = sim->stars;
  if (!stars || stars->next == stars->n_ends || !sim->integrator->boundary) return INFINITY;
  double end = sim->integrator->boundary(sim->state, stars->ends[stars->next]);
  return end < sim->integrator->next_time(sim->state) ? end : INFINITY;
}

double hb_sim_next_time(const struct hb_sim *sim)
{
  return fmin(next_end(sim), sim->integrator->next_time(sim->state));
}

const struct hb_force *hb_sim_force(const struct hb_sim *sim) { return sim->force; }
const struct hb_sim_params *hb_sim_taken(const struct hb_sim *sim) { return &sim->params; }

void hb_sim_counts(const struct hb_sim *sim, struct hb_sim_counts *counts)
{
  sim->integrator->counts(sim->state, counts);
  counts->sent_bytes = hb_force_sent_bytes(sim->force);
}

/* m x v id of struct hb_particles. Of struct hb_hermite4: a j lost xp vp a1 j1, phi1, block level1 criterion; of struct hb_blocks: next
 * level marks marked_words; the stamps of struct hb_force. Diagnostics use the integrator's arrays, see
 * step/integrator.h. */
static const double PARTICLES = 8 * sizeof(double);
static const double INTEGRATOR = (7 * 3 + 1) * sizeof(double) + (4 + 1 + 1) + (4 + 1 + 1. / 8 + 1. / 512) + 4;
/* To find the binaries of a row: nearest, and index x axis of the k-d tree. */
static const double BINARIES = sizeof(uint32_t) + sizeof(uint32_t) + 3 * sizeof(double) + 1;

enum hb_status hb_force_memory(const struct hb_force_params *params, size_t n, struct hb_force_need *need)
{
  const struct hb_force_ops *ops = params->scheme ? hb_force_find(params->scheme) : NULL;
  if (!ops || !params->precision)
    return hb_fail(HB_ERR_USAGE, "hb_force_memory needs a scheme and a precision");
  struct hb_force_need result = {.host_particle = PARTICLES + INTEGRATOR + BINARIES};
  ops->memory(params, &result);
  enum hb_precision precision = hb_precision_find(params->precision);
  result.host_rank = hb_force_ranks_memory(precision);
  if (hb_force_is_reproducible(params->precision)) result.host_particle += HB_RESCALE_PARTICLE;
  if (ops->resident && precision < HB_PRECISION_COUNT)
    result.device_kept = ops->resident->memory(HB_INTERACTION_GRAVITY, precision);
  result.device = (double)n * (result.device_source + result.device_sink) + result.device_fixed;
  result.host = (double)n * result.host_particle + result.host_fixed;
  *need = result;
  return HB_OK;
}

/* ---- changes: identities become the integrator's numbers, values those in its frame; what cannot be done is refused before anything
 * has changed ---- */

/* Particles by ascending identity. */
struct directory {
  const struct hb_particles *p;
  uint32_t *order;
};

static uint32_t slot_of(const struct directory *d, uint64_t id)
{
  size_t low = 0, high = d->p->n;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (d->p->id[d->order[middle]] < id)
      low = middle + 1;
    else
      high = middle;
  }
  return low < d->p->n && d->p->id[d->order[low]] == id ? d->order[low] : UINT32_MAX;
}

/* Of few identities a look at all costs less than to sort them. */
static uint32_t look_for(const struct hb_particles *p, uint64_t id)
{
  uint32_t i = 0;
  while (i < p->n && p->id[i] != id) i++;
  return i < p->n ? i : UINT32_MAX;
}

static uint32_t slot_named(const struct directory *d, uint64_t id)
{
  return d->order ? slot_of(d, id) : look_for(d->p, id);
}

static enum hb_status find_all(const struct directory *d, size_t n, const uint64_t *id, uint8_t *is_named,
                               uint32_t *slot)
{
  for (size_t k = 0; k < n; k++) {
    slot[k] = slot_named(d, id[k]);
    if (slot[k] == UINT32_MAX)
      return hb_fail(HB_ERR_USAGE, "the change names particle %" PRIu64 ", which does not exist", id[k]);
    if (is_named[slot[k]])
      return hb_fail(HB_ERR_USAGE, "the change names particle %" PRIu64 " twice, expected once", id[k]);
    is_named[slot[k]] = 1;
  }
  return HB_OK;
}

static enum hb_status check_new(const struct directory *d, const struct hb_particles *added)
{
  HB_OWN uint32_t *order = NULL;
  size_t twice;
  for (size_t k = 0; k < added->n; k++)
    if (slot_named(d, added->id[k]) != UINT32_MAX)
      return hb_fail(HB_ERR_USAGE, "the change adds particle %" PRIu64 ", which exists already",
                     added->id[k]);
  HB_TRY(HB_ALLOC(added->n, &order));
  HB_TRY(hb_identity_sort(added->n, added->id, order, &twice));
  return twice == added->n
             ? HB_OK
             : hb_fail(HB_ERR_USAGE, "the change adds particle %" PRIu64 " twice, expected once",
                       added->id[order[twice]]);
}

static enum hb_status check_values(const struct hb_change *c, const char *what, const double *q, size_t per,
                                   double least)
{
  for (size_t k = 0; q && k < per * c->n; k++)
    if (!(isfinite(q[k]) && fabs(q[k]) <= HB_SECTIONS_MOST && q[k] >= least))
      return hb_fail(HB_ERR_INPUT, "the change has the %s %g for particle %" PRIu64 ", expected finite%s",
                     what, q[k], c->id[k / per], least == 0 ? " and at least 0" : "");
  return HB_OK;
}

static enum hb_status check_all_values(const struct hb_change *c)
{
  HB_TRY(check_values(c, "mass", c->m, 1, 0));
  HB_TRY(check_values(c, "radius", c->radius, 1, 0));
  HB_TRY(check_values(c, "position", c->x, 3, -INFINITY));
  HB_TRY(check_values(c, "velocity", c->v, 3, -INFINITY));
  return c->added ? hb_particles_check(c->added) : HB_OK;
}

static enum hb_status check_changing(const struct hb_sim *sim, const struct hb_change *c)
{
  if (c->n && !c->id)
    return hb_fail(HB_ERR_USAGE, "the change has no identities (NULL) of %zu particles", c->n);
  if (c->n_removed && !c->removed)
    return hb_fail(HB_ERR_USAGE, "the change has no identities (NULL) of %zu removed particles",
                   c->n_removed);
  if (hb_force_interaction(sim->force) != HB_INTERACTION_GRAVITY)
    return hb_fail(HB_ERR_USAGE, "particles are changed by gravity, and this interaction is not gravity");
  return HB_OK;
}

struct prepared {
  struct hb_state_change by;
  struct directory directory;
  uint8_t *is_named;
  uint32_t *slot, *removed;
  double *x, *v;
  struct hb_particles *added;
};

/* Into the frame of the integrator. */
static enum hb_status take_places(const struct hb_sim *sim, const struct hb_change *c, struct prepared *p)
{
  double origin[3];
  frame_at(&sim->frame, hb_sim_time(sim), origin);
  if (c->x) HB_TRY(HB_ALLOC(3 * c->n, &p->x));
  if (c->v) HB_TRY(HB_ALLOC(3 * c->n, &p->v));
  if (c->x) hb_frame_subtract(origin, c->n, c->x, p->x);
  if (c->v) hb_frame_subtract(sim->frame.v, c->n, c->v, p->v);
  if (!c->added) return HB_OK;
  HB_TRY(hb_particles_copy(c->added, &p->added));
  hb_frame_subtract(origin, p->added->n, p->added->x, p->added->x);
  hb_frame_subtract(sim->frame.v, p->added->n, p->added->v, p->added->v);
  return hb_force_check_range(sim->force, p->added->n, p->added->m, p->added->x, p->added->v);
}

static enum hb_status prepare_change(const struct hb_sim *sim, const struct hb_change *c, struct prepared *p)
{
  enum { FEW = 8 };
  size_t named = c->n + c->n_removed + (c->added ? c->added->n : 0), twice;
  const struct hb_particles *all = sim->integrator->bodies(sim->state);
  p->directory.p = all;
  HB_TRY(check_changing(sim, c));
  if (named > FEW) {
    HB_TRY(HB_ALLOC(all->n, &p->directory.order));
    HB_TRY(hb_identity_sort(all->n, all->id, p->directory.order, &twice));
  }
  HB_TRY(HB_ALLOC(all->n, &p->is_named));
  HB_TRY(HB_ALLOC(c->n, &p->slot));
  HB_TRY(HB_ALLOC(c->n_removed, &p->removed));
  HB_TRY(find_all(&p->directory, c->n, c->id, p->is_named, p->slot));
  HB_TRY(find_all(&p->directory, c->n_removed, c->removed, p->is_named, p->removed));
  if (c->added) HB_TRY(check_new(&p->directory, c->added));
  HB_TRY(check_all_values(c));
  if (c->n_removed == all->n && !c->added)
    return hb_fail(HB_ERR_USAGE, "the change removes all %zu particles, expected one to be left", all->n);
  HB_TRY(take_places(sim, c, p));
  p->by = (struct hb_state_change){.n = c->n,
                                   .slot = p->slot,
                                   .m = c->m,
                                   .radius = c->radius,
                                   .x = p->x,
                                   .v = p->v,
                                   .n_removed = c->n_removed,
                                   .removed = p->removed,
                                   .added = p->added};
  return HB_OK;
}

enum hb_status hb_sim_change(struct hb_sim *sim, const struct hb_change *change)
{
  HB_GL_VISIT;
  struct prepared p = {.slot = NULL};
  if (!change) return hb_fail(HB_ERR_USAGE, "no change (NULL)");
  enum hb_status status = prepare_change(sim, change, &p);
  if (status == HB_OK && change->n + change->n_removed + hb_change_added(&p.by) > 0)
    status = sim->integrator->change(sim->state, &p.by);
  HB_FREE(p.directory.order, p.is_named, p.slot, p.removed, p.x, p.v);
  hb_particles_destroy(p.added);
  return status;
}

/* ---- stars that age ---- */

static enum hb_status age(struct hb_sim *sim)
{
  HB_OWN_PARTICLES struct hb_particles *p = NULL;
  struct hb_change change = {0};
  double t = hb_sim_time(sim);
  if (!has_end(sim->stars, t) && !are_all_due(sim->stars, t)) return HB_OK;
  HB_TRY(hb_sim_state(sim, t, &p));
  HB_TRY(stars_change(sim->stars, p, &change));
  if (change.n > 0) HB_TRY(hb_sim_change(sim, &change));
  sim->stars->looked = t;
  while (has_end(sim->stars, t)) sim->stars->next++;
  return HB_OK;
}

enum hb_status hb_sim_stars(struct hb_sim *sim, size_t *count, const struct hb_sim_star **told)
{
  HB_GL_VISIT;
  struct hb_sim_stars *stars = sim->stars;
  *count = 0, *told = NULL;
  if (!stars) return HB_OK;
  if (!stars->told) HB_TRY(HB_ALLOC(stars->n, &stars->told));
  for (size_t k = 0; k < stars->n; k++)
    stars->told[k] = told_of(stars, stars->at + k, stars->looked * stars->units.time);
  *count = stars->n, *told = stars->told;
  return HB_OK;
}

/* ---- steps ---- */

static void count_block(uint64_t ni, uint64_t blocks[HB_BLOCK_SIZES])
{
  if (ni) blocks[63 - __builtin_clzll(ni)]++;
}

/* Sorts the events of a step by time: they are found in several passes, each in its own order. */
static void sort_events(struct hb_events *events)
{
  for (size_t k = 1; k < events->count; k++)
    for (size_t j = k; j > 0 && events->at[j].t < events->at[j - 1].t; j--) {
      const struct hb_event later = events->at[j - 1];
      events->at[j - 1] = events->at[j], events->at[j] = later;
    }
}

/* The block size is the number of particles that the step advanced. Where a life ends before the step does, it is only that. */
enum hb_status hb_sim_step(struct hb_sim *sim)
{
  HB_GL_VISIT;
  struct hb_step_size size;
  int is_watched = (sim->events.kinds & of_binaries) != 0;
  double t = is_watched ? hb_sim_time(sim) : 0, end = sim->stars ? next_end(sim) : INFINITY;
  sim->events.count = 0;
  if (end < INFINITY) {
    sim->integrator->wait(sim->state, end);
    return age(sim);
  }
  enum hb_status status = sim->integrator->step(sim->state, &size);
  if (status != HB_OK) sim->events.count = 0; /* what was told is not so */
  HB_TRY(status);
  sort_events(&sim->events);
  count_block(size.particles, sim->blocks);
  count_block(size.far, sim->full_blocks);
  if (is_watched) HB_TRY(look_if_due(sim, t));
  return sim->stars ? age(sim) : HB_OK;
}

enum hb_status hb_sim_integrate(struct hb_sim *sim, double t)
{
  HB_TRY(check_time(t));
  sim->events.count = 0; /* those of a step before this call do not stop it */
  for (int stop = 0; !stop && !hb_sim_stopped(sim) && hb_sim_next_time(sim) <= t;) {
    HB_TRY(hb_sim_step(sim));
    if (sim->between.call) sim->between.call(sim->between.context, sim, &stop);
  }
  return HB_OK;
}

void hb_sim_call(struct hb_sim *sim, const struct hb_between *between)
{
  sim->between = between ? *between : (struct hb_between){NULL, NULL};
}

void hb_sim_block_sizes(const struct hb_sim *sim, uint64_t blocks[HB_BLOCK_SIZES])
{
  memcpy(blocks, sim->blocks, sizeof sim->blocks);
}

void hb_sim_full_block_sizes(const struct hb_sim *sim, uint64_t blocks[HB_BLOCK_SIZES])
{
  memcpy(blocks, sim->full_blocks, sizeof sim->full_blocks);
}

int hb_sim_step_trouble(struct hb_sim *sim, struct hb_step_trouble *trouble)
{
  static const uint64_t enough = 1000;
  static const double many_noisy = 0.25, some_noisy = 1.0 / 16, too_many_steps = 1.5;
  struct hb_sim_counts now, *then = &sim->judged;
  *trouble = (struct hb_step_trouble){0};
  hb_sim_counts(sim, &now);
  if (now.block_steps - then->block_steps < enough) return 0;
  double t = sim->integrator->time(sim->state);
  trouble->noisy =
      (double)(now.noisy_steps - then->noisy_steps) / (double)(now.particle_steps - then->particle_steps);
  trouble->n_steps = (double)(now.block_steps - then->block_steps) / (t - sim->t_judged);
  trouble->n_steps_usual = sim->n_steps_usual;
  trouble->at_dt_min = now.at_dt_min;
  sim->t_judged = t;
  sim->judged = now;
  /* A hard binary needs many steps, and one in fourteen of them looks noisy in exact arithmetic, too: noisy steps alone must be many beside
   * the usual number. */
  double ratio = trouble->n_steps / trouble->n_steps_usual;
  int collapsed = now.at_dt_min > 0 || (ratio > too_many_steps && trouble->noisy * ratio > many_noisy);
  if (!hb_force_rounds(sim->force)) collapsed = 0;
  return trouble->noisy > many_noisy || (trouble->noisy > some_noisy && collapsed);
}

enum hb_status hb_sim_state(const struct hb_sim *sim, double t, struct hb_particles **particles)
{
  HB_GL_VISIT;
  HB_TRY(check_time(t));
  HB_TRY(sim->integrator->particles(sim->state, t, particles));
  hb_frame_leave(&sim->frame, *particles);
  return HB_OK;
}

/* ---- energies ---------------------------------------------------------------------------------------- */

const char *const hb_exact_energy_names[] = {"auto", "yes", "no", NULL};

/* The source's forces on all particles, into the view's a, j, phi. Their cost is not counted in the phases. */
static enum hb_status sim_forces(struct hb_state_view *view, struct hb_force *force)
{
  const struct hb_particles *p = &view->at;
  struct hb_phases before = *hb_force_phases(force);
  enum hb_status status =
      hb_force_of(force, &(struct hb_force_job){.sources = {p->n, p->m, p->x, p->v},
                                                .sinks = {.n = p->n, .index = view->index},
                                                .to = {view->a, view->j, view->phi}});
  *hb_force_phases(force) = before;
  return status;
}

/* In double the potentials of such a scheme are those of hb_gravity_potential, bit for bit: one sum is enough. */
static int is_by_host(const struct hb_force *force)
{
  return hb_force_scheme(force)->is_exact && hb_force_facts(force)->is_double;
}

/* Of the stars' potentials in double, whatever the source's are. work[n]. */
static enum hb_status sum_potential(const struct hb_particles *p, double eps2, double *work, double *e_pot)
{
  /* the only sum over pairs that ranks do not share out */
  if (hb_ranks_number() == 0) hb_gravity_potential_once(p->n, p->m, p->x, eps2, work);
  *e_pot = hb_potential_energy(p, work);
  return hb_ranks_share(e_pot, sizeof *e_pot);
}

/* The rest, in the given coordinates. work[2 * n]. */
static void add_rest(struct hb_particles *p, const struct hb_binary *pairs, const struct hb_state_view *view,
                     const struct hb_field *field, double e_pot_gpu, struct hb_diagnostics *d)
{
  double center[3], velocity[3], half = 0.5;
  hb_center_of_mass(p, center, velocity);
  hb_kinetic_energy_in(p, velocity, &d->e_kin, &d->e_bulk);
  hb_lagrangian_radii(p, center, 1, &half, view->a, &d->r_half);
  d->e_pot += view->e_rounded;
  d->e_gpu = d->e_kin + e_pot_gpu + view->e_rounded;
  d->e_total = d->e_kin + d->e_pot;
  if (field) hb_energy_add_field(p, field, d);
  hb_energy_split(p, pairs, view->e_rounded, field, view->a, d);
}

/* What the stars have: test particles, which are not among p, have no energies. */
static enum hb_status add_stars(struct hb_particles *p, const struct hb_sim *sim,
                                const struct hb_state_view *view, struct hb_diagnostics *d)
{
  HB_OWN struct hb_binary *pairs = NULL;
  double e_pot_gpu = d->e_pot;
  d->binaries = (struct hb_binaries){.a_hardest = NAN, .hard_above = NAN};
  if (d->exact_energy && !is_by_host(sim->force)) HB_TRY(sum_potential(p, sim->eps2, view->a, &d->e_pot));
  if (hb_force_interaction(sim->force) == HB_INTERACTION_GRAVITY)
    HB_TRY(hb_energy_find_binaries(p, sim->eps2, d->e_pot, &pairs, &d->binaries));
  hb_frame_leave(&sim->frame, p);
  add_rest(p, pairs, view, sim->field, e_pot_gpu, d);
  return HB_OK;
}

static enum hb_status diagnose_view(struct hb_state_view *view, const struct hb_sim *sim,
                                    struct hb_diagnostics *diagnostics)
{
  struct hb_diagnostics d = {
      .t = view->at.t, .e_jacobi = NAN, .exact_energy = sim->exact_energy || is_by_host(sim->force)};
  HB_OWN_PARTICLES struct hb_particles *stars = NULL;
  HB_TRY(sim_forces(view, sim->force));
  d.e_pot = hb_potential_energy(&view->at, view->phi);
  HB_TRY(hb_particles_copy_massive(&view->at, &stars));
  HB_TRY(add_stars(stars ? stars : &view->at, sim, view, &d));
  *diagnostics = d;
  return HB_OK;
}

enum hb_status hb_sim_diagnose(struct hb_sim *sim, double t, struct hb_diagnostics *diagnostics)
{
  HB_GL_VISIT;
  OWN_VIEW struct hb_state_view view = {.own = NULL};
  struct hb_sim_counts counts;
  HB_TRY(open_view(sim, t, &view));
  HB_TRY(diagnose_view(&view, sim, diagnostics));
  hb_sim_counts(sim, &counts);
  diagnostics->e_lost = counts.e_lost, diagnostics->e_changed = counts.e_changed;
  return HB_OK;
}

enum hb_status hb_sim_structure(struct hb_sim *sim, double t, struct hb_structure *structure)
{
  HB_GL_VISIT;
  OWN_VIEW struct hb_state_view view = {.own = NULL};
  HB_TRY(view_of(sim, t, &view));
  HB_TRY(hb_structure_of(&view.at, sim->eps2, structure));
  if (hb_force_interaction(sim->force) != HB_INTERACTION_GRAVITY)
    structure->binaries = (struct hb_binaries){.energy = NAN, .a_hardest = NAN, .hard_above = NAN};
  return HB_OK;
}

/* ---- sections of a checkpoint -------------------------------------------------------------------- */

/* Sections: a name, words and a number. */
static const char name_section[] = "sim.interaction", words_section[] = "sim.parameters",
                  hash_section[] = "sim.interaction_hash";

/* Another interaction's name or file, parameters, and a hash of its code; the first two into force, as pointers into the
 * sections; and whether the code is that of the checkpoint, which older ones do not say. */
static enum hb_status sim_put_interaction(const struct hb_sim *sim, struct hb_sections *sections)
{
  const struct hb_interaction *interaction = hb_force_interaction(sim->force);
  const char *words = hb_force_parameters(sim->force);
  if (interaction == HB_INTERACTION_GRAVITY) return HB_OK;
  const char *name = interaction->text ? interaction->file : interaction->name;
  HB_TRY(hb_sections_put_text(sections, name_section, name));
  if (words) HB_TRY(hb_sections_put_text(sections, words_section, words));
  return hb_sections_put(sections, hash_section, HB_SECTION_WORDS, 1, &interaction->hash);
}

static enum hb_status sim_same_interaction(const struct hb_sections *sections, const struct hb_force *force)
{
  const struct hb_interaction *interaction = hb_force_interaction(force);
  uint64_t hash;
  if (!hb_sections_find(sections, hash_section)) return HB_OK;
  HB_TRY(hb_sections_copy(sections, hash_section, HB_SECTION_WORDS, 1, &hash));
  if (hash == interaction->hash) return HB_OK;
  return hb_fail(HB_ERR_INPUT, "the code of interaction %s has changed since the checkpoint was written",
                 interaction->text ? interaction->file : interaction->name);
}

/* What is watched. */
static enum hb_status sim_put_watch(const struct hb_sim *sim, struct hb_sections *sections)
{
  const uint64_t kinds = sim->events.kinds;
  if (!kinds) return HB_OK;
  HB_TRY(hb_sections_put_copy(sections, "watch.kinds", HB_SECTION_WORDS, 1, &kinds));
  return watch_put(&sim->binaries, sections);
}

static enum hb_status sim_get_watch(const struct hb_sections *sections, struct hb_sim *sim)
{
  uint64_t kinds;
  if (!hb_sections_find(sections, "watch.kinds")) return HB_OK;
  HB_TRY(hb_sections_copy(sections, "watch.kinds", HB_SECTION_WORDS, 1, &kinds));
  if (kinds >> HB_EVENT_KINDS)
    return hb_fail(HB_ERR_INPUT, "section 'watch.kinds' has %llu, expected less than 2^%d",
                   (unsigned long long)kinds, HB_EVENT_KINDS);
  sim->events.kinds = (unsigned)kinds;
  follow(sim);
  return watch_get(sections, &sim->binaries);
}

/* ---- saving and resuming -------------------------------------------------------------------------------- */

struct hb_checkpoint {
  char *path; /* for sentences */
  struct hb_sections sections;
};

static const unsigned shaping_flags = HB_FORCE_CG2007_RECT | HB_FORCE_NO_TUNE;

/* What is saved beside the rows of sim_settings.c, as it was taken. */
struct saved {
  unsigned flags, exact_energy;
};
static const struct hb_numbers_row saved_rows[] = {
    HB_NUMBER_OF("sim.exact_energy", struct saved, exact_energy, 1),
    HB_NUMBER_OF("sim.flags", struct saved, flags, UINT_MAX),
};
#define OF_INFO(field) HB_NUMBER("sim." #field, HB_NUMBER_TEXT, struct hb_checkpoint_info, field, 1)
static const struct hb_numbers_row info_rows[] = {OF_INFO(version), OF_INFO(scheme),  OF_INFO(precision),
                                                  OF_INFO(tuning),  OF_INFO(context), OF_INFO(device)};
#define OF_PHASES(field) HB_NUMBER("sim." #field, HB_NUMBER_DOUBLE, struct hb_phases, field, 0)
static const struct hb_numbers_row phases_rows[] = {
    OF_PHASES(predict_s), OF_PHASES(send_s), OF_PHASES(force_s), OF_PHASES(receive_s),
    OF_PHASES(correct_s), OF_PHASES(near_s), OF_PHASES(lists_s), OF_PHASES(groups_s)};
static const struct hb_numbers_row sim_rows[] = {
    HB_NUMBER("sim.blocks", HB_NUMBER_WORD, struct hb_sim, blocks, 0),
};
static const struct hb_numbers_row full_rows[] = {
    /* with neighbors */
    HB_NUMBER("sim.full_blocks", HB_NUMBER_WORD, struct hb_sim, full_blocks, 0),
};
static const struct hb_numbers of_saved = HB_NUMBERS(saved_rows, struct saved),
                               of_info = HB_NUMBERS(info_rows, struct hb_checkpoint_info),
                               of_phases = HB_NUMBERS(phases_rows, struct hb_phases),
                               of_sim = HB_NUMBERS(sim_rows, struct hb_sim),
                               of_full = HB_NUMBERS(full_rows, struct hb_sim);

static double *seconds_of(const struct hb_phases *phases, size_t k)
{
  void *at = (char *)phases + phases_rows[k].offset;
  return at;
}

void hb_sim_phases(const struct hb_sim *sim, struct hb_phases *phases)
{
  const struct hb_phases *force = hb_force_phases(sim->force);
  sim->integrator->phases(sim->state, phases);
  for (size_t k = 0; k < of_phases.count; k++)
    *seconds_of(phases, k) += *seconds_of(force, k) + *seconds_of(&sim->before, k);
}

/* ---- saving ---- */

static enum hb_status put_all(const struct hb_sim *sim, const void *own, size_t own_bytes,
                              struct hb_sections *sections)
{
  const struct saved saved = {.flags = sim->params.force.flags & shaping_flags,
                              .exact_energy = sim->exact_energy != 0};
  const struct hb_checkpoint_info info = {.version = hb_library_version(),
                                          .scheme = hb_force_scheme(sim->force)->name,
                                          .precision = hb_force_precision(sim->force),
                                          .tuning = hb_force_tuning(sim->force),
                                          .context = hb_force_context(sim->force),
                                          .device = hb_force_device(sim->force)};
  struct hb_phases now;
  hb_sim_phases(sim, &now);
  HB_TRY(hb_numbers_put(&of_info, 1, &info, sections));
  HB_TRY(hb_sections_put_text(sections, "sim.chosen_device", sim->device ? sim->device : ""));
  HB_TRY(sim_put_interaction(sim, sections));
  HB_TRY(put_settings(&sim->params, sections));
  HB_TRY(hb_numbers_put(&of_saved, 1, &saved, sections));
  HB_TRY(hb_numbers_put(&of_phases, 1, &now, sections));
  HB_TRY(hb_numbers_put(&of_sim, 1, sim, sections));
  if (sim->params.neighbors > 0) HB_TRY(hb_numbers_put(&of_full, 1, sim, sections));
  HB_TRY(hb_numbers_put(&of_frame, 1, &sim->frame, sections));
  HB_TRY(hb_sections_put(sections, "own", HB_SECTION_BYTES, own_bytes, own));
  HB_TRY(sim_put_watch(sim, sections));
  if (sim->stars)
    HB_TRY(hb_sections_put(sections, looked_section, HB_SECTION_DOUBLES, 1, &sim->stars->looked));
  return sim->integrator->save(sim->state, sections);
}

enum hb_status hb_sim_save(const struct hb_sim *sim, const char *path, const void *own, size_t own_bytes,
                           unsigned flags)
{
  HB_GL_VISIT;
  if (!sim->integrator->save)
    return hb_fail(HB_ERR_USAGE, "integrator %s cannot be saved", sim->integrator->info.name);
  HB_OWN_SECTIONS struct hb_sections sections = {0};
  HB_OWN struct hb_text previous = {0};
  HB_TRY(put_all(sim, own, own_bytes, &sections));
  if (flags & HB_SAVE_KEEP) HB_TRY(hb_text_append(&previous, "%s~", path));
  return hb_checkpoint_write(path, previous.text, &sections);
}

/* ---- resuming ---- */

/* Pointers into the sections. */
static enum hb_status get_info(const struct hb_sections *sections, struct hb_checkpoint_info *info)
{
  return hb_numbers_get(&of_info, sections, 1, info);
}

static const char *or_null(const char *text) { return text && *text ? text : NULL; }

static enum hb_status get_params(const struct hb_sections *sections, struct hb_sim_params *params)
{
  struct saved saved = {0};
  struct hb_sim_params p = {0};
  struct hb_checkpoint_info info;
  const char *device;
  HB_TRY(get_info(sections, &info));
  HB_TRY(get_settings(sections, &p));
  HB_TRY(hb_numbers_get(&of_saved, sections, 1, &saved));
  HB_TRY(hb_sections_text(sections, "sim.chosen_device", &device));
  p.force.scheme = info.scheme, p.force.precision = info.precision;
  p.force.context = strcmp(info.context, "none") == 0 ? NULL : info.context; /* on the host */
  p.force.device = or_null(device), p.force.tuning = or_null(info.tuning);
  p.force.flags = saved.flags & shaping_flags;
  p.encounters = hb_sections_find(sections, "groups.m") ? HB_ENCOUNTERS_GROUPS : HB_ENCOUNTERS_NONE;
  p.exact_energy = saved.exact_energy ? HB_EXACT_ENERGY_YES : HB_EXACT_ENERGY_NO;
  HB_TRY(sim_check_bodies(&p));
  HB_TRY(stars_check(&p));
  HB_TRY(sim_check_neighbors(&p));
  if (p.neighbors > 0) p.eta_far = hb_default_real(p.eta_far, sim_eta_far(&p));
  HB_TRY(hb_sections_text(sections, name_section, &p.force.interaction));
  HB_TRY(hb_sections_text(sections, words_section, &p.force.parameters));
  *params = p;
  return HB_OK;
}

enum hb_status hb_checkpoint_open(const char *path, struct hb_checkpoint **checkpoint)
{
  *checkpoint = NULL;
  struct hb_checkpoint *c;
  HB_TRY(HB_ALLOC(1, &c));
  enum hb_status status = hb_mem_strdup(path, &c->path);
  if (status == HB_OK) status = hb_checkpoint_read(path, &c->sections);
  if (status == HB_OK) status = sim_read_older(&c->sections);
  if (status == HB_OK) {
    struct hb_sim_params params;
    status = get_params(&c->sections, &params);
    if (status == HB_ERR_USAGE) status = HB_ERR_INPUT; /* the file's */
    if (status == HB_OK && !hb_sections_find(&c->sections, "own"))
      status = hb_fail(HB_ERR_INPUT, "section 'own' is missing");
    if (status != HB_OK) status = hb_fail_in(status, path);
  }
  return HB_MADE(status, c, hb_checkpoint_close, checkpoint);
}

void hb_checkpoint_close(struct hb_checkpoint *checkpoint)
{
  if (!checkpoint) return;
  hb_sections_clear(&checkpoint->sections);
  HB_FREE(checkpoint->path, checkpoint);
}

void hb_checkpoint_info(const struct hb_checkpoint *checkpoint, struct hb_checkpoint_info *info)
{
  get_info(&checkpoint->sections, info); /* hb_checkpoint_open has checked them */
  info->path = checkpoint->path;
}

const void *hb_checkpoint_own(const struct hb_checkpoint *checkpoint, size_t *own_bytes)
{
  const struct hb_section *own = hb_sections_find(&checkpoint->sections, "own");
  *own_bytes = own->count * hb_section_width(own->type);
  return own->data;
}

enum hb_status hb_checkpoint_units(const struct hb_checkpoint *checkpoint, struct hb_units *units,
                                   int *are_known)
{
  HB_OWN_PARTICLES struct hb_particles *particles = NULL;
  HB_TRY(hb_particles_get(&checkpoint->sections, &particles));
  return hb_units_get(particles, units, are_known);
}

/* The same forces in the place that the caller chose. */
static void move(const struct hb_force_params *place, struct hb_force_params *force)
{
  if (place->context) force->context = place->context;
  if (place->device) force->device = place->device;
  if (place->custom_interaction) {
    force->custom_interaction = place->custom_interaction;
    force->interaction = NULL;
  }
  force->max_draw_s = place->max_draw_s;
  force->flags |= place->flags & ~shaping_flags;
}

/* Counters that continue. */
static enum hb_status get_counters(const struct hb_sections *sections, struct hb_sim *sim)
{
  HB_TRY(hb_numbers_get(&of_sim, sections, 1, sim));
  HB_TRY(hb_numbers_get(&of_full, sections, 1, sim));
  HB_TRY(hb_numbers_get(&of_phases, sections, 1, &sim->before));
  double seconds = INFINITY;
  for (size_t k = 0; k < of_phases.count; k++) seconds = fmin(seconds, *seconds_of(&sim->before, k));
  sim->exact_energy = sim->params.exact_energy == HB_EXACT_ENERGY_YES;
  return seconds >= 0 ? HB_OK
                      : hb_fail(HB_ERR_INPUT, "sections 'sim.*_s' have %g, expected seconds", seconds);
}

/* Snapshots may hold such numbers, but a run cannot do with them. */
static enum hb_status check_sizes(const struct hb_sections *sections)
{
  static const char *const names[] = {"m", "x", "v", "radius"};
  for (size_t s = 0; s < sizeof names / sizeof *names; s++) {
    const struct hb_section *section = hb_sections_find(sections, names[s]);
    if (!section || section->type != HB_SECTION_DOUBLES) continue;
    const double *q = section->data;
    for (size_t k = 0; k < section->count; k++)
      if (fabs(q[k]) > HB_SECTIONS_MOST)
        return hb_fail(HB_ERR_INPUT, "section '%s' has %g at %zu, expected finite and at most %g", names[s],
                       q[k], k, HB_SECTIONS_MOST);
  }
  return HB_OK;
}

/* What nobody has asked for shapes the run in a way that this version cannot. */
static enum hb_status check_known(const struct hb_sections *sections)
{
  const struct hb_section *unknown = sections->at, *end = unknown + sections->count;
  while (unknown < end && unknown->was_found) unknown++;
  struct hb_checkpoint_info info;
  HB_TRY(get_info(sections, &info));
  return unknown < end
             ? hb_fail(HB_ERR_INPUT,
                       "section '%s' is not known to holmberg %s; the file was written by holmberg %s",
                       unknown->name, hb_library_version(), info.version)
             : HB_OK;
}

static enum hb_status resume(const struct hb_sections *sections, const struct hb_force_params *place,
                             struct hb_sim **sim)
{
  struct hb_sim_params params;
  HB_TRY(check_sizes(sections));
  HB_TRY(get_params(sections, &params));
  if (place) move(place, &params.force);
  HB_OWN_SIM struct hb_sim *s = NULL;
  HB_TRY(sim_open(&params, &s));
  HB_TRY(sim_open_force(s, &params));
  HB_TRY(sim_same_interaction(sections, s->force));
  HB_TRY(sim_check_interaction(s, &params));
  if (!s->integrator->resume)
    return hb_fail(HB_ERR_USAGE, "integrator %s cannot be resumed", s->integrator->info.name);
  HB_TRY(s->integrator->resume(sections, &params, s->force, &s->state));
  HB_TRY(hb_numbers_get(&of_frame, sections, 1, &s->frame));
  HB_TRY(stars_open(&s->params, sections,
                    (struct hb_particles *)s->integrator->bodies(s->state), /* with the note */
                    &s->stars));
  HB_TRY(get_counters(sections, s));
  HB_TRY(sim_get_watch(sections, s));
  HB_TRY(check_known(sections));
  sim_judge_from_here(s);
  return HB_GIVE(s, sim);
}

/* Invalid params are the file's fault, unless the caller chose the place. */
enum hb_status hb_sim_resume(const struct hb_checkpoint *checkpoint, const struct hb_force_params *place,
                             struct hb_sim **sim)
{
  HB_GL_VISIT;
  *sim = NULL;
  enum hb_status status = resume(&checkpoint->sections, place, sim);
  int is_placed = place && (place->context || place->device);
  if (status == HB_ERR_USAGE && !is_placed) status = HB_ERR_INPUT;
  int is_of_file = status == HB_ERR_INPUT || status == HB_ERR_USAGE || status == HB_ERR_GL;
  return is_of_file ? hb_fail_in(status, checkpoint->path) : status;
}

/* ---- looking at it: textures on the device, quantities to color by, a step at a time -------------------- */

struct hb_gl_context *hb_sim_device_context(const struct hb_sim *sim)
{
  struct hb_device_particles particles;
  return hb_force_on_device(sim->force, &particles);
}

void hb_sim_on_device(const struct hb_sim *sim, struct hb_device_particles *particles)
{
  struct hb_sim_counts counts;
  hb_sim_counts(sim, &counts);
  *particles = (struct hb_device_particles){0};
  if (counts.block_steps == 0) return;
  hb_force_on_device(sim->force, particles);
  if (particles->n == 0) *particles = (struct hb_device_particles){0}; /* resumed: nothing has been sent */
  particles->t = sim->integrator->time(sim->state);
  frame_at(&sim->frame, particles->t, particles->origin);
  memcpy(particles->drift, sim->frame.v, sizeof particles->drift);
}

enum hb_status hb_device_use(const struct hb_sim *sim)
{
  struct hb_gl_context *context = hb_sim_device_context(sim);
  return context ? hb_gl_context_take(context)
                 : hb_fail(HB_ERR_USAGE, "scheme %s keeps no particles on a device",
                           hb_force_scheme(sim->force)->name);
}

static double stars_of(const struct hb_hierarchy *h, uint32_t part)
{
  return part < h->n ? 1 : (double)h->at[part - h->n].stars;
}

static void set_stars(const struct hb_hierarchy *h, uint32_t part, double count, double *stars)
{
  if (part < h->n) {
    stars[part] = count;
    return;
  }
  for (int s = 0; s < 2; s++) set_stars(h, h->at[part - h->n].part[s], count, stars);
}

/* stars[n]: of the largest system that each particle is part of; 1: of none. */
static void hierarchy_stars(const struct hb_hierarchy *h, double *stars)
{
  for (size_t i = 0; i < h->n; i++) stars[i] = 1; /* also of test particles */
  for (size_t i = 0; i < h->systems->n; i++) set_stars(h, h->part[i], stars_of(h, h->part[i]), stars);
}

#define OWN_HIERARCHY __attribute__((cleanup(hb_hierarchy_clear)))

static enum hb_status count_bound(const struct hb_particles *p, double eps2, double *value)
{
  OWN_HIERARCHY struct hb_hierarchy hierarchy = {.n = 0};
  HB_TRY(hb_hierarchy_find(p, eps2, &hierarchy));
  hierarchy_stars(&hierarchy, value);
  return HB_OK;
}

enum hb_status hb_sim_quantity(struct hb_sim *sim, enum hb_quantity quantity, double *value)
{
  HB_GL_VISIT;
  if ((unsigned)quantity > HB_QUANTITY_BOUND)
    return hb_fail(HB_ERR_USAGE, "quantity %d of particles, expected 0 to %d", (int)quantity,
                   HB_QUANTITY_BOUND);
  if (quantity == HB_QUANTITY_ACC || quantity == HB_QUANTITY_STEP || quantity == HB_QUANTITY_AGE)
    return sim->integrator->quantity(sim->state, quantity, value);
  OWN_VIEW struct hb_state_view view = {.own = NULL};
  HB_TRY(open_view(sim, hb_sim_time(sim), &view));
  if (quantity == HB_QUANTITY_ENERGY) HB_TRY(sim_forces(&view, sim->force));
  hb_frame_leave(&sim->frame, &view.at);
  for (size_t i = 0; i < view.at.n; i++) {
    const double *v = view.at.v + 3 * i;
    double v2 = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
    value[i] = quantity == HB_QUANTITY_SPEED    ? sqrt(v2)
               : quantity == HB_QUANTITY_ENERGY ? v2 / 2 + view.phi[i]
                                                : view.at.m[i];
  }
  return quantity == HB_QUANTITY_BOUND ? count_bound(&view.at, sim->eps2, value) : HB_OK;
}

int hb_sim_slow(struct hb_sim *sim, struct hb_slow *slow)
{
  if (!sim->integrator->slow) return 0;
  sim->integrator->slow(sim->state, slow);
  return 1;
}

enum hb_status hb_sim_follow(struct hb_sim *sim, struct hb_follow *follow, int *is_due)
{
  HB_GL_VISIT;
  *is_due = 0;
  if (!sim->integrator->follow)
    return hb_fail(HB_ERR_USAGE, "integrator %s has one constant step: no particle is followed by its own",
                   sim->integrator->info.name);
  HB_TRY(sim->integrator->follow(sim->state, follow, is_due));
  if (!*is_due) return HB_OK;
  double origin[3];
  frame_at(&sim->frame, follow->t, origin);
  for (int c = 0; c < 3; c++) follow->x[c] += origin[c], follow->v[c] += sim->frame.v[c];
  return HB_OK;
}

/* ---- who orbits whom, and how the orbits lie in space ---- */

/* What a part is: where, how heavy, and known as whom. */
struct part {
  double m, x[3], v[3], heaviest;
  uint64_t id;
};

static struct part part_of(const struct hb_hierarchy *h, const struct hb_particles *p,
                           const struct part *pairs, uint32_t part)
{
  if (part >= h->n) return pairs[part - h->n];
  struct part star = {.m = p->m[part], .heaviest = p->m[part], .id = p->id[part]};
  memcpy(star.x, p->x + 3 * (size_t)part, sizeof star.x);
  memcpy(star.v, p->v + 3 * (size_t)part, sizeof star.v);
  return star;
}

static struct part pair_of(const struct part *p, const struct part *q)
{
  struct part pair = {.m = p->m + q->m, .heaviest = fmax(p->heaviest, q->heaviest)};
  pair.id = q->heaviest > p->heaviest ? q->id : p->id;
  for (int c = 0; c < 3; c++) {
    pair.x[c] = (p->m * p->x[c] + q->m * q->x[c]) / pair.m;
    pair.v[c] = (p->m * p->v[c] + q->m * q->v[c]) / pair.m;
  }
  return pair;
}

static void cross(const double a[3], const double b[3], double c[3])
{
  c[0] = a[1] * b[2] - a[2] * b[1], c[1] = a[2] * b[0] - a[0] * b[2], c[2] = a[0] * b[1] - a[1] * b[0];
}

/* From `from` to `to`, both square to the axis, about that. */
static double turn(const double from[3], const double to[3], const double axis[3])
{
  double c[3], angle;
  cross(from, to, c);
  angle = atan2(hb_dot(c, axis) / hb_norm(axis), hb_dot(from, to));
  return angle < 0 ? angle + 2 * acos(-1) : angle;
}

/* An orbit in the plane x y has its node, and a circle its pericenter, where the axis x points, or the node. */
static void set_angles(double M, const double r[3], const double v[3], struct hb_bound *b)
{
  static const double x_axis[3] = {1, 0, 0}, z_axis[3] = {0, 0, 1};
  double L[3], e[3], node[3];
  cross(r, v, L);
  cross(v, L, e);
  for (int c = 0; c < 3; c++) e[c] = e[c] / M - r[c] / hb_norm(r);
  cross(z_axis, L, node);
  double across = hb_norm(node);
  if (!(across > 1e-12 * hb_norm(L))) memcpy(node, x_axis, sizeof node);
  if (!(hb_norm(e) > 1e-12)) memcpy(e, node, sizeof e);
  b->inclination = atan2(across, L[2]);
  b->node = turn(x_axis, node, z_axis);
  b->pericenter = turn(node, e, L);
  b->anomaly = turn(e, r, L);
}

static void set_row(const struct hb_hierarchy *h, const struct hb_particles *p, size_t k, struct part *pairs,
                    struct hb_bound *rows)
{
  const struct hb_hierarchy_orbit *o = h->at + k;
  struct hb_bound *b = rows + k;
  const struct part part[2] = {part_of(h, p, pairs, o->part[0]), part_of(h, p, pairs, o->part[1])};
  double r[3], v[3];
  pairs[k] = pair_of(part, part + 1);
  *b = (struct hb_bound){
      .stars = o->stars, .outer = -1, .a = o->orbit.a, .e = o->orbit.e, .E = o->orbit.E, .period = o->period};
  for (int s = 0; s < 2; s++) {
    b->id[s] = part[s].id;
    b->m[s] = part[s].m;
    b->part[s] = o->part[s] < h->n ? -1 : (int64_t)(o->part[s] - h->n);
    if (b->part[s] >= 0) rows[b->part[s]].outer = (int64_t)k;
  }
  memcpy(b->x, pairs[k].x, sizeof b->x);
  memcpy(b->v, pairs[k].v, sizeof b->v);
  for (int c = 0; c < 3; c++) r[c] = part[1].x[c] - part[0].x[c], v[c] = part[1].v[c] - part[0].v[c];
  set_angles(pairs[k].m, r, v, b);
}

enum hb_status hb_sim_bound(struct hb_sim *sim, double t, size_t *count, const struct hb_bound **bound)
{
  HB_GL_VISIT;
  OWN_VIEW struct hb_state_view view = {.own = NULL};
  OWN_HIERARCHY struct hb_hierarchy h = {.n = 0};
  HB_OWN struct part *pairs = NULL;
  *count = 0, *bound = NULL;
  HB_TRY(check_time(t));
  if (hb_force_interaction(sim->force) != HB_INTERACTION_GRAVITY)
    return hb_fail(HB_ERR_USAGE, "who is bound is found by gravity, and this interaction is not gravity");
  HB_TRY(view_of(sim, t, &view));
  HB_TRY(hb_hierarchy_find(&view.at, sim->eps2, &h));
  HB_TRY(HB_ALLOC(h.count, &pairs));
  hb_mem_free(sim->bound);
  HB_TRY(HB_ALLOC(h.count, &sim->bound));
  for (size_t k = 0; k < h.count; k++) set_row(&h, &view.at, k, pairs, sim->bound);
  *count = h.count, *bound = sim->bound;
  return HB_OK;
}

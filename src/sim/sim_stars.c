/* hb_sim_params.stars and evolution: masses at birth, what a star is at a time, and the changes that this makes. */
#include "sim/sim_stars.h"

#include "base/elementary.h"
#include "base/mem.h"
#include "base/text.h"
#include "core/particles.h"
#include "core/star.h"
#include "core/units.h"
#include "core/vector.h"
#include "io/evolution.h"
#include "io/lines.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const hb_stars_names[] = {"none", "zams", NULL};
const char *const hb_star_type_names[] = {"unknown",      "dwarf",      "giant", "white dwarf",
                                          "neutron star", "black hole", NULL};

static const char note_name[] = "stars";

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
  char *table;                   /* its file; NULL: the fit */
  struct hb_evolution_row *rows; /* [n_rows]: in place of the fit */
  size_t n_rows;
  struct hb_units units;
  double *ends;        /* [n_ends] ascending: when masses jump and kicks come, N-body, rounded up */
  size_t n_ends, next; /* the first that has not come */
  double looked;       /* until when stars have been looked at, N-body */
  double every;        /* what is no jump is looked at at its multiples, N-body */
  double kick;         /* km/s */
  uint64_t seed;
  struct changes changes;   /* of the last call of hb_sim_stars_change */
  struct hb_sim_star *told; /* of the last call of hb_sim_stars */
};

/* ---- opening ---- */

enum hb_status hb_sim_stars_check(const struct hb_sim_params *p)
{
  if (p->stars == HB_STARS_NONE && !p->evolution) return HB_OK;
  if (p->stars != HB_STARS_NONE && p->evolution)
    return hb_fail(HB_ERR_USAGE, "stars and evolution exclude each other (expected a fit or a table)");
  if (p->collisions == HB_COLLISIONS_MERGE)
    return hb_fail(HB_ERR_USAGE, "collisions merge: what a merged star becomes is not known where stars age "
                                 "(expected collisions none or stop)");
  return HB_OK;
}

static int compare(const void *a, const void *b)
{
  const struct born *left = a, *right = b;
  return left->id < right->id ? -1 : left->id > right->id;
}

static const struct born *find(const struct hb_sim_stars *stars, uint64_t id)
{
  return bsearch(&(struct born){.id = id}, stars->at, stars->n, sizeof *stars->at, compare);
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
    if (stars->n == room) HB_TRY(HB_RESIZE(room = 2 * room + 64, &stars->at));
    HB_TRY(read_star(&c, stars->at + stars->n));
    stars->n++;
  }
  return HB_OK;
}

static enum hb_status write_note(const struct hb_sim_stars *stars, struct hb_particles *particles)
{
  struct hb_text text = {0};
  enum hb_status status = HB_OK;
  for (size_t k = 0; k < stars->n && status == HB_OK; k++)
    status = hb_text_append(&text, "%s%" PRIu64 " %.17g %.17g", k ? "\n" : "", stars->at[k].id,
                            stars->at[k].zams, stars->at[k].birth);
  if (status == HB_OK) status = hb_particles_set_note(particles, note_name, text.text);
  hb_mem_free(text.text);
  return status;
}

/* Born now. */
static enum hb_status take_masses(struct hb_particles *p, struct hb_sim_stars *stars)
{
  HB_TRY(HB_ALLOC(p->n, &stars->at));
  stars->n = p->n;
  for (size_t i = 0; i < p->n; i++) {
    double zams = p->m[i] * stars->units.mass;
    if (!stars->rows && !(zams >= hb_star_least && zams <= hb_star_most))
      return hb_fail(HB_ERR_INPUT,
                     "particle %" PRIu64 " has %g solar masses, expected %g to %g for stars that age",
                     p->id[i], zams, hb_star_least, hb_star_most);
    stars->at[i] = (struct born){p->id[i], zams, p->t * stars->units.time};
  }
  return HB_OK;
}

/* ---- what a star is ---- */

struct now {
  double m, radius, kick; /* solar; km/s, between `before` and t */
};

static const struct hb_evolution_row *last_row(const struct hb_sim_stars *stars, uint64_t id, double t)
{
  size_t low = 0, high = stars->n_rows; /* the first behind it */
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const struct hb_evolution_row *r = stars->rows + middle;
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
  const struct hb_evolution_row *row = last_row(stars, s->id, t);
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
  struct hb_star star = hb_star_at(s->zams, t - s->birth);
  return (struct now){.m = star.m, .radius = star.radius};
}

static int explodes_between(const struct hb_sim_stars *stars, const struct born *s, double before, double t)
{
  if (stars->rows || !hb_star_explodes(s->zams)) return 0;
  double end = s->birth + hb_star_lifetime(s->zams);
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
    const struct born *s = find(stars, p->id[i]);
    if (!s) continue;
    struct now now = stars->rows ? by_table(stars, s, t, t) : by_fit(s, t);
    if (now.radius > 0) radius[i] = now.radius * radius_unit(stars);
  }
}

/* ---- when lives end ---- */

/* Of a table: rows with a kick, or where more than this part of the mass goes at once; winds are told in smaller parts. */
static const double jump = 0.01;

static int is_jump(const struct hb_sim_stars *stars, const struct hb_evolution_row *row)
{
  const struct hb_evolution_row *before = row > stars->rows ? row - 1 : row;
  if (row->kick > 0) return 1;
  if (before != row && before->id == row->id) return fabs(row->m - before->m) > jump * before->m;
  const struct born *s = find(stars, row->id);
  return s && fabs(row->m - s->zams) > jump * s->zams;
}

static int compare_times(const void *a, const void *b)
{
  double left = *(const double *)a, right = *(const double *)b;
  return left < right ? -1 : left > right;
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
    stars->ends[stars->n_ends++] = stars->at[k].birth + hb_star_lifetime(stars->at[k].zams);
  qsort(stars->ends, stars->n_ends, sizeof *stars->ends, compare_times);
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
    HB_TRY(hb_evolution_read(stars->table, &stars->rows, &stars->n_rows));
  }
  const char *note = hb_particles_note(p, note_name);
  HB_TRY(note ? read_note(note, stars) : take_masses(p, stars));
  if (!note) HB_TRY(write_note(stars, p));
  qsort(stars->at, stars->n, sizeof *stars->at, compare);
  return HB_OK;
}

static const char looked_section[] = "stars.looked";

enum hb_status hb_sim_stars_put(const struct hb_sim_stars *stars, struct hb_sections *sections)
{
  return stars ? hb_sections_put(sections, looked_section, HB_SECTION_DOUBLES, 1, &stars->looked) : HB_OK;
}

enum hb_status hb_sim_stars_open(struct hb_sim_params *params, const struct hb_sections *sections,
                                 struct hb_particles *p, struct hb_sim_stars **stars)
{
  struct hb_sim_stars *s;
  *stars = NULL;
  if (params->stars == HB_STARS_NONE && !params->evolution) return HB_OK;
  HB_TRY(HB_ALLOC(1, &s));
  s->every = step_of(params), s->kick = params->kick, s->seed = params->kick_seed;
  s->looked = p->t;
  enum hb_status status = take_stars(params, p, s);
  if (status == HB_OK && sections)
    status = hb_sections_copy(sections, looked_section, HB_SECTION_DOUBLES, 1, &s->looked);
  if (status == HB_OK) status = list_ends(s, s->looked);
  if (status != HB_OK) {
    hb_sim_stars_close(s);
    return status;
  }
  if (!sections) set_radii(s, p);
  params->evolution = s->table;
  *stars = s;
  return HB_OK;
}

static void free_changes(struct changes *c)
{
  HB_FREE(c->id, c->m, c->v, c->radius);
  *c = (struct changes){0};
}

void hb_sim_stars_close(struct hb_sim_stars *stars)
{
  if (!stars) return;
  HB_FREE(stars->at, stars->table, stars->rows, stars->ends, stars->told);
  free_changes(&stars->changes);
  hb_mem_free(stars);
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
    double end = s->birth + hb_star_lifetime(s->zams);
    return before < end && end <= t;
  }
  const struct hb_evolution_row *row = last_row(stars, s->id, t);
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

static enum hb_status reserve(struct changes *c, size_t n)
{
  c->n = 0;
  if (n <= c->room) return HB_OK;
  free_changes(c);
  HB_TRY(HB_ALLOC(n, &c->id));
  HB_TRY(HB_ALLOC(n, &c->m));
  HB_TRY(HB_ALLOC(n, &c->radius));
  HB_TRY(HB_ALLOC(3 * n, &c->v));
  c->room = n;
  return HB_OK;
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

double hb_sim_stars_next_end(const struct hb_sim_stars *stars)
{
  return stars && stars->next < stars->n_ends ? stars->ends[stars->next] : INFINITY;
}

int hb_sim_stars_are_due(const struct hb_sim_stars *stars, double t)
{
  return stars && (has_end(stars, t) || are_all_due(stars, t));
}

enum hb_status hb_sim_stars_change(struct hb_sim_stars *stars, struct hb_particles *p,
                                   struct hb_change *change)
{
  struct changes *c = &stars->changes;
  const double *radii = hb_particles_radius(p);
  int of_all = are_all_due(stars, p->t);
  if (!radii) return hb_fail(HB_ERR_INTERNAL, "out of memory for radii");
  HB_TRY(reserve(c, p->n));
  for (size_t i = 0; i < p->n; i++) {
    const struct born *s = find(stars, p->id[i]);
    if (s && (of_all || ends_by(stars, s, p->t * stars->units.time))) look_at(stars, s, p, radii, i, c);
  }
  *change = (struct hb_change){.n = c->n, .id = c->id, .m = c->m, .v = c->v, .radius = c->radius};
  return HB_OK;
}

void hb_sim_stars_aged(struct hb_sim_stars *stars, double t)
{
  stars->looked = t;
  while (has_end(stars, t)) stars->next++;
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
  struct hb_star now = hb_star_at(s->zams, t - s->birth);
  double v[3] = {0};
  add_kick(stars, s, &(struct now){.m = now.m}, -INFINITY, t, v);
  star.type = now.type, star.m = now.m, star.radius = now.radius;
  star.kick = hb_norm(v) * hb_units_velocity(&stars->units);
  return star;
}

enum hb_status hb_sim_stars_tell(struct hb_sim_stars *stars, size_t *count, const struct hb_sim_star **told)
{
  *count = 0, *told = NULL;
  if (!stars) return HB_OK;
  if (!stars->told) HB_TRY(HB_ALLOC(stars->n, &stars->told));
  for (size_t k = 0; k < stars->n; k++)
    stars->told[k] = told_of(stars, stars->at + k, stars->looked * stars->units.time);
  *count = stars->n, *told = stars->told;
  return HB_OK;
}

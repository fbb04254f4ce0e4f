#include "measure/contents.h"

#include "base/mem.h"
#include "core/diagnostics.h"
#include "core/structure.h"
#include "core/gravity.h"
#include "core/particles.h"

#include <math.h>
#include <string.h>

/* What follows `word` ("field=") among the words of the note options; NULL: it is not there. */
static const char *option_value(const struct hb_particles *p, const char *word)
{
  for (const char *c = hb_particles_note(p, "options"); c; c = strchr(c, ' ')) {
    c += strspn(c, " ");
    if (strncmp(c, word, strlen(word)) == 0) return c + strlen(word);
  }
  return NULL;
}

/* The parts of a field are words like point:m=1, but for omega=1: other options have no colon before their '='. */
const char *hb_contents_field(const struct hb_particles *particles, char words[HB_CONTENTS_FIELD])
{
  const char *start = option_value(particles, "field="), *end = start;
  struct hb_field *field = NULL;
  while (end && *end && (strcspn(end, ":") < strcspn(end, "= ") || strncmp(end, "omega=", 6) == 0)) {
    end += strcspn(end, " ");
    end += strspn(end, " ");
  }
  size_t span = (size_t)(end - start);
  if (!start || span == 0 || span >= HB_CONTENTS_FIELD) return NULL;
  memcpy(words, start, span);
  words[span] = 0;
  int is_good = hb_field_create(words, &field) == HB_OK;
  hb_field_destroy(field);
  return is_good ? words : NULL;
}

/* Of a snapshot, or of the stars in it, which it leaves at rest at the origin. */
static enum hb_status get_energies(struct hb_particles *p, double eps2, const struct hb_field *field,
                                   int exact, struct hb_diagnostics *d)
{
  double center[3], velocity[3], half = 0.5, *work;
  struct hb_binary *pairs;
  HB_TRY(HB_ALLOC(2 * p->n, &work));
  *d = (struct hb_diagnostics){.t = p->t, .exact_energy = exact, .e_pot = NAN, .e_gpu = NAN, .e_jacobi = NAN};
  hb_center_of_mass(p, center, velocity);
  hb_kinetic_energy_in(p, velocity, &d->e_kin, &d->e_bulk);
  hb_lagrangian_radii(p, center, 1, &half, work, &d->r_half);
  if (exact) {
    hb_gravity_potential_once(p->n, p->m, p->x, eps2, work);
    d->e_pot = hb_potential_energy(p, work);
  }
  d->e_total = d->e_kin + d->e_pot;
  if (field) hb_energy_add_field(p, field, d);
  enum hb_status status = hb_energy_find_binaries(p, eps2, d->e_pot, &pairs, &d->binaries);
  if (status == HB_OK) hb_energy_split(p, pairs, 0, field, work, d);
  HB_FREE(pairs, work);
  if (d->e_pot == 0) d->virial_ratio = NAN;
  return status;
}

static enum hb_status add_energies(const struct hb_particles *p, const char *words, int exact,
                                   struct hb_contents *c)
{
  struct hb_particles *stars;
  struct hb_field *field = NULL;
  HB_TRY(hb_particles_copy_massive(p, &stars));
  enum hb_status status = stars ? HB_OK : hb_particles_copy(p, &stars);
  if (status == HB_OK && words) status = hb_field_create(words, &field);
  if (status == HB_OK) status = get_energies(stars, c->eps * c->eps, field, exact, &c->energies);
  hb_field_destroy(field);
  hb_particles_destroy(stars);
  c->has_field = words != NULL;
  return status;
}

enum hb_status hb_contents_of(const struct hb_particles *p, double eps, const char *field,
                              enum hb_exact_energy exact_energy, struct hb_contents *contents)
{
  struct hb_contents c = {.n = p->n, .t = p->t, .eps = eps, .m = hb_sum(p->n, p->m)};
  hb_hash_text(hb_particles_hash(p), c.state_hash);
  c.m_least = c.m_most = p->m[0];
  for (size_t i = 1; i < p->n; i++) {
    c.m_least = fmin(c.m_least, p->m[i]);
    c.m_most = fmax(c.m_most, p->m[i]);
  }
  size_t massive = hb_particles_massive(p);
  HB_TRY(add_energies(p, field, hb_energy_is_exact(exact_energy, massive ? massive : p->n), &c));
  HB_TRY(hb_structure_of(p, eps * eps, &c.structure));
  *contents = c;
  return HB_OK;
}

#include "measure/contents.h"

#include "base/mem.h"
#include "base/text.h"
#include "core/diagnostics.h"
#include "core/gravity.h"
#include "core/particles.h"
#include "core/structure.h"

#include <math.h>
#include <string.h>

/* The value of "eps=" among the words of the note options; "" if there is none. */
static void option_eps(const char *options, char value[32])
{
  static const char word[] = "eps=";
  size_t length = strlen(word);
  *value = 0;
  for (const char *c = options; c; c = strchr(c, ' ')) {
    c += strspn(c, " ");
    if (strncmp(c, word, length) != 0) continue;
    size_t span = strcspn(c + length, " ");
    if (span < 32) memcpy(value, c + length, span), value[span] = 0;
    return;
  }
}

double hb_contents_eps(const struct hb_particles *particles)
{
  char value[32];
  double eps;
  const char *note = hb_particles_note(particles, "eps");
  option_eps(hb_particles_note(particles, "options"), value);
  if (!note) note = value;
  return *note && hb_text_number(note, &eps) == HB_OK && eps >= 0 ? eps : NAN;
}

static enum hb_status get_energies(const struct hb_particles *p, double eps2, int exact,
                                   struct hb_diagnostics *d)
{
  double center[3], velocity[3], half = 0.5, *work;
  HB_TRY(HB_ALLOC(2 * p->n, &work));
  *d = (struct hb_diagnostics){.t = p->t, .exact_energy = exact, .e_pot = NAN, .e_gpu = NAN};
  hb_center_of_mass(p, center, velocity);
  hb_kinetic_energy_in(p, velocity, &d->e_kin, &d->e_bulk);
  hb_lagrangian_radii(p, center, 1, &half, work, &d->r_half);
  if (exact) {
    hb_gravity_potential(p->n, p->m, p->x, eps2, work);
    d->e_pot = hb_potential_energy(p, work);
  }
  d->e_total = d->e_kin + d->e_pot;
  d->virial_ratio = d->e_pot != 0 ? d->e_kin / fabs(d->e_pot) : NAN;
  hb_mem_free(work);
  return HB_OK;
}

enum hb_status hb_contents_of(const struct hb_particles *p, double eps, enum hb_exact_energy exact_energy,
                              struct hb_contents *contents)
{
  struct hb_contents c = {.n = p->n, .t = p->t, .eps = eps, .m = hb_sum(p->n, p->m)};
  hb_hash_text(hb_particles_hash(p), c.state_hash);
  c.m_least = c.m_most = p->m[0];
  for (size_t i = 1; i < p->n; i++) {
    c.m_least = fmin(c.m_least, p->m[i]);
    c.m_most = fmax(c.m_most, p->m[i]);
  }
  struct hb_particles *stars;
  HB_TRY(hb_particles_copy_massive(p, &stars));
  const struct hb_particles *massive = stars ? stars : p;
  enum hb_status status =
      get_energies(massive, eps * eps, hb_energy_is_exact(exact_energy, massive->n), &c.energies);
  hb_particles_destroy(stars);
  HB_TRY(status);
  HB_TRY(hb_structure_of(p, eps * eps, &c.structure));
  *contents = c;
  return HB_OK;
}

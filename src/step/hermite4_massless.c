/* The energy of test particles. No sum over a system has it: it is not conserved where stars move. But whatever the forces, what a
 * step adds to v^2 / 2 is their work along the way, the integral of v . a. That is taken from a, j at both ends; by how much
 * the steps' v^2 / 2 differs from it in the end is the energy that the integrator has made. In a field it is Jacobi's. */
#include "step/hermite4.h"

#include "base/mem.h"
#include "core/vector.h"

#include <math.h>

struct hb_massless {
  double *made;           /* [n] energy per mass that the steps of a particle have made */
  double *before, *depth; /* [n] v^2 / 2 and the first half of the work; -phi */
};

static const struct hb_columns_row rows[] = {
    HB_COLUMN_OF("massless", HB_SECTION_DOUBLES, struct hb_massless, made, 1, HB_COLUMN_ADDED),
    HB_COLUMN(struct hb_massless, before, 1, HB_COLUMN_SCRATCH),
    HB_COLUMN(struct hb_massless, depth, 1, HB_COLUMN_SCRATCH),
};
static const struct hb_columns columns = HB_COLUMNS(rows, 1);

/* If there are test particles that the host corrects. */
static enum hb_status open_massless(struct hb_hermite4 *h)
{
  if (h->massless || h->params.correct == HB_PLACE_GPU || hb_particles_massive(h->particles) == h->n)
    return HB_OK;
  HB_TRY(HB_ALLOC(1, &h->massless));
  return hb_columns_reserve(&columns, h->n, h->massless);
}

static void close_massless(struct hb_hermite4 *h) { hb_mem_free(h->massless); }

/* Of the integral of v . a over dt, by its values and derivatives at both ends, what belongs to this one. */
static double half_of_work(const struct hb_hermite4 *h, size_t i, double dt)
{
  const double *v = h->particles->v + 3 * i, *a = h->a + 3 * i, *k = h->j + 3 * i;
  return dt / 2 * hb_dot(v, a) + dt * dt / 12 * (hb_dot(a, a) + hb_dot(v, k));
}

static double step_of(const struct hb_hermite4 *h, size_t i)
{
  return hb_hermite4_span(h, (uint64_t)1 << h->blocks->level[i]);
}

static void before_correction(struct hb_hermite4 *h, size_t ni)
{
  struct hb_massless *w = h->massless;
  for (size_t b = 0; b < ni; b++) {
    size_t i = h->block[b];
    if (h->particles->m[i] > 0) continue;
    w->before[i] =
        hb_dot(h->particles->v + 3 * i, h->particles->v + 3 * i) / 2 + half_of_work(h, i, step_of(h, i));
    w->depth[i] = fabs(h->phi1[b]);
  }
}

static void after_correction(struct hb_hermite4 *h, uint64_t T, size_t ni)
{
  struct hb_massless *w = h->massless;
  for (size_t b = 0; b < ni; b++) {
    size_t i = h->block[b];
    if (h->particles->m[i] > 0) continue;
    double kinetic = hb_dot(h->particles->v + 3 * i, h->particles->v + 3 * i) / 2;
    w->made[i] += kinetic + half_of_work(h, i, -step_of(h, i)) - w->before[i];
    double error = fabs(w->made[i]) / (kinetic + w->depth[i]);
    if (error > h->counts.massless.error)
      h->counts.massless = (struct hb_energy_made){error, hb_hermite4_at(h, T), h->particles->id[i]};
  }
}

/* Of a run whose test particles have all left. */
static enum hb_status get_massless(const struct hb_sections *sections, struct hb_hermite4 *h)
{
  if (!h->massless) hb_sections_find(sections, rows->name);
  return HB_OK;
}

const struct hb_companion hb_companion_massless = {.state = offsetof(struct hb_hermite4, massless),
                                                   .columns = &columns,
                                                   .open = open_massless,
                                                   .close = close_massless,
                                                   .predicted = before_correction,
                                                   .corrected = after_correction,
                                                   .weigh = open_massless,
                                                   .get = get_massless};

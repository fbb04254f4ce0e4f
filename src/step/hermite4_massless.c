#include "step/hermite4_massless.h"

#include "base/mem.h"

#include <math.h>

static double dot(const double *p, const double *q) { return p[0] * q[0] + p[1] * q[1] + p[2] * q[2]; }

enum hb_status hb_massless_open(struct hb_hermite4 *h)
{
  if (h->params.correct == HB_PLACE_GPU || hb_particles_massive(h->particles) == h->n) return HB_OK;
  HB_TRY(HB_ALLOC(1, &h->massless));
  HB_TRY(HB_ALLOC(h->n, &h->massless->made));
  HB_TRY(HB_ALLOC(h->n, &h->massless->before));
  return HB_ALLOC(h->n, &h->massless->depth);
}

void hb_massless_close(struct hb_massless_watch *w)
{
  if (!w) return;
  hb_mem_free(w->made);
  hb_mem_free(w->before);
  hb_mem_free(w->depth);
  hb_mem_free(w);
}

/* Of the integral of v . a over dt, by its values and derivatives at both ends, what belongs to this one. */
static double half_of_work(const struct hb_hermite4 *h, size_t i, double dt)
{
  const double *v = h->particles->v + 3 * i, *a = h->a + 3 * i, *k = h->j + 3 * i;
  return dt / 2 * dot(v, a) + dt * dt / 12 * (dot(a, a) + dot(v, k));
}

static double step_of(const struct hb_hermite4 *h, size_t i)
{
  return hb_hermite4_span(h, (uint64_t)1 << h->blocks->level[i]);
}

void hb_massless_before(struct hb_hermite4 *h, size_t ni)
{
  struct hb_massless_watch *w = h->massless;
  for (size_t b = 0; w && b < ni; b++) {
    size_t i = h->block[b];
    if (h->particles->m[i] > 0) continue;
    w->before[i] =
        dot(h->particles->v + 3 * i, h->particles->v + 3 * i) / 2 + half_of_work(h, i, step_of(h, i));
    w->depth[i] = fabs(h->phi1[b]);
  }
}

void hb_massless_after(struct hb_hermite4 *h, uint64_t T, size_t ni)
{
  struct hb_massless_watch *w = h->massless;
  for (size_t b = 0; w && b < ni; b++) {
    size_t i = h->block[b];
    if (h->particles->m[i] > 0) continue;
    double kinetic = dot(h->particles->v + 3 * i, h->particles->v + 3 * i) / 2;
    w->made[i] += kinetic + half_of_work(h, i, -step_of(h, i)) - w->before[i];
    double error = fabs(w->made[i]) / (kinetic + w->depth[i]);
    if (error > w->worst.error)
      w->worst = (struct hb_energy_made){error, h->t0 + hb_hermite4_span(h, T), h->particles->id[i]};
  }
}

/* ---- checkpoints ---- */

enum { ERROR, TIME, NUMBERS };

enum hb_status hb_massless_put(const struct hb_hermite4 *h, struct hb_sections *sections)
{
  const struct hb_massless_watch *w = h->massless;
  const double worst[NUMBERS] = {w->worst.error, w->worst.t};
  HB_TRY(hb_sections_put(sections, "massless", HB_SECTION_DOUBLES, h->n, w->made));
  HB_TRY(hb_sections_put_copy(sections, "massless.worst", HB_SECTION_DOUBLES, NUMBERS, worst));
  return hb_sections_put_copy(sections, "massless.who", HB_SECTION_WORDS, 1, &w->worst.particle);
}

enum hb_status hb_massless_get(const struct hb_sections *sections, struct hb_hermite4 *h)
{
  struct hb_massless_watch *w = h->massless;
  double worst[NUMBERS];
  if (!hb_sections_find(sections, "massless")) return HB_OK; /* older checkpoints have none */
  HB_TRY(hb_sections_copy_finite(sections, "massless", h->n, w->made));
  HB_TRY(hb_sections_copy_finite(sections, "massless.worst", NUMBERS, worst));
  HB_TRY(hb_sections_copy(sections, "massless.who", HB_SECTION_WORDS, 1, &w->worst.particle));
  w->worst.error = worst[ERROR], w->worst.t = worst[TIME];
  return HB_OK;
}

/* Stars that lose mass while they move, and one that leaves: prints the energy that is booked, and what the integrator has made. */
#include <holmberg/diagnostics.h>
#include <math.h>
#include <stdio.h>

#define TRY(call)                                                                                            \
  do {                                                                                                       \
    if ((call) != HB_OK) return fprintf(stderr, "%s\n", hb_error()), 1;                                      \
  } while (0)

enum { N = 64 };

/* After each block step: star 0 loses a thousandth of its mass. */
static void wind(void *context, struct hb_sim *sim, int *stop)
{
  static const uint64_t star = 0;
  double *m = context;
  *m *= 0.999;
  if (hb_sim_change(sim, &(struct hb_change){.n = 1, .id = &star, .m = m}) != HB_OK) *stop = 1;
}

int main(void)
{
  struct hb_particles *p;
  struct hb_sim *sim;
  struct hb_diagnostics start, now;
  double m = 1. / N;
  const uint64_t gone = 7, nobody = 1000;
  size_t count;
  const struct hb_bound *bound;
  TRY(hb_ic_make("plummer", &(struct hb_ic_params){.n = N, .seed = 1}, &p));
  TRY(hb_sim_create(p, &(struct hb_sim_params){.force = {.scheme = "host", .eps = 1. / 64}}, &sim));
  TRY(hb_sim_diagnose(sim, 0, &start));
  hb_sim_call(sim, &(struct hb_between){wind, &m});
  TRY(hb_sim_integrate(sim, 0.5));
  hb_sim_call(sim, NULL);
  TRY(hb_sim_change(sim, &(struct hb_change){.n_removed = 1, .removed = &gone}));
  TRY(hb_sim_integrate(sim, 1));
  TRY(hb_sim_diagnose(sim, 1, &now));
  TRY(hb_sim_bound(sim, 1, &count, &bound));
  double error = (now.e_total - now.e_changed - start.e_total) / start.e_total;
  printf("mass of star 0: %.3f of what it was\n", m * N);
  printf("energy %.6f, of which changes have brought %.6f\n", now.e_total, now.e_changed);
  printf("dE/E below 1e-6: %s\n", fabs(error) < 1e-6 ? "yes" : "no");
  printf("bound pairs: %zu\n", count);
  if (hb_sim_change(sim, &(struct hb_change){.n_removed = 1, .removed = &nobody}) == HB_OK) return 1;
  printf("%s\n", hb_error());
  hb_sim_destroy(sim);
  hb_particles_destroy(p);
  return 0;
}

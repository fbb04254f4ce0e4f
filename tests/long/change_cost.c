/* What a change of one mass costs: processor seconds of a run of one time unit without and with so many changes, spread evenly over it,
 * in turns. Each takes a part of the mass of a star, of one after the other.
 *
 *   cc -O2 -Isrc/include tests/long/change_cost.c -Lbuild -lholmberg -lm -Wl,-rpath,$PWD/build -o change_cost
 *   ./change_cost [MODEL [N [EPS [CHANGES [TURNS [SCHEME [PRECISION [PART]]]]]]]] */
#include <holmberg/diagnostics.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#define TRY(call)                                                                                            \
  do {                                                                                                       \
    if ((call) != HB_OK) return fprintf(stderr, "%s\n", hb_error()), 1;                                      \
  } while (0)

static double used(void)
{
  struct rusage r;
  getrusage(RUSAGE_SELF, &r);
  return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) +
         1e-6 * (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

struct cost {
  double run, changes, error;
};

static const char *scheme = "host", *precision;
static double part = 1e-6;

static int run(const struct hb_particles *p, double eps, int changes, struct cost *cost)
{
  struct hb_sim *sim;
  struct hb_sim_params params = {.force = {.scheme = scheme, .eps = eps, .precision = precision}};
  struct hb_diagnostics start, end;
  size_t n = hb_particles_n(p);
  if (eps == 0) params.force.flags = HB_FORCE_UNSOFTENED;
  TRY(hb_sim_create(p, &params, &sim));
  TRY(hb_sim_diagnose(sim, 0, &start));
  double from = used(), in = 0;
  double *m = malloc(n * sizeof *m);
  if (!m) return 1;
  memcpy(m, hb_particles_m((struct hb_particles *)p), n * sizeof *m);
  for (int k = 1; k <= changes; k++) {
    uint64_t id = (uint64_t)k * 7919 % n;
    TRY(hb_sim_integrate(sim, (double)k / (changes + 1)));
    double before = used();
    m[id] *= 1 - part;
    TRY(hb_sim_change(sim, &(struct hb_change){.n = 1, .id = &id, .m = m + id}));
    in += used() - before;
  }
  TRY(hb_sim_integrate(sim, 1));
  cost->run = used() - from, cost->changes = in;
  TRY(hb_sim_diagnose(sim, 1, &end));
  cost->error = (end.e_total + end.e_lost - end.e_changed - start.e_total - start.e_lost) / start.e_total;
  hb_sim_destroy(sim);
  free(m);
  return 0;
}

int main(int argc, char **argv)
{
  const char *model = argc > 1 ? argv[1] : "plummer";
  if (argc > 6) scheme = argv[6];
  if (argc > 7) precision = argv[7];
  if (argc > 8) part = strtod(argv[8], NULL);
  size_t n = argc > 2 ? strtoul(argv[2], NULL, 10) : 4096;
  double eps = argc > 3 ? strtod(argv[3], NULL) : 1. / 256;
  int changes = argc > 4 ? atoi(argv[4]) : 1000, turns = argc > 5 ? atoi(argv[5]) : 3;
  struct hb_particles *p;
  TRY(hb_ic_make(model, &(struct hb_ic_params){.n = n, .seed = 1}, &p));
  for (int k = 0; k < turns; k++) {
    struct cost without, with;
    if (run(p, eps, 0, &without) || run(p, eps, changes, &with)) return 1;
    printf("%s %zu eps %g %s: %.3f s, with %d changes %.3f s (+%.1f %%); in the calls %.3f s (%.1f %%, %.1f "
           "us each); dE/E %.1e %.1e\n",
           model, n, eps, scheme, without.run, changes, with.run, 100 * (with.run / without.run - 1),
           with.changes, 100 * with.changes / without.run, 1e6 * with.changes / changes, without.error,
           with.error);
  }
  hb_particles_destroy(p);
  return 0;
}

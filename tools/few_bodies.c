/* Problems of two and three bodies, integrated by this program's chain (src/chain) or, if compiled with REBOUND defined,
 * by REBOUND's IAS15, and the errors of anyone's result.
 *
 *   few_bodies PROBLEM start                 lines m x y z vx vy vz, after a comment with the time of the end and the orbits
 *   few_bodies PROBLEM chain|ias15           a comment with forces and processor seconds, lines x y z vx vy vz of the end
 *   few_bodies PROBLEM errors EXACT <lines   energy error and error at the end; EXACT: places by tests/long/bodies_quad.c
 *
 * tools/measure_few_bodies.sh builds and runs it. */
#include "chain/bulirsch_stoer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef REBOUND
#include <rebound.h>
#endif

enum { MOST = 3 };
static const double pi = 3.14159265358979323846, seconds_least = 0.2;

struct problem {
  const char *name;
  size_t n;
  double period, orbits;
  double m[MOST], x[MOST][3], v[MOST][3];
  double a; /* of the pair 0 1, whose phase is the error; 0: the largest error of a distance from body 0 is */
};

/* Total mass 1, a = 1, at apocenter. */
static struct problem binary(const char *name, double e)
{
  double u = sqrt((1 - e) / (1 + e)) / 2;
  return (struct problem){
      name, 2, 2 * pi, 1000, {0.5, 0.5}, {{-(1 + e) / 2}, {(1 + e) / 2}}, {{0, -u}, {0, u}}, 1};
}

static struct problem figure_eight(void)
{
  const double x = 0.97000436, y = 0.24308753, u = 0.466203685, w = 0.43236573;
  return (struct problem){
      "eight", 3, 6.32591398, 10, {1, 1, 1}, {{x, -y}, {-x, y}}, {{u, w}, {u, w}, {-2 * u, -2 * w}}, 0};
}

/* About the center of mass. */
static struct problem triple(void)
{
  const double a = 1e-5, w = sqrt(1 / a) / 2, u = sqrt(0.5);
  return (struct problem){"triple",
                          3,
                          2 * pi * a * sqrt(a),
                          1000,
                          {0.5, 0.5, 1},
                          {{-a / 2, -0.5}, {a / 2, -0.5}, {0, 0.5}},
                          {{u, -w}, {u, w}, {-u}},
                          a};
}

static int find(const char *name, struct problem *problem)
{
  const struct problem all[] = {
      binary("e0.9", 0.9),
      binary("e0.99", 0.99),
      binary("e0.999", 0.999),
      figure_eight(),
      triple(),
      {"pythagorean", 3, 60, 1, {3, 4, 5}, {{1, 3}, {-2, -1}, {1, -1}}, {{0}}, 0},
  };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++)
    if (!strcmp(all[k].name, name)) return *problem = all[k], 1;
  return 0;
}

static double processor_seconds(void)
{
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- codes ---- */

struct end {
  long double x[MOST][3], v[MOST][3];
  uint64_t forces; /* evaluations, of all pairs */
};

static int by_chain(const struct problem *p, struct end *end)
{
  static const uint32_t number[] = {0, 1, 2};
  struct hb_chain c;
  end->forces = 0;
  hb_chain_make(p->n, number, p->m, p->x[0], p->v[0], &c);
  if (hb_chain_advance(&c, p->period * p->orbits, NULL, &end->forces) != HB_OK) return 0;
  long double x[3] = {0}, v[3] = {0};
  for (size_t k = 0; k < p->n; k++)
    for (int i = 0; i < 3; i++) {
      if (k > 0) x[i] += c.X[k - 1][i], v[i] += c.V[k - 1][i];
      end->x[c.member[k]][i] = x[i], end->v[c.member[k]][i] = v[i];
    }
  return 1;
}

#ifdef REBOUND
static uint64_t rebound_forces;
static void count(struct reb_simulation *r)
{
  (void)r;
  rebound_forces++;
}

static int by_ias15(const struct problem *p, struct end *end)
{
  struct reb_simulation *r = reb_simulation_create();
  reb_simulation_set_integrator(r, "ias15");
  r->additional_forces = count;
  r->dt = p->period / 1000;
  for (size_t k = 0; k < p->n; k++) {
    const double *x = p->x[k], *v = p->v[k];
    reb_simulation_add(
        r, (struct reb_particle){
               .m = p->m[k], .x = x[0], .y = x[1], .z = x[2], .vx = v[0], .vy = v[1], .vz = v[2]});
  }
  rebound_forces = 0;
  int is_done = reb_simulation_integrate(r, p->period * p->orbits) == REB_STATUS_SUCCESS;
  for (size_t k = 0; k < p->n; k++) {
    const struct reb_particle *b = r->particles + k;
    const double x[] = {b->x, b->y, b->z}, v[] = {b->vx, b->vy, b->vz};
    for (int i = 0; i < 3; i++) end->x[k][i] = x[i], end->v[k][i] = v[i];
  }
  end->forces = rebound_forces;
  reb_simulation_free(r);
  return is_done;
}
#endif

/* The least seconds of five series. */
static int integrate(const struct problem *p, int (*code)(const struct problem *, struct end *))
{
  struct end end = {0};
  double least = INFINITY;
  for (int series = 0; series < 5; series++) {
    int times = 0;
    double start = processor_seconds(), taken;
    do {
      if (!code(p, &end)) return fprintf(stderr, "few_bodies: %s failed\n", p->name), 7;
      times++;
      taken = processor_seconds() - start;
    } while (taken < seconds_least);
    least = fmin(least, taken / times);
  }
  printf("# %llu %.3e\n", (unsigned long long)end.forces, least);
  for (size_t k = 0; k < p->n; k++) {
    const long double *x = end.x[k], *v = end.v[k];
    printf("%.21Lg %.21Lg %.21Lg %.21Lg %.21Lg %.21Lg\n", x[0], x[1], x[2], v[0], v[1], v[2]);
  }
  return 0;
}

/* ---- errors ---- */

/* Of the motion about the center of mass. */
static long double energy(const struct problem *p, const struct end *e)
{
  long double E = 0, M = 0;
  for (size_t k = 0; k < p->n; k++) M += p->m[k];
  for (size_t k = 0; k < p->n; k++)
    for (size_t l = 0; l < k; l++) {
      long double r2 = 0, v2 = 0, m = p->m[k] * (long double)p->m[l];
      for (int i = 0; i < 3; i++) {
        long double r = e->x[k][i] - e->x[l][i], v = e->v[k][i] - e->v[l][i];
        r2 += r * r, v2 += v * v;
      }
      E += m * (v2 / (2 * M) - 1 / sqrtl(r2));
    }
  return E;
}

/* Mean anomaly since apocenter. */
static double phase(const struct end *e)
{
  double r2 = 0, rv = 0;
  for (int i = 0; i < 3; i++) {
    double r = (double)(e->x[1][i] - e->x[0][i]), v = (double)(e->v[1][i] - e->v[0][i]);
    r2 += r * r, rv += r * v;
  }
  return remainder(atan2(rv, 1 - sqrt(r2)) - rv - pi, 2 * pi);
}

static double separation_error(const struct problem *p, const struct end *e, const struct end *exact)
{
  double most = 0;
  for (size_t k = 1; k < (p->a > 0 ? 2 : p->n); k++) {
    long double d2 = 0;
    for (int i = 0; i < 3; i++) {
      long double d = e->x[k][i] - e->x[0][i] - (exact->x[k][i] - exact->x[0][i]);
      d2 += d * d;
    }
    most = fmax(most, (double)sqrtl(d2));
  }
  return p->a > 0 ? most / p->a : most;
}

static int get(FILE *f, size_t n, int has_v, struct end *e)
{
  char line[512];
  for (size_t k = 0; k < n;) {
    if (!fgets(line, sizeof line, f)) return 0;
    if (line[0] == '#') continue;
    long double *x = e->x[k], *v = e->v[k];
    int found = sscanf(line, "%Lf %Lf %Lf %Lf %Lf %Lf", x, x + 1, x + 2, v, v + 1, v + 2);
    if (found < (has_v ? 6 : 3)) return 0;
    k++;
  }
  return 1;
}

static int errors(const struct problem *p, const char *exact_file)
{
  struct end start = {0}, end = {0}, exact = {0};
  FILE *f = fopen(exact_file, "r");
  for (size_t k = 0; k < p->n; k++)
    for (int i = 0; i < 3; i++) start.x[k][i] = p->x[k][i], start.v[k][i] = p->v[k][i];
  if (!get(stdin, p->n, 1, &end) || (p->n > 2 && (!f || !get(f, p->n, 0, &exact))))
    return fprintf(stderr, "few_bodies: expected a line for each body\n"), 3;
  double error = p->n == 2 ? fabs(phase(&end)) : separation_error(p, &end, &exact);
  printf("%.1e %.1e\n", (double)fabsl(energy(p, &end) / energy(p, &start) - 1), error);
  return 0;
}

static int print_start(const struct problem *p)
{
  printf("# %.17g %g\n", p->period * p->orbits, p->orbits);
  for (size_t k = 0; k < p->n; k++) {
    const double *x = p->x[k], *v = p->v[k];
    printf("%.17g %.17g %.17g %.17g %.17g %.17g %.17g\n", p->m[k], x[0], x[1], x[2], v[0], v[1], v[2]);
  }
  return 0;
}

int main(int count_of, char **words)
{
  struct problem p;
  if (count_of < 3 || !find(words[1], &p))
    return fprintf(stderr, "usage: few_bodies PROBLEM start|chain|ias15|errors\n"), 2;
  if (!strcmp(words[2], "start")) return print_start(&p);
  if (!strcmp(words[2], "chain")) return integrate(&p, by_chain);
#ifdef REBOUND
  if (!strcmp(words[2], "ias15")) return integrate(&p, by_ias15);
#endif
  return count_of > 3 ? errors(&p, words[3]) : 2;
}

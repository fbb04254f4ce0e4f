/* The energies of a table of stars by part, summed in long double by loops of its own:
 *
 *   parts FILE EPS [log V R Q X Y Z | point M A X Y Z | squares A B C X Y Z]...
 *
 * FILE has lines m x y z vx vy vz. Prints e_cluster e_binaries e_orbit, their sum, the kinetic energy over minus the potential
 * one with binaries as points, how many binaries there are, and by how much rounding the x to doubles may change their energies. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef long double real;
enum { STARS = 4096, PARTS = 8 };

struct star {
  real m, x[3], v[3];
};
static struct star star[STARS];
static int n, partner[STARS];
static real eps2;

static struct part {
  char form; /* the first letter */
  real p[3], middle[3];
} part[PARTS];
static int parts;

static real dot(const real a[3], const real b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void difference(const real a[3], const real b[3], real d[3])
{
  for (int c = 0; c < 3; c++) d[c] = a[c] - b[c];
}

static real field(const real x[3])
{
  real phi = 0, d[3];
  for (int k = 0; k < parts; k++) {
    const struct part *f = part + k;
    difference(x, f->middle, d);
    if (f->form == 's')
      phi += (f->p[0] * d[0] * d[0] + f->p[1] * d[1] * d[1] + f->p[2] * d[2] * d[2]) / 2;
    else if (f->form == 'l')
      phi += f->p[0] * f->p[0] / 2 *
             logl(f->p[1] * f->p[1] + d[0] * d[0] + d[1] * d[1] + d[2] * d[2] / (f->p[2] * f->p[2]));
    else
      phi -= f->p[0] / sqrtl(dot(d, d) + f->p[1] * f->p[1]);
  }
  return phi;
}

static real pull(int i, int k)
{
  real d[3];
  difference(star[i].x, star[k].x, d);
  return star[i].m * star[k].m / sqrtl(dot(d, d) + eps2);
}

static real motion(int i, int k) /* of the two about each other */
{
  real w[3];
  difference(star[i].v, star[k].v, w);
  return star[i].m * star[k].m / (star[i].m + star[k].m) * dot(w, w) / 2;
}

static int nearest(int i)
{
  int found = i;
  real least = INFINITY, d[3];
  for (int k = 0; k < n; k++) {
    difference(star[i].x, star[k].x, d);
    if (k != i && dot(d, d) < least) least = dot(d, d), found = k;
  }
  return found;
}

/* Bound nearest neighbors, the tightest first: each star in one of them. */
static int bind(void)
{
  int bound = 0, near[STARS];
  for (int i = 0; i < n; i++) partner[i] = -1, near[i] = nearest(i);
  for (;;) {
    real lowest = 0;
    int best = -1;
    for (int i = 0; i < n; i++) {
      if (partner[i] >= 0 || partner[near[i]] >= 0 || near[i] == i) continue;
      real E = motion(i, near[i]) - pull(i, near[i]);
      if (E < lowest) lowest = E, best = i;
    }
    if (best < 0) return bound;
    partner[best] = near[best];
    partner[near[best]] = best;
    bound++;
  }
}

/* The numbers are those of the doubles that they were printed from. */
static void read_table(const char *path)
{
  char line[1024];
  FILE *file = fopen(path, "r");
  while (file && n < STARS && fgets(line, sizeof line, file)) {
    double m, x[3], v[3];
    if (sscanf(line, "%lf %lf %lf %lf %lf %lf %lf", &m, x, x + 1, x + 2, v, v + 1, v + 2) != 7) continue;
    star[n].m = m;
    for (int c = 0; c < 3; c++) star[n].x[c] = x[c], star[n].v[c] = v[c];
    n++;
  }
  if (file) fclose(file);
}

int main(int argc, char **argv)
{
  if (argc < 3) return 2;
  read_table(argv[1]);
  eps2 = strtold(argv[2], NULL) * strtold(argv[2], NULL);
  for (int k = 3; k < argc && parts < PARTS; parts++) {
    struct part *f = part + parts;
    f->form = *argv[k++];
    for (int c = 0; c < (f->form == 'p' ? 2 : 3) && k < argc; c++) f->p[c] = strtold(argv[k++], NULL);
    for (int c = 0; c < 3 && k < argc; c++) f->middle[c] = strtold(argv[k++], NULL);
  }

  real M = 0, X[3] = {0}, V[3] = {0}, T = 0, W = 0, tide = 0, w[3];
  for (int i = 0; i < n; i++) {
    M += star[i].m;
    for (int c = 0; c < 3; c++) X[c] += star[i].m * star[i].x[c], V[c] += star[i].m * star[i].v[c];
  }
  for (int c = 0; c < 3; c++) X[c] /= M, V[c] /= M;
  for (int i = 0; i < n; i++) {
    difference(star[i].v, V, w);
    T += star[i].m * dot(w, w) / 2;
    for (int k = 0; k < i; k++) W -= pull(i, k);
    if (parts) tide += star[i].m * (field(star[i].x) - field(X));
  }

  /* what is hard, among the bound: above the mean of the points that are left if all bound pairs are one each */
  int bound = bind(), hard = 0;
  real t = T, u = W, within = 0, rounding = 0;
  for (int i = 0; i < n; i++)
    if (partner[i] > i) t -= motion(i, partner[i]), u += pull(i, partner[i]);
  real above = fmaxl(t, -u / 2) / (n - bound);
  for (int i = 0; i < n; i++) {
    if (partner[i] < i) continue;
    real e_kin = motion(i, partner[i]), e_pot = -pull(i, partner[i]);
    if (-(e_kin + e_pot) <= above) continue;
    within += e_kin + e_pot;
    T -= e_kin, W -= e_pot;
    rounding +=
        e_pot * e_pot / (star[i].m * star[partner[i]].m) * sqrtl(dot(star[i].x, star[i].x)) * 0x1p-52L;
    hard++;
  }
  real orbit = parts ? M * dot(V, V) / 2 + M * field(X) : 0, cluster = T + W + tide;
  printf("%.21Lg %.21Lg %.21Lg %.21Lg %.12Lg %d %.3Lg\n", cluster, within, orbit, cluster + within + orbit,
         -T / W, hard, rounding);
  return 0;
}

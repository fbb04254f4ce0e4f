/* The calls of holmberg/sixth.h. */
#include "lib/engine.h"
#include "lib/names.h"

#include "base/mem.h"
#include "base/parallel.h"
#include "core/vector.h"

#include <holmberg/interaction.h>
#include <holmberg/sixth.h>

#include <math.h>
#include <string.h>

/* Where addresses are that were left out: beyond any system, yet within the range of float. */
#define FAR_AWAY 1e9

struct particle {
  double x[3], v[3], a[3], j[3], s[3], c[3], m, t, eps2;
};

static struct sixth {
  int is_open;
  struct hb_interaction *law;
  struct hb_all_pairs *pairs; /* NULL: the host sums */
  struct hb_near *near;
  struct hb_names names;
  size_t room, nj;
  struct particle *sent; /* [room] */
  double *m, *x, *v, *a; /* [nj] [3 * nj] ... predicted, in memory for room */
  int is_fresh;          /* the device has these */
} g;

/* ---- opening ---- */

void sixth_close(void)
{
  HB_GL_VISIT;
  hb_all_pairs_close(g.pairs);
  hb_interaction_destroy(g.law);
  hb_near_destroy(g.near);
  hb_names_free(&g.names);
  HB_FREE(g.sent, g.m, g.x, g.v, g.a);
  memset(&g, 0, sizeof g);
}

static const char *given(const char *word) { return *word ? word : NULL; }

static enum hb_status open_all(void)
{
  HB_GL_VISIT;
  struct hb_engine_words words;
  /* sixth differences of a step: mi6 with float pairs comes to a halt */
  HB_TRY(hb_engine_words(0, HB_PRECISION_DOUBLE, &words));
  HB_TRY(hb_near_create(NULL, &g.near));
  const struct hb_force_scheme *scheme = hb_force_scheme_find(words.scheme);
  if (scheme && scheme->on_host) return HB_OK;
  const struct hb_all_pairs_params params = {
      .scheme = given(words.scheme), .precision = given(words.precision), .device = given(words.device)};
  HB_TRY(hb_interaction_create("gravity_snap", &g.law));
  return hb_all_pairs_open(g.law, &params, &g.pairs);
}

static enum hb_status open_once(void)
{
  if (g.is_open) return HB_OK;
  enum hb_status status = open_all();
  if (status != HB_OK) sixth_close();
  g.is_open = status == HB_OK;
  return status;
}

static enum hb_status check_open(void)
{
  return g.is_open ? HB_OK : hb_fail(HB_ERR_USAGE, "no device is open (expected initialize first)");
}

/* ---- j-particles ---- */

static enum hb_status store(int address, int id, const struct particle *particle)
{
  HB_TRY(check_open());
  if (address < 0) return hb_fail(HB_ERR_USAGE, "the address of a j-particle is %d, expected >= 0", address);
  HB_TRY(hb_names_set(&g.names, (size_t)address, id));
  if (g.names.room > g.room) {
    size_t room = g.names.room;
    HB_TRY(HB_RESIZE(room, &g.sent));
    HB_TRY(HB_RESIZE(room, &g.m));
    HB_TRY(HB_RESIZE(3 * room, &g.x));
    HB_TRY(HB_RESIZE(3 * room, &g.v));
    HB_TRY(HB_RESIZE(3 * room, &g.a));
    g.room = room;
  }
  g.sent[address] = *particle;
  return HB_OK;
}

/* Taylor's series about its time; t NULL: at that time. */
static void predict(size_t k, const double *t)
{
  static const struct particle nobody = {.x = {FAR_AWAY, FAR_AWAY, FAR_AWAY}};
  const struct particle *p = g.names.is_set[k] ? &g.sent[k] : &nobody;
  double h = t && g.names.is_set[k] ? *t - p->t : 0;
  g.m[k] = p->m;
  for (size_t d = 0; d < 3; d++) {
    double s = p->s[d], c = p->c[d];
    g.x[3 * k + d] =
        p->x[d] + h * (p->v[d] + h / 2 * (p->a[d] + h / 3 * (p->j[d] + h / 4 * (s + h / 5 * c))));
    g.v[3 * k + d] = p->v[d] + h * (p->a[d] + h / 2 * (p->j[d] + h / 3 * (s + h / 4 * c)));
    g.a[3 * k + d] = p->a[d] + h * (p->j[d] + h / 2 * (s + h / 3 * c));
  }
}

static enum hb_status predict_first(int nj, const double *t)
{
  HB_TRY(check_open());
  g.nj = 0;
  g.is_fresh = 0;
  if (nj < 0 || (size_t)nj > g.names.used)
    return hb_fail(HB_ERR_USAGE, "%d particles are to be predicted, expected 0 to %zu that were sent", nj,
                   g.names.used);
  for (size_t k = 0; k < (size_t)nj; k++) predict(k, t);
  g.nj = (size_t)nj;
  return HB_OK;
}

/* ---- forces ---- */

/* A block, and where its results go. */
struct block {
  size_t ni, nj;
  const int *ids;
  const double *x, *v, *a, *eps2;
  double *acc, *jerk, *snap, *phi, *r2;
  int *nearest;
  uint32_t *own;
  uint8_t *has_twins;
};

/* What particle k does to sink i, added: Nitadori & Makino 2008, eqs 3 to 8; the potential positive. */
static void add_pair(const struct block *b, size_t i, size_t k)
{
  double dx[3], dv[3], da[3];
  for (size_t d = 0; d < 3; d++) {
    dx[d] = g.x[3 * k + d] - b->x[3 * i + d];
    dv[d] = g.v[3 * k + d] - b->v[3 * i + d];
    da[d] = g.a[3 * k + d] - b->a[3 * i + d];
  }
  double r2 = hb_dot(dx, dx) + b->eps2[i], m_r = g.m[k] / sqrt(r2), m_r3 = m_r / r2;
  double alpha = hb_dot(dx, dv) / r2, beta = (hb_dot(dv, dv) + hb_dot(dx, da)) / r2 + alpha * alpha;
  for (size_t d = 0; d < 3; d++) {
    double acc = m_r3 * dx[d], jerk = m_r3 * dv[d] - 3 * alpha * acc;
    b->acc[3 * i + d] += acc;
    b->jerk[3 * i + d] += jerk;
    b->snap[3 * i + d] += m_r3 * da[d] - 6 * alpha * jerk - 3 * beta * acc;
  }
  b->phi[i] += m_r;
}

static void sum_on_host(void *context, size_t i)
{
  const struct block *b = context;
  memset(b->acc + 3 * i, 0, 3 * sizeof(double));
  memset(b->jerk + 3 * i, 0, 3 * sizeof(double));
  memset(b->snap + 3 * i, 0, 3 * sizeof(double));
  b->phi[i] = 0;
  for (size_t k = 0; k < b->nj; k++)
    if (g.names.is_set[k] && g.names.name[k] != b->ids[i]) add_pair(b, i, k);
}

static enum hb_status send(size_t nj)
{
  const struct hb_input inputs[] = {
      {"m", g.m, 1},      {"x", g.x, 3},      {"y", g.x + 1, 3}, {"z", g.x + 2, 3},  {"vx", g.v, 3},
      {"vy", g.v + 1, 3}, {"vz", g.v + 2, 3}, {"ax", g.a, 3},    {"ay", g.a + 1, 3}, {"az", g.a + 2, 3}};
  if (g.is_fresh) return HB_OK;
  HB_TRY(hb_all_pairs_set_sources(g.pairs, nj, sizeof inputs / sizeof *inputs, inputs));
  g.is_fresh = 1;
  return HB_OK;
}

/* Sinks first ... first + count - 1, which share a softening. */
static enum hb_status sum_part(const struct block *b, size_t first, size_t count)
{
  const double *x = b->x + 3 * first, *v = b->v + 3 * first, *a = b->a + 3 * first;
  double *acc = b->acc + 3 * first, *jerk = b->jerk + 3 * first, *snap = b->snap + 3 * first;
  const struct hb_input inputs[] = {{"x", x, 3},  {"y", x + 1, 3},  {"z", x + 2, 3},
                                    {"vx", v, 3}, {"vy", v + 1, 3}, {"vz", v + 2, 3},
                                    {"ax", a, 3}, {"ay", a + 1, 3}, {"az", a + 2, 3}};
  const struct hb_output outputs[] = {{"phi", b->phi + first, 1}, {"ax", acc, 3},  {"ay", acc + 1, 3},
                                      {"az", acc + 2, 3},         {"jx", jerk, 3}, {"jy", jerk + 1, 3},
                                      {"jz", jerk + 2, 3},        {"sx", snap, 3}, {"sy", snap + 1, 3},
                                      {"sz", snap + 2, 3}};
  HB_TRY(send(b->nj));
  HB_TRY(hb_all_pairs_set_parameter(g.pairs, "eps2", b->eps2[first]));
  return hb_all_pairs_eval_at(g.pairs, count, sizeof inputs / sizeof *inputs, inputs, b->own + first,
                              sizeof outputs / sizeof *outputs, outputs);
}

static enum hb_status sum_on_device(const struct block *b)
{
  for (size_t first = 0, end; first < b->ni; first = end) {
    for (end = first + 1; end < b->ni && b->eps2[end] == b->eps2[first];) end++;
    HB_TRY(sum_part(b, first, end - first));
  }
  for (size_t i = 0; i < b->ni; i++) {
    b->phi[i] = -b->phi[i];
    if (b->has_twins[i]) sum_on_host((void *)b, i);
  }
  return HB_OK;
}

static enum hb_status sum(const struct block *b)
{
  if (!g.pairs || b->nj == 0) {
    hb_parallel_for(hb_parallel_threads(), b->ni, sum_on_host, (void *)b);
    return HB_OK;
  }
  return sum_on_device(b);
}

static void place_of(const void *context, size_t k, double x[3])
{
  (void)context;
  memcpy(x, g.x + 3 * k, 3 * sizeof *x);
}

static enum hb_status find_nearest(const struct block *b)
{
  const struct hb_near_points points = {b->ni, b->x, b->own};
  uint32_t *address;
  HB_TRY(HB_ALLOC(b->ni, &address));
  enum hb_status status = hb_near_set_j(g.near, b->nj, g.x);
  if (status == HB_OK) status = hb_near_nearest(g.near, &points, address, b->r2);
  for (size_t i = 0; status == HB_OK && i < b->ni; i++) {
    if (b->has_twins[i]) /* several particles have its name: none of them counts */
      address[i] = hb_names_nearest(&g.names, b->ids[i], b->nj, b->x + 3 * i, place_of, NULL, &b->r2[i]);
    int is_one = address[i] != HB_NO_SOURCE && g.names.is_set[address[i]];
    b->nearest[i] = is_one ? g.names.name[address[i]] : -1;
    b->r2[i] += b->eps2[i];
  }
  hb_mem_free(address);
  return status;
}

static enum hb_status compute(struct block *b)
{
  HB_TRY(HB_ALLOC(b->ni, &b->own));
  HB_TRY(HB_ALLOC(b->ni, &b->has_twins));
  for (size_t i = 0; i < b->ni; i++)
    b->has_twins[i] = hb_names_find(&g.names, b->ids[i], b->nj, &b->own[i]) > 1;
  HB_TRY(sum(b));
  return find_nearest(b);
}

static enum hb_status forces(int ni, int nj, struct block *b)
{
  HB_TRY(check_open());
  if (ni < 0 || nj < 0 || (size_t)nj > g.nj)
    return hb_fail(HB_ERR_USAGE,
                   "forces of %d particles on %d were asked for, expected >= 0 and %zu that were "
                   "predicted",
                   nj, ni, g.nj);
  for (size_t i = 0; i < b->ni; i++)
    if (!(b->eps2[i] >= 0) || isinf(b->eps2[i]))
      return hb_fail(HB_ERR_USAGE, "the softening squared is %g, expected finite and >= 0", b->eps2[i]);
  if (ni == 0) return HB_OK;
  if (b->nj != g.nj) g.is_fresh = 0;
  enum hb_status status = compute(b);
  HB_FREE(b->own, b->has_twins);
  if (b->nj != g.nj) g.is_fresh = 0; /* the device has the first nj only */
  return status;
}

/* ---- the calls --------------------------------------------------------------------------------------- */

void initialize(void) { hb_engine_report(open_once()); }

void initialize_special(int ndev, int *list)
{
  (void)ndev, (void)list;
  hb_engine_report(open_once());
}

void set_j_particle(int add, double pos[3], double vel[3], double acc[3], double jrk[3], double snp[3],
                    double crk[3], double mass, double time, int id, double eps2)
{
  struct particle p = {.m = mass, .t = time, .eps2 = eps2};
  memcpy(p.x, pos, sizeof p.x);
  memcpy(p.v, vel, sizeof p.v);
  memcpy(p.a, acc, sizeof p.a);
  memcpy(p.j, jrk, sizeof p.j);
  memcpy(p.s, snp, sizeof p.s);
  memcpy(p.c, crk, sizeof p.c);
  hb_engine_report(store(add, id, &p));
}

void predict_all(double time, int nj) { hb_engine_report(predict_first(nj, &time)); }
void no_predict_all(double time, int nj)
{
  (void)time;
  hb_engine_report(predict_first(nj, NULL));
}

void pick_up_predictor_2(int addr, int *id, double *mass, double *eps2, double pos[3], double vel[3],
                         double acc[3])
{
  if (addr < 0 || (size_t)addr >= g.nj) {
    hb_engine_report(
        hb_fail(HB_ERR_USAGE, "the address is %d, expected one of %zu that were predicted", addr, g.nj));
    *id = -1;
    *mass = *eps2 = NAN;
    for (int d = 0; d < 3; d++) pos[d] = vel[d] = acc[d] = NAN;
    return;
  }
  *id = g.names.name[addr];
  *mass = g.m[addr];
  *eps2 = g.sent[addr].eps2;
  memcpy(pos, g.x + 3 * addr, 3 * sizeof *pos);
  memcpy(vel, g.v + 3 * addr, 3 * sizeof *vel);
  memcpy(acc, g.a + 3 * addr, 3 * sizeof *acc);
}

void calc_force_on_predictors(int ni, int nj, int ids[], double pos[][3], double vel[][3], double acc[][3],
                              double mass[], double eps2[], double accNew[][3], double jrkNew[][3],
                              double snpNew[][3], double crkNew[][3], double phi[], int nnb[],
                              double nnb_r2[])
{
  (void)mass, (void)crkNew;
  struct block b = {.ni = ni > 0 ? (size_t)ni : 0,
                    .nj = nj > 0 ? (size_t)nj : 0,
                    .ids = ids,
                    .x = (const double *)pos,
                    .v = (const double *)vel,
                    .a = (const double *)acc,
                    .eps2 = eps2,
                    .acc = (double *)accNew,
                    .jerk = (double *)jrkNew,
                    .snap = (double *)snpNew,
                    .phi = phi,
                    .r2 = nnb_r2,
                    .nearest = nnb};
  if (hb_engine_report(hb_engine_spoil(forces(ni, nj, &b), ni, b.acc, b.jerk, phi)) == 0) return;
  for (size_t k = 0; k < b.ni; k++) {
    for (size_t d = 0; d < 3; d++) b.snap[3 * k + d] = NAN;
    b.r2[k] = NAN;
    b.nearest[k] = -1;
  }
}

const char *sixth_error(void) { return hb_error(); }

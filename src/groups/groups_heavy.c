/* The heaviest nodes as sources. Where sources of forces round pulls to float, the close passages of a few stars of tens of mean
 * masses, and the light ones that fall past them, make most of a run's energy error; and there are so few of them that their pulls
 * cost little in double. */
#include "groups/chain_pulls.h"
#include "groups/groups.h"

#include "base/arith.h"
#include "base/clones.h"
#include "base/mem.h"
#include "base/parallel.h"

#include <math.h>
#include <string.h>

/* Of n stars at most n / 16 and at most MOST are so heavy at the start, since all of them together have n mean masses. */
static const double heavy = 16;
enum { MOST = 128, LANES = HB_CHAIN_LANES };

/* Sinks that are served before a second thread has woken up; the size of a thread's pieces. */
enum { ALONE = 1024, PIECE = 256 };

/* Of LANES sources what one has, side by side; those that are nobody's have mass 0. */
struct hb_groups_heavy {
  uint32_t node[LANES];
  double m[LANES], x[3][LANES], v[3][LANES];
};

enum hb_status hb_groups_weigh(struct hb_groups *groups)
{
  double least = groups->m_mean * fmax(heavy, groups->stars / MOST);
  if (!groups->sources) return HB_OK;
  groups->heavies = 0;
  for (uint32_t i = 0; i < groups->n; i++) {
    int is_heavy = groups->m[i] > least;
    groups->sources[i] = is_heavy ? 0 : groups->m[i];
    if (!is_heavy) continue;
    size_t lane = groups->heavies % LANES, at = groups->heavies / LANES;
    if (lane == 0) {
      HB_TRY(HB_GROW(at, &groups->heavy_capacity, &groups->heavy));
      groups->heavy[at] = (struct hb_groups_heavy){.node = {0}};
    }
    groups->heavy[at].node[lane] = i;
    groups->heavy[at].m[lane] = groups->m[i];
    groups->heavies++;
  }
  return HB_OK;
}

static void place(struct hb_groups *groups, const double *x, const double *v)
{
  for (size_t k = 0; k < groups->heavies; k++) {
    struct hb_groups_heavy *to = groups->heavy + k / LANES;
    size_t lane = k % LANES, from = 3 * (size_t)to->node[lane];
    for (size_t c = 0; c < 3; c++) to->x[c][lane] = x[from + c], to->v[c][lane] = v[from + c];
  }
}

/* [PZ07] eq. 1, its derivative and the potential, of p[count] on the node i, which is at x with velocity v. A sum for each lane: the bits are the same whatever a
 * machine does at once. */
HB_CLONES static void add(size_t count, const struct hb_groups_heavy *p, uint32_t i, const double *x,
                          const double *v, double *a, double *j, double *phi)
{
  double sum[7][LANES] = {{0}};
  for (; count > 0; p++, count--)
#pragma omp simd
    for (size_t l = 0; l < LANES; l++) {
      double m = p->node[l] == i ? 0 : p->m[l];
      double rx = p->x[0][l] - x[0], ry = p->x[1][l] - x[1], rz = p->x[2][l] - x[2];
      double vx = p->v[0][l] - v[0], vy = p->v[1][l] - v[1], vz = p->v[2][l] - v[2];
      double r2 = rx * rx + ry * ry + rz * rz;
      if (m == 0) r2 = 1;
      double mr = m / sqrt(r2), mr3 = mr / r2, s = 3 * (rx * vx + ry * vy + rz * vz) / r2;
      sum[0][l] += mr3 * rx, sum[1][l] += mr3 * ry, sum[2][l] += mr3 * rz;
      sum[3][l] += mr3 * (vx - s * rx), sum[4][l] += mr3 * (vy - s * ry), sum[5][l] += mr3 * (vz - s * rz);
      sum[6][l] += mr;
    }
  for (size_t c = 0; c < 3; c++) a[c] += hb_chain_sum_lanes(sum[c]), j[c] += hb_chain_sum_lanes(sum[3 + c]);
  *phi -= hb_chain_sum_lanes(sum[6]);
}

struct sinks {
  const struct hb_groups *groups;
  const double *x, *v;
  size_t ni;
  const uint32_t *block;
  double *a, *j, *phi;
};

static void add_piece(void *context, size_t piece)
{
  const struct sinks *s = context;
  const struct hb_groups *groups = s->groups;
  for (size_t b = piece * PIECE, end = hb_parallel_end(s->ni, PIECE, b); b < end; b++) {
    size_t i = 3 * (size_t)s->block[b];
    add(hb_div_ceil(groups->heavies, LANES), groups->heavy, s->block[b], s->x + i, s->v + i, s->a + 3 * b,
        s->j + 3 * b, s->phi + b);
  }
}

void hb_groups_add_heavy(struct hb_groups *groups, const double *x, const double *v, size_t ni,
                         const uint32_t *block, double *a, double *j, double *phi)
{
  struct sinks sinks = {groups, x, v, ni, block, a, j, phi};
  if (groups->heavies == 0) return;
  place(groups, x, v);
  hb_parallel_for(ni > ALONE ? hb_parallel_threads() : 1, hb_div_ceil(ni, PIECE), add_piece, &sinks);
}

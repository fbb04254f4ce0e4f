/* The heaviest nodes as sources, summed in double. Where sources of forces round accelerations to float, the close passages of a few
 * stars of tens of mean masses, and of light ones that fall past them, make most of a run's energy error. There are so few heavy
 * nodes that their accelerations in double cost little. */
#include "groups/groups.h"

#include "base/arith.h"
#include "base/machine.h"
#include "base/mem.h"
#include "base/parallel.h"
#include "chain/lanes.h"

/* Heavy is this multiple of the mean mass, and more for so many stars that more than HEAVY_MOST could be heavy at the start. All n stars
 * together have n mean masses, so that at most n / 16 are heavy. */
static const double heavy_ratio = 16;
enum { HEAVY_MOST = 128 };

/* Loops over fewer sinks than SINKS_ALONE run on the calling thread. Larger ones are split into pieces of SINKS_PIECE. */
enum { SINKS_ALONE = 1024, SINKS_PIECE = 256 };

/* HB_LANES sources side by side. Unused lanes have mass 0. */
struct hb_groups_heavy {
  uint32_t node[HB_LANES];
  double m[HB_LANES], x[3][HB_LANES], v[3][HB_LANES];
};

enum hb_status hb_groups_weigh(struct hb_groups *groups)
{
  double least = groups->m_mean * fmax(heavy_ratio, groups->stars / HEAVY_MOST);
  groups->m_most = 0;
  for (uint32_t i = 0; i < groups->n; i++)
    groups->m_most = groups->m[i] > groups->m_most ? groups->m[i] : groups->m_most;
  if (!groups->sources) return HB_OK;
  groups->heavies = 0;
  for (uint32_t i = 0; i < groups->n; i++) {
    int is_heavy = groups->m[i] > least;
    groups->sources[i] = is_heavy ? 0 : groups->m[i];
    if (!is_heavy) continue;
    size_t lane = groups->heavies % HB_LANES, at = groups->heavies / HB_LANES;
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

/* Sets positions and velocities of all heavy nodes. */
static void place_heavy(struct hb_groups *groups, const double *x, const double *v)
{
  for (size_t k = 0; k < groups->heavies; k++) {
    struct hb_groups_heavy *to = groups->heavy + k / HB_LANES;
    size_t lane = k % HB_LANES, from = 3 * (size_t)to->node[lane];
    for (size_t c = 0; c < 3; c++) to->x[c][lane] = x[from + c], to->v[c][lane] = v[from + c];
  }
}

/* Adds acceleration ([PZ07] eq. 1), jerk and potential by p[count] of the node i, which is at x with velocity v. Each lane has a sum of its
 * own, so that all machines give the same bits. */
HB_CLONES static void add_lanes(size_t count, const struct hb_groups_heavy *p, uint32_t i, const double *x,
                                const double *v, double *a, double *j, double *phi)
{
  double sum[7][HB_LANES] = {{0}};
  for (; count > 0; p++, count--)
#pragma omp simd
    for (size_t l = 0; l < HB_LANES; l++) {
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
  for (size_t c = 0; c < 3; c++) a[c] += hb_lanes_sum(sum[c]), j[c] += hb_lanes_sum(sum[3 + c]);
  *phi -= hb_lanes_sum(sum[6]);
}

struct sinks {
  const struct hb_groups *groups;
  const double *x, *v;
  const uint32_t *block;
  double *a, *j, *phi;
};

static void add_piece(void *context, size_t b, size_t end)
{
  const struct sinks *s = context;
  const struct hb_groups *groups = s->groups;
  for (; b < end; b++) {
    size_t i = 3 * (size_t)s->block[b];
    add_lanes(hb_div_ceil(groups->heavies, HB_LANES), groups->heavy, s->block[b], s->x + i, s->v + i,
              s->a + 3 * b, s->j + 3 * b, s->phi + b);
  }
}

void hb_groups_add_heavy(struct hb_groups *groups, const double *x, const double *v, size_t ni,
                         const uint32_t *block, double *a, double *j, double *phi)
{
  struct sinks sinks = {groups, x, v, block, a, j, phi};
  if (groups->heavies == 0) return;
  place_heavy(groups, x, v);
  hb_parallel_pieces(ni, SINKS_PIECE, SINKS_ALONE, add_piece, &sinks);
}

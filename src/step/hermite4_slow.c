/* The reasons why a run is slow: the group in which most forces were evaluated, and a particle with the shortest step. Nothing here changes
 * a step. */
#include "step/hermite4.h"

static const struct {
  const char *word, *because;
} criteria[HB_STEP_CRITERIA] = {[HB_STEP_UNKNOWN] = {"unknown", ""},
                                [HB_STEP_EQ9] = {"eq9", " (eq. 9)"},
                                [HB_STEP_NOISE] = {"noise", " (rounding errors)"},
                                [HB_STEP_NEW] = {"new", " (its group has just changed)"},
                                [HB_STEP_GROWS] = {"grows", " (it grows)"},
                                [HB_STEP_MASS] = {"mass", " (it is heavy)"},
                                [HB_STEP_GROUP] = {"group", " (it is a group)"},
                                [HB_STEP_FAR] = {"far", " (forces of distant stars)"}};

static const double two_pi = 6.28318530717958647693;

/* Returns the shortest period of a link: of a bound one that of its orbit, of others that of a circle as large. */
static double shortest_period(const struct hb_chain *c)
{
  double least = INFINITY;
  for (size_t k = 0; k + 1 < c->n; k++) {
    double M = c->m[k] + c->m[k + 1], r = hb_norm(c->X[k]);
    double a = 1 / (2 / r - hb_dot(c->V[k], c->V[k]) / M);
    if (!(a > 0)) a = r;
    least = fmin(least, two_pi * sqrt(a * a * a / M));
  }
  return least;
}

static double step_of(const struct hb_hermite4 *h, uint32_t node)
{
  return hb_hermite4_span(h, (uint64_t)1 << h->blocks->level[node]);
}

static void find_group(const struct hb_hermite4 *h, struct hb_slow *slow)
{
  struct hb_groups *groups = h->groups;
  const struct hb_group *most = NULL;
  for (size_t k = 0; groups && k < groups->count; k++)
    if (groups->at[k].work > (most ? most->work : 0)) most = groups->at + k;
  if (most) {
    slow->members = most->chain.n;
    for (size_t k = 0; k < most->chain.n; k++) slow->member[k] = h->particles->id[most->chain.member[k]];
    slow->evaluations = most->work;
    slow->period = shortest_period(&most->chain);
    slow->revolutions = step_of(h, most->node) / slow->period;
  }
  for (size_t k = 0; groups && k < groups->count; k++) groups->at[k].work = 0;
}

/* Predicts node i to the time of the last block. */
static void predict(const struct hb_hermite4 *h, uint32_t i, double x[3], double v[3])
{
  uint64_t ticks = h->blocks->now - hb_blocks_level_time(h->blocks, h->blocks->level[i]);
  const struct hb_span span = hb_span_of(hb_hermite4_span(h, ticks));
  hb_hermite4_predict(h, i, &span, x, v);
}

static void find_nearest(const struct hb_hermite4 *h, uint32_t node, struct hb_slow *slow)
{
  double x[3], y[3], v[3], least = INFINITY;
  predict(h, node, x, v);
  for (uint32_t i = 0; i < h->n; i++) {
    if (i == node || hb_hermite4_is_parked(h, i)) continue;
    predict(h, i, y, v);
    const double r[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]};
    double r2 = hb_dot(r, r);
    if (r2 < least) least = r2, slow->nearest_id = h->particles->id[i];
  }
  slow->nearest = sqrt(least);
}

static void find_slow(const struct hb_hermite4 *h, struct hb_slow *slow)
{
  *slow = (struct hb_slow){.nearest = INFINITY};
  find_group(h, slow);
  uint32_t node = 0;
  if (h->blocks->occupied) node = h->blocks->head[__builtin_ctzll(h->blocks->occupied)];
  slow->particle = h->particles->id[node];
  slow->step = step_of(h, node);
  slow->criterion = criteria[h->criterion[node]].word;
  slow->because = criteria[h->criterion[node]].because;
  slow->is_dt_min = h->blocks->level[node] == 0;
  if (!h->stale) find_nearest(h, node, slow);
}

const struct hb_companion hb_companion_slow = {.slow = find_slow};

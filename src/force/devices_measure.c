/* What several devices measure at the start: how fast each of them is, and for how many sinks they are worth waiting for. */
#include "force/devices.h"

#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/parallel.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double WARM_UP_SECONDS = 0.1; /* a GPU that was idle takes its time to raise its clock */
static const double RATE_SECONDS = 2e-3;   /* a walk that takes as long shows the rate, not the latency */
static const double COST_SECONDS = 0.02;   /* for the samples of one cost, if enough of them fit */
enum { RATE_SINKS = 64, RATE_SAMPLES = 3, SAMPLES_LEAST = 3, SAMPLES_MOST = 31 };

/* A job to be timed, on other sinks each time; and memory for sources that the host moves. */
struct block {
  struct hb_trial trial;
  size_t turn;
  double *moved; /* [6 * n] */
};

static void choose_sinks(struct block *b, size_t ni) { hb_trial_choose(&b->trial, ni, ++b->turn); }

/* ---- rates ---- */

static enum hb_status time_walk(struct hb_devices_member *m, size_t ni, struct block *b, double *seconds)
{
  choose_sinks(b, ni);
  double start = hb_clock_now();
  HB_TRY(hb_part_begin(&m->part, &b->trial.job));
  HB_TRY(hb_part_finish(&m->part, &b->trial.job));
  *seconds = hb_clock_now() - start;
  return HB_OK;
}

/* The shortest of some walks, the first of which does not count: a compiler's speed is not the device's. A single one may take
 * as long as a compiler that is at work for another device. */
static enum hb_status time_shortest(struct hb_devices_member *m, size_t ni, struct block *b, double *shortest)
{
  double seconds;
  HB_TRY(time_walk(m, ni, b, &seconds));
  *shortest = INFINITY;
  for (int k = 0; k < RATE_SAMPLES; k++) {
    HB_TRY(time_walk(m, ni, b, &seconds));
    *shortest = fmin(*shortest, seconds);
  }
  return HB_OK;
}

/* With as many sinks as take long enough. */
static enum hb_status find_rate(struct hb_devices_member *m, struct block *b)
{
  size_t n = b->trial.n, ni = n < RATE_SINKS ? n : RATE_SINKS;
  double seconds;
  for (double begin = hb_clock_now(); hb_clock_now() - begin < WARM_UP_SECONDS;)
    HB_TRY(time_walk(m, ni, b, &seconds));
  HB_TRY(time_shortest(m, ni, b, &seconds));
  while (seconds < RATE_SECONDS && ni < n) {
    ni = 4 * ni < n ? 4 * ni : n;
    HB_TRY(time_shortest(m, ni, b, &seconds));
  }
  m->rate = (double)ni * (double)n / seconds;
  return HB_OK;
}

/* All at once, as later. */
static enum hb_status measure_rate(struct hb_devices_member *m)
{
  struct block b = {.turn = 0};
  m->count = m->devices->j.n;
  enum hb_status status = hb_trial_reserve(&m->devices->job, m->count, &b.trial);
  if (status == HB_OK) status = hb_devices_send(m);
  if (status == HB_OK) status = find_rate(m, &b);
  hb_trial_free(&b.trial);
  return status;
}

/* Whether all of them together are faster than the first alone: not if they are one device named twice, or renderers of the
 * same processor. */
static enum hb_status compare_rates(struct hb_devices *d, double together)
{
  struct hb_devices_member *first = &d->member[0];
  HB_TRY(measure_rate(first));
  hb_log("device %s alone: %.3g pairs a second", first->name, first->rate);
  if (together >= (1 + HB_DEVICES_MARGIN) * first->rate) return HB_OK;
  hb_log_warn("%d devices together are not faster than %s, which does all of the work", d->count,
              first->name);
  if (!d->plan.alone_below) d->plan.alone_below = SIZE_MAX;
  if (!d->plan.kept_alone_below) d->plan.kept_alone_below = SIZE_MAX;
  return HB_OK;
}

static void tell_of_shares(const struct hb_devices *d, const double *rates)
{
  static const double MUCH = 1.25;
  int fastest = 0;
  for (int k = 0; k < d->count; k++) {
    if (rates[k] > rates[fastest]) fastest = k;
    if (d->plan.shares.part[k] == 0) hb_log_warn("device %s is too slow to take part", d->member[k].name);
  }
  if (rates[fastest] > MUCH * rates[0])
    hb_log_warn("device %s is %.1f times as fast as %s, which does small blocks alone: name it first",
                d->member[fastest].name, rates[fastest] / rates[0], d->member[0].name);
}

static enum hb_status fix_shares(struct hb_devices *d)
{
  double together = 0;
  double rates[HB_SHARES_MOST];
  const char *names[HB_SHARES_MOST];
  char shares[80];
  d->plan.shares = hb_shares_equal(d->count);
  if (!d->measures || d->j.n == 0) return HB_OK;
  d->way = HB_DEVICES_BY_SINKS; /* each with all sources */
  HB_TRY(hb_devices_each(d, measure_rate));
  for (int k = 0; k < d->count; k++) {
    rates[k] = d->member[k].rate;
    together += rates[k];
    names[k] = d->ops->gl(d->member[k].part.state)->caps.renderer;
    hb_log("device %s: %.3g pairs a second", d->member[k].name, rates[k]);
  }
  hb_shares_of_alike(d->count, names, rates);
  d->plan.shares = hb_shares_of_rates(d->count, rates);
  hb_shares_print(&d->plan.shares, sizeof shares, shares);
  hb_log("shares %s", shares);
  tell_of_shares(d, rates);
  return d->count > 1 ? compare_rates(d, together) : HB_OK;
}

/* ---- one tuning ---- */

static enum hb_status open_again(struct hb_devices_member *m)
{
  const struct hb_devices *d = m->devices;
  struct hb_force_params params = d->params;
  if (m->k == 0 || strcmp(d->ops->tuning(m->part.state), d->plan.others) == 0) return HB_OK;
  d->ops->close(m->part.state);
  m->part.state = NULL;
  params.device = m->name;
  params.tuning = d->plan.others;
  return d->ops->open(&params, NULL, &m->part.state);
}

/* The first device looks up its tuning, or measures it, when it gets sources. Two devices with two tunings would be two
 * runs: what is resumed knows one. */
static enum hb_status share_tuning(struct hb_devices *d)
{
  struct hb_devices_member *first = &d->member[0];
  first->count = d->j.n;
  d->way = HB_DEVICES_ALONE;
  if (d->j.n > 0) HB_TRY(hb_devices_send(first));
  snprintf(d->plan.others, sizeof d->plan.others, "%s", d->ops->tuning(first->part.state));
  return hb_devices_each(d, open_again);
}

enum hb_status hb_devices_prepare(struct hb_devices *d, size_t n)
{
  if (d->is_prepared) return HB_OK;
  if (n > 0) HB_TRY(share_tuning(d));
  if (d->plan.shares.count == 0) HB_TRY(fix_shares(d));
  d->is_prepared = 1;
  return HB_OK;
}

/* ---- bounds ---- */

/* From the sources to the forces, as in a block step: the host's threads have just moved the sources, so that they are in other
 * cores' caches, and the devices' threads have been idle meanwhile. What devices tell each other stands for sending them what
 * the host has corrected, too. */
static enum hb_status cycle(struct hb_devices *d, struct block *b, size_t ni, enum hb_devices_way way,
                            double *seconds)
{
  const struct hb_force_sources j = d->j;
  size_t n3 = 3 * j.n;
  choose_sinks(b, ni);
  if (j.n) hb_parallel_copy(b->moved, j.x, n3 * sizeof *j.x);
  if (j.n) hb_parallel_copy(b->moved + n3, j.v, n3 * sizeof *j.v);
  double start = d->clock();
  for (int k = 0; k < d->count; k++) d->member[k].has = HB_DEVICES_NONE;
  d->way = way;
  if (j.n) d->j.x = b->moved, d->j.v = b->moved + n3;
  d->job = b->trial.job;
  d->job.sources = d->j;
  enum hb_status status = hb_devices_begin(d);
  if (status == HB_OK) status = hb_devices_finish(d);
  d->j = j;
  HB_TRY(status);
  if (way == HB_DEVICES_BY_SINKS && d->j.n == 0 && hb_devices_can_tell(d)) HB_TRY(hb_devices_exchange(d));
  *seconds = d->clock() - start;
  return HB_OK;
}

/* The two take turns, so that a disturbance affects both. The first turn does not count. */
static enum hb_status measure_cost(struct hb_devices *d, struct block *b, enum hb_devices_way together,
                                   struct hb_hybrid_cost *cost)
{
  double alone_s[SAMPLES_MOST], together_s[SAMPLES_MOST], first;
  HB_TRY(cycle(d, b, cost->ni, HB_DEVICES_ALONE, &first));
  HB_TRY(cycle(d, b, cost->ni, together, &first));
  size_t count = 0;
  double begin = d->clock();
  do {
    HB_TRY(cycle(d, b, cost->ni, HB_DEVICES_ALONE, &alone_s[count]));
    HB_TRY(cycle(d, b, cost->ni, together, &together_s[count]));
    count++;
  } while (count < SAMPLES_LEAST || (count < SAMPLES_MOST && d->clock() - begin < COST_SECONDS));
  *cost = (struct hb_hybrid_cost){cost->ni, hb_devices_plan_usual(count, alone_s),
                                  hb_devices_plan_usual(count, together_s)};
  return HB_OK;
}

/* One device in place of the host, and all of them in place of OpenGL. */
static enum hb_status measure_bound(struct hb_devices *d, struct block *b, size_t *bound)
{
  struct hb_hybrid_cost costs[HB_HYBRID_COSTS], cost;
  size_t count = 0, n = b->trial.n;
  const struct hb_devices_plan unbounded = {.shares = d->plan.shares};
  while ((cost.ni = hb_devices_plan_ask(n, count, costs)) > 0) {
    enum hb_devices_way by = hb_devices_plan_way(&unbounded, cost.ni < n ? cost.ni : n - 1, n);
    HB_TRY(measure_cost(d, b, d->j.n ? by : HB_DEVICES_BY_SINKS, &cost));
    size_t place = count++;
    for (; place > 0 && costs[place - 1].ni > cost.ni; place--) costs[place] = costs[place - 1];
    costs[place] = cost;
    hb_log("%zu of %zu: one device %.3g ms, %d devices %.3g ms", cost.ni, n, 1e3 * cost.host, d->count,
           1e3 * cost.gl);
  }
  *bound = hb_devices_plan_bound(n, count, costs);
  return HB_OK;
}

/* With arrays of its own in place of those of the call that asks. */
static enum hb_status fix(struct hb_devices *d, size_t n, size_t *bound)
{
  struct block b = {.turn = 0};
  if (*bound) return HB_OK;
  int several = hb_shares_takers(&d->plan.shares) > 1;
  size_t rule = several ? hb_devices_plan_rule(n) : SIZE_MAX;
  enum hb_status status = HB_OK;
  if (d->measures && several) {
    const struct hb_force_job like = {.sources = d->j, .words.units = d->job.words.units};
    status = hb_trial_reserve(&like, n, &b.trial);
    if (status == HB_OK && d->j.n) status = HB_ALLOC(6 * n, &b.moved);
    if (status == HB_OK) status = measure_bound(d, &b, bound);
    hb_trial_free(&b.trial);
    hb_mem_free(b.moved);
    for (int k = 0; k < d->count; k++) d->member[k].has = HB_DEVICES_NONE;
  }
  if (status == HB_OK && *bound == 0) *bound = rule;
  return status;
}

enum hb_status hb_devices_fix_alone(struct hb_devices *d) { return fix(d, d->j.n, &d->plan.alone_below); }

enum hb_status hb_devices_fix_kept_alone(struct hb_devices *d)
{
  return fix(d, d->kept.n, &d->plan.kept_alone_below);
}

/* hb_bench_messages: what it takes ranks to add up the forces of a block. */
#include "base/clock.h"
#include "base/mem.h"
#include "base/ranks.h"
#include "perf/fit.h"
#include "perf/machine_ranks.h"

#include <math.h>
#include <string.h>

enum { NUMBERS = 7, SAMPLES = 9 };
static const double SAMPLE_S = 5e-3;

static void add(size_t words, void *into, const void *other)
{
  double *sums = into;
  const double *more = other;
  for (size_t k = 0; k < words; k++) sums[k] += more[k];
}

static enum hb_status time_sums(size_t words, int count, double *data, double *room, double *seconds)
{
  double start = hb_clock_now();
  for (int k = 0; k < count; k++) HB_TRY(hb_ranks_sum(words, data, room, add));
  *seconds = (hb_clock_now() - start) / count;
  return HB_OK;
}

/* The median of samples, each of as many sums as rank 0 did in some milliseconds. */
static enum hb_status measure(size_t words, double *data, double *room, double *seconds)
{
  double samples[SAMPLES], once;
  HB_TRY(time_sums(words, 3, data, room, &once));
  HB_TRY(hb_ranks_share(&once, sizeof once));
  int count = 1 + (int)fmin(1000, SAMPLE_S / once);
  for (int k = 0; k < SAMPLES; k++) HB_TRY(time_sums(words, count, data, room, &samples[k]));
  *seconds = hb_fit_median(SAMPLES, samples);
  return HB_OK;
}

/* Of the two terms of a message. */
static enum hb_status fit(const struct hb_message messages[HB_MESSAGES], struct hb_network *network)
{
  double x[2 * HB_MESSAGES], y[HB_MESSAGES], t[2], error[2];
  double stages = ceil(log2(hb_ranks_count()));
  for (size_t k = 0; k < HB_MESSAGES; k++) {
    x[2 * k] = stages;
    x[2 * k + 1] = stages * (double)messages[k].bytes;
    y[k] = messages[k].seconds;
  }
  HB_TRY(hb_fit_terms(HB_MESSAGES, 2, x, y, t, error));
  *network = (struct hb_network){.ranks = hb_ranks_count(), .t_message = t[0], .t_byte = t[1]};
  return HB_OK;
}

enum hb_status hb_bench_messages(struct hb_message messages[HB_MESSAGES], struct hb_network *network)
{
  if (hb_ranks_count() == 1)
    return hb_fail(HB_ERR_USAGE, "messages need two ranks: mpirun -n 2 holmberg bench messages");
  size_t most = NUMBERS * ((size_t)1 << 2 * (HB_MESSAGES - 1));
  double *data = NULL, *room = NULL;
  enum hb_status status = HB_ALLOC(most, &data);
  if (status == HB_OK) status = HB_ALLOC(most, &room);
  status = hb_ranks_agree(status);
  for (int k = 0; k < HB_MESSAGES && status == HB_OK; k++) {
    struct hb_message *m = &messages[k];
    m->sinks = (size_t)1 << 2 * k;
    m->bytes = NUMBERS * sizeof *data * m->sinks;
    status = measure(NUMBERS * m->sinks, data, room, &m->seconds);
  }
  if (status == HB_OK) status = fit(messages, network);
  hb_mem_free(data);
  hb_mem_free(room);
  return status;
}

#include "base/ranks.h"

#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct hb_ranks_ops *ranks; /* NULL: alone, or not begun */
static struct hb_ranks_self self = {.count = 1};
static int wish, wished;

/* What a rank says of itself, with a sentence as long as those of base/status.h; and room for what all of them say: a rank that
 * had to ask for it when memory has run out would leave the others waiting. */
struct report {
  uint64_t status;
  char sentence[1024];
};
enum { REPORT_WORDS = sizeof(struct report) / sizeof(uint64_t) };

static struct report *reports; /* [self.count], where there are ranks */

int hb_ranks_number(void) { return self.number; }
int hb_ranks_count(void) { return self.count; }
const struct hb_ranks_self *hb_ranks_self(void) { return &self; }

enum hb_status hb_ranks_join(const struct hb_ranks_ops *ops, const struct hb_ranks_self *now)
{
  hb_mem_free(reports);
  reports = NULL;
  if (ops) HB_TRY(HB_ALLOC((size_t)now->count, &reports));
  ranks = ops;
  self = *now;
  wish = wished = 0;
  return HB_OK;
}

/* ---- data -------------------------------------------------------------------------------------------- */

static enum hb_status said(const char *error)
{
  return error ? hb_fail(HB_ERR_IO, "the ranks cannot reach each other: %s", error) : HB_OK;
}

enum hb_status hb_ranks_share(void *data, size_t bytes)
{
  return ranks ? said(ranks->share(data, bytes)) : HB_OK;
}

enum hb_status hb_ranks_gather(size_t words, const void *mine, void *all)
{
  if (ranks) return said(all ? ranks->gather(words, mine, all) : ranks->show());
  if (mine) memcpy(all, mine, words * sizeof(uint64_t));
  return HB_OK;
}

enum hb_status hb_ranks_room(size_t words, uint64_t **room)
{
  *room = NULL;
  return ranks && ranks->room ? said(ranks->room(words, room)) : HB_OK;
}

enum hb_status hb_ranks_sum(size_t words, void *sums, void *room, hb_ranks_adder add)
{
  return ranks ? said(ranks->sum(words, sums, room, add)) : HB_OK;
}

/* ---- failures ---------------------------------------------------------------------------------------- */

/* Takes over the failure of a rank. A sentence of another one says whose it is. */
static enum hb_status take(int from, enum hb_status status, const char *sentence)
{
  if (from == 0 || from == self.number) return hb_fail(status, "%s", sentence);
  return hb_fail(status, "rank %d of %d: %s", from, self.count, sentence);
}

static void fill(enum hb_status status, struct report *mine)
{
  *mine = (struct report){.status = status};
  if (status != HB_OK) snprintf(mine->sentence, sizeof mine->sentence, "%s", hb_error());
}

static enum hb_status judge(void)
{
  for (int k = 0; k < self.count; k++)
    if (reports[k].status != HB_OK) return take(k, (enum hb_status)reports[k].status, reports[k].sentence);
  return HB_OK;
}

enum hb_status hb_ranks_agree(enum hb_status status)
{
  if (!ranks) return status;
  struct report mine;
  fill(status, &mine);
  HB_TRY(hb_ranks_gather(REPORT_WORDS, &mine, reports));
  return judge();
}

enum hb_status hb_ranks_close(enum hb_status status, int *alone)
{
  static const double PATIENCE_S = 5; /* of a rank that failed; the others may be a few steps behind */
  *alone = 0;
  if (!ranks) return status;
  struct report mine;
  int met = 0;
  fill(status, &mine);
  enum hb_status result =
      said(ranks->meet(status == HB_OK ? HUGE_VAL : PATIENCE_S, REPORT_WORDS, &mine, reports, &met));
  if (result == HB_OK && met) result = judge();
  if (result != HB_OK || met) status = result;
  *alone = !met;
  if (met) ranks->close();
  return status;
}

void hb_ranks_kill(enum hb_status status)
{
  if (ranks) ranks->kill((int)status);
}

/* ---- carried along ----------------------------------------------------------------------------------- */

/* Two counts of ranks, which add up without meeting. */
#define FAILED UINT64_C(1)
#define WISHES UINT64_C(0x100000000)

uint64_t hb_ranks_word(enum hb_status status) { return (status != HB_OK ? FAILED : 0) + (wish ? WISHES : 0); }

enum hb_status hb_ranks_heard(uint64_t sum, enum hb_status status)
{
  if (sum / WISHES) wished = 1;
  return sum % WISHES ? hb_ranks_agree(status) : HB_OK;
}

int hb_ranks_wish(int wishes)
{
  if (wishes) wish = 1;
  if (wishes && !ranks) wished = 1;
  return wished;
}

#include "force/hybrid_split.h"

#include <math.h>
#include <string.h>

static const double GAIN = 0.03;       /* OpenGL must be faster by more, somewhere; less is noise     */
static const double AFFORDABLE = 0.05; /* seconds that both sources together may take for one block   */
static const double NEAR = 1.1;        /* neighbors of the bound: costs within this factor are alike */
enum { STEP = 4 };

/* ---- from times to a bound ---- */

/* A time that falls with more sinks is noise. */
struct hb_hybrid_cost hb_hybrid_split_at(size_t ni, size_t count, const struct hb_hybrid_cost *costs)
{
  struct hb_hybrid_cost far = costs[count - 1];
  if (count > 1) {
    const struct hb_hybrid_cost *b = &costs[count - 1], *a = b - 1;
    double steps = (double)(ni - b->ni) / (double)(b->ni - a->ni);
    far.host += fmax(0, (b->host - a->host) * steps);
    far.gl += fmax(0, (b->gl - a->gl) * steps);
  }
  far.ni = ni;
  return far;
}

size_t hb_hybrid_split_crossing(const struct hb_hybrid_cost *a, const struct hb_hybrid_cost *b)
{
  double before = a->host - a->gl, after = b->host - b->gl;
  if ((before < 0) == (after < 0)) return b->ni;
  double share = before / (before - after);
  return a->ni + (size_t)ceil(share * (double)(b->ni - a->ni));
}

/* What a choice costs against the better one, as a logarithm: sizes count the same whatever they take. */
static double loss(const struct hb_hybrid_cost *c, int host)
{
  return fmax(0, host ? log(c->host / c->gl) : log(c->gl / c->host));
}

static double total_loss(size_t from, size_t to, const struct hb_hybrid_cost *costs, int host)
{
  double sum = 0;
  for (size_t k = from; k < to; k++) sum += loss(&costs[k], host);
  return sum;
}

/* Tries every place for one bound, with the host on either side of it. */
static struct hb_hybrid_split best_split(size_t count, const struct hb_hybrid_cost *costs)
{
  struct hb_hybrid_split best = HB_HYBRID_HOST;
  double gain = 0, least = total_loss(0, count, costs, 1);
  for (size_t k = 0; k < count; k++) gain = fmax(gain, loss(&costs[k], 1));
  if (gain < GAIN) return best;
  for (size_t k = 0; k < count; k++)
    for (int host_first = 1; host_first >= 0; host_first--) {
      double lost = total_loss(0, k, costs, host_first) + total_loss(k, count, costs, !host_first);
      if (lost >= least || (k == 0 && !host_first)) continue;
      size_t bound = k ? hb_hybrid_split_crossing(&costs[k - 1], &costs[k]) : 1;
      least = lost;
      best = host_first ? (struct hb_hybrid_split){bound, HB_HYBRID_ALL} : (struct hb_hybrid_split){1, bound};
    }
  return best;
}

struct hb_hybrid_split hb_hybrid_split_from(size_t n, size_t count, const struct hb_hybrid_cost *costs)
{
  struct hb_hybrid_cost all[HB_HYBRID_COSTS + 1];
  memcpy(all, costs, count * sizeof *costs);
  if (costs[count - 1].ni < n) all[count] = hb_hybrid_split_at(n, count, costs), count++;
  return best_split(count, all);
}

/* A place between the costs on both sides of the bound. */
static size_t between(size_t n, size_t count, const struct hb_hybrid_cost *costs)
{
  const struct hb_hybrid_split split = hb_hybrid_split_from(n, count, costs);
  size_t bound = split.host_from == HB_HYBRID_ALL ? split.host_below : split.host_from;
  for (size_t k = 1; k < count; k++)
    if (costs[k - 1].ni < bound && bound <= costs[k].ni) {
      double a = (double)costs[k - 1].ni, b = (double)costs[k].ni;
      size_t middle = (size_t)(sqrt(a * b) + 0.5);
      return b > NEAR * a && middle > costs[k - 1].ni && middle < costs[k].ni ? middle : 0;
    }
  return 0;
}

size_t hb_hybrid_split_ask(size_t n, size_t count, const struct hb_hybrid_cost *costs)
{
  if (count == 0) return 1;
  if (count == HB_HYBRID_COSTS) return 0;
  size_t last = costs[count - 1].ni, next = n / STEP < last ? n : last * STEP;
  const struct hb_hybrid_cost far = hb_hybrid_split_at(next, count, costs);
  double affordable = fmax(AFFORDABLE, 2 * (costs[0].host + costs[0].gl));
  if (last < n && far.host + far.gl <= affordable) return next;
  return between(n, count, costs);
}

/* ---- as words ---- */

static enum hb_status take_word(const char *word, void *into, int *is_own)
{
  struct hb_hybrid_words *words = into;
  const char *value;
  if ((value = hb_split_words_value(word, "host_below")))
    return hb_split_words_bound(word, value, &words->split.host_below);
  if ((value = hb_split_words_value(word, "host_from")))
    return hb_split_words_bound(word, value, &words->split.host_from);
  if ((value = hb_split_words_value(word, "gl"))) {
    words->gl = hb_pairs_scheme_find(value);
    if (words->gl && words->gl->has_tuning) return HB_OK;
    return hb_fail(HB_ERR_USAGE, "unknown tuning '%s': expected gl=bag or gl=tile", word);
  }
  *is_own = 0;
  return HB_OK;
}

/* With the bounds that follow from others they may be longer than those that were given. */
static enum hb_status check_length(const char *text, const struct hb_hybrid_words *words)
{
  char printed[HB_SPLIT_WORDS + 1];
  hb_hybrid_words_print(words, sizeof printed, printed);
  return strlen(printed) < HB_SPLIT_WORDS ? HB_OK
                                          : hb_fail(HB_ERR_USAGE, "the tuning '%.40s...' is too long", text);
}

enum hb_status hb_hybrid_words_parse(const char *text, struct hb_hybrid_words *words)
{
  *words = (struct hb_hybrid_words){.split = {0, 0}};
  HB_TRY(hb_split_words_parse(text, take_word, words, words->others));
  struct hb_hybrid_split *split = &words->split;
  if (split->host_from && !split->host_below) split->host_below = 1;
  if (split->host_below && !split->host_from) split->host_from = HB_HYBRID_ALL;
  return check_length(text, words);
}

void hb_hybrid_words_print(const struct hb_hybrid_words *words, size_t room, char *text)
{
  const struct hb_hybrid_split *split = &words->split;
  text[0] = 0;
  hb_split_words_append_bound("host_below=", split->host_below, room, text);
  if (split->host_below && split->host_from != HB_HYBRID_ALL)
    hb_split_words_append_bound("host_from=", split->host_from, room, text);
  if (words->gl) hb_split_words_append("gl=", words->gl->name, room, text);
  if (*words->others) hb_split_words_append(words->others, "", room, text);
}

#include "force/hybrid_split.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double GAIN = 0.03;       /* OpenGL must be faster by more, somewhere; less is noise     */
static const double AFFORDABLE = 0.05; /* seconds that both sources together may take for one block   */
static const double NEAR = 1.1;        /* neighbors of the bound: costs within this factor are alike */
enum { STEP = 4 };

/* ---- from times to a bound ---- */

/* The cost at ni sinks, extrapolated from the last two; a time that falls with more sinks is noise. */
static struct hb_hybrid_cost extrapolate(size_t ni, size_t count, const struct hb_hybrid_cost *costs)
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

/* Where between two costs the times cross; where they do not, which is noise, the larger ni. */
static size_t crossing(const struct hb_hybrid_cost *a, const struct hb_hybrid_cost *b)
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
      size_t bound = k ? crossing(&costs[k - 1], &costs[k]) : 1;
      least = lost;
      best = host_first ? (struct hb_hybrid_split){bound, HB_HYBRID_ALL} : (struct hb_hybrid_split){1, bound};
    }
  return best;
}

struct hb_hybrid_split hb_hybrid_split_from(size_t n, size_t count, const struct hb_hybrid_cost *costs)
{
  struct hb_hybrid_cost all[HB_HYBRID_COSTS + 1];
  memcpy(all, costs, count * sizeof *costs);
  if (costs[count - 1].ni < n) all[count] = extrapolate(n, count, costs), count++;
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
  const struct hb_hybrid_cost far = extrapolate(next, count, costs);
  double affordable = fmax(AFFORDABLE, 2 * (costs[0].host + costs[0].gl));
  if (last < n && far.host + far.gl <= affordable) return next;
  return between(n, count, costs);
}

/* ---- as words ---- */

static enum hb_status parse_bound(const char *word, const char *value, size_t *bound)
{
  char *end;
  unsigned long long number = strtoull(value, &end, 10);
  if (strcmp(value, "all") == 0)
    *bound = HB_HYBRID_ALL;
  else if (*value >= '0' && *value <= '9' && *end == 0 && number > 0 && number < HB_HYBRID_ALL)
    *bound = (size_t)number;
  else
    return hb_fail(HB_ERR_USAGE, "unknown tuning '%s': expected a number of sinks from 1 on, or all", word);
  return HB_OK;
}

/* What follows NAME= in word, NULL if it is another word. */
static const char *value_of(const char *word, const char *name)
{
  size_t length = strlen(name);
  return strncmp(word, name, length) == 0 && word[length] == '=' ? word + length + 1 : NULL;
}

static enum hb_status parse_word(const char *word, struct hb_hybrid_words *words)
{
  const char *value;
  if ((value = value_of(word, "host_below"))) return parse_bound(word, value, &words->split.host_below);
  if ((value = value_of(word, "host_from"))) return parse_bound(word, value, &words->split.host_from);
  if ((value = value_of(word, "gl"))) {
    words->gl = hb_pairs_scheme_find(value);
    if (words->gl && words->gl->has_tuning) return HB_OK;
    return hb_fail(HB_ERR_USAGE, "unknown tuning '%s': expected gl=bag or gl=tile", word);
  }
  if (*words->others) strcat(words->others, " ");
  strcat(words->others, word); /* fits: all of them together are shorter */
  return HB_OK;
}

enum hb_status hb_hybrid_words_parse(const char *text, struct hb_hybrid_words *words)
{
  char copy[sizeof words->others], *rest = NULL;
  *words = (struct hb_hybrid_words){.split = {0, 0}};
  if (!text) return HB_OK;
  if (strlen(text) >= sizeof copy) return hb_fail(HB_ERR_USAGE, "the tuning '%.40s...' is too long", text);
  strcpy(copy, text);
  for (char *word = strtok_r(copy, " ,", &rest); word; word = strtok_r(NULL, " ,", &rest))
    HB_TRY(parse_word(word, words));
  struct hb_hybrid_split *split = &words->split;
  if (split->host_from && !split->host_below) split->host_below = 1;
  if (split->host_below && !split->host_from) split->host_from = HB_HYBRID_ALL;
  return HB_OK;
}

/* Appends a word, if it fits. */
static void append(const char *name, const char *value, size_t room, char *text)
{
  size_t used = strlen(text);
  snprintf(text + used, room - used, "%s%s%s", used ? " " : "", name, value);
}

static void append_bound(const char *name, size_t bound, size_t room, char *text)
{
  char value[24] = "all";
  if (bound != HB_HYBRID_ALL) snprintf(value, sizeof value, "%zu", bound);
  append(name, value, room, text);
}

void hb_hybrid_words_print(const struct hb_hybrid_words *words, size_t room, char *text)
{
  const struct hb_hybrid_split *split = &words->split;
  text[0] = 0;
  if (split->host_below) append_bound("host_below=", split->host_below, room, text);
  if (split->host_below && split->host_from != HB_HYBRID_ALL)
    append_bound("host_from=", split->host_from, room, text);
  if (words->gl) append("gl=", words->gl->name, room, text);
  if (*words->others) append(words->others, "", room, text);
}

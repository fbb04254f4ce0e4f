#include "ic/masses.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/elementary.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static const struct {
  const char *name;
  struct hb_masses_piece pieces[HB_MASSES_PIECES];
} functions[] = {{"salpeter", {{0, 2.35}}}, {"kroupa", {{0.01, 0.3}, {0.08, 1.3}, {0.5, 2.3}}}};

const struct hb_masses_piece *hb_masses_function(const char *name)
{
  for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
    if (strcmp(name, functions[k].name) == 0) return functions[k].pieces;
  return NULL;
}

static int is_kind(const struct hb_ic_cluster *c, const char *name) { return strcmp(c->masses, name) == 0; }

static int is_file(const struct hb_ic_cluster *c)
{
  return !is_kind(c, "equal") && !is_kind(c, "two") && !hb_masses_function(c->masses);
}

int hb_masses_are_solar(const struct hb_ic_cluster *c) { return hb_masses_function(c->masses) || is_file(c); }

/* ---- a power law in pieces --------------------------------------------------------------------------- */

struct pieces {
  int count;
  double from[HB_MASSES_PIECES], to[HB_MASSES_PIECES], slope[HB_MASSES_PIECES];
  double stars[HB_MASSES_PIECES]; /* in each, in any unit */
};

/* The integral of m^-slope is m^p / p, p = 1 - slope. Where a piece begins it goes on as high as the one before it. */
static void cut_pieces(const struct hb_masses_piece *piece, double least, double most, struct pieces *p)
{
  double height = 1; /* the factor of m^-slope */
  p->count = 0;
  for (int k = 0; k < HB_MASSES_PIECES && piece[k].slope > 0; k++) {
    int is_last = k == HB_MASSES_PIECES - 1 || piece[k + 1].slope == 0;
    if (k > 0) height *= hb_elementary_power(piece[k].from, piece[k].slope - piece[k - 1].slope);
    double from = fmax(piece[k].from, least), to = is_last ? most : fmin(piece[k + 1].from, most);
    if (from >= to) continue;
    double q = 1 - piece[k].slope;
    p->from[p->count] = from;
    p->to[p->count] = to;
    p->slope[p->count] = piece[k].slope;
    p->stars[p->count++] = height * (hb_elementary_power(to, q) - hb_elementary_power(from, q)) / q;
  }
}

static double draw_mass(const struct pieces *p, struct hb_rng *rng)
{
  double all = 0;
  for (int k = 0; k < p->count; k++) all += p->stars[k];
  double u = hb_rng_uniform(rng) * all;
  int k = 0;
  while (k < p->count - 1 && u > p->stars[k]) u -= p->stars[k++];
  double q = 1 - p->slope[k], from = hb_elementary_power(p->from[k], q),
         to = hb_elementary_power(p->to[k], q);
  double m = hb_elementary_power(from + fmin(u / p->stars[k], 1) * (to - from), 1 / q);
  return fmin(fmax(m, p->from[k]), p->to[k]);
}

/* ---- a file ------------------------------------------------------------------------------------------ */

/* One mass in each line; empty lines and what follows a # are skipped. m[*n] is allocated. */
static enum hb_status parse(const char *path, char *text, double **m, size_t *n)
{
  size_t capacity = 0, line = 0;
  for (char *next; text; text = next) {
    const char *words[2];
    next = strchr(text, '\n');
    if (next) *next++ = 0;
    line++;
    text[strcspn(text, "#")] = 0;
    int count = hb_text_words(text, " \t\r", 2, words);
    if (count == 0) continue;
    HB_TRY(HB_GROW(*n, &capacity, m));
    double *mass = &(*m)[*n];
    if (count > 1 || hb_text_number(words[0], mass) != HB_OK || *mass <= 0)
      return hb_fail(HB_ERR_INPUT, "%s:%zu: '%s%s', expected one mass > 0 in each line", path, line, words[0],
                     count > 1 ? " ..." : "");
    ++*n;
  }
  return *n > 0 ? HB_OK : hb_fail(HB_ERR_INPUT, "%s: there is no mass in it", path);
}

static enum hb_status read_masses(const char *path, double **m, size_t *n)
{
  char *text;
  size_t length;
  *m = NULL;
  *n = 0;
  HB_TRY(hb_file_read_regular(path, &text, &length));
  enum hb_status status =
      memchr(text, 0, length) ? hb_fail(HB_ERR_INPUT, "%s: it is not text", path) : parse(path, text, m, n);
  hb_mem_free(text);
  return status;
}

/* ---- all of them ------------------------------------------------------------------------------------- */

static enum hb_status check_file(const struct hb_ic_cluster *c, size_t *n)
{
  double *m;
  size_t count;
  if (access(c->masses, F_OK) != 0)
    return hb_fail(HB_ERR_USAGE, "masses '%s' are neither equal, salpeter, kroupa or two nor a file",
                   c->masses);
  enum hb_status status = read_masses(c->masses, &m, &count);
  hb_mem_free(m);
  HB_TRY(status);
  if (*n != 0 && *n != count)
    return hb_fail(HB_ERR_USAGE, "%s has %zu mass%s, but %zu particles were asked for", c->masses, count,
                   count == 1 ? "" : "es", *n);
  *n = count;
  return HB_OK;
}

static enum hb_status check_limits(struct hb_ic_cluster *c, const struct hb_masses_piece *piece)
{
  if (c->mass_min == 0) c->mass_min = 0.08;
  if (c->mass_max == 0) c->mass_max = 100;
  if (!(c->mass_min > 0 && c->mass_min < c->mass_max && isfinite(c->mass_max)))
    return hb_fail(HB_ERR_USAGE,
                   "masses from %g to %g solar masses, expected the first above 0 and below the second",
                   c->mass_min, c->mass_max);
  if (c->mass_min < piece->from)
    return hb_fail(HB_ERR_USAGE, "the smallest mass is %g solar masses, but %s begins at %g", c->mass_min,
                   c->masses, piece->from);
  return HB_OK;
}

enum hb_status hb_masses_check(struct hb_ic_cluster *c, size_t *n)
{
  if (!c->masses) c->masses = "equal";
  const struct hb_masses_piece *piece = hb_masses_function(c->masses);
  if (!piece && (c->mass_min != 0 || c->mass_max != 0))
    return hb_fail(HB_ERR_USAGE,
                   "a smallest and a largest mass are for the masses salpeter and kroupa, not '%s'",
                   c->masses);
  if (!is_kind(c, "two") && (c->mass_ratio != 0 || c->heavy != 0))
    return hb_fail(HB_ERR_USAGE, "a mass ratio and a share of heavy stars are for the masses 'two', not '%s'",
                   c->masses);
  if (piece) return check_limits(c, piece);
  if (is_kind(c, "equal")) return HB_OK;
  if (!is_kind(c, "two")) return check_file(c, n);
  if (c->mass_ratio == 0) c->mass_ratio = 10;
  if (c->heavy == 0) c->heavy = 0.1;
  if (!(c->mass_ratio > 0 && isfinite(c->mass_ratio)))
    return hb_fail(HB_ERR_USAGE, "the mass ratio is %g, expected finite and > 0", c->mass_ratio);
  if (!(c->heavy > 0 && c->heavy < 1))
    return hb_fail(HB_ERR_USAGE, "the share of heavy stars is %g, expected 0 < heavy < 1", c->heavy);
  return HB_OK;
}

enum hb_status hb_masses_draw(const struct hb_ic_cluster *c, struct hb_rng *rng, size_t n, double *m)
{
  const struct hb_masses_piece *piece = hb_masses_function(c->masses);
  struct pieces pieces = {0};
  if (is_file(c)) {
    double *read;
    size_t count;
    enum hb_status status = read_masses(c->masses, &read, &count);
    if (status == HB_OK && count != n)
      status = hb_fail(HB_ERR_INPUT, "%s has %zu mass%s now, it had %zu before", c->masses, count,
                       count == 1 ? "" : "es", n);
    if (status == HB_OK) memcpy(m, read, n * sizeof *m);
    hb_mem_free(read);
    return status;
  }
  size_t heavy = is_kind(c, "two") ? (size_t)((double)n * c->heavy + 0.5) : 0;
  if (piece) cut_pieces(piece, c->mass_min, c->mass_max, &pieces);
  for (size_t i = 0; i < n; i++) m[i] = piece ? draw_mass(&pieces, rng) : i < heavy ? c->mass_ratio : 1;
  return HB_OK;
}

/* Reads snapshots of NEMO: either byte order, float or double, any number of them in a file. What we have no use for is
 * skipped, whatever its tag. */
#include "io/snapshot_nemo.h"

#include "base/mem.h"
#include "io/endian.h"
#include "io/lines.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { DEEPEST = 16 }; /* sets in sets; NEMO itself allows 8 */

/* ---- items ------------------------------------------------------------------------------------------- */

struct file {
  const char *name;
  const char *bytes;
  size_t at, count;
};

static enum hb_status cut_off(const struct file *f, const char *what)
{
  return hb_fail(HB_ERR_INPUT, "%s: the file ends at byte %zu, within %s", f->name, f->count, what);
}

/* A word that ends with NUL, of letters that can be shown, of fewer than size bytes. */
static enum hb_status get_word(struct file *f, const char *what, size_t size, char *word)
{
  size_t length = 0;
  for (; f->at < f->count && f->bytes[f->at]; f->at++) {
    char c = f->bytes[f->at];
    if (c <= ' ' || c > '~')
      return hb_fail(HB_ERR_INPUT, "%s: byte %zu is 0x%02x in %s, expected a letter", f->name, f->at,
                     (unsigned char)c, what);
    if (length + 1 == size)
      return hb_fail(HB_ERR_INPUT, "%s: byte %zu: %s is longer than %zu letters", f->name, f->at, what,
                     size - 1);
    word[length++] = c;
  }
  if (f->at == f->count) return cut_off(f, what);
  word[length] = 0;
  f->at++;
  return HB_OK;
}

static enum hb_status get_shape(struct file *f, struct hb_nemo_item *item)
{
  for (;;) {
    if (f->count - f->at < sizeof(int32_t)) return cut_off(f, "the dimensions of an item");
    int32_t length = hb_endian_int(f->bytes + f->at, item->swap);
    if (length == 0) break;
    if (length < 0 || item->dimensions == HB_NEMO_DIMENSIONS)
      return hb_fail(HB_ERR_INPUT, "%s: byte %zu: dimension %zu of item %s is %d, expected %s", f->name,
                     f->at, item->dimensions + 1, item->tag, length,
                     length < 0 ? "a positive number" : "at most 8 of them");
    item->shape[item->dimensions++] = length;
    f->at += sizeof(int32_t);
  }
  f->at += sizeof(int32_t);
  return HB_OK;
}

static int is_bracket(char type) { return type && strchr("()[]", type); }

/* Bytes of an element; 0: of a bracket, or an unknown type. */
static size_t width_of(char type)
{
  static const struct {
    char type;
    unsigned char width;
  } widths[] = {{'a', 1}, {'c', 1}, {'b', 1}, {'s', 2}, {'h', 2}, {'i', 4}, {'f', 4}, {'l', 8}, {'d', 8}};
  for (size_t k = 0; k < sizeof widths / sizeof *widths; k++)
    if (widths[k].type == type) return widths[k].width;
  return 0;
}

static enum hb_status get_data(struct file *f, struct hb_nemo_item *item)
{
  size_t width = width_of(item->type), most = width ? (f->count - f->at) / width : 0;
  item->count = 1;
  item->data = f->bytes + f->at;
  if (is_bracket(item->type)) return HB_OK;
  if (!width)
    return hb_fail(HB_ERR_INPUT, "%s: byte %zu: item %s has type '%c', expected one of a c b s i l h f d (",
                   f->name, item->at, item->tag, item->type);
  for (size_t k = 0; k < item->dimensions; k++) {
    size_t length = (size_t)item->shape[k];
    item->count = item->count > most / length ? most + 1 : item->count * length;
  }
  if (item->count > most)
    return hb_fail(HB_ERR_INPUT, "%s: byte %zu: item %s claims more data than the %zu bytes that follow",
                   f->name, item->at, item->tag, f->count - f->at);
  f->at += item->count * width;
  return HB_OK;
}

static enum hb_status get_item(struct file *f, struct hb_nemo_item *item)
{
  char type[2];
  memset(item, 0, sizeof *item);
  item->at = f->at;
  if (f->count - f->at < 2) return cut_off(f, "the magic number of an item");
  uint16_t magic = hb_endian_16(f->bytes + f->at, 0), turned = hb_endian_16(f->bytes + f->at, 1);
  item->swap = magic != HB_NEMO_SINGLE && magic != HB_NEMO_ARRAY;
  if (item->swap && turned != HB_NEMO_SINGLE && turned != HB_NEMO_ARRAY)
    return hb_fail(HB_ERR_INPUT, "%s: byte %zu: 0x%04x where an item begins, expected 0x%04x or 0x%04x",
                   f->name, f->at, magic, HB_NEMO_SINGLE, HB_NEMO_ARRAY);
  f->at += 2;
  HB_TRY(get_word(f, "the type of an item", sizeof type, type));
  item->type = type[0];
  if (item->type != ')') HB_TRY(get_word(f, "the tag of an item", sizeof item->tag, item->tag));
  if ((item->swap ? turned : magic) == HB_NEMO_ARRAY) HB_TRY(get_shape(f, item));
  return get_data(f, item);
}

/* Element k of an item of numbers. */
static double number_at(const struct hb_nemo_item *item, size_t k)
{
  const char *at = item->data + k * width_of(item->type);
  if (item->type == 'd') return hb_endian_double(at, item->swap);
  if (item->type == 'f') return (double)hb_endian_float(at, item->swap);
  if (item->type == 'i') return hb_endian_int(at, item->swap);
  if (item->type == 's') return (int16_t)hb_endian_16(at, item->swap);
  int64_t whole;
  hb_endian_copy(&whole, at, sizeof whole, item->swap);
  return (double)whole;
}

/* ---- snapshots --------------------------------------------------------------------------------------- */

/* Items that are absent have no tag. */
struct snapshot {
  size_t at;
  struct hb_nemo_item n, t, system, mass, phase, x, v, key;
};

static const struct {
  const char *set, *tag;
  size_t place;
} known[] = {{"Parameters", "Nobj", offsetof(struct snapshot, n)},
             {"Parameters", "NBody", offsetof(struct snapshot, n)}, /* as ZENO calls it */
             {"Parameters", "Time", offsetof(struct snapshot, t)},
             {"Particles", "CoordSystem", offsetof(struct snapshot, system)},
             {"Particles", "Mass", offsetof(struct snapshot, mass)},
             {"Particles", "PhaseSpace", offsetof(struct snapshot, phase)},
             {"Particles", "Position", offsetof(struct snapshot, x)},
             {"Particles", "Velocity", offsetof(struct snapshot, v)},
             {"Particles", "Key", offsetof(struct snapshot, key)}};

struct walk {
  struct file file;
  char sets[DEEPEST][sizeof((struct hb_nemo_item *)0)->tag]; /* that are open */
  size_t depth;
  struct hb_snapshot_choice *choice;
  struct snapshot now, chosen;
  struct hb_nemo_item last_mass, last_key;
  struct hb_particles *notes; /* of the second walk, which looks for nothing else */
};

static int is_within(const struct walk *w, size_t depth, const char *set)
{
  return w->depth == depth && strcmp(w->sets[depth - 1], set) == 0;
}

static enum hb_status bad_item(const struct walk *w, const struct hb_nemo_item *item, const char *expected)
{
  char shape[HB_NEMO_DIMENSIONS * 16] = "a single value";
  for (size_t k = 0, used = 0; k < item->dimensions; k++)
    used += (size_t)snprintf(shape + used, sizeof shape - used, "%s%d", k ? " x " : "", item->shape[k]);
  return hb_fail(HB_ERR_INPUT, "%s: byte %zu: item %s has type '%c' and shape %s, expected %s", w->file.name,
                 item->at, item->tag, item->type, shape, expected);
}

/* Whether it has n x a x b numbers of one of these types, a and b omitted where they are 0. */
static int fits(const struct hb_nemo_item *item, const char *types, size_t n, int32_t a, int32_t b)
{
  size_t rank = 1 + (a > 0) + (b > 0);
  return strchr(types, item->type) && item->dimensions == rank && (size_t)item->shape[0] == n &&
         (rank < 2 || item->shape[1] == a) && (rank < 3 || item->shape[2] == b);
}

static enum hb_status check_one(const struct walk *w, const struct hb_nemo_item *item, size_t n, int32_t a,
                                int32_t b)
{
  char expected[64];
  int is_key = item == &w->now.key;
  if (!*item->tag || fits(item, is_key ? "sil" : "fd", n, a, b)) return HB_OK;
  int used = snprintf(expected, sizeof expected, "%s of shape %zu", is_key ? "whole numbers" : "f or d", n);
  if (a) used += snprintf(expected + used, sizeof expected - (size_t)used, " x %d", a);
  if (b) snprintf(expected + used, sizeof expected - (size_t)used, " x %d", b);
  return bad_item(w, item, expected);
}

static enum hb_status check_header(const struct walk *w, size_t *n)
{
  const struct snapshot *s = &w->now;
  if (!*s->n.tag)
    return hb_fail(HB_ERR_INPUT, "%s: byte %zu: the SnapShot has no Nobj among its Parameters", w->file.name,
                   s->at);
  if (!strchr("sil", s->n.type) || s->n.count != 1) return bad_item(w, &s->n, "a single s, i or l");
  if (number_at(&s->n, 0) < 1)
    return hb_fail(HB_ERR_INPUT, "%s: byte %zu: %s is %.17g, expected a whole number > 0", w->file.name,
                   s->n.at, s->n.tag, number_at(&s->n, 0));
  *n = (size_t)number_at(&s->n, 0);
  if (*s->t.tag && (!strchr("fd", s->t.type) || s->t.count != 1)) return bad_item(w, &s->t, "one of f or d");
  if (!*s->system.tag) return HB_OK;
  if (s->system.type != 'i' || s->system.count != 1) return bad_item(w, &s->system, "a single i");
  int32_t code = hb_endian_int(s->system.data, s->system.swap);
  if ((code & ~0xff) == (HB_NEMO_CARTESIAN & ~0xff)) return HB_OK;
  return hb_fail(HB_ERR_INPUT, "%s: byte %zu: CoordSystem is %d, expected Cartesian coordinates in 3-D, %d",
                 w->file.name, s->system.at, code, HB_NEMO_CARTESIAN);
}

/* Later snapshots of a movie often lack masses and keys: those before still hold. */
static void take_over(const struct hb_nemo_item *last, size_t n, struct hb_nemo_item *item)
{
  if (!*item->tag && last->count == n) *item = *last;
}

static enum hb_status end_snapshot(struct walk *w)
{
  struct snapshot *s = &w->now;
  size_t n = 0;
  if (*s->mass.tag) w->last_mass = s->mass;
  if (*s->key.tag) w->last_key = s->key;
  if (!*s->phase.tag && !*s->x.tag && !*s->v.tag) return HB_OK; /* diagnostics only */
  HB_TRY(check_header(w, &n));
  take_over(&w->last_mass, n, &s->mass);
  take_over(&w->last_key, n, &s->key);
  if (!*s->mass.tag)
    return hb_fail(HB_ERR_INPUT, "%s: byte %zu: the SnapShot has no Mass, nor has one before it",
                   w->file.name, s->at);
  if (!*s->phase.tag && (!*s->x.tag || !*s->v.tag))
    return hb_fail(HB_ERR_INPUT, "%s: byte %zu: the SnapShot has no %s and no PhaseSpace", w->file.name,
                   s->at, *s->x.tag ? "Velocity" : "Position");
  HB_TRY(check_one(w, &s->mass, n, 0, 0));
  HB_TRY(check_one(w, &s->phase, n, 2, 3));
  HB_TRY(check_one(w, &s->x, n, 3, 0));
  HB_TRY(check_one(w, &s->v, n, 3, 0));
  HB_TRY(check_one(w, &s->key, n, 0, 0));
  if (hb_snapshot_offer(w->choice, *s->t.tag ? number_at(&s->t, 0) : 0)) w->chosen = *s;
  return HB_OK;
}

static enum hb_status open_set(struct walk *w, const struct hb_nemo_item *item)
{
  if (w->depth == DEEPEST)
    return hb_fail(HB_ERR_INPUT, "%s: byte %zu: set %s is nested deeper than %d", w->file.name, item->at,
                   item->tag, DEEPEST);
  memcpy(w->sets[w->depth++], item->tag, sizeof item->tag);
  if (!is_within(w, 1, "SnapShot")) return HB_OK;
  w->now = (struct snapshot){.at = item->at};
  return HB_OK;
}

static enum hb_status take_item(struct walk *w, const struct hb_nemo_item *item)
{
  if (w->depth == 0 && w->notes && item->type == 'c') {
    if (strcmp(item->tag, "History") == 0)
      return hb_lines_take_note(w->notes, w->file.name, item->data, item->count);
    if (strcmp(item->tag, "Headline") == 0)
      return hb_lines_add_note(w->notes, w->file.name, "headline", item->data,
                               strnlen(item->data, item->count));
  }
  if (w->depth != 2 || strcmp(w->sets[0], "SnapShot") != 0) return HB_OK;
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    if (is_within(w, 2, known[k].set) && strcmp(item->tag, known[k].tag) == 0)
      memcpy((char *)&w->now + known[k].place, item, sizeof *item);
  return HB_OK;
}

static enum hb_status walk(struct walk *w)
{
  struct hb_nemo_item item;
  while (w->file.at < w->file.count) {
    HB_TRY(get_item(&w->file, &item));
    if (item.type == '(' || item.type == '[') {
      HB_TRY(open_set(w, &item));
    } else if (item.type == ')' || item.type == ']') {
      if (w->depth == 0)
        return hb_fail(HB_ERR_INPUT, "%s: byte %zu: a set ends that never began", w->file.name, item.at);
      if (!w->notes && is_within(w, 1, "SnapShot")) HB_TRY(end_snapshot(w));
      w->depth--;
    } else {
      HB_TRY(take_item(w, &item));
    }
  }
  return w->depth == 0 ? HB_OK : cut_off(&w->file, "a set");
}

/* ---- particles --------------------------------------------------------------------------------------- */

static enum hb_status check_keys(const char *name, const struct hb_nemo_item *key, size_t n, uint64_t *ids)
{
  for (size_t i = 0; i < n; i++) {
    double id = number_at(key, i);
    if (id < 0 || id > 0x1p53)
      return hb_fail(HB_ERR_INPUT, "%s: byte %zu: Key %zu is %.17g, expected a whole number from 0 to 2^53",
                     name, key->at, i, id);
    ids[i] = (uint64_t)id;
  }
  return HB_OK;
}

/* Some programs leave them all zero. */
static enum hb_status get_keys(const char *name, const struct hb_nemo_item *key, struct hb_particles *p)
{
  uint64_t *ids;
  int taken;
  if (!*key->tag) return HB_OK;
  HB_TRY(HB_ALLOC(p->n, &ids));
  enum hb_status status = check_keys(name, key, p->n, ids);
  if (status == HB_OK) status = hb_snapshot_take_ids(p, ids, &taken);
  hb_mem_free(ids);
  return status;
}

static enum hb_status get_particles(struct walk *w, struct hb_particles *p)
{
  const struct snapshot *s = &w->chosen;
  p->t = *s->t.tag ? number_at(&s->t, 0) : 0;
  for (size_t i = 0; i < p->n; i++) {
    p->m[i] = number_at(&s->mass, i);
    for (size_t k = 0; k < 3; k++) {
      p->x[3 * i + k] = *s->phase.tag ? number_at(&s->phase, 6 * i + k) : number_at(&s->x, 3 * i + k);
      p->v[3 * i + k] = *s->phase.tag ? number_at(&s->phase, 6 * i + 3 + k) : number_at(&s->v, 3 * i + k);
    }
  }
  HB_TRY(get_keys(w->file.name, &s->key, p));
  w->notes = p;
  w->file.at = 0;
  return walk(w);
}

enum hb_status hb_snapshot_nemo_parse(const char *name, const char *bytes, size_t count,
                                      struct hb_snapshot_choice *choice, struct hb_particles **particles)
{
  struct walk w = {.file = {.name = name, .bytes = bytes, .count = count}, .choice = choice};
  *particles = NULL;
  if (count == 0) return hb_fail(HB_ERR_INPUT, "%s: the file is empty", name);
  HB_TRY(walk(&w));
  if (choice->count == 0) return hb_fail(HB_ERR_INPUT, "%s: there is no SnapShot with Particles", name);
  HB_TRY(hb_particles_create((size_t)number_at(&w.chosen.n, 0), particles));
  enum hb_status status = get_particles(&w, *particles);
  if (status == HB_OK) return HB_OK;
  hb_particles_destroy(*particles);
  *particles = NULL;
  return status;
}

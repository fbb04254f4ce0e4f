/* The structured binary files of NEMO: items one after another, each with a type, a tag and dimensions; items of type '('
 * begin a set, which ends at ')'. Numbers have the byte order of the machine that wrote them, seen at the magic number in
 * front of each item; layout as in NEMO's man pages filestruct(3) and snapshot(5). Written in double. Notes are items History,
 * as NEMO's own programs leave them: lines of history as they are, others as `# key: value`. */
#include "io/endian.h"
#include "io/snapshot_format.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum {
  NEMO_SINGLE = 0x0992, /* in front of a single value, or a set */
  NEMO_ARRAY = 0x0B92,  /* in front of an array                 */
  NEMO_DIMENSIONS = 8,  /* most of an item                      */
  NEMO_CARTESIAN = 1 << 16 | 3 << 8 | 2
};

struct item {
  char type;
  char tag[65];
  int swap;
  size_t at;         /* offset of the item in the file */
  size_t dimensions; /* 0: a single value */
  int32_t shape[NEMO_DIMENSIONS];
  size_t count; /* elements */
  const char *data;
};

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

static enum hb_status get_shape(struct file *f, struct item *item)
{
  for (;;) {
    if (f->count - f->at < sizeof(int32_t)) return cut_off(f, "the dimensions of an item");
    int32_t length = hb_endian_int(f->bytes + f->at, item->swap);
    if (length == 0) break;
    if (length < 0 || item->dimensions == NEMO_DIMENSIONS)
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

static enum hb_status get_data(struct file *f, struct item *item)
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

static enum hb_status get_item(struct file *f, struct item *item)
{
  char type[2];
  memset(item, 0, sizeof *item);
  item->at = f->at;
  if (f->count - f->at < 2) return cut_off(f, "the magic number of an item");
  uint16_t magic = hb_endian_16(f->bytes + f->at, 0), turned = hb_endian_16(f->bytes + f->at, 1);
  item->swap = magic != NEMO_SINGLE && magic != NEMO_ARRAY;
  if (item->swap && turned != NEMO_SINGLE && turned != NEMO_ARRAY)
    return hb_fail(HB_ERR_INPUT, "%s: byte %zu: 0x%04x where an item begins, expected 0x%04x or 0x%04x",
                   f->name, f->at, magic, NEMO_SINGLE, NEMO_ARRAY);
  f->at += 2;
  HB_TRY(get_word(f, "the type of an item", sizeof type, type));
  item->type = type[0];
  if (item->type != ')') HB_TRY(get_word(f, "the tag of an item", sizeof item->tag, item->tag));
  if ((item->swap ? turned : magic) == NEMO_ARRAY) HB_TRY(get_shape(f, item));
  return get_data(f, item);
}

/* Element k of an item of numbers. */
static double number_at(const struct item *item, size_t k)
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
  struct item n, t, system, mass, phase, x, v, key;
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
  char sets[DEEPEST][sizeof((struct item *)0)->tag]; /* that are open */
  size_t depth;
  struct hb_snapshot_choice *choice;
  struct snapshot now, chosen;
  struct item last_mass, last_key;
  struct hb_particles *notes; /* of the second walk, which looks for nothing else */
};

static int is_within(const struct walk *w, size_t depth, const char *set)
{
  return w->depth == depth && strcmp(w->sets[depth - 1], set) == 0;
}

static enum hb_status bad_item(const struct walk *w, const struct item *item, const char *expected)
{
  char shape[NEMO_DIMENSIONS * 16] = "a single value";
  for (size_t k = 0, used = 0; k < item->dimensions; k++)
    used += (size_t)snprintf(shape + used, sizeof shape - used, "%s%d", k ? " x " : "", item->shape[k]);
  return hb_fail(HB_ERR_INPUT, "%s: byte %zu: item %s has type '%c' and shape %s, expected %s", w->file.name,
                 item->at, item->tag, item->type, shape, expected);
}

/* Whether it has n x a x b numbers of one of these types, a and b omitted where they are 0. */
static int fits(const struct item *item, const char *types, size_t n, int32_t a, int32_t b)
{
  size_t rank = 1 + (a > 0) + (b > 0);
  return strchr(types, item->type) && item->dimensions == rank && (size_t)item->shape[0] == n &&
         (rank < 2 || item->shape[1] == a) && (rank < 3 || item->shape[2] == b);
}

static enum hb_status check_one(const struct walk *w, const struct item *item, size_t n, int32_t a, int32_t b)
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
  if ((code & ~0xff) == (NEMO_CARTESIAN & ~0xff)) return HB_OK;
  return hb_fail(HB_ERR_INPUT, "%s: byte %zu: CoordSystem is %d, expected Cartesian coordinates in 3-D, %d",
                 w->file.name, s->system.at, code, NEMO_CARTESIAN);
}

/* Later snapshots of a movie often lack masses and keys: those before still hold. */
static void take_over(const struct item *last, size_t n, struct item *item)
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

static enum hb_status open_set(struct walk *w, const struct item *item)
{
  if (w->depth == DEEPEST)
    return hb_fail(HB_ERR_INPUT, "%s: byte %zu: set %s is nested deeper than %d", w->file.name, item->at,
                   item->tag, DEEPEST);
  memcpy(w->sets[w->depth++], item->tag, sizeof item->tag);
  if (!is_within(w, 1, "SnapShot")) return HB_OK;
  w->now = (struct snapshot){.at = item->at};
  return HB_OK;
}

static enum hb_status take_item(struct walk *w, const struct item *item)
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
  struct item item;
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

/* Some programs leave them all zero. */
static enum hb_status get_keys(const char *name, const struct item *key, struct hb_particles *p)
{
  int are_kept = 1;
  for (size_t i = 0; *key->tag && i < p->n; i++) {
    double id = number_at(key, i);
    if (id < 0 || id > 0x1p53)
      return hb_fail(HB_ERR_INPUT, "%s: byte %zu: Key %zu is %.17g, expected a whole number from 0 to 2^53",
                     name, key->at, i, id);
    p->id[i] = (uint64_t)id;
  }
  return hb_snapshot_settle_ids(p, &are_kept);
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

static enum hb_status parse(const char *name, const char *bytes, size_t count,
                            struct hb_snapshot_choice *choice, struct hb_particles **particles)
{
  struct walk w = {.file = {.name = name, .bytes = bytes, .count = count}, .choice = choice};
  if (count == 0) return hb_fail(HB_ERR_INPUT, "%s: the file is empty", name);
  HB_TRY(walk(&w));
  if (choice->count == 0) return hb_fail(HB_ERR_INPUT, "%s: there is no SnapShot with Particles", name);
  HB_TRY(hb_particles_create((size_t)number_at(&w.chosen.n, 0), particles));
  return get_particles(&w, *particles);
}

/* ---- writing ------------------------------------------------------------------------------------------ */

/* Always little-endian, so that the bytes are the same everywhere. */
static enum hb_status put_bytes(struct hb_text *text, const void *bytes, size_t size, size_t count)
{
  if (!HB_ENDIAN_IS_BIG) return hb_text_append_bytes(text, bytes, size * count);
  for (size_t k = 0; k < count; k++) {
    char turned[8];
    hb_endian_copy(turned, (const char *)bytes + k * size, size, 1);
    HB_TRY(hb_text_append_bytes(text, turned, size));
  }
  return HB_OK;
}

/* The head of an item; rank 0: a single value. */
static enum hb_status put_head(struct hb_text *text, char type, const char *tag, int rank,
                               const int32_t *shape)
{
  const uint16_t magic = rank ? NEMO_ARRAY : NEMO_SINGLE;
  const int32_t end = 0;
  const char word[2] = {type, 0};
  HB_TRY(put_bytes(text, &magic, sizeof magic, 1));
  HB_TRY(hb_text_append_bytes(text, word, sizeof word));
  if (tag) HB_TRY(hb_text_append_bytes(text, tag, strlen(tag) + 1));
  if (!rank) return HB_OK;
  HB_TRY(put_bytes(text, shape, sizeof *shape, (size_t)rank));
  return put_bytes(text, &end, sizeof end, 1);
}

static enum hb_status put_int(struct hb_text *text, const char *tag, int32_t value)
{
  HB_TRY(put_head(text, 'i', tag, 0, NULL));
  return put_bytes(text, &value, sizeof value, 1);
}

static enum hb_status put_history(void *text, const char *line, size_t length)
{
  HB_TRY(put_head(text, 'c', "History", 1, (const int32_t[]){(int32_t)length + 1}));
  HB_TRY(hb_text_append_bytes(text, line, length));
  return hb_text_append_bytes(text, "", 1);
}

/* One particle after another: position, velocity. */
static enum hb_status put_phase_space(struct hb_text *text, const struct hb_particles *p)
{
  HB_TRY(put_head(text, 'd', "PhaseSpace", 3, (const int32_t[]){(int32_t)p->n, 2, 3}));
  for (size_t i = 0; i < p->n; i++) {
    HB_TRY(put_bytes(text, p->x + 3 * i, sizeof(double), 3));
    HB_TRY(put_bytes(text, p->v + 3 * i, sizeof(double), 3));
  }
  return HB_OK;
}

static enum hb_status put_keys(struct hb_text *text, const struct hb_particles *p)
{
  HB_TRY(put_head(text, 'i', "Key", 1, (const int32_t[]){(int32_t)p->n}));
  for (size_t i = 0; i < p->n; i++) {
    const int32_t key = (int32_t)p->id[i];
    HB_TRY(put_bytes(text, &key, sizeof key, 1));
  }
  return HB_OK;
}

static enum hb_status nemo_write(const struct hb_particles *p, struct hb_text *text)
{
  const int32_t n = (int32_t)p->n;
  HB_TRY(hb_lines_put_notes(p, HB_LINES_HISTORY, put_history, text));
  HB_TRY(put_head(text, '(', "SnapShot", 0, NULL));
  HB_TRY(put_head(text, '(', "Parameters", 0, NULL));
  HB_TRY(put_int(text, "Nobj", n));
  HB_TRY(put_head(text, 'd', "Time", 0, NULL));
  HB_TRY(put_bytes(text, &p->t, sizeof p->t, 1));
  HB_TRY(put_head(text, ')', NULL, 0, NULL));
  HB_TRY(put_head(text, '(', "Particles", 0, NULL));
  HB_TRY(put_int(text, "CoordSystem", NEMO_CARTESIAN));
  HB_TRY(put_head(text, 'd', "Mass", 1, &n));
  HB_TRY(put_bytes(text, p->m, sizeof *p->m, p->n));
  HB_TRY(put_phase_space(text, p));
  HB_TRY(put_keys(text, p));
  HB_TRY(put_head(text, ')', NULL, 0, NULL));
  return put_head(text, ')', NULL, 0, NULL);
}

/* A magic number in one of the two byte orders, and a type of items that are found at the top of a file. */
static int nemo_recognize(const char *head, size_t count, uint64_t total)
{
  if (count < 4 || total < 4 || !strchr("(c", head[2]) || head[2] == 0 || head[3] != 0) return 0;
  for (int swap = 0; swap < 2; swap++) {
    uint16_t magic = hb_endian_16(head, swap);
    if (magic == NEMO_SINGLE || magic == NEMO_ARRAY) return 1;
  }
  return 0;
}

const struct hb_snapshot_ops hb_snapshot_nemo = {
    .info = {.name = "nemo",
             .summary = "NEMO's structured binary snapshots, in double",
             .extensions = "nemo snap dat"},
    .recognize = nemo_recognize,
    .parse = parse,
    .write = nemo_write,
    .facts = HB_SNAPSHOT_INT_N | HB_SNAPSHOT_INT_IDS,
};

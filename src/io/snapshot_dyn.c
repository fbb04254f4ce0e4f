/* Starlab's dyn: a tree of particles as text. Each node is `(Particle ... )Particle` with a `(Log`, a `(Dynamics`, lines
 * `key = value`, and its children inside; the root stands for the whole system, and positions and velocities are relative to
 * the parent. We write a flat tree, all particles children of a root at rest at the origin, and read any: the leaves
 * are the particles. A file may hold several roots, one after another. Notes are lines of the root's log. */
#include "io/snapshot_format.h"

#include "base/mem.h"
#include "core/diagnostics.h"

#include <math.h>
#include <string.h>

/* ---- writing ----------------------------------------------------------------------------------------- */

/* With the blanks by which Starlab and AMUSE know a line of a log. */
static enum hb_status put_log(void *text, const char *line, size_t length)
{
  HB_TRY(hb_text_append(text, "       "));
  HB_TRY(hb_text_append_bytes(text, line, length));
  return hb_text_append(text, "\n");
}

static enum hb_status put_dynamics(struct hb_text *text, double m, const double x[3], const double v[3])
{
  return hb_text_append(text,
                        "  m  =  %.17g\n  r  =  %.17g %.17g %.17g\n  v  =  %.17g %.17g %.17g\n)Dynamics\n"
                        "(Hydro\n)Hydro\n(Star\n)Star\n",
                        m, x[0], x[1], x[2], v[0], v[1], v[2]);
}

static enum hb_status dyn_write(const struct hb_particles *p, struct hb_text *text)
{
  static const double origin[3];
  double total = hb_sum(p->n, p->m);
  if (!isfinite(total))
    return hb_fail(HB_ERR_INPUT, "the masses add up to %g, expected a finite total", total);
  HB_TRY(hb_text_append(text, "(Particle\n  N = %zu\n(Log\n", p->n));
  HB_TRY(hb_lines_put_notes(p, HB_LINES_HISTORY, put_log, text));
  HB_TRY(hb_text_append(text, ")Log\n(Dynamics\n  system_time  =  %.17g\n", p->t));
  HB_TRY(put_dynamics(text, total, origin, origin));
  for (size_t i = 0; i < p->n; i++) {
    HB_TRY(hb_text_append(text, "(Particle\n  i = %llu\n  N = 1\n(Log\n)Log\n(Dynamics\n",
                          (unsigned long long)p->id[i]));
    HB_TRY(put_dynamics(text, p->m[i], p->x + 3 * i, p->v + 3 * i));
    HB_TRY(hb_text_append(text, ")Particle\n"));
  }
  return hb_text_append(text, ")Particle\n");
}

/* ---- reading: the tree ------------------------------------------------------------------------------- */

enum { HAS_M = 1, HAS_R = 2, HAS_V = 4, HAS_I = 8 };

/* A node that has begun, or a particle. */
struct node {
  size_t line; /* where it begins */
  unsigned has;
  uint64_t i;
  double m, r[3], v[3]; /* r and v relative to the parent, of a particle to the origin */
  size_t children;
};

/* A tree being read; of the one that is chosen, the leaves are kept. */
struct tree {
  struct hb_lines c;
  struct node *open; /* [depth] from the root to the current one */
  size_t depth, open_capacity;
  struct node *leaves;
  size_t count, leaf_capacity;
  char story[16]; /* what is open in the current node: Log, Dynamics, ... or "" */
  double t;
  int has_real_time;
  uint64_t n; /* N of the root; 0: not given */
  const char *bytes;
  size_t log, log_end; /* offsets of the root's log */
};

static enum hb_status bad_line(const struct tree *t, const char *expected)
{
  const struct hb_lines *c = &t->c;
  int length = (int)(c->end - c->begin < 40 ? c->end - c->begin : 40);
  return hb_fail(HB_ERR_INPUT, "%s:%zu: '%.*s', expected %s", c->name, c->line, length, c->begin, expected);
}

static int is_line(const struct hb_lines *c, const char *bracket, const char *word)
{
  size_t length = strlen(word);
  return (size_t)(c->end - c->begin) == length + 1 && *c->begin == *bracket &&
         memcmp(c->begin + 1, word, length) == 0;
}

static enum hb_status begin_node(struct tree *t)
{
  enum { DEEPEST = 1000 };
  if (t->depth == DEEPEST)
    return hb_fail(HB_ERR_INPUT, "%s:%zu: particles nested deeper than %d", t->c.name, t->c.line, DEEPEST);
  HB_TRY(HB_GROW(t->depth, &t->open_capacity, &t->open));
  if (t->depth) t->open[t->depth - 1].children++;
  t->open[t->depth++] = (struct node){.line = t->c.line};
  return HB_OK;
}

/* The sum of what the nodes from the root on have. In a flat tree these are zeros, which leave a -0 as it is. */
static void add_up(const struct tree *t, struct node *leaf)
{
  for (size_t k = 0; k + 1 < t->depth; k++)
    for (int c = 0; c < 3; c++) {
      if (t->open[k].r[c] != 0) leaf->r[c] += t->open[k].r[c];
      if (t->open[k].v[c] != 0) leaf->v[c] += t->open[k].v[c];
    }
}

static enum hb_status end_node(struct tree *t)
{
  static const char *const lacking[] = {"m", "r", "v"};
  struct node leaf = t->open[t->depth - 1];
  if (leaf.children == 0) {
    for (unsigned k = 0; k < 3; k++)
      if (!(leaf.has & 1u << k))
        return hb_fail(HB_ERR_INPUT, "%s:%zu: the particle that ends here has no %s", t->c.name, t->c.line,
                       lacking[k]);
    add_up(t, &leaf);
    HB_TRY(HB_GROW(t->count, &t->leaf_capacity, &t->leaves));
    t->leaves[t->count++] = leaf;
  }
  t->depth--;
  return HB_OK;
}

/* ---- reading: values --------------------------------------------------------------------------------- */

static enum hb_status get_numbers(const struct tree *t, const char *at, int count, double *numbers)
{
  const struct hb_lines *c = &t->c;
  for (int k = 0; k < count; k++) {
    hb_lines_skip_blanks(c, &at);
    if (at == c->end || !hb_lines_number(c, &at, &numbers[k]))
      return bad_line(t, count == 1 ? "a finite number" : "three finite numbers");
  }
  hb_lines_skip_blanks(c, &at);
  return at == c->end ? HB_OK : bad_line(t, count == 1 ? "one number" : "three numbers");
}

/* After real_system_time, system_time is in Starlab's own form of extended precision. */
static enum hb_status get_time(struct tree *t, const char *key, size_t length, const char *value)
{
  int is_real = length == strlen("real_system_time") && strncmp(key, "real_system_time", length) == 0;
  int is_time = length == strlen("system_time") && strncmp(key, "system_time", length) == 0;
  if (t->depth > 1 || (!is_real && !is_time) || (is_time && t->has_real_time)) return HB_OK;
  t->has_real_time |= is_real;
  return get_numbers(t, value, 1, &t->t);
}

static enum hb_status get_dynamics(struct tree *t, const char *key, size_t length, const char *value)
{
  struct node *node = &t->open[t->depth - 1];
  if (length == 4 && strncmp(key, "tmpv", 4) == 0)
    return bad_line(t, "numbers as text, not Starlab's unformatted ones");
  if (length != 1) return get_time(t, key, length, value);
  if (*key == 'm') {
    node->has |= HAS_M;
    return get_numbers(t, value, 1, &node->m);
  }
  if (*key == 'r' || *key == 'v') {
    node->has |= *key == 'r' ? HAS_R : HAS_V;
    return get_numbers(t, value, 3, *key == 'r' ? node->r : node->v);
  }
  return HB_OK;
}

/* A value of the node itself. */
static enum hb_status get_own(struct tree *t, const char *key, size_t length, const char *value)
{
  struct node *node = &t->open[t->depth - 1];
  int is_n = length == 1 && *key == 'N' && t->depth == 1;
  if (!is_n && !(length == 1 && *key == 'i')) return HB_OK;
  hb_lines_skip_blanks(&t->c, &value);
  if (value == t->c.end || !hb_lines_whole(&t->c, &value, is_n ? &t->n : &node->i))
    return bad_line(t, "a whole number >= 0");
  if (!is_n) node->has |= HAS_I;
  return HB_OK;
}

/* `key = value` */
static enum hb_status take_value(struct tree *t)
{
  const struct hb_lines *c = &t->c;
  const char *sign = memchr(c->begin, '=', (size_t)(c->end - c->begin));
  int in_dynamics = strcmp(t->story, "Dynamics") == 0;
  if (*t->story && !in_dynamics) return HB_OK;
  if (!sign) return bad_line(t, "a line `key = value`, '(' or ')'");
  const char *end = sign;
  while (end > c->begin && hb_lines_is_blank(end[-1])) end--;
  size_t length = (size_t)(end - c->begin);
  return in_dynamics ? get_dynamics(t, c->begin, length, sign + 1) : get_own(t, c->begin, length, sign + 1);
}

/* ---- reading: the file ------------------------------------------------------------------------------- */

/* Blanks in front have been skipped; a bracket counts where there are none. */
static int is_bracket(const struct tree *t, char bracket)
{
  const struct hb_lines *c = &t->c;
  return c->begin < c->end && *c->begin == bracket && (c->begin == t->bytes || c->begin[-1] == '\n');
}

static enum hb_status begin_story(struct tree *t)
{
  const struct hb_lines *c = &t->c;
  size_t length = (size_t)(c->end - c->begin) - 1;
  if (length == 0 || length >= sizeof t->story) return bad_line(t, "(Particle, (Log, (Dynamics or the like");
  memcpy(t->story, c->begin + 1, length);
  t->story[length] = 0;
  if (t->depth == 1 && strcmp(t->story, "Log") == 0 && !t->log)
    t->log = t->log_end = (size_t)(c->next - t->bytes);
  return HB_OK;
}

static enum hb_status end_story(struct tree *t)
{
  if (t->depth == 1 && strcmp(t->story, "Log") == 0 && t->log_end == t->log)
    t->log_end = (size_t)(t->c.begin - t->bytes);
  *t->story = 0;
  return HB_OK;
}

/* A line within a root. */
static enum hb_status take_line(struct tree *t)
{
  const struct hb_lines *c = &t->c;
  if (*t->story) {
    if (is_bracket(t, ')') && is_line(c, ")", t->story)) return end_story(t);
    if (strcmp(t->story, "Dynamics") == 0 && (is_bracket(t, '(') || is_bracket(t, ')')))
      return bad_line(t, "the end of (Dynamics first");
    return c->begin < c->end ? take_value(t) : HB_OK;
  }
  if (is_bracket(t, '(')) return is_line(c, "(", "Particle") ? begin_node(t) : begin_story(t);
  if (is_bracket(t, ')')) return is_line(c, ")", "Particle") ? end_node(t) : bad_line(t, ")Particle");
  return c->begin < c->end ? take_value(t) : HB_OK;
}

static enum hb_status check_end(const struct tree *t)
{
  const char *name = t->c.name;
  if (t->depth > 0)
    return hb_fail(HB_ERR_INPUT, "%s:%zu: the file ends within the particle of line %zu", name, t->c.line,
                   t->open[t->depth - 1].line);
  if (t->n && t->n != t->count)
    return hb_fail(HB_ERR_INPUT, "%s:%zu: the root says N = %llu, but it has %zu particle%s", name, t->c.line,
                   (unsigned long long)t->n, t->count, hb_text_s(t->count));
  return HB_OK;
}

/* From the next root to its end; *found is 0 where there is none. */
static enum hb_status read_root(struct tree *t, int *found)
{
  t->count = t->log = t->log_end = 0;
  t->n = 0;
  t->t = 0;
  t->has_real_time = *found = 0;
  while (hb_lines_next(&t->c)) {
    if (t->depth == 0 && t->c.begin == t->c.end) continue;
    if (t->depth == 0 && !(is_bracket(t, '(') && is_line(&t->c, "(", "Particle")))
      return bad_line(t, "(Particle");
    *found = 1;
    HB_TRY(take_line(t));
    if (t->depth == 0) break;
  }
  return *found ? check_end(t) : HB_OK;
}

static enum hb_status make_particles(const struct tree *t, struct hb_particles *p)
{
  int are_kept = 1;
  p->t = t->t;
  for (size_t i = 0; i < p->n; i++) {
    const struct node *leaf = &t->leaves[i];
    are_kept &= (leaf->has & HAS_I) != 0;
    p->id[i] = leaf->i;
    p->m[i] = leaf->m;
    memcpy(p->x + 3 * i, leaf->r, sizeof leaf->r);
    memcpy(p->v + 3 * i, leaf->v, sizeof leaf->v);
  }
  struct hb_lines log = hb_lines_at_start(t->c.name, t->bytes + t->log, t->log_end - t->log);
  while (hb_lines_next(&log))
    if (log.begin < log.end)
      HB_TRY(hb_lines_take_note(p, t->c.name, log.begin, (size_t)(log.end - log.begin)));
  return hb_snapshot_settle_ids(p, &are_kept);
}

static enum hb_status keep(const struct tree *t, struct hb_particles **particles)
{
  hb_particles_destroy(*particles);
  *particles = NULL;
  HB_TRY(hb_particles_create(t->count, particles));
  return make_particles(t, *particles);
}

static enum hb_status dyn_parse(const char *name, const char *bytes, size_t count,
                                struct hb_snapshot_choice *choice, struct hb_particles **particles)
{
  struct tree tree = {.c = hb_lines_at_start(name, bytes, count), .bytes = bytes};
  enum hb_status status = HB_OK;
  for (int found = 1; found && status == HB_OK;) {
    status = read_root(&tree, &found);
    if (status == HB_OK && found && hb_snapshot_offer(choice, tree.t)) status = keep(&tree, particles);
  }
  if (status == HB_OK && !*particles)
    status = hb_fail(HB_ERR_INPUT, "%s: %s, expected (Particle", name,
                     count == 0 ? "the file is empty" : "there are no particles");
  HB_FREE(tree.open, tree.leaves);
  return status;
}

static int dyn_recognize(const char *head, size_t count, uint64_t total)
{
  static const char begin[] = "(Particle";
  (void)total;
  return count >= strlen(begin) && memcmp(head, begin, strlen(begin)) == 0;
}

const struct hb_snapshot_ops hb_snapshot_dyn = {
    .info = {.name = "dyn",
             .summary = "Starlab's tree of particles as text; nested trees are flattened",
             .extensions = "dyn"},
    .recognize = dyn_recognize,
    .parse = dyn_parse,
    .write = dyn_write,
    .facts = HB_SNAPSHOT_INT_IDS,
};

/* Contacts and approaches on a path; see contact.h. */
#include "chain/contact.h"

#include "base/mem.h"

/* ---- a path as a cubic between two points ---- */

/* The largest number of times that a piece of a path is halved, and of iterations for a root. */
enum { HALVINGS = 24, ITERATIONS = 80 };

/* Sets x[3] to the cubic between two points, at the part w of the way. */
static void cubic_at(const struct hb_contact_point *p, const struct hb_contact_point *q, double w,
                     double x[3])
{
  double h = q->u - p->u, rest = 1 - w;
  for (size_t i = 0; i < 3; i++) {
    double first = p->x[i] + h / 3 * p->d[i], second = q->x[i] - h / 3 * q->d[i];
    x[i] = rest * rest * (rest * p->x[i] + 3 * w * first) + w * w * (3 * rest * second + w * q->x[i]);
  }
}

/* Returns how far the cubic is from the straight line between its ends, at most. */
static double bend_of(const struct hb_contact_point *p, const struct hb_contact_point *q)
{
  double h = q->u - p->u, most2 = 0;
  for (int s = 0; s < 2; s++) {
    double e[3];
    for (size_t i = 0; i < 3; i++) e[i] = (h * (s ? q->d[i] : p->d[i]) - (q->x[i] - p->x[i])) / 3;
    most2 = fmax(most2, hb_dot(e, e));
  }
  return sqrt(most2);
}

/* Returns the distance of the origin from the straight line between two positions. */
static double distance_of_line(const double x[3], const double y[3])
{
  double r[3], q[3];
  for (size_t i = 0; i < 3; i++) r[i] = y[i] - x[i];
  double r2 = hb_dot(r, r), w = r2 > 0 ? -hb_dot(x, r) / r2 : 0;
  w = fmin(fmax(w, 0), 1);
  for (size_t i = 0; i < 3; i++) q[i] = x[i] + w * r[i];
  return hb_norm(q);
}

/* Returns a lower limit of the distance of the cubic from the origin. */
static double least_distance(const struct hb_contact_point *p, const struct hb_contact_point *q)
{
  enum { LINES = 8 };
  double bend = bend_of(p, q), least = distance_of_line(p->x, q->x) - bend, before[3], next[3];
  if (least > bend) return least; /* the lines would hardly say more */
  least = INFINITY;
  for (size_t i = 0; i < 3; i++) before[i] = p->x[i];
  for (int k = 1; k <= LINES; k++) {
    cubic_at(p, q, (double)k / LINES, next);
    least = fmin(least, distance_of_line(before, next));
    for (size_t i = 0; i < 3; i++) before[i] = next[i];
  }
  return least - 2 * bend / (LINES * LINES);
}

/* Before any point within is known, the error of the cubic is taken as this part of how much it is bent. */
static const double unknown_error = 1;

/* A piece of a path, and the error of its cubic. */
struct piece {
  struct hb_contact_point p, q;
  double error;
  int halvings;
};

/* Divides a piece, and estimates the errors of both halves. */
static void halve(const struct hb_contact_path *path, const struct piece *piece, struct piece half[2])
{
  double x[3], e[3];
  struct hb_contact_point middle;
  path->find(path->context, piece->p.u + (piece->q.u - piece->p.u) / 2, &middle);
  cubic_at(&piece->p, &piece->q, 0.5, x);
  for (size_t i = 0; i < 3; i++) e[i] = middle.x[i] - x[i];
  half[0] = half[1] = *piece;
  half[0].q = half[1].p = middle;
  half[0].error = half[1].error = hb_norm(e) / 4; /* it falls with the fourth power of the step, by 16 */
  half[0].halvings = half[1].halvings = piece->halvings + 1;
}

static double approaching(const struct hb_contact_point *p) { return hb_dot(p->x, p->d); }

/* True if a piece is bent so little beside the separation that it has no minimum but one that its ends show. */
static int is_straight(const struct piece *piece)
{
  static const double straight = 1e-3;
  return bend_of(&piece->p, &piece->q) < straight * fmin(hb_norm(piece->p.x), hb_norm(piece->q.x));
}

/* True if the ends of a piece show that there is a minimum of the separation between them, and only one. */
static int shows_minimum(const struct piece *piece)
{
  int is_between = approaching(&piece->p) < 0 && approaching(&piece->q) >= 0;
  return is_between && (is_straight(piece) || piece->halvings > 2);
}

/* ---- roots ---- */

/* Finds a root of a function of the parameter between low and high, where it has opposite signs: the secant method, with the weight of
 * an end that stays halved (Illinois), and a bisection every second time. */
struct root {
  double low, high, f_low, f_high;
  int side, count;
};

static double next_guess(struct root *r)
{
  double u = r->low + (r->high - r->low) * (r->f_low / (r->f_low - r->f_high));
  if (++r->count % 2 == 0 || !(u > r->low && u < r->high)) u = r->low + (r->high - r->low) / 2;
  return u;
}

/* Takes the value f at u, which has the sign of the lower end if `is_low`. */
static void narrow(struct root *r, double u, double f, int is_low)
{
  int side = is_low ? -1 : 1;
  if (is_low) {
    r->low = u, r->f_low = f;
    if (side == r->side) r->f_high /= 2;
  } else {
    r->high = u, r->f_high = f;
    if (side == r->side) r->f_low /= 2;
  }
  r->side = side;
}

/* Sets *at to the minimum of the separation between p, where it becomes smaller, and q, where it becomes larger. */
static void find_minimum(const struct hb_contact_path *path, const struct hb_contact_point *p,
                         const struct hb_contact_point *q, struct hb_contact_point *at)
{
  static const double exact = 1e-9;
  struct root root = {p->u, q->u, approaching(p), approaching(q), 0, 0};
  *at = hb_norm(p->x) < hb_norm(q->x) ? *p : *q;
  for (int k = 0; k < ITERATIONS; k++) {
    double u = next_guess(&root), f;
    if (!(u > root.low && u < root.high)) return;
    path->find(path->context, u, at);
    f = approaching(at);
    if (fabs(f) <= exact * hb_norm(at->x) * hb_norm(at->d)) return;
    narrow(&root, u, f, f < 0);
  }
}

/* ---- a contact ---- */

/* Sets *at to the point between p, which is outside, and q, which is inside, at which the separation becomes `reach`. */
static void find_crossing(const struct hb_contact_path *path, double reach, const struct hb_contact_point *p,
                          const struct hb_contact_point *q, struct hb_contact_point *at)
{
  static const double exact = 5e-11;
  double aim = reach * (1 - exact);
  struct root root = {p->u, q->u, hb_norm(p->x) - aim, hb_norm(q->x) - aim, 0, 0};
  *at = *q;
  for (int k = 0; k < ITERATIONS && root.f_high < 0; k++) {
    struct hb_contact_point next;
    double u = next_guess(&root), f;
    if (!(u > root.low && u < root.high)) return;
    path->find(path->context, u, &next);
    f = hb_norm(next.x) - aim;
    if (f <= exact * reach) *at = next;
    if (fabs(f) <= exact * reach) return;
    narrow(&root, u, f, f > 0);
  }
}

/* Whether there is a contact on a piece; *at is where. */
static int touches_in(const struct hb_contact_path *path, double reach, const struct piece *piece,
                      struct hb_contact_point *at)
{
  const struct hb_contact_point *p = &piece->p, *q = &piece->q;
  struct hb_contact_point nearest;
  double rounding = 4e-16 * (hb_norm(p->x) + hb_norm(q->x));
  if (!(hb_dot(p->x, p->x) > reach * reach)) return 0;
  if (hb_dot(q->x, q->x) <= reach * reach) {
    find_crossing(path, reach, p, q, at);
    return 1;
  }
  if (least_distance(p, q) > reach + piece->error + rounding) return 0;
  if (shows_minimum(piece)) {
    find_minimum(path, p, q, &nearest);
    if (!(hb_dot(nearest.x, nearest.x) < reach * reach)) return 0;
    find_crossing(path, reach, p, &nearest, at);
    return 1;
  }
  if (is_straight(piece) || piece->halvings == HALVINGS) return 0;
  struct piece half[2];
  halve(path, piece, half);
  return touches_in(path, reach, half, at) || touches_in(path, reach, half + 1, at);
}

int hb_contact_find(const struct hb_contact_path *path, double reach, struct hb_contact_point *at)
{
  const struct piece whole = {path->from, path->to, unknown_error * bend_of(&path->from, &path->to), 0};
  return touches_in(path, reach, &whole, at);
}

/* ---- the nearest point ---- */

/* Whether there is a minimum below `within` on a piece; *at is where. */
static int has_nearest(const struct hb_contact_path *path, double within, const struct piece *piece,
                       struct hb_contact_point *at)
{
  double rounding = 4e-16 * (hb_norm(piece->p.x) + hb_norm(piece->q.x));
  if (least_distance(&piece->p, &piece->q) > within + piece->error + rounding) return 0;
  if (shows_minimum(piece)) {
    find_minimum(path, &piece->p, &piece->q, at);
    return hb_norm(at->x) < within;
  }
  if (is_straight(piece) || piece->halvings == HALVINGS) return 0;
  struct piece half[2];
  halve(path, piece, half);
  return has_nearest(path, within, half, at) || has_nearest(path, within, half + 1, at);
}

int hb_contact_find_nearest(const struct hb_contact_path *path, double within, struct hb_contact_point *at)
{
  const struct piece whole = {path->from, path->to, unknown_error * bend_of(&path->from, &path->to), 0};
  return has_nearest(path, within, &whole, at);
}

/* ---- of a chain ---- */

int hb_contact_is_watched(const struct hb_contact_criteria *criteria)
{
  return criteria->finds_touches || criteria->within > 0 || criteria->in_radii > 0;
}

double hb_contact_reach(const struct hb_contact_criteria *criteria, uint32_t i, uint32_t k)
{
  return criteria->finds_touches ? criteria->radius[i] + criteria->radius[k] : 0;
}

double hb_contact_within(const struct hb_contact_criteria *criteria, uint32_t i, uint32_t k)
{
  if (!(criteria->in_radii > 0)) return criteria->within;
  return fmax(criteria->within, criteria->in_radii * (criteria->radius[i] + criteria->radius[k]));
}

enum hb_status hb_contacts_add(struct hb_contacts *contacts, const struct hb_contact *contact)
{
  for (size_t c = 0; c < contacts->count; c++) {
    const struct hb_contact *old = contacts->at + c;
    int is_same = (old->member[0] == contact->member[0] && old->member[1] == contact->member[1]) ||
                  (old->member[0] == contact->member[1] && old->member[1] == contact->member[0]);
    if (is_same && old->is_approach == contact->is_approach) return HB_OK;
  }
  HB_TRY(HB_GROW(contacts->count, &contacts->capacity, &contacts->at));
  contacts->at[contacts->count++] = *contact;
  return HB_OK;
}

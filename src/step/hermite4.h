/* The fourth order Hermite scheme with individual block steps (Makino & Aarseth 1992), [PZ07] section 2; and what goes with it:
 * groups, bodies that touch, passages, escapers, fields, devices, each a row of struct hb_companion with a state of its own. */
#ifndef HB_HERMITE4_H
#define HB_HERMITE4_H

#include "base/machine.h"
#include "core/binaries.h"
#include "core/field.h"
#include "core/particles.h"
#include "groups/groups.h"
#include "step/blocks.h"
#include "step/integrator.h"
#include "step/timestep.h"

#include <string.h>

/* What rounding took of x and v: in a checkpoint one word, x low. */
struct hb_lost {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  float v, x;
#else
  float x, v;
#endif
};

/* A restart needs particles, a, j, lost, t0, now and the levels; the rest is scratch. Bytes per particle: 64 for
 * the particles, 48 for a j, 24 lost, 48 predicted, 56 new forces, 11 for the schedule: 251, and with the host's columns
 * (56) and force.c's stamps (4) 311. Diagnostics need none of their own, see struct hb_state_view; xp and vp are allocated at the
 * first step, when the caller may have freed its particles. */
struct hb_hermite4 {
  size_t n;
  struct hb_sim_params params;    /* without force and integrator */
  struct hb_force *force;         /* the caller's */
  const struct hb_field *field;   /* of force, forces from outside; NULL: none */
  struct hb_events *events;       /* nullable, the caller's */
  double t0;                      /* time of tick 0 */
  struct hb_timestep_rule rule;   /* noise 0: eq. 9 alone */
  struct hb_particles *particles; /* m, and x v of each at its own time t_i; with groups, of nodes */
  double *a, *j;                  /* [3 * n] each, at t_i */
  struct hb_lost *lost;           /* [3 * n] */
  struct hb_blocks *blocks;
  double *xp, *vp; /* [3 * n] each: all particles predicted to the time of the block */
  uint32_t *block; /* [n] the particles due */
  double *a1, *j1,
      *phi1; /* [3 * n] [3 * n] [n] new forces, in the order of block; phi1 then scales of these, and new steps */
  uint8_t *level1;    /* [n] new levels, in the order of block */
  uint8_t *criterion; /* [n] enum hb_step_criterion of the step that each is in */
  struct hb_sim_counts counts;
  uint64_t shortest;        /* step so far, in ticks; UINT64_MAX: none */
  struct hb_phases phases;  /* predict and correct */
  int stale;                /* correct = gpu: x v a j are on the device only, see sync_with_device */
  struct hb_groups *groups; /* of the companions, each nullable */
  struct hb_bodies *bodies;
  struct hb_passages *passages;
  struct hb_massless *massless;
  struct hb_hermite4_near *near; /* neighbor lists */
  int has_parts;                 /* near and far, of forces; the first ones of all are divided into them */
  const struct hb_record
      *ahead; /* whose x v a j, by place, are what counts, until they are settled; NULL: none */
  const uint32_t *place;
  int is_torn;    /* the last step was given up after its correction: see end_block in hermite4.c */
  double spare_s; /* seconds that may go into spare states, see make_spare there */
  enum { HB_CHANGE_NONE, HB_CHANGE_MASSES, HB_CHANGE_ANY } is_changing; /* in hermite4_change.c */
};

/* What a prediction reads, two cache lines. */
struct hb_record {
  double x[3], m, v[3], v_rest, a[3], a_rest, j[3], j_rest;
};

/* ---- [PZ07] eqs 3 and 4 ---- */

/* What they need of the time since a particle's own. */
struct hb_span {
  double whole, half, third;
};

static inline struct hb_span hb_span_of(double dt) { return (struct hb_span){dt, dt / 2, dt / 3}; }

/* Three components of a particle and one that does not matter. */
typedef double hb_four __attribute__((vector_size(32), aligned(8), may_alias));

/* x v a j of a record. */
static inline const hb_four *hb_rows_of(const struct hb_record *r) { return (const hb_four *)r; }

/* Four columns from four rows. */
static inline __attribute__((always_inline)) void hb_transpose(const hb_four row[4], hb_four column[4])
{
  const hb_four a = __builtin_shufflevector(row[0], row[1], 0, 4, 2, 6),
                b = __builtin_shufflevector(row[0], row[1], 1, 5, 3, 7),
                c = __builtin_shufflevector(row[2], row[3], 0, 4, 2, 6),
                d = __builtin_shufflevector(row[2], row[3], 1, 5, 3, 7);
  column[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5),
  column[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
  column[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5),
  column[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

/* Eqs 3 and 4 in Horner's form. */
static inline __attribute__((always_inline)) void hb_predict_four(const hb_four *x, const hb_four *v,
                                                                  const hb_four *a, const hb_four *k,
                                                                  const struct hb_span *dt, hb_four *xp,
                                                                  hb_four *vp)
{
  hb_four speed = *v, pull = *a;
  *xp = *x + dt->whole * (speed + dt->half * (pull + dt->third * *k)); /* eq. 3 */
  *vp = speed + dt->whole * (pull + dt->half * *k);                    /* eq. 4 */
}

/* A record of particle i, but for its mass; and x v a j of i from it. */
static inline void hb_record_take(const struct hb_hermite4 *h, size_t i, struct hb_record *r)
{
  memcpy(r->x, h->particles->x + 3 * i, sizeof r->x);
  memcpy(r->v, h->particles->v + 3 * i, sizeof r->v);
  memcpy(r->a, h->a + 3 * i, sizeof r->a);
  memcpy(r->j, h->j + 3 * i, sizeof r->j);
}
static inline void hb_record_put(const struct hb_record *r, size_t i, struct hb_hermite4 *h)
{
  memcpy(h->particles->x + 3 * i, r->x, sizeof r->x);
  memcpy(h->particles->v + 3 * i, r->v, sizeof r->v);
  memcpy(h->a + 3 * i, r->a, sizeof r->a);
  memcpy(h->j + 3 * i, r->j, sizeof r->j);
}

/* Particle i alone: where it is the last one, there is no fourth component. */
static inline void hb_hermite4_predict(const struct hb_hermite4 *h, size_t i, const struct hb_span *dt,
                                       double xp[3], double vp[3])
{
  const double *from[] = {h->particles->x, h->particles->v, h->a, h->j};
  hb_four of[4] = {{0}}, x, v;
  const hb_four *row = h->ahead ? hb_rows_of(h->ahead + h->place[i]) : of;
  for (int k = 0; k < 4 && row == of; k++) memcpy(&of[k], from[k] + 3 * i, 3 * sizeof *xp);
  hb_predict_four(row, row + 1, row + 2, row + 3, dt, &x, &v);
  memcpy(xp, &x, 3 * sizeof *xp);
  memcpy(vp, &v, 3 * sizeof *vp);
}

/* A pull and its derivative. */
struct hb_pull {
  double a[3], k[3];
};

/* What takes part in a run beside eqs 2 to 9, in the order of hermite4.c. Every hook may be NULL. Blocks are those at tick T, of the
 * particles block[ni]; with correct = gpu there is only after. */
struct hb_companion {
  /* Where the pointer to its state is in struct hb_hermite4, and what that has for each particle: allocated by open, all else follows.
   * But for open, weigh and get hooks are called while there is a state; 0: always. */
  size_t state;
  const struct hb_columns *columns;
  enum hb_status (*open)(struct hb_hermite4 *h); /* its state, if params ask for it */
  void (*close)(struct hb_hermite4 *h);          /* but for its columns */
  enum hb_status (*begin)(
      struct hb_hermite4 *h); /* a new simulation, whose particles have forces and steps */

  enum hb_status (*before)(struct hb_hermite4 *h, uint64_t T,
                           size_t ni);                 /* the forces of nodes, which are at xp vp */
  void (*forces)(struct hb_hermite4 *h, size_t ni);    /* adds to a1 j1 phi1 */
  void (*predicted)(struct hb_hermite4 *h, size_t ni); /* before the corrector, which replaces x v */
  void (*corrected)(struct hb_hermite4 *h, uint64_t T, size_t ni);
  double (*limit)(const struct hb_hermite4 *h, uint32_t i, double dt); /* what becomes of i's next step dt */
  enum hb_status (*after)(struct hb_hermite4 *h, uint64_t T,
                          size_t *ni); /* the block is scheduled; which may change */

  /* Finds what is going to happen before the next block. Called after each block. */
  enum hb_status (*look_ahead)(struct hb_hermite4 *h);
  /* Particles or groups have changed other than by a block: what was found ahead is of no more use. */
  void (*forget_ahead)(struct hb_hermite4 *h);
  /* Sets *T to the tick at which something interrupts the run; UINT64_MAX: nothing does before the next block. */
  enum hb_status (*interruption)(struct hb_hermite4 *h, uint64_t *T);
  /* The time becomes that tick, and what happens up to then is told or done. */
  enum hb_status (*interrupt)(struct hb_hermite4 *h, uint64_t T);

  enum hb_status (*change)(struct hb_hermite4 *h,
                           const struct hb_state_change *by); /* at the time of the last block */

  /* replaces nodes at a time t after the last block, x[3 * n] v[3 * n], by what they stand for */
  enum hb_status (*resolve)(const struct hb_hermite4 *h, double t, double *x, double *v, double *e_rounded);

  void (*slow)(const struct hb_hermite4 *h, struct hb_slow *slow); /* see struct hb_integrator_ops */

  enum hb_status (*weigh)(struct hb_hermite4 *h);          /* masses or radii have changed */
  enum hb_status (*grow)(struct hb_hermite4 *h, size_t n); /* n slots, h->n so far: stars without mass */
  void (*drop)(struct hb_hermite4 *h, const uint32_t *number,
               size_t left); /* new numbers, see hb_columns_renumber; its columns come later */
  enum hb_status (*put)(const struct hb_hermite4 *h, struct hb_sections *sections);
  enum hb_status (*get)(const struct hb_sections *sections, struct hb_hermite4 *h);
};

extern const struct hb_companion hb_companion_change, hb_companion_bodies, hb_companion_heavy,
    hb_companion_groups, hb_companion_passages, hb_companion_slow, hb_companion_massless, hb_companion_near;

/* For companions that change what moves. What comes before the forces of the block, which is at xp vp. Errors: those
 * of hb_force_of, HB_ERR_NUMERIC. */
enum hb_status hb_hermite4_before(struct hb_hermite4 *h, uint64_t T, size_t ni);

/* The same where all are predicted and, with lists, the block has its own. */
enum hb_status hb_hermite4_sum(struct hb_hermite4 *h, uint64_t T, size_t ni);

/* From the times of these levels, as bits, to tick T. */
void hb_hermite4_spans(const struct hb_hermite4 *h, uint64_t T, uint64_t levels, struct hb_span *span);

/* All but the block, whose xp vp stay. */
void hb_hermite4_predict_others(struct hb_hermite4 *h, uint64_t T, size_t ni);

/* The b-th of the block, which has such forces, begins anew at tick T where xp vp are: with a step, on its list. */
void hb_hermite4_begin_anew(struct hb_hermite4 *h, uint64_t T, size_t b);

/* Particle i is where xp vp are, at the time of the block, and has no forces yet. */
void hb_hermite4_place(struct hb_hermite4 *h, uint32_t i);

/* Only the block is scheduled, by level1. */
static inline void hb_hermite4_schedule(struct hb_hermite4 *h, size_t ni)
{
  hb_blocks_clear(h->blocks, h->n);
  for (size_t b = 0; b < ni; b++) hb_blocks_put(h->blocks, h->block[b], h->level1[b]);
}

/* xp vp of those from .. end - 1 of the block become x v. */
void hb_hermite4_place_corrected(struct hb_hermite4 *h, size_t from, size_t end);

/* Those with HB_COLUMNS_GONE in number[n] leave all arrays, the others follow; `left` is how many. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_hermite4_drop(struct hb_hermite4 *h, const uint32_t *number, size_t left);

/* There are n slots, whose particles are there already. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_hermite4_grow(struct hb_hermite4 *h, size_t n);

/* Masses or radii have changed. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_hermite4_weigh_all(struct hb_hermite4 *h);

/* The block, at xp vp in the middle of its steps, is corrected to tick T there; x v stay. Errors: as hb_hermite4_sum. */
enum hb_status hb_hermite4_catch_up(struct hb_hermite4 *h, uint64_t T, size_t ni);

/* The block, which is on no list, begins anew at tick T where xp vp are. Errors: as hb_hermite4_sum. */
enum hb_status hb_hermite4_start_nodes(struct hb_hermite4 *h, uint64_t T, size_t ni);

/* The particles index[ni] have changed, NULL: all; the device that keeps them gets them: now, or with lists before the next full
 * block. */
enum hb_status hb_hermite4_keep(struct hb_hermite4 *h, size_t ni, const uint32_t *index);

/* At once. And the device predicts all to tick T. */
enum hb_status hb_hermite4_send(struct hb_hermite4 *h, size_t ni, const uint32_t *index);
enum hb_status hb_hermite4_predict_on_device(struct hb_hermite4 *h, uint64_t T);

/* Who prepares a job on what the device keeps; openings of the source when it was made. */
struct hb_hermite4_kept {
  struct hb_hermite4 *h;
  uint64_t T;
  unsigned openings;
};

/* ---- hermite4_near.c: near and far parts ---- */

/* What a far step did, in the order of `index`. */
struct hb_far_step {
  double a[3], j[3];             /* the far part at its end, by the old list */
  double near_a[3], near_j[3];   /* what the list before pulled */
  double moved_a[3], moved_j[3]; /* what the new list pulls more than the old one, and the far part less */
  double dx[3], dv[3];           /* what the linear part has left out, eqs 7 and 8 */
  double wanted;                 /* the next one by eq. 9 */
  double noise, scale;           /* of the sum over all: its rounding, relative; the sum */
};

/* What is counted of it, apart: other threads have written the rest. */
struct hb_far_count {
  uint16_t listed, changes; /* of the list */
  uint8_t is_noisy;
};

struct hb_hermite4_near {
  double *a, *j;         /* [3 * n] near parts at t_i */
  double *far_a, *far_j; /* [3 * n] far parts at t_f */
  double *far_phi;       /* [n] potential of all at t_f */
  uint64_t *hits; /* [n * words] of the b-th of the block, a bit for each neighbor, see hb_groups_take_hits */
  size_t words;
  uint8_t *is_hit;        /* [n] of the b-th: whether there are any */
  _Atomic int is_any_hit; /* of the block */
  double *nearest2;       /* [n] how far the nearest neighbor was at the last near sum, squared */
  double *h2;   /* [n] square radius of the next list of a star, for neighbors not heavier than the mean */
  uint8_t *far; /* [n] levels of far steps */
  uint32_t *count, *list;          /* [n] [n * room] */
  uint32_t *slot;                  /* [n] 1 + number of its far step, of the block's; 0: none is due */
  uint32_t *index, *b;             /* [n] particles whose far step ends, and their places in the block */
  double *total_a, *total_j, *phi; /* [3 * n] [3 * n] [n] pulls of all on these, then: on fresh nodes */
  struct hb_far_step *step;        /* [n] */
  struct hb_far_count *counted;    /* [n] */
  uint8_t *is_weak;                /* [n] the far part is lost in the rounding of the sum over all */
  size_t fars, room;
  int is_exact;           /* the pulls of all on them are the host's: few */
  uint32_t *few, *few_of; /* [n] those of index whose pulls are summed again, and their places there */
  uint64_t *stamp, now,
      all_at; /* [n] 1 + the tick that xp vp of a particle were last set for; that of the block; of all */
  /* 1 + the tick that a team has predicted all particles for, so that it can share loops over groups. In contrast to all_at it depends on
   * the number of threads, and nothing may be decided by it. */
  uint64_t team_at;
  uint8_t *is_changed; /* [n] since a device that keeps particles was sent it, */
  uint32_t *changed;   /* [n] and which these are, */
  unsigned openings;   /* in this opening of the source of forces */
  struct hb_near_order *order;
  const uint32_t *place;                 /* [n] in it */
  struct hb_record *record;              /* [n] by place */
  struct hb_span span[HB_BLOCKS_LEVELS]; /* to the tick of the block */
  struct hb_timestep_rule rule;          /* of far steps */
  double eps2, wanted, m_mean, trial;
  enum hb_simd simd;
  int has_lists;
};

/* What a piece of particles feels of a change: pulls and their derivatives; and how far it is, squared. */
enum { HB_FELT_PIECE = 256 };
struct hb_felt {
  double a[3][HB_FELT_PIECE], k[3][HB_FELT_PIECE], r2[HB_FELT_PIECE];
};

struct hb_hermite4_near_ops {
  /* Lists of all stars at the start, when all are in h->block. Errors: HB_ERR_INTERNAL. */
  enum hb_status (*look_around)(struct hb_hermite4 *h);

  /* The pulls of all, a1 j1 phi1, dt after the start: of use if no node is new until the parts begin. */
  void (*take_first)(struct hb_hermite4 *h, double dt);

  /* What the end of a step of a particle needs is on its way; its x v a j m have changed. */
  void (*fetch)(const struct hb_hermite4 *h, size_t i);
  void (*store)(struct hb_hermite4 *h, uint32_t i);

  /* x v a j become those of records that are ahead: no bit of what follows is another. Particles list[count], predicted, to rows
   * x y z vx vy vz m of the tile, the last one up to a multiple of four times. */
  void (*settle_all)(struct hb_hermite4 *h);
  void (*gather)(const struct hb_record *record, const uint32_t *place, const uint8_t *level,
                 const struct hb_span *span, const uint32_t *list, size_t count, double *tile, size_t row);

  /* A block at tick T. Whether a far step ends for any of it: then all have to be predicted. */
  int (*begin_block)(struct hb_hermite4 *h, uint64_t T, size_t ni);

  /* Near sums on the block, which is predicted, to a1 j1; far parts of those whose far steps end are found meanwhile. Errors: as
   * hb_force_of. Far steps, then: lists are new. */
  enum hb_status (*forces)(struct hb_hermite4 *h, uint64_t T, size_t ni);
  void (*step_fars)(struct hb_hermite4 *h);

  /* What others than neighbors do to the b-th of the block at T. The end of its step, near parts a k: adds to dx dv what the far step
   * has left out. Its new far level, and level1 at most that: by several threads, unless it is a group; and of all groups of the
   * block. Both return how many far steps are held short by near ones. */
  void (*far)(const struct hb_hermite4 *h, size_t b, uint64_t T, struct hb_pull *far);
  void (*end)(struct hb_hermite4 *h, size_t b, const double a[3], const double k[3], double dx[3],
              double dv[3]);
  int (*settle)(struct hb_hermite4 *h, uint64_t T, size_t b);
  uint64_t (*settle_groups)(struct hb_hermite4 *h, uint64_t T, size_t ni);

  /* Nodes that begin anew at xp vp, where all others are then, too: their lists; pairs alone on them; and the parts and far level of the
   * b-th, whose level is at most that. Errors: as hb_force_of. */
  void (*renew)(struct hb_hermite4 *h, uint64_t T, size_t ni);
  enum hb_status (*sum_fresh)(struct hb_hermite4 *h, size_t ni);
  void (*begin)(struct hb_hermite4 *h, size_t b, unsigned *level, unsigned most);

  /* Of a device that keeps particles: its records of index[ni] (NULL: all) are older than the host's. */
  void (*mark)(struct hb_hermite4 *h, size_t ni, const uint32_t *index);

  /* In the middle of its step, the pulls a k on the b-th of the block become those of the near part; and what the line of the far part
   * has left out so far. */
  void (*catch_up)(struct hb_hermite4 *h, uint64_t T, size_t b, double a[3], double k[3], double dx[3],
                   double dv[3]);

  /* Of a change, span[] after the times of levels: what i feels more, or who has s in its list (by_distance: where s is far, no list is
   * looked at), goes to its near part. What a mass weighs in lists; s comes in if it is near, and weighs that. */
  void (*own)(struct hb_hermite4 *h, const struct hb_span *span, uint32_t i, const struct hb_pull *f);
  void (*part)(struct hb_hermite4 *h, const struct hb_span *span, uint32_t s, size_t from, size_t n,
               const struct hb_felt *f, int by_distance);
  double (*weight)(const struct hb_hermite4 *h, double m);
  void (*meet)(struct hb_hermite4 *h, uint32_t i, uint32_t s, double weight);

  /* Masses or numbers have changed, or particles have moved far: a new order in space. Errors: HB_ERR_INTERNAL. */
  enum hb_status (*arrange)(struct hb_hermite4 *h);
};
extern const struct hb_hermite4_near_ops hb_hermite4_near;

/* The list of a particle, [count[i]], ascending; its far level becomes no more than `most`. */
static inline uint32_t *hb_near_list(const struct hb_hermite4_near *near, uint32_t i)
{
  return near->list + (size_t)i * near->room;
}
static inline void hb_near_limit(struct hb_hermite4_near *near, uint32_t i, unsigned most)
{
  if (near->far[i] > most) near->far[i] = (uint8_t)most;
}

/* True if xp vp of all particles are those of the block. */
static inline int hb_near_knows_all(const struct hb_hermite4_near *near)
{
  return near->all_at == near->now || near->team_at == near->now;
}

static inline int hb_hermite4_has_lists(const struct hb_hermite4 *h) { return h->near && h->near->has_lists; }

/* xp vp of one more are needed. A list was made by the radius before, of which h2 is so many times the square at most. */
void hb_hermite4_near_need(void *hermite4, uint32_t i);
#define HB_NEAR_GROWN 1.4

/* Two nodes at xp vp will be one at tick T, or have been one: whoever has one of them in its list gets both. */
void hb_hermite4_near_unite(struct hb_hermite4 *h, uint64_t T, uint32_t node, uint32_t other);
void hb_hermite4_near_divide(struct hb_hermite4 *h, uint64_t T, uint32_t node, uint32_t other);

/* ---- hermite4_change.c ---- */

/* The nodes gone[count] at xp vp, where all are, will vanish: from T on nobody feels them. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_hermite4_forget(struct hb_hermite4 *h, uint64_t T, size_t count, const uint32_t *gone);

/* ---- hermite4_groups.c ---- */

/* The groups, with the nodes as they are now. */
struct hb_groups *hb_hermite4_groups_now(const struct hb_hermite4 *h);

/* Adds a node to those that the event is about: its members, or the star that it is, as far as there is room. Returns the number of its
 * members. */
static inline size_t hb_hermite4_add_members(const struct hb_hermite4 *h, uint32_t node,
                                             struct hb_event *event)
{
  const struct hb_group *g = h->groups ? hb_groups_of(h->groups, node) : NULL;
  const uint32_t *member = g ? g->chain.member : &node;
  const size_t n = g ? g->chain.n : 1;
  for (size_t k = 0; k < n && event->n < HB_EVENT_MOST; k++)
    event->id[event->n++] = h->particles->id[member[k]];
  return n;
}

/* The node that i is, or is a member of. */
uint32_t hb_hermite4_node_of(const struct hb_hermite4 *h, uint32_t i);

/* A group at tick T becomes stars at xp vp; `as` is added to what[] of each. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_hermite4_open_group(struct hb_hermite4 *h, uint64_t T, uint32_t node, unsigned as,
                                      uint8_t *what);

/* ---- small things ---- */

/* Up to two cache lines that will be needed are on their way to the processor. */
static inline void hb_fetch(const void *first, const void *last)
{
  __builtin_prefetch(first);
  __builtin_prefetch(last);
}

/* Masses of what moves: of nodes, if there are groups. */
static inline const double *hb_hermite4_masses(const struct hb_hermite4 *h)
{
  return h->groups ? h->groups->m : h->particles->m;
}

/* Whether a slot is that of a member, which is no node. */
static inline int hb_hermite4_is_parked(const struct hb_hermite4 *h, uint32_t i)
{
  return h->groups && h->groups->of[i] == HB_GROUPS_PARKED;
}

/* The duration of this many ticks: exact up to 2^53, since dt_min is a power of two. And the time of a tick. */
static inline double hb_hermite4_span(const struct hb_hermite4 *h, uint64_t ticks)
{
  return (double)ticks * h->params.dt_min;
}
static inline double hb_hermite4_at(const struct hb_hermite4 *h, uint64_t T)
{
  return h->t0 + hb_hermite4_span(h, T);
}

/* Masses of what the sources of forces are to sum. */
static inline const double *hb_hermite4_sources(const struct hb_hermite4 *h)
{
  const struct hb_groups *g = h->groups;
  return !g ? h->particles->m : g->sources ? g->sources : g->m;
}

/* The level of a step; and what companions leave of one of i's, and of the b-th's of the block. */
static inline unsigned hb_hermite4_level(const struct hb_hermite4 *h, double dt)
{
  return hb_timestep_level(dt, h->params.dt_min, h->blocks->level_max, h->params.rounding);
}
static inline double hb_hermite4_limited(const struct hb_hermite4 *h, uint32_t i, double dt)
{
  return hb_companion_groups.limit(h, i, dt);
}
static inline void hb_hermite4_limit_step(struct hb_hermite4 *h, size_t b)
{
  double dt = hb_hermite4_limited(h, h->block[b], h->phi1[b]);
  if (dt == h->phi1[b]) return;
  h->phi1[b] = dt;
  h->level1[b] = (uint8_t)hb_hermite4_level(h, dt);
  h->criterion[h->block[b]] = h->groups->of[h->block[b]] < HB_GROUPS_PARKED ? HB_STEP_GROUP : HB_STEP_MASS;
}

#endif

/* The calls of the public headers that end with _sized: structs of a program that was compiled with another release's headers
 * become ours, and ours become its. A struct grows only at its end, so that the size says which fields a program has. */
#include "base/mem.h"
#include "sim/sim.h"

#include <holmberg/checkpoint.h>
#include <holmberg/device.h>
#include <holmberg/diagnostics.h>
#include <holmberg/interaction.h>
#include <holmberg/picture.h>

#include <pthread.h>
#include <string.h>

/* ---- structs ----------------------------------------------------------------------------------------- */

/* The fields that both have, and 0 for those that only `to` has. Returns 0 if one that only `from` has is set. */
static int copy(void *to, size_t to_size, const void *from, size_t from_size)
{
  size_t both = to_size < from_size ? to_size : from_size;
  memcpy(to, from, both);
  if (to_size > both) memset((char *)to + both, 0, to_size - both);
  for (size_t k = both; k < from_size; k++)
    if (((const char *)from)[k]) return 0;
  return 1;
}

/* The same of structs that have another struct, of sizes of its own, in bytes from `at` on. */
struct outer {
  size_t size, inner;
};

static int copy_outer(void *to, struct outer of_to, const void *from, struct outer of_from, size_t at)
{
  char *t = to;
  const char *f = from;
  size_t to_rest = at + of_to.inner, from_rest = at + of_from.inner;
  memcpy(t, f, at);
  return copy(t + at, of_to.inner, f + at, of_from.inner) &
         copy(t + to_rest, of_to.size - to_rest, f + from_rest, of_from.size - from_rest);
}

static enum hb_status is_unknown(void)
{
  return hb_fail(HB_ERR_USAGE,
                 "a parameter is set that this library, %s, does not know: the program needs a later one",
                 hb_library_version());
}

#define TAKE(own, given, size) HB_TRY(copy(&(own), sizeof(own), given, size) ? HB_OK : is_unknown())

static int take_sim(struct hb_sim_params *own, const struct hb_sim_params *given, size_t size, size_t force)
{
  return copy_outer(own, (struct outer){sizeof *own, sizeof own->force}, given, (struct outer){size, force},
                    offsetof(struct hb_sim_params, force));
}

/* ---- lists ------------------------------------------------------------------------------------------- */

/* Rows of another size than ours, of which a program has an array: made once, and kept. */
static const void *list(const void *rows, size_t own, size_t count, size_t size)
{
  enum { MOST = 32 };
  static struct {
    const void *rows;
    size_t size;
    char *copy;
  } kept[MOST];
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  size_t k = 0;
  if (size == own) return rows;
  pthread_mutex_lock(&mutex);
  while (k < MOST - 1 && kept[k].copy && (kept[k].rows != rows || kept[k].size != size)) k++;
  if (!kept[k].copy && HB_ALLOC(count * size, &kept[k].copy) == HB_OK) {
    kept[k].rows = rows;
    kept[k].size = size;
    for (size_t i = 0; i < count; i++) copy(kept[k].copy + i * size, size, (const char *)rows + i * own, own);
  }
  pthread_mutex_unlock(&mutex);
  return kept[k].copy;
}

#define LIST(type, name)                                                                                     \
  const struct type *name##_sized(size_t size, size_t *count)                                                \
  {                                                                                                          \
    const struct type *rows = name(count);                                                                   \
    return list(rows, sizeof *rows, *count, size);                                                           \
  }
LIST(hb_ic_model, hb_ic_models)
LIST(hb_snapshot_format, hb_snapshot_formats)
LIST(hb_force_scheme, hb_force_schemes)
LIST(hb_integrator_info, hb_integrators)

/* ---- answers ----------------------------------------------------------------------------------------- */

#define ANSWER(name, handle, type)                                                                           \
  void name##_sized(size_t size, const struct handle *from, struct type *answer)                             \
  {                                                                                                          \
    struct type own;                                                                                         \
    name(from, &own);                                                                                        \
    copy(answer, size, &own, sizeof own);                                                                    \
  }
ANSWER(hb_sim_counts, hb_sim, hb_sim_counts)
ANSWER(hb_sim_phases, hb_sim, hb_phases)
ANSWER(hb_checkpoint_info, hb_checkpoint, hb_checkpoint_info)
ANSWER(hb_sim_on_device, hb_sim, hb_device_particles)

int hb_sim_step_trouble_sized(size_t size, struct hb_sim *sim, struct hb_step_trouble *trouble)
{
  struct hb_step_trouble own;
  int is_trouble = hb_sim_step_trouble(sim, &own);
  copy(trouble, size, &own, sizeof own);
  return is_trouble;
}

#define ANSWER_AT(name, type)                                                                                \
  enum hb_status name##_sized(size_t size, struct hb_sim *sim, double t, struct type *answer)                \
  {                                                                                                          \
    struct type own;                                                                                         \
    HB_TRY(name(sim, t, &own));                                                                              \
    copy(answer, size, &own, sizeof own);                                                                    \
    return HB_OK;                                                                                            \
  }
void hb_sim_call_sized(size_t size, struct hb_sim *sim, const struct hb_between *between)
{
  struct hb_between own = {NULL, NULL};
  if (between) copy(&own, sizeof own, between, size);
  hb_sim_call(sim, &own);
}

enum hb_status hb_sim_change_sized(size_t size, struct hb_sim *sim, const struct hb_change *change)
{
  struct hb_change own;
  TAKE(own, change, size);
  return hb_sim_change(sim, &own);
}
ANSWER_AT(hb_sim_diagnose, hb_diagnostics)
ANSWER_AT(hb_sim_structure, hb_structure)

enum hb_status hb_snapshot_read_at_sized(size_t size, const char *path, const char *format, double t,
                                         struct hb_particles **particles,
                                         struct hb_snapshot_contents *contents)
{
  struct hb_snapshot_contents own;
  HB_TRY(hb_snapshot_read_at(path, format, t, particles, contents ? &own : NULL));
  if (contents) copy(contents, size, &own, sizeof own);
  return HB_OK;
}

/* Room that the simulation lends until it is asked again; NULL: no memory. */
static char *lend(const struct hb_sim *sim, enum hb_sim_lent which, size_t bytes)
{
  char **lent = &((struct hb_sim *)sim)->lent[which];
  hb_mem_free(*lent);
  return HB_ALLOC(bytes, lent) == HB_OK ? *lent : NULL;
}

const struct hb_sim_params *hb_sim_taken_sized(size_t size, size_t force_size, const struct hb_sim *sim)
{
  const struct hb_sim_params *own = hb_sim_taken(sim);
  if (size == sizeof *own && force_size == sizeof own->force) return own;
  char *theirs = lend(sim, HB_SIM_LENT_PARAMS, size);
  if (theirs)
    copy_outer(theirs, (struct outer){size, force_size}, own, (struct outer){sizeof *own, sizeof own->force},
               offsetof(struct hb_sim_params, force));
  return (const void *)theirs;
}

enum hb_status hb_sim_bound_sized(size_t size, struct hb_sim *sim, double t, size_t *count,
                                  const struct hb_bound **bound)
{
  const struct hb_bound *own;
  HB_TRY(hb_sim_bound(sim, t, count, &own));
  *bound = own;
  if (size == sizeof *own) return HB_OK;
  char *theirs = lend(sim, HB_SIM_LENT_BOUND, *count * size);
  for (size_t k = 0; theirs && k < *count; k++) copy(theirs + k * size, size, own + k, sizeof *own);
  *bound = (const void *)theirs;
  return theirs ? HB_OK : hb_fail(HB_ERR_INTERNAL, "out of memory for %zu orbits", *count);
}

enum hb_status hb_sim_stars_sized(size_t size, struct hb_sim *sim, size_t *count,
                                  const struct hb_sim_star **stars)
{
  const struct hb_sim_star *own;
  HB_TRY(hb_sim_stars(sim, count, &own));
  *stars = own;
  if (size == sizeof *own || *count == 0) return HB_OK;
  char *theirs = lend(sim, HB_SIM_LENT_STARS, *count * size);
  for (size_t k = 0; theirs && k < *count; k++) copy(theirs + k * size, size, own + k, sizeof *own);
  *stars = (const void *)theirs;
  return theirs ? HB_OK : hb_fail(HB_ERR_INTERNAL, "out of memory for %zu stars", *count);
}

const struct hb_event *hb_sim_events_sized(size_t size, const struct hb_sim *sim, size_t *count)
{
  const struct hb_event *own = hb_sim_events(sim, count);
  if (size == sizeof *own || *count == 0) return own;
  char *theirs = lend(sim, HB_SIM_LENT_EVENTS, *count * size);
  if (!theirs) *count = 0;
  for (size_t k = 0; k < *count; k++) copy(theirs + k * size, size, own + k, sizeof *own);
  return (const void *)theirs;
}

/* ---- params ------------------------------------------------------------------------------------------ */

enum hb_status hb_scale_particles_sized(size_t size, struct hb_particles *particles,
                                        const struct hb_scale *scale)
{
  struct hb_scale own;
  TAKE(own, scale, size);
  return hb_scale_particles(particles, &own);
}

enum hb_status hb_force_memory_sized(size_t size, size_t need_size, const struct hb_force_params *params,
                                     size_t n, struct hb_force_need *need)
{
  struct hb_force_params own;
  struct hb_force_need result;
  TAKE(own, params, size);
  HB_TRY(hb_force_memory(&own, n, &result));
  copy(need, need_size, &result, sizeof result);
  return HB_OK;
}

/* On failure, also of taking the params, *handle is NULL. */
#define OPEN(type, params, given, size, handle, call)                                                        \
  type params;                                                                                               \
  *(handle) = NULL;                                                                                          \
  TAKE(params, given, size);                                                                                 \
  return call

enum hb_status hb_force_open_sized(size_t size, const struct hb_force_params *params, struct hb_force **force)
{
  OPEN(struct hb_force_params, own, params, size, force, hb_force_open(&own, force));
}

enum hb_status hb_picture_open_sized(size_t size, const struct hb_picture_params *params,
                                     struct hb_picture **picture)
{
  OPEN(struct hb_picture_params, own, params, size, picture, hb_picture_open(&own, picture));
}

enum hb_status hb_all_pairs_open_sized(size_t size, const struct hb_interaction *interaction,
                                       const struct hb_all_pairs_params *params, struct hb_all_pairs **pairs)
{
  OPEN(struct hb_all_pairs_params, own, params, size, pairs, hb_all_pairs_open(interaction, &own, pairs));
}

enum hb_status hb_sim_resume_sized(size_t size, const struct hb_checkpoint *checkpoint,
                                   const struct hb_force_params *place, struct hb_sim **sim)
{
  if (!place) return hb_sim_resume(checkpoint, NULL, sim);
  OPEN(struct hb_force_params, own, place, size, sim, hb_sim_resume(checkpoint, &own, sim));
}

enum hb_status hb_ic_make_sized(size_t size, size_t cluster_size, const char *model,
                                const struct hb_ic_params *params, struct hb_particles **particles)
{
  struct hb_ic_params own;
  struct outer ours = {sizeof own, sizeof own.cluster}, theirs = {size, cluster_size};
  *particles = NULL;
  if (!params) return hb_ic_make(model, NULL, particles);
  if (!copy_outer(&own, ours, params, theirs, offsetof(struct hb_ic_params, cluster))) return is_unknown();
  return hb_ic_make(model, &own, particles);
}

enum hb_status hb_sim_create_sized(size_t size, size_t force_size, const struct hb_particles *initial,
                                   const struct hb_sim_params *params, struct hb_sim **sim)
{
  struct hb_sim_params own;
  *sim = NULL;
  if (!params) return hb_sim_create(initial, NULL, sim);
  return take_sim(&own, params, size, force_size) ? hb_sim_create(initial, &own, sim) : is_unknown();
}

enum hb_status hb_sim_take_sized(size_t size, size_t force_size, struct hb_particles *initial,
                                 const struct hb_sim_params *params, struct hb_sim **sim)
{
  struct hb_sim_params own;
  *sim = NULL;
  if (!params) return hb_sim_take(initial, NULL, sim);
  if (take_sim(&own, params, size, force_size)) return hb_sim_take(initial, &own, sim);
  hb_particles_destroy(initial);
  return is_unknown();
}

#define DEFAULT(result, name, initial, arguments)                                                            \
  result name##_sized(size_t size, size_t force_size, const struct hb_sim_params *params initial)            \
  {                                                                                                          \
    struct hb_sim_params own;                                                                                \
    take_sim(&own, params, size, force_size);                                                                \
    return name arguments;                                                                                   \
  }
#define AND_PARTICLES , const struct hb_particles *initial
DEFAULT(enum hb_encounters, hb_sim_default_encounters, , (&own))
DEFAULT(enum hb_first_step, hb_sim_default_first_step, AND_PARTICLES, (&own, initial))
DEFAULT(int, hb_sim_default_neighbors, AND_PARTICLES, (&own, initial))

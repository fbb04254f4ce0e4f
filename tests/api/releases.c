/* What a program meets in a library of another release: it prints numbers of every kind of struct that is lent, filled or
 * taken, and finds out whether the library writes behind a struct. releases FILE.CKPT */
#include <holmberg/checkpoint.h>
#include <holmberg/diagnostics.h>
#include <stdio.h>
#include <string.h>

#define TRY(call)                                                                                            \
  do {                                                                                                       \
    if ((call) != HB_OK) return fprintf(stderr, "%s\n", hb_error()), 1;                                      \
  } while (0)

/* A struct that the library fills, between bytes that it must leave alone. */
#define GUARDED(type, name)                                                                                  \
  struct {                                                                                                   \
    char before[32];                                                                                         \
    struct type at;                                                                                          \
    char behind[256];                                                                                        \
  } name;                                                                                                    \
  memset(&name, 0x5a, sizeof name)
#define CHECK(name)                                                                                          \
  do {                                                                                                       \
    for (size_t k = 0; k < sizeof name.behind; k++)                                                          \
      if (name.behind[k] != 0x5a) return fprintf(stderr, "bytes behind %s are written\n", #name), 1;         \
  } while (0)

static int lists(void)
{
  size_t count;
  const struct hb_ic_model *models = hb_ic_models(&count);
  for (size_t k = 0; k < count; k++) printf("%s %g\n", models[k].name, models[k].speed);
  const struct hb_force_scheme *schemes = hb_force_schemes(&count);
  for (size_t k = 0; k < count; k++) printf("%s %d\n", schemes[k].name, schemes[k].flops_per_pair);
  const struct hb_integrator_info *integrators = hb_integrators(&count);
  for (size_t k = 0; k < count; k++) printf("%s %s\n", integrators[k].name, integrators[k].summary);
  const struct hb_snapshot_format *formats = hb_snapshot_formats(&count);
  for (size_t k = 0; k < count; k++) printf("%s %s\n", formats[k].name, formats[k].extensions);
  return 0;
}

static int numbers(struct hb_sim *sim)
{
  GUARDED(hb_sim_counts, counts);
  GUARDED(hb_phases, phases);
  GUARDED(hb_diagnostics, now);
  GUARDED(hb_structure, structure);
  GUARDED(hb_step_trouble, trouble);
  hb_sim_counts(sim, &counts.at);
  hb_sim_phases(sim, &phases.at);
  TRY(hb_sim_diagnose(sim, hb_sim_time(sim), &now.at));
  TRY(hb_sim_structure(sim, hb_sim_time(sim), &structure.at));
  hb_sim_step_trouble(sim, &trouble.at);
  CHECK(counts);
  CHECK(phases);
  CHECK(now);
  CHECK(structure);
  CHECK(trouble);
  printf("%llu block steps, %llu particle steps, dt %a, %llu cut\n",
         (unsigned long long)counts.at.block_steps, (unsigned long long)counts.at.particle_steps,
         counts.at.dt_least, (unsigned long long)counts.at.cut.count);
  printf("E %a, r_half %a, core %a, %zu binaries\n", now.at.e_total, now.at.r_half, structure.at.r_core,
         structure.at.binaries.count);
  return 0;
}

static int integrate(const char *file)
{
  struct hb_particles *stars, *end;
  struct hb_sim *sim;
  struct hb_ic_params model = {
      .n = 48, .seed = 3, .cluster = {.masses = "salpeter", .binaries = 0.25, .units = {.length = 0.5}}};
  TRY(hb_ic_make("plummer", &model, &stars));
  struct hb_sim_params params = {.force = {.scheme = "host"},
                                 .eta = 0.02,
                                 .dt_max = 1. / 16,
                                 .collisions = HB_COLLISIONS_STOP,
                                 .escapers = HB_ESCAPERS_LIST,
                                 .escape_radius = 2};
  printf("encounters %d, first step %d\n", (int)hb_sim_default_encounters(&params),
         (int)hb_sim_default_first_step(&params, stars));
  TRY(hb_sim_create(stars, &params, &sim));
  TRY(hb_sim_watch(sim, (1U << HB_EVENT_KINDS) - 1));
  size_t count;
  const struct hb_event *events = hb_sim_events(sim, &count);
  for (size_t k = 0; k < count; k++)
    printf("event %d of %zu, a %a\n", (int)events[k].kind, events[k].n, events[k].a);
  TRY(hb_sim_integrate(sim, 0.25));
  const struct hb_event *stopped = hb_sim_stopped(sim);
  printf("stopped: %d\n", stopped ? (int)stopped->kind : -1);
  const struct hb_sim_params *taken = hb_sim_taken(sim);
  printf("taken: %s, eta %a, escape %a, encounters %d, eps %a\n", taken->integrator, taken->eta,
         taken->escape_radius, (int)taken->encounters, taken->force.eps);
  if (numbers(sim)) return 1;
  TRY(hb_sim_save(sim, file, NULL, 0, 0));
  TRY(hb_sim_state(sim, hb_sim_time(sim), &end));
  printf("state %016llx\n", (unsigned long long)hb_particles_hash(end));
  hb_particles_destroy(end);
  hb_particles_destroy(stars);
  hb_sim_destroy(sim);
  return 0;
}

static int resume(const char *file)
{
  struct hb_checkpoint *checkpoint;
  struct hb_sim *sim;
  struct hb_particles *end;
  GUARDED(hb_checkpoint_info, info);
  TRY(hb_checkpoint_open(file, &checkpoint));
  hb_checkpoint_info(checkpoint, &info.at);
  CHECK(info);
  struct hb_force_params place = {.max_draw_s = 0.01};
  TRY(hb_sim_resume(checkpoint, &place, &sim));
  TRY(hb_sim_integrate(sim, hb_sim_time(sim) + 0.0625));
  TRY(hb_sim_state(sim, hb_sim_time(sim), &end));
  printf("resumed %s: state %016llx\n", info.at.scheme, (unsigned long long)hb_particles_hash(end));
  hb_particles_destroy(end);
  hb_sim_destroy(sim);
  hb_checkpoint_close(checkpoint);
  return 0;
}

static int forces(void)
{
  static const double m[2] = {1, 2}, x[6] = {0, 0, 0, 3, 4, 0}, v[6] = {0};
  static const uint32_t index[2] = {0, 1};
  double a[6], j[6], phi[2];
  struct hb_force *force;
  GUARDED(hb_force_need, need);
  struct hb_force_params params = {.scheme = "host", .precision = "double", .eps = 0.5};
  TRY(hb_force_memory(&params, 1000, &need.at));
  CHECK(need);
  TRY(hb_force_open(&params, &force));
  TRY(hb_force_set_j(force, 2, m, x, v));
  TRY(hb_force_eval(force, 2, index, a, j, phi));
  printf("need %a, a %a, phi %a\n", need.at.host, a[0], phi[1]);
  hb_force_close(force);
  return 0;
}

int main(int count, char **words)
{
  (void)count;
#ifdef LATER /* a field of a later release, set */
  struct hb_particles *stars;
  struct hb_sim *sim;
  struct hb_sim_params params = {.force = {.scheme = "host", .LATER = 1}};
  TRY(hb_ic_make("plummer", NULL, &stars));
  TRY(hb_sim_create(stars, &params, &sim));
#endif
  return lists() || forces() || integrate(words[1]) || resume(words[1]);
}

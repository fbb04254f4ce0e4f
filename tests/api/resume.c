/* resume FILE: a cluster is saved at t = 0.25, resumed from the file, and ends with the bytes of a run without a stop. */
#include <holmberg/checkpoint.h>
#include <holmberg/holmberg.h>
#include <stdio.h>
#include <string.h>

static int fail(void)
{
  fprintf(stderr, "%s\n", hb_error());
  return 1;
}

int main(int count, char **words)
{
  static const char label[] = "half way";
  struct hb_sim_params params = {.force = {.scheme = "host", .eps = 1.0 / 256}};
  struct hb_particles *initial, *whole, *resumed;
  struct hb_checkpoint *checkpoint;
  struct hb_sim *sim, *later;
  size_t bytes;

  if (count != 2) return fputs("usage: resume FILE\n", stderr), 2;
  if (hb_ic_make("plummer", &(struct hb_ic_params){.n = 64, .seed = 1}, &initial) != HB_OK) return fail();
  if (hb_sim_create(initial, &params, &sim) != HB_OK) return fail();
  if (hb_sim_integrate(sim, 0.25) != HB_OK) return fail();
  if (hb_sim_save(sim, words[1], label, sizeof label, 0) != HB_OK) return fail();
  if (hb_sim_integrate(sim, 0.5) != HB_OK) return fail();
  if (hb_sim_state(sim, 0.5, &whole) != HB_OK) return fail();

  if (hb_checkpoint_open(words[1], &checkpoint) != HB_OK) return fail();
  printf("resuming what was saved %s\n", (const char *)hb_checkpoint_own(checkpoint, &bytes));
  if (hb_sim_resume(checkpoint, NULL, &later) != HB_OK) return fail();
  if (hb_sim_integrate(later, 0.5) != HB_OK) return fail();
  if (hb_sim_state(later, 0.5, &resumed) != HB_OK) return fail();

  size_t size = 3 * hb_particles_n(whole) * sizeof(double);
  int same = memcmp(hb_particles_x(whole), hb_particles_x(resumed), size) == 0 &&
             memcmp(hb_particles_v(whole), hb_particles_v(resumed), size) == 0;
  puts(same ? "the same bytes" : "other bytes");
  hb_particles_destroy(initial);
  hb_particles_destroy(whole);
  hb_particles_destroy(resumed);
  hb_checkpoint_close(checkpoint);
  hb_sim_destroy(sim);
  hb_sim_destroy(later);
  return !same;
}

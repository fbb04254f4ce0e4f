/* snapshots FILE...: writes a cluster to files whose names tell their format (.txt, .h5), with a note, and reads it back.
 * The program speaks its user's language, the files do not: their numbers have a point. */
#include <holmberg/holmberg.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

static int fail(void)
{
  fprintf(stderr, "%s\n", hb_error());
  return 1;
}

int main(int count, char **words)
{
  struct hb_particles *cluster, *read;
  size_t known;
  const struct hb_snapshot_format *formats = hb_snapshot_formats(&known);

  setlocale(LC_ALL, "");
  for (size_t k = 0; k < known; k++) printf("%s: files named .%s\n", formats[k].name, formats[k].extensions);
  if (hb_ic_make("plummer", &(struct hb_ic_params){.n = 100, .seed = 7}, &cluster) != HB_OK) return fail();
  if (hb_particles_set_note(cluster, "observer", "Erik") != HB_OK) return fail();
  for (int k = 1; k < count; k++) {
    if (hb_snapshot_write(words[k], NULL, cluster) != HB_OK) return fail();
    if (hb_snapshot_read(words[k], NULL, &read) != HB_OK) return fail();
    size_t n = hb_particles_n(read);
    int same = n == 100 && memcmp(hb_particles_x(read), hb_particles_x(cluster), 3 * n * sizeof(double)) == 0;
    const char *note = hb_particles_note(read, "observer");
    printf("%s: %zu particles, %s positions, observed by %s\n", words[k], n, same ? "the same" : "other",
           note ? note : "nobody");
    hb_particles_destroy(read);
    if (!same) return 1;
  }
  hb_particles_destroy(cluster);
  return 0;
}

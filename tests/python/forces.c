/* forces FILE SCHEME PRECISION: a, j and phi of a snapshot's particles as raw doubles, eps = 1/64. */
#include <holmberg/holmberg.h>
#include <stdio.h>
#include <stdlib.h>

#define TRY(call)                                                                                            \
  if ((call) != HB_OK) return fprintf(stderr, "%s\n", hb_error()), 1

int main(int count, char **words)
{
  struct hb_force_params params = {.scheme = words[2], .precision = words[count - 1], .eps = 1.0 / 64};
  struct hb_particles *p;
  struct hb_force *force;
  TRY(hb_snapshot_read(words[1], NULL, &p));
  TRY(hb_force_open(&params, &force));
  size_t n = hb_particles_n(p);
  double *out = calloc(7 * n, sizeof *out);
  uint32_t *index = calloc(n, sizeof *index);
  for (size_t i = 0; i < n; i++) index[i] = (uint32_t)i;
  TRY(hb_force_set_j(force, n, hb_particles_m(p), hb_particles_x(p), hb_particles_v(p)));
  TRY(hb_force_eval(force, n, index, out, out + 3 * n, out + 6 * n));
  fwrite(out, sizeof *out, 7 * n, stdout);
  hb_force_close(force);
  hb_particles_destroy(p);
  free(index);
  free(out);
  return 0;
}

/* Words by which people say a number, a force or a share: fields, radii, masses, units, who does how much of a block. And the
 * names that go into XDMF. */
#include "fuzz/fuzz.h"

#include "base/file.h"
#include "base/mem.h"
#include "core/field.h"
#include "core/particles.h"
#include "force/devices.c"
#include "io/snapshot_format.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ic/ic.c"

/* A copy that ends with a NUL; freed by the caller. */
static enum hb_status text_of(const uint8_t *bytes, size_t count, char **text)
{
  HB_TRY(HB_ALLOC(count + 1, text));
  if (count) memcpy(*text, bytes, count);
  return HB_OK;
}

enum hb_status fuzz_field(const uint8_t *bytes, size_t count)
{
  static const double x[3] = {1, -2, 3}, v[3] = {0.5, 0, -1}, s[3] = {1e-3, 0, 1e-9};
  struct hb_field *field = NULL;
  char *text;
  HB_TRY(text_of(bytes, count, &text));
  enum hb_status status = hb_field_create(text, &field);
  if (status == HB_OK) {
    double a[3] = {0}, j[3] = {0}, f[3] = {0}, numbers[HB_FIELD_PARTS][HB_FIELD_NUMBERS];
    enum hb_field_form form[HB_FIELD_PARTS];
    hb_field_pull(field, x, v, a, j);
    hb_field_deflect(field, v, a, j);
    hb_field_difference(field, x, s, f);
    hb_field_potential(field, x);
    hb_field_tide(field, x);
    int parts = hb_field_parts(field, form, numbers);
    fuzz_demand(parts >= 0 && parts <= HB_FIELD_PARTS, "a field of too many parts");
    fuzz_demand(isfinite(hb_field_turn(field)), "coordinates that turn with a speed that is not finite");
  }
  hb_field_destroy(field);
  hb_mem_free(text);
  return status;
}

/* The first line is the units, as a note, and the second the radii. */
enum hb_status fuzz_radii(const uint8_t *bytes, size_t count)
{
  struct hb_particles *p = NULL;
  struct hb_units units;
  int are_known;
  char *text;
  HB_TRY(text_of(bytes, count, &text));
  char *words = strchr(text, '\n');
  if (words) *words++ = 0;
  enum hb_status status = hb_particles_create(3, &p);
  if (status == HB_OK) p->m[1] = 1e-3, p->m[2] = 20;
  if (status == HB_OK && words) status = hb_particles_set_note(p, "units", text);
  if (status == HB_OK) status = hb_units_get(p, &units, &are_known);
  if (status == HB_OK && words && are_known) {
    fuzz_demand(units.mass > 0 && units.length > 0 && units.time > 0, "a unit that is none");
    status = hb_units_set(p, &units);
    fuzz_demand(status == HB_OK, "units that were read cannot be noted");
  }
  if (status == HB_OK) status = hb_particles_set_radii(p, words ? words : text);
  if (status == HB_OK) fuzz_demand(hb_particles_check(p) == HB_OK, "a radius that is none");
  hb_particles_destroy(p);
  hb_mem_free(text);
  return status;
}

enum hb_status fuzz_masses(const uint8_t *bytes, size_t count)
{
  struct hb_ic_cluster cluster = {.masses = fuzz_file("in.masses", bytes, count)};
  struct hb_rng rng = hb_rng_seeded(1);
  double *m;
  size_t n = 0;
  HB_TRY(cluster_check_masses(&cluster, &n));
  fuzz_demand(n > 0 && n <= count, "a number of masses that the file cannot have");
  HB_TRY(HB_ALLOC(n, &m));
  enum hb_status status = cluster_draw_masses(&cluster, &rng, n, m);
  for (size_t i = 0; i < n && status == HB_OK; i++)
    fuzz_demand(m[i] > 0 && isfinite(m[i]), "a mass that is none");
  hb_mem_free(m);
  return status;
}

/* What is printed is read again as the same. */
static void say_again(const struct hb_devices_plan *plan, const struct hybrid_words *hybrid)
{
  char text[1024] = "";
  struct hb_devices_plan again;
  struct hybrid_words hybrid_again;
  devices_plan_print(plan, sizeof text, text);
  fuzz_demand(hb_devices_plan_parse(text, &again) == HB_OK, "a plan that was printed cannot be read");
  fuzz_demand(again.shares.count == plan->shares.count && again.alone_below == plan->alone_below &&
                  again.kept_alone_below == plan->kept_alone_below,
              "a plan that was printed has changed");
  if (!hybrid) return;
  *text = 0;
  hybrid_words_print(hybrid, sizeof text, text);
  fuzz_demand(hybrid_words_parse(text, &hybrid_again) == HB_OK, "words that were printed cannot be read");
}

enum hb_status fuzz_shares(const uint8_t *bytes, size_t count)
{
  struct hb_devices_plan plan;
  struct hybrid_words hybrid;
  char *text;
  HB_TRY(text_of(bytes, count, &text));
  enum hb_status second = hybrid_words_parse(text, &hybrid), status = hb_devices_plan_parse(text, &plan);
  if (status == HB_OK) {
    say_again(&plan, second == HB_OK ? &hybrid : NULL);
    devices_plan_way(&plan, 100, 1000);
    for (int k = 0; k < plan.shares.count; k++)
      fuzz_demand(shares_cut(&plan.shares, k, 1000, 64) <= shares_cut(&plan.shares, k + 1, 1000, 64),
                  "a share that ends before it begins");
  }
  hb_mem_free(text);
  return status;
}

/* How often a character is in the description, with the bytes as the name of the file. */
static enum hb_status describe(const char *name, size_t marks[3])
{
  struct hb_particles *p;
  char *text, path[128];
  size_t length;
  HB_TRY(hb_particles_create(2, &p));
  for (size_t i = 0; i < 2; i++) p->id[i] = i, p->x[3 * i] = (double)i;
  snprintf(path, sizeof path, "%s.xmf", name);
  enum hb_status status = hb_snapshot_write(path, "xdmf", p);
  hb_particles_destroy(p);
  HB_TRY(status);
  HB_TRY(hb_file_read(path, &text, &length));
  memset(marks, 0, 3 * sizeof *marks);
  for (size_t k = 0; k < length; k++) {
    marks[0] += text[k] == '<', marks[1] += text[k] == '>', marks[2] += text[k] == ':';
    fuzz_demand((unsigned char)text[k] >= ' ' || text[k] == '\n', "a control character in XML");
  }
  hb_mem_free(text);
  remove(path);
  snprintf(path, sizeof path, "%s.h5", name);
  remove(path);
  return HB_OK;
}

enum hb_status fuzz_xdmf(const uint8_t *bytes, size_t count)
{
  static size_t usual[3];
  size_t marks[3];
  char name[64];
  if (!usual[0]) fuzz_demand(describe("usual", usual) == HB_OK, "a usual name is refused");
  if (count > sizeof name - 1) count = sizeof name - 1;
  if (count) memcpy(name, bytes, count);
  name[count] = 0;
  if (!*name || strchr(name, '/')) return HB_OK; /* other folders are none of ours */
  HB_TRY(describe(name, marks));
  fuzz_demand(memcmp(marks, usual, sizeof marks) == 0, "a name is taken for XML");
  return HB_OK;
}

/* tipsy: a header, then gas, dark and star particles, in floats. The "standard" form is big-endian, the native one that of
 * the machine; a reader sees which at ndim, which is 3. The header has 28 bytes, or 32 where a compiler has padded it.
 * The program of the CUDA samples, and Bonsai, keep the particle's identity, as an int, where the potential should be.
 *
 *   header  double time; int nbodies, ndim, nsph, ndark, nstar
 *   gas     mass x[3] v[3] rho temp eps metals phi
 *   dark    mass x[3] v[3] eps phi
 *   star    mass x[3] v[3] metals tform eps phi
 */
#include "io/snapshot.h"

#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "io/endian.h"

#include <float.h>
#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHORT_HEADER = 28, HEADER = 32, TYPES = 3, SHARED = 7, DARK = 9, MOST_WORDS = 12 };

/* Words of a particle: gas, dark, star. phi is the last. */
static const size_t type_words[TYPES] = {12, DARK, 11};

/* ---- reading ----------------------------------------------------------------------------------------- */

struct header {
  double t;
  int32_t nbodies, ndim, counts[TYPES];
  int swap;
};

static void get_header(const char *bytes, int swap, struct header *h)
{
  h->t = hb_endian_double(bytes, swap);
  h->nbodies = hb_endian_int(bytes + 8, swap);
  h->ndim = hb_endian_int(bytes + 12, swap);
  for (size_t k = 0; k < TYPES; k++) h->counts[k] = hb_endian_int(bytes + 16 + 4 * k, swap);
  h->swap = swap;
}

/* Bytes of the particles; 0 if the counts make no sense. */
static uint64_t body_bytes(const struct header *h)
{
  uint64_t bytes = 0;
  int64_t sum = 0;
  for (size_t k = 0; k < TYPES; k++) {
    if (h->counts[k] < 0) return 0;
    sum += h->counts[k];
    bytes += 4 * type_words[k] * (uint64_t)h->counts[k];
  }
  return sum == h->nbodies ? bytes : 0;
}

/* Whether the header is of this byte order and the file as long as it says. */
static int is_of_order(const char *head, size_t count, uint64_t total, int swap)
{
  struct header h;
  if (count < SHORT_HEADER) return 0;
  get_header(head, swap, &h);
  uint64_t body = body_bytes(&h);
  return h.ndim == 3 && body && (total == body + HEADER || total == body + SHORT_HEADER);
}

static enum hb_status check_header(const char *name, const char *bytes, size_t count, struct header *h,
                                   size_t *header_bytes)
{
  if (count < SHORT_HEADER)
    return hb_fail(HB_ERR_INPUT, "%s: the file has %zu byte%s, fewer than a header of tipsy, %d", name, count,
                   hb_text_s(count), SHORT_HEADER);
  get_header(bytes, 0, h);
  if (h->ndim != 3) get_header(bytes, 1, h);
  if (h->ndim != 3)
    return hb_fail(HB_ERR_INPUT, "%s: byte 12: ndim is %d or, in the other byte order, %d, expected 3", name,
                   hb_endian_int(bytes + 12, 0), h->ndim);
  uint64_t body = body_bytes(h);
  if (!body)
    return hb_fail(HB_ERR_INPUT,
                   "%s: byte 8: nbodies is %d, but there are %d gas, %d dark and %d star particles, expected "
                   "their sum, above 0",
                   name, h->nbodies, h->counts[0], h->counts[1], h->counts[2]);
  *header_bytes = count == body + HEADER ? HEADER : SHORT_HEADER;
  if (count == body + SHORT_HEADER && hb_endian_int(bytes + SHORT_HEADER, 0) == 0)
    return hb_fail(HB_ERR_INPUT,
                   "%s: byte %d: a mass of 0 behind a header of %d bytes: more likely it is padding, and the "
                   "last 4 bytes of the file are missing",
                   name, SHORT_HEADER, SHORT_HEADER);
  if (count == body + *header_bytes) return HB_OK;
  return hb_fail(HB_ERR_INPUT,
                 "%s: the file has %zu bytes, but the %d particle%s of its header need %llu, or %llu with a "
                 "padded header",
                 name, count, h->nbodies, hb_text_s((uint64_t)h->nbodies),
                 (unsigned long long)body + SHORT_HEADER, (unsigned long long)body + HEADER);
}

/* What is in the slots of phi, all below most and none twice, are identities; gas has none. Otherwise they stay the
 * numbers of the rows. */
static enum hb_status take_ids(const struct header *h, const char *body, uint64_t most,
                               struct hb_particles *p, int *found)
{
  uint64_t *ids;
  *found = 0;
  if (h->counts[0]) return HB_OK;
  HB_TRY(HB_ALLOC(p->n, &ids));
  int fit = 1;
  for (size_t type = 1, i = 0; type < TYPES; type++)
    for (int32_t k = 0; k < h->counts[type]; k++, body += 4 * type_words[type]) {
      ids[i] = (uint32_t)hb_endian_int(body + 4 * (type_words[type] - 1), h->swap);
      fit = fit && ids[i++] < most;
    }
  enum hb_status status = fit ? hb_snapshot_take_ids(p, ids, found) : HB_OK;
  hb_mem_free(ids);
  return status;
}

static void get_particles(const struct header *h, const char *body, struct hb_particles *p)
{
  p->t = h->t;
  for (size_t type = 0, i = 0; type < TYPES; type++)
    for (int32_t k = 0; k < h->counts[type]; k++, i++, body += 4 * type_words[type]) {
      p->m[i] = (double)hb_endian_float(body, h->swap);
      for (size_t c = 0; c < 3; c++) {
        p->x[3 * i + c] = (double)hb_endian_float(body + 4 * (1 + c), h->swap);
        p->v[3 * i + c] = (double)hb_endian_float(body + 4 * (4 + c), h->swap);
      }
    }
}

static enum hb_status parse(const char *name, const char *bytes, size_t count, uint64_t most_id,
                            struct hb_snapshot_choice *choice, struct hb_particles **particles)
{
  struct header h;
  size_t header_bytes = 0;
  int has_ids;
  *particles = NULL;
  HB_TRY(check_header(name, bytes, count, &h, &header_bytes));
  HB_TRY(hb_particles_create((size_t)h.nbodies, particles));
  get_particles(&h, bytes + header_bytes, *particles);
  enum hb_status status = take_ids(&h, bytes + header_bytes, most_id, *particles, &has_ids);
  if (status != HB_OK) {
    hb_particles_destroy(*particles);
    *particles = NULL;
    return status;
  }
  const struct hb_snapshot_ops *native =
      has_ids && (*particles)->n > 1 ? &hb_snapshot_tipsy_cuda : &hb_snapshot_tipsy_native;
  snprintf(choice->format, sizeof choice->format, "%s",
           h.swap != HB_ENDIAN_IS_BIG ? hb_snapshot_tipsy.info.name : native->info.name);
  return HB_OK;
}

/* As a float, an identity below 2^23 would be a denormal number, which no potential is. */
static enum hb_status tipsy_parse(const char *name, const char *bytes, size_t count,
                                  struct hb_snapshot_choice *choice, struct hb_particles **particles)
{
  return parse(name, bytes, count, UINT64_C(1) << 23, choice, particles);
}

/* Where identities are known to be, none is too large. */
static enum hb_status cuda_parse(const char *name, const char *bytes, size_t count,
                                 struct hb_snapshot_choice *choice, struct hb_particles **particles)
{
  return parse(name, bytes, count, UINT64_C(1) << 31, choice, particles);
}

static int recognize_standard(const char *head, size_t count, uint64_t total)
{
  return is_of_order(head, count, total, !HB_ENDIAN_IS_BIG);
}

static int recognize_native(const char *head, size_t count, uint64_t total)
{
  return is_of_order(head, count, total, 0);
}

/* ---- writing ----------------------------------------------------------------------------------------- */

struct form {
  const struct hb_snapshot_ops *ops;
  int is_big;
  int has_ids;
};

/* A value that becomes infinite, or a mass that vanishes, is not what was meant; lost digits are counted. */
static enum hb_status check_value(const struct form *form, size_t i, const char *what, double value,
                                  size_t *rounded)
{
  float kept = (float)value;
  int is_gone = *what == 'm' && kept == 0 && value != 0;
  *rounded += (double)kept != value;
  if (isfinite(kept) && !is_gone) return HB_OK;
  return hb_fail(HB_ERR_INPUT,
                 "particle %zu has %s = %.9g, which the floats of format %s cannot hold: write hdf5", i, what,
                 value, form->ops->info.name);
}

/* Said once, not for each snapshot of a run. */
static void tell_rounded(const struct form *form, size_t rounded, size_t count)
{
  static atomic_flag told = ATOMIC_FLAG_INIT;
  if (rounded == 0 || atomic_flag_test_and_set(&told)) return;
  hb_log_warn("format %s holds floats: %zu of %zu numbers lose digits beyond the 7th; hdf5 and nemo keep all",
              form->ops->info.name, rounded, count);
}

static enum hb_status check_all(const struct form *form, const struct hb_particles *p)
{
  static const char *const x_names[] = {"x", "y", "z"}, *const v_names[] = {"vx", "vy", "vz"};
  size_t rounded = 0;
  if (p->n > INT32_MAX)
    return hb_fail(HB_ERR_INPUT, "format %s holds fewer than 2^31 particles, not %zu", form->ops->info.name,
                   p->n);
  if (form->has_ids) HB_TRY(hb_snapshot_check_ids(p, form->ops->info.name));
  for (size_t i = 0; i < p->n; i++) {
    HB_TRY(check_value(form, i, "mass", p->m[i], &rounded));
    for (size_t k = 0; k < 3; k++) {
      HB_TRY(check_value(form, i, x_names[k], p->x[3 * i + k], &rounded));
      HB_TRY(check_value(form, i, v_names[k], p->v[3 * i + k], &rounded));
    }
  }
  tell_rounded(form, rounded, SHARED * p->n);
  return HB_OK;
}

/* The softening that the snapshot was made for, where its notes tell. */
static float softening(const struct hb_particles *p)
{
  const char *note = hb_particles_note(p, "eps");
  float eps = note ? strtof(note, NULL) : 0;
  return isfinite(eps) && eps > 0 ? eps : 0;
}

static void put_word(char **at, const void *word, size_t size, int swap)
{
  hb_endian_copy(*at, word, size, swap);
  *at += size;
}

static void put_header(const struct form *form, const struct hb_particles *p, char **at)
{
  int swap = form->is_big != HB_ENDIAN_IS_BIG;
  const int32_t n = (int32_t)p->n, words[] = {n, 3, 0, n, 0, 0}; /* the last is the padding */
  put_word(at, &p->t, sizeof p->t, swap);
  for (size_t k = 0; k < sizeof words / sizeof *words; k++) put_word(at, &words[k], sizeof *words, swap);
}

static enum hb_status write_form(const struct form *form, const struct hb_particles *p, char **bytes,
                                 size_t *count)
{
  int swap = form->is_big != HB_ENDIAN_IS_BIG;
  float eps = softening(p);
  *bytes = NULL;
  HB_TRY(check_all(form, p));
  *count = HEADER + 4 * DARK * p->n;
  HB_TRY(HB_ALLOC(*count, bytes));
  char *at = *bytes;
  put_header(form, p, &at);
  for (size_t i = 0; i < p->n; i++) {
    const double *x = p->x + 3 * i, *v = p->v + 3 * i;
    const float words[] = {(float)p->m[i], (float)x[0], (float)x[1], (float)x[2],
                           (float)v[0],    (float)v[1], (float)v[2], eps};
    const int32_t phi = form->has_ids ? (int32_t)p->id[i] : 0;
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) put_word(&at, &words[k], sizeof *words, swap);
    put_word(&at, &phi, sizeof phi, swap);
  }
  return HB_OK;
}

static enum hb_status standard_write(const struct hb_particles *p, char **bytes, size_t *count)
{
  return write_form(&(struct form){&hb_snapshot_tipsy, 1, 0}, p, bytes, count);
}

static enum hb_status native_write(const struct hb_particles *p, char **bytes, size_t *count)
{
  return write_form(&(struct form){&hb_snapshot_tipsy_native, HB_ENDIAN_IS_BIG, 0}, p, bytes, count);
}

static enum hb_status cuda_write(const struct hb_particles *p, char **bytes, size_t *count)
{
  return write_form(&(struct form){&hb_snapshot_tipsy_cuda, HB_ENDIAN_IS_BIG, 1}, p, bytes, count);
}

const struct hb_snapshot_ops hb_snapshot_tipsy = {
    .info = {.name = "tipsy",
             .summary = "tipsy, standard (big-endian), in float, as dark particles",
             .extensions = "tipsy std"},
    .recognize = recognize_standard,
    .parse = tipsy_parse,
    .write = standard_write,
    .has_no_notes = 1,
};

const struct hb_snapshot_ops hb_snapshot_tipsy_native = {
    .info = {.name = "tipsy-native",
             .summary = "tipsy in the byte order of this machine",
             .extensions = "tipsy"},
    .recognize = recognize_native,
    .parse = tipsy_parse,
    .write = native_write,
    .has_no_notes = 1,
};

const struct hb_snapshot_ops hb_snapshot_tipsy_cuda = {
    .info = {.name = "tipsy-cuda",
             .summary = "the same with identities for potentials: the CUDA samples, Bonsai",
             .extensions = "bin"},
    .recognize = recognize_native,
    .parse = cuda_parse,
    .write = cuda_write,
    .has_no_notes = 1,
};

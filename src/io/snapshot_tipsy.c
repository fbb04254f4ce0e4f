/* tipsy: a header, then gas, dark and star particles, in floats. The "standard" form is big-endian, the native one that of
 * the machine; a reader sees which at ndim, which is 3. The header has 28 bytes, or 32 where a compiler has padded it.
 * The program of the CUDA samples, and Bonsai, keep the particle's identity, as an int, where the potential should be.
 *
 *   header  double time; int nbodies, ndim, nsph, ndark, nstar
 *   gas     mass x[3] v[3] rho temp eps metals phi
 *   dark    mass x[3] v[3] eps phi
 *   star    mass x[3] v[3] metals tform eps phi
 */
#include "io/snapshot_format.h"

#include "base/log.h"
#include "io/endian.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHORT_HEADER = 28, HEADER = 32, TYPES = 3, DARK = 9 };

enum { STANDARD, NATIVE, CUDA }; /* forms, as in hb_snapshot_tipsy */

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

/* What is in the slots of phi, all below most and none twice, are identities; gas has none. */
static void get_particles(const struct header *h, const char *body, uint64_t most, struct hb_particles *p,
                          int *are_ids)
{
  p->t = h->t;
  *are_ids = h->counts[0] == 0;
  for (size_t type = 0, i = 0; type < TYPES; type++)
    for (int32_t n = 0; n < h->counts[type]; n++, i++, body += 4 * type_words[type]) {
      for (size_t k = 0; k < HB_SNAPSHOT_COLUMNS; k++)
        *hb_snapshot_value(p, i, k) = (double)hb_endian_float(body + 4 * k, h->swap);
      p->id[i] = (uint32_t)hb_endian_int(body + 4 * (type_words[type] - 1), h->swap);
      *are_ids &= p->id[i] < most;
    }
}

static enum hb_status parse(const char *name, const char *bytes, size_t count, uint64_t most_id,
                            struct hb_snapshot_choice *choice, struct hb_particles **particles)
{
  struct header h;
  size_t header_bytes = 0;
  int are_ids;
  HB_TRY(check_header(name, bytes, count, &h, &header_bytes));
  HB_TRY(hb_particles_create((size_t)h.nbodies, particles));
  get_particles(&h, bytes + header_bytes, most_id, *particles, &are_ids);
  HB_TRY(hb_snapshot_settle_ids(*particles, &are_ids));
  int form = h.swap != HB_ENDIAN_IS_BIG ? STANDARD : are_ids && (*particles)->n > 1 ? CUDA : NATIVE;
  snprintf(choice->format, sizeof choice->format, "%s", hb_snapshot_tipsy[form].info.name);
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

/* A value that becomes infinite, or a mass that vanishes, is not what was meant; lost digits are counted. */
static enum hb_status check_value(const char *format, const struct hb_particles *p, size_t i, size_t k,
                                  size_t *rounded)
{
  double value = *hb_snapshot_value(p, i, k);
  float kept = (float)value;
  int is_gone = k == 0 && kept == 0 && value != 0;
  *rounded += (double)kept != value;
  if (isfinite(kept) && !is_gone) return HB_OK;
  return hb_fail(HB_ERR_INPUT,
                 "particle %zu has %s = %.9g, which the floats of format %s cannot hold: write hdf5", i,
                 k ? hb_snapshot_columns[k] : "mass", value, format);
}

/* Said once, not for each snapshot of a run. */
static void tell_rounded(const char *format, size_t rounded, size_t count)
{
  static atomic_flag told = ATOMIC_FLAG_INIT;
  if (rounded == 0 || atomic_flag_test_and_set(&told)) return;
  hb_log_warn("format %s holds floats: %zu of %zu numbers lose digits beyond the 7th; hdf5 and nemo keep all",
              format, rounded, count);
}

/* The softening that the snapshot was made for, where its notes tell. */
static float softening(const struct hb_particles *p)
{
  const char *note = hb_particles_note(p, "eps");
  float eps = note ? strtof(note, NULL) : 0;
  return isfinite(eps) && eps > 0 ? eps : 0;
}

static enum hb_status put_header(const struct hb_particles *p, int swap, struct hb_text *bytes)
{
  const int32_t n = (int32_t)p->n, words[] = {n, 3, 0, n, 0, 0}; /* the last is the padding */
  char header[HEADER];
  hb_endian_copy(header, &p->t, sizeof p->t, swap);
  for (size_t k = 0; k < sizeof words / sizeof *words; k++)
    hb_endian_copy(header + 8 + 4 * k, &words[k], sizeof *words, swap);
  return hb_text_append_bytes(bytes, header, sizeof header);
}

static enum hb_status write_form(const struct hb_snapshot_ops *ops, const struct hb_particles *p, int swap,
                                 struct hb_text *bytes)
{
  float eps = softening(p);
  size_t rounded = 0;
  HB_TRY(put_header(p, swap, bytes));
  for (size_t i = 0; i < p->n; i++) {
    const int32_t phi = ops->facts & HB_SNAPSHOT_INT_IDS ? (int32_t)p->id[i] : 0;
    char record[4 * DARK];
    for (size_t k = 0; k < HB_SNAPSHOT_COLUMNS; k++) {
      const float word = (float)*hb_snapshot_value(p, i, k);
      HB_TRY(check_value(ops->info.name, p, i, k, &rounded));
      hb_endian_copy(record + 4 * k, &word, sizeof word, swap);
    }
    hb_endian_copy(record + 28, &eps, sizeof eps, swap);
    hb_endian_copy(record + 32, &phi, sizeof phi, swap);
    HB_TRY(hb_text_append_bytes(bytes, record, sizeof record));
  }
  tell_rounded(ops->info.name, rounded, HB_SNAPSHOT_COLUMNS * p->n);
  return HB_OK;
}

static enum hb_status standard_write(const struct hb_particles *p, struct hb_text *bytes)
{
  return write_form(&hb_snapshot_tipsy[STANDARD], p, !HB_ENDIAN_IS_BIG, bytes);
}

static enum hb_status native_write(const struct hb_particles *p, struct hb_text *bytes)
{
  return write_form(&hb_snapshot_tipsy[NATIVE], p, 0, bytes);
}

static enum hb_status cuda_write(const struct hb_particles *p, struct hb_text *bytes)
{
  return write_form(&hb_snapshot_tipsy[CUDA], p, 0, bytes);
}

const struct hb_snapshot_ops hb_snapshot_tipsy[] = {
    [STANDARD] = {.info = {.name = "tipsy",
                           .summary = "tipsy, standard (big-endian), in float, as dark particles",
                           .extensions = "tipsy std"},
                  .recognize = recognize_standard,
                  .parse = tipsy_parse,
                  .write = standard_write,
                  .facts = HB_SNAPSHOT_NO_NOTES | HB_SNAPSHOT_INT_N},
    [NATIVE] = {.info = {.name = "tipsy-native",
                         .summary = "tipsy in the byte order of this machine",
                         .extensions = "tipsy"},
                .recognize = recognize_native,
                .parse = tipsy_parse,
                .write = native_write,
                .facts = HB_SNAPSHOT_NO_NOTES | HB_SNAPSHOT_INT_N},
    [CUDA] = {.info = {.name = "tipsy-cuda",
                       .summary = "the same with identities for potentials: the CUDA samples, Bonsai",
                       .extensions = "bin"},
              .recognize = recognize_native,
              .parse = cuda_parse,
              .write = cuda_write,
              .facts = HB_SNAPSHOT_NO_NOTES | HB_SNAPSHOT_INT_N | HB_SNAPSHOT_INT_IDS},
};

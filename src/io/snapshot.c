#include "io/snapshot_format.h"

#include "base/arith.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where formats share an extension, the first one is written. */
static const struct hb_snapshot_ops *const formats[] = {
    &hb_snapshot_hdf5,     &hb_snapshot_text,     &hb_snapshot_nemo,     &hb_snapshot_phigrape,
    &hb_snapshot_tipsy[0], &hb_snapshot_tipsy[1], &hb_snapshot_tipsy[2], &hb_snapshot_dyn,
    &hb_snapshot_amuse,    &hb_snapshot_xdmf};

enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

static struct hb_snapshot_format infos[FORMAT_COUNT];
static pthread_once_t infos_filled = PTHREAD_ONCE_INIT;

static void fill_infos(void)
{
  for (size_t k = 0; k < FORMAT_COUNT; k++) infos[k] = formats[k]->info;
}

const struct hb_snapshot_format *hb_snapshot_formats(size_t *count)
{
  pthread_once(&infos_filled, fill_infos);
  *count = FORMAT_COUNT;
  return infos;
}

static int is_standard_stream(const char *path) { return strcmp(path, "-") == 0; }

/* "hdf5 (.h5 .hdf5), text (.txt)", for messages. */
static enum hb_status list_formats(struct hb_text *list)
{
  for (size_t k = 0; k < FORMAT_COUNT; k++) {
    HB_TRY(hb_text_append(list, "%s%s (", k ? ", " : "", formats[k]->info.name));
    for (const char *c = formats[k]->info.extensions; *c;) {
      size_t span = strcspn(c, " ");
      HB_TRY(hb_text_append(list, "%s.%.*s", c == formats[k]->info.extensions ? "" : " ", (int)span, c));
      c += span + strspn(c + span, " ");
    }
    HB_TRY(hb_text_append(list, ")"));
  }
  return HB_OK;
}

static enum hb_status no_format(const char *path, const char *format)
{
  HB_OWN struct hb_text list = {0};
  HB_TRY(list_formats(&list));
  if (format) return hb_fail(HB_ERR_USAGE, "unknown format '%s', expected %s", format, list.text);
  return hb_fail(HB_ERR_USAGE, "cannot tell the format of %s by its extension, expected %s", path, list.text);
}

static int is_of_stream(const struct hb_snapshot_ops *ops) { return ops->parse && ops->write; }

static enum hb_status no_stream(const char *format)
{
  HB_OWN struct hb_text list = {0};
  for (size_t k = 0; k < FORMAT_COUNT; k++)
    if (is_of_stream(formats[k]))
      HB_TRY(hb_text_append(&list, "%s%s", list.length ? ", " : "", formats[k]->info.name));
  return hb_fail(HB_ERR_USAGE, "standard input and output take format %s, but not %s", list.text, format);
}

/* The format of this name, or else the first, from the k-th, with the path's extension; NULL: there is none. */
static const struct hb_snapshot_ops *find(const char *path, const char *format, size_t *k)
{
  for (; *k < FORMAT_COUNT; ++*k) {
    const struct hb_snapshot_format *info = &formats[*k]->info;
    if (format ? strcasecmp(format, info->name) == 0 : hb_text_has_extension(path, info->extensions))
      return formats[(*k)++];
  }
  return NULL;
}

static enum hb_status choose_written(const char *path, const char *format,
                                     const struct hb_snapshot_ops **chosen)
{
  size_t k = 0;
  if (!format && is_standard_stream(path)) format = hb_snapshot_text.info.name;
  *chosen = find(path, format, &k);
  if (!*chosen) return no_format(path, format);
  const struct hb_snapshot_format *info = &(*chosen)->info;
  if (!(*chosen)->write && !(*chosen)->save)
    return hb_fail(HB_ERR_USAGE, "cannot write %s: format %s is %s", path, info->name, info->summary);
  if (is_standard_stream(path) && !is_of_stream(*chosen)) return no_stream(info->name);
  return (*chosen)->load ? (*chosen)->load() : HB_OK;
}

enum hb_status hb_snapshot_beside(const char *path, const char *format, struct hb_text *name)
{
  const struct hb_snapshot_ops *ops;
  HB_TRY(choose_written(path, format, &ops));
  return ops->beside ? hb_snapshot_rename(path, ops->beside, name) : HB_OK;
}

/* ---- reading ----------------------------------------------------------------------------------------- */

/* Checked before the extension; by stat, since a pipe must not be opened twice. */
static enum hb_status check_readable(const char *path)
{
  struct stat info;
  if (is_standard_stream(path)) return HB_OK;
  int reason = stat(path, &info) != 0 || access(path, R_OK) != 0 ? errno : S_ISDIR(info.st_mode) ? EISDIR : 0;
  return reason ? hb_fail(HB_ERR_IO, "cannot read %s: %s", path, strerror(reason)) : HB_OK;
}

/* A file to be read: its first bytes, and all of them if it can be read only once. */
struct input {
  const char *path, *name;
  char head[HB_SNAPSHOT_HEAD];
  size_t head_count;
  uint64_t total;
  char *bytes; /* NULL: not yet read */
  size_t count;
};

static enum hb_status look(struct input *in)
{
  struct stat info;
  if (is_standard_stream(in->path) || stat(in->path, &info) != 0 || !S_ISREG(info.st_mode)) {
    HB_TRY(hb_file_read(in->path, &in->bytes, &in->count));
    in->head_count = hb_min(in->count, sizeof in->head);
    in->total = in->count;
    memcpy(in->head, in->bytes, in->head_count);
    return HB_OK;
  }
  HB_OWN_FD int fd = open(in->path, O_RDONLY | O_CLOEXEC);
  ssize_t got = fd < 0 ? -1 : pread(fd, in->head, sizeof in->head, 0);
  if (got < 0) return hb_fail(HB_ERR_IO, "cannot read %s: %s", in->path, strerror(errno));
  in->head_count = (size_t)got;
  in->total = (uint64_t)info.st_size;
  return HB_OK;
}

static int recognizes(const struct hb_snapshot_ops *ops, const struct input *in)
{
  return ops->recognize && ops->recognize(in->head, in->head_count, in->total);
}

/* By name; by extension, and where formats share it by content; by content alone where no format has it. */
static enum hb_status choose_read(struct input *in, const char *format, const struct hb_snapshot_ops **chosen)
{
  size_t k = 0;
  int stream = is_standard_stream(in->path);
  *chosen = NULL;
  if (format) {
    *chosen = find(in->path, format, &k);
    if (!*chosen) return no_format(in->path, format);
    return stream && !is_of_stream(*chosen) ? no_stream((*chosen)->info.name) : HB_OK;
  }
  const struct hb_snapshot_ops *first = stream ? &hb_snapshot_text : find(in->path, NULL, &k), *other;
  HB_TRY(look(in));
  if (first && !recognizes(first, in))
    while (!stream && (other = find(in->path, NULL, &k)))
      if (!*chosen && recognizes(other, in)) *chosen = other;
  for (k = 0; k < FORMAT_COUNT && !*chosen && (stream || !first); k++)
    if (recognizes(formats[k], in) && (!stream || is_of_stream(formats[k]))) *chosen = formats[k];
  if (!*chosen) *chosen = first;
  return *chosen ? HB_OK : no_format(in->path, NULL);
}

/* With a single snapshot there was no choice. */
static enum hb_status check_choice(const struct input *in, struct hb_snapshot_choice *c,
                                   const struct hb_particles *p)
{
  enum hb_status status = hb_particles_check(p);
  if (status != HB_OK) return hb_fail_in(status, in->name);
  if (c->count == 0) hb_snapshot_offer(c, p->t);
  if (isnan(c->t) || fabs(p->t - c->t) <= 1e-6 * fmax(1, fabs(c->t))) return HB_OK;
  if (c->count == 1)
    return hb_fail(HB_ERR_INPUT, "%s: its only snapshot is of t = %.9g, not of %.9g", in->name, p->t, c->t);
  return hb_fail(HB_ERR_INPUT,
                 "%s: no snapshot of t = %.9g; the nearest of %zu from t = %.9g to %.9g is of t = %.9g",
                 in->name, c->t, c->count, c->t_first, c->t_last, p->t);
}

static enum hb_status read_input(struct input *in, const char *format, struct hb_snapshot_choice *choice,
                                 struct hb_particles **particles)
{
  const struct hb_snapshot_ops *ops;
  size_t k = 0;
  HB_TRY(choose_read(in, format, &ops));
  if (!ops->read && !in->bytes) HB_TRY(hb_file_read(in->path, &in->bytes, &in->count));
  HB_TRY(ops->read ? ops->read(in->path, choice, particles)
                   : ops->parse(in->name, in->bytes, in->count, choice, particles));
  if (!*choice->format || !find(in->path, choice->format, &k))
    snprintf(choice->format, sizeof choice->format, "%s", ops->info.name);
  return check_choice(in, choice, *particles);
}

enum hb_status hb_snapshot_read_at(const char *path, const char *format, double t,
                                   struct hb_particles **particles, struct hb_snapshot_contents *contents)
{
  HB_TEXT_IN_C;
  HB_OWN_PARTICLES struct hb_particles *p = NULL;
  *particles = NULL;
  if (!path) return hb_fail(HB_ERR_USAGE, "no path of a snapshot to read");
  struct hb_snapshot_choice choice = {.t = t};
  struct input in = {.path = path, .name = is_standard_stream(path) ? "standard input" : path};
  HB_TRY(check_readable(path));
  enum hb_status status = read_input(&in, format, &choice, &p);
  size_t k = 0;
  hb_mem_free(in.bytes);
  HB_TRY(status);
  if (contents)
    *contents = (struct hb_snapshot_contents){.format = find(path, choice.format, &k)->info.name,
                                              .count = choice.count,
                                              .t_first = choice.t_first,
                                              .t_last = choice.t_last};
  return HB_GIVE(p, particles);
}

enum hb_status hb_snapshot_read(const char *path, const char *format, struct hb_particles **particles)
{
  return hb_snapshot_read_at(path, format, NAN, particles, NULL);
}

/* ---- writing ----------------------------------------------------------------------------------------- */

/* Said once, not for each snapshot of a run. */
static void tell_what_is_lost(const struct hb_snapshot_ops *ops, const struct hb_particles *p)
{
  static atomic_flag units = ATOMIC_FLAG_INIT, radii = ATOMIC_FLAG_INIT;
  int no_units = ops->facts & HB_SNAPSHOT_NO_NOTES && hb_particles_note(p, "units");
  int no_radii = !(ops->facts & HB_SNAPSHOT_RADII) && hb_particles_radii(p);
  if (no_units && !atomic_flag_test_and_set(&units))
    hb_log_warn("format %s keeps no units: its numbers are in N-body units", ops->info.name);
  if (no_radii && !atomic_flag_test_and_set(&radii))
    hb_log_warn("format %s keeps no radii: they are not written (hdf5 and text keep them)", ops->info.name);
}

/* Before a file is there that nobody could read. */
static enum hb_status check_written(const char *path, const struct hb_particles *particles)
{
  if (!path || !particles)
    return hb_fail(HB_ERR_USAGE, "no %s of a snapshot to write", path ? "particles" : "path");
  return hb_particles_check(particles);
}

/* In formats of ints. */
static enum hb_status check_ints(const struct hb_snapshot_ops *ops, const struct hb_particles *p)
{
  if (ops->facts & HB_SNAPSHOT_INT_N && p->n > INT32_MAX)
    return hb_fail(HB_ERR_INPUT, "format %s holds fewer than 2^31 particles, not %zu", ops->info.name, p->n);
  for (size_t i = 0; i < p->n && ops->facts & HB_SNAPSHOT_INT_IDS; i++)
    if (p->id[i] > INT32_MAX)
      return hb_fail(HB_ERR_INPUT,
                     "particle %zu has identity %llu, but those of format %s are below 2^31: write hdf5", i,
                     (unsigned long long)p->id[i], ops->info.name);
  return HB_OK;
}

enum hb_status hb_snapshot_write(const char *path, const char *format, const struct hb_particles *particles)
{
  HB_TEXT_IN_C;
  const struct hb_snapshot_ops *ops;
  HB_TRY(check_written(path, particles));
  HB_TRY(choose_written(path, format, &ops));
  tell_what_is_lost(ops, particles);
  if (ops->save) return ops->save(path, particles);
  HB_OWN struct hb_text bytes = {0};
  HB_TRY(check_ints(ops, particles));
  HB_TRY(ops->write(particles, &bytes));
  return is_standard_stream(path) ? hb_file_write(STDOUT_FILENO, "standard output", bytes.text, bytes.length)
                                  : hb_file_replace(path, bytes.text, bytes.length);
}

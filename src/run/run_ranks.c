#include "run/run_ranks.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/ranks.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- options ---- */

void hb_run_ranks_follow(struct hb_run_settings *s)
{
  if (hb_ranks_number() == 0) return;
  s->output = s->diag = s->events = s->follow = s->follow_out = s->checkpoint = s->format = NULL;
  s->snap_every = s->max_s = 0;
  s->json = 0;
  s->quiet = 1;
}

/* ---- particles ---- */

/* Of a snapshot's notes, those that hb_run_take_notes reads. */
static const char *const shaping[] = {"eps", "dt", "damping", "units"};

static enum hb_status share_note(const char *key, struct hb_particles *p)
{
  char text[128] = "";
  const char *note = hb_ranks_number() ? NULL : hb_particles_note(p, key);
  if (note) snprintf(text, sizeof text, "%s", note);
  HB_TRY(hb_ranks_share(text, sizeof text));
  return hb_ranks_number() && *text ? hb_particles_set_note(p, key, text) : HB_OK;
}

/* Of any length. */
static enum hb_status share_long_note(const char *key, struct hb_particles *p)
{
  const char *note = hb_ranks_number() ? NULL : hb_particles_note(p, key);
  uint64_t size = note ? strlen(note) + 1 : 0;
  char *text = NULL;
  HB_TRY(hb_ranks_share(&size, sizeof size));
  if (size == 0) return HB_OK;
  enum hb_status status = hb_ranks_agree(HB_ALLOC(size, &text));
  if (status == HB_OK && note) memcpy(text, note, size);
  if (status == HB_OK) status = hb_ranks_share(text, size);
  if (status == HB_OK && hb_ranks_number()) status = hb_particles_set_note(p, key, text);
  hb_mem_free(text);
  return hb_ranks_agree(status);
}

enum hb_status hb_run_ranks_share_particles(enum hb_status status, struct hb_particles **particles)
{
  if (hb_ranks_count() == 1) return status;
  HB_TRY(hb_ranks_agree(status));
  int reads = hb_ranks_number() == 0;
  uint64_t n = reads ? hb_particles_n(*particles) : 0;
  double t = reads ? hb_particles_time(*particles) : 0;
  HB_TRY(hb_ranks_share(&n, sizeof n));
  HB_TRY(hb_ranks_share(&t, sizeof t));
  HB_TRY(hb_ranks_agree(reads ? HB_OK : hb_particles_create(n, particles)));
  struct hb_particles *p = *particles;
  hb_particles_set_time(p, t);
  HB_TRY(hb_ranks_share(hb_particles_m(p), n * sizeof(double)));
  HB_TRY(hb_ranks_share(hb_particles_x(p), 3 * n * sizeof(double)));
  HB_TRY(hb_ranks_share(hb_particles_v(p), 3 * n * sizeof(double)));
  HB_TRY(hb_ranks_share(hb_particles_id(p), n * sizeof(uint64_t)));
  for (size_t k = 0; k < sizeof shaping / sizeof *shaping; k++) {
    enum hb_status shared = share_note(shaping[k], p); /* all of them, else other ranks would wait */
    if (status == HB_OK) status = shared;
  }
  HB_TRY(hb_ranks_agree(status));
  return share_long_note("stars", p); /* see sim/sim_stars.c */
}

/* ---- checkpoints ---- */

/* Opens bytes as if they were a file's. */
static enum hb_status open_bytes(const char *bytes, size_t count, struct hb_checkpoint **checkpoint)
{
  char path[32];
  FILE *file = tmpfile();
  enum hb_status status = HB_OK;
  if (!file || fwrite(bytes, 1, count, file) != count || fflush(file) != 0)
    status = hb_fail(HB_ERR_IO, "cannot write a temporary file: %s", strerror(errno));
  if (status == HB_OK) {
    snprintf(path, sizeof path, "/dev/fd/%d", fileno(file));
    status = hb_checkpoint_open(path, checkpoint);
  }
  if (file) fclose(file);
  return status;
}

enum hb_status hb_run_ranks_share_checkpoint(enum hb_status status, struct hb_checkpoint **checkpoint)
{
  if (hb_ranks_count() == 1) return status;
  int reads = hb_ranks_number() == 0;
  char *bytes = NULL;
  size_t count = 0;
  if (reads && status == HB_OK) {
    struct hb_checkpoint_info info;
    hb_checkpoint_info(*checkpoint, &info);
    status = hb_file_read(info.path, &bytes, &count);
  }
  status = hb_ranks_agree(status);
  if (status == HB_OK) status = hb_ranks_share_bytes(&bytes, &count);
  if (status == HB_OK) status = hb_ranks_agree(reads ? HB_OK : open_bytes(bytes, count, checkpoint));
  hb_mem_free(bytes);
  return status;
}

/* ---- stopping ---- */

enum { REASON = 16 };

static enum hb_status share_reason(const char **by)
{
  static char reason[REASON];
  struct {
    char at[REASON];
  } mine = {{0}}, *all;
  if (*by) snprintf(mine.at, sizeof mine.at, "%s", *by);
  HB_TRY(HB_ALLOC((size_t)hb_ranks_count(), &all));
  enum hb_status status = hb_ranks_gather(sizeof mine / sizeof(uint64_t), &mine, all);
  for (int k = hb_ranks_count() - 1; k >= 0 && status == HB_OK; k--)
    if (*all[k].at) memcpy(reason, all[k].at, sizeof reason);
  hb_mem_free(all);
  *by = reason;
  return status;
}

enum hb_status hb_run_ranks_stop(const char **by)
{
  if (*by) hb_ranks_wish();
  if (hb_ranks_wished()) return share_reason(by);
  *by = NULL;
  return HB_OK;
}

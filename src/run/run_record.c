/* What a checkpoint records of a run besides its simulation: strings, each with its NUL, the first of them the tag.
 *   progress T T_BEGIN E_BEGIN DIAG_NUMBER SNAP_NUMBER WALL_S WRITTEN ROWS    doubles as hexadecimal: all bits
 *   scale E_SCALE NOTED PARTS                                             in older ones: watch E_KIN_BEGIN NOTED, or nothing
 *   device TEXT                                                               if another device has continued the run
 *   appended INODE DEVICE LENGTH CHECKSUM PATH                                as in run/run_files.h: standard output, --diag
 *   events INODE DEVICE LENGTH CHECKSUM PATH                                  the same of --events
 *   follow INODE DEVICE LENGTH CHECKSUM PATH                                  the same of --follow
 *   found INODE DEVICE LENGTH CHECKSUM PATH                                   the file at -o before the run replaced it
 *   option --NAME=VALUE                                                       those that were given
 *   operand FILE */
#include "run/run_record.h"

#include "base/clock.h"
#include "base/mem.h"
#include "console/signals.h"
#include "console/terminal.h"
#include "run/run_ranks.h"

#include <holmberg/checkpoint.h>

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

static const char tag[] = "holmberg run 1";

/* The same for printf and scanf. */
#define PROGRESS "progress %la %la %la %la %la %la %lu %ld"
#define SCALE    "scale %la %u %d"
#define MARK     " %llu %llu %llu %lu "

/* The number of the first multiple of `every` after t. */
static double first_number(double t, double every) { return floor(t / every + 1e-9) + 1; }

void hb_run_set_up(struct hb_run *run, double t_begin)
{
  const struct hb_run_settings *s = run->settings;
  run->t = t_begin;
  run->t_end = s->t_end;
  run->time_tolerance = 1e-9 * s->sim.dt;
  run->diag_every = s->diag_every > 0 ? s->diag_every : s->sim.dt_max;
  run->snap_every = s->snap_every;
  run->diag_number = first_number(run->t, run->diag_every);
  run->snap_number = run->snap_every > 0 ? first_number(run->t, run->snap_every) : 0;

  struct hb_run_output *output = &run->output;
  int is_silent = s->quiet || (s->output && strcmp(s->output, "-") == 0);
  output->form = s->json ? HB_RUN_OUTPUT_JSON : is_silent ? HB_RUN_OUTPUT_NONE : HB_RUN_OUTPUT_TABLE;
  output->has_bar = !s->quiet && !s->json && hb_terminal_is_live();
  run->appended[RUN_DIAG_ROWS].path = s->diag;
  run->appended[RUN_EVENTS_ROWS].path = s->events;
  run->appended[RUN_FOLLOW_ROWS].path = hb_run_follow_path(s);
  run->appended[RUN_STDOUT].path = output->form == HB_RUN_OUTPUT_NONE ? NULL : "-";
  output->t_begin = run->t;
  output->t_end = run->t_end;
}

/* ---- writing ---- */

/* Formats that write a string end with %c for its NUL. */
static enum hb_status write_options(const struct hb_run *run, struct hb_text *record)
{
  const struct hb_opts *opts = &run->asked.opts;
  const struct hb_setting *option;
  for (size_t k = 0; (option = hb_opts_option_at(opts->command, k)); k++) {
    if (!opts->typed[k] || strcmp(option->name, "resume") == 0) continue;
    int is_flag = option->kind == HB_SETTING_FLAG;
    HB_TRY(hb_text_append(record, "option --%s%s%s%c", option->name, is_flag ? "" : "=",
                          is_flag ? "" : opts->typed[k], 0));
  }
  return hb_text_append(record, "operand %s%c", opts->operands[0], 0);
}

static enum hb_status write_mark(const char *word, const struct hb_appended *a, struct hb_text *record)
{
  if (!a->path) return HB_OK;
  return hb_text_append(record, "%s" MARK "%s%c", word, a->inode, a->device, a->length, a->checksum, a->path,
                        0);
}

static enum hb_status write_record(const struct hb_run *run, struct hb_text *record)
{
  const struct hb_run_output *output = &run->output;
  HB_TRY(hb_text_append_bytes(record, tag, sizeof tag));
  HB_TRY(hb_text_append(record, PROGRESS "%c", run->t, output->t_begin, output->e_begin, run->diag_number,
                        run->snap_number, hb_clock_now() - output->wall_begin, run->written,
                        (long)output->rows, 0));
  HB_TRY(hb_text_append(record, SCALE "%c", output->e_scale, run->noted, output->parts, 0));
  if (run->resumed.device.text) HB_TRY(hb_text_append(record, "device %s%c", run->resumed.device.text, 0));
  for (size_t k = 0; k < RUN_EVENTS_ROWS; k++) HB_TRY(write_mark("appended", &run->appended[k], record));
  HB_TRY(write_mark("events", &run->appended[RUN_EVENTS_ROWS], record));
  HB_TRY(write_mark("follow", &run->appended[RUN_FOLLOW_ROWS], record));
  HB_TRY(write_mark("found", &run->found, record));
  return write_options(run, record);
}

/* ---- reading ---- */

/* What follows word in the next string that begins with it; *place moves through the record, NULL at first. */
static char *next_of(const struct hb_text *record, const char *word, char **place)
{
  char *end = record->text + record->length;
  *place = *place ? *place + strlen(*place) + 1 : record->text;
  for (; *place < end; *place += strlen(*place) + 1)
    if (strncmp(*place, word, strlen(word)) == 0) return *place + strlen(word);
  return NULL;
}

enum hb_status hb_run_record_options(const struct hb_opts_command *command, struct hb_run *run)
{
  const struct hb_text *record = &run->resumed.record;
  /* hb_text ends with a NUL of its own, so every string of the record ends */
  if (record->length < sizeof tag || strcmp(record->text, tag) != 0)
    return hb_fail(HB_ERR_INPUT, "the checkpoint was not written by this 'holmberg run'");
  static char no_more[] = "--";
  char **words = run->resumed.words, *place = NULL, *word;
  int count = 0;
  while (count < HB_OPTS_MOST && (word = next_of(record, "option ", &place))) words[count++] = word;
  words[count++] = no_more;
  place = NULL;
  if (!(words[count++] = next_of(record, "operand ", &place)))
    return hb_fail(HB_ERR_INPUT, "the checkpoint does not say which file its run began with");
  enum hb_status status = HB_OK;
  if (hb_opts_question(count, words))
    status = hb_fail(HB_ERR_INPUT, "--help and --version are not options of a run");
  run->asked.settings = (struct hb_run_settings){0};
  if (status == HB_OK) status = hb_opts_parse(command, count, words, &run->asked.settings, &run->asked.opts);
  if (status == HB_OK) status = hb_opts_check_powers(&run->asked.opts);
  run->settings = &run->asked.settings;
  return status == HB_OK ? HB_OK : hb_fail_in(HB_ERR_INPUT, "the checkpoint's options");
}

/* Whether number * every is the next time after t, within the rounding of due() and first_number() and run->time_tolerance. */
static int is_next(double number, double every, const struct hb_run *run)
{
  double t = run->t, slack = 1e-6 * every + 4 * DBL_EPSILON * fabs(t) + run->time_tolerance;
  if (!isfinite(number) || floor(number) != number || fabs(number) > 0x1p53) return 0;
  return every == 0 || (number * every >= t - slack && (number - 1) * every <= t + slack);
}

static enum hb_status check_progress(const struct hb_run *run, double wall_s, long rows)
{
  const struct hb_run_output *output = &run->output;
  const struct {
    const char *what;
    double value;
    int good;
  } fields[] = {
      {"a time", run->t, isfinite(run->t)},
      {"a first time", output->t_begin,
       output->t_begin <= run->t + run->time_tolerance && isfinite(output->t_begin)},
      {"a first energy", output->e_begin, isfinite(output->e_begin)},
      {"a number of the next row", run->diag_number, is_next(run->diag_number, run->diag_every, run)},
      {"a number of the next snapshot", run->snap_number, is_next(run->snap_number, run->snap_every, run)},
      {"a wall time", wall_s, wall_s >= 0 && isfinite(wall_s)},
      {"a number of snapshots", (double)run->written, (double)run->written < 0x1p53},
      {"a number of rows", (double)rows, rows > 0 && rows <= INT_MAX}};
  for (size_t k = 0; k < sizeof fields / sizeof *fields; k++)
    if (!fields[k].good)
      return hb_fail(HB_ERR_INPUT, "the checkpoint has %s of %.17g, which is impossible", fields[k].what,
                     fields[k].value);
  return HB_OK;
}

/* *path is where the mark names its file. Marks are always whole: one that is not would be ignored otherwise, and rows come twice. */
static enum hb_status read_mark(const char *mark, struct hb_appended *a, const char **path)
{
  int at = 0;
  if (sscanf(mark, MARK "%n", &a->inode, &a->device, &a->length, &a->checksum, &at) != 4 || at == 0 ||
      a->length > INT64_MAX)
    return hb_fail(HB_ERR_INPUT, "the checkpoint has '%.80s' of a file of rows, expected what marks its end",
                   mark);
  *path = mark + at;
  return HB_OK;
}

/* A mark belongs to an output, whatever its name is now. */
static void take_mark(const struct hb_appended *a, const char *path, enum hb_run_appended which,
                      struct hb_run *run)
{
  struct hb_appended *rows = &run->appended[which];
  const char *now = rows->path;
  if (!now) return;
  *rows = *a;
  rows->path = now;
  run->resumed.same[which] = strcmp(path, now) == 0;
}

static enum hb_status read_marks(const struct hb_text *record, struct hb_run *run)
{
  struct hb_appended a = {0};
  const char *mark, *path = "";
  char *place = NULL;
  while ((mark = next_of(record, "appended", &place))) {
    HB_TRY(read_mark(mark, &a, &path));
    take_mark(&a, path, strcmp(path, "-") == 0 ? RUN_STDOUT : RUN_DIAG_ROWS, run);
  }
  const struct {
    const char *word;
    enum hb_run_appended which;
  } others[] = {{"events", RUN_EVENTS_ROWS}, {"follow", RUN_FOLLOW_ROWS}};
  for (size_t k = 0; k < sizeof others / sizeof *others; k++) {
    place = NULL;
    if (!(mark = next_of(record, others[k].word, &place))) continue;
    HB_TRY(read_mark(mark, &a, &path));
    take_mark(&a, path, others[k].which, run);
  }
  place = NULL;
  if ((mark = next_of(record, "found", &place))) HB_TRY(read_mark(mark, &run->found, &path));
  run->found.path = run->settings->output;
  return HB_OK;
}

/* Older checkpoints leave e_scale unknown, the oldest also the notes. */
static enum hb_status read_scale(const struct hb_text *record, struct hb_run *run)
{
  struct hb_run_output *output = &run->output;
  char *place = NULL;
  double e_kin;
  output->e_scale = NAN;
  run->resumed.is_oldest = 0;
  if (next_of(record, "scale ", &place)) {
    if (sscanf(place, SCALE, &output->e_scale, &run->noted, &output->parts) != 3 || !(output->e_scale >= 0))
      return hb_fail(HB_ERR_INPUT,
                     "the checkpoint has '%s', expected an energy, the bits of printed notes and "
                     "0, 1 or 2",
                     place);
    return HB_OK;
  }
  place = NULL;
  run->resumed.is_oldest = !next_of(record, "watch ", &place);
  if (!run->resumed.is_oldest && sscanf(place, "watch %la %u", &e_kin, &run->noted) != 2)
    return hb_fail(HB_ERR_INPUT, "the checkpoint has '%s', expected an energy and the bits of printed notes",
                   place);
  return HB_OK;
}

enum hb_status hb_run_record_progress(struct hb_run *run)
{
  const struct hb_text *record = &run->resumed.record;
  struct hb_run_output *output = &run->output;
  char *place = NULL, *word = next_of(record, "progress ", &place);
  double wall_s;
  long rows;
  int end = 0;
  hb_run_set_up(run, 0);
  if (!word ||
      sscanf(place, PROGRESS "%n", &run->t, &output->t_begin, &output->e_begin, &run->diag_number,
             &run->snap_number, &wall_s, &run->written, &rows, &end) != 8 ||
      place[end])
    return hb_fail(HB_ERR_INPUT, "the checkpoint does not say how far its run was");
  HB_TRY(check_progress(run, wall_s, rows));
  output->rows = (int)rows;
  output->wall_begin = hb_clock_now() - wall_s;
  HB_TRY(read_scale(record, run));
  place = NULL;
  if ((word = next_of(record, "device ", &place))) HB_TRY(hb_text_append(&run->resumed.device, "%s", word));
  return read_marks(record, run);
}

/* ---- checkpoints ---- */

enum hb_status hb_run_record_save(struct hb_run *run)
{
  struct hb_run_checkpoint *c = &run->checkpoint;
  if (!c->path.text) return HB_OK;
  hb_terminal_flush(); /* a failure was reported with the row */
  for (size_t k = 0; k < RUN_APPENDED_COUNT; k++)
    if (run->appended[k].path) HB_TRY(hb_appended_mark(&run->appended[k]));
  struct hb_text record = {0};
  enum hb_status status = write_record(run, &record);
  if (status == HB_OK) status = hb_sim_save(run->sim, c->path.text, record.text, record.length, c->flags);
  hb_mem_free(record.text);
  if (status == HB_OK) c->flags = HB_SAVE_KEEP;
  c->written = hb_clock_now();
  return status;
}

static enum hb_status stopped(const struct hb_run *run, const char *by)
{
  char t[32];
  const char *path = run->checkpoint.path.text;
  hb_text_shortest(run->t, t);
  if (!path)
    return hb_fail(HB_ERR_STOPPED, "stopped by %s at t = %s; without --checkpoint nothing was saved", by, t);
  return hb_fail(HB_ERR_STOPPED, "stopped by %s at t = %s; to continue: holmberg run --resume %s", by, t,
                 path);
}

enum hb_status hb_run_record_poll(struct hb_run *run)
{
  const struct hb_run_checkpoint *c = &run->checkpoint;
  double now = hb_clock_now();
  const struct hb_run_settings *s = run->settings;
  const char *by = hb_signals_stop();
  if (!by && s->max_s > 0 && now - c->began > s->max_s) by = "--max-hours";
  HB_TRY(hb_run_ranks_stop(&by));
  int asked = hb_signals_asked();
  if (asked && !c->path.text) hb_terminal_note("SIGUSR1: without --checkpoint there is nothing to write");
  if (by || asked || now - c->written >= s->checkpoint_every_s) HB_TRY(hb_run_record_save(run));
  return by ? stopped(run, by) : HB_OK;
}

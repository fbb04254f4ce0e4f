/* What a checkpoint keeps of a run beside its simulation: strings, each with its NUL, the first of them the tag.
 *   progress T T_BEGIN E_BEGIN DIAG_NUMBER SNAP_NUMBER WALL_S WRITTEN ROWS    doubles as hexadecimal: all bits
 *   device TEXT                                                               where another one has gone on
 *   appended INODE DEVICE LENGTH CHECKSUM PATH                                as in base/appended.h
 *   option --NAME=VALUE                                                       those that were given
 *   operand FILE */
#include "cli/cmd.h"
#include "cli/run.h"

#include "base/clock.h"

#include <stdio.h>
#include <string.h>

static const char tag[] = "holmberg run 1";

/* The same for printf and scanf. */
#define PROGRESS "progress %la %la %la %la %la %la %lu %d"
#define APPENDED "appended %llu %llu %llu %lu "

/* ---- writing ---- */

static enum hb_status end_string(struct hb_text *record) { return hb_text_append_bytes(record, "", 1); }

static enum hb_status write_options(const struct hb_run *run, struct hb_text *record)
{
  for (size_t k = 0; k < RUN_COUNT; k++) {
    const struct hb_opts_option *option = &hb_run_options[k];
    if (!run->values[k].given || k == RUN_RESUME) continue;
    HB_TRY(hb_text_append(record, "option --%s", option->name));
    if (option->kind != HB_OPTS_FLAG) HB_TRY(hb_text_append(record, "=%s", run->values[k].text));
    HB_TRY(end_string(record));
  }
  HB_TRY(hb_text_append(record, "operand %s", run->opts.operands[0]));
  return end_string(record);
}

enum hb_status hb_run_record_write(const struct hb_run *run, struct hb_text *record)
{
  const struct hb_run_output *output = &run->output;
  HB_TRY(hb_text_append_bytes(record, tag, sizeof tag));
  HB_TRY(hb_text_append(record, PROGRESS, run->t, output->t_begin, output->e_begin, run->diag_number,
                        run->snap_number, hb_clock_now() - output->wall_begin, run->written, output->rows));
  HB_TRY(end_string(record));
  if (run->resumed.device.text) {
    HB_TRY(hb_text_append(record, "device %s", run->resumed.device.text));
    HB_TRY(end_string(record));
  }
  for (size_t k = 0; k < RUN_APPENDED_COUNT; k++) {
    const struct hb_appended *a = &run->appended[k];
    if (!a->path) continue;
    HB_TRY(hb_text_append(record, APPENDED "%s", a->inode, a->device, a->length, a->checksum, a->path));
    HB_TRY(end_string(record));
  }
  return write_options(run, record);
}

/* ---- reading ---- */

/* The next string that begins with word, behind that word; *place goes through the record, NULL at first. */
static char *next_of(const struct hb_text *record, const char *word, char **place)
{
  char *end = record->text + record->length;
  *place = *place ? *place + strlen(*place) + 1 : record->text;
  for (; *place < end; *place += strlen(*place) + 1)
    if (strncmp(*place, word, strlen(word)) == 0) return *place + strlen(word);
  return NULL;
}

enum hb_status hb_run_record_options(struct hb_run *run)
{
  const struct hb_text *record = &run->resumed.record;
  /* hb_text ends with a NUL of its own, so that every string of the record ends */
  if (record->length < sizeof tag || strcmp(record->text, tag) != 0)
    return hb_fail(HB_ERR_INPUT, "the checkpoint was not written by this 'holmberg run'");
  static char no_more[] = "--";
  char *words[RUN_COUNT + 2], *place = NULL, *word;
  enum hb_opts_question asked;
  int count = 0;
  while (count < RUN_COUNT && (word = next_of(record, "option ", &place))) words[count++] = word;
  words[count++] = no_more;
  place = NULL;
  if (!(words[count++] = next_of(record, "operand ", &place)))
    return hb_fail(HB_ERR_INPUT, "the checkpoint does not say which file its run began with");
  enum hb_status status = hb_opts_parse(&hb_cmd_run, count, words, run->resumed.operands, &run->opts, &asked);
  return status == HB_OK ? HB_OK : hb_fail_in(HB_ERR_INPUT, "the checkpoint's options");
}

enum hb_status hb_run_record_progress(struct hb_run *run)
{
  const struct hb_text *record = &run->resumed.record;
  struct hb_run_output *output = &run->output;
  char *place = NULL, *word = next_of(record, "progress ", &place);
  double wall_s;
  if (!word || sscanf(place, PROGRESS, &run->t, &output->t_begin, &output->e_begin, &run->diag_number,
                      &run->snap_number, &wall_s, &run->written, &output->rows) != 8)
    return hb_fail(HB_ERR_INPUT, "the checkpoint does not say how far its run was");
  output->wall_begin = hb_clock_now() - wall_s;
  place = NULL;
  if ((word = next_of(record, "device ", &place))) HB_TRY(hb_text_append(&run->resumed.device, "%s", word));
  for (place = NULL; next_of(record, "appended ", &place);) {
    struct hb_appended mark = {0};
    int path = 0;
    sscanf(place, APPENDED "%n", &mark.inode, &mark.device, &mark.length, &mark.checksum, &path);
    for (size_t k = 0; k < RUN_APPENDED_COUNT && path; k++)
      if (run->appended[k].path && strcmp(run->appended[k].path, place + path) == 0) {
        mark.path = run->appended[k].path;
        run->appended[k] = mark;
      }
  }
  return HB_OK;
}

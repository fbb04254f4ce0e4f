/* What the command line reads: its options, and the files of `plot` and `model predict`. */
#include "fuzz/fuzz.h"

#include "base/mem.h"
#include "cli/cmd.h"
#include "measure/runs.c"
#include "plot/plot.h"

#include <string.h>

/* ---- options ---- */

/* What commands do with their options, but the work. */
static enum hb_status use_words(const struct hb_opts *opts)
{
  struct hb_text line = {0};
  HB_TRY(hb_opts_line(opts, &line));
  HB_TRY(hb_opts_record(opts, &line));
  hb_mem_free(line.text);
  for (size_t k = 0; hb_opts_option_at(opts->command, k); k++) hb_opts_same(opts, opts, k);
  return HB_OK;
}

/* One word a line; the first, or with its blank the first two, name the command; some command where they name none. */
enum hb_status fuzz_options(const uint8_t *bytes, size_t count)
{
  enum { MOST = 128 };
  char *text, *words[MOST], *rest, *settings = NULL;
  HB_TRY(HB_ALLOC(count + 1, &text));
  if (count) memcpy(text, bytes, count);
  rest = text;
  int given = 0;
  while (given < MOST && (words[given] = strsep(&rest, "\n"))) given++;
  const struct hb_opts_command *command = hb_cmd_find(1, words);
  size_t commands = 0;
  while (hb_commands[commands]) commands++;
  if (!command) command = hb_commands[(unsigned char)*words[0] % commands];
  struct hb_opts opts;
  enum hb_status status = HB_OK;
  if (!hb_opts_question(given - 1, words + 1)) {
    status = HB_ALLOC(command->settings_size, &settings);
    if (status == HB_OK) status = hb_opts_parse(command, given - 1, words + 1, settings, &opts);
    if (status == HB_OK) status = use_words(&opts);
  }
  hb_mem_free(settings);
  hb_mem_free(text);
  return status;
}

/* ---- fits of `model fit` ---- */

enum hb_status fuzz_fit(const uint8_t *bytes, size_t count)
{
  struct hb_machine *machines;
  size_t machine_count;
  HB_TRY(read_fits(fuzz_file("in.fit", bytes, count), &machines, &machine_count));
  for (size_t k = 0; k < machine_count; k++) {
    struct hb_model_time time;
    hb_model_predict(&machines[k], NULL, 1, 1024, &time);
  }
  hb_mem_free(machines);
  return HB_OK;
}

/* ---- tables of --diag ---- */

/* After a quoted word or a data block, whose contents gnuplot does not execute. */
static const char *behind_words(const char *s)
{
  if (strncmp(s, "<< END\n", 7) == 0) {
    s = strstr(s, "\nEND\n");
    fuzz_demand(s != NULL, "a block of data has no end");
    return s + 5;
  }
  char quote = *s++;
  for (; *s != quote || (quote == '\'' && s[1] == quote);
       s += 1 + (*s == quote || (quote == '"' && *s == '\\')))
    fuzz_demand(*s && *s != '\n', "a quoted word does not end");
  return s + 1;
}

FAKE(hb_plot_end);

/* Instead of gnuplot: nothing of the table is a command in its script. */
enum hb_status __wrap_hb_plot_end(const char *path, struct hb_draft *script)
{
  (void)path;
  enum hb_status status = script->status;
  for (const char *s = status == HB_OK ? script->text.text : ""; *s;) {
    fuzz_demand(*s != '`' && *s != '!' && strncmp(s, "system", 6) != 0, "gnuplot would run a program");
    s = *s == '\'' || *s == '"' || strncmp(s, "<< END\n", 7) == 0 ? behind_words(s) : s + 1;
  }
  hb_draft_clear(script);
  return status;
}

enum hb_status fuzz_diag(const uint8_t *bytes, size_t count)
{
  const char *name = count && *bytes == '{' ? "in.jsonl" : "in.csv";
  size_t rows;
  return hb_figure_draw(fuzz_file(name, bytes, count), 0, "out.png", &rows);
}

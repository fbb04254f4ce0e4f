#include "plot/gnuplot.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/process.h"
#include "console/target.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* ---- kinds of figures -------------------------------------------------------------------------------- */

static const struct kind {
  const char *extension, *terminal;
  double scale; /* of its unit to a pixel of png */
} kinds[] = {
    {".png", "pngcairo size %.0f,%.0f font 'sans,13' linewidth 1.5", 1},
    {".svg", "svg size %.0f,%.0f font 'sans,14' background '#ffffff'", 0.75},
    {".pdf", "pdfcairo size %gin,%gin font 'sans,14'", 0.0075},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const struct kind *kind_of(const char *path)
{
  for (int k = 0; k < KINDS; k++)
    if (strcasecmp(hb_text_extension(path), kinds[k].extension) == 0) return &kinds[k];
  return NULL;
}

static enum hb_status unknown_kind(const char *path)
{
  return hb_fail(HB_ERR_USAGE, "cannot draw '%s': its extension is not png, svg or pdf", path);
}

/* ---- the program ------------------------------------------------------------------------------------- */

static enum hb_status read_figure(int fd, struct hb_text *figure)
{
  char part[16384];
  for (ssize_t got; (got = read(fd, part, sizeof part)) != 0;) {
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return hb_fail(HB_ERR_IO, "cannot read from gnuplot: %s", strerror(errno));
    HB_TRY(hb_text_append_bytes(figure, part, (size_t)got));
  }
  return HB_OK;
}

/* The figure that gnuplot draws from a script (NULL: none), ignoring ~/.gnuplot. It draws after it has read everything, so
 * neither waits for the other. */
static enum hb_status run_gnuplot(const char *path, const struct hb_text *script, struct hb_text *figure)
{
  const char *const words[] = {"gnuplot", "--default-settings", NULL};
  char context[512];
  snprintf(context, sizeof context, "cannot draw %s", path);
  struct hb_process gnuplot;
  if (hb_process_start(words, HB_PROCESS_TO | HB_PROCESS_FROM | HB_PROCESS_SILENT, &gnuplot) != HB_OK)
    return hb_fail_in(HB_ERR_IO, context);
  enum hb_status status = HB_OK;
  if (script) status = hb_file_write(gnuplot.to, "gnuplot's input", script->text, script->length);
  hb_process_close(&gnuplot.to);
  if (status == HB_OK) status = read_figure(gnuplot.from, figure);
  if (hb_process_end(&gnuplot).code != 0 && status == HB_OK)
    status = hb_fail(HB_ERR_IO, "%s: gnuplot failed", context);
  return status;
}

/* ---- what callers use -------------------------------------------------------------------------------- */

enum hb_status hb_gnuplot_check(const char *path)
{
  if (!kind_of(path)) return unknown_kind(path);
  HB_TRY(hb_target_check(path, "")); /* the folder only, the format is known */
  struct hb_text nothing = {0};
  enum hb_status status = run_gnuplot(path, NULL, &nothing);
  hb_mem_free(nothing.text);
  return status;
}

void hb_gnuplot_begin(const char *path, int width, int height, struct hb_draft *script)
{
  const struct kind *kind = kind_of(path);
  char terminal[128];
  if (!kind) {
    hb_draft_note(script, unknown_kind(path));
    return;
  }
  snprintf(terminal, sizeof terminal, kind->terminal, width * kind->scale, height * kind->scale);
  hb_draft_put(script, "set terminal %s\n", terminal);
}

/* A data block is not parsed; with '=' before it the text cannot be the line that ends the block. */
void hb_gnuplot_let(const char *name, const char *text, struct hb_draft *script)
{
  for (const char *c = text; *c; c++)
    if ((unsigned char)*c < ' ' || *c == 127) {
      hb_draft_note(script, hb_fail(HB_ERR_USAGE, "cannot draw '%s': it contains a control character", text));
      return;
    }
  hb_draft_put(script, "$text << END\n=%s\nEND\n%s = $text[1][2:*]\n", text, name);
}

enum hb_status hb_gnuplot_draw(const char *path, const struct hb_text *script)
{
  struct hb_text figure = {0};
  enum hb_status status = run_gnuplot(path, script, &figure);
  if (status == HB_OK && figure.length == 0)
    status = hb_fail(HB_ERR_IO, "cannot draw %s: gnuplot cannot make %s files", path, strrchr(path, '.') + 1);
  if (status == HB_OK) status = hb_file_replace(path, figure.text, figure.length);
  hb_mem_free(figure.text);
  return status;
}

enum hb_status hb_gnuplot_end(const char *path, struct hb_draft *script)
{
  enum hb_status status = script->status;
  if (status == HB_OK) status = hb_gnuplot_draw(path, &script->text);
  hb_draft_clear(script);
  return status;
}

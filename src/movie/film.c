#include "movie/film.h"

#include "base/draft.h"
#include "base/mem.h"
#include "console/signals.h"

#include <string.h>
#include <strings.h>

/* ---- kinds of movies --------------------------------------------------------------------------------- */

/* Options of ffmpeg. Video codecs neglect dim light in dark surroundings, hence the high quality. */
static const struct kind {
  const char *extension, *format, *options;
} kinds[] = {
    {".mp4", "mp4", "-c:v libx264 -preset medium -crf 16 -pix_fmt yuv420p -movflags +faststart"},
    {".mkv", "matroska", "-c:v libx264 -preset medium -crf 16 -pix_fmt yuv420p"},
    {".webm", "webm", "-c:v libvpx-vp9 -crf 24 -b:v 0 -pix_fmt yuv420p"},
    /* a palette of its own, without dots in place of missing colors: pictures are compared, and stay small */
    {".apng", "apng", "-vf split[a][b];[a]palettegen[p];[b][p]paletteuse=dither=none -plays 0"},
    {".gif", "gif", "-vf split[a][b];[a]palettegen[p];[b][p]paletteuse"},
};
enum { KINDS = sizeof kinds / sizeof *kinds, WORDS = 48 };

static const struct kind *kind_of(const char *path)
{
  for (int k = 0; k < KINDS; k++)
    if (strcasecmp(hb_text_extension(path), kinds[k].extension) == 0) return &kinds[k];
  return NULL;
}

enum hb_status hb_film_check(const char *path, int width, int height)
{
  if (!kind_of(path) && strcasecmp(hb_text_extension(path), ".png") != 0)
    return hb_fail(HB_ERR_USAGE,
                   "cannot draw '%s': unknown extension (expected png, mp4, mkv, webm, apng or gif)", path);
  if (!kind_of(path) || (width % 2 == 0 && height % 2 == 0)) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "a movie of %d x %d pixels (expected even numbers)", width, height);
}

/* ---- ffmpeg ------------------------------------------------------------------------------------------ */

static enum hb_status comment_of(const struct hb_film_params *params, struct hb_text *comment)
{
  HB_TRY(hb_text_append(comment, "comment="));
  for (size_t k = 0; k < params->text_count; k++)
    HB_TRY(
        hb_text_append(comment, "%s%s: %s", k ? "; " : "", params->text[k].keyword, params->text[k].value));
  return HB_OK;
}

/* Starts it, to write into the temporary file; sets film->lacks_ffmpeg if it is not installed. "file:" keeps ffmpeg
 * from taking a name like 12:30.mp4 or -dash.mp4 for something else. */
static enum hb_status start_ffmpeg(struct hb_film *film, const struct kind *kind, const char *comment)
{
  const struct hb_film_params *p = &film->params;
  char line[512], name[sizeof film->file.temporary + 8];
  snprintf(line, sizeof line,
           "ffmpeg -nostdin -y -loglevel error -xerror -f rawvideo -pix_fmt rgb24 -s %dx%d -r %d -i - -an %s "
           "-f %s",
           p->width, p->height, p->frames_per_s, kind->options, kind->format);
  HB_TRY(hb_file_begin(p->path, &film->file));
  snprintf(name, sizeof name, "file:%s", film->file.temporary);
  const char *words[WORDS];
  int count = hb_text_words(line, " ", WORDS - 4, words);
  words[count++] = "-metadata";
  words[count++] = comment;
  words[count++] = name;
  words[count] = NULL;
  enum hb_status status = hb_process_start(words, HB_PROCESS_TO | HB_PROCESS_APART, &film->ffmpeg);
  film->lacks_ffmpeg = status == HB_ERR_USAGE;
  film->is_movie = status == HB_OK;
  if (status != HB_OK) hb_file_end(&film->file, status, NULL);
  return status == HB_OK || film->lacks_ffmpeg ? HB_OK
                                               : hb_fail_in(status, hb_phrase("cannot draw %s", p->path));
}

/* ---- interface ------------------------------------------------------------------------------------ */

enum hb_status hb_film_open(const struct hb_film_params *params, struct hb_film *film)
{
  const struct kind *kind = kind_of(params->path); /* NULL: pictures */
  *film = (struct hb_film){.params = *params, .ffmpeg = {.to = -1, .from = -1, .said = -1}};
  HB_TRY(hb_film_check(params->path, params->width, params->height));
  if (kind || !params->single) hb_signals_watch(0);
  HB_TRY(HB_ALLOC(3 * (size_t)params->width * (size_t)params->height, &film->rgb));
  HB_OWN struct hb_text comment = {0};
  enum hb_status status = kind ? comment_of(params, &comment) : HB_OK;
  if (kind && status == HB_OK) status = start_ffmpeg(film, kind, comment.text);
  if (status != HB_OK) hb_mem_free(film->rgb);
  return status;
}

static enum hb_status add_png(const struct hb_film *film, const struct hb_png_text *text, size_t text_count)
{
  const struct hb_film_params *p = &film->params;
  size_t own = p->text_count, count = own + text_count;
  HB_OWN struct hb_png_text *all = NULL;
  char name[4096];
  HB_TRY(HB_ALLOC(count, &all));
  for (size_t k = 0; k < count; k++) all[k] = k < own ? p->text[k] : text[k - own];
  hb_film_frame_name(p->path, film->frames, name);
  return hb_png_write(p->single && !film->lacks_ffmpeg ? p->path : name,
                      &(struct hb_png){.width = p->width,
                                       .height = p->height,
                                       .channels = 3,
                                       .pixels = film->rgb,
                                       .text = all,
                                       .text_count = count});
}

enum hb_status hb_film_add(struct hb_film *film, const struct hb_png_text *text, size_t text_count)
{
  film->frames++;
  if (!film->is_movie) return add_png(film, text, text_count);
  return hb_file_write(film->ffmpeg.to, "ffmpeg's input", film->rgb,
                       3 * (size_t)film->params.width * (size_t)film->params.height);
}

/* Reads the movie again, since ffmpeg does not always notice that a disk is full: "frame=6" comes last. */
static enum hb_status check_movie(const struct hb_film *film)
{
  char name[sizeof film->file.temporary + 8], line[256];
  snprintf(name, sizeof name, "file:%s", film->file.temporary);
  const char *const words[] = {"ffmpeg", "-nostdin", "-loglevel", "error", "-xerror", "-progress",
                               "-",      "-i",       name,        "-map",  "0:v",     "-c",
                               "copy",   "-f",       "null",      "-",     NULL};
  struct hb_process reader;
  unsigned long frames = 0;
  HB_TRY(hb_process_start(words, HB_PROCESS_FROM | HB_PROCESS_APART, &reader));
  FILE *said = fdopen(reader.from, "r");
  while (said && fgets(line, sizeof line, said)) sscanf(line, "frame=%lu", &frames);
  if (said) {
    fclose(said);
    reader.from = -1;
  }
  if (hb_process_end(&reader).code == 0 && frames == film->frames) return HB_OK;
  return hb_fail(HB_ERR_IO, "cannot draw %s: only %lu of its %lu frames can be read again", film->params.path,
                 frames, film->frames);
}

enum hb_status hb_film_close(struct hb_film *film, enum hb_status status)
{
  hb_mem_free(film->rgb);
  if (film->ffmpeg.pid == 0) return status;
  int is_wanted = film->frames > 0 && status != HB_ERR_STOPPED;
  if (!is_wanted) hb_process_kill(&film->ffmpeg);
  int code = hb_process_end(&film->ffmpeg).code;
  if (is_wanted && code != 0)
    status = hb_fail(HB_ERR_IO, "cannot draw %s: ffmpeg failed, see above", film->params.path);
  if (status == HB_OK && !is_wanted)
    status = hb_fail(HB_ERR_USAGE, "%s has no picture and was not written", film->params.path);
  if (status == HB_OK) status = check_movie(film);
  return hb_file_end(&film->file, status, NULL);
}

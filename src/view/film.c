#include "view/film.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- kinds of movies --------------------------------------------------------------------------------- */

/* What ffmpeg is told: dim light in the dark is what video codecs care for least, hence the quality. */
static const struct kind {
  const char *extension, *format, *options;
} kinds[] = {
    {"mp4", "mp4", "-c:v libx264 -preset medium -crf 16 -pix_fmt yuv420p -movflags +faststart"},
    {"mkv", "matroska", "-c:v libx264 -preset medium -crf 16 -pix_fmt yuv420p"},
    {"webm", "webm", "-c:v libvpx-vp9 -crf 24 -b:v 0 -pix_fmt yuv420p"},
    {"gif", "gif", "-vf split[a][b];[a]palettegen[p];[b][p]paletteuse"},
};
enum { KINDS = sizeof kinds / sizeof *kinds, WORDS = 48 };

static const char *extension_of(const char *path)
{
  const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
  return dot ? dot + 1 : path + strlen(path);
}

static const struct kind *kind_of(const char *path)
{
  for (int k = 0; k < KINDS; k++)
    if (strcasecmp(extension_of(path), kinds[k].extension) == 0) return &kinds[k];
  return NULL;
}

enum hb_status hb_film_kind(const char *path, int *is_movie)
{
  *is_movie = kind_of(path) != NULL;
  if (*is_movie || strcasecmp(extension_of(path), "png") == 0) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "cannot draw '%s': its extension is none of png, mp4, mkv, webm, gif", path);
}

void hb_film_frame_name(const char *path, unsigned long k, char name[4096])
{
  const char *extension = extension_of(path);
  int length = (int)(extension - path) - (*extension != 0);
  snprintf(name, 4096, "%.*s_%04lu.png", length, path, k);
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

/* *child stays 0 where there is no ffmpeg. */
static enum hb_status spawn(struct hb_film *film, char **words, int from)
{
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, from, STDIN_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  int error = posix_spawnp(&film->child, "ffmpeg", &actions, NULL, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == 0) return HB_OK;
  film->child = 0;
  if (error == ENOENT) return HB_OK;
  return hb_fail(HB_ERR_IO, "cannot draw %s: ffmpeg: %s", film->params.path, strerror(error));
}

static enum hb_status start(struct hb_film *film, const struct kind *kind, char *comment)
{
  const struct hb_film_params *p = &film->params;
  char line[512];
  snprintf(line, sizeof line,
           "ffmpeg -nostdin -y -loglevel error -f rawvideo -pix_fmt rgb24 -s %dx%d -r %d -i - -an %s -f %s",
           p->width, p->height, p->frames_per_s, kind->options, kind->format);
  char *words[WORDS], metadata[] = "-metadata";
  int count = 0;
  for (char *rest, *word = strtok_r(line, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
    words[count++] = word;
  words[count++] = metadata;
  words[count++] = comment;
  words[count++] = film->temporary;
  words[count] = NULL;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return hb_fail(HB_ERR_IO, "cannot draw %s: %s", p->path, strerror(errno));
  enum hb_status status = spawn(film, words, ends[0]);
  close(ends[0]);
  if (film->child)
    film->pipe = ends[1];
  else
    close(ends[1]);
  return status;
}

/* ---- what callers use -------------------------------------------------------------------------------- */

enum hb_status hb_film_open(const struct hb_film_params *params, struct hb_film *film)
{
  int is_movie;
  *film = (struct hb_film){.params = *params, .pipe = -1};
  HB_TRY(hb_film_kind(params->path, &is_movie));
  if (!is_movie) return HB_OK;
  if (params->width % 2 || params->height % 2)
    return hb_fail(HB_ERR_USAGE, "a movie of %d x %d pixels (expected even numbers)", params->width,
                   params->height);
  int length = snprintf(film->temporary, sizeof film->temporary, "%s.tmp", params->path);
  if (length < 0 || length >= (int)sizeof film->temporary)
    return hb_fail(HB_ERR_IO, "cannot write %s: %s", params->path, strerror(ENAMETOOLONG));
  struct hb_text comment = {0};
  enum hb_status status = comment_of(params, &comment);
  if (status == HB_OK) status = start(film, kind_of(params->path), comment.text);
  hb_mem_free(comment.text);
  film->is_movie = film->child != 0;
  film->lacks_ffmpeg = status == HB_OK && !film->is_movie;
  return status;
}

static enum hb_status add_png(const struct hb_film *film, const uint8_t *rgb, const struct hb_png_text *text,
                              size_t text_count)
{
  const struct hb_film_params *p = &film->params;
  struct hb_png png = {.width = p->width,
                       .height = p->height,
                       .channels = 3,
                       .pixels = (uint8_t *)rgb,
                       .text_count = p->text_count + text_count};
  char name[4096];
  HB_TRY(HB_ALLOC(png.text_count, &png.text));
  for (size_t k = 0; k < png.text_count; k++)
    png.text[k] = k < p->text_count ? p->text[k] : text[k - p->text_count];
  if (p->single && !film->lacks_ffmpeg)
    snprintf(name, sizeof name, "%s", p->path);
  else
    hb_film_frame_name(p->path, film->frames, name);
  enum hb_status status = hb_png_write(name, &png);
  hb_mem_free(png.text);
  return status;
}

enum hb_status hb_film_add(struct hb_film *film, const uint8_t *rgb, const struct hb_png_text *text,
                           size_t text_count)
{
  film->frames++;
  if (!film->is_movie) return add_png(film, rgb, text, text_count);
  return hb_file_write(film->pipe, "ffmpeg's input", rgb,
                       3 * (size_t)film->params.width * (size_t)film->params.height);
}

enum hb_status hb_film_close(struct hb_film *film, enum hb_status status)
{
  if (film->pipe >= 0) close(film->pipe);
  film->pipe = -1;
  if (!film->child) return status;
  int end = 0;
  while (waitpid(film->child, &end, 0) < 0 && errno == EINTR) {
  }
  film->child = 0;
  int failed = !WIFEXITED(end) || WEXITSTATUS(end) != 0;
  if (failed) status = hb_fail(HB_ERR_IO, "cannot draw %s: ffmpeg failed, see above", film->params.path);
  if (status == HB_OK && rename(film->temporary, film->params.path) != 0)
    status = hb_fail(HB_ERR_IO, "cannot write %s: %s", film->params.path, strerror(errno));
  if (status != HB_OK) unlink(film->temporary);
  return status;
}

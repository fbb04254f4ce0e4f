#include "cli/gnuplot.h"

#include "base/file.h"
#include "base/mem.h"
#include "cli/target.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* ---- kinds of figures -------------------------------------------------------------------------------- */

static const struct kind {
  const char *extension, *terminal;
  double scale; /* of its unit to a pixel of png */
} kinds[] = {
    {"png", "pngcairo size %.0f,%.0f font 'sans,13' linewidth 1.5", 1},
    {"svg", "svg size %.0f,%.0f font 'sans,14' background '#ffffff'", 0.75},
    {"pdf", "pdfcairo size %gin,%gin font 'sans,14'", 0.0075},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const struct kind *kind_of(const char *path)
{
  const char *dot = strrchr(path, '.');
  for (int k = 0; dot && k < KINDS; k++)
    if (strcasecmp(dot + 1, kinds[k].extension) == 0) return &kinds[k];
  return NULL;
}

/* ---- the program ------------------------------------------------------------------------------------- */

struct pipes {
  int to[2], from[2]; /* gnuplot's standard input and output */
};

static void close_pipes(struct pipes *p)
{
  int *ends[] = {&p->to[0], &p->to[1], &p->from[0], &p->from[1]};
  for (int k = 0; k < 4; k++) {
    if (*ends[k] >= 0) close(*ends[k]);
    *ends[k] = -1;
  }
}

static enum hb_status start(const char *path, struct pipes *p, pid_t *child)
{
  if (pipe2(p->to, O_CLOEXEC) != 0 || pipe2(p->from, O_CLOEXEC) != 0)
    return hb_fail(HB_ERR_IO, "cannot draw %s: %s", path, strerror(errno));
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, p->to[0], STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, p->from[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  char program[] = "gnuplot";
  char *words[] = {program, NULL};
  int error = posix_spawnp(child, program, &actions, NULL, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error == ENOENT) return hb_fail(HB_ERR_IO, "cannot draw %s: gnuplot is not installed", path);
  if (error) return hb_fail(HB_ERR_IO, "cannot draw %s: gnuplot: %s", path, strerror(error));
  close(p->to[0]);
  close(p->from[1]);
  p->to[0] = p->from[1] = -1;
  return HB_OK;
}

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

/* What gnuplot makes of a script, NULL for none. It draws when it has read everything, so that neither waits for the
 * other. */
static enum hb_status run_gnuplot(const char *path, const struct hb_text *script, struct hb_text *figure)
{
  struct pipes pipes = {{-1, -1}, {-1, -1}};
  pid_t child = 0;
  enum hb_status status = start(path, &pipes, &child);
  if (status == HB_OK && script)
    status = hb_file_write(pipes.to[1], "gnuplot's input", script->text, script->length);
  if (pipes.to[1] >= 0) close(pipes.to[1]);
  pipes.to[1] = -1;
  if (status == HB_OK) status = read_figure(pipes.from[0], figure);
  close_pipes(&pipes);
  int end = 0;
  if (child) waitpid(child, &end, 0);
  if (status == HB_OK && (!WIFEXITED(end) || WEXITSTATUS(end) != 0))
    status = hb_fail(HB_ERR_IO, "cannot draw %s: gnuplot failed", path);
  return status;
}

/* ---- what callers use -------------------------------------------------------------------------------- */

enum hb_status hb_gnuplot_check(const char *path)
{
  if (!kind_of(path))
    return hb_fail(HB_ERR_USAGE, "cannot draw '%s': its extension is none of png, svg, pdf", path);
  HB_TRY(hb_target_check(path, "")); /* the place only, the format is known */
  struct hb_text nothing = {0};
  enum hb_status status = run_gnuplot(path, NULL, &nothing);
  hb_mem_free(nothing.text);
  return status;
}

enum hb_status hb_gnuplot_begin(const char *path, int width, int height, struct hb_text *script)
{
  const struct kind *kind = kind_of(path);
  if (!kind) return hb_fail(HB_ERR_USAGE, "cannot draw '%s': its extension is none of png, svg, pdf", path);
  char terminal[128];
  snprintf(terminal, sizeof terminal, kind->terminal, width * kind->scale, height * kind->scale);
  return hb_text_append(script, "set terminal %s\n", terminal);
}

/* In gnuplot's single quotes only a single quote means something. */
enum hb_status hb_gnuplot_quote(const char *text, struct hb_text *script)
{
  HB_TRY(hb_text_append(script, "'"));
  for (const char *c = text; *c; c++)
    HB_TRY(*c == '\'' ? hb_text_append(script, "''") : hb_text_append_bytes(script, c, 1));
  return hb_text_append(script, "'");
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

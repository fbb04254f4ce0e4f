/* holmberg render: pictures and movies of snapshots. */
#ifndef HB_RENDER_H
#define HB_RENDER_H

#include "base/file.h"
#include "base/process.h"
#include "console/opts.h"
#include "io/png.h"
#include "render/camera.h"
#include "render/coloring.h"
#include "render/scene.h"

struct hb_film_params {
  const char *path;               /* .png, or a movie: .mp4 .mkv .webm .apng .gif                */
  int width, height;              /* must be even for a movie                                    */
  int frames_per_s;               /* of a movie                                                  */
  int single;                     /* 1: a .png is one file; 0: it is path_0001.png, path_0002.png */
  const struct hb_png_text *text; /* [text_count] how it was made; the comment of a movie          */
  size_t text_count;
};

struct hb_film {
  struct hb_film_params params; /* the strings stay the caller's */
  int is_movie;                 /* 0: frames are PNG files                        */
  int lacks_ffmpeg;             /* a movie was requested, but frames become files */
  struct hb_process ffmpeg;     /* pid 0: none                                    */
  struct hb_file file;          /* of a movie */
  unsigned long frames;
  uint8_t *rgb; /* [3 * width * height] the next frame, top row first; its maker fills it */
};

/* Whether path names a picture (0) or a movie (1). Errors: HB_ERR_USAGE for any other extension. */
enum hb_status hb_film_kind(const char *path, int *is_movie);

/* From here on signals are watched (console/signals.h), unless it is a single picture: whoever adds frames asks for them, and
 * closes. Errors: HB_ERR_USAGE (extension, odd size of a movie), HB_ERR_IO. */
enum hb_status hb_film_open(const struct hb_film_params *params, struct hb_film *film);

/* The frame in film->rgb; text (nullable) is added to the film's own in a PNG. */
enum hb_status hb_film_add(struct hb_film *film, const struct hb_png_text *text, size_t text_count);

/* The movie appears under its name complete, with all its frames readable again, or not at all. status is that of making the
 * frames: a failure discards the movie and is returned. Errors: HB_ERR_IO, HB_ERR_USAGE (no frame). */
enum hb_status hb_film_close(struct hb_film *film, enum hb_status status);

/* The settings, from cmd_render.c. */
struct hb_render {
  const char *const *files; /* [file_count] snapshots, ascending in time */
  size_t file_count, frames;
  const char *output;
  char *command; /* for the text chunks of the pictures */
  int width, height, samples, frames_per_s;

  enum hb_coloring color; /* not AGE */
  size_t groups;
  int has_range;
  struct hb_scene_style style; /* unless has_range, its range comes from the first frame */
  double trails;               /* length in time; 0: none */

  int orbits;
  double turns;                  /* of an orbit */
  struct hb_keyframes keyframes; /* count 0: none */
  int has_center;
  double center[3], azimuth, elevation, roll, field_of_view, zoom;

  struct hb_force_params force; /* for colors that need forces; its context and device also for drawing */
  int has_eps;                  /* 0: a note of the snapshot overrides force.eps */
  int quiet;
};

/* Draws and writes all frames. */
enum hb_status hb_render_frames(const struct hb_render *render);

#endif

/* Pictures and movies, frame by frame. */
#ifndef HB_FILM_H
#define HB_FILM_H

#include "base/file.h"
#include "base/process.h"
#include "base/text.h"
#include "io/png.h"

#include <stdio.h>

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

/* Errors: HB_ERR_USAGE (path is neither a picture nor a movie; odd size of a movie). */
enum hb_status hb_film_check(const char *path, int width, int height);

/* From here on signals are watched (console/signals.h), unless it is a single picture: whoever adds frames asks for them, and
 * closes. Errors: as hb_film_check, HB_ERR_IO. */
enum hb_status hb_film_open(const struct hb_film_params *params, struct hb_film *film);

/* The frame in film->rgb; text (nullable) is added to the film's own in a PNG. */
enum hb_status hb_film_add(struct hb_film *film, const struct hb_png_text *text, size_t text_count);

/* The movie appears under its name complete, with all its frames readable again, or not at all. status is that of making the
 * frames: a failure discards the movie and is returned. Errors: HB_ERR_IO, HB_ERR_USAGE (no frame). */
enum hb_status hb_film_close(struct hb_film *film, enum hb_status status);

/* The name of the k-th frame of a sequence, counted from 1: "run/orbit.mp4", 7 -> "run/orbit_0007.png". */
static inline void hb_film_frame_name(const char *path, unsigned long k, char name[4096])
{
  int length = (int)(hb_text_extension(path) - path);
  snprintf(name, 4096, "%.*s_%04lu.png", length, path, k);
}

#endif

/* holmberg render: pictures and movies of snapshots, without a window. */
#include "base/arith.h"
#include "base/mem.h"
#include "cli/cmd.h"
#include "console/list.h"
#include "render/render.h"
#include "console/target.h"
#include "render/film.h"

#include <stdlib.h>
#include <string.h>

enum {
  RENDER_OUTPUT,
  RENDER_SIZE,
  RENDER_COLOR,
  RENDER_MAP,
  RENDER_RANGE,
  RENDER_GROUPS,
  RENDER_POINT,
  RENDER_POINT_SIZE,
  RENDER_GLOW,
  RENDER_EXPOSURE,
  RENDER_TRAILS,
  RENDER_CAMERA,
  RENDER_DIRECTION,
  RENDER_CENTRE,
  RENDER_ZOOM,
  RENDER_FIELD,
  RENDER_TURNS,
  RENDER_FRAMES,
  RENDER_FPS,
  RENDER_SAMPLES,
  RENDER_EPS,
  RENDER_CONTEXT,
  RENDER_DEVICE,
  RENDER_QUIET,
  RENDER_COUNT
};

enum { SIZE_MOST = 32768 };

static const char *color_choice(size_t k) { return k < HB_COLORING_AGE ? hb_coloring_name(k) : NULL; }

static const char *map_choice(size_t k) { return k < HB_COLORMAP_COUNT ? hb_colormap_names[k] : NULL; }

static const char *point_choice(size_t k)
{
  static const char *const names[] = {"star", "disc", "dot", NULL};
  return names[k];
}

static const struct hb_opts_option options[RENDER_COUNT] = {
    [RENDER_OUTPUT] = {"output", 'o', HB_OPTS_TEXT, HB_OPTS_SHOWS_RESULT, "PICTURE", NULL, NULL,
                       "where to: .png, or a movie as .mp4, .mkv, .webm or .gif by ffmpeg; more frames than "
                       "one as .png are "
                       "PICTURE_0001.png, ... (default: FILE with .png, or with .mp4 for more frames)"},
    [RENDER_SIZE] = {"size", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "WxH", "1920x1080", NULL,
                     "width and height in pixels"},
    [RENDER_COLOR] = {"color-by", 0, HB_OPTS_CHOICE, HB_OPTS_SHAPES_RESULT, "WHAT", "speed", color_choice,
                      "speed, acc (acceleration), energy (per mass), step (time step), or group; acc, energy "
                      "and step are those that a run from there would begin with"},
    [RENDER_MAP] = {"map", 0, HB_OPTS_CHOICE, HB_OPTS_SHAPES_RESULT, "NAME", "stars", map_choice,
                    "colours from small to large: stars, ember, ice, grey"},
    [RENDER_RANGE] =
        {"color-range", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "FROM,TO", NULL, NULL,
         "what the first and the last colour stand for; acc and step as their decimal logarithms "
         "(default: 96 of 100 particles of the first frame lie between)"},
    [RENDER_GROUPS] = {"groups", 0, HB_OPTS_COUNT, HB_OPTS_SHAPES_RESULT, "K", "2", NULL,
                       "group: as many equal parts of the file, one after the other"},
    [RENDER_POINT] = {"point", 0, HB_OPTS_CHOICE, HB_OPTS_SHAPES_RESULT, "KIND", "star", point_choice,
                      "what a particle looks like: star, disc, dot"},
    [RENDER_POINT_SIZE] = {"point-size", 0, HB_OPTS_POSITIVE, HB_OPTS_SHAPES_RESULT, "S", NULL, NULL,
                           "sigma of a star in thousandths of the picture's height "
                           "(default: 10 for a few stars, 3 for 1000, 1 for 100000)"},
    [RENDER_GLOW] = {"glow", 0, HB_OPTS_NOT_NEGATIVE, HB_OPTS_SHAPES_RESULT, "G", "0.5", NULL,
                     "how bright the light around bright places becomes, 0 to 1"},
    [RENDER_EXPOSURE] = {"exposure", 0, HB_OPTS_POSITIVE, HB_OPTS_SHAPES_RESULT, "E", "0.8", NULL,
                         "how bright a single star may become, below 1; the brightest place becomes 1"},
    [RENDER_TRAILS] = {"trails", 0, HB_OPTS_POSITIVE, HB_OPTS_SHAPES_RESULT, "T", NULL, NULL,
                       "lines along which the stars came in the last T units of time; of a lone snapshot "
                       "straight ones"},
    [RENDER_CAMERA] = {"camera", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "HOW", NULL, NULL,
                       "fixed, orbit (about the z axis), or a file with the way of the camera, see below "
                       "(default: orbit for several frames of one snapshot, else fixed)"},
    [RENDER_DIRECTION] =
        {"direction", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "AZ,EL[,ROLL]", NULL, NULL,
         "from where the camera looks, in degrees: azimuth about the z axis, elevation above "
         "the x y plane (default: 0,90, x to the right and y up; orbit 0,25)"},
    [RENDER_CENTRE] = {"centre", 0, HB_OPTS_TEXT, HB_OPTS_SHAPES_RESULT, "X,Y,Z", NULL, NULL,
                       "where the camera looks (default: the median of the first frame)"},
    [RENDER_ZOOM] = {"zoom", 0, HB_OPTS_POSITIVE, HB_OPTS_SHAPES_RESULT, "F", "1", NULL,
                     "so many times nearer than where nine tenths of the stars fit into the picture"},
    [RENDER_FIELD] = {"field", 0, HB_OPTS_POSITIVE, HB_OPTS_SHAPES_RESULT, "DEGREES", "28", NULL,
                      "angle of the picture's height, below 170"},
    [RENDER_TURNS] = {"turns", 0, HB_OPTS_NUMBER, HB_OPTS_SHAPES_RESULT, "X", "1", NULL,
                      "orbit: turns in the whole movie, below 0 the other way round"},
    [RENDER_FRAMES] = {"frames", 0, HB_OPTS_COUNT, HB_OPTS_SHAPES_RESULT, "K", NULL, NULL,
                       "frames of all (default: one for each snapshot); between snapshots the stars follow "
                       "the cubic that fits places and velocities"},
    [RENDER_FPS] = {"fps", 0, HB_OPTS_COUNT, HB_OPTS_SHAPES_RESULT, "F", "30", NULL,
                    "frames a second of a movie"},
    [RENDER_SAMPLES] = {"samples", 0, HB_OPTS_COUNT, HB_OPTS_SHAPES_RESULT, "S", "2", NULL,
                        "each pixel is the mean of S x S samples, at most 8"},
    [RENDER_EPS] =
        {"eps", 0, HB_OPTS_NOT_NEGATIVE, HB_OPTS_SHAPES_RESULT, "EPS", "1/256", NULL,
         "softening of the forces behind --color-by acc, energy, step; a note eps of FILE goes before the "
         "default"},
    [RENDER_CONTEXT] = {"context", 0, HB_OPTS_TEXT, HB_OPTS_SHOWS_RESULT, "C", NULL, NULL,
                        "way to OpenGL: auto, egl, osmesa, glfw (default: HB_CONTEXT, else auto)"},
    [RENDER_DEVICE] = {"device", 0, HB_OPTS_TEXT, HB_OPTS_SHOWS_RESULT, "DEVICE", NULL, NULL,
                       "INDEX, /dev/dri/... or software (default: HB_DEVICE, else the first)"},
    [RENDER_QUIET] = {"quiet", 0, HB_OPTS_FLAG, HB_OPTS_SHOWS_RESULT, NULL, NULL, NULL,
                      "do not say what was written"},
};

/* ---- options ----------------------------------------------------------------------------------------- */

static enum hb_status bad(size_t option, const char *value, const char *expected)
{
  return hb_fail(HB_ERR_USAGE, "option --%s: '%s' is not possible (expected %s)", options[option].name, value,
                 expected);
}

/* Numbers between commas, `least` to `most` of them; those that are missing stay as they are. */
static enum hb_status numbers(const struct hb_opts *opts, size_t option, size_t least, size_t most,
                              double *number)
{
  const char *text = opts->values[option].text;
  struct hb_list list;
  if (!text) return HB_OK;
  if (hb_list_split(text, ",", &list) != HB_OK || list.count < least || list.count > most)
    return bad(option, text, options[option].metavar);
  for (size_t k = 0; k < list.count; k++)
    if (hb_text_number(list.words[k], &number[k]) != HB_OK) return bad(option, text, options[option].metavar);
  return HB_OK;
}

static size_t index_of(const char *word, const char *(*choice)(size_t k))
{
  size_t k = 0;
  while (strcmp(choice(k), word) != 0) k++; /* opts.c has checked it */
  return k;
}

static enum hb_status read_look(const struct hb_opts *opts, struct hb_render *r)
{
  const struct hb_opts_value *v = opts->values;
  r->color = (enum hb_coloring)index_of(v[RENDER_COLOR].text, color_choice);
  r->groups = v[RENDER_GROUPS].count;
  r->trails = v[RENDER_TRAILS].given ? v[RENDER_TRAILS].number : 0;
  r->has_range = v[RENDER_RANGE].given;
  r->style =
      (struct hb_scene_style){.color = hb_coloring_scene(r->color),
                              .map = (enum hb_colormap)index_of(v[RENDER_MAP].text, map_choice),
                              .point = (enum hb_scene_point)index_of(v[RENDER_POINT].text, point_choice),
                              .point_size = v[RENDER_POINT_SIZE].number,
                              .glow = v[RENDER_GLOW].number > 0 ? v[RENDER_GLOW].number : -1,
                              .exposure = v[RENDER_EXPOSURE].number,
                              .adapt = r->frames > 1 ? 0.1 : 1};
  HB_TRY(numbers(opts, RENDER_RANGE, 2, 2, r->style.range));
  if (r->style.exposure >= 1) return bad(RENDER_EXPOSURE, v[RENDER_EXPOSURE].text, "a number below 1");
  return hb_list_pixels(v[RENDER_SIZE].text, 1, SIZE_MOST, &r->width, &r->height);
}

static enum hb_status read_camera(const struct hb_opts *opts, struct hb_render *r)
{
  const struct hb_opts_value *v = opts->values;
  const char *how = v[RENDER_CAMERA].text;
  double direction[3] = {0, 90, 0};
  r->orbits = how ? strcmp(how, "orbit") == 0 : r->file_count == 1 && r->frames > 1;
  if (r->orbits) direction[1] = 25;
  HB_TRY(numbers(opts, RENDER_DIRECTION, 2, 3, direction));
  HB_TRY(numbers(opts, RENDER_CENTRE, 3, 3, r->centre));
  r->azimuth = direction[0] * HB_DEGREE;
  r->elevation = direction[1] * HB_DEGREE;
  r->roll = direction[2] * HB_DEGREE;
  r->has_centre = v[RENDER_CENTRE].given;
  r->zoom = v[RENDER_ZOOM].number;
  r->field_of_view = v[RENDER_FIELD].number * HB_DEGREE;
  r->turns = v[RENDER_TURNS].number;
  if (v[RENDER_FIELD].number >= 170) return bad(RENDER_FIELD, v[RENDER_FIELD].text, "an angle below 170");
  if (!how || r->orbits || strcmp(how, "fixed") == 0) return HB_OK;
  return hb_keyframes_read(how, &r->keyframes);
}

/* "run/a.h5" -> "run/a.png" */
static enum hb_status output_of(const struct hb_render *r, struct hb_text *path)
{
  const char *file = r->files[0], *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
  const char *dot = strrchr(name, '.');
  if (strcmp(file, "-") == 0) return hb_text_append(path, "render.png");
  return hb_text_append(path, "%.*s.%s", (int)(dot ? dot - file : (long)strlen(file)), file,
                        r->frames > 1 ? "mp4" : "png");
}

/* What can be known before anything is drawn. */
static enum hb_status check_output(const struct hb_render *r)
{
  int is_movie;
  HB_TRY(hb_film_kind(r->output, &is_movie));
  if (is_movie && (r->width % 2 || r->height % 2))
    return hb_fail(HB_ERR_USAGE, "a movie of %d x %d pixels (expected even numbers)", r->width, r->height);
  return hb_target_check(r->output, ""); /* the place only, the format is known */
}

static enum hb_status read_options(const struct hb_opts *opts, struct hb_render *r, struct hb_text *output,
                                   struct hb_text *command)
{
  const struct hb_opts_value *v = opts->values;
  r->files = opts->operands;
  r->file_count = opts->operand_count;
  HB_TRY(hb_opts_check_most(opts, RENDER_FRAMES, 1e6));
  HB_TRY(hb_opts_check_most(opts, RENDER_FPS, 1000));
  r->frames = v[RENDER_FRAMES].given ? v[RENDER_FRAMES].count : r->file_count;
  r->frames_per_s = (int)v[RENDER_FPS].count;
  r->samples = v[RENDER_SAMPLES].count < 100 ? (int)v[RENDER_SAMPLES].count : 100;
  r->quiet = v[RENDER_QUIET].given;
  r->has_eps = v[RENDER_EPS].given;
  r->force = (struct hb_force_params){
      .context = v[RENDER_CONTEXT].text, .device = v[RENDER_DEVICE].text, .eps = v[RENDER_EPS].number};
  HB_TRY(read_look(opts, r));
  HB_TRY(read_camera(opts, r));
  r->output = v[RENDER_OUTPUT].text;
  if (!r->output) HB_TRY(output_of(r, output));
  if (!r->output) r->output = output->text;
  HB_TRY(hb_opts_line(opts, command));
  r->command = command->text;
  return check_output(r);
}

static enum hb_status work(const struct hb_opts *opts)
{
  struct hb_render render = {0};
  struct hb_text output = {0}, command = {0};
  enum hb_status status = read_options(opts, &render, &output, &command);
  if (status == HB_OK) status = hb_render_frames(&render);
  hb_keyframes_clear(&render.keyframes);
  hb_mem_free(output.text);
  hb_mem_free(command.text);
  return status;
}

static void explain(FILE *out)
{
  fputs("\nThe way of a camera is a text file with a row for each place it passes:\n"
        "  when   centre x y z   azimuth elevation   distance\n"
        "when grows in any unit, the first row is the first frame and the last one the last; angles are in\n"
        "degrees, distances in those of FILE. In between it goes smoothly.\n",
        out);
}

const struct hb_opts_command hb_cmd_render = {
    .name = "render",
    .summary = "Draw snapshots: a picture, or a movie of one or of many.",
    .operand = "FILE...",
    .operand_min = 1,
    .operand_max = SIZE_MAX,
    .options = options,
    .option_count = RENDER_COUNT,
    .more_help = explain,
    .example = "  holmberg render cluster.h5 -o cluster.png --size 3840x2160\n"
               "  holmberg render cluster.h5 -o orbit.mp4 --frames 300\n"
               "  holmberg render end_*.h5 -o run.mp4 --frames 600 --trails 0.1 --color-by energy\n",
    .work = work,
};

/* holmberg render: pictures and movies of snapshots, without a window. */
#include "base/arith.h"
#include "base/mem.h"
#include "cli/cmd.h"
#include "console/target.h"
#include "movie/render.h"

#include <string.h>

/* The job itself has most of the options. */
struct settings {
  struct hb_render render;
  const char *camera;
  double direction[3];
};

static const char *color_name(size_t k) { return k < HB_COLORING_AGE ? hb_coloring_name(k) : NULL; }

static const char *const points[] = {"star", "disc", "dot", NULL};

#define FIELD(member) HB_SETTING_FIELD(struct settings, render.member)
static const struct hb_setting options[] = {
    {"output", 'o', HB_SETTING_TEXT, FIELD(output), "PICTURE", .use = HB_SETTING_SHOWS,
     .help = "file to write: .png, or a movie as .mp4, .mkv, .webm, .apng or .gif by ffmpeg; several "
             "frames as .png become PICTURE_0001.png, ... (default: FILE with extension .png, or .mp4 for "
             "several frames)"},
    {"size", 0, HB_SETTING_PIXELS, FIELD(width), "WxH", "1920x1080", .most = 32768,
     .help = "width and height in pixels"},
    {"color-by", 0, HB_SETTING_CHOICE, FIELD(color), "WHAT", "speed", .words.at = color_name,
     .help = "speed, acc (acceleration), energy (per mass), step (time step), mass, group, or "
             "bound (binaries and triples); acc, energy and step as at the start of a run from the snapshot"},
    {"map", 0, HB_SETTING_CHOICE, FIELD(style.map), "NAME", "stars",
     .words = {hb_colormap_names, .also = {"grey", "gray"}}, .help = "color map: stars, ember, ice, gray"},
    {"color-range", 0, HB_SETTING_NUMBERS, FIELD(style.range), "FROM,TO",
     .help = "values of the first and the last color; of acc and step their decimal logarithms "
             "(default: enclosing 96 % of the particles of the first frame)"},
    {"groups", 0, HB_SETTING_COUNT, FIELD(groups), "K", "2",
     .help = "number of groups for --color-by group: equal parts of the file, in its order"},
    {"point", 0, HB_SETTING_CHOICE, FIELD(style.point), "KIND", "star", .words.array = points,
     .help = "what a particle looks like: star, disc, dot"},
    {"point-size", 0, HB_SETTING_POSITIVE, FIELD(style.point_size), "S",
     .help = "sigma of a star, in thousandths of the picture's height "
             "(default: 10 for a few stars, 3 for 1000, 1 for 100000)"},
    {"glow", 0, HB_SETTING_NOT_NEGATIVE, FIELD(style.glow), "G", "0.5",
     .help = "strength of the glow around bright places, 0 to 1"},
    {"exposure", 0, HB_SETTING_POSITIVE, FIELD(style.exposure), "E", "0.8",
     .help = "brightness of a single star, below 1; the brightest place gets 1"},
    {"trails", 0, HB_SETTING_POSITIVE, FIELD(trails), "T",
     .help =
         "draw the paths of the stars over the last T units of time; straight lines for a single snapshot",
     .of = HB_DIMENSION_TIME},
    {"camera", 0, HB_SETTING_TEXT, HB_SETTING_FIELD(struct settings, camera), "HOW",
     .help = "fixed, orbit (around the z axis), or a file with the path of the camera, see below "
             "(default: orbit for several frames of one snapshot, else fixed)"},
    {"direction", 0, HB_SETTING_NUMBERS, HB_SETTING_FIELD(struct settings, direction), "AZ,EL[,ROLL]",
     .least = 2,
     .help = "position of the camera, in degrees: azimuth around the z axis, elevation above "
             "the x y plane (default: 0,90, x to the right and y up; for orbit 0,25)"},
    {"center", 0, HB_SETTING_NUMBERS, FIELD(center), "X,Y,Z", .also = "centre",
     .help = "point that the camera looks at (default: the median of the first frame)",
     .of = HB_DIMENSION_LENGTH},
    {"zoom", 0, HB_SETTING_POSITIVE, FIELD(zoom), "F", "1",
     .help = "magnification; at 1 nine tenths of the stars fit into the picture"},
    {"field", 0, HB_SETTING_POSITIVE, FIELD(field_of_view), "DEGREES", "28", .unit = HB_DEGREE,
     .help = "vertical angle of view, below 170"},
    {"turns", 0, HB_SETTING_NUMBER, FIELD(turns), "X", "1",
     .help = "orbit: turns in the whole movie, negative to reverse"},
    {"frames", 0, HB_SETTING_COUNT, FIELD(frames), "K", .most = 1e6,
     .help = "total number of frames (default: one per snapshot); between snapshots the stars follow "
             "the cubic that fits positions and velocities"},
    {"fps", 0, HB_SETTING_COUNT, FIELD(frames_per_s), "F", "30", .most = 1000,
     .help = "frames per second of a movie"},
    {"samples", 0, HB_SETTING_COUNT, FIELD(samples), "S", "2",
     .help = "each pixel is the mean of S x S samples, at most 8"},
    {"eps", 0, HB_SETTING_NOT_NEGATIVE, FIELD(force.eps), "EPS", "1/256",
     .help = "softening of the forces for --color-by acc, energy, step and bound; an eps in FILE's header "
             "replaces the "
             "default",
     .of = HB_DIMENSION_LENGTH},
    {0}};

/* ---- options ----------------------------------------------------------------------------------------- */

static enum hb_status read_style(const struct hb_opts *opts, struct hb_render *r)
{
  struct hb_scene_style *style = &r->style;
  const char *exposure = hb_opts_typed(opts, &style->exposure);
  r->has_range = hb_opts_typed(opts, style->range) != NULL;
  style->color = hb_coloring_scene(r->color);
  style->adapt = r->frames > 1 ? 0.1 : 1;
  if (style->glow == 0) style->glow = -1;
  if (style->exposure < 1) return HB_OK;
  return hb_fail(HB_ERR_USAGE, "option --exposure: '%s' is out of range (expected a number below 1)",
                 exposure);
}

static enum hb_status read_camera(const struct hb_opts *opts, struct settings *s)
{
  struct hb_render *r = &s->render;
  r->orbits = s->camera ? strcmp(s->camera, "orbit") == 0 : r->file_count == 1 && r->frames > 1;
  if (!hb_opts_typed(opts, s->direction)) s->direction[1] = r->orbits ? 25 : 90;
  r->azimuth = s->direction[0] * HB_DEGREE;
  r->elevation = s->direction[1] * HB_DEGREE;
  r->roll = s->direction[2] * HB_DEGREE;
  r->has_center = hb_opts_typed(opts, r->center) != NULL;
  if (r->field_of_view >= 170 * HB_DEGREE)
    return hb_fail(HB_ERR_USAGE, "option --field: '%s' is out of range (expected an angle below 170)",
                   hb_opts_typed(opts, &r->field_of_view));
  if (!s->camera || r->orbits || strcmp(s->camera, "fixed") == 0) return HB_OK;
  return hb_keyframes_read(s->camera, &r->keyframes);
}

static enum hb_status output_of(const struct hb_render *r, struct hb_text *path)
{
  const char *file = strcmp(r->files[0], "-") == 0 ? "render" : r->files[0];
  int is_movie = r->frames > 1 && file == r->files[0];
  return hb_target_beside(file, is_movie ? "mp4" : "png", path);
}

/* What can be checked before anything is drawn. */
static enum hb_status check_output(const struct hb_render *r)
{
  int is_movie;
  HB_TRY(hb_film_kind(r->output, &is_movie));
  if (is_movie && (r->width % 2 || r->height % 2))
    return hb_fail(HB_ERR_USAGE, "a movie of %d x %d pixels (expected even numbers)", r->width, r->height);
  return hb_target_check(r->output, ""); /* the folder only, the format is known */
}

static enum hb_status read_options(const struct hb_opts *opts, struct settings *s, struct hb_text *output,
                                   struct hb_text *command)
{
  struct hb_render *r = &s->render;
  r->files = opts->operands;
  r->file_count = opts->operand_count;
  if (r->frames == 0) r->frames = r->file_count;
  r->has_eps = hb_opts_typed(opts, &r->force.eps) != NULL;
  HB_TRY(read_style(opts, r));
  HB_TRY(read_camera(opts, s));
  if (!r->output) HB_TRY(output_of(r, output));
  if (!r->output) r->output = output->text;
  HB_TRY(hb_opts_line(opts, command));
  r->command = command->text;
  return check_output(r);
}

static enum hb_status work(const struct hb_opts *opts)
{
  struct settings *s = opts->settings;
  struct hb_text output = {0}, command = {0};
  enum hb_status status = hb_astro_convert_by_file(opts, opts->operands[0], NULL, 0);
  if (status == HB_OK) status = read_options(opts, s, &output, &command);
  if (status == HB_OK) status = hb_render_frames(&s->render);
  hb_keyframes_clear(&s->render.keyframes);
  HB_FREE(output.text, command.text);
  return status;
}

static void explain(const struct hb_help *help)
{
  help->text("\nA camera path is a text file with a row for each place that it passes:\n", help->out);
  help->lines("  when   center x y z   azimuth elevation   distance\n", help->out);
  help->text(
      "when increases in any unit, from the first frame to the last; angles are in degrees, distances in\n"
      "the units of FILE. The path between is smooth.\n",
      help->out);
}

const struct hb_opts_command hb_cmd_render = {
    .name = "render",
    .summary = "Draw snapshots: a picture, or a movie of one or many.",
    .operand = "FILE...",
    .operand_min = 1,
    .operand_max = SIZE_MAX,
    .groups = {{.options = options},
               {.options = hb_opts_place,
                .at = offsetof(struct settings, render.force),
                .use = HB_SETTING_SHOWS},
               {.options = hb_opts_quiet, .at = offsetof(struct settings, render.quiet)}},
    .settings_size = sizeof(struct settings),
    .more_help = explain,
    .example = "  holmberg render cluster.h5 -o cluster.png --size 3840x2160\n"
               "  holmberg render cluster.h5 -o orbit.mp4 --frames 300\n"
               "  holmberg render end_*.h5 -o run.mp4 --frames 600 --trails 0.1 --color-by energy\n",
    .work = work,
};

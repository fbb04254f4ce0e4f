/* A script in place of the user, for tests and demonstrations, with the same events that keyboard and mouse would
 * cause. No clock is used unless a line says so, so two runs of a script do the same. */
#include "base/clock.h"
#include "base/json.h"
#include "console/terminal.h"
#include "viewer/view.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS = 7 }; /* one more than any line has, to detect too many */

struct line {
  struct hb_view *view;
  int by; /* of its row below */
  int count;
  const char *words[WORDS]; /* the first is the command */
  double numbers[WORDS];
};

/* ---- input ------------------------------------------------------------------------------------------ */

static void push(const struct line *line, enum hb_gl_event_kind kind, struct hb_gl_event event)
{
  event.kind = kind;
  hb_gl_windows.push(line->view->window.gl, &event);
}

/* Handles all pending events and shows the result; no time passes. */
static enum hb_status settle(struct hb_view *view)
{
  hb_gl_windows.poll(view->window.gl, 0);
  HB_TRY(hb_view_input(view));
  return view->looks.stop_drawing || view->done ? HB_OK : hb_view_show(view);
}

/* The key with this name, such as "space" or "q"; 0 if there is none. */
static int find_key(const struct hb_keys_row *row, const char *name)
{
  if (strcmp(name, "escape") == 0) return HB_GL_KEY_ESCAPE;
  for (; row->key; row++)
    if (row->name && strcmp(row->name, name) == 0) return row->key;
  return name[0] && !name[1] ? (unsigned char)name[0] : 0;
}

static enum hb_status do_key(const struct line *line)
{
  int key = find_key(hb_view_keys, line->words[1]);
  if (!key) return hb_fail(HB_ERR_INPUT, "unknown key '%s'", line->words[1]);
  push(line, HB_GL_EVENT_KEY, (struct hb_gl_event){.key = key});
  return settle(line->view);
}

/* An event of the kind `by`, with the first number as x and the last one as y. */
static enum hb_status do_event(const struct line *line)
{
  push(line, (enum hb_gl_event_kind)line->by,
       (struct hb_gl_event){.x = line->numbers[1], .y = line->numbers[line->count - 1]});
  return settle(line->view);
}

static enum hb_status do_click(const struct line *line)
{
  const struct hb_gl_event at = {.x = line->numbers[1], .y = line->numbers[2]};
  for (int k = 0; k < line->by; k++) {
    push(line, HB_GL_EVENT_PRESS, at);
    push(line, HB_GL_EVENT_RELEASE, at);
  }
  return settle(line->view);
}

static enum hb_status do_drag(const struct line *line)
{
  const char *how = line->count > 5 ? line->words[5] : "left";
  struct hb_gl_event at = {.x = line->numbers[1], .y = line->numbers[2]};
  at.shift = strcmp(how, "shift") == 0;
  if (strcmp(how, "right") == 0) at.button = HB_GL_BUTTON_RIGHT;
  if (!at.shift && at.button == HB_GL_BUTTON_LEFT && strcmp(how, "left") != 0)
    return hb_fail(HB_ERR_INPUT, "unknown way to drag '%s' (expected left, right or shift)", how);
  push(line, HB_GL_EVENT_MOVE, at);
  push(line, HB_GL_EVENT_PRESS, at);
  at.x = line->numbers[3];
  at.y = line->numbers[4];
  push(line, HB_GL_EVENT_MOVE, at);
  push(line, HB_GL_EVENT_RELEASE, at);
  return settle(line->view);
}

static enum hb_status take_size(const struct line *line, int *width, int *height)
{
  enum { MOST = 32768 };
  for (int k = 1; k <= 2; k++)
    if (!(line->numbers[k] >= 1 && line->numbers[k] <= MOST))
      return hb_fail(HB_ERR_INPUT, "'%s' is out of range (expected 1 to %d pixels)", line->words[k], MOST);
  *width = (int)line->numbers[1];
  *height = (int)line->numbers[2];
  return HB_OK;
}

/* by = 1: asks for this size. The window system may take its time. */
static enum hb_status do_size(const struct line *line)
{
  struct hb_view *view = line->view;
  int width = 0, height = 0;
  HB_TRY(take_size(line, &width, &height));
  if (line->by) hb_gl_windows.resize(view->window.gl, width, height);
  double end = hb_clock_now() + 60;
  while (view->window.width != width || view->window.height != height) {
    if (hb_clock_now() > end)
      return hb_fail(HB_ERR_GL, "the window is %d x %d pixels, not %d x %d", view->window.width,
                     view->window.height, width, height);
    hb_gl_windows.poll(view->window.gl, 0.01);
    HB_TRY(hb_view_input(view));
  }
  return settle(view);
}

/* ---- time -------------------------------------------------------------------------------------------- */

static enum hb_status do_frames(const struct line *line)
{
  line->view->clock.unasked = 0; /* the script has decided */
  for (double k = 0; k < line->numbers[1] && !line->view->done; k++) {
    if (!line->view->clock.paused) HB_TRY(hb_view_step(line->view));
    HB_TRY(settle(line->view));
  }
  return HB_OK;
}

static enum hb_status do_energy(const struct line *line)
{
  HB_TRY(hb_view_diagnose(line->view));
  return settle(line->view);
}

/* by = 1: by the clock of a movie. */
static enum hb_status do_run(const struct line *line)
{
  return line->by ? hb_view_play(line->view, line->numbers[1]) : hb_view_run(line->view, line->numbers[1]);
}

/* ---- output ----------------------------------------------------------------------------------------- */

/* by = 1: a movie from here. */
static enum hb_status do_save(const struct line *line)
{
  return line->by ? hb_view_record(line->view, line->words[1])
                  : hb_view_picture_save(line->view, line->words[1]);
}

static void write_source(const struct hb_view *view, struct hb_json *json)
{
  const struct hb_view_source *s = &view->source;
  struct hb_sim_counts counts;
  hb_view_source_counts(s, &counts);
  hb_json_text(json, "title", s->title);
  hb_json_count(json, "n", s->n);
  hb_json_number(json, "t", s->t);
  hb_json_count(json, "block", s->block);
  hb_json_count(json, "block_steps", counts.block_steps);
  if (counts.near.full_blocks) hb_json_count(json, "full_blocks", counts.near.full_blocks);
  hb_json_count(json, "pairs", counts.pairs);
  if (s->energies > 0) {
    hb_json_number(json, "de_cluster", s->e_error);
    hb_json_number(json, "de_rel", s->e_error * s->begin.e_scale / fabs(s->begin.e_total));
  }
  if (hb_view_source_is_series(s)) {
    hb_json_count(json, "snapshot", s->shown + 1);
    hb_json_count(json, "snapshots", s->file_count);
    return;
  }
  hb_json_number(json, "at", s->at);
  hb_json_number(json, "speed", view->clock.speed);
  hb_json_number(json, "speed_reached", view->clock.measured.speed);
  hb_json_text(json, "scheme", hb_force_scheme(hb_sim_force(s->sim))->name);
  hb_json_text(json, "precision", hb_force_precision(hb_sim_force(s->sim)));
  hb_json_text(json, "integrator", s->run->sim.integrator);
  hb_json_number(json, "eps", s->knobs.eps);
  hb_json_number(json, "eta", s->knobs.eta);
  hb_json_number(json, "damping", s->knobs.damping);
}

static void write_race(const struct hb_race *race, struct hb_json *json)
{
  hb_json_open_array(json, "race");
  for (int k = 0; k < race->count; k++) {
    const struct hb_racer *r = &race->racer[k];
    hb_json_open_object(json, NULL);
    hb_json_text(json, "scheme", hb_force_scheme(hb_sim_force(r->sim))->name);
    hb_json_number(json, "t", hb_sim_time(r->sim));
    hb_json_count(json, "block_steps", r->counts.block_steps);
    hb_json_count(json, "pairs", r->counts.pairs);
    hb_json_number(json, "seconds", r->step_s);
    hb_json_number(json, "de_cluster", r->e_error);
    hb_json_close_object(json);
  }
  hb_json_close_array(json);
}

static void write_camera(const struct hb_camera *camera, struct hb_json *json)
{
  hb_json_open_object(json, "camera");
  hb_json_open_array(json, "centre");
  for (int k = 0; k < 3; k++) hb_json_number(json, NULL, camera->center[k]);
  hb_json_close_array(json);
  hb_json_open_array(json, "sight");
  for (int k = 0; k < 3; k++) hb_json_number(json, NULL, camera->axis[2][k]);
  hb_json_close_array(json);
  hb_json_number(json, "distance", camera->distance);
  hb_json_close_object(json);
}

static void write_sliders(const struct hb_view *view, struct hb_json *json)
{
  hb_json_open_array(json, "sliders");
  for (int k = view->looks.bars ? 0 : HB_VIEW_TIME; k < HB_VIEW_SLIDERS; k++) {
    const struct hb_hud_slider *slider = &view->sliders[k];
    if (slider->absent) continue;
    hb_json_open_object(json, NULL);
    hb_json_text(json, "name", *slider->name ? slider->name : "time");
    hb_json_number(json, "x", slider->x);
    hb_json_number(json, "y", slider->y);
    hb_json_number(json, "length", slider->length);
    hb_json_number(json, "value", *slider->value);
    hb_json_close_object(json);
  }
  hb_json_close_array(json);
}

static enum hb_status do_state(const struct line *line)
{
  static const char *const points[HB_SCENE_POINT_COUNT] = {"star", "disc", "dot"};
  const struct hb_view *view = line->view;
  struct hb_json json = {stdout, 0};
  hb_json_open_object(&json, NULL);
  hb_json_truth(&json, "paused", view->clock.paused);
  write_source(view, &json);
  write_camera(&view->steer.camera, &json);
  if (view->race.count) write_race(&view->race, &json);
  hb_json_text(&json, "point", points[view->looks.style.point]);
  hb_json_number(&json, "point_size", view->looks.style.point_size);
  hb_json_text(&json, "color", hb_coloring_name(view->looks.color));
  hb_json_truth(&json, "trails", view->looks.trails);
  hb_json_truth(&json, "hud", view->looks.hud);
  hb_json_truth(&json, "help", view->looks.help);
  hb_json_truth(&json, "inspects", view->inspect.inspector != NULL);
  if (view->inspect.inspector) {
    hb_json_text(&json, "pass", hb_inspector_title(view->inspect.inspector));
    hb_json_text(&json, "texel", view->inspect.texel.text);
  }
  hb_json_count(&json, "coarse", (uint64_t)view->window.coarse);
  hb_json_truth(&json, "glow", !view->looks.plain);
  hb_json_number(&json, "pictures_per_s", view->clock.measured.pictures_per_s);
  hb_json_truth(&json, "drawing", !view->looks.stop_drawing);
  hb_json_truth(&json, "full_screen", view->looks.full_screen);
  hb_json_truth(&json, "recording", view->film != NULL);
  write_sliders(view, &json);
  hb_json_count(&json, "width", (uint64_t)view->window.width);
  hb_json_count(&json, "height", (uint64_t)view->window.height);
  hb_json_count(&json, "text_scale", (uint64_t)view->window.text_scale);
  hb_json_truth(&json, "on_device", view->stars.at.lent);
  hb_json_count(&json, "pictures", view->detail.pictures);
  hb_json_count(&json, "readback_bytes", hb_gl_readback_bytes());
  hb_json_text(&json, "message", hb_hud_said(&view->note));
  hb_json_text(&json, "asks", view->clock.asks);
  hb_json_text(&json, "error", view->window.error);
  hb_json_close_object(&json);
  putchar('\n');
  return hb_terminal_flush();
}

static enum hb_status do_quit(const struct line *line) { return line->view->done = 1, HB_OK; }

/* ---- lines ------------------------------------------------------------------------------------------- */

static const struct {
  const char *name, *arguments, *help;
  int least, most, numbers; /* words after the name, and how many of them are numbers */
  enum hb_status (*work)(const struct line *line);
  int by;
} commands[] = {
    {"key", "NAME", "press a key of the list above: key space", 1, 1, 0, do_key, 0},
    {"move", "X Y", "move the mouse; pixels from the upper left corner", 2, 2, 2, do_event, HB_GL_EVENT_MOVE},
    {"click", "X Y", "click the left button", 2, 2, 2, do_click, 1},
    {"double", "X Y", "double click", 2, 2, 2, do_click, 2},
    {"drag", "X Y X Y [HOW]", "drag from one point to another: left, right or shift", 4, 5, 4, do_drag, 0},
    {"wheel", "N", "turn the wheel by N notches", 1, 1, 1, do_event, HB_GL_EVENT_WHEEL},
    {"resize", "W H", "resize the window", 2, 2, 2, do_size, 1},
    {"await", "W H", "wait until the window has this size, as after key f", 2, 2, 2, do_size, 0},
    {"frames", "N", "show N pictures, each after a block step unless paused", 1, 1, 1, do_frames, 0},
    {"energy", "", "measure the energy error", 0, 0, 0, do_energy, 0},
    {"run", "S", "run for S seconds of real time, as for a user", 1, 1, 1, do_run, 0},
    {"play", "S", "show the pictures of S seconds of a movie, however long they take", 1, 1, 1, do_run, 1},
    {"record", "FILE", "record a movie from here; key v ends it", 1, 1, 0, do_save, 1},
    {"screenshot", "FILE", "write a PNG of what is shown", 1, 1, 0, do_save, 0},
    {"state", "", "print a line of JSON with the state of the viewer", 0, 0, 0, do_state, 0},
    {"close", "", "close the window, as its button does", 0, 0, 0, do_event, HB_GL_EVENT_CLOSE},
    {"quit", "", "quit, as does the end of the file", 0, 0, 0, do_quit, 0},
};

enum { COMMANDS = sizeof commands / sizeof *commands };

void hb_view_help(const struct hb_help *help)
{
  help->heading("keys and mouse", help->out);
  for (const struct hb_keys_row *row = hb_view_keys; row->name || row->key; row++)
    if (row->name) help->entry(row->name, row->help, help->out);
  help->heading("lines of a --script, # starts a comment", help->out);
  for (size_t k = 0; k < COMMANDS; k++) {
    char name[64];
    snprintf(name, sizeof name, "%s%s%s", commands[k].name, *commands[k].arguments ? " " : "",
             commands[k].arguments);
    help->entry(name, commands[k].help, help->out);
  }
}

static const char *command_name(size_t k) { return k < COMMANDS ? commands[k].name : NULL; }

static enum hb_status do_line(struct line *line)
{
  const struct hb_words names = {.at = command_name, .what = "command"};
  int k = hb_words_find(names, line->words[0]);
  if (k < 0) return hb_words_unknown(names, line->words[0]);
  int given = line->count - 1;
  if (given < commands[k].least || given > commands[k].most)
    return hb_fail(HB_ERR_INPUT, "'%s' takes '%s'", commands[k].name, commands[k].arguments);
  for (int w = 1; w <= commands[k].numbers; w++) HB_TRY(hb_text_number(line->words[w], &line->numbers[w]));
  int reports = commands[k].work == do_state || commands[k].work == do_save;
  if (!reports) line->view->note.until = 0;
  line->by = commands[k].by;
  return commands[k].work(line);
}

static enum hb_status do_words(struct hb_view *view, char *text)
{
  struct line line = {.view = view};
  text[strcspn(text, "#\n")] = 0;
  line.count = hb_text_words(text, " \t\r", WORDS, line.words);
  return line.count ? do_line(&line) : HB_OK;
}

/* Line by line, since they may be written while the viewer runs. */
static enum hb_status do_file(struct hb_view *view, const char *path, FILE *file)
{
  enum hb_status status = settle(view);
  char *text = NULL, place[4200];
  size_t capacity = 0;
  for (int number = 1; status == HB_OK && !view->done && getline(&text, &capacity, file) > 0; number++) {
    status = do_words(view, text);
    snprintf(place, sizeof place, "%s: line %d", path, number);
    if (status != HB_OK) hb_fail_in(status, place);
  }
  free(text);
  if (status == HB_OK && ferror(file)) return hb_fail(HB_ERR_IO, "cannot read %s: %s", path, strerror(errno));
  return status == HB_ERR_USAGE ? HB_ERR_INPUT : status;
}

enum hb_status hb_view_script(struct hb_view *view, const char *path)
{
  FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
  if (!file) return hb_fail(HB_ERR_IO, "cannot read %s: %s", path, strerror(errno));
  view->note.stays = 1;
  view->note.until = 0;
  enum hb_status status = do_file(view, path, file);
  if (file != stdin) fclose(file);
  return status;
}

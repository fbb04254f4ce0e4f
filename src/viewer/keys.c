#include "viewer/keys.h"

#include "gl/gl_window.h"

#include <string.h>

#define MODEL_1 "plummer"
#define MODEL_2 "holmberg1941"
#define MODEL_3 "coldsphere"

const char *const hb_keys_models[3] = {MODEL_1, MODEL_2, MODEL_3};

static const struct hb_keys_row rows[] = {
    {' ', "space", HB_KEYS_PAUSE, "pause, go on"},
    {HB_GL_KEY_RIGHT, "right", HB_KEYS_STEP, "one block step, or the next snapshot"},
    {HB_GL_KEY_LEFT, "left", HB_KEYS_BACK, "the snapshot before"},
    {'r', "r", HB_KEYS_RESET, "reset: from the beginning"},
    {'c', "c", HB_KEYS_CENTRE, "centre on the middle of the particles, all of them in the picture"},
    {'1', "1", HB_KEYS_MODEL_1, "model " MODEL_1},
    {'2', "2", HB_KEYS_MODEL_2, "model " MODEL_2},
    {'3', "3", HB_KEYS_MODEL_3, "model " MODEL_3},
    {'[', "[", HB_KEYS_MODEL_BEFORE, "the model before in the list of 'holmberg ic'"},
    {']', "]", HB_KEYS_MODEL_AFTER, "the next model there"},
    {'p', "p", HB_KEYS_POINT, "points as stars, discs or dots"},
    {'o', "o", HB_KEYS_COLOR, "what the colour shows"},
    {'l', "l", HB_KEYS_TRAILS, "trails of light on and off"},
    {'g', "g", HB_KEYS_SLIDERS, "sliders on and off"},
    {'t', "t", HB_KEYS_HUD, "numbers on and off"},
    {'h', "h", HB_KEYS_HELP, "these keys, over the picture"},
    {'i', "i", HB_KEYS_INSPECTOR, "inspector: textures behind the forces; the mouse reads a texel"},
    {'.', ".", HB_KEYS_PASS_AFTER, "inspector: the next pass"},
    {',', ",", HB_KEYS_PASS_BEFORE, "inspector: the pass before"},
    {'a', "a", HB_KEYS_PASS_PLAY, "inspector: a pass further at each walk, and stop"},
    {'d', "d", HB_KEYS_DRAW, "stop drawing, go on computing"},
    {'s', "s", HB_KEYS_SCREENSHOT, "screenshot: a PNG in this folder"},
    {'v', "v", HB_KEYS_RECORD, "record a movie, and end it"},
    {'f', "f", HB_KEYS_FULLSCREEN, "full screen and back"},
    {'q', "q, Esc", HB_KEYS_QUIT, "quit"},
    {HB_GL_KEY_ESCAPE, NULL, HB_KEYS_QUIT, NULL},
    {0, "drag", HB_KEYS_NOTHING, "rotate"},
    {0, "shift or right drag", HB_KEYS_NOTHING, "move sideways"},
    {0, "wheel", HB_KEYS_NOTHING, "zoom"},
    {0, "double click", HB_KEYS_NOTHING, "what is there becomes the centre"},
};

enum { COUNT = sizeof rows / sizeof *rows };

const struct hb_keys_row *hb_keys_rows(size_t *count)
{
  *count = COUNT;
  return rows;
}

enum hb_keys_action hb_keys_action(int key)
{
  for (size_t k = 0; k < COUNT; k++)
    if (rows[k].key == key && key) return rows[k].action;
  return HB_KEYS_NOTHING;
}

int hb_keys_key(const char *name)
{
  if (strcmp(name, "escape") == 0) return HB_GL_KEY_ESCAPE;
  for (size_t k = 0; k < COUNT; k++)
    if (rows[k].key && rows[k].name && strcmp(rows[k].name, name) == 0) return rows[k].key;
  return name[0] && !name[1] ? (unsigned char)name[0] : 0;
}

#include "gl/gl_shader.h"

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "gl/gl.h"
#include "gl/gl_texture.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILES = 16, MAX_DEPTH = 8 };

/* From line `at` of the text on, lines are those of a file, from `line` on. */
struct stretch {
  int at, file, line;
};

/* One stage on its way from files to text. Places in the driver's log are looked up in the stretches: with #line, Mesa
 * forgets the number of the file in some of its messages. */
struct stage {
  struct hb_text text;
  int lines; /* of text */
  struct stretch stretches[2 * MAX_FILES];
  int stretch_count;
  const char *names[MAX_FILES];
  char *owned[MAX_FILES]; /* names that came from an #include line */
  int count;
  const char *part, *part_text; /* what "INTERACTION" stands for */
  const struct hb_gl_loop *unrolled;
  void (*note)(void *context, const char *name);
  void *note_context;
};

/* ---- loops of constant length, for drivers that put arrays in memory where a loop indexes them ---- */

enum { MOST_TEXT = 1 << 20 };

static int is_letter(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* Where the body of a loop begins, of the form that is unrolled; *name is that of its counter, *count how often it runs. 0: no
 * loop that is listed. */
static const char *loop_body(const char *at, const struct hb_gl_loop *loops, char name[16], int *count)
{
  static const char begin[] = "for (int ";
  if (strncmp(at, begin, sizeof begin - 1) != 0) return NULL;
  const char *first = at + sizeof begin - 1;
  size_t length = strspn(first, "abcdefghijklmnopqrstuvwxyz");
  if (length == 0 || length > 15) return NULL;
  snprintf(name, 16, "%.*s", (int)length, first);
  for (; loops->bound; loops++) {
    char head[96];
    int end = snprintf(head, sizeof head, "for (int %s = 0; %s < %s; %s++)", name, name, loops->bound, name);
    *count = loops->count;
    if (strncmp(at, head, (size_t)end) == 0) return at + end;
  }
  return NULL;
}

/* The end of the statement: after a brace or semicolon outside all brackets. */
static const char *statement_end(const char *at)
{
  for (int depth = 0; *at; at++) {
    if (*at == '/' && at[1] == '/') at += strcspn(at, "\n");
    depth += (*at == '{' || *at == '(') - (*at == '}' || *at == ')');
    if (depth == 0 && (*at == ';' || *at == '}')) return at + 1;
  }
  return at;
}

/* Without comments and line ends, name replaced by the number. */
static enum hb_status append_copy(const char *at, const char *name, int number, struct hb_text *text)
{
  size_t length = strlen(name);
  for (char before = ' '; *at; before = *at++) {
    if (*at == '/' && at[1] == '/') at += strcspn(at, "\n");
    if (!*at) break;
    if (!is_letter(before) && strncmp(at, name, length) == 0 && !is_letter(at[length])) {
      HB_TRY(hb_text_append(text, "%d", number));
      at += length - 1;
    } else
      HB_TRY(hb_text_append_bytes(text, *at == '\n' ? " " : at, 1));
  }
  return HB_OK;
}

/* Appends source, with each `for (int k = 0; k < BOUND; k++) statement` whose bound is listed replaced by that many copies
 * of the statement, with numbers for k. Line numbers stay: all copies are on the loop's first line. A statement with a line of
 * the preprocessor is an error (HB_ERR_INPUT): left as a loop, it has silently given wrong numbers on an H200. One with its own
 * `continue` or `break` is not allowed. */
static enum hb_status unroll(const char *source, const struct hb_gl_loop *loops, struct hb_text *text);

static enum hb_status append_loop(const char *loop, const char *end, const char *name, int count,
                                  const struct hb_gl_loop *loops, struct hb_text *text)
{
  HB_OWN struct hb_text body = {0}, unrolled = {0};
  HB_TRY(hb_text_append_bytes(&body, loop, (size_t)(end - loop)));
  HB_TRY(unroll(body.text, loops, &unrolled));
  for (int k = 0; k < count; k++) HB_TRY(append_copy(unrolled.text, name, k, text));
  if (text->length > MOST_TEXT)
    return hb_fail(HB_ERR_INPUT, "the loops of a shader, written out, take more than %d bytes", MOST_TEXT);
  for (const char *at = loop; at < end; at++)
    if (*at == '\n') HB_TRY(hb_text_append(text, "\n"));
  return HB_OK;
}

static enum hb_status refuse_loop(const char *source, const char *at)
{
  int line = 1;
  for (; source < at; source++) line += *source == '\n';
  return hb_fail(HB_ERR_INPUT,
                 "line %d: '%.*s' has a line of the preprocessor in it; put the choice outside of the loop",
                 line, (int)strcspn(at, "){") + 1, at);
}

static enum hb_status unroll(const char *source, const struct hb_gl_loop *loops, struct hb_text *text)
{
  for (const char *at = source, *end; *at; at = end) {
    char name[16];
    int count;
    const char *body = loop_body(at, loops, name, &count);
    end = body && count ? statement_end(body) : NULL;
    if (end && memchr(body, '#', (size_t)(end - body))) return refuse_loop(source, at);
    if (end)
      HB_TRY(append_loop(body, end, name, count, loops, text));
    else
      HB_TRY(hb_text_append_bytes(text, at, (size_t)((end = at + 1) - at)));
  }
  return HB_OK;
}

/* ---- files ---- */

const char *hb_gl_shader_folder(void)
{
  const char *folder = getenv("HB_SHADER_DIR");
  return folder && *folder ? folder : NULL;
}

static int differs(const char *folder, const struct hb_gl_shader_file *file)
{
  char path[512];
  HB_OWN char *bytes = NULL;
  size_t count;
  snprintf(path, sizeof path, "%s/%s", folder, file->name);
  if (hb_file_read(path, &bytes, &count) != HB_OK) return 1;
  return count != strlen(file->text) || memcmp(bytes, file->text, count) != 0;
}

int hb_gl_shaders_differ(const char *name)
{
  const char *folder = hb_gl_shader_folder();
  for (const struct hb_gl_shader_file *file = hb_gl_shader_files; folder && file->name; file++)
    if ((!name || strcmp(name, file->name) == 0) && differs(folder, file)) return 1;
  return 0;
}

static enum hb_status read_source(const char *name, char **text)
{
  const char *folder = hb_gl_shader_folder();
  if (folder) {
    char path[4096];
    size_t count;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return hb_file_read(path, text, &count);
  }
  for (const struct hb_gl_shader_file *file = hb_gl_shader_files; file->name; file++)
    if (strcmp(file->name, name) == 0) return hb_mem_strdup(file->text, text);
  return hb_fail(HB_ERR_INTERNAL, "no shader file %s", name);
}

/* #include "name" at the start of a line: the name, or NULL. */
static enum hb_status included_name(const char *line, size_t length, char **name)
{
  static const char directive[] = "#include \"";
  size_t prefix = sizeof directive - 1;
  *name = NULL;
  if (length < prefix || strncmp(line, directive, prefix) != 0) return HB_OK;
  const char *end = memchr(line + prefix, '"', length - prefix);
  if (!end) return HB_OK;
  HB_TRY(HB_ALLOC((size_t)(end - line) - prefix + 1, name));
  memcpy(*name, line + prefix, (size_t)(end - line) - prefix);
  return HB_OK;
}

static enum hb_status add_file(struct stage *stage, const char *name, int depth);

static void begin_stretch(struct stage *stage, int file, int line)
{
  stage->stretches[stage->stretch_count++] = (struct stretch){stage->lines + 1, file, line};
}

static enum hb_status add_lines(struct stage *stage, const char *text, int number, int depth)
{
  begin_stretch(stage, number, 1);
  int line = 1;
  for (const char *at = text; *at; line++) {
    size_t length = strcspn(at, "\n");
    char *name;
    HB_TRY(included_name(at, length, &name));
    if (name) {
      stage->owned[stage->count] = name; /* freed with the stage; add_file checks the capacity */
      HB_TRY(add_file(stage, name, depth + 1));
      begin_stretch(stage, number, line + 1);
    } else {
      HB_TRY(hb_text_append(&stage->text, "%.*s\n", (int)length, at));
      stage->lines++;
    }
    at += length + (at[length] == '\n');
  }
  return HB_OK;
}

static enum hb_status add_file(struct stage *stage, const char *name, int depth)
{
  int is_part = stage->part && strcmp(name, "INTERACTION") == 0;
  if (is_part) name = stage->part;
  int number = stage->count++;
  if (number >= MAX_FILES - 1 || depth > MAX_DEPTH)
    return hb_fail(HB_ERR_INTERNAL, "shader %s includes too many files, or itself", stage->names[0]);
  stage->names[number] = name;
  HB_OWN char *text = NULL;
  HB_OWN struct hb_text unrolled = {0};
  if (is_part && stage->part_text) {
    HB_TRY(hb_mem_strdup(stage->part_text, &text));
  } else {
    if (stage->note) stage->note(stage->note_context, name);
    HB_TRY(read_source(name, &text));
  }
  enum hb_status status = unroll(text, stage->unrolled, &unrolled);
  if (status != HB_OK) return hb_fail_in(status, name);
  return add_lines(stage, unrolled.text ? unrolled.text : "", number, depth);
}

/* OpenGL ES wants a precision for everything, and its GLSL has the version of the context. */
static enum hb_status add_es_language(struct stage *stage, const struct hb_gl_caps *caps)
{
  static const char *const samplers[] = {"sampler2D",      "isampler2D",      "usampler2D",
                                         "sampler2DArray", "usampler2DArray", "samplerBuffer",
                                         "isamplerBuffer", "usamplerBuffer"};
  enum { ALL = sizeof samplers / sizeof *samplers, BUFFERS = 3 };
  int count = caps->has_buffer_textures ? ALL : ALL - BUFFERS, is_extension = caps->minor < 2;
  HB_TRY(hb_text_append(&stage->text, "#version 3%d0 es\n", caps->minor));
  if (caps->has_precise)
    HB_TRY(hb_text_append(&stage->text, "%s#define HB_HAS_PRECISE 1\n",
                          is_extension ? "#extension GL_EXT_gpu_shader5 : require\n" : ""));
  HB_TRY(hb_text_append(&stage->text, "precision highp float;\nprecision highp int;\n"));
  for (int k = 0; k < count; k++) HB_TRY(hb_text_append(&stage->text, "precision highp %s;\n", samplers[k]));
  return HB_OK;
}

static enum hb_status add_desktop_language(struct stage *stage, const struct hb_gl_caps *caps, GLenum kind,
                                           const struct hb_gl_program_source *source)
{
  int version = kind == GL_COMPUTE_SHADER || source->version == 430 ? 430 : 330;
  int built_in = version == 430; /* GLSL 4.30 needs no extension for these */
  HB_TRY(hb_text_append(&stage->text, "#version %d core\n", version));
  if (caps->has_precise)
    HB_TRY(hb_text_append(&stage->text, "%s#define HB_HAS_PRECISE 1\n",
                          built_in ? "" : "#extension GL_ARB_gpu_shader5 : require\n"));
  if (caps->has_double)
    HB_TRY(hb_text_append(&stage->text, "%s#define HB_HAS_DOUBLE 1\n",
                          built_in ? "" : "#extension GL_ARB_gpu_shader_fp64 : require\n"));
  return HB_OK;
}

/* A buffer texture, or the rows of gl_texture.h. */
static enum hb_status add_buffer_fetch(struct stage *stage, const struct hb_gl_caps *caps)
{
  if (caps->has_buffer_textures)
    return hb_text_append(&stage->text, "#define bufferFetch(array, k) texelFetch(array, k)\n");
  return hb_text_append(&stage->text,
                        "#define samplerBuffer sampler2D\n#define isamplerBuffer isampler2D\n"
                        "#define usamplerBuffer usampler2D\n"
                        "#define bufferFetch(array, k) texelFetch(array, ivec2((k) & %d, (k) >> %d), 0)\n",
                        HB_GL_ROW - 1, HB_GL_ROW_BITS);
}

static enum hb_status add_prologue(struct stage *stage, const struct hb_gl_caps *caps, GLenum kind,
                                   const struct hb_gl_program_source *source)
{
  HB_TRY(caps->is_es ? add_es_language(stage, caps) : add_desktop_language(stage, caps, kind, source));
  HB_TRY(add_buffer_fetch(stage, caps));
  if (!caps->has_precise) HB_TRY(hb_text_append(&stage->text, "#define precise\n"));
  HB_TRY(hb_text_append(&stage->text, "%s", source->defines ? source->defines : ""));
  for (const char *at = stage->text.text; *at; at++) stage->lines += *at == '\n';
  return HB_OK;
}

/* The place named at the start of a line of a driver's log ("0:12(3): error", "0(12) : error", "ERROR: 0:12: "):
 * number of the source string, line, and what follows. 0 where there is none. */
static int log_place(const char *log, int *file, int *line, const char **rest)
{
  const char *at = log;
  if (strncmp(at, "ERROR: ", 7) == 0)
    at += 7;
  else if (strncmp(at, "WARNING: ", 9) == 0)
    at += 9;
  char *end;
  if (!isdigit((unsigned char)*at)) return 0;
  *file = (int)strtol(at, &end, 10);
  if ((*end != ':' && *end != '(') || !isdigit((unsigned char)end[1])) return 0;
  *line = (int)strtol(end + 1, &end, 10);
  if (*end == '(') end += strcspn(end, ")"); /* Mesa's column */
  *rest = end + strspn(end, ") :");
  return 1;
}

/* "shaders/path:line: " of a line of the text, of a user's file as its user calls it; "" for one of the prologue. */
static void name_place(const struct stage *stage, int line, size_t room, char *place)
{
  place[0] = 0;
  for (int k = stage->stretch_count - 1; k >= 0; k--) {
    const struct stretch *s = &stage->stretches[k];
    if (line < s->at) continue;
    const char *name = stage->names[s->file];
    int is_users = stage->part_text && name == stage->part;
    snprintf(place, room, "%s%s:%d: ", is_users ? "" : "shaders/", name, line - s->at + s->line);
    return;
  }
}

/* The driver's log with places as path:line, one line, as long as an error sentence may be. */
static void rewrite_log(const struct stage *stage, const char *log, size_t room, char *sentence)
{
  size_t used = 0;
  sentence[0] = 0;
  while (*log && used + 1 < room) {
    size_t length = strcspn(log, "\n");
    int file, line;
    const char *rest = log;
    char place[256] = "";
    if (log_place(log, &file, &line, &rest)) name_place(stage, line, sizeof place, place);
    int rest_length = (int)(length - (size_t)(rest - log));
    if (rest_length > 0) {
      int written =
          snprintf(sentence + used, room - used, "%s%s%.*s", used ? "; " : "", place, rest_length, rest);
      if (written > 0) used += (size_t)written;
    }
    log += length + (log[length] == '\n');
  }
}

static enum hb_status compile(const struct stage *stage, GLenum kind, GLuint *shader)
{
  *shader = glCreateShader(kind);
  const char *text = stage->text.text;
  glShaderSource(*shader, 1, &text, NULL);
  glCompileShader(*shader);
  GLint compiled = 0;
  glGetShaderiv(*shader, GL_COMPILE_STATUS, &compiled);
  if (compiled) return HB_OK;
  char log[4096] = "", sentence[900];
  glGetShaderInfoLog(*shader, sizeof log, NULL, log);
  rewrite_log(stage, log, sizeof sentence, sentence);
  return hb_fail(HB_ERR_GL, "%s",
                 sentence[0] ? sentence : "a shader does not compile; the driver gives no reason");
}

static void free_stage(struct stage *stage)
{
  for (int k = 0; k < MAX_FILES; k++) hb_mem_free(stage->owned[k]);
  hb_mem_free(stage->text.text);
}

int hb_gl_shader_mentions(const struct hb_gl_program_source *source, const char *name)
{
  const char *const files[] = {source->vertex, source->fragment, source->compute};
  int found = hb_gl_shader_folder() != NULL;
  for (int k = 0; k < 3 && !found; k++) {
    struct stage stage = {.part = source->part, .part_text = source->part_text, .unrolled = source->unrolled};
    if (files[k]) found = add_file(&stage, files[k], 0) != HB_OK || strstr(stage.text.text, name);
    free_stage(&stage);
  }
  return found;
}

static enum hb_status add_stage(struct hb_gl_context *context, GLuint program, GLenum kind, const char *name,
                                const struct hb_gl_program_source *source, struct stage stage)
{
  stage.part = source->part;
  stage.part_text = source->part_text;
  stage.unrolled = source->unrolled;
  GLuint shader = 0;
  enum hb_status status = add_prologue(&stage, &context->caps, kind, source);
  if (status == HB_OK) status = add_file(&stage, name, 0);
  if (status == HB_OK) status = compile(&stage, kind, &shader);
  if (status == HB_OK) glAttachShader(program, shader);
  if (shader) glDeleteShader(shader); /* lives on as long as the program holds it */
  free_stage(&stage);
  return status;
}

static enum hb_status link_program(GLuint program, const char *name)
{
  glLinkProgram(program);
  GLint linked = 0;
  glGetProgramiv(program, GL_LINK_STATUS, &linked);
  if (linked) return HB_OK;
  char log[512] = "";
  glGetProgramInfoLog(program, sizeof log, NULL, log);
  return hb_fail(HB_ERR_GL, "shaders/%s does not link: %s", name, log);
}

enum hb_status hb_gl_program_build(struct hb_gl_context *context, const struct hb_gl_program_source *source,
                                   void (*note)(void *context, const char *name), void *note_context,
                                   unsigned *program)
{
  const struct stage empty = {.note = note, .note_context = note_context};
  *program = 0;
  const struct {
    GLenum kind;
    const char *name;
  } stages[] = {{GL_VERTEX_SHADER, source->vertex},
                {GL_FRAGMENT_SHADER, source->fragment},
                {GL_COMPUTE_SHADER, source->compute}};
  HB_TRY(hb_gl_context_use(context));
  GLuint made = glCreateProgram();
  context->built++;
  enum hb_status status = HB_OK;
  for (int k = 0; k < 3 && status == HB_OK; k++)
    if (stages[k].name) status = add_stage(context, made, stages[k].kind, stages[k].name, source, empty);
  if (status == HB_OK) status = link_program(made, source->fragment ? source->fragment : source->compute);
  if (status == HB_OK) status = hb_gl_context_check(context, "building a shader program");
  if (status != HB_OK) {
    glDeleteProgram(made);
    context->message[0] = 0; /* the driver's log has said the same */
    return status;
  }
  *program = made;
  return HB_OK;
}

#include "gl/gl_pass.h"

#include "base/clock.h"
#include "base/mem.h"
#include "gl/gl.h"
#include "gl/gl_trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- programs ---- */

static void send(const struct hb_gl_uniform *u)
{
  const void *data = u->array ? u->array : &u->value;
  switch (u->kind) {
#define KIND(name, call)                                                                                     \
  case HB_GL_##name:                                                                                         \
    call(u->location, u->count, data);                                                                       \
    break;
    KIND(INT, glUniform1iv)
    KIND(INT2, glUniform2iv)
    KIND(INT4, glUniform4iv)
    KIND(UINT, glUniform1uiv)
    KIND(UINT4, glUniform4uiv)
    KIND(FLOAT, glUniform1fv)
    KIND(FLOAT2, glUniform2fv)
    KIND(FLOAT4, glUniform4fv)
#undef KIND
  }
}

/* Fails the next hb_gl_context_check: a bug of the caller's. */
static void mistake(const struct hb_gl_pass *pass, const char *what, const char *name)
{
  const struct hb_gl_program_source *files = &pass->source;
  snprintf(pass->context->mistake, sizeof pass->context->mistake, "%s has %s '%s'",
           files->compute ? files->compute : files->fragment, what, name);
}

static void check_name(const struct hb_gl_pass *pass, const char *name)
{
  if (!hb_gl_shader_mentions(&pass->source, name)) mistake(pass, "no input", name);
}

/* Uniforms can only be set in the current program. */
static void make_current(struct hb_gl_pass *pass)
{
  struct hb_gl_context *context = pass->context;
  if (context->bound == pass) return;
  if (context->program != pass->program) glUseProgram(pass->program);
  context->program = pass->program;
  context->bound = NULL;
}

static int find_uniform(const struct hb_gl_pass *pass, const char *name)
{
  int location = glGetUniformLocation(pass->program, name);
  if (location < 0) check_name(pass, name);
  return location;
}

static void find_block(const struct hb_gl_pass *pass, unsigned program)
{
  GLuint index = glGetUniformBlockIndex(program, pass->block.name);
  if (index != GL_INVALID_INDEX)
    glUniformBlockBinding(program, index, 0);
  else
    check_name(pass, pass->block.name);
}

/* Takes over a newly built program: all inputs are set in it. */
static void adopt(struct hb_gl_pass *pass, unsigned program)
{
  pass->program = program;
  pass->context->bound = NULL;
  make_current(pass);
  for (int k = 0; k < pass->uniform_count; k++) {
    struct hb_gl_uniform *u = &pass->uniform[k];
    u->location = glGetUniformLocation(program, u->name);
    send(u);
  }
  for (int k = 0; k < pass->texture_count; k++) {
    pass->texture[k].location = glGetUniformLocation(program, pass->texture[k].name);
    glUniform1i(pass->texture[k].location, k);
  }
  if (pass->block.name) find_block(pass, program);
}

/* ---- programs that follow their files ---- */

enum { MOST_FILES = 48 };

/* A file as it was when it was read; size -1: there was none. */
struct file {
  char *name;
  struct timespec changed;
  off_t size;
  ino_t inode; /* an editor may replace a file within the clock's resolution */
};

struct hb_gl_reload {
  struct hb_gl_reload *next;
  struct hb_gl_program_source source; /* its strings are copies */
  char *strings[6];
  struct hb_gl_pass *pass; /* NULL: it was never built, its files are watched until one changes */
  struct file files[MOST_FILES];
  int file_count;
  char message[1024]; /* of the last build that failed */
};

static void look_at(const char *name, struct file *file)
{
  char path[4096];
  struct stat info;
  const char *folder = hb_gl_shader_folder();
  snprintf(path, sizeof path, "%s/%s", folder ? folder : "", name);
  *file = (struct file){.name = file->name, .size = -1};
  if (stat(path, &info) == 0) {
    file->changed = info.st_mtim;
    file->size = info.st_size;
    file->inode = info.st_ino;
  }
}

/* Called before a file is read, so that what is saved meanwhile counts as changed. */
static void note_file(void *context, const char *name)
{
  struct hb_gl_reload *r = context;
  int k = 0;
  while (k < r->file_count && strcmp(r->files[k].name, name) != 0) k++;
  if (k == MOST_FILES) return;
  if (k == r->file_count) {
    if (hb_mem_strdup(name, &r->files[k].name) != HB_OK) return; /* it is not followed */
    r->file_count++;
  }
  look_at(name, &r->files[k]);
}

static int has_changed(const struct hb_gl_reload *r)
{
  for (int k = 0; k < r->file_count; k++) {
    const struct file *old = &r->files[k];
    struct file now = *old;
    look_at(old->name, &now);
    if (now.size != old->size || now.inode != old->inode || now.changed.tv_sec != old->changed.tv_sec ||
        now.changed.tv_nsec != old->changed.tv_nsec)
      return 1;
  }
  return 0;
}

static void destroy_reload(struct hb_gl_reload *r)
{
  for (int k = 0; k < r->file_count; k++) hb_mem_free(r->files[k].name);
  for (int k = 0; k < 6; k++) hb_mem_free(r->strings[k]);
  hb_mem_free(r);
}

static enum hb_status copy_source(struct hb_gl_reload *r, const struct hb_gl_program_source *source)
{
  const char *const given[6] = {source->vertex,  source->fragment, source->compute,
                                source->defines, source->part,     source->part_text};
  for (int k = 0; k < 6; k++)
    if (given[k]) HB_TRY(hb_mem_strdup(given[k], &r->strings[k]));
  r->source = *source;
  r->source.vertex = r->strings[0];
  r->source.fragment = r->strings[1];
  r->source.compute = r->strings[2];
  r->source.defines = r->strings[3];
  r->source.part = r->strings[4];
  r->source.part_text = r->strings[5];
  return HB_OK;
}

static void forget_all(struct hb_gl_context *context)
{
  while (context->reloads) {
    struct hb_gl_reload *gone = context->reloads;
    context->reloads = gone->next;
    destroy_reload(gone);
  }
}

static void keep_reload(struct hb_gl_context *context, struct hb_gl_reload *r)
{
  r->next = context->reloads;
  context->reloads = r;
  context->forget_reloads = forget_all;
}

/* What fails at first is reported like what fails later; once, however often it is tried. */
static void keep_broken(struct hb_gl_context *context, struct hb_gl_reload *r)
{
  r->pass = NULL;
  snprintf(r->message, sizeof r->message, "%s", hb_error());
  for (const struct hb_gl_reload *o = context->reloads; o; o = o->next)
    if (!o->pass && strcmp(o->message, r->message) == 0) {
      destroy_reload(r);
      return;
    }
  keep_reload(context, r);
}

/* With a watch on the files that are read, where they come from HB_SHADER_DIR. */
static enum hb_status build(const struct hb_gl_program_source *source, struct hb_gl_pass *pass)
{
  unsigned program = 0;
  struct hb_gl_reload *r = NULL;
  enum hb_status status = HB_OK;
  if (hb_gl_shader_folder()) {
    HB_TRY(HB_ALLOC(1, &r));
    r->pass = pass;
    status = copy_source(r, source);
  }
  if (status == HB_OK) status = hb_gl_program_build(pass->context, source, r ? note_file : NULL, r, &program);
  if (status == HB_OK) adopt(pass, program);
  if (r && (status == HB_OK || status == HB_ERR_GL))
    status == HB_OK ? keep_reload(pass->context, r) : keep_broken(pass->context, r);
  else if (r)
    destroy_reload(r);
  return status;
}

/* Replaces the old program by a new one, or leaves the message why not. */
static int rebuild(struct hb_gl_context *context, struct hb_gl_reload *r)
{
  unsigned program;
  r->message[0] = 0;
  if (hb_gl_program_build(context, &r->source, note_file, r, &program) == HB_OK) {
    glDeleteProgram(r->pass->program);
    adopt(r->pass, program);
    return 1;
  }
  snprintf(r->message, sizeof r->message, "%s", hb_error());
  return 0;
}

int hb_gl_reload(struct hb_gl_context *context, const char **message)
{
  int renewed = 0;
  const char *said = "";
  for (struct hb_gl_reload **at = &context->reloads, *r; (r = *at);) {
    int changed = has_changed(r);
    if (changed && !r->pass) { /* its owner tries again */
      *at = r->next;
      destroy_reload(r);
      continue;
    }
    if (changed) renewed += hb_gl_context_use(context) == HB_OK && rebuild(context, r);
    if (r->message[0]) said = r->message;
    at = &r->next;
  }
  if (message) *message = said;
  return renewed > 0;
}

/* ---- create and destroy ---- */

enum hb_status hb_gl_pass_create(struct hb_gl_context *context, const struct hb_gl_program_source *source,
                                 struct hb_gl_pass *pass)
{
  struct hb_gl_program_source files = *source;
  if (!files.vertex && !files.compute) files.vertex = "fullscreen.vert";
  *pass = (struct hb_gl_pass){.context = context, .source = files};
  pass->source.defines = NULL;
  const char **names[] = {&pass->source.vertex, &pass->source.fragment, &pass->source.compute,
                          &pass->source.part};
  for (int k = 0; k < 4; k++) {
    if (!*names[k]) continue;
    snprintf(pass->files[k], sizeof pass->files[k], "%s", *names[k]);
    *names[k] = pass->files[k];
  }
  return build(&files, pass);
}

static void forget(const struct hb_gl_pass *pass)
{
  for (struct hb_gl_reload **at = &pass->context->reloads; *at; at = &(*at)->next)
    if ((*at)->pass == pass) {
      struct hb_gl_reload *gone = *at;
      *at = gone->next;
      destroy_reload(gone);
      return;
    }
}

void hb_gl_pass_destroy(struct hb_gl_pass *pass)
{
  if (pass->program) {
    glDeleteProgram(pass->program);
    forget(pass);
  }
  if (pass->context) pass->context->program = 0; /* its number may come again */
  if (pass->context && pass->context->bound == pass) pass->context->bound = NULL;
  *pass = (struct hb_gl_pass){0};
}

int hb_gl_pass_length(const struct hb_gl_pass *pass)
{
  const struct hb_gl_caps *caps = &pass->context->caps;
  GLint length = 0;
  if (!caps->is_es && 10 * caps->major + caps->minor >= 41)
    glGetProgramiv(pass->program, GL_PROGRAM_BINARY_LENGTH, &length);
  return length;
}

/* ---- inputs ---- */

void hb_gl_pass_set(struct hb_gl_pass *pass, const char *name, enum hb_gl_uniform_kind kind, int count,
                    const void *data)
{
  static const size_t bytes[] = {4, 8, 16, 4, 4, 8, 16, 16};
  int k = 0; /* the same literal is mostly the same pointer */
  while (k < pass->uniform_count && pass->uniform[k].name != name) k++;
  if (k == pass->uniform_count)
    for (k = 0; k < pass->uniform_count && strcmp(pass->uniform[k].name, name) != 0;) k++;
  if (k == HB_GL_PASS_UNIFORMS) {
    mistake(pass, "no room for uniform", name);
    return;
  }
  struct hb_gl_uniform *u = &pass->uniform[k];
  int is_known = k < pass->uniform_count && u->kind == kind && u->count == 1 && count == 1;
  if (is_known && memcmp(&u->value, data, bytes[kind]) == 0) return;
  if (k == pass->uniform_count) {
    pass->uniform_count++;
    u->name = name;
    u->location = find_uniform(pass, name);
  }
  u->kind = kind;
  u->count = count;
  u->array = count > 1 ? data : NULL;
  if (count == 1) memcpy(&u->value, data, bytes[kind]);
  if (u->location < 0) return;
  make_current(pass);
  send(u);
}

void hb_gl_pass_floats(struct hb_gl_pass *pass, const char *name, enum hb_gl_uniform_kind kind,
                       const double x[4])
{
  hb_gl_pass_set(pass, name, kind, 1, (const float[]){(float)x[0], (float)x[1], (float)x[2], (float)x[3]});
}

void hb_gl_pass_texture(struct hb_gl_pass *pass, const char *name, const struct hb_gl_texture *texture)
{
  int k = 0;
  while (k < pass->texture_count && pass->texture[k].name != name && strcmp(pass->texture[k].name, name) != 0)
    k++;
  if (k == HB_GL_PASS_TEXTURES) {
    mistake(pass, "no room for texture", name);
    return;
  }
  if (k == pass->texture_count) {
    pass->texture_count++;
    pass->texture[k].name = name;
    pass->texture[k].location = find_uniform(pass, name);
    make_current(pass);
    glUniform1i(pass->texture[k].location, k);
  }
  pass->has_new |= 1 << k;
  pass->texture[k].shape = texture->shape;
  pass->texture[k].id = texture->id;
}

void hb_gl_pass_storage(struct hb_gl_pass *pass, int binding, const struct hb_gl_buffer *buffer)
{
  pass->storage[binding] = buffer->id;
  pass->has_storage = 1;
  pass->has_new |= HB_GL_PASS_BUFFERS_BIT;
}

void hb_gl_pass_block(struct hb_gl_pass *pass, const char *name, const struct hb_gl_buffer *buffer,
                      size_t offset, size_t bytes)
{
  int is_new = !pass->block.name;
  pass->block.name = name;
  pass->block.buffer = buffer->id;
  pass->block.offset = offset;
  pass->block.bytes = bytes;
  pass->has_new |= HB_GL_PASS_BUFFERS_BIT;
  if (is_new) find_block(pass, pass->program);
}

/* ---- counting fragments ---- */

static const uint64_t MOST_FRAGMENTS = (uint64_t)1 << 31; /* of one query: its counter may have 32 bits */

static unsigned query_of(const struct hb_gl_tally *t, uint64_t number)
{
  return t->query[number % HB_GL_TALLY_QUERIES];
}

static void read_one(struct hb_gl_tally *t)
{
  GLuint count = 0;
  GLuint query = query_of(t, t->read++);
  if (hb_gl_context_caps()->has_draws)
    glGetQueryObjectuiv(query, GL_QUERY_RESULT, &count); /* else it may never end */
  t->drawn += count;
}

void hb_gl_tally_destroy(struct hb_gl_tally *t)
{
  if (t->query[0]) glDeleteQueries(HB_GL_TALLY_QUERIES, t->query);
  *t = (struct hb_gl_tally){0};
}

void hb_gl_tally_reset(struct hb_gl_tally *t)
{
  hb_gl_tally_pause(t);
  t->read = t->started;
  t->expected = t->drawn = 0;
}

void hb_gl_tally_expect(struct hb_gl_tally *t, uint64_t fragments)
{
  if (!hb_gl_context_caps()->has_counts) return;
  if (t->counting && t->counting + fragments > MOST_FRAGMENTS) hb_gl_tally_pause(t);
  if (!t->counting) {
    if (!t->query[0]) glGenQueries(HB_GL_TALLY_QUERIES, t->query);
    if (t->started - t->read == HB_GL_TALLY_QUERIES) read_one(t);
    glBeginQuery(GL_SAMPLES_PASSED, query_of(t, t->started));
  }
  t->counting += fragments;
}

void hb_gl_tally_pause(struct hb_gl_tally *t)
{
  if (!t->counting) return;
  glEndQuery(GL_SAMPLES_PASSED);
  t->started++;
  t->expected += t->counting;
  t->counting = 0;
}

enum hb_status hb_gl_tally_check(struct hb_gl_tally *t, const struct hb_gl_context *context)
{
  hb_gl_tally_pause(t);
  while (t->read < t->started) read_one(t);
  if (t->drawn == t->expected) return HB_OK;
  return hb_gl_context_dropped(context, "only %" PRIu64 " of %" PRIu64 " fragments were drawn", t->drawn,
                               t->expected);
}

/* ---- drawing ---- */

/* Makes the program current and binds its inputs, unless they are: drawing a pass again and again costs no more calls than
 * inputs that have changed. 1: it was the last pass drawn. */
static int use(struct hb_gl_pass *pass)
{
  int news = pass->context->bound == pass ? pass->has_new : -1;
  make_current(pass);
  for (int k = 0; k < pass->texture_count; k++)
    if (news & 1 << k && pass->texture[k].location >= 0)
      hb_gl_texture_bind(pass->texture[k].id, pass->texture[k].shape, k);
  for (GLuint k = 0; news & HB_GL_PASS_BUFFERS_BIT && k < HB_GL_PASS_STORAGES; k++)
    if (pass->storage[k]) glBindBufferBase(GL_SHADER_STORAGE_BUFFER, k, pass->storage[k]);
  if (news & HB_GL_PASS_BUFFERS_BIT && pass->block.name)
    glBindBufferRange(GL_UNIFORM_BUFFER, 0, pass->block.buffer, (GLintptr)pass->block.offset,
                      (GLsizeiptr)pass->block.bytes);
  pass->context->bound = pass;
  pass->has_new = 0;
  return news >= 0;
}

const struct hb_gl_trace *hb_gl_trace;

int hb_gl_trace_columns(size_t n)
{
  size_t side = 1;
  while (side * side < n) side *= 2;
  return (int)side;
}

/* The value of the input by which the pass is told from others. */
static void add_input(const struct hb_gl_pass *pass, struct hb_gl_trace_pass *told)
{
  for (int k = 0; told->by && k < pass->uniform_count; k++) {
    const struct hb_gl_uniform *u = &pass->uniform[k];
    if (strcmp(u->name, told->by) != 0) continue;
    if (u->kind == HB_GL_FLOAT)
      snprintf(told->input, sizeof told->input, "%s = %g", u->name, (double)u->value.f[0]);
    else if (u->kind == HB_GL_INT2)
      snprintf(told->input, sizeof told->input, "%s = %d, %d", u->name, u->value.i[0], u->value.i[1]);
    else
      snprintf(told->input, sizeof told->input, "%s = %d", u->name, u->value.i[0]);
  }
}

/* The one place where a tracer is told of passes. It may draw: then what OpenGL has bound is not this pass's. */
static void trace(struct hb_gl_pass *pass)
{
  pass->draws++;
  if (pass->continues) return;
  struct hb_gl_trace_pass told = {.context = pass->context, .draws = pass->draws};
  pass->draws = 0;
  if (pass->tally) hb_gl_tally_pause(pass->tally);
  pass->describe(pass->owner, &told);
  told.shader = pass->source.compute ? pass->source.compute : pass->source.fragment;
  add_input(pass, &told);
  hb_gl_trace->pass(hb_gl_trace->context, &told);
  pass->context->bound = NULL;
  pass->context->program = 0;
}

/* What shaders write to storage buffers is visible to later reads only after a barrier. */
static void finish(struct hb_gl_pass *pass)
{
  if (pass->has_storage)
    glMemoryBarrier(GL_SHADER_STORAGE_BARRIER_BIT | GL_TEXTURE_FETCH_BARRIER_BIT | GL_UNIFORM_BARRIER_BIT |
                    GL_PIXEL_BUFFER_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
  if (hb_gl_trace && pass->describe) trace(pass);
}

void hb_gl_pass_draw_vertices(struct hb_gl_pass *pass, const struct hb_gl_vertices *v)
{
  const struct hb_gl_target *target = v->target;
  int was_bound = use(pass), all = !v->width;
  const int viewport[4] = {v->x, v->y, all ? target->width : v->width, all ? target->height : v->height};
  glBindFramebuffer(GL_FRAMEBUFFER, target->framebuffer);
  if (!was_bound || memcmp(viewport, pass->viewport, sizeof viewport) != 0)
    glViewport(viewport[0], viewport[1], viewport[2], viewport[3]);
  memcpy(pass->viewport, viewport, sizeof viewport);
  if (v->blend != HB_GL_REPLACE) glEnable(GL_BLEND);
  if (v->blend == HB_GL_ADD) glBlendFunc(GL_ONE, GL_ONE);
  if (v->blend == HB_GL_OVER)
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  glDrawArrays(v->are_points ? GL_POINTS : GL_TRIANGLES, (GLint)v->first, (GLsizei)v->count);
  if (v->blend != HB_GL_REPLACE) glDisable(GL_BLEND);
  finish(pass);
}

void hb_gl_pass_draw(struct hb_gl_pass *pass, const struct hb_gl_target *target, int x, int y, int width,
                     int height)
{
  if (pass->tally) hb_gl_tally_expect(pass->tally, (uint64_t)width * (uint64_t)height);
  hb_gl_pass_draw_vertices(
      pass, &(const struct hb_gl_vertices){
                .target = target, .x = x, .y = y, .width = width, .height = height, .count = 3});
}

void hb_gl_pass_draw_again(struct hb_gl_pass *pass)
{
  use(pass);
  if (pass->tally) hb_gl_tally_expect(pass->tally, (uint64_t)pass->viewport[2] * (uint64_t)pass->viewport[3]);
  glTextureBarrier();
  glDrawArrays(GL_TRIANGLES, 0, 3);
  finish(pass);
}

void hb_gl_pass_dispatch(struct hb_gl_pass *pass, size_t x, size_t y)
{
  use(pass);
  glDispatchCompute((GLuint)x, (GLuint)y, 1);
  finish(pass);
}

void hb_gl_flush(void) { glFlush(); }

double hb_gl_timer_start(void)
{
  glFinish();
  return hb_clock_now();
}

double hb_gl_timer_stop(double start)
{
  glFinish();
  return hb_clock_now() - start;
}

#include "gl/gl_reload.h"

#include "base/mem.h"
#include "gl/gl.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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
  hb_gl_reload_adopt adopt;
  void *owner;
  unsigned *where; /* NULL: never built, its files are watched until one changes */
  struct file files[MOST_FILES];
  int file_count;
  char message[1024]; /* of the last build that failed */
};

static void look(const char *name, struct file *file)
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
static void note(void *context, const char *name)
{
  struct hb_gl_reload *r = context;
  int k = 0;
  while (k < r->file_count && strcmp(r->files[k].name, name) != 0) k++;
  if (k == MOST_FILES) return;
  if (k == r->file_count) {
    if (hb_mem_strdup(name, &r->files[k].name) != HB_OK) return; /* it is not followed */
    r->file_count++;
  }
  look(name, &r->files[k]);
}

static int has_changed(const struct hb_gl_reload *r)
{
  for (int k = 0; k < r->file_count; k++) {
    const struct file *old = &r->files[k];
    struct file now = *old;
    look(old->name, &now);
    if (now.size != old->size || now.inode != old->inode || now.changed.tv_sec != old->changed.tv_sec ||
        now.changed.tv_nsec != old->changed.tv_nsec)
      return 1;
  }
  return 0;
}

static void destroy(struct hb_gl_reload *r)
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
  r->source = (struct hb_gl_program_source){.vertex = r->strings[0],
                                            .fragment = r->strings[1],
                                            .compute = r->strings[2],
                                            .defines = r->strings[3],
                                            .part = r->strings[4],
                                            .part_text = r->strings[5],
                                            .version = source->version};
  return HB_OK;
}

static void forget_all(struct hb_gl_context *context)
{
  while (context->reloads) {
    struct hb_gl_reload *gone = context->reloads;
    context->reloads = gone->next;
    destroy(gone);
  }
}

static void keep(struct hb_gl_context *context, struct hb_gl_reload *r)
{
  r->next = context->reloads;
  context->reloads = r;
  context->forget_reloads = forget_all;
}

/* What fails at first is reported like what fails later; once, however often it is tried. */
static void keep_broken(struct hb_gl_context *context, struct hb_gl_reload *r)
{
  r->where = NULL;
  snprintf(r->message, sizeof r->message, "%s", hb_error());
  for (const struct hb_gl_reload *o = context->reloads; o; o = o->next)
    if (!o->where && strcmp(o->message, r->message) == 0) {
      destroy(r);
      return;
    }
  keep(context, r);
}

enum hb_status hb_gl_reload_build(struct hb_gl_context *context, const struct hb_gl_program_source *source,
                                  hb_gl_reload_adopt adopt, void *owner, unsigned *where)
{
  unsigned program = 0;
  *where = 0;
  struct hb_gl_reload *r = NULL;
  enum hb_status status = HB_OK;
  if (hb_gl_shader_folder()) {
    HB_TRY(HB_ALLOC(1, &r));
    r->adopt = adopt;
    r->owner = owner;
    r->where = where;
    status = copy_source(r, source);
  }
  if (status == HB_OK) status = hb_gl_program_build(context, source, r ? note : NULL, r, &program);
  if (status == HB_OK) status = adopt(owner, program);
  if (status != HB_OK) {
    if (program) glDeleteProgram(program);
    *where = 0;
    if (r && status == HB_ERR_GL)
      keep_broken(context, r);
    else if (r)
      destroy(r);
    return status;
  }
  *where = program;
  if (r) keep(context, r);
  return HB_OK;
}

void hb_gl_reload_delete(struct hb_gl_context *context, unsigned *where)
{
  if (*where) glDeleteProgram(*where);
  *where = 0;
  for (struct hb_gl_reload **at = &context->reloads; *at; at = &(*at)->next)
    if ((*at)->where == where) {
      struct hb_gl_reload *gone = *at;
      *at = gone->next;
      destroy(gone);
      return;
    }
}

/* Replaces the old program by a new one, or leaves the message why not. */
static int rebuild(struct hb_gl_context *context, struct hb_gl_reload *r)
{
  unsigned program = 0, old = *r->where;
  enum hb_status status = hb_gl_program_build(context, &r->source, note, r, &program);
  if (status == HB_OK) status = r->adopt(r->owner, program);
  r->message[0] = 0;
  if (status == HB_OK) {
    *r->where = program;
    glDeleteProgram(old);
    return 1;
  }
  snprintf(r->message, sizeof r->message, "%s", hb_error());
  if (program) glDeleteProgram(program);
  return 0;
}

int hb_gl_reload(struct hb_gl_context *context, const char **message)
{
  int renewed = 0;
  const char *said = "";
  for (struct hb_gl_reload **at = &context->reloads, *r; (r = *at);) {
    int changed = has_changed(r);
    if (changed && !r->where) { /* its owner tries again */
      *at = r->next;
      destroy(r);
      continue;
    }
    if (changed) renewed += hb_gl_context_use(context) == HB_OK && rebuild(context, r);
    if (r->message[0]) said = r->message;
    at = &r->next;
  }
  if (message) *message = said;
  return renewed > 0;
}

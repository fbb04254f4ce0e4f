#include "inspect/trace.h"

#include "base/mem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static enum hb_status take(struct hb_trace *t, const struct hb_gl_trace_array *from,
                           struct hb_trace_array *to)
{
  HB_TRY(hb_texels_take(&t->texels, from, &to->copy));
  const struct hb_gl_trace_array *grid = &to->copy.array;
  HB_TRY(HB_ALLOC((size_t)HB_TEXELS_FLOATS * (size_t)grid->columns * (size_t)grid->rows, &to->floats));
  HB_TRY(hb_texels_read(&t->texels, &to->copy, 0, 0, grid->columns, grid->rows, to->floats));
  hb_gl_texture_destroy(&to->copy.layers);
  return HB_OK;
}

static enum hb_status add_pass(struct hb_trace *t, struct hb_trace_pass **added)
{
  HB_TRY(HB_GROW((size_t)t->count, &t->capacity, &t->pass));
  HB_TRY(HB_ALLOC(1, &t->pass[t->count]));
  *added = t->pass[t->count++];
  return HB_OK;
}

static void add_cost(struct hb_trace_cost *cost, const struct hb_gl_trace_pass *pass)
{
  cost->draws += (uint64_t)pass->draws;
  cost->pairs += pass->pairs;
  for (int k = 0; k < pass->read_count; k++) {
    cost->texels_read += pass->read[k].traffic;
    cost->bytes_read += 4 * (uint64_t)pass->read[k].channels * pass->read[k].traffic;
  }
  for (int k = 0; k < pass->write_count; k++) {
    cost->texels_written += pass->write[k].traffic;
    cost->bytes_written += 4 * (uint64_t)pass->write[k].channels * pass->write[k].traffic;
  }
}

static enum hb_status record(struct hb_trace *t, const struct hb_gl_trace_pass *pass)
{
  struct hb_trace_pass *p;
  if (!t->texels.context) hb_texels_open(pass->context, &t->texels);
  snprintf(t->scheme, sizeof t->scheme, "%s", pass->scheme);
  HB_TRY(add_pass(t, &p));
  p->pass = *pass;
  add_cost(&t->cost, pass);
  for (int k = 0; k < pass->read_count; k++) {
    if (!pass->read[k].quantities) continue;
    HB_TRY(take(t, &pass->read[k], &p->read[k]));
    if (pass->read[k].n > t->n) t->n = pass->read[k].n;
  }
  for (int k = 0; k < pass->write_count; k++) HB_TRY(take(t, &pass->write[k], &p->write[k]));
  return HB_OK;
}

static void on_pass(void *context, const struct hb_gl_trace_pass *pass)
{
  struct hb_trace *t = context;
  if (t->status != HB_OK) return;
  t->status = record(t, pass);
  if (t->status != HB_OK) snprintf(t->error, sizeof t->error, "%s", hb_error());
}

static struct hb_gl_trace watcher = {.pass = on_pass};

void hb_trace_begin(struct hb_trace *trace)
{
  watcher.context = trace;
  hb_gl_trace = &watcher;
}

enum hb_status hb_trace_end(struct hb_trace *trace)
{
  hb_gl_trace = NULL;
  hb_texels_close(&trace->texels);
  if (trace->status != HB_OK) return hb_fail(trace->status, "%s", trace->error);
  if (trace->count == 0) return hb_fail(HB_ERR_USAGE, "no walk on a device took place");
  return HB_OK;
}

void hb_trace_free(struct hb_trace *t)
{
  for (int p = 0; p < t->count; p++) {
    for (int k = 0; k < HB_GL_TRACE_MOST; k++) {
      struct hb_trace_array *both[] = {&t->pass[p]->read[k], &t->pass[p]->write[k]};
      for (int w = 0; w < 2; w++) {
        hb_mem_free(both[w]->floats);
        hb_mem_free(both[w]->copy.numbers);
      }
    }
    hb_mem_free(t->pass[p]);
  }
  hb_mem_free(t->pass);
  *t = (struct hb_trace){0};
}

const struct hb_trace_array *hb_trace_find(const struct hb_trace_array *arrays, int count,
                                           const char *quantity, const struct hb_gl_trace_quantity **found)
{
  for (int k = 0; k < count; k++)
    for (const struct hb_gl_trace_quantity *q = arrays[k].copy.array.quantities; q && q->name; q++)
      if (strcmp(q->name, quantity) == 0) {
        *found = q;
        return &arrays[k];
      }
  return NULL;
}

static double most_of(const struct hb_trace_array *a, const char *quantity)
{
  const struct hb_gl_trace_array *grid = &a->copy.array;
  double most = 0;
  for (const struct hb_gl_trace_quantity *q = grid->quantities; q && q->name; q++) {
    if (strcmp(q->name, quantity) != 0) continue;
    for (int row = 0; row < grid->rows; row++)
      for (int column = 0; column < grid->columns; column++) {
        if (hb_texels_particle(grid, column, row) < 0) continue;
        const float *f = a->floats + HB_TEXELS_FLOATS * (row * grid->columns + column) + q->first;
        for (int c = 0; c < q->count; c++) most = fmax(most, fabs((double)f[c]));
      }
  }
  return most;
}

double hb_trace_most(const struct hb_trace *t, const char *quantity)
{
  double most = 0;
  for (int p = 0; p < t->count; p++)
    for (int k = 0; k < HB_GL_TRACE_MOST; k++)
      most =
          fmax(most, fmax(most_of(&t->pass[p]->read[k], quantity), most_of(&t->pass[p]->write[k], quantity)));
  return most;
}

/* ---- walking ---- */

enum { BAGS = 5 };

void hb_trace_center(struct hb_particles *particles, size_t n)
{
  const double *m = hb_particles_m(particles);
  double *const both[] = {hb_particles_x(particles), hb_particles_v(particles)};
  for (int k = 0; k < 2; k++) {
    double mean[3] = {0}, mass = 0;
    for (size_t i = 0; i < n; i++) {
      mass += m[i];
      for (size_t c = 0; c < 3; c++) mean[c] += m[i] * both[k][3 * i + c];
    }
    for (size_t i = 0; mass > 0 && i < 3 * n; i++) both[k][i] -= mean[i % 3] / mass;
  }
}

/* bag in five passes, and no draw split to save time. */
static enum hb_status open_force(const struct hb_force_params *force_params, const char *scheme, size_t n,
                                 struct hb_force **force)
{
  char tuning[128] = "";
  size_t bag = ((n + BAGS - 1) / BAGS + 3) / 4 * 4;
  if (hb_force_scheme_find(scheme)->has_tuning && !hb_force_scheme_find(scheme)->is_compute)
    snprintf(tuning, sizeof tuning,
             "i_each=4 partial=4 unroll=4 threads=1 bag=%zu output=targets j_source=buffer_texture", bag);
  struct hb_force_params params = *force_params;
  params.scheme = scheme;
  params.precision = "single";
  params.tuning = *tuning ? tuning : NULL;
  params.max_draw_s = 10;
  params.flags = HB_FORCE_NO_TUNE;
  return hb_force_open(&params, force);
}

static enum hb_status walk(struct hb_force *force, struct hb_particles *particles, size_t n,
                           struct hb_trace *trace)
{
  double *f;
  uint32_t *index;
  HB_TRY(HB_ALLOC(7 * n, &f));
  enum hb_status status = HB_ALLOC(n, &index);
  for (size_t k = 0; status == HB_OK && k < n; k++) index[k] = (uint32_t)k;
  if (status == HB_OK)
    status = hb_force_set_j(force, n, hb_particles_m(particles), hb_particles_x(particles),
                            hb_particles_v(particles));
  if (status == HB_OK) {
    hb_trace_begin(trace);
    status = hb_force_eval(force, n, index, f, f + 3 * n, f + 6 * n);
    enum hb_status traced = hb_trace_end(trace);
    if (status == HB_OK) status = traced;
  }
  hb_mem_free(f);
  hb_mem_free(index);
  return status;
}

enum hb_status hb_trace_walk(const struct hb_force_params *params, const char *scheme, size_t n,
                             struct hb_particles *particles, struct hb_trace *trace)
{
  struct hb_force *force = NULL;
  enum hb_status status = open_force(params, scheme, n, &force);
  if (status == HB_OK) status = walk(force, particles, n, trace);
  hb_force_close(force);
  return status;
}

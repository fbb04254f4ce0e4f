/* hb_bench_ceiling: the multiply-add rate that a device reaches when it does nothing else. */
#include "base/mem.h"
#include "gl/gl.h"
#include "gl/gl_shader.h"
#include "gl/gl_target.h"
#include "gl/gl_timer.h"

#include <holmberg/measure.h>

enum { SIDE = 1024, GROUP = 256, PER_TURN = 32, BEST_OF = 5 };

struct ceiling {
  struct hb_gl_context *context;
  unsigned program, storage;
  struct hb_gl_stream stream;
  struct hb_gl_target target;
  int compute;
};

static enum hb_status build(struct ceiling *c, const struct hb_force_params *params)
{
  const struct hb_gl_context_params gl = {params->context, params->device, 0};
  HB_TRY(hb_gl_context_open(&gl, &c->context));
  if (c->compute && !c->context->caps.has_compute)
    return hb_fail(HB_ERR_GL, "%s has no compute shaders", c->context->caps.renderer);
  const struct hb_gl_program_source fragment = {.vertex = "fullscreen.vert",
                                                .fragment = "bench/ceiling.frag"};
  const struct hb_gl_program_source compute = {.compute = "bench/ceiling.comp"};
  HB_TRY(hb_gl_program_build(c->context, c->compute ? &compute : &fragment, &c->program));
  glUseProgram(c->program);
  glUniform1f(glGetUniformLocation(c->program, "seed"), 0.25f);
  if (!c->compute) {
    HB_TRY(hb_gl_stream_create(c->context, HB_GL_STREAM_2D, 4, (size_t)SIDE * SIDE, &c->stream));
    return hb_gl_target_create(c->context, 1, &c->stream, &c->target);
  }
  glGenBuffers(1, &c->storage);
  glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 1, c->storage);
  glBufferData(GL_SHADER_STORAGE_BUFFER, (GLsizeiptr)16 * SIDE * SIDE, NULL, GL_STREAM_READ);
  return hb_gl_context_check(c->context, "preparing the ceiling");
}

static double run(struct ceiling *c, int turns)
{
  glUniform1i(glGetUniformLocation(c->program, "turns"), turns);
  double start = hb_gl_timer_start();
  if (c->compute)
    glDispatchCompute(SIDE * SIDE / GROUP, 1, 1);
  else
    hb_gl_target_draw(&c->target, SIDE, SIDE);
  return hb_gl_timer_stop(start);
}

enum hb_status hb_bench_ceiling(const struct hb_force_params *params, int compute, double *flops)
{
  struct ceiling c = {.compute = compute};
  enum hb_status status = build(&c, params);
  if (status == HB_OK) {
    int turns = 1; /* as many as take 10 ms, so that the way to the device does not count */
    while (run(&c, turns) < 0.01 && turns < 1 << 16) turns *= 2;
    double best = run(&c, turns);
    for (int k = 1; k < BEST_OF; k++) {
      double seconds = run(&c, turns);
      if (seconds < best) best = seconds;
    }
    *flops = 2.0 * PER_TURN * turns * SIDE * SIDE / best;
    status = hb_gl_context_check(c.context, "measuring the ceiling");
  }
  if (c.context) {
    if (c.program) glDeleteProgram(c.program);
    if (c.storage) glDeleteBuffers(1, &c.storage);
    hb_gl_target_destroy(&c.target);
    hb_gl_stream_destroy(&c.stream);
  }
  hb_gl_context_close(c.context);
  return status;
}

/* hb_bench_ceiling: the multiply-add rate that a device reaches when it does nothing else. */
#include "base/mem.h"
#include "gl/gl_pass.h"
#include "gl/gl_timer.h"

#include <holmberg/measure.h>

/* A processor spends longer on starting a million threads than on the first multiply-adds of each: few threads, many turns. */
enum { SIDE = 1024, SIDE_SOFTWARE = 128, GROUP = 256, CHAINS = 12, ROUNDS = 16, BEST_OF = 12 };

struct ceiling {
  struct hb_gl_context *context;
  struct hb_gl_pass pass;
  struct hb_gl_texture texture;
  struct hb_gl_buffer storage;
  int compute;
  int side; /* threads: its square */
};

static enum hb_status build(struct ceiling *c, const struct hb_force_params *params)
{
  const struct hb_gl_context_params gl = {params->context, params->device, 0};
  HB_TRY(hb_gl_context_open(&gl, &c->context));
  if (c->compute && !c->context->caps.has_compute)
    return hb_fail(HB_ERR_GL, "%s has no compute shaders", c->context->caps.renderer);
  c->side = c->context->caps.software ? SIDE_SOFTWARE : SIDE;
  const struct hb_gl_program_source fragment = {.fragment = "bench/ceiling.frag",
                                                .unrolled = {{"ROUNDS", ROUNDS}}};
  const struct hb_gl_program_source compute = {.compute = "bench/ceiling.comp",
                                               .unrolled = {{"ROUNDS", ROUNDS}}};
  HB_TRY(hb_gl_pass_create(c->context, c->compute ? &compute : &fragment, &c->pass));
  hb_gl_pass_float(&c->pass, "seed", 0.25);
  if (!c->compute) {
    const struct hb_gl_texture_params texture = {
        .what = "a pass", .format = HB_GL_RGBA32F, .width = c->side, .height = c->side, .drawn = 1};
    return hb_gl_texture_create(c->context, &texture, &c->texture);
  }
  hb_gl_buffer_fill(&c->storage, HB_GL_BY_DEVICE, (size_t)(16 * c->side * c->side), NULL);
  hb_gl_pass_storage(&c->pass, 1, &c->storage);
  return hb_gl_context_check(c->context, "preparing the ceiling");
}

static double run(struct ceiling *c, int turns)
{
  hb_gl_pass_int(&c->pass, "turns", turns);
  double start = hb_gl_timer_start();
  if (c->compute)
    hb_gl_pass_dispatch(&c->pass, (size_t)(c->side * c->side / GROUP), 1);
  else
    hb_gl_pass_draw(&c->pass, &c->texture.target, 0, 0, c->side, c->side);
  return hb_gl_timer_stop(start);
}

enum hb_status hb_bench_ceiling(const struct hb_force_params *params, int compute, double *flops)
{
  struct ceiling c = {.compute = compute};
  enum hb_status status = build(&c, params);
  if (status == HB_OK) {
    run(&c, 1);    /* the first draw compiles */
    int turns = 1; /* as many as take 4 ms, so that latency does not count */
    while (run(&c, turns) < 0.004 && turns < 1 << 16) turns *= 2;
    double best = run(&c, turns);
    for (int k = 1; k < BEST_OF; k++) {
      double seconds = run(&c, turns);
      if (seconds < best) best = seconds;
    }
    *flops = 2.0 * CHAINS * ROUNDS * turns * c.side * c.side / best;
    status = hb_gl_context_check(c.context, "measuring the ceiling");
  }
  if (c.context) {
    hb_gl_pass_destroy(&c.pass);
    hb_gl_buffer_destroy(&c.storage);
    hb_gl_texture_destroy(&c.texture);
  }
  hb_gl_context_close(c.context);
  return status;
}

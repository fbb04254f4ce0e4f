/* The caller's part of such a checkpoint is two strings: the job, so that no other goes on with it, and the place. */
#include "measure/bench_saved.h"

#include "base/mem.h"
#include "base/status.h"
#include "base/text.h"

#include <holmberg/checkpoint.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The same for printf and scanf; doubles as hexadecimal: all bits. */
#define PLACE "%d %la %la %la %lu %lu %lu %la %la %la %la %la"

static enum hb_status write_job(const struct hb_bench_run_params *p, struct hb_text *job)
{
  const struct hb_sim_params *sim = &p->sim;
  const struct hb_force_params *force = &sim->force;
  return hb_text_append(
      job, "bench run 1: n %zu seed %llu t %a %a %s %s eps %a modes %d %d %d eta %a dt %a %a %d%c", p->n,
      (unsigned long long)p->seed, p->t_begin, p->t_end, force->scheme,
      force->precision ? force->precision : "-", force->eps, (int)sim->transfer, (int)sim->predict,
      (int)sim->correct, sim->eta, sim->dt_min, sim->dt_max, (int)sim->rounding, 0);
}

static enum hb_status write_record(const struct hb_bench_run_params *p, const struct hb_bench_place *place,
                                   struct hb_text *record)
{
  const struct hb_bench_run_result *r = &place->r;
  const struct hb_phases *s = &r->phases;
  HB_TRY(write_job(p, record));
  return hb_text_append(record, PLACE "%c", place->is_timed, r->wall_s, r->e_begin, r->e_gpu_begin,
                        (unsigned long)r->counts.block_steps, (unsigned long)r->counts.particle_steps,
                        (unsigned long)r->counts.pairs, s->predict_s, s->send_s, s->force_s, s->receive_s,
                        s->correct_s, 0);
}

enum hb_status hb_bench_saved_write(const struct hb_bench_run_params *p, const struct hb_bench_place *place,
                                    const struct hb_sim *sim)
{
  struct hb_text record = {0};
  enum hb_status status = write_record(p, place, &record);
  if (status == HB_OK) status = hb_sim_save(sim, p->checkpoint, record.text, record.length, 0);
  hb_mem_free(record.text);
  return status;
}

static enum hb_status read_place(const char *text, struct hb_bench_place *place)
{
  struct hb_bench_run_result *r = &place->r;
  struct hb_phases *s = &r->phases;
  unsigned long counts[3];
  if (sscanf(text, PLACE, &place->is_timed, &r->wall_s, &r->e_begin, &r->e_gpu_begin, &counts[0], &counts[1],
             &counts[2], &s->predict_s, &s->send_s, &s->force_s, &s->receive_s, &s->correct_s) != 12)
    return hb_fail(HB_ERR_INPUT, "it does not say how far the job was");
  r->counts.block_steps = counts[0];
  r->counts.particle_steps = counts[1];
  r->counts.pairs = counts[2];
  return HB_OK;
}

static enum hb_status read_record(const struct hb_checkpoint *checkpoint, const struct hb_bench_run_params *p,
                                  struct hb_bench_place *place)
{
  size_t bytes;
  struct hb_text job = {0};
  const char *own = hb_checkpoint_own(checkpoint, &bytes);
  enum hb_status status = write_job(p, &job);
  if (status == HB_OK && (bytes <= job.length || own[bytes - 1] || memcmp(own, job.text, job.length) != 0))
    status = hb_fail(HB_ERR_USAGE, "it was written by another job; remove it, or name another file");
  if (status == HB_OK) status = read_place(own + job.length, place);
  hb_mem_free(job.text);
  return status;
}

enum hb_status hb_bench_saved_resume(const struct hb_bench_run_params *p, struct hb_bench_place *place,
                                     struct hb_sim **sim)
{
  struct hb_checkpoint *checkpoint;
  *sim = NULL;
  if (!p->checkpoint || access(p->checkpoint, F_OK) != 0) return HB_OK;
  HB_TRY(hb_checkpoint_open(p->checkpoint, &checkpoint));
  enum hb_status status = read_record(checkpoint, p, place);
  if (status != HB_OK) status = hb_fail_in(status, p->checkpoint);
  if (status == HB_OK) status = hb_sim_resume(checkpoint, &p->sim.force, sim);
  hb_checkpoint_close(checkpoint);
  return status;
}

void hb_bench_saved_remove(const struct hb_bench_run_params *p)
{
  if (p->checkpoint) unlink(p->checkpoint);
}

#include "cli/reproduce_2007.h"

#include "perf/machine_model.h"
#include "perf/model.h"

double hb_2007_n_block(double n) { return hb_model_n_block(n); }

double hb_2007_n_steps(double n) { return hb_model_n_steps(n, 0.01); }

struct hb_2007_step hb_2007_step(const char *machine, double n)
{
  const struct hb_machine *m = hb_machine_find(machine);
  double n_block = hb_2007_n_block(n);
  return (struct hb_2007_step){.predict_s = hb_machine_t_pred(n),
                               .correct_s = hb_machine_t_corr(n_block),
                               .comm_s = hb_machine_t_comm(m, n, n_block),
                               .force_s = hb_machine_t_force(m, n, n_block)};
}

double hb_2007_time(const char *machine, double n)
{
  struct hb_2007_step s = hb_2007_step(machine, n);
  return hb_2007_n_steps(n) * (s.predict_s + s.correct_s + s.comm_s + s.force_s);
}

double hb_2007_time_blocks(double n)
{
  struct hb_2007_step s = hb_2007_step("8800GTX", n);
  double share = hb_2007_n_block(n) / n;
  return hb_2007_n_steps(n) * (s.predict_s + s.correct_s + s.comm_s * share + s.force_s);
}

double hb_2007_time_on_card(double n)
{
  struct hb_2007_step s = hb_2007_step("8800GTX", n);
  return hb_2007_n_steps(n) * (s.comm_s * hb_2007_n_block(n) / n + s.force_s);
}

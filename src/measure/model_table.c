#include "measure/model_table.h"

#include <math.h>
#include <string.h>

/* ---- fit ---- */

static void print_sizes(const struct hb_model_record *r)
{
  const struct hb_machine *paper = hb_model_machines(&(size_t){0});
  printf("#%7s %8s %6s %8s %6s %9s %11s %11s %11s\n", "n", "n_steps", "/eq.17", "n_block", "/eq.14", "|dE/E|",
         "measured s", "fitted s", "unseen s");
  for (size_t k = 0; k < r->params->n_count; k++) {
    const struct hb_model_size *size = &r->sizes[k];
    struct hb_model_time eqs;
    char unseen[32] = "-";
    hb_model_predict(paper, (double)size->n, &eqs);
    if (!isnan(size->unseen_s)) snprintf(unseen, sizeof unseen, "%.4g", size->unseen_s);
    printf("%8zu %8.0f %6.2f %8.1f %6.2f %9.1e %11.4g %11.4g %11s\n", size->n, size->n_steps,
           size->n_steps / eqs.n_steps, size->n_block, size->n_block / eqs.n_block, size->de_rel,
           size->measured_s, size->predicted_s, unseen);
  }
}

/* "-" where the machine has no such cost, or where it is not known how sure it is. */
static void print_constant(const char *name, double value, double error, const double *paper, size_t machines)
{
  char text[24] = "-";
  if (error > 0) snprintf(text, sizeof text, "%.1e", error);
  printf("#%-20s %10.3g %8s |", name, value, text);
  for (size_t k = 0; k < machines; k++) {
    if (paper[k] > 0)
      printf(" %9.3g", paper[k]);
    else
      printf(" %9s", "-");
  }
  putchar('\n');
}

static void print_constants(const struct hb_model_record *r)
{
  enum { MOST = 8 };
  size_t machines, count;
  const struct hb_machine *paper = hb_model_machines(&machines);
  const struct hb_model_field *fields = hb_model_fields(&count);
  const struct hb_model_fit *fit = r->fit;
  double of[MOST];
  printf("#%-20s %10s %8s |", "constant", "here", "+-");
  for (size_t k = 0; k < machines; k++) {
    of[k] = hb_model_t_host(&paper[k]);
    printf(" %9s", paper[k].name);
  }
  putchar('\n');
  print_constant("t_host", fit->t_host, fit->t_host_error, of, machines);
  for (size_t f = 0; f < count; f++) {
    for (size_t k = 0; k < machines; k++) of[k] = hb_model_field_of(&paper[k], &fields[f]);
    print_constant(fields[f].name, hb_model_field_of(&fit->machine, &fields[f]),
                   hb_model_field_of(&fit->error, &fields[f]), of, machines);
  }
}

void hb_model_table_fit(const struct hb_model_record *r)
{
  const struct hb_bench_run_params *run = &r->params->run;
  printf("# %s %s, mode %s, steps rounded %s, on %s\n", r->scheme, r->precision, r->mode,
         strcmp(r->rounding, "nearest") == 0 ? "to nearest" : r->rounding, r->last.device);
  printf("# Plummer spheres of %d seeds, t = %g to %g, eta %g, eps %g; seconds are of a time unit\n",
         r->params->seeds, run->t_begin, run->t_end, run->sim.eta, run->sim.force.eps);
  print_sizes(r);
  print_constants(r);
  printf("# unseen by their own fit, sizes differ by up to %.0f %%; n_block from eq. 14 by up to %.0f %%\n\n",
         100 * r->fit->unseen_deviation, 100 * r->fit->n_block_deviation);
}

/* ---- predict ---- */

void hb_model_table_header(void)
{
  puts("# seconds by the model of [PZ07] eqs 10 to 17, of a block step, t_unit of an N-body time unit");
  printf("#%8s %9s %9s %9s %9s %9s %9s %9s  %s\n", "n", "n_block", "n_steps", "t_host", "t_comm", "t_force",
         "t_step", "t_unit", "machine");
}

void hb_model_table_row(const struct hb_machine *machine, size_t n, const struct hb_model_time *t)
{
  printf("%9zu %9.4g %9.4g %9.3g %9.3g %9.3g %9.3g %9.4g  %s\n", n, t->n_block, t->n_steps, t->t_host,
         t->t_comm, t->t_force, t->t_step, t->t_unit, machine->name);
}

/* The sections of a report: each makes tables, figures and sentences of what the jobs wrote. */
#ifndef HB_REPRODUCE_SECTIONS_H
#define HB_REPRODUCE_SECTIONS_H

#include "report/report.h"
#include "report/reproduce.h"

struct hb_section {
  const char *name;  /* for --only; the place in the page */
  const char *title; /* in the list of contents           */
  unsigned kinds;    /* of jobs that it needs             */
  void (*write)(struct hb_reproduction *r, struct hb_report *report);
};

/* In the order of the report, ended by a name NULL. */
extern const struct hb_section hb_sections[];

/* What stands before and behind the sections; chosen has bit k for section k. */
void hb_section_head(struct hb_reproduction *r, struct hb_report *report, unsigned chosen);
void hb_section_foot(struct hb_reproduction *r, struct hb_report *report);

void hb_section_table1(struct hb_reproduction *r, struct hb_report *report);
void hb_section_table2(struct hb_reproduction *r, struct hb_report *report);
void hb_section_fig1(struct hb_reproduction *r, struct hb_report *report);
void hb_section_table3(struct hb_reproduction *r, struct hb_report *report);
void hb_section_fig3(struct hb_reproduction *r, struct hb_report *report);
void hb_section_fig4(struct hb_reproduction *r, struct hb_report *report);
void hb_section_fig5(struct hb_reproduction *r, struct hb_report *report);
void hb_section_fig2(struct hb_reproduction *r, struct hb_report *report);
void hb_section_energy(struct hb_reproduction *r, struct hb_report *report);
void hb_section_steps(struct hb_reproduction *r, struct hb_report *report);
void hb_section_rounding(struct hb_reproduction *r, struct hb_report *report);
void hb_section_hi07(struct hb_reproduction *r, struct hb_report *report);
void hb_section_nhp07(struct hb_reproduction *r, struct hb_report *report);
void hb_section_differs(struct hb_reproduction *r, struct hb_report *report);

/* ---- what they share ---- */

/* Points of all records that match: fields x and scale * |y|. */
void hb_section_curve(struct hb_reproduction *r, struct hb_report *report, struct hb_report_figure *figure,
                      const char *curve, const char *style, const char *filter, const char *x, const char *y,
                      double scale);

/* Points of a column of [PZ07] Table 2, times 4: seconds of a time unit. */
void hb_section_paper_curve(struct hb_report *report, struct hb_report_figure *figure, const char *curve,
                            const char *style, const char *machine);

/* Wall seconds of the paper's run as in 2007; NaN where it was not done. */
double hb_section_wall(const struct hb_reproduction *r, enum hb_source_name source, size_t n);

/* The largest n that all these sources were run with; 0: none. */
size_t hb_section_common_n(const struct hb_reproduction *r, enum hb_source_name a, enum hb_source_name b);

/* "Not done here, ...": the jobs of these kinds that would have taken too long. */
void hb_section_left_out(struct hb_reproduction *r, struct hb_report *report, unsigned kinds);

/* The change of an energy "e_total" or "e_gpu" of the nu jobs, relative; NaN: not done. */
double hb_section_nu_error(const struct hb_reproduction *r, const char *source, size_t n, double nu,
                           const char *energy);

/* The kernel of 2007 measured twice, over its runs at nu = 0.01: mean |dE/E| by its own potentials and in double. */
struct hb_section_thermometer {
  double own, exact; /* means; NaN without runs */
  size_t runs;
};
struct hb_section_thermometer hb_section_read_thermometer(const struct hb_reproduction *r);

/* What the fits say of a rounding of time steps. */
struct hb_section_rounding {
  double steps_p, steps_p_error;       /* exponent of the block steps of a time unit */
  double blocks_p, blocks_p_error;     /* exponent of the particles in a block       */
  double steps_ratio;                  /* mean of block steps over eq. 17            */
  double blocks_low, blocks_high;      /* of n_block over eq. 14                     */
  double error, error_low, error_high; /* |dE/E|: mean, smallest and largest mean of an n */
};
void hb_section_read_roundings(const struct hb_reproduction *r,
                               struct hb_section_rounding fits[HB_ROUNDINGS]);
/* Whether there were any. */
int hb_section_has_roundings(const struct hb_section_rounding fits[HB_ROUNDINGS]);

#endif

/* What the files force*.c share: the handle, and checks of its calls. */
#ifndef HB_FORCE_HANDLE_H
#define HB_FORCE_HANDLE_H

#include "core/field.h"
#include "force/force.h"
#include "force/massive.h"
#include "force/points.h"
#include "force/rescale.h"

/* What a caller's call is about. */
struct hb_force_call {
  size_t ni;
  const uint32_t *index; /* NULL: points */
  double *a, *j, *phi;
};

struct hb_force {
  const struct hb_force_ops *scheme; /* whose facts count */
  const struct hb_force_ops *inner;  /* the scheme's, or those of several devices around it */
  const struct hb_force_ops *ops;    /* the inner ones, or `shared` */
  struct hb_force_ops shared;        /* those of several ranks around them */
  void *state;
  struct hb_force_params params; /* with the strings below, for opening it again */
  enum hb_precision precision;
  const struct hb_interaction *interaction;
  struct hb_interaction *own_interaction; /* of a file; else NULL */
  char *parameters;
  char context[32], device[192], tuning[256];
  size_t nj;       /* sources set; 0: none yet */
  size_t kept;     /* particles that stay on the device; 0: none */
  uint32_t *stamp; /* [nj] the call in which the particle was last a sink, to find one named twice */
  size_t stamp_room;
  uint32_t call;
  struct hb_phases phases;
  unsigned openings;
  int is_under_way; /* a call was begun and is to be finished */
  struct hb_force_call under_way;
  double origin[2][3];          /* of the sources' own frame: its place and velocity */
  struct hb_frame_copy sources; /* in that frame */
  struct hb_points points;
  struct hb_massive massive;    /* of hb_force_of */
  const struct hb_field *field; /* the caller's; NULL: none */
  struct hb_rescale *rescale;   /* in precision reproducible; else NULL */
};

/* nj sources are about to be set; memory to check sinks among that many. Errors: HB_ERR_USAGE, HB_ERR_INTERNAL. */
enum hb_status hb_force_expect_sources(struct hb_force *force, size_t nj);
enum hb_status hb_force_reserve_stamps(struct hb_force *force, size_t nj);

/* Sets them; they are in their frame already. Or some of those whose units were found, in precision reproducible. */
enum hb_status hb_force_set_sources(struct hb_force *force, size_t nj, const double *m, const double *x,
                                    const double *v);
enum hb_status hb_force_set_some(struct hb_force *force, size_t nj, const double *m, const double *x,
                                 const double *v);

/* Forces for whoever looks himself whether they are finite. As hb_force_eval and hb_force_at. */
enum hb_status hb_force_eval_any(struct hb_force *force, size_t ni, const uint32_t *index, double *a,
                                 double *j, double *phi);
enum hb_status hb_force_at_any(struct hb_force *force, size_t ni, const double *x, const double *v,
                               const uint32_t *own, double *a, double *j, double *phi);

/* Sinks must be sources, each named once. Errors: HB_ERR_USAGE. */
enum hb_status hb_force_check_sinks(struct hb_force *force, size_t ni, const uint32_t *index);

/* Arrays of a call that was begun are in use, and so are the sources. Errors: HB_ERR_USAGE. */
enum hb_status hb_force_check_idle(const struct hb_force *force);

#endif

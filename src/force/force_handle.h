/* The handle of a source of forces, which force.c and its tests know. */
#ifndef HB_FORCE_HANDLE_H
#define HB_FORCE_HANDLE_H

#include "core/field.h"
#include "core/frame.h"
#include "force/source.h"
#include "force/rescale.h"

/* What is made of points, sinks that are not sources as a caller gives them, for a call: in arrays that grow. */
struct hb_points {
  struct hb_frame_copy in_frame;
  size_t capacity;
  double *rest;     /* [3 * capacity] velocities of points without */
  uint32_t *nobody; /* [capacity] HB_NO_SOURCE */
};

/* Test particles, which have no mass: they feel forces and cause none. Where particles include some, a source of forces gets
 * those with mass alone, and the sinks as points among them. */
struct hb_massive {
  size_t n, count;        /* of n particles, `count` have mass; 0: none was found, or all have */
  uint32_t *slot, *place; /* [count] their numbers, ascending; [n] the inverse, HB_NO_SOURCE without mass */
  double *m, *x, *v;      /* [count] [3 * count] [3 * count] the sources */
  uint32_t *own;          /* [room] sinks: their places */
  double *xi, *vi;        /* [3 * room] */
  size_t room;
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
  void *records;   /* of these */
  uint32_t *stamp; /* [nj] the call in which the particle was last a sink, to find one named twice */
  size_t stamp_room;
  uint32_t call;
  struct hb_phases phases;
  unsigned openings;
  int is_under_way; /* a call was begun and is to be finished */
  int is_trusted;   /* its caller looks himself whether forces are finite */
  struct hb_force_job under_way;
  struct hb_phases spent;       /* by it, sending and receiving */
  double begun_s;               /* seconds that it took to begin */
  double origin[2][3];          /* of the sources' own frame: its place and velocity */
  struct hb_frame_copy sources; /* in that frame */
  struct hb_points points;
  struct hb_massive massive;    /* of hb_force_of */
  const struct hb_field *field; /* the caller's; NULL: none */
  struct hb_rescale *rescale;   /* in precision reproducible; else NULL */
};

#endif

/* The particles of a simulation at one time, with arrays to evaluate forces on all of them. An integrator whose arrays are
 * unused between its steps lends them, so that a view takes no memory. */
#ifndef HB_STATE_VIEW_H
#define HB_STATE_VIEW_H

#include "core/particles.h"
#include "step/integrator.h"

struct hb_state_view {
  struct hb_particles at; /* n t m x v id, no notes; x and v may be changed       */
  double *a, *j, *phi;    /* [3 * n] [3 * n] [n] scratch                          */
  uint32_t *index;        /* [n] 0 .. n - 1                                       */
  double
      e_rounded; /* what the potential energy of `at` lacks, since x has lost digits of separations in groups */
  struct hb_particles *own; /* the particles of `at`; NULL if all arrays are the integrator's */
};

/* Valid until the integrator's next step. Errors: those of the integrator's particles, HB_ERR_INTERNAL; hb_state_view_close
 * is needed then, too. */
enum hb_status hb_state_view_open(const struct hb_integrator_ops *integrator, void *state, double t,
                                  struct hb_state_view *view);
void hb_state_view_close(struct hb_state_view *view);

#endif

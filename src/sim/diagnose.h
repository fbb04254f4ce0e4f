/* The energies of a simulation at one time. */
#ifndef HB_DIAGNOSE_H
#define HB_DIAGNOSE_H

#include "core/energy.h"
#include "core/frame.h"
#include "step/integrator.h"

#include <holmberg/diagnostics.h>

/* The source's forces on all particles, into the view's a, j, phi. Their cost is not counted in the phases. */
enum hb_status hb_diagnose_forces(struct hb_state_view *view, struct hb_force *force);

/* Potentials are computed in `frame`, which the view is in; all else is in the given coordinates. field: NULL without one.
 * Overwrites the view's arrays and particles and leaves these as the sources of force; each block step sets them anew. Errors:
 * those of force. */
enum hb_status hb_diagnose(struct hb_state_view *view, const struct hb_frame *frame, struct hb_force *force,
                           const struct hb_field *field, double eps2, int exact,
                           struct hb_diagnostics *diagnostics);

#endif

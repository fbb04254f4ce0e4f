/* Energies of a look at a simulation. */
#ifndef HB_DIAGNOSE_H
#define HB_DIAGNOSE_H

#include "core/frame.h"
#include "step/state_view.h"

#include <holmberg/diagnostics.h>

/* Up to so many particles --exact-energy auto pays for a second sum over all pairs: 1.0 s of
 * processor time there, measured with AVX-512. */
enum { HB_DIAGNOSE_EXACT_MOST = 32768 };

/* Whether e_total shall come from a sum in double of its own. */
int hb_diagnose_is_exact(enum hb_exact_energy wanted, size_t n);

/* Forces of the source on all, into the look's a, j, phi. What they cost is no part of the integration's phases. */
enum hb_status hb_diagnose_forces(struct hb_state_view *look, struct hb_force *force);

/* Potentials are computed in `frame`, which the look is in; the rest refers to the given coordinates. Overwrites the look's
 * arrays and leaves its particles as the sources of force; each block step sets them again. Errors: those of force. */
enum hb_status hb_diagnose(struct hb_state_view *look, const struct hb_frame *frame, struct hb_force *force,
                           double eps2, int exact, struct hb_diagnostics *diagnostics);

#endif

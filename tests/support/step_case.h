/* What tests of the integrators share. */
#ifndef STEP_CASE_H
#define STEP_CASE_H

#include "core/particles.h"

/* sum m phi / 2 in double, all pairs. */
double step_potential_energy(const struct hb_particles *particles, double eps2);

#endif

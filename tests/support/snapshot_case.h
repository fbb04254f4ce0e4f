/* What the snapshot formats have to do alike. */
#ifndef TESTS_SNAPSHOT_CASE_H
#define TESTS_SNAPSHOT_CASE_H

#include <holmberg/holmberg.h>

/* Time, masses, positions and velocities are the same bits. */
void snapshot_assert_same(const struct hb_particles *a, const struct hb_particles *b);

/* Writing these particles and reading them back, with each allocation of both failing once. */
void snapshot_survives_lack_of_memory(const struct hb_particles *particles, const char *path);

#endif

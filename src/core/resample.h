/* The same system of stars in another number of particles. */
#ifndef HB_RESAMPLE_H
#define HB_RESAMPLE_H

#include <holmberg/holmberg.h>

/* n particles for those of `from`, with the same time, notes, total mass, center of mass and momentum, in the same order of
 * components, and with new identities. Fewer are a sample of the old ones, with larger masses. Of more, each old particle is one;
 * the new ones lie between it and a neighbor, with the mean velocity and the velocity dispersion of its neighbors. What is
 * smaller than the distances of neighbors, binaries for one, is not kept. The particles that are not stars, as many as the note
 * `dark` says, keep their share. The same seed gives the same particles. Errors: HB_ERR_USAGE (n or from are fewer than 3),
 * HB_ERR_INTERNAL. */
enum hb_status hb_resample(struct hb_particles *from, size_t n, uint64_t seed,
                           struct hb_particles **particles);

#endif

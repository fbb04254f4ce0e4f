/* A run that does not ask where its particles are, nor how fast they all go. */
#ifndef FRAME_CASE_H
#define FRAME_CASE_H

#include <holmberg/holmberg.h>

/* A Plummer sphere, and the same moved by 1, 1000, 1e6 and boosted by 1, 200, 1000, none of which rounds it: each takes
 * the same steps to the same places. Moved by what does round it, it takes the same steps to 5 %. */
void frame_case_run(const struct hb_sim_params *params);

#endif

/* Pictures of states that come from elsewhere: a simulation in a worker, files, the browser's storage, another machine. */
#ifndef HB_SHOW_H
#define HB_SHOW_H

#include "core/particles.h"

/* A state on its way to the script, or from it: m[n], x[3 n], v[3 n] in show_room(n). Errors: HB_ERR_INTERNAL. */
enum hb_status show_give(const struct hb_particles *state);
enum hb_status show_take(int n, double t, struct hb_particles **state);

#endif

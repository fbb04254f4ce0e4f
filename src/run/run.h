#ifndef HB_RUN_H
#define HB_RUN_H

#include "console/opts.h"

/* `holmberg run`: with --resume from a checkpoint, as if the run had never stopped; else checks the options, reads the snapshot,
 * opens forces and integrator. Integrates to t_end, writing rows and snapshots on the way and the final state at -o. */
enum hb_status hb_run_file(const struct hb_opts *opts);

#endif

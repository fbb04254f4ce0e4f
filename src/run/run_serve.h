/* --watch: the page and the run's state, for browsers of this machine or at the other end of `ssh -L`. Nothing is asked of the run but
 * its state, between block steps, and only when somebody looks. */
#ifndef HB_RUN_SERVE_H
#define HB_RUN_SERVE_H

#include "run/run_settings.h"

struct hb_run_serve;

/* The name of what runs; the address is printed. On the loopback interface, under a token, by a thread of its own. Errors:
 * HB_ERR_USAGE (built without libmicrohttpd, or it is not installed), HB_ERR_IO (no page; the port is taken). */
enum hb_status hb_run_serve_open(int port, const char *name, struct hb_run_serve **serve);

/* Waits for watchers to see the end, a second at most. NULL is ignored, as below. */
void hb_run_serve_close(struct hb_run_serve *serve);

/* After a step; error: of the energy, of the last row. is_last: the run has ended. */
void hb_run_serve_step(struct hb_run_serve *serve, const struct hb_sim *sim, double error, int is_last);

#endif

/* Without libmicrohttpd. */
#include "run/run_serve.h"

enum hb_status hb_run_serve_open(int port, const char *name, struct hb_run_serve **serve)
{
  (void)port, (void)name;
  *serve = NULL;
  return hb_fail(HB_ERR_USAGE, "option --watch: this program was built without libmicrohttpd");
}

void hb_run_serve_close(struct hb_run_serve *serve) { (void)serve; }

void hb_run_serve_step(struct hb_run_serve *serve, const struct hb_sim *sim, double error, int is_last)
{
  (void)serve, (void)sim, (void)error, (void)is_last;
}

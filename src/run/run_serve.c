#include "run/run_serve.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/process.h"
#include "console/terminal.h"

#include <arpa/inet.h>
#include <dlfcn.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

enum { TOKEN = 32, HEAD = 10 /* doubles before the floats m[n], x[3 n], v[3 n] */ };

static const double APART_S = 0.1; /* from one state to the next */
static const double SEEN_S = 1;    /* for those who look to see the end */

/* Opened with dlopen, so that the program starts where it is missing, and no sooner with it. */
static struct {
  void *library;
  struct MHD_Daemon *(*start)(unsigned flags, uint16_t port, MHD_AcceptPolicyCallback, void *,
                              MHD_AccessHandlerCallback, void *, ...);
  void (*stop)(struct MHD_Daemon *);
  struct MHD_Response *(*make)(size_t, void *, enum MHD_ResponseMemoryMode);
  enum MHD_Result (*header)(struct MHD_Response *, const char *, const char *);
  enum MHD_Result (*queue)(struct MHD_Connection *, unsigned, struct MHD_Response *);
  void (*destroy)(struct MHD_Response *);
  const char *(*value)(struct MHD_Connection *, enum MHD_ValueKind, const char *);
  const union MHD_DaemonInfo *(*info)(struct MHD_Daemon *, enum MHD_DaemonInfoType, ...);
} mhd;

struct hb_run_serve {
  struct MHD_Daemon *daemon;
  char token[TOKEN + 1];
  char *page;
  size_t page_bytes;
  double published; /* when */

  pthread_mutex_t lock; /* of what follows */
  char *state;
  size_t state_bytes;
  unsigned long number; /* of the state */
  unsigned long sent;   /* the last one that somebody has */

  atomic_int is_wanted; /* somebody has the last one, and wants the next */
};

static enum hb_status open_library(void)
{
  static const char name[] = "libmicrohttpd.so.12";
  if (mhd.library) return HB_OK;
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) return hb_fail(HB_ERR_USAGE, "option --watch needs %s, which is not installed", name);
  const struct {
    const char *name;
    void *at;
  } calls[] = {{"MHD_start_daemon", &mhd.start},
               {"MHD_stop_daemon", &mhd.stop},
               {"MHD_create_response_from_buffer", &mhd.make},
               {"MHD_add_response_header", &mhd.header},
               {"MHD_queue_response", &mhd.queue},
               {"MHD_destroy_response", &mhd.destroy},
               {"MHD_lookup_connection_value", &mhd.value},
               {"MHD_get_daemon_info", &mhd.info}};
  for (size_t k = 0; k < sizeof calls / sizeof *calls; k++) {
    void *call = dlsym(library, calls[k].name);
    if (!call) return hb_fail(HB_ERR_USAGE, "option --watch: %s has no %s", name, calls[k].name);
    memcpy(calls[k].at, &call, sizeof call);
  }
  mhd.library = library;
  return HB_OK;
}

/* ---- answers ------------------------------------------------------------------------------------------- */

static enum MHD_Result answer(struct MHD_Connection *connection, unsigned code, const char *type,
                              const char *tag, size_t bytes, void *data, enum MHD_ResponseMemoryMode mode)
{
  struct MHD_Response *response = mhd.make(bytes, data, mode);
  if (!response) return MHD_NO;
  mhd.header(response, "Content-Type", type);
  mhd.header(response, "Cache-Control", "no-cache");
  mhd.header(response, "X-Content-Type-Options", "nosniff");
  mhd.header(response, "Referrer-Policy", "no-referrer");
  if (tag) mhd.header(response, "ETag", tag);
  enum MHD_Result result = mhd.queue(connection, code, response);
  mhd.destroy(response);
  return result;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned code, const char *sentence)
{
  return answer(connection, code, "text/plain", NULL, strlen(sentence), (void *)sentence,
                MHD_RESPMEM_PERSISTENT);
}

static enum MHD_Result answer_state(struct hb_run_serve *s, struct MHD_Connection *connection)
{
  char tag[32];
  const char *has = mhd.value(connection, MHD_HEADER_KIND, "If-None-Match");
  pthread_mutex_lock(&s->lock);
  snprintf(tag, sizeof tag, "\"%lu\"", s->number);
  int is_same = has && strcmp(has, tag) == 0;
  enum MHD_Result result = s->state ? answer(connection, is_same ? 304 : 200, "application/octet-stream", tag,
                                             is_same ? 0 : s->state_bytes, s->state, MHD_RESPMEM_MUST_COPY)
                                    : refuse(connection, 503, "no state yet\n");
  s->sent = s->number;
  pthread_mutex_unlock(&s->lock);
  atomic_store(&s->is_wanted, 1);
  return result;
}

/* Whether the path is that of `name` below the token; takes as long whichever letter differs. */
static int is_path(const struct hb_run_serve *s, const char *path, const char *name)
{
  char right[TOKEN + 16];
  int length = snprintf(right, sizeof right, "/%s/%s", s->token, name), differs = 0;
  if (strlen(path) != (size_t)length) return 0;
  for (int k = 0; k < length; k++) differs |= path[k] ^ right[k];
  return !differs;
}

static enum MHD_Result serve(void *context, struct MHD_Connection *connection, const char *path,
                             const char *method, const char *version, const char *data, size_t *size,
                             void **request)
{
  struct hb_run_serve *s = context;
  (void)version, (void)data, (void)size, (void)request;
  int is_page = is_path(s, path, ""), is_state = is_path(s, path, "state");
  if (!is_page && !is_state) return refuse(connection, 404, "nothing here: open the whole printed address\n");
  if (strcmp(method, "GET") != 0) return refuse(connection, 405, "this run can only be looked at\n");
  if (is_state) return answer_state(s, connection);
  return answer(connection, 200, "text/html; charset=utf-8", NULL, s->page_bytes, s->page,
                MHD_RESPMEM_PERSISTENT);
}

/* ---- states -------------------------------------------------------------------------------------------- */

static float *put(float *to, const double *from, size_t count)
{
  for (size_t k = 0; k < count; k++) *to++ = (float)from[k];
  return to;
}

static char *make_state(const struct hb_sim *sim, struct hb_particles *p, double error, int is_last,
                        size_t *bytes)
{
  struct hb_sim_counts counts;
  size_t n = hb_particles_n(p);
  char *state;
  *bytes = HEAD * sizeof(double) + 7 * n * sizeof(float);
  if (HB_ALLOC(*bytes, &state) != HB_OK) return NULL;
  hb_sim_counts(sim, &counts);
  const double head[HEAD] = {1, /* of this layout */
                             (double)n,
                             hb_sim_time(sim),
                             (double)counts.block_steps,
                             (double)counts.particle_steps,
                             (double)counts.pairs,
                             error,
                             is_last,
                             hb_clock_now()};
  memcpy(state, head, sizeof head);
  float *to = (float *)(void *)(state + sizeof head);
  to = put(to, hb_particles_m(p), n);
  to = put(to, hb_particles_x(p), 3 * n);
  put(to, hb_particles_v(p), 3 * n);
  return state;
}

void hb_run_serve_step(struct hb_run_serve *s, const struct hb_sim *sim, double error, int is_last)
{
  struct hb_particles *p;
  if (!s || (!is_last && !atomic_load(&s->is_wanted))) return;
  double now = hb_clock_now();
  if (!is_last && now - s->published < APART_S) return;
  if (hb_sim_state(sim, hb_sim_time(sim), &p) != HB_OK) return; /* the run will say so itself */
  size_t bytes;
  char *state = make_state(sim, p, error, is_last, &bytes);
  hb_particles_destroy(p);
  if (!state) return;
  s->published = now;
  atomic_store(&s->is_wanted, 0);
  pthread_mutex_lock(&s->lock);
  char *old = s->state;
  s->state = state;
  s->state_bytes = bytes;
  s->number++;
  pthread_mutex_unlock(&s->lock);
  hb_mem_free(old);
}

/* ---- beginning and ending ------------------------------------------------------------------------------ */

static enum hb_status make_token(char token[TOKEN + 1])
{
  unsigned char random[TOKEN / 2];
  if (getrandom(random, sizeof random, 0) != (ssize_t)sizeof random)
    return hb_fail(HB_ERR_IO, "option --watch: this system gives no random numbers");
  for (size_t k = 0; k < sizeof random; k++) snprintf(token + 2 * k, 3, "%02x", random[k]);
  return HB_OK;
}

static enum hb_status start(struct hb_run_serve *s, int port, const char *name)
{
  const struct sockaddr_in here = {
      .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
  s->daemon =
      mhd.start(MHD_USE_INTERNAL_POLLING_THREAD, (uint16_t)port, NULL, NULL, serve, s, MHD_OPTION_SOCK_ADDR,
                &here, MHD_OPTION_CONNECTION_LIMIT, 16u, MHD_OPTION_CONNECTION_TIMEOUT, 30u, MHD_OPTION_END);
  if (!s->daemon) return hb_fail(HB_ERR_IO, "option --watch: port %d of this machine is not free", port);
  const union MHD_DaemonInfo *info = mhd.info(s->daemon, MHD_DAEMON_INFO_BIND_PORT);
  unsigned bound = info ? info->port : (unsigned)port;
  const char *file = strrchr(name, '/');
  char note[256];
  snprintf(note, sizeof note, "watch it at http://127.0.0.1:%u/%s/#watch=%.80s", bound, s->token,
           file ? file + 1 : name);
  hb_terminal_note(note);
  return HB_OK;
}

enum hb_status hb_run_serve_open(int port, const char *name, struct hb_run_serve **serve)
{
  char path[PATH_MAX];
  struct hb_run_serve *s;
  *serve = NULL;
  HB_TRY(open_library());
  if (hb_process_beside("web/holmberg.html", "HB_PAGE", path) != HB_OK)
    return hb_fail(HB_ERR_IO,
                   "option --watch needs the page, web/holmberg.html beside the program: see `make web`");
  HB_TRY(HB_ALLOC(1, &s));
  pthread_mutex_init(&s->lock, NULL);
  atomic_store(&s->is_wanted, 1);
  enum hb_status status = hb_file_read(path, &s->page, &s->page_bytes);
  if (status == HB_OK) status = make_token(s->token);
  if (status == HB_OK) status = start(s, port, name);
  return HB_MADE(status, s, hb_run_serve_close, serve);
}

/* Somebody who has looked in the last while has the last state, or does not come for it. */
static void wait_for_watchers(struct hb_run_serve *s)
{
  const struct timespec nap = {0, 20000000};
  for (double end = hb_clock_now() + SEEN_S; hb_clock_now() < end; nanosleep(&nap, NULL)) {
    pthread_mutex_lock(&s->lock);
    int is_seen = s->sent == 0 || s->sent == s->number;
    pthread_mutex_unlock(&s->lock);
    if (is_seen) return;
  }
}

void hb_run_serve_close(struct hb_run_serve *s)
{
  if (!s) return;
  if (s->daemon) {
    wait_for_watchers(s);
    mhd.stop(s->daemon);
  }
  pthread_mutex_destroy(&s->lock);
  HB_FREE(s->state, s->page, s);
}

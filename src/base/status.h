/* The error record: one status and one sentence per thread. */
#ifndef HB_STATUS_H
#define HB_STATUS_H

#include <holmberg/holmberg.h>

/* Leaves the sentence for hb_error() and returns status: `return hb_fail(HB_ERR_USAGE, "...", ...);`
 * A sentence says what was found and what was expected, starts in lower case and has no full stop. */
enum hb_status hb_fail(enum hb_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts "context: " before the sentence of an error that passes through. Returns status. */
enum hb_status hb_fail_in(enum hb_status status, const char *context);

#define HB_TRY(call)                                                                                         \
  do {                                                                                                       \
    enum hb_status hb_try_status = (call);                                                                   \
    if (hb_try_status != HB_OK) return hb_try_status;                                                        \
  } while (0)

/* The end of a function that makes something: it is the caller's, or destroyed if the status says that it is not whole. */
#define HB_MADE(status, made, destroy, to)                                                                   \
  ((status) == HB_OK ? (*(to) = (made), (status)) : (destroy(made), (status)))

#endif

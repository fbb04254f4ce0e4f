/* Open MPI waits in a loop that yields: preloaded, a rank that yields sleeps, and leaves its processor to the one it waits for. */
#include <sched.h>
#include <time.h>

int sched_yield(void) { return nanosleep(&(struct timespec){.tv_nsec = 500000}, NULL); }

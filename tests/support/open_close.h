/* A host program that opens, works and closes, again and again: forces, a simulation, its checkpoint, snapshots. */
#ifndef TESTS_OPEN_CLOSE_H
#define TESTS_OPEN_CLOSE_H

#include <holmberg/holmberg.h>

/* `rounds` times with this source of forces, n particles. Fails the test where a call fails, and where memory or open files
 * are more after the last round than after the second. */
void open_close_run(const struct hb_force_params *params, size_t n, int rounds);

/* How often in this run: `usual`, or what ROUNDS says. */
int open_close_rounds(int usual);

#endif

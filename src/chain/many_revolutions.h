/* Many revolutions of an outer orbit at once. A chain that is a pair of nodes (inner_binaries.h) may go around hundreds of times in an
 * advance, each time in almost the same way: a triple with a hard outer orbit is one of the tightest systems in a cluster. Then only a
 * few of the revolutions are followed. The increments of all orbits over a whole revolution, at the same place in the outer orbit, change
 * slowly from one revolution to the next, and their sum over N revolutions is that of a few by a Runge-Kutta method for such sums
 * (Calvo, Montijano & Randez 2003, Numer. Algorithms 32, 117). Nothing is averaged over the outer orbit: whatever a revolution does,
 * to any order in the ratio of the periods, is in its increments. */
#ifndef HB_MANY_REVOLUTIONS_H
#define HB_MANY_REVOLUTIONS_H

#include "base/status.h"
#include "chain/inner_binaries.h"

/* Advances the chain of nodes from the time t to t + dt. *is_whole becomes 0 if it stopped before, since a binary is no node any
 * longer. Errors: HB_ERR_NUMERIC, HB_ERR_STOPPED. */
typedef enum hb_status hb_advance_nodes(void *context, double t, double dt, int *is_whole);

/* Advances a chain of nodes from *t over revolutions of its outer orbit, not beyond the time `end`; *t becomes the time that was reached.
 * That is where it was, and nothing has changed, if there are no two nodes on a bound orbit, or too few revolutions. *is_worth becomes
 * 0 if each revolution should be followed for now, since they differ too much. Errors: those of `advance`. */
enum hb_status hb_many_revolutions(struct hb_inner_binaries *b, double end, hb_advance_nodes *advance,
                                   void *context, double *t, int *is_worth);

#endif

/* Ranks: the processes of one run, started by mpirun or srun, each of which has all particles and takes the same steps. A
 * program that was started alone is rank 0 of 1: everything here then returns at once, and no MPI is loaded. */
#ifndef HB_RANKS_H
#define HB_RANKS_H

#include "base/status.h"

#include <stdint.h>

struct hb_ranks_self {
  int number, count;
  int local, local_count; /* among those on this machine */
  char machine[64];       /* its name */
};

/* Rank 0 reads, writes and prints. */
int hb_ranks_number(void);
int hb_ranks_count(void);
const struct hb_ranks_self *hb_ranks_self(void);

/* Everything below is collective: all ranks make the same calls in the same order. Errors of all: HB_ERR_IO, what MPI said. */

/* Whether all are well: HB_OK, or the failure of the first rank that failed, with its sentence and, unless that is rank 0,
 * its number. */
enum hb_status hb_ranks_agree(enum hb_status status);

/* Rank 0's bytes to all. */
enum hb_status hb_ranks_share(void *data, size_t bytes);

/* all[count][words]: the words of every rank, of 8 bytes, in their order. mine NULL: they are in their place there;
 * all NULL: in the room below, where the others read afterwards what a rank has written before. */
enum hb_status hb_ranks_gather(size_t words, const void *mine, void *all);

/* Memory of so many words that all ranks write and read, where they are on one machine; *room is NULL where they are not, or cannot
 * have it. It stays until the next call, or the end. What was there is lost, and room that was given before is gone. */
enum hb_status hb_ranks_room(size_t words, uint64_t **room);

/* The sums of all ranks' words, in place. add: into[words] += other[words], in whatever arithmetic; if a + b has the bits of
 * b + a, every rank gets the same bits, and as many ranks the same ones again: who adds what depends on their number alone.
 * room[words] is overwritten. */
typedef void (*hb_ranks_adder)(size_t words, void *into, const void *other);
enum hb_status hb_ranks_sum(size_t words, void *sums, void *room, hb_ranks_adder add);

/* ---- carried along ---- */

/* A word that a rank sends along with its results: whether it failed, and whether it wishes to stop. The words of all ranks
 * are added up, and hb_ranks_heard takes the sum: HB_OK, or the failure as by hb_ranks_agree. */
uint64_t hb_ranks_word(enum hb_status status);
enum hb_status hb_ranks_heard(uint64_t sum, enum hb_status status);

/* A wish to stop goes with the next word. Returns whether any rank had it, the same on all. Alone: at once. */
int hb_ranks_wish(int wishes);

/* ---- for the program's beginning and end ---- */

/* What a launcher's environment says, without MPI: number and count, 0 of 1 if there is none or HB_RANKS=off. */
void hb_ranks_detect(void);

/* Starts MPI where there are several ranks. words are the program's own, the same on all of them. Errors: HB_ERR_USAGE (this
 * build has no MPI; the launcher does not fit it; other words). */
enum hb_status hb_ranks_open(int count, char *const *words);

/* The last call: waits for all ranks, and returns what they agree on. A rank that has failed while the others go on ends them
 * after a few seconds by hb_ranks_kill, which does not return: then *alone is 1 and the caller says why first. */
enum hb_status hb_ranks_close(enum hb_status status, int *alone);
void hb_ranks_kill(enum hb_status status);

/* ---- for src/mpi, a shared object of its own ---- */

/* Each returns NULL, or what MPI says is wrong. */
struct hb_ranks_ops {
  const char *(*open)(struct hb_ranks_self *self);
  const char *(*share)(void *data, size_t bytes);
  const char *(*gather)(size_t words, const void *mine, void *all);
  const char *(*sum)(size_t words, void *sums, void *room, hb_ranks_adder add);
  const char *(*room)(size_t words, uint64_t **room); /* NULL: there is none */
  const char *(*show)(void);
  /* As gather, but a meeting of its own, which no other call can be taken for; *met is 0 if the others did not come within so
   * many seconds. */
  const char *(*meet)(double seconds, size_t words, const void *mine, void *all, int *met);
  const char *(*close)(void);
  void (*kill)(int code);
};
#define HB_RANKS_MPI "hb_ranks_mpi" /* the symbol: const struct hb_ranks_ops */

/* From now on these are the ranks; ops NULL: one alone. For ranks_open.c. Errors: HB_ERR_INTERNAL; nothing has changed then. */
enum hb_status hb_ranks_join(const struct hb_ranks_ops *ops, const struct hb_ranks_self *self);

#endif

/* Ranks by MPI: holmberg-mpi.so, which base/ranks_open.c loads when a launcher has started several. */
#include "base/ranks.h"

#include <mpi.h>

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { SHARED = 1 << 30 /* bytes at a time: MPI counts in int */ };

/* `last` is for the meeting at the end: its messages cannot be taken for others. */
static MPI_Comm all, last;
static char sentence[MPI_MAX_ERROR_STRING];

/* Memory of the machine that all ranks are on; NULL: none. */
static void *shared;
static size_t shared_bytes;
static int is_one_machine;

static const char *say(int error)
{
  int length;
  if (error == MPI_SUCCESS) return NULL;
  if (MPI_Error_string(error, sentence, &length) != MPI_SUCCESS) strcpy(sentence, "unknown error");
  return sentence;
}

static const char *find_machine(struct hb_ranks_self *self)
{
  MPI_Comm machine;
  char name[MPI_MAX_PROCESSOR_NAME] = "";
  int length, error = MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, self->number, MPI_INFO_NULL, &machine);
  if (error != MPI_SUCCESS) return say(error);
  MPI_Get_processor_name(name, &length);
  snprintf(self->machine, sizeof self->machine, "%.63s", name);
  MPI_Comm_rank(machine, &self->local);
  MPI_Comm_size(machine, &self->local_count);
  is_one_machine = self->local_count == self->count;
  return say(MPI_Comm_free(&machine));
}

static const char *mpi_open(struct hb_ranks_self *self)
{
  int provided, error = MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
  if (error != MPI_SUCCESS) return say(error);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN); /* inherited by the two below */
  error = MPI_Comm_dup(MPI_COMM_WORLD, &all);
  if (error == MPI_SUCCESS) error = MPI_Comm_dup(MPI_COMM_WORLD, &last);
  if (error != MPI_SUCCESS) return say(error);
  MPI_Comm_rank(all, &self->number);
  MPI_Comm_size(all, &self->count);
  return find_machine(self);
}

static const char *mpi_share(void *data, size_t bytes)
{
  for (size_t from = 0; from < bytes; from += SHARED) {
    size_t count = bytes - from < SHARED ? bytes - from : SHARED;
    int error = MPI_Bcast((char *)data + from, (int)count, MPI_BYTE, 0, all);
    if (error != MPI_SUCCESS) return say(error);
  }
  return NULL;
}

static const char *mpi_gather(size_t words, const void *mine, void *of_all)
{
  return say(MPI_Allgather(mine ? mine : MPI_IN_PLACE, (int)words, MPI_UINT64_T, of_all, (int)words,
                           MPI_UINT64_T, all));
}

static void close_room(void)
{
  if (shared) munmap(shared, shared_bytes);
  shared = NULL;
}

static void enter_room(int file, size_t bytes)
{
  void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  shared = room == MAP_FAILED ? NULL : room;
  shared_bytes = bytes;
}

/* What rank 0 tells the others. */
struct offer {
  char name[64]; /* of a POSIX shared memory object; "": there is none */
};

/* All of it is allocated here: memory that runs out later would end a rank by SIGBUS. The file takes a name that no other run, nor one
 * that was killed, has. */
static struct offer make_room(size_t bytes)
{
  struct offer offer;
  struct timespec now = {0};
  int error;
  clock_gettime(CLOCK_REALTIME, &now);
  snprintf(offer.name, sizeof offer.name, "/holmberg-%ld-%lld-%ld", (long)getpid(), (long long)now.tv_sec,
           now.tv_nsec);
  int file = shm_open(offer.name, O_CREAT | O_EXCL | O_RDWR, 0600);
  if (file < 0) return (struct offer){""};
  do error = posix_fallocate(file, 0, (off_t)bytes);
  while (error == EINTR);
  if (!error) enter_room(file, bytes);
  close(file);
  if (shared) return offer;
  shm_unlink(offer.name);
  return (struct offer){""};
}

static void find_room(const struct offer *offer, size_t bytes)
{
  int file = *offer->name ? shm_open(offer->name, O_RDWR, 0) : -1;
  if (file < 0) return;
  enter_room(file, bytes);
  close(file);
}

/* Whether all ranks have it; those that do then give it back if not. */
static int agree_on_room(const struct offer *mine, size_t bytes)
{
  struct offer offer = *mine;
  int number, has, all_have = 0;
  MPI_Comm_rank(all, &number);
  int error = MPI_Bcast(&offer, sizeof offer, MPI_BYTE, 0, all);
  if (error == MPI_SUCCESS && number) find_room(&offer, bytes);
  has = shared != NULL;
  if (error == MPI_SUCCESS) error = MPI_Allreduce(&has, &all_have, 1, MPI_INT, MPI_MIN, all);
  if (error != MPI_SUCCESS || !all_have) close_room();
  return error;
}

/* Too little of such memory is no error: then all ranks do without. The file loses its name as soon as all have it, so that nothing
 * is left of a run that is killed; the memory goes with the last rank. */
static const char *mpi_room(size_t words, uint64_t **room)
{
  const size_t bytes = words * sizeof **room;
  struct offer mine = {""};
  int number;
  close_room();
  *room = NULL;
  if (!is_one_machine) return NULL;
  MPI_Comm_rank(all, &number);
  if (number == 0) mine = make_room(bytes);
  int error = agree_on_room(&mine, bytes);
  if (*mine.name) shm_unlink(mine.name);
  *room = shared;
  return say(error);
}

static const char *mpi_show(void)
{
  atomic_thread_fence(memory_order_seq_cst);
  int error = MPI_Barrier(all);
  atomic_thread_fence(memory_order_seq_cst);
  return say(error);
}

/* Words of two ranks change places. */
static int swap_with(int other, size_t words, const void *mine, void *theirs)
{
  enum { TAG };
  return MPI_Sendrecv(mine, (int)words, MPI_UINT64_T, other, TAG, theirs, (int)words, MPI_UINT64_T, other,
                      TAG, all, MPI_STATUS_IGNORE);
}

/* Recursive doubling: after the step of `bit`, the ranks that differ in lower bits have the same sums. MPI_Allreduce would be
 * free to add in another order from call to call. Ranks beyond the last power of two let a lower one add for them. */
static const char *mpi_sum(size_t words, void *sums, void *room, hb_ranks_adder add)
{
  enum { TAG = 1 };
  int number, count, most = 1, error = MPI_SUCCESS;
  MPI_Comm_rank(all, &number);
  MPI_Comm_size(all, &count);
  while (2 * most <= count) most *= 2;
  if (number >= most) {
    error = MPI_Send(sums, (int)words, MPI_UINT64_T, number - most, TAG, all);
    if (error != MPI_SUCCESS) return say(error);
    return say(MPI_Recv(sums, (int)words, MPI_UINT64_T, number - most, TAG, all, MPI_STATUS_IGNORE));
  }
  if (number + most < count) {
    error = MPI_Recv(room, (int)words, MPI_UINT64_T, number + most, TAG, all, MPI_STATUS_IGNORE);
    if (error == MPI_SUCCESS) add(words, sums, room);
  }
  for (int bit = 1; bit < most && error == MPI_SUCCESS; bit *= 2) {
    error = swap_with(number ^ bit, words, sums, room);
    if (error == MPI_SUCCESS) add(words, sums, room);
  }
  if (number + most < count && error == MPI_SUCCESS)
    error = MPI_Send(sums, (int)words, MPI_UINT64_T, number + most, TAG, all);
  return say(error);
}

/* Between two looks the processor is free: rank 0 may still be writing. */
static const char *mpi_meet(double seconds, size_t words, const void *mine, void *of_all, int *met)
{
  MPI_Request request;
  double begin = MPI_Wtime();
  int error =
      MPI_Iallgather(mine, (int)words, MPI_UINT64_T, of_all, (int)words, MPI_UINT64_T, last, &request);
  for (*met = 0; error == MPI_SUCCESS;) {
    error = MPI_Test(&request, met, MPI_STATUS_IGNORE);
    if (*met || MPI_Wtime() - begin > seconds) break;
    nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
  }
  return say(error);
}

static const char *mpi_close(void)
{
  close_room();
  return say(MPI_Finalize());
}

static void mpi_kill(int code) { MPI_Abort(MPI_COMM_WORLD, code); }

extern const struct hb_ranks_ops hb_ranks_mpi;
const struct hb_ranks_ops hb_ranks_mpi = {.open = mpi_open,
                                          .share = mpi_share,
                                          .gather = mpi_gather,
                                          .sum = mpi_sum,
                                          .room = mpi_room,
                                          .show = mpi_show,
                                          .meet = mpi_meet,
                                          .close = mpi_close,
                                          .kill = mpi_kill};

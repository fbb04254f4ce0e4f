/* System calls of base/file that fail on request. */
#ifndef FAULTS_H
#define FAULTS_H

enum faults_kind { FAULTS_OPEN, FAULTS_WRITE, FAULTS_FSYNC, FAULTS_CLOSE, FAULTS_RENAME, FAULTS_KINDS };

struct faults {
  enum faults_kind kind; /* the calls of this kind are counted, */
  int countdown;         /* and the one that brings this to 0 fails */
  int reason, fired;     /* with this errno */
  int flags;             /* of the last open that could create a file */
  int short_writes;      /* each write takes 3 bytes at most */
  int interruptions;     /* so many writes are interrupted first */
};

/* From now on the n-th call of the kind fails, once; n = 0: none. The other fields are 0 and may be set. */
struct faults *faults_start(enum faults_kind kind, int n, int reason);

/* The real calls again; whether one has failed. */
int faults_stop(void);

#endif

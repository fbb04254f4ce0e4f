/* Pictures of states that come from elsewhere: a simulation in a worker, files, the browser's storage, another machine. */
#ifndef HB_SHOW_H
#define HB_SHOW_H

/* 7 n doubles for states that come or go: m[n], x[3 n], v[3 n]; valid until the next call. NULL: no memory. */
double *show_buffer(int n);

#endif

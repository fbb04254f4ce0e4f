/* GRAPE-5's calls, NBODY6's GPU library and CUNBODY-1's, against sums of the test's own. */
#ifndef SIBLINGS_CASE_H
#define SIBLINGS_CASE_H

/* By this scheme of HB_G6_SCHEME: errors relative to the sum of the sizes of the terms. */
void siblings_case_run(const char *scheme, double tolerance);

#endif

/* The calls of sixth.h against derivatives in time of the test's own forces. */
#ifndef SIXTH_CASE_H
#define SIXTH_CASE_H

/* By this scheme of HB_G6_SCHEME: errors relative to the sum of the sizes of the terms. */
void sixth_case_run(const char *scheme, double tolerance);

#endif

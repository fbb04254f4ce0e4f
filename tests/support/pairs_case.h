/* The all-pairs engine as tests drive it: particles for each interaction, the same sums in plain C, and counted or lost
 * draws. */
#ifndef PAIRS_CASE_H
#define PAIRS_CASE_H

#include "pairs/pairs.h"

enum { PAIRS_MOST = 9000 }; /* particles */

struct pairs_case {
  const char *interaction, *scheme, *tuning;
  enum hb_precision precision;
};

/* The one context of the process, that HB_CONTEXT names. */
struct hb_gl_context *pairs_context(void);

/* 1 if the scheme with this tuning needs what the context lacks. A test that left out cases for it ends with
 * pairs_skip_if_lacking(), by which it counts as skipped. */
int pairs_lacks(const struct pairs_case *c);
void pairs_skip_if_lacking(void);

/* The same for what has no case: "double", "tile", "rectangles", "kept" (particles in buffers that stay mapped). */
int pairs_lacks_a(const char *what);

/* The engine, with the usual parameters of the interaction, the first times `wrong`; a failure fails the test. */
struct hb_pairs *pairs_open(const struct pairs_case *c, double wrong);

/* Another factor: on the first parameter, or on a number of the particles that are sent next where there is none. */
void pairs_make_wrong(struct hb_pairs *pairs, double wrong);

/* Sends n <= PAIRS_MOST particles that suit the interaction: at random in a cube, or for lennard_jones near the points
 * of a lattice. Exact in float; the same for the same n. */
void pairs_send(struct hb_pairs *pairs, size_t n);

/* f[4 * f_records * ni] of a walk and what follows it. */
enum hb_status pairs_forces(struct hb_pairs *pairs, size_t ni, const uint32_t *index, double *f);

/* The same without a failure, the unused last component of each sink made 0. */
void pairs_eval(struct hb_pairs *pairs, size_t ni, const uint32_t *index, double *f);

/* The case in words, for a sentence; valid until the next call. */
const char *pairs_describe(const struct pairs_case *c);

/* Fails the test where the error is beyond the tolerance, or where count numbers are not the same to the last bit. */
void pairs_require(const struct pairs_case *c, const char *what, double error, double tolerance);
void pairs_require_same(const struct pairs_case *c, const char *what, const double *f, const double *expected,
                        size_t count);

/* index = 0, step, 2 step, ... mod n. */
void pairs_index(size_t ni, size_t step, size_t n, uint32_t *index);

/* The largest error of f against plain C, relative to the sum of the sizes of the terms. */
double pairs_error(const struct hb_pairs *pairs, size_t n, size_t ni, const uint32_t *index, const double *f);

/* What a precision may be wrong by in that measure, see pairs_case.c. */
double pairs_tolerance(enum hb_precision precision);

/* Component c of record r of source i, from the words of the buffer of sources. */
double pairs_on_device(const struct hb_pairs *pairs, const uint32_t *words, int i, int r, int c);

/* ---- draws and dispatches, through the table of GL's functions ---- */

/* From here on draws are counted, and the nth (from 1) is not done; 0: all are done. */
void pairs_draws_begin(int lose);
int pairs_draws_end(void); /* how many there were; afterwards all is as it was */

/* The same for the questions whether the context is lost: the nth is answered by yes. */
void pairs_resets_begin(int lose);
int pairs_resets_end(void);

#endif

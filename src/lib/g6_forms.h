/* The calls of holmberg/g6.h that have two forms. Included once by the source of each: with HB_G6_FORTRAN defined the names end
 * with _ and every scalar is a pointer, where NULL, which some programs pass, stands for 0. */
#ifndef HB_G6_FORMS_H
#define HB_G6_FORMS_H

#include "lib/board.h"
#include "lib/engine.h"

#include <holmberg/g6.h>

#include <stddef.h>

#ifdef HB_G6_FORTRAN
#define NAME(call) call##_
typedef const int *int_in;
typedef const double *real_in;
typedef const void *unit_in;
static inline int whole(int_in pointer) { return pointer ? *pointer : 0; }
static inline double real(real_in pointer) { return pointer ? *pointer : 0; }
#else
#define NAME(call) call
typedef int int_in, unit_in;
typedef double real_in;
static inline int whole(int_in value) { return value; }
static inline double real(real_in value) { return value; }
#endif

/* A program may define a call itself, as ph4 and sapporo2's tests do: then its own is used. */
#define WEAK __attribute__((weak))

/* Arguments of both halves, and of the last. */
#define OF_BOARD int_in id, int_in nj, int_in ni, const int index[], double xi[][3], double vi[][3]
#define OF_LAST  OF_BOARD, real_in eps2, const double h2[], double acc[][3], double jerk[][3], double pot[]
#define CALL()                                                                                               \
  &(const struct hb_board_call)                                                                              \
  {                                                                                                          \
    .id = whole(id), .nj = whole(nj), .ni = whole(ni), .index = index, .x = (const double *)xi,              \
    .v = (const double *)vi, .h2 = h2, .eps2 = real(eps2)                                                    \
  }
#define FORCES_AND(...)                                                                                      \
  &(struct hb_board_results) { .a = (double *)acc, .j = (double *)jerk, .phi = pot, __VA_ARGS__ }

WEAK int NAME(g6_open)(int_in id) { return hb_engine_report(hb_board_open(whole(id))); }
WEAK int NAME(g6_close)(int_in id) { return hb_engine_report(hb_board_close(whole(id))); }
WEAK int NAME(g6_reset)(int_in id) { return hb_engine_report(hb_board_reset(whole(id))); }
WEAK int NAME(g6_reset_fofpga)(int_in id) { return hb_engine_report(hb_board_reset(whole(id))); }
WEAK int NAME(g6_reinitialize)(int_in id) { return hb_engine_report(hb_board_reset(whole(id))); }

WEAK int NAME(g6_npipes)(void) { return hb_engine_pipes(); }
WEAK int NAME(g6_get_number_of_pipelines)(void) { return hb_engine_pipes(); }

WEAK int NAME(g6_set_tunit)(unit_in n) { return (void)n, 0; }
WEAK int NAME(g6_set_xunit)(unit_in n) { return (void)n, 0; }
WEAK int NAME(g6_initialize_jp_buffer)(int_in id, int_in size) { return (void)id, (void)size, 0; }
WEAK int NAME(g6_flush_jp_buffer)(int_in id) { return (void)id, 0; }
WEAK int NAME(g6_setup_njdata)(int_in id, int_in nj) { return (void)id, (void)nj, 0; }
WEAK int NAME(g6_set_overflow_flag_test_mode)(int_in aflag, int_in jflag, int_in pflag)
{
  return (void)aflag, (void)jflag, (void)pflag, 0;
}

WEAK int NAME(g6_set_j_particle)(int_in id, int_in address, int_in index, real_in tj, real_in dtj,
                                 real_in mass, const double a2by18[3], const double a1by6[3],
                                 const double aby2[3], const double v[3], const double x[3])
{
  (void)dtj;
  const struct hb_board_j particle = {whole(address), whole(index), real(tj), real(mass), a2by18,
                                      a1by6,          aby2,         v,        x};
  return hb_engine_report(hb_board_set_j(whole(id), &particle));
}

WEAK int NAME(g6_set_ti)(int_in id, real_in ti)
{
  return hb_engine_report(hb_board_set_ti(whole(id), real(ti)));
}

WEAK int NAME(g6_get_predicted_j_particles)(int_in id, int_in nj, double x[][3], double v[][3])
{
  return hb_engine_report(hb_board_predicted(whole(id), whole(nj), (double *)x, (double *)v));
}

/* ---- forces ---- */

WEAK void NAME(g6calc_firsthalf)(OF_BOARD, double fold[][3], double jold[][3], double phiold[], real_in eps2,
                                 const double h2[])
{
  (void)fold, (void)jold, (void)phiold;
  hb_engine_report(hb_board_first(CALL()));
}

/* Those with n offer lists, as all of them do. */
#define LAST(CALL_NAME, ARGUMENTS, ...)                                                                      \
  WEAK int NAME(CALL_NAME)(ARGUMENTS)                                                                        \
  {                                                                                                          \
    return hb_engine_report(hb_board_last(CALL(), FORCES_AND(__VA_ARGS__)));                                 \
  }
#define OF_LAST2  OF_LAST, int nnbindex[]
#define OF_LAST2P OF_LAST2, float rnnb[]
LAST(g6calc_lasthalf, OF_LAST, .nearest = NULL)
LAST(g6calc_lasthalfn, OF_LAST, .nearest = NULL)
LAST(g6calc_lasthalf2, OF_LAST2, .nearest = nnbindex)
LAST(g6calc_lasthalf2n, OF_LAST2, .nearest = nnbindex)
LAST(g6calc_lasthalf2p, OF_LAST2P, .nearest = nnbindex, .r_nearest = rnnb)
LAST(g6calc_lasthalf2np, OF_LAST2P, .nearest = nnbindex, .r_nearest = rnnb)

/* ---- neighbors ---- */

static inline int code_or(enum hb_status status, const int *overflow)
{
  int code = hb_engine_report(status);
  return code ? code : *overflow;
}

WEAK int NAME(g6_read_neighbour_list)(int_in id)
{
  int overflow;
  return code_or(hb_board_read_lists(whole(id), &overflow), &overflow);
}

WEAK int NAME(g6_get_neighbour_list)(int_in id, int_in ipipe, int_in maxlength, int *nblen, int nbl[])
{
  int overflow, none;
  return code_or(
      hb_board_list(whole(id), whole(ipipe), whole(maxlength), nblen ? nblen : &none, nbl, &overflow),
      &overflow);
}

WEAK int NAME(g6_set_neighbour_list_sort_mode)(int_in mode)
{
  const int wanted = whole(mode);
  return hb_board_sort_mode(&wanted), 0;
}
WEAK int NAME(g6_get_neighbour_list_sort_mode)(void) { return hb_board_sort_mode(NULL); }

#endif

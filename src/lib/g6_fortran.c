/* The Fortran form of the calls: every scalar is a pointer, and NULL, which some programs pass, stands for 0. */
#include "lib/g6_calls.h"

#include "lib/environment.h"

#include <stddef.h>

static int whole(const int *pointer) { return pointer ? *pointer : 0; }
static double real(const double *pointer) { return pointer ? *pointer : 0; }

#define CALL()                                                                                               \
  {                                                                                                          \
    .id = whole(id), .nj = whole(nj), .ni = whole(ni), .index = index, .x = (const double *)xi,              \
    .v = (const double *)vi, .h2 = h2, .eps2 = real(eps2)                                                    \
  }
#define FORCES .a = (double *)acc, .j = (double *)jerk, .phi = pot

#define OF_BOARD                                                                                             \
  const int *id, const int *nj, const int *ni, const int index[], double xi[][3], double vi[][3]
#define OF_LAST                                                                                              \
  OF_BOARD, const double *eps2, const double h2[], double acc[][3], double jerk[][3], double pot[]

HB_G6_WEAK int g6_open_(const int *id) { return hb_engine_report(hb_board_open(whole(id))); }
HB_G6_WEAK int g6_close_(const int *id) { return hb_engine_report(hb_board_close(whole(id))); }
HB_G6_WEAK int g6_reset_(const int *id) { return hb_engine_report(hb_board_reset(whole(id))); }
HB_G6_WEAK int g6_reset_fofpga_(const int *id) { return hb_engine_report(hb_board_reset(whole(id))); }
HB_G6_WEAK int g6_reinitialize_(const int *id) { return hb_engine_report(hb_board_reset(whole(id))); }

HB_G6_WEAK int g6_npipes_(void) { return hb_environment_pipes(); }
HB_G6_WEAK int g6_get_number_of_pipelines_(void) { return hb_environment_pipes(); }

HB_G6_WEAK int g6_set_tunit_(const void *n) { return (void)n, 0; }
HB_G6_WEAK int g6_set_xunit_(const void *n) { return (void)n, 0; }
HB_G6_WEAK int g6_initialize_jp_buffer_(const int *id, const int *size) { return (void)id, (void)size, 0; }
HB_G6_WEAK int g6_flush_jp_buffer_(const int *id) { return (void)id, 0; }
HB_G6_WEAK int g6_setup_njdata_(const int *id, const int *nj) { return (void)id, (void)nj, 0; }
HB_G6_WEAK int g6_set_overflow_flag_test_mode_(const int *aflag, const int *jflag, const int *pflag)
{
  return (void)aflag, (void)jflag, (void)pflag, 0;
}

HB_G6_WEAK int g6_set_j_particle_(const int *id, const int *address, const int *index, const double *tj,
                                  const double *dtj, const double *mass, const double a2by18[3],
                                  const double a1by6[3], const double aby2[3], const double v[3],
                                  const double x[3])
{
  (void)dtj;
  const struct hb_board_j particle = {whole(address), whole(index), real(tj), real(mass), a2by18,
                                      a1by6,          aby2,         v,        x};
  return hb_g6_set_j(whole(id), &particle);
}

HB_G6_WEAK int g6_set_ti_(const int *id, const double *ti)
{
  return hb_engine_report(hb_board_set_ti(whole(id), real(ti)));
}

HB_G6_WEAK int g6_get_predicted_j_particles_(const int *id, const int *nj, double x[][3], double v[][3])
{
  return hb_engine_report(hb_board_predicted(whole(id), whole(nj), (double *)x, (double *)v));
}

/* ---- forces ---- */

HB_G6_WEAK void g6calc_firsthalf_(OF_BOARD, double fold[][3], double jold[][3], double phiold[],
                                  const double *eps2, const double h2[])
{
  (void)fold, (void)jold, (void)phiold;
  const struct hb_board_call call = CALL();
  hb_g6_first(&call);
}

HB_G6_WEAK int g6calc_lasthalf_(OF_LAST)
{
  const struct hb_board_call call = CALL();
  return hb_g6_last(&call, &(struct hb_board_results){FORCES});
}

HB_G6_WEAK int g6calc_lasthalfn_(OF_LAST)
{
  const struct hb_board_call call = CALL();
  return hb_g6_last(&call, &(struct hb_board_results){FORCES});
}

HB_G6_WEAK int g6calc_lasthalf2_(OF_LAST, int nnbindex[])
{
  const struct hb_board_call call = CALL();
  return hb_g6_last(&call, &(struct hb_board_results){FORCES, .nearest = nnbindex});
}

HB_G6_WEAK int g6calc_lasthalf2n_(OF_LAST, int nnbindex[])
{
  const struct hb_board_call call = CALL();
  return hb_g6_last(&call, &(struct hb_board_results){FORCES, .nearest = nnbindex});
}

HB_G6_WEAK int g6calc_lasthalf2p_(OF_LAST, int nnbindex[], float rnnb[])
{
  const struct hb_board_call call = CALL();
  return hb_g6_last(&call, &(struct hb_board_results){FORCES, .nearest = nnbindex, .r_nearest = rnnb});
}

HB_G6_WEAK int g6calc_lasthalf2np_(OF_LAST, int nnbindex[], float rnnb[])
{
  const struct hb_board_call call = CALL();
  return hb_g6_last(&call, &(struct hb_board_results){FORCES, .nearest = nnbindex, .r_nearest = rnnb});
}

/* ---- neighbors ---- */

HB_G6_WEAK int g6_read_neighbour_list_(const int *id) { return hb_g6_read_lists(whole(id)); }
HB_G6_WEAK int g6_read_neighbour_list_old_(const int *id) { return hb_g6_read_lists(whole(id)); }

HB_G6_WEAK int g6_get_neighbour_list_(const int *id, const int *ipipe, const int *maxlength, int *nblen,
                                      int nbl[])
{
  return hb_g6_list(whole(id), whole(ipipe), whole(maxlength), nblen, nbl);
}

HB_G6_WEAK int g6_set_neighbour_list_sort_mode_(const int *mode)
{
  const int wanted = whole(mode);
  return hb_g6_sort_mode(&wanted), 0;
}
HB_G6_WEAK int g6_get_neighbour_list_sort_mode_(void) { return hb_g6_sort_mode(NULL); }

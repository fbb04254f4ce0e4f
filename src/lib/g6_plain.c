/* The C form of the calls. In an object of its own: a program that defines these names itself, on top of Fortran's, is
 * linked without it. */
#include "lib/g6_calls.h"

#include "lib/environment.h"

#include <stddef.h>

/* Arguments of both halves, and of the last. */
#define CALL()                                                                                               \
  {                                                                                                          \
    .id = id, .nj = nj, .ni = ni, .index = index, .x = (const double *)xi, .v = (const double *)vi,          \
    .h2 = h2, .eps2 = eps2                                                                                   \
  }
#define FORCES .a = (double *)acc, .j = (double *)jerk, .phi = pot

#define OF_BOARD int id, int nj, int ni, const int index[], double xi[][3], double vi[][3]
#define OF_LAST  OF_BOARD, double eps2, const double h2[], double acc[][3], double jerk[][3], double pot[]

HB_G6_WEAK int g6_open(int id) { return hb_engine_report(hb_board_open(id)); }
HB_G6_WEAK int g6_open_special(int ngpu, int *list)
{
  (void)ngpu, (void)list;
  return hb_engine_report(hb_board_open(0));
}
HB_G6_WEAK int g6_open_special2(int ngpu, int *list, int nmax)
{
  (void)ngpu, (void)list, (void)nmax;
  return hb_engine_report(hb_board_open(0));
}
HB_G6_WEAK int g6_close(int id) { return hb_engine_report(hb_board_close(id)); }
HB_G6_WEAK int g6_reset(int id) { return hb_engine_report(hb_board_reset(id)); }
HB_G6_WEAK int g6_reset_fofpga(int id) { return hb_engine_report(hb_board_reset(id)); }
HB_G6_WEAK int g6_reinitialize(int id) { return hb_engine_report(hb_board_reset(id)); }

HB_G6_WEAK int g6_npipes(void) { return hb_environment_pipes(); }
HB_G6_WEAK int g6_get_number_of_pipelines(void) { return hb_environment_pipes(); }

HB_G6_WEAK int g6_set_tunit(int n) { return (void)n, 0; }
HB_G6_WEAK int g6_set_xunit(int n) { return (void)n, 0; }
HB_G6_WEAK int g6_initialize_jp_buffer(int id, int size) { return (void)id, (void)size, 0; }
HB_G6_WEAK int g6_flush_jp_buffer(int id) { return (void)id, 0; }
HB_G6_WEAK int g6_setup_njdata(int id, int nj) { return (void)id, (void)nj, 0; }
HB_G6_WEAK int g6_set_overflow_flag_test_mode(int aflag, int jflag, int pflag)
{
  return (void)aflag, (void)jflag, (void)pflag, 0;
}

HB_G6_WEAK int g6_set_j_particle(int id, int address, int index, double tj, double dtj, double mass,
                                 const double a2by18[3], const double a1by6[3], const double aby2[3],
                                 const double v[3], const double x[3])
{
  (void)dtj;
  const struct hb_board_j particle = {address, index, tj, mass, a2by18, a1by6, aby2, v, x};
  return hb_g6_set_j(id, &particle);
}

HB_G6_WEAK int g6_set_ti(int id, double ti) { return hb_engine_report(hb_board_set_ti(id, ti)); }

HB_G6_WEAK int g6_get_predicted_j_particles(int id, int nj, double x[][3], double v[][3])
{
  return hb_engine_report(hb_board_predicted(id, nj, (double *)x, (double *)v));
}

/* ---- forces ---- */

HB_G6_WEAK void g6calc_firsthalf(OF_BOARD, double fold[][3], double jold[][3], double phiold[], double eps2,
                                 const double h2[])
{
  (void)fold, (void)jold, (void)phiold;
  const struct hb_board_call call = CALL();
  hb_g6_first(&call);
}

HB_G6_WEAK int g6calc_lasthalf(OF_LAST)
{
  const struct hb_board_call call = CALL();
  return hb_g6_last(&call, &(struct hb_board_results){FORCES});
}

HB_G6_WEAK int g6calc_lasthalfn(OF_LAST)
{
  const struct hb_board_call call = CALL();
  return hb_g6_last(&call, &(struct hb_board_results){FORCES});
}

HB_G6_WEAK int g6calc_lasthalf2(OF_LAST, int nnbindex[])
{
  const struct hb_board_call call = CALL();
  return hb_g6_last(&call, &(struct hb_board_results){FORCES, .nearest = nnbindex});
}

HB_G6_WEAK int g6calc_lasthalf2n(OF_LAST, int nnbindex[])
{
  const struct hb_board_call call = CALL();
  return hb_g6_last(&call, &(struct hb_board_results){FORCES, .nearest = nnbindex});
}

HB_G6_WEAK int g6calc_lasthalf2p(OF_LAST, int nnbindex[], float rnnb[])
{
  const struct hb_board_call call = CALL();
  return hb_g6_last(&call, &(struct hb_board_results){FORCES, .nearest = nnbindex, .r_nearest = rnnb});
}

HB_G6_WEAK int g6calc_lasthalf2np(OF_LAST, int nnbindex[], float rnnb[])
{
  const struct hb_board_call call = CALL();
  return hb_g6_last(&call, &(struct hb_board_results){FORCES, .nearest = nnbindex, .r_nearest = rnnb});
}

/* ---- neighbors ---- */

HB_G6_WEAK int g6_read_neighbour_list(int id) { return hb_g6_read_lists(id); }

HB_G6_WEAK int g6_get_neighbour_list(int id, int ipipe, int maxlength, int *nblen, int nbl[])
{
  return hb_g6_list(id, ipipe, maxlength, nblen, nbl);
}

HB_G6_WEAK int g6_set_neighbour_list_sort_mode(int mode) { return hb_g6_sort_mode(&mode), 0; }
HB_G6_WEAK int g6_get_neighbour_list_sort_mode(void) { return hb_g6_sort_mode(NULL); }

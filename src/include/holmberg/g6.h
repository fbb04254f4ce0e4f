/* The host library of GRAPE-6 on OpenGL: what phiGRAPE, ph4, kira and banana call, and nothing else of Holmberg. Link
 * -lholmberg-g6 in place of -lg6 or -lsapporo. Also GRAPE-5's calls (g5_...) and the GPU library of NBODY6 (gpunb_...).
 *
 * Names with an underscore at the end are those of Fortran: every scalar is a pointer, NULL stands for 0. A function named
 * here may be replaced by the program's own of the same name. Vectors are double[n][3]. Conventions, with G = 1:
 *   forces      acc_i = sum m_j dx / (r^2 + eps2)^(3/2), jerk its time derivative, pot_i = -sum m_j / (r^2 + eps2)^(1/2)
 *   j-particles those at addresses 0 ... nj - 1, each predicted from its own time tj to ti, with all terms of the hardware:
 *               x + v dt + aby2 dt^2 + a1by6 dt^3 + 3/4 a2by18 dt^4,  v + 2 aby2 dt + 3 a1by6 dt^2 + 3 a2by18 dt^3
 *               An address that was left out counts for nothing. ti = 0 before g6_set_ti.
 *   index       the particle's name, an int. An i-particle does not feel the j-particles that have its index.
 *   neighbors   are given by index. r^2 is not softened; a list has those with r^2 < h2 but the i-particle itself.
 *   id          the board, modulo 64: a device of its own, see below. Where that was not opened but one other was, that
 *               one: programs open a device and call it by their rank
 *
 * Two halves: firsthalf starts the device and returns; the program may work until lasthalf, which waits. What firsthalf was
 * given is copied. Another firsthalf in between discards the first; lasthalf alone does both. ni may be any number, whatever
 * g6_npipes says; ni = 0 changes nothing, and forces from no particles are zero. At another particle's place eps2 = 0 gives
 * infinite or undefined values.
 *
 * Failures end no program. A function that has a result returns 0 or minus a status of holmberg.h; what failed in a void
 * function is returned by the next lasthalf, whose arrays then are NaN. g6_error has a sentence; the first one is written
 * to stderr. g6_reset forgets a failure; closing and opening starts afresh.
 *
 * Environment:
 *   HB_G6_SCHEME     a scheme of `holmberg info`; default tile on a GPU, bag without compute shaders, host without a GPU
 *                    (host-simd for what that lacks: ds, single) or where the processor is faster, which opening measures in
 *                    some hundredths of a second and says once. Not cg2007 and grape6, which know forces on their sources
 *                    only
 *   HB_G6_PRECISION  one of the scheme's precisions; default double where scheme and device have it, else ds. For the calls of
 *                    GRAPE-5 and NBODY6, whose own libraries have float pairs, ds
 *   HB_G6_NPIPES     what g6_npipes says, 1 to 16384; default 48, GRAPE-6's, for which all programs have room. phiGRAPE has
 *                    16384, banana 128; the larger, the fewer calls for a large block
 *   HB_G6_DEVICES    a device for each board, "0 1 software"; default HB_DEVICE, else the k-th GPU for board k
 *   HB_G6_QUIET      if set, nothing is written to stderr
 *   HB_CONTEXT, HB_DEVICE, OMP_NUM_THREADS   as for holmberg itself
 *
 * Boards may be used by several threads, each board by one at a time; the calls of GRAPE-5 and NBODY6 by one thread. */
#ifndef HOLMBERG_G6_H
#define HOLMBERG_G6_H

#ifdef __cplusplus
extern "C" {
#endif

/* The sentence of this thread's last failure; "" if none. */
const char *g6_error(void);

/* Errors: a board that is not there, a device that cannot be opened. Opening twice is opening once. g6_open_special opens
 * board 0; its list of CUDA devices says nothing about OpenGL's. */
int g6_open(int id);
int g6_open_(const int *id);
int g6_open_special(int ngpu, int *list);
int g6_open_special2(int ngpu, int *list, int nmax);
int g6_close(int id);
int g6_close_(const int *id);
int g6_reset(int id);
int g6_reset_(const int *id);
int g6_reset_fofpga(int id);
int g6_reset_fofpga_(const int *id);
int g6_reinitialize(int id);
int g6_reinitialize_(const int *id);

/* i-particles to send at once. */
int g6_npipes(void);
int g6_npipes_(void);
int g6_get_number_of_pipelines(void);
int g6_get_number_of_pipelines_(void);

/* Accepted and not needed: scales of fixed-point numbers, buffers, tests of the hardware. Programs disagree whether a unit is
 * an int or a double. */
int g6_set_tunit(int n);
int g6_set_tunit_(const void *n);
int g6_set_xunit(int n);
int g6_set_xunit_(const void *n);
int g6_initialize_jp_buffer(int id, int size);
int g6_initialize_jp_buffer_(const int *id, const int *size);
int g6_flush_jp_buffer(int id);
int g6_flush_jp_buffer_(const int *id);
int g6_setup_njdata(int id, int nj);
int g6_setup_njdata_(const int *id, const int *nj);
int g6_set_overflow_flag_test_mode(int aflag, int jflag, int pflag);
int g6_set_overflow_flag_test_mode_(const int *aflag, const int *jflag, const int *pflag);

/* a2by18: second derivative of acc / 18, a1by6: jerk / 6, aby2: acc / 2, all at tj. dtj is not needed. Memory grows to the
 * largest address. */
int g6_set_j_particle(int id, int address, int index, double tj, double dtj, double mass,
                      const double a2by18[3], const double a1by6[3], const double aby2[3], const double v[3],
                      const double x[3]);
int g6_set_j_particle_(const int *id, const int *address, const int *index, const double *tj,
                       const double *dtj, const double *mass, const double a2by18[3], const double a1by6[3],
                       const double aby2[3], const double v[3], const double x[3]);

/* The time of all that follows: also of j-particles sent later. */
int g6_set_ti(int id, double ti);
int g6_set_ti_(const int *id, const double *ti);

/* What the next forces come from. */
int g6_get_predicted_j_particles(int id, int nj, double x[][3], double v[][3]);
int g6_get_predicted_j_particles_(const int *id, const int *nj, double x[][3], double v[][3]);

/* index[ni], xi[ni][3] and vi[ni][3] at ti, squared radii of neighbors h2[ni]. vi and h2 may be NULL: zeros. fold, jold and
 * phiold, guesses of the results for the hardware's scales, are not read. */
void g6calc_firsthalf(int id, int nj, int ni, const int index[], double xi[][3], double vi[][3],
                      double fold[][3], double jold[][3], double phiold[], double eps2, const double h2[]);
void g6calc_firsthalf_(const int *id, const int *nj, const int *ni, const int index[], double xi[][3],
                       double vi[][3], double fold[][3], double jold[][3], double phiold[],
                       const double *eps2, const double h2[]);

/* With the numbers of the first half. acc[ni][3], jerk[ni][3], pot[ni] are written in this order; each may be NULL.
 * 2: and nnbindex[ni], the nearest particle, -1 where there is none. p: and its softened distance. n: and lists, which all of
 * them offer. */
int g6calc_lasthalf(int id, int nj, int ni, const int index[], double xi[][3], double vi[][3], double eps2,
                    const double h2[], double acc[][3], double jerk[][3], double pot[]);
int g6calc_lasthalf_(const int *id, const int *nj, const int *ni, const int index[], double xi[][3],
                     double vi[][3], const double *eps2, const double h2[], double acc[][3], double jerk[][3],
                     double pot[]);
int g6calc_lasthalfn(int id, int nj, int ni, const int index[], double xi[][3], double vi[][3], double eps2,
                     const double h2[], double acc[][3], double jerk[][3], double pot[]);
int g6calc_lasthalfn_(const int *id, const int *nj, const int *ni, const int index[], double xi[][3],
                      double vi[][3], const double *eps2, const double h2[], double acc[][3],
                      double jerk[][3], double pot[]);
int g6calc_lasthalf2(int id, int nj, int ni, const int index[], double xi[][3], double vi[][3], double eps2,
                     const double h2[], double acc[][3], double jerk[][3], double pot[], int nnbindex[]);
int g6calc_lasthalf2_(const int *id, const int *nj, const int *ni, const int index[], double xi[][3],
                      double vi[][3], const double *eps2, const double h2[], double acc[][3],
                      double jerk[][3], double pot[], int nnbindex[]);
int g6calc_lasthalf2n(int id, int nj, int ni, const int index[], double xi[][3], double vi[][3], double eps2,
                      const double h2[], double acc[][3], double jerk[][3], double pot[], int nnbindex[]);
int g6calc_lasthalf2n_(const int *id, const int *nj, const int *ni, const int index[], double xi[][3],
                       double vi[][3], const double *eps2, const double h2[], double acc[][3],
                       double jerk[][3], double pot[], int nnbindex[]);
int g6calc_lasthalf2p(int id, int nj, int ni, const int index[], double xi[][3], double vi[][3], double eps2,
                      const double h2[], double acc[][3], double jerk[][3], double pot[], int nnbindex[],
                      float rnnb[]);
int g6calc_lasthalf2p_(const int *id, const int *nj, const int *ni, const int index[], double xi[][3],
                       double vi[][3], const double *eps2, const double h2[], double acc[][3],
                       double jerk[][3], double pot[], int nnbindex[], float rnnb[]);
int g6calc_lasthalf2np(int id, int nj, int ni, const int index[], double xi[][3], double vi[][3], double eps2,
                       const double h2[], double acc[][3], double jerk[][3], double pot[], int nnbindex[],
                       float rnnb[]);
int g6calc_lasthalf2np_(const int *id, const int *nj, const int *ni, const int index[], double xi[][3],
                        double vi[][3], const double *eps2, const double h2[], double acc[][3],
                        double jerk[][3], double pot[], int nnbindex[], float rnnb[]);

/* After lasthalf: finds the neighbors of its i-particles. 0, or 1: lists were cut, since together they would have more than
 * 2^24 entries (one list always has room for 256). Then one list at a time: nbl[*nblen] of the i-particle numbered ipipe
 * from 0, ascending; 1: it has more than maxlength entries, or was cut. */
int g6_read_neighbour_list(int id);
int g6_read_neighbour_list_(const int *id);
int g6_read_neighbour_list_old_(const int *id);
int g6_get_neighbour_list(int id, int ipipe, int maxlength, int *nblen, int nbl[]);
int g6_get_neighbour_list_(const int *id, const int *ipipe, const int *maxlength, int *nblen, int nbl[]);

/* Lists are sorted whatever the mode, which is kept. */
int g6_set_neighbour_list_sort_mode(int mode);
int g6_set_neighbour_list_sort_mode_(const int *mode);
int g6_get_neighbour_list_sort_mode(void);
int g6_get_neighbour_list_sort_mode_(void);

/* ---- GRAPE-5: forces and potentials without indices, from particles at rest ----------------------------- */

/* A point feels every particle, also one at its own place; potentials are positive: p_i = sum m_j / (r^2 + eps^2)^(1/2),
 * with m/eps of a particle itself. Names with MC have the board first. Failures as above; p and a are NaN then. */
void g5_open(void);
void g5_close(void);
int g5_get_number_of_pipelines(void);
int g5_get_jmemsize(void);
void g5_set_range(double xmin, double xmax, double mmin); /* of fixed-point numbers: not needed */
void g5_set_n(int n);                                     /* particles 0 ... n - 1 are summed   */
void g5_set_xmj(int adr, int nj, double xj[][3], double mj[]);
void g5_set_jp(int adr, int nj, double mj[], double xj[][3]);
void g5_set_eps_to_all(double eps);
void g5_set_eps2_to_all(double eps2);
void g5_set_xi(int ni, double xi[][3]);
void g5_run(void);
void g5_get_force(int ni, double a[][3], double p[]);
void g5_calculate_force_on_x(double x[][3], double a[][3], double p[], int ni);

void g5_openMC(int devid);
void g5_closeMC(int devid);
void g5_set_rangeMC(int devid, double xmin, double xmax, double mmin);
void g5_set_nMC(int devid, int n);
void g5_set_xmjMC(int devid, int adr, int nj, double xj[][3], double mj[]);
void g5_set_jpMC(int devid, int adr, int nj, double mj[], double xj[][3]);
void g5_set_eps_to_allMC(int devid, double eps);
void g5_set_eps2_to_allMC(int devid, double eps2);
void g5_set_xiMC(int devid, int ni, double xi[][3]);
void g5_runMC(int devid);
void g5_get_forceMC(int devid, int ni, double a[][3], double p[]);
void g5_calculate_force_on_xMC(int devid, double x[][3], double a[][3], double p[], int ni);

/* ---- NBODY6: the regular force ---------------------------------------------------------------------------- */

/* Forces without softening from nj particles but the neighbors of i, those with
 *   min(r^2, |dx + dtr dv|^2) < m_j h2_i,
 * so that h2 is a squared radius over the mass for which it holds. list[ni][lmax] has their number and then, counted from 0
 * and ascending, which they are; i itself is among them. Where there are more than nbmax (or lmax - 1), the number is
 * negative and the list empty. pot is positive, and without the neighbors. gpupot_: potentials of all n, positive. */
void gpunb_devinit_(void);
void gpunb_open_(const int *nbmax);
void gpunb_close_(void);
void gpunb_send_(const int *nj, double mj[], double xj[][3], double vj[][3]);
void gpunb_regf_(const int *ni, double h2[], double dtr[], double xi[][3], double vi[][3], double acc[][3],
                 double jrk[][3], double pot[], const int *lmax, const int *nbmax, int list[]);
void gpunb_profile_(const int *rank);
void gpupot_(const int *n, double m[], double x[][3], double pot[]);

#ifdef __cplusplus
}
#endif
#endif

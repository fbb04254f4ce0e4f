/* The calls of CUNBODY-1 on OpenGL: forces as in section 3 and appendix A of Hamada & Iitaka 2007. Link -lholmberg-cunbody.
 *
 * Device, scheme and precision by the environment, as in g6.h. A failure ends no program: the arrays are NaN then,
 * cunbody_error has a sentence, and the first one is written to stderr. Calls from several threads wait for each other. */
#ifndef HOLMBERG_CUNBODY_H
#define HOLMBERG_CUNBODY_H

#ifdef __cplusplus
extern "C" {
#endif

/* a[ni][3] at the points xi[ni][3], which need not be particles, from nj particles:
 *   a_i = sum m_j dx / (r^2 + eps2)^(3/2)
 * A particle at the place of a point adds nothing while eps2 > 0; with eps2 = 0 that holds where xi is xj, of each for
 * itself, and is undefined elsewhere. */
void force(double xj[][3], double mj[], double xi[][3], double eps2, double a[][3], int ni, int nj);
void force_(double xj[][3], double mj[], double xi[][3], const double *eps2, double a[][3], const int *ni,
            const int *nj);

/* The form with potential p[n] and jerk jk[n][3] of n particles on each other, which the paper calls `force`, too: programs
 * written for it are compiled with -Dforce=force_jerk_pot. Softening is the paper's, 1/256; p is negative and has -m/eps
 * of the particle itself, as there. */
void force_jerk_pot(double x[][3], double v[][3], double m[], double p[], double a[][3], double jk[][3],
                    int n);
void force_jerk_pot_(double x[][3], double v[][3], double m[], double p[], double a[][3], double jk[][3],
                     const int *n);

/* Gives the device back; the next call opens it again. */
void cunbody_close(void);
void cunbody_close_(void);

/* The sentence of this thread's last failure; "" if none. */
const char *cunbody_error(void);

#ifdef __cplusplus
}
#endif
#endif

/* The calls of Sapporo2 for Hermite schemes of sixth order (AMUSE's mi6) on OpenGL: acceleration, jerk and snap. Link
 * -lholmberg-sixth. The names are those of its header 6thorder.h; in C++ references take the place of pick_up_predictor_2's
 * pointers, which is the same to a linker.
 *
 * Device, scheme and precision by the environment, as in g6.h. The schemes are bag, tile and matrix2004; without a GPU, or
 * with a scheme of the host, sums are done there in double. The default precision is double, as Sapporo2's: with float pairs
 * mi6 comes to a halt. A failure ends no program: results are NaN then, sixth_error has a sentence, and the first one is
 * written to stderr. By one thread. */
#ifndef HOLMBERG_SIXTH_H
#define HOLMBERG_SIXTH_H

#ifdef __cplusplus
extern "C" {
#endif

/* Once is enough. The list of CUDA devices says nothing about OpenGL's. */
void initialize(void);
void initialize_special(int ndev, int *list);

/* A j-particle at its time: derivatives of its position up to the fifth, crk. Memory grows to the largest address. eps2 is
 * kept for pick_up_predictor_2. */
void set_j_particle(int add, double pos[3], double vel[3], double acc[3], double jrk[3], double snp[3],
                    double crk[3], double mass, double time, int id, double eps2);

/* The first nj of them at this time by their Taylor series, or as they were sent: what forces come from. */
void predict_all(double time, int nj);
void no_predict_all(double time, int nj);
void pick_up_predictor_2(int addr, int *id, double *mass, double *eps2, double pos[3], double vel[3],
                         double acc[3]);

/* accNew jrkNew snpNew[ni][3] and phi[ni] (positive: mi6 turns its sign) of particles with names ids[ni] at pos, vel and
 * acc[ni][3], softened by eps2[ni]. A particle does not feel those of its name. nnb[ni] names the nearest, -1 where there is
 * none, at the square distance nnb_r2[ni], which is r^2 + eps2. mass is not needed; crkNew is not written. */
void calc_force_on_predictors(int ni, int nj, int ids[], double pos[][3], double vel[][3], double acc[][3],
                              double mass[], double eps2[], double accNew[][3], double jrkNew[][3],
                              double snpNew[][3], double crkNew[][3], double phi[], int nnb[],
                              double nnb_r2[]);

/* Gives the device and the memory back; initialize opens them again. */
void sixth_close(void);

/* The sentence of this thread's last failure; "" if none. */
const char *sixth_error(void);

#ifdef __cplusplus
}
#endif
#endif

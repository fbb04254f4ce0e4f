/* Forces from outside: the potentials of a galaxy, at rest in the given coordinates, as a sum of parts in words.
 *
 *   point:m=M              Phi = -M / r
 *   plummer:m=M,a=A        Phi = -M / sqrt (r^2 + A^2)                                    Plummer 1911, MNRAS 71, 460
 *   disc:m=M,a=A,b=B       Phi = -M / sqrt (R^2 + (A + sqrt (z^2 + B^2))^2)               Miyamoto & Nagai 1975, PASJ 27, 533
 *   log:v=V,r=R0,q=Q       Phi = V^2 / 2 ln (R0^2 + x^2 + y^2 + z^2 / Q^2), Q = 1         Binney & Tremaine 2008, eq. 2.71a
 *
 * or in coordinates that turn with the angular speed W about z, where Phi has the centrifugal potential, too, and Coriolis' force
 * 2 W (v_y, -v_x, 0) is added:
 *
 *   frame:w=W              Phi = -W^2 (x^2 + y^2) / 2
 *   hill:w=W,k=K,n=N       Phi = ((K^2 - 4 W^2) x^2 + N^2 z^2) / 2, K = N = W             King 1962, AJ 67, 471;
 *                          the tide on a cluster around the origin, which moves on a      Fukushige & Heggie 2000, MNRAS 318, 753
 *                          circle of epicyclic frequency K and vertical frequency N, the
 *                          galaxy's middle on the x axis; K = N = W is that of a point mass
 *
 * Each part may have its middle elsewhere: point:m=10,x=5,y=0,z=0. The word omega=W is no force: it is the pattern speed that
 * the Jacobi energy E - W L_z refers to; in coordinates that turn, E itself is Jacobi's. */
#ifndef HB_FIELD_H
#define HB_FIELD_H

#include "base/status.h"

#include <holmberg/holmberg.h>

struct hb_field;

/* Errors: HB_ERR_USAGE (names the word), HB_ERR_INTERNAL. */
enum hb_status hb_field_create(const char *words, struct hb_field **field);
void hb_field_destroy(struct hb_field *field);

const char *hb_field_words(const struct hb_field *field);
double hb_field_omega(const struct hb_field *field); /* NaN: not given */

/* 2 W of coordinates that turn; else 0. */
double hb_field_turn(const struct hb_field *field);

/* Adds to a[3] and j[3], its derivative with time, what a particle at x[3] with v[3] feels of the potentials. And Coriolis'
 * force, after all other accelerations: its derivative is that of the sum. */
void hb_field_pull(const struct hb_field *field, const double x[3], const double v[3], double a[3],
                   double j[3]);
void hb_field_deflect(const struct hb_field *field, const double v[3], double a[3], double j[3]);

/* In axes that never turn, through a point at x that moves with the field: adds to f[3] what a particle s away from x feels more
 * than one at x. No digits cancel, however small s is. And the norm of that tide, [sum (df_i / ds_k)^2]^1/2, at s = 0; of a
 * point mass it is 6^1/2 m / r^3. */
void hb_field_difference(const struct hb_field *field, const double x[3], const double s[3], double f[3]);
double hb_field_tide(const struct hb_field *field, const double x[3]);

/* Adds both to a[3 * ni] and j[3 * ni] of particles index[ni] of x[3 * n] and v[3 * n]. */
void hb_field_add(const struct hb_field *field, size_t ni, const uint32_t *index, const double *x,
                  const double *v, double *a, double *j);

/* The potential at x; and how much higher it is at x + s: there no digits cancel, either. */
double hb_field_potential(const struct hb_field *field, const double x[3]);
double hb_field_rise(const struct hb_field *field, const double x[3], const double s[3]);

/* For shaders/hermite/field.glsl: the number of parts, and of each its form, three numbers and its middle. */
enum { HB_FIELD_PARTS = 16, HB_FIELD_NUMBERS = 6 };
enum hb_field_form { HB_FIELD_DISC, HB_FIELD_LOG, HB_FIELD_SQUARES };
int hb_field_parts(const struct hb_field *field, enum hb_field_form form[HB_FIELD_PARTS],
                   double numbers[HB_FIELD_PARTS][HB_FIELD_NUMBERS]);

#endif

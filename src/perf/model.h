/* The model of [PZ07] section 5: how much work a cluster is. Its numbers are fits to equal-mass Plummer spheres in N-body
 * units with a softening of 1/256. */
#ifndef HB_MODEL_H
#define HB_MODEL_H

#include <holmberg/holmberg.h>

/* Initializers of a struct hb_power_law: the mean number of particles in a block, and block steps of a time unit. */
#define HB_MODEL_EQ14                                                                                        \
  {                                                                                                          \
    0.20, 0.81                                                                                               \
  } /* eq. 14 */
#define HB_MODEL_EQ17                                                                                        \
  {                                                                                                          \
    247, 0.35                                                                                                \
  } /* eq. 17 */

/* Block steps per unit of time: eq. 17, measured at nu = 0.01; a step goes as nu^(1/2), eq. 9. */
double hb_model_n_steps(double n, double nu);

/* Times as many are done here, by how steps become powers of two: 1.6 down, 1.15 nearest, 0.8 up, each right within a quarter for
 * N = 256 ... 16384 (data/measured/rounding.jsonl). The paper does not say how it rounded. */
double hb_model_rounded(enum hb_rounding rounding);

#endif

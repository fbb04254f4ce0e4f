#include "perf/model.h"

#include <math.h>

double hb_model_n_block(double n) { return 0.20 * pow(n, 0.81); } /* eq. 14 */

double hb_model_n_steps(double n, double nu) { return 247 * pow(n, 0.35) * sqrt(0.01 / nu); } /* eq. 17 */

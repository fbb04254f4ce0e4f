#include "render/coloring.h"

#include "base/arith.h"
#include "base/mem.h"

#include <holmberg/device.h>

#include <math.h>

static const double outliers = 0.02; /* fraction that gets the first color, and as much the last one */

static const struct {
  const char *name, *label;
  enum hb_quantity quantity; /* SPEED and GROUP need none */
  int logarithm;
} rows[HB_COLORING_COUNT] = {
    [HB_COLORING_SPEED] = {"speed", "speed", HB_QUANTITY_SPEED, 0},
    [HB_COLORING_ACC] = {"acc", "acceleration", HB_QUANTITY_ACC, 1},
    [HB_COLORING_ENERGY] = {"energy", "energy of a unit of mass", HB_QUANTITY_ENERGY, 0},
    [HB_COLORING_STEP] = {"step", "time step", HB_QUANTITY_STEP, 1},
    [HB_COLORING_GROUP] = {"group", "group", HB_QUANTITY_SPEED, 0},
    [HB_COLORING_MASS] = {"mass", "mass", HB_QUANTITY_MASS, 1},
    [HB_COLORING_BOUND] = {"bound", "single, binary, triple", HB_QUANTITY_BOUND, 0},
    [HB_COLORING_AGE] = {"age", "age of the step", HB_QUANTITY_AGE, 0},
};

const char *hb_coloring_name(size_t k) { return k < HB_COLORING_COUNT ? rows[k].name : NULL; }

const char *hb_coloring_label(enum hb_coloring coloring, const double range[2], double numbers[2])
{
  for (int k = 0; k < 2; k++) numbers[k] = rows[coloring].logarithm ? pow(10, range[k]) : range[k];
  return rows[coloring].label;
}

enum hb_scene_color hb_coloring_scene(enum hb_coloring coloring)
{
  int is_group = coloring == HB_COLORING_GROUP || coloring == HB_COLORING_BOUND;
  return coloring == HB_COLORING_SPEED ? HB_SCENE_COLOR_SPEED
         : is_group                    ? HB_SCENE_COLOR_GROUP
                                       : HB_SCENE_COLOR_VALUE;
}

enum hb_status hb_coloring_of_sim(enum hb_coloring coloring, struct hb_sim *sim, size_t n, double *value)
{
  HB_TRY(hb_sim_quantity(sim, rows[coloring].quantity, value));
  for (size_t k = 0; k < n && coloring == HB_COLORING_BOUND; k++) value[k]--; /* groups count from 0 */
  for (size_t k = 0; k < n && rows[coloring].logarithm; k++) value[k] = log10(fmax(value[k], 1e-300));
  return HB_OK;
}

void hb_coloring_groups(size_t n, size_t groups, double *value)
{
  for (size_t k = 0; k < n; k++) value[k] = (double)(k * groups / n);
}

enum hb_status hb_coloring_fit(size_t n, const double *v, const double *value, double range[2])
{
  HB_OWN double *copy = NULL;
  size_t left = (size_t)(outliers * (double)n);
  HB_TRY(HB_ALLOC(n, &copy));
  for (size_t k = 0; k < n; k++)
    copy[k] = value ? value[k]
                    : sqrt(v[3 * k] * v[3 * k] + v[3 * k + 1] * v[3 * k + 1] + v[3 * k + 2] * v[3 * k + 2]);
  range[0] = hb_select(n, copy, left);
  range[1] = hb_select(n, copy, n - 1 - left);
  return HB_OK;
}

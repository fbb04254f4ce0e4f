/* hb_force_memory: what a run of n particles needs, from the arrays and textures that the other rooms make. */
#include "base/status.h"
#include "pairs/interaction.h"
#include "pairs/pairs.h"

#include <string.h>

enum {
  TEXEL = 16,          /* bytes of a vec4 or uvec4                                             */
  FEW = 65536 + 16384, /* totals of few sinks of bag: threads, a band of rows: pairs_bag_shape.c */
  BEHIND = 65536,      /* the last source of bag: a uniform block may begin there              */
  ROW = 16384,         /* bytes of a row of 1024 texels, to which sources are filled up        */
  MATRIX_LIMIT = 2048, /* of matrix2004, halved until its tile takes at most:                  */
  MATRIX_BYTES = 256 << 20,
};

/* Room is made for more than was asked for, since blocks grow: half as much again (hb_pairs_room), rows of totals twice. */
static const double GROWTH = 1.5, GROWTH_ROWS = 2;

/* m x v id of struct hb_particles. */
static const double PARTICLES = 8 * sizeof(double);

/* struct hb_hermite4: a j xp vp a1 j1, phi1, block level1; struct hb_blocks: next level marks marked_words; the
 * stamps of struct hb_force. Diagnostics lie in the integrator's idle arrays, see step/state_view.h. */
static const double INTEGRATOR = (6 * 3 + 1) * sizeof(double) + (4 + 1) + (4 + 1 + 1. / 8 + 1. / 512) + 4;

static int precision_of(const char *name)
{
  for (int k = 0; k < HB_PRECISION_COUNT; k++)
    if (strcmp(hb_precision_names[k], name) == 0) return k;
  return HB_PRECISION_SINGLE;
}

/* Texels of a particle's record and of a sink's total, as hb_pairs_create counts them. */
static double source_bytes(const struct hb_interaction *interaction, int precision)
{
  int records = interaction->records;
  return TEXEL * (precision == HB_PRECISION_DS       ? records + 1
                  : precision == HB_PRECISION_DOUBLE ? 2 * records
                                                     : records);
}

static double total_bytes(const struct hb_interaction *interaction, int precision)
{
  return TEXEL * interaction->f_records * (precision == HB_PRECISION_SINGLE ? 1 : 2);
}

/* ---- one function for each kind of source ---- */

/* mass, position, velocity, and twice acceleration and jerk with potential: 84 bytes in 2007, with vectors of three
 * floats; 100 with vectors of four. On the host m x v, staging, order, is_sink of struct cg2007. */
static void need_cg2007(unsigned flags, struct hb_force_need *need)
{
  double vector = flags & HB_FORCE_CG2007_RECT ? 12 : 16;
  need->device_source = 4 + 2 * vector + 2 * (vector + 16);
  need->host_particle += 4 + 12 + 12 + 16 + 4 + 1;
}

/* Particles twice: in a buffer, of which large blocks walk uniform blocks, and in a texture for few sinks. Totals of a
 * portion of the sinks, and of few, each in a ping-pong pair of textures at most. */
static void need_bag(double total, struct hb_force_need *need)
{
  need->device_source *= 2;
  need->device_fixed = HB_PAIRS_TOTALS + GROWTH * 2 * total * FEW + 2 * (BEHIND + ROW);
}

/* Totals of a portion of the sinks, in one storage buffer. */
static void need_tile(struct hb_force_need *need) { need->device_fixed = HB_PAIRS_TOTALS; }

/* The pairs of a tile and half as many to fold them into; totals in a ping-pong pair. */
static void need_matrix2004(double total, struct hb_force_need *need)
{
  double side = MATRIX_LIMIT;
  while (1.5 * side * side * total > MATRIX_BYTES) side /= 2;
  need->device_fixed = 1.5 * side * side * total;
  need->device_sink += GROWTH_ROWS * 2 * total;
}

/* Records of the particles, numbers of the sinks and what the scheme adds; on the host what travels at once. */
static void need_pairs(const struct hb_force_params *params, struct hb_force_need *need)
{
  const struct hb_interaction *gravity = hb_interaction_find("gravity_jerk");
  int precision = precision_of(params->precision);
  double total = total_bytes(gravity, precision);
  need->device_source = source_bytes(gravity, precision);
  need->device_sink = sizeof(uint32_t);
  if (strcmp(params->scheme, "bag") == 0) need_bag(total, need);
  if (strcmp(params->scheme, "tile") == 0) need_tile(need);
  if (strcmp(params->scheme, "matrix2004") == 0) need_matrix2004(total, need);
  need->host_fixed = HB_PAIRS_PIECE;
}

/* The columns of struct hb_gravity; those of struct host_simd, seven floats or ten; those of struct grape6. */
static void need_host(const struct hb_force_params *params, struct hb_force_need *need)
{
  int simd = strcmp(params->precision, "single") == 0 || strcmp(params->precision, "ds") == 0;
  int ds = strcmp(params->precision, "ds") == 0;
  need->host_particle += simd ? (ds ? 10 : 7) * sizeof(float) : 7 * sizeof(double);
  if (strcmp(params->scheme, "grape6") == 0) need->host_particle += 3 * sizeof(int32_t);
}

/* Both of them; what the start measures with is gone before xp vp are there. */
static void need_hybrid(const struct hb_force_params *params, struct hb_force_need *need)
{
  struct hb_force_params tile = *params;
  tile.scheme = "tile";
  need_pairs(&tile, need);
  need_host(params, need);
}

/* ---- all of them ---- */

enum hb_status hb_force_memory(const struct hb_force_params *params, size_t n, struct hb_force_need *need)
{
  const struct hb_force_scheme *scheme = params->scheme ? hb_force_scheme_find(params->scheme) : NULL;
  if (!scheme || !params->precision)
    return hb_fail(HB_ERR_USAGE, "the memory of a source of forces was asked for, but not of which");
  struct hb_force_need result = {.host_particle = PARTICLES + INTEGRATOR};
  int cg2007 = strcmp(scheme->name, "cg2007") == 0;
  if (cg2007)
    need_cg2007(params->flags, &result);
  else if (strcmp(scheme->name, "hybrid") == 0)
    need_hybrid(params, &result);
  else if (scheme->needs_gl)
    need_pairs(params, &result);
  else
    need_host(params, &result);
  result.device = (double)n * (result.device_source + result.device_sink) + result.device_fixed;
  result.host = (double)n * result.host_particle + result.host_fixed;
  *need = result;
  return HB_OK;
}

#include "report/reproduce_sources.h"

#include "base/draft.h"
#include "report/model_2007.h"
#include "report/reproduce_job.h"
#include "report/reproduce_rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- estimates --------------------------------------------------------------------------------------- */

double hb_source_seconds(const struct hb_source *source, double n, double ni)
{
  return (source->passes_each ? n - 1 : 1) * source->pass_s + source->pair_s * n * ni;
}

double hb_source_start_seconds(const struct hb_reproduction *r, const struct hb_source *source)
{
  return hb_force_scheme_find(source->scheme)->on_host ? r->start_s : r->gl_start_s;
}

/* Block steps of the usual size, and three sums over all pairs in double. */
double hb_source_run_seconds(const struct hb_reproduction *r, const struct hb_source *source, size_t n,
                             double steps)
{
  const struct hb_source *host = &r->sources[HB_SOURCE_HOST];
  double all = (double)n;
  return hb_source_start_seconds(r, source) + steps * hb_source_seconds(source, all, hb_2007_n_block(all)) +
         hb_source_seconds(source, all, all) + 3 * hb_source_seconds(host, all, all);
}

/* ---- probes ------------------------------------------------------------------------------------------ */

#define SOURCE(NAME, SCHEME, PRECISION, ...)                                                                 \
  {                                                                                                          \
    .name = NAME, .scheme = SCHEME, .precision = PRECISION, .what = __VA_ARGS__                              \
  }
static const struct hb_source all_sources[HB_SOURCES] = {
    [HB_SOURCE_HOST] = SOURCE("host", "host", "double", "double precision on the processor"),
    [HB_SOURCE_SIMD] =
        SOURCE("host-simd", "host-simd", "single", "single precision on the processor's vector units"),
    [HB_SOURCE_CG2007] = SOURCE("cg2007", "cg2007", "single", "the kernel of 2007", .passes_each = 1),
    [HB_SOURCE_BAG] = SOURCE("bag", "bag", "single", "fragment programs that sum many sources in one pass"),
    [HB_SOURCE_TILE] =
        SOURCE("tile", "tile", "single", "compute programs with tiles of sources in shared memory"),
    [HB_SOURCE_GRAPE6] =
        SOURCE("grape6", "grape6", "grape6", "GRAPE-6's arithmetic, emulated on the processor"),
    [HB_SOURCE_COMPENSATED] = SOURCE("compensated", "bag", "compensated", "float pairs, double-single sums"),
    [HB_SOURCE_DS] = SOURCE("ds", "bag", "ds", "double-single positions and sums"),
    [HB_SOURCE_DOUBLE] = SOURCE("double", "bag", "double", "double precision on the device"),
};
#undef SOURCE

/* Two sizes far apart separate the cost of a pass from that of a pair. */
struct probe_sizes {
  size_t n[2], ni[2];
};

static struct probe_sizes probe_sizes(const struct hb_reproduction *r)
{
  size_t large = r->n_most > 4096 ? 8192 : r->n_most >= 1024 ? 2048 : 512;
  return (struct probe_sizes){{large / 8, large}, {large / 128, large / 8}};
}

enum hb_status hb_reproduce_plan_probes(struct hb_reproduction *r, int stage)
{
  struct probe_sizes p = probe_sizes(r);
  if (stage == 0) { /* almost empty jobs come first */
    memcpy(r->sources, all_sources, sizeof all_sources);
    hb_job_add(r, HB_JOB_PROBE, NULL, 1, "kind=start", "ic plummer -n 16 --seed 1 -o jobs/start.h5 --quiet");
    hb_job_add(r, HB_JOB_PROBE, &r->sources[HB_SOURCE_CG2007], 1, "kind=start on=gl",
               "bench draws --n 16 --ni 16 --repeat 1 --json");
  }
  for (int k = stage ? HB_SOURCE_COMPENSATED : 0; k < (stage ? HB_SOURCES : HB_SOURCE_COMPENSATED); k++)
    hb_job_add(r, HB_JOB_PROBE, &r->sources[k], 1, hb_phrase("kind=probe source=%s", r->sources[k].name),
               hb_phrase("bench force --n %zu,%zu --ni %zu,%zu --repeat 1 --json", p.n[0], p.n[1], p.ni[0],
                         p.ni[1]));
  return r->planned;
}

static double probe_seconds(const struct hb_reproduction *r, const struct hb_source *source, int k)
{
  struct probe_sizes p = probe_sizes(r);
  return 1e-3 * hb_reproduce_number(r, "ms_median", "kind=probe source=%s n=%zu ni=%zu", source->name, p.n[k],
                                    p.ni[k]);
}

/* t = passes * (pass_s + pair_s * n * ni / passes) at both sizes. */
static void take_probe(const struct hb_reproduction *r, struct hb_source *source)
{
  struct probe_sizes p = probe_sizes(r);
  double t[2], pairs[2], passes[2];
  for (int k = 0; k < 2; k++) {
    t[k] = probe_seconds(r, source, k);
    passes[k] = source->passes_each ? (double)p.n[k] - 1 : 1;
    pairs[k] = (double)p.n[k] * (double)p.ni[k];
  }
  source->is_there = t[0] > 0 && t[1] > 0;
  double pair_s = (t[1] / passes[1] - t[0] / passes[0]) / (pairs[1] / passes[1] - pairs[0] / passes[0]);
  source->pair_s = fmax(pair_s, 0.1 * t[1] / pairs[1]);
  source->pass_s = fmax(t[0] / passes[0] - source->pair_s * pairs[0] / passes[0], 0);
}

static const struct hb_job *job_called(const struct hb_reproduction *r, const char *wanted)
{
  for (size_t k = 0; k < r->job_count; k++)
    if (strcmp(r->jobs[k].name, wanted) == 0) return &r->jobs[k];
  return NULL;
}

enum hb_status hb_reproduce_take_probes(struct hb_reproduction *r, int stage)
{
  for (int k = stage ? HB_SOURCE_COMPENSATED : 0; k < (stage ? HB_SOURCES : HB_SOURCE_COMPENSATED); k++) {
    struct hb_source *source = &r->sources[k];
    const struct hb_job *job = job_called(r, hb_phrase("probe-%s", source->name));
    take_probe(r, source);
    if (job) snprintf(source->why_not, sizeof source->why_not, "%s", job->failure);
  }
  if (stage == 1) return HB_OK;
  const struct hb_source *bag = &r->sources[HB_SOURCE_BAG], *tile = &r->sources[HB_SOURCE_TILE];
  const struct hb_source *cg2007 = &r->sources[HB_SOURCE_CG2007], *host = &r->sources[HB_SOURCE_HOST];
  if (!cg2007->is_there || !host->is_there)
    return hb_fail(HB_ERR_GL, "the kernel of 2007 cannot run on this machine: %s", cg2007->why_not);
  int tile_is_faster = tile->is_there && (!bag->is_there || tile->pair_s < bag->pair_s);
  for (int k = HB_SOURCE_COMPENSATED; k < HB_SOURCES; k++)
    r->sources[k].scheme = tile_is_faster ? "tile" : "bag";
  r->start_s = job_called(r, "start")->wall_s;
  r->gl_start_s = job_called(r, "start-gl")->wall_s;
  return HB_OK;
}

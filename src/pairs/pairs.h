/* The all-pairs engine: an interaction, walked by a scheme, in a precision, on an OpenGL context. It does not know
 * gravity: particles and forces are records of four numbers. */
#ifndef HB_PAIRS_H
#define HB_PAIRS_H

#include "gl/gl_mapped.h"
#include "pairs/fixed.h"
#include "pairs/interaction.h"
#include "pairs/precision.h"

/* A column of numbers: element j is data[stride * j]; NULL stands for zeros. */
struct hb_column {
  const double *data;
  size_t stride;
};

enum hb_j_source { HB_J_BUFFER_TEXTURE, HB_J_TEXTURE, HB_J_BLOCK, HB_J_STORAGE, HB_J_SOURCE_COUNT };
extern const char *const hb_j_source_names[]; /* NULL after the last */

/* How a scheme walks; 0: the default for device and block. A scheme ignores what it does not use. */
struct hb_pairs_tuning {
  int i_each;          /* sinks a fragment or compute thread holds in registers   */
  int unroll;          /* sources fetched ahead                                   */
  int partial;         /* sources of one float sum, a multiple of unroll          */
  int j_source_plus_1; /* enum hb_j_source + 1                                    */
  int output_plus_1;   /* 1: render targets, 2: storage buffer (GL 4.3)           */
  int add_plus_1;      /* bag: segments are added by 1: the host, 2: the device (GL 4.3) */
  int threads;         /* wanted at once: the sources are divided to get them */
  int width;           /* bag: fragments a row                                      */
  int workgroup;       /* tile: threads that share a tile                         */
  int body_threads;    /* tile: most threads a body                                      */
  int limit;           /* matrix2004: side of the largest texture                 */
  int bag;             /* bag: sources a pass, over all segments                  */
  int portion;         /* bag: most sinks walked at once                          */
};

struct hb_pairs_params {
  struct hb_gl_context *context; /* not owned */
  const struct hb_interaction *interaction;
  const char *scheme; /* one of hb_pairs_schemes */
  enum hb_precision precision;
  struct hb_pairs_tuning tuning;
  double parameter[4]; /* the interaction's own numbers */
  double max_draw_s;   /* the longest draw; 0: 0.05 */
};

struct hb_pairs;
struct hb_gl_pass;

/* Errors: HB_ERR_GL where the device lacks something (precision, compute shaders), HB_ERR_USAGE (tuning). */
enum hb_status hb_pairs_create(const struct hb_pairs_params *params, struct hb_pairs **pairs);
void hb_pairs_destroy(struct hb_pairs *pairs);

/* Sends nj particles, columns[4 * records]. */
enum hb_status hb_pairs_set_j(struct hb_pairs *pairs, size_t nj, const struct hb_column *columns);

/* Where a component of what the sinks feel goes: that of sink i to data[stride * i]; NULL: nowhere. */
struct hb_result {
  double *data;
  size_t stride;
};

/* What is wanted of a walk. `take` is called for each portion of sinks, whose totals the next one replaces. */
typedef enum hb_status (*hb_pairs_taker)(void *context, struct hb_pairs *pairs, size_t first, size_t count);
struct hb_pairs_job {
  size_t ni;
  const uint32_t *index; /* [ni]: sinks that are sources, by their numbers; of points: the source that each */
                         /* leaves out, or no source's number. Valid during the walk, and so are */
  const struct hb_column *points; /* [4 * records] like those of the sources; NULL: the sinks are sources */
  const struct hb_result
      *results; /* [4 * f_records], NULL: not wanted; the last, which counts sources, has none */

  /* in precision reproducible: */
  const uint32_t *scale; /* [ni] */
  struct hb_fixed_total
      *totals; /* [ni], each in its scale; both stay where they are until the walk is read */

  hb_pairs_taker take; /* of results that stay on the device; NULL: they go to the host */
  void *context;       /* its own */
};

/* Starts the walk and returns without waiting where it can; of a block in portions it waits for, and writes the results of,
 * all but the last. Errors: HB_ERR_DEVICE when a draw was lost. */
enum hb_status hb_pairs_walk(struct hb_pairs *pairs, const struct hb_pairs_job *job);

/* In precision reproducible, before the sources are sent: how their columns are rounded, [4 * records]. */
void hb_pairs_set_rounding(struct hb_pairs *pairs, const struct hb_fixed_column *rounding);

/* One record of the particles from .. to, rounded (NULL: not), as floats: the first goes to `out`, the others to every `stride` bytes
 * after that. low > 0: what the floats could not hold of x, y, z goes that many bytes further on. */
struct hb_pairs_stretch {
  size_t from, to, stride;
};
void hb_pairs_pack(const struct hb_column columns[4], const struct hb_fixed_column *rounding,
                   const struct hb_pairs_stretch *stretch, size_t low, char *out);

/* Waits for the walk and writes its remaining results. HB_ERR_DEVICE when a draw was lost. */
enum hb_status hb_pairs_read(struct hb_pairs *pairs);

/* ---- on the device, without the host ---- */

/* Memory for nj particles, whose texels the caller writes into pairs->j and then declares filled. */
enum hb_status hb_pairs_reserve_j(struct hb_pairs *pairs, size_t nj);
enum hb_status hb_pairs_filled_j(struct hb_pairs *pairs);

/* The same for particles that come next: memory in pairs->j_next, as much as pairs->j has; and when the caller has filled it,
 * they take the place of those in pairs->j. */
enum hb_status hb_pairs_reserve_next(struct hb_pairs *pairs);
enum hb_status hb_pairs_use_next(struct hb_pairs *pairs);

/* The same texels as a two-dimensional texture, for programs with J_TEXTURE: copied by the device when they are newer.
 * Errors: HB_ERR_GL where they do not fit. */
enum hb_status hb_pairs_texture_2d(struct hb_pairs *pairs);
int hb_pairs_fit_texture_2d(const struct hb_pairs *pairs);

/* How the schemes store the totals of a walk: each of `segments` has `groups` of `each` sinks. Groups are
 * laid out in rows of `width`, and where band > 1 down columns of that height first; a group takes `texels`, and
 * uvec4 number q of its sinks' totals, q = k % each * words + word, is q times `layer` texels after the first. */
struct hb_pairs_totals {
  unsigned buffer; /* its name in OpenGL */
  int segments, groups, each, width, band, texels, layer;
  uint32_t walked; /* what the counts of a sink's totals add up to when no draw was lost */
};

/* The totals of the current portion, which need not be done yet. */
enum hb_status hb_pairs_totals(struct hb_pairs *pairs, struct hb_pairs_totals *totals);

/* Memory for all `count` words in pairs->staging or, where that is too much at once, for a piece of at least `least` words:
 * *piece words. */
enum hb_status hb_pairs_stage(struct hb_pairs *pairs, size_t least, size_t count, size_t *piece);

/* To be called after reading results that depend on the portion: learns the device's speed. */
void hb_pairs_done(struct hb_pairs *pairs);

/* ---- the engine ---- */

/* A number for each sink, and those that were sent, if they fit. */
struct hb_pairs_numbers {
  struct hb_gl_buffer buffer;
  uint32_t sent[16384];
  size_t sent_bytes;
};

/* Bytes of totals on the device: larger blocks are walked in portions of this size where the scheme can, and no spare
 * memory beyond it is reserved for blocks that grow. 2^20 sinks of bag in single, which keep any device busy. */
enum { HB_PAIRS_TOTALS = 64 << 20 };

/* Bytes transferred at once between device and host: the totals of a small block in one piece; and, where the processor is
 * the device, what fits its cache. */
enum { HB_PAIRS_PIECE = 8 << 20, HB_PAIRS_PIECE_SOFTWARE = 128 << 10 };

/* How a portion of the sinks is walked: pass after pass over the same part of each segment of the sources. A pass is as long as
 * the user's bag, `most`, and the time bound allow: a multiple of `step`, which is at most segment_length. */
struct hb_pairs_shape {
  size_t segments, segment_length; /* sources */
  size_t step, most;
  size_t tile;               /* no pass crosses a multiple of it; 0: there are none */
  enum hb_j_source j_source; /* where programs read the sources */
};

struct hb_pairs {
  struct hb_pairs_params params;
  const struct hb_pairs_scheme *scheme;
  void *state; /* the scheme's own */

  size_t nj, ni; /* sources, and sinks of the current portion */
  size_t before; /* sinks in earlier portions */
  struct hb_pairs_job job;
  struct hb_result results[4 * HB_RECORDS_MAX];        /* its own are the caller's */
  struct hb_fixed_column rounding[4 * HB_RECORDS_MAX]; /* of the columns, in precision reproducible */
  struct hb_pairs_shape shape;
  uint64_t passes; /* of the walk that were traced */
  int draws;       /* of the walk, one a pass */

  /* Counts of summed sources start from a different number in each walk, so that leftovers of an earlier walk cannot pass
   * for the results of a lost draw. */
  uint32_t token;
  uint32_t count_start; /* where the count of a total starts: token times the totals added up in it */
  int fma_is_fused;     /* GLSL's fma() rounds once, by the self-test; 0 where it was not asked */
  double root_error;    /* of 1 / r in the mean, relative, for which the sums are corrected; 0: negligible */
  int texels;           /* vec4s a particle takes on the device                  */
  int words;            /* uvec4s a total takes: WORDS of common/real.glsl       */
  struct hb_gl_upload upload; /* particles on their way */
  struct hb_gl_buffer j;      /* particles                                             */
  struct hb_gl_buffer j_next; /* those that come next, where they are made ahead */
  struct hb_gl_texture j_2d;  /* the same as an ordinary texture, made when first read */
  int is_2d_filled;
  int shift;                       /* its width is 2^shift texels                           */
  struct hb_pairs_numbers i;       /* sinks' numbers                                        */
  struct hb_pairs_numbers i_scale; /* their scales, in precision reproducible               */
  struct hb_gl_buffer i_points;    /* the points of the portion, as particles are stored   */

  struct hb_gl_buffer storage;    /* totals: [segment][sink][words], for schemes that store them so */
  struct hb_gl_readback readback; /* sums on their way to the host: [sink][words], where the device adds */

  uint32_t *staging; /* results read back, piece by piece */
  size_t staging_capacity;

  double pairs_per_s; /* as measured; a guess until known is 1 */
  int known;
  double started; /* clock at the start of the walk */
  unsigned built; /* programs of the context then */
};

struct hb_pairs_scheme {
  const char *name, *summary, *source;
  int is_compute;  /* its programs are compute shaders                                          */
  int is_historic; /* of historical interest */
  int has_tuning;  /* for the tuner; matrix2004's limit is a matter of memory */
  enum hb_status (*create)(struct hb_pairs *pairs);
  void (*destroy)(struct hb_pairs *pairs);
  size_t (*portion)(struct hb_pairs *pairs);       /* sinks to walk at once, by pairs->job */
  enum hb_status (*begin)(struct hb_pairs *pairs); /* a portion: programs, memory, and pairs->shape */
  enum hb_status (*pass)(struct hb_pairs *pairs, size_t from, size_t to); /* these sources of each segment */
  enum hb_status (*end)(struct hb_pairs *pairs);  /* after the last pass; NULL: nothing is left to do */
  enum hb_status (*read)(struct hb_pairs *pairs); /* hb_pairs_add for each total */
  enum hb_status (*totals)(struct hb_pairs *pairs, struct hb_pairs_totals *totals); /* NULL: cannot */
  /* Adds what it allocates on a GPU beside particles and sinks' numbers; total: bytes of a sink's total. */
  void (*memory)(double total, struct hb_force_need *need);
};

/* Every scheme: struct hb_pairs_scheme hb_pairs_NAME. */
#define HB_PAIRS_SCHEMES(X)     X(bag) X(tile) X(matrix2004)
#define HB_PAIRS_DECLARED(name) extern const struct hb_pairs_scheme hb_pairs_##name;
HB_PAIRS_SCHEMES(HB_PAIRS_DECLARED)
extern const struct hb_pairs_scheme *const hb_pairs_schemes[];
extern const size_t hb_pairs_scheme_count;

/* NULL if there is none with that name. */
const struct hb_pairs_scheme *hb_pairs_scheme_find(const char *name);

/* vec4s that a particle takes on the device, and uvec4s that a total does. */
static inline int hb_pairs_texels(const struct hb_interaction *interaction, enum hb_precision precision)
{
  const struct hb_precision_facts *facts = &hb_precisions[precision];
  return facts->record_texels * interaction->records + facts->low_texels;
}
static inline int hb_pairs_words(const struct hb_interaction *interaction, enum hb_precision precision)
{
  return hb_precisions[precision].total_words * interaction->f_records;
}

#endif

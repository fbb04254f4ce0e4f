/* Particles kept in a storage buffer of the device, each in some layers of four words; and the count of the dispatches that
 * store them or compute from them, since a driver may drop one without an error. Needs GL 4.4. */
#ifndef HB_KEPT_H
#define HB_KEPT_H

#include "gl/gl_mapped.h"
#include "gl/gl_pass.h"
#include "pairs/precision.h"

/* A program of shaders/hermite for particles in this precision; fma_is_fused: fma() rounds once (hb_pairs). The files' own defines are added.
 * Errors: as hb_gl_pass_create. */
enum hb_status hb_kept_program(struct hb_gl_context *context, enum hb_precision precision, int fma_is_fused,
                               const struct hb_gl_program_source *files, struct hb_gl_pass *pass);

struct hb_kept {
  struct hb_gl_context *context;
  size_t n, layers;
  struct hb_gl_pass store;
  struct hb_gl_buffer state;        /* [layer][particle] */
  struct hb_gl_buffer count;        /* of workgroups that have ended */
  struct hb_gl_mapped told;         /* what the count was when it was last complete */
  struct hb_gl_mapped sent;         /* [k][layer] particles on their way, */
  struct hb_gl_mapped numbers;      /* [k] and which they are, or -1: none */
  struct hb_gl_pass collect;        /* made when it is first needed: */
  struct hb_gl_mapped wanted;       /* numbers of particles that the host wants, */
  struct hb_gl_readback leaving[2]; /* [k][layer] those on their way to it, in turn */
  uint32_t token;                   /* of this turn */
  uint32_t expected;                /* what the count is to become, */
  uint32_t due;   /* and what it must be by now: without dispatches whose results nobody has asked for yet */
  int is_busy;    /* the device may still be at work, */
  int is_storing; /* read what is on its way to it, */
  int is_collecting; /* or write what the host wants */
};

/* Whether the device can, and has a buffer for so many. */
int hb_kept_suits(const struct hb_gl_caps *caps, size_t n, size_t layers);

/* *kept starts as zeros; after a failure it is destroyed, too. Errors: HB_ERR_GL, HB_ERR_DEVICE. */
enum hb_status hb_kept_create(struct hb_gl_context *context, size_t n, size_t layers, struct hb_kept *kept);
void hb_kept_destroy(struct hb_kept *kept);

/* Room for up to HB_KEPT_PORTION particles on their way, when none are: their layers, words[4 * layers * count], and
 * numbers[count]. Then they are stored, all but those with number -1; or they come from another buffer. */
enum { HB_KEPT_PORTION = 1 << 17 };
enum hb_status hb_kept_reserve(struct hb_kept *kept, size_t count, uint32_t **words, uint32_t **numbers);
void hb_kept_store(struct hb_kept *kept, size_t count);
void hb_kept_store_from(struct hb_kept *kept, size_t count, const struct hb_gl_buffer *particles);

/* Waits: this layer of particles first .. first + count - 1, four words a particle. */
void hb_kept_read(const struct hb_kept *kept, size_t layer, size_t first, size_t count, uint32_t *words);

/* The host wants the particles number[count], as they are after what has been dispatched so far; and when the device has got
 * there, *words: 4 * layers each, of which the last is the number plus the token. Valid until it wants others twice. */
enum hb_status hb_kept_collect(struct hb_kept *kept, size_t count, const uint32_t *number);
enum hb_status hb_kept_collected(struct hb_kept *kept, size_t count, const uint32_t **words);

/* The device has been waited for: nothing is on its way. */
void hb_kept_finished(struct hb_kept *kept);

/* For a program that includes kept.glsl, with so many threads: one that is counted, or not, because its results show
 * whether it was dropped. The inputs of kept.glsl are set, and bindings from HB_KEPT_BINDINGS on are free. */
enum { HB_KEPT_BINDINGS = 3 };
void hb_kept_dispatch(struct hb_kept *kept, struct hb_gl_pass *pass, size_t threads);
void hb_kept_dispatch_uncounted(struct hb_kept *kept, struct hb_gl_pass *pass, size_t threads);

/* The same for one that may turn out to be in vain; and its results will be used, if no other counted one was in between. */
void hb_kept_dispatch_ahead(struct hb_kept *kept, struct hb_gl_pass *pass, size_t threads);
void hb_kept_use_ahead(struct hb_kept *kept);

/* After results of a later dispatch have come, so that there is nothing to wait for: HB_ERR_DEVICE unless all that were
 * counted have been done. */
enum hb_status hb_kept_check(struct hb_kept *kept);

#endif

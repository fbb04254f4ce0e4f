/* Shared by the files of resident.h: resident.c predicts and corrects, resident_transfer.c sends and fetches. */
#ifndef HB_RESIDENT_TRANSFER_H
#define HB_RESIDENT_TRANSFER_H

#include "base/arith.h"
#include "force/resident.h"
#include "gl/gl_pass.h"
#include "gl/gl_tally.h"

enum { HB_RESIDENT_ROW = 1024 /* particles a row, as in shaders/hermite */, HB_RESIDENT_LAYERS = 8 };

struct hb_resident {
  struct hb_pairs *pairs;
  struct hb_gl_context *context;
  size_t n;
  int rows;
  struct hb_gl_texture state, block; /* all particles; those of a block, as they were sent or corrected */
  struct hb_gl_texture
      records; /* one layer: the output of predict.frag, to be copied to the engine's buffer */
  struct hb_gl_pass predict, correct, scatter;
  struct hb_gl_buffer sinks, levels;
  struct hb_gl_texture totals; /* over the buffer that a walk left */
  uint32_t since[4 * HB_FORCE_LEVELS];
  struct hb_gl_tally made;   /* by predict and correct, for this block */
  struct hb_gl_tally stored; /* by scatter, since there is a state */
};

static inline int hb_resident_rows(size_t count) { return (int)hb_div_ceil(count, HB_RESIDENT_ROW); }

/* Memory for a block of ni particles. Errors: HB_ERR_GL, HB_ERR_DEVICE. */
enum hb_status hb_resident_reserve(struct hb_resident *resident, size_t ni);

/* The sinks of a block. */
void hb_resident_send_sinks(struct hb_resident *resident, size_t ni, const uint32_t *index);

/* A double as two words of the device: its own, or those of the nearest float and the remainder. */
void hb_resident_split(const struct hb_resident *resident, double x, uint32_t *high, uint32_t *low);

/* The steps that a corrected block asks for, step[ni]. Errors: as hb_resident_correct. */
enum hb_status hb_resident_read_steps(struct hb_resident *resident, size_t ni, const uint32_t *index,
                                      double *step);

#endif

/* What two particles do to each other: a GLSL file, and what the engine needs to know of it, which the file declares in
 * comments; interaction.c reads them. */
#ifndef HB_INTERACTION_H
#define HB_INTERACTION_H

#include "gl/gl_trace.h"

#include <holmberg/interaction.h>

/* vec4s of a particle on the device, of which the last may hold low parts of its position. */
enum { HB_RECORDS_MAX = 4, HB_F_RECORDS_MAX = 3, HB_INTERACTION_NAME = 24 };

/* Four numbers a record; an empty name: unused. */
struct hb_record_names {
  char at[4 * HB_RECORDS_MAX][HB_INTERACTION_NAME];
};

/* The number of the name among 4 * records; -1: none. */
int hb_interaction_record(const struct hb_record_names *names, const char *name);

struct hb_interaction {
  const char *name, *summary, *source;
  const char *file; /* under shaders/; or, of a user's, what messages call it */
  const char *text; /* a user's; NULL: it is under shaders/                         */
  int records;      /* vec4s a particle brings, RECORDS in shaders                  */
  int f_records;    /* vec4s it feels, F_RECORDS; the last component belongs to the engine */
  struct hb_record_names of_source, of_sink, of_force, of_parameter;
  int flops;           /* operations of one pair, sqrt and division counted as one each; 0: not declared */
  int is_pinned;       /* its operations are spelled out for precision reproducible */
  int eps2;            /* which parameter is the softening squared, set by the caller's eps; -1: none */
  double parameter[4]; /* its numbers, `parameter` in its file; NaN: must be given */
  uint64_t hash;       /* of its code, without comments and blanks */
  char key[64];        /* tells it from all others: the name, and of a user's the hash */
  struct hb_gl_trace_quantity particle[4 * HB_RECORDS_MAX + 1], force[4 * HB_RECORDS_MAX + 1];
  char *owned[3]; /* of name, file, text */
};

/* Those that come with the program, in the order of lists; NULL after the last. */
const struct hb_interaction *hb_interaction_at(size_t k);

/* Gravity with jerk and potential, for integrators. */
#define HB_INTERACTION_GRAVITY hb_interaction_at(0)

/* One of them; NULL if there is none with that name. */
const struct hb_interaction *hb_interaction_find(const char *name);

/* Fails with the known names. */
enum hb_status hb_interaction_unknown(const char *name);

/* Whether the name is that of a file. */
int hb_interaction_is_path(const char *name);

/* Its numbers: the file's, eps^2 where it takes a softening (eps NaN: none was chosen), then what words like "k=1 b=2"
 * (nullable) set. Errors: HB_ERR_USAGE: an unknown name, a value that is not a number, or one that is missing. */
enum hb_status hb_interaction_set(const struct hb_interaction *interaction, double eps, const char *words,
                                  double parameter[4]);

/* What its numbers are without words; those that must be given are 1. */
void hb_interaction_parameter(const struct hb_interaction *interaction, double eps, double parameter[4]);

/* Whether it can be integrated: particles and what they feel are laid out like those of gravity with potential, and with
 * jerk or zeros in its place. */
int hb_interaction_is_integrable(const struct hb_interaction *interaction);
int hb_interaction_has_jerk(const struct hb_interaction *interaction);

#endif

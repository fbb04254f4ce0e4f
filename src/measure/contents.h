/* What a snapshot holds, in numbers: `info FILE`, and what `analyze` begins with. */
#ifndef HB_CONTENTS_H
#define HB_CONTENTS_H

#include "base/hash.h"
#include "base/json.h"
#include "console/astro.h"

#include <holmberg/diagnostics.h>

struct hb_contents {
  size_t n;
  double t;
  char state_hash[HB_HASH_TEXT]; /* of its particles */
  double m, m_least, m_most;     /* the total mass, and of a particle */
  double eps;
  struct hb_diagnostics energies; /* without exact_energy what depends on e_pot is NaN */
  int has_field;
  struct hb_structure structure;
};

/* field: the words of forces from outside, or NULL. exact_energy: N^2 work. Errors: HB_ERR_USAGE (field), HB_ERR_INTERNAL. */
enum hb_status hb_contents_of(const struct hb_particles *particles, double eps, const char *field,
                              enum hb_exact_energy exact_energy, struct hb_contents *contents);

struct hb_contents_settings {
  const char *input_format, *field;
  double eps, time;
  enum hb_exact_energy exact_energy;
  enum hb_astro_units units;
};

/* A snapshot, and what is in it. */
struct hb_contents_file {
  const char *file;
  const char *units;              /* of contents; NULL: N-body    */
  struct hb_units unit;           /* the same; mass 0: N-body      */
  struct hb_particles *particles; /* in N-body units              */
  struct hb_snapshot_contents found;
  const char *field; /* forces from outside; NULL: none */
  char words[1024];  /* the same, from its notes        */
  struct hb_contents contents;
};

extern const struct hb_setting hb_contents_options[]; /* of struct hb_contents_settings */

/* Reads and measures the first operand. Errors: as hb_snapshot_read_at; HB_ERR_USAGE. file->particles are the caller's in any case. */
enum hb_status hb_contents_read(const struct hb_opts *opts, const struct hb_contents_settings *settings,
                                struct hb_contents_file *file);

/* The contents, but not the particles, to the units asked for. Errors: as hb_astro_find. */
enum hb_status hb_contents_convert(const struct hb_contents_settings *settings,
                                   struct hb_contents_file *file);

/* As text, and as members of the open JSON object. */
void hb_contents_print(const struct hb_contents_file *file);
void hb_contents_members(const struct hb_contents_file *file, struct hb_json *json);

/* The same of Lagrangian radii. */
void hb_contents_print_radii(const double r_lagrange[HB_LAGRANGE_COUNT]);
void hb_contents_radii(const double r_lagrange[HB_LAGRANGE_COUNT], struct hb_json *json);

#endif

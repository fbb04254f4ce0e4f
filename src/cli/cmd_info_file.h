/* The half of `holmberg info` that is about a file. */
#ifndef HB_CMD_INFO_FILE_H
#define HB_CMD_INFO_FILE_H

#include "base/json.h"
#include "cli/cmd.h"
#include "measure/contents.h"

#include <holmberg/diagnostics.h>

struct hb_info_file_settings {
  const char *input_format, *field;
  double eps, time;
  enum hb_exact_energy exact_energy;
  enum hb_astro_units units;
};

/* Rows of struct hb_info_file_settings, which make sense with a file only. */
extern const struct hb_opts_option hb_info_file_options[];

/* A snapshot, and what is in it. */
struct hb_info_file {
  const char *file;
  const char *units;              /* of contents; NULL: N-body    */
  struct hb_units unit;           /* the same; mass 0: N-body      */
  struct hb_particles *particles; /* in N-body units              */
  struct hb_snapshot_contents found;
  const char *field;             /* forces from outside; NULL: none */
  char words[HB_CONTENTS_FIELD]; /* the same, from its notes        */
  struct hb_contents contents;
};

/* Reads the file that the operand names; contents are in N-body units. The caller destroys the particles, also after a
 * failure. */
enum hb_status hb_info_file_read(const struct hb_opts *opts, const struct hb_info_file_settings *settings,
                                 struct hb_info_file *info);

/* Contents in the units that the settings ask for. Errors: HB_ERR_USAGE. */
enum hb_status hb_info_file_convert(const struct hb_info_file_settings *settings, struct hb_info_file *info);

/* Prints the contents, and as members of a JSON object, but for hash and notes. */
void hb_info_file_print(const struct hb_info_file *info);
void hb_info_file_members(const struct hb_info_file *info, struct hb_json *json);

/* Prints what is in the file that the operand names. */
enum hb_status hb_info_file(const struct hb_opts *opts, const struct hb_info_file_settings *settings,
                            int json);

#endif

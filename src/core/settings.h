/* What a setting is: a row, with its name, kind, unit, default, range, words and help. The command line, --help, manual pages,
 * completion, the record in snapshots, checkpoints, what 0 means in params, the package for Python, the page and the viewer's
 * sliders come from it. */
#ifndef HB_SETTINGS_H
#define HB_SETTINGS_H

#include "base/text.h"
#include <stddef.h>

/* What a value may be, and the type of its field. */
enum hb_setting_kind {
  HB_SETTING_FLAG,         /* int or unsigned: or-ed with the row's bit; takes no value */
  HB_SETTING_TEXT,         /* const char *: any word, such as a file name       */
  HB_SETTING_WORD,         /* const char *: one of the row's words              */
  HB_SETTING_CHOICE,       /* an enum: the index of the word among the row's    */
  HB_SETTING_DURATION,     /* double, in seconds: 30s, 10min, 2h                */
  HB_SETTING_NUMBER,       /* double: finite                                    */
  HB_SETTING_NOT_NEGATIVE, /* double >= 0                                       */
  HB_SETTING_POSITIVE,     /* double > 0                                        */
  HB_SETTING_BOUND,        /* double > 0, or none: INFINITY                     */
  HB_SETTING_POWER,        /* double: a power of two, 2^-8                      */
  HB_SETTING_WHOLE,        /* int, size_t or uint64_t >= 0                      */
  HB_SETTING_COUNT,        /* the same >= 1                                     */
  HB_SETTING_AUTO_COUNT,   /* int: auto, which is 0; 0, none, which is -1; or row->least to row->most */
  HB_SETTING_NUMBERS,      /* double[]: 1,0,0; as many as fit, or row->least    */
  HB_SETTING_PIXELS,       /* int width, followed by int height: 1920x1080 */
  HB_SETTING_COUNTS,       /* struct hb_counts: 64,256                          */
  HB_SETTING_WORDS         /* struct hb_list: a,b; of the row's words, or any   */
};

/* What a number measures, an enum hb_dimension: then it may have a unit, 5Myr, or is in those of astronomers, see
 * console/opts.c. Or text with several of them: core/field.h. */
enum { HB_SETTING_FIELD_WORDS = -1 };

enum hb_setting_use {
  HB_SETTING_SHOWS =
      1, /* sets only how or where the result appears: left out of headers, since it changes no byte */
  HB_SETTING_ON_RESUME = 2,  /* may be given again when a run is resumed */
  HB_SETTING_GIVEN_STEP = 4, /* only of integrators with a given step, hb_integrator_info.has_dt */
  HB_SETTING_FOUND_STEP = 8  /* only of the others */
};

/* In checkpoints. */
enum hb_setting_life {
  HB_SETTING_PASSING, /* not at all */
  HB_SETTING_SAVED,   /* each must have it */
  HB_SETTING_ADDED    /* older ones have none, which means row->before */
};

struct hb_setting {
  const char *name; /* "t-end" for --t-end     */
  char letter;      /* 'o' for -o; 0: none */
  enum hb_setting_kind kind;
  size_t at, size;      /* HB_SETTING_FIELD of the group's struct */
  const char *metavar;  /* the value's name in --help; NULL for a flag            */
  const char *fallback; /* the default as a user would type it; NULL: the field stays 0 */
  const char *help;     /* other settings as @eps */
  struct hb_words words;
  unsigned use;       /* hb_setting_use, or-ed */
  unsigned bit;       /* of a flag; 0: 1 */
  double unit;        /* factor from the number typed to the field: 1e-3; 0: 1 */
  double least, most; /* 0: no bound besides the kind's */
  int of;             /* an enum hb_dimension or HB_SETTING_FIELD_WORDS; the command calls hb_opts_convert */
  int is_astro;       /* 1: the field is in Myr, pc, km/s or solar masses */
  double nbody;       /* N-body units of 1 in the field; 0: 1 */
  const char *also;   /* another spelling of its name; NULL: none */
  const char *param;  /* its name in programs and checkpoints; NULL: the name, with _ for - */
  enum hb_setting_life life;
  double before;
  int (*is_idle)(
      const void
          *settings); /* its struct: 1: it says nothing there, and headers and checkpoints leave it out */
  double low, high;   /* where sliders and the page have it; 0: nowhere */
};

#define HB_SETTING_FIELD(type, member) offsetof(type, member), sizeof((type *)0)->member

/* Sets the field from a word. Errors: HB_ERR_USAGE with a sentence about the word. */
enum hb_status hb_setting_read(const struct hb_setting *setting, const char *word, void *field);

/* Its name in programs: dt_max. */
enum { HB_SETTING_NAME = 24 };
const char *hb_setting_param(const struct hb_setting *setting, char name[HB_SETTING_NAME]);

/* ---- all of a struct's: tables up to NULL, each with rows up to one without a name ---- */

/* The k-th row, then NULL; that of this name in programs; NULL: none. */
const struct hb_setting *hb_setting_at(const struct hb_setting *const *tables, size_t k);
const struct hb_setting *hb_setting_find(const struct hb_setting *const *tables, const char *param);

#endif

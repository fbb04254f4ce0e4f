/* What is kept per particle: a row an array. That it is allocated, follows its particle to another number, is saved, loaded and freed
 * follows from the row. And numbers of records, such as what is kept once. */
#ifndef HB_COLUMNS_H
#define HB_COLUMNS_H

#include "core/sections.h"

#include <stddef.h>

enum hb_column_life {
  HB_COLUMN_SCRATCH,  /* of a step */
  HB_COLUMN_KEPT,     /* with its particle, whatever the number of that */
  HB_COLUMN_SAVED,    /* and in checkpoints, each of which must have it */
  HB_COLUMN_ADDED,    /* and in checkpoints; older ones have none, which means 0 */
  HB_COLUMN_ON_DEMAND /* the same, but made by its owner, or where a checkpoint has it */
};

struct hb_columns_row {
  size_t offset, width,
      per; /* of the array's pointer in its struct; bytes of an element; elements a particle */
  enum hb_column_life life;
  enum hb_section_type type; /* and name: of its section */
  const char *name;
};
#define HB_COLUMN(of, field, per_particle, lives)                                                            \
  {                                                                                                          \
    .offset = offsetof(of, field), .width = sizeof *((of *)NULL)->field, .per = (per_particle),              \
    .life = (lives)                                                                                          \
  }
#define HB_COLUMN_OF(section_name, section_type, of, field, per_particle, lives)                             \
  {                                                                                                          \
    .offset = offsetof(of, field), .width = sizeof *((of *)NULL)->field, .per = (per_particle),              \
    .life = (lives), .type = (section_type), .name = (section_name)                                          \
  }

struct hb_columns {
  size_t count;
  const struct hb_columns_row *at;
  int is_bounded; /* 1: checkpoints have no number beyond HB_SECTIONS_MOST; 0: the owner looks */
};
#define HB_COLUMNS(rows, bounded)                                                                            \
  {                                                                                                          \
    sizeof(rows) / sizeof *(rows), rows, bounded                                                             \
  }

/* Arrays of n particles, all 0, of the struct at base, which is NULL where there are none. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_columns_reserve(const struct hb_columns *columns, size_t n, void *base);
void hb_columns_free(const struct hb_columns *columns, void *base);

/* The arrays that there are get room for n particles, more than before; those that are new are 0. Errors: HB_ERR_INTERNAL. */
enum hb_status hb_columns_grow(const struct hb_columns *columns, size_t n, void *base);

/* What is not scratch, into arrays of the same length. Errors: HB_ERR_INTERNAL (one on demand). */
enum hb_status hb_columns_copy(const struct hb_columns *columns, size_t n, const void *from, void *to);

/* Particles change their numbers to number[n], ascending, of which those that are HB_COLUMNS_GONE vanish. */
#define HB_COLUMNS_GONE UINT32_MAX
void hb_columns_renumber(const struct hb_columns *columns, size_t n, const uint32_t *number, void *base);

/* To sections, which share the arrays, and back into arrays that are reserved. Errors: HB_ERR_INPUT, HB_ERR_INTERNAL. */
enum hb_status hb_columns_put(const struct hb_columns *columns, size_t n, const void *base,
                              struct hb_sections *sections);
enum hb_status hb_columns_get(const struct hb_columns *columns, const struct hb_sections *sections, size_t n,
                              void *base);

/* Numbers of a record, or of several: each field in a section of its own, of all records one after the other. One that a file lacks
 * stays what it is, unless it must be there. */
enum hb_number_kind {
  HB_NUMBER_WORD,   /* uint64_t */
  HB_NUMBER_SIZE,   /* size_t */
  HB_NUMBER_INDEX,  /* uint32_t */
  HB_NUMBER_CHOICE, /* an enum, none above `most` */
  HB_NUMBER_DOUBLE, /* none beyond HB_SECTIONS_MOST in files */
  HB_NUMBER_TEXT    /* const char *, of a single record, and then the sections'; NULL: none */
};
struct hb_numbers_row {
  const char *name; /* of the section */
  enum hb_number_kind kind;
  size_t offset, size; /* in the record; of it, or of an array of them */
  int must;            /* be there */
  unsigned most;
};
#define HB_NUMBER(section_name, is_kind, of, field, must_be)                                                 \
  {                                                                                                          \
    .name = (section_name), .kind = (is_kind), .offset = offsetof(of, field),                                \
    .size = sizeof((of *)NULL)->field, .must = (must_be)                                                     \
  }
#define HB_NUMBER_OF(section_name, of, field, largest)                                                       \
  {                                                                                                          \
    .name = (section_name), .kind = HB_NUMBER_CHOICE, .offset = offsetof(of, field),                         \
    .size = sizeof((of *)NULL)->field, .most = (largest)                                                     \
  }

struct hb_numbers {
  size_t count;
  const struct hb_numbers_row *at;
  size_t record; /* bytes */
};
#define HB_NUMBERS(rows, of)                                                                                 \
  {                                                                                                          \
    sizeof(rows) / sizeof *(rows), rows, sizeof(of)                                                          \
  }

/* Of the records base[n], and back. Errors: HB_ERR_INPUT naming the section, HB_ERR_INTERNAL. */
enum hb_status hb_numbers_put(const struct hb_numbers *numbers, size_t n, const void *base,
                              struct hb_sections *sections);
enum hb_status hb_numbers_get(const struct hb_numbers *numbers, const struct hb_sections *sections, size_t n,
                              void *base);

/* How many records there are, by the first field, one number a record; 0: none. */
size_t hb_numbers_records(const struct hb_numbers *numbers, const struct hb_sections *sections);

#endif

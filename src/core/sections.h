/* A state as named arrays, the content of a checkpoint: the owner of a state puts its arrays in and gets them back by name;
 * io/ writes and reads them. Independent of files. */
#ifndef HB_SECTIONS_H
#define HB_SECTIONS_H

#include "base/status.h"

enum hb_section_type { HB_SECTION_BYTES, HB_SECTION_WORDS /* uint64_t */, HB_SECTION_DOUBLES };

struct hb_section {
  char name[24];
  enum hb_section_type type;
  size_t count;     /* elements */
  const void *data; /* the caller's, or own */
  void *own;        /* freed with the sections; NULL: data is the caller's */
  int was_found;    /* by anybody who looked for it */
};

struct hb_sections {
  struct hb_section *at;
  size_t count, capacity;
};

/* Start from {0}; a local one with HB_OWN_SECTIONS is cleared with its scope. */
void hb_sections_clear(struct hb_sections *sections);
#define HB_OWN_SECTIONS __attribute__((cleanup(hb_sections_clear)))

/* Bytes of one element. */
size_t hb_section_width(enum hb_section_type type);

/* data[count] remains the caller's and must outlive the sections; names are unique. */
enum hb_status hb_sections_put(struct hb_sections *sections, const char *name, enum hb_section_type type,
                               size_t count, const void *data);

/* The same with a copy. */
enum hb_status hb_sections_put_copy(struct hb_sections *sections, const char *name, enum hb_section_type type,
                                    size_t count, const void *data);

/* An array, which must have this type and number of elements. Errors: HB_ERR_INPUT naming the section. */
enum hb_status hb_sections_get(const struct hb_sections *sections, const char *name,
                               enum hb_section_type type, size_t count, const void **data);

/* Squares of larger numbers overflow. */
#define HB_SECTIONS_MOST 1e150

/* The same, copied; and copied doubles, none beyond HB_SECTIONS_MOST. */
enum hb_status hb_sections_copy(const struct hb_sections *sections, const char *name,
                                enum hb_section_type type, size_t count, void *to);
enum hb_status hb_sections_copy_finite(const struct hb_sections *sections, const char *name, size_t count,
                                       double *to);

/* A text that ends with its NUL; NULL if there is none. Errors: HB_ERR_INPUT. */
enum hb_status hb_sections_text(const struct hb_sections *sections, const char *name, const char **text);
enum hb_status hb_sections_put_text(struct hb_sections *sections, const char *name, const char *text);

/* NULL if there is none. */
const struct hb_section *hb_sections_find(const struct hb_sections *sections, const char *name);

#endif

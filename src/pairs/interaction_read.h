/* Reading what the GLSL file of an interaction declares. */
#ifndef HB_INTERACTION_READ_H
#define HB_INTERACTION_READ_H

#include "pairs/interaction.h"

/* Fills in records, names, parameters, flops, hash and quantities from the text; name and file are set. Errors: HB_ERR_INPUT
 * with file and line. */
enum hb_status hb_interaction_read(const char *text, struct hb_interaction *interaction);

/* The number of the name among 4 * records; -1: none. */
int hb_record_find(const struct hb_record_names *names, const char *name);

#endif

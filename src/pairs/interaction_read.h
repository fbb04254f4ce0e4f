/* Reading what the GLSL file of an interaction declares. */
#ifndef HB_INTERACTION_READ_H
#define HB_INTERACTION_READ_H

#include "pairs/interaction.h"

/* Fills in records, names, parameters, flops, hash and quantities from the text; name and file are set. Errors: HB_ERR_INPUT
 * with file and line. */
enum hb_status hb_interaction_read(const char *text, struct hb_interaction *interaction);

#endif

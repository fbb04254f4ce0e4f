/* Pages of the manual, in roff: of a command, from its option table and its lists in --help, and of the whole program. */
#ifndef HB_MAN_PAGE_H
#define HB_MAN_PAGE_H

#include "console/opts.h"

/* What stands in the corners of a page. */
struct hb_man_edition {
  const char *version, *date;
};

void hb_man_command(const struct hb_opts_command *command, const struct hb_man_edition *edition, FILE *out);

/* holmberg(1), up to its environment and exit codes; commands ends with NULL. */
void hb_man_program(const struct hb_opts_command *const *commands, const struct hb_man_edition *edition,
                    FILE *out);

#endif

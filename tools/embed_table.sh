#!/bin/sh
# embed_table.sh CSV: writes C source on standard output, the table for src/cli/paper_table2.h.
set -eu
echo '/* made by tools/embed_table.sh */'
echo '#include "cli/paper_table2.h"'
awk -F, '
  /^#/ { next }
  !machines {
    machines = NF - 1
    printf "const char *const hb_paper_machines[HB_PAPER_MACHINES] = {"
    for (k = 2; k <= NF; k++) printf "\"%s\", ", $k
    print "};\nconst struct hb_paper_table2_row hb_paper_table2[] = {"
    next
  }
  {
    printf "  {%s, {", $1
    for (k = 2; k <= machines + 1; k++) printf "%s, ", $k == "" ? 0 : $k
    print "}},"
  }
  END { print "  {0, {0}}};" }' "$1"

#!/usr/bin/env bash
# manual.sh BUILD VERSION DATE HEADER...: everything that `man` and shells read, into BUILD/manual: the commands (by
# BUILD/manual-maker, from the option tables), the files (from data/FORMATS.md and shaders/interactions/README.md), the
# library (from its headers).
set -euo pipefail
build=$1 version=$2 date=$3
shift 3
cd "$(dirname "$0")/.."
out=$build/manual
rm -rf "$out"
mkdir -p "$out"
"$build/manual-maker" "$out" "$version" "$date"

# holmberg(1) ends with what the commands have in common.
{
  echo '.SH EXIT STATUS'
  sed -n '/^enum hb_status {/,/^}/{
    s,^  HB_[A-Z_]* = \([0-9]*\)\,* */\* \(.*[^ ]\) *\*/$,.TP\n.B \1\n\2,p; s,^  HB_OK = 0\,$,.TP\n.B 0\ndone,p
  }' \
    src/include/holmberg/holmberg.h
  awk -f tools/man_markdown.awk -v only='Environment variables' src/cli/README.md
  printf '.SH SEE ALSO\n.BR holmberg\\-formats (5),\n.BR holmberg\\-interactions (5),\n.BR holmberg (3)\n'
} >>"$out/holmberg.1"

awk -f tools/man_markdown.awk -v name=holmberg-formats -v section=5 -v version="$version" -v date="$date" \
  -v about='files that Holmberg reads and writes' data/FORMATS.md >"$out/holmberg-formats.5"
awk -f tools/man_markdown.awk -v name=holmberg-interactions -v section=5 -v version="$version" -v date="$date" \
  -v about='what one particle does to another, in GLSL' shaders/interactions/README.md >"$out/holmberg-interactions.5"

# A page for each header, and one that leads to it for each function.
for header in "$@"; do
  name=$(basename "$header" .h)
  [ "$name" = holmberg ] || name=holmberg_$name
  package=holmberg
  [ ! -e "$build/lib${name/_/-}.a" ] || package=${name/_/-}
  awk -f tools/man_header.awk -v name="$name" -v package="$package" -v version="$version" -v date="$date" "$header" >"$out/$name.3"
  # not those of Fortran, nor the plain names that anybody may have
  sed -n 's/^\([a-z].*[ *]\)\{0,1\}\([a-z][a-z0-9]*_[A-Za-z0-9_]*\)(.*/\2/p' "$header" | grep -v '_$' | sort -u |
    while read -r function; do echo ".so man3/$name.3" >"$out/$function.3"; done
done

# No space where a section begins, no new line where a paragraph does.
for page in "$out"/holmberg*.[135]; do
  awk '/^\.PP$/ { blank = !fresh; next }
    /^\.br$/ && (blank || fresh) { next }
    { fresh = /^\.S[HS]/; if (blank && !fresh) print ".PP"; blank = 0; print }' "$page" >"$out/tidy"
  mv "$out/tidy" "$page"
done

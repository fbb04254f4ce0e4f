#!/bin/sh
# exports.sh VERSION HEADERS OBJECT...: a linker's version script that exports the functions and objects that the
# public headers (one word) declare and the objects define, and hides everything else.
set -eu
version=$1 headers=$2
shift 2
folder=$(mktemp -d)
trap 'rm -r "$folder"' EXIT

# shellcheck disable=SC2086 # the list is words
awk 'BEGIN { RS = "\001" } { gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, " "); gsub(/\/\/[^\n]*/, ""); print }' $headers | # no comments
  sed -E 's/\b(struct|enum) \w+//g' | grep -oE '\b[a-z]\w+' | sort -u >"$folder/declared"
nm -g --defined-only "$@" | awk 'NF == 3 && $2 ~ /^[A-Z]$/ { print $3 }' | sort -u >"$folder/defined"

printf '%s {\n  global:\n' "$version"
comm -12 "$folder/declared" "$folder/defined" | sed 's/.*/    &;/'
printf '  local:\n    *;\n};\n'

#!/usr/bin/env bash
# check_sizes.sh: how large the house may grow. Prints its measures in one line; exit 1 if any of them is too much.
set -u
cd "$(dirname "$0")/.." || exit 1
most_file=1000 most_cli=3700 most_gl=30
aim=29000 # of all lines: told, not asked for
bad=0
too_much() {
  echo "$*"
  bad=1
}

lines() { cat "$@" | wc -l; }
all=$(lines src/*/*.[ch] src/include/*/*.h)
for room in src/*/; do
  n=$(lines "$room"*.[ch])
  [ $((5 * n)) -le "$all" ] || too_much "$room has $n lines, expected at most a fifth of all $all"
done 2>/dev/null
for file in src/*/*.[ch]; do
  n=$(lines "$file")
  [ "$n" -le $most_file ] || too_much "$file has $n lines, expected at most $most_file"
done
cli=$(lines src/cli/*.[ch])
[ "$cli" -le $most_cli ] || too_much "src/cli has $cli lines, expected at most $most_cli"

calls=$(find src -name '*.[ch]' ! -path 'src/gl/*' -exec grep -oE '\bgl[A-Z][A-Za-z0-9]*\(' {} + | cut -d: -f1 | sort | uniq -c | sort -rn)
gl=$(awk '{ n += $1 } END { print n + 0 }' <<<"$calls")
[ "$gl" -le $most_gl ] || too_much "$gl raw OpenGL calls outside src/gl, expected at most $most_gl:"$'\n'"$calls"
echo "$all lines in src (aim: $aim), $cli in src/cli, $gl raw OpenGL calls outside src/gl"
exit $bad

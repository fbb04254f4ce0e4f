#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031,SC2016 # run sets these, each test is a subshell; patterns with backquotes
# Somebody who reads README and the guide's tour, and types what they print.
load common

# without_clock: rows without their last column, the seconds
without_clock() { sed -E '/^(#| *[0-9])/s/ +[^ ]+$//; s/^#.*wall$/#/'; }

@test "the guide's tour prints what the guide prints" {
  printed src/cli/README.md '^\$ holmberg ic' >tour
  [ "$(grep -c '^\$ ' tour)" -ge 2 ]
  sed -n 's/^\$ //p' tour >commands
  while read -r command; do
    echo "\$ $command"
    bash -c "$command"
  done <commands >got 2>err
  [ ! -s err ]
  diff <(without_clock <tour) <(without_clock <got)
  for file in cluster.h5 cluster.csv end.h5; do [ -s $file ]; done
}

@test "the commands of the guide's table exist, and explain themselves" {
  sed -n 's/^| `holmberg \([^`]*\)`.*/\1/p' "$(guide src/cli/README.md)" >table
  [ "$(wc -l <table)" -ge 12 ]
  { sed 's/ .*//' table && sed -n 's/^| `holmberg [^`]*`, `\([a-z]*\).*/\1/p' "$(guide src/cli/README.md)"; } | sort -u >names
  while read -r name; do
    case $name in combine | scale) continue ;; esac
    run -0 holmberg "$name" --help
    [[ $output == *"holmberg $name"* ]]
  done <names
}

@test "README's windows open, and show something" {
  display_begin "$BATS_TEST_TMPDIR" 1280x800
  commands README.md 'holmberg view' | grep ' view' >windows
  [ "$(wc -l <windows)" -ge 3 ]
  while read -r command; do
    shows 300 "$command" <&-
  done <windows
}

@test "README's trace draws pages" {
  done_as_printed "$(commands README.md 'holmberg trace' | grep trace)"
  find . -name '*.svg' -size +4k | grep -q .
}

@test "make run, in a folder where all is built: README's rows, and two pictures" {
  touch begin
  make -s -C "$SOURCE" B="$(realpath --relative-to "$SOURCE" "$BUILD")" DEPS=manual run >out 2>err # as it was built: nothing is made again
  [ ! "$BUILD/holmberg" -nt begin ]
  cat err
  printed README.md 'wrote build/run/plummer.txt' >expected
  head -n 3 expected | without_clock | sed 's/^A Plummer.*//' >wanted
  sed -n 4,5p expected
  for row in 4 5 7; do # the dots stand for the others
    line=$(sed -n ${row}p expected)
    [[ $line == *...* ]] && continue
    t=$(awk '{ print $1 }' <<<"$line")
    diff <(without_clock <<<"$line") <(awk -v t="$t" '$1 == t' out | head -n 1 | without_clock)
  done
  [ "$(find "$BUILD/run" -name '*.png' -size +10k | wc -l)" -eq 2 ]
}

#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031,SC2016 # run sets these, each test is a subshell; patterns with backquotes
# Somebody who does the exercises of shaders/README.md where nothing but the installed program and its guides is.
load common

width() { sed -n "1s/.* width='\([0-9]*\)'.*/\1/p" "$1"; } # of an SVG

@test "the exercises, as the guide prints them, word for word" {
  display_begin "$BATS_TEST_TMPDIR" 1280x800
  local at='HB_SHADER_DIR=|exercises/|ic twobody|render .*ellipse' first last
  commands shaders/README.md 'HB_SHADER_DIR=.* view' | tee list
  while read -r command; do # the folder that the first one changes, and a window on it
    case $command in
    *' view '*) shows 200 "$command" <&- ;;
    *) done_as_printed "$command" ;;
    esac
  done <list
  printed shaders/README.md "$at" | grep -v -e ' view ' -e '^cp -r [^ ]* mine$' |
    sed 's/^force=".*bench force/& --repeat 1/' >lines # errors are of one walk, and rates are not compared
  grep -q 'repeat 1' lines
  # one shell for all of them, as it has run= and force= of the lines before; each says what it prints
  HB_CONTEXT=osmesa run -0 --separate-stderr bash -e lines
  grep -v '^ *[0-9]' <<<"$output"
  echo "standard error: $stderr"
  [ -z "$stderr" ]
  [ "$(grep -c '^patching file ' <<<"$output")" -eq 3 ]
  [[ $output != *fuzz* && $output != *offset* && -z $(find . -name '*.orig' -o -name '*.rej') ]]

  # 1: E_gpu stays at Newton's value, and then (twice, as the last run goes on) at the number that the guide prints
  first=$(tr '\n' ' ' <"$(guide shaders/README.md)" | grep -o 'stays at -0[0-9.]*' | grep -o -e '-0[0-9]*[.][0-9]*')
  diff <(awk '$1 == 8 { printf "%.6f\n", $3 }' <<<"$output" | uniq) <(printf -- '-0.125000\n%s\n' "$first")
  [ -s ellipse.png ]

  # 2: one image more, of which the guide says where it is
  last=$(grep -o '`[^`]*_write_accOut.svg`' "$(guide shaders/README.md)" | tr -d '`')
  holmberg trace --scheme cg2007 --passes -o without --quiet
  [ "$(width "$last")" -gt "$(width "without/${last#*/}")" ]

  # 3: the errors of acc: single, compensated, careless; as large with the patch that some compilers need on top of it
  patch -d careless -p1 <"$(guide shaders/exercises/3b_school_algebra.diff)" >said
  [ "$(grep -vc '^patching file ' said)" -eq 0 ]
  { grep '^force=' lines && grep '=careless ' lines; } >again
  HB_CONTEXT=osmesa bash -e again >algebra
  awk '/^bag / { print $2, $13 }' <(echo "$output") algebra | tee errors
  awk '{ e[NR] = $2 } END { exit !(NR == 4 && e[1] > 20 * e[2] && e[3] > 20 * e[2] && e[4] > 20 * e[2]) }' errors
}

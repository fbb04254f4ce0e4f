#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031 # run sets these, each test is a subshell
# Somebody who prepares the lesson.
load common

@test "the lesson's pages, slides and windows" {
  display_begin "$BATS_TEST_TMPDIR" 1280x800
  mkdir build
  ln -s "$SOURCE/shaders" shaders # the lesson is held in the source tree
  commands shaders/LESSON.md 'holmberg' | grep -v -e --record -e HB_SHADER_DIR >list
  cat list
  [ "$(wc -l <list)" -ge 4 ]
  while read -r command; do
    case $command in
    *' view '*) shows 200 "$command" <&- ;;
    *) done_as_printed "$command" ;;
    esac
  done <list
  [ "$(find build/slides -name '*.png' -size +4k | wc -l)" -ge 5 ]
  [ "$(find build/pages -name '*.png' -size +4k | wc -l)" -ge 1 ]
}

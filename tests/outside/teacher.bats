#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031 # run sets these, each test is a subshell
# Somebody who prepares the lesson.
load common

@test "the lesson's pages, slides and windows" {
  display_begin "$BATS_TEST_TMPDIR" 1280x800
  commands shaders/LESSON.md 'holmberg' >list
  cat list
  [ "$(wc -l <list)" -ge 4 ]
  while read -r command; do
    case $command in
    *' --record '*) done_as_printed "${command/--seconds */--seconds 1}" ;; # not 20
    *' view '*) shows 200 "$command" <&- ;;
    *) done_as_printed "$command" ;;
    esac
  done <list
  [ "$(find slides -name '*.svg' -size +4k | wc -l)" -ge 5 ]
  [ "$(find pages -name '*.svg' -size +4k | wc -l)" -ge 1 ]
  [ "$(ffprobe -loglevel error -show_entries stream=width -of csv=p=0 ./*.mp4)" -gt 600 ]
}

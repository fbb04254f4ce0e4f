#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2155,SC2030,SC2031,SC2016 # run sets these, each test is a subshell; backquotes are of Markdown
# The lesson of shaders/LESSON.md from what is installed: each command as it is printed there.
load common
load ../support/display

setup_file() {
  export ROOT=$BATS_FILE_TMPDIR/root
  make -s -o all -C "$BATS_TEST_DIRNAME/../.." B="$(dirname "$HOLMBERG")" PREFIX="$ROOT" install
  [ -n "${DISPLAY:-}" ] || display_begin "$BATS_FILE_TMPDIR" 1280x720
}

teardown_file() { display_end "$BATS_FILE_TMPDIR"; }

teardown() { [ -z "${viewer:-}" ] || kill -9 "$viewer" 2>/dev/null || true; }

# watched COMMAND: of the viewer, until it has a window, and a movie if it records one; then it is asked to end.
watched() {
  local movie code=0
  movie=$(sed -n 's/.* --record \([^ ]*\).*/\1/p' <<<"$1")
  env --default-signal bash -c "exec env $1" >out 2>said 3>&- &
  viewer=$!
  until_true xdotool search --pid $viewer --name ' - Holmberg$' || return
  [ -z "$movie" ] || until_true compgen -G "$movie.*.tmp" || return
  kill -TERM $viewer
  wait $viewer || code=$?
  cat said
  if [ -n "$movie" ]; then
    [ $code -eq 75 ] && [ "$(ffprobe -loglevel error -show_entries stream=width -of csv=p=0 "$movie")" = 1280 ]
  else
    [ $code -eq 143 ] && [ ! -s said ]
  fi
}

@test "the lesson's commands, as printed" {
  local line count=0
  export PATH=$ROOT/bin:$PATH
  unset HB_CHILD
  sed -n 's/^    \([a-zA-Z].*\)/\1/p' "$ROOT/share/doc/holmberg/shaders/LESSON.md" | tee lines
  while read -r line; do
    echo "$line"
    case $line in
    wrote*) grep -Fx "$line" printed ;;
    *' view '*) watched "$line" && count=$((count + 1)) ;;
    *) bash -c "$line" >printed 2>said 3>&- && [ ! -s said ] && count=$((count + 1)) ;;
    esac
  done <lines
  [ $count -eq 7 ]
  for file in slides/cg2007_slide_{01,02,03,36}.svg slides/{matrix2004,bag,tile}_slide_01.svg mine/pairs/bag.frag; do [ -s $file ]; done
}

# shellcheck shell=bash disable=SC2154,SC2012 # bats sets status, output and stderr
# Helpers of the command line tests. $HOLMBERG is the program; every test runs in an empty folder of its own.
bats_require_minimum_version 1.5.0

setup() {
  mkdir "$BATS_TEST_TMPDIR/here" && cd "$BATS_TEST_TMPDIR/here" || return 1
  unset HB_CONTEXT HB_DEVICE NO_COLOR
}

# accepts ARG...: exit code 0 and a silent standard error; leaves $output and $lines.
accepts() {
  run --separate-stderr "$HOLMBERG" "$@"
  echo "exit code $status, standard error: $stderr"
  [ "$status" -eq 0 ]
  [ -z "$stderr" ]
}

# fails_with CODE SENTENCE ARG...: the exit code, the one line on standard error (with its hint when CODE is 2) and
# nothing on standard output. SENTENCE is a pattern of the shell.
fails_with() {
  local code=$1 sentence=$2 hint=holmberg
  shift 2
  run --separate-stderr "$HOLMBERG" "$@"
  echo "exit code $status, standard output: $output, standard error: $stderr"
  # shellcheck disable=SC2053
  [[ $status == $code ]]
  [ -z "$output" ]
  # shellcheck disable=SC2053
  [[ ${stderr_lines[0]} == "holmberg: "$sentence ]]
  if [ "$status" -ne 2 ]; then
    [ "${#stderr_lines[@]}" -eq 1 ]
  else
    [[ $1 == -* || ${stderr_lines[0]} == *command* ]] || hint="holmberg $1"
    [ "${#stderr_lines[@]}" -eq 2 ]
    [ "${stderr_lines[1]}" = "try '$hint --help'" ]
  fi
}

# files NAME...: the folder holds these and nothing else.
files() {
  local expected
  expected=$(printf '%s\n' "$@" | sort)
  echo "here: $(ls -A)"
  [ "$(ls -A | sort)" = "$expected" ]
}

# two_bodies: a snapshot as text, for tests that change one line of it.
two_bodies() {
  printf '%s\n' '# m x y z vx vy vz' '0.5 1 0 0 0 0.5 0' '0.5 -1 0 0 0 -0.5 0'
}

# has_terminal: fails with a sentence where script(1) cannot open a pseudo-terminal. A test that shows the program a terminal begins
# with it.
has_terminal() {
  local reason
  reason=$(script -qec true /dev/null 2>&1 </dev/null) && return
  echo "this test needs a pseudo-terminal for script(1), which says '$reason': mount one with mount -t devpts devpts /dev/pts"
  return 1
}

# until_true COMMAND...: waits for it, up to a minute.
until_true() {
  local k
  for ((k = 0; k < 1200; k++)); do
    "$@" && return
    sleep 0.05
  done
  return 1
}

# quick_clock [MICROSECONDS]: from here on $HOLMBERG goes by a clock that makes measurements short, see ticks.c: what they say is
# tested, and how long they take is nothing that a test can know.
quick_clock() {
  local folder=${BATS_TEST_TMPDIR:-$BATS_FILE_TMPDIR}/quick
  mkdir "$folder"
  cc -std=c11 -D_GNU_SOURCE -shared -fPIC "$BATS_TEST_DIRNAME/../cli/ticks.c" -o "$folder/ticks.so"
  printf '#!/bin/sh\nexec %q LD_PRELOAD=%q TICK_US=%d TICK_WAITS=1 ASAN_OPTIONS=%q %q "$@"\n' \
    "$(command -v env)" "$folder/ticks.so" "${1:-10000}" "${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0" "$HOLMBERG" >"$folder/holmberg"
  chmod +x "$folder/holmberg"
  export HOLMBERG=$folder/holmberg
}

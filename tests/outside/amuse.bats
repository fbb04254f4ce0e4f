#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031 # run sets these, each test is a subshell
# Somebody who has AMUSE. Debian has it not: where /usr/bin/python3, or that with AMUSE_PYTHONPATH, cannot import it, a stand-in
# of tests/support/stand_in calls the same code, which says what it does not show; each case prints which of both it had.
load common

PYTHON=/usr/bin/python3

setup() {
  mkdir "$BATS_TEST_TMPDIR/here" && cd "$BATS_TEST_TMPDIR/here" || return 1
  local packages
  packages=$(find "$PREFIX" -type d -path '*-packages/holmberg' -printf '%h\n')
  export PYTHONPATH=$packages${AMUSE_PYTHONPATH:+:$AMUSE_PYTHONPATH}
  channels='mpi sockets'
  if ! "$PYTHON" -c 'import amuse.community' >import 2>&1; then
    [ -z "${AMUSE_PYTHONPATH:-}" ] || { cat import && return 1; } # AMUSE was named
    channels=none
    PYTHONPATH=$packages:$SOURCE/tests/support/stand_in
  fi
  echo "# $BATS_TEST_DESCRIPTION: by $([ "$channels" = none ] && echo "a stand-in for AMUSE" || echo "AMUSE, channels $channels")" >&3
  if [ "$(id -u)" -eq 0 ]; then export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; fi # root's, for sockets
  printed src/python/README.md 'import Holmberg' >lines.py
}

@test "src/python/README's lines for AMUSE" {
  echo "AMUSE's channels: $channels"
  run -0 --separate-stderr "$PYTHON" lines.py
  echo "$output $stderr"
  awk '/^t = / { print "t", $3, $4, "expected 1 Myr; dE/E", $7, "expected below 1e-5"
    good = $3 == 1 && $4 == "Myr" && $7 < 1e-5 && $7 > -1e-5 } END { exit !good }' <<<"$output"
}

@test "what AMUSE is told beside the package, the program and AMUSE, on each channel" {
  grep -o 'channel_type="[a-z]*"' "$(guide src/python/README.md)" # the guide's word for the other one
  for channel in $channels; do
    mkdir "$channel"
    sed "s/Holmberg(convert_nbody)/Holmberg(convert_nbody, channel_type=\"$channel\")/" lines.py >"$channel/lines.py"
    (cd "$channel" && "$PYTHON" "$SOURCE/tests/support/amuse_journey.py" lines.py >out 2>err) || {
      cat "$channel/out" "$channel/err"
      return 1
    }
    grep -e expected -e '^with' -e after "$channel/out"
  done
}

@test "amuse_holmberg says what keeps it from the library" {
  HOLMBERG_LIBRARY=/none run -1 "$PYTHON" -c 'from amuse_holmberg import Holmberg'
  echo "$output"
  [[ $output == *'ImportError: HOLMBERG_LIBRARY names /none, which does not exist'* ]]
  [[ $output != *"No module named 'implementation'"* ]]
}

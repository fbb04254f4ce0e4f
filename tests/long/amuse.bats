#!/usr/bin/env bats
# shellcheck disable=SC2154 # run sets these
# AMUSE itself, of its source: its tests of ph4 and Hermite with Holmberg in their place, and two clusters, one in a galaxy and one
# whose stars age by SSE. AMUSE_SOURCE names the source; without it the release below is fetched.
RELEASE=v2025.9.0
PYTHON=/usr/bin/python3

setup_file() {
  local libraries
  export SOURCE="$BATS_TEST_DIRNAME/../.." AMUSE="${AMUSE_SOURCE:-$BATS_FILE_TMPDIR/amuse}"
  [ -d "$AMUSE" ] || git clone --quiet --depth 1 --branch "$RELEASE" https://github.com/amusecode/amuse "$AMUSE"
  export SSE="$BATS_FILE_TMPDIR/sse" PATH="$BATS_FILE_TMPDIR/bin:$PATH"
  export PYTHONPATH="$SSE:$SOURCE/src/python:$AMUSE/src:$AMUSE/src/tests"
  export HOLMBERG_LIBRARY="${HOLMBERG%/*}/libholmberg.so.1"
  if [ "$(id -u)" -eq 0 ]; then export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; fi
  mkdir -p "$BATS_FILE_TMPDIR/bin" "$SSE"
  printf '#!/bin/sh\nexec %s -c "from amuse.rfi.gencode import amusifier; amusifier()" "$@"\n' "$PYTHON" >"$BATS_FILE_TMPDIR/bin/amusifier"
  chmod +x "$BATS_FILE_TMPDIR/bin/amusifier"
  # SSE as AMUSE's Makefiles build it
  cp -r "$AMUSE/src/amuse_sse" "$SSE/" && cd "$SSE/amuse_sse" && rm -f ./*.o && libraries="$AMUSE/lib"
  amusifier --type=f90 interface.py SSEInterface -o sse_worker.f90
  mpicc -O2 -c "$libraries"/amuse_mpi/amuse_mpi.c "$libraries"/forsockets/forsockets.c -I"$libraries/amuse_mpi" -I"$libraries/forsockets"
  gfortran -O2 -c "$libraries"/forsockets/fortransocketsinterface.f90
  for file in deltat evolv1 hrdiag kick mlwind mrenv ran3 star zcnsts zfuncs; do gfortran -O2 -std=legacy -w -Isrc -c "src/$file.f"; done
  gfortran -O2 -std=legacy -w -Isrc -c interface.f
  mpif90 -O2 -w sse_worker.f90 -o sse_worker ./*.o
}

@test "AMUSE's own tests of ph4 and Hermite" {
  run "$PYTHON" "$SOURCE/tests/support/amuse_peers.py" "$AMUSE"
  echo "$output"
  [ "$status" -eq 0 ]
  [[ ${lines[-1]} =~ ^([0-9]+)\ passed ]] && [ "${BASH_REMATCH[1]}" -ge 51 ]
}

@test "1024 stars to 100 Myr, in a galaxy and with SSE" {
  run "$PYTHON" "$SOURCE/tests/support/amuse_cluster.py" 1024 100
  echo "$output"
  [ "$status" -eq 0 ]
}

@test "three workers by MPI: the stars of one, each on all cores" {
  run "$PYTHON" "$SOURCE/tests/support/amuse_workers.py"
  echo "$output"
  [ "$status" -eq 0 ]
}

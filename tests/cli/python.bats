# The Python package: its tests in the source tree, and the examples of tests/api with what is installed.
load common

PYTHON=/usr/bin/python3 # Debian's, with python3-numpy

setup_file() {
  export ROOT=$BATS_FILE_TMPDIR/root
  export HB_CONTEXT=osmesa PYTHONDONTWRITEBYTECODE=1
  into_root install
}

into_root() { # into_root install|uninstall
  make -s -o all -C "$BATS_TEST_DIRNAME/../.." B="$(dirname "$HOLMBERG")" DESTDIR="$ROOT" PREFIX=/usr PYTHON="$PYTHON" "$1"
}

# passes NAME: all tests of tests/python/test_NAME.py.
passes() {
  cd "$BATS_TEST_DIRNAME/../python" || return 1
  run -0 "$PYTHON" -u -m unittest "test_$1"
  [[ $output == *$'\nOK' ]]
}

# outside WORD...: runs Python with the installed package alone, in a new HOME.
outside() {
  unset HB_CHILD HOLMBERG_LIBRARY
  mkdir -p "$BATS_TEST_TMPDIR/home"
  HOME=$BATS_TEST_TMPDIR/home PYTHONPATH=$ROOT/usr/lib/python3/dist-packages PROGRAM=$ROOT/usr/bin/holmberg \
    run -0 --separate-stderr "$PYTHON" "$@"
}

# example NAME WORD...: runs tests/api/NAME.py so.
example() {
  local name=$1
  shift
  outside "$BATS_TEST_DIRNAME/../api/$name.py" "$@"
  [ -z "$stderr" ]
}

# printed K: the k-th example of the package's README.
printed() {
  awk -v k="$1" '/^```/ { if (on) exit; on = /python/ && ++n == k; next } on' "$BATS_TEST_DIRNAME/../../src/python/README.md"
}

@test "declarations" { passes abi; }
@test "particles" { passes particles; }
@test "forces" { passes force; }
@test "simulations and pictures" { passes simulation; }
@test "interactions of your own" { passes pairs; }
@test "all functions of the headers, examples of docstrings, runs, archives, pictures" { passes complete; }
@test "the scripts for those who come from REBOUND, against DOP853" { passes rebound; }
@test "what AMUSE calls" { passes amuse; }

@test "the first example is that of its README, and keeps its energy" {
  diff <(printed 1) "$BATS_TEST_DIRNAME/../api/cluster.py"
  example cluster
  [ "${#lines[@]}" -eq 6 ]
  awk '/^t =/ { if ($9 > 1e-6 || $9 < -1e-6) exit 1 }' <<<"$output"
  [[ ${lines[5]} == '<holmberg.Simulation of 256 particles at t = 1: '*' on '*'>' ]]
  [ "$(head -c 4 cluster.png | tail -c 3)" = PNG ]
}

@test "the second one: two disks that fall touch when they should, or merge" {
  printed 2 >fall.py
  outside fall.py
  [ -z "$stderr" ]
  # from 2 to 0.1 with M = 1: sqrt(4) (arccos sqrt(0.05) + sqrt(0.05 * 0.95)) = 3.126456
  awk '{ t = $(NR == 1 ? 8 : 5) + 0; print t, "expected 3.126456 to 3.127433"; if (t < 3.126 || t > 3.1275) exit 1 }' <<<"$output"
  [[ ${lines[0]} == 'collision: particles 0, 1 at t = 3.12645'*', 0.100 apart, with radii of 0.05' ]]
  [[ ${lines[1]} == 'collision at t = 3.126: 1 of 2 bodies is left' ]]
  [ -z "$(printed 3)" ]
}

@test "as a user meets it: what happens, what is refused, the bits of the program" {
  outside "$BATS_TEST_DIRNAME/../python/test_door.py"
  [[ $stderr == *$'\nOK' ]]
}

@test "an example of fields, beside the formula of the model" {
  example field
  awk '/^r =/ { if ($6 / $9 > 1.05 || $6 / $9 < 0.95) bad = 1; n++ } END { exit bad || n != 4 }' <<<"$output"
}

@test "an example that is interrupted and resumed" {
  example interrupted run.ckpt
  [[ ${lines[1]} == 'resumed, and at t = '*' the same to the last bit' ]]
}

@test "the package says where it found no library" {
  HOLMBERG_LIBRARY=/none PYTHONPATH=$ROOT/usr/lib/python3/dist-packages run -1 "$PYTHON" -c 'import holmberg'
  [[ $output == *'ImportError: HOLMBERG_LIBRARY names /none, which does not exist' ]]
}

@test "uninstalling leaves nothing, compiled modules neither" {
  PYTHONDONTWRITEBYTECODE='' PYTHONPATH=$ROOT/usr/lib/python3/dist-packages "$PYTHON" -c 'import holmberg'
  [ -d "$ROOT/usr/lib/python3/dist-packages/holmberg/__pycache__" ]
  into_root uninstall
  [ -z "$(find "$ROOT" ! -type d)" ]
  [ -z "$(find "$ROOT" -name '*holmberg*')" ]
}

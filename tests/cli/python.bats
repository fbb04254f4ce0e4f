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
  run -0 "$PYTHON" -m unittest "test_$1"
  [[ $output == *$'\nOK' ]]
}

# example NAME WORD...: runs tests/api/NAME.py by the installed package alone.
example() {
  local name=$1
  shift
  unset HB_CHILD HOLMBERG_LIBRARY
  PYTHONPATH=$ROOT/usr/lib/python3/dist-packages run -0 --separate-stderr "$PYTHON" "$BATS_TEST_DIRNAME/../api/$name.py" "$@"
  [ -z "$stderr" ]
}

@test "declarations" { passes abi; }
@test "particles" { passes particles; }
@test "forces" { passes force; }
@test "simulations and pictures" { passes simulation; }
@test "interactions of your own" { passes pairs; }
@test "what AMUSE calls" { passes amuse; }

@test "the first example is that of its README, and keeps its energy" {
  diff <(sed -n '/^```python$/,/^```$/p' "$BATS_TEST_DIRNAME/../../src/python/README.md" | grep -v '^```') \
    "$BATS_TEST_DIRNAME/../api/cluster.py"
  example cluster
  [ "${#lines[@]}" -eq 6 ]
  awk '/^t =/ { if ($9 > 1e-6 || $9 < -1e-6) exit 1 }' <<<"$output"
  [[ ${lines[5]} == '<holmberg.Simulation of 256 particles at t = 1: '*' on '*'>' ]]
  [ "$(head -c 4 cluster.png | tail -c 3)" = PNG ]
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

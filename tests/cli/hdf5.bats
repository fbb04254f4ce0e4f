#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031,SC2016 # run sets these, each test is a subshell; names and lines of Python are no script
# HDF5 files that other programs made, or that are damaged: read right, or one sentence with the file's name and exit code
# 3, whatever the HDF5 library does. And yt, which reads ours.
load common

# refuses SENTENCE FILE ARG...
refuses() {
  fails_with 3 "$1" run "${@:2}" --scheme host --t-end 0.5
}

# As a child that does what the script says.
child() {
  printf '#!/bin/sh\n%s\n' "$1" >child
  chmod +x child
  export HB_CHILD=$PWD/child
}

# how_loaded COMMAND...: "2 of 3" if two of three processes loaded the HDF5 library; leaves what the loader said in loading.*.
how_loaded() {
  rm -f loading.*
  LD_DEBUG=files LD_DEBUG_OUTPUT=$PWD/loading "$@" >/dev/null 2>&1 || :
  echo "$(grep -l 'calling init: .*libhdf5' loading.* | wc -l) of $(echo loading.* | wc -w)"
}

@test "the HDF5 library is loaded at its first file, not at a start" {
  two_bodies >in.txt
  child=$(dirname "$HOLMBERG")/holmberg-child
  for words in "0 of 1,--help" '0 of 1,run in.txt --scheme host --t-end 0.125 -o out.txt' '1 of 1,convert in.txt a.h5' '1 of 2,info a.h5' \
    '1 of 2,run a.h5 --scheme host --t-end 0.125 -o out.txt' '2 of 2,convert a.h5 a.amuse' '1 of 1,convert in.txt a.xmf'; do
    # shellcheck disable=SC2086 # the words of a command
    found=$(how_loaded "$HOLMBERG" ${words#*,})
    echo "${words#*,}: loaded by $found, expected ${words%,*}"
    [ "$found" = "${words%,*}" ]
  done
  [ "$(how_loaded "$child")" = '0 of 1' ]
}

@test "a HDF5 library that is missing: one sentence, before any work, and all else goes on" {
  two_bodies >in.txt
  "$HOLMBERG" convert in.txt a.h5 --quiet
  how_loaded "$HOLMBERG" convert in.txt a.h5
  name=$(sed -n 's|.*calling init: .*/\(libhdf5[^/]*\)$|\1|p' loading.*)
  mkdir broken
  : >"broken/$name"
  export LD_LIBRARY_PATH=$PWD/broken${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  for words in 'info a.h5' 'convert in.txt b.h5' 'convert in.txt b.amuse' 'convert in.txt b.xmf' 'convert in.txt b --format hdf5' \
    'run in.txt --scheme host --t-end 1e9 -o b.h5'; do
    # shellcheck disable=SC2086
    fails_with 4 "HDF5 cannot be loaded: */$name: file too short; install it (Debian: libhdf5-dev, elsewhere: hdf5), and *" $words
  done
  accepts run in.txt --scheme host --t-end 0.125 -o end.txt --quiet
  run -0 cc -shared -o "broken/$name" -x c - <<<'int H5open(void) { return 0; }' # of another version
  fails_with 4 "HDF5 cannot be loaded: */$name: undefined symbol: H5*" convert in.txt b.h5
}

@test "147 odd files: read right, or refused" {
  local rows made
  made=$("$BATS_TEST_DIRNAME/../support/hdf5_faults.py" .)
  [ "$made" -gt 140 ]
  [ "$(find . -name '*.h5' | wc -l)" -eq "$made" ]
  rows=$(printf '0.25 %s 0 0 0\n' '0 1 2' '3 4 5' '6 7 8' '9 10 11')
  for file in *.h5; do
    if [[ $file == good_* ]]; then
      accepts run "$file" --scheme host --t-end 0.5 --quiet -o read.txt
      [ "$(grep -v '^#' read.txt)" = "$rows" ]
      grep '^# history: made by hand$' read.txt
    else
      refuses "$file: *" "$file"
      [[ $stderr != *crashed* ]]
    fi
  done
}

@test "a file that the library crashes on" {
  base64 -d <<<'H4sIAAAAAAACA+2aT0/UQBTAZ9pdbHZLKAkJizGh/iHhCEqiNyT8EROFjWwMB6NbdgvbZNklbVFITMAbnvTgwY/gkYMfwCNHTTx4JH4Cj9xw2r7pdga6K2YPrL7fZXZmXudN37x5MzvTt4tzC/25qzkSoGkkQwyS5BQg96Q8UIaUQnoA6SeFl9OwrgDlg9C+LFd6Mj8fSJ9KcD3H2SgVe4f8LyzOzxSDdBXyE5AeKZKcbVVtl5Ci5fql3S17kpc365trtrtBJH8d76CXkj7Bfw3wwPEr4O806b8k1X8R9N+k/2o8XmZlf4sodknvytLyHCVqrM9URT2LkK9BP0w+v26KcquQ3xkT4/ChJsr9gPxJ7t8aP75uyfbSYQWkTEJnUWJpezMIPS9KNcdbcOo2IS17ZRIWpjSyWB/U9yV0Zc7Rr5Md0JMjQ0zPY8vzStZarGDQnIYxvk+m8mTqlI9zGz0XQYcNACVZpl8jJWfTbqtXePp4Wmf1UfkQa0sL7BSYxyva7krD2vJqTT+yk0bi9pLttNLz9xOy33XaT+zrUVrA0ITxOPY25g95UW622XSrTsPybS/MP7XrzYrjO5AN52HwO5j0TqVuP5zzBH8tpOwnuACFHQhVqDD3VSkWqHFaCB9Nm3dZVhrUK2qkIc9WkuAHhXolrKfEq22vr7PoocX9isqr9nqdvWxCbzS/mKxfqdnundt8/YreTFXUo37edCC+x5s0L7A+ZeJ+bOXby/P9mnG9vRzfH5o32svF42P2tj8H8Y6yIZDj3UinBwuiHZQUsRHJkRXJLzUMKQiCIAiCID3BzvNK2VRel48Nwzp8xbZ1A++UZ6OZu/thhX6rOvSh9P3aF0L0sjJz8vnbz79T83W6fdr6wyRvLBEEQRAE6TrBeX53ziNH4/uNYY0M70F9fB6pRA3G54Z0Ek6UJuQdySWzR9RNfo+SOWOHPzyPPfP+Fry/KfXg4JL7Ryd7GKGoQcR7nHQ7vEmxw/tLOl/Uc78H+AX3omUox+8BkHakfQ/wcUz2t4hufQ/A70vl+/zW/awW3u/WHM9vurtkhM1zA+YzTfSU9yu8rhkX+4r0Dg9mlx9RQuIPOoRxZbys2w3T812nsSH+oR9A2yEIgiAIgiAIgiBIr/Ab/L+hMAA4AAA=' | gunzip >crash.h5
  refuses 'crash.h5: *' crash.h5 # HDF5 1.14 does not
  [[ $stderr == *', the file is damaged' || $stderr == *' were never written' ]]
}

@test "whatever becomes of the child: a sentence" {
  "$HOLMBERG" ic figure8 -o a.h5 --quiet
  child 'kill -SEGV $$'
  refuses 'a.h5: the HDF5 library crashed (signal 11) on it, the file is damaged' a.h5
  child 'kill -XCPU $$'
  refuses 'a.h5: the HDF5 library did not finish reading it, the file is damaged' a.h5
  for rest in 'exit 0' 'echo what is this; exit 0' 'exit 1' 'yes'; do
    child "printf HBchild1; $rest"
    refuses 'a.h5: the HDF5 library gave up on it, the file is damaged' a.h5
    child "$rest" # before it looked at the file
    fails_with 4 'cannot read a.h5: */child never answered, it is not this version?s holmberg-child' run a.h5
  done
  HB_CHILD=/bin/false fails_with 4 'cannot read a.h5: /bin/false never answered, *' info a.h5
  child 'kill -TERM $$'
  fails_with 4 'cannot read a.h5: */child was ended by signal 15' run a.h5
  child 'exit 2'
  fails_with 4 'cannot read a.h5: */child is of another version' run a.h5
  HB_CHILD=none/at-all fails_with 4 'cannot read a.h5: none/at-all is not installed' run a.h5
  # a program that is alone
  unset HB_CHILD
  mkdir alone
  cp "$HOLMBERG" alone/holmberg
  HOLMBERG=$PWD/alone/holmberg fails_with 4 'cannot read a.h5: holmberg-child is not in */alone/ *' run a.h5
}

@test "names with dashes and blanks, names of no file, locks, and a stream" {
  "$HOLMBERG" ic figure8 -o a.h5 --quiet
  mkdir folder
  for name in -dash.h5 'two  words.h5' '$(touch x).h5' folder/-o.h5; do
    cp a.h5 ./"$name"
    accepts run --scheme host --t-end 0.125 --quiet -- "$name"
  done
  ln -s /dev/stdin in.h5
  accepts run in.h5 --scheme host --t-end 0.125 --quiet <a.h5
  run -0 flock a.h5 "$HOLMBERG" run a.h5 --scheme host --t-end 0.125 --quiet
  mkfifo pipe.h5
  cat a.h5 >pipe.h5 &
  fails_with 4 'cannot read pipe.h5: HDF5 is read from regular files only' run pipe.h5
}

@test "yt draws our snapshot, by the lines of data/FORMATS.md, and reads our tipsy" {
  "$HOLMBERG" ic plummer -n 500 -o end.h5 --quiet
  "$HOLMBERG" convert end.h5 end.tipsy --quiet
  sed -n '/^```python$/,/^```$/p' "$BATS_TEST_DIRNAME/../../data/FORMATS.md" | grep -v '^```' >draw.py
  grep yt.load draw.py
  cat >>draw.py <<'END'
mass = ds.all_data()["all", "particle_mass"].sum()
assert abs(float(mass.to("code_mass")) - 1) < 1e-12 and abs(float(mass.to("Msun")) - 1000) < 1e-6, mass
gravity = ds.units.gravitational_constant.to("code_length**3 / code_mass / code_time**2")
assert abs(float(gravity) - 1) < 1e-3, gravity
import numpy
tipsy = yt.load("end.tipsy", bounding_box=3 * [[-20, 20]],
                unit_base={"length": (1, "pc"), "mass": (1000, "Msun"), "time": (1, "Myr")}).all_data()
for name, unit in ("position", "code_length"), ("velocity", "code_velocity"), ("mass", "code_mass"):
    ours, theirs = (numpy.sort(numpy.asarray(d["all", "particle_" + name].to(unit), "f4"), 0) for d in (ds.all_data(), tipsy))
    assert ours.shape == theirs.shape and numpy.array_equal(ours, theirs), name
END
  /usr/bin/python3 draw.py
  [ "$(head -c 4 end.png | tail -c 3)" = PNG ]
}

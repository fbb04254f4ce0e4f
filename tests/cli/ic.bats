#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031 # run sets these, each test is a subshell
# holmberg ic.
load common

@test "plummer: above N = 131072 by the model's sums, which the header notes" {
  accepts ic plummer -n 131073 -o large.h5
  h5dump -a /Holmberg/options large.h5 | grep -q 'scaling=model'
  accepts ic plummer -n 131073 --scaling model -o named.h5
  h5diff large.h5 named.h5 /PartType1/Coordinates
  accepts ic plummer -n 1024 -o small.h5
  run ! grep -q scaling <(h5dump -a /Holmberg/options small.h5)
}

@test "the default name is the model's, and the program says what it wrote" {
  accepts ic plummer -n 64
  [ "$output" = 'wrote plummer.h5: 64 particles, model plummer' ]
  files plummer.h5
}

@test "--quiet says nothing" {
  accepts ic plummer -n 64 --quiet -o a.h5
  [ -z "$output" ]
  files a.h5
}

@test "the format's own extension when only the format is given" {
  accepts ic figure8 --format text --quiet
  files figure8.txt
}

@test "- is standard output, with nothing but the data" {
  accepts ic figure8 -o -
  [ "$(grep -vc '^#' <<<"$output")" -eq 3 ]
  files ''
}

@test "the same seed gives the same bytes, another seed others" {
  for k in 1 2; do "$HOLMBERG" ic plummer -n 100 --seed 7 -o $k.h5 --quiet; done
  cmp 1.h5 2.h5
  "$HOLMBERG" ic plummer -n 100 --seed 8 -o 3.h5 --quiet
  run ! cmp -s 1.h5 3.h5
}

@test "-n, -n64, -n=64, --n, --n=, 2^6: six ways to say 64" {
  "$HOLMBERG" ic plummer -n 64 -o - | grep -v '^#' >expected
  for n in -n64 -n=64 '--n 64' --n=64 '-n 2^6' '-n 6.4e1'; do
    # shellcheck disable=SC2086
    "$HOLMBERG" ic plummer $n -o - | grep -v '^#' | cmp - expected
  done
}

@test "the history holds the command without what only places the result" {
  accepts ic plummer -n 8 --seed=3 --quiet -o -
  grep -qx '# history: holmberg ic plummer -n 8 --seed 3' <<<"$output"
  grep -qx '# options: model=plummer n=8 seed=3' <<<"$output"
}

@test "defaults that were used stand in the record" {
  accepts ic coldsphere -n 8 -o -
  grep -qx '# options: model=coldsphere seed=0 n=8' <<<"$output"
}

@test "unknown model, near one" {
  fails_with 2 "unknown model 'plumer'; did you mean 'plummer'[?]" ic plumer
}
@test "unknown model, near none" {
  fails_with 2 "unknown model 'galaxy' (expected one of plummer, *)" ic galaxy
}
@test "an option that the model does not take" {
  fails_with 2 'model plummer does not take --e (it takes: n seed r-cut scaling)' ic plummer --e 0.5
  fails_with 2 'model twobody does not take --seed (it takes: *)' ic twobody --seed 1
  fails_with 2 'model figure8 takes no options, but got -n 4' ic figure8 -n 4
}
@test "N = 0" {
  fails_with 2 "option -n: '0' is out of range (expected a whole number >= 1)" ic plummer -n 0
}
@test "N beyond the model's range" {
  fails_with 2 'model plummer accepts * particles, not 1000000000000' ic plummer -n 1e12
}
@test "an orbit that is none" {
  fails_with 2 'eccentricity e is 1.5, expected 0 <= e < 1' ic twobody --e 1.5
}
@test "no rotation cannot be asked for" { fails_with 2 'option --spin: *' ic holmberg1941 --spin 0; }
@test "a number below 0 is a value, no option" { accepts ic holmberg1941 --spin -1 --quiet; }

@test "the demonstrations of the CUDA samples, with their parameters as notes" {
  for k in 1 2 3 4 5 6 7; do
    accepts ic demo$k -n 8 -o -
    [ "$(grep -vc '^#' <<<"$output")" -eq 8 ]
  done
  for note in 'eps: 1' 'dt: 0.016' 'damping: 1' 'point_size: 0.76' 'camera: 0 0 -50'; do
    grep -qx "# $note" <<<"$output"
  done
  for shape in shell random expand; do
    "$HOLMBERG" ic demo1 -n 8 --shape $shape -o - | grep -v '^#' >$shape
  done
  "$HOLMBERG" ic demo1 -n 8 -o - | grep -v '^#' | cmp - shell
  run ! cmp -s shell random
  run ! cmp -s random expand
  fails_with 2 'model plummer does not take --shape (it takes: *)' ic plummer --shape shell
}

@test "HDF5 does not go to standard output" {
  fails_with 2 'standard input and output take format text, nemo, *, but not hdf5' ic plummer -o - --format hdf5
}

@test "-- ends the options" { fails_with 2 "unknown model '--e'*" ic -- --e; }

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

@test "a cluster: masses, binaries, units; the record and the header say what was asked for" {
  run --separate-stderr "$HOLMBERG" ic king -n 200 --w0 5 --masses kroupa --mass-max 20 --segregation 0.5 --binaries 0.2 \
    --orbits kroupa1995 --a-max 0.01 --length-unit 0.8 --rotation -0.5 --virial 0.4 -o -
  [ "$status" -eq 0 ]
  redrawn=$(sed -n 's/^# orbits_redrawn: //p' <<<"$output")
  [ "$redrawn" -ge 1 ] && [ "$redrawn" -le 33 ]
  [[ $stderr == "holmberg: $redrawn orbits of binaries were drawn again: their stars would have touched, or their semi-major axes been above 0.01 units of length" ]]
  grep -qx '# options: model=king seed=0 n=200 w0=5 masses=kroupa mass-max=20 segregation=0.5 rotation=-0.5 virial=0.4 binaries=0.2 orbits=kroupa1995 a-max=0.01 length-unit=0.8' <<<"$output"
  grep -qE '^# units: mass_msun=[0-9.]+ length_pc=0.8' <<<"$output"
  [ "$(grep -vc '^#' <<<"$output")" -eq 200 ]
  accepts ic king -n 8 -o -
  grep -qx '# options: model=king seed=0 w0=6 n=8' <<<"$output"
}

@test "binaries are not softened: run takes eps 0 from the header, also of a combination" {
  accepts ic plummer -n 8 --binaries 1 -o a.h5 --quiet
  accepts ic plummer -n 8 -o b.h5 --quiet
  run --separate-stderr "$HOLMBERG" ic combine b.h5 a.h5 --at 9,0,0 -o c.h5 --quiet
  [ "$stderr" = 'holmberg: the systems have different softenings, 0.00390625 and 0: both get 0, the smaller one' ]
  for file in a c; do
    accepts run $file.h5 --scheme host --t-end 1/256 --quiet -o end.h5
    h5dump -a /Holmberg/options end.h5 | grep -q ' eps=0 '
  done
  accepts run b.h5 --scheme host --t-end 1/256 --quiet -o end.h5 # the negative control
  h5dump -a /Holmberg/options end.h5 | grep -q ' eps=0.00390625 '
}

@test "masses from a file: as many particles, in solar masses" {
  printf '%s\n' 1 2 '# three' 5 >masses
  accepts ic plummer --masses masses -o -
  [ "$(grep -v '^#' <<<"$output" | awk '{ printf "%.3f ", $1 }')" = '0.125 0.250 0.625 ' ]
  grep -qx '# mass_msun: 8' <<<"$output"
  fails_with 2 'masses has 3 masses, but 4 particles were asked for' ic plummer -n 4 --masses masses
  echo 'x' >>masses
  fails_with 3 "masses:5: 'x', expected one mass > 0 in each line" ic plummer --masses masses
  fails_with 2 "masses 'krupa' are neither equal, salpeter, kroupa or two nor a file" ic plummer --masses krupa
}

@test "options of clusters where there is none" {
  fails_with 2 'model cube does not take --masses, which is for clusters (plummer, king, coldsphere)' ic cube --masses two
  fails_with 2 'model plummer does not take --w0 (it takes: n seed r-cut scaling)' ic plummer --w0 3
  fails_with 2 'the depth w0 of a King model is 20, expected 0.1 to 16' ic king --w0 20
}

@test "ic combine: B displaced and in motion; identities and histories of both" {
  two_bodies >a.txt
  accepts ic combine a.txt a.txt --at 10,0,0 --velocity=0,-1,0 -o -
  grep -v '^#' <<<"$output" | tail -1 | awk '{ exit !($1 == 0.5 && $2 == 9 && $6 == -1.5) }'
  grep -qx '# history: holmberg ic combine a.txt a.txt --at 10,0,0 --velocity 0,-1,0' <<<"$output"
  accepts ic combine a.txt a.txt -o both.txt
  [ "$output" = 'wrote both.txt: 4 particles, 2 and 2' ]
  run ! "$HOLMBERG" ic combine a.txt a.txt -o a.txt
  [[ ${lines[0]} == *'writing a.txt would replace a.txt, which is read'* ]]
  accepts ic plummer -n 8 --mass-unit 10 --length-unit 1 -o units.txt
  fails_with 3 'the first system has units, the second has none: they cannot be combined' ic combine units.txt a.txt
}

@test "scale: mass, length, virial ratio; standard units; solar masses, pc and km/s" {
  accepts ic plummer -n 100 -o a.txt --quiet
  accepts scale a.txt b.txt --mass 4 --length 2 --virial 0.25
  [ "$output" = 'wrote b.txt: 100 particles' ]
  accepts info b.txt --eps 0
  awk '/^potential energy/ { u = $3 } /^kinetic energy/ { t = $3 } END { exit !(u + 4 < 1e-9 && u + 4 > -1e-9 && t - 1 < 1e-9 && t - 1 > -1e-9) }' <<<"$output"
  accepts scale b.txt c.txt --from-astro --standard
  grep -qE '^# units: mass_msun=(4|3\.99)[0-9.]* length_pc=(2|1\.99)[0-9.]*' c.txt
  fails_with 2 'nothing to change, expected --mass, --length, --virial, --standard, --from-astro, --at, --velocity or --radius' scale a.txt d.txt
  two_bodies >t.txt
  accepts scale t.txt - --at 1,2,3 --velocity 0,0,-1 --format text
  [ "$(grep -v '^#' <<<"$output" | awk '{ print $2, $3, $4, $6, $7 }')" = "$(printf '%s\n' '2 2 3 0.5 -1' '0 2 3 -0.5 -1')" ]
  fails_with 3 'the particles have units already' scale c.txt d.txt --from-astro
}

@test "scale: lengths and times in notes, too" {
  note() { sed -n "s/^# $2: //p" "$1"; }
  "$HOLMBERG" ic king -n 100 -o a.txt --quiet
  "$HOLMBERG" scale a.txt b.txt --mass 4 --length 2 --quiet
  # the first star's x has grown as the radius at which the model ends
  paste -d' ' <(grep -v '^#' a.txt | head -n 1) <(grep -v '^#' b.txt | head -n 1) |
    awk -v before="$(note a.txt initial_tidal_radius)" -v after="$(note b.txt initial_tidal_radius)" '
      { d = $9 / $2 * before / after - 1 } END { exit !(NR == 1 && after > 1.5 * before && d * d < 1e-24) }'
  "$HOLMBERG" ic demo1 -n 64 -o c.txt --quiet
  "$HOLMBERG" scale c.txt d.txt --mass 4 --quiet
  awk -v e="$(note c.txt eps)" -v f="$(note d.txt eps)" -v s="$(note c.txt dt)" -v t="$(note d.txt dt)" -v m="$(grep -v '^#' c.txt | awk '{ m += $1 } END { print m }')" '
    BEGIN { exit !(e == f && e > 0 && (s / t) ^ 2 * m / 4 - 1 < 1e-5 && 1 - (s / t) ^ 2 * m / 4 < 1e-5) }'
}

@test "HDF5 does not go to standard output" {
  fails_with 2 'standard input and output take format text, nemo, *, but not hdf5' ic plummer -o - --format hdf5
}

@test "-- ends the options" { fails_with 2 "unknown model '--e'*" ic -- --e; }

@test "orbits that are drawn again: how many, and by which bound" {
  local said
  said() { # said WORD...: the note of ic king with these, and N
    run --separate-stderr "$HOLMBERG" ic king --masses kroupa --length-unit 1 -o a.txt "$@"
    [ "$status" -eq 0 ]
    redrawn=$(sed -n 's/^# orbits_redrawn: //p' a.txt)
    echo "$redrawn: $stderr"
  }
  said -n 300 --binaries 0.5 --orbits duquennoy1991 --seed 2
  bound=$(python3 -c 'print(f"{0.4 / 200 ** (1 / 3):.6g}")') # 200 systems
  [ "$stderr" = "holmberg: $redrawn orbits of binaries were drawn again: their stars would have touched, or their semi-major axes been above $bound units of length" ]
  said -n 2000 --binaries 0.5 --orbits kroupa1995 --seed 2
  [ "$stderr" = "holmberg: $redrawn orbits of binaries were drawn again: their stars would have touched" ]
  ones=0
  for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
    said -n 4 --binaries 1 --orbits duquennoy1991 --seed $seed
    [ "$redrawn" = 1 ] || continue
    ones=$((ones + 1))
    [[ $stderr == 'holmberg: 1 orbit of a binary was drawn again: its stars would have touched, or its semi-major axis been above '*' units of length' ]]
  done
  echo "one orbit in $ones of 12 pairs of binaries"
  [ "$ones" -gt 0 ]
  fails_with 2 'a binary of mass * would hardly ever have a semi-major axis below 1e-12' \
    ic king --masses kroupa --length-unit 1 --binaries 0.5 --orbits kroupa1995 --a-max 1e-12
  fails_with 2 'semi-major axes from 2 to 1, expected the first below the second' ic king --binaries 0.5 --a-min 2 --a-max 1
}

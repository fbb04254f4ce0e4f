#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031 # run sets these, each test is a subshell
# Snapshots of other programs: tests/support/formats.py writes and reads them by their descriptions, and knows nothing of ours.
# And the commands that are about files: convert, diff, info FILE.
load common

formats() { "$BATS_TEST_DIRNAME/../support/formats.py" "$@"; }

@test "130 files made by hand: read right, or refused" {
  local made rows
  made=$(formats make .)
  [ "$made" -gt 125 ]
  [ "$(find . -type f | wc -l)" -eq $((made + 2)) ]
  rows=$(printf '0.25 %s\n' '0 1 2 0 1 4' '3 4 5 0.5 0 4' '6 7 8 1 -1 4' '9 10 11 1.5 -2 4')
  for file in *; do
    case $file in
    good_*)
      accepts convert "$file" - --format text
      [ "$(grep -v '^#' <<<"$output")" = "$rows" ]
      grep -q '^# t: 0.5$' <<<"$output"
      [[ $file != *_ids* ]] || accepts diff "$file" reference.h5
      ;;
    reference.h5 | movie.nemo) ;;
    *)
      fails_with 3 "$file*" convert "$file" out.h5
      [[ $stderr != *crashed* ]]
      [ ! -e out.h5 ]
      ;;
    esac
  done
}

@test "AMUSE's files in SI get N-body units" {
  formats si .
  accepts convert si.amuse out.h5
  formats same_si out.h5
  accepts info out.h5
  [[ $output == *'length_pc=1'* ]]
  fails_with 3 "mixed.amuse: /data/0000000001/attributes/y is in 'system.get('generic').base('length')', expected a length in m" info mixed.amuse
}

@test "a file of many snapshots: the last, or the one of a time" {
  formats make . >made
  accepts info movie.nemo --json
  [[ $output == *'"format": "nemo", "snapshots": 3, "t_first": 0.25, "t_last": 0.75, "n": 4, "t": 0.75,'* ]]
  accepts info movie.nemo --time 0.5
  [[ $output == *'3, from t = 0.25 to 0.75'* ]]
  accepts convert movie.nemo half.h5 --time 0.5 --quiet
  accepts diff half.h5 reference.h5
  fails_with 3 'movie.nemo: no snapshot of t = 2; the nearest of 3 from t = 0.25 to 0.75 is of t = 0.75' convert movie.nemo two.h5 --time 2
  fails_with 3 'half.h5: its only snapshot is of t = 0.5, not of 2' info half.h5 --time 2
}

@test "AMUSE's file of 6000 sets is read in the time of 6000" {
  formats series series.amuse 6000
  accepts info series.amuse --json
  [[ $output == *'"format": "amuse", "snapshots": 6000,'* ]]
}

@test "what we write, readers read that know nothing of ours" {
  accepts ic plummer -n 200 --seed 3 -o a.h5 --quiet
  local files=()
  for format in nemo phigrape dyn amuse xdmf; do
    accepts convert a.h5 "b.$format" --quiet
    accepts diff a.h5 "b.$format"
    files+=("$format" "b.$format")
  done
  for format in tipsy tipsy-native tipsy-cuda; do
    run -0 --separate-stderr "$HOLMBERG" convert a.h5 "$format.bin" --format $format --quiet
    [ "$stderr" = "holmberg: format $format holds floats: 1400 of 1400 numbers lose digits beyond the 7th; hdf5 and nemo keep all" ]
    accepts diff a.h5 "$format.bin" --tolerance 1e-5
    files+=("$format" "$format.bin")
  done
  formats same a.h5 "${files[@]}" >same
  [ "$(grep -c ' 200$' same)" -eq 8 ]
  grep -A1 '<Topology.*NumberOfElements="200"' b.xdmf | grep -q 'b.h5:/PartType1/ParticleIDs'
  # in another order
  formats make . >made
  accepts convert reference.h5 other.xmf --quiet
  formats same reference.h5 xdmf other.xmf
  # the test can fail
  accepts convert a.h5 c.nemo --quiet
  accepts ic plummer -n 200 --seed 4 -o d.h5 --quiet
  run formats same d.h5 nemo c.nemo
  [ "$status" -ne 0 ]
}

@test "a run from NEMO to XDMF, stopped and resumed, through pipes and back" {
  "$HOLMBERG" ic plummer -n 32 -o - --format nemo >a.nemo
  accepts run a.nemo --scheme host --t-end 0.5 --quiet --snap-every 0.25 -o once.xmf
  accepts run a.nemo --scheme host --t-end 0.25 --quiet --snap-every 0.25 -o end.xmf --checkpoint a.ckpt
  accepts run --resume a.ckpt --t-end 0.5 --quiet
  for name in _0001 _0002 ''; do
    accepts diff once$name.h5 end$name.h5
    accepts diff once$name.xmf end$name.xmf
    grep -q ">end$name.h5:/PartType1/Coordinates<" end$name.xmf
  done
  "$HOLMBERG" convert end.h5 - --format dyn | "$HOLMBERG" convert - - --format phigrape | "$HOLMBERG" diff - end.xmf
}

@test "convert: history, names, and nothing lost" {
  accepts ic figure8 -o a.h5 --quiet
  accepts convert a.h5 b.dyn
  [ "$output" = 'wrote b.dyn: 3 particles, t = 0, from format hdf5' ]
  accepts convert b.dyn c.txt --quiet
  [ "$(grep '^# history:' c.txt)" = "$(printf '# history: holmberg %s\n' 'ic figure8' 'convert a.h5 b.dyn' 'convert b.dyn c.txt')" ]
  cp a.h5 kept.h5
  fails_with 2 'writing a.h5 would replace a.h5, which is read; *' convert a.h5 a.h5
  fails_with 2 'writing a.xmf would replace a.h5, which is read; *' convert a.h5 a.xmf
  ln -s . here
  fails_with 2 'writing here/a.h5 would replace a.h5, *' convert a.h5 here/a.h5
  cmp a.h5 kept.h5
  fails_with 2 "cannot tell the format of 'b.fits' from its extension *" convert a.h5 b.fits
  fails_with 2 'standard input and output take format text, nemo, *, but not amuse' convert a.h5 - --format amuse
  fails_with 2 "'holmberg convert' needs IN OUT" convert a.h5
  fails_with 2 "'holmberg convert' takes IN OUT, but got 'c.h5', too" convert a.h5 b.h5 c.h5
  fails_with 2 "'holmberg info' takes one \[FILE\], but got 'a.h5' and 'b.h5'" info a.h5 b.h5
  fails_with 4 'cannot read none.h5: *' convert none.h5 b.h5
  ln -s a.h5 d.h5
  fails_with 4 'cannot write d.h5: it is a symbolic link; *' convert kept.h5 d.xmf
  files a.h5 b.dyn c.txt d.h5 here kept.h5
}

@test "diff: by identity, exit code 1 above the tolerance" {
  printf '%s\n' 0 3 0.5 '0 1 1 0 0 0 0 0' '1 1 2 0 0 0 0 0' '2 1 3 0 0 0 0 0' >a.phigrape
  printf '%s\n' 0 3 0.5 '2 1 3 0 0 0 0 0' '0 1 1 0.03 0.04 0 0 0' '1 1 2 0 0 0 0 -0.01' >b.phigrape
  accepts diff a.phigrape a.phigrape
  [ "${lines[0]}" = '3 particles matched by identity' ]
  [ "${lines[-1]}" = 'the same bits' ]
  sed '$s/0$/-0/' a.phigrape >zero.phigrape
  accepts diff a.phigrape zero.phigrape # -0 is 0, but has a bit of its own
  [[ $output != *'the same bits'* ]]
  run --separate-stderr "$HOLMBERG" diff a.phigrape b.phigrape
  [ "$status" -eq 1 ]
  [ "$stderr" = 'holmberg: a.phigrape and b.phigrape differ by 0.05, more than 0' ]
  [[ $output == *'position           0.05      0.02887   0'*'velocity           0.01     0.005774   1'* ]]
  accepts diff a.phigrape b.phigrape --tolerance 0.051 --json
  [[ $output == *'"matched": 3, "only_a": 0, "only_b": 0,'*'"m_max": 0,'*'"x_max_id": 0,'*'"same": true, "same_bits": false}' ]]
  run --separate-stderr "$HOLMBERG" diff a.phigrape b.phigrape --tolerance 0.049 --json
  [ "$status" -eq 1 ]
  [[ $output == *'"same": false, "same_bits": false}' ]]
  sed 's/^2/7/' b.phigrape >c.phigrape
  run --separate-stderr "$HOLMBERG" diff a.phigrape c.phigrape --tolerance 1
  [ "$status" -eq 1 ]
  [ "$stderr" = 'holmberg: a.phigrape and c.phigrape do not have the same particles' ]
  [ "${lines[0]}" = '2 particles matched by identity, 1 only in a.phigrape, 1 only in c.phigrape' ]
}

@test "info FILE: what the file holds, and a machine without it" {
  printf '%s\n' '# eps: 0' '# history: by hand' '# t: 2' '0.5 -0.5 0 0 0 -0.5 0' '0.5 0.5 0 0 0 0.5 0' >a.txt
  accepts info a.txt
  for line in 'file               a.txt' 'format             text' 'time               2' 'particles          2' \
    'mass               1, of a particle 0.5' 'kinetic energy     0.125' 'potential energy   -0.25, with eps = 0' \
    'total energy       -0.125' 'virial ratio       0.5' 'half-mass radius   0.5 about the center of mass' 'history            by hand'; do
    grep -qxF "$line" <<<"$output"
  done
  accepts info a.txt --eps 1 --json
  [[ $output == *'"eps": 1, "exact_energy": true,'*'"notes": {"eps": "0", "history": "by hand"}}' ]]
  [[ $output == *'"e_pot": -0.17677669529663'* ]]
  accepts info a.txt --exact-energy no
  [[ $output == *'not summed; --exact-energy yes sums it'* ]]
  fails_with 2 'option --n is about a machine, not a file' info a.txt -n 5
  fails_with 2 'option --eps is about a file, but none is given' info --eps 0.1
  fails_with 4 'cannot read b.txt: *' info b.txt
}

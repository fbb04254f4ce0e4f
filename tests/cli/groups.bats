#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2086,SC2016 # run sets these, options are words, fields are those of awk
# Close encounters and binaries as groups, --encounters groups: the default without softening.
load common
load encounters

# binaries N: a Plummer sphere of N, its first eight stars binaries of a = 0.002 on circles.
binaries() {
  "$HOLMBERG" ic plummer -n "$1" --seed 7 -o - | awk '
    /^#/ { next }
    ++n > 8 { print; next }
    {
      w = sqrt(2 * $1 / 0.002) / 2
      for (s = -1; s <= 1; s += 2) printf "%s %.17g %s %s %s %.17g %s\n", $1, $2 + s * 0.001, $3, $4, $5, $6 + s * w, $7
    }'
}

# energy BOUND: |dE/E| of the last row, that of the cluster.
energy() {
  awk -v bound="$1" '/^#/ { for (k = NF; $k != "dE/E"; k--); k--; next } # the # is a word
    END { print "dE/E", $k, "bound", bound; exit !(k > 3 && $k <= bound && $k >= -bound) }' <<<"${lines[0]}"$'\n'"${lines[-1]}"
}

@test "what short steps cannot hold, one chain of few bodies does" {
  three_encounters
  accepts run binary.txt --scheme host --eps 0 --t-end 8
  energy 1e-11
  accepts run head_on.txt --scheme host --eps 0 --t-end 30
  energy 1e-11
  "$HOLMBERG" ic figure8 -o eight.txt --quiet
  accepts run eight.txt --scheme host --eps 0 --t-end 63.25
  energy 1e-12
  accepts run pythagorean.txt --scheme host --eps 0 --t-end 60 -o end.txt
  energy 1e-11
  # by tests/long/bodies_quad.c
  echo '0.74380750011808294 1.9399479510948634 0.26401033468625656 -0.73162439486996378 -0.657492767819855 -0.5786692547609471' >quad
  grep -v '^#' end.txt | awk '{ print $2, $3 }' | xargs | paste quad - |
    awk '{ for (k = 1; k <= 6; k++) if (sqrt(($k - $(k + 6)) ^ 2) > 1e-4) bad = 1 } END { exit bad || NF != 12 }'
}

@test "groups are the default without softening, and nowhere else" {
  binaries 64 >stars.txt
  for how in '' '--encounters auto' '--encounters groups'; do
    "$HOLMBERG" run stars.txt --scheme host --eps 0 --t-end 0.125 $how --quiet -o - | grep -v '^#' >"is$how"
  done
  cmp is 'is--encounters auto'
  cmp is 'is--encounters groups'
  "$HOLMBERG" run stars.txt --scheme host --eps 0 --t-end 0.125 --encounters none --quiet -o - | grep -v '^#' >without
  run ! cmp -s is without
  accepts run stars.txt --scheme host --eps 0 --steps shared --t-end 0.001
  fails_with 2 'encounters groups needs eps 0: softened binaries are not regularized' \
    run stars.txt --scheme host --eps 0.01 --encounters groups
  fails_with 2 'encounters groups needs block steps' run stars.txt --scheme host --eps 0 --steps shared --encounters groups
}

@test "fewer steps, and the energy" {
  binaries 128 >stars.txt
  accepts run stars.txt --scheme host --eps 0 --t-end 0.25
  energy 1e-6
}

# Where slots of members wait as sources without mass, a star may be, too. Its energy is as if it were elsewhere.
@test "a star, or eight, at coordinates of 2^20" {
  binaries 64 >stars.txt
  for where in '$2 = P; $3 = $4 = 0' '$3 = P; $2 = $4 = 0' '$4 = P; $2 = $3 = 0' '$2 = $3 = $4 = P' '$2 = 2 * P; $3 = 5' \
    'k = NR - 65; $2 = k % 2 ? -P : P; $3 = int(k / 2) % 2 ? -P : P; $4 = k > 3 ? -P : P'; do
    last=72
    [[ $where == k* ]] && last=65
    awk -v P=1048576 "NR >= $last { $where; \$5 = \$6 = \$7 = 0 } 1" stars.txt >far.txt
    for how in 'host double' 'host-simd ds'; do
      accepts run far.txt --eps 0 --scheme "${how% *}" --precision "${how#* }" --t-end 1/16 -o end.txt
      echo "$where, $how: dE/E = $(awk 'END { print $4 }' <<<"$output"), at most 2e-7"
      energy 2e-7 # stars feel the mean orbits of close pairs
      awk -v last=$last 'FNR == 1 { ++file } /^#/ { next } { ++n[file] } n[file] >= last && file == 1 { x[n[1]] = $2 " " $3 " " $4 }
        file == 2 && n[2] >= last && $2 " " $3 " " $4 != x[n[2]] { split(x[n[2]], o); for (d = 1; d < 4; d++) if (($(d + 1) - o[d]) ^ 2 > 1) exit 1 }' far.txt end.txt
    done
  done
}

@test "threads, rows and snapshots: the same bits" {
  binaries 64 >stars.txt
  OMP_NUM_THREADS=1 "$HOLMBERG" run stars.txt --scheme host --eps 0 --t-end 0.25 --quiet -o - | grep -v '^#' >expected
  for how in '2 --diag-every 0.013' '4 --diag-every 1/64'; do
    OMP_NUM_THREADS=${how%% *} "$HOLMBERG" run stars.txt --scheme host --eps 0 --t-end 0.25 ${how#* } --quiet -o - | grep -v '^#' >other
    cmp expected other
  done
  "$HOLMBERG" run stars.txt --scheme host --eps 0 --t-end 0.25 --snap-every 0.0171 --quiet -o end.txt
  grep -v '^#' end.txt >other
  cmp expected other
}

@test "resumed within encounters: the same bits" {
  binaries 64 >stars.txt
  "$HOLMBERG" run stars.txt --scheme host --eps 0 --t-end 0.25 --quiet -o - | grep -v '^#' >expected
  "$HOLMBERG" run stars.txt --scheme host --eps 0 --t-end 0.0617 --quiet -o part.txt --checkpoint run.ckpt
  accepts run --resume run.ckpt --t-end 0.1234 --quiet
  accepts run --resume run.ckpt --t-end 0.25 --quiet -o end.txt
  grep -v '^#' end.txt >other
  cmp expected other
}

# galaxy: a cluster with eight binaries on a circular orbit in a galaxy, and the same in coordinates that turn with it.
galaxy() {
  binaries 64 >stars.txt
  "$HOLMBERG" scale stars.txt orbit.txt --at 100,0,0 --velocity 0,10,0 --quiet
  "$HOLMBERG" scale stars.txt turning.txt --at 100,0,0 --velocity 0,0,0 --quiet
  at_rest=(orbit.txt --field 'point:m=10000 omega=0.1')
  turning=(turning.txt --field 'point:m=10000 frame:w=0.1')
}

@test "in a field: groups are the default, the energy, threads and rows" {
  galaxy
  for how in at_rest turning; do
    local -n run_of=$how
    accepts run "${run_of[@]}" --scheme host --eps 0 --t-end 0.25
    energy 1e-6 # over the cluster's own energy
    OMP_NUM_THREADS=1 "$HOLMBERG" run "${run_of[@]}" --scheme host --eps 0 --t-end 0.25 --quiet -o - | grep -v '^#' >expected
    OMP_NUM_THREADS=4 "$HOLMBERG" run "${run_of[@]}" --scheme host --eps 0 --encounters groups --t-end 0.25 --diag-every 0.013 --quiet -o - |
      grep -v '^#' >other
    cmp expected other
    OMP_NUM_THREADS=2 "$HOLMBERG" run "${run_of[@]}" --scheme host --eps 0 --t-end 0.25 --snap-every 0.0171 --quiet -o end.txt
    grep -v '^#' end.txt >other
    cmp expected other
    "$HOLMBERG" run "${run_of[@]}" --scheme host --eps 0 --encounters none --t-end 0.25 --quiet -o - | grep -v '^#' >without
    run ! cmp -s expected without
  done
}

@test "in a field: resumed within encounters, the same bits" {
  galaxy
  for how in at_rest turning; do
    local -n run_of=$how
    "$HOLMBERG" run "${run_of[@]}" --scheme host --eps 0 --t-end 0.25 --quiet -o - | grep -v '^#' >expected
    "$HOLMBERG" run "${run_of[@]}" --scheme host --eps 0 --t-end 0.0617 --quiet -o part.txt --checkpoint run.ckpt
    accepts run --resume run.ckpt --t-end 0.1234 --quiet
    accepts run --resume run.ckpt --t-end 0.25 --quiet -o end.txt
    grep -v '^#' end.txt >other
    cmp expected other
    rm end.txt part.txt run.ckpt*
  done
}

# Wherever slots of members wait there is a star then: it stays where it is, and the energy is what it is without.
@test "a star at each of the corners where members' slots wait" {
  binaries 64 >stars.txt
  awk '{ print } END { for (k = 0; k < 32; k++) { p = 2 ^ (20 + int(k / 8))
    print 1e-9, k % 2 ? -p : p, int(k / 2) % 2 ? -p : p, int(k / 4) % 2 ? -p : p, 0, 0, 0 } }' stars.txt >far.txt
  for how in 'host double' 'host-simd ds'; do
    accepts run far.txt --eps 0 --scheme "${how% *}" --precision "${how#* }" --t-end 1/16 -o end.txt
    energy 2e-7
    [ "$(grep -vc '^#' end.txt)" -eq "$(grep -vc '^#' far.txt)" ]
    tail -n 32 far.txt >before && tail -n 32 end.txt | cut -d ' ' -f 1-4 >after
    paste -d ' ' before after | awk '{ for (d = 1; d < 5; d++) if (($d - $(d + 7)) ^ 2 > 1e-12 * $d ^ 2) exit 1 }'
  done
}

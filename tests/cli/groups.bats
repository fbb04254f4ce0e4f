#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2086,SC2016 # run sets these, options are words, fields are those of awk
# Close encounters and binaries as groups, --encounters groups: the default without softening.
load common
load encounters

# Another one gives other members of the kinds below.
RANDOM_SEED=${RANDOM_SEED:-1}

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

# planets SEED PLANETS MASSLESS: a star, as many planets from 0.4 to 30, and as many bodies without mass between 2 and 3.5.
planets() {
  awk -v seed="$1" -v n="$2" -v more="$3" '
    function body(m, a, angle, tilt) {
      v = (1 + 0.04 * rand()) / sqrt(a)
      printf "%.17g %.17g %.17g 0 %.17g %.17g %.17g\n", m, a * cos(angle), a * sin(angle), -v * sin(angle),
        v * cos(angle) * cos(tilt), v * cos(angle) * sin(tilt)
    }
    BEGIN {
      srand(seed)
      print 1, 0, 0, 0, 0, 0, 0
      for (k = 0; k < n; k++)
        body(10 ^ (-7 + 3 * k / n + rand()), 0.4 * 75 ^ (k / (n - 1)), 6.28 * rand(), 0.05 * rand())
      for (k = 0; k < more; k++) body(0, 2 + 1.5 * rand(), 6.28 * rand(), 0.2 * rand())
    }'
}

@test "a star with 8 to 20 planets, and bodies without mass: the energy, and the planets do not feel them" {
  for n in 8 14 20; do
    planets $((RANDOM_SEED + n)) "$n" 0 >planets.txt
    accepts run planets.txt --scheme host --eps 0 --t-end 128 --dt-max 2
    energy 1e-12
  done
  planets "$RANDOM_SEED" 4 0 >few.txt
  planets "$RANDOM_SEED" 4 20 >belt.txt
  planets "$RANDOM_SEED" 4 100 >disk.txt # more than a chain has room for
  for name in few belt disk; do
    accepts run $name.txt --scheme host --eps 0 --t-end 64 --dt-max 2 -o $name.out.txt
    energy 1e-12
    grep -v '^#' $name.out.txt | head -n 5 | awk '{ print $2, $3, $4 }' | xargs >$name.places
  done
  paste few.places belt.places disk.places | awk '{
    for (k = 1; k <= 15; k++) if (sqrt(($k - $(k + 15)) ^ 2) > 1e-10 || sqrt(($k - $(k + 30)) ^ 2) > 1e-10) bad = 1
  } END { exit bad || NF != 45 }'
}

@test "cold spheres of 9 to 64: the energy, and the same bits when resumed" {
  for n in 9 17 40 64; do
    "$HOLMBERG" ic coldsphere -n $n --seed $((RANDOM_SEED + n)) -o cold.txt --quiet
    accepts run cold.txt --scheme host --eps 0 --t-end 1.75 --diag-every 1.75
    energy 1e-9
  done
  "$HOLMBERG" ic coldsphere -n 20 --seed "$RANDOM_SEED" -o cold.txt --quiet
  "$HOLMBERG" run cold.txt --scheme host --eps 0 --t-end 2 -o whole.txt --quiet
  "$HOLMBERG" run cold.txt --scheme host --eps 0 --t-end 1.5 --checkpoint half.ckpt --quiet
  "$HOLMBERG" run --resume half.ckpt --t-end 2 -o parts.txt --quiet
  cmp <(grep -v '^#' whole.txt) <(grep -v '^#' parts.txt)
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

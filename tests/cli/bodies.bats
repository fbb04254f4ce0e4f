#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031 # run sets these, each test is a subshell
# Radii, collisions, escapers, and what ends a run.
load common

# falling: two stars that touch at t = 1.11, and a test particle.
falling() {
  printf '%s\n' '# m x y z vx vy vz radius' '0.5 -0.5 0 0 0 0.01 0 0.01' '0.5 0.5 0 0 0 -0.01 0 0.01' '0 3 0 0 0 0 0 0' >two.txt
}

@test "ic, scale, combine and convert keep radii; a format that cannot says so" {
  accepts ic plummer -n 8 --radius '1e-3*m^0.5' -o a.h5 --quiet
  h5dump -d /PartType1/Radius a.h5 | grep -q 0.000353553
  accepts ic combine a.h5 a.h5 --at 9,0,0 -o b.txt --quiet
  grep -q '^# m x y z vx vy vz radius$' b.txt
  accepts scale b.txt c.txt --radius 0.5 --quiet
  [ "$(grep -v '^#' c.txt | awk '{print $8}' | sort -u)" = 0.5 ]
  accepts convert c.txt d.h5
  h5dump -d /PartType1/Radius d.h5 | grep -q 0.5
  run --separate-stderr "$HOLMBERG" convert c.txt e.tipsy --quiet
  [ "$status" -eq 0 ]
  [[ $stderr == *'keeps no radii'* ]]
  fails_with 2 "the radius '3*r', expected a number*" scale b.txt f.txt --radius '3*r'
}

@test "stars that touch merge, or end the run; without --collisions they pass" {
  falling
  for how in none groups; do
    accepts run two.txt --eps 0 --scheme host --t-end 2 --encounters $how --collisions merge -o end.txt --diag d.csv --events e.csv --quiet
    [ "$(grep -vc '^#' end.txt)" -eq 2 ]
    grep -q '^1.1[0-9]*,collision,0 1,' e.csv
    python3 - <<'END'
import csv
rows = list(csv.DictReader(open("d.csv")))
last = rows[-1]
assert int(last["n"]) == 2 and int(last["merged"]) == 1 and abs(float(last["de_rel"])) < 1e-4
assert abs(float(last["e_lost"]) + 0.25) < 1e-4, last["e_lost"]
END
    rm -f end.txt d.csv e.csv c.ckpt*
    run --separate-stderr "$HOLMBERG" run two.txt --eps 0 --scheme host --t-end 2 --encounters $how --collisions stop -o end.txt --checkpoint c.ckpt
    [ "$status" -eq 0 ]
    [[ $stderr == *'stopped at t = 1.1'*'by an event, collision, of particles 0 1'* ]]
    [[ ${lines[-1]} == *' 1.1'* ]]
    [ "$(grep -vc '^#' end.txt)" -eq 3 ]
    run ! grep -q '^# t: 2$' end.txt
    accepts run --resume c.ckpt --max-energy-error none # goes on, although they still overlap
    accepts run two.txt --eps 0 --scheme host --t-end 2 --encounters groups -o end.txt --quiet
    [ "$(grep -vc '^#' end.txt)" -eq 3 ]
  done
}

@test "a run that merges and removes is resumed to the same bytes and rows" {
  "$HOLMBERG" ic plummer -n 256 --seed 3 --virial 1 --radius '0.01*m^0.3333' -o c.h5 --quiet
  local options=(--scheme host --eps 0 --collisions merge --escapers remove --escape-radius 1 --diag-every 0.25)
  accepts run c.h5 "${options[@]}" --t-end 1 -o whole.h5 --diag whole.csv --events whole_e.csv --quiet
  accepts run c.h5 "${options[@]}" --t-end 0.5 -o half.h5 --diag half.csv --events half_e.csv --checkpoint c.ckpt --quiet
  accepts run --resume c.ckpt --t-end 1 -o half.h5 --quiet
  h5diff whole.h5 half.h5 /PartType1
  diff <(cut -d, -f1-60 whole.csv | sed 's/,[^,]*$//' | cut -d, -f1-40) <(cut -d, -f1-60 half.csv | sed 's/,[^,]*$//' | cut -d, -f1-40)
  diff whole_e.csv half_e.csv
  grep -q collision whole_e.csv
  grep -q escape whole_e.csv
}

@test "a run ends at the first pair or escape" {
  "$HOLMBERG" ic plummer -n 64 --seed 1 --virial 2 -o c.h5 --quiet
  for event in pair "escape --escape-radius 3"; do
    # shellcheck disable=SC2086 # two words
    run --separate-stderr "$HOLMBERG" run c.h5 --scheme host --eps 0 --t-end 8 --stop-at $event --quiet --max-energy-error none
    [ "$status" -eq 0 ]
    [[ $stderr == *'stopped at t = '*'by an event, '* ]]
  done
}

@test "what can never happen is said once" {
  falling
  cut -d' ' -f1-7 two.txt >points.txt
  sed -i 's/ radius$//' points.txt
  local none="holmberg: no particle has a radius, so none can collide; see 'holmberg scale --radius'"
  for how in '--collisions merge' '--stop-at collision'; do
    # shellcheck disable=SC2086 # two words
    run --separate-stderr "$HOLMBERG" run points.txt --eps 0 --scheme host --quiet $how
    [ "$status" -eq 0 ]
    [ "$stderr" = "$none" ]
  done
  fails_with 2 'collisions need block steps' run points.txt --collisions stop --steps shared # and no more
  run --separate-stderr "$HOLMBERG" run points.txt --eps 0 --scheme host --quiet --escapers list
  [ "$stderr" = 'holmberg: --escapers list: without --events or --diag nobody reads the list' ]
  for how in '--escapers list --diag d.csv' '--escapers list --events e.csv' '--escapers remove' '--stop-at escape'; do
    # shellcheck disable=SC2086
    accepts run two.txt --eps 0 --scheme host --quiet $how
  done
}

@test "test particles that are sources, too, are said once, and counted" {
  "$HOLMBERG" ic plummer -n 20 --seed 1 -o - | grep -v '^#' | awk '{ if (NR > 5) $1 = 0; print }' >stars.txt
  for how in 'host 5' 'grape6 19'; do
    run --separate-stderr "$HOLMBERG" run stars.txt --scheme "${how% *}" --t-end 1/8 --json
    [ "$status" -eq 0 ]
    tail -n 1 <<<"$output" | grep -Eo '"(particle_steps|pairs)": [0-9]+' | awk -v n="${how#* }" '{ k[NR] = $2 } END { exit k[2] != n * k[1] }'
    if [ "$how" = 'host 5' ]; then
      [ -z "$stderr" ]
    else
      [ "$stderr" = 'holmberg: scheme grape6 takes particles without mass (15) as sources, too: they cost as much as stars' ]
    fi
  done
}

@test "what cannot merge is refused with one sentence" {
  falling
  fails_with 2 'collisions need integrator hermite4' run two.txt --collisions merge --integrator leapfrog --dt 0.01
  fails_with 2 'collisions need predict host*' run two.txt --collisions merge --scheme bag --predict gpu
  fails_with 2 'collisions need block steps' run two.txt --collisions stop --steps shared
  fails_with 2 'escapers need block steps' run two.txt --escapers list --steps shared
  fails_with 2 'an escape radius without escapers*' run two.txt --escape-radius 3
}

# The sums of radii that close is compared with are those of the two that meet.
@test "bodies that touch before they are close, one or all: groups find the collisions that short steps find" {
  "$HOLMBERG" ic plummer -n 128 --seed 6 -o - --quiet | grep -v '^#' >stars.txt
  for large in 1 128; do
    { echo '# m x y z vx vy vz radius' && awk -v n=$large '{ print $0, (NR > n ? 1e-5 : n == 1 ? 0.04 : 0.01) }' stars.txt; } >large.txt
    for how in none groups; do
      accepts run large.txt --eps 0 --scheme host --encounters $how --collisions merge --t-end 0.75 --events $how.csv --quiet -o $how.txt
      grep ,collision, $how.csv | cut -d, -f 1-3 >$how
    done
    echo "one of radius 0.04, or all of 0.01: collisions with short steps, in groups"
    paste none groups
    [ "$(cut -d, -f 3 none)" = "$(cut -d, -f 3 groups)" ]
    [ "$(wc -l <groups)" -ge 2 ]
    rm -f none* groups*
  done
}

@test "two pairs that fall upon each other merge both, though four bodies could be one group" {
  printf '%s\n' '0.25 0 0 0 0.5 0 0' '0.25 0.005 0 0 -0.5 0 0' '0.25 2 0 0 0.5 0 0' '0.25 2.006 0 0 -0.5 0 0' >pairs.txt
  "$HOLMBERG" scale pairs.txt large.txt --radius 0.0005 --quiet
  accepts run large.txt --scheme host --eps 0 --collisions merge --t-end 0.25 --events e.csv -o end.txt --quiet
  [ "$(grep -c ',collision,' e.csv)" = 2 ]
  [ "$(grep -vc '^#' end.txt)" = 2 ]
}

# touches RADIUS FILE...: pairs that overlap in a snapshot, of text, and did not in the one before.
touches() {
  python3 - "$@" <<'END'
import sys
reach2, before, count = (2 * float(sys.argv[1])) ** 2, set(), 0
for name in sys.argv[2:]:
    x = [tuple(map(float, line.split()[1:4])) for line in open(name) if line[0] != "#"]
    now = {(i, k) for i in range(len(x)) for k in range(i) if sum((a - b) ** 2 for a, b in zip(x[i], x[k])) < reach2}
    count, before = count + len(now - before), now
print(count)
END
}

# resumed_until_the_end: each stop is one line of `stops`.
resumed_until_the_end() {
  : >stops
  while [[ $stderr == *'stopped at t = '* && $(wc -l <stops) -lt 200 ]]; do
    grep 'stopped at' <<<"$stderr" >>stops
    run --separate-stderr "$HOLMBERG" run --resume c.ckpt --max-energy-error none --max-hours 9
    [ "$status" -eq 0 ]
  done
}

@test "a run that stops at collisions and is resumed stops once for each touch that its snapshots show" {
  "$HOLMBERG" ic plummer -n 64 --seed 9 --radius 0.02 -o c.txt --quiet
  for how in '--eps 0 --encounters groups' '--eps 0 --encounters none' '--eps 0.02'; do
    rm -rf c.ckpt* e.csv end*
    # shellcheck disable=SC2086 # words
    accepts run c.txt $how --scheme host --t-end 1 --snap-every 1/512 -o end.txt --max-energy-error none --quiet
    # shellcheck disable=SC2086
    run --separate-stderr "$HOLMBERG" run c.txt $how --scheme host --t-end 1 --collisions stop --events e.csv --checkpoint c.ckpt \
      --max-energy-error none
    resumed_until_the_end
    echo "$how: $(wc -l <stops) stops, $(grep -c ,collision, e.csv) rows, $(touches 0.02 end_*.txt) touches in snapshots"
    [ "$(wc -l <stops)" -eq "$(touches 0.02 end_*.txt)" ]
    [ "$(grep -c ,collision, e.csv)" -eq "$(touches 0.02 end_*.txt)" ]
    [ "$(wc -l <stops)" -ge 4 ]
  done
}

@test "between two touches killed and resumed, step by step while they overlap: the same rows and stops" {
  "$HOLMBERG" ic plummer -n 64 --seed 9 --radius 0.02 -o c.txt --quiet
  local options=(--eps 0 --scheme host --t-end 1 --collisions stop --checkpoint c.ckpt)
  for how in groups none; do
    rm -rf c.ckpt* ./*.csv
    run --separate-stderr "$HOLMBERG" run c.txt "${options[@]}" --encounters $how --events whole.csv
    resumed_until_the_end
    mv stops whole
    [ "$(grep -o 'of particles.*' whole | sort | uniq -d | wc -l)" -eq 0 ] # none of these pairs touches twice
    rm -rf c.ckpt*
    run --separate-stderr "$HOLMBERG" run c.txt "${options[@]}" --encounters $how --events cut.csv
    [[ $stderr == *'stopped at t = '* ]]
    grep 'stopped at' <<<"$stderr" >first
    for ((k = 0; k < 20; k++)); do # one step each
      run --separate-stderr "$HOLMBERG" run --resume c.ckpt --max-hours 1e-9 --max-energy-error none
      [ "$status" -eq 75 ]
    done
    local here
    here=$(md5sum <c.ckpt)
    "$HOLMBERG" run --resume c.ckpt --max-energy-error none --max-hours 9 >/dev/null 2>&1 &
    kill -9 $!
    wait $! || [ $? -eq 137 ]
    echo "$how: killed before another checkpoint: $([ "$here" = "$(md5sum <c.ckpt)" ] && echo yes || echo no)"
    stderr=$(<first)
    resumed_until_the_end
    echo "$how: $(wc -l <stops) stops, $(wc -l <whole) without a cut"
    diff whole stops
    diff whole.csv cut.csv
  done
}

# system: a star, two planets, and radii.
system() { printf '%s\n' '# m x y z vx vy vz radius' '1 0 0 0 0 0 0 1e-3' '1e-3 0.95 0 0 0 1.0513 0 1e-4' '1e-3 -2.5 0 0.01 0 -0.6325 0 1e-4' >system.txt; }

@test "options that only look at bodies do not change the method: the same orbit" {
  system
  local options=(--eps 0 --scheme host --t-end 100 --quiet --diag d.csv)
  accepts run system.txt "${options[@]}" -o without.txt
  for how in '--collisions stop' '--collisions merge' '--escapers list' '--escapers remove' '--stop-at escape --escape-radius 50' \
    '--approach-distance 1 --events e.csv'; do
    rm -f d.csv e.csv
    # shellcheck disable=SC2086 # words
    accepts run system.txt "${options[@]}" $how -o with.txt
    cmp <(grep -v '^#' without.txt) <(grep -v '^#' with.txt)
  done
  rm -f d.csv
  accepts run system.txt "${options[@]}" --field log:v=0.01,r=1000 -o with.txt
  python3 - <<'END2'
import csv
last = list(csv.DictReader(open("d.csv")))[-1]
print("dE/E in a field", last["de_rel"])
assert abs(float(last["de_rel"])) < 1e-11
END2
}

@test "a run stops at the contact: of planets where REBOUND stops, and the row and the snapshot agree" {
  printf '%s\n' '# m x y z vx vy vz radius' '1 0 0 0 0 0 0 1e-3' '1e-5 1 0 0 0 1.000005 0 1e-3' >planets.txt
  python3 - >>planets.txt <<'END2'
from math import cos, sin, sqrt
M, X, V = 1.00001, 1e-5 / 1.00001, 1e-5 * 1.000005 / 1.00001 # the second one orbits their center of mass
u = sqrt((M + 1e-5) / 1.03)
print(1e-5, X + 1.03 * cos(1), 1.03 * sin(1), 0, -u * sin(1), V + u * cos(1), 0, 1e-3)
END2
  run --separate-stderr "$HOLMBERG" run planets.txt --eps 0 --scheme host --t-end 2000 --collisions stop --events e.csv -o end.txt
  [ "$status" -eq 0 ]
  [[ $stderr == *'stopped at t = 498.2'*'by an event, collision, of particles 1 2'* ]]
  python3 - <<'END2'
t, x = None, []
for line in open("end.txt"):
    if line.startswith("# t:"):
        t = float(line[4:])
    elif line[0] != "#":
        x.append([float(word) for word in line.split()[1:4]])
told = float(open("e.csv").read().splitlines()[-1].split(",")[0])
apart = sum((a - b) ** 2 for a, b in zip(x[1], x[2])) ** 0.5
print("t", t, "told", told, "apart", apart)
assert abs(t - told) < 1e-11 and abs(apart / 2e-3 - 1) < 1e-6
END2
}

@test "three spheres that fall together merge at their contacts" {
  printf '%s\n' '# m x y z vx vy vz radius' '0.3 -1 0 0 0 0 0 0.05' '0.3 1 0 0 0 0 0 0.05' '0.4 0 0.3 0 0 0 0 0.05' >three.txt
  accepts run three.txt --eps 0 --scheme host --t-end 3 --collisions merge --events e.csv --diag d.csv -o end.txt --quiet
  [ "$(grep -c ',collision,' e.csv)" -eq 2 ]
  [ "$(grep -vc '^#' end.txt)" -eq 1 ]
  python3 - <<'END2'
import csv
last = list(csv.DictReader(open("d.csv")))[-1]
assert abs(float(last["de_rel"])) < 1e-9, last["de_rel"]
END2
}

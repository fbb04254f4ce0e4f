#!/usr/bin/env bats
# shellcheck disable=SC2154 # run sets these
# Energies by part: parts.c sums them on its own, from the snapshot. Errors are those of the cluster.
load common

setup_file() {
  cc -std=c11 -O2 "$BATS_TEST_DIRNAME/parts.c" -o "$BATS_FILE_TMPDIR/parts" -lm
}

parts() { "$BATS_FILE_TMPDIR/parts" "$@"; }

# value NAME: in the last line of JSON of $output
value() { tail -n 1 <<<"$output" | grep -o "\"$1\": [^,}]*" | cut -d' ' -f2; }

# agree [rounded]: each part in $output's last line is that of $sums, to a few units in the last place of what it is summed
# from; rounded: but for what the snapshot has lost of separations that the run knows better.
agree() {
  read -r cluster binaries orbit total virial pairs rounding <<<"$sums"
  [ "${1:-}" = rounded ] || rounding=0
  python3 - "$rounding" "$(value e_kin)" "$(value e_pot)" \
    e_cluster "$cluster" "$(value e_cluster)" e_binaries "$binaries" "$(value e_binaries)" \
    e_orbit "$orbit" "$(value e_orbit)" e_total "$total" "$(value e_total)" \
    virial_ratio "$virial" "$(value virial_ratio)" <<'PYTHON'
import sys
rounding, e_kin, e_pot, *rows = sys.argv[1:]
rounding, within, good = float(rounding), abs(float(e_kin)) + abs(float(e_pot)), True
for name, expected, found in zip(rows[::3], map(float, rows[1::3]), map(float, rows[2::3])):
    bound = {"e_cluster": 4e-15 * within + 1e-13, "e_binaries": 4e-15 * within + rounding,
             "e_orbit": 1e-15 * (1 + abs(expected)), "virial_ratio": 1e-10}.get(name)
    if bound is None:
        bound = 1e-15 * abs(expected) + 8e-15 * within + rounding
    print(f"{name:12} {expected:.17g} {found:.17g} differ by {abs(found - expected):.1e}, bound {bound:.1e}")
    good = good and abs(found - expected) <= bound
sys.exit(not good)
PYTHON
}

@test "ten runs with binaries in fields: each part is the sum in long double" {
  #   model options | place | velocity | field of the run | the same for parts
  while IFS='|' read -r -u 3 options at velocity field same; do
    echo "ic $options, at $at, field $field"
    # shellcheck disable=SC2086
    "$HOLMBERG" ic $options -o c.txt --quiet
    "$HOLMBERG" scale c.txt a.txt --at "$at" --velocity "$velocity" --quiet
    run -0 --separate-stderr "$HOLMBERG" run a.txt --scheme host --eps 0 ${field:+--field "$field"} \
      --t-end 0.125 --max-energy-error none -o b.txt --json
    [[ $(value e_total) == -* || -n $field ]]
    rows=$output
    output=${lines[0]}
    # shellcheck disable=SC2086
    sums=$(parts a.txt 0 $same)
    agree
    output=$rows
    # shellcheck disable=SC2086
    sums=$(parts b.txt 0 $same)
    agree rounded
    [ "$pairs" -ge 5 ]
    run -0 --separate-stderr "$HOLMBERG" info b.txt --json # knows the field that the run wrote down
    agree
  done 3<<'CASES'
king -n 256 --binaries 0.1 --seed 1|8500,0,0|0,106,0|log:v=106,r=1|log 106 1 1 0 0 0
king -n 128 --binaries 0.2 --seed 2|100,0,0|0,10,0|log:v=10,r=1 omega=0.1|log 10 1 1 0 0 0
plummer -n 64 --binaries 0.3 --seed 3|0,50,3|-4,0,1|log:v=5,r=2,q=0.8|log 5 2 0.8 0 0 0
king -n 128 --masses kroupa --binaries 0.3 --seed 4|20,0,0|0,7,0|point:m=1000|point 1000 0 0 0 0
plummer -n 100 --masses salpeter --binaries 0.2 --seed 5|30,1,-2|0.5,5,0|plummer:m=1000,a=10,x=1|point 1000 10 1 0 0
king -n 256 --binaries 0.1 --seed 6|40,0,0|0,12,2|point:m=500 log:v=10,r=3|point 500 0 0 0 0 log 10 3 1 0 0 0
king -n 96 --binaries 0.5 --seed 7|0.25,0,0|0,-0.05,0|hill:w=0.1|squares -0.03 0 0.01 0 0 0
plummer -n 128 --binaries 0.2 --seed 8|12,0,0|0,0,0|frame:w=0.25 point:m=108|squares -0.0625 -0.0625 0 0 0 0 point 108 0 0 0 0
king -n 200 --binaries 0.2 --seed 9|1000,-2000,500|30,40,50||
king -n 128 --masses kroupa --binaries 0.5 --orbits kroupa1995 --length-unit 1 --seed 10|8500,0,0|0,106,0|log:v=106,r=1|log 106 1 1 0 0 0
CASES
}

@test "a cluster that loses its energy on its way around a galaxy: exit code 7, which names the cluster's error" {
  "$HOLMBERG" ic king -n 256 --binaries 0.1 --seed 1 -o c.txt --quiet
  "$HOLMBERG" scale c.txt a.txt --at 8500,0,0 --velocity 0,106,0 --quiet
  local sentence='energy error [0-9.]+ \(the cluster.s, over its own energy 0.25[0-9]*\) at t = 0.125 exceeds 0.01; '
  run --separate-stderr "$HOLMBERG" run a.txt --field log:v=106,r=1 --eta 2 --scheme host --json
  echo "$status: $stderr; over E $(value de_rel), over the cluster's $(value de_cluster)"
  [ "$status" -eq 7 ]
  [[ $stderr =~ $sentence ]]
  python3 -c 'import sys; all, own = map(abs, map(float, sys.argv[1:])); sys.exit(not (all < 1e-5 and own > 0.01))' \
    "$(value de_rel)" "$(value de_cluster)"
  # the table has the parts and both errors; with the default eta all is well
  run -0 --separate-stderr "$HOLMBERG" run a.txt --field log:v=106,r=1 --scheme host --t-end 0.125
  [[ ${lines[0]} =~ ' E_cluster '.*' E_binaries '.*' E_orbit '.*' dE/E '.*' of all '.*' virial ' ]]
  [ "$stderr" = '' ]
  [ "$(wc -w <<<"${lines[1]}")" -eq 14 ]
}

@test "binaries with a thousand times the cluster's energy: bound and exit code go by the cluster" {
  "$HOLMBERG" ic king -n 128 --binaries 0.3 --a-min 1e-7 --a-max 1e-6 --seed 3 -o c.txt --quiet
  run --separate-stderr "$HOLMBERG" run c.txt --scheme host --eta 2 --t-end 0.125 --max-energy-error 1e-3 --json
  echo "$status: $stderr; E $(value e_total), over it $(value de_rel), over the cluster's $(value de_cluster)"
  [ "$status" -eq 7 ]
  [[ $stderr =~ "energy error "[0-9.]+" (the cluster's, over its own energy 0.2"[0-9]+') at t = '[0-9.]+' exceeds --max-energy-error 1e-3' ]]
  python3 -c 'import sys; all, own = map(abs, map(float, sys.argv[1:])); sys.exit(not (all < 1e-3 < own))' \
    "$(value de_rel)" "$(value de_cluster)"
}

@test "binaries of a = 1e-8 at R = 8500, where x has four digits of a left: E keeps those that their groups have" {
  "$HOLMBERG" ic king -n 64 --binaries 0.2 --a-min 1e-8 --a-max 1e-7 --seed 1 -o c.txt --quiet
  "$HOLMBERG" scale c.txt a.txt --at 8500,0,0 --velocity 0,106,0 --quiet
  accepts run a.txt --field log:v=106,r=1 --scheme host --t-end 0.125 --json
  echo "E_binaries $(value e_binaries), error of the cluster $(value de_cluster), bound 1e-4"
  python3 -c 'import sys; sys.exit(not abs(float(sys.argv[1])) < 1e-4)' "$(value de_cluster)"
}

@test "virial is 0.5 of a model with binaries that was made so, in the rows, info and analyze" {
  "$HOLMBERG" ic king -n 256 --masses kroupa --binaries 0.5 --seed 2 -o c.h5 --quiet
  for command in "run --eps 0 --scheme host --t-end 0" info analyze; do
    # shellcheck disable=SC2086
    accepts $command c.h5 --json
    echo "$command: $(value virial_ratio)"
    python3 -c 'import sys; sys.exit(not abs(float(sys.argv[1]) - 0.5) < 0.02)' "$(value virial_ratio)"
  done
  accepts info c.h5
  grep -q '^  of the cluster   -0\.2[0-9]*, with binaries as points$' <<<"$output"
  grep -q '^  of binaries      -[0-9.]*$' <<<"$output"
}

@test "without binaries or a field the table is as it was, and neighbors at rest are no binaries" {
  "$HOLMBERG" ic plummer -n 256 --seed 1 -o c.h5 --quiet
  accepts run c.h5 --scheme host --t-end 0.125
  [ "${lines[0]}" = '#         t             E         E_gpu     dE/E  virial  r_half block steps particle steps          pairs   wall s' ]
  "$HOLMBERG" ic coldsphere -n 1024 -o s.h5 --quiet
  accepts info s.h5 --json
  [ "$(value binaries) $(value e_binaries)" = '0 0' ]
  [ "$(value e_cluster)" = "$(value e_total)" ]
}

@test "a run that is resumed goes on with the same errors; its file of rows in solar masses (km/s)^2 draws" {
  "$HOLMBERG" ic king -n 64 --masses kroupa --binaries 0.2 --length-unit 1 -o c.h5 --quiet
  local options=(--scheme host --eps 0 --json --diag-every 1/8)
  accepts run c.h5 "${options[@]}" --t-end 0.5
  whole=$(grep -o '"de_cluster": [^,]*' <<<"$output" | tail -n 2)
  accepts run c.h5 "${options[@]}" --t-end 0.25 --checkpoint c.ckpt
  accepts run --resume c.ckpt --t-end 0.5
  [ "$(grep -o '"de_cluster": [^,]*' <<<"$output" | tail -n 2)" = "$whole" ]
  accepts run c.h5 --scheme host --eps 0 --t-end 0.25 -o e.h5 --quiet
  accepts info e.h5 --units astro --json
  accepts run c.h5 --scheme host --eps 0 --t-end "$(value t)" --units astro --diag d.csv --json
  astro=("$(value e_cluster)" "$(value e_binaries)" "$(value e_scale)" "$(value e_total)")
  accepts run c.h5 --scheme host --eps 0 --t-end 0.25 --json
  python3 - "${astro[@]}" "$(value e_cluster)" "$(value e_binaries)" "$(value e_scale)" "$(value e_total)" <<'PYTHON'
import sys
a = list(map(float, sys.argv[1:]))
unit = a[3] / a[7]
for x, y in zip(a[:3], a[4:7]):
    print(x, y * unit)
    assert abs(x - y * unit) < 1e-12 * abs(x)
PYTHON
  python3 - <<'PYTHON'
import csv
first, *_, last = csv.DictReader(open("d.csv"))
value = lambda row, name: float(row[name])
change = value(last, "e_total") - value(first, "e_total")
print(change / value(first, "e_scale"), last["de_cluster"])
assert abs(change / value(first, "e_scale") - value(last, "de_cluster")) < 1e-12
assert abs(sum(value(last, name) for name in ("e_cluster", "e_binaries", "e_orbit")) / value(last, "e_total") - 1) < 1e-13
PYTHON
  accepts plot d.csv -o d.svg --only energy
  grep -q 'E(0)' d.svg
}

@test "a point mass in the middle of a cluster: no part is huge, rows do not jump, info and a resumed run agree" {
  "$HOLMBERG" ic plummer -n 256 --seed 1 -o c.h5 --quiet
  local options=(--scheme host --eps 0 --field point:m=1 --json --diag-every 1/64)
  accepts run c.h5 "${options[@]}" --t-end 0.5 --checkpoint c.ckpt -o d.h5
  python3 - 3<<<"$output" <<'PYTHON'
import json, os
rows = [json.loads(line) for line in os.fdopen(3)]
parts = [(row["e_cluster"], row["e_orbit"]) for row in rows]
print("E_cluster and E_orbit from", parts[0], "to", parts[-1])
change = max(abs(b[0] - a[0]) for a, b in zip(parts, parts[1:]))
largest = max(abs(x) for pair in parts for x in pair)
print("largest", largest, "at most 3; largest change in 1/64:", change, "at most 0.2")
assert abs(parts[0][1]) < 1e-9 and largest < 3 and change < 0.2
assert all(abs(sum(pair) - row["e_total"]) < 1e-12 for pair, row in zip(parts, rows))
PYTHON
  whole=$(grep -o '"e_cluster": [^,]*\|"de_cluster": [^,]*\|"state_hash": [^,}]*' <<<"$output" | tail -n 3)
  accepts info d.h5 --json
  echo "info: $(value e_cluster)"
  python3 -c 'import sys; a, b = map(float, sys.argv[1:]); sys.exit(not abs(a - b) < 1e-12)' \
    "$(value e_cluster)" "$(head -n 1 <<<"$whole" | cut -d' ' -f2)"
  accepts run c.h5 "${options[@]}" --t-end 0.25 --checkpoint half.ckpt
  accepts run --resume half.ckpt --t-end 0.5
  echo "whole: $whole"
  [ "$(grep -o '"e_cluster": [^,]*\|"de_cluster": [^,]*\|"state_hash": [^,}]*' <<<"$output" | tail -n 3)" = "$whole" ]
}

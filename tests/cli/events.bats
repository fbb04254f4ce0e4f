#!/usr/bin/env bats
# shellcheck disable=SC2154 # run sets these
# What happens in a run, --events; and what is in a snapshot, holmberg analyze.
load common

# stars: 64 in a Plummer sphere, 16 of them binaries, some so wide that others break them soon.
stars() { "$HOLMBERG" ic plummer -n 64 --seed 3 --binaries 0.25 --a-min 0.002 --a-max 0.1 -o stars.h5 --quiet; }

options=(--eps 0 --scheme host --quiet)

@test "rows: a header, the beginning, what was there, then events in their order" {
  stars
  accepts run stars.h5 "${options[@]}" --t-end 5 --events a.csv
  [ "$(head -n 1 a.csv)" = t,event,members,a,e,E ]
  [ "$(sed -n 2p a.csv)" = 0,begin,,nan,nan,nan ]
  for event in initial formed hardened exchanged broken encounter; do grep -q ",$event," a.csv; done
  awk -F, 'NR < 3 { next } $1 < t || ($2 == "initial") != ($1 == 0) || split($3, members, " ") < 2 { exit 1 }
    $2 == "encounter" && !($4 < 0 && $5 > 1 && $6 > 0) { exit 1 }
    $2 == "initial" && !($4 > 0.001 && $4 < 0.11 && $5 < 1 && $6 < 0) { exit 1 } { t = $1 }' a.csv
  accepts run stars.h5 "${options[@]}" --t-end 5 --events a.jsonl
  [ "$(wc -l <a.jsonl)" -eq $(($(wc -l <a.csv) - 1)) ]
  [ "$(head -n 1 a.jsonl)" = '{"t": 0, "event": "begin", "members": "", "a": null, "e": null, "E": null}' ]
}

@test "a log changes no bit of the run; threads and rows none of the log" {
  stars
  accepts run stars.h5 "${options[@]}" --t-end 1 -o without.txt
  accepts run stars.h5 "${options[@]}" --t-end 1 -o with.txt --events a.csv
  cmp <(grep -v '^#' without.txt) <(grep -v '^#' with.txt)
  for how in '1 1/32' '2 0.013' '4 1'; do
    OMP_NUM_THREADS=${how% *} accepts run stars.h5 "${options[@]}" --t-end 1 --diag-every "${how#* }" --events b.csv
    cmp a.csv b.csv
  done
  accepts run stars.h5 "${options[@]}" --t-end 1 --eta 0.012 --events b.csv # negative control
  run ! cmp -s a.csv b.csv
}

@test "stopped after each of the first steps and resumed: the same log" {
  stars
  accepts run stars.h5 "${options[@]}" --t-end 1 --events a.csv
  run "$HOLMBERG" run stars.h5 "${options[@]}" --t-end 1 --events b.csv --checkpoint run.ckpt --max-hours 1e-9
  for ((times = 0; times < 40; times++)); do
    [ "$status" -eq 75 ]
    echo 'what a killed run has written after its checkpoint' >>b.csv
    run "$HOLMBERG" run --resume run.ckpt --max-hours 1e-9
  done
  accepts run --resume run.ckpt --max-hours 9
  cmp a.csv b.csv
  # begun later: with what is there then
  accepts run --resume run.ckpt~ --max-hours 9 --events later.csv
  [ "$(sed -n 2,3p later.csv | cut -d, -f2 | paste -sd" ")" = "begin initial" ]
  mv b.csv c.csv
  fails_with 4 'b.csv no longer exists; give --events again to start a new one' run --resume run.ckpt~
}

@test "leapfrog and softened runs: binaries, no encounters, and one sentence that says so" {
  stars
  local said=', encounters of unbound stars are not looked for, binaries are'
  for how in '--integrator leapfrog --dt 1/256' '--eps 1e-3'; do
    # shellcheck disable=SC2086
    run --separate-stderr "$HOLMBERG" run stars.h5 --scheme host --eps 0 --t-end 0.25 --max-energy-error none --quiet $how --events a.csv
    [ "$status" -eq 0 ]
    [ "$(grep -c "^holmberg: --events: with .*$said$" <<<"$stderr")" -eq 1 ]
    grep -q ',initial,' a.csv
    run ! grep -q ',encounter,' a.csv
  done
  run --separate-stderr "$HOLMBERG" run stars.h5 --scheme host --eps 1/256 --t-end 0.125 --quiet --stop-at pair --checkpoint a.ckpt
  [[ $stderr == "holmberg: --stop-at pair: with --eps above 0$said" ]]
  run --separate-stderr "$HOLMBERG" run --resume a.ckpt --t-end 0.1875
  [ "$stderr" = "" ] # once
}

# encounters FILE: who met whom, in the order of their first times.
encounters() { awk -F, '$2 == "encounter" { split($3, id, " "); print id[1] + id[2], id[1] * id[2] }' "$1"; }

@test "without groups: the encounters are the same, in block and in shared steps" {
  "$HOLMBERG" ic plummer -n 32 --seed 3 -o c.h5 --quiet
  for how in '--encounters groups' '--encounters none' '--encounters none --scheme host-simd' '--steps shared'; do
    # shellcheck disable=SC2086
    accepts run c.h5 --scheme host --eps 0 --t-end 2 --quiet --events a.csv $how
    encounters a.csv | head -n 6 >"${how//[^a-z]/}"
    [ "$(wc -l <"${how//[^a-z]/}")" -eq 6 ]
    cmp encountersgroups "${how//[^a-z]/}"
  done
  accepts run c.h5 --scheme host --eps 0 --encounters none --t-end 2 --quiet --events a.csv -o with.txt
  accepts run c.h5 --scheme host --eps 0 --encounters none --t-end 2 --quiet -o without.txt
  cmp <(grep -v '^#' without.txt) <(grep -v '^#' with.txt)
  run --separate-stderr "$HOLMBERG" run c.h5 --scheme host --eps 0 --encounters none --t-end 2 --quiet --stop-at pair
  [[ $stderr == 'holmberg: stopped at t = 0.'*'by an event, encounter, of particles '* ]]
}

@test "without groups, stopped after each of the first steps and resumed: the same log" {
  "$HOLMBERG" ic plummer -n 32 --seed 3 -o c.h5 --quiet
  local options=(--eps 0 --scheme host --quiet --encounters none --collisions merge --t-end 0.3125)
  "$HOLMBERG" scale c.h5 r.h5 --radius 1e-9 --quiet
  accepts run r.h5 "${options[@]}" --events a.csv
  [ "$(grep -c ',encounter,' a.csv)" -gt 1 ]
  run "$HOLMBERG" run r.h5 "${options[@]}" --events b.csv --checkpoint run.ckpt --max-hours 1e-9
  for ((times = 0; times < 400 && status == 75; times++)); do run "$HOLMBERG" run --resume run.ckpt --max-hours 1e-9; done
  [ "$status" -eq 0 ]
  cmp a.csv b.csv
}

@test "in Myr, pc and (km/s)^2 of solar masses" {
  "$HOLMBERG" ic twobody --m1 2 --m2 1 --a 0.5 --e 0.3 -o - | sed '/^# crc32/d' >two.txt
  accepts run two.txt --eps 0 --scheme host --t-end 1 --quiet --events a.csv
  sed -i '1i # units: mass_msun=100 length_pc=2' two.txt
  accepts run two.txt --eps 0 --scheme host --t-end 1 --quiet --events b.csv --units astro
  paste -d, a.csv b.csv | awk -F, '$2 == "initial" { found = 1
    if (($10 / $4 / 2 - 1)^2 > 1e-20 || ($12 / $6 / (100 * 100 * 0.0043009 / 2) - 1)^2 > 1e-8 || $13 != "astro") bad = 1 }
    END { exit bad || !found }'
}

@test "a log that cannot be written or makes no sense" {
  stars
  fails_with 2 "cannot write events to 'a.txt': its extension is not csv or jsonl" run missing.h5 --events a.txt
  fails_with 4 'cannot write no/a.csv: folder no/: No such file or directory' run missing.h5 --events no/a.csv
  fails_with 2 'options --diag and --events both name a.csv' run missing.h5 --events a.csv --diag a.csv
  fails_with 2 'options --checkpoint and --events both name a.csv' run stars.h5 --events a.csv --checkpoint a.csv
}

# ---- analyze ----

@test "analyze: a triple, a mass function, a figure" {
  "$HOLMBERG" ic plummer -n 200 --seed 1 -o - | grep -v '^#' | awk '
    { if (NR % 4 == 0) $1 *= 3; print }
    END {
      v = sqrt(0.01 / 0.0005) / 2
      printf "0.005 8.99975 0 0 0 %.17g 0\n0.005 9.00025 0 0 0 %.17g 0\n0.005 9 0.005 0 %.17g 0 0\n",
        -v, v, -sqrt(0.015 / 0.005) }' >stars.txt
  accepts analyze stars.txt --eps 0 --plot profile.svg
  [[ $output == *'((200 201) 202)'* && $output == *'segregation ratio'* && $output == *'core radius'* ]]
  grep -q '>0.5<' profile.svg
  # the curve, not its key, has the width of the picture
  sed -n "s/.*gpPt6' transform='translate(\([0-9.]*\),.*/\1/p" profile.svg | sort -g | tail -n 1 | awk '{ exit !($1 > 0.8 * 900) }'
  accepts analyse stars.txt --eps 0 --json --classes 0.006,0.012
  python3 - <<<"$output" "$output" <<'PY'
import json, sys
found = json.loads(sys.argv[1])
assert [c["n"] for c in found["classes"]] == [153, 0, 50]
inner, outer = [b for b in found["bound"] if "200" in b["members"].replace("(", "").split()]
assert abs(inner["a"] / 0.0005 - 1) < 1e-9 and inner["e"] < 1e-9 and inner["stars"] == 2
assert abs(outer["a"] / 0.005 - 1) < 1e-9 and outer["e"] < 1e-9 and outer["stars"] == 3
assert sum(s["n"] for s in found["profile"]) == 203 - len(found["bound"])
PY
  accepts analyse stars.txt --eps 0.1 --json # negative control: softened beyond all of them
  [[ $output == *'"bound": []'* ]]
}

@test "analyze: what makes no sense" {
  stars
  for classes in 0 1,1 2,1 x 1,2,3,4,5,6,7,8; do
    fails_with 2 '*' analyze stars.h5 --classes $classes
  done
  fails_with 2 'option --units: the particles have no units, *' analyze stars.h5 --units astro
  fails_with 2 '*' analyze stars.h5 --shells 65
  fails_with 2 '*' analyze stars.h5 --plot a.txt
  fails_with 4 'cannot read missing.h5: *' analyze missing.h5
}

@test "a body that joins few others from afar is no encounter" {
  printf '%s\n' '0.5 0.005 0 0 0 5 0' '0.5 -0.005 0 0 0 -5 0' '0.001 4 0 0 -2 0.5 0' >far.txt
  accepts run far.txt --scheme host --eps 0 --t-end 1.5 --quiet --events e.csv
  run ! grep -q ',encounter,' e.csv
}

@test "approaches: nearer than a distance or a number of radii, with their minima; a run goes on, and is resumed to the same rows" {
  "$HOLMBERG" ic twobody --a 1 --e 0.9 -o - --radius 0.001 >pair.txt
  accepts run pair.txt --eps 0 --scheme host --t-end 20 --quiet --events a.csv --approach-distance 0.11
  [ "$(head -n 1 a.csv)" = t,event,members,a,e,E,r ]
  awk -F, '$2 == "approach" { n++; if (($7 - 0.1)^2 > 1e-20) bad = 1 } END { exit bad || n != 3 }' a.csv
  accepts run pair.txt --eps 0 --scheme host --t-end 20 --quiet --events a.csv --approach-radii 49
  run ! grep -q approach a.csv
  stars
  "$HOLMBERG" ic plummer -n 64 --seed 3 -o none.h5 --quiet
  for how in groups none; do
    local within=$([ $how = none ] && echo 0.25 || echo 0.05)
    local options=(--eps 0 --scheme host --quiet --encounters $how --approach-distance "$within")
    rm -f ./*.csv run.ckpt*
    [ $how = none ] || cp stars.h5 groups.h5
    accepts run $how.h5 "${options[@]}" --t-end 0.25 --events a.csv
    [ "$(grep -c ',approach,' a.csv)" -gt 10 ]
    awk -F, -v within="$within" 'NR < 3 { next } $1 < t || ($2 == "approach" && !($7 < within)) { exit 1 } { t = $1 }' a.csv
    run "$HOLMBERG" run $how.h5 "${options[@]}" --t-end 0.25 --events b.csv --checkpoint run.ckpt --max-hours 1e-9
    for ((times = 0; times < 10; times++)); do
      [ "$status" -eq 75 ]
      run "$HOLMBERG" run --resume run.ckpt --max-hours 1e-9
    done
    accepts run --resume run.ckpt --max-hours 9
    cmp a.csv b.csv
  done
}

@test "approaches without --events, and where they cannot be found" {
  stars
  run --separate-stderr "$HOLMBERG" run stars.h5 "${options[@]}" --t-end 1/64 --approach-radii 2
  [ "$stderr" = 'holmberg: --approach-distance and --approach-radii have no effect without --events' ]
  fails_with 2 'approaches need block steps' run stars.h5 --approach-distance 1 --steps shared
}

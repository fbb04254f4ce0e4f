#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031 # run sets these, each test is a subshell
# holmberg run on the host: times, rows, snapshots, records.
load common

number='-?[0-9.]+(e[-+][0-9]+)?'

# cluster N: a small Plummer sphere in cluster.h5.
cluster() { "$HOLMBERG" ic plummer -n "$1" --seed 1 -o cluster.h5 --quiet; }

# times: the first column of the table in $output.
times() { grep -v '^#' <<<"$output" | awk '{ printf "%s%s", separator, $1; separator = " " }'; }

@test "the table: a header, a row at every multiple of dt-max" {
  cluster 64
  accepts run cluster.h5 --scheme host --t-end 0.5
  local header='#         t             E         E_gpu     dE/E  virial  r_half block steps particle steps'
  [ "${lines[0]}" = "$header          pairs   wall s" ]
  [ "$(times)" = '0 0.125 0.25 0.375 0.5' ]
  for line in "${lines[@]}"; do [ "${#line}" -eq "${#lines[0]}" ]; done
}

@test "times of rows in full, far from 0, too" {
  printf '%s\n' '# t: 1000' '0.5 0.5 0 0 0 0.4 0' '0.5 -0.5 0 0 0 -0.4 0' >late.txt
  accepts run late.txt --scheme host --eps 0 --t-end 1000.09375 --diag-every 2^-5
  [ "$(times)" = '1000 1000.03125 1000.0625 1000.09375' ]
  for line in "${lines[@]}"; do [ "${#line}" -eq "${#lines[0]}" ]; done
}

@test "the energy is kept" {
  cluster 256
  accepts run cluster.h5 --scheme host --t-end 0.5 --max-energy-error 1e-6
}

@test "--json: the documented fields in their order, done on the last line only" {
  cluster 64
  accepts run cluster.h5 --scheme host --t-end 0.25 --json
  local n=$number fields
  fields="^\\{\"t\": $n, \"e_total\": $n, \"e_gpu\": $n, \"e_kin\": $n, \"e_pot\": $n, \"e_cluster\": $n, "
  fields+="\"e_binaries\": $n, \"e_orbit\": $n, \"e_scale\": $n, \"de_cluster\": $n, \"de_rel\": $n, "
  fields+="\"virial_ratio\": $n, \"r_half\": $n, \"block_steps\": [0-9]+, \"particle_steps\": [0-9]+, "
  fields+="\"pairs\": [0-9]+, \"wall_s\": $n, \"exact_energy\": true, \"eps\": 0.00390625"
  local phases=", \"phases\": \{\"predict\": $n, \"send\": $n, \"far\": $n, \"receive\": $n, \"near\": $n, "
  phases+="\"lists\": $n, \"groups\": $n, \"correct\": $n\\}, \"slow\": \\{\"particle\": [0-9]+, \"step\": $n, "
  phases+="\"at_dt_min\": false, \"criterion\": \"[a-z0-9]+\", \"nearest\": [0-9]+, \"distance\": $n\\}\\}"
  local last=', "dt_least": [0-9.e-]+, "done": true, "scheme": "host", "precision": "double", "context": "none", "device": "[^"]+", "sent_bytes": 0, "first_step": "eq2", "neighbors": 0, "state_hash": "[0-9a-f]{16}"'
  [ "${#lines[@]}" -eq 3 ]
  [[ ${lines[0]} =~ $fields$phases$ ]]
  [[ ${lines[1]} =~ $fields$phases$ ]]
  [[ ${lines[2]} =~ $fields$last$phases$ ]]
}

@test "the shortest step of a run, also of one that is resumed after it" {
  dt_least() { tail -n 1 | grep -o '"dt_least": [^,]*' | cut -d' ' -f2; }
  "$HOLMBERG" ic twobody --e 0.9 -o two.h5 --quiet # at apocenter; a period is 2 pi
  local options=(--scheme host --encounters none --eps 0 --json)
  accepts run two.h5 "${options[@]}" --t-end 2
  slow=$(dt_least <<<"$output")
  accepts run two.h5 "${options[@]}" --t-end 4 --checkpoint two.ckpt
  short=$(dt_least <<<"$output")
  awk "BEGIN { exit !(16 * $short < $slow) }"
  accepts run --resume two.ckpt --t-end 6
  [ "$(dt_least <<<"$output")" = "$short" ]
  accepts run two.h5 "${options[@]}" --t-end 0.25 --dt-max 1/256
  [ "$(dt_least <<<"$output")" = 0.00390625 ]
  accepts run two.h5 --scheme host --json --integrator leapfrog --dt 1/64 --t-end 0
  [ "$(dt_least <<<"$output")" = 0 ]
  accepts run two.h5 --scheme host --json --integrator leapfrog --dt 1/64
  [ "$(dt_least <<<"$output")" = 0.015625 ]
}

@test "numbers in JSON are null where they are none" {
  printf '1 0 0 0 0 0 0\n' >one.txt
  accepts run one.txt --scheme host --t-end 0 --json
  [[ $output == *'"e_total": 0, '*'"de_rel": null, '* ]]
}

@test "the hash of the last state: in JSON, of the file, and of a run in two parts; not of another state" {
  cluster 64
  hash_of() { tail -n 1 | sed -E 's/.*"state_hash": "([0-9a-f]{16})".*/\1/'; }
  run=("$HOLMBERG" run cluster.h5 --scheme host --json --t-end)
  hash=$("${run[@]}" 0.3 -o end.h5 | hash_of)
  [[ $hash =~ ^[0-9a-f]{16}$ ]]
  [ "$("$HOLMBERG" info end.h5 | sed -n 's/^state hash  *//p')" = "$hash" ]
  "${run[@]}" 0.125 --checkpoint run.ckpt --quiet
  [ "$("$HOLMBERG" run --resume run.ckpt --t-end 0.3 | hash_of)" = "$hash" ]
  [ "$("${run[@]}" 0.25 | hash_of)" != "$hash" ]
}

@test "--quiet prints nothing" {
  cluster 16
  accepts run cluster.h5 --scheme host --t-end 0.125 --quiet -o end.h5
  [ -z "$output" ]
  files cluster.h5 end.h5
}

@test "no file without -o" {
  cluster 16
  accepts run cluster.h5 --scheme host --t-end 0.125
  files cluster.h5
}

@test "two runs write the same bytes, whatever they show and wherever they put it" {
  cluster 64
  accepts run cluster.h5 --scheme host --t-end 0.25 -o a.h5
  accepts run cluster.h5 --scheme host --t-end 0.25 -o b.h5 --json --diag-every 1/32 --snap-every 0.25
  cmp a.h5 b.h5
  cmp a.h5 b_0001.h5
}

@test "2^-8, 1/256 and 0.00390625 are one number" {
  cluster 64
  for eps in 2^-8 1/256 0.00390625; do
    "$HOLMBERG" run cluster.h5 --scheme host --t-end 0.25 --eps $eps --quiet -o - | grep -Ev '^# (history|crc32):' >"${eps/\//:}"
  done
  cmp 2^-8 1:256
  cmp 2^-8 0.00390625
}

@test "another softening, accuracy, rounding: another result" {
  cluster 64
  "$HOLMBERG" run cluster.h5 --scheme host --t-end 0.25 --quiet -o - | grep -v '^#' >expected
  for option in '--eps 0' '--eta 0.02' '--step-rounding up' '--dt-max 1/64'; do
    # shellcheck disable=SC2086
    "$HOLMBERG" run cluster.h5 --scheme host --t-end 0.25 $option --quiet -o - | grep -v '^#' >other
    run ! cmp -s expected other
  done
}

@test "rows at multiples of --diag-every and at the end, none twice" {
  cluster 16
  accepts run cluster.h5 --scheme host --t-end 0.3 --diag-every 0.1
  [ "$(times)" = '0 0.1 0.2 0.3' ]
  accepts run cluster.h5 --scheme host --t-end 0.25 --diag-every 0.1
  [ "$(times)" = '0 0.1 0.2 0.25' ]
  accepts run cluster.h5 --scheme host --t-end 0.25 --diag-every 7
  [ "$(times)" = '0 0.25' ]
  accepts run cluster.h5 --scheme host --t-end 0
  [ "$(times)" = '0' ]
}

@test "diagnostics change nothing in the trajectory" {
  cluster 64
  accepts run cluster.h5 --scheme host --t-end 0.5 --diag-every 1/64 -o often.h5
  accepts run cluster.h5 --scheme host --t-end 0.5 --diag-every 0.5 -o seldom.h5
  cmp often.h5 seldom.h5
}

@test "a snapshot series, numbered before the extension" {
  cluster 16
  accepts run cluster.h5 --scheme host --t-end 0.625 --snap-every 0.25 -o end.h5
  files cluster.h5 end.h5 end_0001.h5 end_0002.h5
  accepts run end_0002.h5 --scheme host --t-end 0.75
  [ "$(times)" = '0.5 0.625 0.75' ]
}

@test "a run of a run's end starts where that ended, with its history" {
  cluster 16
  accepts run cluster.h5 --scheme host --t-end 0.25 --quiet -o middle.h5
  accepts run middle.h5 --scheme host --t-end 0.5 --quiet -o -
  grep -qx '# t: 0.5' <<<"$output"
  [ "$(grep '^# history: ' <<<"$output")" = "$(printf '# history: holmberg %s\n' \
    'ic plummer -n 16 --seed 1' \
    'run cluster.h5 --t-end 0.25 --scheme host' \
    'run middle.h5 --t-end 0.5 --scheme host')" ]
}

@test "the record holds the effective options, what computed, and no wall clock" {
  cluster 16
  accepts run cluster.h5 --scheme host --t-end 0.125 --quiet -o -
  local record='t-end=0.125 eta=0.01 eps=0.00390625 dt-max=0.125 dt-min=1.4901161193847656e-08'
  grep -qx "# options: $record first-step=eq2 step-rounding=down transfer=all predict=host correct=host encounters=none neighbors=0 integrator=hermite4 collisions=none escapers=none stop-at=none scheme=host" <<<"$output"
  grep -qx '# scheme: host' <<<"$output"
  grep -qx '# precision: double' <<<"$output"
  grep -qx '# context: none' <<<"$output"
  grep -q '^# device: .' <<<"$output"
  [[ $output != *wall* ]]
}

@test "the record holds what chooses the walk, not how long a draw may take" {
  cluster 16
  accepts run cluster.h5 --scheme host --t-end 0.125 --tuning 'i_each=4 unroll=8' --matrix-limit 2^6 --no-tune \
    --max-draw-ms 5 --quiet -o -
  grep -q "^# history: .* --scheme host --tuning 'i_each=4 unroll=8' --matrix-limit 2^6 --no-tune\$" <<<"$output"
  grep -q '^# options: .* scheme=host tuning=i_each=4 unroll=8 matrix-limit=64 no-tune=yes$' <<<"$output"
  run ! grep -q 'max-draw-ms' <<<"$output"
}

@test "text says which version wrote it, as HDF5 does" {
  cluster 16
  accepts run cluster.h5 --scheme host --t-end 0.125 --quiet -o -
  [ "$(grep '^# version: ' <<<"$output")" = "# version: $("$HOLMBERG" --version | cut -d ' ' -f 2)" ]
  accepts ic figure8 -o -
  [ "$(grep '^# version: ' <<<"$output")" = "# version: $("$HOLMBERG" --version | cut -d ' ' -f 2)" ]
}

@test "a draw of no time" {
  fails_with 2 "option --max-draw-ms: '0' is out of range (expected a number > 0)" run a.h5 --max-draw-ms 0
  fails_with 2 "option --matrix-limit: '0' is out of range (expected a whole number >= 1)" run a.h5 --matrix-limit 0
}

@test "- reads standard input and writes standard output" {
  "$HOLMBERG" ic plummer -n 16 -o - | "$HOLMBERG" run - --scheme host --t-end 0.125 -o - >end.txt
  [ "$(grep -vc '^#' end.txt)" -eq 16 ]
}

@test "--format and --input-format" {
  "$HOLMBERG" ic figure8 --format text -o start --quiet
  accepts run start --input-format text --scheme host --t-end 0.125 --format text -o end
  accepts run end --input-format text --scheme host --t-end 0.125
}

@test "the energy bound: exit code 7, the rows so far, no final state" {
  cluster 64
  run --separate-stderr "$HOLMBERG" run cluster.h5 --scheme host --max-energy-error 1e-18 -o end.h5 --json
  [ "$status" -eq 7 ]
  [[ $stderr =~ ^'holmberg: energy error '[0-9.e-]+' at t = 0.125 exceeds --max-energy-error 1e-18'$ ]]
  [ "${#lines[@]}" -eq 2 ]
  [[ $output != *done* ]]
  files cluster.h5
}

@test "an end before the snapshot's time" {
  cluster 16
  "$HOLMBERG" run cluster.h5 --scheme host --t-end 0.5 --quiet -o later.h5
  fails_with 2 "option --t-end: 0.25 is before the snapshot's time 0.5" run later.h5 --t-end 0.25
}

@test "options that do not fit together" {
  fails_with 2 'option --snap-every needs -o FILE to name its snapshots' run a.h5 --snap-every 1
  fails_with 2 'option --snap-every cannot write a series to standard output' run a.h5 --snap-every 1 -o -
  fails_with 2 'options --json and -o - cannot share standard output' run a.h5 --json -o -
  cluster 16
  fails_with 2 'option --diag-every: 1e-12 is below the smallest step 2^-26' run cluster.h5 --diag-every 1e-12
  fails_with 2 '*dt*' run cluster.h5 --scheme host --dt-min 1/4 --dt-max 1/8
}

@test "leapfrog: a step of any length, rows at steps although times are rounded" {
  cluster 16
  accepts run cluster.h5 --scheme host --integrator leapfrog --dt 0.1 --eps 0.25 --t-end 0.3 --diag-every 0.1
  [ "$(times)" = '0 0.1 0.2 0.3' ]
  [ "$(awk '{ n = $7 } END { print n }' <<<"$output")" = 3 ]
}

@test "leapfrog takes eps, dt and damping from a demonstration's notes, options go before them" {
  "$HOLMBERG" ic demo6 -n 32 -o demo.txt --quiet
  accepts run demo.txt --scheme host --integrator leapfrog --t-end 0.016 --quiet -o end.txt
  grep -q '^# options: .* eps=0.145 .*integrator=leapfrog dt=0.0016 damping=1 ' end.txt
  accepts run demo.txt --scheme host --integrator leapfrog --dt 0.0008 --damping 0.5 --t-end 0.016 --quiet -o other.txt
  grep -q '^# options: .* eps=0.145 .*integrator=leapfrog dt=0.0008 damping=0.5 ' other.txt
  grep -qx '# dt: 0.0008' other.txt
  accepts run other.txt --scheme host --integrator leapfrog --t-end 0.032 --quiet -o -
  grep -q '^# options: .* dt=0.0008 damping=0.5 ' <<<"$output"
  accepts run demo.txt --scheme host --t-end 0.016 --eps 0.25 --quiet -o -
  grep -q '^# options: .* eps=0.25 ' <<<"$output"
  grep -qx '# eps: 0.25' <<<"$output"
}

@test "--verbose says what the snapshot notes" {
  "$HOLMBERG" ic demo6 -n 32 -o demo.txt --quiet
  run --separate-stderr "$HOLMBERG" run demo.txt --scheme host --t-end 0.001 --verbose
  [[ $stderr == *'eps = 0.145, from the snapshot'* ]]
}

@test "a note that is not a number" {
  { echo '# eps: soft'; two_bodies; } >soft.txt
  fails_with 3 "soft.txt: the snapshot gives eps = 'soft', which is out of range; --eps overrides it" run soft.txt
  accepts run soft.txt --scheme host --eps 0.1 --t-end 0.125
}

@test "shared steps: all particles take each step" {
  cluster 64
  accepts run cluster.h5 --scheme host --steps shared --t-end 0.25
  [ "$(awk '{ b = $7; p = $8 } END { print p / b }' <<<"$output")" = 64 ]
  accepts run cluster.h5 --scheme host --steps block --t-end 0.25
  [ "$(awk '{ b = $7; p = $8 } END { print (p < 64 * b) }' <<<"$output")" = 1 ]
}

@test "options of another integrator" {
  fails_with 2 'option --dt needs --integrator leapfrog, not hermite4' run a.h5 --dt 0.1
  fails_with 2 'option --damping needs --integrator leapfrog, not hermite4' run a.h5 --damping 0.9
  for option in '--eta 0.1' '--dt-max 1/8' '--dt-min 1/8' '--step-rounding up'; do
    # shellcheck disable=SC2086
    fails_with 2 "option ${option% *}: integrator leapfrog has one constant step, see --dt" \
      run a.h5 --integrator leapfrog $option
  done
  fails_with 2 'option --steps: the particles of integrator leapfrog share their step' \
    run a.h5 --integrator leapfrog --steps block
  fails_with 2 "option --damping: '1.5' is out of range (expected at most 1)" \
    run a.h5 --integrator leapfrog --damping 1.5
  cluster 16
  fails_with 2 'option --dt: a step of 1e300 is longer than the run, from t = 0 to 1' \
    run cluster.h5 --scheme host --integrator leapfrog --dt 1e300
  fails_with 2 'integrator leapfrog needs --dt DT, since the snapshot gives no dt' run cluster.h5 --integrator leapfrog
  fails_with 2 "option --integrator: unknown value 'leapfog'; did you mean 'leapfrog'[?]" run a.h5 --integrator leapfog
}

@test "steps that collapse in single precision: one warning that names remedies; none with exact forces" {
  cluster 256
  run --separate-stderr "$HOLMBERG" run cluster.h5 --scheme host-simd --precision single --eta 0.001 --t-end 1/64
  [ "$status" -eq 0 ]
  [ "${#stderr_lines[@]}" -eq 1 ]
  [[ $stderr == 'holmberg: the time steps collapse: '*' % of them follow the rounding errors of the forces ('* ]]
  [[ $stderr == *'use --precision ds, --scheme host or a larger --eta' ]]
  for scheme in '--scheme host' '--scheme host-simd --precision ds'; do
    # shellcheck disable=SC2086
    accepts run cluster.h5 $scheme --eta 0.001 --t-end 1/16
  done
  # what a run has already is no remedy
  accepts run cluster.h5 --scheme host-simd --precision ds --eta 5e-6 --t-end 1/64
  run --separate-stderr "$HOLMBERG" run cluster.h5 --scheme host --eta 1e-9 --t-end 2^-15
  [[ $stderr == *'usual); use a larger --eta' ]]
}

@test "two bodies at the same place with eps = 0 are no crash" {
  printf '%s\n' '0.5 0 0 0 0 0 0' '0.5 0 0 0 0 0 0' >same.txt
  run --separate-stderr "$HOLMBERG" run same.txt --scheme host --eps 0 --t-end 0.125
  [ "$status" -eq 7 ]
  [ "${#stderr_lines[@]}" -eq 1 ]
  [[ $stderr == *'particle 0 at t = 0 '*'; particle 1 is at the same place: eps above 0 keeps forces finite' ]]
}

@test "a precision that the scheme does not have" {
  cluster 16
  fails_with 2 "scheme host has no precision 'sigle' (expected one of: *double*)" \
    run cluster.h5 --scheme host --precision sigle
}

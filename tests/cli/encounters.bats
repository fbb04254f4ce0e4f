#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2086 # run sets these, options are words
# Without softening two particles come as close as they like: what a run by short steps cannot hold, it says. Groups, which
# hold it, are in groups.bats.
load common
load encounters

@test "a step that dt_min cuts: particle, time and what it wanted, once" {
  binary
  run --separate-stderr "$HOLMBERG" run binary.txt --scheme host --eps 0 --encounters none --dt-min 2^-26 --t-end 0.002 --max-energy-error none
  [ "$status" -eq 0 ]
  [ "${#stderr_lines[@]}" -eq 1 ]
  [[ $stderr =~ ^'holmberg: particle '[01]' at t = 0.00111'[0-9]+' needs a step of '[0-9.]+e-[01][0-9]', but --dt-min is 2^-26: ' ]]
}

@test "without softening dt_min is 2^-40, and the record says so" {
  binary
  accepts run binary.txt --scheme host --eps 0 --t-end 0.001 --quiet -o -
  grep -q '^# options: .* dt-min=9.094947017729282e-13 ' <<<"$output"
  run ! grep -q '^# history: .*dt-min' <<<"$output"
}

@test "a run that loses its energy is stopped by default" {
  binary
  run --separate-stderr "$HOLMBERG" run binary.txt --scheme host --eps 0 --encounters none --dt-min 2^-26 --t-end 0.125 -o end.txt --json
  [ "$status" -eq 7 ]
  [[ ${stderr_lines[1]} =~ ^'holmberg: energy error '[0-9.e+]+' at t = 0.125 exceeds 0.01; ' ]]
  [[ $output != *done* ]]
  files binary.txt
  fails_with 2 "option --max-energy-error: '0' is out of range (expected a number > 0, or none)" run a.h5 --max-energy-error 0
}

@test "a doubtful energy at the end: all is written, and the exit code is 7" {
  binary
  run --separate-stderr "$HOLMBERG" run binary.txt --scheme host --eps 0 --encounters none --t-end 0.125 -o end.txt --json
  [ "$status" -eq 7 ]
  [ "${#stderr_lines[@]}" -eq 1 ]
  [[ $stderr =~ ^'holmberg: the run is complete, but its energy error of 0.009'[0-9]*' exceeds 0.001; ' ]]
  [[ ${lines[-1]} == *'"done": true'* ]]
  files binary.txt end.txt
  for bound in 0.01 none; do
    accepts run binary.txt --scheme host --eps 0 --encounters none --t-end 0.125 --max-energy-error $bound
  done
}

@test "the energy goes astray: one note, which a resumed run does not repeat" {
  "$HOLMBERG" ic pythagorean -o p.txt --quiet
  run --separate-stderr "$HOLMBERG" run p.txt --scheme host --eps 0 --encounters none --t-end 18 --checkpoint run.ckpt
  [ "$status" -eq 0 ]
  [ "${#stderr_lines[@]}" -eq 1 ]
  [[ $stderr =~ ^'holmberg: the energy error is 0.000'[0-9]+' at t = 1'[0-9.]+'; the run stops at 0.01' ]]
  accepts run --resume run.ckpt --t-end 20
}

@test "leapfrog has no bound, and a note where others have theirs" {
  binary
  run --separate-stderr "$HOLMBERG" run binary.txt --scheme host --eps 0 --integrator leapfrog --dt 0.0001 --t-end 0.125
  [ "$status" -eq 0 ]
  [[ $stderr =~ ^'holmberg: the energy error is '[0-9.e+]+' at t = 0.125'$ ]]
  accepts run binary.txt --scheme host --eps 0 --integrator leapfrog --dt 0.0001 --damping 0.99 --t-end 0.125
}

@test "energies are those of the centre of mass, the table does not see a boost" {
  printf '%s\n' '0.5 0.5 0 0 0 0.4 0' '0.5 -0.5 0 0 0 -0.4 0' >here.txt
  awk '{ $5 += 256; print }' here.txt >moving.txt
  for name in here moving; do
    accepts run $name.txt --scheme host --eps 0 --encounters none --t-end 1 --diag $name.csv
    awk '{ $NF = ""; print }' <<<"$output" >$name.table
  done
  diff here.table moving.table
  awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
    { if (sqrt(($at["e_kin_inertial"] - $at["e_kin"] - 32768) ^ 2) > 1e-9) exit 1
      if (sqrt(($at["e_total_inertial"] - $at["e_total"] - 32768) ^ 2) > 1e-9) exit 1
      if ($at["virial_ratio_inertial"] < 1e4 || $at["virial_ratio"] > 1) exit 1 }' moving.csv
}

# E0 of that checkpoint is the inertial frame's, 19999.875; its dt_min stays 2^-26.
@test "a checkpoint from before energies were in the frame of the centre of mass" {
  cp "$BATS_TEST_DIRNAME/../data/before_frames.ckpt" run.ckpt
  run "$HOLMBERG" run --resume run.ckpt --t-end 1
  [ "$status" -eq 0 ]
  awk '$1 == 1 { found = 1; if (sqrt(($2 + 0.125) ^ 2) > 1e-6 || sqrt($4 ^ 2) > 1e-6) bad = 1 } END { exit bad || !found }' <<<"$output"
  grep -q '^# options: .* dt-min=1.4901161193847656e-08 ' end.txt
}

@test "encounters on the host: an error that is small, or exit code 7" {
  three_encounters
  for scheme in host 'host --steps shared' host-simd 'host-simd --precision ds' grape6; do
    honest 0.125 binary.txt --scheme $scheme
    honest 30 pythagorean.txt --scheme $scheme
    honest 2 head_on.txt --scheme $scheme
  done
}

@test "an infinite jerk needs a step of 0" {
  printf '%s\n' '0.5 0 0 0 0 0 0' '0.5 1e-12 0 0 0 0 0' >near.txt
  run --separate-stderr "$HOLMBERG" run near.txt --eps 0 --scheme host-simd --encounters none --t-end 0 --max-energy-error none
  [ "$status" -eq 0 ]
  [[ $stderr == *'needs a step of 0, but --dt-min is 2^-40: '* ]]
}

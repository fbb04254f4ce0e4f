#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031 # run sets these, each test is a subshell
# holmberg bench on the host: tables, JSON, figures.
load common

n='-?[0-9.]+(e[-+][0-9]+)?'
device='"scheme": "[a-z0-9-]+", "precision": "[a-z]+", "interaction": "gravity_jerk", "context": "none", '
device+='"device": "[^"]+"'

@test "bench force: a header, a row each, and how the numbers are counted" {
  accepts bench force --scheme host,host-simd --precision double,single --n 64,128 --repeat 1
  [[ ${lines[0]} == '#scheme    precision   interaction '*' Gpairs/s flops   GFLOP/s  ceiling' ]]
  [ "$(grep -v '^#' <<<"$output" | awk '{ print $1, $2, $4, $5, $10, $NF }')" = "$(printf '%s\n' \
    'host double 64 64 43 -' 'host double 128 128 43 -' \
    'host-simd single 64 64 46 -' 'host-simd single 128 128 46 -')" ]
  [[ $output == *$'\n# '*'multiply Gpairs/s by 20, 38 or 60'* ]]
}

@test "bench force --json: the documented fields in their order, a line each" {
  accepts bench force --scheme host --n 64 --ni 8,16 --repeat 1 --json
  local fields="^\\{$device, \"n\": 64, \"ni\": (8|16), \"ms_median\": $n, \"ms_min\": $n, \"ms_max\": $n, "
  fields+="\"pairs_per_s\": $n, \"flops_per_pair\": 43, \"gflops\": $n, \"gflops_20\": $n, \"gflops_38\": $n, "
  fields+="\"gflops_60\": $n, \"ceiling_gflops\": null, \"ceiling_fraction\": null, \"tuning\": \"\", "
  fields+="\"send_ms\": $n, \"receive_ms\": $n"
  [ "${#lines[@]}" -eq 2 ]
  for line in "${lines[@]}"; do [[ $line =~ $fields\}$ ]]; done
  accepts bench force --scheme host --n 64 --repeat 1 --json --check
  local errors=', "acc_rms": 0, "acc_max": 0, "jerk_rms": 0, "jerk_max": 0, "pot_rms": 0, "pot_max": 0'
  errors+=", \"acc_floor\": $n"
  fields=${fields/(8|16)/64}
  [[ $output =~ $fields$errors\}$ ]]
}

@test "bench draws: microseconds against the number of sinks" {
  accepts bench draws --scheme host --n 64 --repeat 1
  [[ ${lines[0]} == '#scheme '*' ni     send us     draw us  receive us    cycle us' ]]
  [ "$(grep -v '^#' <<<"$output" | awk '{ print $1, $4, $5, NF }')" = "$(printf 'host 64 %s 9\n' 1 16)" ]
  accepts bench draws --scheme host --n 64 --ni 4 --repeat 1 --json
  local fields="^\\{$device, \"n\": 64, \"ni\": 4, \"send_us\": $n, \"draw_us\": $n, \"receive_us\": $n, "
  fields+="\"cycle_us\": $n, \"tuning\": \"\"\\}$"
  [ "${#lines[@]}" -eq 1 ]
  [[ $output =~ $fields ]]
}

@test "bench force --plot: a figure of the kind that its name says, and no other file" {
  for kind in png svg pdf; do
    accepts bench force --scheme host --n 64,128 --repeat 1 --plot rates.$kind
  done
  files rates.png rates.svg rates.pdf
  [ "$(head -c 4 rates.png | tail -c 3)" = PNG ]
  [ "$(head -c 4 rates.pdf)" = %PDF ]
  grep -q 'host double' rates.svg
}

@test "no gnuplot: exit code 4, one sentence, before the work" {
  run --separate-stderr env PATH=/nowhere "$HOLMBERG" bench force --plot rates.png
  [ "$status" -eq 4 ]
  [ -z "$output" ]
  [ "$stderr" = 'holmberg: cannot draw rates.png: gnuplot is not installed' ]
  files ''
}

@test "a figure that cannot be written" {
  fails_with 2 "cannot draw 'rates.gif': its extension is none of png, svg, pdf" bench force --plot rates.gif
  fails_with 4 'cannot write no/rates.png: folder no/: No such file or directory' bench force --plot no/rates.png
}

@test "what cannot be measured" {
  fails_with 2 "unknown measurement 'forces'; did you mean 'force'[?]" bench forces
  fails_with 2 "'holmberg bench' needs a WHAT" bench
  fails_with 2 "option --check belongs to 'bench force'" bench draws --check
  fails_with 2 "option --plot belongs to 'bench force'" bench draws --plot rates.png
}

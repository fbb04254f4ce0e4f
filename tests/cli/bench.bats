#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031 # run sets these, each test is a subshell
# holmberg bench on the host: tables, JSON, figures.
load common

setup_file() { quick_clock; }

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
  accepts bench force --scheme host --precision double --n 64 --ni 8,16 --repeat 1 --json
  local fields="^\\{$device, \"n\": 64, \"ni\": (8|16), \"ms_median\": $n, \"ms_min\": $n, \"ms_max\": $n, "
  fields+="\"pairs_per_s\": $n, \"flops_per_pair\": 43, \"gflops\": $n, \"gflops_20\": $n, \"gflops_38\": $n, "
  fields+="\"gflops_60\": $n, \"ceiling_gflops\": null, \"ceiling_fraction\": null, \"tuning\": \"\", "
  fields+="\"send_ms\": $n, \"receive_ms\": $n"
  [ "${#lines[@]}" -eq 2 ]
  for line in "${lines[@]}"; do [[ $line =~ $fields\}$ ]]; done
  accepts bench force --scheme host --precision double --n 64 --repeat 1 --json --check
  local errors=', "acc_rms": 0, "acc_max": 0, "jerk_rms": 0, "jerk_max": 0, "pot_rms": 0, "pot_max": 0'
  errors+=", \"acc_floor\": $n"
  fields=${fields/(8|16)/64}
  [[ $output =~ $fields$errors\}$ ]]
}

@test "bench draws: microseconds against the number of sinks" {
  accepts bench draws --scheme host --precision double --n 64 --repeat 1
  [[ ${lines[0]} == '#scheme '*' ni     send us     draw us  receive us    cycle us    block us' ]]
  [ "$(grep -v '^#' <<<"$output" | awk '{ print $1, $4, $5, NF }')" = "$(printf 'host 64 %s 10\n' 1 16)" ]
  accepts bench draws --scheme host --precision double --n 64 --ni 4 --repeat 1 --json
  local fields="^\\{$device, \"n\": 64, \"ni\": 4, \"send_us\": $n, \"draw_us\": $n, \"receive_us\": $n, "
  fields+="\"cycle_us\": $n, \"cycle_min_us\": $n, \"block_us\": null, \"tuning\": \"\"\\}$"
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
  fails_with 2 "cannot draw 'rates.gif': its extension is not png, svg or pdf" bench force --plot rates.gif
  fails_with 4 'cannot write no/rates.png: folder no/: No such file or directory' bench force --plot no/rates.png
}

@test "what cannot be measured" {
  fails_with 2 "unknown measurement 'forces'; did you mean 'force'[?]" bench forces
  fails_with 2 "'holmberg bench' needs a WHAT (one of *)" bench
  fails_with 2 "option --check belongs to 'bench force'" bench draws --check
  fails_with 2 "option --plot belongs to 'bench force'" bench draws --plot rates.png
}

# ---- bench frames ----

@test "bench frames: what cannot be measured" {
  run --separate-stderr "$HOLMBERG" bench frames --n 64 --scheme host --seconds 0.01
  [ "$status" -eq 2 ]
  [ "${stderr_lines[0]}" = 'holmberg: scheme host keeps no particles on a device (expected a scheme on OpenGL)' ]
  run --separate-stderr "$HOLMBERG" bench frames --size 64
  [ "$status" -eq 2 ]
  [[ ${stderr_lines[0]} == "holmberg: option --size: '64' is not a size"* ]]
}

# ---- bench run ----

@test "bench run --json: the documented fields, a line for each mode" {
  accepts bench run --n 64 --scheme host --t-begin 0.125 --t-end 0.25 --json
  local fields='^\{"scheme": "host", "precision": "double", "mode": "all/host/host", "n": 64, "t_begin": 0.125, '
  fields+="\"t_end\": 0.25, \"wall_s\": $n, \"wall_min_s\": $n, \"wall_max_s\": $n, \"repeat\": 1, "
  fields+='"block_steps": [0-9]+, "particle_steps": [0-9]+, "pairs": [0-9]+, '
  fields+="\"de_rel\": $n, \"de_rel_gpu\": $n, \"exact_energy\": true, \"phases\": false, \"predict_s\": $n, \"send_s\": $n, "
  fields+="\"force_s\": $n, \"receive_s\": $n, \"correct_s\": $n, \"context\": \"none\", \"device\": \"[^\"]+\", "
  fields+="\"tuning\": \"\", \"eta\": $n, \"eps\": 0.00390625, \"dt_max\": 0.125, \"dt_min\": $n, "
  fields+='"step_rounding": "down", "seed": 1, "scaling": "measured"\}$'
  [ "${#lines[@]}" -eq 1 ]
  [[ $output =~ $fields ]]
}

# field NAME: its number in each line of $output.
# shellcheck disable=SC2001 # a greedy pattern, for each line
field() { sed "s/.*\"$1\": \([^,}]*\).*/\1/" <<<"$output"; }

@test "bench run counts what 'run' counts over the same time, and finds its energy error" {
  "$HOLMBERG" ic plummer -n 100 --seed 3 -o a.h5 --quiet
  accepts run a.h5 --scheme host --t-end 0.5 --diag-every 0.25 --json
  local blocks steps energy
  blocks=$(field block_steps | awk 'NR > 1 { print $1 - before } { before = $1 }' | tail -n 1)
  steps=$(field particle_steps | awk 'NR > 1 { print $1 - before } { before = $1 }' | tail -n 1)
  energy=$(field e_total | awk 'NR > 1 { d = ($1 - before) / before; print d < 0 ? -d : d } { before = $1 }' | tail -n 1)
  accepts bench run --n 100 --scheme host --seed 3 --repeat 2 --json
  [ "$(field block_steps)" -eq "$blocks" ]
  [ "$(field particle_steps)" -eq "$steps" ]
  [ "$(field pairs)" -eq $((steps * 99)) ]
  awk -v a="$(field de_rel)" -v b="$energy" 'BEGIN { if (a < 0) a = -a; exit !(a < 1.001 * b && b < 1.001 * a) }'
}

@test "bench run: the phases sum to no more than the whole, and the median is none of the ends" {
  accepts bench run --n 64,128 --scheme host,host-simd --phases --repeat 3 --json
  [ "${#lines[@]}" -eq 4 ]
  for name in wall_min_s wall_s wall_max_s predict_s send_s force_s receive_s correct_s; do
    field "$name" >"$name.column"
  done
  paste {wall_min,wall,wall_max,predict,send,force,receive,correct}_s.column |
    awk '!($1 <= $2 && $2 <= $3 && $4 + $5 + $6 + $7 + $8 <= $2 && $4 > 0 && $6 > 0 && $8 > 0) { exit 1 }'
  [[ ${lines[0]} == *'"phases": true'* ]]
}

@test "bench run: what a scheme cannot do is skipped, once for all n" {
  run --separate-stderr "$HOLMBERG" bench run --n 32,64 --scheme host,host-simd --precision double,ds \
    --mode block/gpu/host,all/host/host --t-begin 0 --t-end 0.125
  [ "$status" -eq 0 ]
  [ "$(grep -v '^#' <<<"$output" | awk '{ print $1, $2, $3, $4 }')" = "$(printf '%s\n' \
    'host double all/host/host 32' 'host double all/host/host 64' \
    'host-simd ds all/host/host 32' 'host-simd ds all/host/host 64')" ]
  [ "$stderr" = "$(printf 'holmberg: scheme %s: skipped\n' 'host has no precision ds' \
    'host has no mode block/gpu/host' 'host-simd has no precision double' 'host-simd has no mode block/gpu/host')" ]
}

@test "bench run --plot: a figure with the paper's seconds beside, where it is the paper's job" {
  accepts bench run --n 256 --scheme host --plot runs.svg
  for curve in 'host double all/host/host' 8800GTX FX1400 Xeon GRAPE-6Af; do grep -qF "$curve" runs.svg; done
  accepts bench run --n 64 --scheme host --t-end 0.375 --plot short.svg
  grep -q 'host double all/host/host' short.svg
  run ! grep -q 8800GTX short.svg
  accepts bench run --n 64 --scheme host --plot runs.png
  [ "$(head -c 4 runs.png | tail -c 3)" = PNG ]
  files runs.svg short.svg runs.png
}

# refuses SENTENCE ARG...: bench run ARG... with exit code 2; the second line points to its own help.
refuses() {
  local sentence=$1
  shift
  run --separate-stderr "$HOLMBERG" bench run "$@"
  echo "exit code $status, standard error: $stderr"
  [ "$status" -eq 2 ]
  # shellcheck disable=SC2053
  [[ ${stderr_lines[0]} == "holmberg: "$sentence ]]
}

@test "bench run: words that are none are refused before the work" {
  refuses "unknown mode 'block/gpu/cpu'; did you mean 'block/gpu/gpu'[?]" --mode block/gpu/cpu
  [ "${stderr_lines[1]}" = "try 'holmberg bench run --help'" ]
  refuses "unknown scheme 'hots'; did you mean 'host'[?]" --scheme host,hots
  refuses "unknown precision 'half' (expected one of single, compensated, ds, double, reproducible, grape6, g80, nv40)" --precision half
  refuses "*'many'*" --scheme host --n 64,many
  refuses "option --n: '1' is out of range *" --scheme host --n 64,1
  refuses 'the times are 0.5 to 0.25, expected *' --scheme host --t-begin 0.5 --t-end 0.25
  refuses "cannot draw 'a.gif': *" --scheme host --plot a.gif
  refuses 'scheme host has no mode block/gpu/gpu: skipped' --scheme host --mode block/gpu/gpu
  [[ $stderr == *'holmberg: none of these schemes has such a precision and mode'* ]]
  fails_with 2 "'run' has options of its own and must directly follow 'bench'" bench --json run
  files ''
}

@test "bench run --checkpoint: stopped and continued, a job has the counts and energies of one that was not" {
  local job n times='s/"[a-z_]*_s": [^,]*, //g' code=0
  for n in 1024 4096 16384; do # a larger one where the job ended before the signal found it
    job=(--n $n --eta 0.001 --scheme host --precision double --mode all/host/host --json)
    "$HOLMBERG" bench run "${job[@]}" --checkpoint job.ckpt &
    until_true eval "[ -s job.ckpt ] || ! kill -0 $! 2>/dev/null"
    kill -TERM $! || :
    wait $! || code=$?
    [ $code -eq 0 ] || break
  done
  [ $code -eq 75 ]
  refuses "job.ckpt: it was written by another job; remove it, or name another file" "${job[@]}" --seed 2 --checkpoint job.ckpt
  accepts bench run "${job[@]}" --checkpoint job.ckpt
  files ''
  local continued=$output
  accepts bench run "${job[@]}"
  [ "$(sed "$times" <<<"$output")" = "$(sed "$times" <<<"$continued")" ]
  refuses "option --checkpoint is for one job: name one --n, --scheme and --mode, and at most one --precision" --n 64,128 --checkpoint job.ckpt
  refuses "a checkpoint is of one run, but 2 were asked for" "${job[@]}" --repeat 2 --checkpoint job.ckpt
}

# data/notebook/2026-11-26-arithmetic-of-2007.md: ds differs from single in nothing but the differences of positions.
@test "bench run: float positions keep stars in short steps, float pairs of exact differences do not" {
  local count=()
  for how in host 'host-simd --precision ds' 'host-simd --precision single'; do
    accepts bench run --n 4096 --scheme $how --t-begin 0 --t-end 0.0625 --json
    count+=("$(field block_steps)")
  done
  echo "block steps: ${count[*]}"
  [ "${count[1]}" -ge $((count[0] - 5)) ]
  [ "${count[1]}" -le $((count[0] + 5)) ]
  [ "${count[2]}" -ge $((2 * count[0])) ]
}

@test "bench run --help is its own" {
  accepts bench run --help
  [ "${lines[0]}" = 'usage: holmberg bench run [options]' ]
  for mode in all/host/host all/gpu/host block/gpu/host block/gpu/gpu; do [[ $output == *$'\n'"  $mode "* ]]; done
  for line in "${lines[@]}"; do [ "${#line}" -le 100 ]; done
}

#!/usr/bin/env bats
# shellcheck disable=SC2154 # run sets these
# holmberg model: constants of the paper's model for this machine, and what the model says.
load common

paper=$BATS_TEST_DIRNAME/../../data/paper
n='-?[0-9.]+(e[+-]?[0-9]+)?' # a number, as a pattern

# quick ARG...: a fit that takes no time
quick() {
  accepts model fit --scheme host --n 16,32,64 --seeds 2 --t-begin 0 --t-end 0.125 "$@"
}

# field NAME: its value in each line of $output that has it.
field() { sed -n 's/.*"'"$1"'": \("[^"]*"\|[^,}]*\).*/\1/p' <<<"$output"; }

@test "model fit --json: runs, sizes and a fit, with the documented fields" {
  quick --json
  [ "$(field record | uniq -c | awk '{ print $1, $2 }')" = $'6 "run"\n3 "size"\n1 "fit"' ]
  local job='"scheme": "host", "precision": "double", "mode": "all/host/host", "step_rounding": "down"'
  local size="^\{\"record\": \"size\", $job, \"n\": 32, \"seeds\": 2, \"n_steps\": $n, \"n_steps_over_eq17\": $n, "
  size+="\"n_block\": $n, \"n_block_over_eq14\": $n, \"de_rel\": $n, \"de_rel_most\": $n, \"measured_s\": $n, "
  size+="\"predicted_s\": $n, \"unseen_s\": $n\}$"
  [[ ${lines[7]} =~ $size ]]
  [[ ${lines[6]} == *'"unseen_s": null}' && ${lines[8]} == *'"unseen_s": null}' ]]
  local fit="^\{\"record\": \"fit\", $job, \"context\": \"none\", \"device\": \"[^\"]+\", \"tuning\": \"\", \"eta\": $n, "
  fit+="\"eps\": 0.00390625, \"t_begin\": 0, \"t_end\": 0.125, \"seeds\": 2, \"sizes\": 3, \"n_least\": 16, \"n_most\": 64, "
  fit+='"sends_all": true, '
  for name in t_host t_start t_predict t_correct t_send t_receive t_source t_pair n_block_coefficient n_block_exponent \
    n_steps_coefficient n_steps_exponent; do
    fit+="\"$name\": $n, \"${name}_error\": $n, "
  done
  fit+="\"n_block_deviation\": $n, \"unseen_deviation\": $n, \"de_rel\": $n\}$"
  [[ ${lines[9]} =~ $fit ]]
}

@test "model fit --help tells every field of its lines" {
  quick --json
  local size=${lines[7]} fit=${lines[9]}
  accepts model fit --help
  for name in $(grep -o '"[a-z_0-9]*":' <<<"$size$fit" | tr -d '":' | sort -u); do
    case $name in
    *_error | context | device | tuning | eta | eps | t_begin | t_end | seeds | sizes | n_least | n_most | sends_all | n) ;;
    *) [[ $output == *"$name"* ]] || { echo "no $name"; return 1; } ;;
    esac
  done
}

@test "model fit counts what 'bench run' counts" {
  quick --json
  local blocks
  blocks=$(field block_steps | head -n 6)
  [ "$(for size in 16 32 64; do for seed in 1 2; do
    "$HOLMBERG" bench run --scheme host --n $size --seed $seed --t-begin 0 --t-end 0.125 --json |
      sed 's/.*"block_steps": \([0-9]*\).*/\1/'
  done; done)" = "$blocks" ]
}

@test "model fit: a fit for each rounding; steps rounded up are twice as long as steps rounded down" {
  accepts model fit --scheme host --n 64,128,256 --step-rounding down,nearest,up --seeds 1 --json
  [ "$(grep '"fit"' <<<"$output" | sed 's/.*"step_rounding": "\([a-z]*\)".*/\1/' | tr '\n' ' ')" = 'down nearest up ' ]
  grep '"size"' <<<"$output" | sed 's/.*"n_steps": \([0-9.e+]*\),.*/\1/' | awk '{ s[NR] = $1 } END {
    for (k = 1; k <= 3; k++) { up = s[k + 6] / s[k]; nearest = s[k + 3] / s[k]; print up, nearest
      if (!(up > 0.45 && up < 0.55 && nearest > 0.55 && nearest < 0.95)) bad = 1 }
    exit bad }'
}

@test "model fit: the table has sizes, constants beside the paper's, and how well half of the sizes predicts the rest" {
  quick
  [[ ${lines[0]} == '# host double, mode all/host/host, steps rounded down, on '* ]]
  [ "$(grep -v '^#' <<<"$output" | awk '{ print $1 }' | tr '\n' ' ')" = '16 32 64 ' ]
  grep -qE '^#t_pair +[0-9.e-]+ +[0-9.e-]+ \|  4.63e-10  8.15e-10  1.43e-08  5.29e-08$' <<<"$output"
  grep -qE '^#t_send +[0-9.e-]+ +[0-9.e-]+ \| +8e-07  1.76e-05  1.89e-05 +-$' <<<"$output"
  grep -qE '^#n_steps_exponent +[0-9.]+ +[0-9.e-]+ \| +0.35 +0.35 +0.35 +0.35$' <<<"$output"
  grep -qE '^# unseen by their own fit, sizes differ by up to [0-9]+ %; n_block from eq. 14 by up to [0-9]+ %$' <<<"$output"
  files ''
}

@test "model fit -o and predict: the file holds the lines of --json, and predicts what the fit predicts" {
  quick -o fit.jsonl --json
  [ "$output" = "$(cat fit.jsonl)" ]
  local fitted
  fitted=$(field predicted_s)
  accepts model predict --machine fit.jsonl --n 16,32,64 --json
  [ "$(field machine | sort -u)" = '"host double all/host/host down"' ]
  paste <(echo "$fitted") <(field t_unit) | awk '{ d = $1 / $2 - 1; if (d * d > 1e-20) exit 1 }'
  files fit.jsonl
}

@test "model predict: the paper's Table 2 within what its own text grants the model" {
  accepts model predict --n 256,512,1024,2048,4096,8192,16384,32768,65536,131072,262144,524288 --json
  [ "${#lines[@]}" -eq 48 ]
  # modelled over measured: GRAPE 1.1 ... 1.45, 8800GTX 0.77 ... 1.6, Xeon 0.84 ... 1.28, FX1400 0.56 ... 0.93 up to 8192
  paste <(field machine) <(field n) <(field t_unit) | tr -d '"' | awk -v table="$paper/table2.csv" '
    BEGIN {
      FS = ","
      while ((getline < table) > 0) if (!/^#/) { if (!columns) { columns = NF; for (k = 2; k <= NF; k++) name[k] = $k }
        else for (k = 2; k <= NF; k++) t[name[k], $1] = $k }
      FS = "[ \t]+"
      least["GRAPE-6Af"] = 1.1; most["GRAPE-6Af"] = 1.45; least["8800GTX"] = 0.77; most["8800GTX"] = 1.6
      least["Xeon"] = 0.84; most["Xeon"] = 1.28; least["FX1400"] = 0.56; most["FX1400"] = 0.93
    }
    t[$1, $2] != "" && !($1 == "FX1400" && $2 > 8192) {
      ratio = $3 / (4 * t[$1, $2]); rows++
      if (!(ratio >= least[$1] && ratio <= most[$1])) { print $1, $2, ratio; bad = 1 }
    }
    END { print rows, "rows"; exit bad || rows != 36 }'
}

@test "model predict: terms of a step add up, and the table has the same numbers" {
  accepts model predict --n 1024 --machine 8800GTX --json
  [[ $output == '{"record": "prediction", "machine": "8800GTX", "n": 1024, "n_block": 54.87'* ]]
  awk -v s="$(field t_start) $(field t_host) $(field t_comm) $(field t_force) $(field t_step) $(field n_steps) $(field t_unit)" \
    'BEGIN { split(s, t, " "); d = t[1] + t[2] + t[3] + t[4] - t[5]; e = t[5] * t[6] - t[7]; exit !(d * d < 1e-30 && e * e < 1e-20) }'
  local unit
  unit=$(field t_unit)
  accepts model predict --n 1024 --machine 8800GTX,Xeon
  [ "$(grep -v '^#' <<<"$output" | awk '{ print $NF }' | tr '\n' ' ')" = '8800GTX Xeon ' ]
  [ "$(grep 8800GTX <<<"$output" | awk '{ print $8 }')" = "$(printf '%.4g' "$unit")" ]
}

@test "model: a fit of every mode that a scheme has; others are skipped" {
  run --separate-stderr "$HOLMBERG" model fit --scheme host,host-simd --precision double,ds --mode all/host/host,block/gpu/gpu \
    --n 16,32,64 --seeds 1 --t-begin 0 --t-end 0.125
  [ "$status" -eq 0 ]
  [ "$(grep ', mode' <<<"$output" | sed 's/, mode.*//')" = $'# host double\n# host-simd ds' ]
  [ "${#stderr_lines[@]}" -eq 4 ]
}

# refuses SENTENCE ARG...: model ARG... with exit code 2, before anything is measured.
refuses() {
  local sentence=$1
  shift
  run --separate-stderr "$HOLMBERG" model "$@"
  echo "exit code $status, standard error: $stderr"
  [ "$status" -eq 2 ]
  # shellcheck disable=SC2053
  [[ ${stderr_lines[0]} == "holmberg: "$sentence ]]
  [ -z "$(grep -v '^#' <<<"$output")" ]
}

@test "model: what cannot be fitted or predicted" {
  refuses 'a fit needs at least 3 numbers of particles, got 2' fit --scheme host --n 16,32
  [ "${stderr_lines[1]}" = "try 'holmberg model fit --help'" ]
  refuses 'the numbers of particles 32, 16 do not ascend' fit --scheme host --n 32,16,64
  refuses "unknown rounding 'upp'; did you mean 'up'[?]" fit --scheme host --step-rounding down,upp
  refuses "unknown scheme 'hots'; did you mean 'host'[?]" fit --scheme hots
  refuses "option --seeds: '1001' is out of range *" fit --scheme host --seeds 1001
  refuses "option --n: '1' is out of range *" predict --n 1
  refuses "unknown machine '8800GTS'; did you mean '8800GTX'[?]" predict --machine 8800GTS
  [ "${stderr_lines[1]}" = "try 'holmberg model predict --help'" ]
  refuses "'holmberg model' needs a PART (one of fit, predict)" # no part named
  refuses "'fit' has options of its own and must directly follow 'model'" --color never fit
  refuses "unknown part of 'model' 'predcit'; did you mean 'predict'[?]" predcit
  fails_with 4 'cannot write none/fit.jsonl: folder none/: No such file or directory' model fit --scheme host -o none/fit.jsonl
  files ''
}

@test "model predict: files that hold no fit, and damaged ones" {
  quick -o fit.jsonl --json
  # broken SENTENCE FILE: exit code 3
  broken() {
    run --separate-stderr "$HOLMBERG" model predict --machine "$2"
    echo "exit code $status, standard error: $stderr"
    [ "$status" -eq 3 ]
    # shellcheck disable=SC2053
    [[ $stderr == "holmberg: "$1 ]]
  }
  head -n 9 fit.jsonl >none.jsonl
  broken "none.jsonl has no fit of 'holmberg model fit'" none.jsonl
  sed 's/"t_pair": [^,]*, //' fit.jsonl >less.jsonl
  broken 'less.jsonl, line 10: the fit has no t_pair' less.jsonl
  sed 's/"t_pair": [^,]*,/"t_pair": -1,/' fit.jsonl >negative.jsonl
  broken "negative.jsonl, line 10: t_pair is '-1', expected a number >= 0" negative.jsonl
  sed 's/"n_steps_exponent": [^,]*,/"n_steps_exponent": null,/' fit.jsonl >null.jsonl
  broken "null.jsonl, line 10: n_steps_exponent is 'null', expected a number" null.jsonl
  head -c -20 fit.jsonl >cut.jsonl
  broken 'cut.jsonl, line 10: *' cut.jsonl
  echo 'm x y z' >text.jsonl
  broken 'text.jsonl, line 1: expected an object' text.jsonl
  : >empty.jsonl
  broken "empty.jsonl has no fit of 'holmberg model fit'" empty.jsonl
  fails_with 4 'cannot read missing.jsonl: No such file or directory' model predict --json --machine missing.jsonl
}

#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031 # run sets these, each test is a subshell
# Near and far forces: --neighbors and --eta-far, as users meet them.
load common

# A cluster with masses, in which auto would have neighbors.
cluster() { "$HOLMBERG" ic plummer -n "${1:-1024}" --masses kroupa --mass-max 50 --seed 21 -o k.txt --quiet; }

option() { sed -n "s/^# options: .* $2=\([^ ]*\).*/\1/p" "$1"; }

@test "a wrong number of neighbors is refused in one sentence" {
  cluster 64
  for word in 7 1025 -1 many 16.5 ''; do
    fails_with 2 "option --neighbors: '$word' is out of range (expected auto, 0 for none, or 8 to 1024)" \
      run k.txt --scheme host --t-end 0 --neighbors "$word"
  done
  for word in 0 -1; do
    fails_with 2 "option --eta-far: '$word' is out of range (expected a number > 0)" run k.txt --eta-far "$word"
  done
  fails_with 2 'an eta_far without neighbors (expected neighbors auto, or how many)' \
    run k.txt --scheme host --neighbors 0 --eta-far 0.01
  fails_with 2 '64 neighbors need more particles than a list has' run k.txt --scheme host --neighbors 64
}

@test "what cannot be combined with neighbors is refused, and said" {
  cluster 64
  "$HOLMBERG" ic demo1 -n 64 -o demo.txt --quiet
  while IFS=: read -r words sentence; do
    read -ra words <<<"$words"
    fails_with 2 "neighbors need $sentence" run k.txt --t-end 1/8 --neighbors 16 --scheme host "${words[@]}"
    # negative control: by themselves they are as good as ever
    accepts run k.txt --scheme host --t-end 0 --quiet --neighbors 0 "${words[@]}"
  done <<'LIST'
--steps shared:block steps
--first-step eq2:first steps by eq. 9: far forces begin with a trial
--scheme host-simd:precision ds, reproducible or double, not single
--integrator leapfrog --dt 1/16:integrator hermite4
LIST
  while IFS=: read -r words sentence; do
    read -ra words <<<"$words"
    fails_with 2 "neighbors need $sentence" run k.txt --t-end 1/8 --neighbors 16 "${words[@]}"
  done <<'LIST'
--scheme tile --predict gpu:transfer block where a device predicts*
--scheme tile --transfer block --predict gpu --correct gpu:correct host*
--scheme bag --interaction plain.glsl:gravity, not another interaction
LIST
  run -2 --separate-stderr "$HOLMBERG" bench run --neighbors 64
  [[ $stderr == "holmberg: unknown option '--neighbors'"* ]]
}

@test "the record says how many; auto has none where there cannot be any" {
  cluster
  accepts run k.txt --scheme host --t-end 1/64 --neighbors 32 --eta-far 1/256 -o on.txt --quiet
  [ "$(option on.txt neighbors) $(option on.txt eta-far)" = '32 0.00390625' ]
  [[ $(grep '^# history: ' on.txt | tail -n 1) == *' --neighbors 32 --eta-far 1/256'* ]]
  accepts run k.txt --scheme host --t-end 1/64 --neighbors 0 -o off.txt --quiet
  [ "$(option off.txt neighbors)" = 0 ]
  while IFS='|' read -r words number; do
    read -ra words <<<"$words"
    run -0 "$HOLMBERG" run k.txt --t-end 0 "${words[@]}" -o auto.txt --quiet # no star has a radius, says one
    echo "${words[*]}: $(option auto.txt neighbors), expected $number"
    [ "$(option auto.txt neighbors)" = "$number" ]
  done <<'LIST'
--scheme host|64
--scheme host-simd --precision ds --eps 0.01|64
--scheme host --steps shared|0
--scheme host --first-step eq2|0
--scheme host-simd|0
--scheme bag --precision compensated --context osmesa --no-tune|0
--scheme bag --precision ds --context osmesa --no-tune|64
--scheme host --escapers remove --collisions merge --field log:v=1,r=1|64
--scheme cg2007 --context osmesa|0
--scheme matrix2004 --context osmesa --no-tune|0
--scheme tile --context osmesa --no-tune --transfer block --predict gpu|0
LIST
  # shaders of one's own may compute another force; those of the build do not
  cp -r "$BATS_TEST_DIRNAME/../../shaders" shaders
  HB_SHADER_DIR=shaders accepts run k.txt --scheme host --t-end 0 -o auto.txt --quiet
  [ "$(option auto.txt neighbors)" = 64 ]
  echo >>shaders/interactions/gravity_jerk.glsl
  HB_SHADER_DIR=shaders accepts run k.txt --scheme host --t-end 0 -o auto.txt --quiet
  [ "$(option auto.txt neighbors)" = 0 ]
  cluster 999
  accepts run k.txt --scheme host --t-end 0 -o auto.txt --quiet
  [ "$(option auto.txt neighbors)" = 0 ]
}

@test "a resumed run has the number of its checkpoint, and no other" {
  cluster
  run -75 "$HOLMBERG" run k.txt --scheme host --t-end 1/8 --neighbors 32 --checkpoint a.ckpt --max-hours 1e-9 \
    -o end.txt --quiet
  for words in '--neighbors 64' '--neighbors 0' '--neighbors auto'; do
    # shellcheck disable=SC2086 # words
    fails_with 2 "option --neighbors: '${words#* }' differs from the checkpoint's run (32); leave it out" \
      run --resume a.ckpt $words
  done
  fails_with 2 "option --eta-far: '0.01' differs from the checkpoint's run (none); leave it out" \
    run --resume a.ckpt --eta-far 0.01
  accepts run --resume a.ckpt --neighbors 32 --max-hours 1
  [ "$(option end.txt neighbors)" = 32 ]
}

# value NAME: of the last line of --json.
value() { tail -n 1 | sed -n "s/.*\"$1\": \"\{0,1\}\([^,\"}]*\).*/\1/p"; }

# holds EXPRESSION: as awk says.
holds() { awk "BEGIN { exit !($1) }"; }

# size NUMBER: without its sign.
size() { echo "${1#-}"; }

# rms FILE: of the first column's numbers.
rms() { awk '{ s += $1 ^ 2 } END { print sqrt(s / NR) }' "$1"; }

# saves SHARE WORD...: six clusters with and without neighbors: fewer than 1 / SHARE of all block steps are full, there are few pairs,
# and energies as good.
saves() {
  local seed near share=$1
  shift
  rm -f plain near
  for seed in 21 22 23 24 25 26; do
    "$HOLMBERG" ic plummer -n 2048 --masses kroupa --mass-max 50 --seed $seed -o k.txt --quiet
    accepts run k.txt --eps 0.0008 --t-end 1/4 --json --neighbors 0 "$@"
    echo "$(value de_cluster <<<"$output") $(value block_steps <<<"$output") $(value pairs <<<"$output")" >>plain
    accepts run k.txt --eps 0.0008 --t-end 1/4 --json --neighbors 64 "$@"
    near=$output
    echo "$(value de_cluster <<<"$near") $(value block_steps <<<"$near") $(value pairs <<<"$near") $(value full_blocks <<<"$near")" >>near
    local name words=
    for name in block_steps full_blocks particle_steps far_steps near_pairs full_pairs list_mean list_longest \
      list_changes far_by_reach far_by_noise; do
      words+=", $(value $name <<<"$near") ${name//_/ }"
    done
    echo "$*, seed $seed: dE/E, block steps, pairs $(tail -n 1 plain) -> $(tail -n 1 near)$words" >&3
    holds "$(value pairs <<<"$near") == $(value near_pairs <<<"$near") + $(value full_pairs <<<"$near")"
    holds "$(value list_mean <<<"$near") > 50 && $(value list_mean <<<"$near") < 80"
    holds "$(value list_longest <<<"$near") < 3 * 64"
  done
  echo "$*: rms dE/E $(rms plain) -> $(rms near)" >&3
  holds "$(rms near) < 1.5 * $(rms plain)"
  paste plain near | awk -v share="$share" '{ plain += $3; near += $6; steps += $5; full += $7 } $5 > 1.05 * $2 { exit 1 }
    END { if (3 * near > plain || share * full > steps) exit 1 }'
}

@test "few block steps need all pairs, and the energy is as good" {
  saves 12 --scheme host
  saves 6 --scheme host-simd --precision ds
}

hash_of() { "$HOLMBERG" run k.txt --json "$@" | value state_hash; }

@test "the same bits with any number of threads and any vectors" {
  cluster 2048
  local hash again
  hash=$(OMP_NUM_THREADS=1 hash_of --scheme host --eps 0.0008 --t-end 1/16 --neighbors 64)
  for words in OMP_NUM_THREADS=2 OMP_NUM_THREADS=4 OMP_NUM_THREADS=7 HB_SIMD=avx2 HB_SIMD=baseline; do
    again=$(export "${words?}" && hash_of --scheme host --eps 0.0008 --t-end 1/16 --neighbors 64)
    echo "$words: $again, expected $hash" >&3
    [ "$again" = "$hash" ]
  done
  # negative control: another number of neighbors is another sum
  [ "$(hash_of --scheme host --eps 0.0008 --t-end 1/16 --neighbors 65)" != "$hash" ]
}

@test "killed and resumed at a hundred instants: the bytes of a run that was not" {
  cluster 1024
  local options=(--scheme host --eps 0.0016 --t-end 3/64 --neighbors 64 --diag-every 1/64 --quiet)
  accepts run k.txt "${options[@]}" -o whole.txt
  run -75 "$HOLMBERG" run k.txt "${options[@]}" -o part.txt --checkpoint part.ckpt --max-hours 1e-9
  local count=0 hours
  for ((; count < 100 && status == 75; count++)); do
    hours=1e-9 # a block step, and after each third the steps of a millisecond
    [ $((count % 3)) -lt 2 ] || hours=3e-7
    run --separate-stderr "$HOLMBERG" run --resume part.ckpt --max-hours $hours
  done
  [ "$status" -ne 75 ] || run --separate-stderr "$HOLMBERG" run --resume part.ckpt --max-hours 1
  echo "exit code $status after $count resumes; $stderr" >&3
  [ "$count" -eq 100 ]
  [ "$status" -eq 0 ]
  cmp whole.txt part.txt
}

# Options of `ic` and of `run`, of which energies are compared.
kinds='plummer -n 400 --masses kroupa --seed 2|--eps 0 --t-end 1/4
king -n 300 --masses kroupa --binaries 0.2 --seed 2|--eps 0 --t-end 1/32
plummer -n 400 --masses kroupa --radius 0.002*m^0.8 --seed 3|--eps 0 --collisions merge --t-end 1/4
plummer -n 400 --masses kroupa --virial 0.8 --seed 4|--eps 0.001 --escapers remove --escape-radius 2 --t-end 1/2
king -n 400 --masses kroupa --seed 5|--eps 0 --field hill:w=0.3 --t-end 1/4
plummer -n 400 --seed 6|--eps 1/256 --field point:m=2,x=5 --t-end 1/4'

@test "with groups, mergers, escapers and fields: energies, threads, and thirty instants of a resumed run" {
  local ic words plain error count one other
  while IFS='|' read -r ic words; do
    read -ra ic <<<"$ic"
    read -ra words <<<"$words"
    "$HOLMBERG" ic "${ic[@]}" -o k.txt --quiet
    run -0 --separate-stderr "$HOLMBERG" run k.txt --scheme host "${words[@]}" --neighbors 0 --json
    plain=$(value de_cluster <<<"$output")
    OMP_NUM_THREADS=1 run -0 --separate-stderr "$HOLMBERG" run k.txt --scheme host "${words[@]}" --neighbors 24 --json
    error=$(value de_cluster <<<"$output") one=$(value state_hash <<<"$output")
    other=$(OMP_NUM_THREADS=5 hash_of --scheme host "${words[@]}" --neighbors 24)
    echo "${ic[*]} ${words[*]}: dE/E $plain -> $error, $(value full_blocks <<<"$output") of $(value block_steps <<<"$output") full, $one $other" >&3
    holds "$(size "$error") < 4 * $(size "$plain") + 3e-8"
    [ "$other" = "$one" ]
    rm -f part.ckpt*
    run -75 "$HOLMBERG" run k.txt --scheme host "${words[@]}" --neighbors 24 --json --checkpoint part.ckpt --max-hours 1e-9
    for ((count = 0; count < 30 && status == 75; count++)); do
      run "$HOLMBERG" run --resume part.ckpt --max-hours $((1 + count % 4))e-9
    done
    [ "$status" -ne 75 ] || run "$HOLMBERG" run --resume part.ckpt --max-hours 1
    echo "after $count resumes $(value state_hash <<<"$output")" >&3
    [ "$(value state_hash <<<"$output")" = "$one" ]
  done <<<"$kinds"
}

# The noise of float pairs is judged by the mass of all, which escapers take away.
@test "escapers in ds: resumed, the same bits" {
  "$HOLMBERG" ic plummer -n 400 --masses kroupa --seed 5 -o c.h5 --quiet
  how=(run c.h5 --eps 0 --dt-max 1/64 --neighbors 16 --escapers remove --escape-radius 3 --scheme host-simd --precision ds --quiet)
  "$HOLMBERG" "${how[@]}" --t-end 4 -o - --format text | grep -v '^#' >expected
  "$HOLMBERG" "${how[@]}" --t-end 3 --checkpoint run.ckpt
  "$HOLMBERG" run --resume run.ckpt --t-end 4 --quiet -o - --format text | grep -v '^#' >other
  [ "$(wc -l <expected)" -lt 400 ]
  cmp expected other
}

@test "nothing softened: a hard pair's orbit is felt by those whom it moves, far steps of single stars are not too long" {
  local ic t_end most
  while IFS='|' read -r ic t_end most; do
    # shellcheck disable=SC2086 # words
    "$HOLMBERG" ic $ic -n 2048 --masses kroupa --mass-max 50 -o k.txt --quiet
    accepts run k.txt --scheme host --eps 0 --t-end $t_end --neighbors 64 --json
    echo "$ic: dE/E $(value de_rel <<<"$output") at t = $t_end, at most $most" >&3
    holds "$(size "$(value de_rel <<<"$output")") < $most"
  done <<'LIST'
plummer --seed 106|1/4|1e-7
king --seed 1|1/8|6e-9
LIST
}

@test "on every source of forces; in reproducible the same bits" {
  export HB_CONTEXT=osmesa
  cluster 1024
  local hash='' again words
  for words in '--scheme host' '--scheme host-simd --precision ds' '--scheme bag --precision ds --no-tune' '--scheme tile --precision ds --no-tune'; do
    # shellcheck disable=SC2086 # words
    accepts run k.txt $words --eps 0.0016 --t-end 1/16 --neighbors 64 --json
    echo "$words: dE/E $(value de_cluster <<<"$output"), $(value full_blocks <<<"$output") of $(value block_steps <<<"$output") block steps full" >&3
    holds "$(size "$(value de_cluster <<<"$output")") < 1e-7"
    holds "8 * $(value full_blocks <<<"$output") < $(value block_steps <<<"$output")"
  done
  for words in host 'bag --no-tune' 'tile --no-tune' 'matrix2004 --no-tune'; do
    # shellcheck disable=SC2086 # words
    again=$(hash_of --precision reproducible --scheme $words --eps 0.0016 --t-end 1/32 --neighbors 64)
    echo "reproducible by $words: $again" >&3
    [ "$again" = "${hash:=$again}" ]
  done
}

@test "a device that predicts is sent what has stepped, less than half of all records; the same energies, and resumed the same bits" {
  export HB_CONTEXT=osmesa
  local kept=(--transfer block --predict gpu) by=(--scheme bag --precision ds --no-tune --neighbors 64 --json)
  local ic words all count
  while IFS='|' read -r ic words; do
    read -ra ic <<<"$ic"
    read -ra words <<<"$words"
    "$HOLMBERG" ic "${ic[@]}" -o k.txt --quiet
    accepts run k.txt "${by[@]}" "${words[@]}"
    all=$output
    accepts run k.txt "${by[@]}" "${words[@]}" "${kept[@]}"
    echo "${ic[*]}: $(value full_blocks <<<"$all") and $(value full_blocks <<<"$output") full blocks, bytes $(value sent_bytes <<<"$all") -> \
$(value sent_bytes <<<"$output"), dE/E $(value de_rel <<<"$all") -> $(value de_rel <<<"$output")" >&3
    holds "2 * $(value sent_bytes <<<"$output") < 132 * ${ic[2]} * $(value full_blocks <<<"$output") && $(value sent_bytes <<<"$output") > 0"
    holds "$(size "$(value de_rel <<<"$output")") < 2 * $(size "$(value de_rel <<<"$all")") + 1e-8"
  done <<'LIST'
plummer -n 2048 --masses kroupa --mass-max 50 --seed 21|--eps 0.0008 --t-end 1/8
king -n 1024 --masses kroupa --binaries 0.3 --seed 2|--eps 0 --t-end 1/16
LIST
  words=(--eps 0 --t-end 1/64)
  run -75 "$HOLMBERG" run k.txt "${by[@]}" "${words[@]}" "${kept[@]}" --checkpoint part.ckpt --max-hours 1e-9
  for ((count = 0; count < 6 && status == 75; count++)); do
    run "$HOLMBERG" run --resume part.ckpt --max-hours $((1 + count % 4))e-9
  done
  [ "$status" -ne 75 ] || run "$HOLMBERG" run --resume part.ckpt --max-hours 1
  accepts run k.txt "${by[@]}" "${words[@]}" "${kept[@]}"
  all=$(value state_hash <<<"$output")
  accepts run --resume part.ckpt --max-hours 1
  echo "after $count resumes $(value state_hash <<<"$output"), $all" >&3
  [ "$(value state_hash <<<"$output")" = "$all" ]
}

@test "on two and three devices: the bits of one in reproducible, energies in ds, sent all or what has stepped" {
  cluster 1024
  local run=(k.txt --context osmesa --scheme tile --no-tune --neighbors 64 --eps 0 --t-end 1/64 --json)
  local devices words hash='' again
  for devices in software software,software software,software,software; do
    words=unroll=8
    [ $devices = software ] || words='alone_below=8 kept_alone_below=8'
    accepts run "${run[@]}" --precision reproducible --device $devices --tuning "$words"
    again=$(value state_hash <<<"$output")
    echo "$devices: $again" >&3
    [ "$again" = "${hash:=$again}" ]
  done
  for words in '' '--transfer block --predict gpu'; do
    # shellcheck disable=SC2086 # words
    accepts run "${run[@]}" --precision ds --device software,software --tuning 'alone_below=8 kept_alone_below=8' $words
    echo "ds on two $words: dE/E $(value de_rel <<<"$output"), $(value full_blocks <<<"$output") full" >&3
    holds "$(size "$(value de_rel <<<"$output")") < 5e-8"
    holds "8 * $(value full_blocks <<<"$output") < $(value block_steps <<<"$output")"
  done
}

@test "with one, two and three ranks the same bits in reproducible, and again in double" {
  local hash ranks again
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
  cluster 1024
  hash=$(hash_of --scheme host --precision reproducible --eps 0 --t-end 1/32 --neighbors 64)
  for ranks in 2 3; do
    again=$(mpirun --oversubscribe -n $ranks "$HOLMBERG" run k.txt --scheme host --precision reproducible --eps 0 --t-end 1/32 \
      --neighbors 64 --json 2>said | value state_hash)
    echo "$ranks ranks: $again, one: $hash" >&3
    [ "$again" = "$hash" ]
  done
  hash=
  for ranks in 2 2; do
    again=$(mpirun --oversubscribe -n $ranks "$HOLMBERG" run k.txt --scheme host --eps 0 --t-end 1/32 --neighbors 64 --json 2>said |
      value state_hash)
    [ "$again" = "${hash:=$again}" ]
  done
}

@test "--diag and plot show full blocks beside all" {
  cluster 1024
  accepts run k.txt --scheme host --eps 0.0016 --t-end 1/8 --neighbors 64 --diag a.csv
  [[ ${lines[-1]} == '# 64 neighbors ('*' in the mean, '*' at most): '*' particle steps were full' ]]
  accepts run k.txt --scheme host --eps 0.0016 --t-end 1/8 --neighbors 0 --diag b.csv --quiet
  # the histogram of full blocks has each once; a table without neighbors has no such columns
  awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
    { sum = 0; for (size = 1; size <= 1024; size *= 2) sum += $at["full_blocks_" size]
      if (sum != $at["full_blocks"] || $at["near_pairs"] + $at["full_pairs"] != $at["pairs"]) exit 1 }
    NR == 3 && ($at["near_s"] <= 0 || $at["lists_s"] <= 0 || $at["full_blocks"] < 10) { exit 1 }' a.csv
  run ! grep -q 'full_blocks\|near_s' b.csv
  accepts plot a.csv -o a.svg
  grep -q 'full, by their far steps' a.svg
  grep -q '>near [0-9.]* %<' a.svg
  accepts plot b.csv -o b.svg
  run ! grep -q 'full, by\|>near ' b.svg
}

@test "first steps with binaries are those of single stars: no pair that flies apart in a trial sets them" {
  local orbits=(--binaries 0.1 --orbits kroupa1995 --a-max 0.01) steps=() words name
  for words in '' "${orbits[*]}"; do
    read -ra words <<<"$words"
    "$HOLMBERG" ic king -n 1024 --masses kroupa --seed 3 --length-unit 1 "${words[@]}" -o k.txt --quiet
    accepts run k.txt --eps 0 --scheme host --t-end 1/256 --json
    for name in particle far; do
      [[ ${lines[-1]} =~ "\"${name}_steps\": "([0-9]+) ]]
      steps+=("${BASH_REMATCH[1]}")
    done
  done
  echo "particle and far steps: ${steps[*]}"
  # 3.3 and 5 times as many before
  ((steps[2] < 2 * steps[0] && steps[3] < 3 * steps[1]))
}

# Far parts are then rounding errors of the sum over all, or nothing at all, and say nothing about steps: these were of 2^-40.
@test "lists of nearly all others, with close pairs: as many block steps as with short lists" {
  "$HOLMBERG" ic plummer -n 72 --masses salpeter --binaries 0.5 --seed 5 -o pairs.txt --quiet
  for neighbors in 32 48 63 71; do
    run timeout 60 "$HOLMBERG" run pairs.txt --scheme host --eps 0 --t-end 1/16 --json --neighbors $neighbors
    [ "$status" -eq 0 ]
    steps[neighbors]=$(sed -n '$s/.*"block_steps": \([0-9]*\).*/\1/p' <<<"$output")
    echo "$neighbors neighbors: ${steps[neighbors]} block steps"
    [ "${steps[neighbors]}" -lt $((2 * steps[32])) ]
  done
  "$HOLMBERG" ic plummer -n 128 --masses salpeter --binaries 0.5 --seed 5 -o pairs.txt --quiet # more than there are nodes
  accepts run pairs.txt --scheme host --eps 0 --t-end 1/16 --quiet --neighbors 125
}

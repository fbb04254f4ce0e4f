#!/usr/bin/env bats
# shellcheck disable=SC2154 # run sets these
# What a snapshot says about its softening, who asks for it, and the first step that follows from it.
load common

note() { sed -n "s/^# $2: //p" "$1"; }
near() { python3 -c 'import sys; a, b = map(float, sys.argv[1:]); sys.exit(abs(a - b) > 1e-9 * abs(b))' "$1" "$2"; }
field() { tail -n 1 | sed -n "s/.*\"$1\": \"\{0,1\}\([^,\"}]*\).*/\1/p"; }

@test "each model says what softening it means" {
  local model expected
  while read -r expected model; do
    read -ra model <<<"$model"
    accepts ic "${model[@]}" -o a.txt --quiet
    echo "${model[*]}: eps $(note a.txt eps), expected $expected"
    [ "$(note a.txt eps)" = "$expected" ]
  done <<'END'
0.00390625 plummer -n 64
0.00390625 king -n 64
0.00390625 coldsphere -n 64
0.00390625 cube -n 64
0.00390625 holmberg1941
0 king -n 64 --masses kroupa
0 plummer -n 64 --masses two
0 plummer -n 64 --binaries 0.5
0 twobody
0 figure8
0 pythagorean
0.1 disc -n 64
0.1 merger -n 128
0.1 demo1 -n 64
END
}

@test "run takes it from every format that has notes; --eps wins; what was taken is in what is written" {
  local format
  accepts ic king -n 32 --masses kroupa --seed 1 -o a.txt --quiet
  for format in txt h5 nemo dyn amuse xmf; do
    accepts convert a.txt "b.$format" --quiet
    accepts run "b.$format" --scheme host --t-end 1/64 --json -o c.txt
    echo "$format: $(field eps <<<"$output") $(field first_step <<<"$output")"
    [ "$(field eps <<<"$output") $(field first_step <<<"$output")" = '0 eq9' ]
    [ "$(note c.txt eps)" = 0 ]
    [[ $(note c.txt options) == *' eps=0 '*' first-step=eq9 '* ]]
    accepts run "b.$format" --scheme host --t-end 1/64 --json --eps 1/64 -o c.txt
    [ "$(field eps <<<"$output") $(note c.txt eps)" = '0.015625 0.015625' ]
    accepts run c.txt --scheme host --t-end 1/32 --json # which says so itself now
    [ "$(field eps <<<"$output")" = 0.015625 ]
  done
}

@test "without a note the default is said in the first line, once" {
  two_bodies >a.txt
  accepts run a.txt --scheme host --t-end 0.125 -o b.txt
  [ "${lines[0]}" = '# eps = 0.00390625, the default: the snapshot does not say its softening, and neither does --eps' ]
  [ "$(grep -c 'eps =' <<<"$output")" -eq 1 ]
  accepts run a.txt --scheme host --t-end 0.125 --json
  [[ ${lines[0]} == *'"eps": 0.00390625,'* ]]
  for option in 'a.txt --eps 0' b.txt; do
    # shellcheck disable=SC2086 # two words
    accepts run $option --scheme host --t-end 0.25
    [[ ${lines[0]} == '#         t '* ]]
  done
}

@test "scale carries the softening on as a length, combine takes the smaller one and says so" {
  accepts ic plummer -n 32 --mass-unit 100 --length-unit 1 -o a.txt --quiet
  accepts scale a.txt b.txt --length 2 --quiet
  near "$(note b.txt eps)" "$(python3 -c 'print(2 / 256)')"
  accepts ic plummer -n 32 --mass-unit 100 --length-unit 2 -o c.txt --quiet # 1/256 of 2 pc
  run --separate-stderr "$HOLMBERG" ic combine a.txt c.txt --at 9,0,0 -o d.txt --quiet
  [ "$stderr" = 'holmberg: the systems have different softenings, 0.00390625 and 0.0078125: both get 0.00390625, the smaller one' ]
  [ "$status $(note d.txt eps)" = '0 0.00390625' ]
  accepts ic combine a.txt a.txt --at 9,0,0 -o d.txt --quiet
  [ "$(note d.txt eps)" = 0.00390625 ]
  sed '1d; /^# eps/d' c.txt >none.txt
  accepts ic combine none.txt c.txt --at 9,0,0 -o d.txt --quiet
  [ "$(note d.txt eps)" = 0.00390625 ]
}

@test "the same file is the same run by Python, which asks the note as run does" {
  local python=/usr/bin/python3 file eps
  accepts ic king -n 32 --masses kroupa --seed 1 -o zero.h5 --quiet
  accepts ic plummer -n 32 --seed 1 -o soft.h5 --quiet
  for file in zero soft; do
    for eps in none 0 1/64; do
      options=(--eps "$eps")
      [ "$eps" = none ] && options=()
      accepts run $file.h5 --scheme host --t-end 0.25 --json "${options[@]}"
      hash=$(field state_hash <<<"$output")
      PYTHONPATH=$BATS_TEST_DIRNAME/../../src/python HOLMBERG_LIBRARY=$(dirname "$HOLMBERG")/libholmberg.so run -0 "$python" - <<END
import holmberg
given = {} if "$eps" == "none" else {"eps": $eps}
sim = holmberg.Simulation(holmberg.Particles.read("$file.h5"), scheme="host", **given)
sim.evolve(0.25)
sim.state().write("$file.txt")
END
      accepts info $file.txt --json
      echo "$file --eps $eps: run $hash, Python $(field state_hash <<<"$output")"
      [ "$(field state_hash <<<"$output")" = "$hash" ]
    done
  done
}

# Kroupa masses, eps 0: what the first step alone decides. The figures are of scheme host, and the same on every machine.
@test "the first step by default: eq. 9 where nothing is softened or masses differ, eq. 2 for the paper's runs" {
  local seed first errors worst=()
  for first in eq2 auto; do
    errors=()
    for seed in 31 32 33 34 35 36; do
      [ -e $seed.h5 ] || accepts ic plummer -n 1024 --masses kroupa --seed $seed -o $seed.h5 --quiet
      accepts run $seed.h5 --scheme host --t-end 0.125 --first-step $first --json
      errors+=("$(field de_rel <<<"$output")")
    done
    echo "|dE/E| at t = 1/8 with --first-step $first ($(field first_step <<<"$output")): ${errors[*]}"
    worst+=("$(printf '%s\n' "${errors[@]}" | sed 's/^-//' | sort -g | tail -n 1)")
  done
  echo "the worst: ${worst[*]}; expected above 1e-7 and below 1e-8"
  awk "BEGIN { exit !(${worst[0]} > 1e-7 && ${worst[1]} < 1e-8) }"
  taken() { accepts run "$@" --scheme host --t-end 1/64 --json && field first_step <<<"$output"; }
  "$HOLMBERG" ic plummer -n 64 -o equal.h5 --quiet
  [ "$(taken equal.h5 | tail -n 1)" = eq2 ]
  [ "$(taken equal.h5 --eps 0 | tail -n 1)" = eq9 ]
  [ "$(taken 31.h5 --eps 0.01 | tail -n 1)" = eq9 ]
  [ "$(taken 31.h5 --eps 0.01 --first-step eq2 | tail -n 1)" = eq2 ]
  # a resumed run knows how it began, whatever its masses are now
  accepts run 31.h5 --scheme host --t-end 1/64 --checkpoint c.ckpt -o half.txt --quiet
  accepts run --resume c.ckpt --t-end 1/32 -o rest.txt --quiet
  accepts run 31.h5 --scheme host --t-end 1/32 -o whole.txt --quiet
  cmp rest.txt whole.txt
}

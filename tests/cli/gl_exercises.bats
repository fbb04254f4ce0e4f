#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031,SC2016 # run sets these, each test is a subshell; backquotes are of Markdown
# The exercises of shaders/README.md: their solutions do what is said there. The second one's numbers: test_gl_passes_traced.c.
load common

# mine N: a folder of shaders with the solution of exercise N, and HB_SHADER_DIR.
mine() {
  local shaders=$BATS_TEST_DIRNAME/../../shaders
  cp -r "$shaders" mine
  patch --silent -d mine -p1 <"$(echo "$shaders/exercises/$1"_*.diff)"
  export HB_SHADER_DIR=$PWD/mine
}

# spread FIELD: largest less smallest value of a field in the lines of JSON on standard input.
spread() {
  grep -o "\"$1\": [^,]*" | awk '{ if (NR == 1 || $2 < low) low = $2; if (NR == 1 || $2 > high) high = $2 }
    END { print high - low }'
}

@test "exercise 1: another force, whose energy its own potential keeps" {
  "$HOLMBERG" ic twobody --e 0.5 -o pair.txt --quiet
  local run='run pair.txt --eps 0 --t-end 4 --scheme bag --precision ds --no-tune --context osmesa --json'
  # shellcheck disable=SC2086
  "$HOLMBERG" $run >newton
  mine 1
  # shellcheck disable=SC2086
  "$HOLMBERG" $run --max-energy-error none >other
  [ "$(spread e_total <newton | awk '{ print ($1 < 1e-5) }')" -eq 1 ]
  [ "$(spread e_total <other | awk '{ print ($1 > 1e-3) }')" -eq 1 ]
  [ "$(spread e_gpu <other | awk '{ print ($1 < 1e-5) }')" -eq 1 ]
  [[ $(tail -n 1 other) == *'"e_gpu": -0.12777'* ]]
}

@test "exercise 1: the same file serves other schemes and precisions" {
  mine 1
  accepts bench force --scheme bag,tile,matrix2004 --precision single,double --n 64 --repeat 1 --context osmesa
  [ "$(grep -cE '^(bag|tile|matrix2004) ' <<<"$output")" -eq 6 ]
}

@test "exercise 2: the nearest neighbour in a number that was free" {
  export HB_CONTEXT=osmesa
  accepts trace -n 9 --scheme cg2007 -o before --passes --quiet
  mine 2
  accepts trace -n 9 --scheme cg2007 -o after --passes --quiet
  # one more picture beside acceleration x, y, z: a wider page; everything else as it was
  cmp before/cg2007.png after/cg2007.png
  cmp before/cg2007_08_write_jerkAndPotOut.png after/cg2007_08_write_jerkAndPotOut.png
  width() { od -An -tu1 -j16 -N4 "$1" | awk '{ print ($1 * 256 + $2) * 65536 + $3 * 256 + $4 }'; }
  [ "$(width after/cg2007_08_write_accOut.png)" -gt "$(width before/cg2007_08_write_accOut.png)" ]
}

# The error of acc with sums of single terms: what they lose is what `compensated` keeps.
rms() {
  "$HOLMBERG" bench force --scheme bag --precision "$1" --n 4096 --ni 1024 --check --float-positions --repeat 1 \
    --tuning 'partial=1 unroll=1 i_each=1' --context osmesa --json | grep -o '"acc_rms": [^,]*' | cut -d' ' -f2
}

@test "exercise 3: without precise a sum that is compensated is no better than one that is not" {
  local single compensated careless
  single=$(rms single)
  compensated=$(rms compensated)
  mine 3
  careless=$(rms compensated)
  echo "single $single, compensated $compensated, careless $careless"
  awk -v s="$single" -v c="$compensated" -v l="$careless" 'BEGIN { exit !(s > 20 * c && l > 20 * c) }'
}

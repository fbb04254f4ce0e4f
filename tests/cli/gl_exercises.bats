#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031,SC2016 # run sets these, each test is a subshell; backquotes are of Markdown
# The exercises of shaders/README.md: their solutions do what is said there. The second one's numbers: test_gl_passes_traced.c.
load common

# solve N: the solution of exercise N, on the shaders in mine: no fuzz, no offset, nothing left behind.
solve() {
  patch -d mine -p1 <"$(echo "$BATS_TEST_DIRNAME/../../shaders/exercises/$1"_*.diff)" >said
  cat said
  [ "$(grep -vc '^patching file ' said)" -eq 0 ] && [ -z "$(find mine -name '*.orig' -o -name '*.rej')" ]
}

# mine N: a folder of shaders with the solution of exercise N, and HB_SHADER_DIR.
mine() {
  cp -r "$BATS_TEST_DIRNAME/../../shaders" mine
  solve "$1"
  export HB_SHADER_DIR=$PWD/mine
}

# spread FIELD: largest less smallest value of a field in the lines of JSON on standard input.
spread() {
  grep -o "\"$1\": [^,]*" | awk '{ if (NR == 1 || $2 < low) low = $2; if (NR == 1 || $2 > high) high = $2 }
    END { print high - low }'
}

@test "each solution fits the shaders as they are" {
  cp -r "$BATS_TEST_DIRNAME/../../shaders" mine
  for number in 1 2 3 3b; do solve $number; done
}

@test "exercise 1: the commands as README prints them" {
  cp -r "$BATS_TEST_DIRNAME/../../shaders" .
  mkdir build && ln -s "$HOLMBERG" build/holmberg
  # from the folder of shaders that all exercises begin with, to the first figure
  sed -n '/^## Changing something/,/^To see the ellipse turn/{/ view /d;s/^    //p}' shaders/README.md | tee commands
  HB_CONTEXT=osmesa run -0 --separate-stderr bash -e commands
  echo "$output"
  [ -z "$stderr" ]
  grep -x 'patching file interactions/gravity_jerk.glsl' <<<"$output"
  # Newton, then the other force: E_gpu of the last row of each
  [ "$(awk '$1 == 8 { printf "%.5f ", $3 }' <<<"$output")" = '-0.12500 -0.12778 ' ]
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
  cmp before/cg2007.svg after/cg2007.svg
  cmp before/cg2007_08_write_jerkAndPotOut.svg after/cg2007_08_write_jerkAndPotOut.svg
  width() { sed -n "1s/.* width='\([0-9]*\)'.*/\1/p" "$1"; }
  [ "$(width after/cg2007_08_write_accOut.svg)" -gt "$(width before/cg2007_08_write_accOut.svg)" ]
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

@test "each step of an exact sum is precise: the linter's rule finds every one that is not" {
  local root=$BATS_TEST_DIRNAME/../.. file line count=0
  cp -r "$root/shaders" mine
  # shellcheck disable=SC2046 # names without spaces
  "$root/tools/check_exact.py" $(find mine -name '*.glsl' -o -name '*.frag' -o -name '*.comp')
  for file in common/wide.glsl hermite/timed_near.glsl; do
    for line in $(grep -n '^ *precise .*;' "mine/$file" | grep -v ' / ' | cut -d: -f1); do
      sed "${line}s/precise //" "mine/$file" >careless.glsl
      run -1 "$root/tools/check_exact.py" careless.glsl
      [[ $output == careless.glsl:* ]]
      count=$((count + 1))
    done
  done
  echo "$count steps"
  [ "$count" -gt 15 ]
  # what Mesa 25 made 0
  echo 'vec3 low_of(wide3 a) { return vec3(a - dvec3(vec3(a))); }' >careless.glsl
  run -1 "$root/tools/check_exact.py" careless.glsl
  [ "${lines[0]}" = 'careless.glsl:1: a step of an exact function that is not precise: return vec3(a - dvec3(vec3(a)))' ]
}

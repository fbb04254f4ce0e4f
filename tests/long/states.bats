#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031 # run sets these, each test is a subshell
# The known end states of tests/states from other compilers, and on other machines by QEMU: `make bare`, which takes ten seconds;
# N = 1024 is left out where QEMU would take minutes. Then all of them by every scheme, and N = 1024 by every driver.
bats_require_minimum_version 1.5.0

setup_file() {
  cd "$BATS_TEST_DIRNAME/../.." || return 1
}

# bare COMPILER OPTIONS [RUNNER [VARIABLE...]]: the program by this compiler is $bare
bare() {
  local compiler=$1 options=$2 runner=${3:-}
  shift 2
  [ $# -eq 0 ] || shift
  make --no-print-directory -s -j"$(nproc)" B="$BATS_TEST_TMPDIR/build" CC="$compiler" OPT="$options" ${runner:+LDFLAGS=-static} "$@" \
    bare >"$BATS_TEST_TMPDIR/said" 2>&1 || { cat "$BATS_TEST_TMPDIR/said" && return 1; }
  bare="$runner $BATS_TEST_TMPDIR/build/bare"
}

# known ARITHMETIC OPTION...: its rows by $HOLMBERG; leaves status and output
known() {
  run tests/states/states.sh "$@"
  echo "$HOLMBERG $*: $output"
}

# same COMPILER OPTIONS [RUNNER]: its program has the known end states
same() {
  bare "$@" || return
  for precision in double reproducible; do
    HOLMBERG=$bare known "$precision" --scheme host --precision "$precision" && [ "$status" -eq 0 ] || return
  done
}

@test "gcc and clang, unoptimized and optimized" {
  for compiler in gcc clang; do
    for level in -O0 -O1 -O2 -O3; do same $compiler $level; done
  done
}

@test "make CC=clang: the program and all libraries, with the same exports" {
  local build=$BATS_TEST_TMPDIR/build
  make --no-print-directory -s -j"$(nproc)" B="$build" CC=clang all
  diff "$build/gen/exports.map" "$(dirname "$HOLMBERG")/gen/exports.map"
  HOLMBERG=$build/holmberg known double --scheme host && [ "$status" -eq 0 ]
}

@test "with AVX2 and FMA: gcc's vectorizers may not fuse what they would" {
  grep -q ' avx2 .* fma\| fma .* avx2 ' /proc/cpuinfo || skip 'a processor without them'
  for compiler in gcc clang; do same $compiler '-O3 -march=x86-64-v3'; done
  bare gcc '-O3 -march=x86-64-v3' '' NUMERIC='-ffp-contract=off -fno-math-errno' NUMERIC_HERE=
  HOLMBERG=$bare known double --scheme host
  [[ $status -eq 1 && $output == *'DIFFERENT '*': disc -n 200 '* ]]
  bare clang '-O3 -march=x86-64-v3' '' NUMERIC='-ffp-contract=fast' NUMERIC_HERE=
  HOLMBERG=$bare known double --scheme host
  [ "$status" -eq 1 ]
}

@test "Arm of 64 bits" {
  export WITHOUT='-n 1024 '
  for level in -O0 -O3; do same aarch64-linux-gnu-gcc $level qemu-aarch64; done
  same 'clang --target=aarch64-linux-gnu' -O3 qemu-aarch64
}

@test "Arm and x86 of 32 bits, and the other order of bytes" {
  export WITHOUT='-n 1024 '
  same arm-linux-gnueabihf-gcc -O3 qemu-arm
  same i686-linux-gnu-gcc -O3 qemu-i386
  same s390x-linux-gnu-gcc '-O3 -fexcess-precision=fast' qemu-s390x
}

@test "a checkpoint goes on under the other order of bytes, there and back, to the same bytes" {
  bare s390x-linux-gnu-gcc '-O2 -fexcess-precision=fast' qemu-s390x
  cd "$BATS_TEST_TMPDIR"
  local options=(--scheme host --quiet)
  "$HOLMBERG" ic plummer -n 64 --seed 4 -o p.txt --quiet
  "$HOLMBERG" run p.txt "${options[@]}" --t-end 1/2 -o whole.txt
  "$HOLMBERG" run p.txt "${options[@]}" --t-end 1/4 --checkpoint here.ckpt
  $bare run p.txt "${options[@]}" --t-end 1/4 --checkpoint there.ckpt
  "$HOLMBERG" run --resume there.ckpt --t-end 1/2 -o here.txt
  $bare run --resume here.ckpt --t-end 1/2 -o there.txt
  for file in here there; do
    echo "$file: $(grep -v '^#' $file.txt | md5sum), without a stop $(grep -v '^#' whole.txt | md5sum)"
    cmp <(grep -v '^#' $file.txt) <(grep -v '^#' whole.txt)
  done
}

@test "precision reproducible: every known end state, by every scheme" {
  export HB_CONTEXT=osmesa LP_NUM_THREADS=0
  for scheme in bag tile matrix2004; do
    known reproducible --precision reproducible --scheme $scheme --no-tune && [ "$status" -eq 0 ]
    ROWS='n (64|1024) ' known reproducible --precision reproducible --scheme $scheme && [ "$status" -eq 0 ] # tuned
  done
}

@test "precision reproducible: N = 1024 by every driver" {
  export ROWS='n 1024 ' EGL_PLATFORM=surfaceless
  for bits in 128 256 512; do
    for scheme in bag tile; do
      LP_NATIVE_VECTOR_WIDTH=$bits known reproducible --precision reproducible --scheme $scheme --context egl --no-tune && [ "$status" -eq 0 ]
    done
  done
  known reproducible --precision reproducible --scheme tile --context gles --no-tune && [ "$status" -eq 0 ]
  GALLIUM_DRIVER=softpipe known reproducible --precision reproducible --scheme bag --context osmesa --no-tune && [ "$status" -eq 0 ]
  GALLIUM_DRIVER=softpipe known reproducible --precision reproducible --scheme matrix2004 --context egl --no-tune && [ "$status" -eq 0 ]
}

@test "precision reproducible: killed at up to twenty instants, and resumed" {
  known=$(sed -n 's/^reproducible : plummer -n 1024 --seed 1 : .* : //p' tests/states/known.txt)
  cd "$BATS_TEST_TMPDIR" || return 1
  export HB_CONTEXT=osmesa
  "$HOLMBERG" ic plummer -n 1024 --seed 1 -o a.txt --quiet
  "$HOLMBERG" run a.txt --scheme tile --precision reproducible --t-end 0.25 --eta 0.01 --neighbors 0 --checkpoint run.ckpt --checkpoint-every 1s \
    --max-hours 1e-9 --json || [ $? -eq 75 ]
  for ((k = 0; k < 20; k++)); do
    "$HOLMBERG" run --resume run.ckpt --checkpoint-every 0.02s --max-hours 9 >/dev/null &
    sleep "0.$((RANDOM % 10))"
    kill -9 $! || :
    code=0
    wait $! || code=$?
    [ $code -eq 137 ] || break # it came to its end
  done
  [ $k -gt 0 ]
  run "$HOLMBERG" run --resume run.ckpt --max-hours 9
  echo "$output"
  [[ ${lines[-1]} == *"\"state_hash\": \"$known\"}" ]]
}

#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031 # run sets these, each test is a subshell
# Precision reproducible: one hash of the end of a run, by every scheme and device that `make test` has; tests/long has more
# of them, and larger runs. A new scheme or a list of devices is a line here; LAUNCH='mpirun -n 4' goes before a run.
load common

# known OPTION...: the rows of tests/states/known.txt that ROWS leaves
known() {
  ROWS=${ROWS:-n (64|65) } run "$BATS_TEST_DIRNAME/../states/states.sh" reproducible --precision reproducible --no-tune "$@"
  echo "$*: $output"
  [ "$status" -eq 0 ]
}

@test "bag, tile, matrix2004, hybrid have the bits of the processor; another precision has not" {
  export HB_CONTEXT=osmesa LP_NUM_THREADS=0
  known --scheme bag
  known --scheme tile
  known --scheme matrix2004
  known --scheme hybrid --tuning 'host_below=20 gl=tile'
  ROWS='cube' known --scheme bag --precision ds || true # the last word counts
  [[ $output == *'0 the same, 1 different' ]]
}

@test "however the driver computes: 128, 256 and 512 bits at a time, softpipe, EGL, OpenGL ES" {
  export LP_NUM_THREADS=0 ROWS='n (64 .*0.25|65) ' EGL_PLATFORM=surfaceless
  for bits in 128 256 512; do LP_NATIVE_VECTOR_WIDTH=$bits known --scheme bag --context osmesa; done
  known --scheme tile --context egl
  known --scheme tile --context gles
  GALLIUM_DRIVER=softpipe known --scheme bag --context egl
}

@test "stopped after each of ten steps, and resumed: the same end; --json and the table say it" {
  export HB_CONTEXT=osmesa LP_NUM_THREADS=0
  known=$(sed -n 's/^reproducible : plummer -n 64 --seed 1 : --t-end 0.25 : //p' "$BATS_TEST_DIRNAME/../states/known.txt")
  "$HOLMBERG" ic plummer -n 64 --seed 1 -o a.txt --quiet
  run "$HOLMBERG" run a.txt --scheme bag --precision reproducible --t-end 0.25 --checkpoint run.ckpt --max-hours 1e-9
  for ((k = 0; k < 9; k++)); do
    [ "$status" -eq 75 ]
    run "$HOLMBERG" run --resume run.ckpt --max-hours 1e-9
  done
  accepts run --resume run.ckpt --max-hours 9
  [ "${lines[-1]}" = "# state_hash $known" ]
}

@test "a device with a root of its own is refused" {
  cp -r "$BATS_TEST_DIRNAME/../../shaders" .
  sed -i '/^float root(float x) {/,/^}/ { /^float/!{ /^}/!d } }; /^float root(float x) {/a return inversesqrt(x);' shaders/common/fixed.glsl
  "$HOLMBERG" ic plummer -n 64 -o a.txt --quiet
  export HB_SHADER_DIR=$PWD/shaders HB_CONTEXT=osmesa
  fails_with 5 'precision reproducible needs float arithmetic as IEEE 754 has it, llvmpipe*' \
    run a.txt --scheme bag --precision reproducible
}

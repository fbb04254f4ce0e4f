#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2031 # run sets these, each test is a subshell
# Several devices in one run: here the software renderer, named twice or thrice.
load common

# run_on DEVICES OPTION...: the header and particles of a short run.
run_on() {
  local devices=$1
  shift
  "$HOLMBERG" run a.h5 --context osmesa --t-end 0.0625 --no-tune --quiet -o - --device "$devices" "$@"
}

@test "reproducible: the same state on one device, two and three, whatever their shares" {
  "$HOLMBERG" ic plummer -n 128 -o a.h5 --quiet
  local run=(--scheme tile --precision reproducible --tuning)
  run_on software "${run[@]}" unroll=8 | grep -v '^#' >expected
  [ "$(wc -l <expected)" -eq 128 ]
  run_on software,software "${run[@]}" alone_below=1 | grep -v '^#' | cmp - expected
  run_on software,software,software "${run[@]}" 'alone_below=8 shares=3:16:1' | grep -v '^#' | cmp - expected
}

@test "the devices and their shares stand in the header" {
  "$HOLMBERG" ic plummer -n 64 -o a.h5 --quiet
  run_on software,software --tuning alone_below=8 >end.txt
  grep -q '^# scheme: bag$' end.txt # auto, which is never hybrid on several
  grep -q '^# precision: ds$' end.txt
  grep -q '^# tuning: shares=1:1 alone_below=8 ' end.txt
  grep -q '^# device: llvmpipe.* and llvmpipe' end.txt
}

# stopped TUNING: a run on two devices to whole.h5, and the same stopped after its first step, run.ckpt.
stopped() {
  "$HOLMBERG" ic plummer -n 64 -o a.h5 --quiet
  local run=(run a.h5 --scheme tile --device 'software,software' --transfer block --predict gpu --correct gpu --no-tune
    --tuning "$1" --context osmesa --t-end 0.0625 --quiet -o)
  accepts "${run[@]}" end.h5
  mv end.h5 whole.h5
  run "$HOLMBERG" "${run[@]}" end.h5 --checkpoint run.ckpt --max-hours 1e-9
  [ "$status" -eq 75 ]
}

@test "resumed on the same devices: the same bytes; on one: it goes on" {
  stopped 'kept_alone_below=4 shares=2:1'
  cp run.ckpt other.ckpt
  accepts run --resume run.ckpt --max-hours 9
  cmp end.h5 whole.h5
  cp other.ckpt run.ckpt
  run --separate-stderr "$HOLMBERG" run --resume run.ckpt --device software --max-hours 9
  [ "$status" -eq 0 ]
  [[ $stderr == *'results may differ in the last bits' ]]
}

# The others are opened, and get no particles.
@test "resumed where the first device takes all blocks: the same bytes" {
  stopped 'kept_alone_below=all shares=1:1'
  accepts run --resume run.ckpt --max-hours 9
  cmp end.h5 whole.h5
}

@test "a device that cannot be opened is named; a scheme for one device says so" {
  "$HOLMBERG" ic figure8 -o a.h5 --quiet
  fails_with '[25]' 'device /dev/dri/none: *' run a.h5 --scheme tile --context osmesa --device software,/dev/dri/none --t-end 0
  fails_with 2 'scheme hybrid works on one device, *' run a.h5 --scheme hybrid --context osmesa --device software,software --t-end 0
  fails_with 2 'device 1 of the list has a name of 0 characters, *' run a.h5 --scheme bag --device software, --t-end 0
}

@test "bench force and bench run" {
  accepts bench force --scheme tile --precision ds --n 256 --repeat 1 --check --context osmesa --device software,software --tuning "shares=1:1 alone_below=8" --json
  [[ $output == *'" and llvmpipe'* || $output == *' and llvmpipe'* ]]
  [[ $output =~ '"acc_rms": '([0-9.e-]+) ]]
  awk "BEGIN { exit !(${BASH_REMATCH[1]} < 1e-6) }"
  accepts bench run --scheme tile --precision ds --n 64 --t-begin 0.03125 --t-end 0.0625 --context osmesa \
    --device software,software --no-tune --json
  [[ $output == *'"tuning": "shares=1:1 '* ]]
}

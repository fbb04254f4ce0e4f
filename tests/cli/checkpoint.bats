#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2016,SC2030,SC2031 # run sets these, each test is a subshell
# Checkpoints: a resumed run is the run, signals end it between two steps, damaged files are called so.
load common

# A run without an end would keep bats waiting for it.
teardown() { [ -z "${pid:-}" ] || kill -9 "$pid" 2>/dev/null || :; }

# The same run in many ways: a series, rows, an end that is no multiple of either. A run of seconds at most.
options=(--scheme host --t-end 0.3 --diag-every 0.0625 --snap-every 0.125 -o end.h5)

cluster() { "$HOLMBERG" ic plummer -n "${1:-64}" --seed 1 -o cluster.h5 --quiet; }

# whole: the run without a checkpoint, in the folder whole.
whole() {
  mkdir whole
  (cd whole && "$HOLMBERG" run ../cluster.h5 "${options[@]}" "$@" >rows)
}

# part ARG...: the command in the folder part, which is made; its exit code in $status.
part() {
  mkdir -p part
  run --separate-stderr bash -c 'cd part && program=$1 && shift && exec "$program" "$@" >>rows' - "$HOLMBERG" "$@"
  echo "exit code $status, standard error: $stderr"
}

# rows_of FOLDER: the rows without the last column, the wall time.
rows_of() { sed -E 's/, "(phases|slow)": \{[^}]*\}//g; s/ +[^ ]+$//; s/, "wall_s": [0-9.e+-]+//' "$1/rows"; }

same_as_whole() {
  local file
  for file in end.h5 end_0001.h5 end_0002.h5; do cmp "whole/$file" "part/$file"; done
  diff <(rows_of whole) <(rows_of part)
}

# begin ARG...: the run of a long time in the background, in the folder part; its number in $pid.
begin() {
  mkdir -p part
  set -m # else a shell without job control has its children ignore SIGINT
  (cd part && exec "$HOLMBERG" run ../cluster.h5 --scheme host --t-end 1e6 --diag-every 1e6 "$@" >>rows 2>said) &
  pid=$!
  set +m
}

# ended: waits for $pid; its exit code in $code.
ended() {
  code=0
  wait "$pid" || code=$?
  echo "exit code $code, standard error: $(cat part/said)"
}

# resume_to_end: twenty block steps one at a time, whatever the machine's speed, and the rest in one go.
resume_to_end() {
  for ((times = 0; times < 20; times++)); do
    part run --resume run.ckpt --max-hours 1e-9
    [ "$status" -eq 75 ]
  done
  part run --resume run.ckpt --max-hours 9
  [ "$status" -eq 0 ]
}

@test "stopped and resumed after every step: the bytes of a run that is not, each row once" {
  cluster
  whole
  part run ../cluster.h5 "${options[@]}" --checkpoint run.ckpt --max-hours 1e-9
  [ "$status" -eq 75 ]
  [[ $stderr =~ ^'holmberg: stopped by --max-hours at t = '[0-9.e-]+'; to continue: holmberg run --resume run.ckpt'$ ]]
  resume_to_end
  same_as_whole
  [ "$(cd part && ls)" = "$(printf '%s\n' end.h5 end_0001.h5 end_0002.h5 rows run.ckpt run.ckpt~)" ]
}

@test "leapfrog, its step noted in the snapshot: steps that end a hair behind a row and behind --t-end" {
  "$HOLMBERG" ic demo1 -n 16 -o cluster.txt --quiet
  sed -i '/^# crc32:/d; s/^# dt: .*/# dt: 0.1/' cluster.txt
  options=(--scheme host --integrator leapfrog --t-end 0.7 --diag-every 0.1 --snap-every 0.1 -o end.txt)
  mkdir whole
  (cd whole && "$HOLMBERG" run ../cluster.txt "${options[@]}" >rows)
  part run ../cluster.txt "${options[@]}" --checkpoint run.ckpt --max-hours 1e-9
  for ((times = 0; times < 40 && status == 75; times++)); do part run --resume run.ckpt --max-hours 1e-9; done
  [ "$status" -eq 0 ]
  for file in whole/end*; do cmp "$file" "part/${file##*/}"; done
  diff <(rows_of whole) <(rows_of part)
}

@test "the same as JSON: the last line alone is done" {
  cluster
  whole --json
  part run ../cluster.h5 "${options[@]}" --json --checkpoint run.ckpt --max-hours 1e-9
  [ "$status" -eq 75 ]
  resume_to_end
  same_as_whole
  [ "$(grep -c '"done": true' part/rows)" -eq 1 ]
}

@test "checkpoints change no bit, however many" {
  cluster
  whole
  part run ../cluster.h5 "${options[@]}" --checkpoint run.ckpt --checkpoint-every 0s
  [ "$status" -eq 0 ]
  same_as_whole
}

@test "kill -9 at 10 random instants" {
  HOST_ONLY=1 run "$BATS_TEST_DIRNAME/../../tools/kill_test.sh" 10
  echo "$output"
  [ "$status" -eq 0 ]
  [[ ${lines[-1]} == '10 kills, '*' 10 of 10 byte-identical end states in '*', 0 times no valid checkpoint' ]]
}

@test "rows after the checkpoint are cut from the file that they were in, no other rows are" {
  cluster
  whole
  part run ../cluster.h5 "${options[@]}" --checkpoint run.ckpt
  [ "$status" -eq 0 ]
  cp part/rows rows
  part run --resume run.ckpt # from the checkpoint at the end: the last row is cut and comes again
  same_as_whole
  part run --resume run.ckpt~ # from that at the start
  same_as_whole
  # another file keeps what is in it
  (cd part && "$HOLMBERG" run --resume run.ckpt >>other)
  [ "$(grep -vc '^#' part/other)" -eq 1 ]
  (cd part && "$HOLMBERG" run --resume run.ckpt >>other)
  [ "$(grep -vc '^#' part/other)" -eq 1 ] # by now it is the file of the run
  # and so does one that only looks like it
  (cd part && sed -i 's/^#/%/' other && "$HOLMBERG" run --resume run.ckpt >>other)
  [ "$(grep -vc '^#' part/other)" -eq 2 ]
}

@test "SIGTERM, SIGINT, SIGHUP, SIGXCPU: a checkpoint, exit code 75, and the run goes on" {
  cluster 16
  local signal
  for signal in TERM INT HUP XCPU; do
    rm -rf part
    begin --checkpoint run.ckpt
    until_true [ -e part/run.ckpt ]
    kill -$signal $pid
    ended
    [ $code -eq 75 ]
    [[ $(cat part/said) == "holmberg: stopped by SIG$signal at t = "*'; to continue: holmberg run --resume run.ckpt' ]]
    part run --resume run.ckpt --max-hours 1e-9
    [ "$status" -eq 75 ]
  done
}

@test "a signal without --checkpoint: exit code 75, and what that costs" {
  cluster 16
  begin
  until_true [ -s part/rows ]
  kill -TERM $pid
  ended
  [ $code -eq 75 ]
  [[ $(cat part/said) == 'holmberg: stopped by SIGTERM at t = '*'; without --checkpoint nothing was saved' ]]
}

@test "a second signal stops at once" {
  cluster 16
  begin --checkpoint run.ckpt
  until_true [ -e part/run.ckpt ]
  # held while they are sent, so that both find it in the same block step
  kill -STOP $pid
  kill -TERM $pid
  kill -INT $pid
  kill -CONT $pid
  ended
  [ $code -eq 130 ] || [ $code -eq 143 ]
  [ ! -s part/said ]
}

@test "a terminal that closes says so twice, a limit of time every second: neither stops at once" {
  cluster 16
  begin --checkpoint run.ckpt
  until_true [ -e part/run.ckpt ]
  kill -STOP $pid
  kill -HUP $pid
  kill -XCPU $pid
  kill -CONT $pid
  ended
  [ $code -eq 75 ]
}

@test "SIGUSR1: a checkpoint at once, and the run goes on" {
  cluster 16
  begin --checkpoint run.ckpt --checkpoint-every 10d
  until_true [ -e part/run.ckpt ]
  [ ! -e part/run.ckpt~ ]
  kill -USR1 $pid
  until_true [ -e part/run.ckpt~ ]
  kill -0 $pid
  kill -TERM $pid
  ended
  [ $code -eq 75 ]
}

@test "SIGUSR1 without --checkpoint kills nothing" {
  cluster 16
  begin
  until_true [ -s part/rows ]
  kill -USR1 $pid
  until_true [ -s part/said ]
  [ "$(cat part/said)" = 'holmberg: SIGUSR1: without --checkpoint there is nothing to write' ]
  kill -TERM $pid
  ended
  [ $code -eq 75 ]
}

# made: a finished run with both generations in run.ckpt and run.ckpt~.
made() {
  cluster 16
  "$HOLMBERG" run cluster.h5 --scheme host --t-end 0.25 --quiet --checkpoint run.ckpt -o end.h5
}

@test "a damaged file: one sentence, exit code 3, and the other generation, by which the run goes on" {
  made
  cp end.h5 good.h5
  printf 'x' | dd of=run.ckpt bs=1 seek=1000 conv=notrunc status=none
  fails_with 3 "run.ckpt is damaged: *; the previous checkpoint is intact: --resume run.ckpt~" run --resume run.ckpt
  rm end.h5
  accepts run --resume run.ckpt~
  cmp end.h5 good.h5
  accepts run --resume run.ckpt # it was replaced, and run.ckpt~ stayed
}

@test "both damaged, a foreign file, none at all" {
  made
  head -c 500 run.ckpt >cut.ckpt
  fails_with 3 'cut.ckpt is damaged: it has 500 bytes, expected +([0-9])' run --resume cut.ckpt
  for file in run.ckpt run.ckpt~; do printf 'x' | dd of=$file bs=1 seek=$(($(stat -c %s $file) - 100)) conv=notrunc status=none; done
  fails_with 3 'run.ckpt is damaged: section * has the checksum ????????, expected ????????' run --resume run.ckpt
  fails_with 3 'cluster.h5 is not a checkpoint of holmberg' run --resume cluster.h5
  fails_with 4 'cannot read none.ckpt: No such file or directory' run --resume none.ckpt
}

@test "killed between two renames: the older generation is taken, with a note" {
  made
  cp end.h5 good.h5
  rm run.ckpt end.h5
  run --separate-stderr "$HOLMBERG" run --resume run.ckpt
  [ "$status" -eq 0 ]
  [ "$stderr" = 'holmberg: run.ckpt does not exist; resuming from run.ckpt~' ]
  cmp end.h5 good.h5
  [ -e run.ckpt ]
  [ -e run.ckpt~ ]
}

@test "a checkpoint that is there is not lost" {
  made
  fails_with 2 'option --checkpoint: run.ckpt already exists; continue it with --resume run.ckpt, or remove it' \
    run cluster.h5 --scheme host --checkpoint run.ckpt
  rm run.ckpt
  fails_with 2 'option --checkpoint: run.ckpt~ already exists; *' run cluster.h5 --scheme host --checkpoint run.ckpt
  fails_with 2 'option --checkpoint: cluster.h5 already exists; *' run cluster.h5 --checkpoint cluster.h5
}

@test "options beside --resume: the same ones, and those that shape no result" {
  made
  accepts run --resume run.ckpt --scheme host --t-end 0.25 -o end.h5 --quiet --checkpoint run.ckpt \
    --checkpoint-every 1h --max-hours 1 --max-draw-ms 20
  fails_with 2 "option --eps: '0.5' differs from the checkpoint's run (1/256); leave it out" \
    run --resume run.ckpt --eps 0.5
  accepts run --resume run.ckpt --eps 2^-8
  fails_with 2 "option --scheme: 'host-simd' differs from the checkpoint's run (host); leave it out" \
    run --resume run.ckpt --scheme host-simd
  fails_with 2 "option --json: 'yes' differs from the checkpoint's run (none); leave it out" \
    run --resume run.ckpt --json
  accepts run --resume run.ckpt -o other.h5
  cmp other.h5 end.h5
  fails_with 2 "'holmberg run --resume' takes no FILE, but got 'cluster.h5'" run cluster.h5 --resume run.ckpt
  fails_with 2 'option --t-end: 0.125 is before the checkpoint*s time 0.25' run --resume run.ckpt --t-end 0.125
  accepts run --resume run.ckpt --checkpoint elsewhere.ckpt
  [ -e elsewhere.ckpt ]
}

@test "--t-end beside --resume: as if it had been asked for from the start" {
  cluster
  whole --t-end 0.5
  part run ../cluster.h5 "${options[@]}" --checkpoint run.ckpt
  part run --resume run.ckpt --t-end 0.5
  [ "$status" -eq 0 ]
  diff <(rows_of whole) <(rows_of part)
  # whole names the option twice, its header once
  cmp whole/end.h5 part/end.h5
}

@test "options that do not fit together" {
  fails_with 2 'option --max-hours needs --checkpoint FILE' run a.h5 --max-hours 1
  fails_with 2 'option --checkpoint-every needs --checkpoint FILE' run a.h5 --checkpoint-every 1h
  fails_with 2 "option --checkpoint: '-' is not a file that can be replaced" run a.h5 --checkpoint -
  fails_with 2 'options --checkpoint and -o both name b.h5' run a.h5 --checkpoint b.h5 -o b.h5
  fails_with 4 'cannot write no/run.ckpt: folder no/: No such file or directory' run a.h5 --checkpoint no/run.ckpt
  for word in 10 min 3x -1s 1e999h 10minutes; do
    fails_with 2 "option --checkpoint-every: '$word' is not a duration (expected like 30s, 10min or 2h)" \
      run a.h5 --checkpoint r --checkpoint-every=$word
  done
}

# Two particles without mass meet at t = 1, where the force is 0 / 0.
@test "a force that is NaN: the error names particle and step, the last checkpoint stays" {
  printf '%s\n' '0 -1 0 0 1 0 0' '0 1 0 0 -1 0 0' >meet.txt
  run --separate-stderr "$HOLMBERG" run meet.txt --scheme host --eps 0 --t-end 2 --diag-every 2 --quiet \
    --checkpoint run.ckpt --checkpoint-every 0s
  [ "$status" -eq 7 ]
  [[ $stderr == 'holmberg: particle 0 at t = 1 in block step 8 has ax = '*'nan'*', expected finite; particle 1 is at the same place: '* ]]
  local said=$stderr
  run --separate-stderr "$HOLMBERG" run --resume run.ckpt
  [ "$status" -eq 7 ]
  [ "$stderr" = "$said" ]
}

@test "a checkpoint of nobody's run" {
  made
  # by its library anyone may write one; here the text that is the program's own is taken away
  sed 's/holmberg run 1/holmberg ran 1/' run.ckpt >other.ckpt
  fails_with 3 "other.ckpt is damaged: section 'own' has the checksum *" run --resume other.ckpt
}

@test "another device goes on: a note, and both stand in the header" {
  made
  [ "$(OMP_NUM_THREADS=1 "$HOLMBERG" run cluster.h5 --scheme host --t-end 0.125 --quiet --checkpoint one.ckpt -o one.txt)" = '' ]
  OMP_NUM_THREADS=2 run --separate-stderr "$HOLMBERG" run --resume one.ckpt --t-end 0.25
  [ "$status" -eq 0 ]
  [[ $stderr == 'holmberg: the checkpoint was written with '*' 1 thread, this is '*' 2 threads: results may differ in the last bits' ]]
  grep -q '^# device: .*, 1 thread; from t = 0.125 on .*, 2 threads$' one.txt
}

@test "a disk that is full: exit code 4, the checkpoint stays, and the run goes on when there is room" {
  cluster
  whole
  part run ../cluster.h5 "${options[@]}" --checkpoint run.ckpt --max-hours 1e-9
  [ "$status" -eq 75 ]
  cp part/run.ckpt .
  run --separate-stderr bash -c 'cd part && ulimit -f 8 && exec "$0" run --resume run.ckpt --max-hours 1 >>rows' "$HOLMBERG"
  [ "$status" -eq 4 ]
  [[ $stderr == 'holmberg: cannot write '*': File too large' ]]
  cmp run.ckpt part/run.ckpt
  part run --resume run.ckpt --max-hours 1
  [ "$status" -eq 0 ]
  same_as_whole
}

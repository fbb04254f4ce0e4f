#!/usr/bin/env bash
# kill_test.sh COUNT [SEED]: kills runs with SIGKILL at COUNT random instants and resumes them. Every run must end with
# the bytes of one that nobody killed: final state, series of snapshots, and a table with each row once. Prints how many
# did; exit 1 if any did not. HOLMBERG is the program (build/holmberg).
set -u
count=${1:?usage: kill_test.sh COUNT [SEED]}
RANDOM=${2:-1}
program=$(realpath "${HOLMBERG:-$(dirname "$0")/../build/holmberg}") || exit 1
folder=$(mktemp -d) || exit 1
cd "$folder" || exit 1
pid=
trap 'kill -9 $pid 2>/dev/null; rm -rf "$folder"' EXIT

options=(--scheme host --t-end 0.25 --diag-every 1/64 --snap-every 1/32 --checkpoint-every 2ms -o end.h5)
"$program" ic plummer -n 64 --seed 1 -o cluster.h5 --quiet || exit 1
begin() { exec "$program" run ../cluster.h5 "${options[@]}" --checkpoint run.ckpt >>rows 2>>said; }
resume() { exec "$program" run --resume run.ckpt >>rows 2>>said; }
milliseconds() { echo $(($(date +%s%N) / 1000000)); }

mkdir whole && cd whole || exit 1
from=$(milliseconds)
(begin) || exit 1
whole_ms=$(($(milliseconds) - from + 1))
cd ..

# rows_of FOLDER: the table without its last column, the wall time.
rows_of() { sed 's/ *[^ ]*$//' "$1/rows"; }

same_as_whole() {
  local file
  for file in end.h5 end_000{1..8}.h5; do cmp -s "whole/$file" "part/$file" || return 1; done
  [ "$(rows_of whole)" = "$(rows_of part)" ]
}

# die_in MS: the process in the background, killed after so long, unless it ends before. Its exit code in $code.
die_in() {
  sleep "$(printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000)))"
  kill -9 "$pid" 2>/dev/null
  wait "$pid" 2>/dev/null
  code=$?
  pid=
}

kills=0 runs=0 good=0 lost=0 writing=0
while [ $kills -lt "$count" ]; do
  rm -rf part && mkdir part && cd part || exit 1
  begin & pid=$!
  until [ -e run.ckpt ] || ! kill -0 $pid 2>/dev/null; do sleep 0.001; done
  code=137
  killed=0
  while [ $code -eq 137 ] && [ $kills -lt "$count" ]; do
    die_in $((RANDOM % whole_ms))
    [ $code -eq 137 ] || break
    kills=$((kills + 1)) killed=$((killed + 1))
    { [ -e run.ckpt.tmp ] || [ ! -e run.ckpt ]; } && writing=$((writing + 1))
    resume & pid=$!
  done
  if [ -n "$pid" ]; then
    wait $pid
    code=$?
    pid=
  fi
  { [ $code -eq 3 ] || [ $code -eq 4 ]; } && lost=$((lost + 1))
  cd ..
  [ $killed -gt 0 ] || continue
  runs=$((runs + 1))
  if [ $code -eq 0 ] && same_as_whole; then
    good=$((good + killed))
  else
    echo "run $runs, killed $killed times, ended with exit code $code: $(tail -n 1 part/said)"
  fi
done
echo "$kills kills, $writing of them while a checkpoint was being written: $good of $kills byte-identical end states" \
  "in $runs runs, $lost times no valid checkpoint"
[ "$good" -eq "$kills" ] && [ "$lost" -eq 0 ]

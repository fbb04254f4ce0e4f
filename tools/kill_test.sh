#!/usr/bin/env bash
# kill_test.sh COUNT [SEED]: kills runs of several kinds in turn with SIGKILL at COUNT random times and resumes them. Each run
# must end with the same bytes as one that was not killed: final state, series of snapshots, each row once, and no other file.
# Prints how many did; exit code 1 if any did not. HOLMBERG is the program (build/holmberg).
set -u
count=${1:?usage: kill_test.sh COUNT [SEED]}
RANDOM=${2:-1}
# shellcheck source=tools/kinds_of_runs.sh
. "$(dirname "$0")/kinds_of_runs.sh"
pid=
trap 'kill -9 $pid 2>/dev/null; rm -rf "$folder"' EXIT

begin() { exec "$program" run "$input" "${options[@]}" --checkpoint run.ckpt >>rows 2>>said; }
resume() { exec "$program" run --resume run.ckpt >>rows 2>>said; }
milliseconds() { echo $(($(date +%s%N) / 1000000)); }

# Each kind gets its turn.
most=$((count / ${#kinds[@]} + 1))
[ $most -le 8 ] || most=8

# take_kind K: sets its options; runs it once without a kill in the folder whole_K, its time goes to whole_ms[K].
take_kind() {
  take "$1" 64 --t-end 0.25 --diag-every 1/64 --snap-every 1/32 --checkpoint-every 2ms
  whole=whole_$1
  [ -d "$whole" ] && return
  mkdir "$whole" && cd "$whole" || exit 1
  local from
  from=$(milliseconds)
  (begin) || exit 1
  whole_ms[$1]=$(($(milliseconds) - from + 1))
  rm said
  cd ..
}

# die_in MS: the process in the background, killed after so long, unless it ends before. Its exit code in $code.
die_in() {
  sleep "$(printf '%d.%03d' $(($1 / 1000)) $(($1 % 1000)))"
  kill -9 "$pid" 2>/dev/null
  wait "$pid" 2>/dev/null
  code=$?
  pid=
}

kills=0 runs=0 good=0 lost=0 writing=0 tries=0
whole_ms=()
while [ $kills -lt "$count" ]; do
  kind=$((tries++ % ${#kinds[@]}))
  take_kind $kind
  rm -rf part && mkdir part && cd part || exit 1
  begin & pid=$!
  until [ -e run.ckpt ] || ! kill -0 $pid 2>/dev/null; do sleep 0.001; done
  code=137
  killed=0
  while [ $code -eq 137 ] && [ $kills -lt "$count" ] && [ $killed -lt $most ]; do
    die_in $((RANDOM % whole_ms[kind]))
    [ $code -eq 137 ] || break
    kills=$((kills + 1)) killed=$((killed + 1))
    { compgen -G 'run.ckpt.*.tmp' || [ ! -e run.ckpt ]; } >/dev/null && writing=$((writing + 1))
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
  if [ $code -eq 0 ] && same_as "$whole"; then
    good=$((good + killed))
  else
    echo "run $runs (${kinds[kind]}), killed $killed times, ended with exit code $code: $(tail -n 1 part/said)"
  fi
done
echo "$kills kills, $writing of them while a checkpoint was being written: $good of $kills byte-identical end states" \
  "in $runs runs, $lost times no valid checkpoint"
[ "$good" -eq "$kills" ] && [ "$lost" -eq 0 ]

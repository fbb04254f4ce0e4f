#!/usr/bin/env bash
# term_test.sh COUNT [SEED]: stops runs with binaries by SIGTERM at COUNT random instants and resumes them: a cluster without lists, one
# with lists, and pairs whose block steps are long. Each run has to end within a second of the signal, with exit code 75 (a signal
# before the first step, when a resumed run still reads its checkpoint, ends it with 143), and the resumed run has to end with
# the same bytes as one that was not stopped: final state and rows. Prints how many did, and the longest time to stop; exit code 1 if any
# did not. HOLMBERG is the program (build/holmberg).
set -u
count=${1:?usage: term_test.sh COUNT [SEED]}
RANDOM=${2:-1}
program=$(realpath "${HOLMBERG:-build/holmberg}")
folder=$(mktemp -d)
pid=
trap 'kill -9 $pid 2>/dev/null; rm -rf "$folder"' EXIT
cd "$folder" || exit 1
export OMP_NUM_THREADS=2

"$program" ic king --w0 6 -n 256 --masses kroupa --mass-max 50 --binaries 1 --orbits kroupa1995 --a-max 0.01 \
  --length-unit 1 --seed 7 -o cluster.txt --quiet 2>/dev/null
"$program" ic twobody --e 0.3 -o pair.txt --quiet
names=("a cluster" "a cluster with lists" "a pair with long steps")
inputs=(cluster.txt cluster.txt pair.txt)
options=("--eps 0 --neighbors 0 --t-end 0.5 --diag-every 1/16"
  "--eps 0 --neighbors 24 --t-end 1 --diag-every 1/8"
  "--eps 0 --pn 300 --dt-max 2^17 --t-end 2^20 --diag-every 2^18")

milliseconds() { echo $(($(date +%s%N) / 1000000)); }
# shellcheck disable=SC2086 # options are several words
begin() {
  exec "$program" run "../${inputs[kind]}" ${options[kind]} --scheme host --max-energy-error none --json -o end.txt \
    --checkpoint run.ckpt --checkpoint-every 1h >>rows 2>>said
}
resume() { exec "$program" run --resume run.ckpt >>rows 2>>said; }
# What a row says but for what depends on the clock.
bare() { sed -E 's/"[a-z]+_s": [^,}]*//g; s/"(phases|slow)": [^}]*\}//g' "$1/rows"; }
same() { cmp -s <(grep -v '^#' "$1/end.txt") <(grep -v '^#' "$2/end.txt") && cmp -s <(bare "$1") <(bare "$2"); }

whole_ms=()
for kind in "${!inputs[@]}"; do
  mkdir "whole_$kind" && cd "whole_$kind" || exit 1
  from=$(milliseconds)
  (begin) || exit 1
  whole_ms[kind]=$(($(milliseconds) - from + 1))
  cd ..
done

stops=0 runs=0 good=0 early=0 late=0 torn=0 longest=0 tries=0
while [ $stops -lt "$count" ]; do
  kind=$((tries++ % ${#inputs[@]}))
  rm -rf part && mkdir part && cd part || exit 1
  begin & pid=$!
  until [ -e run.ckpt ] || ! kill -0 $pid 2>/dev/null; do sleep 0.001; done
  stopped=0 code=75
  while { [ $code -eq 75 ] || [ $code -eq 143 ]; } && [ $stops -lt "$count" ] && [ $stopped -lt 6 ]; do
    ms=$((RANDOM % (whole_ms[kind] / 2 + 1)))
    sleep "$(printf '%d.%03d' $((ms / 1000)) $((ms % 1000)))"
    from=$(milliseconds)
    kill -TERM $pid 2>/dev/null
    wait $pid
    code=$?
    took=$(($(milliseconds) - from))
    [ $code -eq 75 ] || [ $code -eq 143 ] || break
    stops=$((stops + 1)) stopped=$((stopped + 1))
    [ $code -eq 143 ] && early=$((early + 1))
    [ $took -gt $longest ] && longest=$took
    [ $took -le 1000 ] || late=$((late + 1))
    resume & pid=$!
  done
  if [ $code -eq 75 ] || [ $code -eq 143 ]; then
    wait $pid
    code=$?
  fi
  pid=
  torn=$((torn + $(grep -c 'could not be ended in time' said)))
  cd ..
  [ $stopped -gt 0 ] || continue
  runs=$((runs + 1))
  if [ $code -eq 0 ] && same "whole_$kind" part; then
    good=$((good + stopped))
  else
    echo "run $runs (${names[kind]}), stopped $stopped times, ended with exit code $code: $(tail -n 1 part/said)"
  fi
done
echo "$stops stops: $good of $stops byte-identical end states in $runs runs; longest time to stop $longest ms, $late above 1 s;" \
  "$early before the first step, $torn with the checkpoint before"
[ $good -eq $stops ] && [ $late -eq 0 ]

#!/usr/bin/env bash
# fault_test.sh [KINDS]: by strace, lets the n-th write, fsync, rename, open and close of a run fail, or kills the run there,
# for every n that concerns its files and the first KINDS kinds of runs (all). What remains must resume to the same bytes as a
# run without faults, with each row once. Exit code 1 if any does not. HOLMBERG is the program (build/holmberg).
set -u
# shellcheck source=tools/kinds_of_runs.sh
. "$(dirname "$0")/kinds_of_runs.sh"
trap 'rm -rf "$folder"' EXIT
if ! strace -qq -o /dev/null true; then
  echo "fault_test: strace cannot trace here" >&2
  exit 1
fi

# strike TRACE...: a run in the folder part under strace with these options; its exit code in $code.
strike() {
  rm -rf part && mkdir part && cd part || exit 1
  # without threads: strace counts the calls of each on its own
  OMP_NUM_THREADS=1 strace -f -qq "$@" "$program" run "$input" "${options[@]}" --checkpoint run.ckpt \
    --checkpoint-every 5ms >>rows 2>said
  code=$?
  cd ..
}

# range CALL: the numbers of the first such call of the main thread that names a file of the run, and of the last, in $first
# and $last.
range() {
  strike -o ../trace -y -e "trace=$1"
  local main
  read -r main _ <trace
  read -r first last < <(awk -v main="$main" '$1 != main { next } { n++ } /part\/|run.ckpt/ && !first { first = n }
    END { print first + 0, n + 0 }' trace)
}

struck=0 early=0 bad=0
for ((kind = 0; kind < ${1:-${#kinds[@]}}; kind++)); do
  take $kind 32 --t-end 0.125 --diag-every 1/32 --snap-every 1/32
  rm -rf whole && mkdir whole
  (cd whole && OMP_NUM_THREADS=1 "$program" run "$input" "${options[@]}" >>rows) || exit 1
  for fault in write:signal=SIGKILL write:error=ENOSPC fsync:signal=SIGKILL fsync:error=EIO rename:signal=SIGKILL \
    rename:error=EROFS openat:error=EMFILE close:error=EIO; do
    range "${fault%%:*}"
    most=20
    [[ $fault == write:* ]] && most=60 # a checkpoint is many of them
    step=1
    [ $kind -eq 0 ] || step=7 # every call of one kind, some of the others'
    for ((n = first; n <= last + 1 && n < first + most; n += step)); do
      strike -o /dev/null -e "trace=${fault%%:*}" -e "inject=${fault%%:*}:${fault#*:}:when=$n"
      if [ $code -ne 0 ]; then
        struck=$((struck + 1))
        if [ ! -e part/run.ckpt ] && [ ! -e part/run.ckpt~ ]; then
          early=$((early + 1)) # before the first checkpoint
          continue
        fi
        (cd part && OMP_NUM_THREADS=1 "$program" run --resume run.ckpt >>rows 2>>said)
      fi
      same_as whole && continue
      bad=$((bad + 1))
      echo "$fault at call $n (${kinds[kind]}): exit code $code, then: $(tail -n 1 part/said)"
    done
  done 2>/dev/null # the shell's word on each killed child
done
echo "$struck runs struck, $early of them before their first checkpoint: $((struck - early - bad)) of $((struck - early))" \
  "resumed to the same bytes"
[ $bad -eq 0 ] && [ $((struck - early)) -gt 50 ]

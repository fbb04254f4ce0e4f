#!/usr/bin/env bash
# fault_test.sh: lets the n-th write, fsync, rename, open and close of a run's checkpoint and rows fail, or kills the
# run there, n = 1, 2, ... one run each, by strace. What is left must resume to the bytes of a run without faults, with each
# row once. Exit 1 if any does not. HOLMBERG is the program (build/holmberg).
set -u
program=$(realpath "${HOLMBERG:-$(dirname "$0")/../build/holmberg}") || exit 1
folder=$(realpath "$(mktemp -d)") || exit 1
cd "$folder" || exit 1
trap 'rm -rf "$folder"' EXIT
if ! strace -qq -o /dev/null true; then
  echo "fault_test: strace cannot trace here" >&2
  exit 1
fi

options=(--scheme host --t-end 0.125 --diag-every 1/32 --snap-every 1/32 -o end.txt)
"$program" ic plummer -n 32 --seed 1 -o cluster.txt --quiet || exit 1
mkdir whole
(cd whole && "$program" run ../cluster.txt "${options[@]}" >>rows) || exit 1

# rows_of FOLDER: the table without its last column, the wall time.
rows_of() { sed 's/ *[^ ]*$//' "$1/rows"; }

same_as_whole() {
  local file
  for file in end.txt end_000{1..4}.txt; do cmp -s "whole/$file" "part/$file" || return 1; done
  [ "$(rows_of whole)" = "$(rows_of part)" ]
}

# strike CALL WHAT N: a run whose N-th such call fails (WHAT is error=...) or is its end; its exit code in $code.
strike() {
  rm -rf part && mkdir part && cd part || exit 1
  # the whole folder's path too: it is synced, and its files are opened and renamed by theirs
  strace -f -qq -o /dev/null -P "$PWD" -P "$PWD/rows" -P "$PWD/run.ckpt" -P "$PWD/run.ckpt.tmp" -e "trace=$1" \
    -e "inject=$1:$2:when=$3" "$program" run ../cluster.txt "${options[@]}" --checkpoint "$PWD/run.ckpt" \
    --checkpoint-every 5ms >>rows 2>said
  code=$?
  cd ..
}

struck=0 early=0 bad=0
for fault in write:signal=SIGKILL write:error=ENOSPC fsync:signal=SIGKILL fsync:error=EIO rename:signal=SIGKILL \
  rename:error=EROFS openat:error=EMFILE close:error=EIO; do
  most=20
  [[ $fault == write:* ]] && most=70 # a checkpoint is many of them
  for ((n = 1; n <= most; n++)); do
    strike "${fault%%:*}" "${fault#*:}" $n
    if [ $code -ne 0 ]; then
      struck=$((struck + 1))
      if [ ! -e part/run.ckpt ] && [ ! -e part/run.ckpt~ ]; then
        early=$((early + 1)) # before the first checkpoint
        continue
      fi
      (cd part && "$program" run --resume run.ckpt >>rows 2>>said)
    fi
    same_as_whole && continue
    bad=$((bad + 1))
    echo "$fault at call $n: exit code $code, then: $(tail -n 1 part/said)"
  done
done 2>/dev/null # the shell's word on each killed child
echo "$struck runs struck, $early of them before their first checkpoint: $((struck - early - bad)) of $((struck - early))" \
  "resumed to the same bytes"
[ $bad -eq 0 ] && [ $((struck - early)) -gt 50 ]

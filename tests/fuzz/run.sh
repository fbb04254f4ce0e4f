#!/usr/bin/env bash
# run.sh BUILD SECONDS [TARGET ...]: libFuzzer with each target of BUILD/fuzzer, or those named, so many seconds each, as many at a
# time as there are processors. Prints a line a target; what made one crash or hang is kept in BUILD/findings, and the exit code
# is 1 then.
set -u
# To libFuzzer, 0 is without end.
case ${2:-} in '' | 0* | *[!0-9]*) echo "tests/fuzz/run.sh: SECONDS=${2:-} is none: expected a whole number from 1 on" >&2 && exit 2 ;; esac
build=$(cd "$1" && pwd)
seconds=$2
at_once=$(nproc) # which OMP_NUM_THREADS changes
shift 2
cd "$(dirname "$0")/../.." || exit 1
corpus=$PWD/tests/fuzz/corpus
[ $# -gt 0 ] || mapfile -t -- targets < <(ls "$corpus")
[ $# -eq 0 ] || targets=("$@")
[ -d /dev/shm ] && export TMPDIR=/dev/shm # many small files
folder=$(mktemp -d) || exit 1
trap 'kill $(jobs -rp) 2>/dev/null; wait; rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM

export OMP_NUM_THREADS=1 LC_ALL=C HB_CHILD=$build/holmberg-child
export ASAN_OPTIONS=abort_on_error=1:symbolize=0:detect_leaks=0:allocator_may_return_null=0:max_allocation_size_mb=1024

# The dictionary: the words of our sources.
grep -ohE '"[A-Za-z0-9_.=#/-]{2,24}"' src/*/*.c | grep -v '\.h"' | sort -u >"$folder/words"

# fuzz TARGET: what libFuzzer says goes to a log. A hang is what takes ten seconds: the machine may be busy.
fuzz() {
  mkdir -p "$folder/$1/work" "$folder/$1/made" "$build/findings/$1" && cd "$folder/$1/work" || return
  FUZZ_TARGET=$1 exec "$build/fuzzer" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=4096 -max_len=16384 -dict=../../words \
    -print_final_stats=1 -artifact_prefix="$build/findings/$1/" ../made "$corpus/$1" >../log 2>&1
}

for target in "${targets[@]}"; do
  while [ "$(jobs -rp | wc -l)" -ge "$at_once" ]; do wait -n; done
  fuzz "$target" &
done
wait

bad=0 all=0
printf '%-12s %12s %8s %8s %8s\n' target executions '/s' edges findings
for target in "${targets[@]}"; do
  log=$folder/$target/log found=$build/findings/$target
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -n 1)
  rmdir "$found" 2>/dev/null # nothing was
  findings=$(find "$found" -type f 2>/dev/null | wc -l)
  printf '%-12s %12d %8d %8d %8d\n' "$target" "${executions:-0}" $((${executions:-0} / seconds)) \
    "${edges:-0}" "$findings"
  all=$((all + ${executions:-0}))
  if [ "${executions:-0}" -eq 0 ] || [ "$findings" -gt 0 ]; then
    grep -v '^#' "$log" | tail -n 20
    [ "$findings" -eq 0 ] || echo "  kept in $found; again: FUZZ_TARGET=$target $build/fuzzer FILE"
    bad=1
  fi
done
printf '%-12s %12d\n' all $all
exit $bad

#!/usr/bin/env bash
# run.sh BUILD SECONDS [TARGET ...]: AFL++ with each target of BUILD/fuzzer, or those named, so many seconds each, as many at a
# time as there are processors. Prints a line a target; what made one crash or hang is kept in BUILD/findings, and the exit code
# is 1 then.
set -u
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

export AFL_NO_UI=1 AFL_NO_AFFINITY=1 AFL_SKIP_CPUFREQ=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1
export OMP_NUM_THREADS=1 LC_ALL=C HB_CHILD=$build/holmberg-child
export ASAN_OPTIONS=abort_on_error=1:symbolize=0:detect_leaks=0:allocator_may_return_null=0:max_allocation_size_mb=1024

# The dictionary: the words of our sources.
grep -ohE '"[A-Za-z0-9_.=#/-]{2,24}"' src/*/*.c | grep -v '\.h"' | sort -u >"$folder/words"

# fuzz TARGET: what AFL++ says goes to a log. A hang is what takes five seconds: the machine may be busy.
fuzz() {
  mkdir -p "$folder/$1/work" && cd "$folder/$1/work" || return
  FUZZ_TARGET=$1 exec timeout -k 10 $((seconds + 600)) afl-fuzz -V "$seconds" -t 5000 -m none -G 16384 -x "$folder/words" \
    -i "$corpus/$1" -o ../out -- "$build/fuzzer" >../log 2>&1
}

for target in "${targets[@]}"; do
  while [ "$(jobs -rp | wc -l)" -ge "$at_once" ]; do wait -n; done
  fuzz "$target" &
done
wait

# stat TARGET NAME: a number of AFL++'s, 0 where it never began
stat() { sed -n "s/^$2 *: *\([0-9]*\).*/\1/p" "$folder/$1/out/default/fuzzer_stats" 2>/dev/null | grep . || echo 0; }

bad=0 all=0
printf '%-12s %12s %8s %8s %8s %8s\n' target executions '/s' paths crashes hangs
for target in "${targets[@]}"; do
  executions=$(stat "$target" execs_done) crashes=$(stat "$target" saved_crashes) hangs=$(stat "$target" saved_hangs)
  printf '%-12s %12d %8d %8d %8d %8d\n' "$target" "$executions" $((executions / (seconds > 0 ? seconds : 1))) \
    "$(stat "$target" corpus_count)" "$crashes" "$hangs"
  all=$((all + executions))
  if [ "$executions" -eq 0 ]; then
    tail -n 20 "$folder/$target/log"
    bad=1
  elif [ $((crashes + hangs)) -gt 0 ]; then
    mkdir -p "$build/findings/$target"
    cp "$folder/$target/out/default"/{crashes,hangs}/id* "$build/findings/$target" 2>/dev/null
    echo "  kept in $build/findings/$target; again: FUZZ_TARGET=$target $build/fuzzer FILE"
    bad=1
  fi
done
printf '%-12s %12d\n' all $all
exit $bad

#!/usr/bin/env bash
# run.sh [--host-only] BUILD: all tests of a build folder, or those that make sense under the sanitizers.
# tests/unit/test_gl_*.c run in every kind of context, the window's under Xvfb; tests/cli/*.bats drive the program. Prints
# what fails, and `N passed, N failed`.
set -u
host_only=
if [ "$1" = --host-only ]; then
  host_only=1
  shift
fi
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/.." || exit 1
log=$build/test.log
passed=0
failed=0
: >"$log"

# tally LABEL COMMAND...: runs it and counts the lines `ok` and `not ok` of its TAP output. A command that dies, or
# that tests nothing, counts as one failure.
tally() {
  local label=$1 output good bad status begin=${since:-$SECONDS}
  shift
  output=$(CMOCKA_MESSAGE_OUTPUT=TAP "$@" 2>&1 </dev/null)
  status=$?
  good=$(grep -c '^ok ' <<<"$output")
  bad=$(grep -c '^not ok ' <<<"$output")
  if [ $status -ne 0 ] && [ "$bad" -eq 0 ] || [ $((good + bad)) -eq 0 ]; then bad=$((bad + 1)); fi
  passed=$((passed + good))
  failed=$((failed + bad))
  printf '%s\n== %s: exit %d\n' "$output" "$label" $status >>"$log"
  if [ "$bad" -gt 0 ]; then
    printf '  FAIL  %s\n' "$label"
    grep -v '^ok ' <<<"$output" | head -n 40 | sed 's/^/        /'
  else
    printf '  ok    %-26s %3d %5d s\n' "$label" "$good" $((SECONDS - begin))
  fi
}

# One X server for all that opens a window; it chooses a display number that is free.
Xvfb -displayfd 3 -screen 0 640x480x24 -nolisten tcp -noreset 3>"$build/xvfb.display" >/dev/null 2>&1 &
xvfb=$!
trap 'kill $xvfb 2>/dev/null' EXIT
for ((k = 0; k < 100; k++)); do
  [ -s "$build/xvfb.display" ] && break
  sleep 0.1
done
display() { echo ":$(cat "$build/xvfb.display")"; }

# kept OUTPUT STATUS: what a test that ran in the background has said, and the status it ended with.
kept() {
  cat "$1"
  return "$2"
}

# in_every_context NAME: all three at the same time. A software renderer without threads of its own keeps one core
# busy, and short passes do not wait for threads to wake up; test_gl_pairs has them, so that both ways are tested.
in_every_context() {
  local name=$1 said=$build/said threads=0 context status since=$SECONDS
  local -A started platform=([egl]=surfaceless)
  [ "$name" = test_gl_pairs ] && threads=2
  mkdir -p "$said"
  for context in osmesa egl glfw; do
    HB_CONTEXT=$context EGL_PLATFORM=${platform[$context]-} DISPLAY=$(display) LP_NUM_THREADS=$threads \
      CMOCKA_MESSAGE_OUTPUT=TAP "$build/tests/$name" >"$said/$context" 2>&1 </dev/null &
    started[$context]=$!
  done
  for context in osmesa egl glfw; do
    wait "${started[$context]}"
    status=$?
    tally "$name, $context" kept "$said/$context" "$status"
  done
}

# Every shader is compiled once in a run, not once in each context: an older binary would hide a compiler's mistakes.
export MESA_SHADER_CACHE_DIR=$build/shader_cache
rm -rf "$MESA_SHADER_CACHE_DIR"
for source in tests/unit/test_*.c; do
  name=$(basename "$source" .c)
  case $name in
  test_gl_energy | test_gl_steps) # minutes of passes so short that threads slow a software renderer down: once
    [ -n "$host_only" ] && continue
    HB_CONTEXT=osmesa LP_NUM_THREADS=0 tally "$name, osmesa" "$build/tests/$name"
    ;;
  test_gl_*)
    [ -n "$host_only" ] && continue
    in_every_context "$name"
    ;;
  *) tally "$name" "$build/tests/$name" ;;
  esac
done
for source in tests/cli/*.bats; do
  [ -e "$source" ] || continue
  case $source in *gl*.bats | *view.bats) [ -n "$host_only" ] && continue ;; esac
  HOLMBERG=$build/holmberg DISPLAY=$(display) tally "$(basename "$source")" bats --tap "$source"
done

# The viewer under the sanitizers: it has most of what is made and given back. Drivers and window systems leak; a leak is
# ours when a line of our sources is in its report.
leaks_of_ours() {
  if cat "$build"/leaks.* 2>/dev/null | grep ' in [^ ]* src/'; then
    echo 'not ok 1'
  else
    echo 'ok 1'
  fi
}
if [ -n "$host_only" ]; then
  rm -f "$build"/leaks.*
  HOLMBERG=$build/holmberg DISPLAY=$(display) ASAN_OPTIONS=log_path=$build/leaks LSAN_OPTIONS=exitcode=0 \
    tally 'view.bats, most of it' bats --tap -f 'models|inspects|series|movie|resize|saved while' tests/cli/view.bats
  tally 'leaks of the viewer' leaks_of_ours
fi

[ $failed -eq 0 ] || echo "the whole output is in $log"
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]

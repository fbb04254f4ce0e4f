#!/usr/bin/env bash
# run.sh [--sanitized] BUILD: all tests of a build folder, or those of parsers, memory and faults, for the sanitizers.
# tests/outside/*.bats are journeys from an installed program; tests/unit/test_gl_*.c run in the kinds of context that `contexts` says, the window's under Xvfb; tests/cli/*.bats drive
# the program. One file more at a time than there are processors, since many wait. Prints what fails, and `N passed, N failed`.
set -u

# A shell that was begun with SIGINT or SIGHUP ignored, in the background or by nohup, cannot give it back; some tests send it.
case $(trap -p INT HUP) in *"''"*) exec env --default-signal=INT,QUIT,HUP "$0" "$@" ;; esac

sanitized=
if [ "$1" = --sanitized ]; then
  sanitized=1
  shift
fi
build=$(cd "$1" && pwd)
cd "$(dirname "$0")/.." || exit 1
. tests/support/display.bash
log=$build/test.log
counts=$build/test.counts
started=0
at_once=$(($(nproc 2>/dev/null || echo 2) + 1))
patience=1800
: >"$log"
: >"$counts"

# what_failed SKIP: of a test's output the lines around each failure, which may be one of many cases inside a case; of a program
# that died, the end.
what_failed() {
  local output
  output=$(cat)
  grep -B 4 -A 40 -e 'not ok ' -e "$1" <<<"$output" | head -n 160
  grep -q -e 'not ok ' -e "$1" <<<"$output" || tail -n 40 <<<"$output"
}

# judge LABEL COMMAND...: runs it and counts the lines `ok` and `not ok` of its TAP output. A command that dies, or that
# tests nothing, counts as one failure, and so does a case of bats that is skipped: what it lacks, tools/deps.sh is to
# install. What a program of tests/unit skips, the device cannot do: it is listed.
judge() {
  local label=$1 output seconds good bad lacking status
  local TIMEFORMAT=$'\n%0R s, %0U s user' skip='^ok .* # skip' lacks='^not ok [0-9]* # SKIP'
  shift
  # What hangs, fails; not by BATS_TEST_TIMEOUT, whose watch can outlive a test that is over at once, and is waited for.
  output=$({ time CMOCKA_MESSAGE_OUTPUT=TAP timeout -k 10 "$patience" "$@" 2>&1 </dev/null; } 2>&1)
  status=$?
  seconds=${output##*$'\n'}
  good=$(grep '^ok ' <<<"$output" | grep -vc "$skip")
  lacking=$(grep -c "$lacks" <<<"$output")
  bad=$(grep -e '^not ok ' -e "$skip" <<<"$output" | grep -vc "$lacks")
  if [ $status -ne 0 ] && [ "$bad" -eq 0 ] || [ $((good + bad + lacking)) -eq 0 ]; then bad=$((bad + 1)); fi
  printf '%s\n== %s: exit %d\n' "$output" "$label" $status >>"$log"
  if [ "$bad" -gt 0 ]; then
    printf '  FAIL  %s\n%s\n' "$label" "$(what_failed "$skip" <<<"$output" | sed 's/^/        /')"
  else
    printf '  ok    %-28s %3d  %s\n' "$label" "$good" "$seconds"
    sed -n "s/$lacks /        the device cannot do /p" <<<"$output"
  fi
  echo "$good $bad" >>"$counts"
}

# begin LABEL COMMAND...: judges it in the background, as soon as there is room. In a process group of its own,
# because a shell without job control has its children ignore SIGINT, which some of them test.
set -m
begin() {
  while [ "$(jobs -rp | wc -l)" -ge "$at_once" ]; do wait -n; done
  judge "$@" &
  started=$((started + 1))
}

# One X server for all that opens a window; it chooses a display number that is free.
display_begin "$build" 640x480
disown
trap 'display_end "$build"; kill -- $(jobs -rp | sed s/^/-/) 2>/dev/null' EXIT
trap 'exit 130' INT TERM

# What is to run by OSMesa, runs surfaceless by its calls: EGL and GLFW load the same driver, and find in its cache what it has
# compiled. What tests contexts themselves has OSMesa's own, a second driver, where there is one: Mesa after 25.0 has none.
own_osmesa=${LD_LIBRARY_PATH:-}
if ! PATH=$PATH:/usr/sbin:/sbin ldconfig -p | grep -q 'libOSMesa[.]so' || [ -z "$sanitized" ]; then
  mkdir -p "$build/offscreen"
  ${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -shared -fPIC tests/offscreen/osmesa.c -o "$build/offscreen/libOSMesa.so.8" -lEGL -pthread
  export LD_LIBRARY_PATH=$build/offscreen${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
fi
PATH=$PATH:/usr/sbin:/sbin ldconfig -p | grep -q 'libOSMesa[.]so' || own_osmesa=$LD_LIBRARY_PATH

# contexts NAME: arithmetic, whole runs and pictures once, since EGL and GLFW are other ways to the same renderer; those
# take a case each of forces and pictures (SMOKE), and all of what a context itself does. `gpu` is the same renderer under a
# name that nobody takes for software: what the program does otherwise on a GPU.
contexts() {
  case $1 in
  test_gl_versions) echo 'es3.0 es3.1 es3.2,smoke gl3.3 gl4.1 gl4.5,smoke' ;; # 3.1 and texture buffers; osmesa's own
  test_gl_arithmetic) echo osmesa egl glfw es3.0 es3.1 es3.2 gl3.3 gl4.1 ;;
  test_gl_context | test_gl_foreign | test_gl_paint) echo osmesa egl glfw gles ;;
  test_gl_force) echo 'osmesa gpu glfw,smoke' ;;
  test_gl_pairs_faults) echo 'osmesa gpu glfw,smoke' ;;
  test_gl_modes | test_gl_resident) echo osmesa gpu ;;
  test_gl_g6 | test_gl_interaction | test_gl_steps) echo 'osmesa gpu,smoke' ;;
  test_gl_reload | \
    test_gl_shader | test_gl_tone_map | test_gl_trace) echo osmesa egl glfw ;;
  test_gl_reproducible) echo 'osmesa gpu,smoke es3.0,smoke gl3.3,smoke' ;;
  test_gl_scene) echo 'osmesa egl,smoke glfw,smoke' ;;
  test_gl_faults | test_gl_near) echo 'osmesa es3.0,smoke' ;; # which cannot count fragments
  test_gl_timed) echo osmesa es3.0 es3.2 ;;
  test_gl_limits) echo 'osmesa egl,smoke' ;;
  *) echo osmesa ;;
  esac
}

# in_context CONTEXT[,smoke] NAME: a software renderer without threads of its own keeps one core busy, and short passes do
# not wait for threads to wake up; test_gl_pairs has them, so that both ways are tested. es3.0 and gl3.3 are the versions of
# OpenGL that Mesa is asked for, gl4.1 is Apple's last; what their extensions would add is taken away.
in_context() {
  local threads=0 platform='' context=${1%,*} more=()
  case $2,$1 in test_gl_arithmetic,* | test_gl_memory,* | test_gl_pairs,* | test_gl_reproducible,*3.[0-3],*) more=(-u GALLIVM_PERF) ;; esac
  local newer='-GL_ARB_compute_shader -GL_ARB_shader_storage_buffer_object -GL_ARB_buffer_storage -GL_KHR_robustness'
  [ "$2" = test_gl_pairs ] && threads=2
  case $2 in test_gl_arithmetic | test_gl_context | test_gl_foreign | test_gl_paint) more+=(LD_LIBRARY_PATH="$own_osmesa") ;; esac
  [ "$1" = "$context" ] || more+=(SMOKE=1)
  case $context in
  es*)
    more+=(VERSION="OpenGL ES ${context#es}" MESA_GLES_VERSION_OVERRIDE="${context#es}")
    context=gles
    ;;
  gpu)
    more+=(GPU=1 force_gl_renderer='A GPU') # the latter is Mesa's
    context=egl
    ;;
  gl[0-9]*)
    [ "$context" = gl3.3 ] && newer+=' -GL_ARB_gpu_shader5 -GL_ARB_gpu_shader_fp64'
    [ "$context" = gl4.5 ] || more+=(MESA_EXTENSION_OVERRIDE="$newer")
    more+=(VERSION="OpenGL ${context#gl}" MESA_GL_VERSION_OVERRIDE="${context#gl}")
    context=egl
    ;;
  esac
  case $context in egl | gles) platform=surfaceless ;; esac
  begin "$2, $1" env "${more[@]}" HB_CONTEXT="$context" EGL_PLATFORM=$platform LP_NUM_THREADS=$threads "$build/tests/$2"
}

# A python3 that is a script looks for its interpreter at each start; here that is done once.
if [ "$(head -c 2 "$(command -v python3)")" = '#!' ]; then
  PATH=$(python3 -c 'import os, sys; print(os.path.dirname(sys.executable))'):$PATH
fi

# A thread that waits leaves its processor to the other program.
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}

# Every shader is compiled once in a run, not once in each context: an older binary would hide a compiler's mistakes.
export MESA_SHADER_CACHE_DIR=$build/shader_cache
rm -rf "$MESA_SHADER_CACHE_DIR"

# LLVM's optimizer takes longer than most walks here. It is on where arithmetic is tested, and where drawing takes longest.
export GALLIVM_PERF=nopt

# Journeys from an installed program come first: what they find, users meet. Beside them the browsers, which take longest.
export HOLMBERG=$build/holmberg
if [ -z "$sanitized" ]; then
  begin 'web.bats, Firefox' bats --tap -f Fi tests/cli/web.bats
  begin 'web.bats, all else' bats --tap -f '^([^F]|F[^i])*$' tests/cli/web.bats
fi
for source in tests/outside/*.bats; do
  optimized=
  case $source in */newcomer.bats | */student.bats) optimized=-uGALLIVM_PERF ;; esac
  [ -n "$sanitized" ] || begin "outside/$(basename "$source")" env -u DISPLAY $optimized bats --tap "$source"
done

for source in tests/unit/test_*.c; do
  name=$(basename "$source" .c)
  case $name in
  test_gl_*)
    [ -n "$sanitized" ] || in_context "$(contexts "$name" | cut -d ' ' -f 1)" "$name"
    ;;
  *) if [ -z "$sanitized" ] || [ -e "$build/tests/$name" ]; then begin "$name" "$build/tests/$name"; fi ;;
  esac
done

# The other contexts, which find in the cache what the first has compiled: two at a time would compile it twice.
[ -n "$sanitized" ] || for source in tests/unit/test_gl_*.c; do
  name=$(basename "$source" .c)
  for context in $(contexts "$name" | cut -s -d ' ' -f 2-); do in_context "$context" "$name"; done
done

# A driver is tried once in a run, not at each start; what a trial is, gl_context.bats tests.
if [ -z "$sanitized" ]; then
  rm -rf "$build/once"
  mkdir "$build/once"
  ${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 tests/cli/child_once.c -o "$build/once/holmberg-child"
  export HB_CHILD=$build/once/holmberg-child
fi

# The longest first, which is the largest, so that the last ones are short; web.bats has begun. view.bats has an X server of its
# own, for its keyboard.
if [ -n "$sanitized" ]; then # the viewer under the sanitizers, too: it has most of what is made and given back
  rm -f "$build"/leaks.*
  begin 'view.bats, most of it' env -u DISPLAY ASAN_OPTIONS=log_path="$build/leaks" LSAN_OPTIONS=exitcode=0 \
    bats --tap -f 'models:|inspects|series|movie|resize|saved while' tests/cli/view.bats
fi
# shellcheck disable=SC2012,SC2045 # names without spaces
for source in $(ls -S --ignore=web.bats tests/cli/ | sed -n 's|.*[.]bats$|tests/cli/&|p'); do
  case $source in
  *gl_states.bats) [ -n "$sanitized" ] || begin gl_states.bats env -u GALLIVM_PERF bats --tap "$source" ;;
  *view.bats) [ -n "$sanitized" ] || begin view.bats env -u DISPLAY bats --tap "$source" ;;
  */checkpoint.bats | *old_checkpoints.bats | *diag.bats | *formats.bats | */hdf5.bats | */ic.bats | *input.bats | *made_up.bats | */model.bats | */run.bats | *targets.bats)
    begin "$(basename "$source")" bats --tap "$source"
    ;;
  *gl_context.bats) [ -n "$sanitized" ] || begin "$(basename "$source")" env -u HB_CHILD LD_LIBRARY_PATH="$own_osmesa" bats --tap "$source" ;;
  *) [ -n "$sanitized" ] || begin "$(basename "$source")" bats --tap "$source" ;;
  esac
done

# Leaks of the viewer: drivers and window systems leak, too; a leak is ours when a line of our sources is in its report.
leaks_of_ours() {
  if cat "$build"/leaks.* 2>/dev/null | grep ' in [^ ]* src/'; then
    echo 'not ok 1'
  else
    echo 'ok 1'
  fi
}
if [ -n "$sanitized" ]; then
  wait
  export -f leaks_of_ours
  begin 'leaks of the viewer' env build="$build" bash -c leaks_of_ours
fi
wait

# What was started and has not been judged, has failed.
read -r passed failed < <(awk -v started=$started '{ good += $1; bad += $2 } END { print good + 0, bad + started - NR }' "$counts")
[ "$failed" -eq 0 ] || echo "the whole output is in $log"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]

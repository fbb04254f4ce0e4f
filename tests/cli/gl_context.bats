#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2016 # run sets these, the child expands its own
# Contexts that crash, that offer less, and that have no effect.
load common
load ../support/display

teardown() { display_end .; [ -z "${server:-}" ] || { kill "$server" && rm -f /tmp/.virgl_test; } || :; }

# crashing NAME...: from here on the driver of these contexts crashes, and each context that is tried is noted in tried.
crashing() {
  HB_CHILD=$PWD/child
  export HB_CHILD
  printf '%s\n' '#!/bin/sh' 'echo "$*" >>"$(dirname "$0")/tried"' \
    "case \$1,\$2 in $(printf 'context,%s|' "$@")none) kill -SEGV \$\$ ;; esac" \
    "exec '$(dirname "$HOLMBERG")/holmberg-child' \"\$@\"" >child
  chmod +x child
}

@test "a context whose driver crashes: info says which, and names the others" {
  crashing egl
  accepts info
  [[ $output == *$'\n  egl      not usable: the driver behind egl crashed (signal 11) while opening a context\n  osmesa   OpenGL '* ]]
}

@test "a context whose driver crashes: auto takes the next, having tried each once; asked for, it is exit code 5" {
  "$HOLMBERG" ic figure8 -o a.h5 --quiet
  crashing egl
  unset DISPLAY WAYLAND_DISPLAY
  accepts run a.h5 --scheme bag --no-tune --t-end 0 --json
  [[ $output == *'"context": "osmesa"'* ]]
  [ "$(grep ^context tried)" = $'context egl auto\ncontext osmesa auto' ]
  fails_with 5 'the driver behind egl crashed (signal 11) while opening a context' \
    run a.h5 --scheme bag --context egl --t-end 0
  crashing egl osmesa gles
  fails_with 5 'no OpenGL context (egl: the driver behind egl crashed*; osmesa: the driver behind osmesa crashed*' \
    run a.h5 --scheme bag --t-end 0
}

@test "extensions that are missing, a renderer without its server: a sentence, not a crash" {
  "$HOLMBERG" ic figure8 -o a.h5 --quiet
  local lacking
  for lacking in MESA_EXTENSION_OVERRIDE=-GL_ARB_texture_{float,rectangle,buffer_object} GALLIUM_DRIVER=virpipe \
    GALLIUM_DRIVER=zink MESA_GL_VERSION_OVERRIDE=2.1; do
    export "${lacking?}"
    run "$HOLMBERG" info
    [ "$status" -eq 0 ]
    [[ $output == *$'\n  osmesa   not usable: '* ]]
    fails_with 5 '*' run a.h5 --scheme bag --context osmesa --t-end 0
    unset "${lacking%%=*}"
  done
}

@test "a renderer with OpenGL 3.3 and EGL 1.4 only opens" {
  GALLIUM_DRIVER=softpipe accepts info
  [[ $output == *$'\n  egl      OpenGL 3.3, softpipe (software)\n'* ]]
}

@test "a GPU that is slower than the processor: hybrid leaves it, and says so once" {
  "$HOLMBERG" ic plummer -n 256 --seed 1 -o a.h5 --quiet
  EGL_PLATFORM=surfaceless GALLIUM_DRIVER=softpipe force_gl_renderer='A GPU' \
    run --separate-stderr "$HOLMBERG" run a.h5 --scheme hybrid --context egl --tuning 'gl=bag i_each=1 unroll=1' --t-end 1/64 -o b.txt
  echo "$output" "$stderr"
  [ "$status" -eq 0 ]
  [ "$(grep -c 'the processor is faster than A GPU for blocks of up to 256: it takes all of them' <<<"$stderr")" -eq 1 ]
  grep -q 'host_below=all' b.txt
}

# Told the same shape, both add in the same order.
@test "where a thread has 64 registers, tile keeps totals in shared memory, and bag branches: the same bits" {
  "$HOLMBERG" ic plummer -n 300 --seed 1 -o a.h5 --quiet
  end_of() { # REGISTERS SCHEME PRECISION TUNING
    HB_LIMITS=registers=$1 EGL_PLATFORM=surfaceless GALLIUM_DRIVER=llvmpipe force_gl_renderer='A GPU' "$HOLMBERG" run a.h5 \
      --scheme "$2" --precision "$3" --context egl --no-tune --tuning "i_each=1 unroll=1$4" --t-end 1/64 --json | grep -o '"state_hash": "[^"]*"'
  }
  for case in 'tile ds workgroup=128' 'tile reproducible workgroup=128' 'bag ds' 'bag reproducible'; do
    IFS=' ' read -r scheme precision tuning <<<"$case"
    few=$(end_of 64 "$scheme" "$precision" "${tuning:+ $tuning}") many=$(end_of 255 "$scheme" "$precision" "${tuning:+ $tuning}")
    echo "$case: $few, expected $many"
    [ -n "$few" ] && [ "$few" = "$many" ]
  done
}

# numbers FILE: of the last row of a run
numbers() { tail -n 1 "$1" | grep -oE '"(block_steps|e_total)": [^,]*'; }

@test "where OpenGL is too old, auto takes OpenGL ES: the same runs and the same pictures" {
  export EGL_PLATFORM=surfaceless LP_NUM_THREADS=0 MESA_GLES_VERSION_OVERRIDE=3.0
  "$HOLMBERG" ic plummer -n 128 -o a.h5 --quiet
  unset DISPLAY WAYLAND_DISPLAY
  MESA_GL_VERSION_OVERRIDE=2.1 accepts run a.h5 --scheme bag --no-tune --t-end 0 --json
  [[ $output == *'"context": "gles"'* ]]
  local scheme context
  for scheme in 'cg2007' 'bag --precision ds --no-tune' 'bag --precision ds --no-tune --transfer block --predict gpu --correct gpu'; do
    for context in egl gles; do
      # shellcheck disable=SC2086 # a scheme and its options
      "$HOLMBERG" run a.h5 --scheme $scheme --context $context --t-end 0.125 --json --quiet >$context.json
    done
    [ "$(numbers egl.json)" = "$(numbers gles.json)" ] # not asked of other drivers: Mesa rounds alike in both
  done
  for context in egl gles; do
    accepts render a.h5 -o $context.png --size 160x90 --trails 0.2 --context $context
    ffmpeg -v error -i $context.png -f rawvideo $context.raw
  done
  cmp egl.raw gles.raw
}

@test "virgl, a renderer beyond a socket: bag and tile as on any other" {
  "$HOLMBERG" ic plummer -n 64 -o a.h5 --quiet
  virgl_test_server --use-egl-surfaceless >server.log 2>&1 3>&- &
  server=$!
  # the only place where Mesa looks for it; a server that was killed has left its socket there, to which nobody listens
  until_true grep -q ' 00010000 .* /tmp/.virgl_test$' /proc/net/unix
  export GALLIUM_DRIVER=virpipe
  for scheme in bag tile; do
    run "$HOLMBERG" run a.h5 --scheme $scheme --precision ds --no-tune --context egl --t-end 1/64 \
      --max-energy-error 1e-5 --json
    [ "$status" -eq 0 ] || break
  done
  [ "$status" -eq 0 ]
  [[ $output == *'"device": "virgl '* ]]
}

@test "a context or a device that is unknown is refused where the host does the work, too" {
  "$HOLMBERG" ic figure8 -o a.h5 --quiet
  HB_CONTEXT=nosuch fails_with 2 "unknown context 'nosuch' (expected egl, glfw, gles, osmesa or auto)" run a.h5 --scheme host
  for device in 99 /dev/dri/none GPU; do
    fails_with 2 "no device '$device' among *" run a.h5 --scheme host --device $device
    fails_with 2 "no device '$device' among *" run a.h5 --device $device
  done
  run --separate-stderr "$HOLMBERG" run a.h5 --scheme host --device software --t-end 0 --quiet
  [ "$status" -eq 0 ]
  [ "$stderr" = 'holmberg: --context and --device have no effect: scheme host runs on the processor' ]
}

# With GLFW 3.4 or a new Mesa, a library of Wayland's wrote "error: XDG_RUNTIME_DIR is invalid or not set" there.
@test "no folder for sockets, or none that can be: run and view say nothing about it" {
  "$HOLMBERG" ic figure8 -o a.h5 --quiet
  display_begin . 640x480
  unset WAYLAND_DISPLAY
  local folder
  for folder in -uXDG_RUNTIME_DIR XDG_RUNTIME_DIR= XDG_RUNTIME_DIR=here XDG_RUNTIME_DIR=/nowhere; do
    for context in auto glfw egl; do
      run --separate-stderr env "$folder" "$HOLMBERG" run a.h5 --scheme bag --no-tune --context "$context" --t-end 0 --json
      echo "$folder, run --context $context: exit code $status, standard error '$stderr'"
      [ "$status" -eq 0 ]
      [ -z "$stderr" ]
    done
    run --separate-stderr env "$folder" "$HOLMBERG" view a.h5 --size 320x240 --no-tune --script - <<<quit
    echo "$folder, view: exit code $status, standard error '$stderr'"
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
  done
}

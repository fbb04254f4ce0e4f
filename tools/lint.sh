#!/usr/bin/env bash
# lint.sh BUILD: layers and sizes, the paper map, formatting, warnings of gcc and clang, headers alone in C and C++, a
# library that keeps quiet, static checks of C and of scripts, exact sums of shaders, shaders through the reference
# compiler. Prints what is wrong; exit 1 if anything is. BUILD is the folder of a whole build, with what the compiler said beside
# the objects.
set -u
build=$1
cd "$(dirname "$0")/.." || exit 1
at_once=$(nproc 2>/dev/null || echo 2)
bad=0
check() { # check WHAT COMMAND...: one line when it succeeds
  local what=$1 output
  shift
  if output=$("$@" 2>&1); then
    printf '  ok    %s%s\n' "$what" "${output:+: $output}"
  else
    printf '  FAIL  %s\n%s\n' "$what" "$output"
    bad=1
  fi
}

# The functions below are called by their names, through check.
# shellcheck disable=SC2317
each() { xargs -P "$at_once" -n "$@"; } # each COUNT COMMAND...: on so many words at a time of those on standard input

# What gcc has said of files that are still there.
# shellcheck disable=SC2317
warnings() {
  local said file
  ! find "$build/obj" -name '*.o.said' -size +0 | while read -r said; do
    file=${said#"$build/obj/"} file=${file%.o.said}.c
    [[ $file == tests/* ]] || file=src/$file
    [ ! -e "$file" ] || cat "$said"
  done | grep .
}

# The first thing that a source includes is its own header, alone therefore; those without a source are compiled here.
# shellcheck disable=SC2317
headers_alone() {
  local own cjson
  read -ra cjson < <(pkg-config --cflags libcjson)
  own=$(find src -name '*.c' -exec grep -m 1 -h '^#include' {} +)
  find src -name '*.h' ! -path 'src/windows/*' | while read -r header; do
    grep -qxF "#include \"${header#src/}\"" <<<"$own" || echo "$header"
  done | each 4 cc -std=c11 -D_GNU_SOURCE -fopenmp-simd -Wall -Wextra -Werror -fsyntax-only -Isrc -Isrc/include "${cjson[@]}" -x c || return 1
  find src/include -name '*.h' | each 2 c++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -Isrc/include -x c++
}

# What a library must leave to its host program: standard streams, its end, signals, the locale. One call of the public header,
# hb_interrupt_with_signals in base/interrupt.c, adds a request to stop to handlers that the host has; nothing calls it unasked.
# shellcheck disable=SC2317
library_is_quiet() {
  ! {
    nm -D -u "$build/libholmberg.so.1" | sed 's/.* //; s/@.*//' |
      grep -xE '(__)?v?printf(_chk)?|puts|putchar|perror|stdout|stderr|_?_?exit|quick_exit|abort|__assert_fail|signal|raise|setlocale'
    nm -A -u "$build/libholmberg.a" 2>/dev/null | grep -w sigaction | grep -v ':interrupt[.]o:'
  } | grep .
}

# clang says all that it has to say before it makes code. Its compiler takes many files, which are half of its time as one is started
# for each; the file of flags has the driver's words and sources.
# shellcheck disable=SC2317
clang_warnings() {
  local words flags command
  make --no-print-directory -s B="$build/lint-clang" CC=clang OPT=-O3 CFLAGS='-Werror -Wno-unknown-warning-option' "$build/lint-clang/flags"
  eval "words=($(<"$build/lint-clang/flags"))"
  mapfile -t flags < <(printf '%s\n' "${words[@]}" | grep -v '^src/.*\.c$')
  eval "command=($("${flags[@]}" -Itests -I"$build/gen" -fsyntax-only -'###' -x c /dev/null 2>&1 | tail -n 1))"
  find "${words[@]:${#flags[@]}}" tests -name '*.c' ! -path 'tests/api/*' ! -path 'tests/*/*/*' | sort | each 60 "${command[@]:0:${#command[@]}-1}"
}

mapfile -t scripts < <(find tools tests .ci -type f \( -name '*.sh' -o -name run \) | sort)
check 'layers, budgets, circles and seams' tools/check_layers.sh "$build"
check 'formatting' eval "find src tests -name '*.[ch]' | each 40 clang-format --dry-run -Werror"
check 'headers alone, C and C++' headers_alone
check 'gcc warnings' warnings
check 'the library neither prints nor exits' library_is_quiet
check 'clang warnings' clang_warnings
# cppcheck takes a pointer to a function for an integer
check 'cppcheck' cppcheck --quiet -j "$at_once" --error-exitcode=1 --enable=warning,portability --std=c11 --inline-suppr \
  --suppress=CastIntegerToAddressAtReturn -Isrc -Isrc/include -DHB_VERSION='""' src
check 'the map from paper to code' tools/check_paper.sh
check 'scripts' shellcheck -x "${scripts[@]}"
if command -v mypy >/dev/null; then
  check "Python's types" mypy --strict --no-error-summary --cache-dir /dev/null src/python/holmberg
else
  echo "not checked: Python's types (mypy is not installed)"
fi
mapfile -t sums < <(find shaders -name '*.glsl' -o -name '*.frag' -o -name '*.comp' -o -name '*.vert')
check 'exact sums of shaders' tools/check_exact.py "${sums[@]}"
check 'shaders' tools/check_shaders.py
exit $bad

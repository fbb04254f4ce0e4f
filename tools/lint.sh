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
  local own
  own=$(find src -name '*.c' -exec grep -m 1 -h '^#include' {} +)
  find src -name '*.h' ! -path 'src/windows/*' | while read -r header; do
    grep -qxF "#include \"${header#src/}\"" <<<"$own" || echo "$header"
  done | each 4 cc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -fsyntax-only -Isrc -Isrc/include -x c || return 1
  find src/include -name '*.h' | each 2 c++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -Isrc/include -x c++
}

# What a library must leave to its host program: standard streams, its end, signals, the locale.
# shellcheck disable=SC2317
library_is_quiet() {
  ! nm -D -u "$build/libholmberg.so.1" | sed 's/.* //; s/@.*//' |
    grep -xE '(__)?v?printf(_chk)?|puts|putchar|perror|stdout|stderr|_?_?exit|quick_exit|abort|__assert_fail|signal|sigaction|raise|setlocale'
}

# clang says all that it has to say before it makes code.
# shellcheck disable=SC2317
clang_warnings() {
  make --no-print-directory -s -j"$at_once" B="$build/lint-clang" CC=clang OPT=-fsyntax-only \
    CFLAGS='-Werror -Wno-unknown-warning-option -Wno-ignored-optimization-argument' objects >/dev/null
}

# compiles SHADER VERSION [INTERACTION DEFINES]: silent unless the reference compiler finds an error
# shellcheck disable=SC2317
compiles() {
  local stage=${1##*.} said folder
  folder=$(mktemp -d)
  # shellcheck disable=SC2064 # of this one
  trap "rm -r '$folder'" EXIT
  tools/expand.sh "$@" >"$folder/shader.$stage" || exit 1
  said=$(glslangValidator "$folder/shader.$stage") && exit
  printf '%s\n' "$1 $3" "$4" "$said"
  exit 1
}
export -f compiles

# A scheme of pairs/ is compiled with every interaction in every precision, and with every way to fetch a source;
# as 4.30, because the reference compiler knows only half of GL_ARB_gpu_shader5, by which 3.30 does the same.
# all_shaders: the words of `compiles` for each, ended by zeros; each for OpenGL ES, too, unless it needs doubles,
# rectangles, or the loader, which writes out the loops over outputs of near/.
# shellcheck disable=SC2317
all_shaders() {
  local file version interaction precision layout source es
  local pair='#define I_EACH 2
#define UNROLL 2
#define PARTIAL 16
#define BLOCK_TEXELS 4096
#define ROWS 2
#define WORKGROUP 64
#define THREADS_PER_BODY 2
#define IN_WORDS WORDS'
  one() {
    printf '%s\0' "$@"
    case $1,$4 in *'PRECISION 3'* | *FMA_IS_FUSED* | *RECTANGLE* | *'SOURCE 1' | *bench/* | *near/*) return ;; esac
    es=300es
    case $1,$4 in *.comp,* | *'J_SOURCE 3'*) es=310es ;; esac
    printf '%s\0' "$1" "$es" "$3" "$4"
  }
  find shaders -name '*.frag' -o -name '*.vert' -o -name '*.comp' | sort | while read -r file; do
    version=330
    if [[ $file == shaders/hermite/* ]]; then
      for precision in 0 1 2 3 $'2\n#define FMA_IS_FUSED'; do one "$file" 430 '' "#define PRECISION $precision"; done
      [[ $file == */correct.* ]] || continue
      for precision in 2 3; do one "$file" 430 '' "#define PRECISION $precision"$'\n#define FIELD'; done
      continue
    fi
    if grep -q '"view/places.glsl"' "$file"; then # where particles lie
      for layout in 1 2 3 $'3\n#define RECTANGLE'; do one "$file" 330 '' "#define LAYOUT $layout"; done
      continue
    fi
    if [[ $file == shaders/view/texels.frag ]]; then # what an array is made of
      for source in 1 2 3 4; do one "$file" 330 '' "#define SOURCE $source"; done
    fi
    [[ $file == *.comp || $file == shaders/pairs/* || $file == shaders/common/* ]] && version=430
    if [[ $file != shaders/pairs/* ]]; then
      one "$file" "$version" '' $'#define PRECISION 0\n#define ROUNDS 2'
      continue
    fi
    for interaction in shaders/interactions/*.glsl; do
      for precision in 0 1 2 3 4; do
        # what has precision reproducible says so, and what is for that alone has no other
        [ "$precision" != 4 ] || grep -q 'PRECISION == REPRODUCIBLE' "$interaction" || continue
        [ "$precision" = 4 ] || [[ $file != *matrix_block* ]] || continue
        one "$file" "$version" "${interaction#shaders/}" "$pair
#define PRECISION $precision
#define J_SOURCE 0"
      done
    done
    [[ $file != *matrix_block* ]] || continue
    for source in 1 2 3; do
      one "$file" "$version" interactions/gravity_jerk.glsl "$pair
#define PRECISION 0
#define J_SOURCE $source"
    done
  done
}
# shellcheck disable=SC2317
shaders() { all_shaders | each 4 -0 bash -c 'compiles "$@"' compiles; }

mapfile -t scripts < <(find tools tests .ci -type f \( -name '*.sh' -o -name run \) | sort)
check 'layers and circles' tools/check_layers.sh "$build"
check 'sizes' tools/check_sizes.sh
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
mapfile -t sums < <(find shaders -name '*.glsl' -o -name '*.frag' -o -name '*.comp' -o -name '*.vert')
check 'exact sums of shaders' tools/check_exact.py "${sums[@]}"
check 'shaders' shaders
exit $bad

#!/usr/bin/env bash
# lint.sh BUILD: layers, the map from paper to code, formatting, warnings of gcc and clang as errors, headers alone in C and C++,
# static checks of C and of scripts, shaders through the reference compiler. Prints what is wrong; exit 1 if anything is.
set -u
build=$1
cd "$(dirname "$0")/.." || exit 1
bad=0
check() { # check WHAT COMMAND...: quiet when it succeeds
  local what=$1 output
  shift
  if output=$("$@" 2>&1); then
    printf '  ok    %s\n' "$what"
  else
    printf '  FAIL  %s\n%s\n' "$what" "$output"
    bad=1
  fi
}

mapfile -t c_files < <(find src tests -name '*.[ch]' | sort)
mapfile -t headers < <(find src -name '*.h' | sort)
mapfile -t shaders < <(find shaders -name '*.frag' -o -name '*.vert' -o -name '*.comp' | sort)
mapfile -t scripts < <(find tools tests .ci -type f \( -name '*.sh' -o -name run \) | sort)

# The functions below are called by their names, through check.
# shellcheck disable=SC2317
headers_alone() {
  local header
  for header in "${headers[@]}"; do
    echo "#include \"${header#src/}\"" >"$build/alone.c"
    cc -std=c11 -D_GNU_SOURCE -Wall -Wextra -Werror -fsyntax-only -Isrc -Isrc/include "$build/alone.c" || return 1
  done
  for header in src/include/holmberg/*.h; do
    c++ -x c++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -Isrc/include "$header" || return 1
  done
}

# compiles SHADER VERSION [INTERACTION DEFINES]: silent unless the reference compiler finds an error
# shellcheck disable=SC2317
compiles() {
  local stage=${1##*.} said
  tools/expand.sh "$@" >"$build/shader.$stage" || return 1
  said=$(glslangValidator "$build/shader.$stage") && return
  printf '%s\n' "$1 $3" "$4" "$said"
  return 1
}

# A scheme of pairs/ is compiled with every interaction in every precision, and with every way to fetch a source;
# as 4.30, because the reference compiler knows only half of GL_ARB_gpu_shader5, by which 3.30 does the same.
# shellcheck disable=SC2317
shaders() {
  local file version interaction precision layout source bad=0
  local pair='#define I_EACH 2
#define UNROLL 2
#define PARTIAL 16
#define BLOCK_TEXELS 4096
#define ROWS 2
#define WORKGROUP 64
#define THREADS_PER_BODY 2
#define IN_WORDS WORDS'
  for file in "${shaders[@]}"; do
    version=330
    if [[ $file == shaders/hermite/* ]]; then
      for precision in 0 1 2 3; do
        compiles "$file" 430 '' "#define PRECISION $precision" || bad=1
      done
      continue
    fi
    if grep -q '"view/places.glsl"' "$file"; then # where particles lie
      for layout in 1 2 3 $'3\n#define RECTANGLE'; do compiles "$file" 330 '' "#define LAYOUT $layout" || bad=1; done
      continue
    fi
    if [[ $file == shaders/view/texels.frag ]]; then # what an array is made of
      for source in 1 2 3 4; do compiles "$file" 330 '' "#define SOURCE $source" || bad=1; done
    fi
    [[ $file == *.comp || $file == shaders/pairs/* || $file == shaders/common/* ]] && version=430
    if [[ $file != shaders/pairs/* ]]; then
      compiles "$file" "$version" '' '' || bad=1
      continue
    fi
    for interaction in shaders/interactions/*.glsl; do
      for precision in 0 1 2 3; do
        compiles "$file" "$version" "${interaction#shaders/}" "$pair
#define PRECISION $precision
#define J_SOURCE 0" || bad=1
      done
    done
    for source in 1 2 3; do
      compiles "$file" "$version" interactions/gravity_jerk.glsl "$pair
#define PRECISION 0
#define J_SOURCE $source" || bad=1
    done
  done
  return "$bad"
}

mkdir -p "$build"
check 'layers' tools/check_layers.sh
check 'formatting' clang-format --dry-run -Werror "${c_files[@]}"
check 'headers alone, C and C++' headers_alone
check 'gcc warnings' make --no-print-directory -j"$(nproc)" B="$build/lint-gcc" OPT=-O2 CFLAGS=-Werror all tests
check 'clang warnings' make --no-print-directory -j"$(nproc)" B="$build/lint-clang" CC=clang OPT=-O1 CFLAGS='-Werror -Wno-unknown-warning-option -Wno-ignored-optimization-argument' all tests
# cppcheck takes a pointer to a function for an integer
check 'cppcheck' cppcheck --quiet --error-exitcode=1 --enable=warning,portability --std=c11 --inline-suppr \
  --suppress=CastIntegerToAddressAtReturn -Isrc -Isrc/include -DHB_VERSION='""' src
check 'the map from paper to code' tools/check_paper.sh
check 'scripts' shellcheck "${scripts[@]}"
check 'shaders' shaders
exit $bad

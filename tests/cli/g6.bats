# Programs for GRAPE-6, compiled with what pkg-config says of an installed holmberg-g6 alone.
load common

setup_file() {
  export ROOT=$BATS_FILE_TMPDIR/root
  export API=$BATS_TEST_DIRNAME/../api
  local build
  build=$(dirname "$HOLMBERG")
  make -s -o all -C "$BATS_TEST_DIRNAME/../.." B="$build" DESTDIR="$ROOT" PREFIX=/usr install
  export HB_CONTEXT=osmesa # the quickest to open
}

installed() { PKG_CONFIG_PATH=$ROOT/usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$ROOT pkg-config "$@"; }

compile() { # compile PROGRAM COMPILER SOURCE
  # shellcheck disable=SC2046 # words
  $2 -Wall -Wextra -Werror "$API/$3" $(installed --cflags --libs holmberg-g6) -lm -o "$1"
}

cluster() { LD_LIBRARY_PATH=$ROOT/usr/lib "$@"; }

# same A B: lines `N energy error blocks steps`: energies that differ by less than 1e-6, counts by less than 0.5 %
same() {
  paste -d ' ' <(echo "$1") <(echo "$2") | awk '
    function off(a, b) { return a > b ? a - b : b - a }
    { if (NF != 10 || off($2, $7) > 1e-6 || off($4, $9) > 0.005 * $4 || off($5, $10) > 0.005 * $5) exit 1 }
    $3 > 1e-6 || $3 < -1e-6 { exit 1 }
    END { if (NR != 1) exit 1 }'
}

@test "a Hermite code in C and one in Fortran: the energies and counts of their own double sums" {
  compile c 'cc -std=c11 -O2' g6_cluster.c
  compile f 'gfortran -O2 -fallow-argument-mismatch -Wno-missing-include-dirs -Wno-argument-mismatch -Wno-compare-reals' g6_cluster.f90
  for n in 128 ${LONG:+1024}; do
    own=$(cluster ./c "$n" host)
    same "$own" "$(cluster ./f "$n" host)"
    for scheme in host host-simd ${LONG:+bag}; do
      same "$own" "$(cluster env HB_G6_SCHEME="$scheme" ./c "$n")"
      same "$own" "$(cluster env HB_G6_SCHEME="$scheme" ./f "$n")"
    done
  done
  # a force that is off by 1e-4 would show
  run ! same "$own" "$(awk '{ $2 += 1e-5; print }' <<<"$own")"
}

@test "by default a client takes the steps that double takes, however short its eta makes them" {
  compile c 'cc -std=c11 -O2' g6_cluster.c
  steps() { cluster "$@" | awk '{ print $5 }'; }
  local own ds usual
  own=$(steps ./c 16 host 4e-4)
  ds=$(steps env HB_G6_PRECISION=ds ./c 16 g6 4e-4)
  usual=$(steps ./c 16 g6 4e-4)
  echo "particle steps: $own by double sums, $usual by default (at most 1.1 times as many), $ds in ds"
  awk -v own="$own" -v usual="$usual" -v ds="$ds" 'BEGIN { exit !(usual < 1.1 * own && ds > 10 * own) }'
}

@test "a GPU that is slower than the processor: the calls leave it, and say so once" {
  compile c 'cc -std=c11 -O2' g6_cluster.c
  slow_gpu() { cluster env -u HB_CONTEXT EGL_PLATFORM=surfaceless HB_DEVICE=0 GALLIUM_DRIVER=softpipe force_gl_renderer='A GPU' "$@" ./c 16; }
  run --separate-stderr slow_gpu
  echo "$output" "$stderr"
  [ "$output" = "$(cluster env HB_G6_SCHEME=host ./c 16)" ]
  [ "$(grep -cE 'the processor is faster than the GPU \([0-9.e+-]+ and [0-9.e+-]+ billion .* HB_G6_SCHEME=bag keeps' <<<"$stderr")" -eq 1 ]
  run --separate-stderr slow_gpu HB_G6_QUIET=1
  [[ $stderr != *faster* ]]
}

@test "blocks in larger pieces are the same" {
  compile c 'cc -std=c11 -O2' g6_cluster.c
  one=$(cluster env HB_G6_SCHEME=host HB_G6_NPIPES=16384 ./c 128)
  [ "$one" = "$(cluster env HB_G6_SCHEME=host HB_G6_NPIPES=7 ./c 128)" ]
}

@test "a wrong scheme is a return code and one sentence" {
  compile c 'cc -std=c11 -O2' g6_cluster.c
  HB_G6_SCHEME=grape7 LD_LIBRARY_PATH=$ROOT/usr/lib run -1 --separate-stderr ./c 128
  [[ $output == "g6_open: unknown scheme 'grape7' (expected "* ]]
  [[ $stderr == "holmberg: unknown scheme 'grape7' (expected "* ]]
  HB_G6_QUIET=1 HB_G6_SCHEME=grape7 LD_LIBRARY_PATH=$ROOT/usr/lib run -1 --separate-stderr ./c 128
  [ -z "$stderr" ]
}

@test "a program that defines plain names itself, shared and static" {
  compile own 'cc -std=c11' g6_own_names.c
  cluster env HB_G6_SCHEME=host ./own
  # shellcheck disable=SC2046 # words
  cc -std=c11 "$API/g6_own_names.c" -o static \
    "$ROOT/usr/lib/libholmberg-g6.a" "$ROOT/usr/lib/libholmberg.a" $(pkg-config --libs $(installed --print-requires-private holmberg)) \
    -ldl -lm -pthread
  HB_G6_SCHEME=host ./static
  # the forms are in objects of their own
  [ "$(ar t "$ROOT/usr/lib/libholmberg-g6.a" | grep -c -x -e g6_plain.o -e g6_fortran.o)" -eq 2 ]
}

@test "what the libraries export is the checked list" {
  for calls in g6 cunbody sixth; do
    readelf -dW "$ROOT/usr/lib/libholmberg-$calls.so.1" | grep -F "Library soname: [libholmberg-$calls.so.1]"
    nm -D --defined-only "$ROOT/usr/lib/libholmberg-$calls.so" | awk '$2 != "A" { print $3 }' | sort >exported
    diff <(sed "s/\$/@@HOLMBERG_${calls}_1/" "$API/${calls}_symbols.txt" | sort) exported
  done
}

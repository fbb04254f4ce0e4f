#!/usr/bin/env bats
# shellcheck disable=SC2154,SC2030,SC2031 # run sets these, each test is a subshell
# Somebody who installs a wheel of Python, somebody who unpacks the source archive, and one version everywhere.
load common

version() { sed -n 's/^VERSION := //p' "$SOURCE/Makefile"; }

# What the source tree has of files that are nobody's own: by git, or all, where the archive was unpacked.
tracked() {
  if [ -e "$SOURCE/.git" ]; then git -C "$SOURCE" ls-files; else (cd "$SOURCE" && find . -path ./build -prune -o ! -type d ! -path '*/__pycache__/*' -printf '%P\n'); fi
}

# A clean tree of them, without a build folder.
clean_tree() {
  mkdir tree
  tracked | tar -c -C "$SOURCE" -T - | tar -x -C tree
}

@test "a version stands in the Makefile; what must repeat it, agrees" {
  local version date
  version=$(version)
  date=$(sed -n 's/^DATE *:= \([0-9-]*\).*/\1/p' "$SOURCE/Makefile")
  echo "version $version of $date"
  grep -qx "version: $version" "$SOURCE/.github/CITATION.cff"
  grep -qx "date-released: $date" "$SOURCE/.github/CITATION.cff"
  [[ $(head -n 1 "$SOURCE/tools/debian/changelog") == "holmberg ($version-"* ]]
  [[ $(sed -n 's/^ -- .*> *//p' "$SOURCE/tools/debian/changelog" | head -n 1) == *"$(LC_ALL=C date -d "$date" '+%d %b %Y')"* ]]
  # rules: the release that a symbol of Debian's came with. Corpora and recorded runs are of the version that made them.
  tracked | grep -v -e ^data/ -e ^tests/fuzz/corpus/ | (cd "$SOURCE" && tr '\n' '\0' | xargs -0 grep -sIlF "$version" || true) >places
  cat places
  [ "$(sort places | tr '\n' ' ')" = '.github/CITATION.cff Makefile tools/debian/changelog tools/debian/rules ' ]
  [ ! -e "$SOURCE/.git" ] || for tag in $(git -C "$SOURCE" tag --points-at HEAD); do
    [[ ! $tag =~ ^v[0-9] ]] || [ "$tag" = "v$version" ]
  done
}

@test "kept results with lines that lintian takes for a machine's are excused to it" {
  local excused file longest
  excused=$(sed -n 's/.*source-is-missing \[\(.*\)\]/\1/p' "$SOURCE/tools/debian/source/lintian-overrides")
  for file in $(tracked | grep '^data/reports/.*\.html$'); do
    longest=$(awk 'length > most { most = length } END { print most }' "$SOURCE/$file")
    echo "$file: longest line $longest, expected at most 512 or $excused"
    # shellcheck disable=SC2053 # a pattern
    [ "$longest" -le 512 ] || [[ $file == $excused ]]
  done
}

@test "make dist: what git tracks and nothing else, and recipes for it" {
  [ -n "${LONG:-}" ] || export XZ_OPT=-1 # less packed, in a second
  make -s -C "$SOURCE" B="$BATS_TEST_TMPDIR/out" dist
  local dist=$BATS_TEST_TMPDIR/out/dist name
  name=holmberg-$(version)
  tar -tJf "$dist/$name.tar.xz" | sort >got
  tracked | sed "s|^|$name/|" | sort >expected
  echo "$(wc -l <got) files, expected $(wc -l <expected)"
  diff expected got
  sum=$(sha256sum "$dist/$name.tar.xz" | cut -d ' ' -f 1)
  for recipe in meta.yaml holmberg.rb; do
    grep -q "$sum" "$dist/$recipe"
    [ "$(grep -c '@[A-Z]' "$dist/$recipe")" -eq 0 ]
  done
  # as conda-build reads it, with the words of Jinja replaced
  sed 's/{{[^}]*}}/word/' "$dist/meta.yaml" | /usr/bin/python3 -c "import sys, yaml; r = yaml.safe_load(sys.stdin); print(r['package'], sorted(r))"
  [ -z "${LONG:-}" ] || ruby -c "$dist/holmberg.rb"
  [ -n "${LONG:-}" ] || return 0
  tar -xJf "$dist/$name.tar.xz"
  unset LD_LIBRARY_PATH PKG_CONFIG_PATH
  DEPS=manual make -s -C "$name" run >out 2>err || { cat out err && return 1; }
  [ -s "$name/build/run/plummer.txt" ]
  DEPS=manual make -s -C "$name" -j2 tests
  grep -q "^$(version)\$\|holmberg $(version)" <<<"$("$name/build/holmberg" --version)"
}

@test "a wheel from a clean tree passes the tests of Python in a fresh environment, in an empty home" {
  clean_tree
  unset LD_LIBRARY_PATH PKG_CONFIG_PATH
  [ -n "${LONG:-}" ] || ln -s "$BUILD" tree/build # built already, by the same flags; make test-long builds all of it
  /usr/bin/python3 -m venv --system-site-packages environment # Debian's numpy: there may be no other to be had
  environment/bin/pip -q wheel --no-index --no-deps -w . tree/src/python
  ls -- *.whl
  [[ $(echo *.whl) == "holmberg-$(version)-py3-none-manylinux_2_"*.whl ]]
  environment/bin/pip -q install --no-index --no-deps ./*.whl
  rm -r tree/src tree/Makefile # no package and no library but the installed one
  native=$(echo "$PWD"/environment/lib/python3*/site-packages/holmberg/native)
  ldd "$native/libholmberg.so.1" "$native/holmberg-child" >loaded
  outside=$(sed -n "s|.*=> \(/[^ ]*\).*|\1|p" loaded | grep -v "^$native/" | sed 's|.*/||' | sort -u | tr '\n' ' ')
  echo "from the system: $outside"
  [[ ! $outside =~ (hdf5|cjson|png|glfw|libz|curl|crypto) ]]
  grep -q "$native/libhdf5" loaded
  last=$(readelf -V "$native"/* 2>/dev/null | grep -o 'GLIBC_2[.][0-9]*' | sort -uV | tail -n 1)
  echo "the newest of the C library's versions that it needs is $last"
  most=$(echo *.whl | sed 's/.*manylinux_2_\([0-9]*\)_.*/\1/')
  [ "${last#GLIBC_2.}" -le "$most" ]
  if [ -e "$BUILD/web/holmberg.html" ] && [ -z "${LONG:-}" ]; then cmp "$BUILD/web/holmberg.html" "$native/web/holmberg.html"; fi # for show
  export HOLMBERG_INSTALLED=1 HB_CONTEXT=osmesa PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$SOURCE/tests/python
  export PROGRAM=$HOLMBERG
  tests=particles
  [ -z "${LONG:-}" ] || tests='particles force simulation pairs complete rebound abi amuse door'
  for test in $tests; do
    run -0 environment/bin/python -m unittest "test_$test"
    tail -n 3 <<<"$output"
    [[ $output == *$'\nOK' ]]
  done
}

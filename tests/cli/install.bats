# Installed into a folder, found by pkg-config alone, used from C, C++ and Fortran, and removed again.
load common

setup_file() {
  export ROOT=$BATS_FILE_TMPDIR/root
  export API=$BATS_TEST_DIRNAME/../api
  into_root install
  unset HB_CHILD
  export HB_CONTEXT=osmesa # the quickest to open
}

into_root() { # into_root install|uninstall
  local build
  build=$(dirname "$HOLMBERG")
  make -s -o all -C "$BATS_TEST_DIRNAME/../.." B="$build" DESTDIR="$ROOT" PREFIX=/usr "$1"
}

installed() { PKG_CONFIG_PATH=$ROOT/usr/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$ROOT pkg-config "$@"; }

# compiled COMPILER SOURCE WORD...: compiles against the installed library and runs the program from there.
compiled() {
  local compiler=$1 source=$2
  shift 2
  # shellcheck disable=SC2046 # words
  $compiler -Wall -Wextra -Werror "$API/$source" $(installed --cflags --libs holmberg) ${BESIDE:+-l$BESIDE} -lm -o program
  LD_LIBRARY_PATH=$ROOT/usr/lib run -0 --separate-stderr ./program "$@"
  [ -z "$stderr" ]
}

@test "the first example is that of the guide, and keeps its energy" {
  diff <(sed -n '/^```c$/,/^```$/p' "$BATS_TEST_DIRNAME/../../src/lib/README.md" | grep -v '^```') "$API/integrate.c"
  compiled 'cc -std=c11' integrate.c
  [ "${#lines[@]}" -eq 5 ]
  awk -v e="$(awk 'BEGIN { printf "%.12f", -(12 / 5 + 15 / 4 + 20 / 3) }')" \
    '{ if ($6 - e > 1e-6 || e - $6 > 1e-6) exit 1 }' <<<"$output"
}

@test "forces at points, while the program works" {
  for scheme in host host-simd bag; do
    compiled 'cc -std=c11' forces.c $scheme
    [[ $output == "$scheme, "*", on "*": off by "[0-9]e-* ]]
  done
  LD_LIBRARY_PATH=$ROOT/usr/lib run ! ./program none
  [[ $output == "unknown scheme 'none' (expected "* ]]
}

@test "a checkpoint" {
  compiled 'cc -std=c11' resume.c half.ckpt
  [ "$output" = $'resuming what was saved half way\nthe same bytes' ]
}

@test "a simulation that changes while it runs" {
  compiled 'cc -std=c11' changes.c
  [ "${lines[2]}" = "dE/E below 1e-6: yes" ]
  [ "${lines[4]}" = "the change names particle 1000, which does not exist" ]
}

@test "snapshots, of which HDF5 is read by the installed holmberg-child" {
  compiled 'cc -std=c11' snapshots.c a.txt a.h5
  [[ $output == *$'\na.txt: 100 particles, the same positions, observed by Erik\na.h5: 100 particles, the same positions, observed by Erik' ]]
  # in a locale with commas
  localedef -i de_DE -f UTF-8 "$PWD/de_DE.UTF-8"
  "$HOLMBERG" ic plummer -n 100 --seed 7 -o c.txt
  LOCPATH=$PWD LC_ALL=de_DE.UTF-8 LD_LIBRARY_PATH=$ROOT/usr/lib ./program b.txt
  LOCPATH=$PWD LC_ALL=de_DE.UTF-8 bash -c 'printf %.1f 1,5' | grep -x 1,5
  cmp <(grep -v '^#' b.txt) <(grep -v '^#' c.txt)
  # beside an installed program, which is linked with the static library, too
  HOLMBERG=$ROOT/usr/bin/holmberg accepts run a.h5 --t-end 0.125
  chmod -x "$ROOT/usr/libexec/holmberg/holmberg-child"
  LD_LIBRARY_PATH=$ROOT/usr/lib run --separate-stderr ./program a.h5
  chmod +x "$ROOT/usr/libexec/holmberg/holmberg-child"
  [ "$status" -eq 1 ]
  [[ $stderr == "cannot read a.h5: holmberg-child is not in $ROOT/usr/lib/ nor in ../libexec/holmberg; HB_CHILD can name it" ]]
}

@test "beside an OpenGL context of the program's own" {
  for context in egl osmesa; do
    BESIDE=EGL compiled 'cc -std=c11' own_context.c $context
    [[ $output == "forces on "*$'\nour context as before' ]]
  done
}

@test "C++" {
  compiled 'c++ -std=c++17' radii.cpp
  [ "${#lines[@]}" -eq 4 ]
  # half of the mass is within 0.77 in a Plummer sphere of infinitely many
  awk '/^t/ { if ($15 < 0.7 || $15 > 0.9) exit 1 }' <<<"$output"
  [[ ${lines[3]} == "and an error: unknown scheme 'none of ours' (expected "* ]]
}

@test "Fortran" {
  compiled 'gfortran -std=f2008 -Wno-missing-include-dirs' forces.f90
  [ "${#lines[@]}" -eq 4 ]
  # toward the corners at distances of 5 and 4, softened: 4 (-3, -4) / 28^1.5 + 5 (0, -4) / 19^1.5
  awk 'NR == 1 && ($5 - -12 / 28 ^ 1.5) ^ 2 + ($6 - (-16 / 28 ^ 1.5 - 20 / 19 ^ 1.5)) ^ 2 > 1e-15 { exit 1 }
    NR == 4 && ($3 - -(12 / 28 ^ 0.5 + 15 / 19 ^ 0.5 + 20 / 12 ^ 0.5)) ^ 2 > 1e-15 { exit 1 }' <<<"$output"
}

@test "a static link, by the libraries that pkg-config adds" {
  # shellcheck disable=SC2046 # words
  cc -std=c11 "$API/integrate.c" -I"$ROOT/usr/include" "$ROOT/usr/lib/libholmberg.a" \
    $(pkg-config --libs $(installed --print-requires-private holmberg)) -ldl -lm -pthread -o program
  run -0 ./program
  [ "${#lines[@]}" -eq 5 ]
}

# headers COUNT FOLDER: the public headers of another release, whose structs have COUNT fields more, or less if below 0.
headers() {
  cp -r "$BATS_TEST_DIRNAME/../../src/include" "$2"
  /usr/bin/python3 - "$1" "$2" <<'END'
import pathlib, re, sys
count, folder = int(sys.argv[1]), pathlib.Path(sys.argv[2], "holmberg")
# Fields at the end of structs that tests/api/releases.c does not name; a whole number of doubles.
LAST = {"hb_ic_model": 1, "hb_ic_params": 2, "hb_force_scheme": 2, "hb_force_params": 2, "hb_force_need": 1, "hb_integrator_info": 1,
        "hb_sim_params": 5, "hb_sim_counts": 2, "hb_phases": 4, "hb_diagnostics": 1, "hb_step_trouble": 1,
        "hb_event": 0, "hb_structure": 0, "hb_checkpoint_info": 0, "hb_snapshot_format": 0, "hb_ic_cluster": 0}
def change(found):
    name, body = found.groups()
    fields = re.findall(r"[^;]+;", re.sub(r"/\*.*?\*/", "", body, flags=re.S))
    fields = fields[:len(fields) - LAST[name]] if count < 0 else fields + ["\n  double later;"]
    return f"struct {name} {{{''.join(fields)}\n}};"
for header in folder.glob("*.h"):
    text = header.read_text()
    header.write_text(re.sub(rf"struct ({'|'.join(LAST)}) {{(.*?)\n}};", change, text, flags=re.S))
END
}

@test "programs of other releases: the last one's headers, structs with fewer fields and with more" {
  compiled 'cc -std=c11' releases.c a.ckpt
  local now=$output folder
  [[ $now == *$'\nresumed host: state '* ]]
  headers -1 earlier
  headers 1 later
  for folder in "$API/0.1" earlier later; do
    cc -std=c11 -Wall -Wextra -Werror -I"$folder" "$API/releases.c" -L"$ROOT/usr/lib" -lholmberg -lm -o program
    LD_LIBRARY_PATH=$ROOT/usr/lib run --separate-stderr ./program a.ckpt
    [ "$status" -eq 0 ]
    [ "$output" = "$now" ]
  done
  # negative control: it has what only a later library knows
  cc -std=c11 -DLATER=later -Ilater "$API/releases.c" -L"$ROOT/usr/lib" -lholmberg -lm -o program
  LD_LIBRARY_PATH=$ROOT/usr/lib run -1 --separate-stderr ./program a.ckpt
  [[ $stderr == "a parameter is set that this library, "*", does not know: the program needs a later one" ]]
}

@test "what the shared library exports is the checked list" {
  readelf -dW "$ROOT/usr/lib/libholmberg.so.1" | grep -F 'Library soname: [libholmberg.so.1]'
  nm -D --defined-only "$ROOT/usr/lib/libholmberg.so" | awk '$2 != "A" { print $3 }' | sort >exported
  diff <(sed 's/$/@@HOLMBERG_1/' "$API/symbols.txt") exported
}

@test "the list of exports needs no compiler" {
  cd "$BATS_TEST_DIRNAME/../.."
  CC=false tools/exports.sh HOLMBERG_g6_1 src/include/holmberg/g6.h "$(dirname "$HOLMBERG")/libholmberg-g6.a" |
    diff - "$(dirname "$HOLMBERG")/gen/g6.map"
}

@test "guides, the lesson and examples are installed, and their links lead somewhere" {
  cd "$ROOT/usr/share/doc/holmberg"
  for file in README.md src/cli/README.md data/FORMATS.md shaders/LESSON.md shaders/figures/exercise_1.png \
    shaders/exercises/1_turning_ellipse.diff tests/api/integrate.c; do
    [ -s "$file" ]
  done
  run ! grep -rn '\(^\|[^h]\) build/holmberg\|`build/holmberg' --include=*.md . # but as the argument of a script of the source tree
  echo "$output"
  ln -s "$(realpath "$BATS_TEST_DIRNAME/../..")" SOURCE
  /usr/bin/python3 - <<'END'
import pathlib, re
links = 0
def anchors(page):
    text = re.sub(r"(?ms)^```.*?^```", "", page.read_text())
    words = [re.sub(r"[^\w\- ]", "", line.lower()) for line in re.findall(r"(?m)^#+ +(.*)$", text)]
    return {word.replace(" ", "-") for word in words}
for page in [page for page in pathlib.Path(".").rglob("*.md") if "SOURCE" not in page.parts]:
    for target in re.findall(r"\]\(([^()\s]+)\)", page.read_text()):
        if re.match("[a-z]+:", target): continue
        path, _, anchor = target.partition("#")
        path = page.parent / path if path else page
        assert path.exists(), f"{page}: {target}"
        assert not anchor or anchor in anchors(path), f"{page}: {target}"
        links += 1
    # What installing changed: a source that a page names is where the page says, and what is left out leaves no gap
    text, source = page.read_text(), pathlib.Path("SOURCE", page).read_text()
    for name in set(re.findall(r"`([^`\s]+/[^`\s]+\.(?:c|h|js|txt|glsl|frag|comp|vert|sh|py|diff))`", text)):
        assert f"`{name}`" in source or (page.parent / name).exists(), f"{page}: {name}"
    assert not (seam := re.search(r"\n[,;:)].*", text)), f"{page}: {seam[0]}"
    # There is no Makefile
    assert not re.search(r"(?m)^    make(  .*)?$", text), page
    for block in re.findall(r"(?m)(?:^    .*\n)+", text):
        if re.search(r"(?m)^    make ", block):
            assert block + "\n(`make` works in the source tree.)\n" in text, f"{page}: {block}"
print(links, "links")
assert links > 60
END
  rm SOURCE
  # what the lesson copies is whole, and an example compiles from there
  (cd shaders && find . -type f) | sort | diff - <(cd "$BATS_TEST_DIRNAME/../../shaders" && find . -type f | sort)
  API=$PWD/tests/api
  cd "$BATS_TEST_TMPDIR"
  compiled 'cc -std=c11' integrate.c
}

@test "the Python package goes to where the python3 on the PATH looks, and make says so" {
  local root=$BATS_TEST_DIRNAME/../.. looks
  into() { PATH=$PWD/venv/bin:$PATH make -s -o all -C "$root" B="$(dirname "$HOLMBERG")" "$@"; }
  /usr/bin/python3 -m venv --without-pip venv
  looks=$(venv/bin/python3 -c 'import site; print(site.getsitepackages()[0])')
  # a prefix of its own, and none was asked for: staged, since it would be /usr/local
  run -0 into DESTDIR="$PWD/dest" install
  echo "$output"
  [ "${lines[-1]}" = "the Python package is in $PWD/dest$looks, for $PWD/venv/bin/python3" ]
  [ -e "dest$looks/holmberg/__init__.py" ]
  [ -x dest/usr/local/bin/holmberg ]
  into DESTDIR="$PWD/dest" uninstall
  [ -z "$(find dest ! -type d)" ]
  # that prefix: found without a word
  into PREFIX="$PWD/venv" install
  [ "$(venv/bin/python3 -c 'import importlib.util as u; print(u.find_spec("holmberg").origin)')" = "$looks/holmberg/__init__.py" ]
  into PREFIX="$PWD/venv" uninstall
  # another prefix: below it, with what to do
  run -0 into PREFIX="$PWD/other" install
  [[ ${lines[-1]} == "the Python package is in $PWD/other/lib/python3."*"/site-packages, where $PWD/venv/bin/python3 does not look: PYTHONPATH can name it" ]]
  [ -e "$(sed 's/the Python package is in \(.*\), where.*/\1/' <<<"${lines[-1]}")/holmberg/__init__.py" ]
  run -0 into PREFIX="$PWD/none" PYTHON="$PWD/no-python3" install
  [ "${lines[-1]}" = "no Python package: there is no $PWD/no-python3" ]
}

@test "uninstalling leaves nothing" {
  into_root uninstall
  [ -z "$(find "$ROOT" ! -type d)" ]
  [ -z "$(find "$ROOT" -name '*holmberg*')" ]
}

@test "a build without HDF5's shared library ends with a sentence, and one with it begins anew" {
  local header=$PWD/out/gen/hdf5_calls.h
  from_source() { make -s -C "$BATS_TEST_DIRNAME/../.." B="$PWD/out" "$header" "$@"; }
  run -2 from_source HDF5_LIBS=
  [[ $output == *'holmberg: HDF5 is found as it will be loaded: this needs its shared library, and readelf and nm'* ]]
  [ ! -e "$header" ]
  from_source
  grep '^#define HB_HDF5_LIBRARY "libhdf5' "$header"
}

@test "a limit of memory that ends the reader of HDF5 is not blamed on the file" {
  "$HOLMBERG" ic plummer -n 100 -o ok.h5 --quiet
  printf '#!/bin/sh\nexit 1\n' >small
  chmod +x small
  run --separate-stderr env HB_CHILD="$PWD/small" bash -c "ulimit -v 4000000; exec '$HOLMBERG' info ok.h5"
  echo "$status $stderr"
  [ "$status" -eq 4 ]
  [[ $stderr == 'holmberg: cannot read ok.h5: the HDF5 library gave up under the limit of memory (ulimit -v or -d): '* ]]
}

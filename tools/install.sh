#!/usr/bin/env bash
# install.sh install|uninstall BUILD VERSION NEEDS: puts what was built below $DESTDIR$PREFIX, or removes just that. NEEDS
# are the pkg-config names of the libraries that a static link needs. Environment, all with the usual defaults: DESTDIR
# PREFIX BINDIR LIBDIR LIBEXECDIR INCLUDEDIR DATADIR DOCDIR MANDIR ZSHDIR PYTHON PYTHONDIR.
set -euo pipefail
what=$1 build=$2 version=$3 needs=$4
cd "$(dirname "$0")/.."
asked=${PREFIX:-}
: "${DESTDIR:=}" "${PYTHON:=python3}" "${PREFIX:=/usr/local}"
: "${BINDIR:=$PREFIX/bin}" "${LIBDIR:=$PREFIX/lib}" "${LIBEXECDIR:=$PREFIX/libexec}" "${INCLUDEDIR:=$PREFIX/include}"
: "${DATADIR:=$PREFIX/share}" "${DOCDIR:=$DATADIR/doc/holmberg}" "${MANDIR:=$DATADIR/man}" \
  "${ZSHDIR:=$DATADIR/zsh/site-functions}"

# Where this Python looks for packages below PREFIX, Debian's in dist-packages. If it looks nowhere there, and nobody asked for
# that PREFIX, where it looks: it has a prefix of its own. Nothing without Python.
python_folder() {
  "$PYTHON" - "$PREFIX" "$asked" 2>/dev/null <<'END' || :
import site, sys, sysconfig
known = [folder for folder in site.getsitepackages() if folder.startswith(sys.argv[1] + "/lib/")]
below = "%s/lib/python%d.%d/site-packages" % (sys.argv[1], *sys.version_info[:2])
print(known[0] if known else below if sys.argv[2] else sysconfig.get_path("purelib"))
END
}
say_python_folder() {
  [ -n "$PYTHONDIR" ] || { echo "no Python package: there is no $PYTHON" && return; }
  if "$PYTHON" -c 'import site, sys; sys.exit(sys.argv[1] not in site.getsitepackages())' "$PYTHONDIR" 2>/dev/null; then
    echo "the Python package is in $DESTDIR$PYTHONDIR, for $(command -v "$PYTHON")"
  else
    echo "the Python package is in $DESTDIR$PYTHONDIR, where $(command -v "$PYTHON") does not look: PYTHONPATH can name it"
  fi
}
: "${PYTHONDIR:=$(python_folder)}"

soname=$(cd "$build" && echo libholmberg.so.?)
others=$(cd "$build" && echo libholmberg-*.a | sed 's/libholmberg-//g; s/\.a//g') # other people's calls: g6 ...

# Guides and what they speak of, in folders as here so that their links hold.
guides() {
  printf '%s\n' README.md LICENSE src/README.md src/{cli,lib,python,step}/README.md src/python/REBOUND.md data/README.md data/FORMATS.md data/figures/*.png \
    tests/api/*.{c,cpp,f90,py}
  find shaders -type f
}

# Lines `mode source destination`, and `link what destination`; no name has a blank.
files() {
  local header calls page module interaction guide
  echo "755 $build/holmberg $BINDIR/holmberg"
  echo "755 $build/holmberg-child $LIBEXECDIR/holmberg/holmberg-child"
  [ "$what" = install ] && [ ! -e "$build/web/holmberg.html" ] || echo "644 $build/web/holmberg.html $LIBEXECDIR/holmberg/web/holmberg.html"
  [ ! -e "$build/holmberg-mpi.so" ] || echo "644 $build/holmberg-mpi.so $LIBEXECDIR/holmberg/holmberg-mpi.so"
  echo "644 $build/$soname $LIBDIR/$soname"
  echo "link $soname $LIBDIR/libholmberg.so"
  echo "644 $build/libholmberg.a $LIBDIR/libholmberg.a"
  echo "644 holmberg.pc $LIBDIR/pkgconfig/holmberg.pc"
  for calls in $others; do
    echo "644 $build/libholmberg-$calls.so.1 $LIBDIR/libholmberg-$calls.so.1"
    echo "link libholmberg-$calls.so.1 $LIBDIR/libholmberg-$calls.so"
    echo "644 $build/libholmberg-$calls.a $LIBDIR/libholmberg-$calls.a"
    echo "644 holmberg-$calls.pc $LIBDIR/pkgconfig/holmberg-$calls.pc"
  done
  for page in "$build"/manual/*.[135]; do
    echo "644 $page $MANDIR/man${page##*.}/${page##*/}"
  done
  echo "644 $build/manual/holmberg.bash $DATADIR/bash-completion/completions/holmberg"
  echo "644 $build/manual/_holmberg $ZSHDIR/_holmberg"
  for interaction in shaders/interactions/*.glsl; do # to start one's own from
    echo "644 $interaction $DATADIR/holmberg/interactions/${interaction##*/}"
  done
  guides | while read -r guide; do echo "644 $guide $DOCDIR/$guide"; done
  for header in src/include/holmberg/*.h; do
    echo "644 $header $INCLUDEDIR/holmberg/${header##*/}"
  done
  [ -z "$PYTHONDIR" ] || for module in src/python/*/*.py src/python/*/py.typed; do
    echo "644 $module $PYTHONDIR/${module#src/python/}"
  done
}

packages="$PYTHONDIR/holmberg $PYTHONDIR/amuse_holmberg"
own_folders="$DATADIR/holmberg/interactions $DATADIR/holmberg $LIBEXECDIR/holmberg/web $LIBEXECDIR/holmberg $INCLUDEDIR/holmberg $packages"

case $what in
install)
  folder=$(mktemp -d)
  trap 'rm -r "$folder"' EXIT
  # shellcheck disable=SC2016 # ${prefix} is a variable of pkg-config
  for calls in '' $others; do
    template=tools/holmberg${calls:+-calls}.pc.in
    sed -e "s|@PREFIX@|$PREFIX|; s|@VERSION@|$version|; s|@NEEDS@|$needs|; s|@CALLS@|$calls|" \
      -e "s|@LIBDIR@|${LIBDIR/#"$PREFIX"/'${prefix}'}|; s|@INCLUDEDIR@|${INCLUDEDIR/#"$PREFIX"/'${prefix}'}|" \
      "$template" >"$folder/holmberg${calls:+-$calls}.pc"
  done
  guides >"$folder/guides"
  declare -A sources # of a mode and folder: one program puts them there
  while read -r mode source destination; do
    case $source in
    *.pc) source=$folder/$source ;;
    *.md)
      mkdir -p "$folder/$(dirname "$source")"
      awk -f tools/installed.awk -v folder="$DOCDIR" -v list="$folder/guides" -v page="$source" "$source" >"$folder/$source"
      source=$folder/$source
      ;;
    esac
    if [ "$mode" = link ]; then
      mkdir -p "$DESTDIR${destination%/*}" && ln -sf "$source" "$DESTDIR$destination"
    elif [ "${source##*/}" = "${destination##*/}" ]; then
      sources[$mode ${destination%/*}]+=" $source"
    else
      install -D -m "$mode" "$source" "$DESTDIR$destination"
    fi
  done <<<"$(files)"
  for there in "${!sources[@]}"; do # shellcheck disable=SC2086 # no name has a blank
    install -D -m "${there%% *}" -t "$DESTDIR${there#* }" ${sources[$there]}
  done
  case $DESTDIR$LIBDIR in # where the loader looks
  /usr/lib* | /usr/local/lib*) [ "$(id -u)" != 0 ] || ! command -v ldconfig >/dev/null || ldconfig ;;
  esac
  say_python_folder
  ;;
uninstall)
  files | while read -r _ _ destination; do rm -f "$DESTDIR$destination"; done
  [ -z "$PYTHONDIR" ] || for folder in $packages; do rm -rf "$DESTDIR$folder/__pycache__"; done
  [ ! -d "$DESTDIR$DOCDIR" ] || find "$DESTDIR$DOCDIR" -depth -type d -empty -delete
  for folder in $own_folders; do
    [ ! -d "$DESTDIR$folder" ] || rmdir --ignore-fail-on-non-empty "$DESTDIR$folder"
  done
  ;;
esac

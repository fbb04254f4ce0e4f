#!/usr/bin/env bash
# deb.sh BUILD VERSION: Debian packages of the tracked files as they are now, in BUILD/deb, checked by lintian.
set -euo pipefail
version=$2
out=$(mkdir -p "$1" && cd "$1" && pwd)/deb
cd "$(dirname "$0")/.."
source=$out/holmberg-$version
rm -rf "$out"
mkdir -p "$source"
git ls-files -z | xargs -0 tar -c --ignore-failed-read | tar -x -C "$source"
tar -cJf "$out/holmberg_$version.orig.tar.xz" -C "$out" --exclude='*/tools/debian' "holmberg-$version"
cp -r tools/debian "$source/debian"
rm -r "$source/tools/debian"
cd "$source"
DEB_BUILD_OPTIONS=${DEB_BUILD_OPTIONS:-parallel=$(nproc)} dpkg-buildpackage -us -uc >"$out/log" 2>&1 || {
  tail -n 40 "$out/log"
  echo "holmberg: the packages were not built, see $out/log" >&2
  exit 1
}
cd "$out"
rm -r "$source"
for file in README.md shaders/LESSON.md shaders/exercises/1_turning_ellipse.diff tests/api/integrate.c; do
  dpkg-deb --fsys-tarfile holmberg_"$version"-*.deb | tar -xO "./usr/share/doc/holmberg/$file" >/dev/null # there, and not compressed
done
for package in holmberg libholmberg1; do dpkg-deb -f "$package"_*.deb Depends | grep libhdf5; done
lintian --fail-on error --tag-display-limit 0 -- *.changes
ls -- *.deb

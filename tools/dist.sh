#!/usr/bin/env bash
# dist.sh BUILD VERSION: the source archive of the tracked files as they are now, and recipes of tools/recipes for it, in
# BUILD/dist. Environment: URL, the folder where the archive will lie; HOME_PAGE.
# A release: VERSION and DATE in the Makefile, a new entry in tools/debian/changelog, both in .github/CITATION.cff; then a tag
# of the form v1.2.3 on that commit. tests/outside/release.bats compares them.
set -euo pipefail
version=$2
out=$(mkdir -p "$1" && cd "$1" && pwd)/dist
cd "$(dirname "$0")/.."
name=holmberg-$version
rm -rf "$out"
mkdir -p "$out"
: "${URL:=file://$out}" "${HOME_PAGE:=https://github.com/holmberg/holmberg}"
if [ -e .git ]; then
  files() { git ls-files -z; }
  when=$(git log -1 --format=%ct) # the same files, the same bytes
else # unpacked from such an archive
  files() { find . -path ./build -prune -o ! -type d ! -path '*/__pycache__/*' -printf '%P\0'; }
  when=$(stat -c %Y Makefile)
fi
files | LC_ALL=C sort -z |
  tar -c --null -T - --transform "s|^|$name/|" --mtime "@$when" --owner 0 --group 0 --numeric-owner --format=ustar |
  xz -T1 >"$out/$name.tar.xz"
sum=$(sha256sum "$out/$name.tar.xz" | cut -d ' ' -f 1)
for recipe in tools/recipes/*.in; do
  sed "s|@VERSION@|$version|g; s|@URL@|$URL/$name.tar.xz|; s|@SHA256@|$sum|; s|@HOME_PAGE@|$HOME_PAGE|" "$recipe" \
    >"$out/$(basename "$recipe" .in)"
done
echo "$out/$name.tar.xz"

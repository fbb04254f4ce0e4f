#!/bin/sh
# page.sh PAGE [FOLDER]: prints a page's HTML with the solutions of the exercises in it. With FOLDER, where `make web` builds,
# also with style, scripts and the program itself: one file, which opens from a disk.
set -eu
page=$1
folder=${2:-}
exercises() {
  for diff in shaders/exercises/*.diff; do
    number=$(basename "$diff")
    printf '<script type="text/plain" id="exercise%s">\n' "${number%%_*}"
    cat "$diff"
    echo '</script>'
  done
}
# What stands between the tags of a script or style: a policy names it by its hash.
inside() {
  case $1 in
  program)
    printf '\nconst HOLMBERG_WASM = "'
    base64 -w 0 "$folder/holmberg.wasm"
    printf '";\n'
    ;;
  holmberg.js) echo && cat "$folder/$1" ;;
  *) echo && cat "src/web/$1" ;;
  esac
}
hash() {
  inside "$1" | python3 -c 'import base64, hashlib, sys
print("sha256-" + base64.b64encode(hashlib.sha256(sys.stdin.buffer.read()).digest()).decode())'
}
# The files of the page's scripts or styles.
files() { sed -n "s/^<$1.*\"\([a-z_]*\.$2\)\".*/\1/p" "$page"; }
hashes() { for file in "$@"; do printf " '%s'" "$(hash "$file")"; done; }
policy() {
  # shellcheck disable=SC2046 # the lists are words
  cat <<END
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'wasm-unsafe-eval'$(hashes program $(files script js)); worker-src blob:;
  style-src$(hashes $(files link css)); connect-src 'self'; img-src data: blob:; base-uri 'none'; form-action 'none'">
END
}
element() {
  printf '<%s>' "$1$3"
  inside "$2"
  printf '</%s>\n' "$1"
}
while IFS= read -r line; do
  file=$(printf '%s\n' "$line" | sed -n 's/^<[ls].*"\([a-z_]*\.[cj]s*\)".*/\1/p')
  case $folder,$line in
  *,'<!-- exercises -->') exercises ;;
  ?*,*Content-Security-Policy*) policy ;;
  ?*,'<link rel="stylesheet"'*) element style "$file" '' ;;
  ?*,'<script src='*)
    [ "$file" != holmberg.js ] || element script program ''
    element script "$file" "$(printf '%s\n' "$line" | sed 's/<script src="[^"]*"\([^>]*\)>.*/\1/')"
    ;;
  *) printf '%s\n' "$line" ;;
  esac
done <"$page"

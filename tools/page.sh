#!/bin/sh
# page.sh PAGE [FOLDER]: prints the page's HTML with the solutions of the exercises in it. With FOLDER, where `make web` builds,
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
program() {
  printf '\nconst HOLMBERG_WASM = "'
  base64 -w 0 "$folder/holmberg.wasm"
  printf '";\n'
}
inside() {
  case $1 in
  program) program ;;
  *) echo && cat "$1" ;;
  esac
}
hash() {
  inside "$1" | python3 -c 'import base64, hashlib, sys
print("sha256-" + base64.b64encode(hashlib.sha256(sys.stdin.buffer.read()).digest()).decode())'
}
policy() {
  cat <<END
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'wasm-unsafe-eval' '$(hash program)'
  '$(hash "$folder/holmberg.js")' '$(hash src/web/page.js)'; style-src '$(hash src/web/page.css)'; img-src data: blob:; base-uri 'none'; form-action 'none'">
END
}
element() {
  printf '<%s>' "$1"
  inside "$2"
  printf '</%s>\n' "$1"
}
while IFS= read -r line; do
  case $folder,$line in
  *,'<!-- exercises -->') exercises ;;
  ?*,*Content-Security-Policy*) policy ;;
  ?*,*href=\"page.css\"*) element style src/web/page.css ;;
  ?*,*src=\"holmberg.js\"*)
    element script program
    element script "$folder/holmberg.js"
    ;;
  ?*,*src=\"page.js\"*) element script src/web/page.js ;;
  *) printf '%s\n' "$line" ;;
  esac
done <"$page"
